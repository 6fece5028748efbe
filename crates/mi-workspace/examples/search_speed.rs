//! How long a search takes: `cargo run --release -p mi-workspace --example search_speed -- NOTES CYCLES`.
//!
//! Fills a scratch folder with that many notes (2 KB) and cycles (3 KB), half of them in Chinese, and prints the size of
//! the history and the best of five searches for a rare word, a common one, one that is nowhere, and a Chinese one.

#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use mi_workspace::{
    Layout, Store,
    memory::{SearchRequest, search},
};
use std::{
    env, fs,
    io::{BufWriter, Write},
    time::Instant,
};

#[expect(clippy::disallowed_methods, reason = "a measurement needs a clock")]
fn main() {
    let numbers: Vec<usize> = env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [notes, cycles] = numbers[..] else {
        panic!("give the number of notes and of cycles");
    };
    let folder = env::temp_dir().join(format!("mi-search-speed-{}", std::process::id()));
    let layout = Layout::new(&folder);
    fill(&layout, notes, cycles);
    let bytes = fs::metadata(layout.history()).expect("just written").len();
    println!("{notes} notes, {cycles} cycles, history {} MB", bytes / 1_000_000);
    for query in ["tombstone", "lock the state", "nowhere", "锁的顺序"] {
        let request = SearchRequest { query: query.to_owned(), limit: 10, sources: Vec::new() };
        let runs = (0..5).map(|_| {
            let start = Instant::now();
            let total = search(&Store::new(layout.clone()), &request, &[]).expect("a search").total;
            (start.elapsed(), total)
        });
        let (best, total) = runs.min().expect("five runs");
        println!("{query:>16}: {:>8.1} ms, {total} texts", best.as_secs_f64() * 1000.0);
    }
    fs::remove_dir_all(&folder).expect("remove the scratch folder");
}

const ENGLISH: &str = "The server reads the state fresh from disk on every call, takes the lock before it writes, and \
    replaces the file as a whole so that a reader never sees half of it; the branch and the time are recorded. ";
const CHINESE: &str =
    "服务器每次调用都从磁盘重新读取状态，写入之前先取得锁，整体替换文件，读者不会看到写到一半的内容。";

fn fill(layout: &Layout, notes: usize, cycles: usize) {
    fs::create_dir_all(layout.memory()).expect("make the folder");
    for index in 0..notes {
        let text = if index % 2 == 0 { ENGLISH.repeat(9) } else { CHINESE.repeat(14) };
        let rare = if index == notes / 2 { "tombstone 锁的顺序" } else { "" };
        fs::write(
            layout.memory().join(format!("note-number-{index}.md")),
            format!("# Note {index}\n{text}{rare}\n"),
        )
        .expect("write a note");
    }
    let mut file = BufWriter::new(fs::File::create(layout.history()).expect("create the history"));
    write!(file, "{{\n  \"schema_version\": \"0.10\",\n  \"cycles\": [").expect("write");
    for index in 0..cycles {
        let text = if index % 2 == 0 { ENGLISH } else { CHINESE };
        let tasks: Vec<_> = (1..=5)
            .map(|id| {
                serde_json::json!({"id": id, "title": format!("Task {id}"), "context": text.repeat(2), "acceptance": "It works",
                    "status": "completed", "deps": [], "created_at": "2026-01-01T00:00:00Z"})
            })
            .collect();
        let cycle = serde_json::json!({"schema_version": "0.10", "completed_at": "2026-01-01T00:00:00Z", "branch": "main",
            "plan": {"id": index + 1, "topic": format!("Plan {index}"), "issues": [], "created_at": "2026-01-01T00:00:00Z"}, "tasks": tasks});
        let comma = if index == 0 { "" } else { "," };
        let text = serde_json::to_string_pretty(&cycle).expect("JSON");
        write!(file, "{comma}\n{text}").expect("write");
    }
    write!(file, "\n  ]\n}}\n").expect("write");
    file.flush().expect("flush");
}
