//! Lets every binary of the package, tests included, find the Z3 library that `./x setup` fetched.

use std::path::Path;

/// Set by `.cargo/config.toml`; the z3-sys crate links with the library in the same folder.
const LIBRARY_FOLDER: &str = "Z3_LIBRARY_PATH_OVERRIDE";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={LIBRARY_FOLDER}");
    let Ok(folder) = std::env::var(LIBRARY_FOLDER) else {
        return; // A build that does not use our configuration brings a Z3 of its own.
    };
    if Path::new(&folder).join("libz3.so").exists() {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    } else {
        println!("cargo::error=the solvers are not there yet; `./x setup` fetches them");
    }
}
