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

use crate::{Ballot, Colour, Person, Role};

/// Everybody's vote in force.
#[derive(Clone, Default)]
pub struct Ballots {
    /// Empty once anything was changed.
    packed: Packed,
    changed: BTreeMap<Person, Ballot>,
}

impl Ballots {
    /// The ballots of lines that were packed before; `None` unless names rise, so that each person is there once.
    pub fn read(lines: String) -> Option<Self> {
        let (mut before, mut rises) = ("", true);
        let last = Packed::check(&lines, |name| {
            rises &= before < name;
            before = name;
        })?;
        rises.then(|| Self { packed: Packed { lines, last }, changed: BTreeMap::new() })
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

/// Ballots with their names, one line each: colour, role, late or not, round, digest (`=` for the one before), name; or
/// `=` and the name, for the very ballot of the line before.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    lines: String,
    last: Option<Ballot>,
}

impl Packed {
    /// Takes lines that were packed before; `None` if one of them was not.
    pub fn read(lines: String) -> Option<Self> {
        let last = Self::check(&lines, |_| {})?;
        Some(Self { lines, last })
    }

    /// Reads every line; gives the last one's ballot, or `None` if there is a line that was not packed.
    fn check<'a>(lines: &'a str, mut seen: impl FnMut(&'a str)) -> Option<Option<Ballot>> {
        let mut reader = Lines { rest: lines, last: None };
        reader.by_ref().for_each(|(name, _)| seen(name));
        reader.rest.is_empty().then_some(reader.last)
    }

    /// Adds a line. A name of a person has no line break in it.
    pub fn push(&mut self, name: &str, ballot: &Ballot) {
        let before = self.last.replace(*ballot);
        if before != Some(*ballot) {
            let late = if ballot.late { 'L' } else { '.' };
            self.lines.extend([colour_letter(ballot.vote), role_letter(ballot.role), late]);
            self.lines.push_str(&ballot.round.to_string());
        }
        match before {
            Some(before) if before.digest == ballot.digest => self.lines.push('='),
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
        Lines { rest: &self.lines, last: None }
    }
}

/// Reads line by line; ends at the first that is none. By bytes: this is most of the work of counting many votes.
struct Lines<'a> {
    rest: &'a str,
    last: Option<Ballot>,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (&'a str, Ballot);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (ballot, start) = match self.rest.as_bytes().first()? {
            b'=' => (self.last?, 1),
            _ => self.ballot()?,
        };
        let length = self.rest.as_bytes().get(start..)?.iter().position(|byte| *byte == b'\n')?;
        let (name, rest) = (self.rest.get(start..start + length)?, self.rest.get(start + length + 1..)?);
        self.rest = rest;
        self.last = Some(ballot);
        Some((name, ballot))
    }
}

impl Lines<'_> {
    /// The ballot of a line that tells it, and where the name begins.
    fn ballot(&self) -> Option<(Ballot, usize)> {
        let &[colour, role, late, ref numbers @ ..] = self.rest.as_bytes() else { return None };
        let (vote, role) = (colour_of(colour)?, role_of(role)?);
        let late = match late {
            b'L' => true,
            b'.' => false,
            _ => return None,
        };
        let (round, digits) = number(numbers)?;
        let name = 4 + digits;
        let (digest, name) = match numbers.get(digits)? {
            b'=' => (self.last?.digest, name),
            b':' => (self.rest.get(name..name + 64)?.parse().ok()?, name + 64),
            _ => return None,
        };
        Some((Ballot { vote, role, digest, round, late }, name))
    }
}

/// The number at the beginning, and how many digits it has.
fn number(bytes: &[u8]) -> Option<(u32, usize)> {
    let (mut number, mut digits) = (0_u32, 0);
    while let Some(digit) = bytes.get(digits).filter(|byte| byte.is_ascii_digit()) {
        number = number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
        digits += 1;
    }
    (digits > 0).then_some((number, digits))
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
    match letter {
        b'o' => Some(Role::Owner),
        b'd' => Some(Role::Domain),
        b'q' => Some(Role::Qa),
        b's' => Some(Role::Security),
        b'p' => Some(Role::Perf),
        b'a' => Some(Role::Architect),
        b'r' => Some(Role::Reviewer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

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
        let mut packed = Ballots::read(lines.clone()).unwrap();
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
            "=ann\n".to_owned(),
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
            assert!(Packed::read(lines.clone()).is_some() && Ballots::read(lines).is_none(), "{names:?}");
        }
    }
}
