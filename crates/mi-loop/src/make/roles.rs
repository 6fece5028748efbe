//! Roles and the models behind them.

/// A service that answers for a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    Openai,
    Ollama,
    Anthropic,
}

impl Service {
    /// The words of settings.
    pub const WORDS: [&'static str; 3] = ["openai", "ollama", "anthropic"];

    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "openai" => Some(Self::Openai),
            "ollama" => Some(Self::Ollama),
            "anthropic" => Some(Self::Anthropic),
            _ => None,
        }
    }
}

/// Who is asked for a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    pub service: Service,
    /// None: the model that is configured for the service.
    pub model: Option<String>,
}

/// The mapping from roles to models, with what holds for every other role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleModels {
    default: ModelChoice,
    roles: Vec<(String, ModelChoice)>,
}

impl RoleModels {
    /// `entries` are `role=service:model`, `role=model` (the default service) or `role=service:` (its own model).
    /// What stands before a colon and is no service belongs to the model's name, as in `coder=qwen3:8b`. An entry
    /// without a role or a value is given back: it means nothing.
    pub fn new(default: ModelChoice, entries: &[String]) -> Result<Self, String> {
        let mut roles = Vec::new();
        for entry in entries {
            let (role, value) = entry.split_once('=').ok_or_else(|| entry.clone())?;
            let (role, value) = (role.trim(), value.trim());
            if role.is_empty() || value.is_empty() {
                return Err(entry.clone());
            }
            let named = value
                .split_once(':')
                .and_then(|(service, model)| Some((Service::from_word(service)?, model.trim())));
            let (service, model) = named.unwrap_or((default.service, value));
            let model = Some(model.to_owned()).filter(|model| !model.is_empty());
            roles.push((role.to_lowercase(), ModelChoice { service, model }));
        }
        Ok(Self { default, roles })
    }

    /// The model of a role; a role that nobody configured has the default's.
    pub fn model_of(&self, role: &str) -> &ModelChoice {
        let role = role.trim().to_lowercase();
        self.roles.iter().rev().find(|(name, _)| *name == role).map_or(&self.default, |(_, choice)| choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(service: Service, model: &str) -> ModelChoice {
        ModelChoice { service, model: Some(model.to_owned()).filter(|model| !model.is_empty()) }
    }

    /// O: every role has a provider: its own, or the default's.
    #[test]
    fn o_a_role_never_ends_without_a_provider() {
        let entries = ["Coder=ollama:qwen3:8b", "tester=qwen3:8b", "architect=anthropic:", "tester = small"];
        let roles = RoleModels::new(choice(Service::Openai, "base"), &entries.map(str::to_owned)).unwrap();
        let cases = [
            ("coder", choice(Service::Ollama, "qwen3:8b")),
            ("CODER ", choice(Service::Ollama, "qwen3:8b")),
            ("tester", choice(Service::Openai, "small")),
            ("architect", choice(Service::Anthropic, "")),
            ("nobody", choice(Service::Openai, "base")),
            ("", choice(Service::Openai, "base")),
        ];
        for (role, expected) in cases {
            assert_eq!(*roles.model_of(role), expected, "{role}");
        }
        let tagged =
            RoleModels::new(choice(Service::Openai, "base"), &["coder=qwen3:8b".to_owned()]).unwrap();
        assert_eq!(*tagged.model_of("coder"), choice(Service::Openai, "qwen3:8b"));
    }

    /// An entry that says nothing is named.
    #[test]
    fn o_broken_entries_are_named() {
        for entry in ["coder", "=model", "coder=", " = "] {
            let read = RoleModels::new(choice(Service::Openai, ""), &[entry.to_owned()]);
            assert_eq!(read, Err(entry.to_owned()));
        }
    }
}
