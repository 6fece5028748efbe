//! The real Codex CLI, pointed at the scripted model and at nothing else.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use crate::fake_model::FakeModel;
use crate::installed::installed;
use crate::scratch::Scratch;

/// The model whose tools the scripted server knows best.
const MODEL: &str = "gpt-5.5";
/// Codex reads its key from this variable; any value will do.
const KEY_VARIABLE: &str = "FAKE_KEY";

/// An installed Codex.
#[derive(Debug, Clone)]
pub struct CodexInstall {
    /// What a person would call: npm's wrapper or a native program.
    pub program: PathBuf,
}

impl CodexInstall {
    /// The variable that makes `mi` use this Codex.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        vec![("MI_CODEX".into(), self.program.clone().into())]
    }
}

/// The Codex that `dev/setup` installed, else one on `PATH`, else a skip that is printed and counted:
/// `let Some(codex) = codex() else { return };`
pub fn codex() -> Option<CodexInstall> {
    installed("codex").map(|program| CodexInstall { program })
}

/// A `CODEX_HOME` whose only provider is the scripted model: no account, no telemetry, no retries.
///
/// Holds: `CODEX_HOME` is not below `TMPDIR`, where Codex refuses to set up its sandbox.
#[derive(Debug)]
pub struct CodexHome {
    scratch: Scratch,
}

impl CodexHome {
    pub fn new(model: &FakeModel) -> Self {
        let scratch = Scratch::new("codex");
        scratch.write("home/config.toml", configuration(&model.openai_url()));
        fs::create_dir(scratch.path().join("tmp")).expect("make a folder in a fresh directory");
        Self { scratch }
    }

    /// What `CODEX_HOME` is set to.
    pub fn path(&self) -> PathBuf {
        self.scratch.path().join("home")
    }

    /// Registers an MCP server whose tools may be called without asking; without it Codex does not start.
    pub fn add_mcp_server(&self, name: &str, program: &str) {
        let table = format!(
            "\n[mcp_servers.{name}]\ncommand = \"{program}\"\nargs = [\"mcp\"]\nrequired = true\n\
             default_tools_approval_mode = \"approve\"\n"
        );
        let file = self.path().join("config.toml");
        let before = fs::read_to_string(&file).expect("read the configuration that was just written");
        fs::write(&file, before + &table).expect("write the configuration");
    }

    /// The variables a Codex process needs, over a sealed environment.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        vec![
            ("CODEX_HOME".into(), self.path().into()),
            ("TMPDIR".into(), self.scratch.path().join("tmp").into()),
            (KEY_VARIABLE.into(), "no-key".into()),
        ]
    }
}

fn configuration(base_url: &str) -> String {
    format!(
        r#"model = "{MODEL}"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "{base_url}"
wire_api = "responses"
env_key = "{KEY_VARIABLE}"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false

[tools.update_plan]
enabled = true
"#
    )
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::{TempHome, TempProject, scenario, sealed_environment};

    /// The real Codex works through a whole scripted turn in its sandbox and changes the project.
    #[test]
    fn real_codex_follows_the_script() {
        let Some(codex) = codex() else { return };
        let model = FakeModel::start(scenario("happy"));
        let (codex_home, home, project) = (CodexHome::new(&model), TempHome::new(), TempProject::no_tests());
        let output = Command::new(&codex.program)
            .args(["exec", "--json", "-s", "workspace-write", "--", "say hi"])
            .current_dir(project.path())
            .env_clear()
            .envs(sealed_environment(&home))
            .envs(codex_home.env())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.contains("turn.completed"), "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(project.read("hello.sh"), "echo hi from script\n");
        assert_eq!(model.model_requests().len(), 4);
    }
}
