//! `make`: the recipes of the goals are read and judged like the command itself.
//!
//! Holds: a makefile with anything but plain variables, rules and recipes is not understood; goals are outputs.

use std::collections::{BTreeMap, BTreeSet};

use super::{FileText, Job, Script, Work};
use crate::command::{Word, needs_bash};

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
                    .and_then(|path| job.here.start.resolve(&folder, path))
                    .ok_or(Some("the folder of make is not known".to_owned()))?
            }
            "-f" | "--file" | "--makefile" if file.is_some() => {
                return Err(Some("make is given more than one makefile".to_owned()));
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
    let path = |name: &str| format!("{folder}/{name}");
    // Rules that make has itself make a file out of another: `M` out of `M.sh`.
    let is_made = |name: &&String| {
        !name.contains('.') || job.place.context.world.text(&path(name)) == FileText::Missing
    };
    let work = |scripts, names: Vec<String>| {
        let names =
            goals.iter().map(|goal| path(goal)).chain(names.iter().filter(is_made).map(|name| path(name)));
        let outputs = names.map(|name| job.here.target(&Word::exact(name))).collect();
        Work { outputs, scripts: Some(scripts), ..Work::default() }
    };
    match text(job, &folder, file)? {
        None if given.is_empty() => Ok(work(Vec::new(), Vec::new())),
        None => Err(Some("variables are set for the rules that make has itself".to_owned())),
        Some(text) => {
            let recipes = Makefile::read(&text, given)?.recipes(&goals, file, &folder)?;
            Ok(work(recipes.scripts, recipes.unruled))
        }
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

impl Rule {
    /// `%.o`, `.c.o` and `.DEFAULT` serve for names that stand nowhere.
    fn is_for_patterns(&self) -> bool {
        self.targets
            .iter()
            .any(|target| target.contains('%') || target.starts_with('.') && !is_special(target))
    }
}

/// What would run, and the names that no rule of the makefile makes.
#[derive(Default)]
struct Recipes {
    scripts: Vec<Script>,
    unruled: Vec<String>,
}

impl Makefile {
    fn read(text: &str, given: BTreeMap<String, String>) -> Result<Self, Option<String>> {
        let unknown = |line: &str| {
            Some(format!("a line of the makefile is not understood: {}", mi_model::shorten(line.trim(), 60)))
        };
        let mut makefile = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.contains('\r') {
            return Err(Some("the makefile has odd ends of lines".to_owned()));
        }
        for line in &logical_lines(text) {
            if let Some(command) = line.strip_prefix('\t') {
                match makefile.rules.last_mut() {
                    Some(rule) => rule.recipe.push(command.to_owned()),
                    None => return Err(unknown(line)),
                }
                continue;
            }
            if line.contains("\\#") {
                return Err(unknown(line));
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
                    | "-load"
                    | "vpath"
                    | "unexport"
                    | "private"
                    | "else"
                    | "endif"
            ) {
                return Err(unknown(line));
            }
            if let Some((name, value)) = assignment(line) {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
                if !name.bytes().all(plain) || reaches_programs(name) {
                    return Err(unknown(line));
                }
                // It is computed here and now, with what is known so far.
                let sign = line.split('=').next().unwrap_or_default().trim_end();
                let now = sign.ends_with([':', '+']);
                if now && !references(value).all(|name| makefile.variables.contains_key(name)) {
                    return Err(unknown(line));
                }
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
            // Variables of one rule alone, and what changes the meaning of everything else.
            let special = [".ONESHELL", ".SECONDEXPANSION", ".EXPORT_ALL_VARIABLES"];
            if needs.contains('=') || special.iter().any(|name| targets.contains(name)) {
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

    /// The commands of the goals and of all that they need, with every rule for patterns; all there are if a name stands
    /// for names of files.
    fn recipes(
        mut self,
        goals: &[&str],
        file: Option<&str>,
        folder: &str,
    ) -> Result<Recipes, Option<String>> {
        self.name_plainly()?;
        let mut recipes = Recipes::default();
        let names = || self.rules.iter().flat_map(|rule| rule.targets.iter().chain(&rule.needs));
        if names()
            .chain(&goals.iter().map(|goal| (*goal).to_owned()).collect::<Vec<_>>())
            .any(|name| is_odd(name))
        {
            self.rules.iter().try_for_each(|rule| self.take(rule, folder, &mut recipes.scripts))?;
            return Ok(recipes);
        }
        let is_goal =
            |target: &&String| !target.contains('%') && (!target.starts_with('.') || target.contains('/'));
        let mut open: Vec<String> = goals.iter().map(|goal| plain_name(goal)).collect();
        if goals.is_empty() {
            let first = self.rules.iter().find(|rule| rule.targets.iter().any(|target| is_goal(&target)));
            open.extend(first.into_iter().flat_map(|rule| rule.targets.iter().cloned()));
        }
        // Make looks first whether its own file is to be made anew.
        open.extend(["GNUmakefile", "makefile", "Makefile"].into_iter().chain(file).map(plain_name));
        for rule in self.rules.iter().filter(|rule| rule.is_for_patterns()) {
            self.take(rule, folder, &mut recipes.scripts)?;
            open.extend(rule.needs.iter().flat_map(|need| self.fitting(need)));
        }
        let mut seen = BTreeSet::new();
        while let Some(goal) = open.pop() {
            if !seen.insert(goal.clone()) {
                continue;
            }
            if seen.len() > 500 {
                return Err(Some("the makefile has too many goals".to_owned()));
            }
            let mut ruled = false;
            for rule in self.rules.iter().filter(|rule| rule.targets.contains(&goal)) {
                open.extend(rule.needs.iter().flat_map(|need| self.fitting(need)));
                self.take(rule, folder, &mut recipes.scripts)?;
                ruled |= !rule.recipe.is_empty();
            }
            if !ruled && !matches!(goal.as_str(), "GNUmakefile" | "makefile" | "Makefile") {
                recipes.unruled.push(goal);
            }
        }
        Ok(recipes)
    }

    /// Puts variables into the names of targets and needs.
    fn name_plainly(&mut self) -> Result<(), Option<String>> {
        let rules = std::mem::take(&mut self.rules);
        let name = |names: &[String]| -> Result<Vec<String>, Option<String>> {
            let whole = self.expand(&names.join(" "), 0)?;
            Ok(whole.split_whitespace().map(plain_name).collect())
        };
        let named: Result<Vec<Rule>, Option<String>> = rules
            .into_iter()
            .map(|rule| {
                Ok(Rule { targets: name(&rule.targets)?, needs: name(&rule.needs)?, recipe: rule.recipe })
            })
            .collect();
        self.rules = named?;
        Ok(())
    }

    /// What a need may stand for: itself, or every target that its pattern fits.
    fn fitting(&self, need: &str) -> Vec<String> {
        let Some((start, end)) = need.split_once('%') else { return vec![need.to_owned()] };
        let targets = self.rules.iter().flat_map(|rule| &rule.targets);
        targets.filter(|target| target.starts_with(start) && target.ends_with(end)).cloned().collect()
    }

    fn take(&self, rule: &Rule, folder: &str, scripts: &mut Vec<Script>) -> Result<(), Option<String>> {
        for line in &rule.recipe {
            let line = line.trim_start_matches(['@', '-', '+', ' ', '\t']);
            let text = self.expand(line, 0)?;
            if text.contains("[[") || needs_bash(&text) {
                return Err(Some("the shell of make reads this otherwise than bash".to_owned()));
            }
            scripts.push(Script { text, folder: folder.to_owned() });
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

/// Lines with those that a backslash joins to them. The shell gets the backslashes of a recipe as they stand: behind a
/// `#` they join nothing.
fn logical_lines(text: &str) -> Vec<String> {
    let goes_on = |line: &str| (line.len() - line.trim_end_matches('\\').len()) % 2 == 1;
    let mut whole: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(first) = lines.next() {
        let mut line = first.to_owned();
        let recipe = line.starts_with('\t');
        while goes_on(&line) {
            let Some(next) = lines.next() else { break };
            if recipe {
                line.push('\n');
                line.push_str(next.strip_prefix('\t').unwrap_or(next));
            } else {
                line.pop();
                line.push(' ');
                line.push_str(next);
            }
        }
        whole.push(line);
    }
    whole
}

/// Make takes `./x` for `x`.
fn plain_name(name: &str) -> String {
    let mut name = name;
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/');
    }
    name.to_owned()
}

/// Make replaces it by names of files, or reads more out of it than a name.
fn is_odd(name: &str) -> bool {
    name.contains(['*', '?', '[', '~', '$', '(', '\\', '\'', '"', '&'])
}

/// Variables that make hands on to the programs of a recipe, which obey them.
fn reaches_programs(name: &str) -> bool {
    let names = [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "ENV",
        "IFS",
        "CDPATH",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "NODE_OPTIONS",
        "NODE_PATH",
        "RUSTC",
        "GOPATH",
        "GOROOT",
        "GOTOOLDIR",
        "GOTOOLCHAIN",
        "CLASSPATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PERL5LIB",
        "PERL5OPT",
        "PERL5DB",
        "RUBYOPT",
        "RUBYLIB",
        "LESSOPEN",
        "TAR_OPTIONS",
        "JAVA_TOOL_OPTIONS",
        "RIPGREP_CONFIG_PATH",
        "PS4",
    ];
    let starts = ["LD_", "DYLD_", "GIT_", "BASH_", "npm_", "NPM_", "CARGO_", "RUSTC_"];
    names.contains(&name) || starts.iter().any(|start| name.starts_with(start))
}

/// The names in `$(…)`, `${…}` and `$x`.
fn references(value: &str) -> impl Iterator<Item = &str> {
    value.match_indices('$').map(|(at, _)| {
        let rest = &value[at + 1..];
        let name = rest
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .or_else(|| rest.strip_prefix('{').and_then(|rest| rest.split_once('}')));
        name.map_or_else(|| &rest[..rest.ceil_char_boundary(rest.len().min(1))], |(name, _)| name)
    })
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
        let recipes = Makefile::read(text, BTreeMap::new())?.recipes(goals, None, "/p")?;
        Ok(recipes.scripts.into_iter().map(|script| script.text).collect())
    }

    /// Recipes of a goal and of what it needs are found; others are not.
    #[test]
    fn d_19_recipes_of_a_goal_are_read() {
        let text = "CMD = cargo build\n.PHONY: all other\nall: dep\n\t@$(CMD) --release\ndep:\n\t-echo $$HOME\nother:\n\ttouch M\n";
        assert_eq!(recipes(text, &[]).unwrap(), ["cargo build --release", "echo $HOME"]);
        assert_eq!(recipes(text, &["other"]).unwrap(), ["touch M"]);
        assert!(recipes("all:\n\techo $(shell touch M)\n", &[]).is_err());
    }

    /// However make comes to a recipe, it is found.
    #[test]
    fn d_19_recipes_are_found_on_every_way() {
        for (text, goals) in [
            ("all:\n\techo hi # \\\n\ttouch M\n", &[][..]),
            ("all: # x\\\\\n\ttouch M\n", &[]),
            ("all:\n\techo hi\nMakefile: FORCE\n\ttouch M\nFORCE:\n", &[]),
            ("all: foo\n.DEFAULT:\n\ttouch M\n", &[]),
            ("all: *.x\nfoo.x:\n\ttouch M\n", &[]),
            ("all: ./evil\nevil:\n\ttouch M\n", &[]),
            ("evil:\n\ttouch M\n", &[".//evil"]),
            ("\u{feff}all:\n\ttouch M\n", &["all"]),
            ("%.o: %.c\n\techo\nevil:\n\ttouch M\n", &[]),
            ("X =\n$(X): a\nevil:\n\ttouch M\n", &[]),
            ("X = foo\nall: foo\n$(X): evil\nevil:\n\ttouch M\n", &[]),
            ("all: a.x\n%.x: evil\n\techo\nevil:\n\ttouch M\n", &[]),
            ("all: a.x\n%.x: %.y\n\techo\na.y:\n\ttouch M\n", &[]),
        ] {
            let found = recipes(text, goals).unwrap();
            assert!(found.iter().any(|script| script.contains("touch M")), "{text}: {found:?}");
        }
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
            "E =\nSH$(E)ELL = ./e\nall:\n\tls\n",
            "PATH = ./x\nall:\n\tls\n",
            ".EXPORT_ALL_VARIABLES:\nall:\n\tls\n",
            "x = evil\n.SECONDEXPANSION:\nall: $$x\n",
            "A := $(B)\nB = '\nall:\n\techo $(A); touch M $(A)\n",
            "all:\r\n\tls\r\n",
        ] {
            assert!(recipes(text, &[]).is_err(), "{text}");
        }
    }
}
