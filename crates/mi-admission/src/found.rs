//! What no policy language sees: secrets in any text, uploads in a command, spellings of numbers.

use crate::{
    document::Json,
    draft::{self, Draft},
    uploads,
};

/// Facts about a request that the rules ask for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// Each upload as a person would type it.
    pub(crate) uploads: Vec<String>,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) whole: Vec<&'static str>,
    /// None where the command is no list of strings.
    pub(crate) command_bytes: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) field: String,
    /// The scanner's name for it; never the text itself.
    pub(crate) kind: &'static str,
}

pub(crate) fn look(root: &Json, draft: &Draft) -> Found {
    let mut secrets = Vec::new();
    secrets_in(root, "", &mut secrets);
    let command = draft.command.as_deref();
    Found {
        uploads: command.map(uploads::find).unwrap_or_default(),
        secrets,
        whole: draft::whole_limits(root),
        command_bytes: command.map(|words| words.iter().map(String::len).sum()),
    }
}

/// Looks at every text and every key, of unknown fields too. A variable is read with its name, which may promise a
/// secret that the value alone does not show.
fn secrets_in(value: &Json, place: &str, found: &mut Vec<Secret>) {
    match value {
        Json::Text(text) => scan(text, place, found),
        Json::List(items) => {
            for (index, item) in items.iter().enumerate() {
                secrets_in(item, &below(place, &index.to_string()), found);
            }
        }
        Json::Table(entries) => {
            for (key, inner) in entries {
                let place = below(place, key);
                match inner {
                    Json::Text(text) => scan(&format!("{key}={text}"), &place, found),
                    _ => {
                        scan(key, &place, found);
                        secrets_in(inner, &place, found);
                    }
                }
            }
        }
        Json::Null | Json::Switch(_) | Json::Number(_) => {}
    }
}

fn scan(text: &str, place: &str, found: &mut Vec<Secret>) {
    let known = mi_secrets::find(text).into_iter().find(|finding| finding.level.is_redacted());
    if let Some(finding) = known {
        found.push(Secret { field: redacted(place), kind: finding.rule });
    }
}

/// A key may itself be the secret.
fn redacted(place: &str) -> String {
    mi_secrets::redact(place).into_owned()
}

fn below(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}
