//! Lets every binary of the package, tests included, find Z3: the library that `./x setup` fetched, a copy of it where
//! `cargo install` puts things, or the one that a package brings along. And notes the versions of what is linked in.
//!
//! An optimised binary may be installed and outlive the checkout. Cargo installs binaries alone, so the library is
//! copied to `lib/regrain` beside the `bin` that they go to, `~/.cargo` by default; `cargo install --root` finds it
//! there, too.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Set by `./x setup` through `.cargo/config.toml`; z3-sys links with the library in this folder.
const LIBRARY_FOLDER: &str = "Z3_LIBRARY_PATH_OVERRIDE";

/// Where the library will be, relative to the binary as in `$ORIGIN/../lib`; set by `./x package`.
const RUN_PATH: &str = "REGRAIN_RUN_PATH";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    for variable in [LIBRARY_FOLDER, RUN_PATH, "CARGO_INSTALL_ROOT"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let lock = fs::read_to_string("Cargo.lock").unwrap_or_default();
    println!("cargo::rustc-env=REGRAIN_BATSAT={}", locked(&lock, "batsat").unwrap_or("of unknown version"));
    match env::var(LIBRARY_FOLDER) {
        Ok(folder) if Path::new(&folder).join("libz3.so").exists() => {
            for path in run_paths(&folder) {
                println!("cargo::rustc-link-arg=-Wl,-rpath,{path}");
            }
        }
        _ => println!("cargo::error=the solvers are not there yet; `./x setup` fetches them"),
    }
}

/// Where a binary looks for the library.
fn run_paths(folder: &str) -> Vec<String> {
    if let Ok(path) = env::var(RUN_PATH) {
        return vec![path];
    }
    if env::var("PROFILE").as_deref() != Ok("release") {
        return vec![folder.to_owned()];
    }
    match installed(Path::new(folder)) {
        Some(copy) => vec!["$ORIGIN/../lib/regrain".to_owned(), copy.display().to_string()],
        None => {
            println!(
                "cargo::warning=Z3 cannot be copied to where Cargo installs; the binary needs this checkout"
            );
            vec![folder.to_owned()]
        }
    }
}

/// Copies the library to where Cargo installs; the folder.
fn installed(folder: &Path) -> Option<PathBuf> {
    let root = env::var_os("CARGO_INSTALL_ROOT").or_else(|| env::var_os("CARGO_HOME")).map(PathBuf::from);
    let root = root.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))?;
    let to = root.join("lib/regrain");
    fs::create_dir_all(&to).ok()?;
    let library = fs::canonicalize(folder.join("libz3.so")).ok()?;
    let copy = to.join(library.file_name()?);
    let same = |a: &Path, b: &Path| Some(fs::metadata(a).ok()?.len() == fs::metadata(b).ok()?.len());
    if same(&library, &copy) != Some(true) {
        // In one step, for who runs a binary meanwhile.
        let draft = to.join(format!("libz3-{}", std::process::id()));
        fs::copy(&library, &draft).ok()?;
        fs::rename(&draft, &copy).ok()?;
    }
    Some(to)
}

/// The version of a package in the text of a lock file.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{package}\"\n")))?;
    entry.split("version = \"").nth(1)?.split('"').next()
}
