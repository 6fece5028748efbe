//! Short programs in Python and JavaScript that only calculate and print.
//!
//! Holds: every name in such a program is on a list, and what it loads is not shadowed by a file of the project.

use super::{FileText, Job, Work, planted};

mod vocabulary;

use vocabulary::{JAVASCRIPT, LOADED, LOADED_BY_TOOLS, MODULES, OWN_TOOLS, PACKAGES, PYTHON};

/// `ruby -e 'puts RUBY_VERSION'`, `php -r 'echo 1+1;'`, `perl -e 'print 6*7'`: a number or a version.
pub(super) fn says(job: &Job<'_>) -> bool {
    let texts = job.texts();
    let ([option, text], program) = (texts.as_slice(), job.command.program.as_str()) else { return false };
    let text = text.trim_end_matches(';');
    let (verb, said) = text.split_once(' ').unwrap_or((text, ""));
    let known = match (program, *option, verb) {
        ("ruby", "-e", "puts" | "print" | "p") => &["RUBY_VERSION", "RUBY_PLATFORM", "RUBY_ENGINE"][..],
        ("php", "-r", "echo" | "print") => &["PHP_VERSION", "PHP_OS", "PHP_INT_MAX"],
        ("perl", "-e", "print") => &["$]", "$^V"],
        _ => return false,
    };
    let sum = said.bytes().all(|byte| byte.is_ascii_digit() || b" +-*().".contains(&byte));
    known.contains(&said) || sum && !said.is_empty()
}

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
        [
            "-m",
            module @ ("mypy" | "flake8" | "pylint" | "ruff" | "black" | "isort" | "pyright" | "bandit"
            | "vulture" | "coverage" | "pycodestyle" | "pyflakes" | "pydocstyle" | "codespell"),
            ..,
        ] if python => {
            planted::check(module, job.here, job.place).map_err(Some)?;
            unshadowed_tool(job, module)?;
            return job.as_program(module, 2, super::table::work);
        }
        // For its help pytest loads files of the project.
        ["-m", module, question @ ("--version" | "--help" | "-h")]
            if python && OWN_TOOLS.contains(module) && (*module != "pytest" || *question == "--version") =>
        {
            return unshadowed(job, module).map(|()| Work::default());
        }
        ["-m", module @ ("site" | "platform" | "sysconfig" | "calendar" | "this"), rest @ ..]
            if python && rest.iter().all(|text| text.bytes().all(|byte| byte.is_ascii_digit())) =>
        {
            return unshadowed(job, module).map(|()| Work::default());
        }
        ["-m", module @ ("tokenize" | "ast" | "dis" | "tabnanny"), rest @ ..]
            if python
                && !rest.is_empty()
                && rest.iter().all(|text| !text.starts_with('-') || *text == "-q") =>
        {
            unshadowed(job, module)?;
            let files = rest.iter().filter(|text| !text.starts_with('-'));
            let reads = files.map(|path| job.here.tree(&crate::command::Word::exact(*path))).collect();
            return Ok(Work { reads, ..Work::default() });
        }
        ["--v8-options"] if !python => return Ok(Work::default()),
        ["--check" | "-c", path] if !python && !path.starts_with('-') => return Ok(Work::default()),
        ["-c", _] if python => {}
        ["-e" | "-p" | "--eval" | "--print", _] if !python => {}
        [] | ["-"] if !job.command.bodies.is_empty() => {}
        _ => return Err(None),
    }
    let [body] = job.command.bodies.as_slice() else { return Err(None) };
    let unknown = || Some(format!("the program for `{program}` is more than a calculation"));
    if python && asks_package_version(&body.text) {
        return alone(job).map(|()| Work::default());
    }
    let (text, opened) =
        if python { without_opened(&without_questions(&body.text)) } else { without_read_files(&body.text) };
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
        if is_told("import") && (is_told("format") || !imports_only_own(&body.text)) {
            return Err(Some(format!("the program for `{program}` loads a module that is not known")));
        }
        let asks = body.text.contains("os.").then_some(&"os");
        if let Some(module) = MODULES.iter().find(|module| **module != "sys" && is_told(module)).or(asks) {
            unshadowed(job, module)?;
        }
    } else if is_told("require") && !(requires_only_data(&text) && requires_a_file(job))
        || !members_are_named(&text)
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

/// The program with the questions to `os` and for `sys.path` taken out: as objects both could do more. The folder of a
/// listing becomes a file that is opened, so that rules about files see it.
fn without_questions(text: &str) -> String {
    const QUESTIONS: &[&str] = &[
        "print(sys.path)",
        "os.getcwd()",
        "os.cpu_count()",
        "os.getpid()",
        "os.listdir()",
        "os.sep",
        "os.path.basename(",
        "os.path.dirname(",
        "os.path.splitext(",
        "os.path.join(",
    ];
    let mut bare =
        text.replace("import os\n", "\n").replace("import os;", ";").replace("import os,", "import ");
    for question in QUESTIONS {
        bare = bare.replace(question, if question.ends_with('(') { "(" } else { "(0)" });
    }
    for question in
        ["os.listdir(", "os.path.exists(", "os.path.isfile(", "os.path.isdir(", "os.path.getsize("]
    {
        bare = bare.replace(question, "open(");
    }
    bare
}

/// `import numpy; print(numpy.__version__)` and nothing else.
fn asks_package_version(text: &str) -> bool {
    let Some((module, rest)) =
        text.trim().strip_prefix("import ").and_then(|rest| rest.split_once([';', '\n']))
    else {
        return false;
    };
    let asked = rest.trim().strip_prefix("print(").and_then(|rest| rest.strip_suffix(')'));
    let member = asked.and_then(|asked| asked.strip_prefix(module)).and_then(|asked| asked.strip_prefix('.'));
    let members = [
        "__version__",
        "__file__",
        "__path__",
        "VERSION",
        "get_version()",
        "cuda.is_available()",
        "cuda.device_count()",
    ];
    PACKAGES.contains(&module) && member.is_some_and(|member| members.contains(&member))
}

/// No file of the folder can be loaded in the place of one of a package's: what packages load is not known.
fn alone(job: &Job<'_>) -> Result<(), Option<String>> {
    const NEVER_LOADED: &[&str] = &["setup", "conftest", "manage", "noxfile", "tests", "docs", "src"];
    let folder = job.here.folder.ok_or(Some("the folder is not known".to_owned()))?;
    let names = job.place.context.world.names(folder).ok_or(Some("the folder cannot be read".to_owned()))?;
    let is_module = |name: &&String| {
        let (stem, kind) = name.split_once('.').unwrap_or((name, ""));
        let loads = match kind {
            "" => job.file(&format!("{name}/__init__.py")) != FileText::Missing,
            kind => kind.ends_with("py") || kind.ends_with("pyc") || kind.ends_with("so"),
        };
        loads && !NEVER_LOADED.contains(&stem)
    };
    match names.iter().find(is_module) {
        Some(name) => Err(Some(format!("`{name}` may be loaded instead of what is installed"))),
        None => Ok(()),
    }
}

/// The program with what it asks of `fs`, `os` and the environment taken out, and the files: plain names that are read.
fn without_read_files(text: &str) -> (String, Vec<String>) {
    // With quotes of both kinds one of them may stand inside of the other.
    let mut bare =
        if text.contains('\'') && text.contains('"') { text.to_owned() } else { text.replace('"', "'") };
    for question in ["process.env.NODE_ENV", "require('os').cpus().length", "os.cpus().length"] {
        bare = bare.replace(question, "(0)");
    }
    for own in ["const fs=require('fs');", "const fs = require('fs');"] {
        bare = bare.replace(own, "");
    }
    bare = bare.replace("require('fs').readFileSync(", "fs.readFileSync(");
    let (mut files, mut rest, mut done) = (Vec::new(), bare.as_str(), String::new());
    while let Some((before, behind)) = rest.split_once("fs.readFileSync('") {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        let Some((name, after)) = behind.split_once('\'').filter(|(name, _)| name.bytes().all(plain)) else {
            return (text.to_owned(), Vec::new());
        };
        let after = [",'utf8'", ", 'utf8'", ",'utf-8'", ", 'utf-8'"]
            .iter()
            .find_map(|letters| after.strip_prefix(letters))
            .unwrap_or(after);
        let own = !before.ends_with(|char: char| is_letter(char) || char == '.' || char == '\'');
        let Some(after) = after.strip_prefix(')').filter(|_| own) else {
            return (text.to_owned(), Vec::new());
        };
        files.push(name.to_owned());
        done.push_str(before);
        done.push_str("(0)");
        rest = after;
    }
    done.push_str(rest);
    (done, files)
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
        match name.and_then(|(name, behind)| Some((name, without_mode(behind).strip_prefix(')')?))) {
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

/// Behind a name: that the file is opened to be read, and in which letters.
fn without_mode(behind: &str) -> &str {
    let told = [
        ", 'rb'",
        ", 'r'",
        ",'rb'",
        ",'r'",
        ", \"rb\"",
        ", \"r\"",
        ", encoding='utf-8'",
        ", encoding=\"utf-8\"",
    ];
    let once = |text| told.iter().find_map(|mode| str::strip_prefix(text, mode)).unwrap_or(text);
    once(once(behind))
}

/// Every module that is loaded is one of Python's own: any other name may be a file of the folder.
fn imports_only_own(text: &str) -> bool {
    let mut statements = text.split([';', '\n', ':']).map(str::trim).filter(|part| part.contains("import"));
    let own = |name: &str| {
        let mut words = name.split_whitespace();
        words.next().is_some_and(|name| MODULES.contains(&name))
            && matches!(words.collect::<Vec<_>>().as_slice(), [] | ["as", _])
    };
    statements.all(|part| match part.strip_prefix("import ") {
        Some(names) => names.split(',').all(own),
        None => part
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "))
            .is_some_and(|(module, names)| MODULES.contains(&module) && !names.contains('*')),
    })
}

/// What tools written in Python load besides.
#[rustfmt::skip]
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
    if text.contains(['`', '@', '#'])
        || !python && text.contains('\\')
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
        if char == '\\' {
            return None;
        }
        if matches!(char, '"' | '\'') {
            if chars.clone().take(2).collect::<String>() == format!("{char}{char}") {
                return None;
            }
            skip_string(&mut chars, char)?;
            // Only `r` leaves a string what it is; other prefixes make one that is evaluated.
            if !name.is_empty() && (!python || name != "r") {
                return None;
            }
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

/// Goes to the end of a string, past the few escapes that neither end it nor hide a letter.
fn skip_string(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, quote: char) -> Option<()> {
    loop {
        match chars.next()? {
            char if char == quote => return Some(()),
            '\\' => {
                chars.next().filter(|next| "ntdwsbDWSB.()[]+*?/|^$".contains(*next))?;
            }
            _ => {}
        }
    }
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
        let text =
            &if python { without_opened(&without_questions(text)).0 } else { without_read_files(text).0 };
        words(text, python).is_some_and(|words| words.iter().all(|word| list.contains(&word.as_str())))
            && if python {
                !text.contains("import") || imports_only_own(text) && !text.contains(".format(")
            } else {
                members_are_named(text)
            }
    }

    /// One question to one installed package is no program; anything around it is.
    #[test]
    fn d_19_packages_tell_their_version() {
        for text in
            ["import numpy; print(numpy.__version__)", "import torch\nprint(torch.cuda.is_available())"]
        {
            assert!(asks_package_version(text), "{text}");
        }
        for text in [
            "import evil; print(evil.__version__)",
            "import numpy; print(numpy.__version__); import os",
            "import numpy; numpy.save('M', 1); print(numpy.__version__)",
            "import numpy; print(numpy.load('M'))",
            "import numpy as yaml; print(yaml.__version__)",
            "import numpy; print(pandas.__version__)",
        ] {
            assert!(!asks_package_version(text), "{text}");
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
            "import json\nwith open('a.json') as f:\n    d = json.load(f)\nfor k, v in d.items():\n    print(k, len(v))",
            "import os; print(os.getcwd(), os.path.join('a', 'b'))",
            "import os; print(os.listdir('src'))",
            "import sys; print(sys.path)",
            "import re; print(re.findall(r'\\d+', 'a1b22'))",
            "print('\\n'.join(sorted(open('a', 'r').read().split())))",
            "from datetime import date; print(date.today().isoformat())",
            "import tomllib; print(tomllib.load(open('p.toml', 'rb'))['a'])",
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
            "import os; os.replace('a', 'M')",
            "import uuid; uuid.os.replace('a', 'M')",
            "import os as o; o.replace('a', 'M')",
            "from os import replace",
            "import os; print(os.environ)",
            "import os; x = os; x.replace('a', 'M')",
            "import os; os.path.os.replace('a', 'M')",
            "import sys; sys.path.insert(0, '/x'); import csv",
            "import sys; sys.path = ['/x']; import csv",
            "import sys as os; os.path.insert(0, '/x'); import csv",
            "from sys import path; path.insert(0, '/x'); import csv",
            "import os; os.getcwd().os",
            "import sys; print('{0.modules}'.format(sys))",
            "import json; print((chr(123) + '0.codecs}').format(json))",
            "x = 'a\\'; eval(1); y = '",
            "print(rf'{eval(1)}')",
            "open('a', 'r+')",
            "open('a', mode='w')",
            "open('a', 'rb', opener=print)",
            "import os; os.listdir(open)",
            "import os, subprocess",
            "import subprocess, os\n",
        ] {
            assert!(!plain(text, true), "{text}");
        }
        for text in [
            "console.log(1)",
            "process.version",
            "console.log(Object.keys({a:1}))",
            "console.log([1,2].map(x=>x+1)[0])",
            "console.log(process.versions)",
            "console.log(process.env.NODE_ENV)",
            "console.log(require('os').cpus().length)",
            "console.log(JSON.parse(require('fs').readFileSync('a.json', 'utf8')))",
            "const fs=require('fs'); console.log(fs.readFileSync('a.md','utf8').length)",
            "console.log(require(\"fs\").readFileSync(\"a.md\").length)",
        ] {
            assert!(plain(text, false), "{text}");
        }
        for text in [
            "require('child_process').execSync('touch M')",
            "process.binding('fs')",
            "fs.writeFileSync('M','')",
            "const fs=require('fs'); fs.writeFileSync('M','')",
            "require('fs').readFileSync(process.argv)",
            "x.fs.readFileSync('a')",
            "console.log(\"a'b\"+eval(1)+\"c'd\")",
            "'a'+fs.readFileSync('a'",
            "console.log(process.env)",
            "[].constructor",
            "[1].map(x=>x).find.call",
            "new Set([process])",
            "Object.values(this)",
            "console.log(process.env.NODE_ENV_TOKEN)",
            "require('os').exec",
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
