//! Links the program at a fixed address and, where the machine has them, with static copies of the C libraries.
//!
//! `mi hook` runs before every tool call of an agent, and most of its time was the loader's: correcting tens of
//! thousands of pointers of a position-independent program, and finding three shared libraries. Stack and heap stay at
//! random addresses. Without the static libraries (they are a package of their own on some systems) the shared ones are
//! used, and only the speed differs.
#![expect(clippy::disallowed_methods, reason = "cargo talks to a build script by its environment")]

use std::{env, fs, path::Path};

/// What `-lNAME` stands for when it is linked statically.
const SCRIPTS: [(&str, &str); 3] = [
    ("libc.so", "GROUP(libc.a libgcc.a libgcc_eh.a)"),
    ("libm.so", "GROUP(libm.a libc.a libgcc.a libgcc_eh.a)"),
    ("libgcc_s.so", "GROUP(libgcc_eh.a libgcc.a libc.a)"),
];
/// Where systems keep the static C library.
const FOLDERS: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    println!("cargo:rustc-link-arg-bins=-Wl,{}", if is_release { "--strip-all" } else { "--strip-debug" });
    if target("ARCH") != "x86_64" || !is_plain_build() {
        return;
    }
    if has_archives() {
        link_statically();
    }
    if is_linked_by_lld() {
        // A program that was written through a mapping lies in single pages of memory until it is copied, and takes a third
        // longer to start. LLD 22 has the two names of this option the wrong way round: this one makes it write.
        println!("cargo:rustc-link-arg-bins=-Wl,--mmap-output-file");
    }
}

/// Whether this toolchain brings its own linker along, which the compiler then uses unless it is told another one.
fn is_linked_by_lld() -> bool {
    let target = env::var("TARGET").unwrap_or_default();
    let linker = format!("lib/rustlib/{target}/bin/gcc-ld/ld.lld");
    env::var_os("CARGO")
        .and_then(|cargo| Some(Path::new(&cargo).parent()?.parent()?.join(linker)))
        .is_some_and(|linker| linker.is_file())
}

/// A build for this machine by the linker that comes with Rust or the compiler: others (mold, gold) make programs of
/// these scripts that crash, or none.
fn is_plain_build() -> bool {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    env::var("HOST").ok() == env::var("TARGET").ok()
        && env::var_os("RUSTC_LINKER").is_none()
        && !flags.contains("link")
}

/// Whether there are static copies of the C library and of the compiler's own.
fn has_archives() -> bool {
    let c_library =
        |folder: &str| ["libc.a", "libm.a"].iter().all(|name| Path::new(folder).join(name).is_file());
    let below = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let versions = || below(Path::new("/usr/lib/gcc")).into_iter().flat_map(|target| below(&target));
    FOLDERS.iter().any(|folder| c_library(folder))
        && versions().any(|folder| folder.join("libgcc_eh.a").is_file() && folder.join("libgcc.a").is_file())
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
    // Rust uses this function only if it happens to be there; without it every child is made by copying all tables.
    println!("cargo:rustc-link-arg-bins=-Wl,-u,posix_spawn_file_actions_addchdir_np");
    println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
}
