//! The engine on real folders: cache, links, locks, boots, sessions, cards, exports.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod boots;
mod collections;
mod keeping;

use jiff::civil::Date;
use mi_gate::messages::Locale;
use mi_model::Timestamp;
use std::{fs, path::PathBuf};
use tempfile::TempDir;

use crate::{
    Boot, BootError, BootRequest, Locked, Member, Moment, Persona, Proposal, Save,
    card::{CardType, Sections},
    init,
    log::Items,
};

/// A persona in a folder that goes away.
pub(crate) struct Place {
    pub folder: TempDir,
    pub persona: Persona,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, state) = (folder.path().join("persona"), folder.path().join("state"));
        let (persona, _) = init(&root, &state, &member("self")).unwrap();
        Self { folder, persona }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.persona.root().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    pub(crate) fn card(&self, id: &str, key: &str, salience: u8) {
        let kind = CardType::ALL.into_iter().find(|kind| id.starts_with(kind.letter())).unwrap();
        let text = format!(
            "---\nid: {id}\ntype: {}\ntitle: About {key}\nmerge_key: {key}\nsalience: {salience}\nsource: us\n---\n\n## content\n\nKnow {key}.\n",
            kind.as_str()
        );
        self.write(&format!("cards/{}/{id}.md", kind.folder()), &text);
    }

    pub(crate) fn boot(&self, name: &str, today: &str) -> Result<Boot, BootError> {
        self.persona.boot(&BootRequest {
            member: &member(name),
            today: today.parse().unwrap(),
            locale: Locale::En,
            unseal: &Locked,
        })
    }

    pub(crate) fn save(&self, name: &str, day: &str, save: Save) -> crate::Saved {
        let member = member(name);
        self.persona.save_session(&moment(&member, day, 0), &save).unwrap()
    }
}

pub(crate) fn member(name: &str) -> Member {
    Member::new(name).unwrap()
}

pub(crate) fn moment<'a>(member: &'a Member, day: &str, minute: i64) -> Moment<'a> {
    let today: Date = day.parse().unwrap();
    let start: Timestamp = format!("{day}T08:00:00Z").parse().unwrap();
    let now = Timestamp::from_millis(start.as_millis() + minute * 60_000);
    Moment { member, today, now, locale: Locale::Zh, salt: 1 }
}

pub(crate) fn items(done: &[&str], decided: &[&str], next: &[&str]) -> Items {
    let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Items {
        completed_items: list(done),
        decisions: list(decided),
        next_steps: list(next),
        ..Items::default()
    }
}

pub(crate) fn proposal<'a>(by: &'a Member, title: &str) -> Proposal<'a> {
    Proposal {
        by,
        kind: CardType::Heuristic,
        title: title.to_owned(),
        merge_key: None,
        aliases: Vec::new(),
        salience: 5,
        source: Some("a test".to_owned()),
        sections: Sections { content: "Do it so.".to_owned(), ..Sections::default() },
    }
}
