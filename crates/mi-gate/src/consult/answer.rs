//! What of another AI's answer stands: criteria that are met, facts that are true, nothing forbidden.

use serde::{Deserialize, Serialize};

use crate::messages::{Locale, Message};

/// An answer as it came, as far as it has the shape that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub verdict: String,
    pub criteria: Vec<CriterionAnswer>,
    pub suggestions: Vec<Suggestion>,
    pub commands: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CriterionAnswer {
    pub criterion: String,
    pub met: bool,
    pub evidence: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Suggestion {
    pub file: Option<String>,
    pub text: String,
}

/// The last JSON object of the answer with that shape; agents like to talk before it, and to repeat the shape they were
/// shown.
pub fn read_answer(text: &str) -> Option<Answer> {
    let (mut found, mut after) = (None, 0);
    // Bounded: an answer with thousands of braces is no answer.
    for (at, _) in text.match_indices('{').take(200) {
        // What stands inside an object that was read is a part of it.
        if at < after {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<serde_json::Value>();
        let Some(Ok(value)) = values.next() else { continue };
        after = at + values.byte_offset();
        if value.get("verdict").or_else(|| value.get("suggestions")).is_some()
            && let Ok(answer) = serde_json::from_value(value)
        {
            found = Some(answer);
        }
    }
    found
}

/// What an answer from outside is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotation {
    Passed,
    PartlyAdopted,
}

impl Annotation {
    /// The mark for programs: the seed's words, the same in every language.
    pub fn mark(self) -> String {
        self.message().text(Locale::Zh)
    }

    /// The sentence for people.
    pub fn message(self) -> Message<'static> {
        match self {
            Self::Passed => Message::ReviewPassed,
            Self::PartlyAdopted => Message::ReviewPartlyAdopted,
        }
    }
}

impl Serialize for Annotation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.mark())
    }
}

/// What was found out about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// `[外部审查通过]`, `[外部建议已部分采纳]`, or none if nothing of it stands: the seed's marks in every language, so that
    /// programs can rely on them.
    pub annotation: Option<Annotation>,
    /// Criteria that the answer says are met, with evidence.
    pub met: Vec<String>,
    pub unmet: Vec<String>,
    /// What may be looked at further; nothing is applied.
    pub kept: Vec<Suggestion>,
    pub refused: Vec<Refused>,
}

/// A part of the answer that does not stand, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    pub what: String,
    pub why: String,
}

/// Checks an answer against the criteria, the tree (`is_there`) and the rules (`forbidden` gives the reason).
pub fn check(
    answer: &Answer,
    criteria: &[String],
    is_there: &dyn Fn(&str) -> bool,
    forbidden: &dyn Fn(&str) -> Option<String>,
) -> Checked {
    let mut refused = Vec::new();
    let mut refuse = |what: &str, why: String| {
        refused.push(Refused { what: mi_model::shorten(&mi_secrets::redact(what), 200), why });
    };
    let mut kept = Vec::new();
    for suggestion in &answer.suggestions {
        match suggestion.file.as_deref().filter(|file| !is_there(file)) {
            Some(file) => refuse(&suggestion.text, format!("there is no `{file}` in the tree")),
            None => kept.push(suggestion.clone()),
        }
    }
    for command in &answer.commands {
        if let Some(why) = forbidden(command) {
            refuse(command, why);
        }
    }
    let (met, unmet): (Vec<String>, Vec<String>) =
        criteria.iter().cloned().partition(|criterion| is_met(answer, criterion));
    let passes = answer.verdict == "pass" && unmet.is_empty() && refused.is_empty();
    let annotation = if passes {
        Some(Annotation::Passed)
    } else if !kept.is_empty() || !met.is_empty() {
        Some(Annotation::PartlyAdopted)
    } else {
        None
    };
    Checked { annotation, met, unmet, kept, refused }
}

/// Said to be met, of this very criterion, with something to show for it.
fn is_met(answer: &Answer, criterion: &str) -> bool {
    let same = |text: &str| text.trim().eq_ignore_ascii_case(criterion.trim());
    answer
        .criteria
        .iter()
        .any(|found| same(&found.criterion) && found.met && !found.evidence.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, criteria: &[&str]) -> Checked {
        let criteria: Vec<String> = criteria.iter().map(|text| (*text).to_owned()).collect();
        let forbidden = |command: &str| command.contains("push").then(|| "denied".to_owned());
        check(&read_answer(text).unwrap(), &criteria, &|file| file == "a.rs", &forbidden)
    }

    /// All criteria met with evidence, all facts true: it passes.
    #[test]
    fn d_06_good_review_is_annotated_as_passed() {
        let text = r#"Here you are: {"verdict":"pass","criteria":[{"criterion":"Tests pass","met":true,"evidence":"ran"}],"suggestions":[{"file":"a.rs","text":"x"}]}"#;
        let checked = checked(text, &["tests pass"]);
        assert_eq!(checked.annotation.map(Annotation::mark).as_deref(), Some("[外部审查通过]"));
        assert!(checked.unmet.is_empty() && checked.refused.is_empty());
    }

    /// A criterion without evidence, a file that is not there or a forbidden command make it partial.
    #[test]
    fn d_06_answer_is_verified_against_criteria_tree_and_rules() {
        let cases = [
            r#"{"verdict":"pass","criteria":[{"criterion":"c","met":true}],"suggestions":[{"text":"x"}]}"#,
            r#"{"verdict":"pass","criteria":[{"criterion":"c","met":true,"evidence":"e"}],"suggestions":[{"file":"no.rs","text":"x"}]}"#,
            r#"{"verdict":"pass","criteria":[{"criterion":"c","met":true,"evidence":"e"}],"commands":["git push -f"]}"#,
            r#"{"verdict":"concerns","criteria":[{"criterion":"c","met":true,"evidence":"e"}]}"#,
        ];
        for text in cases {
            assert_eq!(
                checked(text, &["c"]).annotation.map(Annotation::mark).as_deref(),
                Some("[外部建议已部分采纳]"),
                "{text}"
            );
        }
        assert_eq!(checked(r#"{"verdict":"pass"}"#, &["c"]).annotation, None);
    }

    /// The shape that was shown to the other AI, repeated before its answer, is not the answer.
    #[test]
    fn d_06_the_last_object_is_the_answer() {
        let text = r#"I answer as {"verdict":"pass|concerns","criteria":[]}: {"verdict":"pass","suggestions":[{"text":"{\"verdict\":\"x\"}"}]} {"a":1}"#;
        assert_eq!(read_answer(text).unwrap().verdict, "pass");
    }

    /// Text without the shape is no answer.
    #[test]
    fn d_06_other_text_is_no_answer() {
        assert_eq!(read_answer("looks good { } {\"a\":1}"), None);
        assert_eq!(read_answer(&"{".repeat(100_000)), None);
    }
}
