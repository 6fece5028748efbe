//! The rules that are found out while a run is made ready, made, watched and collected; those of the request itself are
//! `mi_admission::RULES`.

use mi_admission::Rule;

/// Every one, in the order of the letters.
pub const RULES: [Rule; 28] = [
    rule("A.exec", "nobody runs anything else in the container"),
    rule("F.cap_add", "the engine gives the container no capability"),
    rule("F.descriptors", "no open file of mi goes into the box"),
    rule("F.groups", "the container's user is in no other group"),
    control("F.landlock", "the box may write only where it is told to, by Landlock"),
    rule("F.namespaces", "the container shares no namespace with the machine or another container"),
    rule("F.privileged", "the container is not privileged"),
    control("F.seccomp", "the box may not make dangerous system calls, by a filter"),
    rule("F.start", "the last step into the box is given what it needs"),
    rule("F.sysctls", "the container changes no setting of the kernel"),
    rule("I.advisories", "the advisories that box.advisories names can be read"),
    rule("I.vulnerable", "no package of the image has a critical advisory"),
    rule("N.engine", "the engine runs on this machine and does what it is asked"),
    rule("N.socket", "the engine is asked through a local unix socket"),
    rule("O.extract", "the reply holds files, and none of them is refused"),
    rule("S.classification", "artifact.meta.json is valid"),
    rule("S.devices", "the container gets no device"),
    rule("S.encrypt", "the manifest is encrypted for those that box.age_recipients names"),
    rule("S.held", "outputs that the gate holds back are released by a reviewer before they go anywhere"),
    rule("U.sealed", "what is published is as it was sealed"),
    rule("U.sink", "things go only where sinks.allow names, and arrive"),
    rule("W.input", "what --from gives is plain files and folders without credentials"),
    rule("W.output", "outputs are plain files and folders, within box.max_output_bytes"),
    rule("W.workspace", "the slots of the workspace can be made"),
    rule("X.disk", "data stays within box.max_data_bytes"),
    rule("X.env", "the container has the variables that were admitted"),
    rule("X.reproducible", "two runs of --prove give the same outputs"),
    rule("X.restart", "the engine does not start the container again"),
];

const fn rule(id: &'static str, demand: &'static str) -> Rule {
    Rule { id, field: "", demand, by_policy: false, is_waivable: false }
}

/// A control that an Exception DR lets be missing, on a machine that cannot hold it.
const fn control(id: &'static str, demand: &'static str) -> Rule {
    Rule { is_waivable: true, ..rule(id, demand) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeSet, fs, path::Path};

    /// Every id in the text between quotes: a letter, a dot, a word.
    fn ids(text: &str) -> impl Iterator<Item = &str> {
        text.split('"').filter(|part| {
            part.split_once('.').is_some_and(|(letter, word)| {
                letter.len() == 1
                    && letter.bytes().all(|byte| byte.is_ascii_uppercase())
                    && !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            })
        })
    }

    fn collect(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                collect(&entry.path(), found);
            } else {
                found.extend(ids(&fs::read_to_string(entry.path()).unwrap()).map(str::to_owned));
            }
        }
    }

    /// Whatever rule a denial names, `mi box policy explain` knows it.
    #[test]
    fn every_rule_that_is_named_is_explained() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = BTreeSet::new();
        for folder in ["mi-box/src", "mi/src/commands/boxed", "mi/src/commands/make"] {
            collect(&crates.join(folder), &mut found);
        }
        assert!(found.len() > 30, "{found:?}");
        for id in &found {
            let known = mi_admission::RULES.iter().chain(&RULES).filter(|rule| rule.id == id).count();
            assert_eq!(known, 1, "{id}");
        }
        assert!(RULES.is_sorted_by_key(|rule| rule.id));
    }
}
