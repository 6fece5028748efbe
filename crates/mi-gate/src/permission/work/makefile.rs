//! `make`: the recipes of the goals are read and judged like the command itself.
//!
//! Holds: a makefile with anything but plain variables, rules and recipes is not understood; goals are outputs.

use std::collections::{BTreeMap, BTreeSet};

use super::{FileText, Job, Script, Work};
use crate::command::Word;

const OPTIONS: &[&str] = &[
    "-s",
    "--silent",
    "--quiet",
    "-k",
    "--keep-going",
    "-n",
    "--dry-run",
    "--just-print",
    "-B",
    "--always-make",
    "--no-print-directory",
    "-j",
    "--jobs",
    "-w",
    "-O",
    "--trace",
    "--version",
    "-v",
    "-h",
    "--help",
];

pub(super) fn work(job: &Job<'_>) -> Result<Work, Option<String>> {
    let mut folder = job.here.folder.ok_or(Some("the folder of make is not known".to_owned()))?.to_owned();
    let mut file = None;
    let mut goals = Vec::new();
    let mut given = BTreeMap::new();
    let texts = job.texts();
    let mut rest = texts.iter().copied();
    while let Some(text) = rest.next() {
        match text {
            "-C" | "--directory" => {
                folder = rest
                    .next()
                    .and_then(|path| job.path(path))
                    .ok_or(Some("the folder of make is not known".to_owned()))?
            }
            "-f" | "--file" | "--makefile" => file = rest.next(),
            "-j" | "-l" => {}
            text if OPTIONS.contains(&text.split('=').next().unwrap_or(text)) || is_jobs(text) => {}
            text if text.starts_with('-') => {
                return Err(Some(format!("`make {text}` may change what make runs")));
            }
            text if text.bytes().all(|byte| byte.is_ascii_digit()) => {}
            text => match text.split_once('=') {
                Some((name, value)) => {
                    drop(given.insert(name.trim_end_matches([':', '?', '+']).to_owned(), value.to_owned()))
                }
                None => goals.push(text),
            },
        }
    }
    let is_test = |goal: &&str| {
        goal.starts_with("test")
            || matches!(
                *goal,
                "check" | "e2e" | "install" | "uninstall" | "deploy" | "publish" | "release" | "push"
            )
    };
    if goals.iter().any(is_test) {
        return Err(Some("the goal is more than a build".to_owned()));
    }
    let outputs =
        goals.iter().map(|goal| job.here.target(&Word::exact(format!("{folder}/{goal}")))).collect();
    let work = |scripts| Work { outputs, scripts: Some(scripts), ..Work::default() };
    match text(job, &folder, file)? {
        None if given.is_empty() => Ok(work(Vec::new())),
        None => Err(Some("variables are set for the rules that make has itself".to_owned())),
        Some(text) => Ok(work(Makefile::read(&text, given)?.recipes(&goals, &folder)?)),
    }
}

fn is_jobs(text: &str) -> bool {
    text.strip_prefix("-j").is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The text of the makefile; none if there is none.
fn text(job: &Job<'_>, folder: &str, file: Option<&str>) -> Result<Option<String>, Option<String>> {
    let names = file.map_or_else(|| vec!["GNUmakefile", "makefile", "Makefile"], |file| vec![file]);
    for name in names {
        let path =
            job.here.start.resolve(folder, name).ok_or(Some("the makefile is not known".to_owned()))?;
        match job.place.context.world.text(&path) {
            FileText::Missing if file.is_none() => {}
            FileText::Text(text) => return Ok(Some(text)),
            FileText::Missing | FileText::Unknown => {
                return Err(Some("the makefile cannot be read".to_owned()));
            }
        }
    }
    Ok(None)
}

#[derive(Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: Vec<Rule>,
}

struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    fn read(text: &str, given: BTreeMap<String, String>) -> Result<Self, Option<String>> {
        let unknown = |line: &str| {
            Some(format!("a line of the makefile is not understood: {}", mi_model::shorten(line.trim(), 60)))
        };
        let mut makefile = Self::default();
        let text = text.replace("\\\n", " ");
        for line in text.lines() {
            if let Some(command) = line.strip_prefix('\t') {
                match makefile.rules.last_mut() {
                    Some(rule) => rule.recipe.push(command.to_owned()),
                    None => return Err(unknown(line)),
                }
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim_end();
            if line.trim().is_empty() {
                continue;
            }
            // Functions, conditions, further files and other shells are more than is read here.
            if line.starts_with(' ')
                || ["$(", "${", "!=", ";", "`"].iter().any(|sign| line.contains(sign)) && !is_reference(line)
            {
                return Err(unknown(line));
            }
            let first = line.split_whitespace().next().unwrap_or_default();
            if matches!(
                first,
                "include"
                    | "-include"
                    | "sinclude"
                    | "define"
                    | "ifdef"
                    | "ifndef"
                    | "ifeq"
                    | "ifneq"
                    | "export"
                    | "override"
                    | "load"
                    | "vpath"
                    | "unexport"
                    | "private"
                    | "else"
                    | "endif"
            ) {
                return Err(unknown(line));
            }
            if let Some((name, value)) = assignment(line) {
                if matches!(
                    name,
                    "SHELL"
                        | ".SHELLFLAGS"
                        | "MAKEFLAGS"
                        | "MAKE"
                        | "VPATH"
                        | ".DEFAULT_GOAL"
                        | ".RECIPEPREFIX"
                        | "MAKEFILES"
                ) {
                    return Err(unknown(line));
                }
                // The last of two values counts everywhere; what was read with the first would be wrong.
                match makefile.variables.get_mut(name) {
                    Some(old) if line.contains("+=") => {
                        old.push(' ');
                        old.push_str(value);
                    }
                    Some(_) => return Err(unknown(line)),
                    None => drop(makefile.variables.insert(name.to_owned(), value.to_owned())),
                }
                continue;
            }
            let (targets, needs) = line.split_once(':').ok_or_else(|| unknown(line))?;
            // Variables of one rule alone, and one shell for a whole recipe.
            if needs.contains('=') || targets.contains(".ONESHELL") {
                return Err(unknown(line));
            }
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            makefile.rules.push(Rule {
                targets: words(targets),
                needs: words(needs.trim_start_matches(':')),
                recipe: Vec::new(),
            });
        }
        for (name, value) in given {
            let known = makefile.variables.contains_key(&name)
                || matches!(name.as_str(), "V" | "VERBOSE" | "DEBUG" | "ARGS");
            if !known
                || is_tool(&name)
                || name.starts_with(['.', '_'])
                || name.starts_with("MAKE")
                || !is_word(&value)
            {
                return Err(Some(format!("`{name}` may change what make runs")));
            }
            makefile.variables.insert(name, value);
        }
        // Rules that make has itself use these.
        let odd = makefile.variables.iter().find(|(name, value)| !suits_own_rules(name, value));
        if let Some((name, _)) = odd {
            return Err(Some(format!("`{name}` of the makefile changes what make runs by itself")));
        }
        Ok(makefile)
    }

    /// The commands of the goals and of all that they need, with every rule for patterns.
    fn recipes(&self, goals: &[&str], folder: &str) -> Result<Vec<Script>, Option<String>> {
        let is_goal = |rule: &&Rule| rule.targets.first().is_some_and(|target| !target.starts_with('.'));
        let first = || self.rules.iter().find(is_goal).map(|rule| rule.targets.clone()).unwrap_or_default();
        let mut open: Vec<String> =
            if goals.is_empty() { first() } else { goals.iter().map(|goal| (*goal).to_owned()).collect() };
        let mut seen = BTreeSet::new();
        let mut scripts = Vec::new();
        for rule in self.rules.iter().filter(|rule| {
            rule.targets
                .iter()
                .any(|target| target.contains(['%', '$']) || target.starts_with('.') && !is_special(target))
        }) {
            self.take(rule, folder, &mut scripts)?;
        }
        while let Some(goal) = open.pop() {
            if !seen.insert(goal.clone()) || seen.len() > 500 {
                continue;
            }
            for rule in self.rules.iter().filter(|rule| rule.targets.contains(&goal)) {
                for need in &rule.needs {
                    open.extend(self.expand(need, 0)?.split_whitespace().map(str::to_owned));
                }
                self.take(rule, folder, &mut scripts)?;
            }
        }
        Ok(scripts)
    }

    fn take(&self, rule: &Rule, folder: &str, scripts: &mut Vec<Script>) -> Result<(), Option<String>> {
        for line in &rule.recipe {
            let line = line.trim_start_matches(['@', '-', '+', ' ', '\t']);
            scripts.push(Script { text: self.expand(line, 0)?, folder: folder.to_owned() });
        }
        Ok(())
    }

    /// Replaces variables; names that make fills in become words that no rule can know.
    fn expand(&self, text: &str, depth: u8) -> Result<String, Option<String>> {
        let mut whole = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            whole.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let (name, behind) = match rest.chars().next() {
                Some('$') => {
                    whole.push('$');
                    rest = &rest[1..];
                    continue;
                }
                Some(open @ ('(' | '{')) => {
                    let close = if open == '(' { ')' } else { '}' };
                    rest[1..]
                        .split_once(close)
                        .ok_or(Some("a variable of the makefile does not end".to_owned()))?
                }
                Some(char) => (&rest[..char.len_utf8()], &rest[char.len_utf8()..]),
                None => break,
            };
            match (self.variables.get(name), name) {
                (Some(value), _) if depth < 8 => whole.push_str(&self.expand(value, depth + 1)?),
                (None, "MAKE") => whole.push_str("make"),
                (None, "CC") => whole.push_str("cc"),
                (None, "CXX") => whole.push_str("c++"),
                (None, "@" | "<" | "^" | "*" | "?" | "@D" | "@F" | "<D" | "<F") => {
                    whole.push_str("\"$made_by_make\"")
                }
                (None, "CURDIR" | "PWD") => whole.push('.'),
                (None, "CFLAGS" | "CXXFLAGS" | "LDFLAGS" | "LDLIBS" | "CPPFLAGS" | "ARGS") => {}
                _ => {
                    return Err(Some(format!(
                        "`{}` of the makefile is not known",
                        mi_model::shorten(name, 40)
                    )));
                }
            }
            rest = behind;
        }
        whole.push_str(rest);
        Ok(whole)
    }
}

fn is_word(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-'))
}

/// Variables that name the tools of make's own rules.
fn is_tool(name: &str) -> bool {
    let tools = [
        "CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "F77", "PC", "YACC", "LEX", "LINT", "RM", "CO", "GET",
        "M2C", "TEX", "TANGLE", "WEAVE", "CTANGLE", "CWEAVE", "MAKEINFO", "OBJC", "SHELL",
    ];
    tools.contains(&name)
        || name.contains('.')
        || name.starts_with("OUTPUT_OPTION")
        || name.ends_with("FLAGS")
        || name == "LDLIBS"
        || name == "LOADLIBES"
}

/// A tool of make's own rules is a compiler, and its options are plain ones.
fn suits_own_rules(name: &str, value: &str) -> bool {
    if !is_tool(name) {
        return true;
    }
    if name.ends_with("FLAGS") || name == "LDLIBS" {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_=+./()$".contains(&byte);
        let loads = ["-fplugin", "-wrapper", "-specs", "-B", "-Wl", "-Xlinker", "-o", "-T"];
        return value.bytes().all(plain)
            && !value.split_whitespace().any(|word| loads.iter().any(|load| word.starts_with(load)));
    }
    matches!(value, "cc" | "gcc" | "clang" | "c++" | "g++" | "clang++" | "ar" | "ld" | "as" | "rm -f")
}

fn is_special(target: &str) -> bool {
    matches!(
        target,
        ".PHONY"
            | ".SUFFIXES"
            | ".SILENT"
            | ".DEFAULT"
            | ".PRECIOUS"
            | ".SECONDARY"
            | ".NOTPARALLEL"
            | ".POSIX"
            | ".DELETE_ON_ERROR"
    )
}

/// `NAME = value` in any of its forms, but not a rule.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end().trim_end_matches([':', '?', '+']).trim();
    (!name.is_empty() && !name.contains([':', ' '])).then(|| (name, value.trim()))
}

/// Every `$(…)` of the line is a plain variable.
fn is_reference(line: &str) -> bool {
    !line.contains("!=")
        && !line.contains([';', '`'])
        && line.match_indices('$').all(|(at, _)| {
            let rest = &line[at + 1..];
            let name = rest
                .strip_prefix('(')
                .and_then(|rest| rest.split_once(')'))
                .or_else(|| rest.strip_prefix('{').and_then(|rest| rest.split_once('}')));
            name.is_some_and(|(name, _)| {
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipes(text: &str, goals: &[&str]) -> Result<Vec<String>, Option<String>> {
        let scripts = Makefile::read(text, BTreeMap::new())?.recipes(goals, "/p")?;
        Ok(scripts.into_iter().map(|script| script.text).collect())
    }

    /// Recipes of a goal and of what it needs are found; others are not.
    #[test]
    fn d_19_recipes_of_a_goal_are_read() {
        let text = "CMD = cargo build\n.PHONY: all other\nall: dep\n\t@$(CMD) --release\ndep:\n\t-echo $$HOME\nother:\n\ttouch M\n";
        assert_eq!(recipes(text, &[]).unwrap(), ["cargo build --release", "echo $HOME"]);
        assert_eq!(recipes(text, &["other"]).unwrap(), ["touch M"]);
        assert!(recipes("all:\n\techo $(shell touch M)\n", &[]).is_err());
    }

    /// What is more than variables, rules and recipes is refused.
    #[test]
    fn d_19_unusual_makefiles_are_refused() {
        for text in [
            "x := $(shell touch M)\nall:\n",
            "SHELL = ./e\nall:\n\tls\n",
            "include other.mk\n",
            "x != touch M\n",
            "$(info x)\n",
            "all: ; touch M\n",
            "all: CC = touch\nall:\n\t$(CC) M\n",
            "CC = touch M;\nall: a.o\n",
            "X = echo\nall:\n\t$(X) M\nX = touch\n",
            "CFLAGS = -fplugin=./e\nall: a.o\n",
            ".ONESHELL:\nall:\n\tcd x\n",
            "define x\n",
            "${eval y}\n",
        ] {
            assert!(recipes(text, &[]).is_err(), "{text}");
        }
    }
}
