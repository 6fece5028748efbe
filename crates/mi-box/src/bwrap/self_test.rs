//! Shows, once per machine, that a box without control groups is held to its limits all the same (X18).

use mi_admission::{RunLimits, RunSpec};
use mi_process::Deadline;
use serde::{Deserialize, Serialize};
use std::{fs, path::Path, time::Duration};

use super::Bwrap;
use crate::{
    engine::{Control, End, Job, Outlet, Sbom, SlotLimits, Workload},
    home::{BoxHome, Live},
};

const SLOTS: SlotLimits = SlotLimits { output_bytes: 1 << 20, data_bytes: 1 << 26, temp_bytes: 1 << 20 };

/// What was shown, on which machine, by which program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Shown {
    machine: String,
    /// Empty when every limit held; else what did not.
    failed: String,
}

/// The result that is on record for this machine, or that of a test made now.
pub(crate) fn polling_holds(bwrap: &Bwrap, home: &BoxHome, run: &str) -> Result<(), String> {
    let file = home.root().join("self-test.json");
    let machine = machine(bwrap);
    let known: Option<Shown> = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let shown = match known.filter(|shown| shown.machine == machine) {
        Some(shown) => shown,
        None => {
            let failed = test(bwrap, home, run).err().unwrap_or_default();
            let shown = Shown { machine, failed };
            // Without a record the test is made again next time.
            let _ = serde_json::to_vec(&shown).map(|bytes| fs::write(&file, bytes));
            shown
        }
    };
    if shown.failed.is_empty() {
        return Ok(());
    }
    Err(format!("without control groups the limits do not hold here: {}", shown.failed))
}

/// Makes one box and says how it is held to its limits, or why there is none.
pub fn probe(bwrap: &Bwrap, home: &BoxHome, run: &str) -> Result<String, String> {
    let limits = RunSpec::for_command("MI-TEST-001", None, Vec::new()).limits;
    let limits = RunLimits { step_seconds: 10, job_seconds: 10, ..limits };
    let live = home.begin(run).map_err(|error| error.to_string())?;
    let (ran, controls) = box_in(bwrap, &live, "exit 0", limits, &|_| false)?;
    match ran {
        End::Exited(0) => {
            let by = controls.iter().find(|held| held.control == "memory").map(|held| held.by.clone());
            Ok(format!("limits by {}", by.unwrap_or_default()))
        }
        other => Err(format!("a box that does nothing ended with {other:?}")),
    }
}

/// What a result depends on: the kernel, the user, bubblewrap and this program.
fn machine(bwrap: &Bwrap) -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let stamp = |path: &Path| {
        let known = fs::metadata(path).ok();
        known.map(|known| format!("{}:{:?}", known.len(), known.modified().ok())).unwrap_or_default()
    };
    let user = rustix::process::getuid().as_raw();
    format!("{} {user} {} {}", kernel.trim(), stamp(&bwrap.program), stamp(&bwrap.launcher))
}

fn test(bwrap: &Bwrap, home: &BoxHome, run: &str) -> Result<(), String> {
    let limits = RunLimits {
        pids: 16,
        memory_bytes: 48 << 20,
        cpus: 0.5,
        nofile: 64,
        step_seconds: 5,
        job_seconds: 5,
    };
    let bwrap = Bwrap { use_groups: false, ..bwrap.clone() };
    let end = |name: &str, script: &str, limits: RunLimits| {
        let id = format!("{run}-{name}");
        box_end(&bwrap, home, &id, script, limits).map_err(|reason| format!("{name}: {reason}"))
    };
    let (fill_end, _) = end("memory", FILL, limits)?;
    if fill_end != End::OutOfMemory {
        return Err("memory: more than the limit was taken".to_owned());
    }
    if end("pids", MANY, limits)?.0 == End::Exited(0) {
        return Err("pids: more than the limit were started".to_owned());
    }
    let short = RunLimits { step_seconds: 1, ..limits };
    let (burn_end, used) = end("time", BURN, short)?;
    if burn_end != End::TimedOut {
        return Err("time: the command outlived its limit".to_owned());
    }
    // Half a processor for a second, and what may be ahead of that.
    if seconds(&used) > 0.85 {
        return Err(format!("cpus: half a processor gave {used}"));
    }
    Ok(())
}

const FILL: &str = "a=x; while :; do a=$a$a; done";
const MANY: &str = "i=0; while [ $i -lt 40 ]; do sleep 3 & i=$((i+1)); done; wait";
const BURN: &str = "trap 'times > /workspace/output/used; exit 9' TERM; while :; do :; done";

/// The first number that the shell's `times` prints, such as `0m0.50s`.
fn seconds(text: &str) -> f64 {
    let first = text.split_whitespace().next().and_then(|time| time.strip_suffix('s')?.split_once('m'));
    let parsed = first.and_then(|(minutes, seconds)| {
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    });
    parsed.unwrap_or(f64::INFINITY)
}

/// How a box ends, and what it wrote to `output/used`.
fn box_end(
    bwrap: &Bwrap,
    home: &BoxHome,
    id: &str,
    script: &str,
    limits: RunLimits,
) -> Result<(End, String), String> {
    let live = home.begin(id).map_err(|error| error.to_string())?;
    // Only limits are shown here; whether the rest holds is asked of the run itself.
    let (end, _) = box_in(bwrap, &live, script, limits, &|rule| rule != "X.limits")?;
    Ok((end, fs::read_to_string(live.slot("output").join("used")).unwrap_or_default()))
}

fn box_in(
    bwrap: &Bwrap,
    live: &Live,
    script: &str,
    limits: RunLimits,
    lifts: &dyn Fn(&str) -> bool,
) -> Result<(End, Vec<Control>), String> {
    let command = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    let spec = RunSpec { limits, ..RunSpec::for_command("MI-TEST-001", None, command) };
    let job = Job {
        work: Workload {
            spec: &spec,
            slots: SLOTS,
            toolchains: &[],
            advisories: None,
            job_deadline: Deadline::after(Duration::from_secs(10)),
            wake: None,
        },
        verdict: &|| Ok(()),
        live,
        sbom: Sbom::None,
        lifts,
    };
    let mut outlet = Outlet::new(|_, _| {});
    let ran = bwrap.run(&job, &mut outlet, &|| Ok(())).map_err(|error| error.to_string());
    ran.map(|ran| (ran.end, ran.controls))
}
