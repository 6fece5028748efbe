//! The files of the starter set, as they stand in `crates/mi-workspace/starter/`.

/// A file of the set: its path, with `/`, and its text.
pub type StarterFile = (&'static str, &'static str);

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../starter/", $path)))),*]
    };
}

/// Every file, sorted by path. A test compares it with the folder.
pub const STARTER: &[StarterFile] = files![
    "agents/architect/body.md",
    "agents/architect/meta.yml",
    "agents/designer/body.md",
    "agents/designer/meta.yml",
    "agents/engineer/body.md",
    "agents/engineer/meta.yml",
    "agents/postdoc/body.md",
    "agents/postdoc/meta.yml",
    "agents/researcher/body.md",
    "agents/researcher/meta.yml",
    "agents/reviewer/body.md",
    "agents/reviewer/meta.yml",
    "agents/strategist/body.md",
    "agents/strategist/meta.yml",
    "agents/tester/body.md",
    "agents/tester/meta.yml",
    "agents/writer/body.md",
    "agents/writer/meta.yml",
    "skills/mi-setup/body.md",
    "skills/mi-setup/meta.yml",
    "skills/nx-init/body.md",
    "skills/nx-init/meta.yml",
    "skills/nx-plan/body.md",
    "skills/nx-plan/meta.yml",
    "skills/nx-run/body.md",
    "skills/nx-run/meta.yml",
    "skills/nx-sync/body.md",
    "skills/nx-sync/meta.yml",
    "vocabulary/capabilities.yml",
    "vocabulary/categories.yml",
    "vocabulary/invocations.yml",
    "vocabulary/memory_policy.yml",
    "vocabulary/resume-tiers.yml",
    "vocabulary/tags.yml",
    "vocabulary/task-exceptions.yml",
];

#[cfg(test)]
mod tests {
    use super::STARTER;
    use std::{fs, path::Path};

    /// The list names every file of the folder, in order.
    #[test]
    fn nothing_of_the_starter_set_is_left_out() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("starter");
        let (mut folders, mut found) = (vec![root.clone()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        let listed: Vec<&str> = STARTER.iter().map(|(path, _)| *path).collect();
        assert_eq!(found, listed);
    }
}
