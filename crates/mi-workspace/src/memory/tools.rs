//! `memory_search` and `memory_save` as a caller without types sees them: JSON in, JSON out.
//!
//! Searching is no read of a note (NX-320): whoever then opens the file is observed by its harness.

use serde_json::{Value, json};

use super::{Decision, Document, SaveError, SaveRequest, SearchError, SearchRequest, Source, save, search};
use crate::{Store, ToolError, arguments::Arguments};

/// One of the two operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryTool {
    /// `query`; `limit?` (10); `in?`: names of sources.
    Search,
    /// `name`, `content`; `tags?`, `category?`, `into?`, `force?`; `decision?`: preview, accept, merge or new.
    Save,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum MemoryToolError {
    #[error(transparent)]
    Arguments(#[from] ToolError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Save(#[from] SaveError),
}

const LIMIT: usize = 10;
const DECISIONS: [&str; 4] = ["preview", "accept", "merge", "new"];

impl MemoryTool {
    pub const ALL: [Self; 2] = [Self::Search, Self::Save];

    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "memory_search",
            Self::Save => "memory_save",
        }
    }
}

/// Carries out one operation. `documents` are memories from outside of `.nexus/`; `categories` those of the project.
pub fn call(
    store: &Store,
    tool: MemoryTool,
    arguments: &Value,
    documents: &[Document],
    categories: &[String],
) -> Result<Value, MemoryToolError> {
    let arguments = Arguments::new(arguments)?;
    match tool {
        MemoryTool::Search => Ok(json!(search(store, &search_request(&arguments)?, documents)?)),
        MemoryTool::Save => Ok(json!(save(store, &save_request(&arguments, categories)?)?)),
    }
}

fn search_request(arguments: &Arguments<'_>) -> Result<SearchRequest, ToolError> {
    let query = arguments.filled_text("query")?;
    let limit = arguments.optional_count("limit")?.unwrap_or(LIMIT);
    let words = arguments.optional_texts("in")?.unwrap_or_default();
    let source = |word: &String| {
        let wanted = "a list of memory, context, rules, learned, cards, history";
        Source::from_word(word).ok_or(ToolError::Wrong { parameter: "in".to_owned(), wanted })
    };
    Ok(SearchRequest { query, limit, sources: words.iter().map(source).collect::<Result<_, _>>()? })
}

fn save_request(arguments: &Arguments<'_>, categories: &[String]) -> Result<SaveRequest, ToolError> {
    let into = arguments.optional_text("into")?;
    let word = arguments.optional_word("decision", &DECISIONS, "preview, accept, merge or new")?;
    let decision = match word {
        Some("preview") => Decision::Preview,
        Some("accept") => Decision::Accept,
        Some("new") => Decision::New,
        Some(_) => Decision::Merge(into),
        None if into.is_some() => Decision::Merge(into),
        None => Decision::Ask,
    };
    Ok(SaveRequest {
        name: arguments.filled_text("name")?,
        text: arguments.filled_text("content")?,
        tags: arguments.optional_texts("tags")?.unwrap_or_default(),
        category: arguments.optional_text("category")?,
        decision,
        force: arguments.optional_flag("force")?.unwrap_or(false),
        categories: categories.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{MemoryTool, call};
    use crate::{Layout, Store};
    use serde_json::{Value, json};

    fn answers(store: &Store, tool: MemoryTool, arguments: &Value) -> Result<Value, String> {
        call(store, tool, arguments, &[], &[]).map_err(|error| error.to_string())
    }

    /// A lesson that is saved is found; what was missing or of the wrong kind is named, and nothing is written.
    #[test]
    fn nx_004_nx_005_memory_tools_check_what_they_get() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Layout::new(folder.path()));
        let wrong = [
            (MemoryTool::Search, json!({}), "query is required"),
            (MemoryTool::Search, json!({"query": 1}), "query must be a string"),
            (MemoryTool::Search, json!({"query": "?"}), "no words"),
            (MemoryTool::Search, json!({"query": "x", "in": ["nowhere"]}), "in must be a list of memory"),
            (MemoryTool::Search, json!({"query": "x", "limit": -1}), "limit must be a whole number"),
            (MemoryTool::Save, json!({"name": "lock-order"}), "content is required"),
            (MemoryTool::Save, json!({"name": "lock-order", "content": " "}), "content must be"),
            (MemoryTool::Save, json!({"name": "lock", "content": "x"}), "1 words"),
            (
                MemoryTool::Save,
                json!({"name": "lock-order", "content": "x", "force": 1}),
                "force must be true or false",
            ),
            (
                MemoryTool::Save,
                json!({"name": "lock-order", "content": "x", "decision": "maybe"}),
                "decision must be",
            ),
            (MemoryTool::Save, json!([]), "arguments must be an object"),
        ];
        for (tool, arguments, expected) in wrong {
            let error = answers(&store, tool, &arguments).unwrap_err();
            assert!(error.contains(expected), "{arguments}: {error}");
        }
        assert!(!store.layout().nexus().exists());
        let saved =
            answers(&store, MemoryTool::Save, &json!({"name": "lock-order", "content": "先取计划锁"}))
                .unwrap();
        assert_eq!((&saved["saved"], &saved["action"]), (&json!(true), &json!("create")));
        let found =
            answers(&store, MemoryTool::Search, &json!({"query": "计划锁", "in": ["memory"]})).unwrap();
        assert_eq!((&found["total"], &found["hits"][0]["from"]), (&json!(1), &json!("memory")));
    }
}
