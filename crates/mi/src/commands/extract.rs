//! `mi extract`: the files in an agent's reply, shown, and written all or not at all.
//!
//! What a reply holds is decided by `mi-extract`; this reads the reply, shows the result and writes it.

mod recover;
mod target;
mod write;

use mi_extract::{Action, ExtractedFile, Extraction, Limits, Reason, Refusal};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use crate::{
    app::App,
    args::ExtractArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};
use target::Target;

/// A reply longer than this is not read.
const REPLY_BYTES: u64 = 2 << 30;

pub fn run(app: &App, args: &ExtractArgs) -> Outcome {
    let settings = app.settings(&app.folder(), &[])?.extract;
    let reply = read_reply(args.file.as_deref())?;
    let out = args.out.as_deref();
    if let Some(out) = out {
        sweep(app, out)?;
    }
    let target = Target::open(out)?;
    let limits = Limits { file_bytes: settings.max_file_bytes, files: settings.max_files };
    let found = if reply.len() as u64 > REPLY_BYTES {
        Extraction {
            files: Vec::new(),
            refused: vec![Refusal { reason: Reason::TooLarge, line: 1, path: None }],
        }
    } else {
        mi_extract::extract(&reply, &limits, &target)
    };
    let written = match out {
        Some(out) if found.may_write() && !found.files.is_empty() => {
            write::write_all(out, &found.files).map_err(|error| {
                Failure::of(&error)
                    .todo("what was replaced was put back; make room or choose another folder with --out")
            })?;
            true
        }
        _ => false,
    };
    if app.common.json {
        app.print(&for_programs(&found))?;
    } else {
        show(app, &found, out.filter(|_| written))?;
    }
    // A refused block writes nothing (E2).
    Ok(if found.may_write() { ExitReason::Done } else { ExitReason::NeedsYou })
}

/// What came of a reply.
pub struct Taken {
    pub action: &'static str,
    pub files: Vec<String>,
    /// Line, name and reason of each block that was refused; blocks without a name are none.
    pub refused: Vec<String>,
    /// All files stand in the folder.
    pub written: bool,
}

/// Takes the files of a reply into a folder, all or none. One with a secret in it is refused here, since what is taken
/// goes onto a branch.
pub fn take(app: &App, reply: &[u8], out: &Path) -> Result<Taken, Failure> {
    let settings = app.settings(&app.folder(), &[])?.extract;
    let limits = Limits { file_bytes: settings.max_file_bytes, files: settings.max_files };
    let target = Target::open(Some(out))?;
    let found = mi_extract::extract(reply, &limits, &target);
    let secrets: Vec<String> = found.files.iter().filter_map(secret_in).collect();
    let written = found.may_write() && !found.files.is_empty() && secrets.is_empty();
    if written {
        write::write_all(out, &found.files).map_err(|error| Failure::of(&error))?;
    }
    let refusals = found.refused.iter().filter(|refusal| refusal.reason != Reason::NoName);
    let line = |refusal: &Refusal| {
        let name = refusal.path.as_deref().unwrap_or("a block");
        let reason = (refusal.reason.as_str(), refusal.reason.explained());
        format!("line {}, {}: {} ({})", refusal.line, name.escape_debug(), reason.0, reason.1)
    };
    Ok(Taken {
        action: found.action().as_str(),
        files: found.files.iter().map(|file| file.path.clone()).collect(),
        refused: refusals.map(line).chain(secrets).collect(),
        written,
    })
}

fn secret_in(file: &ExtractedFile<'_>) -> Option<String> {
    let found = mi_secrets::find(&file.content);
    let secret = found.iter().find(|finding| finding.level == mi_secrets::Level::Secret)?;
    let name = file.path.escape_debug();
    Some(format!("line {}, {name}: it holds a secret ({}); let it come from outside", file.line, secret.rule))
}

/// Brings what an extraction left behind that was killed to its end, and says so.
fn sweep(app: &App, out: &Path) -> Result<(), Failure> {
    let said = recover::recover(out).map_err(|error| {
        Failure::new(format!("finish an interrupted extraction into {}", out.display()))
            .because(&error)
            .todo("its files are in the folder .mi-extract-… there; make room, or put them right by hand and remove it")
    })?;
    for line in said {
        app.talk(&format!("mi: {line} in {}", out.display()));
    }
    Ok(())
}

/// One byte more than is read, so that a reply which is too long is seen.
fn read_reply(file: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let mut reply = Vec::new();
    match file.filter(|file| file.as_os_str() != "-") {
        None => io::stdin()
            .lock()
            .take(REPLY_BYTES + 1)
            .read_to_end(&mut reply)
            .map_err(|error| Failure::new("read the reply from standard input").because(&error))?,
        Some(path) => File::open(path)
            .and_then(|file| file.take(REPLY_BYTES + 1).read_to_end(&mut reply))
            .map_err(|error| {
                Failure::new(format!("read the reply {}", path.display()))
                    .because(&error)
                    .todo("give an existing text file, or - for standard input")
            })?,
    };
    Ok(reply)
}

/// The object that programs read. Control characters that JSON allows are escaped too: names may hold them.
fn for_programs(found: &Extraction<'_>) -> String {
    let files: Vec<Value> = found.files.iter().map(file_for_programs).collect();
    let refused: Vec<Value> = found
        .refused
        .iter()
        .map(|refusal| json!({"reason": refusal.reason.as_str(), "line": refusal.line, "path": refusal.path}))
        .collect();
    let text = json!({"files": files, "refused": refused, "action": found.action().as_str()}).to_string();
    if !text.contains(char::is_control) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            escaped.push_str(&format!("\\u{:04x}", u32::from(letter)));
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

fn file_for_programs(file: &ExtractedFile<'_>) -> Value {
    json!({
        "path": file.path,
        "language": file.language,
        "bytes": file.content.len(),
        "sha256": mi_model::sha256_hex(file.content.as_bytes()),
        "line": file.line,
    })
}

fn show(app: &App, found: &Extraction<'_>, written: Option<&Path>) -> Outcome {
    let mut text = String::new();
    for file in &found.files {
        text.push_str(&format!("{}  {} bytes, line {}\n", file.path, file.content.len(), file.line));
    }
    for refusal in &found.refused {
        let note = refusal.reason == Reason::NoName;
        let word = if note { "note" } else { "refused" };
        let name = refusal.path.as_deref().map_or(String::new(), |path| format!(" {}", path.escape_debug()));
        let reason = (refusal.reason.as_str(), refusal.reason.explained());
        text.push_str(&format!("{word}: line {}{name}: {} ({})\n", refusal.line, reason.0, reason.1));
    }
    text.push_str(&match (found.action(), written) {
        (_, Some(out)) => format!("{} files written to {}", found.files.len(), out.display()),
        (_, None) if !found.may_write() => "Nothing is written while something is refused.".to_owned(),
        (Action::Create, None) => format!("{} files found; --out DIR writes them", found.files.len()),
        (Action::TaskAnalysis, None) => {
            "No files found. Next: task_analysis, the reply is to be read".to_owned()
        }
    });
    app.print(&text)
}
