//! What ties the evidence to a criterion: something that would not be there without the work.
//!
//! A hunk bears on a criterion when a check goes red without it and it, or the tests that went red, mention something that
//! the criterion names. What a criterion names itself (a command, a file, a value) was looked at already.

use std::collections::BTreeSet;

use mi_model::{Bearing, Evidence, EvidenceKind, HunkKind, ProveStatus, ProvenHunk, record::ChangeLook};

use super::{History, dependencies, unfinished_code};
use crate::{
    checks::CheckVerdict,
    criteria::{Criterion, CriterionKind, NameKind, NameRole, NamedThing, examples, subwords},
    project::documents,
};

/// At most this many tests and hunks are listed.
const LISTED: usize = 6;

/// The bearing of the evidence on a criterion, and what it stands on or lacks.
pub(super) fn of(
    criterion: &Criterion,
    criteria: &[Criterion],
    history: &History,
) -> (Option<Bearing>, Vec<Evidence>) {
    match &criterion.kind {
        CriterionKind::Checks
        | CriterionKind::Command(_)
        | CriterionKind::ProgramRun(_)
        | CriterionKind::FileExists(_)
        | CriterionKind::Answer
        | CriterionKind::Commit
        | CriterionKind::Untouched(_) => (Some(Bearing::Named), Vec::new()),
        CriterionKind::NoNewDependencies => of_dependencies(history),
        CriterionKind::FileGone(path) => of_deletion(path, history),
        CriterionKind::Document { path, says, .. } => of_document(criterion, criteria, path, says, history),
        CriterionKind::Work => of_work(criterion, history),
        CriterionKind::Preserving => of_preserving(criterion, history),
        CriterionKind::Renamed { from, to } => of_renaming(from, to, history),
        CriterionKind::NewTests => of_tests(criterion, history),
        CriterionKind::Unread => (None, Vec::new()),
    }
}

/// A strong counter-check of the whole change bears on a criterion that names nothing it could be matched with.
pub(super) fn whole_change(criterion: &Criterion, history: &History) -> Option<(Bearing, Vec<Evidence>)> {
    if !matches!(criterion.kind, CriterionKind::Work | CriterionKind::Preserving) || has_matchable(criterion)
    {
        return None;
    }
    let look = history.current_look()?;
    let shown: Vec<&ProvenHunk> = shown_hunks(look).collect();
    let is_whole = look.report.status == ProveStatus::Shown && !shown.is_empty();
    (is_whole && unfinished(look).is_none()).then(|| (counter(history), went_red(&shown)))
}

/// Names that a hunk must mention. Plain words are too weak to rule a hunk out.
fn has_matchable(criterion: &Criterion) -> bool {
    criterion.names.iter().any(|name| name.kind != NameKind::Word)
}

fn of_work(criterion: &Criterion, history: &History) -> (Option<Bearing>, Vec<Evidence>) {
    if let Some(evidence) = printed(criterion, history) {
        return (Some(Bearing::Named), vec![evidence]);
    }
    let Some(look) = history.current_look() else { return (red_green(criterion, history), Vec::new()) };
    if let Some(left) = unfinished(look) {
        return (None, vec![Evidence::against(left)]);
    }
    if is_change_of_tests(look) && speaks_of_tests(&criterion.text) {
        return match removed_test(criterion, look) {
            Some(evidence) => (Some(Bearing::Named), vec![evidence]),
            None => of_tests(criterion, history),
        };
    }
    if let Some(evidence) = formatted(criterion, look) {
        return (Some(Bearing::Named), vec![evidence]);
    }
    if let Some(missing) = missing_symbol(criterion, look) {
        return (None, vec![Evidence::against(missing)]);
    }
    if let Some(example) = unseen_example(criterion, look).filter(|_| !was_red_before(history)) {
        return (None, vec![Evidence::against(format!("no test has the example `{example}`"))]);
    }
    if let Some(evidence) = removed(criterion, history, look) {
        return (Some(Bearing::Named), vec![evidence]);
    }
    let about: Vec<&ProvenHunk> = shown_hunks(look).filter(|hunk| speaks_of(criterion, hunk, look)).collect();
    let files: BTreeSet<&str> = about.iter().map(|hunk| hunk.file.as_str()).collect();
    if !about.is_empty() && files.len() >= wanted_files(&criterion.text) {
        return (Some(counter(history)), went_red(&about));
    }
    if let Some(evidence) = value_set(criterion, look) {
        return (Some(Bearing::Named), vec![evidence]);
    }
    if let Some(evidence) = produced(criterion, history) {
        return (Some(Bearing::Named), evidence);
    }
    match red_green(criterion, history) {
        Some(bearing) if look.obstacle.is_some() || look.report.status == ProveStatus::Unknown => {
            (Some(bearing), Vec::new())
        }
        _ => (None, vec![Evidence::against(why_unshown(criterion, look))]),
    }
}

fn is_change_of_tests(look: &ChangeLook) -> bool {
    !look.report.hunks.is_empty() && look.report.hunks.iter().all(|hunk| hunk.is_test)
}

fn speaks_of_tests(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["test", "prueba", "测试", "テスト"].iter().any(|word| lower.contains(word))
}

/// A test that was to go is gone.
fn removed_test(criterion: &Criterion, look: &ChangeLook) -> Option<Evidence> {
    let lower = criterion.text.to_lowercase();
    if !REMOVES.iter().any(|verb| lower.contains(verb)) {
        return None;
    }
    let mut names = criterion.names.iter().filter(|name| name.kind == NameKind::Symbol);
    let gone = names.find(|name| {
        look.found.get(look_up_word(name)).is_some_and(Vec::is_empty)
            && look.report.hunks.iter().any(|hunk| hunk.removed.contains(last_part(&name.text)))
    })?;
    Some(Evidence::new(EvidenceKind::Seen, format!("`{}` is gone", gone.text)))
}

/// A change of nothing but formatting, where that is what was asked for.
fn formatted(criterion: &Criterion, look: &ChangeLook) -> Option<Evidence> {
    let lower = criterion.text.to_lowercase();
    let words = ["format", "fmt", "indent", "whitespace", "lint", "einrück", "格式", "缩进", "整形"];
    let mut hunks = look.report.hunks.iter().filter(|hunk| hunk.kind != HunkKind::Comment).peekable();
    hunks.peek()?;
    let paths: Vec<&NamedThing> = criterion.names.iter().filter(|name| name.kind == NameKind::Path).collect();
    let files: BTreeSet<&str> = look.report.hunks.iter().map(|hunk| hunk.file.as_str()).collect();
    let is_meant = words.iter().any(|word| lower.contains(word))
        && hunks.all(|hunk| hunk.kind == HunkKind::Formatting)
        && paths.iter().all(|path| files.iter().any(|file| is_below(file, &path.text)));
    let files: Vec<&str> = files.into_iter().take(LISTED).collect();
    is_meant.then(|| {
        Evidence::new(EvidenceKind::Seen, format!("only the formatting of {} changed", files.join(", ")))
    })
}

/// An example of the task whose literals stand together in no file: no test can have tried it.
fn unseen_example(criterion: &Criterion, look: &ChangeLook) -> Option<String> {
    let found = examples(&criterion.text).into_iter().find(|example| {
        let mut places = example.literals.iter().map(|literal| {
            let files = look.found.get(literal).map(Vec::as_slice).unwrap_or_default();
            files.iter().filter(|file| !documents::is_document(file)).collect::<BTreeSet<_>>()
        });
        let first = places.next().unwrap_or_default();
        let looked_for = example.literals.iter().all(|literal| look.found.contains_key(literal));
        looked_for && places.fold(first, |both, more| both.intersection(&more).copied().collect()).is_empty()
    });
    found.map(|example| example.text)
}

/// The hunks of the work that a check notices. Configuration decides which tests run at all, so a red check there shows
/// nothing about the task.
fn shown_hunks(look: &ChangeLook) -> impl Iterator<Item = &ProvenHunk> {
    let hunks = look.report.hunks.iter();
    hunks.filter(|hunk| !hunk.is_test && hunk.is_shown() && hunk.kind == HunkKind::Behaviour)
}

/// How many files a criterion speaks of: "in both files", "all three packages".
fn wanted_files(text: &str) -> usize {
    const NUMBERS: [(&str, usize); 22] = [
        ("both", 2),
        ("all two", 2),
        ("all three", 3),
        ("all four", 4),
        ("all five", 5),
        ("all six", 6),
        ("the three", 3),
        ("the four", 4),
        ("beide", 2),
        ("allen drei", 3),
        ("alle drei", 3),
        ("les deux", 2),
        ("les trois", 3),
        ("los dos", 2),
        ("los tres", 3),
        ("las tres", 3),
        ("两个文件", 2),
        ("三个文件", 3),
        ("三个包", 3),
        ("四个文件", 4),
        ("すべての3", 3),
        ("all 3", 3),
    ];
    let lower = text.to_lowercase();
    let things = [
        "file", "package", "module", "place", "director", "folder", "datei", "paket", "fichier", "archivo",
        "文件", "包", "模块",
    ];
    let speaks_of_files = things.iter().any(|thing| lower.contains(thing));
    let found = NUMBERS.iter().filter(|(words, _)| lower.contains(words)).map(|(_, count)| *count).max();
    found.filter(|_| speaks_of_files).unwrap_or(0)
}

/// Words by which a criterion asks for something to go.
const REMOVES: [&str; 14] = [
    "remove",
    "delete",
    "drop",
    "get rid",
    "no longer",
    "删除",
    "移除",
    "去掉",
    "entferne",
    "lösche",
    "elimina",
    "borra",
    "supprime",
    "削除",
];

/// "legacy.py is not used any more; get rid of it": what it names is gone.
fn removed(criterion: &Criterion, history: &History, look: &ChangeLook) -> Option<Evidence> {
    let lower = criterion.text.to_lowercase();
    if !REMOVES.iter().any(|verb| lower.contains(verb)) {
        return None;
    }
    let paths = criterion.names.iter().filter(|name| name.kind == NameKind::Path);
    let gone = paths.filter(|name| {
        let was_deleted = look
            .report
            .hunks
            .iter()
            .any(|hunk| is_below(&hunk.file, &name.text) && hunk.lines.starts_with('-'));
        let is_imported = look.imported.get(&module_name(&name.text)).is_some_and(|files| !files.is_empty());
        was_deleted && history.files_there(&name.text) == Some(false) && !is_imported
    });
    let symbols = criterion.names.iter().filter(|name| name.kind == NameKind::Symbol);
    let lost = symbols.filter(|name| {
        look.found.get(look_up_word(name)).is_some_and(Vec::is_empty)
            && look
                .report
                .hunks
                .iter()
                .any(|hunk| !hunk.is_test && has_subwords(&hunk.removed, &subwords(&name.text)))
    });
    let name = gone.chain(lost).next()?;
    Some(Evidence::new(EvidenceKind::Seen, format!("`{}` is gone", name.text)))
}

/// A change whose check was already red when the run began, with the tests as they were.
fn counter(history: &History) -> Bearing {
    if was_red_before(history) { Bearing::RedGreen } else { Bearing::CounterCheck }
}

fn was_red_before(history: &History) -> bool {
    let failed_at_start = history.checks.iter().any(|seen| {
        seen.run.runs_tests
            && matches!(seen.run.verdict, CheckVerdict::Failed { .. })
            && !history.start_tree.is_empty()
            && seen.tree.as_deref() == Some(history.start_tree.as_str())
    });
    let tests_changed = history.changed_files.iter().any(|file| crate::project::is_test_file(file));
    failed_at_start && !tests_changed
}

/// Red at the start, green now, tests untouched: that needs no counter-check.
fn red_green(criterion: &Criterion, history: &History) -> Option<Bearing> {
    let names_changed = !has_matchable(criterion)
        || criterion.names.iter().any(|name| match name.kind {
            NameKind::Path => history.changed_files.iter().any(|file| is_below(file, &name.text)),
            NameKind::Symbol | NameKind::Value | NameKind::Word => true,
        });
    (was_red_before(history) && history.has_changed() && names_changed).then_some(Bearing::RedGreen)
}

fn went_red(hunks: &[&ProvenHunk]) -> Vec<Evidence> {
    let places: Vec<String> =
        hunks.iter().take(LISTED).map(|hunk| format!("{}:{}", hunk.file, hunk.lines)).collect();
    let mut tests: Vec<&str> =
        hunks.iter().flat_map(|hunk| hunk.shown_by.iter().map(String::as_str)).collect();
    tests.sort_unstable();
    tests.dedup();
    let by = match tests.as_slice() {
        [] => "a check fails".to_owned(),
        tests => format!("these fail: {}", tests.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ")),
    };
    vec![Evidence::new(EvidenceKind::WentRed, format!("without {} {by}", places.join(", ")))]
}

/// Whether a hunk, or a test that went red for it, mentions what a criterion names.
///
/// A file that is named says where, a symbol says what: where both are named both must be met. Values and plain words are
/// only looked at where there is neither.
fn speaks_of(criterion: &Criterion, hunk: &ProvenHunk, look: &ChangeLook) -> bool {
    let of_kind = |kind: NameKind| -> Vec<&NamedThing> {
        criterion.names.iter().filter(|name| name.kind == kind).collect()
    };
    let is_source = |name: &&&NamedThing| {
        !documents::is_document(&name.text) && !crate::project::is_test_file(&name.text)
    };
    let (symbols, mut paths) = (of_kind(NameKind::Symbol), of_kind(NameKind::Path));
    paths.retain(|name| name.role == NameRole::Wanted);
    let sources: Vec<&&NamedThing> = paths.iter().filter(is_source).collect();
    let is_there = sources.is_empty() || sources.iter().any(|name| is_below(&hunk.file, &name.text));
    if !symbols.is_empty() {
        return is_there && symbols.iter().any(|name| mentions(hunk, look, &name.text));
    }
    if !sources.is_empty() {
        return is_there;
    }
    let weak = of_kind(NameKind::Value).into_iter().chain(of_kind(NameKind::Word));
    weak.into_iter().any(|name| mentions(hunk, look, &name.text))
}

/// Whether a file is, or lies below, what a criterion names.
fn is_below(file: &str, named: &str) -> bool {
    let named = named.trim_end_matches('/');
    file == named
        || file.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'))
        || file.strip_suffix(named).is_some_and(|before| before.ends_with('/'))
}

/// Whether a hunk, or a test that goes red without it, mentions a name, as whole words inside of identifiers. Of a dotted
/// name either end counts: `Stock.total` is `total` where it is defined, and its file is that of `Stock`.
fn mentions(hunk: &ProvenHunk, look: &ChangeLook, name: &str) -> bool {
    let ends = [last_part(name), name.split(['.', ':']).next().unwrap_or(name)];
    let texts = [hunk.added.as_str(), hunk.removed.as_str(), hunk.file.as_str()];
    let around = hunk.within.iter().chain(&hunk.shown_by).map(String::as_str);
    let tests = look.report.hunks.iter().filter(|test| test.is_test && is_red_test(test, hunk));
    let tests = tests.map(|test| test.added.as_str());
    let texts: Vec<&str> = texts.into_iter().chain(around).chain(tests).collect();
    ends.iter()
        .map(|end| subwords(end))
        .any(|wanted| !wanted.is_empty() && texts.iter().any(|text| has_subwords(text, &wanted)))
}

/// Whether a hunk of tests holds a test that goes red without another hunk.
fn is_red_test(test: &ProvenHunk, hunk: &ProvenHunk) -> bool {
    let short =
        |name: &String| name.rsplit("::").next().unwrap_or(name).split('[').next().unwrap_or(name).to_owned();
    hunk.shown_by
        .iter()
        .map(short)
        .any(|name| !name.is_empty() && (test.added.contains(&name) || test.within.as_ref() == Some(&name)))
}

fn has_subwords(text: &str, wanted: &[String]) -> bool {
    let words = subwords(text);
    let same = |a: &String, b: &String| a == b || a.len() > 4 && b.len() > 4 && stem(a) == stem(b);
    words.windows(wanted.len()).any(|some| some.iter().zip(wanted).all(|(a, b)| same(a, b)))
}

/// The word without the endings by which nouns and verbs of one meaning differ.
fn stem(word: &str) -> &str {
    let ends = ["ations", "ation", "ings", "ing", "ies", "ers", "er", "ed", "es", "s", "y", "e"];
    ends.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= 4)).unwrap_or(word)
}

/// `total` of `Stock.total`, `run` of `app::run`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

/// The word by which a name is looked for in the project.
pub(crate) fn look_up_word(name: &NamedThing) -> &str {
    match name.kind {
        NameKind::Symbol => last_part(&name.text),
        NameKind::Path | NameKind::Value | NameKind::Word => &name.text,
    }
}

/// A symbol or a quoted text that the criterion names and that stands nowhere in the project.
fn missing_symbol(criterion: &Criterion, look: &ChangeLook) -> Option<String> {
    // The first symbol is what it is about; others may be part of the symptom. What is in backticks or quotes is meant.
    let wanted = || criterion.names.iter().filter(|name| name.role == NameRole::Wanted);
    let first = wanted().find(|name| name.kind == NameKind::Symbol);
    // What a person types, such as `--by name`, stands nowhere as it is.
    let is_typed = |name: &&NamedThing| name.text.starts_with('-') && name.text.contains(' ');
    let is_meant = |name: &&NamedThing| {
        name.kind == NameKind::Value && !is_typed(name) || name.kind == NameKind::Symbol && name.is_code
    };
    let names = first.into_iter().chain(wanted().filter(is_meant));
    let is_missing = |name: &&NamedThing| look.found.get(look_up_word(name)).is_some_and(Vec::is_empty);
    let missing: Vec<&NamedThing> = names.filter(is_missing).collect();
    // What is to be removed is rightly gone.
    let lower = criterion.text.to_lowercase();
    let name = missing.first().filter(|_| !REMOVES.iter().any(|verb| lower.contains(verb)))?;
    Some(format!("`{}` is nowhere in the project", name.text))
}

/// "make a.sh print hello": a command that ran it printed that.
fn printed(criterion: &Criterion, history: &History) -> Option<Evidence> {
    let lower = criterion.text.to_lowercase();
    let verbs = [
        " print ",
        " prints ",
        " output ",
        " outputs ",
        "打印",
        "输出",
        " ausgibt",
        " imprime ",
        " affiche ",
    ];
    let at = verbs.iter().filter_map(|verb| lower.find(verb).map(|at| at + verb.len())).min()?;
    let wanted = criterion.text.get(at..)?.trim().trim_matches(['"', '`', '\'', '.', '“', '”']).trim();
    if wanted.is_empty() || wanted.split_whitespace().count() > 4 {
        return None;
    }
    let files: Vec<&str> = criterion
        .names
        .iter()
        .filter(|name| name.kind == NameKind::Path)
        .map(|name| name.text.as_str())
        .collect();
    let ran = history.ran.iter().rev().find(|ran| {
        ran.is_current && ran.exit_code == Some(0) && files.iter().any(|file| ran.command.contains(file))
    })?;
    let was_changed =
        files.iter().any(|file| history.changed_files.iter().any(|changed| is_below(changed, file)));
    (was_changed && super::says(&ran.output, wanted))
        .then(|| Evidence::new(EvidenceKind::Seen, format!("`{}` printed `{wanted}`", ran.command.trim())))
}

/// The values that the criterion names are set now, in every file that it names, and what they replace is gone.
///
/// Where it names no file, only configuration and documents count: what a program does is for a check to notice.
fn value_set(criterion: &Criterion, look: &ChangeLook) -> Option<Evidence> {
    let of_role = |role: NameRole| {
        let is_thing = |name: &&NamedThing| matches!(name.kind, NameKind::Value | NameKind::Symbol);
        criterion.names.iter().filter(is_thing).filter(move |name| name.role == role)
    };
    let paths: Vec<&NamedThing> = criterion.names.iter().filter(|name| name.kind == NameKind::Path).collect();
    let is_found = |name: &&NamedThing| !look.found.get(look_up_word(name)).is_some_and(Vec::is_empty);
    if !of_role(NameRole::Wanted).filter(|name| name.kind == NameKind::Value).all(|name| is_found(&name)) {
        return None;
    }
    let set = of_role(NameRole::Wanted).find_map(|value| {
        let counts = |hunk: &&ProvenHunk| match hunk.kind {
            HunkKind::Configuration => !paths.is_empty() || value.kind == NameKind::Value,
            // What a document says of a symbol shows nothing about the symbol.
            HunkKind::Documentation => !paths.is_empty() || of_role(NameRole::Replaced).next().is_some(),
            HunkKind::Behaviour => {
                value.kind == NameKind::Value
                    && !paths.is_empty()
                    && (is_markup(&hunk.file)
                        || has_only_another_value(hunk)
                        // A whole line that was given as it is to be.
                        || value.is_code && value.text.contains(' '))
            }
            HunkKind::Comment | HunkKind::Formatting | HunkKind::DeadCode => false,
        };
        let sets = |hunk: &&ProvenHunk| {
            has_outside_comments(hunk, &value.text) && !hunk.removed.contains(&value.text)
        };
        let hunks: Vec<&ProvenHunk> = look.report.hunks.iter().filter(counts).filter(sets).collect();
        let is_set = |path: &&NamedThing| hunks.iter().any(|hunk| is_below(&hunk.file, &path.text));
        let files: BTreeSet<&str> = hunks.iter().map(|hunk| hunk.file.as_str()).collect();
        let is_everywhere = paths.iter().all(is_set) && !files.is_empty();
        let has = |name: &NamedThing, file: &String| {
            look.found.get(look_up_word(name)).is_some_and(|files| files.contains(file))
        };
        let is_symbol = |name: &&NamedThing| name.kind == NameKind::Symbol;
        let keys: Vec<&NamedThing> = of_role(NameRole::Wanted).filter(is_symbol).collect();
        let has_key = |file: &String| keys.is_empty() || keys.iter().any(|key| has(key, file));
        let is_left_out = wanted_files(&criterion.text) == 0
            && wants_every_file(&criterion.text)
            && look.namesakes.iter().any(|file| !has(value, file) && has_key(file));
        (is_everywhere && !is_left_out && files.len() >= wanted_files(&criterion.text))
            .then_some((value, files))
    });
    let (value, files) = set?;
    let is_still_there = of_role(NameRole::Replaced).any(|old| {
        look.found
            .get(look_up_word(old))
            .is_some_and(|found| found.iter().any(|file| files.contains(file.as_str())))
    });
    if is_still_there || !plain_parts_are_met(criterion, look) {
        return None;
    }
    let files: Vec<&str> = files.into_iter().take(LISTED).collect();
    Some(Evidence::new(EvidenceKind::Seen, format!("{} now has `{}`", files.join(", "), value.text)))
}

/// Whether a hunk is the same code with another number or text in quotes: `VERSION = "1.5.0"`.
fn has_only_another_value(hunk: &ProvenHunk) -> bool {
    let frame = |text: &str| -> String {
        let mut quote = None;
        let outside = text.chars().filter(|char| {
            if matches!(char, '"' | '\'') {
                match quote {
                    Some(open) if open == *char => quote = None,
                    None => quote = Some(*char),
                    Some(_) => {}
                }
            }
            quote.is_none() && !char.is_ascii_digit() && !char.is_whitespace()
        });
        outside.collect()
    };
    !hunk.removed.trim().is_empty() && frame(&hunk.removed) == frame(&hunk.added)
}

/// Whether a file is looked at rather than run, so that few projects have checks for it.
fn is_markup(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_settings = ["rc", "config", "profile"].iter().any(|end| name.ends_with(end));
    is_settings
        || ["css", "scss", "less", "html", "htm", "svg", "xml", "csv", "txt", "tmpl", "po"].contains(&ending)
}

/// Whether a hunk adds a text in a line that is no comment.
fn has_outside_comments(hunk: &ProvenHunk, text: &str) -> bool {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        hunk.kind == HunkKind::Configuration && (line.starts_with('#') || line.starts_with("//"))
    };
    hunk.kind != HunkKind::Comment
        && hunk.added.lines().filter(|line| !is_comment(line)).any(|line| line.contains(text))
}

/// Whether a criterion is about every file of a kind: "all packages", "each Dockerfile".
fn wants_every_file(text: &str) -> bool {
    let every = ["all", "every", "each", "alle", "allen", "jede", "todos", "todas", "tous", "toutes"];
    text.to_lowercase().split(|char: char| !char.is_alphanumeric()).any(|word| every.contains(&word))
        || ["所有", "全部", "每个", "すべて"].iter().any(|word| text.contains(word))
}

/// A part that names nothing is met by configuration only if at least half of its words are in the change.
fn plain_parts_are_met(criterion: &Criterion, look: &ChangeLook) -> bool {
    criterion.text.split(';').all(|part| {
        let names = crate::criteria::named_things(part);
        if names.is_empty() || names.iter().any(|name| name.kind != NameKind::Word) {
            return true;
        }
        let is_there = |name: &&NamedThing| {
            look.report.hunks.iter().any(|hunk| has_subwords(&hunk.added, &subwords(&name.text)))
        };
        names.iter().filter(is_there).count() * 2 >= names.len()
    })
}

/// "Write migrate.py that converts a.csv to b.json, and run it": the new program ran, and what it names is there.
fn produced(criterion: &Criterion, history: &History) -> Option<Vec<Evidence>> {
    let paths: Vec<&str> = criterion
        .names
        .iter()
        .filter(|name| name.kind == NameKind::Path)
        .map(|name| name.text.as_str())
        .collect();
    let program = paths.iter().find(|path| crate::project::family(path).is_some())?;
    let ran = history.run_of(program)?;
    let made: Vec<&&str> = paths.iter().filter(|path| *path != program).collect();
    let is_made = |path: &&&str| history.changed_files.iter().any(|file| is_below(file, path));
    (history.changed_files.iter().any(|file| is_below(file, program)) && made.iter().any(&is_made)).then(
        || {
            let made: Vec<&str> = made.iter().filter(|path| is_made(path)).map(|path| **path).collect();
            vec![Evidence::new(
                EvidenceKind::Seen,
                format!("`{}` ran and wrote {}", ran.command.trim(), made.join(", ")),
            )]
        },
    )
}

/// A file is gone for good only if nothing imports it any more.
fn of_deletion(path: &str, history: &History) -> (Option<Bearing>, Vec<Evidence>) {
    if crate::project::family(path).is_none() || !history.has_changed() {
        return (Some(Bearing::Named), Vec::new());
    }
    let Some(look) = history.current_look() else { return (None, Vec::new()) };
    match look.imported.get(&module_name(path)).and_then(|files| files.first()) {
        Some(file) => (None, vec![Evidence::against(format!("`{file}` still imports `{path}`"))]),
        None => (Some(Bearing::Named), Vec::new()),
    }
}

/// The name by which other files import a source file.
pub(crate) fn module_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).to_owned()
}

/// No manifest of the project names a package that it did not name before.
fn of_dependencies(history: &History) -> (Option<Bearing>, Vec<Evidence>) {
    let is_kept = || vec![Evidence::new(EvidenceKind::Seen, "no manifest names a new package")];
    if !history.changed_files.iter().any(|file| dependencies::is_manifest(file)) {
        return (Some(Bearing::Named), is_kept());
    }
    let Some(look) = history.current_look() else { return (None, Vec::new()) };
    let hunks = look.report.hunks.iter().filter(|hunk| dependencies::is_manifest(&hunk.file));
    match hunks.flat_map(|hunk| dependencies::added(&hunk.file, &hunk.removed, &hunk.added)).next() {
        Some(name) => (None, vec![Evidence::against(format!("the dependency `{name}` was added"))]),
        None => (Some(Bearing::Named), is_kept()),
    }
}

fn of_document(
    criterion: &Criterion,
    criteria: &[Criterion],
    path: &str,
    says: &[String],
    history: &History,
) -> (Option<Bearing>, Vec<Evidence>) {
    let is_comment_likely = !documents::is_prose(path) && !says.is_empty();
    let look = match history.current_look() {
        Some(look) if !look.report.hunks.is_empty() => look,
        // Whether a text stands in a comment of a file that a program reads is told by the change.
        None if is_comment_likely => return (None, Vec::new()),
        _ => return (Some(Bearing::Named), Vec::new()),
    };
    let symbols: Vec<&NamedThing> =
        criterion.names.iter().filter(|name| name.kind == NameKind::Symbol).collect();
    let is_about = |hunk: &&ProvenHunk| {
        is_below(&hunk.file, path)
            || path == documents::ANY_DOCUMENT
            || hunk.file.to_lowercase().starts_with(&path.to_lowercase())
    };
    let written: Vec<&ProvenHunk> = look.report.hunks.iter().filter(is_about).collect();
    let is_added = |text: &String| written.iter().any(|hunk| has_outside_comments(hunk, text));
    if !documents::is_prose(path) && !says.is_empty() && !written.is_empty() && !says.iter().any(is_added) {
        return (
            None,
            vec![Evidence::against(format!(
                "`{path}` was changed, but not where it has `{}`",
                says.join("`, `")
            ))],
        );
    }
    if !says.is_empty() || written.is_empty() {
        return (Some(Bearing::Named), Vec::new());
    }
    if !symbols.is_empty() {
        let mentions = |name: &&NamedThing| {
            written.iter().any(|hunk| has_subwords(&hunk.added, &subwords(last_part(&name.text))))
        };
        if symbols.iter().any(mentions) {
            return (Some(Bearing::Named), Vec::new());
        }
        let wanted: Vec<String> = symbols.iter().map(|name| format!("`{}`", name.text)).collect();
        let text = format!("what was written to `{path}` does not mention {}", wanted.join(" or "));
        return (None, vec![Evidence::against(text)]);
    }
    // Plain words can be put in many ways, so what was written may also speak of what was changed elsewhere.
    let subjects = subjects(criterion, criteria, look, path);
    let is_met = criterion.is_value
        || !documents::is_document(path) && path != documents::ANY_DOCUMENT
        || subjects.is_empty()
        || written.iter().any(|hunk| subwords(&hunk.added).iter().any(|word| subjects.contains(stem(word))));
    if is_met {
        return (Some(Bearing::Named), Vec::new());
    }
    (
        None,
        vec![Evidence::against(format!("what was written to `{path}` speaks of nothing that was changed"))],
    )
}

/// The stems of what a document may have to speak of: the criterion's plain words, and the names in the rest of the change.
fn subjects(
    criterion: &Criterion,
    criteria: &[Criterion],
    look: &ChangeLook,
    path: &str,
) -> BTreeSet<String> {
    let plain =
        criterion.names.iter().filter(|name| name.kind == NameKind::Word).map(|name| name.text.clone());
    let plain: Vec<String> = plain.filter(|word| !path.to_lowercase().contains(word.as_str())).collect();
    let work = look.report.hunks.iter().filter(|hunk| hunk.kind == HunkKind::Behaviour);
    let changed = work.flat_map(|hunk| subwords(&hunk.added).into_iter().chain(hunk.within.clone()));
    let changed: Vec<String> = changed.filter(|word| word.len() > 3).collect();
    // Without any other change there is nothing to compare a text with but the wish itself, in words of its own.
    if changed.is_empty() && plain.is_empty() {
        return BTreeSet::new();
    }
    let is_code = |name: &&NamedThing| matches!(name.kind, NameKind::Symbol | NameKind::Value);
    let task =
        criteria.iter().flat_map(|one| &one.names).filter(is_code).flat_map(|name| subwords(&name.text));
    plain.into_iter().chain(changed).chain(task).map(|word| stem(&word).to_owned()).collect()
}

fn of_preserving(criterion: &Criterion, history: &History) -> (Option<Bearing>, Vec<Evidence>) {
    let Some(look) = history.current_look() else { return (None, Vec::new()) };
    if let Some(left) = unfinished(look) {
        return (None, vec![Evidence::against(left)]);
    }
    if look.report.hunks.iter().any(|hunk| hunk.is_test) {
        return of_work(criterion, history);
    }
    let work: Vec<&ProvenHunk> = look.report.hunks.iter().filter(|hunk| !hunk.is_test).collect();
    let meant: Vec<&&ProvenHunk> = work
        .iter()
        .filter(|hunk| {
            !has_matchable(criterion) || speaks_of(criterion, hunk, look) || names_path(criterion, hunk)
        })
        .collect();
    let ran_before = look.report.checks.iter().any(|check| check.taken_back.is_some());
    if meant.is_empty() || !ran_before {
        let why = if meant.is_empty() {
            "nothing that it names was changed"
        } else {
            "no check ran without the change"
        };
        return (None, vec![Evidence::against(why)]);
    }
    if let Some(missing) = missing_target(criterion, &work) {
        return (None, vec![Evidence::against(missing)]);
    }
    if let Some(name) = unused_addition(criterion, &work) {
        return (None, vec![Evidence::against(format!("`{name}` was added, and nothing uses it"))]);
    }
    let text = format!("the same tests, unchanged, pass before and after a change of {} hunks", meant.len());
    (Some(Bearing::Preserving), vec![Evidence::new(EvidenceKind::Seen, text)])
}

/// "Split f() into a() and b()" without a new b(), "move f into m.py" with f still where it was.
fn missing_target(criterion: &Criterion, work: &[&ProvenHunk]) -> Option<String> {
    let text = &criterion.text;
    let lower = text.to_lowercase();
    let at = lower.find(" into ").filter(|_| lower.len() == text.len());
    let is_target = |name: &&NamedThing| {
        name.kind == NameKind::Symbol && at.is_some_and(|at| text[at..].contains(&format!("{}(", name.text)))
    };
    let is_new = |name: &str| work.iter().any(|hunk| defines(&hunk.added, name));
    if let Some(name) = criterion.names.iter().filter(is_target).find(|name| !is_new(last_part(&name.text))) {
        return Some(format!("`{}` was not brought in", name.text));
    }
    let is_name = |char: char| char.is_alphanumeric() || "_.:".contains(char);
    let words = lower.strip_prefix("move ").map(|_| text["move ".len()..].split(|char: char| !is_name(char)));
    let moved =
        words?.find(|word| !word.is_empty() && !["the", "function", "class", "method"].contains(word))?;
    let is_taken_out = work.iter().any(|hunk| defines(&hunk.removed, last_part(moved)));
    let is_copied = work.iter().any(|hunk| defines(&hunk.added, last_part(moved)));
    (is_copied && !is_taken_out).then(|| format!("`{moved}` was copied, not moved"))
}

/// A function that a refactoring was to bring in and that the code does not call: it stands in the change only once.
fn unused_addition<'c>(criterion: &'c Criterion, work: &[&ProvenHunk]) -> Option<&'c str> {
    let symbols = criterion.names.iter().filter(|name| name.kind == NameKind::Symbol);
    let count = |name: &str, text: fn(&ProvenHunk) -> &str| -> usize {
        work.iter().map(|hunk| text(hunk).matches(name).count()).sum()
    };
    symbols
        .map(|name| last_part(&name.text))
        .find(|name| count(name, |hunk| &hunk.added) == 1 && count(name, |hunk| &hunk.removed) == 0)
        .filter(|name| work.iter().any(|hunk| defines(&hunk.added, name)))
}

/// Whether a text defines a function of this name.
fn defines(text: &str, name: &str) -> bool {
    ["def ", "fn ", "func ", "function ", "class ", "const ", "let ", "static ", "local "]
        .iter()
        .any(|word| text.contains(&format!("{word}{name}")))
        || text
            .lines()
            .any(|line| line.trim_start().starts_with(&format!("{name}(")) && line.trim_end().ends_with('{'))
}

fn names_path(criterion: &Criterion, hunk: &ProvenHunk) -> bool {
    criterion.names.iter().any(|name| name.kind == NameKind::Path && is_below(&hunk.file, &name.text))
}

fn of_renaming(from_call: &str, to_call: &str, history: &History) -> (Option<Bearing>, Vec<Evidence>) {
    // A call is looked for with its bracket, and spoken of without.
    let (from, to) = (from_call.trim_end_matches('('), to_call.trim_end_matches('('));
    let is_path = from.contains('/') || from.contains('.') && to.contains('.');
    if is_path {
        let gone = history.files_there(from) == Some(false);
        let there = history.files_there(to) == Some(true)
            || history.changed_files.iter().any(|file| is_below(file, to));
        return match (gone, there) {
            (true, true) => (
                Some(Bearing::Named),
                vec![Evidence::new(EvidenceKind::Seen, format!("`{from}` is now `{to}`"))],
            ),
            (false, _) => (None, vec![Evidence::against(format!("`{from}` is still there"))]),
            (true, false) => (None, vec![Evidence::against(format!("`{to}` is not there"))]),
        };
    }
    let Some(look) = history.current_look() else { return (None, Vec::new()) };
    let in_source =
        |name: &str| look.found.get(name).map(|files| files.iter().any(|file| !documents::is_document(file)));
    match (in_source(from_call), in_source(to_call)) {
        (Some(false), Some(true)) => {
            let text = format!("`{from}` is nowhere any more, `{to}` is there");
            (Some(Bearing::Preserving), vec![Evidence::new(EvidenceKind::Seen, text)])
        }
        (Some(true), _) => (None, vec![Evidence::against(format!("`{from}` is still used"))]),
        _ => (None, vec![Evidence::against(format!("`{to}` is nowhere in the project"))]),
    }
}

fn of_tests(criterion: &Criterion, history: &History) -> (Option<Bearing>, Vec<Evidence>) {
    let Some(look) = history.current_look() else { return (None, Vec::new()) };
    let report = &look.report;
    let needs_test = report.hunks.iter().any(ProvenHunk::needs_showing);
    if criterion.is_value && !needs_test {
        return (
            Some(Bearing::Named),
            vec![Evidence::new(EvidenceKind::Seen, "nothing was changed that a test could notice")],
        );
    }
    // "Every new function needs a test" is about each of them.
    if criterion.is_value
        && let Some(hunk) = report
            .hunks
            .iter()
            .find(|hunk| hunk.needs_showing() && hunk.removed.is_empty() && !hunk.is_shown())
    {
        return (
            None,
            vec![Evidence::against(format!("no test fails without {}:{}", hunk.file, hunk.lines))],
        );
    }
    let asserting: Vec<&str> =
        report.new_tests.iter().filter(|test| test.asserts).map(|test| test.name.as_str()).collect();
    // A test file of plain calls has no tests by name: what went red without the work is what was added to it.
    let wrote_tests = report.hunks.iter().any(|hunk| hunk.is_test && !hunk.added.trim().is_empty());
    let is_noticed = report.hunks.iter().any(|hunk| hunk.is_shown() && hunk.shown_by.is_empty());
    if report.new_tests.is_empty() && wrote_tests && is_noticed && !was_red_before(history) {
        let text = "the check, with what was added to the tests, fails without the change";
        return (Some(Bearing::CounterCheck), vec![Evidence::new(EvidenceKind::WentRed, text)]);
    }
    if asserting.is_empty() {
        let why = match report.new_tests.first() {
            None => "no test was added".to_owned(),
            Some(test) => format!("`{}` asserts nothing that could fail", test.name),
        };
        return (None, vec![Evidence::against(why)]);
    }
    let red: Vec<&str> = report
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.shown_by)
        .filter(|test| asserting.iter().any(|name| test.contains(name)))
        .map(String::as_str)
        .collect();
    let names_unknown = report.hunks.iter().any(|hunk| hunk.is_shown() && hunk.shown_by.is_empty());
    match (needs_test, red.as_slice()) {
        (true, []) if !names_unknown => {
            let text = format!("{} would pass without the change", asserting.join(", "));
            (None, vec![Evidence::against(text)])
        }
        (true, _) => {
            let text = format!("new tests fail without the change: {}", asserting.join(", "));
            (Some(Bearing::CounterCheck), vec![Evidence::new(EvidenceKind::WentRed, text)])
        }
        (false, _) => {
            let text = format!("new tests that assert: {}", asserting.join(", "));
            (Some(Bearing::Named), vec![Evidence::new(EvidenceKind::Seen, text)])
        }
    }
}

/// What the added code itself says is missing.
fn unfinished(look: &ChangeLook) -> Option<String> {
    let work = look.report.hunks.iter().filter(|hunk| !hunk.is_test && hunk.kind != HunkKind::Documentation);
    work.into_iter().find_map(|hunk| {
        let line = unfinished_code(&hunk.added).filter(|line| !hunk.removed.contains(line))?;
        Some(format!("{}:{} says `{}`", hunk.file, hunk.lines, line.trim()))
    })
}

fn why_unshown(criterion: &Criterion, look: &ChangeLook) -> String {
    if let Some(obstacle) = &look.obstacle {
        return format!("the change could not be taken back: {obstacle}");
    }
    let report = &look.report;
    let work: Vec<&ProvenHunk> = report.hunks.iter().filter(|hunk| hunk.needs_showing()).collect();
    let unshown: Vec<String> = work
        .iter()
        .filter(|hunk| !hunk.is_shown())
        .take(LISTED)
        .map(|hunk| format!("{}:{}", hunk.file, hunk.lines))
        .collect();
    match report.status {
        ProveStatus::Unknown => format!("it could not be told: {}", report.left.join("; ")),
        _ if work.is_empty() => "nothing that was changed changes what the project does".to_owned(),
        _ if unshown.is_empty() => {
            let names: Vec<&str> = criterion
                .names
                .iter()
                .filter(|name| name.kind != NameKind::Word)
                .map(|name| name.text.as_str())
                .collect();
            match names.as_slice() {
                [] => "checks notice the change, but not what this asks for".to_owned(),
                names => format!("checks notice the change, but nothing of it mentions {}", names.join(", ")),
            }
        }
        _ => format!("no check fails without {}", unshown.join(", ")),
    }
}
