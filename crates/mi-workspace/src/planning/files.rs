//! Which files a task touches, read from what is said about it.
//!
//! 1. A line `target_files: a, b` (also `target files:` and `files:`; in any letter case; a leading `-` or `*` is
//!    passed over) in title, context, approach or acceptance declares the files, separated by commas or blanks. Where
//!    there is such a line, nothing else counts.
//! 2. Otherwise every word of these texts that looks like a path: cut at blanks, quotes, brackets and commas, freed of
//!    `./` before it and of punctuation and `:line` behind it; it has a file ending of letters and digits (`a/b.rs`,
//!    `README.md`), or is a file that is known without one (`Makefile`). URLs, versions and abbreviations are no paths.
//!
//! Generated files (build output, lock files) are told apart; they do not count (NX-313).

use super::Task;

/// The files that a task touches, generated ones included, each once, in order of appearance.
pub fn target_files(task: &Task) -> Vec<String> {
    in_text(&task.text())
}

pub(super) fn in_text(text: &str) -> Vec<String> {
    let declared: Vec<&str> = text.lines().filter_map(declaration).collect();
    let words: Vec<&str> = if declared.is_empty() {
        text.split(is_border).collect()
    } else {
        declared.iter().flat_map(|list| list.split(is_border)).collect()
    };
    let is_declared = !declared.is_empty();
    let mut found = Vec::new();
    for word in words {
        let path = trimmed(word);
        let is_path = if is_declared { !path.is_empty() } else { looks_like_a_path(path) };
        if is_path && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
        }
    }
    found
}

/// What stands behind `target_files:`.
fn declaration(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(['-', '*']).trim_start();
    let (key, list) = line.split_once(':')?;
    let key = key.trim().to_ascii_lowercase().replace(['_', '-'], " ");
    ["target files", "target file", "files"].contains(&key.as_str()).then_some(list)
}

fn is_border(character: char) -> bool {
    character.is_whitespace() || "\"'`,;()[]{}<>|“”‘’「」（），、。".contains(character)
}

fn trimmed(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ':', '!', '?', '*', '/']).trim_start_matches('*');
    let word = word.strip_prefix("./").unwrap_or(word);
    match word.split_once(':') {
        Some((path, line))
            if !line.is_empty() && line.chars().all(|next| next.is_ascii_digit() || next == ':') =>
        {
            path
        }
        _ => word,
    }
}

const BARE_NAMES: [&str; 5] = ["Makefile", "Dockerfile", "Justfile", "LICENSE", "Jenkinsfile"];

fn looks_like_a_path(word: &str) -> bool {
    if word.contains("://") || word.contains('@') || word.contains("..") || word.starts_with('/') {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    if BARE_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let is_ending = (1..=8).contains(&ending.len())
        && ending.chars().all(|next| next.is_ascii_alphanumeric())
        && ending.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_abbreviation = !word.contains('/') && stem.chars().count() <= 1;
    // `obj.method` in prose is no file; without a folder only endings that files have in practice count.
    is_ending
        && !is_abbreviation
        && (word.contains('/') || ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

const ENDINGS: [&str; 44] = [
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp",
    "cs", "rb", "php", "swift", "sh", "sql", "html", "css", "scss", "vue", "svelte", "md", "mdx", "rst",
    "txt", "adoc", "json", "yml", "yaml", "toml", "xml", "ini", "cfg", "lock", "proto", "graphql", "tf",
    "snap",
];

/// Build output: nobody decides anything in it (NX-313, generated_artifacts).
pub fn is_generated(path: &str) -> bool {
    const FOLDERS: [&str; 9] = [
        "dist",
        "build",
        "target",
        "out",
        "node_modules",
        "coverage",
        "__pycache__",
        "generated",
        "__generated__",
    ];
    const NAMES: [&str; 14] = [
        "Cargo.lock",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
        "bun.lockb",
        "poetry.lock",
        "uv.lock",
        "Pipfile.lock",
        "Gemfile.lock",
        "composer.lock",
        "mix.lock",
        "go.sum",
    ];
    const ENDINGS: [&str; 8] =
        [".min.js", ".min.css", ".snap", ".pyc", ".map", ".pb.go", "_pb2.py", "_pb2_grpc.py"];
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.contains(".generated.")
        || name.contains("_generated.")
}

/// Text for people: what `docs_only` means.
pub(super) fn is_document(path: &str) -> bool {
    [".md", ".mdx", ".markdown"].iter().any(|ending| path.to_ascii_lowercase().ends_with(ending))
}

/// The files that count: all but generated ones.
pub(super) fn counted(files: &[String]) -> Vec<&str> {
    files.iter().map(String::as_str).filter(|path| !is_generated(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::{in_text, is_generated};

    /// Paths are read from prose, declared ones take their place.
    #[test]
    fn nx_312_files_are_read_from_text() {
        let cases = [
            (
                "Change `src/a.rs:12` and ./docs/b.md, then README.md.",
                vec!["src/a.rs", "docs/b.md", "README.md"],
            ),
            ("See https://example.org/x.html, e.g. version 1.2.3 or obj.method.", vec![]),
            ("a/b.rs a/b.rs", vec!["a/b.rs"]),
            ("target_files: x.rs, lib/y\nsee src/z.rs", vec!["x.rs", "lib/y"]),
            ("- Target files: only.py", vec!["only.py"]),
            ("Makefile 와 src/가.rs 를 고친다", vec!["Makefile", "src/가.rs"]),
            ("../secret.txt /etc/passwd.txt me@a.md", vec![]),
        ];
        for (text, wanted) in cases {
            assert_eq!(in_text(text), wanted, "{text}");
        }
    }

    /// What a build makes does not count.
    #[test]
    fn nx_313_generated_files() {
        for path in [
            "dist/a.js",
            "web/build/x.css",
            "Cargo.lock",
            "a/b.min.js",
            "api.generated.ts",
            "t/x.snap",
            "uv.lock",
            "web/bun.lock",
            "api/x.pb.go",
            "src/__generated__/q.ts",
        ] {
            assert!(is_generated(path), "{path}");
        }
        for path in ["src/a.rs", "builder.rs", "src/output.rs", "docs/distance.md", "lock.rs", "pb2.py"] {
            assert!(!is_generated(path), "{path}");
        }
    }
}
