//! The one place where the proof reads shell syntax: which simple commands a script runs, where, and whether
//! the script's exit code 0 says that each of them succeeded.
//!
//! Holds: what is not understood (functions, loops, traps, cut text) yields `None`, and then nothing is proven.

/// One simple command of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Program and arguments, unquoted, without redirections and leading assignments.
    pub(crate) words: Vec<String>,
    pub(crate) assignments: Vec<(String, String)>,
    /// Where the `cd`s before it lead, relative to where the script starts, or absolute; `?` when unknown.
    pub(crate) directory: String,
    /// Whether its output is redirected into a file.
    pub(crate) writes_file: bool,
    /// Why the script's exit code says nothing about this command; None when it does.
    pub(crate) hidden: Option<&'static str>,
}

/// The simple commands of `script`, in order; None when its syntax goes beyond lists and pipes.
pub(crate) fn read(script: &str) -> Option<Vec<Simple>> {
    let script = script.trim();
    if let Some(inner) = whole_group(script) {
        return read(inner);
    }
    let chains = chains(tokens(script)?)?;
    let mut state = State { directory: ".".to_owned(), exits_on_error: false, pipes_fail: false };
    let mut found = Vec::new();
    let count = chains.len();
    for (index, chain) in chains.into_iter().enumerate() {
        state.read_chain(chain, index + 1 == count, &mut found)?;
    }
    Some(found)
}

/// The words of `text` if it is one simple command.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    match <[Simple; 1]>::try_from(read(text)?) {
        Ok([one]) => Some(one.words),
        Err(_) => None,
    }
}

/// Joins a directory to where a script stands, lexically; the result has no `.` and no inner `..`.
pub(crate) fn join(base: &str, target: &str) -> String {
    if target.contains(['$', '`', '*', '~']) || target == "-" || base == "?" && !target.starts_with('/') {
        return "?".to_owned();
    }
    let joined = if target.starts_with('/') { target.to_owned() } else { format!("{base}/{target}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if joined.starts_with('/') => {}
            other => parts.push(other),
        }
    }
    let path = parts.join("/");
    match (joined.starts_with('/'), path.is_empty()) {
        (true, _) => format!("/{path}"),
        (false, true) => ".".to_owned(),
        (false, false) => path,
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// Output goes into a file.
    WritesFile,
    Operator(&'static str),
}

/// A chain: pipelines joined by `&&` or `||`, ended by `;`, a newline or `&`.
struct Chain {
    pipelines: Vec<Vec<RawCommand>>,
    has_or: bool,
    in_background: bool,
}

/// A simple command before its assignments are split off.
#[derive(Default)]
struct RawCommand {
    words: Vec<String>,
    writes_file: bool,
}

struct State {
    directory: String,
    exits_on_error: bool,
    pipes_fail: bool,
}

impl State {
    fn read_chain(&mut self, chain: Chain, is_last: bool, found: &mut Vec<Simple>) -> Option<()> {
        let guarded = ends_in_failing_exit(&chain);
        let hidden = if chain.in_background {
            Some("it runs in the background")
        } else if chain.has_or && !guarded {
            Some("`||` hides its exit code")
        } else if !(is_last || guarded || self.exits_on_error && chain.pipelines.len() == 1) {
            Some("another command follows it, and only the last exit code is reported")
        } else {
            None
        };
        // What follows a plain `exit` never runs.
        if !is_last
            && !chain.has_or
            && chain.pipelines.iter().flatten().flat_map(|command| &command.words).any(|word| word == "exit")
        {
            return None;
        }
        for pipeline in chain.pipelines {
            let count = pipeline.len();
            for (index, command) in pipeline.into_iter().enumerate() {
                let piped = (index + 1 < count && !self.pipes_fail)
                    .then_some("it is piped, and the pipe reports the exit code of its last command");
                self.read_simple(command, hidden.or(piped), count == 1, found)?;
            }
        }
        Some(())
    }

    fn read_simple(
        &mut self,
        command: RawCommand,
        hidden: Option<&'static str>,
        alone: bool,
        found: &mut Vec<Simple>,
    ) -> Option<()> {
        let RawCommand { mut words, writes_file } = command;
        let mut assignments = Vec::new();
        while let Some((name, value)) = words.first().and_then(|word| assignment(word)) {
            assignments.push((name, value));
            words.remove(0);
        }
        let program = words.first().map(String::as_str).unwrap_or_default();
        match program {
            "if" | "for" | "while" | "until" | "case" | "select" | "function" | "!" | "{" | "}" | "alias"
            | "trap" | "eval" | "popd" | "then" | "do" | "coproc" => return None,
            "cd" | "pushd" if alone => self.enter(words.iter().skip(1).find(|word| *word != "--")),
            "set" => self.set(&words),
            _ => {}
        }
        found.push(Simple { words, assignments, directory: self.directory.clone(), writes_file, hidden });
        Some(())
    }

    fn enter(&mut self, target: Option<&String>) {
        let target = target.map_or("~", String::as_str);
        self.directory = match target {
            "$(git rev-parse --show-toplevel)" => ".".to_owned(),
            "$PWD" => self.directory.clone(),
            other => join(&self.directory, other),
        };
    }

    fn set(&mut self, words: &[String]) {
        for word in words.iter().skip(1) {
            match word.as_str() {
                "pipefail" => self.pipes_fail = true,
                "errexit" => self.exits_on_error = true,
                "+e" | "+o" => (self.exits_on_error, self.pipes_fail) = (false, false),
                flags if flags.starts_with('-') && !flags.starts_with("--") && flags.contains('e') => {
                    self.exits_on_error = true;
                }
                _ => {}
            }
        }
    }
}

/// Whether the chain is `a || exit 1`: then a failure of `a` is a failure of the script.
fn ends_in_failing_exit(chain: &Chain) -> bool {
    let Some([last]) = chain.pipelines.last().map(Vec::as_slice) else { return false };
    let exits = matches!(last.words.as_slice(), [exit, code] if exit == "exit" && code != "0" && code.parse::<u8>().is_ok());
    exits && chain.has_or && chain.pipelines.len() == 2
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    (starts && chars.all(|char| char.is_ascii_alphanumeric() || char == '_'))
        .then(|| (name.to_owned(), value.to_owned()))
}

/// The inside of `( … )` when that is the whole script.
fn whole_group(script: &str) -> Option<&str> {
    let inner = script.strip_prefix('(')?.strip_suffix(')')?;
    (!inner.contains(['(', ')'])).then_some(inner)
}

/// Whether a redirection leads to another stream or a device instead of a file.
fn is_stream(operator: &str, target: &str) -> bool {
    operator.ends_with('&') && target.chars().all(|char| char.is_ascii_digit()) || target.starts_with("/dev/")
}

fn chains(tokens: Vec<Token>) -> Option<Vec<Chain>> {
    let mut chains = Vec::new();
    let mut chain = new_chain();
    let mut pipeline: Vec<RawCommand> = Vec::new();
    let mut command = RawCommand::default();
    for token in tokens {
        let operator = match token {
            Token::Word(word) => {
                command.words.push(word);
                continue;
            }
            Token::WritesFile => {
                command.writes_file = true;
                continue;
            }
            Token::Operator(operator) => operator,
        };
        match (operator, command.is_empty()) {
            ("|", false) => pipeline.push(std::mem::take(&mut command)),
            ("&&" | "||", false) => {
                pipeline.push(std::mem::take(&mut command));
                chain.pipelines.push(std::mem::take(&mut pipeline));
                chain.has_or |= operator == "||";
            }
            (";" | "\n" | "&", false) => {
                pipeline.push(std::mem::take(&mut command));
                chain.pipelines.push(std::mem::take(&mut pipeline));
                chain.in_background = operator == "&";
                chains.push(std::mem::replace(&mut chain, new_chain()));
            }
            ("\n", true) => {}
            _ => return None,
        }
    }
    if !command.is_empty() {
        pipeline.push(command);
    }
    if !pipeline.is_empty() {
        chain.pipelines.push(pipeline);
    }
    if !chain.pipelines.is_empty() {
        chains.push(chain);
    }
    Some(chains)
}

impl RawCommand {
    /// `> file` alone is a command too: it empties the file.
    fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.writes_file
    }
}

fn new_chain() -> Chain {
    Chain { pipelines: Vec::new(), has_or: false, in_background: false }
}

fn tokens(script: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer { rest: script, tokens: Vec::new(), documents: Vec::new() };
    while !lexer.rest.is_empty() {
        lexer.step()?;
    }
    Some(lexer.tokens)
}

struct Lexer<'a> {
    rest: &'a str,
    tokens: Vec<Token>,
    /// Ends of here-documents whose bodies begin on the next line.
    documents: Vec<String>,
}

impl Lexer<'_> {
    fn step(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            '\n' => {
                self.take(1);
                self.tokens.push(Token::Operator("\n"));
                self.skip_documents();
            }
            _ if first.is_whitespace() => self.take(first.len_utf8()),
            '#' => self.take(self.rest.find('\n').unwrap_or(self.rest.len())),
            '\\' if self.rest.starts_with("\\\n") => self.take(2),
            '&' if self.rest.starts_with("&>") => self.redirect()?,
            '>' | '<' => self.redirect()?,
            ';' | '|' | '&' => self.operator()?,
            '(' | ')' => return None,
            _ => self.word_or_redirect()?,
        }
        Some(())
    }

    fn take(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn operator(&mut self) -> Option<()> {
        if self.rest.starts_with(";;") {
            return None;
        }
        for (text, operator) in [("&&", "&&"), ("||", "||"), ("|&", "|"), ("|", "|"), (";", ";"), ("&", "&")]
        {
            if self.rest.starts_with(text) {
                self.take(text.len());
                self.tokens.push(Token::Operator(operator));
                return Some(());
            }
        }
        None
    }

    fn word_or_redirect(&mut self) -> Option<()> {
        let digits = self.rest.len() - self.rest.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        if digits > 0 && self.rest[digits..].starts_with(['>', '<']) {
            self.take(digits);
            return self.redirect();
        }
        let word = self.word()?;
        self.tokens.push(Token::Word(word));
        Some(())
    }

    /// Reads a redirection and forgets it; a here-document's body is skipped at the end of the line.
    fn redirect(&mut self) -> Option<()> {
        let length = self.rest.len() - self.rest.trim_start_matches(['>', '<', '&', '|', '-']).len();
        let operator = self.rest[..length].to_owned();
        self.take(length);
        self.take(self.rest.len() - self.rest.trim_start_matches([' ', '\t']).len());
        if operator.ends_with("&-") || operator.ends_with(">-") {
            return Some(());
        }
        if self.rest.starts_with('(') {
            return None;
        }
        let target = self.word()?;
        if operator == "<<" || operator == "<<-" {
            self.documents.push(target);
        } else if operator.contains('>') && !is_stream(&operator, &target) {
            self.tokens.push(Token::WritesFile);
        }
        Some(())
    }

    fn skip_documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            while !self.rest.is_empty() {
                let line = self.rest.split('\n').next().unwrap_or_default();
                let is_end = line.trim_start_matches('\t') == end;
                self.take((line.len() + 1).min(self.rest.len()));
                if is_end {
                    break;
                }
            }
        }
    }

    /// One word, unquoted; `$(…)` and backticks stay in it as they are.
    fn word(&mut self) -> Option<String> {
        let mut value = String::new();
        while let Some(char) = self.rest.chars().next() {
            match char {
                _ if char.is_whitespace() => break,
                ';' | '|' | '&' | '<' | '>' | ')' => break,
                '(' => return None,
                '\'' => self.single_quoted(&mut value)?,
                '"' => self.double_quoted(&mut value)?,
                '\\' => {
                    self.take(1);
                    let escaped = self.rest.chars().next()?;
                    self.take(escaped.len_utf8());
                    if escaped != '\n' {
                        value.push(escaped);
                    }
                }
                '$' if self.rest.starts_with("$(") => self.substitution(&mut value)?,
                '`' => self.backticks(&mut value)?,
                _ => {
                    self.take(char.len_utf8());
                    value.push(char);
                }
            }
        }
        Some(value)
    }

    fn single_quoted(&mut self, value: &mut String) -> Option<()> {
        let end = self.rest[1..].find('\'')?;
        value.push_str(&self.rest[1..=end]);
        self.take(end + 2);
        Some(())
    }

    fn double_quoted(&mut self, value: &mut String) -> Option<()> {
        self.take(1);
        loop {
            let char = self.rest.chars().next()?;
            match char {
                '"' => {
                    self.take(1);
                    return Some(());
                }
                '\\' => {
                    self.take(1);
                    let escaped = self.rest.chars().next()?;
                    self.take(escaped.len_utf8());
                    if !matches!(escaped, '"' | '\\' | '$' | '`' | '\n') {
                        value.push('\\');
                    }
                    value.push(escaped);
                }
                '$' if self.rest.starts_with("$(") => self.substitution(value)?,
                _ => {
                    self.take(char.len_utf8());
                    value.push(char);
                }
            }
        }
    }

    fn substitution(&mut self, value: &mut String) -> Option<()> {
        let mut depth = 0_usize;
        for (index, char) in self.rest.char_indices() {
            match char {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 {
                value.push_str(&self.rest[..=index]);
                self.take(index + 1);
                return Some(());
            }
        }
        None
    }

    fn backticks(&mut self, value: &mut String) -> Option<()> {
        let end = self.rest[1..].find('`')?;
        value.push_str(&self.rest[..end + 2]);
        self.take(end + 2);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str) -> Vec<(String, bool, String)> {
        let simple = |simple: Simple| (simple.words.join(" "), simple.hidden.is_none(), simple.directory);
        read(script).unwrap_or_default().into_iter().map(simple).collect()
    }

    /// Exit 0 of a script says something about a command only where no operator swallows its exit code.
    #[test]
    fn operators_hide_or_show() {
        let visible_of = |script: &str, program: &str| {
            shown(script)
                .into_iter()
                .find(|(words, ..)| words.starts_with(program))
                .map(|(_, visible, _)| visible)
        };
        for (script, visible) in [
            ("cargo test", true),
            ("cargo fmt && cargo test", true),
            ("cargo test && echo ok", true),
            ("cargo test 2>&1", true),
            ("cargo test | tail -5", false),
            ("set -o pipefail; cargo test | tail -5", true),
            ("set -euo pipefail\ncargo test | tee log\necho done", true),
            ("cargo test || true", false),
            ("cargo test || exit 1; echo ok", true),
            ("cargo test || exit 0; echo ok", false),
            ("cargo test; true", false),
            ("echo a; cargo test", true),
            ("cargo test &", false),
            ("cargo test\necho done", false),
            ("(cd x && cargo test)", true),
            ("cargo test |& cat", false),
            ("set -e; cargo test; echo done", true),
        ] {
            assert_eq!(visible_of(script, "cargo test"), Some(visible), "{script}");
        }
    }

    /// What is not understood proves nothing.
    #[test]
    fn other_syntax_is_not_understood() {
        for script in [
            "if cargo test; then echo ok; fi",
            "cargo() { true; }; cargo test",
            "for i in 1 2; do cargo test; done",
            "! cargo test",
            "alias cargo=true; cargo test",
            "trap 'exit 0' EXIT; cargo test",
            "echo 'open",
            "a && && b",
            "eval cargo test",
            "exit 0; make check",
        ] {
            assert_eq!(read(script), None, "{script}");
        }
    }

    /// `cd` is followed; quotes and here-documents are not commands.
    #[test]
    fn directories_quotes_and_documents() {
        assert_eq!(shown("cd a && cd ../b && ls")[2].2, "b");
        assert_eq!(shown("cd /tmp/x && ls")[1].2, "/tmp/x");
        assert_eq!(shown("cd \"$DIR\" && ls")[1].2, "?");
        assert_eq!(shown("cd .. && ls")[1].2, "..");
        assert_eq!(shown("echo 'a && b; c' \"d | e\"")[0].0, "echo a && b; c d | e");
        let script = "cat > f <<'EOF'\ncargo test\nEOF\nls";
        assert_eq!(shown(script).iter().map(|(words, ..)| words.as_str()).collect::<Vec<_>>(), ["cat", "ls"]);
        let writes = |script: &str| {
            read(script).unwrap_or_default().iter().map(|part| part.writes_file).collect::<Vec<_>>()
        };
        assert_eq!(writes("a > f && b 2>&1 && c > /dev/null && d &>> log"), [true, false, false, true]);
        assert_eq!(words("A=1 b 'c d'"), Some(vec!["b".to_owned(), "c d".to_owned()]));
    }
}
