//! What a plain `sh` reads otherwise than bash.

/// `$'\'` is a dollar and a backslash there, and `((a > b))` a program whose output goes to `b`. (`[[`, a program's name,
/// is looked for where it stands.)
///
/// Up to the first such place both shells agree on what is quoted.
pub(crate) fn needs_bash(text: &str) -> bool {
    if !text.contains("$'") && !text.contains("((") {
        return false;
    }
    // Quotes in a here-document and brackets of a `case` cannot be counted.
    text.contains("<<") || text.contains("case") || Scan::default().finds(text)
}

#[derive(Default)]
struct Scan {
    /// Inside of double quotes, for each substitution around this place.
    around: Vec<bool>,
    double: bool,
}

impl Scan {
    fn finds(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied();
            let is_first = at == 0 || b" \t\n;&|(".contains(&bytes[at - 1]);
            at += 1;
            match byte {
                b'\\' => at += 1,
                b'"' => self.double = !self.double,
                b'$' if next == Some(b'(') => {
                    let computes = bytes.get(at + 1) == Some(&b'(');
                    (0..=usize::from(computes)).for_each(|_| self.open());
                    at += 1 + usize::from(computes);
                }
                b'`' if self.around.last().is_some() => self.close(),
                b'`' => self.open(),
                _ if self.double => {}
                b'\'' => at += bytes[at..].iter().position(|byte| *byte == b'\'').map_or(0, |end| end + 1),
                b'#' if is_first => at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count(),
                b'$' if next == Some(b'\'') => return true,
                b'(' if next == Some(b'(') => return true,
                b'(' => self.open(),
                b')' => self.close(),
                _ => {}
            }
        }
        false
    }

    fn open(&mut self) {
        self.around.push(self.double);
        self.double = false;
    }

    fn close(&mut self) {
        self.double = self.around.pop().unwrap_or(self.double);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both shells read alike is told from what they do not.
    #[test]
    fn plain_shells_read_some_texts_otherwise() {
        for text in [
            r"echo $'\'; touch M #'",
            r#"echo "$(echo $'\'; touch M #')""#,
            r"echo `echo $'\'; touch M #'`",
            "x=2; M=1; ((x > M))",
            "(((touch M)))",
            "# don't\necho $'x'",
            "cat <<E\n'\nE\necho $'x'",
            "echo \"a\"$'x'",
        ] {
            assert!(needs_bash(text), "{text}");
        }
        for text in [
            "grep -v 'x$' a",
            "grep \"it$'s\" a",
            "echo $((1 + (2)))",
            "grep '((' a # $'",
            "echo \"$((1))\" 'a$'",
            "echo (a (b))",
        ] {
            assert!(!needs_bash(text), "{text}");
        }
    }
}
