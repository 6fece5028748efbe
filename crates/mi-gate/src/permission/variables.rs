//! Variables whose change does not change which code runs, and those whose value is known beforehand.

use super::decide::Place;
use crate::command::{Analysis, Via, Word};

/// The analysis with the person's home, the folder and the project's root in place of what stands for them.
pub(super) fn filled_in(mut analysis: Analysis, script: &str, place: &Place<'_>) -> Analysis {
    if !script.contains('$') {
        return analysis;
    }
    let home = place
        .context
        .home
        .filter(|home| !home.contains(|sign: char| sign.is_whitespace() || "*?[".contains(sign)));
    let home = home.filter(|_| is_only_read(script, "HOME"));
    let here = is_only_read(script, "PWD").then_some(".");
    let pwd = (!analysis.functions.iter().any(|name| name == "pwd")).then_some(".");
    let known = [("$HOME", home), ("${HOME}", home), ("$PWD", here), ("${PWD}", here), ("$(pwd)", pwd)];
    let fill = |word: &mut Word| {
        let found = known.iter().find_map(|(name, value)| Some((word.text.strip_prefix(name)?, (*value)?)));
        let Some((rest, value)) = found.filter(|_| !word.exact) else { return };
        if (rest.is_empty() || rest.starts_with('/')) && !rest.contains(['$', '`', '(', '~']) {
            *word = Word { text: format!("{value}{rest}"), exact: true, glob: word.glob };
        }
    };
    for command in analysis.commands.iter_mut().filter(|command| command.via != Via::Remote) {
        command.args.iter_mut().for_each(fill);
        command.redirects.iter_mut().for_each(|redirect| fill(&mut redirect.target));
    }
    analysis
}

/// The script gives the variable no value in any way: its name stands behind a `$` only.
fn is_only_read(script: &str, name: &str) -> bool {
    let reads = |before: &str| before.ends_with('$') || before.ends_with("${");
    script.match_indices(name).all(|(at, _)| {
        reads(&script[..at]) || script[..at].ends_with("$MI_") || script[..at].ends_with("${MI_")
    })
}

/// Names that only change words, colours, ports and kinds of builds, and names that scripts give their own values.
/// A variable in capitals that is not listed may be an instruction to a program.
const HARMLESS: &[&str] = &[
    "APP_ENV",
    "ARG",
    "ARGS",
    "BAR",
    "BASE",
    "BASE_URL",
    "BRANCH",
    "BUILD_ID",
    "CONTAINER",
    "CURRENT",
    "CARGO_INCREMENTAL",
    "CARGO_TERM_COLOR",
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "COMMIT",
    "COUNT",
    "DATE",
    "DEBUG",
    "DEST",
    "DIR",
    "DOCKER_BUILDKIT",
    "END",
    "ENDPOINT",
    "ENVIRONMENT",
    "ERRORS",
    "EXT",
    "EXPECTED",
    "FILE",
    "FILES",
    "FLASK_DEBUG",
    "FLASK_ENV",
    "FOO",
    "FORCE_COLOR",
    "FS",
    "GOARCH",
    "GOOS",
    "HASH",
    "IMAGE",
    "ITEMS",
    "LAST",
    "LIMIT",
    "LIST",
    "I",
    "ID",
    "LANG",
    "LANGUAGE",
    "LATEST",
    "LINE",
    "LINES",
    "LOG_LEVEL",
    "MAX",
    "MIN",
    "MODE",
    "MODULE",
    "MSG",
    "N",
    "NAME",
    "NAMESPACE",
    "NEW",
    "NUM",
    "OLD",
    "NEXT_TELEMETRY_DISABLED",
    "NODE_ENV",
    "NO_COLOR",
    "OFS",
    "ORS",
    "OUT",
    "OUTPUT",
    "PACKAGE",
    "PATTERN",
    "PKG",
    "POD",
    "PORT",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RACK_ENV",
    "RAILS_ENV",
    "REPO",
    "RESPONSE",
    "RESULT",
    "ROOT",
    "RS",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "SERVICE",
    "SHA",
    "SIZE",
    "SRC",
    "START",
    "STATUS",
    "TAG",
    "TERM",
    "TEST",
    "TOTAL",
    "TZ",
    "URL",
    "V",
    "VERBOSE",
    "VERSION",
    "X",
];

/// Whether setting the variable leaves every program what it is.
pub(super) fn is_harmless(name: &str) -> bool {
    name.starts_with("LC_") || HARMLESS.contains(&name)
}

/// The same with what it is set to: a pager that only prints is none.
pub(super) fn is_harmless_value(name: &str, value: &str) -> bool {
    is_harmless(name)
        || match name {
            "PAGER" | "GIT_PAGER" | "MANPAGER" => matches!(value, "cat" | ""),
            "RUSTFLAGS" | "RUSTDOCFLAGS" => only_lints(value),
            "NODE_OPTIONS" => value
                .strip_prefix("--max-old-space-size=")
                .is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit())),
            _ => false,
        }
}

/// `-D warnings -Wunused`: how strict the compiler is, nothing about what it starts.
fn only_lints(flags: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b':' | b'_' | b'-'))
    };
    let mut words = flags.split(' ');
    while let Some(word) = words.next() {
        let lint = match word.get(..2) {
            Some("-D" | "-W" | "-A") => {
                Some(&word[2..]).filter(|glued| !glued.is_empty()).or_else(|| words.next())
            }
            _ => None,
        };
        if !lint.is_some_and(|lint| is_name(lint) && !lint.starts_with('-')) {
            return false;
        }
    }
    true
}

/// What is assigned right here: `=cat ` and nothing that goes on.
fn plain_value(behind: &str) -> Option<&str> {
    let value = behind.strip_prefix('=')?;
    let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.split_once(*quote));
    if let Some((text, rest)) = quoted {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_:=.".contains(&byte);
        return (text.contains('-') && text.bytes().all(plain) && rest.starts_with([' ', '\n', ';']))
            .then_some(text);
    }
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '=');
    let end = value.find(|char: char| !plain(char)).unwrap_or(value.len());
    value[end..].starts_with([' ', '\n', ';']).then_some(&value[..end])
}

/// `IFS=, read -r a b`: where this one line is cut. In front of anything else it changes what words are.
fn cuts_one_line(behind: &str) -> bool {
    let Some(value) = behind.strip_prefix('=') else { return false };
    let rest = ["$'\\t'", "'\\t'", "$'\\n'"].iter().find_map(|sign| value.strip_prefix(sign));
    let rest = rest.or_else(|| {
        ['"', '\''].iter().find_map(|quote| {
            let inner = value.strip_prefix(*quote)?;
            let inner = inner.strip_prefix([',', ';', ':', '|', ' ', '=', '/', '.']).unwrap_or(inner);
            inner.strip_prefix(*quote)
        })
    });
    let rest = rest.unwrap_or_else(|| value.strip_prefix([',', ':', '=', '/', '.']).unwrap_or(value));
    let line = rest.strip_prefix(' ').and_then(|rest| rest.trim_start_matches(' ').strip_prefix("read"));
    line.is_some_and(|rest| rest.starts_with(' '))
}

/// The first variable in capitals that the script sets in any way and that is not harmless.
///
/// Read by hand: every hook asks this, and compiling a pattern would cost more than the rest of its work. One pass: what
/// stands far away (an open `((`, the next `]`) is carried along, so that time grows with the length of the script alone.
pub(super) fn first_odd(script: &str) -> Option<&str> {
    let bytes = script.as_bytes();
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let (mut at, mut computed, mut bracket) = (0, false, Bracket::default());
    while at < bytes.len() {
        match bytes[at] {
            b'(' if bytes.get(at + 1) == Some(&b'(') => computed = true,
            b')' => computed = false,
            _ => {}
        }
        if !is_capital(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (is_capital(bytes[at]) || bytes[at].is_ascii_digit()) {
            at += 1;
        }
        // Only ASCII was passed, so both ends lie between characters.
        let (before, name, behind) = (&script[..start], &script[start..at], &script[at..]);
        let element = behind.starts_with('[').then(|| bracket.after(script, at)).flatten();
        let harmless = is_harmless(name)
            || name == "IFS" && cuts_one_line(behind)
            || plain_value(behind).is_some_and(|value| is_harmless_value(name, value));
        if !harmless && is_set(before, behind, element, computed) {
            return Some(name);
        }
    }
    None
}

/// The next `]`, which is searched for only when the last one found lies behind.
#[derive(Default)]
struct Bracket {
    next: Option<usize>,
    is_last: bool,
}

impl Bracket {
    /// What stands behind the first `]` from `at` on.
    fn after<'a>(&mut self, script: &'a str, at: usize) -> Option<&'a str> {
        if !self.is_last && self.next.is_none_or(|next| next < at) {
            self.next = script[at..].find(']').map(|found| at + found);
            self.is_last = self.next.is_none();
        }
        self.next.filter(|next| *next >= at).map(|next| &script[next + 1..])
    }
}

/// Whether the shell gives a value to the name between these two texts. `element` stands behind `NAME[…]`; `computed` is
/// inside of `((`.
fn is_set(before: &str, behind: &str, element: Option<&str>, computed: bool) -> bool {
    let previous = before.chars().next_back();
    let begins = previous.is_none_or(|char| char.is_whitespace() || ";&|({`!".contains(char));
    let assigned = |text: &str| text.starts_with('=') || text.starts_with("+=");
    if begins && (assigned(behind) || element.is_some_and(assigned)) {
        return true;
    }
    let whole = !behind.starts_with(|char: char| char.is_alphanumeric());
    let word = before.trim_end().strip_suffix("for").filter(|_| before.ends_with(char::is_whitespace));
    if whole && word.is_some_and(|rest| !rest.ends_with(|char: char| char.is_alphanumeric() || char == '_')) {
        return true;
    }
    if before.ends_with("${") && (behind.starts_with('=') || behind.starts_with(":=")) {
        return true;
    }
    let rest = behind.trim_start();
    let rest = rest.strip_prefix(|char: char| "-+*/%|&^".contains(char)).unwrap_or(rest);
    computed && rest.starts_with('=') && !rest.starts_with("==")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a variable is set, it is found; what only looks like it is not.
    #[test]
    fn d_19_set_variables_are_found() {
        for script in [
            "PATH=x ls",
            "ls; PATH=.",
            "PATH+=:x",
            "export PATH=.",
            "for PATH in x; do ls; done",
            "for\tPATH in x",
            "${PATH:=x}",
            "${PATH=x}",
            "((PATH=1))",
            "(( x + PATH += 1 ))",
            "PATH[0]=x",
            "(PATH=. ls)",
            "`PATH=. ls`",
            "!PATH=x",
            "BASH_ENV=./e bash -c true",
            "_X=1",
            "PAGER=cat\\ x git diff",
            "PAGER='cat' git diff",
            "PAGER=cat$X git diff",
            "PAGER=cat+x git diff",
            "PAGER=cats git diff",
            "PAGER+=cat git diff",
            "EDITOR=cat git diff",
        ] {
            assert!(first_odd(script).is_some(), "{script}");
        }
        for script in [
            "ls",
            "echo $PATH",
            "cmake -DCMAKE_BUILD_TYPE=x",
            "NODE_ENV=x y",
            "echo 'a'=B",
            "grep for PATHS",
            "git log --format=%H",
            "echo PATH == x",
            "PAGER=cat git diff",
            "GIT_PAGER= git log",
            "jq '.A=1'",
        ] {
            assert!(
                first_odd(script).is_none_or(|name| name == "PATHS"),
                "{script}: {:?}",
                first_odd(script)
            );
        }
    }

    /// What programs load or start by a variable's word is not harmless.
    #[test]
    fn d_19_variables_that_run_code_are_not_harmless() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "NODE_OPTIONS",
            "GIT_DIR",
            "BASH_ENV",
            "ENV",
            "IFS",
            "PAGER",
            "EDITOR",
            "RUSTC_WRAPPER",
            "MAKEFLAGS",
            "CC",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "HOME",
            "SHELL",
            "RUSTFLAGS",
            "GOFLAGS",
            "PROMPT_COMMAND",
            "PS4",
            "CDPATH",
            "LESSOPEN",
        ] {
            assert!(!is_harmless(name), "{name}");
        }
        assert!(is_harmless("NODE_ENV") && is_harmless("LC_ALL"));
    }
}
