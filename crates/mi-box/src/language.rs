//! Which environment a run gets (Rule E): explicit word, model's name, repository's name, keywords, base. Pure.

use std::fmt;

/// The environments that an image can be configured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Language {
    Base,
    Rust,
    Go,
    Python,
    Node,
    Java,
    Cpp,
}

/// What is known about a task, strongest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints<'a> {
    pub explicit: Option<&'a str>,
    pub model: Option<&'a str>,
    pub repository: Option<&'a str>,
    pub description: Option<&'a str>,
}

/// An explicit word that names no environment.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no environment `{0}`: use base, rust, go, python, node, java or cpp")]
pub struct UnknownLanguage(pub String);

impl Language {
    pub const ALL: [Self; 7] =
        [Self::Base, Self::Rust, Self::Go, Self::Python, Self::Node, Self::Java, Self::Cpp];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The environment, by the first hint that tells one.
    pub fn select(hints: &Hints<'_>) -> Result<Self, UnknownLanguage> {
        if let Some(word) = hints.explicit {
            return Self::named(word).ok_or_else(|| UnknownLanguage(word.to_owned()));
        }
        let by_model = hints.model.and_then(Self::by_model);
        let by_repository = || hints.repository.and_then(Self::by_repository);
        let by_description = || hints.description.and_then(Self::by_keywords);
        Ok(by_model.or_else(by_repository).or_else(by_description).unwrap_or(Self::Base))
    }

    fn named(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "base" | "generic" | "shell" | "sh" | "bash" => Self::Base,
            "rust" | "rs" => Self::Rust,
            "go" | "golang" => Self::Go,
            "python" | "py" => Self::Python,
            "node" | "nodejs" | "node.js" | "javascript" | "js" | "typescript" | "ts" => Self::Node,
            "java" => Self::Java,
            "cpp" | "c++" | "c" | "cc" | "cxx" => Self::Cpp,
            _ => return None,
        })
    }

    /// `rust-coder`, `codestral-python:7b`.
    fn by_model(model: &str) -> Option<Self> {
        let words = model.split(|letter: char| !letter.is_alphanumeric() && letter != '+');
        words
            .filter(|word| word.len() > 1)
            .find_map(|word| Self::named(word).filter(|found| *found != Self::Base))
    }

    /// `my-app-rs`, `https://host/user/tool-go.git`.
    fn by_repository(url: &str) -> Option<Self> {
        let name = url.trim_end_matches('/').rsplit(['/', ':']).next()?;
        let name = name.strip_suffix(".git").unwrap_or(name).to_ascii_lowercase();
        let endings = [
            ("-rs", Self::Rust),
            ("-rust", Self::Rust),
            ("-go", Self::Go),
            ("-py", Self::Python),
            ("-python", Self::Python),
            ("-js", Self::Node),
            ("-ts", Self::Node),
            ("-node", Self::Node),
            ("-java", Self::Java),
            ("-cpp", Self::Cpp),
        ];
        endings.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, language)| *language)
    }

    fn by_keywords(text: &str) -> Option<Self> {
        let words: Vec<String> = text
            .to_ascii_lowercase()
            .split(|letter: char| letter.is_whitespace() || "\"'`();|&,".contains(letter))
            .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
            // A program by its path is known by its name.
            .map(|word| {
                if word.starts_with('/') { word.rsplit('/').next().unwrap_or(word) } else { word }.to_owned()
            })
            .collect();
        // `go` alone is a word of every text.
        let says_go = |pair: &[String]| pair[0] == "go" && GO_COMMANDS.contains(&pair[1].as_str());
        if words.windows(2).any(says_go) {
            return Some(Self::Go);
        }
        let is = |language: &(Self, &[&str])| words.iter().any(|word| language.1.contains(&word.as_str()));
        KEYWORDS.iter().find(|language| is(language)).map(|(language, _)| *language)
    }
}

const GO_COMMANDS: [&str; 11] =
    ["build", "fmt", "generate", "get", "install", "list", "mod", "run", "test", "vet", "work"];
const KEYWORDS: [(Language, &[&str]); 6] = [
    (Language::Rust, &["cargo", "rustc", "clippy", "rustfmt", "rust", "cargo.toml"]),
    (Language::Go, &["go.mod", "gofmt", "golang", "gopls", "golangci-lint"]),
    (Language::Python, &["pytest", "pip", "uv", "python", "python3", "mypy", "ruff", "pyproject.toml"]),
    (Language::Node, &["npm", "npx", "pnpm", "yarn", "node", "tsc", "jest", "typescript", "package.json"]),
    (Language::Java, &["mvn", "maven", "gradle", "javac", "java", "junit"]),
    (Language::Cpp, &["cmake", "gcc", "g++", "clang", "ninja", "valgrind", "c++"]),
];

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of the seed: explicit, model, repository, keywords, base.
    #[test]
    fn e_environment_is_selected_in_the_stated_order() {
        let cases = [
            (Some("python"), Some("rust-coder"), Some("x-go"), Some("npm install"), Language::Python),
            (None, Some("rust-coder"), Some("x-go"), Some("npm install"), Language::Rust),
            (None, Some("llama3:8b"), Some("https://h/u/x-go.git"), Some("npm install"), Language::Go),
            (None, None, Some("https://h/u/x"), Some("run npm install."), Language::Node),
            (None, None, None, Some("cargo build --release"), Language::Rust),
            (None, None, None, Some("call pytest"), Language::Python),
            (None, None, None, Some("go test ./..."), Language::Go),
            (None, None, None, Some("/usr/bin/python3 -m x"), Language::Python),
            (None, None, None, Some("go on and say hello"), Language::Base),
            (None, None, None, Some("say hello"), Language::Base),
            (None, None, None, None, Language::Base),
        ];
        for (explicit, model, repository, description, wanted) in cases {
            let hints = Hints { explicit, model, repository, description };
            assert_eq!(Language::select(&hints), Ok(wanted), "{hints:?}");
        }
        let unknown = Hints { explicit: Some("cobol"), ..Hints::default() };
        assert_eq!(Language::select(&unknown), Err(UnknownLanguage("cobol".to_owned())));
    }
}
