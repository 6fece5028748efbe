//! Links the program at a fixed address.
//!
//! A position-independent one of this size has tens of thousands of pointers to correct before `main`, which touches
//! some two hundred pages: more time than `mi hook` may take in all. Stack, heap and libraries stay at random addresses.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
