//! What admission stands on: the organisation's policies and the Exception DRs in `MI_HOME`, and `mi box admit`.
//!
//! `policies/*.rego` can only add denials. `exceptions/*.json` lift single rules; one that cannot be read lifts nothing
//! and is said on standard error.

use mi_admission::{
    Denial, ExceptionRecord, Exceptions, Instead, MAX_BYTES, Policies, PolicySource, Verdict,
};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    app::App,
    args::AdmitArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// Everything that is asked before a run.
#[derive(Clone)]
pub struct Rules {
    pub policies: Policies,
    pub exceptions: Exceptions,
}

impl Rules {
    pub fn load(app: &App) -> Result<Self, Failure> {
        Ok(Self::new(app, app.settings(&app.folder(), &[])?.r#box.env_allow))
    }

    /// With the variables that the person's settings allow.
    pub fn new(app: &App, env_allow: Vec<String>) -> Self {
        Self { policies: Policies::new(env_allow, organisation(app)), exceptions: exceptions(app) }
    }

    /// Judges a request.
    pub fn admit(&self, app: &App, request: &[u8]) -> Verdict {
        self.admit_with(app, request, &Instead::default())
    }

    /// Judges a request with something else in place of some of its values.
    pub fn admit_with(&self, app: &App, request: &[u8], instead: &Instead<'_>) -> Verdict {
        mi_admission::admit_with(request, instead, &self.policies, &self.exceptions, app.clock.now())
    }
}

/// A policy that is there and cannot be read is an empty policy: it denies. So is a folder of policies.
pub fn organisation(app: &App) -> Vec<PolicySource> {
    let folder = app.home.join("policies");
    let read = |path: PathBuf| PolicySource {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        text: plain_file(&path).and_then(|()| fs::read_to_string(&path)).unwrap_or_default(),
    };
    files(&folder, "rego").unwrap_or_else(|_| vec![folder]).into_iter().map(read).collect()
}

/// What is no file, such as a pipe, is not waited for.
fn plain_file(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() { Ok(()) } else { Err(io::Error::other("not a plain file")) }
}

fn exceptions(app: &App) -> Exceptions {
    let mut records = Vec::new();
    for path in files(&app.home.join("exceptions"), "json").unwrap_or_default() {
        let read = plain_file(&path).and_then(|()| fs::read(&path)).map_err(|error| error.to_string());
        match read.and_then(|bytes| ExceptionRecord::read(&bytes).map_err(|error| error.to_string())) {
            Ok(record) => records.push(record),
            Err(reason) => app.talk(&format!("mi: {} lifts nothing: {reason}", path.display())),
        }
    }
    Exceptions::new(records)
}

/// The files of a folder with an ending, sorted; a folder that is not there has none.
fn files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?.collect::<io::Result<Vec<_>>>()?,
    };
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    files.sort();
    Ok(files)
}

/// `mi box admit`.
pub fn run(app: &App, args: &AdmitArgs) -> Outcome {
    let request = read_request(&args.file)?;
    let verdict = Rules::load(app)?.admit(app, &request);
    if app.common.json {
        app.print_json(&for_programs(&verdict))?;
    } else {
        app.print(&for_people(&verdict))?;
    }
    Ok(exit(&verdict))
}

/// How `mi box admit` ends.
pub fn exit(verdict: &Verdict) -> ExitReason {
    if verdict.is_admitted() { ExitReason::Done } else { ExitReason::Denied }
}

/// One byte more than is allowed, so that a request which is too long is seen.
pub fn read_request(file: &Path) -> Result<Vec<u8>, Failure> {
    let most = MAX_BYTES as u64 + 1;
    let mut request = Vec::new();
    let read = if file.as_os_str() == "-" {
        io::stdin().lock().take(most).read_to_end(&mut request)
    } else {
        File::open(file).and_then(|file| file.take(most).read_to_end(&mut request))
    };
    let failed = |error: io::Error| {
        Failure::new(format!("read the request {}", file.display()))
            .because(&error)
            .todo("give a file, or - for standard input; mi box policy example prints one")
    };
    read.map_err(failed)?;
    Ok(request)
}

/// The object of the contract; what exceptions lifted stands in it only if there is any.
pub fn for_programs(verdict: &Verdict) -> Value {
    let mut object = json!({"admitted": verdict.is_admitted(), "denials": verdict.denials()});
    if !verdict.waived().is_empty() {
        object["waived"] = json!(verdict.waived());
    }
    object
}

fn for_people(verdict: &Verdict) -> String {
    let mut lines: Vec<String> = verdict.denials().iter().map(denial_line).collect();
    for waived in verdict.waived() {
        let (exception, line) = (&waived.exception, denial_line(&waived.denial));
        lines.push(format!("lifted by {} until {}: {line}", exception.id, exception.expiry));
    }
    lines.push(match verdict.spec() {
        Some(spec) => format!("Admitted: {}", spec.task_id),
        None => "Denied. `mi box policy explain RULE` says what a rule asks".to_owned(),
    });
    lines.join("\n")
}

/// A denial on one line.
pub fn denial_line(denial: &Denial) -> String {
    let place = if denial.field.is_empty() { "the request" } else { &denial.field };
    format!("{}  {place}: {}", denial.rule, denial.reason)
}
