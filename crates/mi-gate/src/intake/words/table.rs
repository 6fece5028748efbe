//! The words themselves: `table.txt`, read once.

use std::{collections::BTreeMap, sync::LazyLock};

use super::Topic;

/// Longer words in which a trigger's characters mean something else.
pub(super) fn chinese_others() -> &'static [&'static str] {
    section("chinese_others")
}

/// The same for English.
pub(super) fn english_others() -> &'static [&'static str] {
    section("english_others")
}

/// Words that say that something goes, not what.
pub(super) fn open_deletions() -> &'static [&'static str] {
    section("open_deletions")
}

/// What may go: it is on the screen, in code, or made again.
pub(super) fn harmless() -> &'static [&'static str] {
    section("harmless")
}

/// What may not.
pub(super) fn data() -> &'static [&'static str] {
    section("data")
}

pub(super) fn phrases(topic: Topic) -> &'static [&'static str] {
    section(name(topic))
}

fn section(name: &str) -> &'static [&'static str] {
    static SECTIONS: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| read(include_str!("table.txt")));
    SECTIONS.get(name).map_or(&[], Vec::as_slice)
}

fn read(text: &'static str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => current = name,
            None => sections.entry(current).or_default().push(line),
        }
    }
    sections
}

fn name(topic: Topic) -> &'static str {
    match topic {
        Topic::Urgency => "urgency",
        Topic::Money => "money",
        Topic::DataSecurity => "data_security",
        Topic::Irreversible => "irreversible",
        Topic::Personnel => "personnel",
        Topic::Architecture => "architecture",
        Topic::SmallChange => "small_change",
        Topic::Override => "override",
        Topic::Closing => "closing",
        Topic::SessionEnd => "session_end",
        Topic::Goodbye => "goodbye",
        Topic::NewTopic => "new_topic",
        Topic::ApproveBatch => "approve_batch",
        Topic::Decision => "decision",
        Topic::Preference => "preference",
        Topic::Lesson => "lesson",
        Topic::Principle => "principle",
        Topic::Auth => "auth",
        Topic::Encryption => "encryption",
        Topic::Migration => "migration",
        Topic::DeleteData => "delete_data",
        Topic::NewDependency => "new_dependency",
        Topic::ExternalService => "external_service",
        Topic::CrossProject => "cross_project",
        Topic::AfterCutoff => "after_cutoff",
        Topic::PublicApi => "public_api",
        Topic::Execution => "execution",
        Topic::LargeScope => "large_scope",
        Topic::Criteria => "criteria",
        Topic::Vague => "vague",
        Topic::Deployment => "deployment",
        Topic::Production => "production",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every topic has words, under the very name a team's file uses.
    #[test]
    fn every_topic_has_words() {
        let topics = [
            Topic::Urgency,
            Topic::Money,
            Topic::DataSecurity,
            Topic::Irreversible,
            Topic::Personnel,
            Topic::Architecture,
            Topic::SmallChange,
            Topic::Override,
            Topic::Closing,
            Topic::SessionEnd,
            Topic::Goodbye,
            Topic::NewTopic,
            Topic::ApproveBatch,
            Topic::Decision,
            Topic::Preference,
            Topic::Lesson,
            Topic::Principle,
            Topic::Auth,
            Topic::Encryption,
            Topic::Migration,
            Topic::DeleteData,
            Topic::NewDependency,
            Topic::ExternalService,
            Topic::CrossProject,
            Topic::AfterCutoff,
            Topic::PublicApi,
            Topic::Execution,
            Topic::LargeScope,
            Topic::Criteria,
            Topic::Vague,
            Topic::Deployment,
            Topic::Production,
        ];
        for topic in topics {
            assert!(!phrases(topic).is_empty(), "{topic:?}");
            let own: Topic = serde_json::from_value(name(topic).into()).unwrap();
            assert_eq!(own, topic);
        }
        for list in [chinese_others(), english_others(), open_deletions(), harmless(), data()] {
            assert!(!list.is_empty());
        }
    }
}
