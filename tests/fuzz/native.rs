//! Sequential programs run by the code of native compilers, many in one file; what their sanitizers complain
//! about is left out.
//!
//! Sanitizers say nothing of arithmetic that the compiler does by itself: `0 - INT_MIN` is folded before they
//! look. So numbers come out of functions that are not inlined, and nothing can be folded.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ast::{Int, Program};
use super::prelude::Plain;
use super::print::{self, Dialect};

/// The compilers that are asked, if they are there. The first has to be.
const COMPILERS: [&str; 2] = ["cc", "clang"];

/// A folder of its own for a compiler's files; it vanishes when dropped.
pub struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    /// A new one.
    pub fn new(name: &str) -> Workshop {
        let folder = std::env::temp_dir().join(format!("regrain-native-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the compiler");
        Workshop { folder }
    }

    /// The results of the functions of that name, `None` for those that are undefined, do not end, or have
    /// another result with another compiler. Nothing at all if the text is not C.
    pub fn results(&self, programs: &[(Program, String)]) -> Option<Vec<Option<u64>>> {
        let source = self.folder.join("batch.c");
        std::fs::write(&source, text(programs)).expect("the batch is written");
        let [first, second] = COMPILERS;
        let mut results = self.run(first, &source, programs.len())?;
        if is_there(second) {
            let others = self.run(second, &source, programs.len())?;
            for (result, other) in results.iter_mut().zip(others) {
                *result = result.filter(|value| other == Some(*value));
            }
        }
        Some(results)
    }

    /// What the code of one compiler says.
    fn run(&self, compiler: &str, source: &Path, count: usize) -> Option<Vec<Option<u64>>> {
        let binary = self.folder.join("batch");
        if !compile(compiler, source, &binary) {
            return None;
        }
        let run = Command::new(&binary).env("ASAN_OPTIONS", "detect_leaks=0").stderr(Stdio::null()).output();
        let output = String::from_utf8(run.ok()?.stdout).ok()?;
        let mut results = vec![None; count];
        for line in output.lines() {
            let (number, value) = line.split_once(' ')?;
            results[number.parse::<usize>().ok()?] = Some(value.parse().ok()?);
        }
        Some(results)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn is_there(compiler: &str) -> bool {
    let version =
        Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

fn compile(compiler: &str, source: &Path, binary: &Path) -> bool {
    let mut command = Command::new(compiler);
    command.args([
        "-std=gnu11",
        "-Werror=return-type",
        "-O0",
        "-fno-strict-aliasing",
        "-fsanitize=undefined,address",
    ]);
    command.args(["-fno-sanitize-recover=all", "-o"]).arg(binary).arg(source);
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// All programs, and a `main` that runs each in a process of its own.
fn text(programs: &[(Program, String)]) -> String {
    let mut out = String::from(
        "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <sys/wait.h>\n",
    );
    for ty in Int::ALL {
        let (name, short) = (ty.name(), ty.short_name());
        let _ = writeln!(out, "{name} number_{short}({name} value) {{ return value; }}");
    }
    for (program, _) in programs {
        out += &print::definitions(program, &Unfolded);
    }
    let names: Vec<&str> = programs.iter().map(|(_, name)| name.as_str()).collect();
    let _ = writeln!(out, "unsigned long (*all[])(void) = {{ {} }};", names.join(", "));
    let _ = writeln!(
        out,
        "int main(void) {{\n    for (int i = 0; i < {}; i++) {{\n        fflush(stdout);\n        int child = fork();\n        \
         if (child == 0) {{\n            alarm(2);\n            unsigned long sum = all[i]();\n            \
         printf(\"%d %lu\\n\", i, sum);\n            fflush(stdout);\n            _exit(0);\n        }}\n        \
         waitpid(child, 0, 0);\n    }}\n    return 0;\n}}",
        programs.len()
    );
    out
}

/// As a person writes, with numbers that the compiler does not know.
struct Unfolded;

impl Dialect for Unfolded {
    fn call(&self, name: &str, arguments: &[String]) -> String {
        Plain.call(name, arguments)
    }

    fn constant(&self, name: &str) -> String {
        Plain.constant(name)
    }

    fn number(&self, value: i128, ty: Int) -> String {
        format!("number_{}({})", ty.short_name(), print::number(value, ty))
    }

    fn given(&self, value: i128, ty: Int) -> String {
        self.number(value, ty)
    }
}
