//! `mi persona private`: a member's own memory, plain or encrypted with age.

use mi_persona::{AgeError, PrivateError, PrivateFile};
use serde_json::json;

use super::{access, age, member, open};
use crate::{
    app::App,
    args::persona::{PrivateAction, PrivateArgs},
    commands::workspace::counted,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &PrivateArgs) -> Outcome {
    let persona = open(app)?;
    let member = member(app, &args.who)?;
    let age = age(app, &member, args.identity.as_deref())?;
    match &args.action {
        PrivateAction::List => {
            let files = persona.private_files(&member).map_err(|error| access(&error))?;
            list(app, &files)
        }
        PrivateAction::Show { name } => {
            let file = persona.private_file(&member, name).map_err(|error| match error {
                PrivateError::Unknown(_) => Failure::of(&error),
                error => explain(&error),
            })?;
            let text = persona.private_text(&member, &file, &age).map_err(|error| explain(&error))?;
            if app.common.json {
                return app
                    .print_json(&json!({"name": file.name, "encrypted": file.encrypted, "text": text}));
            }
            app.print(text.trim_end())
        }
        PrivateAction::Write { name, text } => {
            let text = app.text_or_stdin(text)?;
            let file = persona.write_private(&member, name, &text, &age).map_err(|error| explain(&error))?;
            if app.common.json {
                return app.print_json(&json!(file));
            }
            app.print(&format!("Written to {}", file.path))
        }
        PrivateAction::Encrypt => {
            let files = persona.encrypt_private(&member, &age).map_err(|error| explain(&error))?;
            if app.common.json {
                return app.print_json(&json!({"encrypted": files, "identity": age.identity}));
            }
            app.print(&format!(
                "Encrypted {}. The key is {}: keep a copy of it, without it nothing opens.",
                counted(files.len(), "file"),
                age.identity.display()
            ))
        }
        PrivateAction::Decrypt => {
            let files = persona.decrypt_private(&member, &age).map_err(|error| explain(&error))?;
            if app.common.json {
                return app.print_json(&json!({"decrypted": files}));
            }
            app.print(&format!("Decrypted {}.", counted(files.len(), "file")))
        }
    }
}

fn list(app: &App, files: &[PrivateFile]) -> Outcome {
    if app.common.json {
        return app.print_json(&json!({"files": files}));
    }
    if files.is_empty() {
        return app.print(
            "There is no private memory yet. Keep something: mi persona private write notes.md 'TEXT'",
        );
    }
    for file in files {
        let sealed = if file.encrypted { "  encrypted" } else { "" };
        app.print(&format!("{}{}", file.name, app.look.faint(sealed)))?;
    }
    Ok(ExitReason::Done)
}

fn explain(error: &PrivateError) -> Failure {
    match error {
        PrivateError::Access(source) => access(source),
        PrivateError::Age(AgeError::Missing(_) | AgeError::NoIdentity { .. }) => {
            Failure::of(error).ending(ExitReason::NeedsYou)
        }
        PrivateError::Age(AgeError::Failed { .. } | AgeError::File(_)) | PrivateError::NotTheSame(_) => {
            Failure::of(error).ending(ExitReason::Failed)
        }
        PrivateError::Name(_) | PrivateError::Unknown(_) | PrivateError::NotEncrypted(_) => {
            Failure::of(error).ending(ExitReason::WrongUsage)
        }
        PrivateError::Secret => Failure::of(error).ending(ExitReason::Denied),
    }
}
