//! `npm`, `pnpm`, `yarn` and `bun`: scripts of `package.json` are read and judged like the command itself.

use serde_json::Value;

use super::table::is_tool;
use super::{FileText, Job, Nearest, Script, Work};
use crate::command::{analyze, needs_bash};

/// Commands that look things up.
const LOOKS: &[&str] = &[
    "view", "info", "show", "outdated", "audit", "search", "why", "ls", "list", "explain", "root", "prefix",
    "docs", "ping", "whoami", "licenses", "fund",
];
/// Options of those.
const LOOK_OPTIONS: &[&str] = &[
    "--json",
    "--depth",
    "--long",
    "-l",
    "--all",
    "-a",
    "--prod",
    "--dev",
    "--production",
    "--parseable",
    "--audit-level",
    "--omit",
    "-g",
    "--global",
    "-r",
];
/// Options before or behind the name of a script.
const RUN_OPTIONS: &[&str] = &["-s", "--silent", "--if-present", "--quiet", "-q"];

pub(super) fn work(job: &Job<'_>) -> Result<Work, Option<String>> {
    let program = job.command.program.as_str();
    let texts = job.texts();
    // Other programs run a script of this name.
    if program == "npm"
        && matches!(texts.as_slice(), ["version" | "ll"] | ["dist-tag" | "owner", "ls", _] | ["query", _])
        && !texts.iter().any(|text| text.starts_with('-'))
    {
        return Ok(Work::default());
    }
    if let ["pkg", "get", ..]
    | ["config", "get", ..]
    | ["config", "list"]
    | ["pm", "ls", ..]
    | ["cache", "dir"]
    | ["store", "path"] = texts.as_slice()
    {
        return if texts.iter().any(|text| secret_setting(text))
            || texts == ["config", "list"] && program != "npm"
        {
            Err(Some("settings may hold tokens".to_owned()))
        } else {
            Ok(Work::default())
        };
    }
    let named = super::readers::behind_globals(program, &texts).first();
    if let Some(sub) = named.filter(|sub| LOOKS.contains(sub)) {
        let known = texts
            .iter()
            .filter(|text| text.starts_with('-'))
            .all(|text| LOOK_OPTIONS.contains(&text.split('=').next().unwrap_or(text)));
        let mends = texts.contains(&"fix") || *sub == "docs";
        return if known && !mends {
            Ok(Work::default())
        } else {
            Err(Some(format!("`{program} {sub}` with these options may change something")))
        };
    }
    let (folder, asked) = asked(program, &texts, job)?;
    match asked {
        Asked::Names => Ok(Work::default()),
        Asked::Script { name, arguments } => script(job, &folder, name, &arguments),
        Asked::Elsewhere => nothing_there(job, &folder),
    }
}

enum Asked<'a> {
    /// The list of scripts.
    Names,
    Script {
        name: &'a str,
        arguments: Vec<&'a str>,
    },
    /// Scripts of other packages of a workspace.
    Elsewhere,
}

/// Which script is asked for, and in which folder.
fn asked<'a>(program: &str, texts: &[&'a str], job: &Job<'_>) -> Result<(String, Asked<'a>), Option<String>> {
    let unknown = || Some(format!("this command of `{program}` may change or run something"));
    let mut folder = job.here.folder.ok_or(Some("the folder is not known".to_owned()))?.to_owned();
    let mut words: Vec<&'a str> = Vec::new();
    let mut elsewhere = false;
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        match *text {
            "--" => {
                words.push("--");
                words.extend(rest.by_ref());
            }
            "--prefix" | "-C" | "--cwd" | "--dir" if words.is_empty() => {
                folder = rest.next().and_then(|path| job.path(path)).ok_or_else(unknown)?;
            }
            "-w" | "--workspace" | "--filter" | "-F" => {
                elsewhere = true;
                rest.next();
            }
            "-r" | "--recursive" | "--workspaces" | "-ws" => elsewhere = true,
            text if RUN_OPTIONS.contains(&text) => {}
            // npm itself obeys options that stand behind the name; the others hand them to the script.
            text if text.starts_with('-') && (words.len() < 2 || program == "npm") => return Err(unknown()),
            text => words.push(text),
        }
    }
    if let ["workspace", _, rest @ ..] = words.as_slice() {
        (elsewhere, words) = (true, rest.to_vec());
    }
    let runs = |name: &'a str, rest: &[&'a str]| {
        if name.starts_with("test") || name.starts_with("e2e") || name == "--" {
            return Err(Some("tests of the project would run".to_owned()));
        }
        let arguments = rest.iter().copied().skip(usize::from(rest.first() == Some(&"--"))).collect();
        Ok(if elsewhere { Asked::Elsewhere } else { Asked::Script { name, arguments } })
    };
    let asked = match words.as_slice() {
        ["run" | "run-script"] => Asked::Names,
        ["run" | "run-script", name, rest @ ..] if !name.contains(['/', '.']) => runs(name, rest)?,
        ["start" | "stop" | "restart", rest @ ..] => runs(words[0], rest)?,
        // Yarn and pnpm take a script's name for a command of their own.
        [
            name @ ("build" | "lint" | "dev" | "typecheck" | "type-check" | "check" | "format:check"
            | "compile" | "serve" | "preview" | "storybook"),
            rest @ ..,
        ] if matches!(program, "yarn" | "pnpm") => runs(name, rest)?,
        _ => return Err(unknown()),
    };
    Ok((folder, asked))
}

fn secret_setting(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("auth") || text.contains("token") || text.contains("password")
}

/// The script with those before and behind it.
fn script(job: &Job<'_>, folder: &str, name: &str, arguments: &[&str]) -> Result<Work, Option<String>> {
    let (root, text) = match job.nearest(folder, &["package.json"]) {
        // Nothing would run; a name that says nothing is asked about all the same.
        Nearest::Nowhere if is_usual(name) => return Ok(Work::of_scripts(Vec::new())),
        Nearest::Nowhere | Nearest::Unknown => return Err(Some("`package.json` cannot be read".to_owned())),
        Nearest::Found { folder, text } => (folder, text),
    };
    obeys_nobody_else(job, &root)?;
    let package: Value =
        serde_json::from_str(&text).map_err(|_| Some("`package.json` cannot be read".to_owned()))?;
    let found =
        |name: &str| package.get("scripts").and_then(|scripts| scripts.get(name)).and_then(Value::as_str);
    let Some(own) = found(name) else {
        // Without a script `start` starts `server.js`, `restart` stops and starts, and `env` shows every variable.
        return match name {
            "start" | "restart" => Err(Some("a program of the project would run".to_owned())),
            "env" => Err(Some("variables may hold tokens".to_owned())),
            _ => Ok(Work::of_scripts(Vec::new())),
        };
    };
    let quoted: String =
        arguments.iter().map(|argument| format!(" '{}'", argument.replace('\'', "'\\''"))).collect();
    let (before, behind) = (format!("pre{name}"), format!("post{name}"));
    let texts = [
        found(&before).map(str::to_owned),
        Some(format!("{own}{quoted}")),
        found(&behind).map(str::to_owned),
    ];
    if let Some(name) = texts.iter().flatten().find_map(|text| replaced(job, &root, text)) {
        return Err(Some(format!("`node_modules/.bin/{name}` would run instead of `{name}`")));
    }
    if texts.iter().flatten().any(|text| text.contains("[[") || needs_bash(text)) {
        return Err(Some("the shell of scripts reads this otherwise than bash".to_owned()));
    }
    Ok(Work::of_scripts(
        texts.into_iter().flatten().map(|text| Script { text, folder: root.clone() }).collect(),
    ))
}

/// A program that is judged by its name, but is one of the project's: scripts look there first, in every folder above.
/// Only the tools that projects bring along are what their names say.
fn replaced(job: &Job<'_>, root: &str, script: &str) -> Option<String> {
    let analysis = analyze(script);
    let is_told = |name: &str| analysis.commands.iter().any(|command| command.program == name);
    // These start every script, and the tools themselves.
    let always = |name: &str| matches!(name, "sh" | "bash" | "dash" | "env" | "node");
    let world = job.place.context.world;
    let above = std::iter::successors(Some(root), |folder| folder.rfind('/').map(|at| &folder[..at]));
    above
        .filter_map(|folder| world.names(&format!("{folder}/node_modules/.bin")))
        .flatten()
        .find(|name| always(name) || is_told(name) && !is_tool(name))
}

/// Names that scripts of this kind have everywhere.
fn is_usual(name: &str) -> bool {
    let first = name.split([':', '-']).next().unwrap_or(name);
    matches!(
        first,
        "build"
            | "lint"
            | "dev"
            | "start"
            | "stop"
            | "typecheck"
            | "type"
            | "types"
            | "check"
            | "format"
            | "compile"
            | "serve"
            | "preview"
            | "watch"
            | "docs"
            | "storybook"
            | "clean"
            | "generate"
            | "codegen"
            | "prettier"
            | "tsc"
            | "eslint"
            | "bundle"
    )
}

fn nothing_there(job: &Job<'_>, folder: &str) -> Result<Work, Option<String>> {
    match job.nearest(folder, &["package.json"]) {
        Nearest::Nowhere => Ok(Work::of_scripts(Vec::new())),
        Nearest::Found { .. } | Nearest::Unknown => {
            Err(Some("scripts of other packages would run".to_owned()))
        }
    }
}

/// Settings of the project that put another program in the place of the shell or of the package manager.
fn obeys_nobody_else(job: &Job<'_>, root: &str) -> Result<(), Option<String>> {
    let files: [(&str, &[&str]); 6] = [
        (".npmrc", &["shell", "node-options", "node_options", "prefix", "globalconfig", "userconfig"]),
        (".yarnrc", &["yarn-path", "script-shell"]),
        (".yarnrc.yml", &["yarnPath", "plugins"]),
        ("pnpm-workspace.yaml", &["scriptShell", "shellEmulator", "nodeOptions"]),
        ("bunfig.toml", &["preload", "shell"]),
        (".pnpmfile.cjs", &[""]),
    ];
    for (name, words) in files {
        let bad = match job.place.context.world.text(&format!("{root}/{name}")) {
            FileText::Missing => false,
            FileText::Text(text) => words.iter().any(|word| text.contains(word)),
            FileText::Unknown => true,
        };
        if bad {
            return Err(Some(format!("`{root}/{name}` changes what runs scripts")));
        }
    }
    Ok(())
}
