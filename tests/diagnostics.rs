//! What users are told about inputs that cannot be verified: exit code 3, the place, the construct's name,
//! what to do.

use crate::command::{Scratch, run, snapshot};

/// Runs `verify` on a program and returns what the user sees.
fn refused(name: &str, program: &str) -> String {
    let ran = Scratch::new(&format!("refused-{name}")).with("p.c", program).run("verify p.c");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""), "{name}: {}", ran.seen());
    format!("## {name}\n{}\n", ran.stderr)
}

#[test]
fn unsupported_constructs_are_named() {
    let mut seen = String::new();
    for (name, program) in [
        ("long double", "long double half;\nint main(void)\n{\n    half = 0.5;\n    return 0;\n}\n"),
        (
            "asm",
            "int x;\nint main(void)\n{\n    __asm__ volatile(\"rcll %0\" : \"+m\"(x));\n    return x;\n}\n",
        ),
        ("setjmp", "#include <setjmp.h>\nint main(void)\n{\n    jmp_buf b;\n    return setjmp(b);\n}\n"),
        (
            "structure among variable arguments",
            "#include <stdarg.h>\nstruct p { int x; };\nint first(int n, ...)\n{\n    va_list list;\n    va_start(list, n);\n    \
             return va_arg(list, struct p).x;\n}\n\
             int main(void)\n{\n    struct p p = { 2 };\n    return first(1, p);\n}\n",
        ),
        ("unknown function", "int frobnicate(int);\nint main(void)\n{\n    return frobnicate(3);\n}\n"),
    ] {
        seen += &refused(name, program);
    }
    snapshot("diagnostics_unsupported", &seen);
}

#[test]
fn wrong_programs_are_refused_with_their_place() {
    let mut seen = String::new();
    for (name, program) in [
        ("syntax error", "int x = 3\nint main(void)\n{\n    return x;\n}\n"),
        ("unknown type", "int main(void)\n{\n    number n = 3;\n    return n;\n}\n"),
        ("undeclared name", "int main(void)\n{\n    return y;\n}\n"),
        ("no main", "int x;\n"),
        (
            "macro before the place",
            "#define TWICE(a) ((a) + (a))\nint main(void)\n{\n    return TWICE(1) + missing;\n}\n",
        ),
        ("missing header", "#include <nowhere.h>\nint main(void) { return 0; }\n"),
        (
            "nested too deeply",
            &format!("int x = {}1{};\nint main(void) {{ return x; }}\n", "(".repeat(9000), ")".repeat(9000)),
        ),
    ] {
        // Where the preprocessor speaks, its words differ from machine to machine; very long lines help
        // nobody here.
        let text = refused(name, program);
        let kept = if name == "missing header" { 2 } else { usize::MAX };
        for line in text.lines().filter(|line| line.len() < 200).take(kept) {
            seen += &format!("{line}\n");
        }
    }
    snapshot("diagnostics_wrong", &seen);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let scratch = Scratch::new("files")
        .with("p.c", "int main(void) { return 0; }\n")
        .with("bad.yml", "format_version: '2.0'\ninput_files: [p.c\n")
        .with("empty.yml", "")
        .with("old.yml", "format_version: '0.9'\ninput_files: p.c\n")
        .with("gone.yml", "format_version: '2.0'\ninput_files: gone.c\n")
        .with(
            "race.yml",
            "format_version: '2.0'\ninput_files: p.c\nproperties:\n  - property_file: race.prp\n",
        )
        .with("race.prp", "CHECK( init(main()), LTL(G ! data-race) )\n")
        .with("bad.prp", "unreach-call\n");
    let mut seen = String::new();
    for arguments in [
        "verify gone.c",
        "verify .",
        "verify gone.i",
        "verify bad.yml",
        "verify empty.yml",
        "verify old.yml",
        "verify gone.yml",
        "verify race.yml",
        "verify --property bad.prp p.c",
        "verify --property gone.prp p.c",
        "show gone.c",
    ] {
        let ran = scratch.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""), "{arguments}: {}", ran.seen());
        seen += &format!("$ regrain {arguments}\n{}\n", ran.stderr);
    }
    snapshot("diagnostics_files", &seen);
}

#[test]
fn a_missing_preprocessor_is_explained() {
    let scratch = Scratch::new("preprocessor").with("p.c", "int main(void) { return 0; }\n");
    let ran = run(scratch.command("verify p.c").env("PATH", ""));
    snapshot("diagnostics_preprocessor", &ran.seen());
    let scratch = scratch.with("p.i", "int main(void) { return 0; }\n");
    let ran = run(scratch.command("verify p.i").env("PATH", ""));
    assert_eq!(ran.last_line(), "Verdict: true", "{}", ran.seen());
}

#[test]
fn the_choice_about_unknown_functions_is_the_users() {
    let program = "#include <assert.h>\nint f(void);\nint main(void) { assert(f() == 0); return 0; }\n";
    let scratch = Scratch::new("undefined").with("p.c", program);
    assert_eq!(scratch.run("verify p.c").code, Some(3));
    assert_eq!(scratch.run("verify --undefined havoc p.c").last_line(), "Verdict: false(unreach-call)");
    assert_eq!(scratch.run("verify --undefined ignore p.c").last_line(), "Verdict: true");
}
