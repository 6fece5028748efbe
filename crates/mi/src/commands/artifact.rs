//! `mi artifact`: the files of this session.

use mi_workspace::Tool;
use serde_json::{Value, json};
use std::fs;

use super::workspace::{call, failure, open, text};
use crate::{
    app::App,
    args::{ArtifactAction, ArtifactArgs},
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &ArtifactArgs) -> Outcome {
    match &args.action {
        ArtifactAction::Write { name, file } => {
            let content = match file {
                Some(path) => fs::read_to_string(path).map_err(|error| {
                    Failure::new(format!("read {}", path.display()))
                        .because(&error)
                        .todo("give an existing file with UTF-8 text")
                })?,
                None => app.text_or_stdin("-")?,
            };
            write(app, name, &content)
        }
        ArtifactAction::List => list(app),
    }
}

fn write(app: &App, name: &str, content: &str) -> Outcome {
    let answer = call(app, Tool::ArtifactWrite, &json!({"filename": name, "content": content}))?;
    if app.common.json {
        return app.print_json(&answer);
    }
    app.print(&format!("Written: {}", text(&answer, "path")))
}

fn list(app: &App) -> Outcome {
    let workspace = open(app)?;
    let found = workspace.artifacts().map_err(|error| failure(&error))?;
    if app.common.json {
        let told: Vec<Value> = found
            .iter()
            .map(|artifact| json!({"filename": artifact.name, "bytes": artifact.bytes}))
            .collect();
        return app.print_json(&json!({"artifacts": told}));
    }
    if found.is_empty() {
        return app.print("No artifacts. Write one: echo TEXT | mi artifact write NAME.md");
    }
    for artifact in &found {
        app.print(&format!("{:>9}  {}", artifact.bytes, app.look.one_line(&artifact.name, 11)))?;
    }
    app.print(&app.look.faint(&format!("bytes and names, in {}", workspace.layout().artifacts().display())))
}
