//! A history of 1 GB: found in, added to and told from, in bounded memory and time.

use mi_test_support::{TempHome, TempProject, sealed_environment};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const GIGABYTE: usize = 1 << 30;
/// Address space of a command, in KiB: a fraction of the file.
const MOST_MEMORY: u32 = 384 << 10;
const MOST_TIME: Duration = Duration::from_secs(240);

/// Cycles of about 1 MB until the file has 1 GB; returns how many.
fn write_history(project: &TempProject) -> usize {
    let text = "all work and no play, ".repeat((1 << 20) / 22);
    let cycle = json!({"schema_version": "0.5", "completed_at": "2026-01-01T00:00:00Z", "branch": "main",
        "plan": {"id": 7, "topic": "T", "issues": [], "research_summary": text, "created_at": "2026-01-01T00:00:00Z"}, "tasks": []});
    let cycle = cycle.to_string();
    fs::create_dir_all(project.path().join(".nexus")).unwrap();
    let mut file = File::create(project.path().join(".nexus/history.json")).unwrap();
    let count = GIGABYTE / cycle.len() + 1;
    file.write_all(b"{\n  \"schema_version\": \"0.5\",\n  \"cycles\": [\n    ").unwrap();
    for number in 0..count {
        let separator = if number == 0 { "" } else { ",\n    " };
        file.write_all(separator.as_bytes()).unwrap();
        file.write_all(cycle.as_bytes()).unwrap();
    }
    file.write_all(b"\n  ]\n}\n").unwrap();
    count
}

/// Searches pass over it, a cycle is added to it and found again, and the plan's id counts on from it.
#[test]
fn nx_106_nx_140_a_history_of_1_gb() {
    let (home, project) = (TempHome::new(), TempProject::not_git());
    let count = write_history(&project);
    let history = project.path().join(".nexus/history.json");
    assert!(fs::metadata(&history).unwrap().len() > GIGABYTE as u64);
    let mi = |words: &str| -> Value {
        let started = Instant::now();
        let limited = format!("ulimit -v {MOST_MEMORY}; exec {} {words} --json", env!("CARGO_BIN_EXE_mi"));
        let output = Command::new("sh")
            .args(["-c", &limited])
            .env_clear()
            .envs(sealed_environment(&home))
            .current_dir(project.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {said}");
        assert!(started.elapsed() < MOST_TIME, "{words} took {:?}", started.elapsed());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words}: {error}: {said}"))
    };
    assert_eq!(mi("history search zebra")["total"], 0);
    assert_eq!(mi("memory search zebra")["total"], 0);
    assert_eq!(mi("plan start Zebras --issue a")["plan_id"], 8);
    assert_eq!(mi("task close")["total_cycles"], count + 1);
    assert_eq!(mi("history search ZEBRA")["cycles"][0]["topic"], "Zebras");
    assert_eq!(mi("memory search zebras")["hits"][0]["name"], format!("cycle {}", count + 1));
}
