//! What is asked of the engine, and what it must then say that it made (Rule A, step 4).
//!
//! Holds: both come from the same admitted spec; every field that could open the box is looked at, and one that is
//! missing, of another type or not as asked is a denial.

use mi_admission::{Denial, RunSpec};
use serde_json::{Value, json};
use std::path::Path;

use super::Image;
use crate::engine::Job;

const SHARED_MEMORY_BYTES: u64 = 64 << 20;
const MOST_PROCESSES: u64 = 8192;
/// What an engine adds to the environment by itself.
const ENGINES_OWN: [&str; 5] = ["PATH", "HOME", "HOSTNAME", "TERM", "container"];

/// The body of the create call.
pub(super) fn request(job: &Job<'_>, image: &str, known: &Image, home: &str) -> Value {
    let spec = job.work.spec;
    // A check of the image's own would run beside the command.
    let health =
        if known.said["Config"]["Healthcheck"].is_null() { Value::Null } else { json!({"Test": ["NONE"]}) };
    let limit = |name: &str, most: u64| json!({"Name": name, "Soft": most, "Hard": most});
    json!({
        "Image": image,
        "Cmd": spec.command,
        "Entrypoint": [],
        "Env": spec.env.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
        "User": spec.user,
        "WorkingDir": "/workspace/data",
        "Hostname": "box",
        "NetworkDisabled": true,
        "AttachStdout": true,
        "AttachStderr": true,
        "Tty": false,
        "OpenStdin": false,
        "Healthcheck": health,
        "Labels": {"mi.box.run": job.live.id, "mi.box.home": home},
        "HostConfig": {
            "NetworkMode": spec.network,
            "ReadonlyRootfs": spec.read_only,
            "CapDrop": spec.cap_drop,
            "SecurityOpt": spec.security_opt,
            "Privileged": false,
            "PidsLimit": spec.limits.pids,
            "Memory": spec.limits.memory_bytes,
            "MemorySwap": spec.limits.memory_bytes,
            "NanoCpus": nano_cpus(spec),
            "Ulimits": [limit("nofile", spec.limits.nofile), limit("core", 0), limit("nproc", processes())],
            "Mounts": spec.mounts.iter().map(|mount| json!({
                "Type": "bind",
                "Source": job.live.slot(&mount.source),
                "Target": mount.target,
                "ReadOnly": mount.mode == "ro",
                "BindOptions": {"Propagation": "rprivate"},
            })).collect::<Vec<_>>(),
            "Tmpfs": tmpfs(job.work.slots.temp_bytes, &owner(spec, known.is_podman)),
            "ShmSize": SHARED_MEMORY_BYTES.min(job.work.slots.temp_bytes),
            "IpcMode": "private",
            // Docker's default with control groups of version 1 is the machine's own.
            "CgroupnsMode": "private",
            "AutoRemove": false,
            "RestartPolicy": {"Name": "no"},
            "LogConfig": {"Type": "none"},
        },
    })
}

/// Where folders in memory are.
const IN_MEMORY: [&str; 3] = ["/tmp", "/run", "/var/tmp"];

/// Podman adds folders in memory that can be written to a read-only root; where one is asked for, it adds none.
fn tmpfs(temp_bytes: u64, owner: &str) -> Value {
    let closed = "ro,nosuid,nodev,noexec,size=65536";
    let open = format!("rw,nosuid,nodev,size={temp_bytes},mode=1777{owner}");
    let [first, others @ ..] = IN_MEMORY;
    let others = others.map(|place| (place.to_owned(), json!(closed)));
    std::iter::once((first.to_owned(), json!(open))).chain(others).collect()
}

/// Gives `/tmp` to the command's user (X4), in the words of the engine. The mode alone is not enough: runc puts the mode of
/// the image's own folder back on it, and images are made in which that is 755 and root's.
fn owner(spec: &RunSpec, is_podman: bool) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match spec.user.split_once(':') {
        Some((user, group)) if is_number(user) && is_number(group) => {
            if is_podman {
                ",U".to_owned()
            } else {
                format!(",uid={user},gid={group}")
            }
        }
        _ => String::new(),
    }
}

/// An engine's own default may be over what this machine allows, and then nothing starts. The limit that counts is that
/// of the container's pids.
fn processes() -> u64 {
    let hard = rustix::process::getrlimit(rustix::process::Resource::Nproc).maximum;
    hard.map_or(MOST_PROCESSES, |hard| hard.min(MOST_PROCESSES))
}

fn nano_cpus(spec: &RunSpec) -> u64 {
    (spec.limits.cpus * 1e9).round() as u64
}

/// Everything in which the container is not what was asked for. `image` is what the engine says of the image itself.
pub(super) fn differences(job: &Job<'_>, image: &Value, made: &Value) -> Vec<Denial> {
    let mut look = Look { made, denials: Vec::new() };
    let spec = job.work.spec;
    look.same("F.network", "/HostConfig/NetworkMode", &json!(spec.network));
    look.networks();
    look.same("F.user", "/Config/User", &json!(spec.user));
    look.same("F.read_only", "/HostConfig/ReadonlyRootfs", &json!(spec.read_only));
    look.same("F.privileged", "/HostConfig/Privileged", &json!(false));
    look.capabilities();
    look.security(&spec.security_opt);
    look.same("X.limits", "/HostConfig/PidsLimit", &json!(spec.limits.pids));
    look.same("X.limits", "/HostConfig/Memory", &json!(spec.limits.memory_bytes));
    look.same("X.limits", "/HostConfig/MemorySwap", &json!(spec.limits.memory_bytes));
    look.same("X.limits", "/HostConfig/NanoCpus", &json!(nano_cpus(spec)));
    look.open_files(spec.limits.nofile);
    look.absent("X.limits", "/HostConfig/OomKillDisable");
    look.mounts(job);
    look.binds(job);
    look.memory_folders();
    look.no_restart();
    look.no_health_check();
    look.same("A.command", "/Config/Cmd", &json!(spec.command));
    look.absent("A.command", "/Config/Entrypoint");
    look.environment(spec, image);
    look.same_text("I.image", "/Image", &image["Id"]);
    for (rule, field) in ABSENT {
        look.absent(rule, field);
    }
    for (rule, field) in OWN_NAMESPACE {
        look.own_namespace(rule, field);
    }
    look.denials
}

const ABSENT: [(&str, &str); 14] = [
    ("F.cap_add", "/HostConfig/CapAdd"),
    ("S.mounts", "/HostConfig/VolumesFrom"),
    ("S.devices", "/HostConfig/Devices"),
    ("S.devices", "/HostConfig/DeviceRequests"),
    ("S.devices", "/HostConfig/DeviceCgroupRules"),
    ("F.network", "/HostConfig/PortBindings"),
    ("F.network", "/HostConfig/ExtraHosts"),
    ("F.network", "/HostConfig/Links"),
    ("F.network", "/HostConfig/Dns"),
    ("F.network", "/HostConfig/PublishAllPorts"),
    ("F.network", "/NetworkSettings/Ports"),
    ("F.sysctls", "/HostConfig/Sysctls"),
    ("F.groups", "/HostConfig/GroupAdd"),
    ("A.exec", "/ExecIDs"),
];

const OWN_NAMESPACE: [(&str, &str); 5] = [
    ("F.namespaces", "/HostConfig/PidMode"),
    ("F.namespaces", "/HostConfig/IpcMode"),
    ("F.namespaces", "/HostConfig/UTSMode"),
    ("F.namespaces", "/HostConfig/CgroupnsMode"),
    ("F.namespaces", "/HostConfig/UsernsMode"),
];

/// What engines leave a container unless they are told otherwise.
const DEFAULT_CAPABILITIES: [&str; 11] = [
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// What the system itself says of a container's first process; it runs on this machine.
pub(super) fn powers(made: &Value) -> Option<Denial> {
    let id = made.pointer("/State/Pid")?.as_i64().filter(|id| *id > 0)?;
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let powerless = field("CapEff:").is_none_or(|powers| powers.bytes().all(|digit| digit == b'0'));
    let bound = field("NoNewPrivs:").is_none_or(|bound| bound == "1");
    (!powerless || !bound)
        .then(|| Denial::new("F.cap_drop", "State.Pid", "the container's first process has powers"))
}

struct Look<'a> {
    made: &'a Value,
    denials: Vec<Denial>,
}

impl Look<'_> {
    fn deny(&mut self, rule: &str, field: &str, reason: String) {
        self.denials.push(Denial::new(rule, field.trim_start_matches('/').replace('/', "."), reason));
    }

    fn at(&self, field: &str) -> Value {
        self.made.pointer(field).cloned().unwrap_or(Value::Null)
    }

    fn same(&mut self, rule: &str, field: &str, wanted: &Value) {
        let made = self.at(field);
        if made != *wanted {
            self.deny(rule, field, format!("asked for {wanted}, the engine made {made}"));
        }
    }

    /// An image's id, with or without the name of its algorithm.
    fn same_text(&mut self, rule: &str, field: &str, wanted: &Value) {
        let bare = |value: &Value| value.as_str().map(|text| text.trim_start_matches("sha256:").to_owned());
        let made = self.at(field);
        if bare(&made).is_none() || bare(&made) != bare(wanted) {
            self.deny(rule, field, format!("asked for {wanted}, the engine took {made}"));
        }
    }

    fn absent(&mut self, rule: &str, field: &str) {
        let made = self.at(field);
        let is_nothing = match &made {
            Value::Null => true,
            Value::Bool(on) => !on,
            Value::Array(items) => items.is_empty(),
            Value::Object(items) => items.is_empty(),
            Value::String(text) => text.is_empty(),
            Value::Number(_) => false,
        };
        if !is_nothing {
            self.deny(rule, field, format!("nothing was asked for, the engine made {made}"));
        }
    }

    fn own_namespace(&mut self, rule: &str, field: &str) {
        let made = self.at(field);
        let is_own = matches!(made.as_str(), None | Some("" | "private" | "shareable"));
        if !is_own {
            self.deny(rule, field, format!("the container shares a namespace: {made}"));
        }
    }

    fn networks(&mut self) {
        let field = "/NetworkSettings/Networks";
        let made = self.at(field);
        let others: Vec<&String> = made
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
            .filter(|name| *name != "none")
            .collect();
        if !others.is_empty() {
            self.deny("F.network", field, format!("the container is on a network: {others:?}"));
        }
    }

    /// Docker repeats the word; Podman lists each capability of the default set that was taken away.
    fn capabilities(&mut self) {
        let field = "/HostConfig/CapDrop";
        let made = self.at(field);
        let dropped: Vec<&str> = made.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let has = |wanted: &&str| dropped.iter().any(|name| name.trim_start_matches("CAP_") == *wanted);
        if dropped != ["ALL"] && !DEFAULT_CAPABILITIES.iter().all(has) {
            self.deny("F.cap_drop", field, format!("all capabilities were to go, the engine dropped {made}"));
        }
    }

    fn security(&mut self, wanted: &[String]) {
        let field = "/HostConfig/SecurityOpt";
        let made = self.at(field);
        let options: Vec<&str> = made.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let bare = |option: &str| option.trim_end_matches([':', '=']).to_owned();
        let has =
            |wanted: &String| options.iter().any(|option| bare(option.trim_end_matches("true")) == *wanted);
        let open = options.iter().any(|option| option.contains("unconfined") || option.contains("disable"));
        if !wanted.iter().all(has) || open {
            self.deny("F.security_opt", field, format!("asked for {wanted:?}, the engine made {made}"));
        }
    }

    fn open_files(&mut self, wanted: u64) {
        let field = "/HostConfig/Ulimits";
        let made = self.at(field);
        let is_files = |limit: &&Value| {
            let name = limit["Name"].as_str().unwrap_or_default().to_ascii_lowercase();
            name == "nofile" || name == "rlimit_nofile"
        };
        let found = made.as_array().into_iter().flatten().find(is_files);
        if found.is_none_or(|limit| limit["Soft"] != json!(wanted) || limit["Hard"] != json!(wanted)) {
            self.deny("X.limits", field, format!("asked for {wanted} open files, the engine made {made}"));
        }
    }

    /// Exactly the slots, each from its own folder.
    fn mounts(&mut self, job: &Job<'_>) {
        let field = "/Mounts";
        let made = self.at(field);
        let list: Vec<&Value> = made.as_array().into_iter().flatten().collect();
        let (slots, others): (Vec<&Value>, Vec<&Value>) =
            list.into_iter().partition(|mount| mount["Type"] == "bind");
        for other in others {
            let place = other["Destination"].as_str().unwrap_or_default();
            if other["Type"] != "tmpfs" || !IN_MEMORY.contains(&place) {
                self.deny(
                    "S.mounts",
                    field,
                    format!("a mount that was not asked for: {}", other["Destination"]),
                );
            }
        }
        if slots.len() != job.work.spec.mounts.len() {
            self.deny("S.mounts", field, format!("{} folders are mounted, not three", slots.len()));
        }
        for wanted in &job.work.spec.mounts {
            let source = job.live.slot(&wanted.source);
            let fits = |mount: &&&Value| {
                mount["Destination"] == wanted.target.as_str()
                    && mount["Source"].as_str().map(Path::new) == Some(source.as_path())
                    && mount["RW"] == json!(wanted.mode == "rw")
            };
            if !slots.iter().any(|mount| fits(&mount)) {
                self.deny("S.mounts", field, format!("{} is not mounted as asked", wanted.target));
            }
        }
    }

    /// Podman repeats the slots here; anything else is a way to the machine's own files.
    fn binds(&mut self, job: &Job<'_>) {
        let field = "/HostConfig/Binds";
        let made = self.at(field);
        let is_slot = |bind: &Value| {
            let bind = bind.as_str().unwrap_or_default();
            job.work.spec.mounts.iter().any(|mount| {
                let asked = format!("{}:{}", job.live.slot(&mount.source).display(), mount.target);
                bind.strip_prefix(&asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
            })
        };
        let others: Vec<&Value> =
            made.as_array().into_iter().flatten().filter(|bind| !is_slot(bind)).collect();
        if !others.is_empty() {
            self.deny("S.mounts", field, format!("folders that were not asked for: {others:?}"));
        }
    }

    fn memory_folders(&mut self) {
        let field = "/HostConfig/Tmpfs";
        let made = self.at(field);
        let places = made.as_object().into_iter().flatten().map(|(place, _)| place.as_str());
        let others: Vec<&str> = places.filter(|place| !IN_MEMORY.contains(place)).collect();
        if !others.is_empty() {
            self.deny("S.mounts", field, format!("folders in memory that were not asked for: {others:?}"));
        }
    }

    fn no_restart(&mut self) {
        let field = "/HostConfig/RestartPolicy/Name";
        let made = self.at(field);
        if !matches!(made.as_str(), None | Some("" | "no")) {
            self.deny("X.restart", field, format!("the engine would start the container again: {made}"));
        }
    }

    /// What an engine would run beside the command.
    fn no_health_check(&mut self) {
        let field = "/Config/Healthcheck/Test";
        let made = self.at(field);
        let words: Vec<&str> = made.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !matches!(words[..], [] | ["NONE"]) {
            self.deny("A.exec", field, format!("the engine would run something else: {made}"));
        }
    }

    /// What was admitted, what the image brings, and what every engine adds.
    fn environment(&mut self, spec: &RunSpec, image: &Value) {
        let field = "/Config/Env";
        let list = |value: Option<&Value>| -> Vec<String> {
            let items = value.and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (made, images) = (list(self.made.pointer(field)), list(image.pointer("/Config/Env")));
        for (name, value) in &spec.env {
            if !made.contains(&format!("{name}={value}")) {
                self.deny("X.env", field, format!("{name} is not set as admitted"));
            }
        }
        for variable in &made {
            let name = variable.split('=').next().unwrap_or_default();
            let known =
                spec.env.contains_key(name) || ENGINES_OWN.contains(&name) || images.contains(variable);
            if !known {
                self.deny("S.env", field, format!("{name} was not admitted"));
            } else if !spec.env.contains_key(name) && mi_secrets::contains_secret(variable) {
                let name = mi_secrets::redact(name);
                self.deny("S.secret", field, format!("the image sets {name} to what looks like a secret"));
            }
        }
    }
}
