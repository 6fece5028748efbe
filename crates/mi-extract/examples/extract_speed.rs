//! How fast replies are read: `cargo run --release -p mi-extract --example extract_speed -- FILE…` prints MB/s per file.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measurement reads the clock and prints"
)]

use std::time::Instant;

use mi_extract::{Limits, NoFolder, extract};

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let reply = std::fs::read(&path)?;
        let start = Instant::now();
        let found = extract(&reply, &Limits::default(), &NoFolder);
        let seconds = start.elapsed().as_secs_f64();
        let speed = reply.len() as f64 / seconds / 1e6;
        println!("{path}: {} files, {} refused, {speed:.0} MB/s", found.files.len(), found.refused.len());
    }
    Ok(())
}
