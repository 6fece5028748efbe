//! Turning entries into the lines of a log: the frame is spliced in after `kind`.
//!
//! Holds: field order is kind, ts, run_id, seq, prev, beat_index, window_id, hlc, goal.ids, then the entry's
//! own fields; each line names the SHA-256 of the line before it.

use mi_model::{BeatClock, Hlc, RunId, Timestamp, record::Entry, sha256_hex};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::JournalError;

/// The fields that the journal gives; an entry's own field of that name would be a duplicate key.
const FRAME_FIELDS: [&str; 9] =
    ["kind", "ts", "run_id", "seq", "prev", "beat_index", "window_id", "hlc", "goal.ids"];

/// An entry as JSON, `kind` first.
pub(crate) struct Body {
    json: Vec<u8>,
    /// Length of the `{"kind":"…"` it starts with.
    kind_end: usize,
}

impl Body {
    pub(crate) fn of_entry(entry: &Entry) -> Result<Self, JournalError> {
        Self::encode(entry.kind(), entry)
    }

    /// A record of any shape; the frame's own fields in it are dropped. Its group names no requirements, so those it
    /// names itself are kept, where the frame would have them.
    pub(crate) fn of_fields(kind: &str, fields: &Map<String, Value>) -> Result<Self, JournalError> {
        let mut body = Map::new();
        body.insert("kind".to_owned(), Value::from(kind));
        let goals = fields.get_key_value("goal.ids");
        body.extend(goals.map(|(name, value)| (name.clone(), value.clone())));
        let own = fields.iter().filter(|(name, _)| !FRAME_FIELDS.contains(&name.as_str()));
        body.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        Self::encode(kind, &body)
    }

    fn encode(kind: &str, value: &impl Serialize) -> Result<Self, JournalError> {
        let wrong = |source| JournalError::Encode { kind: kind.to_owned(), source };
        let json = serde_json::to_vec(value).map_err(wrong)?;
        let start = format!("{{\"kind\":{}", serde_json::to_string(kind).map_err(wrong)?);
        if !json.starts_with(start.as_bytes()) {
            return Err(wrong(serde::ser::Error::custom("the kind is not its first field")));
        }
        Ok(Self { json, kind_end: start.len() })
    }
}

/// What the frames of one group have in common.
pub(crate) struct Stamp {
    common: String,
    window: String,
    goals: String,
    now: Timestamp,
}

impl Stamp {
    pub(crate) fn new(now: Timestamp, run_id: Option<&RunId>, goal_ids: &[String]) -> Self {
        let beat = BeatClock::default().at(now);
        let run = run_id.map_or(Value::Null, |run| Value::from(run.as_str()));
        let goals = if goal_ids.is_empty() {
            String::new()
        } else {
            format!(r#","goal.ids":{}"#, Value::from(goal_ids))
        };
        Self {
            common: format!(r#","ts":"{now}","run_id":{run}"#),
            window: format!(r#","beat_index":{},"window_id":"{}""#, beat.beat_index, beat.window_id),
            goals,
            now,
        }
    }
}

/// The end of the chain that new lines are added to.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChainEnd {
    pub(crate) next_seq: u64,
    pub(crate) hash: Option<String>,
    pub(crate) hlc: Hlc,
}

impl ChainEnd {
    /// Appends the next line, newline included, to `out`.
    pub(crate) fn add_line(&mut self, stamp: &Stamp, body: &Body, out: &mut Vec<u8>) {
        let start = out.len();
        let hlc = self.hlc.tick(stamp.now);
        let prev = self.hash.as_ref().map_or("null".to_owned(), |hash| format!("\"{hash}\""));
        out.extend_from_slice(&body.json[..body.kind_end]);
        out.extend_from_slice(stamp.common.as_bytes());
        out.extend_from_slice(format!(r#","seq":{},"prev":{prev}"#, self.next_seq).as_bytes());
        out.extend_from_slice(stamp.window.as_bytes());
        out.extend_from_slice(format!(r#","hlc":"{hlc}""#).as_bytes());
        out.extend_from_slice(stamp.goals.as_bytes());
        out.extend_from_slice(&body.json[body.kind_end..]);
        self.hash = Some(sha256_hex(&out[start..]));
        self.hlc = hlc;
        self.next_seq += 1;
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mi_model::record::{Note, Record};

    /// A line has the documented field order, loads as a record and names the line before it.
    #[test]
    fn line_is_frame_and_entry() {
        let run = RunId::new("r1");
        let now = Timestamp::from_millis(60_000);
        let stamp = Stamp::new(now, Some(&run), &["g1".to_owned()]);
        let entry = Entry::Note(Note { message: "hi".to_owned(), path: String::new() });
        let (mut end, mut out) = (ChainEnd::default(), Vec::new());
        end.add_line(&stamp, &Body::of_entry(&entry).unwrap(), &mut out);
        end.add_line(&stamp, &Body::of_fields("x", &Map::new()).unwrap(), &mut out);
        let text = String::from_utf8(out).unwrap();
        let (first, second) = text.split_once('\n').unwrap();
        assert_eq!(
            first,
            concat!(
                r#"{"kind":"note","ts":"1970-01-01T00:01:00.000Z","run_id":"r1","seq":0,"prev":null,"beat_index":0,"#,
                r#""window_id":"w0","hlc":"0000000060000-00000","goal.ids":["g1"],"message":"hi","path":""}"#
            )
        );
        assert!(second.contains(&format!(r#""seq":1,"prev":"{}""#, sha256_hex(first.as_bytes()))));
        assert_eq!(serde_json::from_str::<Record>(first).unwrap().entry, entry);
    }

    /// A field that the frame gives is not written twice.
    #[test]
    fn fields_of_the_frame_are_dropped() {
        let fields = serde_json::json!({"seq": 9, "prev": "x", "text": "t"}).as_object().unwrap().clone();
        let body = Body::of_fields("learned_add", &fields).unwrap();
        assert_eq!(String::from_utf8(body.json).unwrap(), r#"{"kind":"learned_add","text":"t"}"#);
    }
}
