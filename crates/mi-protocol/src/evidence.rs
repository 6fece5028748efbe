//! Evidence sources: `FILE`, or `FILE:PATH.INTO.JSON`. Where a guard's evidence stands, and what stands there.
//!
//! Holds: a source never leads out of the project. Elsewhere: reading the file is the caller's.

use serde_json::Value;

use crate::access;

/// A file below the project, and the way to a value in it; no way means the file itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub file: String,
    pub path: Option<String>,
}

impl Source {
    /// What a source names; `None` when it leads out of the project.
    pub fn parse(text: &str) -> Option<Self> {
        let (file, path) = match text.trim().rsplit_once(':') {
            Some((file, path)) if !file.is_empty() && !path.contains('/') => (file, Some(path.trim())),
            _ => (text.trim(), None),
        };
        let file = access::resolve(file).filter(|file| !file.is_empty())?;
        Some(Self { file, path: path.filter(|path| !path.is_empty()).map(str::to_owned) })
    }

    /// The state field that a value of this source is for: the last name of its path.
    pub fn field(&self) -> Option<&str> {
        self.path.as_deref().and_then(|path| path.rsplit('.').next())
    }

    /// The value in a document, or why there is none.
    pub fn pick(&self, document: &[u8]) -> Result<Value, String> {
        let Some(path) = &self.path else { return Ok(Value::Null) };
        let document: Value = serde_json::from_slice(document)
            .map_err(|error| format!("{} is not JSON: {error}", self.file))?;
        let mut here = &document;
        for part in path.split('.') {
            let next = match here {
                Value::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
                other => other.get(part),
            };
            here = next.ok_or_else(|| format!("{} has no `{path}`", self.file))?;
        }
        Ok(here.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Where each source leads.
    #[test]
    fn sources_name_a_file_and_a_way_into_it() {
        let source = |file: &str, path: Option<&str>| {
            Some(Source { file: file.to_owned(), path: path.map(str::to_owned) })
        };
        let cases = [
            (
                "logs/phase_5.json:cumulative_duration",
                source("logs/phase_5.json", Some("cumulative_duration")),
            ),
            ("./a//b.json:x.0.y", source("a/b.json", Some("x.0.y"))),
            ("docs/spec.md", source("docs/spec.md", None)),
            ("a:b/c.json", source("a:b/c.json", None)),
            ("../secrets.json:x", None),
            ("/etc/passwd", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Source::parse(text), expected, "{text}");
        }
    }

    /// What stands at each way, and what is said where nothing does.
    #[test]
    fn values_are_picked_by_names_and_numbers() {
        let document = json!({"a": {"b": [1, {"c": true}]}}).to_string();
        let pick = |path: &str| {
            Source { file: "f.json".to_owned(), path: Some(path.to_owned()) }.pick(document.as_bytes())
        };
        assert_eq!(pick("a.b.1.c"), Ok(json!(true)));
        assert_eq!(pick("a.b.0"), Ok(json!(1)));
        assert_eq!(pick("a.x"), Err("f.json has no `a.x`".to_owned()));
        assert_eq!(pick("a.b.7"), Err("f.json has no `a.b.7`".to_owned()));
        let broken = Source { file: "f.json".to_owned(), path: Some("a".to_owned()) }.pick(b"{");
        assert!(broken.is_err_and(|why| why.contains("not JSON")));
    }
}
