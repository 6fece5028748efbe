//! `mi cu`: the change units of a diff (D.18).

use mi_gate::change_unit::{self, Change, ChangeUnits, FileUnits};
use mi_workspace::planning::is_generated;
use serde_json::json;
use std::{fs, io, path::Path};

use super::{repository, workspace::counted};
use crate::{
    app::App,
    args::gate::CuArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &CuArgs) -> Outcome {
    let folder = app.folder();
    let units = match (&args.diff, &args.range) {
        (Some(path), _) => count(&read_diff(path)?)?,
        (None, Some(range)) => count(&between(&folder, range)?)?,
        (None, None) if args.staged => count(&repository::staged(&folder)?)?,
        (None, None) => uncommitted(&folder)?,
    };
    print(app, &units)
}

/// Counts a diff; build output is listed and not counted.
pub fn count(diff: &str) -> Result<ChangeUnits, Failure> {
    change_unit::count(diff, &is_generated).map_err(|error| Failure::usage(error.to_string()))
}

/// A diff in a file, or on standard input.
pub fn read_diff(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|error| Failure::usage(format!("read {}", path.display())).because(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn between(folder: &Path, range: &str) -> Result<String, Failure> {
    if range.starts_with('-') || !range.contains("..") {
        return Err(Failure::usage(format!("`{range}` is no range of commits")).todo("write it as A..B"));
    }
    let arguments = [&["diff"], &repository::DIFF[..], &[range, "--"]].concat();
    repository::git(folder, &arguments)
}

/// Everything that is not committed, new files too.
fn uncommitted(folder: &Path) -> Result<ChangeUnits, Failure> {
    const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let base = repository::head(folder).unwrap_or_else(|_| EMPTY_TREE.to_owned());
    let arguments = [&["diff"], &repository::DIFF[..], &[base.as_str(), "--"]].concat();
    let mut units = count(&repository::git(folder, &arguments)?)?;
    let new =
        repository::git(folder, &["ls-files", "--others", "--exclude-standard", "-z", "--full-name", ":/"])?;
    for path in new.split('\0').filter(|path| !path.is_empty()) {
        if is_generated(path) {
            units.excluded.push(path.to_owned());
            continue;
        }
        units.cu += 1;
        units.files.push(FileUnits {
            path: path.to_owned(),
            change: Change::Added,
            cu: 1,
            lines: 0,
            statements: Vec::new(),
        });
    }
    Ok(units)
}

fn print(app: &App, units: &ChangeUnits) -> Outcome {
    if app.common.json {
        return app.print_json(&json!(units));
    }
    let count = usize::try_from(units.cu).unwrap_or(usize::MAX);
    app.print(&format!("{} in {}", counted(count, "change unit"), counted(units.files.len(), "file")))?;
    for file in &units.files {
        app.print(&format!("{:>4}  {}", file.cu, file.path))?;
    }
    for path in &units.excluded {
        app.print(&format!("   -  {path} (generated)"))?;
    }
    Ok(ExitReason::Done)
}
