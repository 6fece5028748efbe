//! Makes a recording of any run, for `replay:DIR`.
//!
//! Holds: the project's own repository and index are not touched: the tree is compared through a repository of
//! the recorder's own; secrets are taken out before anything is written. A recording that cannot be completed
//! is noted on the batch and does not stop the run.

use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use mi_process::{Environment, Spawner};

use crate::{
    BatchEnd, BatchOrder, Hands, HandsError, HandsInfo, Observer,
    git::Git,
    replay::{PATCH, PROMPT, PromptPolicy, ReplaySettings, SETTINGS, STREAM},
};

/// Takes the secrets out of a text.
pub type Redact = Box<dyn Fn(&str) -> String>;

/// How a run is recorded.
pub struct RecordSettings {
    /// A folder that is empty or not there yet.
    pub dir: PathBuf,
    pub name: String,
    pub prompt_policy: PromptPolicy,
    pub redact: Redact,
    /// Names, as in an ignore file, that are no part of what the agent did: caches.
    pub left_out: Vec<String>,
    /// For git: it needs `PATH` alone.
    pub environment: Environment,
}

/// Runs another adapter and records what it does.
pub struct Recorder {
    inner: Box<dyn Hands>,
    settings: RecordSettings,
    git: Git,
}

impl Recorder {
    /// Makes the folder.
    pub fn create(
        inner: Box<dyn Hands>,
        spawner: Spawner,
        mut settings: RecordSettings,
    ) -> Result<Self, HandsError> {
        let named = settings.dir.clone();
        let fail = |error: String| HandsError::Record { dir: named.clone(), message: error };
        fs::create_dir_all(&named).map_err(|error| fail(error.to_string()))?;
        // Git runs in the project, where a relative path would mean another folder.
        settings.dir = named.canonicalize().map_err(|error| fail(error.to_string()))?;
        if fs::read_dir(&named).map_err(|error| fail(error.to_string()))?.next().is_some() {
            return Err(fail("the folder is not empty: name a new one".to_owned()));
        }
        let git = Git::new(spawner, settings.environment.clone());
        let recorder = Self { inner, settings, git };
        recorder.write_settings()?;
        Ok(recorder)
    }

    fn write_settings(&self) -> Result<(), HandsError> {
        let info = self.inner.describe();
        let settings = ReplaySettings {
            name: self.settings.name.clone(),
            agent: info.agent,
            version: info.version.unwrap_or_default(),
            prompt_policy: self.settings.prompt_policy,
        };
        let text = toml::to_string(&settings).map_err(|error| self.error(error.to_string()))?;
        self.write(SETTINGS, text.as_bytes()).map_err(|message| self.error(message))
    }

    /// Writes what a batch did; the error is for the notes of the batch.
    fn record(&self, order: &BatchOrder<'_>, end: &BatchEnd, before: &str) -> Result<(), String> {
        let number = format!("{:02}", order.batch_index);
        let redact = &self.settings.redact;
        self.write(&format!("{number}.{PROMPT}"), redact(&order.prompt).as_bytes())?;
        if !order.store_raw {
            return Err("raw transcripts are switched off (transparency.store_raw_transcript)".to_owned());
        }
        let stream = read_stream(&end.transcript.path, redact)?;
        self.write(&format!("{number}.{STREAM}"), stream.as_bytes())?;
        let after = self.snapshot(&order.cwd)?;
        let patch = self.own_git(&order.cwd, &["diff", "--binary", "--no-renames", before, &after])?;
        self.write(&format!("{number}.{PATCH}"), &redact_patch(&patch, redact)?)?;
        // The version is known only once the agent has been asked.
        self.write_settings().map_err(|error| error.to_string())
    }

    /// The tree as it is now, stored in the recorder's own repository; its name.
    fn snapshot(&self, cwd: &Path) -> Result<String, String> {
        let repository = self.repository();
        if !repository.exists() {
            let path = repository.to_string_lossy().into_owned();
            self.git.run(cwd, &["init", "--quiet", "--bare", "--template=", &path])?;
            fs::create_dir_all(repository.join("info")).map_err(|error| error.to_string())?;
            fs::write(repository.join("info/exclude"), self.exclusion(cwd))
                .map_err(|error| error.to_string())?;
        }
        self.own_git(cwd, &["add", "--all", "--", "."])?;
        let name = self.own_git(cwd, &["write-tree"])?;
        Ok(String::from_utf8_lossy(&name).trim().to_owned())
    }

    /// Neither a recording inside the project nor its caches are part of the project.
    fn exclusion(&self, cwd: &Path) -> String {
        let inside = match (self.settings.dir.canonicalize(), cwd.canonicalize()) {
            (Ok(dir), Ok(cwd)) => dir.strip_prefix(cwd).map(Path::to_owned).ok(),
            _ => None,
        };
        let own = inside.map(|path| format!("/{}/", path.display()));
        own.iter().chain(&self.settings.left_out).map(|line| format!("{line}\n")).collect()
    }

    fn own_git(&self, cwd: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
        let repository = format!("--git-dir={}", self.repository().display());
        let tree = format!("--work-tree={}", cwd.display());
        let settings = ["-c", "core.autocrlf=false", "-c", "core.bare=false", "-c", "core.quotePath=true"];
        let mut all = vec![repository.as_str(), tree.as_str()];
        all.extend(settings);
        all.extend(args);
        self.git.run(cwd, &all)
    }

    fn repository(&self) -> PathBuf {
        self.settings.dir.join(".snapshots")
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.settings.dir.join(name);
        fs::write(&path, bytes).map_err(|error| format!("write {}: {error}", path.display()))
    }

    fn error(&self, message: String) -> HandsError {
        HandsError::Record { dir: self.settings.dir.clone(), message }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.repository());
    }
}

impl Hands for Recorder {
    fn describe(&self) -> HandsInfo {
        self.inner.describe()
    }

    fn run_batch(
        &mut self,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
    ) -> Result<BatchEnd, HandsError> {
        let before = self.snapshot(&order.cwd).map_err(|message| self.error(message))?;
        let mut end = self.inner.run_batch(order, observer)?;
        if let Err(message) = self.record(order, &end, &before) {
            let dir = self.settings.dir.display();
            end.notes.push(format!("batch {} is not recorded whole in {dir}: {message}", order.batch_index));
        }
        Ok(end)
    }
}

/// The standard output of a transcript, one JSON object per line, without secrets.
fn read_stream(transcript: &Path, redact: &Redact) -> Result<String, String> {
    let fail = |error: std::io::Error| format!("read {}: {error}", transcript.display());
    let mut stream = String::new();
    for line in BufReader::new(fs::File::open(transcript).map_err(fail)?).lines() {
        let Ok(entry) = serde_json::from_str::<Value>(&line.map_err(fail)?) else { continue };
        if entry.get("stream").and_then(Value::as_str) != Some("stdout") {
            continue;
        }
        let text = entry.get("line").and_then(Value::as_str).unwrap_or_default();
        stream.push_str(&redact_line(text, redact));
        stream.push('\n');
    }
    Ok(stream)
}

/// Secrets are taken out of the strings of an event, not out of its text, so that it stays an event.
fn redact_line(line: &str, redact: &Redact) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(mut value @ Value::Object(_)) => {
            redact_value(&mut value, redact);
            value.to_string()
        }
        _ => serde_json::json!({"delay_ms": 0, "line": redact(line)}).to_string(),
    }
}

fn redact_value(value: &mut Value, redact: &Redact) {
    match value {
        Value::String(text) => *text = redact(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(item, redact)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| redact_value(field, redact)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Takes secrets out of added lines. Other lines must stay as they are for the patch to apply, so a secret in
/// one of them means that there is no patch.
fn redact_patch(patch: &[u8], redact: &Redact) -> Result<Vec<u8>, String> {
    let mut clean = Vec::with_capacity(patch.len());
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        match std::str::from_utf8(line) {
            Ok(text) if redact(text) == text => clean.extend_from_slice(line),
            Ok(text) if text.starts_with('+') && !text.starts_with("+++ ") => {
                let body = text[1..].strip_suffix('\n').unwrap_or(&text[1..]);
                let one_line = redact(body).replace('\n', " ");
                clean.extend_from_slice(format!("+{one_line}").as_bytes());
                clean.extend_from_slice(if text.ends_with('\n') { b"\n" } else { b"" });
            }
            Ok(_) => return Err("its patch needs a line that holds a secret".to_owned()),
            Err(_) => clean.extend_from_slice(line),
        }
    }
    let body: Vec<&[u8]> = clean.split_inclusive(|byte| *byte == b'\n').map(|line| &line[1..]).collect();
    let text = String::from_utf8_lossy(&body.concat()).into_owned();
    // A secret of several lines shows only in the whole.
    if redact(&text) == text {
        Ok(clean)
    } else {
        Err("its patch holds a secret of several lines".to_owned())
    }
}
