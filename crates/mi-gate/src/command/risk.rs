//! What could go wrong outside the project if a script ran, as findings a person can judge.
//!
//! Plain cases are rows of data ([`rows`]), each with commands it must and must not match; what depends on paths,
//! pipelines or bodies of other languages is a small function each. Text that is only data gives no finding.

use mi_model::{RiskCategory, Severity};

use super::types::{Analysis, SimpleCommand};

mod bodies;
mod containers;
mod deletion;
mod environment;
mod loopback;
mod network;
pub(crate) mod paths;
mod pipes;
pub(crate) mod rows;
mod scaffold;

/// One thing that could go wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskFinding {
    pub category: RiskCategory,
    pub severity: Severity,
    /// The command on one line, clipped.
    pub command: String,
    /// Where the command, and each that reads the same, is among those of the analysis.
    pub places: Vec<usize>,
    pub why: String,
    /// The effect leaves this machine.
    pub external: bool,
}

/// Longest command text in a finding, in bytes.
const MAX_COMMAND_BYTES: usize = 200;

/// Everything in `analysis` that a person may want to hear about, worst first.
pub fn risk(analysis: &Analysis) -> Vec<RiskFinding> {
    let mut findings = Findings::default();
    for (index, command) in analysis.commands.iter().enumerate() {
        findings.place = index;
        findings.stays_here = loopback::stays_here(command);
        rows::find(command, &mut findings);
        deletion::find(analysis, command, &mut findings);
        network::find(command, &mut findings);
        paths::find(command, &mut findings);
        bodies::find(command, &mut findings);
        containers::find(command, &mut findings);
        environment::find(analysis, command, &mut findings);
        scaffold::find(command, &mut findings);
        pipes::find(analysis, index, &mut findings);
    }
    findings.worst_first()
}

/// Collects findings, the worst per category and command.
#[derive(Default)]
struct Findings {
    found: Vec<RiskFinding>,
    /// Where the command that is looked at is among all.
    place: usize,
    /// The command that is looked at talks to this machine alone.
    stays_here: bool,
}

impl Findings {
    fn add(
        &mut self,
        command: &SimpleCommand,
        category: RiskCategory,
        severity: Severity,
        external: bool,
        why: impl Into<String>,
    ) {
        if self.stays_here && category == RiskCategory::Network {
            return;
        }
        // A little more than is kept, so that it is seen that something was left out.
        let mut text = command.display_within(MAX_COMMAND_BYTES + 4);
        if text.is_empty() {
            // As many redirections as fit; each takes two bytes at least.
            let shown = command.redirects.iter().take(MAX_COMMAND_BYTES);
            text = shown.map(|redirect| format!("> {}", redirect.target.text)).collect();
        }
        if text.len() > MAX_COMMAND_BYTES {
            text.truncate(text.floor_char_boundary(MAX_COMMAND_BYTES));
            text.push('…');
        }
        let places = vec![self.place];
        let finding = RiskFinding { category, severity, command: text, places, why: why.into(), external };
        match self
            .found
            .iter_mut()
            .find(|known| known.category == category && known.command == finding.command)
        {
            Some(known) => {
                let (is_external, mut places) =
                    (known.external || external, std::mem::take(&mut known.places));
                if !places.contains(&self.place) {
                    places.push(self.place);
                }
                if known.severity < severity {
                    *known = finding;
                }
                (known.external, known.places) = (is_external, places);
            }
            None => self.found.push(finding),
        }
    }

    fn worst_first(mut self) -> Vec<RiskFinding> {
        // What is known by name comes before the rest: `sudo apt-get install` is an installation.
        let is_other = |finding: &RiskFinding| finding.category == RiskCategory::Other;
        self.found.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), is_other(finding)));
        self.found
    }
}

/// The program and arguments that count: `python -m pip install x` is `pip install x`.
fn effective(command: &SimpleCommand) -> (&str, Vec<&str>) {
    let args: Vec<&str> = command.arg_texts().collect();
    let program = command.program.as_str();
    let versionless = program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    match (versionless, args.as_slice()) {
        ("python" | "pypy", ["-m", module, rest @ ..]) => (module, rest.to_vec()),
        ("pip", _) => ("pip", args),
        _ => (program.strip_suffix(".exe").unwrap_or(program), args),
    }
}
