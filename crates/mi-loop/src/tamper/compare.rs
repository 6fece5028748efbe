//! Finds what got weaker between two inventories of a project.

use std::collections::{BTreeMap, BTreeSet};

use super::{TamperSign, TestInventory, script, strength};

/// At most this many signs are reported.
const SIGNS_KEPT: usize = 20;
/// At most this many names stand in one sign.
const NAMES_SHOWN: usize = 5;

pub(super) type Inventories = BTreeMap<String, TestInventory>;

/// The signs that checks were weakened between `before` and `after`, except what `task` asks for by name.
pub fn compare(before: &Inventories, after: &Inventories, task: &str) -> Vec<TamperSign> {
    if before == after {
        return Vec::new();
    }
    let permission = Permission::of(task);
    let mut signs = removed_tests(before, after, &permission);
    signs.extend(emptied_tests(before, after));
    signs.extend(lost_assertions(before, after, &permission));
    signs.extend(grown(before, after, "skipped or narrowed tests", |inventory| inventory.skips));
    signs.extend(grown(before, after, "assertions that cannot fail", |inventory| inventory.trivial));
    signs.extend(configured(before, after));
    signs.extend(strength::weaker_tests(before, after, is_fix(task), |name| names_test(task, name)));
    signs.extend(script::changed(before, after, task));
    signs.retain(|sign| !permission.covers(&sign.path) && !permission.covers_what(&sign.what));
    signs.dedup();
    signs.truncate(SIGNS_KEPT);
    signs
}

/// Tests that are gone from the whole project, unless as many came instead with as many assertions.
fn removed_tests(before: &Inventories, after: &Inventories, permission: &Permission) -> Vec<TamperSign> {
    let names =
        |all: &Inventories| all.values().flat_map(|file| file.tests.keys().cloned()).collect::<BTreeSet<_>>();
    let count = |all: &Inventories| all.values().map(TestInventory::test_count).sum::<u64>();
    let (old, new) = (names(before), names(after));
    let renamed = count(after) >= count(before) && total(after, assertions) >= total(before, assertions);
    if renamed {
        return Vec::new();
    }
    let mut signs = Vec::new();
    for (path, file) in before {
        let gone: Vec<&str> = file
            .tests
            .keys()
            .filter(|name| old.contains(*name) && !new.contains(*name))
            .map(String::as_str)
            .collect();
        let gone: Vec<&str> = gone.into_iter().filter(|name| !permission.covers(name)).collect();
        if gone.is_empty() {
            continue;
        }
        let all = if after.contains_key(path) { "" } else { "the file has no tests any more; " };
        signs.push(sign(path, format!("{all}tests removed: {}", shown(&gone))));
    }
    signs
}

/// Tests that kept their name and lost every assertion.
fn emptied_tests(before: &Inventories, after: &Inventories) -> Vec<TamperSign> {
    let now: BTreeMap<&str, u32> =
        after.values().flat_map(|file| file.tests.iter()).fold(BTreeMap::new(), |mut all, (name, count)| {
            let most = all.entry(name.as_str()).or_insert(0_u32);
            *most = (*most).max(*count);
            all
        });
    let mut signs = Vec::new();
    for (path, file) in before {
        let emptied: Vec<&str> = file
            .tests
            .iter()
            .filter(|(name, count)| **count > 0 && now.get(name.as_str()) == Some(&0))
            .map(|(name, _)| name.as_str())
            .collect();
        if !emptied.is_empty() {
            signs.push(sign(path, format!("tests without assertions now: {}", shown(&emptied))));
        }
    }
    signs
}

/// Fewer assertions over the whole project, beyond those of tests that the task gave up; the files are named.
fn lost_assertions(before: &Inventories, after: &Inventories, permission: &Permission) -> Vec<TamperSign> {
    let given_up = |file: &TestInventory, now: Option<&TestInventory>| {
        let gone =
            file.tests.iter().filter(|(name, _)| !now.is_some_and(|now| now.tests.contains_key(*name)));
        gone.filter(|(name, _)| permission.covers(name)).map(|(_, count)| *count).fold(0, u32::saturating_add)
    };
    let allowed: u64 = before.iter().map(|(path, file)| u64::from(given_up(file, after.get(path)))).sum();
    if total(after, assertions).saturating_add(allowed) >= total(before, assertions) {
        return Vec::new();
    }
    let fewer = before.iter().filter_map(|(path, file)| {
        let now = after.get(path).map_or(0, |file| file.assertions);
        let expected = file.assertions.saturating_sub(given_up(file, after.get(path)));
        (now < expected).then(|| sign(path, format!("assertions went from {} to {now}", file.assertions)))
    });
    fewer.collect()
}

/// A count that grew over the whole project; the files where it grew are named.
fn grown(
    before: &Inventories,
    after: &Inventories,
    what: &str,
    count: fn(&TestInventory) -> u32,
) -> Vec<TamperSign> {
    if total(after, count) <= total(before, count) {
        return Vec::new();
    }
    let more = after.iter().filter_map(|(path, file)| {
        let old = before.get(path).map_or(0, count);
        (count(file) > old).then(|| sign(path, format!("{what} went from {old} to {}", count(file))))
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
            signs.push(sign(path, format!("configuration now leaves out: {}", shown(&added))));
        }
    }
    for (path, file) in before {
        let new = after.get(path).unwrap_or(&nothing);
        let gone: Vec<&str> = file.declares.difference(&new.declares).map(String::as_str).collect();
        // A reworded step is no loss: only fewer declarations are.
        if !gone.is_empty() && new.declares.len() < file.declares.len() {
            signs.push(sign(path, format!("checks no longer declared: {}", shown(&gone))));
        }
    }
    signs
}

fn total_tests(all: &Inventories) -> u64 {
    all.values().map(TestInventory::test_count).sum()
}

/// Whether the task is to repair something, and does not speak of changing tests or what they expect.
fn is_fix(task: &str) -> bool {
    let lower = task.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let fixes =
        has(&["fix", "make the", "failing", "fails", "repair", "broken", "bug", "修复", "修好", "失败"]);
    let about_tests = has(&[
        "update the test",
        "update test",
        "change the test",
        "adjust the test",
        "correct the test",
        "fix the expect",
        "expected value",
        "expected output",
        "expectation",
        "snapshot",
        "更新测试",
        "修改测试",
        "期望值",
    ]);
    fixes && !about_tests
}

/// Whether the task names this test: as a whole word, and one that is no plain word by chance.
fn names_test(task: &str, name: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    name.len() >= 4
        && task
            .match_indices(name)
            .any(|(at, _)| !task[..at].ends_with(is_part) && !task[at + name.len()..].starts_with(is_part))
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

fn sign(path: &str, what: String) -> TamperSign {
    TamperSign { path: path.to_owned(), what }
}

/// The sentences of the task that ask for tests to be removed, skipped or loosened.
struct Permission {
    sentences: Vec<String>,
}

impl Permission {
    fn of(task: &str) -> Self {
        let verbs = [
            "delete",
            "remove",
            "drop",
            "skip",
            "disable",
            "ignore",
            "rewrite",
            "replace",
            "simplify",
            "merge",
            "consolidate",
            "clean up",
            "loosen",
            "relax",
            "xfail",
            "删除",
            "移除",
            "去掉",
            "跳过",
            "禁用",
            "忽略",
            "重写",
            "简化",
            "合并",
        ];
        let denials = [
            "don't", "do not", "never", "without", "must not", "not to", "不要", "不得", "不能", "别",
            "禁止", "勿",
        ];
        let sentences = task.split(['\n', '。', '；', ';', '!', '！']).flat_map(|part| part.split(". "));
        let asking = sentences.filter(|sentence| {
            let lower = sentence.to_lowercase();
            verbs.iter().any(|verb| lower.contains(verb))
                && !denials.iter().any(|denial| lower.contains(denial))
        });
        Self { sentences: asking.map(str::to_owned).collect() }
    }

    /// Whether such a sentence names this file or test.
    fn covers(&self, name: &str) -> bool {
        let file = name.rsplit('/').next().unwrap_or(name);
        let stem = file.split('.').next().unwrap_or(file);
        let named = |sentence: &String| {
            sentence.contains(name)
                || (file.len() >= 4 && sentence.contains(file))
                || (stem.len() >= 6 && sentence.contains(stem))
        };
        self.sentences.iter().any(named)
    }

    /// Whether such a sentence names every test that the sign is about.
    fn covers_what(&self, what: &str) -> bool {
        let names: Vec<&str> = what.split('`').skip(1).step_by(2).collect();
        !names.is_empty() && !what.contains(" more") && names.iter().all(|name| self.covers(name))
    }
}
