//! The rules once more, in Rust: what the policies say must be said here too, and the other way round.
//!
//! Either of the two denies. A test lets random requests through both and compares them rule by rule.

use crate::{
    draft::{Draft, DraftLimits, DraftMount, WHOLE_LIMITS},
    found::Found,
    image,
    verdict::Denial,
};

const SLOTS: [(&str, &str, &str); 3] = [
    ("input", "/workspace/input", "ro"),
    ("data", "/workspace/data", "rw"),
    ("output", "/workspace/output", "rw"),
];
const PLACES: [(&str, &str); 4] = [
    ("WORKSPACE_ROOT", "/workspace"),
    ("WORKSPACE_INPUT", "/workspace/input"),
    ("WORKSPACE_DATA", "/workspace/data"),
    ("WORKSPACE_OUTPUT", "/workspace/output"),
];
const RANGES: [(i128, i128); 5] = [(1, 512), (16 << 20, 8 << 30), (64, 16_384), (1, 3600), (1, 3600)];

/// Every rule that fails, each with the place that made it fail.
pub(crate) fn check(draft: &Draft, found: &Found, env_allow: &[String]) -> Vec<Denial> {
    let mut denials = Vec::new();
    task_and_command(draft, found, &mut denials);
    boundaries(draft, &mut denials);
    image(draft, &mut denials);
    limits(draft.limits.as_ref(), &mut denials);
    mounts(draft.mounts.as_deref(), &mut denials);
    env(draft, env_allow, &mut denials);
    for secret in &found.secrets {
        let reason = format!("the text looks like a secret ({}); runs get no secrets", secret.kind);
        denials.push(Denial::new("S.secret", &secret.field, reason));
    }
    denials
}

fn task_and_command(draft: &Draft, found: &Found, denials: &mut Vec<Denial>) {
    if !draft.task_id.as_deref().is_some_and(is_task_id) {
        denials.push(Denial::new("A.task_id", "task_id", "must be PROJ-CAT-###, such as DEMO-INT-001"));
    }
    if let Err(reason) = is_command(draft.command.as_deref(), found) {
        denials.push(Denial::new("A.command", "command", reason));
    }
    for upload in &found.uploads {
        let reason = format!("`{upload}` uploads; write to /workspace/output and use mi box publish");
        denials.push(Denial::new("F.upload", "command", reason));
    }
}

/// `[A-Z][A-Z0-9]*(-[A-Z][A-Z0-9]*)+-[0-9]{3,6}`.
fn is_task_id(text: &str) -> bool {
    let Some((words, number)) = text.rsplit_once('-') else { return false };
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    text.len() <= 64
        && (3..=6).contains(&number.len())
        && number.bytes().all(|digit| digit.is_ascii_digit())
        && words.contains('-')
        && words.split('-').all(is_word)
}

fn is_command(command: Option<&[String]>, found: &Found) -> Result<(), &'static str> {
    match command {
        None => Err("must be a list of strings"),
        Some([]) => Err("must name a program"),
        Some([first, ..]) if first.is_empty() => Err("must begin with a program that has a name"),
        Some(words) if words.len() > 256 => Err("must have at most 256 words"),
        Some(words) if words.iter().any(|word| word.contains('\0')) => Err("must not hold NUL"),
        Some(_) if found.command_bytes.is_none_or(|bytes| bytes > 32 << 10) => {
            Err("must have at most 32 KiB in all")
        }
        Some(_) => Ok(()),
    }
}

fn boundaries(draft: &Draft, denials: &mut Vec<Denial>) {
    let one = |list: &Option<Vec<String>>, wanted: &str| {
        list.as_deref().is_some_and(|items| items.len() == 1 && items[0] == wanted)
    };
    let checks = [
        ("F.user", "user", draft.user.as_deref() == Some("1000:1000"), "must be exactly \"1000:1000\""),
        ("F.network", "network", draft.network.as_deref() == Some("none"), "must be exactly \"none\""),
        ("F.read_only", "read_only", draft.read_only == Some(true), "must be true"),
        ("F.cap_drop", "cap_drop", one(&draft.cap_drop, "ALL"), "must be exactly [\"ALL\"]"),
        (
            "F.security_opt",
            "security_opt",
            one(&draft.security_opt, "no-new-privileges"),
            "must be exactly [\"no-new-privileges\"]",
        ),
    ];
    for (rule, field, holds, reason) in checks {
        if !holds {
            denials.push(Denial::new(rule, field, reason));
        }
    }
}

fn image(draft: &Draft, denials: &mut Vec<Denial>) {
    let checked = draft.image.as_deref().map_or(Err("must be given"), image::check);
    if let Err(reason) = checked {
        denials.push(Denial::new("I.image", "image", reason));
    }
}

fn limits(limits: Option<&DraftLimits>, denials: &mut Vec<Denial>) {
    let mut deny = |field: String, reason: String| denials.push(Denial::new("X.limits", field, reason));
    let Some(limits) = limits else {
        return deny("limits".to_owned(), "must all be set".to_owned());
    };
    for ((name, value), (least, most)) in WHOLE_LIMITS.iter().zip(limits.whole).zip(RANGES) {
        if !value.is_some_and(|value| (least..=most).contains(&value)) {
            deny(format!("limits.{name}"), format!("must be a whole number from {least} to {most}"));
        }
    }
    if !limits.cpus.is_some_and(|cpus| (0.01..=16.0).contains(&cpus)) {
        deny("limits.cpus".to_owned(), "must be a number from 0.01 to 16".to_owned());
    }
    let [.., step_seconds, job_seconds] = limits.whole;
    if step_seconds.zip(job_seconds).is_some_and(|(step, job)| step > job) {
        deny("limits.step_seconds".to_owned(), "must not be over job_seconds".to_owned());
    }
    if limits.has_strangers {
        deny("limits".to_owned(), "must have the six limits and no other".to_owned());
    }
}

fn mounts(mounts: Option<&[DraftMount]>, denials: &mut Vec<Denial>) {
    let Some(mounts) = mounts else {
        for rule in ["N.mounts", "S.mounts", "W.mounts"] {
            denials.push(Denial::new(rule, "mounts", "must be the three slots input, data and output"));
        }
        return;
    };
    for (index, mount) in mounts.iter().enumerate() {
        each_mount(&format!("mounts.{index}"), mount, denials);
    }
    let sources: Vec<&str> = mounts.iter().filter_map(|mount| mount.source.as_deref()).collect();
    let has_twice = sources.iter().enumerate().any(|(index, source)| sources[..index].contains(source));
    if has_twice {
        denials.push(Denial::new("S.mounts", "mounts", "must have each slot once"));
    }
    for slot in SLOTS {
        if !mounts.iter().any(|mount| mount.whole() == Some(slot)) {
            let reason = format!("must have {} at {} with mode {}", slot.0, slot.1, slot.2);
            denials.push(Denial::new("W.mounts", "mounts", reason));
        }
    }
}

fn each_mount(field: &str, mount: &DraftMount, denials: &mut Vec<Denial>) {
    let mut deny = |rule: &str, reason: &str| denials.push(Denial::new(rule, field, reason));
    let Some(source) = mount.source.as_deref() else {
        for rule in ["N.mounts", "S.mounts", "W.mounts"] {
            deny(rule, "must have a source, a target and a mode");
        }
        return;
    };
    let slot = SLOTS.iter().find(|(name, _, _)| *name == source);
    let is_remote = is_remote(source);
    if is_remote {
        deny("N.mounts", "must not lie on another machine");
    }
    let is_in_place = slot.is_some_and(|(_, target, _)| mount.target.as_deref() == Some(*target));
    if mount.whole().is_none() || !(is_remote || is_in_place) {
        deny(
            "S.mounts",
            "must be input, data or output at /workspace/…; folders of the host are never mounted",
        );
    }
    if slot.is_some_and(|(_, _, mode)| mount.mode.as_deref() != Some(*mode)) {
        deny("W.mounts", "must be ro for input and rw for data and output");
    }
}

/// `nfs://…`, `server:/export`, `//server/share`, `\\server\share`; a drive letter is of this machine.
fn is_remote(source: &str) -> bool {
    let is_host = |host: &str| {
        host.len() >= 2
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'@' | b'-'))
    };
    source.contains("://")
        || source.starts_with("//")
        || source.starts_with("\\\\")
        || source.split_once(':').is_some_and(|(host, _)| is_host(host))
}

fn env(draft: &Draft, env_allow: &[String], denials: &mut Vec<Denial>) {
    let Some(env) = &draft.env else {
        for rule in ["S.env", "W.env", "X.determinism"] {
            denials.push(Denial::new(rule, "env", "must have the eight variables of the example"));
        }
        return;
    };
    let value =
        |name: &str| env.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_deref());
    let mut deny = |rule: &str, name: &str, reason: String| {
        denials.push(Denial::new(rule, format!("env.{name}"), reason));
    };
    for (name, wanted) in [("TZ", "UTC"), ("LC_ALL", "C.UTF-8")] {
        if value(name) != Some(wanted) {
            deny("X.determinism", name, format!("must be {wanted}"));
        }
    }
    for name in ["SOURCE_DATE_EPOCH", "CHORUS_SEED"] {
        if !value(name).is_some_and(is_count) {
            deny("X.determinism", name, "must be a decimal number of 64 bits".to_owned());
        }
    }
    for (name, wanted) in PLACES {
        if value(name) != Some(wanted) {
            deny("W.env", name, format!("must be {wanted}"));
        }
    }
    for (name, value) in env {
        let is_allowed = env_allow.contains(name);
        let is_ours = name.starts_with("WORKSPACE_");
        if value.is_none() {
            deny("S.env", name, "must be a string".to_owned());
        }
        if is_ours && !is_allowed && !PLACES.iter().any(|(known, _)| known == name) {
            deny("W.env", name, "is no variable of the workspace".to_owned());
        }
        let is_known = ["SOURCE_DATE_EPOCH", "TZ", "LC_ALL", "CHORUS_SEED"].contains(&name.as_str());
        if !is_ours && !is_known && !is_allowed {
            deny("S.env", name, "is not allowed; box.env_allow in your own config names more".to_owned());
        }
    }
}

/// Decimal, 64 bits, no sign, no leading zero.
fn is_count(text: &str) -> bool {
    text.bytes().all(|digit| digit.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
        && text.parse::<u64>().is_ok()
}
