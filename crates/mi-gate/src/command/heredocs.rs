//! Takes here-documents out of a script before the parser sees it.
//!
//! The parser has errors in its here-document code (endless loops, texts that end at the wrong place), and commands
//! come from strangers. So each `<<DELIMITER` becomes a read from a marked name, its text is
//! kept aside, and every `<<` in quotes, comments and arithmetic is veiled. That the marks come out as redirects
//! again confirms that they stood where a here-document can stand.

/// A here-document that was taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) text: String,
    /// The delimiter was not quoted: the shell expands the text.
    pub(super) expands: bool,
    /// The delimiter was found again.
    pub(super) closed: bool,
}

/// Stands for `<` where it must not be taken for a here-document. It is a private-use character.
const VEIL: char = '\u{E0C3}';
/// Stands for the operator `<<<`.
const HERE_STRING: char = '\u{E0C4}';
const MARK: &str = "__mi_here_document_";

/// The script already holds what this module uses for itself.
pub(super) fn is_forged(script: &str) -> bool {
    script.contains([VEIL, HERE_STRING]) || script.contains(MARK)
}

/// `raw` with veiled characters restored.
pub(super) fn unveiled(raw: &str) -> std::borrow::Cow<'_, str> {
    if raw.contains(VEIL) { raw.replace(VEIL, "<").into() } else { raw.into() }
}

/// Which document a redirect target stands for.
pub(super) fn marked(target: &str) -> Option<usize> {
    target.strip_prefix(MARK)?.strip_suffix("__")?.parse().ok()
}

/// `script` for the parser; what is taken out is added to `documents`.
pub(super) fn take_out(script: &str, documents: &mut Vec<Document>) -> String {
    if !script.contains("<<") {
        return script.to_owned();
    }
    let output = String::with_capacity(script.len());
    let mut taker = Taker { script, at: 0, output, documents, pending: Vec::new(), open: Vec::new() };
    while taker.at < script.len() {
        taker.step();
    }
    taker.close_pending();
    veiled(&taker.output).replace(HERE_STRING, "<<<")
}

/// What the text at hand stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Arithmetic,
    Brace,
    Quote,
    Backquote,
}

/// A document whose text starts after the line at hand.
struct Pending {
    delimiter: String,
    drops_tabs: bool,
    expands: bool,
}

struct Taker<'a> {
    script: &'a str,
    at: usize,
    output: String,
    documents: &'a mut Vec<Document>,
    pending: Vec<Pending>,
    open: Vec<Open>,
}

impl<'a> Taker<'a> {
    fn rest(&self) -> &'a str {
        &self.script[self.at..]
    }

    fn copy(&mut self, bytes: usize) {
        let end = self.script.ceil_char_boundary((self.at + bytes).min(self.script.len()));
        self.output.push_str(&self.script[self.at..end]);
        self.at = end;
    }

    fn enter(&mut self, open: Open, bytes: usize) {
        self.open.push(open);
        self.copy(bytes);
    }

    fn leave(&mut self, bytes: usize) {
        self.open.pop();
        self.copy(bytes);
    }

    fn step(&mut self) {
        let inside = self.open.last().copied();
        let quoted = inside == Some(Open::Quote);
        let rest = self.rest();
        match rest.as_bytes()[0] {
            b'\\' => self.copy(2),
            b'"' if quoted => self.leave(1),
            b'"' => self.enter(Open::Quote, 1),
            b'$' if rest.starts_with("$'") && !quoted => {
                let length = 2 + escaped_quote(&rest[2..]);
                self.copy(length);
            }
            b'\'' if !quoted => {
                let length = rest[1..].find('\'').map_or(rest.len(), |end| end + 2);
                self.copy(length);
            }
            b'`' if self.open.contains(&Open::Backquote) => {
                while self.open.pop().is_some_and(|open| open != Open::Backquote) {}
                self.copy(1);
            }
            b'`' => self.enter(Open::Backquote, 1),
            b'$' if rest.starts_with("$((") => self.enter(Open::Arithmetic, 3),
            b'$' if rest.starts_with("$(") => self.enter(Open::Parenthesis, 2),
            b'$' if rest.starts_with("${") => self.enter(Open::Brace, 2),
            b'}' if inside == Some(Open::Brace) => self.leave(1),
            b')' if inside == Some(Open::Arithmetic) && rest.starts_with("))") => self.leave(2),
            b'(' if inside == Some(Open::Arithmetic) => self.enter(Open::Parenthesis, 1),
            b')' if inside == Some(Open::Parenthesis) => self.leave(1),
            _ if matches!(inside, Some(Open::Quote | Open::Arithmetic | Open::Brace)) => self.copy(1),
            b'(' if rest.starts_with("((") => self.enter(Open::Arithmetic, 2),
            b'(' => self.enter(Open::Parenthesis, 1),
            b'#' if self.starts_word() => {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.copy(length);
            }
            b'<' if rest.starts_with("<<<") => {
                self.output.push(HERE_STRING);
                self.at += 3;
            }
            b'<' if rest.starts_with("<<") => self.operator(),
            b'\n' => {
                self.copy(1);
                self.texts();
            }
            _ => self.copy(1),
        }
    }

    fn starts_word(&self) -> bool {
        self.output.is_empty() || self.output.ends_with([' ', '\t', '\n', ';', '&', '|', '('])
    }

    /// Reads `<<DELIMITER` or `<<-DELIMITER` and writes a marked redirect instead.
    fn operator(&mut self) {
        self.at += 2;
        let drops_tabs = self.rest().starts_with('-');
        self.at += usize::from(drops_tabs);
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let mut delimiter = String::new();
        let (mut quote, mut expands) = (None, true);
        while let Some(char) = self.rest().chars().next() {
            match (quote, char) {
                (None, '\'' | '"') => (quote, expands) = (Some(char), false),
                (Some(open), char) if open == char => quote = None,
                (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => break,
                (None, '\\') => expands = false,
                (_, plain) => delimiter.push(plain),
            }
            self.at += char.len_utf8();
        }
        let number = self.documents.len() + self.pending.len();
        self.output.push_str(&format!("<{MARK}{number}__"));
        self.pending.push(Pending { delimiter, drops_tabs, expands });
    }

    /// Reads the texts that start on this line.
    fn texts(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut document = Document { text: String::new(), expands: pending.expands, closed: false };
            while self.at < self.script.len() && !document.closed {
                let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
                self.at += line.len();
                let line = if pending.drops_tabs { line.trim_start_matches('\t') } else { line };
                if line.strip_suffix('\n').unwrap_or(line) == pending.delimiter {
                    document.closed = true;
                } else {
                    document.text.push_str(line);
                }
            }
            self.documents.push(document);
        }
    }

    /// Documents whose line never ends have no text.
    fn close_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.documents.push(Document { text: String::new(), expands: pending.expands, closed: false });
        }
    }
}

/// Bytes up to and including the quote that ends `$'…'`.
fn escaped_quote(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Veils every run of `<` that is left: all of it is inside quotes, comments or arithmetic.
fn veiled(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<<") {
        output.push_str(&rest[..start]);
        let run = rest[start..].len() - rest[start..].trim_start_matches('<').len();
        output.extend(std::iter::repeat_n(VEIL, run));
        rest = &rest[start + run..];
    }
    output.push_str(rest);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Here-documents are taken out wherever they stand; other text comes back unchanged.
    #[test]
    fn here_documents_are_taken_out() {
        for (script, expected, texts) in [
            ("cat <<EOF\nx\nEOF\nls", "cat <0\nls", &["x\n"][..]),
            ("cat <<'A' <<-B | wc\n1\nA\n\t2\n\tB\nls", "cat <0 <1 | wc\nls", &["1\n", "2\n"]),
            ("echo \"$(cat <<'E'\ndon't )\nE\n)\" a", "echo \"$(cat <0\n)\" a", &["don't )\n"]),
            ("bash <<< 'x << y'", "bash <<< 'x << y'", &[]),
            ("echo $((1 << 2)) $'\\' <<E' <<A\nb\nA", "echo $((1 << 2)) $'\\' <<E' <0\n", &["b\n"]),
            ("# <<EOF\nls", "# <<EOF\nls", &[]),
        ] {
            let mut documents = Vec::new();
            let taken = take_out(script, &mut documents);
            let shown = unveiled(&taken).replace(MARK, "").replace("__", "");
            assert_eq!(shown, expected, "{script}");
            assert_eq!(
                documents.iter().map(|document| document.text.as_str()).collect::<Vec<_>>(),
                texts,
                "{script}"
            );
        }
    }
}
