//! One word of a script, quotes removed, and whether the shell would put something else in its place.

use super::read::Script;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// A variable, a substitution or a pattern stands in it.
    pub(crate) expands: bool,
    pub(crate) quoted: bool,
}

impl Word {
    pub(crate) fn is(&self, text: &str) -> bool {
        !self.quoted && self.text == text
    }

    pub(crate) fn is_assignment(&self) -> bool {
        let name = self.text.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+'));
        !name.starts_with(|letter: char| letter.is_ascii_digit())
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }
}

impl Script<'_> {
    /// Reads the word that begins here; empty at an operator.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word::default();
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => break,
                '(' if word.text.ends_with('=') => {
                    // An array: its members are no commands.
                    self.skip_balanced('(', ')');
                    word.expands = true;
                }
                '(' => break,
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(&mut word),
                '\\' => self.escaped(&mut word),
                '$' => self.dollar(&mut word),
                '`' => self.backquoted(&mut word),
                _ => {
                    self.next();
                    let braces =
                        letter == '{' && !word.text.is_empty() || letter == ',' && word.text.contains('{');
                    word.expands |= matches!(letter, '*' | '?' | '[') || braces;
                    word.text.push(letter);
                }
            }
        }
        word
    }

    fn single_quoted(&mut self, word: &mut Word) {
        self.next();
        word.quoted = true;
        let rest = &self.text[self.at..];
        let length = rest.find('\'').unwrap_or(rest.len());
        word.text.push_str(&rest[..length]);
        self.at = (self.at + length + 1).min(self.text.len());
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.next();
        word.quoted = true;
        while let Some(letter) = self.peek() {
            match letter {
                '"' => {
                    self.next();
                    return;
                }
                '\\' => {
                    self.next();
                    match self.next() {
                        Some('\n') | None => {}
                        Some(escaped @ ('$' | '`' | '"' | '\\')) => word.text.push(escaped),
                        Some(other) => word.text.extend(['\\', other]),
                    }
                }
                '$' => self.dollar(word),
                '`' => self.backquoted(word),
                _ => {
                    self.next();
                    word.text.push(letter);
                }
            }
        }
    }

    fn escaped(&mut self, word: &mut Word) {
        self.next();
        match self.next() {
            Some('\n') | None => {}
            Some(letter) => {
                word.quoted = true;
                word.text.push(letter);
            }
        }
    }

    /// A dollar sign and what it stands for; the text keeps it as written.
    fn dollar(&mut self, word: &mut Word) {
        let start = self.at;
        self.next();
        match self.peek() {
            Some('(') if self.text[self.at..].starts_with("((") => self.skip_balanced('(', ')'),
            Some('(') => {
                self.next();
                self.substitution();
            }
            Some('{') => self.skip_balanced('{', '}'),
            Some('\'') => self.skip_ansi_quoted(),
            Some(letter) if letter.is_ascii_alphanumeric() || "_@*#?-$!".contains(letter) => {
                self.next();
            }
            _ => {
                word.text.push('$');
                return;
            }
        }
        word.expands = true;
        word.text.push_str(&self.text[start..self.at]);
    }

    fn backquoted(&mut self, word: &mut Word) {
        let start = self.at;
        self.next();
        while let Some(letter) = self.next() {
            match letter {
                '`' => break,
                '\\' => drop(self.next()),
                _ => {}
            }
        }
        word.expands = true;
        word.text.push_str(&self.text[start..self.at]);
    }

    fn skip_ansi_quoted(&mut self) {
        self.next();
        while let Some(letter) = self.next() {
            match letter {
                '\'' => break,
                '\\' => drop(self.next()),
                _ => {}
            }
        }
    }

    /// From an opening mark to the one that closes it; quotes and escapes hide marks.
    pub(super) fn skip_balanced(&mut self, open: char, close: char) {
        let mut depth = 0usize;
        while let Some(letter) = self.next() {
            match letter {
                '\\' => drop(self.next()),
                '\'' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\'').map_or(rest.len(), |place| place + 1);
                }
                '"' => {
                    while let Some(inner) = self.next() {
                        match inner {
                            '"' => break,
                            '\\' => drop(self.next()),
                            _ => {}
                        }
                    }
                }
                _ if letter == open => depth += 1,
                _ if letter == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
