//! Programs in other languages: `python -c`, `perl -e`, `awk`, a here-document for `node`.
//!
//! The body is kept as it is; strings in it that are handed to a shell are read as commands.

use std::sync::LazyLock;

use regex::Regex;

use super::scope::Scope;
use super::simple::Started;
use super::types::{Body, Via, Word};
use super::walk::{Input, Walker};

/// How an interpreter is told its program.
struct Interpreter {
    language: &'static str,
    names: &'static [&'static str],
    /// Options whose value is the program.
    options: &'static [&'static str],
    /// The first operand is the program itself, not a file.
    operand: bool,
    /// Without operands the program is read from standard input.
    input: bool,
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        language: "python",
        names: &["python", "pypy", "ipython"],
        options: &["-c"],
        operand: false,
        input: true,
    },
    Interpreter {
        language: "perl",
        names: &["perl"],
        options: &["-e", "-E", "-ne", "-pe", "-i", "-ie", "-le", "-lne", "-0pe", "-pie"],
        operand: false,
        input: true,
    },
    Interpreter {
        language: "ruby",
        names: &["ruby", "irb"],
        options: &["-e", "-ne", "-pe"],
        operand: false,
        input: true,
    },
    Interpreter {
        language: "javascript",
        names: &["node", "nodejs", "bun", "deno", "qjs"],
        options: &["-e", "--eval", "-p", "--print", "-pe", "eval"],
        operand: false,
        input: true,
    },
    Interpreter {
        language: "php",
        names: &["php"],
        options: &["-r", "-B", "-R"],
        operand: false,
        input: true,
    },
    Interpreter { language: "lua", names: &["lua", "luajit"], options: &["-e"], operand: false, input: true },
    Interpreter {
        language: "tcl",
        names: &["tclsh", "expect", "wish"],
        options: &["-c"],
        operand: false,
        input: true,
    },
    Interpreter { language: "r", names: &["Rscript", "R"], options: &["-e"], operand: false, input: false },
    Interpreter { language: "julia", names: &["julia"], options: &["-e", "-E"], operand: false, input: true },
    Interpreter {
        language: "applescript",
        names: &["osascript"],
        options: &["-e"],
        operand: false,
        input: true,
    },
    Interpreter {
        language: "powershell",
        names: &["pwsh", "powershell", "powershell.exe"],
        options: &["-c", "-Command", "-command", "-EncodedCommand", "-enc"],
        operand: false,
        input: true,
    },
    Interpreter {
        language: "awk",
        names: &["awk", "gawk", "mawk", "nawk", "original-awk"],
        options: &["-e", "--source"],
        operand: true,
        input: false,
    },
    Interpreter {
        language: "sed",
        names: &["sed", "gsed"],
        options: &["-e", "--expression"],
        operand: true,
        input: false,
    },
    Interpreter {
        language: "sql",
        names: &[
            "psql",
            "mysql",
            "mariadb",
            "clickhouse-client",
            "mongosh",
            "mongo",
            "redis-cli",
            "cqlsh",
            "sqlcmd",
            "duckdb",
        ],
        options: &["-c", "--command", "-e", "--execute", "--eval", "-Q", "-q"],
        operand: false,
        input: true,
    },
    Interpreter { language: "sql", names: &["sqlite3"], options: &["-cmd"], operand: false, input: true },
    Interpreter {
        language: "vim",
        names: &["vim", "nvim", "vi", "ex", "view", "emacs"],
        options: &["-c", "--cmd", "--eval"],
        operand: false,
        input: false,
    },
    Interpreter { language: "ed", names: &["ed", "red"], options: &[], operand: false, input: true },
    Interpreter {
        language: "gdb",
        names: &["gdb", "lldb"],
        options: &["-ex", "--eval-command", "-o"],
        operand: false,
        input: false,
    },
];

fn find(program: &str) -> Option<&'static Interpreter> {
    let plain = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    INTERPRETERS.iter().find(|one| one.names.contains(&program) || one.names.contains(&plain))
}

/// Whether a program runs what it reads from its standard input.
pub(super) fn reads_programs(program: &str) -> bool {
    find(program).is_some_and(|one| one.input && one.language != "sql")
}

pub(super) fn read(walker: &mut Walker, command: &Started, scope: &Scope) {
    let Some(interpreter) = find(walker.program(command)) else { return };
    let args = walker.args(command);
    let mut bodies = given(interpreter, &args);
    let file = args.iter().any(|arg| !arg.text.starts_with('-'));
    if bodies.is_empty()
        && interpreter.input
        && (!file || interpreter.language == "sql" || interpreter.language == "ed")
    {
        match &command.input {
            Input::Text(text) => bodies.push(text.clone()),
            Input::Unknown if !matches!(interpreter.language, "sql") => {
                walker.doubt(format!("`{}` reads its program from a pipe", walker.program(command)))
            }
            Input::Unknown | Input::Inherited => {}
        }
    }
    if interpreter.names[0] == "sqlite3" {
        bodies
            .extend(args.iter().filter(|arg| !arg.text.starts_with('-')).skip(1).map(|arg| arg.text.clone()));
    }
    for text in bodies {
        shell_calls(walker, interpreter.language, &text, command, scope);
        walker.analysis.commands[command.index].bodies.push(Body { language: interpreter.language, text });
    }
}

/// The programs among the arguments.
fn given(interpreter: &Interpreter, args: &[Word]) -> Vec<String> {
    let mut bodies = Vec::new();
    let mut operand = None;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let option = interpreter.options.iter().find(|option| match arg.text.strip_prefix(**option) {
            Some("") => true,
            Some(rest) => option.starts_with("--") && rest.starts_with('='),
            None => false,
        });
        if let Some(option) = option {
            match arg.text[option.len()..].strip_prefix('=') {
                Some(value) => bodies.push(value.to_owned()),
                None => {
                    bodies.extend(args.get(at).map(|word| word.text.clone()));
                    at += 1;
                }
            }
        } else if matches!(arg.text.as_str(), "-v" | "-F" | "-f" | "--file")
            && interpreter.operand
            && interpreter.language == "awk"
        {
            at += 1;
        } else if !arg.text.starts_with('-') && operand.is_none() {
            operand = Some(arg.text.clone());
        } else if let Some(glued) = glued(interpreter, &arg.text) {
            bodies.push(glued);
        }
    }
    let from_file = args.iter().any(|arg| arg.text == "-f" || arg.text.starts_with("--file"));
    if bodies.is_empty() && interpreter.operand && !from_file {
        bodies.extend(operand);
    }
    bodies
}

/// `-e'print 1'` and `-c'import os'` without a space.
fn glued(interpreter: &Interpreter, text: &str) -> Option<String> {
    let option = interpreter
        .options
        .iter()
        .find(|option| option.len() == 2 && text.len() > 2 && text.starts_with(**option))?;
    let plain_flags = text[2..].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
    (!plain_flags && *option != "-i").then(|| text[2..].to_owned())
}

/// Calls that hand text to a shell or start a program.
static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?x) \bsystem\b | \bpopen\b | \bexec[lvpe]*\b | \bspawn | \bsubprocess\b | \bqx\b | `[^`]+` | \bshell_exec\b | \bpassthru\b | \bexecSync\b | \bchild_process\b | \bgetoutput\b | %x | \bIO\.popen\b | \|\s*getline | do\ shell\ script | :!|\bDeno\.Command\b | \bos\.execute\b | \bpty\b")
        .expect("a fixed pattern compiles")
});

/// String literals, with their quotes.
static STRINGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)"""(.*?)"""|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|\bq[qx]?\(([^)]*)\)|\bq[qx]?\{([^}]*)\}|%x[({]([^)}]*)[)}]"#)
        .expect("a fixed pattern compiles")
});

/// Reads every string of a body that calls a shell; strings in one list are one command.
fn shell_calls(walker: &mut Walker, language: &'static str, text: &str, command: &Started, scope: &Scope) {
    if language == "sed" {
        return sed_commands(walker, text, command, scope);
    }
    if text.len() > 64 * 1024 || !CALLS.is_match(text) {
        return;
    }
    let context = command.inside(Via::Interpreter).detached("another program starts it");
    let mut list: Vec<String> = Vec::new();
    let mut end = 0;
    for found in STRINGS.captures_iter(text).take(64) {
        let (Some(whole), Some(literal)) =
            (found.get(0), (1..found.len()).find_map(|group| found.get(group)))
        else {
            continue;
        };
        let between = text.get(end..whole.start()).unwrap_or_default().trim();
        // `spawn("git", ["push"])` is one command too.
        if ![",", ",[", ", ["].contains(&between) && !list.is_empty() {
            start_list(walker, &std::mem::take(&mut list), command, scope);
        }
        end = whole.end();
        let literal = literal.as_str().replace("\\\"", "\"").replace("\\'", "'").replace("\\n", "\n");
        if looks_like_command(&literal) {
            walker.script_quietly(&literal, context, &mut scope.clone());
        }
        list.push(literal);
    }
    start_list(walker, &list, command, scope);
}

/// `["rm", "-rf", "/"]`.
fn start_list(walker: &mut Walker, list: &[String], command: &Started, scope: &Scope) {
    if list.len() < 2 || !looks_like_command(&list[0]) {
        return;
    }
    let words = list.iter().map(Word::exact).collect();
    let context = command.inside(Via::Interpreter).detached("another program starts it");
    walker.run(super::simple::Parts::of_words(words), Input::Unknown, context, &mut scope.clone());
}

fn looks_like_command(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(|char: char| char.is_ascii_alphabetic() || matches!(char, '/' | '.' | '~' | '$'))
}

/// `1e COMMAND`, `s/x/y/e` and files written by `w`.
fn sed_commands(walker: &mut Walker, text: &str, command: &Started, scope: &Scope) {
    static EXECUTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|[;{}])\s*(?:[0-9$]+(?:,[0-9$]+)?|/[^/]*/)?\s*!?\s*e\s+(\S.*)$")
            .expect("a fixed pattern compiles")
    });
    static SUBSTITUTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|[;{}\s/0-9$])s([|/,#@!:%]).*[|/,#@!:%][gpiImM0-9]*[we]")
            .expect("a fixed pattern compiles")
    });
    let context = command.inside(Via::Interpreter).detached("another program starts it");
    for found in EXECUTE.captures_iter(text).take(16) {
        walker.script_quietly(&found[1], context, &mut scope.clone());
    }
    if SUBSTITUTE
        .captures(text)
        .is_some_and(|found| found[0].ends_with(['e', 'w']) && !found[0].ends_with("\\e"))
        && has_flag(text)
    {
        walker.doubt("`sed` may run or write what it makes");
    }
}

/// Whether a substitution ends with the flag `e` or `w`.
fn has_flag(text: &str) -> bool {
    text.split([';', '\n']).any(|part| {
        let part = part
            .trim()
            .trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, '$' | ',' | ' '));
        let mut chars = part.chars();
        let (Some('s'), Some(delimiter)) = (chars.next(), chars.next()) else { return false };
        let flags = part.rsplit(delimiter).next().unwrap_or_default();
        flags.starts_with(|char: char| "gpiImMew0123456789".contains(char))
            && flags.chars().take_while(|char| *char != ' ').any(|char| matches!(char, 'e' | 'w'))
    })
}

impl Walker {
    /// Reads a guess: what it holds counts, that it is no shell script does not.
    fn script_quietly(&mut self, text: &str, context: super::walk::Context, scope: &mut Scope) {
        let reasons = self.analysis.reasons.len();
        self.script(text, context, scope);
        self.analysis.reasons.truncate(reasons);
    }
}
