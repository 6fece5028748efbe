//! One run from its slots to its sealed folder: fill, run, collect, gate, seal, scrub.
//!
//! Holds: a run that started has a manifest, also when it was denied afterwards; a run that did not start leaves
//! nothing; a denied run is never tried another way.
//! Elsewhere: waiting until it is on the disk is `durable`; the caller does that last, together with its own record.

use mi_admission::{Denial, Exceptions, RunSpec, Waived};
use mi_model::{Timestamp, error_line};
use mi_supply::{
    label::{LABEL_FILE, Label},
    manifest::{MANIFEST_FILE, Output, RunManifest},
    statement::{self, STATEMENT_FILE},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    bwrap::{Bwrap, self_test},
    collect::{Collected, collect, describe},
    container::Container,
    durable,
    engine::{Control, End, EngineError, Job, Outlet, Ran, Sbom, SlotLimits, Workload},
    gate::{self, Gate},
    home::{BoxHome, Live},
    input::{self, Input, InputError},
    key,
    manifest::{Circumstances, manifest},
};

/// The signature's file, as the `minisign` program looks for it.
pub const SIGNATURE_FILE: &str = "manifest.json.minisig";

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

/// One run and all that belongs to it.
pub struct Order<'a> {
    pub run_id: String,
    pub work: Workload<'a>,
    /// The verdict on the spec: what exceptions lifted, or what denies the run. May be asked twice.
    pub verdict: &'a dyn Fn() -> Result<&'a [Waived], &'a [Denial]>,
    /// They lift controls that the engine lacks too.
    pub exceptions: &'a Exceptions,
    pub engine: &'a Engine,
    pub input: &'a Input,
    pub policy_hash: &'a str,
    pub now: &'a dyn Fn() -> Timestamp,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub exit: i32,
    pub manifest: Option<PathBuf>,
    pub denials: Vec<Denial>,
    pub outputs: Vec<Output>,
    /// Every denial that an Exception DR lifted, at admission or by the engine.
    pub waived: Vec<Waived>,
}

impl Finished {
    pub fn denied(denials: Vec<Denial>) -> Self {
        Self { exit: 4, manifest: None, denials, outputs: Vec::new(), waived: Vec::new() }
    }

    fn failed(rule: &str, field: &str, reason: impl ToString) -> Self {
        Self::denied(vec![Denial::new(rule, field, reason.to_string())])
    }
}

/// Runs the order. Whatever happens, nothing of it goes on running. The run's slots come back with it: dropping them
/// takes them away, which nobody has to wait for before the disk has what was sealed.
pub fn execute(home: &BoxHome, order: &Order<'_>, outlet: &mut Outlet) -> (Finished, Option<Live>) {
    // An empty box is made while the verdict is found, everything else is not begun before it.
    let is_empty_box = matches!((order.engine, order.input), (Engine::Bwrap(_), Input::Nothing));
    if !is_empty_box && let Err(denials) = (order.verdict)() {
        return (Finished::denied(denials.to_vec()), None);
    }
    if order.work.spec.network != "none" && (order.verdict)().is_ok() {
        let reason = "no run starts with a network, whatever an exception lets pass (F.6)";
        return (Finished::failed("F.network", "network", reason), None);
    }
    match home.begin(&order.run_id) {
        Ok(live) => (execute_in(&live, home, order, outlet), Some(live)),
        Err(error) => (Finished::failed("W.workspace", "mounts", format!("{error}: {}", error.source)), None),
    }
}

fn execute_in(live: &Live, home: &BoxHome, order: &Order<'_>, outlet: &mut Outlet) -> Finished {
    let input_sha256 = match input::fill(&live.slot("input"), order.input) {
        Ok(digest) => digest,
        Err(InputError::Secret(denials)) => return Finished::denied(denials),
        Err(error @ InputError::Copy { .. }) => {
            return Finished::failed("W.input", "mounts", error_line(&error));
        }
    };
    let started = (order.now)();
    let ran = run(home, order, live, outlet);
    outlet.finish();
    let ran = match ran {
        Ok(ran) => ran,
        Err(EngineError::Denied(denials)) => return Finished::denied(denials),
        Err(error @ EngineError::Failed { .. }) => return Finished::failed("N.engine", "engine", error),
    };
    let waived = waived(order, &ran.lifted);
    let about = Circumstances {
        run_id: &order.run_id,
        engine: order.engine.name(),
        policy_hash: order.policy_hash,
        input_sha256: &input_sha256,
        // Images bring their own.
        toolchains: if matches!(order.engine, Engine::Bwrap(_)) { order.work.toolchains } else { &[] },
        waived: &waived,
        started,
        finished: (order.now)(),
    };
    conclude(home, order, live, &ran, &about)
        .unwrap_or_else(|error| Finished::failed("W.output", "output", format!("seal the run: {error}")))
}

/// What was lifted before the run, and what during it.
fn waived(order: &Order<'_>, lifted: &[Denial]) -> Vec<Waived> {
    let now = (order.now)();
    let at_admission = (order.verdict)().unwrap_or_default();
    let by_engine = lifted.iter().filter_map(|denial| {
        let exception = order.exceptions.lifting(&denial.rule, now)?.clone();
        Some(Waived { denial: denial.clone(), exception })
    });
    at_admission.iter().cloned().chain(by_engine).collect()
}

fn run(home: &BoxHome, order: &Order<'_>, live: &Live, outlet: &mut Outlet) -> Result<Ran, EngineError> {
    let lifts = |rule: &str| order.exceptions.lifting(rule, (order.now)()).is_some();
    let verdict = || match (order.verdict)() {
        Ok(_) => Ok(()),
        Err(denials) => Err(EngineError::Denied(denials.to_vec())),
    };
    let job = Job { work: order.work, verdict: &verdict, live, sbom: known_sbom(home, order), lifts: &lifts };
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
            end: keep_files(order.input, live)?,
            container_id: None,
            controls: vec![Control::new("nothing was run", "engine none")],
            took: std::time::Duration::ZERO,
            sbom: None,
            lifted: Vec::new(),
        }),
    }
}

/// Where nothing is run, the files of a reply are what comes out of it (X20).
fn keep_files(input: &Input, live: &Live) -> Result<End, EngineError> {
    if matches!(input, Input::Files(_)) {
        input::fill(&live.slot("output"), input)
            .map_err(|error| EngineError::failed("keep the files of the reply", error_line(&error)))?;
    }
    Ok(End::Exited(0))
}

/// Everything of the run is dead: collect, judge, seal.
fn conclude(
    home: &BoxHome,
    order: &Order<'_>,
    live: &Live,
    ran: &Ran,
    about: &Circumstances<'_>,
) -> io::Result<Finished> {
    let full_disk = home.full_disk()?;
    live.scrub()?;
    home.release()?;
    let sbom = keep_sbom(home, order, live, ran)?;
    let (outputs, gate) = match &ran.end {
        End::Denied(denial) => (Vec::new(), nothing_kept(denial)),
        End::Exited(_) | End::TimedOut | End::OutOfMemory | End::Interrupted => {
            let (outputs, mut gate) = judge(live, order.work.slots, sbom)?;
            gate.denials.extend(full_disk);
            (outputs, gate)
        }
    };
    let manifest = manifest(about, order.work.spec, ran, outputs, &gate);
    let place = seal(home, live, &manifest, &gate.label)?;
    Ok(Finished {
        exit: manifest.exit,
        manifest: Some(place.join(MANIFEST_FILE)),
        denials: gate.denials,
        outputs: manifest.outputs,
        waived: about.waived.to_vec(),
    })
}

/// Where an image's SBOM is kept; containers alone have one.
fn sbom_file(home: &BoxHome, order: &Order<'_>) -> Option<PathBuf> {
    let is_container = matches!(order.engine, Engine::Container(_));
    let name = sbom_name(order.work.spec)?;
    is_container.then(|| home.root().join("sbom").join(name))
}

/// What the SBOM of the run's image is called, beside the outputs of the image's first run.
pub fn sbom_name(spec: &RunSpec) -> Option<String> {
    let digest = spec.image.as_deref()?.rsplit_once('@')?.1;
    Some(format!("SBOM-{digest}.spdx.json"))
}

fn known_sbom(home: &BoxHome, order: &Order<'_>) -> Sbom {
    match sbom_file(home, order).map(fs::read_to_string) {
        Some(Ok(text)) => Sbom::Known(text),
        Some(Err(_)) => Sbom::MadeAt((order.now)()),
        None => Sbom::None,
    }
}

/// The SBOM of an image, known after its first run: its name and its text.
type FirstSbom<'a> = Option<(String, &'a str)>;

/// On the first run of an image its SBOM goes beside the outputs (X20), and is kept for all later ones.
fn keep_sbom<'a>(home: &BoxHome, order: &Order<'_>, live: &Live, ran: &'a Ran) -> io::Result<FirstSbom<'a>> {
    let known = (ran.sbom.as_deref(), sbom_file(home, order), sbom_name(order.work.spec));
    let (Some(text), Some(file), Some(name)) = known else { return Ok(None) };
    // Whatever the command put there under this name is not the SBOM.
    let place = live.slot("output").join(&name);
    if fs::symlink_metadata(&place).is_ok() {
        crate::tree::remove(&place)?;
    }
    fs::create_dir_all(home.root().join("sbom"))?;
    fs::write(file, text)?;
    Ok(Some((name, text)))
}

fn nothing_kept(denial: &Denial) -> Gate {
    Gate { label: Label::for_outputs(false), denials: vec![denial.clone()] }
}

/// The SBOM comes in after the outputs were measured: it is not the command's.
fn judge(live: &Live, limits: SlotLimits, sbom: FirstSbom<'_>) -> io::Result<(Vec<Output>, Gate)> {
    let slot = live.slot("output");
    let Collected { mut outputs, denials } = collect(&slot, limits)?;
    let top = rustix::fs::open(
        &slot,
        rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY,
        rustix::fs::Mode::empty(),
    )?;
    let is_free = |name: &str| outputs.iter().all(|output| !output.path.eq_ignore_ascii_case(name));
    if let Some((name, text)) = sbom.filter(|(name, _)| is_free(name)) {
        fs::write(slot.join(&name), text)?;
        outputs.push(describe(&top, &name)?);
        outputs.sort_by(|one, other| one.path.cmp(&other.path));
    }
    let mut gate = gate::look(&top, &outputs)?;
    gate.denials.splice(0..0, denials);
    Ok((outputs, gate))
}

/// Puts the folder together beside the slots and moves it to its place in one step.
fn seal(home: &BoxHome, live: &Live, manifest: &RunManifest, label: &Label) -> io::Result<PathBuf> {
    let stage = live.folder().join("sealed");
    fs::create_dir(&stage)?;
    let output = stage.join("output");
    if manifest.outputs.is_empty() {
        fs::create_dir(&output)?;
    } else {
        fs::rename(live.slot("output"), &output)?;
        fs::set_permissions(&output, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
    durable::write(&stage.join(LABEL_FILE), label.to_json())?;
    sign_into(home, &stage, manifest)?;
    let place = home.runs().join(&live.id);
    fs::rename(&stage, &place)?;
    Ok(place)
}

/// The manifest, its signature by the policy engine's key, and the statement about it (Rule A, Rule U).
pub(crate) fn sign_into(home: &BoxHome, folder: &Path, manifest: &RunManifest) -> io::Result<()> {
    let key = key::signing_key(home)?;
    let text = manifest.to_json();
    let comment = format!("run {} policy {}", manifest.run_id, manifest.policy_hash);
    durable::write(&folder.join(SIGNATURE_FILE), key.sign(text.as_bytes(), &comment))?;
    durable::write(&folder.join(STATEMENT_FILE), statement::envelope(manifest, &key))?;
    durable::write(&folder.join(MANIFEST_FILE), text)
}
