//! What the source of each language looks like: comments, function definitions, and a stub that makes one fail.
//!
//! Works on lines and brackets, without a parser. A definition that is not recognised only makes the result coarser: its
//! piece is removed instead of stubbed.

use regex_lite::Regex;
use std::{ops::Range, sync::LazyLock};

/// The message that a stub fails with; its appearance in an output proves that the stub was reached.
pub const STUB_MESSAGE: &str = "mi took this back";

/// A family of languages that share comment and block syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Python,
    Ruby,
    Shell,
    JavaScript,
    Rust,
    Go,
    C,
    Java,
    CSharp,
    Kotlin,
    Swift,
    Php,
    Lua,
    /// Known only by its comment marker.
    Hash,
    Slash,
    Dash,
    Markup,
}

/// One function definition within a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    /// Lines of the definition, decorators and attributes included.
    pub lines: Range<usize>,
    pub stub: StubEdit,
}

/// The line that turns a definition into one that fails when it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubEdit {
    pub line: usize,
    /// Replaces the line; may hold several lines.
    pub text: String,
}

impl Language {
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, end)| end);
        Some(match extension {
            "py" | "pyi" => Self::Python,
            "rb" | "rake" => Self::Ruby,
            "sh" | "bash" | "zsh" | "ksh" => Self::Shell,
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Self::JavaScript,
            "rs" => Self::Rust,
            "go" => Self::Go,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" => Self::C,
            "java" => Self::Java,
            "cs" => Self::CSharp,
            "kt" | "kts" => Self::Kotlin,
            "swift" => Self::Swift,
            "php" => Self::Php,
            "lua" => Self::Lua,
            "pl" | "pm" | "r" | "ex" | "exs" | "yml" | "yaml" | "toml" | "mk" | "cmake" | "tcl" | "bats" => {
                Self::Hash
            }
            "scala" | "dart" | "groovy" | "gradle" | "zig" | "css" | "scss" => Self::Slash,
            "sql" | "hs" | "elm" => Self::Dash,
            "html" | "htm" | "xml" | "svg" | "vue" => Self::Markup,
            _ if name.starts_with("Makefile") || name.starts_with("Dockerfile") => Self::Hash,
            _ => return None,
        })
    }

    /// The language by the path, else by the interpreter that the first line names.
    pub fn detect(path: &str, text: &str) -> Option<Self> {
        let by_first_line = || {
            let first = text.lines().next()?.strip_prefix("#!")?;
            let program = first.split(['/', ' ']).rfind(|word| !word.is_empty() && !word.starts_with('-'))?;
            Some(match program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') {
                "sh" | "bash" | "dash" | "zsh" | "ksh" => Self::Shell,
                "python" => Self::Python,
                "ruby" => Self::Ruby,
                "node" => Self::JavaScript,
                "php" => Self::Php,
                "lua" => Self::Lua,
                _ => Self::Hash,
            })
        };
        Self::from_path(path).or_else(by_first_line)
    }

    /// Whether indentation carries meaning.
    pub fn is_indented(self) -> bool {
        matches!(self, Self::Python | Self::Hash)
    }

    fn line_comment(self) -> &'static [&'static str] {
        match self {
            Self::Python | Self::Ruby | Self::Shell | Self::Hash => &["#"],
            Self::Php => &["//", "#", "/*", "*"],
            Self::Dash | Self::Lua => &["--"],
            Self::Markup => &["<!--", "-->"],
            _ => &["//", "/*", "*/", "* ", "*\n"],
        }
    }

    /// Whether a line is blank or nothing but a comment. Directives such as a shebang or `#include` are code.
    pub fn is_comment_line(self, line: &str) -> bool {
        let text = line.trim();
        if text.is_empty() || text == "*" {
            return true;
        }
        if text.starts_with("#!") || text.starts_with("//go:") || text.starts_with("// +build") {
            return false;
        }
        self.line_comment().iter().any(|mark| text.starts_with(mark.trim_end()))
    }

    /// The function definitions of a text, outermost first, without those nested in another.
    pub fn find_definitions(self, lines: &[&str]) -> Vec<Definition> {
        let mut found: Vec<Definition> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            if found.last().is_some_and(|last| index < last.lines.end) || self.is_comment_line(line) {
                continue;
            }
            let Some(name) = self.defined_name(line) else { continue };
            let definition = match self {
                Self::Python => python_definition(lines, index, name),
                Self::Ruby | Self::Lua => end_definition(self, lines, index, name),
                _ => brace_definition(self, lines, index, name),
            };
            if let Some(mut definition) = definition {
                let start = self.with_attributes(lines, definition.lines.start);
                definition.lines.start = start.max(found.last().map_or(0, |last| last.lines.end));
                found.push(definition);
            }
        }
        found
    }

    /// The first line of what belongs to the definition at `start`: attributes, decorators and comments above it.
    fn with_attributes(self, lines: &[&str], start: usize) -> usize {
        let belongs = |line: &str| {
            let text = line.trim();
            !text.is_empty()
                && (self.is_comment_line(line) || text.starts_with('@') || text.starts_with("#["))
        };
        (0..start).rev().take_while(|index| belongs(lines[*index])).last().unwrap_or(start)
    }

    fn defined_name(self, line: &str) -> Option<String> {
        static PATTERNS: LazyLock<Vec<(Language, Regex)>> = LazyLock::new(|| {
            let of = |language, pattern: &str| Regex::new(pattern).ok().map(|regex| (language, regex));
            [
                of(Language::Python, r"^\s*(?:async\s+)?def\s+(\w+)"),
                of(Language::Ruby, r"^\s*def\s+(?:self\.)?([\w?!=]+)"),
                of(Language::Shell, r"^\s*(?:function\s+)?([\w-]+)\s*\(\)\s*\{?"),
                of(Language::Shell, r"^\s*function\s+([\w-]+)\s*\{"),
                of(Language::JavaScript, r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)"),
                of(Language::JavaScript, r"^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]*)?=>"),
                of(Language::JavaScript, r"^\s*(?:module\.)?exports\.(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|\w+\s*=>)"),
                of(Language::JavaScript, r"^\s+(?:static\s+)?(?:async\s+)?(?:get\s+|set\s+)?\*?#?(\w+)\s*\([^()]*\)\s*(?::\s*[^{]+)?\{"),
                of(Language::Rust, r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+\S+\s+)*fn\s+(\w+)"),
                of(Language::Go, r"^func\s+(?:\([^)]*\)\s*)?(\w+)"),
                of(Language::C, r"^[A-Za-z_][\w\s\*&:<>,]*?[\s\*&](\w+)\s*\([^;]*$"),
                of(Language::C, r"^[A-Za-z_][\w\s\*&:<>,]*?[\s\*&](\w+)\s*\([^;]*\)\s*(?:const\s*)?\{"),
                of(Language::Java, r"^\s*(?:(?:public|private|protected|static|final|synchronized|abstract)\s+)+(?:<[^>]+>\s+)?[\w<>\[\],.\s]*?(\w+)\s*\([^;]*$"),
                of(Language::Java, r"^\s+(?:<[^>]+>\s+)?[A-Za-z][\w<>\[\],.]*\s+(\w+)\s*\([^;=]*\)\s*(?:throws [\w,.\s]+)?\{"),
                of(Language::CSharp, r"^\s*(?:(?:public|private|protected|internal|static|async|override|virtual|sealed)\s+)+[\w<>\[\],.?\s]*?(\w+)\s*\([^;]*$"),
                of(Language::Kotlin, r"^\s*(?:\w+\s+)*fun\s+(?:<[^>]+>\s+)?(?:\w+\.)?(\w+)"),
                of(Language::Swift, r"^\s*(?:\w+\s+)*func\s+(\w+)"),
                of(Language::Lua, r"^\s*(?:local\s+)?function\s+(?:\w+[.:])*(\w+)\s*\("),
                of(Language::Lua, r"^\s*(?:local\s+)?(?:\w+\.)*(\w+)\s*=\s*function\s*\("),
                of(Language::Php, r"^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*function\s+(\w+)"),
            ]
            .into_iter()
            .flatten()
            .collect()
        });
        const KEYWORDS: [&str; 13] = [
            "if",
            "for",
            "while",
            "switch",
            "catch",
            "return",
            "else",
            "do",
            "function",
            "with",
            "match",
            "new",
            "synchronized",
        ];
        const OPENERS: [&str; 5] = ["else ", "return ", "new ", "throw ", "} "];
        if matches!(self, Self::Java) && OPENERS.iter().any(|word| line.trim_start().starts_with(word)) {
            return None;
        }
        let mut names = PATTERNS.iter().filter(|(language, _)| *language == self);
        let name = names.find_map(|(_, regex)| regex.captures(line))?.get(1)?.as_str().to_owned();
        let is_braced_one_line = |line: &str| line.contains('{') || line.contains("=>");
        let single = matches!(self, Self::Java | Self::CSharp)
            && line.trim_end().ends_with(')')
            && !is_braced_one_line(line);
        (!KEYWORDS.contains(&name.as_str()) && (!single || !line.contains('='))).then_some(name)
    }

    fn failing_statement(self) -> String {
        match self {
            Self::Python => format!("raise AssertionError(\"{STUB_MESSAGE}\")"),
            Self::Ruby => format!("raise \"{STUB_MESSAGE}\""),
            Self::Lua => format!("error(\"{STUB_MESSAGE}\")"),
            Self::Shell => format!("echo \"{STUB_MESSAGE}\" >&2; exit 99; "),
            Self::JavaScript => format!("throw new Error(\"{STUB_MESSAGE}\");"),
            Self::Rust => format!("if true {{ panic!(\"{STUB_MESSAGE}\") }}"),
            Self::Go => format!("panic(\"{STUB_MESSAGE}\");"),
            Self::C => "__builtin_trap();".to_owned(),
            Self::Java => format!("if (true) throw new RuntimeException(\"{STUB_MESSAGE}\");"),
            Self::CSharp => format!("if (true) throw new System.Exception(\"{STUB_MESSAGE}\");"),
            Self::Kotlin => format!("if (true) throw RuntimeException(\"{STUB_MESSAGE}\");"),
            Self::Swift => format!("if true {{ fatalError(\"{STUB_MESSAGE}\") }};"),
            Self::Php => format!("throw new \\Exception('{STUB_MESSAGE}');"),
            Self::Hash | Self::Slash | Self::Dash | Self::Markup => String::new(),
        }
    }
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn python_definition(lines: &[&str], start: usize, name: String) -> Option<Definition> {
    let (header, colon) = python_header_end(lines, start)?;
    let indent = indent_of(lines[start]).len();
    let rest = lines[header].get(colon + 1..)?.trim();
    let is_inline = !rest.is_empty() && !rest.starts_with('#');
    let body_end = (header + 1..lines.len())
        .find(|index| !lines[*index].trim().is_empty() && indent_of(lines[*index]).len() <= indent)
        .unwrap_or(lines.len());
    let end = trim_blank(lines, header + 1, body_end);
    let raise = Language::Python.failing_statement();
    let text = if is_inline {
        format!("{} {raise}\n", &lines[header][..=colon])
    } else {
        let body = lines[header + 1..end].iter().find(|line| !line.trim().is_empty())?;
        format!("{}{}{raise}\n", ensure_newline(lines[header]), indent_of(body))
    };
    let end = if is_inline { header + 1 } else { end };
    Some(Definition { name, lines: start..end, stub: StubEdit { line: header, text } })
}

/// The line and byte of the colon that ends a `def` header.
fn python_header_end(lines: &[&str], start: usize) -> Option<(usize, usize)> {
    let mut depth = 0_i32;
    for (index, line) in lines.iter().enumerate().skip(start).take(60) {
        for (at, char) in line.char_indices() {
            match char {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ':' if depth == 0 => return Some((index, at)),
                '#' if depth == 0 => break,
                _ => {}
            }
        }
    }
    None
}

/// A definition that a line `end` of the same indentation closes.
fn end_definition(language: Language, lines: &[&str], start: usize, name: String) -> Option<Definition> {
    let indent = indent_of(lines[start]);
    let closes = |line: &str| indent_of(line) == indent && ["end", "end,", "end;"].contains(&line.trim());
    // A definition of one line has no line that closes it; it is taken back as a whole instead.
    let is_one_line = lines[start].trim_end().ends_with(" end") || is_endless(language, lines[start]);
    if is_one_line {
        return None;
    }
    let end = (start + 1..lines.len()).find(|index| closes(lines[*index]))? + 1;
    // The parameters may go on over several lines.
    let depth = |line: &str| -> i32 {
        line.chars().map(|char| i32::from(char == '(') - i32::from(char == ')')).sum()
    };
    let mut open = 0;
    let header = (start..end).find(|index| {
        open += depth(lines[*index]);
        open <= 0
    })?;
    let text = format!("{}{indent}  {}\n", ensure_newline(lines[header]), language.failing_statement());
    Some(Definition { name, lines: start..end, stub: StubEdit { line: header, text } })
}

/// `def name = value`, which Ruby ends without `end`.
fn is_endless(language: Language, line: &str) -> bool {
    language == Language::Ruby
        && line.split_once(')').map_or(line, |(_, rest)| rest).trim_start().starts_with("= ")
}

fn brace_definition(language: Language, lines: &[&str], start: usize, name: String) -> Option<Definition> {
    if let Some(text) = arrow_expression_stub(language, lines[start]) {
        return Some(Definition { name, lines: start..start + 1, stub: StubEdit { line: start, text } });
    }
    let (open_line, open_at) = opening_brace(lines, start)?;
    let end = closing_brace(lines, open_line, open_at)? + 1;
    let line = ensure_newline(lines[open_line]);
    let text = format!("{} {} {}", &line[..=open_at], language.failing_statement(), &line[open_at + 1..]);
    Some(Definition { name, lines: start..end, stub: StubEdit { line: open_line, text } })
}

/// `(n) => n / 2;` on one line becomes a function that throws.
fn arrow_expression_stub(language: Language, line: &str) -> Option<String> {
    if language != Language::JavaScript {
        return None;
    }
    let arrow = line.find("=>")?;
    let body = line[arrow + 2..].trim();
    if body.is_empty() || body.starts_with('{') || body.ends_with(['(', ',', '[', '{']) {
        return None;
    }
    let end = if body.ends_with(';') { ";" } else { "" };
    Some(format!("{} {{ {} }}{end}\n", &line[..arrow + 2], language.failing_statement()))
}

/// The brace that opens a body: the first one outside parentheses that is not an empty pair.
fn opening_brace(lines: &[&str], start: usize) -> Option<(usize, usize)> {
    let mut depth = 0_i32;
    for (index, line) in lines.iter().enumerate().skip(start).take(40) {
        let bytes = line.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                b';' if depth == 0 => return None,
                b'{' if depth == 0 && bytes.get(at + 1) != Some(&b'}') => return Some((index, at)),
                b'/' if bytes.get(at + 1) == Some(&b'/') => break,
                _ => {}
            }
        }
    }
    None
}

/// The line of the brace that closes the one at `open`. Strings and comments are skipped as far as one line tells.
fn closing_brace(lines: &[&str], open_line: usize, open_at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (index, line) in lines.iter().enumerate().skip(open_line) {
        let from = if index == open_line { open_at } else { 0 };
        let mut quote: Option<char> = None;
        let mut before = ' ';
        for (at, char) in line.char_indices().skip_while(|(at, _)| *at < from) {
            match quote {
                Some(open) if char == open && before != '\\' => quote = None,
                Some(_) => {}
                None if char == '"' || char == '`' => quote = Some(char),
                None if char == '\'' && line[at + 1..].chars().take(12).any(|next| next == '\'') => {
                    quote = Some('\'');
                }
                None if char == '/' && before == '/' => break,
                None if char == '{' => depth += 1,
                None if char == '}' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                None => {}
            }
            before = if before == '\\' && char == '\\' { ' ' } else { char };
        }
    }
    None
}

fn trim_blank(lines: &[&str], from: usize, to: usize) -> usize {
    (from..to).rev().find(|index| !lines[*index].trim().is_empty()).map_or(from, |last| last + 1)
}

fn ensure_newline(line: &str) -> String {
    if line.ends_with('\n') { line.to_owned() } else { format!("{line}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stubbed(path: &str, text: &str) -> Vec<(String, String)> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let found = Language::from_path(path).unwrap().find_definitions(&lines);
        let with_stub = |definition: &Definition| {
            let body: String =
                (definition.lines.start..definition.lines.end)
                    .map(|index| {
                        if index == definition.stub.line {
                            definition.stub.text.as_str()
                        } else {
                            lines[index]
                        }
                    })
                    .collect();
            (definition.name.clone(), body)
        };
        found.iter().map(with_stub).collect()
    }

    /// Each language's function gets one failing statement at the start of its body.
    #[test]
    fn definitions_are_stubbed_in_place() {
        let cases = [
            (
                "a.py",
                "import x\n\ndef median(xs):\n    ys = sorted(xs)\n    return ys[0]\n\nX = 1\n",
                "median",
                "def median(xs):\n    raise AssertionError(\"mi took this back\")\n    ys = sorted(xs)\n    return ys[0]\n",
            ),
            ("a.py", "def f(x): return x\n", "f", "def f(x): raise AssertionError(\"mi took this back\")\n"),
            (
                "a.js",
                "exports.half = (n) => n / 3;\n",
                "half",
                "exports.half = (n) => { throw new Error(\"mi took this back\"); };\n",
            ),
            (
                "a.js",
                "export function f(a) {\n  return a;\n}\n",
                "f",
                "export function f(a) { throw new Error(\"mi took this back\"); \n  return a;\n}\n",
            ),
            (
                "a.rs",
                "pub fn half(n: i64) -> i64 {\n    n / 2\n}\n",
                "half",
                "pub fn half(n: i64) -> i64 { if true { panic!(\"mi took this back\") } \n    n / 2\n}\n",
            ),
            (
                "a.go",
                "func Half(n int) int { return n / 2 }\n",
                "Half",
                "func Half(n int) int { panic(\"mi took this back\");  return n / 2 }\n",
            ),
            (
                "a.c",
                "int half(int n) { return n / 2; }\n",
                "half",
                "int half(int n) { __builtin_trap();  return n / 2; }\n",
            ),
            (
                "a.rb",
                "def half(n)\n  n / 2\nend\n",
                "half",
                "def half(n)\n  raise \"mi took this back\"\n  n / 2\nend\n",
            ),
            (
                "a.lua",
                "function M.half(n)\n  return n / 2\nend\n",
                "half",
                "function M.half(n)\n  error(\"mi took this back\")\n  return n / 2\nend\n",
            ),
            (
                "a.js",
                "class A {\n  area() { return this.w; }\n}\n",
                "area",
                "  area() { throw new Error(\"mi took this back\");  return this.w; }\n",
            ),
            (
                "B.java",
                "    String up() {\n        return text;\n    }\n",
                "up",
                "    String up() { if (true) throw new RuntimeException(\"mi took this back\"); \n        return text;\n    }\n",
            ),
            (
                "A.java",
                "    public static int half(int n) {\n        return n / 2;\n    }\n",
                "half",
                "    public static int half(int n) { if (true) throw new RuntimeException(\"mi took this back\"); \n        return n / 2;\n    }\n",
            ),
            (
                "a.sh",
                "half() {\n  echo $(($1 / 2))\n}\n",
                "half",
                "half() { echo \"mi took this back\" >&2; exit 99;  \n  echo $(($1 / 2))\n}\n",
            ),
        ];
        for (path, text, name, expected) in cases {
            assert_eq!(stubbed(path, text), [(name.to_owned(), expected.to_owned())], "{path}: {text}");
        }
    }

    /// Decorators and attributes belong to the definition below them.
    #[test]
    fn attributes_belong_to_their_definition() {
        let lines = ["#[inline]\n", "fn a() {\n", "}\n", "\n", "// why\n", "fn b() {}\n"];
        let found = Language::Rust.find_definitions(&lines);
        // An empty body has nothing to stub.
        let found: Vec<(usize, usize)> = found.iter().map(|one| (one.lines.start, one.lines.end)).collect();
        assert_eq!(found, [(0, 3)]);
    }
}
