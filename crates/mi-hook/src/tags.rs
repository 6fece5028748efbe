//! Finds bracket tags in a message (NX-187, NX-271 to NX-274).
//!
//! A tag counts wherever it stands in prose. In code, as a link's text, or with a variant that it does not have, it is
//! not meant as a command.

use mi_workspace::vocabulary::{Tag, TagAction};

/// A tag that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTag<'a> {
    pub tag: &'a Tag,
    pub variant: Option<String>,
    /// What stands after it, up to the next tag (NX-281).
    pub text: String,
}

impl FoundTag<'_> {
    /// As it was typed.
    pub fn typed(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}:{variant}]", self.tag.trigger.trim_end_matches(']')),
            None => self.tag.trigger.clone(),
        }
    }

    pub fn skill(&self) -> Option<&str> {
        match &self.tag.action {
            TagAction::Skill(skill) => Some(skill),
            TagAction::Inline(_) => None,
        }
    }

    pub fn handler(&self) -> Option<&str> {
        match &self.tag.action {
            TagAction::Skill(_) => None,
            TagAction::Inline(handler) => Some(handler),
        }
    }
}

/// The tags of a message, in order.
pub fn detect<'a>(message: &str, tags: &'a [Tag]) -> Vec<FoundTag<'a>> {
    let mut places: Vec<(usize, usize, &Tag, Option<String>)> = Vec::new();
    let brackets = brackets(message);
    for (index, &(start, inner, end)) in brackets.iter().enumerate() {
        // `[run][1]` is a link to a reference, `[run][m]` are two tags.
        let next = brackets.get(index + 1).filter(|(next, ..)| *next == end);
        let is_link = message[end..].starts_with('[')
            && next.is_none_or(|(_, inner, _)| meaning(inner, tags).is_none());
        let found = meaning(inner, tags).filter(|_| !is_link);
        places.extend(found.map(|(tag, variant)| (start, end, tag, variant)));
    }
    let ends: Vec<usize> = places.iter().skip(1).map(|place| place.0).chain([message.len()]).collect();
    let found = |((_, end, tag, variant), until): ((usize, usize, &'a Tag, Option<String>), usize)| {
        FoundTag { tag, variant, text: message[end..until].trim().to_owned() }
    };
    places.into_iter().zip(ends).map(found).collect()
}

/// `[m:gc]` is a tag of its own and no variant of `[m]` (NX-274).
fn meaning<'a>(inner: &str, tags: &'a [Tag]) -> Option<(&'a Tag, Option<String>)> {
    let whole = format!("[{inner}]");
    if let Some(tag) = tags.iter().find(|tag| tag.trigger == whole) {
        return Some((tag, None));
    }
    let (name, variant) = inner.split_once(':')?;
    let base = format!("[{name}]");
    let tag = tags.iter().find(|tag| tag.trigger == base && tag.allows(variant))?;
    Some((tag, Some(variant.to_owned())))
}

/// Start, inner text and end of every `[word]` outside of code.
fn brackets(message: &str) -> Vec<(usize, &str, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = message[at..].find(['[', '`']) {
        let start = at + offset;
        at = match message.as_bytes()[start] {
            b'`' => after_code(message, start),
            _ => match bracket(message, start) {
                Some((inner, end)) => {
                    found.push((start, inner, end));
                    end
                }
                None => start + 1,
            },
        };
    }
    found
}

fn bracket(message: &str, start: usize) -> Option<(&str, usize)> {
    let inner = &message[start + 1..];
    let length = inner.find(|letter: char| letter == ']' || letter == '[' || letter.is_whitespace())?;
    let end = start + 1 + length + 1;
    let closed = inner[length..].starts_with(']');
    let is_link = message[end.min(message.len())..].starts_with('(');
    (closed && length > 0 && !is_link).then(|| (&inner[..length], end))
}

/// The end of a code span or block that begins at `start`; a run of backquotes that nothing closes is plain text.
fn after_code(message: &str, start: usize) -> usize {
    let rest = &message[start..];
    let run = rest.len() - rest.trim_start_matches('`').len();
    let mut at = run;
    while let Some(offset) = rest[at..].find('`') {
        let here = at + offset;
        let length = rest[here..].len() - rest[here..].trim_start_matches('`').len();
        at = here + length;
        if length == run {
            return start + at;
        }
    }
    start + run
}

#[cfg(test)]
mod tests {
    use super::detect;
    use mi_workspace::vocabulary::Vocabulary;

    fn found(message: &str) -> Vec<(String, String)> {
        detect(message, &Vocabulary::starter().tags)
            .iter()
            .map(|tag| (tag.typed(), tag.text.clone()))
            .collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(tag, text)| ((*tag).to_owned(), (*text).to_owned())).collect()
    }

    /// Tags and variants as typed, with the text that follows.
    #[test]
    fn nx_187_nx_273_tags_are_found() {
        let cases: [(&str, &[(&str, &str)]); 14] = [
            ("[plan] a parser", &[("[plan]", "a parser")]),
            ("[plan:auto] a parser", &[("[plan:auto]", "a parser")]),
            ("please [run]", &[("[run]", "")]),
            ("[m] keep\nthis", &[("[m]", "keep\nthis")]),
            ("[m:gc]", &[("[m:gc]", "")]),
            ("[rule] no tabs", &[("[rule]", "no tabs")]),
            ("[rule:命名] x", &[("[rule:命名]", "x")]),
            ("[sync] [init]", &[("[sync]", ""), ("[init]", "")]),
            ("[d][m] a", &[("[d]", ""), ("[m]", "a")]),
            ("[plan][run][m] x", &[("[plan]", ""), ("[run]", ""), ("[m]", "x")]),
            ("[d] option 2 [run]", &[("[d]", "option 2"), ("[run]", "")]),
            ("[[run]]", &[("[run]", "]")]),
            ("한국어 [plan] 계획", &[("[plan]", "계획")]),
            ("a ` b [run]", &[("[run]", "")]),
        ];
        for (message, expected) in cases {
            assert_eq!(found(message), pairs(expected), "{message}");
        }
    }

    /// What only looks like a tag leaves the message alone (NX-191).
    #[test]
    fn nx_191_nx_272_what_is_no_tag() {
        for message in [
            "",
            "plan",
            "/plan",
            "let us plan it",
            "[Plan]",
            "[plan",
            "[ plan ]",
            "[plan:]",
            "[plan:other]",
            "[m:other]",
            "[run](https://x)",
            "[run][1]",
            "`[run]`",
            "```\n[run]\n```",
            "``a ` [run]``",
            "a[0]",
            "[]",
            "[x]",
            "[rule:two words]",
        ] {
            assert_eq!(found(message), [], "{message}");
        }
    }
}
