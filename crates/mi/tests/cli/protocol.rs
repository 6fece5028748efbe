//! The nine commands of `mi protocol`: exit codes, what programs read, and what every kind of bad input gets.

use mi_test_support::{Mi, MiOutput, Scratch, TempHome};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::{FileTypeExt, symlink},
    process::Command,
    thread,
};

pub const FILE: &str = include_str!("../../../mi-protocol/tests/data/research.yaml");
pub const EVENTS: &str = include_str!("../../../mi-protocol/tests/data/research-events.jsonl");
const VERDICTS: &str = include_str!("../../../mi-protocol/tests/data/research-verdicts.jsonl");

struct Place {
    home: TempHome,
    scratch: Scratch,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: TempHome::new(), scratch: Scratch::new("protocol") };
        place.scratch.write("p.yaml", FILE);
        place.scratch.write("e.jsonl", EVENTS);
        place
    }

    fn mi(&self, arguments: &[&str]) -> MiOutput {
        let all = std::iter::once("protocol").chain(arguments.iter().copied());
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.scratch.path()).run(all)
    }

    /// What `check --json` says about a file.
    fn check(&self, file: impl AsRef<[u8]>) -> (Option<i32>, Value) {
        self.scratch.write("bad.yaml", file);
        let output = self.mi(&["check", "--json", "bad.yaml"]);
        (output.code(), output.json())
    }

    /// The lines of `simulate --json` for some events.
    fn simulate(&self, file: &str, events: impl AsRef<[u8]>) -> Vec<Value> {
        self.scratch.write("some.yaml", file);
        self.scratch.write("some.jsonl", events);
        lines(&self.mi(&["simulate", "--json", "some.yaml", "some.jsonl"]).expect_exit(0))
    }
}

fn lines(output: &MiOutput) -> Vec<Value> {
    output.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A protocol with one guard.
fn guarded(guard: &str) -> String {
    format!(
        "version: 1\nname: g\nstart: A\nnodes:\n  - {{ id: A, kind: phase }}\n  - {{ id: Z, kind: end }}\nedges:\n  \
         - {{ id: az, from: A, to: Z, class: Progress, guard_expr: {guard} }}\n"
    )
}

/// Whether every key of `expected` stands in `found` with its value.
fn holds(expected: &Value, found: &Value) -> bool {
    expected.as_object().unwrap().iter().all(|(key, value)| found.get(key) == Some(value))
}

/// The example of the contract: every key that is named has its value, and there is one verdict per event.
#[test]
fn simulate_gives_the_verdicts_of_the_contract() {
    let place = Place::new();
    let found = lines(&place.mi(&["simulate", "--json", "p.yaml", "e.jsonl"]).expect_exit(0));
    let expected: Vec<Value> = VERDICTS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), expected.len());
    for (expected, found) in expected.iter().zip(&found) {
        assert!(holds(expected, found), "{expected}\n{found}");
        assert!(found["trace"].is_array() && found["node"].is_string(), "{found}");
    }
    let told = place.mi(&["simulate", "p.yaml", "e.jsonl"]).expect_exit(0).out();
    assert!(told.contains("rerun by TIME_HARD_FLOOR") && told.lines().count() == 12, "{told}");
}

/// A snapshot continues where it was taken, `at` counts on, and another file's snapshot is refused.
#[test]
fn simulate_saves_and_continues() {
    let place = Place::new();
    let all = lines(&place.mi(&["simulate", "--json", "p.yaml", "e.jsonl"]).expect_exit(0));
    for cut in [0, 5, 12] {
        let (first, second): (Vec<&str>, Vec<&str>) =
            (EVENTS.lines().take(cut).collect(), EVENTS.lines().skip(cut).collect());
        place.scratch.write("1.jsonl", first.join("\n"));
        place.scratch.write("2.jsonl", second.join("\n"));
        let mut found =
            lines(&place.mi(&["simulate", "--json", "p.yaml", "1.jsonl", "--save", "s.json"]).expect_exit(0));
        found.extend(lines(
            &place.mi(&["simulate", "--json", "p.yaml", "2.jsonl", "--from", "s.json"]).expect_exit(0),
        ));
        assert_eq!(found, all, "cut after {cut}");
    }
    place.scratch.write("other.yaml", format!("{FILE}\n# another file\n"));
    let refused = place.mi(&["simulate", "other.yaml", "2.jsonl", "--from", "s.json"]).expect_exit(1);
    assert!(refused.err().contains("another protocol file"), "{}", refused.err());
    assert!(
        place.mi(&["simulate", "p.yaml", "2.jsonl", "--from", "none"]).expect_exit(1).err().contains("none")
    );
}

/// `--save` replaces the file it is given and nothing else: links stay, pipes are written into, and nothing beside it is
/// touched. One that cannot be gone on from is named, with what to do.
#[test]
fn a_snapshot_replaces_only_its_own_file() {
    let place = Place::new();
    let at = |name: &str| place.scratch.path().join(name);
    let save = |name: &str| place.mi(&["simulate", "p.yaml", "e.jsonl", "--save", name]);
    save("s").expect_exit(0);
    let whole = fs::read_to_string(at("s")).unwrap();

    place.scratch.write("precious", "kept");
    place.scratch.write("k.new", "mine");
    symlink("precious", at("l.new")).unwrap();
    for name in ["k", "l"] {
        save(name).expect_exit(0);
        assert!(at(name).symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read_to_string(at(name)).unwrap(), whole);
    }
    assert_eq!(fs::read_to_string(at("precious")).unwrap(), "kept");
    assert_eq!(fs::read_to_string(at("k.new")).unwrap(), "mine");

    symlink("k", at("link")).unwrap();
    place.scratch.write("k", "old");
    save("link").expect_exit(0);
    assert!(at("link").is_symlink());
    assert_eq!(fs::read_to_string(at("k")).unwrap(), whole);

    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let reader = thread::spawn({
        let pipe = at("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    save("pipe").expect_exit(0);
    assert_eq!(reader.join().unwrap(), whole);
    assert!(at("pipe").symlink_metadata().unwrap().file_type().is_fifo());

    symlink("nowhere", at("dangling")).unwrap();
    for name in ["dangling", "no/such/folder"] {
        let refused = save(name).expect_exit(1).err();
        assert!(refused.contains(name) && refused.contains("to do: "), "{refused}");
    }
    assert!(!at("no").exists() && !at("nowhere").exists());
    place.scratch.write("torn", &whole[..whole.len() / 2]);
    for name in ["torn", "none"] {
        let refused = place.mi(&["simulate", "p.yaml", "e.jsonl", "--from", name]).expect_exit(1).err();
        assert!(refused.contains(&format!("snapshot {name}")) && refused.contains("--save"), "{refused}");
    }
}

/// Files that cannot be read are told with what to give instead.
#[test]
fn a_missing_file_comes_with_advice() {
    let place = Place::new();
    for arguments in [&["check", "none"][..], &["simulate", "p.yaml", "none"], &["import", "none"]] {
        let refused = place.mi(arguments).expect_exit(1).err();
        assert!(refused.contains("read none") && refused.contains("to do: give a file"), "{refused}");
    }
    let unnamed = place.mi(&["import", "--name", " ", "p.csv"]).expect_exit(2).err();
    assert!(unnamed.contains("needs a name"), "{unnamed}");
}

/// `check --json` is the contract: `ok`, and problems with kind, severity, place, message and hint.
#[test]
fn check_prints_the_contract() {
    let place = Place::new();
    let good = place.mi(&["check", "--json", "p.yaml"]).expect_exit(0).json();
    assert_eq!((&good["ok"], &good["problems"]), (&json!(true), &json!([])));
    let (code, report) = place.check(guarded("state.gate_pased"));
    assert_eq!((code, &report["ok"]), (Some(1), &json!(false)));
    let problem = &report["problems"][0];
    assert_eq!(problem["kind"], "unknown_field");
    assert_eq!(problem["severity"], "error");
    assert_eq!(problem["at"], "bad.yaml:8:66");
    assert!(problem["hint"].as_str().unwrap().contains("gate_passed"), "{problem}");
    let (code, report) = place.check(guarded("'state.tool_calls >= 0'"));
    assert_eq!((code, &report["ok"]), (Some(0), &json!(true)), "a warning is no error");
    assert_eq!(report["problems"][0]["kind"], "always_true");
    assert_eq!(report["problems"][0]["severity"], "warning");
}

/// Every bad file of the issue, by what it is: its kind, its line, exit 1.
#[test]
fn bad_files_are_refused_with_kind_and_place() {
    let head =
        "version: 1\nname: n\nstart: A\nnodes:\n  - { id: A, kind: phase }\n  - { id: Z, kind: end }\n";
    let edge = "edges:\n  - { id: az, from: A, to: Z, class: Progress }\n";
    let policy = |id: &str, more: &str| {
        format!("  - {{ id: {id}, expr: 'true', priority: 5, violation_action: block{more} }}\n")
    };
    let deep = format!("{head}x: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let nested = guarded(&format!("\"{}true{}\"", "(".repeat(10_000), ")".repeat(10_000)));
    let long = guarded(&format!("\"{}true\"", "true && ".repeat(131_072)));
    let cases: Vec<(&str, Vec<u8>, &str, u64)> = vec![
        ("YAML that does not parse", format!("{head}edges: [\n").into(), "yaml", 0),
        ("a key that stands twice", format!("{head}name: m\n").into(), "yaml", 7),
        ("an unknown key", format!("{head}{edge}polices: []\n").into(), "unknown_key", 9),
        ("a wrong type", format!("{head}edges: 7\n").into(), "type", 7),
        ("an unknown field", guarded("state.nope").into(), "unknown_field", 8),
        ("a missing value", guarded("").into(), "type", 8),
        ("a file nested 10,000 deep", deep.into(), "limit", 7),
        ("an expression nested 10,000 deep", nested.into(), "limit", 8),
        ("an expression of 1 MB", long.into(), "limit", 8),
        ("an alias inside of its own anchor", format!("{head}edges: &a [*a]\n").into(), "yaml", 7),
        ("a duplicate id", format!("{head}{edge}{}", &edge[7..]).into(), "duplicate_id", 9),
        (
            "an equal-priority conflict",
            format!("{head}{edge}policies:\n{}{}", policy("p", ", conflicts_with: [q]"), policy("q", ""))
                .into(),
            "conflict",
            10,
        ),
        ("an unknown node", format!("{head}{}", edge.replace("to: Z", "to: Y")).into(), "unknown_ref", 8),
        ("a file that is not UTF-8", [head.as_bytes(), b"# \xff\n".as_slice()].concat(), "yaml", 7),
        ("an empty file", Vec::new(), "yaml", 1),
    ];
    let place = Place::new();
    for (what, file, kind, line) in cases {
        let (code, report) = place.check(&file);
        let problem = &report["problems"][0];
        assert_eq!((code, &problem["kind"]), (Some(1), &json!(kind)), "{what}: {report}");
        let at = problem["at"].as_str().unwrap();
        let wanted = if line == 0 { "bad.yaml:".to_owned() } else { format!("bad.yaml:{line}:") };
        assert!(at.starts_with(&wanted), "{what}: {at}");
        assert!(!problem["hint"].as_str().unwrap().is_empty(), "{what}: {problem}");
    }
}

/// A file that is not there is named; so is a shipped protocol that does not exist.
#[test]
fn missing_files_are_named() {
    let place = Place::new();
    for command in ["check", "export", "render"] {
        let output = place.mi(&[command, "none.yaml"]).expect_exit(1);
        assert!(output.err().contains("none.yaml"), "{}", output.err());
    }
    assert!(place.mi(&["check", "builtin:nope"]).expect_exit(2).err().contains("builtin:autopilot"));
    place.mi(&["simulate", "p.yaml"]).expect_exit(2);
    place.mi(&["explain", "p.yaml", "e.jsonl", "--at", "0"]).expect_exit(2);
}

/// What fails while it runs counts as violated and stands in the trace: division by zero, a missing value, an index.
#[test]
fn run_time_failures_count_as_violated() {
    let place = Place::new();
    let cases = [
        ("'1 / state.tool_calls == 1'", "division by zero"),
        ("'1.0 / state.cumulative_duration > 1.0'", "division by zero"),
        ("state.score > 3.0", "a value is null"),
        ("'[1, 2][state.tool_calls + 5] == 1'", "no such index"),
        ("'9223372036854775807 + state.attempt_count > 0'", "too large"),
    ];
    for (guard, why) in cases {
        let verdict = &place.simulate(&guarded(guard), "{\"type\":\"transition\",\"edge\":\"az\"}\n")[0];
        assert_eq!((&verdict["allowed"], &verdict["guard"]), (&json!(false), &json!("az")), "{guard}");
        assert!(verdict["trace"].to_string().contains(why), "{guard}: {verdict}");
    }
}

/// Events that are none, out of order, of unknown type or for unknown nodes: refused by the engine, by name, exit 0.
#[test]
fn bad_events_are_refused_by_name() {
    let cases = [
        ("not json", "bad_event"),
        ("[1]", "bad_event"),
        ("{\"type\":\"phase_end\"}", "bad_event"),
        ("{\"type\":\"transition\",\"edge\":7}", "bad_event"),
        ("{\"type\":\"teleport\"}", "unknown_event"),
        ("{\"type\":\"phase_start\",\"phase\":\"P99\"}", "unknown_node"),
        ("{\"type\":\"transition\",\"edge\":\"E999\"}", "unknown_edge"),
        ("{\"type\":\"transition\",\"edge\":\"E134\"}", "wrong_node"),
        ("{\"type\":\"phase_end\",\"phase\":\"P5\"}", "out_of_order"),
        (
            "{\"type\":\"evidence\",\"id\":\"x\",\"claim\":\"C\",\"source\":\"s\",\"supports\":true}",
            "unknown_claim",
        ),
        ("{\"type\":\"update\",\"set\":{\"nope\":1}}", "unknown_field"),
        ("{\"type\":\"update\",\"set\":{\"tool_calls\":-1}}", "bad_type"),
        ("{\"type\":\"update\",\"set\":{\"phase_id\":\"P6\"}}", "read_only_field"),
    ];
    let place = Place::new();
    let events: Vec<&str> = cases.iter().map(|(line, _)| *line).collect();
    let mut bytes = events.join("\n").into_bytes();
    bytes.extend(b"\n\n\xff\xfe\n");
    let found = place.simulate(FILE, bytes);
    assert_eq!(found.len(), cases.len() + 1, "a blank line has no verdict");
    for ((line, reason), verdict) in cases.iter().zip(&found) {
        let expected = json!({"allowed": false, "by": "engine", "reason": reason, "node": "P5"});
        assert!(holds(&expected, verdict), "{line}: {verdict}");
    }
    assert_eq!(found[13]["at"], 15, "the blank line is counted");
    assert_eq!(found[13]["reason"], "bad_event");
}

/// Tables come back as they were: BOM, line ends, quotes, line breaks, columns that mean nothing here.
#[test]
fn import_and_export_keep_a_table() {
    let table = "\u{feff}edge_id,source,target,v2_primary_class,note,guard_expr\r\n\
        E1,A,B,GateTransitionObject,\"two\nlines, and \"\"quotes\"\"\",state.gate_passed\r\n\
        E2,B,C,Progress,,\r\n";
    let place = Place::new();
    place.scratch.write("t.csv", table);
    let yaml = place.mi(&["import", "t.csv", "--name", "mine"]).expect_exit(0).out();
    place.scratch.write("t.yaml", &yaml);
    assert_eq!(place.mi(&["export", "t.yaml"]).expect_exit(0).out(), table);
    assert_eq!(place.mi(&["check", "--json", "t.yaml"]).expect_exit(0).json()["ok"], true);
    let imported = place.mi(&["import", "--json", "t.csv"]).expect_exit(0).json();
    assert_eq!((&imported["edges"], &imported["nodes"]), (&json!(2), &json!(3)));
    assert!(imported["yaml"].as_str().unwrap().contains("E1"), "{imported}");
    let exported = place.mi(&["export", "--json", "t.yaml"]).expect_exit(0).json();
    assert_eq!(exported["csv"], table);
    assert_eq!((&exported["rows"], &exported["columns"][4]), (&json!(2), &json!("note")));
}

/// Tables that are none: the row is named, nothing is printed, exit 1.
#[test]
fn bad_tables_are_refused_with_their_row() {
    let head = b"edge_id,source,target,v2_primary_class\n".as_slice();
    let cases: [(&[u8], &str); 5] = [
        (b"E1,A,B,Gate\nE2,A,\xe9,Gate\n", "t.csv:3: the row is not UTF-8"),
        (b"E1,A,B,Gate\nE1,A,B,Gate\n", "t.csv:3"),
        (b"E1,A,B,Nonsense\n", "t.csv:2"),
        (b"E1,A,B\n", "t.csv:2"),
        (b"\"E1,A,B,Gate\n", "t.csv:2"),
    ];
    let place = Place::new();
    for (rows, wanted) in cases {
        place.scratch.write("t.csv", [head, rows].concat());
        let output = place.mi(&["import", "t.csv"]).expect_exit(1);
        assert!(output.err().contains(wanted), "{}", output.err());
        assert_eq!(output.out(), "");
        let report = place.mi(&["import", "--json", "t.csv"]).expect_exit(1);
        assert!(!report.out().contains("version: 1"), "{}", report.out());
    }
    let utf16: Vec<u8> = "\u{feff}edge_id,source\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.scratch.write("t.csv", utf16);
    assert!(place.mi(&["import", "t.csv"]).expect_exit(1).err().contains("UTF-8"));
}

/// `render` draws every format; `schema` is JSON Schema; both of the shipped protocols are free of problems.
#[test]
fn render_and_schema_print_whole_documents() {
    let place = Place::new();
    let formats = [("mermaid", "flowchart TD"), ("dot", "digraph"), ("svg", "<svg")];
    for file in ["p.yaml", "builtin:autopilot", "builtin:feature-delivery"] {
        for (format, start) in formats {
            let drawn = place.mi(&["render", file, "--format", format]).expect_exit(0).out();
            assert!(drawn.starts_with(start), "{file} {format}");
        }
        assert_eq!(
            place.mi(&["check", "--json", file]).expect_exit(0).json()["problems"],
            json!([]),
            "{file}"
        );
    }
    let schema = place.mi(&["schema"]).expect_exit(0).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    // For a program each is one object on one line, with the same content.
    let line = place.mi(&["schema", "--json"]).expect_exit(0);
    assert_eq!((line.out().trim_end().lines().count(), line.json()), (1, schema));
    for (format, _) in formats {
        let drawn = place.mi(&["render", "p.yaml", "--format", format]).expect_exit(0).out();
        let line = place.mi(&["render", "--json", "p.yaml", "--format", format]).expect_exit(0);
        assert_eq!(line.json(), json!({"name": "research-pipeline", "format": format, "drawing": drawn}));
    }
    place.mi(&["render", "p.yaml", "--format", "png"]).expect_exit(2);
    let (code, _) = place.check("version: 2\n");
    assert_eq!(code, Some(1));
    place.mi(&["render", "bad.yaml"]).expect_exit(1);
}

/// `explain` says everything that was asked at one event, with its values.
#[test]
fn explain_tells_why() {
    let place = Place::new();
    let told = place.mi(&["explain", "p.yaml", "e.jsonl", "--at", "4"]).expect_exit(0).out();
    for part in ["TIME_HARD_FLOOR", "PIPELINE_CONTINUITY", "cumulative_duration=120", "overrides"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let report = place.mi(&["explain", "--json", "p.yaml", "e.jsonl", "--at", "4"]).expect_exit(0).json();
    assert_eq!(report["event"]["edge"], "E131");
    assert_eq!(report["verdict"]["by"], "TIME_HARD_FLOOR");
    let missing = place.mi(&["explain", "p.yaml", "e.jsonl", "--at", "99"]).expect_exit(1);
    assert!(missing.err().contains("line 99"), "{}", missing.err());
}

/// `audit --json` is one document with every record it stands on; the same input gives the same bytes.
#[test]
fn audit_reports_every_record() {
    let place = Place::new();
    let output = place.mi(&["audit", "--json", "p.yaml", "e.jsonl"]).expect_exit(0);
    let report = output.json();
    let records = report["records"].as_array().unwrap();
    assert_eq!(records.len(), 12);
    assert_eq!(records[3]["event"]["edge"], "E131");
    assert_eq!(records[3]["verdict"]["by"], "TIME_HARD_FLOOR");
    assert_eq!(report["report"]["chain"], records[11]["chain"]);
    assert_eq!(report["report"]["claims"][0]["verification_status"], "verified");
    assert_eq!(report["report"]["refused"], 3);
    assert_eq!(place.mi(&["audit", "--json", "p.yaml", "e.jsonl"]).expect_exit(0).out(), output.out());
    let page = place.mi(&["audit", "p.yaml", "e.jsonl"]).expect_exit(0).out();
    assert!(page.starts_with("Audit of research-pipeline"), "{page}");
    let without = place.mi(&["audit", "p.yaml"]).expect_exit(1);
    assert!(without.err().contains("holds no run yet"), "{}", without.err());
}

/// `backtest` says what another protocol would have decided otherwise.
#[test]
fn backtest_names_what_would_have_changed() {
    let place = Place::new();
    place.scratch.write(
        "strict.yaml",
        FILE.replace("text: ['shall i continue'", "text: ['looks fine', 'shall i continue'"),
    );
    let events = "{\"type\":\"said\",\"actor\":\"w\",\"text\":\"It looks fine.\"}\n{\"type\":\"tick\"}\n";
    place.scratch.write("past.jsonl", events);
    let before = place.mi(&["backtest", "--json", "p.yaml", "past.jsonl"]).expect_exit(0).json();
    assert_eq!((&before["events"], &before["changed"]), (&json!(2), &json!(0)));
    let after = place.mi(&["backtest", "--json", "strict.yaml", "past.jsonl"]).expect_exit(0).json();
    assert_eq!(
        (&after["changed"], &after["changes"][0]["verdict"]["by"]),
        (&json!(1), &json!("NO_ASKING_TO_CONTINUE"))
    );
    let told = place.mi(&["backtest", "strict.yaml", "past.jsonl"]).expect_exit(0).out();
    assert!(told.contains("1 events would have gone otherwise") || told.contains("1 of 2 events"), "{told}");
    let nothing = place.mi(&["backtest", "--json", "p.yaml"]).expect_exit(0).json();
    assert_eq!(nothing, json!({"run": null, "events": 0, "changed": 0, "changes": []}));
}
