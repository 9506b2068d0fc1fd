//! Running the real binary on files in a directory of the test's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory that vanishes when dropped, with the files of a test.
pub struct Scratch {
    directory: PathBuf,
}

/// What a run of the binary left behind.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scratch {
    /// An empty directory; `name` is the test's.
    pub fn new(name: &str) -> Scratch {
        let directory = std::env::temp_dir().join(format!("regrain-test-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("a directory for the test");
        Scratch { directory }
    }

    /// With a file.
    pub fn with(self, name: &str, text: &str) -> Scratch {
        std::fs::write(self.directory.join(name), text).expect("a file for the test");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The binary with arguments separated by blanks, in this directory.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = command(arguments);
        command.current_dir(&self.directory);
        command
    }

    /// Runs the binary.
    pub fn run(&self, arguments: &str) -> Ran {
        run(&mut self.command(arguments))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The binary with arguments separated by blanks, in the project's directory.
pub fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regrain"));
    command.args(arguments.split_whitespace()).current_dir(env!("CARGO_MANIFEST_DIR"));
    for name in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ran {
    let output = command.output().expect("the binary can be started");
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

impl Ran {
    /// The last line of stdout.
    pub fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or("")
    }

    /// stdout as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in: {}", self.stdout))
    }

    /// Everything that users see, without times and sizes.
    pub fn seen(&self) -> String {
        let code = self.code.map_or("killed".to_owned(), |code| code.to_string());
        let varies = |line: &&str| !line.starts_with("Time: ") && !line.starts_with("Memory: ");
        let stdout: Vec<&str> = self.stdout.lines().filter(varies).collect();
        let mut seen = format!("exit {code}\n");
        for (name, text) in [("stdout", stdout.join("\n")), ("stderr", self.stderr.trim_end().to_owned())] {
            if !text.is_empty() {
                seen += &format!("--- {name}\n{text}\n");
            }
        }
        seen
    }
}

/// Compares with the snapshot of that name.
#[track_caller]
pub fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
