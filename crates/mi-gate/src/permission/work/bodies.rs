//! Short programs in Python and JavaScript that only calculate and print.
//!
//! Holds: every name in such a program is on a list, and what it loads is not shadowed by a file of the project.

use super::{Job, Work};

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
        ["-m", module @ ("mypy" | "flake8" | "pylint"), rest @ ..]
            if python && rest.iter().all(|text| !text.starts_with('-')) =>
        {
            return unshadowed(job, module).map(|()| Work::of_scripts(Vec::new()));
        }
        ["--check", path] if !python && !path.starts_with('-') => return Ok(Work::default()),
        ["-c", _] if python => {}
        ["-e" | "-p" | "--eval" | "--print", _] if !python => {}
        [] | ["-"] if !job.command.bodies.is_empty() => {}
        _ => return Err(None),
    }
    let [body] = job.command.bodies.as_slice() else { return Err(None) };
    let unknown = || Some(format!("the program for `{program}` is more than a calculation"));
    let words = words(&body.text, python).ok_or_else(unknown)?;
    let list = if python { PYTHON } else { JAVASCRIPT };
    if let Some(word) = words.iter().find(|word| !list.contains(&word.as_str())) {
        return Err(Some(format!("what `{word}` does in the program for `{program}` is not known")));
    }
    if python {
        for module in ["json", "math"].iter().filter(|module| words.iter().any(|word| word == *module)) {
            unshadowed(job, module)?;
        }
    } else if words.iter().any(|word| word == "require") && !requires_only_data(&body.text) {
        return Err(unknown());
    }
    Ok(Work::default())
}

/// Modules are looked for in the folder first.
fn unshadowed(job: &Job<'_>, module: &str) -> Result<(), Option<String>> {
    let folder = job.here.folder.ok_or(Some("the folder is not known".to_owned()))?;
    let names = job.place.context.world.names(folder).ok_or(Some("the folder cannot be read".to_owned()))?;
    let other = names.iter().find(|name| name.split('.').next() == Some(module));
    match other {
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
        words(text, python).is_some_and(|words| words.iter().all(|word| list.contains(&word.as_str())))
    }

    /// A calculation is told from a program that reaches for more.
    #[test]
    fn d_19_calculations_are_told_from_programs() {
        for text in [
            "print(1+1)",
            "import sys; print(sys.version)",
            "import json,sys; print(json.load(sys.stdin)['a'])",
            "print(sum(range(10)))",
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
        ] {
            assert!(!plain(text, true), "{text}");
        }
        for text in ["console.log(1)", "process.version", "console.log(Object.keys({a:1}))"] {
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
        ] {
            assert!(!plain(text, false) || (text.contains("require") && !requires_only_data(text)), "{text}");
        }
    }
}
