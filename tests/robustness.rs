//! What can go wrong outside: files that cannot be read or written. There is always a clear message, and an
//! answer that was found is printed.

use std::process::{Command, Stdio};

use crate::command::{Ran, Scratch, run};

const SAFE: &str = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 1); return 0; }\n";
const UNSAFE: &str = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); return 0; }\n";

fn check(ran: &Ran, code: i32, last_line: &str, message: &str) {
    assert_eq!((ran.code, ran.last_line()), (Some(code), last_line), "{}", ran.seen());
    assert!(ran.stderr.contains(message), "{message} in {}", ran.stderr);
    assert!(!ran.stderr.contains("internal error"), "{}", ran.stderr);
}

#[test]
fn evidence_that_cannot_be_written_costs_no_verdict() {
    let scratch = Scratch::new("unwritable").with("safe.c", SAFE).with("unsafe.c", UNSAFE);
    for (option, name) in
        [("--witness", "/nowhere/w.yml"), ("--sarif", "/nowhere/r.sarif"), ("--witness", ".")]
    {
        for (file, verdict) in [("safe.c", "Verdict: true"), ("unsafe.c", "Verdict: false(unreach-call)")] {
            let ran = scratch.run(&format!("verify -q {option} {name} {file}"));
            check(&ran, 2, verdict, &format!("error: cannot write {name}: "));
        }
    }
    let ran = scratch.run("verify -q --witness /dev/full safe.c");
    check(&ran, 2, "Verdict: true", "cannot write /dev/full: No space left on device");
    let both = scratch.run("verify -q --witness /nowhere/w.yml --sarif /nowhere/r.sarif safe.c");
    check(&both, 2, "Verdict: true", "cannot write /nowhere/w.yml");
    assert!(both.stderr.contains("cannot write /nowhere/r.sarif"), "{}", both.stderr);
    let json = scratch.run("verify -q --format json --witness /nowhere/w.yml unsafe.c");
    assert_eq!((json.code, json.json()["verdict"].as_str()), (Some(2), Some("false(unreach-call)")));
}

#[test]
fn evidence_is_written_even_if_stdout_is_full() {
    let scratch = Scratch::new("full-stdout").with("p.c", UNSAFE);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let ran = run(Command::new(env!("CARGO_BIN_EXE_regrain"))
        .args(["verify", "-q", "--witness", "w.yml", "p.c"])
        .current_dir(scratch.path(""))
        .stdout(full)
        .stderr(Stdio::piped()));
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.starts_with("Verdict: false(unreach-call)\nerror: cannot write to stdout: "),
        "{}",
        ran.stderr
    );
    assert!(
        std::fs::read_to_string(scratch.path("w.yml")).expect("a witness").contains("violation_sequence")
    );
}

#[test]
fn input_that_cannot_be_read_is_exit_code_3() {
    let scratch =
        Scratch::new("unreadable").with("p.c", SAFE).with("empty.c", "").with("bad.prp", "nonsense\n");
    std::fs::write(scratch.path("latin1.i"), b"int main(void) { return '\xe4'; }\n").expect("a file");
    std::fs::write(scratch.path("task.yml"), "input_files: gone.c\nformat_version: '2.0'\n").expect("a file");
    for (arguments, message) in [
        ("verify gone.c", "cannot read gone.c: No such file or directory"),
        ("verify .", "cannot read .: "),
        ("verify empty.c", "error: "),
        ("verify --property gone.prp p.c", "gone.prp"),
        ("verify --property bad.prp p.c", "bad.prp:1: error: not a property"),
        ("verify task.yml", "cannot read gone.c"),
        ("show gone.c", "cannot read gone.c"),
        ("partition gone.c", "cannot read gone.c"),
    ] {
        let ran = scratch.run(arguments);
        check(&ran, 3, "", message);
    }
    let strange = scratch.run("verify -q latin1.i");
    assert!(matches!(strange.code, Some(0 | 3)), "{}", strange.seen());
}

#[test]
fn closed_pipes_and_full_disks_of_other_commands() {
    let scratch = Scratch::new("others").with("p.c", SAFE);
    for arguments in ["features", "features --format json", "show p.c", "completions bash", "man"] {
        let mut command = scratch.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{arguments}");
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let ran = run(scratch.command(arguments).stdout(full).stderr(Stdio::piped()));
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot write to stdout: No space left"), "{arguments}: {}", ran.stderr);
    }
}
