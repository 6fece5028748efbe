//! What `mi review status` shows, and how it is written as JSON: straight into the reader's text, one vote after another.
//!
//! Holds: the contract `{"phase","votes":{…},"blockers":[…],"quorum":{…},"due_beat":…}` comes first, with every vote;
//! what helps a reader follows. Memory does not grow with the number of votes.

use serde::Serialize;
use std::fmt::{self, Write};

use crate::{Blocker, Colour, Digest, Now, Packed, Person, Phase, Role, Seats, Standing};

/// How a proposal stands, but for the votes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status<'a> {
    pub phase: Phase,
    pub blockers: Vec<Blocker>,
    pub quorum: ShownQuorum,
    pub due_beat: i64,
    /// The proposal's own beat.
    pub beat: i64,
    /// The digest that votes are held against.
    pub digest: Digest,
    pub author: &'a Person,
}

/// One person's vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownVote {
    pub vote: Colour,
    pub role: Role,
    pub counted: bool,
    pub digest: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ShownQuorum {
    pub need: Seats,
    pub have: Seats,
    pub met: bool,
}

impl Standing {
    /// How the proposal stands, for people and programs.
    pub fn status(&self, now: &Now) -> Status<'_> {
        let tally = self.tally(now);
        Status {
            phase: self.phase_by(&tally),
            blockers: self.blockers(&tally, now),
            quorum: ShownQuorum { need: tally.need, have: tally.have, met: tally.met },
            due_beat: self.due_beat,
            beat: self.beat_at(now.beat),
            digest: self.digest(now),
            author: &self.author,
        }
    }

    /// Each person's vote, in order of name.
    pub fn shown_votes(&self, now: &Now) -> impl Iterator<Item = (&str, ShownVote)> {
        self.ballots.iter().map(|(name, ballot)| {
            let counted = self.counts(name, &ballot, now);
            (name, ShownVote { vote: ballot.vote, role: ballot.role, counted, digest: ballot.digest })
        })
    }

    /// The same as [`Standing::write_json`], in one text.
    pub fn to_json(&self, now: &Now, history: &Packed, about: &[(&str, String)]) -> String {
        let mut text = String::new();
        self.write_json(now, history, about, &mut text).expect("a text takes all that is written to it");
        text
    }

    /// Writes how the proposal stands as one JSON object; `history` is what was voted before, oldest first, and `about`
    /// names and values that follow.
    pub fn write_json(
        &self,
        now: &Now,
        history: &Packed,
        about: &[(&str, String)],
        out: &mut impl Write,
    ) -> fmt::Result {
        let status = self.status(now);
        write!(out, "{{\"phase\":\"{}\",\"votes\":{{", status.phase)?;
        let mut end = VoteEnd::default();
        for (number, (name, vote)) in self.shown_votes(now).enumerate() {
            out.write_str(if number == 0 { "\"" } else { ",\"" })?;
            write_name(name, out)?;
            out.write_str(end.of_vote(&vote))?;
        }
        write!(out, "}},\"blockers\":{}", json(&status.blockers))?;
        write!(out, ",\"quorum\":{},\"due_beat\":{}", json(&status.quorum), status.due_beat)?;
        write!(out, ",\"beat\":{},\"digest\":\"{}\"", status.beat, status.digest)?;
        write!(out, ",\"author\":{},\"history\":[", json(status.author))?;
        for (number, (name, ballot)) in history.iter().enumerate() {
            out.write_str(if number == 0 { "{\"name\":\"" } else { ",{\"name\":\"" })?;
            write_name(name, out)?;
            let (vote, role, digest) = (ballot.vote, ballot.role, ballot.digest);
            out.write_str(end.of_past(&ShownVote { vote, role, counted: false, digest }, ballot.late))?;
        }
        out.write_str("]")?;
        for (name, value) in about {
            write!(out, ",\"{name}\":{value}")?;
        }
        out.write_str("}")
    }
}

/// What follows a name. Neighbours mostly voted alike, so the last text is kept.
#[derive(Default)]
struct VoteEnd {
    of: Option<(ShownVote, Option<bool>)>,
    text: String,
}

impl VoteEnd {
    fn of_vote(&mut self, vote: &ShownVote) -> &str {
        if self.of != Some((*vote, None)) {
            self.of = Some((*vote, None));
            let ShownVote { vote, role, counted, digest } = vote;
            self.text = format!(
                "\":{{\"vote\":\"{vote}\",\"role\":\"{role}\",\"counted\":{counted},\"digest\":\"{digest}\"}}"
            );
        }
        &self.text
    }

    fn of_past(&mut self, vote: &ShownVote, late: bool) -> &str {
        if self.of != Some((*vote, Some(late))) {
            self.of = Some((*vote, Some(late)));
            let ShownVote { vote, role, counted, digest } = vote;
            self.text = format!(
                "\",\"vote\":\"{vote}\",\"role\":\"{role}\",\"counted\":{counted},\"digest\":\"{digest}\",\"late\":{late}}}"
            );
        }
        &self.text
    }
}

/// A name between the quotes of a JSON text.
fn write_name(name: &str, out: &mut impl Write) -> fmt::Result {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if name.bytes().all(is_plain) {
        return out.write_str(name);
    }
    let text = json(name);
    out.write_str(text.get(1..text.len().saturating_sub(1)).unwrap_or_default())
}

/// A text, or a structure of texts and numbers, has a JSON form.
fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aliases, Ballot, Ballots, behaviour::opened};

    /// Names with quotes, backslashes and other letters are JSON; votes differ from their neighbours; nothing is lost.
    #[test]
    fn status_json_is_json_whatever_the_names_are() {
        let mut standing = Standing::of(&opened(crate::Quorum::default()), &Aliases::default());
        let (mut ballots, mut history) = (Ballots::default(), Packed::default());
        let colours = [Colour::Green, Colour::Green, Colour::Red, Colour::Yellow, Colour::Yellow];
        let names = ["a\"b", "a\\b", "bob", "é", "汉字"];
        for (number, (name, vote)) in (0_u8..).zip(names.into_iter().zip(colours)) {
            let digest = Digest::new([number / 2; 32]);
            let ballot = Ballot { vote, role: Role::Qa, digest, round: 0, late: number == 4 };
            ballots.insert(Person::named(name).unwrap(), ballot);
            history.push(name, &ballot);
        }
        standing.ballots = ballots;
        let now = Now { beat: 7, digest: Digest::new([0; 32]) };
        let text = standing.to_json(&now, &history, &[("id", "\"P-1\"".to_owned())]);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        for ((name, vote), past) in standing.shown_votes(&now).zip(read["history"].as_array().unwrap()) {
            let shown = &read["votes"][name];
            assert_eq!(
                (shown["vote"].as_str(), shown["role"].as_str()),
                (Some(vote.vote.as_str()), Some("qa"))
            );
            assert_eq!(
                (&shown["counted"], &shown["digest"]),
                (&vote.counted.into(), &vote.digest.to_string().into())
            );
            assert_eq!((&past["name"], &past["vote"]), (&name.into(), &shown["vote"]));
            assert_eq!((&past["counted"], &past["late"]), (&false.into(), &(name == "汉字").into()));
            assert_eq!(past["digest"], shown["digest"]);
        }
        assert_eq!((read["votes"].as_object().unwrap().len(), &read["id"]), (5, &"P-1".into()));
        assert!(text.starts_with("{\"phase\":\"REVIEW\",\"votes\":{\"a\\\"b\":{\"vote\":\"green\",\"role\":\"qa\",\"counted\":true,"));
    }
}
