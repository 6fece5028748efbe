//! How much of the project a call covers, and where it ran.

use super::super::{Runner, Scope, shell::join};
use super::{program::Found, rules::Reading};
use crate::project::ProjectProfile;

/// Where a command ran, seen from the project's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Root,
    /// In this folder of the project.
    Inside(String),
    Outside(String),
    Unknown,
}

/// Where `directory` (relative to the root, or absolute) lies.
pub(crate) fn place(directory: &str, root: &str) -> Place {
    let root = root.trim_end_matches('/');
    match directory {
        "." => Place::Root,
        "?" => Place::Unknown,
        absolute if absolute.starts_with('/') && root.is_empty() => Place::Unknown,
        absolute if absolute == root => Place::Root,
        absolute if absolute.starts_with('/') => {
            match absolute.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) {
                Some(inside) => Place::Inside(inside.to_owned()),
                None => Place::Outside(absolute.to_owned()),
            }
        }
        up if up == ".." || up.starts_with("../") => back_inside(up, root),
        inside => Place::Inside(inside.to_owned()),
    }
}

/// `../app/sub` leads back into a root that is called `app`.
fn back_inside(up: &str, root: &str) -> Place {
    let resolved = join(root, up);
    if root.is_empty() || !resolved.starts_with('/') || resolved.starts_with("/..") {
        return Place::Outside(up.to_owned());
    }
    match resolved.strip_prefix(root) {
        Some("") => Place::Root,
        Some(inside) if inside.starts_with('/') => Place::Inside(inside[1..].to_owned()),
        _ => Place::Outside(up.to_owned()),
    }
}

/// How much of the project a call covers.
pub(super) fn of(
    runner: Runner,
    reading: &Reading,
    found: &Found,
    place: &Place,
    project: &ProjectProfile,
    is_named: bool,
) -> Scope {
    let mut selects = reading.selects.clone();
    if let Some(option) = reading.narrowed_by.first() {
        if !reading.excludes {
            selects.extend(reading.positional.iter().cloned());
        }
        return subset(format!("`{option}` leaves tests out"), selects);
    }
    // The only file of tests, run by itself, is all of them.
    let is_all = |file: &String| {
        runner == Runner::Unittest && project.tests_are_within(&[in_root(within(file, place), project)])
    };
    if let (Some(script), false) = (&found.script, is_named)
        && script != "test"
        && !is_all(script)
    {
        return subset(format!("it ran only `{script}`"), vec![script.clone()]);
    }
    if let Place::Inside(folder) = place
        && runner != Runner::Ctest
        && !project.tests_are_within(std::slice::from_ref(folder))
    {
        return subset(format!("it ran only in `{folder}`"), vec![folder.clone()]);
    }
    by_position(runner, &reading.positional, place, project)
}

/// Whether what is given by position (files, folders, filters) leaves tests out.
fn by_position(runner: Runner, positional: &[String], place: &Place, project: &ProjectProfile) -> Scope {
    let ignored: &[&str] = match runner {
        Runner::Unittest => &["discover"],
        Runner::Vitest => &["run", "watch"],
        Runner::Maven => &["clean", "compile", "test-compile"],
        Runner::Gradle => &["clean"],
        Runner::Make => &["all", "clean", "build"],
        Runner::Jest | Runner::Mocha | Runner::NodeTest | Runner::Bun | Runner::Deno => &["."],
        _ => &[],
    };
    let given: Vec<String> =
        positional.iter().filter(|word| !ignored.contains(&word.as_str())).cloned().collect();
    if runner == Runner::GoTest {
        return go(&given, place, project);
    }
    if given.is_empty() || matches!(runner, Runner::Dotnet | Runner::Ctest | Runner::Tox | Runner::Make) {
        return Scope::Whole;
    }
    let mut in_project: Vec<String> =
        given.iter().map(|path| in_root(within(path, place), project)).collect();
    if runner == Runner::Unittest {
        let modules = given.iter().filter(|name| !name.contains('/') && !name.ends_with(".py"));
        in_project.extend(modules.map(|name| within(&format!("{}.py", name.replace('.', "/")), place)));
    }
    let takes_paths = !matches!(runner, Runner::CargoTest | Runner::Nextest | Runner::Maven | Runner::Gradle);
    if takes_paths && project.tests_are_within(&in_project) {
        return Scope::Whole;
    }
    subset(format!("it was narrowed to `{}`", given.join(" ")), given)
}

fn go(given: &[String], place: &Place, project: &ProjectProfile) -> Scope {
    let everything = |word: &String| word == "./..." || word == "..." || word == "all";
    if given.iter().any(everything) {
        return Scope::Whole;
    }
    let folders: Vec<String> = if given.is_empty() { vec![".".to_owned()] } else { given.to_vec() };
    let recursive = folders.iter().all(|folder| folder.ends_with("/..."));
    let in_project: Vec<String> =
        folders.iter().map(|folder| within(folder.trim_end_matches("/..."), place)).collect();
    let flat = project.test_folders.iter().all(|folder| in_project.contains(folder));
    if !project.test_folders.is_empty() && (flat || recursive && project.tests_are_within(&in_project)) {
        return Scope::Whole;
    }
    subset(format!("it ran only `{}`", folders.join(" ")), given.to_vec())
}

fn within(path: &str, place: &Place) -> String {
    match place {
        Place::Inside(folder) => join(folder, path),
        Place::Root | Place::Outside(_) | Place::Unknown => join(".", path),
    }
}

/// An absolute path inside the project, relative to its root.
fn in_root(path: String, project: &ProjectProfile) -> String {
    match self::place(&path, &project.root) {
        Place::Root => ".".to_owned(),
        Place::Inside(inside) => inside,
        Place::Outside(_) | Place::Unknown => path,
    }
}

fn subset(why: String, selects: Vec<String>) -> Scope {
    Scope::Subset { why, selects }
}
