//! Long texts on their way to standard output, a block at a time.
//!
//! Holds: memory is one block, however long the text; what a terminal would obey is taken out; a piece that was written at
//! once is never cut in two.

use std::{
    fmt,
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
};

use super::style::Look;

/// As much as a pipe takes at once.
const BLOCK_BYTES: usize = 64 << 10;

/// Takes text and prints it.
#[derive(Debug)]
pub struct Printer {
    /// Standard output itself: its line buffer would look for line ends in all of it.
    out: File,
    block: String,
    failed: Option<io::Error>,
    look: Look,
}

impl fmt::Write for Printer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.block.len() + text.len() > BLOCK_BYTES {
            self.print_block().map_err(|error| {
                self.failed = Some(error);
                fmt::Error
            })?;
        }
        self.block.push_str(text);
        Ok(())
    }
}

impl Printer {
    pub fn new(look: Look) -> io::Result<Self> {
        io::stdout().lock().flush()?;
        let out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { out, block: String::with_capacity(BLOCK_BYTES), failed: None, look })
    }

    fn print_block(&mut self) -> io::Result<()> {
        let printed = self.out.write_all(self.look.harmless(&self.block).as_bytes());
        self.block.clear();
        printed
    }

    /// Prints what is left, and a line end.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.block.push('\n');
        self.print_block()
    }
}
