//! Getting at the text: files and the system's C preprocessor.
//!
//! `.i` files are taken as they are. Everything else goes through `cc -E` (else `clang`, else `gcc`) with our
//! own headers first on the include path, so that library types and macros are those the models know.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::diagnostic::{Diagnostic, Kind};
use super::{DataModel, Options, models};
use crate::program::{Sources, Span};

/// The preprocessors that are tried, in order.
const PREPROCESSORS: [&str; 3] = ["cc", "clang", "gcc"];

/// The preprocessed text of a program.
///
/// # Errors
/// If the file cannot be read, no preprocessor is there, or the preprocessor fails; its own words are in the
/// message.
pub fn read(path: &Path, options: &Options) -> Result<String, Diagnostic> {
    let text =
        fs::read(path).map_err(|error| input_error(format!("cannot read {}: {error}", path.display())))?;
    if is_preprocessed(path) {
        return Ok(decode(&text));
    }
    let headers = HeaderDirectory::create()
        .map_err(|error| input_error(format!("cannot write our headers: {error}")))?;
    preprocess(path, headers.path(), options)
}

/// Whether a file is taken as it is, by its name.
pub fn is_preprocessed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "i")
}

fn preprocess(path: &Path, headers: &Path, options: &Options) -> Result<String, Diagnostic> {
    for program in PREPROCESSORS {
        let mut command = Command::new(program);
        command.args(["-E", "-std=gnu11", "-w", "-U__OPTIMIZE__", "-D__REGRAIN__=1", "-I"]).arg(headers);
        if options.data_model == DataModel::Ilp32 {
            command.args(["-U__LP64__", "-U_LP64", "-U__LONG_MAX__", "-D__LONG_MAX__=2147483647L"]);
            command.args([
                "-U__SIZEOF_LONG__",
                "-D__SIZEOF_LONG__=4",
                "-U__SIZEOF_POINTER__",
                "-D__SIZEOF_POINTER__=4",
            ]);
        }
        for directory in &options.include {
            command.arg("-I").arg(directory);
        }
        for definition in &options.define {
            command.arg(format!("-D{definition}"));
        }
        // `-x c` also takes files without a known ending.
        command.args(["-x", "c"]).arg(path).stdin(Stdio::null());
        match command.output() {
            Ok(output) if output.status.success() => {
                return Ok(decode(&output.stdout));
            }
            Ok(output) => {
                let words = String::from_utf8_lossy(&output.stderr);
                return Err(input_error(format!("`{program} -E` failed:\n{}", words.trim_end())));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(input_error(format!("cannot run `{program} -E`: {error}"))),
        }
    }
    let mut error = input_error("no C preprocessor found: tried cc, clang and gcc".to_owned());
    error.help = Some("install a C compiler, or give a preprocessed file that ends in .i".to_owned());
    Err(error)
}

/// The text of a file. Bytes of literals that are not UTF-8 become octal escapes, so that they stay the bytes
/// they are; elsewhere, in comments, they mean nothing.
fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    // What opened the literal or comment around: `"`, `\'`, `/` for a line, `*` for a block.
    let mut inside = None;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        let mut previous = ' ';
        for c in valid.chars() {
            inside = match (inside, previous, c) {
                (None, '/', '/' | '*') => Some(c),
                (None, _, '"' | '\'') => Some(c),
                (Some('/'), _, '\n') | (Some('*'), '*', '/') => None,
                (Some(open @ ('"' | '\'')), before, _) if before != '\\' && (c == open || c == '\n') => None,
                (other, ..) => other,
            };
            // An escaped backslash does not escape what follows.
            previous = if previous == '\\' && c == '\\' { ' ' } else { c };
        }
        text += valid;
        for &byte in chunk.invalid() {
            match inside {
                Some('"' | '\'') => text += &format!("\\{byte:03o}"),
                _ => text.push(char::REPLACEMENT_CHARACTER),
            }
        }
    }
    text
}

fn input_error(message: String) -> Diagnostic {
    Diagnostic { kind: Kind::Input, message, span: Span::NONE, help: None, sources: Sources::default() }
}

/// A directory with our headers that vanishes when dropped.
struct HeaderDirectory {
    path: PathBuf,
}

impl HeaderDirectory {
    fn create() -> io::Result<HeaderDirectory> {
        let directory = Self::fresh()?;
        for (name, text) in models::HEADERS {
            let file = directory.path.join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(file, text)?;
        }
        Ok(directory)
    }

    /// A new directory that nobody else uses: several runs may be going on, also in one process.
    fn fresh() -> io::Result<HeaderDirectory> {
        let base = std::env::temp_dir();
        let mut number = 0u32;
        loop {
            let path = base.join(format!("regrain-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(HeaderDirectory { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for HeaderDirectory {
    fn drop(&mut self) {
        // Nothing useful can be done if this fails: the system cleans its temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn bytes_that_are_not_utf8() {
        assert_eq!(
            decode(b"char *s = \"caf\xe9\"; /* \xe9 \" */ int c = '\xfc';"),
            "char *s = \"caf\\351\"; /* \u{fffd} \" */ int c = '\\374';"
        );
        assert_eq!(decode("\"\u{e9}\\\\\" // \"".as_bytes()), "\"\u{e9}\\\\\" // \"");
        assert_eq!(decode(b"// it's\n\"\xff\\\"\xfe\" \xfd"), "// it's\n\"\\377\\\"\\376\" \u{fffd}");
    }
}
