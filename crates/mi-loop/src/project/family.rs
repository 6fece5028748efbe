//! Families of languages: files that are tested by the same runners.

/// The family of a source file, where its tests have runners of their own.
pub fn family(path: &str) -> Option<&'static str> {
    let ending = path.rsplit_once('.')?.1;
    let family = match ending {
        "rs" => "Rust",
        "py" => "Python",
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => "JavaScript",
        "go" => "Go",
        "java" | "kt" | "scala" | "groovy" => "JVM",
        "rb" => "Ruby",
        "php" => "PHP",
        "cs" | "fs" | "vb" => ".NET",
        "swift" => "Swift",
        _ => return None,
    };
    Some(family)
}
