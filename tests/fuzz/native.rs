//! Sequential programs run by the native compiler's code, many in one file; what its sanitizers complain
//! about is left out.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::ast::Program;
use super::prelude::Plain;
use super::print;

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

    /// The results of the functions of that name, `None` for those that are undefined or do not end. Nothing
    /// at all if the text is not C.
    pub fn results(&self, programs: &[(Program, String)]) -> Option<Vec<Option<u64>>> {
        let (source, binary) = (self.folder.join("batch.c"), self.folder.join("batch"));
        std::fs::write(&source, text(programs)).expect("the batch is written");
        if !compile(&source, &binary) {
            return None;
        }
        let run = Command::new(&binary).env("ASAN_OPTIONS", "detect_leaks=0").stderr(Stdio::null()).output();
        let output = String::from_utf8(run.ok()?.stdout).ok()?;
        let mut results = vec![None; programs.len()];
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

fn compile(source: &Path, binary: &Path) -> bool {
    let mut command = Command::new("cc");
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
    for (program, _) in programs {
        out += &print::definitions(program, &Plain);
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
