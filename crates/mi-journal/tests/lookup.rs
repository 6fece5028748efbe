//! Looking things up gives the same answers with an index, without one, and with a bad one.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

mod support;

use mi_journal::{LogView, Pattern, Query, bench_support};
use mi_model::{
    RunId, RunStatus, Timestamp,
    record::{Entry, RunFinished, RunStarted},
};
use std::{fs, io::Write, path::Path};
use support::{Home, note, now};

/// Enough for two segments of the index and a rest that none covers.
const RECORDS: u64 = 16_000;

fn big_home() -> Home {
    let home = Home::new();
    bench_support::fill(&home.evidence(), now(), RECORDS).unwrap();
    let mut log = home.evidence().open().unwrap();
    log.append(now(), None, &[], &[note("say \"hi\" to 编号 4711"), note("C:\\temp\nnext")]).unwrap();
    home
}

fn queries() -> Vec<(&'static str, Query, usize)> {
    let grep = |pattern| Query { pattern: Some(Pattern::regex(pattern).unwrap()), ..Query::default() };
    let words = |text| Query { pattern: Some(Pattern::words(text).unwrap()), ..Query::default() };
    let kinds = |kinds: &[&str]| Query {
        kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        ..Query::default()
    };
    let since = Timestamp::from_millis(now().as_millis() + (RECORDS as i64 - 10) * 250);
    vec![
        ("seq", Query { seq: Some(7_777), ..Query::default() }, 1),
        ("seq in the rest", Query { seq: Some(RECORDS + 1), ..Query::default() }, 1),
        ("no such seq", Query { seq: Some(99_999), ..Query::default() }, 0),
        ("kind", kinds(&["run_started"]), 164),
        ("kinds", kinds(&["run_started", "run_finished"]), 327),
        ("no such kind", kinds(&["loop_guard"]), 0),
        ("run", Query { run: Some(RunId::new("r00000007")), ..Query::default() }, 98),
        ("run and kind", Query { run: Some(RunId::new("r00000007")), ..kinds(&["decision"]) }, 16),
        ("since", Query { since: Some(since), ..Query::default() }, 10),
        ("grep", grep("make test 13 reliable"), 1),
        ("grep with a gap", grep("make test 1[0-9] rel.*able"), 10),
        ("grep either", grep("make test (13|14) reliable|编号"), 3),
        ("grep in any case", grep("(?i)MAKE TEST 13 REL"), 1),
        ("grep with quotes", grep("say \"hi\" to"), 1),
        ("grep over a line end", grep(r"(?s)C:\\temp.next"), 1),
        ("grep for nothing", grep("no such text anywhere"), 0),
        ("grep short", grep("^\\{\"kind\":\"run_f"), 163),
        ("words, Chinese", words("编号"), 1),
        ("words in any order", words("RELIABLE 13 make"), 12),
    ]
}

fn assert_answers(log: &Path, state: &str) {
    let view = LogView::open(log).unwrap();
    for (name, query, count) in queries() {
        let newest: Vec<u64> = view.newest(&query).unwrap().map(|line| line.unwrap().offset).collect();
        let mut oldest: Vec<u64> = view.oldest(&query).unwrap().map(|line| line.unwrap().offset).collect();
        oldest.reverse();
        assert_eq!(newest.len(), count, "{name}, {state}");
        assert!(newest == oldest && newest.is_sorted_by(|one, two| one > two), "{name}, {state}");
    }
}

/// Without an index, with one, with one that lags, and with one that is damaged in several ways.
#[test]
fn answers_do_not_depend_on_the_index() {
    let home = big_home();
    let (log, index) = (home.log(), home.log().with_extension("index"));
    assert_answers(&log, "no index");
    assert_eq!(LogView::open(&log).unwrap().catch_up(1).unwrap(), 1);
    assert_answers(&log, "an index that lags");
    assert!(LogView::open(&log).unwrap().catch_up(u64::MAX).unwrap() >= 1);
    assert_eq!(LogView::open(&log).unwrap().catch_up(u64::MAX).unwrap(), 0);
    assert_answers(&log, "index");
    let good = fs::read(&index).unwrap();
    let half = good.len() / 2;
    let zeros_inside = [&good[..half], &vec![0; half][..]].concat();
    let zeros_in_table: Vec<u8> = [&good[..48], &[0; 100], &good[148..]].concat();
    for (state, bytes) in [
        ("empty", &[][..]),
        ("garbage", b"garbage".repeat(20_000).as_slice()),
        ("cut off", &good[..half]),
        ("zeros inside", &zeros_inside),
        ("zeros in a table", &zeros_in_table),
    ] {
        fs::write(&index, bytes).unwrap();
        assert_answers(&log, state);
        let mut view = LogView::open(&log).unwrap();
        for (_, query, _) in queries() {
            view.newest(&query).unwrap().for_each(drop);
        }
        assert!(view.catch_up(u64::MAX).unwrap() > 0, "{state}");
        assert_eq!(fs::read(&index).unwrap(), good, "{state}");
    }
}

/// A log that was replaced or cut short is looked up anew, not through its old index.
#[test]
fn index_of_another_log_is_not_believed() {
    let home = big_home();
    let log = home.log();
    LogView::open(&log).unwrap().catch_up(u64::MAX).unwrap();
    bench_support::fill(&home.evidence(), Timestamp::from_millis(7), RECORDS + 500).unwrap();
    let query = Query { kinds: vec!["run_started".to_owned()], ..Query::default() };
    assert_eq!(LogView::open(&log).unwrap().newest(&query).unwrap().count(), 169);
    assert!(LogView::open(&log).unwrap().catch_up(u64::MAX).unwrap() >= 2);
    fs::OpenOptions::new().write(true).open(&log).unwrap().set_len(5_000_000).unwrap();
    let lines = fs::read_to_string(&log).unwrap().lines().filter(|line| line.contains("run_started")).count();
    assert_eq!(LogView::open(&log).unwrap().newest(&query).unwrap().count(), lines);
}

/// An index that cannot be written is an error of `catch_up` alone; looking up goes on.
#[test]
fn folder_in_place_of_the_index_does_not_matter() {
    let home = big_home();
    fs::create_dir(home.log().with_extension("index")).unwrap();
    assert_answers(&home.log(), "folder in place of the index");
    let error = LogView::open(&home.log()).unwrap().catch_up(u64::MAX).unwrap_err();
    assert!(error.to_string().contains("open the index"), "{error}");
}

/// A log that another tool wrote, with escapes for Chinese, is found in as well.
#[test]
fn foreign_escapes_are_understood() {
    let home = Home::new();
    home.layout.create(&home.project).unwrap();
    let mut file = fs::File::create(home.log()).unwrap();
    for number in 0..60_000 {
        let text =
            if number == 20_000 { "\\u6d4b\\u8bd5" } else { "filler filler filler filler filler filler" };
        writeln!(file, "{{\"kind\": \"codex_input\", \"batch_id\": \"b{number}\", \"input\": \"{text}\"}}")
            .unwrap();
    }
    let query = Query { pattern: Some(Pattern::words("测试").unwrap()), ..Query::default() };
    for _ in 0..2 {
        let mut view = LogView::open(&home.log()).unwrap();
        let hits: Vec<_> = view.newest(&query).unwrap().map(Result::unwrap).collect();
        assert_eq!(hits.len(), 1);
        assert!(hits[0].object().unwrap()["batch_id"] == "b20000");
        view.catch_up(u64::MAX).unwrap();
    }
}

/// Runs are told newest first: finished, cut off, and resumed and then finished.
#[test]
fn runs_are_told_from_the_end() {
    let home = Home::new();
    let mut log = home.evidence().open().unwrap();
    let script =
        [("a", "start"), ("a", "note"), ("b", "start"), ("a", "resume"), ("a", "done"), ("a", "note")];
    for (run, what) in script {
        let entry = match what {
            "note" => note("x"),
            "done" => finished(),
            _ => started(what == "resume"),
        };
        log.append(now(), Some(&RunId::new(run)), &[], &[entry]).unwrap();
    }
    let view = LogView::open(&home.log()).unwrap();
    let runs: Vec<_> = view.reader().runs(9, 99).unwrap();
    let told: Vec<_> =
        runs.iter().map(|run| (run.run_id.as_str(), run.first_seq, run.last_seq, run.status)).collect();
    assert_eq!(told, [("a", Some(0), Some(5), Some(RunStatus::Done)), ("b", Some(2), Some(2), None)]);
    assert_eq!(view.reader().runs(1, 99).unwrap(), runs[..1]);
    assert_eq!(view.reader().runs(9, 2).unwrap()[0].first_seq, Some(4));
}

fn started(resumed: bool) -> Entry {
    let [task, project_root, hands, mind, values_sha256] =
        ["t", "/p", "codex", "auto", ""].map(str::to_owned);
    let (criteria, process_id, setup) = (Vec::new(), 1, serde_json::Value::Null);
    Entry::RunStarted(RunStarted {
        task,
        criteria,
        project_root,
        hands,
        mind,
        resumed,
        process_id,
        values_sha256,
        setup,
    })
}

fn finished() -> Entry {
    let (reason, proof, left) = (String::new(), Vec::new(), Vec::new());
    Entry::RunFinished(RunFinished {
        status: RunStatus::Done,
        exit: 0,
        reason,
        batches: 1,
        proof,
        mind_calls: 0,
        tokens: 0,
        left,
        waits_for_answer: false,
        files_changed: Vec::new(),
        elapsed_ms: 0,
    })
}

/// Every number leads to its record, however long the lines and wherever the index ends, and other numbers to none.
#[test]
fn a_number_leads_to_its_record() {
    let home = big_home();
    let log = home.evidence().log;
    for with_index in [false, true] {
        let mut view = LogView::open(&log).unwrap();
        if with_index {
            view.catch_up(u64::MAX).unwrap();
        }
        for seq in (0..RECORDS + 2).step_by(371).chain([1, 2, RECORDS, RECORDS + 1]) {
            let line = view.by_seq(seq).unwrap().unwrap();
            assert_eq!(line.frame().unwrap().seq(), Some(seq));
        }
        assert_eq!(view.by_seq(RECORDS + 2).unwrap(), None);
    }
}

/// A record that stands where its number does not belong is found all the same.
#[test]
fn a_number_out_of_order_is_still_found() {
    let home = big_home();
    let log = home.evidence().log;
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    writeln!(file, r#"{{"kind":"note","seq":5000000}}"#).unwrap();
    for _ in 0..2000 {
        writeln!(file, r#"{{"kind":"note","seq":3}}"#).unwrap();
    }
    assert!(LogView::open(&log).unwrap().by_seq(5_000_000).unwrap().is_some());
}
