//! Short programs in Python and JavaScript that only calculate and print.
//!
//! Holds: every name in such a program is on a list, and what it loads is not shadowed by a file of the project.

use super::{FileText, Job, Work, planted};

/// Words that cannot reach a file, a process or another name.
const PYTHON: &[&str] = &[
    "import",
    "from",
    "as",
    "print",
    "len",
    "sum",
    "min",
    "max",
    "range",
    "sorted",
    "reversed",
    "enumerate",
    "zip",
    "map",
    "filter",
    "list",
    "dict",
    "set",
    "tuple",
    "str",
    "int",
    "float",
    "bool",
    "abs",
    "round",
    "repr",
    "hex",
    "bin",
    "oct",
    "ord",
    "chr",
    "any",
    "all",
    "for",
    "in",
    "if",
    "else",
    "elif",
    "while",
    "and",
    "or",
    "not",
    "is",
    "None",
    "True",
    "False",
    "lambda",
    "sys",
    "json",
    "math",
    "version",
    "version_info",
    "loads",
    "load",
    "dumps",
    "stdin",
    "read",
    "indent",
    "sqrt",
    "pi",
    "floor",
    "ceil",
    "log",
    "pow",
    "keys",
    "values",
    "items",
    "get",
    "join",
    "split",
    "strip",
    "upper",
    "lower",
    "append",
    "format",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "i",
    "j",
    "k",
    "l",
    "n",
    "r",
    "s",
    "t",
    "v",
    "w",
    "x",
    "y",
    "z",
    "data",
    "line",
    "lines",
    "row",
    "key",
    "value",
    "total",
    "end",
    "sep",
    "platform",
    "executable",
    "maxsize",
];
const JAVASCRIPT: &[&str] = &[
    "console",
    "log",
    "JSON",
    "stringify",
    "parse",
    "Math",
    "PI",
    "sqrt",
    "floor",
    "round",
    "max",
    "min",
    "random",
    "Object",
    "keys",
    "values",
    "entries",
    "length",
    "map",
    "filter",
    "join",
    "split",
    "slice",
    "const",
    "let",
    "for",
    "of",
    "in",
    "if",
    "else",
    "true",
    "false",
    "null",
    "process",
    "version",
    "versions",
    "platform",
    "arch",
    "Date",
    "now",
    "new",
    "toISOString",
    "Number",
    "String",
    "a",
    "b",
    "c",
    "d",
    "e",
    "i",
    "j",
    "k",
    "n",
    "o",
    "p",
    "s",
    "v",
    "x",
    "y",
    "dependencies",
    "devDependencies",
    "scripts",
    "name",
    "require",
];

pub(super) fn prints(job: &Job<'_>) -> Result<Work, Option<String>> {
    let program = job.command.program.as_str();
    let texts = job.texts();
    let python = program != "node";
    match texts.as_slice() {
        ["-m", "json.tool", rest @ ..]
            if python && rest.len() <= 1 && rest.iter().all(|text| !text.starts_with('-')) =>
        {
            unshadowed(job, "json")?;
            return Ok(Work {
                reads: rest.iter().map(|path| job.here.target(&crate::command::Word::exact(*path))).collect(),
                ..Work::default()
            });
        }
        ["-m", "pip", "list" | "show" | "freeze" | "check", rest @ ..]
            if python && rest.iter().all(|text| !text.starts_with('-') || *text == "--outdated") =>
        {
            return unshadowed_tool(job, "pip").map(|()| Work::default());
        }
        ["-m", module @ ("mypy" | "flake8" | "pylint"), rest @ ..]
            if python && rest.iter().all(|text| !text.starts_with('-')) =>
        {
            planted::check(module, job.here, job.place).map_err(Some)?;
            return unshadowed_tool(job, module).map(|()| Work::of_scripts(Vec::new()));
        }
        ["--check", path] if !python && !path.starts_with('-') => return Ok(Work::default()),
        ["-c", _] if python => {}
        ["-e" | "-p" | "--eval" | "--print", _] if !python => {}
        [] | ["-"] if !job.command.bodies.is_empty() => {}
        _ => return Err(None),
    }
    let [body] = job.command.bodies.as_slice() else { return Err(None) };
    let unknown = || Some(format!("the program for `{program}` is more than a calculation"));
    let (text, opened) = if python { without_opened(&body.text) } else { (body.text.clone(), Vec::new()) };
    let words = words(&text, python).ok_or_else(unknown)?;
    let list = if python { PYTHON } else { JAVASCRIPT };
    if let Some(word) = words.iter().find(|word| !list.contains(&word.as_str())) {
        return Err(Some(format!("what `{word}` does in the program for `{program}` is not known")));
    }
    let is_told = |name: &str| words.iter().any(|word| word == name);
    if python {
        // `'{0.modules}'.format(sys)` reaches what no list holds.
        if is_told("format") && body.text.contains(['{']) && reaches_members(&body.text) {
            return Err(unknown());
        }
        if is_told("import") && !imports_only_own(&body.text) {
            return Err(Some(format!("the program for `{program}` loads a module that is not known")));
        }
        if is_told("json") || is_told("math") {
            unshadowed(job, "math")?;
        }
    } else if is_told("require") && !(requires_only_data(&body.text) && requires_a_file(job))
        || !members_are_named(&body.text)
    {
        return Err(unknown());
    }
    let reads = opened.iter().map(|path| job.here.target(&crate::command::Word::exact(path.as_str())));
    Ok(Work { reads: reads.collect(), ..Work::default() })
}

/// A field of a pattern names a member: `{0.x}`, `{a[b]}`.
fn reaches_members(text: &str) -> bool {
    text.split('{').skip(1).any(|field| {
        let name = field.split(['}', ':', '!']).next().unwrap_or(field);
        name.contains(['.', '['])
    })
}

/// The program with each `open('x')` taken out, and the files: one plain name alone is opened to be read.
fn without_opened(text: &str) -> (String, Vec<String>) {
    let (mut bare, mut files, mut rest) = (String::new(), Vec::new(), text);
    while let Some(at) = rest.find("open(") {
        let (before, behind) = (&rest[..at], &rest[at + "open(".len()..]);
        let quote = behind.chars().next().filter(|char| matches!(char, '"' | '\''));
        let name = quote.and_then(|quote| behind[1..].split_once(quote));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        let own =
            !before.ends_with(|char: char| is_letter(char) || char == '.' || char == '"' || char == '\'');
        bare.push_str(before);
        match name.and_then(|(name, behind)| Some((name, behind.strip_prefix(')')?))) {
            Some((name, behind)) if own && !name.is_empty() && name.bytes().all(plain) => {
                files.push(name.to_owned());
                bare.push_str("(0)");
                rest = behind;
            }
            _ => {
                bare.push_str("open(");
                rest = behind;
            }
        }
    }
    bare.push_str(rest);
    (bare, files)
}

/// Every module that is loaded is one of Python's own three: any other name may be a file of the folder.
fn imports_only_own(text: &str) -> bool {
    let mut statements = text.split([';', '\n', ':']).map(str::trim).filter(|part| part.contains("import"));
    let own = |name: &str| {
        let mut words = name.split_whitespace();
        matches!(words.next(), Some("sys" | "json" | "math"))
            && matches!(words.collect::<Vec<_>>().as_slice(), [] | ["as", _])
    };
    statements.all(|part| match part.strip_prefix("import ") {
        Some(names) => names.split(',').all(own),
        None => ["from sys import ", "from json import ", "from math import "]
            .iter()
            .any(|start| part.starts_with(start)),
    })
}

/// Names that Python's own modules load in their turn: a file of such a name would be loaded instead.
const LOADED: &[&str] = &[
    "argparse",
    "ast",
    "codecs",
    "collections",
    "contextlib",
    "copy",
    "copyreg",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "errno",
    "fnmatch",
    "fractions",
    "functools",
    "gettext",
    "glob",
    "heapq",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "pkgutil",
    "platform",
    "posixpath",
    "random",
    "re",
    "reprlib",
    "runpy",
    "shutil",
    "signal",
    "site",
    "sitecustomize",
    "string",
    "struct",
    "subprocess",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "token",
    "tokenize",
    "tomllib",
    "traceback",
    "types",
    "typing",
    "urllib",
    "usercustomize",
    "warnings",
    "weakref",
    "zipfile",
    "zipimport",
    "zlib",
    "bz2",
    "lzma",
    "json",
    "encodings",
    "abc",
    "stat",
    "genericpath",
    "ntpath",
    "shlex",
    "hashlib",
    "base64",
    "bisect",
    "configparser",
    "multiprocessing",
    "concurrent",
    "queue",
    "select",
    "selectors",
    "socket",
    "ssl",
    "email",
    "http",
    "unittest",
    "uuid",
    "csv",
    "difflib",
    "optparse",
    "getopt",
    "pprint",
    "colorsys",
    "graphlib",
];

/// What tools written in Python load besides.
#[rustfmt::skip]
const LOADED_BY_TOOLS: &[&str] = &[
    "aifc", "array", "asynchat", "asyncio", "asyncore", "atexit", "audioop", "bdb", "binascii", "builtins",
    "cProfile", "calendar", "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codeop", "compileall",
    "contextvars", "crypt", "ctypes", "curses", "dbm", "dis", "distutils", "doctest", "ensurepip",
    "faulthandler", "fcntl", "filecmp", "fileinput", "ftplib", "gc", "getpass", "grp", "gzip", "hmac",
    "html", "imaplib", "imghdr", "imp", "ipaddress", "mailbox", "mailcap", "marshal", "mimetypes", "mmap",
    "modulefinder", "netrc", "nis", "nntplib", "nturl2path", "opcode", "ossaudiodev", "pdb", "pickletools",
    "pipes", "plistlib", "poplib", "posix", "profile", "pstats", "pty", "pwd", "py_compile", "pyclbr",
    "pydoc", "pydoc_data", "pyexpat", "quopri", "readline", "resource", "rlcompleter", "sched", "secrets",
    "shelve", "smtpd", "smtplib", "sndhdr", "socketserver", "spwd", "sqlite3", "sre_compile",
    "sre_constants", "sre_parse", "statistics", "stringprep", "sunau", "symtable", "sysconfig", "syslog",
    "tabnanny", "tarfile", "telnetlib", "termios", "timeit", "trace", "tracemalloc", "tty", "unicodedata",
    "uu", "venv", "wave", "webbrowser", "wsgiref", "xdrlib", "xml", "xmlrpc", "zipapp", "zoneinfo", "tomli",
    "tomlkit", "typing_extensions", "mypy_extensions", "mypyc", "librt", "pathspec", "astroid", "isort",
    "dill", "platformdirs", "mccabe", "pycodestyle", "pyflakes", "setuptools", "pkg_resources", "wheel",
    "attr", "attrs", "colorama", "brotli", "brotlicffi", "chardet", "simplejson", "socks", "keyring",
    "truststore", "cryptography", "OpenSSL", "zstandard", "importlib_metadata", "importlib_resources",
];

/// Only a name that stands in the program is asked for: `x[…]` and `{'x': y} = z` reach what no list holds. So does a
/// look over all members of `process` or `console`. A string over two lines would hide what stands between.
fn members_are_named(text: &str) -> bool {
    let bare = without_strings(text);
    let members = bare.match_indices('[').all(|(at, _)| {
        let before = bare[..at].trim_end().chars().next_back();
        let (inside, behind) = bracketed(&bare[at + 1..]);
        let list =
            before.is_none_or(|char| "(,=:[{?>&|;".contains(char)) && !behind.trim_start().starts_with(':');
        list || !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit())
    });
    let keys = bare.match_indices('"').all(|(at, _)| !bare[at + 1..].trim_start().starts_with(':'));
    let named = |object: &str, names: &[&str]| {
        bare.match_indices(object).all(|(at, _)| {
            let behind = &bare[at + object.len()..];
            names.iter().any(|name| {
                behind
                    .strip_prefix(name)
                    .is_some_and(|rest| name.ends_with('(') || !rest.starts_with(is_letter))
            })
        })
    };
    members
        && keys
        && !spans_lines(text)
        && !text.contains("<!--")
        && !text.contains("-->")
        && named("process", &[".version", ".versions", ".platform", ".arch"])
        && named("console", &[".log("])
}

fn is_letter(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '$'
}

/// Up to the bracket that closes the one that was opened, and what stands behind it.
fn bracketed(text: &str) -> (&str, &str) {
    let mut depth = 1;
    for (at, char) in text.char_indices() {
        depth += i32::from(char == '[') - i32::from(char == ']');
        if depth == 0 {
            return (&text[..at], &text[at + 1..]);
        }
    }
    (text, "")
}

/// Some line ends inside of what was taken for a string.
fn spans_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let open = line.chars().fold(None, |open, char| match open {
            Some(quote) if quote == char => None,
            None if matches!(char, '"' | '\'') => Some(char),
            open => open,
        });
        open.is_some()
    })
}

/// Each string as one sign.
fn without_strings(text: &str) -> String {
    let (mut bare, mut open) = (String::new(), None);
    for char in text.chars() {
        match open {
            Some(quote) if char == quote => open = None,
            Some(_) => {}
            None if matches!(char, '"' | '\'') => {
                open = Some(char);
                bare.push('"');
            }
            None => bare.push(char),
        }
    }
    bare
}

/// `package.json` is a file, and no other file answers to its name.
fn requires_a_file(job: &Job<'_>) -> bool {
    let is_other =
        |name: &String| ["package.json.", "tsconfig.json."].iter().any(|start| name.starts_with(start));
    let names = job.here.folder.and_then(|folder| job.place.context.world.names(folder));
    ["package.json", "tsconfig.json"].iter().all(|name| job.file(name) != FileText::Unknown)
        && names.is_some_and(|names| !names.iter().any(is_other))
}

/// Modules are looked for in the folder first.
fn unshadowed(job: &Job<'_>, module: &str) -> Result<(), Option<String>> {
    shadowed_by(job, |stem| stem == module, |stem| LOADED.contains(&stem))
}

/// The same for a tool, which loads nearly anything.
fn unshadowed_tool(job: &Job<'_>, module: &str) -> Result<(), Option<String>> {
    shadowed_by(job, |stem| stem == module, |stem| LOADED.contains(&stem) || LOADED_BY_TOOLS.contains(&stem))
}

fn shadowed_by(
    job: &Job<'_>,
    is_module: impl Fn(&str) -> bool,
    is_loaded: impl Fn(&str) -> bool,
) -> Result<(), Option<String>> {
    let folder = job.here.folder.ok_or(Some("the folder is not known".to_owned()))?;
    let world = job.place.context.world;
    let names = world.names(folder).ok_or(Some("the folder cannot be read".to_owned()))?;
    let is_code = |name: &str| match name.rsplit_once('.') {
        Some((_, kind)) => matches!(kind, "py" | "pyc" | "so"),
        None => world
            .names(&format!("{}/{name}", folder.trim_end_matches('/')))
            .is_some_and(|inside| inside.iter().any(|name| name.starts_with("__init__."))),
    };
    let is_other = |name: &&String| {
        let stem = name.split('.').next().unwrap_or_default();
        // Python's own modules keep their inner parts in names of this kind.
        let inner = stem.starts_with('_') && !stem.starts_with("__");
        is_module(stem) || (inner || is_loaded(stem)) && is_code(name)
    };
    match names.iter().find(is_other) {
        Some(name) => Err(Some(format!("`{name}` would be loaded instead of what comes with Python"))),
        None => Ok(()),
    }
}

fn requires_only_data(text: &str) -> bool {
    text.match_indices("require").all(|(at, _)| {
        let rest = &text[at + "require".len()..];
        ["('./package.json')", "(\"./package.json\")", "('./tsconfig.json')"]
            .iter()
            .any(|call| rest.starts_with(call))
    })
}

/// The names outside of plain strings; none if the text has anything that could hide more.
fn words(text: &str, python: bool) -> Option<Vec<String>> {
    // Escapes, templates, decorators, double underscores and computed members could reach other names.
    if text.contains(['\\', '`', '@', '#'])
        || text.contains("__")
        || text.len() > 2000
        || (!python && text.contains("['"))
    {
        return None;
    }
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    let mut word = String::new();
    while let Some(char) = chars.next() {
        if char.is_alphanumeric() || char == '_' {
            word.push(char);
            continue;
        }
        let name = std::mem::take(&mut word);
        // A prefix makes a string that is evaluated.
        if matches!(char, '"' | '\'') {
            if !name.is_empty() || chars.clone().take(2).collect::<String>() == format!("{char}{char}") {
                return None;
            }
            chars.by_ref().find(|next| *next == char)?;
            continue;
        }
        keep(name, &mut found);
        if !python && char == '/' {
            return None;
        }
    }
    keep(word, &mut found);
    Some(found)
}

fn keep(name: String, found: &mut Vec<String>) {
    if !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit()) {
        found.push(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, python: bool) -> bool {
        let list = if python { PYTHON } else { JAVASCRIPT };
        let text = &if python { without_opened(text).0 } else { text.to_owned() };
        words(text, python).is_some_and(|words| words.iter().all(|word| list.contains(&word.as_str())))
            && if python {
                !text.contains("import") || imports_only_own(text)
            } else {
                members_are_named(text)
            }
    }

    /// A calculation is told from a program that reaches for more.
    #[test]
    fn d_19_calculations_are_told_from_programs() {
        for text in [
            "print(1+1)",
            "import sys; print(sys.version)",
            "import json,sys; print(json.load(sys.stdin)['a'])",
            "print(sum(range(10)))",
            "import json; print(json.load(open('a.json'))['b'])",
        ] {
            assert!(plain(text, true), "{text}");
        }
        for text in [
            "import os",
            "__import__('os').system('touch M')",
            "open('M','w')",
            "eval('1')",
            "exec('x')",
            "print(f'{1}')",
            "getattr(sys,'x')",
            "import subprocess",
            "sys.modules['os'].system('touch M')",
            "print('''a''')",
            "sys.stdout.write('x')",
            "import json; json.decoder",
            "print(\"\\x41\")",
            "breakpoint()",
            "sys.stdin.buffer",
            "help()",
            "open('a', 'w')",
            "print(open('a').write)",
            "x.open('a')",
            "open(x)",
            "print('open(')+open('a','w')+print(')')",
            "import x",
            "import sys, data",
            "import json as a, x as b",
            "from data import *",
            "if True: import x",
        ] {
            assert!(!plain(text, true), "{text}");
        }
        for text in [
            "console.log(1)",
            "process.version",
            "console.log(Object.keys({a:1}))",
            "console.log([1,2].map(x=>x+1)[0])",
            "console.log(process.versions)",
        ] {
            assert!(plain(text, false), "{text}");
        }
        for text in [
            "require('child_process').execSync('touch M')",
            "process.binding('fs')",
            "fs.writeFileSync('M','')",
            "import('fs')",
            "eval('1')",
            "console.constructor",
            "process['mainModule']",
            "new Function('x')",
            "`x`",
            "globalThis",
            "Object[\"constructor\"]('x')()",
            "Object[ 'constructor']('x')()",
            "let s='constructor'; Object[s]('x')()",
            "const {'constructor':a}=Object; a('x')()",
            "Object.values(process).filter(v=>v.name=='x').map(x=>x('fs'))",
            "Object.values(console)",
            "1 <!-- '\nprocess.exit()\n<!-- '",
        ] {
            assert!(!plain(text, false) || (text.contains("require") && !requires_only_data(text)), "{text}");
        }
    }
}
