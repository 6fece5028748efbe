//! Takes a script apart: its simple commands, how they are joined, where their output goes, their here-documents.
//!
//! It accepts everything, also what a shell would not: an unfinished script gives the commands up to its end.

use std::ops::Range;

use super::word::Word;

/// Substitutions nested deeper than this are not looked into; the script ends there.
const DEPTH: usize = 50;

#[derive(Debug)]
pub(crate) struct Script<'a> {
    pub(crate) text: &'a str,
    pub(crate) commands: Vec<Command>,
    pub(crate) heres: Vec<Here>,
    pub(super) at: usize,
    /// Here-documents whose bodies begin after the next line end.
    pending: Vec<usize>,
    /// `if`, `for`, `{` and so on that are open.
    compounds: usize,
    substitutions: usize,
    lines: (usize, usize),
}

#[derive(Debug, Default)]
pub(crate) struct Command {
    /// From 0.
    pub(crate) line: usize,
    pub(crate) words: Vec<Word>,
    /// Where its output goes.
    pub(crate) targets: Vec<Target>,
    pub(crate) heres: Vec<usize>,
    /// It also reads a file or a string, or its output goes another way.
    pub(crate) reads_elsewhere: bool,
    /// Inside a compound command, a function, a subshell or a substitution.
    pub(crate) nested: bool,
    pub(crate) before: Joint,
    pub(crate) after: Joint,
}

#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) word: Word,
    pub(crate) append: bool,
}

#[derive(Debug)]
pub(crate) struct Here {
    pub(crate) delimiter: String,
    /// The delimiter was quoted: the body is taken as it is.
    pub(crate) literal: bool,
    pub(crate) strip_tabs: bool,
    /// Nothing where the delimiter is missing.
    pub(crate) body: Option<Range<usize>>,
}

/// How two commands are joined.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    #[default]
    Sequence,
    Or,
    Pipe,
    Background,
}

impl Command {
    pub(crate) fn words_after_assignments(&self) -> &[Word] {
        let skipped = self.words.iter().take_while(|word| word.is_assignment()).count();
        &self.words[skipped..]
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.targets.is_empty() && self.heres.is_empty()
    }
}

impl<'a> Script<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let mut script = Self {
            text,
            commands: Vec::new(),
            heres: Vec::new(),
            at: 0,
            pending: Vec::new(),
            compounds: 0,
            substitutions: 0,
            lines: (0, 0),
        };
        script.list();
        // A here-document announced in the last line has no body.
        script
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn takes(&mut self, text: &str) -> bool {
        let found = self.text[self.at..].starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// What stands in `$( … )` or `<( … )`, after its opening.
    pub(super) fn substitution(&mut self) {
        if self.substitutions >= DEPTH {
            self.at = self.text.len();
            return;
        }
        self.substitutions += 1;
        self.list();
        self.substitutions -= 1;
    }

    /// Commands up to the end of the script, or of the substitution that this is.
    fn list(&mut self) {
        let mut command = self.begin(Joint::Sequence);
        let mut parentheses = 0usize;
        while let Some(letter) = self.peek() {
            match letter {
                ' ' | '\t' | '\r' => drop(self.next()),
                '\\' if self.text[self.at..].starts_with("\\\n") => self.at += 2,
                '#' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                '\n' => {
                    self.end(&mut command, Joint::Sequence, parentheses);
                    self.next();
                    self.bodies();
                }
                ';' => {
                    self.next();
                    self.end(&mut command, Joint::Sequence, parentheses);
                }
                '&' if !self.text[self.at..].starts_with("&>") => {
                    let joint = if self.takes("&&") { Joint::Sequence } else { Joint::Background };
                    self.at += usize::from(joint == Joint::Background);
                    self.end(&mut command, joint, parentheses);
                }
                '|' => {
                    let joint = if self.takes("||") { Joint::Or } else { Joint::Pipe };
                    if joint == Joint::Pipe && !self.takes("|&") {
                        self.next();
                    }
                    self.end(&mut command, joint, parentheses);
                }
                '(' => self.parenthesis(&mut command, &mut parentheses),
                ')' => {
                    self.next();
                    self.end(&mut command, Joint::Sequence, parentheses);
                    if parentheses == 0 && self.substitutions > 0 {
                        return;
                    }
                    parentheses = parentheses.saturating_sub(1);
                }
                '<' | '>' | '&' => self.redirect(&mut command),
                _ => self.next_word(&mut command),
            }
        }
        self.end(&mut command, Joint::Sequence, parentheses);
    }

    fn begin(&self, before: Joint) -> Command {
        Command { before, ..Command::default() }
    }

    fn end(&mut self, command: &mut Command, joint: Joint, parentheses: usize) {
        let next = self.begin(joint);
        let mut ended = std::mem::replace(command, next);
        ended.after = joint;
        ended.nested |= parentheses > 0 || self.substitutions > 0;
        if !ended.is_empty() {
            self.commands.push(ended);
        } else if joint == Joint::Sequence {
            // An empty line after `||` or `|` does not part the two commands.
            command.before = ended.before;
        }
    }

    fn parenthesis(&mut self, command: &mut Command, parentheses: &mut usize) {
        if command.words.is_empty() && self.text[self.at..].starts_with("((") {
            return self.skip_balanced('(', ')');
        }
        self.next();
        let is_function =
            command.words.len() == 1 && self.text[self.at..].trim_start_matches(' ').starts_with(')');
        if is_function {
            self.at += self.text[self.at..].find(')').map_or(0, |place| place + 1);
            *command = self.begin(Joint::Sequence);
            return;
        }
        let before = command.before;
        self.end(command, Joint::Sequence, *parentheses);
        command.before = before;
        *parentheses += 1;
    }

    fn next_word(&mut self, command: &mut Command) {
        let (start, line) = (self.at, self.line());
        let word = self.word();
        if self.at == start {
            // Nothing that begins a word: passed over.
            self.next();
            return;
        }
        let is_number = !word.quoted && word.text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && matches!(self.peek(), Some('<' | '>')) {
            return self.redirect_of(&word.text, command);
        }
        self.place(word, line, command);
    }

    /// Puts a word into its command; the words of compound commands open and close them.
    fn place(&mut self, word: Word, line: usize, command: &mut Command) {
        if command.is_empty() {
            command.line = line;
        }
        if command.words.is_empty() && !word.quoted {
            match word.text.as_str() {
                "if" | "while" | "until" | "{" => {
                    self.compounds += 1;
                    return;
                }
                "for" | "select" | "case" => self.compounds += 1,
                "then" | "do" | "else" | "elif" | "!" | "time" | "$" => return,
                "fi" | "done" | "esac" | "}" => self.compounds = self.compounds.saturating_sub(1),
                "function" => {
                    while matches!(self.peek(), Some(' ' | '\t')) {
                        self.next();
                    }
                    drop(self.word());
                    self.takes("()");
                    return;
                }
                _ => {}
            }
        }
        command.nested |= self.compounds > 0;
        command.words.push(word);
    }

    fn redirect(&mut self, command: &mut Command) {
        self.redirect_of("", command);
    }

    /// A redirection of a numbered stream, or of the usual one.
    fn redirect_of(&mut self, number: &str, command: &mut Command) {
        if command.is_empty() {
            command.line = self.line();
        }
        command.nested |= self.compounds > 0;
        if self.takes("<<<") {
            self.operand();
            command.reads_elsewhere = true;
        } else if self.takes("<<") {
            self.here(number, command);
        } else if self.takes("<(") || self.takes(">(") {
            self.substitution();
            command.reads_elsewhere = true;
        } else if self.takes("&>") || self.takes("<&") || self.takes("<>") || self.takes("<") {
            self.takes(">");
            self.operand();
            command.reads_elsewhere = true;
        } else if self.takes(">&") {
            let copied = self.operand();
            command.reads_elsewhere |= !(number == "2" && copied.is("1"));
        } else {
            let append = self.takes(">>");
            if !append && !self.takes(">|") {
                self.takes(">");
            }
            self.output(number, append, command);
        }
    }

    fn output(&mut self, number: &str, append: bool, command: &mut Command) {
        let word = self.operand();
        if word.text.is_empty() && !word.quoted {
            command.reads_elsewhere = true;
        } else if ["", "1"].contains(&number) {
            command.targets.push(Target { word, append });
        }
    }

    fn here(&mut self, number: &str, command: &mut Command) {
        let strip_tabs = self.takes("-");
        let word = self.operand();
        command.reads_elsewhere |= !["", "0"].contains(&number);
        command.heres.push(self.heres.len());
        self.pending.push(self.heres.len());
        self.heres.push(Here { delimiter: word.text, literal: word.quoted, strip_tabs, body: None });
    }

    fn operand(&mut self) -> Word {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.next();
        }
        self.word()
    }

    /// The line of the script at this place, from 0.
    fn line(&mut self) -> usize {
        let (offset, line) = self.lines;
        let line = line + memchr::memchr_iter(b'\n', &self.text.as_bytes()[offset..self.at]).count();
        self.lines = (self.at, line);
        line
    }

    /// Reads the bodies that begin here.
    fn bodies(&mut self) {
        for index in std::mem::take(&mut self.pending) {
            let start = self.at;
            let (text, here) = (self.text, &mut self.heres[index]);
            match end_of_body(&text[start..], here) {
                Some((length, after)) => {
                    here.body = Some(start..start + length);
                    self.at = start + after;
                }
                None => self.at = text.len(),
            }
        }
    }
}

/// The length of a body, and where the line after its delimiter begins. The shell joins lines before it looks for the
/// delimiter.
fn end_of_body(text: &str, here: &Here) -> Option<(usize, usize)> {
    let (mut offset, mut begin) = (0, 0);
    let mut joined = String::new();
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        offset += line.len();
        if here.goes_on(bare) {
            joined.push_str(&bare[..bare.len() - 1]);
            continue;
        }
        let whole = if joined.is_empty() { bare } else { &*(joined + bare) };
        let shown = if here.strip_tabs { whole.trim_start_matches('\t') } else { whole };
        if shown == here.delimiter {
            return Some((begin, offset));
        }
        (begin, joined) = (offset, String::new());
    }
    None
}

impl Here {
    /// Whether a line of the body is joined with the next one.
    pub(super) fn goes_on(&self, line: &str) -> bool {
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        !self.literal && backslashes % 2 == 1
    }
}
