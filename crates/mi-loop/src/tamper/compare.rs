//! Finds what got weaker between two inventories of a project.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    TamperKind, TamperSign, TestCase, TestInventory, replaced, script, snapshot,
    strength::{Weakening, fingerprint, weakenings},
    wish::Wish,
};

/// At most this many signs are reported.
const SIGNS_KEPT: usize = 20;
/// At most this many names stand in one sign.
const NAMES_SHOWN: usize = 5;

pub(super) type Inventories = BTreeMap<String, TestInventory>;

/// The signs that checks were weakened between `before` and `after`, except what `task` asks for.
pub fn compare(before: &Inventories, after: &Inventories, task: &str) -> Vec<TamperSign> {
    if before == after {
        return Vec::new();
    }
    let wish = Wish::of(task);
    // A file that is as it was has the same tests; pairing them would only take time.
    let is_changed = |path: &String| before.get(path) != after.get(path);
    let matched = Matched::of(before, after, &wish, &is_changed);
    let mut signs = matched.removed_tests(before, after, &wish);
    let skips = "skipped or narrowed tests";
    let skipped = grown(before, after, TamperKind::Skipped, skips, |inventory| inventory.skips);
    let is_counted = |sign: &TamperSign| {
        sign.kind == TamperKind::Skipped && skipped.iter().any(|other| other.path == sign.path)
    };
    signs.extend(matched.weaker_tests(&wish).into_iter().filter(|sign| !is_counted(sign)));
    signs.extend(lost_assertions(before, after, &wish));
    signs.extend(skipped);
    let trivial = "assertions that cannot fail";
    signs.extend(grown(before, after, TamperKind::AssertionWeaker, trivial, |inventory| inventory.trivial));
    signs.extend(configured(before, after));
    signs.extend(snapshot::rewritten(before, after, &wish));
    signs.extend(replaced::signs(before, after, &wish));
    signs.extend(script::changed(before, after, task));
    signs.retain(|sign| !wish.covers(&sign.path) && !wish.covers_what(&sign.what));
    signs.dedup();
    signs.truncate(SIGNS_KEPT);
    signs
}

/// A test of one file.
type Place<'a> = (&'a str, &'a str, &'a TestCase);

/// Each test of before, with the same test of after.
struct Matched<'a> {
    pairs: Vec<(Place<'a>, Place<'a>)>,
    gone: Vec<Place<'a>>,
    /// Tests of after that were not there before.
    new: Vec<Place<'a>>,
    /// Rows of tables outside of tests, that are there now and those that are gone, by file.
    rows: BTreeSet<u32>,
    lost_rows: BTreeMap<&'a str, usize>,
}

impl<'a> Matched<'a> {
    fn of(
        before: &'a Inventories,
        after: &'a Inventories,
        wish: &Wish,
        is_changed: &dyn Fn(&String) -> bool,
    ) -> Self {
        let changed = |inventories: &'a Inventories| inventories.iter().filter(|(path, _)| is_changed(path));
        let all = |inventories: &'a Inventories| -> Vec<Place<'a>> {
            let of_file = |(path, file): (&'a String, &'a TestInventory)| {
                file.tests.iter().map(move |(name, case)| (path.as_str(), name.as_str(), case))
            };
            changed(inventories).flat_map(of_file).collect()
        };
        let mut new = all(after);
        let (mut pairs, mut left) = (Vec::new(), Vec::new());
        // The same name in the same file, of several by that name the same body first.
        for with_body in [true, false] {
            let olds = if with_body { all(before) } else { std::mem::take(&mut left) };
            for old in olds {
                let fits = |place: &Place<'a>| {
                    place.0 == old.0
                        && base_name(place.1) == base_name(old.1)
                        && (!with_body || place.2.body == old.2.body)
                };
                match new.iter().position(fits) {
                    Some(at) => pairs.push((old, new.swap_remove(at))),
                    None => left.push(old),
                }
            }
        }
        let mut gone = Vec::new();
        for old in left {
            // The same body under any name, else the same name in another file.
            let same_body = |place: &Place<'a>| old.2.body.is_some() && place.2.body == old.2.body;
            let same_outline = |place: &Place<'a>| {
                wish.renames() && old.2.outline.is_some() && place.2.outline == old.2.outline
            };
            let same_name = |place: &Place<'a>| base_name(place.1) == base_name(old.1);
            let found = new
                .iter()
                .position(|place| same_name(place) && same_body(place))
                .or_else(|| new.iter().position(same_body))
                .or_else(|| new.iter().position(same_name))
                .or_else(|| new.iter().position(same_outline));
            match found {
                Some(at) => pairs.push((old, new.swap_remove(at))),
                // In a long file it may be one of those that are not kept whole.
                None if after
                    .get(old.0)
                    .is_some_and(|file| file.more_names.contains(&fingerprint(base_name(old.1)))) => {}
                None => gone.push(old),
            }
        }
        let rows: BTreeSet<u32> = changed(after).flat_map(|(_, file)| file.entries.iter().copied()).collect();
        let in_tests: BTreeSet<u32> = changed(after)
            .flat_map(|(_, file)| file.tests.values())
            .flat_map(|case| case.entries.iter().copied())
            .collect();
        let lost = |file: &TestInventory| {
            file.entries.iter().filter(|row| !rows.contains(row) && !in_tests.contains(row)).count()
        };
        let lost_rows =
            changed(before).map(|(path, file)| (path.as_str(), lost(file))).filter(|(_, lost)| *lost > 0);
        Self { pairs, gone, new, lost_rows: lost_rows.collect(), rows }
    }

    /// Tests that are gone with their bodies, unless all they asserted is asserted by a new test.
    fn removed_tests(&self, before: &Inventories, after: &Inventories, wish: &Wish) -> Vec<TamperSign> {
        let is_moved = |case: &TestCase| {
            !case.marks.is_empty()
                && case.marks.iter().all(|mark| mark.core.is_some_and(|core| self.came(core, None)))
        };
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, name, case) in &self.gone {
            if !wish.covers(name) && !wish.removes_subject(case) && !is_moved(case) {
                names.entry(path).or_default().push(name);
            }
        }
        // Beyond those that are kept by name, tests can only be counted.
        let count = |all: &Inventories| all.values().map(|file| u64::from(file.more_tests)).sum::<u64>();
        let fewer = count(after) < count(before) && total_tests(after) < total_tests(before);
        let unnamed = before.iter().filter(|(path, file)| {
            fewer
                && after.get(*path).is_none_or(|now| now.more_tests < file.more_tests)
                && file.more_tests > 0
        });
        let mut signs: Vec<TamperSign> = names
            .into_iter()
            .map(|(path, gone)| {
                let all = if after.contains_key(path) { "" } else { "the file has no tests any more; " };
                sign(TamperKind::TestRemoved, path, format!("{all}tests removed: {}", shown(&gone)))
            })
            .collect();
        signs.extend(unnamed.map(|(path, _)| {
            sign(TamperKind::TestRemoved, path, "there are fewer tests than before".to_owned())
        }));
        signs
    }

    /// Whether an assertion is in a test where it was not before, other than the one named.
    fn came(&self, core: (u32, bool), except: Option<&str>) -> bool {
        let count = |case: &TestCase| case.marks.iter().filter(|mark| mark.core == Some(core)).count();
        self.new.iter().any(|(_, _, case)| count(case) > 0)
            || self
                .pairs
                .iter()
                .any(|((_, name, old), (_, _, new))| Some(*name) != except && count(new) > count(old))
    }

    /// Tests that are still there and got weaker.
    fn weaker_tests(&self, wish: &Wish) -> Vec<TamperSign> {
        let mut found: Vec<(TamperKind, &str, &str, Vec<&str>)> = Vec::new();
        let mut add = |kind: TamperKind, what: &'static str, path: &'a str, name: &'a str| match found
            .iter_mut()
            .find(|(_, known, at, _)| *known == what && *at == path)
        {
            Some((.., names)) => names.push(name),
            None => found.push((kind, what, path, vec![name])),
        };
        for ((_, name, old), (path, _, new)) in &self.pairs {
            for weakening in weakenings(name, old, new, wish, |core| self.came(core, Some(name))) {
                let (kind, what) = described(weakening);
                add(kind, what, path, name);
            }
            if new.skips > old.skips {
                add(TamperKind::Skipped, "skipped now", path, name);
            }
            let is_known = |row: &u32| {
                new.entries.contains(row)
                    || self.rows.contains(row)
                    || self.new.iter().any(|(_, _, case)| case.entries.contains(row))
            };
            if !wish.changes_subject(name, old) && !old.entries.iter().all(is_known) {
                add(TamperKind::EntriesGone, "rows of the table gone or changed", path, name);
            }
        }
        let mut signs: Vec<TamperSign> = found
            .into_iter()
            .map(|(kind, what, path, names)| sign(kind, path, format!("{what}: {}", shown(&names))))
            .collect();
        let may_change = |path: &str| {
            let mut of_file = self.pairs.iter().filter(|((at, ..), _)| *at == path);
            of_file.any(|((_, name, old), _)| wish.changes_subject(name, old))
        };
        signs.extend(self.lost_rows.iter().filter(|(path, _)| !may_change(path)).map(|(path, lost)| {
            sign(TamperKind::EntriesGone, path, format!("rows of a table gone or changed: {lost}"))
        }));
        signs
    }
}

/// The name without its number among those of the same name.
fn base_name(name: &str) -> &str {
    match name.rsplit_once(" #") {
        Some((base, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

fn described(weakening: Weakening) -> (TamperKind, &'static str) {
    match weakening {
        Weakening::Emptied => (TamperKind::AssertionsLost, "tests without assertions now"),
        Weakening::AsksLess => (TamperKind::AssertionWeaker, "assertions that ask less than before"),
        Weakening::Guarded => (TamperKind::AssertionGuarded, "assertions under a new condition or handler"),
        Weakening::ExpectsOther => (TamperKind::ExpectationChanged, "expected values changed"),
        Weakening::Replaced => (TamperKind::ExpectationChanged, "assertions replaced by others"),
        Weakening::Conditional => (TamperKind::NotRun, "tests that run only under a condition now"),
        Weakening::Inverted => (TamperKind::NotRun, "tests that must fail now"),
    }
}

/// Fewer assertions over the whole project, beyond those of tests that the task gave up; the files are named.
fn lost_assertions(before: &Inventories, after: &Inventories, wish: &Wish) -> Vec<TamperSign> {
    let given_up = |file: &TestInventory, now: Option<&TestInventory>| {
        let gone =
            file.tests.iter().filter(|(name, _)| !now.is_some_and(|now| now.tests.contains_key(*name)));
        gone.filter(|(name, case)| wish.covers(name) || wish.removes_subject(case))
            .map(|(_, case)| case.assertions)
            .fold(0, u32::saturating_add)
    };
    let allowed: u64 = before.iter().map(|(path, file)| u64::from(given_up(file, after.get(path)))).sum();
    if total(after, assertions).saturating_add(allowed) >= total(before, assertions) {
        return Vec::new();
    }
    let fewer = before.iter().filter_map(|(path, file)| {
        let now = after.get(path).map_or(0, |file| file.assertions);
        let expected = file.assertions.saturating_sub(given_up(file, after.get(path)));
        (now < expected).then(|| {
            sign(
                TamperKind::AssertionsLost,
                path,
                format!("assertions went from {} to {now}", file.assertions),
            )
        })
    });
    fewer.collect()
}

/// A count that grew over the whole project; the files where it grew are named.
fn grown(
    before: &Inventories,
    after: &Inventories,
    kind: TamperKind,
    what: &str,
    count: fn(&TestInventory) -> u32,
) -> Vec<TamperSign> {
    if total(after, count) <= total(before, count) {
        return Vec::new();
    }
    let more = after.iter().filter_map(|(path, file)| {
        let old = before.get(path).map_or(0, count);
        (count(file) > old).then(|| sign(kind, path, format!("{what} went from {old} to {}", count(file))))
    });
    more.collect()
}

/// Configuration that ignores more, or declares fewer checks.
fn configured(before: &Inventories, after: &Inventories) -> Vec<TamperSign> {
    let nothing = TestInventory::default();
    let mut signs = Vec::new();
    for (path, file) in after {
        let old = before.get(path).unwrap_or(&nothing);
        let is_new = !before.contains_key(path);
        // A new test file may be built only at times, and a project without tests may begin with a choice.
        let matters = |entry: &&str| {
            let limits = entry.starts_with("build only: ") || entry.starts_with("only: ");
            !(limits && (is_new && entry.starts_with("build only: ") || total_tests(before) == 0))
        };
        let added: Vec<&str> =
            file.ignores.difference(&old.ignores).map(String::as_str).filter(matters).collect();
        if !added.is_empty() {
            signs.push(sign(
                TamperKind::Configuration,
                path,
                format!("configuration now leaves out: {}", shown(&added)),
            ));
        }
    }
    for (path, file) in before {
        let new = after.get(path).unwrap_or(&nothing);
        let gone: Vec<&str> = file.declares.difference(&new.declares).map(String::as_str).collect();
        // A reworded step is no loss: only fewer declarations are.
        if !gone.is_empty() && new.declares.len() < file.declares.len() {
            signs.push(sign(
                TamperKind::Configuration,
                path,
                format!("checks no longer declared: {}", shown(&gone)),
            ));
        }
    }
    signs
}

fn total_tests(all: &Inventories) -> u64 {
    all.values().map(TestInventory::test_count).sum()
}

fn assertions(inventory: &TestInventory) -> u32 {
    inventory.assertions
}

fn total(all: &Inventories, count: fn(&TestInventory) -> u32) -> u64 {
    all.values().map(|file| u64::from(count(file))).sum()
}

pub(super) fn shown(names: &[&str]) -> String {
    let first = names.iter().take(NAMES_SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn sign(kind: TamperKind, path: &str, what: String) -> TamperSign {
    TamperSign { kind, path: path.to_owned(), what }
}
