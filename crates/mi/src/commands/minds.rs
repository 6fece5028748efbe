//! Which mind thinks: from settings and environment to a provider.

use mi_config::{MakeService, MindProvider, OpenaiWire, Settings};
use mi_loop::{
    make::{ModelChoice, RoleModels, Service},
    setup::MindMode,
};
use mi_mind::{
    AgentRun, AgentRunner, AgentSettings, HttpSettings, Mind, MindSettings, Provider, RunOutput, SecretText,
    Surroundings, Wire,
};
use mi_process::{Environment, ExitStatus, Limits, RunEnd, SpawnSpec, Spawner, Stdin, run_to_end};
use std::{path::PathBuf, time::Duration};

use crate::{app::App, commands::launch, failure::Failure};

/// The most output of one mind run that is kept.
const MOST_OUTPUT_BYTES: usize = 8 * 1024 * 1024;

/// The mind that the settings ask for, and in which order it thinks.
pub fn mind(app: &App, settings: &Settings, spawner: &Spawner) -> Result<(MindMode, Option<Mind>), Failure> {
    let provider = match settings.mind.provider {
        MindProvider::Rules => return Ok((MindMode::RulesOnly, None)),
        MindProvider::Auto => match configured(app, settings, spawner)? {
            None => return Ok((MindMode::RulesOnly, None)),
            Some(provider) => {
                return Ok((MindMode::RulesFirst, Some(make(app, settings, provider, spawner))));
            }
        },
        MindProvider::Openai => openai(app, settings, spawner)?.ok_or_else(|| {
            Failure::usage("the mind `openai` has no model")
                .todo("set OPENAI_MODEL (and OPENAI_API_KEY), or mind.openai.model")
        })?,
        MindProvider::Anthropic => anthropic(app, settings, spawner)?.ok_or_else(|| {
            Failure::usage("the mind `anthropic` has no model")
                .todo("set ANTHROPIC_MODEL (and ANTHROPIC_API_KEY), or mind.anthropic.model")
        })?,
        MindProvider::Codex => codex(app, settings)?,
    };
    Ok((MindMode::ModelFirst, Some(make(app, settings, provider, spawner))))
}

/// The model that `auto` falls back on; none unless the person named one.
fn configured(app: &App, settings: &Settings, spawner: &Spawner) -> Result<Option<Provider>, Failure> {
    if let Some(provider) = openai(app, settings, spawner)? {
        return Ok(Some(provider));
    }
    if let Some(provider) = anthropic(app, settings, spawner)? {
        return Ok(Some(provider));
    }
    if settings.mind.codex.model.is_some() {
        return codex(app, settings).map(Some);
    }
    Ok(None)
}

fn openai(app: &App, settings: &Settings, spawner: &Spawner) -> Result<Option<Provider>, Failure> {
    let openai = &settings.mind.openai;
    let Some(model) = &openai.model else { return Ok(None) };
    let key = key(app, "OPENAI_API_KEY", openai.key_command.as_deref(), spawner)?;
    let http = HttpSettings { key, ..HttpSettings::new(&openai.base_url, model) };
    let wire = match openai.wire {
        OpenaiWire::Chat => Wire::Chat,
        OpenaiWire::Responses => Wire::Responses,
    };
    Ok(Some(Provider::OpenAi { http, wire }))
}

fn anthropic(app: &App, settings: &Settings, spawner: &Spawner) -> Result<Option<Provider>, Failure> {
    let anthropic = &settings.mind.anthropic;
    let Some(model) = &anthropic.model else { return Ok(None) };
    let key = key(app, "ANTHROPIC_API_KEY", anthropic.key_command.as_deref(), spawner)?;
    let http = HttpSettings { key, ..HttpSettings::new(&anthropic.base_url, model) };
    Ok(Some(Provider::Anthropic { http, max_output_tokens: 4096 }))
}

fn codex(app: &App, settings: &Settings) -> Result<Provider, Failure> {
    let program = mi_hands::find_native(&launch::codex_program(app, settings));
    let working_dir = app.home.join("mind-work");
    std::fs::create_dir_all(&working_dir)
        .map_err(|error| Failure::new(format!("create {}", working_dir.display())).because(&error))?;
    let agent = AgentSettings {
        program: program.to_string_lossy().into_owned(),
        model: settings.mind.codex.model.clone(),
        extra_args: Vec::new(),
        working_dir,
    };
    Ok(Provider::Codex { agent })
}

fn key(
    app: &App,
    variable: &str,
    command: Option<&str>,
    spawner: &Spawner,
) -> Result<Option<SecretText>, Failure> {
    let Some(command) = command else { return Ok(app.variable(variable).map(SecretText::new)) };
    // Programs are started from elsewhere, so the folder is named in full.
    let folder = std::path::absolute(app.folder())
        .map_err(|error| Failure::new("find the folder of the key command").because(&error))?;
    let spec = shell(command, folder);
    let limits = Limits { timeout: Duration::from_secs(20), max_output_bytes: 64 * 1024 };
    let output = run_to_end(spawner, &spec, limits, None)
        .map_err(|error| Failure::new("run the key command").because(&error))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.end.is_success() || text.is_empty() {
        return Err(Failure::needs_person(format!("the key command `{command}` gave no key"))
            .todo("run it by hand, or set the key in the environment"));
    }
    Ok(Some(SecretText::new(text)))
}

fn make(app: &App, settings: &Settings, provider: Provider, spawner: &Spawner) -> Mind {
    let limits = MindSettings {
        timeout: settings.mind.timeout,
        evidence_bytes: usize::try_from(settings.mind.evidence_budget_bytes).unwrap_or(usize::MAX),
        ..MindSettings::new(provider)
    };
    let clock = app.clock;
    let surroundings = Surroundings {
        redact: Box::new(|text| mi_secrets::redact(text).into_owned()),
        now_ms: Box::new(move || u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX)),
        pause: Box::new(|duration| {
            std::thread::sleep(duration);
            true
        }),
        runner: Some(Box::new(Runner { spawner: spawner.clone() })),
    };
    Mind::new(limits, surroundings)
}

/// The mind that writes files for a role; a role that nobody configured has the default's.
pub fn for_role(app: &App, settings: &Settings, role: &str, spawner: &Spawner) -> Result<Mind, Failure> {
    let make_settings = &settings.make;
    let default = match make_settings.service {
        MakeService::Auto if settings.mind.openai.model.is_some() => Service::Openai,
        MakeService::Auto if settings.mind.anthropic.model.is_some() => Service::Anthropic,
        MakeService::Auto | MakeService::Ollama => Service::Ollama,
        MakeService::Openai => Service::Openai,
        MakeService::Anthropic => Service::Anthropic,
    };
    let default = ModelChoice { service: default, model: make_settings.model.clone() };
    let roles = RoleModels::new(default, &make_settings.roles).map_err(|entry| {
        Failure::usage(format!("make.roles has an entry `{entry}` that names no role and model"))
            .todo("write role=model, or role=SERVICE:model with openai, ollama or anthropic")
    })?;
    let choice = roles.model_of(role);
    let mut settings = settings.clone();
    let (own, variable) = match choice.service {
        Service::Openai => (&mut settings.mind.openai.model, "OPENAI_MODEL"),
        Service::Anthropic => (&mut settings.mind.anthropic.model, "ANTHROPIC_MODEL"),
        Service::Ollama => (&mut settings.make.model, "make.model"),
    };
    *own = choice.model.clone().or(own.take());
    let provider = match choice.service {
        Service::Openai => openai(app, &settings, spawner)?,
        Service::Anthropic => anthropic(app, &settings, spawner)?,
        Service::Ollama => settings.make.model.as_ref().map(|model| Provider::OpenAi {
            http: HttpSettings::new(&settings.make.ollama_base_url, model),
            wire: Wire::Chat,
        }),
    };
    let provider = provider.ok_or_else(|| {
        Failure::usage(format!("the role `{role}` has no model")).todo(format!(
            "set {variable}, or make.service and make.model, or make.roles = [\"{role}=SERVICE:model\"]"
        ))
    })?;
    settings.mind.timeout = settings.make.timeout;
    Ok(make(app, &settings, provider, spawner))
}

/// Runs agent programs for the mind, supervised like everything else.
struct Runner {
    spawner: Spawner,
}

impl AgentRunner for Runner {
    fn run(&self, run: &AgentRun<'_>) -> Result<RunOutput, String> {
        let spec = SpawnSpec {
            program: run.program.into(),
            args: run.args.iter().map(Into::into).collect(),
            cwd: run.working_dir.to_owned(),
            environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
            stdin: Stdin::Bytes(run.stdin.as_bytes().to_vec()),
        };
        let limits = Limits { timeout: run.timeout, max_output_bytes: MOST_OUTPUT_BYTES };
        let output = run_to_end(&self.spawner, &spec, limits, None).map_err(|error| error.to_string())?;
        let lines =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<_>>();
        let stderr = lines(&output.stderr);
        Ok(RunOutput {
            stdout_lines: lines(&output.stdout),
            stderr_tail: stderr[stderr.len().saturating_sub(20)..].join("\n"),
            exit: match output.end {
                RunEnd::Exited(ExitStatus::Code(code)) => Some(code),
                _ => None,
            },
            timed_out: output.end == RunEnd::TimedOut,
        })
    }
}

/// A command of the person's own configuration, run by the shell.
pub fn shell(command: &str, cwd: PathBuf) -> SpawnSpec {
    SpawnSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), command.into()],
        cwd,
        environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
        stdin: Stdin::Null,
    }
}
