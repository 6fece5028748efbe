//! Files whose change reaches further than the project's code.

use mi_formats::ChangeKind;
use mi_model::{RiskCategory, Severity};

use super::RiskSignal;

/// What a path has to be like, and what a change of it means.
struct Sensitive {
    /// Compared with the path's components, with `*` at an end standing for anything.
    pattern: &'static str,
    category: RiskCategory,
    severity: Severity,
    why: &'static str,
}

const SENSITIVE: &[Sensitive] = &[
    Sensitive {
        pattern: ".env",
        category: RiskCategory::Privacy,
        severity: Severity::Medium,
        why: "holds secrets",
    },
    Sensitive {
        pattern: ".env.*",
        category: RiskCategory::Privacy,
        severity: Severity::Medium,
        why: "holds secrets",
    },
    Sensitive {
        pattern: ".ssh",
        category: RiskCategory::Privacy,
        severity: Severity::High,
        why: "holds keys to other machines",
    },
    Sensitive {
        pattern: ".aws",
        category: RiskCategory::Privacy,
        severity: Severity::High,
        why: "holds keys to other machines",
    },
    Sensitive {
        pattern: ".gnupg",
        category: RiskCategory::Privacy,
        severity: Severity::High,
        why: "holds private keys",
    },
    Sensitive {
        pattern: ".netrc",
        category: RiskCategory::Privacy,
        severity: Severity::High,
        why: "holds passwords",
    },
    Sensitive {
        pattern: ".npmrc",
        category: RiskCategory::Privacy,
        severity: Severity::Medium,
        why: "may hold a token and decides where packages come from",
    },
    Sensitive {
        pattern: ".pypirc",
        category: RiskCategory::Privacy,
        severity: Severity::Medium,
        why: "may hold a token",
    },
    Sensitive {
        pattern: "id_rsa*",
        category: RiskCategory::Privacy,
        severity: Severity::High,
        why: "is a private key",
    },
    Sensitive {
        pattern: "id_ed25519*",
        category: RiskCategory::Privacy,
        severity: Severity::High,
        why: "is a private key",
    },
    Sensitive {
        pattern: "*.pem",
        category: RiskCategory::Privacy,
        severity: Severity::Medium,
        why: "may be a private key",
    },
    Sensitive {
        pattern: ".git/hooks",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "runs on the person's machine at the next git command",
    },
    Sensitive {
        pattern: ".git/config",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "can make git run other programs",
    },
    Sensitive {
        pattern: ".github/workflows",
        category: RiskCategory::Other,
        severity: Severity::Medium,
        why: "runs with the project's credentials",
    },
    Sensitive {
        pattern: ".gitlab-ci.yml",
        category: RiskCategory::Other,
        severity: Severity::Medium,
        why: "runs with the project's credentials",
    },
    Sensitive {
        pattern: ".circleci",
        category: RiskCategory::Other,
        severity: Severity::Medium,
        why: "runs with the project's credentials",
    },
    Sensitive {
        pattern: "Jenkinsfile",
        category: RiskCategory::Other,
        severity: Severity::Medium,
        why: "runs with the project's credentials",
    },
    Sensitive {
        pattern: "azure-pipelines.yml",
        category: RiskCategory::Other,
        severity: Severity::Medium,
        why: "runs with the project's credentials",
    },
    Sensitive {
        pattern: ".bashrc",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "runs at every shell start",
    },
    Sensitive {
        pattern: ".zshrc",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "runs at every shell start",
    },
    Sensitive {
        pattern: ".profile",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "runs at every login",
    },
    Sensitive {
        pattern: ".bash_profile",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "runs at every login",
    },
    Sensitive {
        pattern: "crontab",
        category: RiskCategory::Other,
        severity: Severity::High,
        why: "runs by itself",
    },
];

/// Examples hold no secrets.
const HARMLESS: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.test"];

/// The signal of a changed file, if its path is one that reaches further.
pub(super) fn signal(path: &str, kind: ChangeKind) -> Option<RiskSignal> {
    let path = path.replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or_default();
    if HARMLESS.contains(&name) {
        return None;
    }
    let known = SENSITIVE.iter().find(|sensitive| matches(sensitive.pattern, &path))?;
    let change = match kind {
        ChangeKind::Add => "added",
        ChangeKind::Update => "changed",
        ChangeKind::Delete => "deleted",
    };
    Some(RiskSignal {
        category: known.category,
        severity: known.severity,
        detail: format!("{change} {path}"),
        why: format!("this file {}", known.why),
        external: false,
    })
}

/// Whether the pattern's components stand side by side somewhere in the path.
fn matches(pattern: &str, path: &str) -> bool {
    let wanted: Vec<&str> = pattern.split('/').collect();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts
        .windows(wanted.len())
        .any(|window| window.iter().zip(&wanted).all(|(part, wanted)| component(wanted, part)))
}

fn component(wanted: &str, part: &str) -> bool {
    match (wanted.strip_prefix('*'), wanted.strip_suffix('*')) {
        (Some(end), _) => part.ends_with(end),
        (None, Some(start)) => {
            part.starts_with(start) && part.len() > start.len() || part == start.trim_end_matches('.')
        }
        (None, None) => part == wanted,
    }
}
