//! Links the program at a fixed address and, where the machine has them, with static copies of the C libraries.
//!
//! `mi hook` runs before every tool call of an agent, and most of its time was the loader's: correcting tens of
//! thousands of pointers of a position-independent program, and finding three shared libraries. Stack and heap stay at
//! random addresses. Without the static libraries (they are a package of their own on some systems) the shared ones are
//! used, and only the speed differs.
#![expect(clippy::disallowed_methods, reason = "cargo talks to a build script by its environment")]

use std::{env, fs, path::Path, process::Command};

/// What `-lNAME` stands for when it is linked statically.
const SCRIPTS: [(&str, &str); 3] = [
    ("libc.so", "GROUP(libc.a libgcc.a libgcc_eh.a)"),
    ("libm.so", "GROUP(libm.a libc.a libgcc.a libgcc_eh.a)"),
    ("libgcc_s.so", "GROUP(libgcc_eh.a libgcc.a libc.a)"),
];
const ARCHIVES: [&str; 4] = ["libc.a", "libm.a", "libgcc.a", "libgcc_eh.a"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    if target("ARCH") == "x86_64" && is_plain_build() && ARCHIVES.iter().all(|name| is_there(name)) {
        link_statically();
    }
}

/// A build for this machine by the linker that comes with Rust or the compiler: others (mold, gold) make programs of
/// these scripts that crash, or none.
fn is_plain_build() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    env::var("HOST").ok() == env::var("TARGET").ok()
        && env::var_os("RUSTC_LINKER").is_none()
        && !flags.contains("link")
}

/// The compiler prints a bare name back when it does not know the file.
fn is_there(archive: &str) -> bool {
    let output = Command::new("cc").arg(format!("-print-file-name={archive}")).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_absolute())
}

/// Rust asks for the shared libraries by name, so their names are given another meaning in a folder that is searched first.
fn link_statically() {
    let Some(folder) = env::var_os("OUT_DIR") else { return };
    let folder = Path::new(&folder);
    for (name, script) in SCRIPTS {
        if let Err(error) = fs::write(folder.join(name), script) {
            println!("cargo:warning=linked with shared libraries: {name}: {error}");
            return;
        }
    }
    println!("cargo:rustc-link-arg-bins=-static");
    println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
}
