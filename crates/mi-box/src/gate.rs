//! The gate on outputs (Rule S, Rule W, X16, X21): secrets and personal data block completion; every set of outputs
//! gets its label.

use mi_admission::Denial;
use mi_supply::{
    label::{LABEL_FILE, Label},
    manifest::Output,
};
use rustix::fd::OwnedFd;
use std::{
    borrow::Cow,
    io::{self, Read},
};

use crate::collect::open_below;

/// How much of a file is read at once, and how much of it is read again with the next part.
const WINDOW: usize = 1 << 20;
const OVERLAP: usize = 16 << 10;
/// Findings past this say nothing new.
const MOST_FINDINGS: usize = 100;

/// What the gate says of some outputs.
#[derive(Debug)]
pub struct Gate {
    pub label: Label,
    /// Empty if nothing stands against completion. No denial repeats a secret.
    pub denials: Vec<Denial>,
}

/// Reads every output and labels them all.
pub fn look(top: &OwnedFd, outputs: &[Output]) -> io::Result<Gate> {
    let mut gate = Gate { label: Label::for_outputs(false), denials: Vec::new() };
    for output in outputs {
        if is_environment_file(&output.path) {
            gate.deny(&output.path, "an environment file (.env)");
        }
        gate.judge(&output.path, &output.path, Content::Text);
        gate.read(top, output)?;
    }
    if outputs.iter().any(|output| output.path == LABEL_FILE) {
        gate.take_own_label(top)?;
    }
    Ok(gate)
}

/// Whether there is something in an output that a reviewer has to answer for.
pub(crate) fn finds_secret(top: &OwnedFd, output: &Output) -> io::Result<bool> {
    let gate = look(top, std::slice::from_ref(output))?;
    Ok(gate.denials.iter().any(|denial| denial.rule == "S.secret"))
}

fn is_environment_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == ".env" || (name.starts_with(".env.") && !name.ends_with(".example") && !name.ends_with(".sample"))
}

impl Gate {
    fn deny(&mut self, path: &str, what: &str) {
        let reason = format!("{what}: a reviewer has to release or redact it (mi box release)");
        // The name may be what was found.
        let name = mi_secrets::redact(path);
        let denial = Denial::new("S.secret", format!("output/{}", name.escape_debug()), reason);
        if self.denials.len() < MOST_FINDINGS && !self.denials.contains(&denial) {
            self.denials.push(denial);
        }
    }

    fn read(&mut self, top: &OwnedFd, output: &Output) -> io::Result<()> {
        let mut file = open_below(top, &output.path)?;
        let mut window: Vec<u8> = Vec::with_capacity(WINDOW + OVERLAP);
        let mut content = None;
        loop {
            let kept = window.len();
            file.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
            if window.len() == kept {
                return Ok(());
            }
            let content = *content.get_or_insert_with(|| Content::of(&window));
            self.judge(&output.path, &content.text(&window), content);
            let tail = window.len().saturating_sub(OVERLAP);
            window.drain(..tail);
        }
    }

    fn judge(&mut self, path: &str, text: &str, content: Content) {
        for found in mi_secrets::people::find(text).into_iter().filter(|_| content != Content::Program) {
            self.label.pii = true;
            if found.is_sure {
                self.deny(path, &format!("personal data ({})", found.kind));
            }
        }
        let counts = |rule: &str| content != Content::Program || !BY_LABEL.contains(&rule);
        for finding in mi_secrets::find(text).into_iter().filter(|finding| counts(finding.rule.name())) {
            let personal = is_personal(finding.rule.name());
            self.label.pii |= personal;
            if finding.level.is_redacted() {
                let kind = if personal { "personal data" } else { "a secret" };
                self.deny(path, &format!("{kind} ({})", finding.rule));
            }
        }
        if mi_admission::begins_key(text) || holds_putty_key(text) {
            self.deny(path, "a secret (private-key)");
        }
    }

    /// The command's own label must be one; what the scanner saw is added to it.
    fn take_own_label(&mut self, top: &OwnedFd) -> io::Result<()> {
        let mut text = Vec::new();
        open_below(top, LABEL_FILE)?.take(1 << 16).read_to_end(&mut text)?;
        match Label::read(&text) {
            Ok(own) => self.label = Label { pii: own.pii || self.label.pii, ..own },
            Err(error) => {
                let field = format!("output/{LABEL_FILE}");
                self.denials.push(Denial::new("S.classification", field, error.to_string()));
            }
        }
        Ok(())
    }
}

/// Rules of the scanner that go by the words around a secret. A program is full of such words, its own messages, and what
/// stands beside them in the file is not their value.
const BY_LABEL: [&str; 6] =
    ["basic-auth", "bearer-token", "cookie", "labelled-secret", "password", "url-password"];

/// How the bytes of an output are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Text,
    /// Two bytes for each letter.
    Wide,
    /// Compiled: ELF, Mach-O, PE, WebAssembly, a library of objects.
    Program,
}

impl Content {
    pub(crate) fn of(beginning: &[u8]) -> Self {
        const PROGRAMS: [&[u8]; 7] = [
            b"\x7fELF",
            b"MZ",
            b"\0asm",
            b"!<arch>\n",
            b"\xcf\xfa\xed\xfe",
            b"\xce\xfa\xed\xfe",
            b"\xca\xfe\xba\xbe",
        ];
        if PROGRAMS.iter().any(|magic| beginning.starts_with(magic)) && beginning.contains(&0) {
            return Self::Program;
        }
        let has_mark = beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff");
        if has_mark || is_wide(beginning) { Self::Wide } else { Self::Text }
    }

    /// The text as the scanner reads it. Of wide letters the empty halves are left out: secrets are plain ASCII.
    fn text(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Text | Self::Program => String::from_utf8_lossy(bytes),
            Self::Wide => {
                let halves: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
                Cow::Owned(String::from_utf8_lossy(&halves).into_owned())
            }
        }
    }
}

/// Whether every other byte is zero, as in text of two bytes per letter that has no mark before it.
fn is_wide(bytes: &[u8]) -> bool {
    let zeros = |from: usize| {
        let half = bytes.iter().skip(from).step_by(2).take(2048);
        half.fold((0, 0), |(zeros, all), byte| (zeros + usize::from(*byte == 0), all + 1))
    };
    let ((even, evens), (odd, odds)) = (zeros(0), zeros(1));
    let (mostly, hardly) = (|zeros, all| zeros * 10 >= all * 9, |zeros, all| zeros * 10 <= all);
    odds >= 8 && (mostly(even, evens) && hardly(odd, odds) || mostly(odd, odds) && hardly(even, evens))
}

/// A private key in the form of PuTTY, which has no line that says so.
fn holds_putty_key(text: &str) -> bool {
    text.contains("PuTTY-User-Key-File-") && text.contains("\nPrivate-Lines:")
}

/// Rules of the scanner that find people, not keys.
fn is_personal(rule: &str) -> bool {
    ["cn-identity", "cn-mobile", "phone", "email", "bank-card", "card", "ssn", "iban", "passport"]
        .iter()
        .any(|word| rule.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of environment files are known; their examples are not meant.
    #[test]
    fn w_environment_files_are_known_by_name() {
        for path in [".env", "a/.env", ".env.production"] {
            assert!(is_environment_file(path), "{path}");
        }
        for path in ["env", ".env.example", ".environment", "a.env"] {
            assert!(!is_environment_file(path), "{path}");
        }
    }

    /// W, X21: keys in PuTTY's form, and text of two bytes per letter without a mark, are read; pictures are not text.
    #[test]
    fn x21_w_keys_in_other_forms_are_found() {
        let finds = |bytes: &[u8]| {
            let content = Content::of(bytes);
            let mut gate = Gate { label: Label::for_outputs(false), denials: Vec::new() };
            gate.judge("a", &content.text(bytes), content);
            !gate.denials.is_empty()
        };
        let public = format!("PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\n{}\n", "A".repeat(48));
        assert!(finds(format!("{public}Private-Lines: 1\n{}\n", "A".repeat(48)).as_bytes()));
        assert!(!finds(public.as_bytes()));
        let token = format!("key gh{}_{}", "p", "a1B2".repeat(9));
        let wide = |first: bool| -> Vec<u8> {
            token.bytes().flat_map(|byte| if first { [0, byte] } else { [byte, 0] }).collect()
        };
        assert!(finds(&wide(true)) && finds(&wide(false)) && finds(token.as_bytes()));
        assert_eq!(Content::of(&[0; 4096]), Content::Text);
        assert_eq!(Content::of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Content::Text);
    }

    /// X16: what points to people marks the outputs; only what is certain blocks them, and ordinary text does neither.
    #[test]
    fn x16_people_mark_the_outputs() {
        let card = format!("{}{}", "411111111111", "1111");
        for (text, pii, blocks) in [
            ("write to alice@example.org".to_owned(), true, false),
            (format!("paid with {card}"), true, false),
            (format!("card number: {card}"), true, true),
            ("git@example.org:a/b.git, logo@2x.png, order 4111111111111112".to_owned(), false, false),
        ] {
            let mut gate = Gate { label: Label::for_outputs(false), denials: Vec::new() };
            gate.judge("a.txt", &text, Content::Text);
            assert_eq!((gate.label.pii, !gate.denials.is_empty()), (pii, blocks), "{text}");
        }
    }
}
