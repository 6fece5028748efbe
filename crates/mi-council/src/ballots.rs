//! The ballots of a proposal: a map by person, or the packed lines that a checkpoint keeps, read where they lie.
//!
//! Counting ten thousand votes should not cost ten thousand allocations, so nothing is unpacked until a vote changes.
//! Holds: [`Ballots::iter`] gives each person once, in order of name, whichever form they are in; two sets with the
//! same ballots are equal in both forms. Elsewhere: which of them count is `tally`.

use std::{
    collections::BTreeMap,
    fmt,
    hash::{Hash, Hasher},
};

use crate::{Ballot, Colour, Digest, Person, Role};

/// Everybody's vote in force.
#[derive(Clone, Default)]
pub struct Ballots {
    /// Empty once anything was changed.
    packed: Packed,
    changed: BTreeMap<Person, Ballot>,
}

impl Ballots {
    /// The ballots of packed lines; `None` unless names rise, so that each person is there once.
    pub fn of(packed: Packed) -> Option<Self> {
        let rises = packed.iter().is_sorted_by(|(left, _), (right, _)| left < right);
        rises.then(|| Self { packed, changed: BTreeMap::new() })
    }

    /// Each person's ballot, in order of name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Ballot)> {
        let changed = self.changed.iter().map(|(person, ballot)| (person.as_str(), *ballot));
        self.packed.iter().chain(changed)
    }

    /// One person's ballot.
    pub fn get(&self, person: &Person) -> Option<Ballot> {
        let packed = || self.packed.iter().find(|(name, _)| *name == person.as_str());
        self.changed.get(person).copied().or_else(|| packed().map(|(_, ballot)| ballot))
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Puts a ballot in the place of the person's earlier one, which it gives.
    pub fn insert(&mut self, person: Person, ballot: Ballot) -> Option<Ballot> {
        let packed = std::mem::take(&mut self.packed);
        self.changed.extend(packed.iter().map(|(name, ballot)| (Person::folded(name), ballot)));
        self.changed.insert(person, ballot)
    }

    /// The lines that a checkpoint keeps.
    pub fn pack(&self) -> Packed {
        let mut packed = Packed::default();
        self.iter().for_each(|(name, ballot)| packed.push(name, &ballot));
        packed
    }
}

impl fmt::Debug for Ballots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for Ballots {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Ballots {}

impl Hash for Ballots {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.iter().for_each(|entry| entry.hash(state));
    }
}

/// Ballots with their names, one line each: colour, role, late or not, round, digest (`=` for the one before), name.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    lines: String,
    last: Option<Digest>,
}

impl Packed {
    /// Takes lines that were packed before; `None` if one of them was not.
    pub fn read(lines: String) -> Option<Self> {
        let mut reader = Lines { rest: &lines, digest: None };
        while reader.next().is_some() {}
        let (whole, last) = (reader.rest.is_empty(), reader.digest);
        whole.then_some(Self { lines, last })
    }

    /// Adds a line. A name of a person has no line break in it.
    pub fn push(&mut self, name: &str, ballot: &Ballot) {
        let late = if ballot.late { 'L' } else { '.' };
        self.lines.extend([colour_letter(ballot.vote), role_letter(ballot.role), late]);
        self.lines.push_str(&ballot.round.to_string());
        match self.last.replace(ballot.digest) {
            Some(last) if last == ballot.digest => self.lines.push('='),
            _ => self.lines.extend([":", ballot.digest.to_string().as_str()]),
        }
        self.lines.extend([name, "\n"]);
    }

    /// The lines, to be kept.
    pub fn lines(&self) -> &str {
        &self.lines
    }

    /// Every name and ballot, in the order of the lines.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Ballot)> {
        Lines { rest: &self.lines, digest: None }
    }
}

/// Reads line by line; ends at the first that is none.
struct Lines<'a> {
    rest: &'a str,
    digest: Option<Digest>,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (&'a str, Ballot);

    fn next(&mut self) -> Option<Self::Item> {
        let &[colour, role, late, ref numbers @ ..] = self.rest.as_bytes() else { return None };
        let (vote, role) = (colour_of(colour)?, role_of(role)?);
        let late = match late {
            b'L' => true,
            b'.' => false,
            _ => return None,
        };
        let digits = numbers.iter().position(|byte| !byte.is_ascii_digit())?;
        let round = self.rest.get(3..3 + digits)?.parse().ok()?;
        let mut name = 4 + digits;
        match numbers.get(digits)? {
            b'=' => {}
            b':' => {
                self.digest = Some(self.rest.get(name..name + 64)?.parse().ok()?);
                name += 64;
            }
            _ => return None,
        }
        let (name, rest) = self.rest.get(name..)?.split_once('\n')?;
        let ballot = Ballot { vote, role, digest: self.digest?, round, late };
        self.rest = rest;
        Some((name, ballot))
    }
}

fn colour_letter(colour: Colour) -> char {
    match colour {
        Colour::Green => 'g',
        Colour::Yellow => 'y',
        Colour::Red => 'r',
    }
}

fn colour_of(letter: u8) -> Option<Colour> {
    match letter {
        b'g' => Some(Colour::Green),
        b'y' => Some(Colour::Yellow),
        b'r' => Some(Colour::Red),
        _ => None,
    }
}

fn role_letter(role: Role) -> char {
    match role {
        Role::Owner => 'o',
        Role::Domain => 'd',
        Role::Qa => 'q',
        Role::Security => 's',
        Role::Perf => 'p',
        Role::Architect => 'a',
        Role::Reviewer => 'r',
    }
}

fn role_of(letter: u8) -> Option<Role> {
    Role::ALL.into_iter().find(|role| role_letter(*role) == char::from(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ballot(vote: Colour, role: Role, digest: u8, round: u32, late: bool) -> Ballot {
        Ballot { vote, role, digest: Digest::new([digest; 32]), round, late }
    }

    /// Every colour and role, other digests, rounds and late ones: packed and read back, nothing differs.
    #[test]
    fn packed_ballots_are_the_ballots() {
        let mut ballots = Ballots::default();
        let colours = [Colour::Green, Colour::Yellow, Colour::Red];
        for (number, role) in (0_u8..).zip(Role::ALL) {
            for (shade, colour) in (0_u8..).zip(colours) {
                let person = Person::named(&format!("é=:{number} {shade}")).unwrap();
                ballots
                    .insert(person, ballot(colour, role, number / 2, u32::from(number) * 70_000, shade == 1));
            }
        }
        let lines = ballots.pack().lines().to_owned();
        let mut packed = Ballots::of(Packed::read(lines.clone()).unwrap()).unwrap();
        assert_eq!((packed.len(), &packed), (21, &ballots));
        assert_eq!(packed.pack().lines(), lines);
        let (person, other) =
            (Person::named("é=:3 1").unwrap(), ballot(Colour::Red, Role::Owner, 9, 1, false));
        assert_eq!(packed.get(&person), ballots.get(&person));
        assert_eq!(packed.insert(person.clone(), other), ballots.insert(person.clone(), other));
        assert_eq!((packed.len(), packed.get(&person), &packed), (21, Some(other), &ballots));
    }

    /// What was not packed here is not read: torn, foreign, out of order or twice the same person.
    #[test]
    fn other_lines_are_no_ballots() {
        let digest = Digest::new([1; 32]);
        for bad in [
            "gq.0=ann\n".to_owned(),
            format!("gq.0:{digest}ann"),
            format!("xq.0:{digest}ann\n"),
            format!("gx.0:{digest}ann\n"),
            format!("gq?0:{digest}ann\n"),
            format!("gq.:{digest}ann\n"),
            format!("gq.99999999999:{digest}ann\n"),
            format!("gq.0:{}\n", &digest.to_string()[..40]),
            format!("gq.0:{digest}ann\n\n"),
            "é".to_owned(),
        ] {
            assert!(Packed::read(bad.clone()).is_none(), "{bad:?}");
        }
        for names in [["ann", "ann"], ["bob", "ann"]] {
            let lines = format!("gq.0:{digest}{}\ngq.0={}\n", names[0], names[1]);
            assert!(Ballots::of(Packed::read(lines).unwrap()).is_none(), "{names:?}");
        }
    }
}
