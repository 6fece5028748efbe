//! Whether a call worked on the project, with the real programs: paths and variables that lead elsewhere.

use super::{
    super::shell::{Simple, join},
    scope::{Place, place},
};

/// Options whose value is written, not read: it may lie anywhere.
const OUTPUTS: [&str; 16] = [
    "--target-dir",
    "--junitxml",
    "--junit-xml",
    "--basetemp",
    "--cov-report",
    "-coverprofile",
    "-o",
    "--out",
    "--output",
    "--log-file",
    "--cache-dir",
    "--outputFile",
    "--build-path",
    "--results-directory",
    "--workdir",
    "-O",
];

/// Why the arguments of a runner lead out of the project.
pub(super) fn argument_outside(arguments: &[String], directory: &str, root: &str) -> Option<String> {
    let mut option = "";
    for word in arguments {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, value),
            _ => (option, word.as_str()),
        };
        option = if word.starts_with('-') && !word.contains('=') { word } else { "" };
        if !OUTPUTS.contains(&name)
            && let Some(why) = path_outside(value, directory, root)
        {
            return Some(why);
        }
    }
    None
}

fn path_outside(value: &str, directory: &str, root: &str) -> Option<String> {
    let value = value.split("::").next().unwrap_or(value);
    let path = value.strip_prefix("$PWD/").or_else(|| value.strip_prefix("$(pwd)/")).unwrap_or(value);
    let leads_away = ["/", "../", "~"].iter().any(|start| path.starts_with(start)) || path == "..";
    let unknown = path.starts_with('$') && path.contains('/');
    if unknown {
        return Some(format!("where `{value}` leads is not known"));
    }
    let path = path.trim_end_matches("...");
    match place(&join(directory, path), root) {
        Place::Outside(_) | Place::Unknown if leads_away => {
            Some(format!("it was sent to `{value}`, not to the project"))
        }
        _ => None,
    }
}

/// Why variables make the call doubtful: set before it in the same script, for it, or by `env`.
pub(crate) fn doubtful_variables(earlier: &[Simple], part: &Simple, root: &str) -> Option<String> {
    let exported = |part: &Simple| {
        let is_export = matches!(part.words.first().map(String::as_str), Some("export" | "declare" | "env"));
        let words = part.words.iter().filter(move |_| is_export);
        words.filter_map(|word| word.split_once('=')).map(owned).collect::<Vec<_>>()
    };
    let lasting = earlier.iter().flat_map(|part| {
        let own = if part.words.is_empty() { part.assignments.clone() } else { Vec::new() };
        own.into_iter().chain(exported(part))
    });
    let all = lasting.chain(part.assignments.iter().cloned()).chain(exported(part));
    all.into_iter().find_map(|(name, value)| doubtful(&name, &value, root))
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn doubtful(name: &str, value: &str, root: &str) -> Option<String> {
    let mut entries = value.split(':').filter(|entry| !entry.is_empty());
    match name {
        "PATH" => entries
            .any(|entry| !is_tool_folder(entry))
            .then(|| "it ran with a search path that may hide the real program".to_owned()),
        "PYTHONPATH" | "NODE_PATH" | "RUBYLIB" | "CLASSPATH" | "GOPATH" => entries
            .find(|entry| *entry != format!("${name}") && path_outside(entry, ".", root).is_some())
            .map(|entry| format!("`{name}` leads to `{entry}`, outside the project")),
        "LD_PRELOAD" | "BASH_ENV" | "PYTHONHOME" | "MAKEFILES" => Some(format!("`{name}` was set for it")),
        "MAKEFLAGS" | "PYTEST_ADDOPTS" | "GOFLAGS" | "NODE_OPTIONS" => {
            let harmless = |word: &str| {
                ["-q", "-v", "-s", "-j", "-mod=", "--color", "--tb", "--max-old-space-size", "-count"]
                    .iter()
                    .any(|start| word.starts_with(start))
            };
            let plain = value.split_whitespace().all(harmless);
            (!plain).then(|| format!("`{name}` changes how it runs"))
        }
        _ if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") => {
            Some(format!("`{name}` was set for it"))
        }
        _ => None,
    }
}

/// A folder of a search path in which tools are installed.
fn is_tool_folder(entry: &str) -> bool {
    let system = ["/usr/", "/bin", "/sbin", "/opt/", "/nix/", "/snap/", "/home/linuxbrew/"];
    let managers = [
        "/.cargo/bin",
        "/.local/bin",
        "/.nvm/",
        "/.pyenv/",
        "/.rbenv/",
        "/.asdf/",
        "/.volta/",
        "/.deno/bin",
        "/.bun/bin",
        "/go/bin",
        "/.dotnet",
    ];
    let local = ["node_modules/.bin", "venv/bin", "vendor/bin"];
    let temporary = ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|start| entry.starts_with(start));
    let is_kept = entry == "$PATH" || entry == "${PATH}";
    is_kept
        || !temporary
            && (system.iter().any(|start| entry.starts_with(start))
                || managers.iter().any(|part| entry.contains(part))
                || local.iter().any(|end| entry.ends_with(end))
                || entry.starts_with("$JAVA_HOME"))
}
