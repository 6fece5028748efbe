//! The real `mi` program, driven as a person or a script would: fake and real agents, temp homes, real
//! repositories. Each module is one side of the product.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![expect(clippy::disallowed_methods, reason = "tests start programs of their own")]

#[path = "cli/admission.rs"]
mod admission;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/bearing.rs"]
mod bearing;
#[path = "cli/boxed.rs"]
mod boxed;
#[path = "cli/boxed_attacks.rs"]
mod boxed_attacks;
#[path = "cli/boxed_container.rs"]
mod boxed_container;
#[path = "cli/boxed_dockerd.rs"]
mod boxed_dockerd;
#[path = "cli/boxed_exceptions.rs"]
mod boxed_exceptions;
#[path = "cli/boxed_limits.rs"]
mod boxed_limits;
#[path = "cli/boxed_publish.rs"]
mod boxed_publish;
#[path = "cli/boxed_runs.rs"]
mod boxed_runs;
#[path = "cli/change_units.rs"]
mod change_units;
#[path = "cli/codex.rs"]
mod codex;
#[path = "cli/conformance.rs"]
mod conformance;
#[path = "cli/consult.rs"]
mod consult;
#[path = "cli/council.rs"]
mod council;
#[path = "cli/council_agents.rs"]
mod council_agents;
#[path = "cli/council_cadence.rs"]
mod council_cadence;
#[path = "cli/council_delivery.rs"]
mod council_delivery;
#[path = "cli/council_mcp.rs"]
mod council_mcp;
#[path = "cli/council_strict.rs"]
mod council_strict;
#[path = "cli/council_trace.rs"]
mod council_trace;
#[path = "cli/deploy.rs"]
mod deploy;
#[path = "cli/extract.rs"]
mod extract;
#[path = "cli/gate.rs"]
mod gate;
#[path = "cli/gate_agents.rs"]
mod gate_agents;
#[path = "cli/gate_contract.rs"]
mod gate_contract;
#[path = "cli/gate_home.rs"]
mod gate_home;
#[path = "cli/gate_hook.rs"]
mod gate_hook;
#[path = "cli/hook.rs"]
mod hook;
#[path = "cli/hook_contract.rs"]
mod hook_contract;
#[path = "cli/hook_tools.rs"]
mod hook_tools;
#[path = "cli/hooks_install.rs"]
mod hooks_install;
#[path = "cli/install.rs"]
mod install;
#[path = "cli/install_opencode.rs"]
mod install_opencode;
#[path = "cli/knobs.rs"]
mod knobs;
#[path = "cli/make.rs"]
mod make;
#[path = "cli/manifest.rs"]
mod manifest;
#[path = "cli/mcp.rs"]
mod mcp;
#[path = "cli/mcp_clients.rs"]
mod mcp_clients;
#[path = "cli/memory.rs"]
mod memory;
#[path = "cli/nexus_disk.rs"]
mod nexus_disk;
#[path = "cli/nexus_kills.rs"]
mod nexus_kills;
#[path = "cli/nexus_large.rs"]
mod nexus_large;
#[path = "cli/person.rs"]
mod person;
#[path = "cli/persona.rs"]
mod persona;
#[path = "cli/persona_hook.rs"]
mod persona_hook;
#[path = "cli/persona_links.rs"]
mod persona_links;
#[path = "cli/persona_rules.rs"]
mod persona_rules;
#[path = "cli/planning.rs"]
mod planning;
#[path = "cli/protocol.rs"]
mod protocol;
#[path = "cli/protocol_docs.rs"]
mod protocol_docs;
#[path = "cli/protocol_rules.rs"]
mod protocol_rules;
#[path = "cli/protocol_run.rs"]
mod protocol_run;
#[path = "cli/reading.rs"]
mod reading;
#[path = "cli/records.rs"]
mod records;
#[path = "cli/run.rs"]
mod run;
#[path = "cli/survival.rs"]
mod survival;
#[path = "cli/tuning.rs"]
mod tuning;
#[path = "cli/workspace.rs"]
mod workspace;

use mi_test_support::{Batch, FakeAgent, Mi, MiOutput, TempHome, TempProject};

/// A home, a project and an agent, ready to run.
struct Scene {
    home: TempHome,
    project: TempProject,
    agent: FakeAgent,
}

impl Scene {
    fn new(values: &str, project: TempProject, batches: Vec<Batch>) -> Self {
        Self { home: TempHome::with_values(values), project, agent: FakeAgent::new(batches) }
    }

    /// `mi` in the project's folder.
    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    /// `mi run --json --hands exec:… --mind rules TASK` with more arguments before the task.
    fn run(&self, more: &[&str], task: &str) -> MiOutput {
        self.mi().run(self.arguments(more, task))
    }

    fn arguments(&self, more: &[&str], task: &str) -> Vec<String> {
        let hands = self.agent.hands();
        let mut arguments = vec!["run", "--json", "--mind", "rules", "--hands", &hands];
        arguments.extend(more);
        arguments.push(task);
        arguments.into_iter().map(str::to_owned).collect()
    }
}

/// The fix that makes the Python project's test pass.
const FIXED: &str = "def add(a, b):\n    return a + b\n";
const CHECK: &str = "python3 -m unittest";

/// An agent that fixes the code and shows it.
fn fixes_and_tests() -> Batch {
    Batch::codex("t1")
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Fixed, all tests pass.")
        .turn_completed(100, 10)
}
