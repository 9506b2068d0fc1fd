//! Lets every binary of the package, tests included, find the Z3 library that `./x setup` fetched, or the one
//! that a package brings along.

use std::path::Path;

/// Set by `./x setup` through `.cargo/config.toml`; z3-sys links with the library in this folder.
const LIBRARY_FOLDER: &str = "Z3_LIBRARY_PATH_OVERRIDE";

/// Where the library will be, relative to the binary as in `$ORIGIN/../lib`; set by `./x package`.
const RUN_PATH: &str = "REGRAIN_RUN_PATH";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for variable in [LIBRARY_FOLDER, RUN_PATH] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match std::env::var(LIBRARY_FOLDER) {
        Ok(folder) if Path::new(&folder).join("libz3.so").exists() => {
            let path = std::env::var(RUN_PATH).unwrap_or(folder);
            println!("cargo::rustc-link-arg=-Wl,-rpath,{path}");
        }
        _ => println!("cargo::error=the solvers are not there yet; `./x setup` fetches them"),
    }
}
