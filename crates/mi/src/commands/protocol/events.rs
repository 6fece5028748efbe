//! Event streams, line by line: memory holds one line, and never more of it than an event may have.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
};

use crate::{
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// The lines of a file or of standard input.
pub struct Lines {
    name: String,
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
}

impl Lines {
    pub fn open(name: &str) -> Result<Self, Failure> {
        let reader: Box<dyn Read> = if name == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(name).map_err(|error| unread(name, &error))?)
        };
        Ok(Self {
            name: name.to_owned(),
            reader: BufReader::with_capacity(1 << 16, reader),
            line: Vec::new(),
        })
    }

    /// Calls `each` with every line, without its line end. A line that is too long is cut after what makes it so.
    pub fn each(mut self, mut each: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
        let most = mi_protocol::LONGEST_LINE as u64 + 2;
        loop {
            self.line.clear();
            let read = (&mut self.reader).take(most).read_until(b'\n', &mut self.line);
            let read = read.map_err(|error| unread(&self.name, &error))?;
            if read == 0 {
                return Ok(());
            }
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            } else if read as u64 == most {
                self.skip_line()?;
            }
            each(&self.line)?;
        }
    }

    fn skip_line(&mut self) -> Result<(), Failure> {
        self.reader.skip_until(b'\n').map(drop).map_err(|error| unread(&self.name, &error))
    }
}

fn unread(name: &str, error: &io::Error) -> Failure {
    Failure::new(format!("read {name}"))
        .because(error)
        .todo("give a file of events, one JSON object per line, or `-` for standard input")
}

/// Standard output for many lines; a reader that went away ends the command quietly.
pub struct Output {
    out: io::BufWriter<io::StdoutLock<'static>>,
}

impl Output {
    pub fn new() -> Self {
        Self { out: io::BufWriter::with_capacity(1 << 16, io::stdout().lock()) }
    }

    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.write(text)?;
        self.write("\n")
    }

    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(|error| failed(&error))
    }

    pub fn end(mut self) -> Result<(), Failure> {
        self.out.flush().map_err(|error| failed(&error))
    }
}

/// Prints a text as it is: tables and drawings are data, byte for byte.
pub fn print_raw(text: &str) -> Outcome {
    let mut out = Output::new();
    out.write(text)?;
    out.end()?;
    Ok(ExitReason::Done)
}

fn failed(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::reader_gone(),
        _ => Failure::new("print the result").because(error),
    }
}
