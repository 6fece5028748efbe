//! Packages that a project's manifests name.

/// Whether a file lists the packages that a project needs.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = [
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "go.mod",
        "composer.json",
        "Gemfile",
        "pom.xml",
        "setup.cfg",
    ];
    known.contains(&name) || name.starts_with("requirements") && name.ends_with(".txt")
}

/// The packages that the added lines of a manifest name and the removed ones do not.
pub(super) fn added(path: &str, removed: &str, added: &str) -> Vec<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    // Objects in one line are taken apart: `"dependencies": { "a": "^1", "b": "^2" }`.
    let is_json = file.ends_with(".json");
    let packages = |text: &str| -> Vec<String> {
        let entries =
            text.lines().flat_map(|line| line.split(move |char: char| is_json && "{},".contains(char)));
        entries.filter_map(|entry| package(file, entry)).collect()
    };
    let before = packages(removed);
    packages(added).into_iter().filter(|name| !before.contains(name)).collect()
}

/// The package that one line of a manifest names.
fn package(file: &str, line: &str) -> Option<String> {
    let line = line.trim().trim_end_matches(',');
    let named =
        |name: &str| Some(name.trim().trim_matches(['"', '\'']).to_owned()).filter(|name| !name.is_empty());
    match file {
        "package.json" | "composer.json" => {
            let (key, value) = line.split_once(':')?;
            let value = value.trim().trim_matches('"');
            let is_range = value.starts_with(['^', '~', '*', '>', '<', '='])
                || value.starts_with(|char: char| char.is_ascii_digit())
                || ["file:", "git", "latest", "npm:", "http"].iter().any(|start| value.starts_with(start));
            named(key).filter(|key| {
                is_range && !["version", "node", "npm", "php", "engines"].contains(&key.as_str())
            })
        }
        "Cargo.toml" => {
            let (key, value) = line.split_once('=')?;
            let value = value.trim();
            let own = [
                "name",
                "version",
                "edition",
                "rust-version",
                "license",
                "description",
                "authors",
                "path",
                "repository",
                "default",
                "publish",
                "resolver",
                "readme",
            ];
            let is_version = value.starts_with('{')
                || value
                    .trim_matches('"')
                    .starts_with(|char: char| char.is_ascii_digit() || "^~=>*".contains(char));
            named(key).filter(|key| is_version && !own.contains(&key.as_str()))
        }
        "go.mod" => {
            let rest = line.strip_prefix("require ").unwrap_or(line);
            rest.split_once(" v").and_then(|(name, _)| named(name)).filter(|name| name.contains('/'))
        }
        "Gemfile" => line.strip_prefix("gem ").and_then(|rest| named(rest.split(',').next().unwrap_or(rest))),
        "pom.xml" => {
            line.strip_prefix("<artifactId>").and_then(|rest| named(rest.split('<').next().unwrap_or(rest)))
        }
        "pyproject.toml" | "setup.cfg" => {
            // `"requests>=2"` in a list; `requests = "^2"` in a table of Poetry's.
            let text = line.trim_matches(['"', '\'']);
            let end = text.find(['>', '<', '=', '~', '[', ';', ' '])?;
            let is_listed = line.starts_with(['"', '\'']) && text[end..].contains(['>', '<', '=', '~']);
            let is_keyed = text[end..].trim_start().starts_with("= \"^")
                || text[end..].trim_start().starts_with("= \"~");
            named(&text[..end]).filter(|_| is_listed || is_keyed)
        }
        _ => {
            let text = line.split('#').next().unwrap_or_default().trim();
            let name = text.split(['>', '<', '=', '~', '[', ';', ' ']).next().unwrap_or_default();
            named(name).filter(|name| !name.starts_with('-'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new package is named; a newer version of a known one, or another setting, is none.
    #[test]
    fn new_packages_are_named() {
        for (file, removed, text, expected) in [
            ("package.json", "", "    \"left-pad\": \"^1.3.0\",\n", vec!["left-pad"]),
            ("package.json", "  \"version\": \"1.0.0\",\n", "  \"version\": \"1.1.0\",\n", vec![]),
            ("a/package.json", "\"x\": \"^1.0.0\"\n", "\"x\": \"^2.0.0\"\n", vec![]),
            ("package.json", "", "    \"lint\": \"eslint .\"\n", vec![]),
            ("package.json", "", "\"dependencies\": { \"a\": \"^9.0.0\", \"b\": \"1\" },\n", vec!["a", "b"]),
            ("Cargo.toml", "", "serde = { version = \"1\" }\nrand = \"0.9\"\n", vec!["serde", "rand"]),
            ("Cargo.toml", "version = \"0.1.0\"\n", "version = \"0.2.0\"\n", vec![]),
            ("requirements.txt", "flask==2\n", "flask==3\nredis>=5 # cache\n", vec!["redis"]),
            ("pyproject.toml", "", "    \"requests>=2.31\",\n", vec!["requests"]),
            ("go.mod", "", "require example.org/x v1.2.3\n", vec!["example.org/x"]),
            ("Gemfile", "", "gem 'rack', '~> 3'\n", vec!["rack"]),
        ] {
            assert_eq!(added(file, removed, text), expected, "{file}: {text}");
        }
    }
}
