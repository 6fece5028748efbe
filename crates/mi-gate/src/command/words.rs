//! Turns a raw shell word into its values: quotes removed, known variables put in, braces expanded.
//!
//! Whatever is not known from the script alone makes the word inexact and stays as written.
//! Command substitutions are cut out and handed back to be read as scripts of their own.

use super::heredocs::unveiled;
use super::scope::Scope;
use super::types::Word;

mod braces;
mod scan;

pub(super) use scan::substitutions;

/// The values of one raw word.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) words: Vec<Word>,
    pub(super) nested: Vec<Nested>,
}

/// A script found inside a word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Nested {
    pub(super) script: String,
    /// `<( … )` instead of `$( … )`.
    pub(super) process: bool,
}

/// Expands `raw` with the variables known in `scope`, splitting as the shell does.
pub(super) fn expand(raw: &str, scope: &Scope) -> Expansion {
    let mut result = Expansion::default();
    let raw = unveiled(raw);
    if let Some(name) = one_name(&raw, scope) {
        result.words.push(name);
        return result;
    }
    let parts = braces::expand(&raw);
    let complete = parts.is_some();
    for part in parts.unwrap_or_else(|| vec![raw.into_owned()]) {
        let mut expander = Expander::new(&part, scope);
        expander.run();
        expander.current.exact &= complete;
        result.words.append(&mut expander.finish());
        result.nested.append(&mut expander.nested);
    }
    result
}

/// `"$f"` in a loop over a pattern: one of the names that the pattern stands for.
pub(super) fn one_name(raw: &str, scope: &Scope) -> Option<Word> {
    let pattern = quoted_variable(raw).and_then(|name| scope.pattern(name))?;
    Some(Word { text: pattern.to_owned(), exact: true, glob: true })
}

/// The name in `"$name"` and `"${name}"`. Only as a whole word in quotes does a file name stay one word: without them its
/// blanks would make words of it, which may be options, and with more around it is another name.
fn quoted_variable(raw: &str) -> Option<&str> {
    let inner = raw.strip_prefix("\"$")?.strip_suffix('"')?;
    let name = inner.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(inner);
    let is_name = |name: &str| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    (!name.is_empty() && is_name(name)).then_some(name)
}

/// Expands `raw` where the shell does not split: assignments, redirect targets, here-strings.
pub(super) fn expand_single(raw: &str, scope: &Scope) -> (Word, Vec<Nested>) {
    let raw = unveiled(raw);
    let mut expander = Expander::new(&raw, scope);
    expander.splits = false;
    expander.run();
    let word = expander.finish().into_iter().next().unwrap_or_else(|| Word::exact(""));
    (word, expander.nested)
}

struct Expander<'a> {
    raw: &'a str,
    at: usize,
    scope: &'a Scope,
    splits: bool,
    fields: Vec<Word>,
    current: Word,
    /// Quotes make even an empty field count.
    started: bool,
    nested: Vec<Nested>,
}

impl<'a> Expander<'a> {
    fn new(raw: &'a str, scope: &'a Scope) -> Self {
        let current = Word::exact("");
        Self {
            raw,
            at: 0,
            scope,
            splits: true,
            fields: Vec::new(),
            current,
            started: false,
            nested: Vec::new(),
        }
    }

    fn finish(&mut self) -> Vec<Word> {
        if self.started || !self.current.text.is_empty() {
            let word = std::mem::replace(&mut self.current, Word::exact(""));
            self.fields.push(word);
        }
        std::mem::take(&mut self.fields)
    }

    fn next(&mut self) -> Option<char> {
        let char = self.raw[self.at..].chars().next()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn rest(&self) -> &'a str {
        &self.raw[self.at..]
    }

    fn run(&mut self) {
        while let Some(char) = self.next() {
            match char {
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(escaped) => self.push(escaped),
                },
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '`' => self.backquoted(),
                '$' => self.dollar(false),
                '<' | '>' if self.rest().starts_with('(') => {
                    self.at += 1;
                    self.substitution(true);
                }
                '*' | '?' | '[' => {
                    self.current.glob = true;
                    self.push(char);
                }
                '+' | '@' | '!' if self.rest().starts_with('(') => {
                    self.current.glob = true;
                    self.push(char);
                }
                plain => self.push(plain),
            }
        }
    }

    fn push(&mut self, char: char) {
        self.current.text.push(char);
        self.started = true;
    }

    /// Adds text whose value is not known.
    fn push_unknown(&mut self, text: &str) {
        self.current.text.push_str(text);
        self.current.exact = false;
        self.started = true;
    }

    fn single_quoted(&mut self) {
        self.started = true;
        let rest = self.rest();
        let end = rest.find('\'').unwrap_or(rest.len());
        self.current.text.push_str(&rest[..end]);
        self.at += (end + 1).min(rest.len());
    }

    fn double_quoted(&mut self) {
        self.started = true;
        while let Some(char) = self.next() {
            match char {
                '"' => return,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => self.push(escaped),
                    Some(other) => self.current.text.extend(['\\', other]),
                },
                '`' => self.backquoted(),
                '$' => self.dollar(true),
                plain => self.current.text.push(plain),
            }
        }
    }

    fn backquoted(&mut self) {
        let (script, length) = scan::backquoted(self.rest());
        let text = format!("`{}", &self.rest()[..length]);
        self.at += length;
        self.nested.push(Nested { script, process: false });
        self.push_unknown(&text);
    }

    /// After `$(` or `<(`.
    fn substitution(&mut self, process: bool) {
        let rest = self.rest();
        let end = scan::closing(rest, b')');
        let script = rest[..end].to_owned();
        self.at += (end + 1).min(rest.len());
        let text = if process { format!("<({script})") } else { format!("$({script})") };
        self.nested.push(Nested { script, process });
        self.push_unknown(&text);
    }

    fn dollar(&mut self, quoted: bool) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return self.push('$');
        };
        match first {
            '\'' if !quoted => {
                let (text, length) = scan::ansi_c(&rest[1..]);
                self.started = true;
                self.current.text.push_str(&text);
                self.at += 1 + length;
            }
            '"' if !quoted => {
                self.at += 1;
                self.double_quoted();
            }
            '(' if scan::is_arithmetic(rest) => self.arithmetic(2, b')'),
            '[' => self.arithmetic(1, b']'),
            '(' => {
                self.at += 1;
                self.substitution(false);
            }
            '{' => self.braced(quoted),
            name if name.is_ascii_alphabetic() || name == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at += end;
                self.variable(&rest[..end], &format!("${}", &rest[..end]), quoted);
            }
            special if special.is_ascii_digit() || "@*#?-$!".contains(special) => {
                self.at += 1;
                self.push_unknown(&format!("${special}"));
            }
            _ => self.push('$'),
        }
    }

    /// `$(( … ))` and `$[ … ]`: a number nobody knows, with substitutions inside that do run.
    fn arithmetic(&mut self, open: usize, close: u8) {
        let rest = self.rest();
        let end = scan::closing(&rest[1..], close) + 1;
        let end = end.min(rest.len());
        let inner = &rest[open.min(end)..end];
        self.nested.extend(substitutions(inner));
        let length = (end + 1).min(rest.len());
        self.at += length;
        self.push_unknown(&format!("${}", &rest[..length]));
    }

    fn braced(&mut self, quoted: bool) {
        let rest = self.rest();
        let end = scan::closing(&rest[1..], b'}') + 1;
        let end = end.min(rest.len());
        let inner = &rest[1.min(end)..end];
        let length = (end + 1).min(rest.len());
        self.at += length;
        let written = format!("${}", &rest[..length]);
        if !inner.is_empty() && inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return self.variable(inner, &written, quoted);
        }
        self.nested.extend(substitutions(inner));
        self.push_unknown(&written);
    }

    fn variable(&mut self, name: &str, written: &str, quoted: bool) {
        let Some(value) = self.scope.fill_in(name) else {
            return self.push_unknown(written);
        };
        if quoted || !self.splits {
            self.current.text.push_str(value);
            self.started = true;
            return;
        }
        self.current.glob |= value.contains(['*', '?', '[']);
        let mut pieces = value.split([' ', '\t', '\n']).peekable();
        while let Some(piece) = pieces.next() {
            self.current.text.push_str(piece);
            if pieces.peek().is_some() {
                let mut fields = self.finish();
                self.fields.append(&mut fields);
                self.started = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(raw: &str) -> Vec<String> {
        let mut scope = Scope::default();
        scope.assign("a", "tou");
        scope.assign("two", "x y");
        expand(raw, &scope)
            .words
            .into_iter()
            .map(|word| if word.exact { word.text } else { format!("?{}", word.text) })
            .collect()
    }

    /// Quotes, escapes and known variables vanish into values; the unknown is marked.
    #[test]
    fn words_become_values() {
        for (raw, expected) in [
            ("to''uch", &["touch"][..]),
            ("tou\\\nch", &["touch"]),
            (r"$'\x74ouch'", &["touch"]),
            ("${a}ch", &["touch"]),
            ("\"$a ch\"", &["tou ch"]),
            ("$two", &["x", "y"]),
            ("\"$two\"", &["x y"]),
            ("'$a'", &["$a"]),
            ("\"\"", &[""]),
            ("$HOME/x", &["?$HOME/x"]),
            ("{rm,-rf,/}", &["rm", "-rf", "/"]),
            ("a{1..3}b", &["a1b", "a2b", "a3b"]),
            ("{}", &["{}"]),
            ("\\$a", &["$a"]),
            ("a$(b)c", &["?a$(b)c"]),
        ] {
            assert_eq!(values(raw), expected, "{raw}");
        }
    }

    /// Scripts inside words are found wherever the shell would run them, here-documents included.
    #[test]
    fn substitutions_are_cut_out() {
        for (raw, expected) in [
            ("$(touch M)", "touch M"),
            ("\"`touch M`\"", "touch M"),
            ("$((a[$(touch M; echo 0)]))", "touch M; echo 0"),
            ("${x:-$(touch M)}", "touch M"),
            ("<(touch M)", "touch M"),
            ("$(echo \")\" '(')", "echo \")\" '('"),
            ("\"$(cat <<'E'\ndon't )\nE\n)\"", "cat <<'E'\ndon't )\nE\n"),
        ] {
            let nested = expand(raw, &Scope::default()).nested;
            assert_eq!(nested.iter().map(|n| n.script.as_str()).collect::<Vec<_>>(), [expected], "{raw}");
        }
    }
}
