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
    let kind = known.map(|finding| finding.rule.name()).or_else(|| begins_key(text).then_some("private-key"));
    if let Some(kind) = kind {
        found.push(Secret { field: place.to_owned(), kind });
    }
}

/// Whether a private key begins on a line of its own, however short the rest of it is (X21: the wide threshold). The scanner
/// itself wants a body, since texts about keys name the line too.
pub fn begins_key(text: &str) -> bool {
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r').trim());
    let mut lines = lines.map(|line| line.rsplit(['=', '"', '\'']).next().unwrap_or(line)).peekable();
    while let Some(line) = lines.next() {
        let label = line.strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----"));
        let is_key =
            label.is_some_and(|label| label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK"));
        if is_key && lines.peek().is_some_and(|body| !body.is_empty() && !body.starts_with("...")) {
            return true;
        }
    }
    false
}

fn below(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}
