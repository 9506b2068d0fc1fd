//! Lets every binary of the package, tests included, find the Z3 library that `./x setup` fetched.

use std::path::Path;

/// Set by `./x setup` through `.cargo/config.toml`; z3-sys links with the library in this folder.
const LIBRARY_FOLDER: &str = "Z3_LIBRARY_PATH_OVERRIDE";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={LIBRARY_FOLDER}");
    match std::env::var(LIBRARY_FOLDER) {
        Ok(folder) if Path::new(&folder).join("libz3.so").exists() => {
            println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
        }
        _ => println!("cargo::error=the solvers are not there yet; `./x setup` fetches them"),
    }
}
