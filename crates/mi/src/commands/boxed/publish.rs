//! `mi box publish`: hands a sealed run to a sink that the person allows (Rule U). Anything else is a hard failure.

use mi_admission::Denial;
use mi_box::{BoxHome, is_held};
use mi_git::{GitRunner, RunGitError};
use mi_process::Limits;
use mi_supply::manifest::MANIFEST_FILE;
use serde_json::{Map, json};
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{manage, place};
use crate::{
    app::App,
    args::PublishArgs,
    commands::{admission::denial_line, launch},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// Where outputs go.
#[derive(Debug, PartialEq, Eq)]
enum Sink {
    Folder(PathBuf),
    Git { remote: String, branch: String },
    Url(String),
}

pub fn run(app: &App, args: &PublishArgs) -> Outcome {
    let folder = place::find(app, &args.run)?;
    let settings = app.settings(&app.folder(), &[])?;
    let home = BoxHome::new(&app.home);
    let key = manage::trusted_key(app, None)?;
    let verified = mi_box::verify(&folder, &key).map_err(|error| Failure::of(&error))?;
    let mut denials: Vec<Denial> =
        verified.problems.iter().map(|problem| Denial::new("U.sealed", "manifest", problem)).collect();
    if verified.manifest.as_ref().is_none_or(|manifest| is_held(&home, &folder, manifest)) {
        let reason = "the gate holds these outputs back; a reviewer may release them: mi box release";
        denials.push(Denial::new("S.held", "outputs", reason));
    }
    if !settings.sinks_allow.contains(&args.to) {
        let reason = format!("`{}` is not in sinks.allow of your configuration", args.to);
        denials.push(Denial::new("U.sink", "to", reason));
    }
    let sink = read_sink(&args.to);
    if sink.is_none() {
        let reason = "a sink is a folder (absolute path), git:REMOTE#BRANCH, or an http(s) URL";
        denials.push(Denial::new("U.sink", "to", reason));
    }
    let sink = match sink {
        Some(sink) if denials.is_empty() => sink,
        _ => return denied(app, args, denials),
    };
    journal(app, args, "begins", &[])?;
    let sent = send(app, &home, &sink, &folder);
    journal(app, args, if sent.is_ok() { "sent" } else { "failed" }, &[])?;
    sent?;
    if app.common.json {
        return app.print_json(&json!({"published": true, "run": args.run, "to": args.to}));
    }
    app.print(&format!("published to {}", args.to))
}

fn denied(app: &App, args: &PublishArgs, denials: Vec<Denial>) -> Outcome {
    journal(app, args, "denied", &denials)?;
    if app.common.json {
        app.print_json(&json!({"published": false, "run": args.run, "to": args.to, "denials": denials}))?;
    }
    for denial in &denials {
        app.talk(&format!("mi: denied: {}", denial_line(denial)));
    }
    Ok(ExitReason::Denied)
}

/// Written before anything leaves: an upload that is on no record does not happen.
fn journal(app: &App, args: &PublishArgs, status: &str, denials: &[Denial]) -> Result<(), Failure> {
    let mut fields = Map::new();
    fields.insert("run".to_owned(), json!(args.run));
    fields.insert("to".to_owned(), json!(mi_secrets::redact(&args.to)));
    fields.insert("status".to_owned(), json!(status));
    fields.insert("denials".to_owned(), json!(denials));
    mi_journal::Layout::new(&app.home)
        .timeline()
        .open()
        .and_then(|mut log| log.append_values(app.clock.now(), None, &[("box_publish", fields)]))
        .map(drop)
        .map_err(|error| Failure::new(format!("journal the publication ({status})")).because(&error))
}

fn read_sink(text: &str) -> Option<Sink> {
    if let Some(rest) = text.strip_prefix("git:") {
        let (remote, branch) = rest.rsplit_once('#')?;
        let plain =
            |text: &str| !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace);
        return (plain(remote) && plain(branch))
            .then(|| Sink::Git { remote: remote.to_owned(), branch: branch.to_owned() });
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        return Some(Sink::Url(text.trim_end_matches('/').to_owned()));
    }
    text.starts_with('/').then(|| Sink::Folder(PathBuf::from(text)))
}

fn send(app: &App, home: &BoxHome, sink: &Sink, folder: &Path) -> Result<(), Failure> {
    let name = folder.file_name().unwrap_or_default();
    match sink {
        Sink::Folder(to) => {
            let target = to.join(name);
            if is_there(app, folder, &target) {
                return Ok(());
            }
            let stage = to.join(format!(".{}.new", name.to_string_lossy()));
            // One that was killed may have left it.
            let _ = fs::remove_dir_all(&stage);
            let copied = copy(folder, &stage).and_then(|()| fs::rename(&stage, &target));
            copied.map_err(|error| {
                let _ = fs::remove_dir_all(&stage);
                Failure::new(format!("copy the run to {}", target.display())).because(&error)
            })
        }
        Sink::Git { remote, branch } => push(app, home, folder, remote, branch),
        Sink::Url(url) => put(folder, &format!("{url}/{}", name.to_string_lossy())),
    }
}

/// Whether this very run, whole, was handed over before.
fn is_there(app: &App, folder: &Path, target: &Path) -> bool {
    let manifest = |folder: &Path| fs::read(folder.join(MANIFEST_FILE)).ok();
    let is_whole = || {
        let key = manage::trusted_key(app, None).ok()?;
        mi_box::verify(target, &key).ok().filter(|verified| verified.problems.is_empty())
    };
    manifest(target).is_some_and(|known| Some(known) == manifest(folder)) && is_whole().is_some()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A commit with the run in a folder of its own, on top of the release branch if that is there, made in a repository of
/// ours which a later start takes away if this one dies.
fn push(app: &App, home: &BoxHome, folder: &Path, remote: &str, branch: &str) -> Result<(), Failure> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let live =
        home.begin(&format!("{}-publish", super::exec::new_run(app))).map_err(|error| Failure::of(&error))?;
    let work = live.slot("data");
    let runner = GitRunner::new(launch::spawner()?, &work)
        .with_settings(&["user.name=mi", "user.email=mi@localhost"])
        .with_limits(GIT_LIMITS)
        .cutting_long_output();
    let git = Git(runner);
    let failed = |error: io::Error| Failure::new("make a place for the commit").because(&error);
    let mut files = Vec::new();
    gather(folder, "", &mut files).map_err(failed)?;
    let is_gits = |name: &str| name.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
    if let Some((file, _)) = files.iter().find(|(file, _)| is_gits(file)) {
        return Err(Failure::new(format!("git cannot carry {file}")).todo("choose another sink"));
    }
    copy(folder, &work.join(&name)).map_err(failed)?;
    let reference = format!("refs/heads/{branch}");
    git.run(&["init", "-q"])?;
    // Whatever attributes are among the outputs, and whatever the person's git does: the bytes are those of the manifest.
    fs::create_dir_all(work.join(".git/info"))
        .and_then(|()| fs::write(work.join(".git/info/attributes"), AS_THEY_ARE))
        .map_err(failed)?;
    if !git.run(&["ls-remote", "--heads", remote, &reference])?.is_empty() {
        git.run(&["fetch", "-q", "--depth=1", remote, &reference])?;
        git.run(&["reset", "-q", "--soft", "FETCH_HEAD"])?;
        git.run(&["read-tree", "FETCH_HEAD"])?;
    }
    git.run(&["add", "-f", "--", &name])?;
    if git.run(&["status", "--porcelain", "--untracked-files=no", "--", &name])?.is_empty() {
        // This very run is on the branch already.
        return Ok(());
    }
    git.run(&["commit", "-q", "-m", &format!("Run {name}")])?;
    git.run(&["push", "-q", remote, &format!("HEAD:{reference}")]).map(drop)
}

const GIT_LIMITS: Limits = Limits { timeout: Duration::from_secs(300), max_output_bytes: 16 << 10 };
const AS_THEY_ARE: &str = "* -text -ident -filter -working-tree-encoding\n";

/// Git in a repository that nobody else uses.
struct Git(GitRunner);

impl Git {
    fn run(&self, args: &[&str]) -> Result<String, Failure> {
        self.0.call(args).lossy_text().map_err(|error| match &error {
            // The remote's address is repeated by git, with the password that may stand in it.
            RunGitError::Failed { command, message, .. } => {
                Failure::new(format!("git {command}")).todo(mi_secrets::redact(message).into_owned())
            }
            other => Failure::of(other),
        })
    }
}

fn put(folder: &Path, url: &str) -> Result<(), Failure> {
    let mut files = Vec::new();
    gather(folder, "", &mut files).map_err(|error| Failure::new("read the run").because(&error))?;
    for (name, path) in files {
        let mut bytes = Vec::new();
        fs::File::open(&path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(|error| Failure::new(format!("read {}", path.display())).because(&error))?;
        let target = format!("{url}/{}", escaped(&name));
        mi_box::put(&target, &bytes).map_err(|error| Failure::new(format!("PUT {target}: {error}")))?;
    }
    Ok(())
}

fn gather(folder: &Path, above: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            gather(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    files.sort();
    Ok(())
}

fn escaped(name: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    name.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three kinds of sinks, and nothing else.
    #[test]
    fn u_sinks_are_read_strictly() {
        assert_eq!(read_sink("/srv/x"), Some(Sink::Folder("/srv/x".into())));
        let git = Sink::Git { remote: "/srv/r.git".to_owned(), branch: "release".to_owned() };
        assert_eq!(read_sink("git:/srv/r.git#release"), Some(git));
        assert_eq!(read_sink("https://h/x/"), Some(Sink::Url("https://h/x".to_owned())));
        for bad in
            ["", "relative", "git:x", "git:--upload-pack=x#b", "git:x#", "ftp://h", "ssh://h", "smtp://h"]
        {
            assert_eq!(read_sink(bad), None, "{bad}");
        }
    }
}
