//! The table of rules: every id that admission can name, what it asks, and where its policy stands.

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `LETTER.word`.
    pub id: &'static str,
    /// The field it looks at.
    pub field: &'static str,
    /// What it demands, as a sentence without a subject.
    pub demand: &'static str,
    /// Whether a policy decides it; the others are found while reading, or by whoever runs it.
    pub by_policy: bool,
    /// Whether whoever finds it out asks for exceptions.
    pub is_waivable: bool,
}

impl Rule {
    /// Whether an Exception DR can lift it.
    pub fn can_be_lifted(&self) -> bool {
        self.is_waivable && crate::exception::can_be_lifted(self.id)
    }

    /// The policy's text that decides it.
    pub fn policy(&self) -> Option<&'static str> {
        let letter = self.id.split('.').next()?.to_ascii_lowercase();
        let source = BUILTIN.iter().find(|(name, _)| name.strip_suffix(".rego") == Some(letter.as_str()));
        source.filter(|_| self.by_policy).map(|(_, text)| *text)
    }
}

/// The policies that are part of the program.
pub(crate) const BUILTIN: [(&str, &str); 7] = [
    ("a.rego", include_str!("../policies/a.rego")),
    ("f.rego", include_str!("../policies/f.rego")),
    ("i.rego", include_str!("../policies/i.rego")),
    ("n.rego", include_str!("../policies/n.rego")),
    ("s.rego", include_str!("../policies/s.rego")),
    ("w.rego", include_str!("../policies/w.rego")),
    ("x.rego", include_str!("../policies/x.rego")),
];

/// Every rule, in the order of the letters.
pub const RULES: [Rule; 26] = [
    reading("A.depth", "the request is nested at most 16 deep"),
    reading("A.duplicate", "no key stands twice"),
    reading("A.encoding", "the request is UTF-8 without a byte order mark"),
    reading("A.json", "the request is one JSON document and nothing else"),
    reading("A.missing", "every key of the example is there"),
    reading("A.policy", "every policy can be loaded and answers with true, in time"),
    reading("A.size", "the request has at most 64 KiB"),
    reading("A.type", "every value has the example's type"),
    reading("A.unknown", "no key stands besides those of the example"),
    rule("A.command", "command", "is 1 to 256 strings without NUL, the first not empty, 32 KiB in all"),
    rule("A.task_id", "task_id", "is PROJ-CAT-### in capitals, at most 64 characters"),
    rule("F.cap_drop", "cap_drop", "is exactly [\"ALL\"]"),
    rule("F.network", "network", "is exactly \"none\""),
    rule("F.read_only", "read_only", "is true"),
    rule("F.security_opt", "security_opt", "is exactly [\"no-new-privileges\"]"),
    rule("F.upload", "command", "starts nothing that uploads, publishes or pushes; mi box publish does that"),
    rule("F.user", "user", "is exactly \"1000:1000\""),
    rule("I.image", "image", "is name@sha256: and 64 hexadecimal digits, without a tag, not all zero"),
    rule("N.mounts", "mounts", "stay on this machine"),
    rule("S.env", "env", "has only the variables of the example and those that box.env_allow names"),
    rule("S.mounts", "mounts", "are slots of the workspace at their places, each once"),
    rule("S.secret", "", "holds no text that the secrets scanner knows"),
    rule("W.env", "env", "has the four WORKSPACE_ variables with the workspace's places"),
    rule("W.mounts", "mounts", "are input (ro), data (rw) and output (rw)"),
    rule("X.determinism", "env", "has TZ UTC, LC_ALL C.UTF-8, SOURCE_DATE_EPOCH and CHORUS_SEED decimal"),
    rule(
        "X.limits",
        "limits",
        "are pids 1-512, memory_bytes 16 MiB-8 GiB, cpus 0.01-16, nofile 64-16384, step_seconds 1-3600 and not over \
         job_seconds, job_seconds 1-3600",
    ),
];

/// The rule of that name.
pub fn rule_named(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

const fn rule(id: &'static str, field: &'static str, demand: &'static str) -> Rule {
    Rule { id, field, demand, by_policy: true, is_waivable: true }
}

const fn reading(id: &'static str, demand: &'static str) -> Rule {
    Rule { id, field: "", demand, by_policy: false, is_waivable: false }
}
