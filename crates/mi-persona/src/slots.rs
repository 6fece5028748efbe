//! Names of session logs, and which of them a boot looks at (D.2): slots, deduplication, looking back.

use jiff::Span;
use jiff::civil::Date;
use std::collections::BTreeMap;

/// At most this many slots are read.
pub const MOST_SLOTS: usize = 8;
/// How far a boot looks back when nothing was written today.
pub const LOOK_BACK_DAYS: i32 = 7;

/// What the name of a log says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogName {
    pub date: Date,
    /// None: the roll-up of the day, or a log from before there were slots.
    pub slot: Option<String>,
    pub session: Option<String>,
}

/// A log and when it was last changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    /// From the persona.
    pub path: String,
    pub name: LogName,
    pub modified_ns: i128,
}

impl LogName {
    /// Reads `2026-01-02.md`, `2026-01-02-slot-A-1f3b.md` and other names that begin with a day.
    pub fn parse(file: &str) -> Option<Self> {
        let stem = file.strip_suffix(".md")?;
        let date = stem.get(..10)?.parse().ok()?;
        let rest = &stem[10..];
        let plain = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric());
        match rest.strip_prefix("-slot-") {
            Some(rest) => {
                let (slot, session) =
                    rest.split_once('-').map_or((rest, None), |(slot, id)| (slot, Some(id)));
                let slot = Some(slot.to_owned()).filter(|slot| plain(slot));
                Some(Self { date, slot, session: session.map(str::to_owned) })
            }
            None if rest.is_empty() || rest.starts_with('-') => {
                Some(Self { date, slot: None, session: None })
            }
            None => None,
        }
    }

    /// The file's name; a log with a slot has a session.
    pub fn file(&self) -> String {
        match (&self.slot, &self.session) {
            (Some(slot), Some(session)) => format!("{}-slot-{slot}-{session}.md", self.date),
            (Some(slot), None) => format!("{}-slot-{slot}.md", self.date),
            (None, _) => format!("{}.md", self.date),
        }
    }

    /// Where it lies, from the persona.
    pub fn path(&self) -> String {
        format!("{}/{}", month_folder(self.date), self.file())
    }
}

/// `sessions/2026-01`.
pub fn month_folder(date: Date) -> String {
    format!("sessions/{:04}-{:02}", date.year(), date.month())
}

/// The newest log: by day; on one day the roll-up, which holds the others, then the last changed.
pub fn latest(files: &[LogFile]) -> Option<&LogFile> {
    files.iter().max_by(|left, right| {
        let key = |file: &LogFile| (file.name.date, file.path.ends_with(&format!("/{}.md", file.name.date)));
        key(left).cmp(&key(right)).then_with(|| newer(left, right))
    })
}

/// What tier A+ reads: today's slots, or the most recent session of the last seven days.
pub fn across_windows(files: &[LogFile], today: Date) -> Vec<&LogFile> {
    let mine = slots_of(files, today);
    if !mine.is_empty() {
        return mine;
    }
    let earliest = today.checked_sub(Span::new().days(LOOK_BACK_DAYS)).unwrap_or(today);
    let recent = files.iter().filter(|file| file.name.date >= earliest && file.name.date < today);
    let Some(day) = recent.map(|file| file.name.date).max() else { return Vec::new() };
    slots_of(files, day).into_iter().take(1).collect()
}

/// The slots of a day, one file each (the last changed), at most eight, newest first.
pub fn slots_of(files: &[LogFile], day: Date) -> Vec<&LogFile> {
    let of_day = || files.iter().filter(|file| file.name.date == day);
    let mut newest: BTreeMap<&str, &LogFile> = BTreeMap::new();
    for file in of_day() {
        let Some(slot) = file.name.slot.as_deref() else { continue };
        newest.entry(slot).and_modify(|known| *known = later(known, file)).or_insert(file);
    }
    let mut chosen: Vec<&LogFile> = newest.into_values().collect();
    if chosen.is_empty() {
        // A day from before there were slots.
        chosen = of_day().collect();
    }
    chosen.sort_by(|left, right| newer(right, left));
    chosen.truncate(MOST_SLOTS);
    chosen
}

fn later<'a>(left: &'a LogFile, right: &'a LogFile) -> &'a LogFile {
    if newer(left, right).is_lt() { right } else { left }
}

fn newer(left: &LogFile, right: &LogFile) -> std::cmp::Ordering {
    (left.modified_ns, &left.path).cmp(&(right.modified_ns, &right.path))
}

/// The first slot that nobody uses: A, B, … Z, AA, AB, …
pub fn free_slot(used: impl Fn(&str) -> bool) -> String {
    let name = |mut number: usize| {
        let mut letters = Vec::new();
        loop {
            letters.push(char::from(b'A' + u8::try_from(number % 26).unwrap_or(0)));
            number /= 26;
            if number == 0 {
                break;
            }
            number -= 1;
        }
        letters.iter().rev().collect::<String>()
    };
    (0..).map(name).find(|slot| !used(slot)).unwrap_or_else(|| "A".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, modified_ns: i128) -> LogFile {
        LogFile {
            path: format!("sessions/{}/{name}", &name[..7]),
            name: LogName::parse(name).unwrap(),
            modified_ns,
        }
    }

    fn paths(files: &[&LogFile]) -> Vec<String> {
        files.iter().map(|file| file.path.rsplit('/').next().unwrap().to_owned()).collect()
    }

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    /// Names are read as they are written.
    #[test]
    fn d_11_names_of_logs() {
        for name in [
            "2026-01-02.md",
            "2026-01-02-slot-A-1f3b.md",
            "2026-01-02-slot-BC-x-y.md",
            "2026-01-02-slot-A.md",
        ] {
            assert_eq!(LogName::parse(name).unwrap().file(), name);
        }
        assert_eq!(LogName::parse("2026-01-02-notes.md").unwrap().slot, None);
        assert_eq!(
            LogName::parse("2026-01-02-slot-A-x.md").unwrap().path(),
            "sessions/2026-01/2026-01-02-slot-A-x.md"
        );
        for bad in ["README.md", "2026-13-02.md", "2026-01-02.txt", "2026-01-02x.md", "日志.md"] {
            assert_eq!(LogName::parse(bad), None, "{bad}");
        }
    }

    /// Today's slots, the last changed file of each, newest first, never more than eight.
    #[test]
    fn d_02_today_one_file_per_slot_at_most_eight() {
        let mut files: Vec<LogFile> = (0..10)
            .map(|at| file(&format!("2026-01-10-slot-{}-s.md", char::from(b'A' + at)), i128::from(at)))
            .collect();
        files.push(file("2026-01-10-slot-A-t.md", 100));
        files.push(file("2026-01-10.md", 200));
        files.push(file("2026-01-09-slot-Z-s.md", 300));
        let chosen = paths(&across_windows(&files, day("2026-01-10")));
        assert_eq!(chosen.len(), MOST_SLOTS);
        assert_eq!(chosen[..2], ["2026-01-10-slot-A-t.md", "2026-01-10-slot-J-s.md"]);
        assert!(!chosen.contains(&"2026-01-10-slot-A-s.md".to_owned()));
    }

    /// Nothing today: the most recent session of seven days; nothing there: nothing.
    #[test]
    fn d_02_looks_back_seven_days() {
        let files = [
            file("2026-01-02-slot-A-s.md", 9),
            file("2026-01-03-slot-A-s.md", 1),
            file("2026-01-03-slot-B-s.md", 2),
            file("2026-01-03.md", 3),
        ];
        let seen = |today: &str| paths(&across_windows(&files, day(today)));
        assert_eq!(seen("2026-01-10"), ["2026-01-03-slot-B-s.md"]);
        assert!(seen("2026-01-11").is_empty());
        let rolled = [file("2026-01-03.md", 3)];
        assert_eq!(paths(&across_windows(&rolled, day("2026-01-05"))), ["2026-01-03.md"]);
    }

    /// The newest by its day, whatever was touched last; on one day the roll-up.
    #[test]
    fn d_02_latest_is_by_date() {
        let files =
            [file("2025-12-31.md", 99), file("2026-01-03-slot-A-s.md", 5), file("2026-01-03-slot-B-s.md", 7)];
        assert_eq!(latest(&files).unwrap().path, "sessions/2026-01/2026-01-03-slot-B-s.md");
        let with_roll_up = [files[0].clone(), files[2].clone(), file("2026-01-03.md", 1)];
        assert_eq!(latest(&with_roll_up).unwrap().path, "sessions/2026-01/2026-01-03.md");
    }

    /// Slots have names without end.
    #[test]
    fn free_slots_go_on_after_z() {
        assert_eq!(free_slot(|_| false), "A");
        assert_eq!(free_slot(|slot| slot == "A"), "B");
        assert_eq!(free_slot(|slot| slot.len() == 1), "AA");
    }
}
