//! Where a protocol file or a table comes from: a path, standard input, or the program itself.

use std::{fs, io::Read};

use crate::failure::Failure;

/// A file with the name it is reported under.
pub struct Source {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// More than any protocol needs; the reader refuses less.
const LARGEST: u64 = 256 * 1024 * 1024;

impl Source {
    pub fn read(name: &str) -> Result<Self, Failure> {
        let found = |bytes| Ok(Self { name: name.to_owned(), bytes });
        if let Some(wanted) = name.strip_prefix("builtin:") {
            return match mi_protocol::shipped(wanted) {
                Some(text) => found(text.as_bytes().to_vec()),
                None => {
                    let known: Vec<String> = mi_protocol::SHIPPED
                        .iter()
                        .map(|(name, about, _)| format!("builtin:{name} ({about})"))
                        .collect();
                    Err(Failure::usage(format!("no protocol `{wanted}` comes with mi"))
                        .todo(format!("one of: {}", known.join(", "))))
                }
            };
        }
        let mut bytes = Vec::new();
        let read = if name == "-" {
            std::io::stdin().take(LARGEST).read_to_end(&mut bytes)
        } else {
            fs::File::open(name).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
        };
        match read {
            Ok(_) => found(bytes),
            Err(error) => Err(Failure::new(format!("read {name}"))
                .because(&error)
                .todo("give a file that you can read, `-` for standard input, or `builtin:NAME`")),
        }
    }
}
