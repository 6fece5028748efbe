//! From flags and settings to one run: engine, input, environment, spec, and the verdict on it.

use mi_admission::{Denial, ImageRule, Instead, RunSpec, Waived};
use mi_box::{BoxHome, Bwrap, Container, Engine, Hints, Input, InputFile, Language, SlotLimits, Syft};
use mi_config::{BoxEngine, BoxSettings};
use mi_model::Timestamp;
use mi_process::find_program;
use std::{
    cell::OnceCell,
    ffi::OsStr,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use crate::{
    app::App,
    args::ExecArgs,
    commands::{
        admission::{Rules, read_request},
        launch,
    },
    failure::Failure,
};

const REPLY_BYTES: u64 = 2 << 30;
const TASK: &str = "MI-EXEC-001";

/// Everything that a run needs, and the verdict on it when it is asked.
pub struct Plan {
    pub home: BoxHome,
    pub spec: RunSpec,
    pub rules: Rules,
    image_rule: ImageRule,
    planned_at: Timestamp,
    verdict: OnceCell<Found>,
    pub engine: Engine,
    pub input: Input,
    pub slots: SlotLimits,
    pub toolchains: Vec<PathBuf>,
    pub advisories: Option<PathBuf>,
    pub age_recipients: Vec<String>,
}

impl Plan {
    /// Whether it is admitted: what exceptions lifted, or what denies it. The same for every run of the plan; found when
    /// it is asked for the first time, since a box may be made meanwhile.
    pub fn verdict(&self) -> Result<&[Waived], &[Denial]> {
        let found =
            self.verdict.get_or_init(|| judge(&self.spec, self.image_rule, &self.rules, self.planned_at));
        found.as_ref().map(Vec::as_slice).map_err(Vec::as_slice)
    }
}

type Found = Result<Vec<Waived>, Vec<Denial>>;

fn judge(spec: &RunSpec, image_rule: ImageRule, rules: &Rules, now: Timestamp) -> Found {
    match mi_admission::admit_spec(spec, image_rule, &rules.policies, &rules.exceptions, now) {
        mi_admission::Verdict::Admitted { waived, .. } => Ok(waived),
        mi_admission::Verdict::Denied { denials, .. } => Err(denials),
    }
}

/// Why there is no plan.
pub enum NoPlan {
    Denied(Vec<Denial>),
    Failed(Failure),
}

impl From<Failure> for NoPlan {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

pub fn plan(app: &App, args: &ExecArgs) -> Result<Plan, NoPlan> {
    let resolved = app.settings(&app.folder(), &[])?;
    let settings = &resolved.r#box;
    let language = language(args)?;
    let configured = settings.image(language.as_str()).map(str::to_owned);
    let image = args.image.clone().or(configured);
    let engine = engine(app, settings, args.engine, image.is_some() || args.spec.is_some());
    let needs_image = match &engine {
        Ok(engine) => matches!(engine, Engine::Container(_)),
        Err(_) => args.engine.unwrap_or(settings.engine) == BoxEngine::Container,
    };
    let rules = Rules::new(app, settings.env_allow.clone());
    let runs_nothing = matches!(&engine, Ok(Engine::Nothing));
    let spec = spec(app, args, &rules, image, runs_nothing)?;
    let is_missing = needs_image && spec.image.is_none();
    let image_rule = if needs_image && !is_missing { ImageRule::Asked } else { ImageRule::NotAsked };
    let image = if is_missing {
        let reason = "a container needs an image by its digest: --image, --language or box.images";
        Err(NoPlan::Denied(vec![Denial::new("I.image", "image", reason)]))
    } else {
        Ok(())
    };
    let planned_at = app.clock.now();
    let engine = match both(image, engine) {
        Ok(((), engine)) => engine,
        // Everything that stands against the run is told at once, an engine that is missing too.
        Err(unmet) => {
            let found = judge(&spec, image_rule, &rules, planned_at).map_err(NoPlan::Denied);
            return Err(both(found, Err::<(), _>(unmet)).err().unwrap_or(NoPlan::Denied(Vec::new())));
        }
    };
    let input = input(args.from.as_deref(), &resolved.extract)?;
    Ok(Plan {
        home: BoxHome::new(&app.home),
        spec,
        rules,
        image_rule,
        planned_at,
        verdict: OnceCell::new(),
        engine,
        input,
        slots: slots(settings),
        toolchains: toolchains(app, settings),
        advisories: settings.advisories.as_ref().map(PathBuf::from),
        age_recipients: settings.age_recipients.clone(),
    })
}

pub fn slots(settings: &BoxSettings) -> SlotLimits {
    SlotLimits {
        output_bytes: settings.max_output_bytes,
        data_bytes: settings.max_data_bytes,
        temp_bytes: settings.temp_bytes,
    }
}

fn language(args: &ExecArgs) -> Result<Language, Failure> {
    // `.` has a name too.
    let folder =
        args.from.as_deref().filter(|from| from.is_dir()).and_then(|from| fs::canonicalize(from).ok());
    let repository = folder.map(|folder| folder.display().to_string());
    let words = args.command.join(" ");
    let hints = Hints {
        explicit: args.language.as_deref(),
        model: None,
        repository: repository.as_deref(),
        description: Some(&words),
    };
    Language::select(&hints).map_err(|error| Failure::usage(error.to_string()))
}

/// Both, or all that was denied; what is wrong with the call itself comes first.
fn both<A, B>(first: Result<A, NoPlan>, second: Result<B, NoPlan>) -> Result<(A, B), NoPlan> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(NoPlan::Denied(mut denials)), Err(NoPlan::Denied(more))) => {
            denials.extend(more);
            Err(NoPlan::Denied(denials))
        }
        (Err(failed @ NoPlan::Failed(_)), _) | (_, Err(failed @ NoPlan::Failed(_))) => Err(failed),
        (Err(denied), _) | (_, Err(denied)) => Err(denied),
    }
}

/// The engine that was asked for. `auto` is a container where an engine and an image are there, else bwrap.
pub fn engine(
    app: &App,
    settings: &BoxSettings,
    typed: Option<BoxEngine>,
    has_image: bool,
) -> Result<Engine, NoPlan> {
    match typed.unwrap_or(settings.engine) {
        BoxEngine::Nothing => Ok(Engine::Nothing),
        BoxEngine::Bwrap => bwrap(app),
        BoxEngine::Container => match socket(app)? {
            Some(socket) => container(app, &socket),
            None => {
                Err(no_engine("no container engine was found: start Docker or Podman, or set DOCKER_HOST"))
            }
        },
        BoxEngine::Auto => match if has_image { socket(app)? } else { None } {
            Some(socket) => container(app, &socket),
            None => bwrap(app),
        },
    }
}

/// The engine behind a socket; `syft` makes its SBOMs if it is installed.
fn container(app: &App, socket: &Path) -> Result<Engine, NoPlan> {
    let path = app.variable("PATH").unwrap_or_default();
    let syft = match find_program(OsStr::new("syft"), OsStr::new(path)) {
        Some(program) => Some(Syft { program, spawner: launch::spawner()? }),
        None => None,
    };
    Ok(Engine::Container(Container::new(socket).with_syft(syft)))
}

fn socket(app: &App) -> Result<Option<PathBuf>, NoPlan> {
    mi_box::find_socket(|name| app.variable(name)).map_err(|denial| NoPlan::Denied(vec![denial]))
}

fn bwrap(app: &App) -> Result<Engine, NoPlan> {
    match find_bwrap(app) {
        Some(bwrap) => Ok(Engine::Bwrap(bwrap)),
        None => Err(no_engine("bubblewrap is not installed: install the package bubblewrap")),
    }
}

/// Bubblewrap in `PATH`, or where systems keep it.
pub fn find_bwrap(app: &App) -> Option<Bwrap> {
    let path = app.variable("PATH").unwrap_or_default();
    let program = find_program(OsStr::new("bwrap"), OsStr::new(path))
        .or_else(|| find_program(OsStr::new("bwrap"), OsStr::new("/usr/bin:/usr/local/bin:/bin")))?;
    let launcher = std::env::current_exe().ok()?;
    Some(Bwrap { program, launcher, use_groups: true })
}

fn no_engine(reason: &str) -> NoPlan {
    NoPlan::Denied(vec![Denial::new("N.engine", "engine", reason)])
}

/// What is to be run, as it was given and typed. Where nothing is run (X20), nothing has to be.
fn spec(
    app: &App,
    args: &ExecArgs,
    rules: &Rules,
    image: Option<String>,
    runs_nothing: bool,
) -> Result<RunSpec, NoPlan> {
    let mut spec = match &args.spec {
        Some(file) => return admitted(app, args, rules, &read_request(file)?),
        None if args.command.is_empty() && runs_nothing => {
            RunSpec::for_command(TASK, image, vec!["true".to_owned()])
        }
        None if args.command.is_empty() => {
            return Err(Failure::usage("there is no command")
                .todo("mi box exec -- CMD…, or --spec FILE")
                .into());
        }
        None => RunSpec::for_command(TASK, image, args.command.clone()),
    };
    if let Some(task) = &args.task_id {
        spec.task_id.clone_from(task);
    }
    Ok(spec)
}

/// A request with what the flags put in place of its own (X2): what would run is what is judged.
fn admitted(app: &App, args: &ExecArgs, rules: &Rules, request: &[u8]) -> Result<RunSpec, NoPlan> {
    let instead =
        Instead { command: &args.command, image: args.image.as_deref(), task_id: args.task_id.as_deref() };
    match rules.admit_with(app, request, &instead) {
        mi_admission::Verdict::Admitted { spec, .. } => Ok(*spec),
        mi_admission::Verdict::Denied { denials, .. } => Err(NoPlan::Denied(denials)),
    }
}

fn input(from: Option<&Path>, limits: &mi_config::ExtractSettings) -> Result<Input, NoPlan> {
    let Some(from) = from else { return Ok(Input::Nothing) };
    let known = fs::metadata(from).map_err(|error| {
        Failure::usage(format!("read {}", from.display()))
            .because(&error)
            .todo("give a folder or a reply with --from")
    })?;
    if known.is_dir() {
        return Ok(Input::Folder(from.to_owned()));
    }
    let mut reply = Vec::new();
    File::open(from)
        .and_then(|file| file.take(REPLY_BYTES + 1).read_to_end(&mut reply))
        .map_err(|error| Failure::new(format!("read the reply {}", from.display())).because(&error))?;
    from_reply(&reply, limits)
}

/// The files of a reply; all of them or, with every reason, none.
pub fn from_reply(reply: &[u8], limits: &mi_config::ExtractSettings) -> Result<Input, NoPlan> {
    let limits = mi_extract::Limits { file_bytes: limits.max_file_bytes, files: limits.max_files };
    let found = mi_extract::extract(reply, &limits, &mi_extract::NoFolder);
    if !found.may_write() {
        let bad = found.refused.iter().filter(|refusal| refusal.reason != mi_extract::Reason::NoName);
        let denial = |refusal: &mi_extract::Refusal| {
            let reason = format!("{} ({})", refusal.reason.explained(), refusal.reason.as_str());
            Denial::new("O.extract", format!("reply line {}", refusal.line), reason)
        };
        return Err(NoPlan::Denied(bad.take(100).map(denial).collect()));
    }
    if found.files.is_empty() {
        let reason = "task_analysis: the reply holds no files; it is to be read";
        return Err(NoPlan::Denied(vec![Denial::new("O.extract", "reply", reason)]));
    }
    let files = found.files.into_iter().map(|file| InputFile {
        path: file.path,
        content: file.content.into_owned().into_bytes(),
        executable: file.executable == Some(true),
    });
    Ok(Input::Files(files.collect()))
}

/// What `box.toolchains` names; `auto` stands for what is found on this machine (X19).
pub fn toolchains(app: &App, settings: &BoxSettings) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for word in &settings.toolchains {
        match word.as_str() {
            "auto" => found.extend(own_toolchains(app)),
            path => found.push(PathBuf::from(path)),
        }
    }
    found.retain(|path| path.is_absolute() && path.is_dir() && !path.starts_with("/usr"));
    found.sort();
    found.dedup();
    found
}

/// Rustup's default toolchain, and the folders that `node` and `python3` run from.
fn own_toolchains(app: &App) -> Vec<PathBuf> {
    let home = app.variable("HOME").map(PathBuf::from).unwrap_or_default();
    let rustup = app.variable("RUSTUP_HOME").map_or_else(|| home.join(".rustup"), PathBuf::from);
    let settings = fs::read_to_string(rustup.join("settings.toml")).unwrap_or_default();
    let name = settings.lines().find_map(|line| line.strip_prefix("default_toolchain = "));
    let rust = name.map(|name| rustup.join("toolchains").join(name.trim_matches('"')));
    let path = app.variable("PATH").unwrap_or_default();
    let prefix = |program: &str| {
        let real = fs::canonicalize(find_program(OsStr::new(program), OsStr::new(path))?).ok()?;
        Some(real.parent()?.parent()?.to_owned())
    };
    rust.into_iter().chain(prefix("node")).chain(prefix("python3")).collect()
}
