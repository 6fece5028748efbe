//! The settings as commands see them: typed, and complete. `None` means that the person has not set it and
//! that there is nothing to assume.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::Duration;

use crate::Shown;
use crate::choices::{
    BoxEngine, CounterCheck, Locale, MakeService, MindProvider, OpenaiWire, ProveEngine, Sandbox,
};
use crate::value::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub locale: Locale,
    pub hands: HandsSettings,
    pub mind: MindSettings,
    pub budget: BudgetSettings,
    pub proof: ProofSettings,
    pub council: CouncilSettings,
    pub kaching: KachingSettings,
    pub extract: ExtractSettings,
    pub gate: GateSettings,
    pub r#box: BoxSettings,
    /// Where outputs may be handed to.
    pub sinks_allow: Vec<String>,
    pub make: MakeSettings,
    pub notify: NotifySettings,
    pub memory: MemorySettings,
    pub workspace: WorkspaceSettings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandsSettings {
    /// What `--hands` takes: `codex`, `replay:DIR`, `exec:CMD`.
    pub default: String,
    pub idle_timeout: Duration,
    pub total_timeout: Duration,
    pub codex: CodexHandsSettings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexHandsSettings {
    pub program: Option<String>,
    pub model: Option<String>,
    pub sandbox: Sandbox,
    pub extra_args: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MindSettings {
    pub provider: MindProvider,
    pub timeout: Duration,
    pub evidence_budget_bytes: u64,
    pub openai: OpenaiSettings,
    pub anthropic: AnthropicSettings,
    pub codex: CodexMindSettings,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenaiSettings {
    pub base_url: String,
    pub model: Option<String>,
    pub wire: OpenaiWire,
    pub key_command: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnthropicSettings {
    pub base_url: String,
    pub model: Option<String>,
    pub key_command: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexMindSettings {
    pub model: Option<String>,
}

/// What a run may use up. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetSettings {
    pub max_batches: Option<NonZeroU64>,
    pub max_minutes: Option<NonZeroU64>,
    pub max_tokens: Option<NonZeroU64>,
    pub max_cents: Option<NonZeroU64>,
    /// Cents for a million tokens.
    pub input_cents: u64,
    pub output_cents: u64,
}

/// How a change is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofSettings {
    pub counter_check: CounterCheck,
    pub engine: ProveEngine,
    /// How long `mi prove` looks.
    pub budget: Duration,
}

/// What a check in the box may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxLimits {
    pub memory_bytes: u64,
    /// `None` is all of them.
    pub cpus: Option<NonZeroU64>,
    pub pids: u64,
    pub time: Duration,
}

/// What a proposal needs to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CouncilSettings {
    pub reviewers: u64,
    pub domain: u64,
    pub quality: u64,
    pub greens: u64,
    pub beats: u64,
    /// How long an agent that reviews has for one try.
    pub reviewer_timeout: Duration,
    /// A person and other names of theirs.
    pub aliases: BTreeMap<String, Vec<String>>,
}

/// Licences that a delivery may carry besides the permissive ones, and those that it may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KachingSettings {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

/// How much is taken out of one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractSettings {
    pub max_file_bytes: usize,
    pub max_files: usize,
}

/// What the gate asks for before a rule becomes milder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateSettings {
    /// Recorded safe uses that a prompt needs before `mi permit` makes it an allow.
    pub safe_uses: u32,
}

/// How runs in the box may differ from the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxSettings {
    /// Variables that a run may have besides the eight of the example.
    pub env_allow: Vec<String>,
    pub engine: BoxEngine,
    /// Absolute folders, or `auto`.
    pub toolchains: Vec<String>,
    pub max_output_bytes: u64,
    pub max_data_bytes: u64,
    pub temp_bytes: u64,
    /// What a check that `mi` runs for a proof may use up.
    pub limits: BoxLimits,
    /// A file of advisories that images are held against.
    pub advisories: Option<String>,
    /// Whom manifests are encrypted to.
    pub age_recipients: Vec<String>,
    /// The image of each environment that has one.
    pub images: Vec<(&'static str, String)>,
}

impl BoxSettings {
    /// The image of an environment; that of `base` where it has none of its own.
    pub fn image(&self, language: &str) -> Option<&str> {
        let of = |name: &str| {
            self.images.iter().find(|(known, _)| *known == name).map(|(_, image)| image.as_str())
        };
        of(language).or_else(|| of("base"))
    }
}

/// Who writes files for `mi make`, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MakeSettings {
    pub service: MakeService,
    pub model: Option<String>,
    /// `role=SERVICE:model` or `role=model`.
    pub roles: Vec<String>,
    pub ollama_base_url: String,
    pub role: String,
    pub rounds: u32,
    pub timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifySettings {
    pub command: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySettings {
    /// Prefixes of note names besides the contract's three.
    pub categories: Vec<String>,
    pub gc: MemoryGcSettings,
}

/// When notes are deleted without a person. 0 is a signal that is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryGcSettings {
    pub automatic: bool,
    pub age_days: u64,
    pub cycles_since_read: u64,
    pub reads_below: u64,
}

impl MemoryGcSettings {
    /// Whether the signals are all there; some of them, or none with the switch on, are refused when loaded.
    pub(crate) fn is_sound(&self) -> bool {
        let used = [self.age_days, self.cycles_since_read, self.reads_below];
        match used.iter().filter(|signal| **signal > 0).count() {
            3 => true,
            0 => !self.automatic,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkspaceSettings {
    pub gates: WorkspaceGates,
}

/// What the lifecycle hooks block, if a project wants it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkspaceGates {
    pub edit_without_tasks: bool,
    pub shell_edits: bool,
    pub stop_with_pending: bool,
}

impl Settings {
    pub(crate) fn from_shown(shown: &[Shown]) -> Self {
        let values = Values(shown);
        Self {
            locale: values.choice("locale", Locale::from_word),
            hands: HandsSettings {
                default: values.text("hands.default"),
                idle_timeout: values.duration("hands.idle_timeout"),
                total_timeout: values.duration("hands.total_timeout"),
                codex: CodexHandsSettings {
                    program: values.set("hands.codex.program"),
                    model: values.set("hands.codex.model"),
                    sandbox: values.choice("hands.codex.sandbox", Sandbox::from_word),
                    extra_args: values.words("hands.codex.extra_args"),
                },
            },
            mind: mind(&values),
            budget: BudgetSettings {
                max_batches: values.limit("budget.max_batches"),
                max_minutes: values.limit("budget.max_minutes"),
                max_tokens: values.limit("budget.max_tokens"),
                max_cents: values.limit("budget.max_cents"),
                input_cents: values.number("budget.input_cents"),
                output_cents: values.number("budget.output_cents"),
            },
            proof: ProofSettings {
                counter_check: values.choice("proof.counter_check", CounterCheck::from_word),
                engine: values.choice("prove.engine", ProveEngine::from_word),
                budget: values.duration("prove.budget"),
            },
            council: CouncilSettings {
                reviewers: values.number("council.reviewers"),
                domain: values.number("council.domain"),
                quality: values.number("council.quality"),
                greens: values.number("council.greens"),
                beats: values.number("council.beats"),
                reviewer_timeout: values.duration("council.reviewer_timeout"),
                aliases: BTreeMap::new(),
            },
            kaching: KachingSettings {
                allow: values.words("kaching.allow"),
                deny: values.words("kaching.deny"),
            },
            extract: ExtractSettings {
                max_file_bytes: values.size("extract.max_file_bytes"),
                max_files: values.size("extract.max_files"),
            },
            gate: GateSettings {
                safe_uses: u32::try_from(values.number("gate.safe_uses")).unwrap_or(u32::MAX),
            },
            r#box: boxed(&values),
            sinks_allow: values.words("sinks.allow"),
            make: MakeSettings {
                service: values.choice("make.service", MakeService::from_word),
                model: values.set("make.model"),
                roles: values.words("make.roles"),
                ollama_base_url: values.text("make.ollama_base_url"),
                role: values.text("make.role"),
                rounds: u32::try_from(values.number("make.rounds")).unwrap_or(1),
                timeout: values.duration("make.timeout"),
            },
            notify: NotifySettings { command: values.set("notify.command") },
            memory: MemorySettings {
                categories: values.words("memory.categories"),
                gc: MemoryGcSettings {
                    automatic: values.switch("memory.gc.automatic"),
                    age_days: values.number("memory.gc.age_days"),
                    cycles_since_read: values.number("memory.gc.cycles_since_read"),
                    reads_below: values.number("memory.gc.reads_below"),
                },
            },
            workspace: WorkspaceSettings {
                gates: WorkspaceGates {
                    edit_without_tasks: values.switch("workspace.gates.edit_without_tasks"),
                    shell_edits: values.switch("workspace.gates.shell_edits"),
                    stop_with_pending: values.switch("workspace.gates.stop_with_pending"),
                },
            },
        }
    }
}

fn boxed(values: &Values<'_>) -> BoxSettings {
    let languages = ["base", "rust", "go", "python", "node", "java", "cpp"];
    let image = |language: &'static str| Some((language, values.set(&format!("box.images.{language}"))?));
    BoxSettings {
        env_allow: values.words("box.env_allow"),
        engine: values.choice("box.engine", BoxEngine::from_word),
        toolchains: values.words("box.toolchains"),
        max_output_bytes: values.number("box.max_output_bytes"),
        max_data_bytes: values.number("box.max_data_bytes"),
        temp_bytes: values.number("box.temp_bytes"),
        limits: BoxLimits {
            memory_bytes: values.number("box.limits.memory"),
            cpus: values.limit("box.limits.cpus"),
            pids: values.number("box.limits.pids"),
            time: values.duration("box.limits.time"),
        },
        advisories: values.set("box.advisories"),
        age_recipients: values.words("box.age_recipients"),
        images: languages.into_iter().filter_map(image).collect(),
    }
}

fn mind(values: &Values<'_>) -> MindSettings {
    MindSettings {
        provider: values.choice("mind.provider", MindProvider::from_word),
        timeout: values.duration("mind.timeout"),
        evidence_budget_bytes: values.number("mind.evidence_budget_bytes"),
        openai: OpenaiSettings {
            base_url: values.text("mind.openai.base_url"),
            model: values.set("mind.openai.model"),
            wire: values.choice("mind.openai.wire", OpenaiWire::from_word),
            key_command: values.set("mind.openai.key_command"),
        },
        anthropic: AnthropicSettings {
            base_url: values.text("mind.anthropic.base_url"),
            model: values.set("mind.anthropic.model"),
            key_command: values.set("mind.anthropic.key_command"),
        },
        codex: CodexMindSettings { model: values.set("mind.codex.model") },
    }
}

/// The values by key. A value only enters the list after its key's kind accepted it, so asking for another
/// kind, or for a key that is not in the table, is a mistake in this file that every test would hit.
struct Values<'a>(&'a [Shown]);

impl Values<'_> {
    fn value(&self, key: &str) -> &Value {
        let found = self.0.iter().find(|shown| shown.key == key);
        &found.expect("this file asks only for keys of the table").value
    }

    fn text(&self, key: &str) -> String {
        match self.value(key) {
            Value::Text(text) => text.clone(),
            other => unreachable!("{key} is a text in the table, not {other}"),
        }
    }

    /// An empty text is "not set".
    fn set(&self, key: &str) -> Option<String> {
        Some(self.text(key)).filter(|text| !text.is_empty())
    }

    fn choice<T>(&self, key: &str, from_word: impl Fn(&str) -> Option<T>) -> T {
        from_word(&self.text(key)).expect("the table offers the words of this very type")
    }

    fn duration(&self, key: &str) -> Duration {
        match self.value(key) {
            Value::Duration(duration) => *duration,
            other => unreachable!("{key} is a duration in the table, not {other}"),
        }
    }

    fn number(&self, key: &str) -> u64 {
        match self.value(key) {
            Value::Number(number) => *number,
            other => unreachable!("{key} is a number in the table, not {other}"),
        }
    }

    /// A number of things in memory; more than fits is as many as fit.
    fn size(&self, key: &str) -> usize {
        usize::try_from(self.number(key)).unwrap_or(usize::MAX)
    }

    /// 0 is "no limit".
    fn limit(&self, key: &str) -> Option<NonZeroU64> {
        NonZeroU64::new(self.number(key))
    }

    fn switch(&self, key: &str) -> bool {
        match self.value(key) {
            Value::Switch(on) => *on,
            other => unreachable!("{key} is a switch in the table, not {other}"),
        }
    }

    fn words(&self, key: &str) -> Vec<String> {
        match self.value(key) {
            Value::Words(words) => words.clone(),
            other => unreachable!("{key} is a list in the table, not {other}"),
        }
    }
}
