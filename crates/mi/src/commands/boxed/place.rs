//! Finds a sealed run by its name, by `last`, or by its folder.

use mi_box::BoxHome;
use std::{fs, path::PathBuf};

use crate::{app::App, failure::Failure};

/// Every sealed run, oldest first.
pub fn all(app: &App) -> Vec<(String, PathBuf)> {
    let runs = BoxHome::new(&app.home).runs();
    let entries = fs::read_dir(runs).into_iter().flatten().flatten();
    let mut found: Vec<(String, PathBuf)> =
        entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect();
    found.sort();
    found
}

/// The folder of one.
pub fn find(app: &App, name: &str) -> Result<PathBuf, Failure> {
    let runs = all(app);
    let missing = || {
        Failure::usage(format!("there is no run `{name}`"))
            .todo("mi box list shows the runs; `last` is the newest")
    };
    match name {
        "last" => runs.into_iter().next_back().map(|(_, folder)| folder).ok_or_else(missing),
        _ if name.contains('/') => Ok(PathBuf::from(name)),
        _ => match runs.into_iter().find(|(known, _)| known == name) {
            Some((_, folder)) => Ok(folder),
            None if PathBuf::from(name).is_dir() => Ok(PathBuf::from(name)),
            None => Err(missing()),
        },
    }
}
