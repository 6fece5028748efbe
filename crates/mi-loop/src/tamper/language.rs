//! Tests, assertions and skips in source files, one line at a time; an assertion is followed to its end.

mod table;

use super::{AssertionMark, TestCase, TestInventory, entries, replaced, strength};
use crate::project::{has_inline_test, is_test_file};

/// An assertion is read no further than this.
const STATEMENT_LINES: usize = 40;

/// A language in which tests are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Python,
    Script,
    Go,
    Jvm,
    Ruby,
    Php,
    Dotnet,
    Swift,
    Shell,
    Cpp,
}

impl Language {
    /// The language of a file that can hold tests.
    pub(super) fn of(path: &str) -> Option<Self> {
        let extension = path.rsplit_once('.')?.1;
        let language = match extension {
            "rs" => return Some(Self::Rust),
            "py" => Self::Python,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Self::Script,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "scala" | "groovy" => Self::Jvm,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "cs" => Self::Dotnet,
            "swift" => Self::Swift,
            "sh" | "bash" | "bats" => Self::Shell,
            "c" | "cc" | "cpp" | "cxx" => Self::Cpp,
            _ => return None,
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let in_tests = path.split('/').any(|part| matches!(part, "test" | "tests" | "spec" | "__tests__"));
        // What tests read is no test.
        if path.split('/').any(|part| ["fixtures", "__fixtures__", "testdata"].contains(&part)) {
            return None;
        }
        // A test without a framework is any program, known by its name alone.
        let is_plain = language == Self::Cpp && name.contains("test");
        (is_test_file(path) || in_tests || is_plain || replaced::is_setup(path)).then_some(language)
    }

    /// Adds what the source contributes.
    pub(super) fn read(self, path: &str, content: &str, inventory: &mut TestInventory) {
        // Assertions in Rust code without tests belong to the program, not to its checks.
        if self == Self::Rust && !has_inline_test(content) {
            return;
        }
        let mut comments = Comments::new(self);
        let raws: Vec<&str> = content.lines().collect();
        let lines: Vec<String> = raws.iter().map(|raw| comments.strip(raw).trim().to_owned()).collect();
        // pytest collects only files that are named as tests.
        let is_collected = self != Self::Python || is_test_file(path);
        let mut reader = Reader { is_collected, is_test_file: is_test_file(path), ..Reader::default() };
        for (index, (raw, line)) in raws.iter().zip(&lines).enumerate() {
            if self == Self::Go && (raw.starts_with("//go:build") || raw.starts_with("// +build")) {
                inventory.add_ignore(&format!("build only: {raw}"));
            }
            if line.is_empty() {
                continue;
            }
            let indent = raw.len() - raw.trim_start().len();
            let next = raws.get(index + 1).map_or("", |next| next.trim());
            if self.can_replace() {
                replaced::read(line, inventory);
            }
            reader.take(self, indent, lines.get(index..).unwrap_or_default(), next, inventory);
        }
        reader.close(inventory);
        let calls: Vec<&str> =
            inventory.tests.values().flat_map(|case| &case.calls).map(String::as_str).collect();
        let is_called: Vec<String> =
            inventory.defines.iter().filter(|name| calls.contains(&name.as_str())).cloned().collect();
        inventory.defines = is_called.into_iter().collect();
    }

    /// Whether a test can put something else in the place of what it imports.
    fn can_replace(self) -> bool {
        match self {
            Self::Python | Self::Script | Self::Ruby | Self::Jvm | Self::Php | Self::Dotnet => true,
            Self::Rust | Self::Go | Self::Swift | Self::Shell | Self::Cpp => false,
        }
    }

    /// The name of the test that a line declares. `announced` remembers an attribute on the line before.
    fn test_name(self, line: &str, lines: &[String], announced: &mut bool) -> Option<String> {
        match self {
            Self::Rust | Self::Jvm | Self::Dotnet => {
                *announced |= table::announces(self, line);
                if !*announced {
                    return (self == Self::Jvm).then(|| junit_three(line)).flatten();
                }
                let name = function_name(self, line)?;
                *announced = false;
                Some(name)
            }
            Self::Swift => {
                *announced |= line.contains("@Test");
                let name = after(line, "func ")
                    .map(identifier)
                    .filter(|name| *announced || name.starts_with("test"))?;
                *announced = false;
                Some(name.to_owned())
            }
            Self::Python => {
                after(line, "def ").map(identifier).filter(|name| name.starts_with("test")).map(str::to_owned)
            }
            Self::Go => {
                let name = identifier(line.strip_prefix("func ")?);
                let known =
                    ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|start| name.starts_with(start));
                known.then(|| name.to_owned())
            }
            Self::Script if line.contains(".each") => {
                let table = ["it", "test", "fit", "xit"].iter().any(|name| line.starts_with(name));
                table.then(|| each_name(&statement(lines, entries::TABLE_LINES))).flatten()
            }
            Self::Script => quoted_call(line, &["it", "test", "fit", "xit", "xtest", "ftest", "Deno.test"]),
            Self::Ruby => ruby_test(line),
            Self::Php => php_test(line, announced),
            Self::Shell => shell_test(line),
            Self::Cpp => cpp_test(line),
        }
    }
}

/// Reads a file line by line into tests.
#[derive(Debug, Default)]
struct Reader {
    is_collected: bool,
    is_test_file: bool,
    /// The test that is open: its name, what is known of it, and its body so far.
    open: Option<(String, TestCase, String)>,
    announced: bool,
    inverts: bool,
    conditions: Conditions,
    guards: Guards,
    body: Body,
    /// Skips and rows of decorators that stand before a test.
    pending_skips: u32,
    pending_rows: Vec<u32>,
}

impl Reader {
    /// Takes the first of the lines; what begins on it may go on over the others.
    fn take(
        &mut self,
        language: Language,
        indent: usize,
        lines: &[String],
        next: &str,
        inventory: &mut TestInventory,
    ) {
        let line = lines.first().map_or("", String::as_str);
        if self.body.is_over(line, indent) {
            self.close(inventory);
        }
        let skips = table::skips(language, line) + u32::from(indent == 0 && table::ends_file(language, line));
        inventory.skips = inventory.skips.saturating_add(skips);
        inventory.trivial = inventory.trivial.saturating_add(table::swallows(language, line, next));
        self.inverts |= language == Language::Rust && line.contains("#[should_panic");
        self.conditions.read(language, line, indent);
        self.guards.leave(indent);
        self.take_rows(lines, inventory);
        match language.test_name(line, lines, &mut self.announced) {
            Some(name) => {
                self.close(inventory);
                let conditional =
                    self.conditions.hold_for_test() || !self.is_collected || self.guards.depth() > 0;
                let rows = std::mem::take(&mut self.pending_rows);
                let case = TestCase {
                    inverted: std::mem::take(&mut self.inverts),
                    conditional,
                    skips: std::mem::take(&mut self.pending_skips) + skips,
                    entries: rows.into_iter().collect(),
                    ..TestCase::default()
                };
                let rest = line.split_once(name.as_str()).map_or(line, |(_, rest)| rest);
                self.open = Some((name, case, packed(rest)));
                self.body = Body::declared_at(indent);
                self.guards = Guards::default();
            }
            None => {
                match &mut self.open {
                    Some((_, case, body)) => {
                        case.skips = case.skips.saturating_add(skips);
                        body.push_str(&packed(line));
                    }
                    None => self.pending_skips = self.pending_skips.saturating_add(skips),
                }
                if self.body.is_dead_at(line, indent) {
                    return;
                }
            }
        }
        self.count_assertions(language, lines, inventory);
        self.guards.enter(line, indent);
    }

    /// Rows of a table belong to the test that is open, to the next one if a decorator holds them, else to the file.
    fn take_rows(&mut self, lines: &[String], inventory: &mut TestInventory) {
        let line = lines.first().map_or("", String::as_str);
        if entries::is_case(line) {
            self.pending_rows.push(entries::row(line));
            return;
        }
        if !entries::begins_table(line) {
            return;
        }
        let rows = entries::rows(&statement(lines, entries::TABLE_LINES));
        let is_decorator = line.starts_with('@') || line.contains(".each(");
        match &mut self.open {
            _ if is_decorator => self.pending_rows.extend(rows),
            Some((_, case, _)) => case.entries.extend(rows),
            // Tables of a source with tests in it belong to the program.
            None if self.is_test_file => inventory.entries.extend(rows),
            None => {}
        }
    }

    /// Ends the test that is open.
    fn close(&mut self, inventory: &mut TestInventory) {
        if let Some((name, mut case, body)) = self.open.take() {
            case.body = Some(strength::fingerprint(&body));
            case.outline = Some(strength::fingerprint(&outline(&body)));
            inventory.add_test(&name, case);
        }
    }

    /// Counts what the first of the lines asserts; an assertion may go on over the others.
    fn count_assertions(&mut self, language: Language, lines: &[String], inventory: &mut TestInventory) {
        let line = lines.first().map_or("", String::as_str);
        let all = table::assertions(language, line);
        let trivial = table::trivial(language, line).min(all.max(1));
        let real = all.saturating_sub(trivial);
        inventory.trivial = inventory.trivial.saturating_add(trivial);
        inventory.assertions = inventory.assertions.saturating_add(real);
        let Some((_, case, _)) = self.open.as_mut().filter(|_| real > 0) else { return };
        case.assertions = case.assertions.saturating_add(real);
        let (text, guards) = match self.guards.condition_of(language, line) {
            Some(condition) => condition,
            None => (statement(lines, STATEMENT_LINES), self.guards.around(line)),
        };
        for (call, _) in strength::calls(&text).take(CALLS_KEPT.saturating_sub(case.calls.len())) {
            case.calls.insert(call[..call.floor_char_boundary(super::NAME_KEPT)].to_owned());
        }
        if case.marks.len() < strength::MARKS_KEPT {
            case.marks.push(AssertionMark::of(&text, guards));
        }
    }
}

/// At most this many functions that a test calls are kept.
const CALLS_KEPT: usize = 16;

fn packed(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// The body with one letter for each name.
fn outline(body: &str) -> String {
    let mut found = String::with_capacity(body.len());
    let mut in_name = false;
    for char in body.chars() {
        let begins = char.is_alphabetic() || char == '_';
        if !(begins || in_name && char.is_alphanumeric()) {
            found.push(char);
            in_name = false;
        } else if !in_name {
            found.push('x');
            in_name = true;
        }
    }
    found
}

/// The conditions, loops, handlers and inner functions that are open in a test, by their indentation.
#[derive(Debug, Default)]
struct Guards {
    open: Vec<(usize, String)>,
}

impl Guards {
    /// Closes what ends before a line of this indentation.
    fn leave(&mut self, indent: usize) {
        while self.open.last().is_some_and(|(at, _)| *at >= indent) {
            self.open.pop();
        }
    }

    fn enter(&mut self, line: &str, indent: usize) {
        if is_guard(line) {
            self.open.push((indent, line.to_owned()));
        }
    }

    fn depth(&self) -> u32 {
        u32::try_from(self.open.len()).unwrap_or(u32::MAX)
    }

    /// Under how many guards an assertion of this line stands; one on the line itself counts.
    fn around(&self, line: &str) -> u32 {
        self.depth() + u32::from(is_guard(line))
    }

    /// Go and C without a framework assert by a branch: the branch is the assertion, and its line holds only the
    /// message.
    fn condition_of(&self, language: Language, line: &str) -> Option<(String, u32)> {
        let by_branch = match language {
            Language::Go => !line.contains("assert.") && !line.contains("require."),
            Language::Cpp => line.contains("return") || line.contains("exit(") || line.contains("abort("),
            _ => false,
        };
        if !by_branch {
            return None;
        }
        if line.starts_with("if") {
            return Some((line.split('{').next().unwrap_or(line).to_owned(), self.depth()));
        }
        let (_, condition) = self.open.last().filter(|(_, opener)| opener.starts_with("if"))?;
        Some((condition.split('{').next().unwrap_or(condition).to_owned(), self.depth().saturating_sub(1)))
    }
}

/// Whether a line begins something that keeps what stands in it from running, or from failing.
fn is_guard(line: &str) -> bool {
    const WORDS: [&str; 20] = [
        "if", "elif", "elsif", "else", "unless", "try", "except", "rescue", "catch", "while", "until",
        "switch", "case", "match", "when", "begin", "def", "function", "fn", "func",
    ];
    // A loop over something is no condition; one over nothing is.
    const NOTHING: [&str; 5] = ["in []", "in ()", "of []", "range(0)", "in {}"];
    let line = line.trim_start_matches(['}', ' ']);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let end = line.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(line.len());
    let is_empty_loop =
        line[..end].starts_with("for") && NOTHING.iter().any(|nothing| line.contains(nothing));
    WORDS.contains(&&line[..end]) || is_empty_loop
}

/// The first line, and those after it until all brackets that it opens are closed and no method is called on it.
fn statement(lines: &[String], most: usize) -> String {
    let (mut text, mut open) = (String::new(), 0_i64);
    for (index, line) in lines.iter().take(most).enumerate() {
        text.push_str(line);
        // What stands before the assertion, such as the test's own brace, is not closed by it.
        let start = if open == 0 { assertion_start(line) } else { 0 };
        let counted = &line[start..];
        let count =
            |brackets: [char; 3]| counted.chars().filter(|character| brackets.contains(character)).count();
        open += count(['(', '[', '{']) as i64 - count([')', ']', '}']) as i64;
        let goes_on = lines.get(index + 1).is_some_and(|next| next.starts_with('.'));
        if open <= 0 && !goes_on {
            break;
        }
    }
    text
}

fn assertion_start(line: &str) -> usize {
    ["assert", "Assert", "expect", "EXPECT", "ASSERT", "require", "should", "must"]
        .iter()
        .filter_map(|word| line.find(word))
        .min()
        .unwrap_or(0)
}

/// The body of a test: what stands after a plain `return` in it never runs.
#[derive(Debug, Default)]
struct Body {
    declared: Option<usize>,
    first: Option<usize>,
    returned: bool,
    /// Where a branch that is never taken begins.
    never: Option<usize>,
}

impl Body {
    fn declared_at(indent: usize) -> Self {
        Self { declared: Some(indent), ..Self::default() }
    }

    /// Whether the line stands after the body of the test.
    fn is_over(&self, line: &str, indent: usize) -> bool {
        let closes = line.starts_with(['}', ')', ']', '{']) || line == "end" || line.starts_with("end ");
        self.declared.is_some_and(|declared| indent <= declared) && !closes
    }

    /// Whether the line stands after a `return` of the body itself, or in a branch that is never taken.
    fn is_dead_at(&mut self, line: &str, indent: usize) -> bool {
        let Some(declared) = self.declared else { return false };
        if indent <= declared {
            *self = Self::default();
            return false;
        }
        if self.never.is_some_and(|at| indent > at) {
            return true;
        }
        self.never = table::is_never(line).then_some(indent);
        let first = *self.first.get_or_insert(indent);
        let is_return = ["return", "return;", "return None", "return nil", "return Ok(());"].contains(&line);
        let dead = self.returned;
        self.returned |= is_return && indent == first;
        dead
    }
}

/// What keeps the tests that follow from running: conditions of Rust's compiler, classes that no Python runner collects.
#[derive(Debug, Default)]
struct Conditions {
    /// For the rest of the file.
    file: bool,
    /// For the next function or module.
    next: bool,
    /// Whether that function or module was seen.
    is_used: bool,
    /// For the class that is open: where it stands, and whether its tests are not collected.
    class: Option<(usize, bool)>,
}

impl Conditions {
    fn read(&mut self, language: Language, line: &str, indent: usize) {
        match language {
            Language::Rust => self.read_rust(line),
            Language::Python => self.read_python(line, indent),
            _ => {}
        }
    }

    fn read_rust(&mut self, line: &str) {
        if std::mem::take(&mut self.is_used) {
            self.next = false;
        }
        let packed: String = line.chars().filter(|char| !char.is_whitespace()).collect();
        let limits =
            |start: &str| packed.starts_with(start) && !packed.starts_with(&format!("{start}test)]"));
        self.file |= limits("#![cfg(");
        let ignores = packed.contains("#[cfg_attr(") && packed.contains(",ignore");
        self.next |= limits("#[cfg(") || ignores;
        self.file |= self.next && packed.starts_with("mod");
        self.is_used = !packed.starts_with('#') || packed.contains('{');
    }

    fn read_python(&mut self, line: &str, indent: usize) {
        if self.class.is_some_and(|(at, _)| indent <= at) {
            self.class = None;
        }
        let Some(rest) = line.strip_prefix("class ") else { return };
        let bases = rest
            .split_once('(')
            .and_then(|(_, bases)| bases.split_once(')'))
            .map_or("", |(bases, _)| bases.trim());
        let is_collected = rest.starts_with("Test") || !["", "object"].contains(&bases);
        self.class = Some((indent, !is_collected));
    }

    /// Whether the test that was just declared runs only under a condition.
    fn hold_for_test(&mut self) -> bool {
        std::mem::take(&mut self.next) || self.file || self.class.is_some_and(|(_, lost)| lost)
    }
}

/// Removes comments, across lines where the language has block comments.
struct Comments {
    line_marks: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
    inside: bool,
    /// In Rust a single quote need not be closed.
    has_lifetimes: bool,
}

impl Comments {
    fn new(language: Language) -> Self {
        let (line_marks, block): (&[&str], _) = match language {
            Language::Python => (&["#"], Some(("\"\"\"", "\"\"\""))),
            Language::Shell => (&["#"], None),
            Language::Ruby => (&["#"], Some(("=begin", "=end"))),
            Language::Php => (&["//", "* "], Some(("/*", "*/"))),
            Language::Rust
            | Language::Script
            | Language::Go
            | Language::Jvm
            | Language::Dotnet
            | Language::Swift
            | Language::Cpp => (&["//"], Some(("/*", "*/"))),
        };
        Self { line_marks, block, inside: false, has_lifetimes: language == Language::Rust }
    }

    /// The line without what is in block comments; empty when it is a comment.
    fn strip(&mut self, line: &str) -> String {
        let starts_comment =
            |text: &str| self.line_marks.iter().any(|mark| text.trim_start().starts_with(mark));
        if !self.inside && starts_comment(line) {
            return String::new();
        }
        let line = if self.inside { line } else { &line[..self.trailing_comment(line)] };
        let Some((open, close)) = self.block else { return line.to_owned() };
        let mut kept = String::new();
        let mut rest = line;
        loop {
            let mark = if self.inside { close } else { open };
            // A glob such as 'src/**/*.js' is no comment.
            let found = rest.find(mark).filter(|at| self.inside || open != "/*" || !in_quotes(&rest[..*at]));
            match found {
                Some(at) => {
                    if !self.inside {
                        kept.push_str(&rest[..at]);
                    }
                    self.inside = !self.inside;
                    rest = &rest[at + mark.len()..];
                }
                None => {
                    if !self.inside {
                        kept.push_str(rest);
                    }
                    return kept;
                }
            }
        }
    }
}

impl Comments {
    /// Where a comment after code begins, outside of quotes; the line's end when there is none.
    fn trailing_comment(&self, line: &str) -> usize {
        let mark = if self.line_marks.contains(&"#") { "#" } else { "//" };
        let mut quote = None;
        let mut chars = line.char_indices();
        while let Some((at, char)) = chars.next() {
            match quote {
                Some(_) if char == '\\' => {
                    chars.next();
                }
                Some(open) if char == open => quote = None,
                Some(_) => {}
                // Rust's lifetimes are no quotes; a character is one.
                None if char == '\'' && mark == "//" => {
                    let rest = &line[at + 1..];
                    let is_pair =
                        rest.chars().nth(1) == Some('\'') || rest.contains('\'') && !self.has_lifetimes;
                    quote = is_pair.then_some('\'');
                }
                None if matches!(char, '"' | '\'' | '`') => quote = Some(char),
                // `#` in a word, and `://`, are no comments.
                None if line[at..].starts_with(mark) && line[..at].ends_with([' ', '\t', ';', ')', '}']) => {
                    return at;
                }
                None => {}
            }
        }
        line.len()
    }
}

fn in_quotes(before: &str) -> bool {
    ['"', '\'', '`'].iter().any(|quote| before.matches(*quote).count() % 2 == 1)
}

fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let at = line.find(word)?;
    let boundary = at == 0 || line[..at].ends_with([' ', '\t', ';', '{']);
    boundary.then(|| &line[at + word.len()..])
}

fn identifier(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(text.len());
    &text[..end]
}

fn function_name(language: Language, line: &str) -> Option<String> {
    let name = match language {
        Language::Rust => after(line, "fn ").map(identifier)?,
        _ => {
            if let Some(rest) = after(line, "fun ") {
                return Some(backticked(rest));
            }
            let before = line
                .split('(')
                .next()
                .filter(|before| line.contains('(') && !before.contains('@') && !before.starts_with('['))?;
            before.split_whitespace().next_back().filter(|_| before.split_whitespace().count() > 1)?
        }
    };
    (!name.is_empty()).then(|| name.to_owned())
}

/// Kotlin names tests in backticks: fun `adds two numbers`().
fn backticked(rest: &str) -> String {
    let rest = rest.trim_start();
    match rest.strip_prefix('`').and_then(|inner| inner.split('`').next()) {
        Some(name) => name.to_owned(),
        None => identifier(rest).to_owned(),
    }
}

/// JUnit 3 and TestNG without annotations on the method: `public void testFoo()`.
fn junit_three(line: &str) -> Option<String> {
    let name = identifier(after(line, "public void ")?);
    name.starts_with("test").then(|| name.to_owned())
}

/// `it('name', …)`, `test.only("name", …)`, `it.each(…)('name'`
fn quoted_call(line: &str, names: &[&str]) -> Option<String> {
    let name = names.iter().filter(|name| line.starts_with(**name)).max_by_key(|name| name.len())?;
    let rest = line[name.len()..].trim_start();
    if !rest.starts_with(['(', '.', ' ', '\'', '"']) {
        return None;
    }
    let quote = rest.find(['\'', '"', '`'])?;
    let mark = rest[quote..].chars().next()?;
    let text = &rest[quote + 1..];
    Some(text.split(mark).next().unwrap_or_default().to_owned())
}

/// `it.each([…])('name', …)`: the name follows the table.
fn each_name(statement: &str) -> Option<String> {
    let name = &statement[statement.find([')', '`']).map_or(0, |_| statement.rfind(")(").unwrap_or(0))..];
    let quote = name.find(['\'', '"', '`'])?;
    let mark = name[quote..].chars().next()?;
    Some(name[quote + 1..].split(mark).next().unwrap_or_default().to_owned())
}

fn ruby_test(line: &str) -> Option<String> {
    let method = line.strip_prefix("def ").map(identifier).filter(|name| name.starts_with("test_"));
    let method = method.map(str::to_owned);
    method.or_else(|| {
        quoted_call(line, &["it", "specify", "test", "fit", "xit", "scenario", "example", "pending"])
    })
}

fn php_test(line: &str, announced: &mut bool) -> Option<String> {
    *announced |= line.contains("#[Test]") || line.contains("@test");
    if let Some(name) = after(line, "function ").map(identifier)
        && (name.starts_with("test") || *announced)
    {
        *announced = false;
        return Some(name.to_owned());
    }
    quoted_call(line, &["it", "test"])
}

fn shell_test(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("@test ") {
        return Some(
            rest.trim_matches(|char: char| {
                char == '{' || char.is_whitespace() || char == '"' || char == '\''
            })
            .to_owned(),
        );
    }
    let name = identifier(line.strip_prefix("function ").unwrap_or(line));
    (name.starts_with("test") && line.contains("()")).then(|| name.to_owned())
}

fn cpp_test(line: &str) -> Option<String> {
    // A program of its own is a test by what it returns.
    if line.contains(" main(") {
        return Some("main".to_owned());
    }
    let macros =
        ["TEST(", "TEST_F(", "TEST_P(", "TYPED_TEST(", "TEST_CASE(", "BOOST_AUTO_TEST_CASE(", "SCENARIO("];
    let rest = macros.iter().find_map(|name| line.strip_prefix(name))?;
    Some(rest.split(')').next().unwrap_or_default().replace("DISABLED_", "").to_owned())
}
