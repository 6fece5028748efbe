//! The files a patch touches: the `apply_patch` format of Codex, and unified diffs.

/// What a patch does to one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatchEffect {
    Write,
    Delete,
}

/// Every path that the patch touches; none if the text is no patch that can be read.
pub(super) fn files(patch: &str) -> Option<Vec<(PatchEffect, String)>> {
    let mut files = if patch.contains("*** Begin Patch") { marked(patch)? } else { unified(patch) };
    files.dedup();
    (!files.is_empty()).then_some(files)
}

fn marked(patch: &str) -> Option<Vec<(PatchEffect, String)>> {
    let mut files = Vec::new();
    for line in patch.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix("*** ") else { continue };
        let (word, path) = match rest.split_once(": ").or_else(|| rest.split_once(':')) {
            Some((word, path)) => (word, path.trim()),
            None if matches!(rest, "Begin Patch" | "End Patch" | "End of File") => continue,
            None => return None,
        };
        match word {
            "Add File" | "Update File" | "Move to" => files.push((PatchEffect::Write, path.to_owned())),
            "Delete File" => files.push((PatchEffect::Delete, path.to_owned())),
            "Environment ID" => {}
            _ => return None,
        }
        if word == "Move to" {
            // The file that is moved away is gone afterwards.
            let moved = files.iter().rev().nth(1).map(|(_, path)| path.clone());
            files.extend(moved.map(|path| (PatchEffect::Delete, path)));
        }
    }
    Some(files)
}

fn unified(patch: &str) -> Vec<(PatchEffect, String)> {
    let mut files = Vec::new();
    for line in patch.lines() {
        for (prefix, effect) in [
            ("+++ ", PatchEffect::Write),
            ("--- ", PatchEffect::Write),
            ("rename to ", PatchEffect::Write),
            ("copy to ", PatchEffect::Write),
            ("rename from ", PatchEffect::Delete),
            ("Index: ", PatchEffect::Write),
        ] {
            let Some(name) = line.strip_prefix(prefix) else { continue };
            let name = name.split('\t').next().unwrap_or(name).trim();
            let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
            if name != "/dev/null" && !name.is_empty() {
                files.push((effect, name.to_owned()));
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{PatchEffect::*, *};

    /// Adding, updating, moving and deleting are all seen.
    #[test]
    fn d_19_patches_name_their_files() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: ../c\n@@\n-x\n+y\n*** Delete File: /d\n*** End Patch\n";
        let expected = [(Write, "a"), (Write, "b"), (Write, "../c"), (Delete, "b"), (Delete, "/d")];
        let expected: Vec<_> = expected.into_iter().map(|(effect, path)| (effect, path.to_owned())).collect();
        assert_eq!(files(patch), Some(expected));
        assert_eq!(files("--- a/x\n+++ b/x\n@@ -1 +1 @@\n"), Some(vec![(Write, "x".to_owned())]));
        assert_eq!(files("hello"), None);
        assert_eq!(files("*** Begin Patch\n*** Frobnicate: x\n*** End Patch"), None);
    }
}
