//! What another AI may see: named files and a diff, none of them private or of other work, none with secrets.

use mi_gate::{
    change_unit,
    consult::Snippet,
    permission::{Action, Verdict},
};
use mi_hook::gate::Gate;
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    app::App,
    args::deploy::ConsultArgs,
    commands::{cu, gate, repository},
    failure::Failure,
};

/// Texts to send, and images to show.
pub(super) struct Context {
    pub(super) snippets: Vec<Snippet>,
    pub(super) images: Vec<PathBuf>,
}

/// The most that is read of one file.
const MOST_BYTES: u64 = 20 << 20;

pub(super) fn gather(app: &App, args: &ConsultArgs, gate: &Gate) -> Result<Context, Failure> {
    let mut context = Context { snippets: Vec::new(), images: Vec::new() };
    for path in &args.files {
        let path = app.folder().join(path);
        may_see(app, gate, &path)?;
        let fail = |error: std::io::Error| Failure::usage(format!("read {}", path.display())).because(&error);
        let found = fs::metadata(&path).map_err(fail)?;
        if !found.is_file() || found.len() > MOST_BYTES {
            return Err(Failure::usage(format!("{} is no file, or larger than 20 MiB", path.display())));
        }
        match String::from_utf8(fs::read(&path).map_err(fail)?) {
            Ok(text) => context.snippets.push(Snippet { name: shown(app, &path), text }),
            Err(_) => context.images.push(path),
        }
    }
    let diff = match &args.diff {
        Some(path) => Some(cu::read_diff(path)?),
        None if args.staged => Some(repository::staged(&app.folder())?),
        None => None,
    };
    if let Some(text) = diff.filter(|text| !text.trim().is_empty()) {
        let files =
            change_unit::count(&text, &|_| false).map_err(|error| Failure::usage(error.to_string()))?;
        for file in &files.files {
            may_see(app, gate, &app.folder().join(&file.path))?;
        }
        context.snippets.push(Snippet { name: "the change".to_owned(), text });
    }
    Ok(context)
}

/// Private memory, what was said and done before, and files that hold secrets go to nobody outside (D.14).
fn may_see(app: &App, gate: &Gate, path: &Path) -> Result<(), Failure> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let decision = gate.decide(&Action::new("Read", json!({"file_path": path}), None), None);
    let own = own(app, &path).map(str::to_owned);
    let refused = own.or_else(|| (decision.verdict != Verdict::Allow).then_some(decision.reason));
    let Some(why) = refused else { return Ok(()) };
    Err(Failure::denied(format!("{} is not sent to another AI: {why}", path.display()))
        .todo("leave it out; say in your own words what matters"))
}

/// Why a file is the person's own, links followed.
fn own(app: &App, path: &Path) -> Option<&'static str> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (persona, home) = (gate::persona(app).map(|folder| real(&folder)), real(&app.home));
    let in_persona = |path: &Path| path.strip_prefix(persona.as_ref()?).ok().map(Path::to_path_buf);
    let paths = [path.to_path_buf(), real(path)];
    if paths.iter().any(|path| is_private(path)) {
        return Some("it is private memory");
    }
    paths.iter().find_map(|path| match in_persona(path) {
        // Principles and cards are what members share; logs, handoffs and proposals are of other work.
        Some(inside) if inside.starts_with("core") || inside.starts_with("cards") => None,
        Some(_) => Some("it is a record of other work"),
        None => path.starts_with(&home).then_some("it is a record that mi keeps"),
    })
}

/// `.member/private` anywhere in the path.
fn is_private(path: &Path) -> bool {
    let names: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    names.windows(2).any(|pair| pair[0].starts_with('.') && pair[0].len() > 1 && pair[1] == "private")
}

/// Relative to the project: the reader needs no path of this machine.
fn shown(app: &App, path: &Path) -> String {
    let root = app.folder().canonicalize().unwrap_or_default();
    let real = path.canonicalize().unwrap_or_default();
    let name = real.strip_prefix(&root).map(Path::to_path_buf);
    name.unwrap_or_else(|_| PathBuf::from(path.file_name().unwrap_or_default())).display().to_string()
}
