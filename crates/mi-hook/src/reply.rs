//! What a call has to say, and its flat form: one JSON object on standard output.

use std::path::{Path, PathBuf};

use mi_formats::hooks::Event;
use serde_json::{Map, Value, json};

#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// Files that were written or removed.
    pub(crate) recorded: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
    /// Text for the model.
    pub(crate) context: Option<String>,
    /// Why the agent must not go on.
    pub(crate) block: Option<String>,
    /// Whether the event is a question that is answered with allow or block.
    pub(crate) decides: bool,
    /// Fields of this event alone.
    pub(crate) more: Map<String, Value>,
}

impl Reply {
    pub(crate) fn to_json(&self, event: Event, project: &Path) -> Value {
        let shown =
            |path: &PathBuf| path.strip_prefix(project).unwrap_or(path).to_string_lossy().into_owned();
        let recorded: Vec<String> = self.recorded.iter().map(shown).collect();
        let mut object = Map::new();
        object.insert("ok".to_owned(), true.into());
        object.insert("event".to_owned(), event.as_str().into());
        object.insert("recorded".to_owned(), json!(recorded));
        object.insert("warnings".to_owned(), json!(self.warnings));
        if self.decides {
            let decision = if self.block.is_some() { "block" } else { "allow" };
            object.insert("decision".to_owned(), decision.into());
        }
        object.extend(self.block.iter().map(|reason| ("reason".to_owned(), reason.as_str().into())));
        object
            .extend(self.context.iter().map(|text| ("additional_context".to_owned(), text.as_str().into())));
        object.extend(self.more.clone());
        Value::Object(object)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }
}
