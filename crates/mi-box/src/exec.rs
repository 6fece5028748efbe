//! One run from its slots to its sealed folder: fill, run, collect, gate, seal, scrub.
//!
//! Holds: a run that started has a manifest, also when it was denied afterwards; a run that did not start leaves
//! nothing; a denied run is never tried another way.

use mi_admission::{Denial, RunSpec, Waived};
use mi_model::Timestamp;
use mi_process::Deadline;
use std::{
    fs::{self, File},
    io::{self, Write},
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
};

use crate::{
    bwrap::{Bwrap, self_test},
    collect::{Collected, Output, collect},
    container::Container,
    engine::{Control, End, EngineError, Job, Outlet, Ran, SlotLimits},
    gate::{self, Classification, Gate, Label},
    home::{BoxHome, Live},
    input::{self, Input, InputError},
    manifest::{Circumstances, MANIFEST, Manifest},
};

/// Who runs it.
#[derive(Debug, Clone)]
pub enum Engine {
    Bwrap(Bwrap),
    Container(Container),
    /// Extracts and records, runs nothing (X20).
    Nothing,
}

impl Engine {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bwrap(_) => "bwrap",
            Self::Container(_) => "container",
            Self::Nothing => "none",
        }
    }
}

/// One admitted run and all that belongs to it.
pub struct Order<'a> {
    pub run_id: String,
    pub spec: &'a RunSpec,
    pub waived: &'a [Waived],
    pub engine: &'a Engine,
    pub input: &'a Input,
    pub slots: SlotLimits,
    pub toolchains: &'a [PathBuf],
    pub policy_hash: &'a str,
    pub job_deadline: Deadline,
    pub wake: Option<BorrowedFd<'a>>,
    pub now: &'a dyn Fn() -> Timestamp,
    /// Further files for beside the manifest, by name: its signature, its attestation.
    pub attest: &'a dyn Fn(&Manifest, &[u8]) -> Result<Vec<(String, Vec<u8>)>, String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub exit: i32,
    pub manifest: Option<PathBuf>,
    pub denials: Vec<Denial>,
    pub outputs: Vec<Output>,
}

impl Finished {
    pub fn denied(denials: Vec<Denial>) -> Self {
        Self { exit: 4, manifest: None, denials, outputs: Vec::new() }
    }

    fn failed(rule: &str, field: &str, reason: impl ToString) -> Self {
        Self::denied(vec![Denial::new(rule, field, reason.to_string())])
    }
}

/// Runs the order. Whatever happens, nothing of it goes on running and nothing is left in the slots.
pub fn execute(home: &BoxHome, order: &Order<'_>, outlet: &mut Outlet) -> Finished {
    let live = match home.begin(&order.run_id) {
        Ok(live) => live,
        Err(error) => return Finished::failed("W.workspace", "mounts", format!("{error}: {}", error.source)),
    };
    let input_sha256 = match input::fill(&live.slot("input"), order.input) {
        Ok(digest) => digest,
        Err(InputError::Secret(denials)) => return Finished::denied(denials),
        Err(error @ InputError::Copy { .. }) => return Finished::failed("W.input", "mounts", with_source(&error)),
    };
    let started = (order.now)();
    let ran = run(home, order, &live, outlet);
    outlet.finish();
    let ran = match ran {
        Ok(ran) => ran,
        Err(EngineError::Denied(denials)) => return Finished::denied(denials),
        Err(error @ EngineError::Failed { .. }) => return Finished::failed("N.engine", "engine", error),
    };
    let about = Circumstances {
        run_id: &order.run_id,
        engine: order.engine.name(),
        policy_hash: order.policy_hash,
        input_sha256: &input_sha256,
        toolchains: order.toolchains,
        waived: order.waived,
        started,
        ended: (order.now)(),
    };
    conclude(home, order, &live, &ran, &about)
        .unwrap_or_else(|error| Finished::failed("W.output", "output", format!("seal the run: {error}")))
}

fn run(home: &BoxHome, order: &Order<'_>, live: &Live, outlet: &mut Outlet) -> Result<Ran, EngineError> {
    let job = Job {
        spec: order.spec,
        live,
        limits: order.slots,
        toolchains: order.toolchains,
        job_deadline: order.job_deadline,
        wake: order.wake,
    };
    match order.engine {
        Engine::Bwrap(bwrap) => {
            let polling_holds = || self_test::polling_holds(bwrap, home, &order.run_id);
            bwrap.run(&job, outlet, &polling_holds)
        }
        Engine::Container(container) => {
            let owner = mi_model::sha256_hex(home.root().as_os_str().as_encoded_bytes());
            container.run(&job, &owner[..16], outlet)
        }
        Engine::Nothing => Ok(Ran {
            end: End::Exited(0),
            container_id: None,
            controls: vec![Control::new("nothing was run", "engine none")],
            took: std::time::Duration::ZERO,
        }),
    }
}

/// Everything of the run is dead: collect, judge, seal.
fn conclude(
    home: &BoxHome,
    order: &Order<'_>,
    live: &Live,
    ran: &Ran,
    about: &Circumstances<'_>,
) -> io::Result<Finished> {
    live.release_space()?;
    let (outputs, gate) = match &ran.end {
        End::Denied(denial) => (Vec::new(), nothing_kept(denial)),
        End::Exited(_) | End::TimedOut | End::OutOfMemory | End::Interrupted => judge(live, order.slots)?,
    };
    let manifest = Manifest::new(about, order.spec, ran, outputs, gate.label, gate.denials);
    let place = seal(home, order, live, &manifest)?;
    Ok(Finished {
        exit: manifest.exit,
        manifest: Some(place.join(MANIFEST)),
        denials: manifest.denials,
        outputs: manifest.outputs,
    })
}

fn nothing_kept(denial: &Denial) -> Gate {
    let label = Label { classification: Classification::Internal, pii: false };
    Gate { label, denials: vec![denial.clone()] }
}

fn judge(live: &Live, limits: SlotLimits) -> io::Result<(Vec<Output>, Gate)> {
    let slot = live.slot("output");
    let Collected { outputs, denials } = collect(&slot, limits)?;
    let top = rustix::fs::open(&slot, rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())?;
    let mut gate = gate::look(&top, &outputs)?;
    gate.denials.splice(0..0, denials);
    Ok((outputs, gate))
}

/// Puts the folder together beside the slots and moves it to its place in one step.
fn seal(home: &BoxHome, order: &Order<'_>, live: &Live, manifest: &Manifest) -> io::Result<PathBuf> {
    let stage = live.folder().join("sealed");
    fs::create_dir(&stage)?;
    let output = stage.join("output");
    let kept = !manifest.outputs.is_empty();
    if kept {
        fs::rename(live.slot("output"), &output)?;
        fs::set_permissions(&output, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    } else {
        fs::create_dir(&output)?;
    }
    let bytes = manifest.to_bytes();
    let mut label = serde_json::to_vec_pretty(&manifest.classification)?;
    label.push(b'\n');
    write(&stage, "artifact.meta.json", &label)?;
    for (name, content) in (order.attest)(manifest, &bytes).map_err(io::Error::other)? {
        write(&stage, &name, &content)?;
    }
    write(&stage, MANIFEST, &bytes)?;
    File::open(&stage)?.sync_all()?;
    let place = home.runs().join(&live.id);
    fs::rename(&stage, &place)?;
    File::open(home.runs())?.sync_all()?;
    Ok(place)
}

fn write(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(folder.join(name))?;
    file.write_all(content)?;
    file.sync_all()
}

fn with_source(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text.push_str(&format!(": {source}"));
        next = source.source();
    }
    text
}
