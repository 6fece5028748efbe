//! The finished cycles of `history.json` as they were at one moment, however many there are.
//!
//! Holds: writers wait only while the file is opened. A history is replaced as a whole, or grows from the end of its last
//! cycle on; so the file as it was opened and its end as it was then are all that has to be kept, and reading goes on
//! without the lock. No bytes panic; damage gives every cycle before it, and is told. Elsewhere: walking is [`crate::records`]'s.

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek},
    ops::Range,
    os::unix::fs::FileExt,
};

use crate::{
    FileError, Store,
    error::AtPath,
    records::{ScanError, scan},
};

/// How much of the file's end is kept: what closes the list fits many times, whoever laid it out.
const END: u64 = 1 << 16;

/// An open history.
pub(crate) struct Snapshot {
    file: File,
    /// Where the kept end begins.
    end_at: u64,
    end: Vec<u8>,
}

/// Whether the whole file was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Whole,
    /// The JSON stops, or stops being JSON, at this byte.
    Damaged {
        at: u64,
    },
}

impl Snapshot {
    /// `None` when there is no history.
    pub(crate) fn open(store: &Store) -> Result<Option<Self>, FileError> {
        let path = store.layout().history();
        let _lock = store.lock_for_reading()?;
        let Some(file) = store.open(&path)? else { return Ok(None) };
        let length = file.metadata().at("look at", &path)?.len();
        let end_at = length.saturating_sub(END);
        let mut end = vec![0; usize::try_from(length - end_at).unwrap_or(0)];
        file.read_exact_at(&mut end, end_at).at("read", &path)?;
        Ok(Some(Self { file, end_at, end }))
    }

    /// Hands out every complete cycle, oldest first, with its place in the file.
    pub(crate) fn each_cycle(&self, each: impl FnMut(&[u8], Range<u64>)) -> io::Result<Reading> {
        let mut file = &self.file;
        file.rewind()?;
        match scan(file.take(self.end_at).chain(self.end.as_slice()), "cycles", each) {
            Ok(_) => Ok(Reading::Whole),
            Err(ScanError::Read(error)) => Err(error),
            Err(ScanError::Broken { offset, .. }) => Ok(Reading::Damaged { at: offset }),
        }
    }

    /// The bytes of one cycle again. Complete cycles stay where they are in an open file.
    pub(crate) fn cycle(&self, place: &Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(place.end - place.start).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, place.start)?;
        Ok(bytes)
    }
}

/// Tells every text value of a JSON text and the nearest key before it, without building it.
pub(crate) fn tell_texts(json: &[u8], tell: &mut dyn FnMut(&str, &str)) -> serde_json::Result<()> {
    Texts { key: "", tell }.deserialize(&mut serde_json::Deserializer::from_slice(json))
}

struct Texts<'a> {
    key: &'a str,
    tell: &'a mut dyn FnMut(&str, &str),
}

impl<'de> DeserializeSeed<'de> for Texts<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        (self.tell)(self.key, text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Texts { key: self.key, tell: &mut *self.tell })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            fields.next_value_seed(Texts { key: &key, tell: &mut *self.tell })?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Reading, Snapshot, tell_texts};
    use crate::{Layout, Store, Tool, Workspace};
    use mi_model::Timestamp;
    use serde_json::{Value, json};
    use std::fs;

    fn snapshot(text: &str) -> (tempfile::TempDir, Snapshot) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        fs::create_dir_all(layout.state()).unwrap();
        fs::write(layout.history(), text).unwrap();
        (folder, Snapshot::open(&Store::new(layout)).unwrap().unwrap())
    }

    fn cycles(snapshot: &Snapshot) -> (Vec<Value>, Reading) {
        let mut cycles = Vec::new();
        let reading = snapshot.each_cycle(|bytes, place| {
            assert_eq!(snapshot.cycle(&place).unwrap(), bytes);
            cycles.push(serde_json::from_slice(bytes).unwrap());
        });
        (cycles, reading.unwrap())
    }

    /// Strings arrive with their key, escapes resolved; numbers and states of nothing do not.
    #[test]
    fn strings_are_told_with_their_keys() {
        let text = r#"{"completed_at": "t1", "plan": null, "x": [true, -1, 1, 1.5, {}], "tasks": [
            {"title": "a \"q\" \u4e2d", "deps": [1]}, {"how_agents": ["x", "y"]}]}"#;
        let mut told = Vec::new();
        tell_texts(text.as_bytes(), &mut |key, value| told.push(format!("{key}={value}"))).unwrap();
        assert_eq!(told, ["completed_at=t1", "title=a \"q\" 中", "how_agents=x", "how_agents=y"]);
        assert!(tell_texts(b"{\"a\": }", &mut |_, _| {}).is_err());
    }

    /// A file that ends early, or is no history, still gives what stands before the damage.
    #[test]
    fn a_torn_history_gives_what_stands_before() {
        let torn = r#"{"cycles": [{"branch": "a"}, {"branch": "#;
        let (_folder, open) = snapshot(torn);
        assert_eq!(cycles(&open), (vec![json!({"branch": "a"})], Reading::Damaged { at: torn.len() as u64 }));
        for bad in ["", "[]", "x", "}", "{}{}", "{\"cycles\": [", "\"cycles\"", "{\"cycles\": [1]}"] {
            let (_folder, open) = snapshot(bad);
            assert!(matches!(cycles(&open), (none, Reading::Damaged { .. }) if none.is_empty()), "{bad}");
        }
    }

    /// Whoever reads a long history keeps nobody from adding to it, in place or anew, and sees what was there before.
    #[test]
    fn nx_008_a_reader_keeps_no_writer_off() {
        for padding in [0, 2 << 20] {
            let old = json!({"branch": "old", "more": "x".repeat(padding)});
            let (folder, open) = snapshot(&format!("{{\n  \"cycles\": [\n    {old}\n  ]\n}}\n"));
            let workspace = Workspace::new(Layout::new(folder.path()));
            let start = || {
                let plan = json!({"topic": "t", "issues": [], "research_summary": ""});
                let now = Timestamp::from_millis(1_790_000_000_000);
                workspace.call(Tool::PlanStart, &plan, now).unwrap();
                workspace.call(Tool::TaskClose, &json!({}), now).unwrap()
            };
            assert_eq!(start()["total_cycles"], 2);
            assert_eq!(start()["total_cycles"], 3);
            assert_eq!(cycles(&open), (vec![old], Reading::Whole));
        }
    }
}
