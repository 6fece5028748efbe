//! `cargo bench -p mi --bench mcp [CALLS]`: `mi mcp` beside `@moreih29/nexus-core` 0.21 under node, in one run, and
//! then alone as tasks and history grow.
//!
//! Both servers are driven by the same client over pipes, in the same folder layout, in turns. The peer is installed by
//! `dev/setup peer`; without it only our own numbers are printed. Bars: cold start 20 x, task_add 10 x, history search
//! 10 x, memory a fifth.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, ensure};
use mi_test_support::{McpClient, TempHome, TempProject, sealed_environment, workspace_dir};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufWriter, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use support::{MI, cpu_of_children, ms_each, print_table, size_or};

const COLD_STARTS: u64 = 30;
const SEARCHES: usize = 20;
const CYCLES: u64 = 5000;
const GROWTH_CALLS: u64 = 50;

fn main() -> Result<()> {
    let calls = size_or(1000);
    let home = TempHome::new();
    let ours = Server::ours(&home);
    let peer = Server::peer(&home)?;
    if peer.is_none() {
        println!("the peer is not installed (dev/setup peer): only our own numbers\n");
    }
    let servers: Vec<&Server> = [Some(&ours), peer.as_ref()].into_iter().flatten().collect();
    let starts = cold_starts(&servers)?;
    let work = work(&servers, calls)?;
    print_comparison(calls, &starts, &work);
    println!("one small write and its flush to this disk, median: {:.2} ms\n", ms_each(one_flush()?, 1));
    print_growth(&ours)
}

/// A way to start one of the servers.
struct Server {
    program: PathBuf,
    arguments: Vec<PathBuf>,
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    /// What its `task_add` needs besides the contract's own.
    more: Value,
}

impl Server {
    fn ours(home: &TempHome) -> Self {
        let (program, arguments) = (PathBuf::from(MI), vec!["mcp".into()]);
        Self { program, arguments, environment: sealed_environment(home), more: json!({"owner": "lead"}) }
    }

    fn peer(home: &TempHome) -> Result<Option<Self>> {
        let entry = workspace_dir().join("dev/.tools/node_modules/@moreih29/nexus-core/dist/mcp/server.js");
        if !entry.is_file() {
            return Ok(None);
        }
        // By its real path: it does nothing when it is reached through a link.
        let (program, arguments) = (PathBuf::from("node"), vec![fs::canonicalize(entry)?]);
        let more = json!({"owner": {"role": "lead"}});
        Ok(Some(Self { program, arguments, environment: sealed_environment(home), more }))
    }

    fn command(&self, project: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(self.environment.clone()).current_dir(project);
        command.env("NEXUS_PROJECT_ROOT", project).stderr(Stdio::null());
        command
    }

    fn task(&self, number: u64) -> Value {
        let mut task = json!({
            "title": format!("Task {number}"), "context": "some context ".repeat(5), "approach": "a small step",
            "acceptance": "the tests pass", "risk": "none",
        });
        if let (Value::Object(task), Value::Object(more)) = (&mut task, &self.more) {
            task.extend(more.clone());
        }
        task
    }
}

/// The median wall time to the answer to `initialize`, and the CPU time of a whole short life.
struct ColdStart {
    wall: Duration,
    cpu_ms: f64,
}

/// In turns, so that a busy moment of the machine hits all of them.
fn cold_starts(servers: &[&Server]) -> Result<Vec<ColdStart>> {
    let project = TempProject::python();
    let mut walls = vec![Vec::new(); servers.len()];
    let mut cpus = vec![Duration::ZERO; servers.len()];
    for round in 0..=COLD_STARTS {
        for (index, server) in servers.iter().enumerate() {
            let before = cpu_of_children()?;
            let began = Instant::now();
            let mut client = McpClient::start(&mut server.command(project.path()));
            client.initialize("2025-06-18");
            let wall = began.elapsed();
            client.close();
            // The first round reads the programs from the disk and is not counted.
            if round > 0 {
                walls[index].push(wall);
                cpus[index] += cpu_of_children()? - before;
            }
        }
    }
    let both = walls.into_iter().zip(cpus);
    Ok(both
        .map(|(walls, cpu)| ColdStart { wall: median(walls), cpu_ms: ms_each(cpu, COLD_STARTS) })
        .collect())
}

/// What one server did with the same work.
struct Work {
    calls_per_second: f64,
    search: Duration,
    rss_kib: u64,
}

/// A server at work, and what it has taken so far.
struct Worker<'a> {
    server: &'a Server,
    client: McpClient,
    calls: Duration,
    searches: Vec<Duration>,
    _project: TempProject,
}

impl<'a> Worker<'a> {
    fn start(server: &'a Server) -> Result<Self> {
        let project = TempProject::python();
        fill_history(project.path(), CYCLES)?;
        let client = McpClient::connect(&mut server.command(project.path()));
        Ok(Self { server, client, calls: Duration::ZERO, searches: Vec::new(), _project: project })
    }

    fn add_tasks(&mut self, count: u64) {
        let began = Instant::now();
        for number in 0..count {
            self.client.returned("nx_task_add", &self.server.task(number));
        }
        self.calls += began.elapsed();
    }

    fn search(&mut self) -> Result<()> {
        let began = Instant::now();
        let found = self.client.returned("nx_history_search", &json!({"query": "no such words anywhere"}));
        self.searches.push(began.elapsed());
        ensure!(total(&found) == Some(0), "{found}");
        Ok(())
    }

    fn finish(mut self, calls: u64) -> Result<Work> {
        // Were the history not read, nothing would be found fast.
        let found = self.client.returned("nx_history_search", &json!({"query": "THE SMALLER ONE"}));
        ensure!(total(&found) > Some(0), "{found}");
        let rss_kib = rss_kib(self.client.pid())?;
        self.client.close();
        let calls_per_second = calls as f64 / self.calls.as_secs_f64();
        Ok(Work { calls_per_second, search: median(self.searches), rss_kib })
    }
}

/// In turns too: a share of the calls each, then a search each.
fn work(servers: &[&Server], calls: u64) -> Result<Vec<Work>> {
    let mut workers = servers.iter().map(|server| Worker::start(server)).collect::<Result<Vec<_>>>()?;
    let shares = SEARCHES as u64;
    for share in 0..shares {
        for worker in &mut workers {
            worker.add_tasks(calls * (share + 1) / shares - calls * share / shares);
        }
    }
    for _ in 0..SEARCHES {
        for worker in &mut workers {
            worker.search()?;
        }
    }
    workers.into_iter().map(|worker| worker.finish(calls)).collect()
}

/// What the disk alone takes for one small write: no durable call can be faster.
fn one_flush() -> Result<Duration> {
    let project = TempProject::python();
    let mut file = fs::File::create(project.path().join("flushed"))?;
    file.write_all(&[b' '; 65536])?;
    file.sync_all()?;
    let mut times = Vec::new();
    for round in 0..200 {
        let began = Instant::now();
        file.write_all_at(&[b'x'; 200], round * 200)?;
        file.sync_data()?;
        times.push(began.elapsed());
    }
    Ok(median(times))
}

/// How many cycles were found; the peer has another word for it.
fn total(found: &Value) -> Option<u64> {
    found.get("total").or_else(|| found.get("total_cycles"))?.as_u64()
}

fn print_comparison(calls: u64, starts: &[ColdStart], work: &[Work]) {
    let row = |name: &str, bar: &str, unit: &str, values: Vec<f64>, faster_is_less: bool| {
        let ratio = match values[..] {
            [ours, peer] if faster_is_less => format!("{:.1} x", peer / ours),
            [ours, peer] => format!("{:.1} x", ours / peer),
            _ => "-".to_owned(),
        };
        let shown =
            |index: usize| values.get(index).map_or("-".to_owned(), |value| format!("{value:.2} {unit}"));
        vec![name.to_owned(), shown(0), shown(1), ratio, bar.to_owned()]
    };
    let walls = starts.iter().map(|start| ms_each(start.wall, 1)).collect();
    let cpus = starts.iter().map(|start| start.cpu_ms).collect();
    let rates = work.iter().map(|work| work.calls_per_second).collect();
    let searches = work.iter().map(|work| ms_each(work.search, 1)).collect();
    let memory = work.iter().map(|work| work.rss_kib as f64 / 1024.0).collect();
    println!(
        "{COLD_STARTS} cold starts in turns; {calls} task_add in a row, ours flushed to the disk; {CYCLES} closed cycles\n"
    );
    let rows = [
        row("cold start to `initialize`, wall, median", ">= 20 x", "ms", walls, true),
        row("cold start, CPU of a whole short life", "", "ms", cpus, true),
        row("task_add", ">= 10 x", "/s", rates, false),
        row("history search without a match, median", ">= 10 x", "ms", searches, true),
        row("RSS after all this", ">= 5 x", "MiB", memory, true),
    ];
    print_table(&["measure", "mi", "nexus-core 0.21", "ratio", "bar"], &rows);
}

/// The cost of one `task_add` as the files grow: in a server that is running, and as the first call of a new one.
fn print_growth(server: &Server) -> Result<()> {
    let mut rows = Vec::new();
    for (tasks, cycles) in [(0, 0), (100, 0), (1000, 0), (10_000, 0), (0, 1000), (0, 10_000), (0, 100_000)] {
        let project = TempProject::python();
        fill_history(project.path(), cycles)?;
        let mut client = McpClient::connect(&mut server.command(project.path()));
        for number in 0..tasks {
            client.returned("nx_task_add", &server.task(number));
        }
        let mut times = Vec::new();
        for number in 0..GROWTH_CALLS {
            let began = Instant::now();
            client.returned("nx_task_add", &server.task(number));
            times.push(began.elapsed());
        }
        let rss = rss_kib(client.pid())?;
        client.close();
        let mut fresh = McpClient::connect(&mut server.command(project.path()));
        let began = Instant::now();
        fresh.returned("nx_task_add", &server.task(0));
        let first = began.elapsed();
        let numbers = [ms_each(median(times), 1), ms_each(first, 1), rss as f64 / 1024.0];
        let counts = [tasks, cycles].map(|count| count.to_string());
        rows.push(counts.into_iter().chain(numbers.map(|number| format!("{number:.2}"))).collect());
    }
    println!("one task_add, alone, as the files grow; {GROWTH_CALLS} calls in a running server\n");
    print_table(
        &["open tasks", "closed cycles", "median ms", "first call of a new server ms", "RSS MiB"],
        &rows,
    );
    Ok(())
}

/// Closed cycles of a plausible size, written the way any harness may write them.
fn fill_history(project: &Path, cycles: u64) -> Result<()> {
    if cycles == 0 {
        return Ok(());
    }
    let nexus = project.join(".nexus");
    fs::create_dir_all(&nexus)?;
    let mut file = BufWriter::new(fs::File::create(nexus.join("history.json"))?);
    write!(file, "{{\n  \"schema_version\": \"0.5\",\n  \"cycles\": [")?;
    for number in 1..=cycles {
        let separator = if number == 1 { "" } else { "," };
        write!(file, "{separator}\n    {}", cycle(number))?;
    }
    write!(file, "\n  ]\n}}\n")?;
    file.into_inner().context("write the history")?.sync_all()?;
    Ok(())
}

fn cycle(number: u64) -> Value {
    let time = "2026-01-01T00:00:00.000Z";
    let issue = |id: u64, title: &str| json!({"id": id, "title": title, "status": "decided", "decision": format!("Decision {id} of plan {number}: the smaller one.")});
    let task = |id: u64| {
        json!({"id": id, "title": format!("Step {id} of {number}"), "context": "Touches src/cache.rs and its tests; keep the public interface.",
            "status": "completed", "deps": [], "created_at": time})
    };
    json!({
        "schema_version": "0.5", "completed_at": time, "branch": format!("feature/{number}"),
        "plan": {"id": number, "topic": format!("Topic {number}"), "issues": [issue(1, "Which store?"), issue(2, "Which format?")],
            "research_summary": "Two stores were looked at.", "created_at": time},
        "tasks": (1..=4).map(task).collect::<Vec<_>>(),
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn rss_kib(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has a size")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
