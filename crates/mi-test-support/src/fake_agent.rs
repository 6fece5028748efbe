//! A fake coding agent for `--hands exec:CMD`: a shell script that plays one [`Batch`] per call.
//!
//! Each call stores the prompt it got on standard input, plays the next batch (the last one again when all
//! are used up) and ends. A batch prints the stream, and can change the tree, break the stream or itself.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A script on disk and what it was asked.
#[derive(Debug)]
pub struct FakeAgent {
    scratch: Scratch,
}

impl FakeAgent {
    pub fn new(batches: Vec<Batch>) -> Self {
        assert!(!batches.is_empty(), "a fake agent needs at least one batch");
        let scratch = Scratch::new("agent");
        let here = quote(scratch.path().to_str().expect("the target directory's path is UTF-8"));
        let mut script = format!(
            "here={here}\nread -r count < \"$here/count\"\ncount=$((count + 1))\necho $count > \"$here/count\"\n\
             cat > \"$here/prompt-$count.txt\"\ncase $count in\n"
        );
        let last = batches.len();
        for (index, batch) in batches.into_iter().enumerate() {
            let pattern = if index + 1 == last { "*".to_owned() } else { (index + 1).to_string() };
            script.push_str(&format!("{pattern})\n{};;\n", batch.script));
        }
        script.push_str("esac\n");
        scratch.write("agent.sh", script);
        scratch.write("count", "0\n");
        Self { scratch }
    }

    /// `sh …/agent.sh`. By name of the shell: a script that was just written may be "busy" to exec itself.
    pub fn command(&self) -> String {
        format!("sh {}", self.script().display())
    }

    /// The value of `--hands`.
    pub fn hands(&self) -> String {
        format!("exec:{}", self.command())
    }

    /// What the agent was asked, call by call.
    pub fn prompts(&self) -> Vec<String> {
        let prompt = |count: usize| fs::read(self.scratch.path().join(format!("prompt-{count}.txt"))).ok();
        (1..).map_while(prompt).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
    }

    fn script(&self) -> PathBuf {
        self.scratch.path().join("agent.sh")
    }
}

/// What the agent does in one call, in order. It ends well (exit 0) unless it is told otherwise.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    script: String,
    items: usize,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    /// A batch that opens as Codex does.
    pub fn codex(thread_id: &str) -> Self {
        Self::new()
            .event(&json!({"type": "thread.started", "thread_id": thread_id}))
            .event(&json!({"type": "turn.started"}))
    }

    /// A line of plain text, or of anything else.
    pub fn line(self, line: &str) -> Self {
        self.shell(&format!("printf '%s\\n' {}", quote(line)))
    }

    /// A JSON line.
    pub fn event(self, event: &Value) -> Self {
        self.line(&event.to_string())
    }

    /// Codex says something.
    pub fn message(mut self, text: &str) -> Self {
        let id = self.next_id();
        self.event(&completed(json!({"id": id, "type": "agent_message", "text": text})))
    }

    /// Codex reports a command as started; it does not run.
    pub fn command_started(mut self, command: &str) -> Self {
        let id = self.next_id();
        self.event(&json!({"type": "item.started", "item": command_item(&id, command, "", None)}))
    }

    /// Codex reports a command with this output and exit code; it does not run.
    pub fn command(mut self, command: &str, output: &str, exit_code: i32) -> Self {
        let id = self.next_id();
        self.event(&json!({"type": "item.started", "item": command_item(&id, command, "", None)}))
            .event(&completed(command_item(&id, command, output, Some(exit_code))))
    }

    /// Really runs a command in the project and reports it as Codex does, with its own output and exit code.
    pub fn run(mut self, command: &str) -> Self {
        let id = self.next_id();
        let reporter = "import json, subprocess, sys
item = json.loads(sys.argv[2])
done = subprocess.run(['sh', '-c', sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
item.update(aggregated_output=done.stdout, exit_code=done.returncode,
            status='completed' if done.returncode == 0 else 'failed')
print(json.dumps({'type': 'item.completed', 'item': item}))";
        let item = command_item(&id, command, "", None);
        self.event(&json!({"type": "item.started", "item": &item})).shell(&format!(
            "python3 -c {} {} {}",
            quote(reporter),
            quote(command),
            quote(&item.to_string())
        ))
    }

    /// Writes a file of the project and reports the change as Codex does, with an absolute path.
    pub fn write_file(mut self, path: &str, content: &str) -> Self {
        let id = self.next_id();
        let item = json!({"id": id, "type": "file_change", "status": "completed",
            "changes": [{"path": "@CWD@", "kind": "update"}]});
        let (before, after) = completed(item).to_string().split_once("@CWD@").map_or_else(
            || unreachable!("the mark stands in the text above"),
            |(before, after)| (quote(before), quote(after)),
        );
        let path = quote(path);
        self.shell(&format!("printf '%s' {} > {path}", quote(content)))
            .shell(&format!("printf '%s%s/%s%s\\n' {before} \"$PWD\" {path} {after}"))
    }

    /// The turn ends well. Codex counts tokens over the whole thread.
    pub fn turn_completed(self, input_tokens: u64, output_tokens: u64) -> Self {
        self.event(&json!({"type": "turn.completed", "usage": {"input_tokens": input_tokens,
            "cached_input_tokens": 0, "output_tokens": output_tokens, "reasoning_output_tokens": 0}}))
    }

    /// The turn fails.
    pub fn turn_failed(self, message: &str) -> Self {
        self.event(&json!({"type": "turn.failed", "error": {"message": message}}))
    }

    /// A line on standard error.
    pub fn error_line(self, line: &str) -> Self {
        self.shell(&format!("printf '%s\\n' {} >&2", quote(line)))
    }

    /// Any shell command, unseen in the stream.
    pub fn shell(mut self, command: &str) -> Self {
        self.script.push_str(command);
        self.script.push('\n');
        self
    }

    pub fn exit(self, code: i32) -> Self {
        self.shell(&format!("exit {code}"))
    }

    /// Dies as if killed: no last event, no exit code.
    pub fn die(self) -> Self {
        self.shell("kill -KILL $$")
    }

    /// Never ends by itself, and prints nothing.
    pub fn hang(self) -> Self {
        self.shell("sleep 3600")
    }

    pub fn sleep_ms(self, milliseconds: u64) -> Self {
        self.shell(&format!("sleep {}.{:03}", milliseconds / 1000, milliseconds % 1000))
    }

    /// From here on only SIGKILL ends it.
    pub fn ignore_signals(self) -> Self {
        self.shell("trap '' INT TERM HUP")
    }

    /// Leaves a child in a session of its own, which a signal to the process group does not reach.
    pub fn escape(self, marker: &str) -> Self {
        self.shell(&format!(
            "MI_TEST_MARKER={} setsid sleep 3600 </dev/null >/dev/null 2>&1 &",
            quote(marker)
        ))
    }

    /// So many copies of one short event, as fast as it goes.
    pub fn flood(self, lines: u64) -> Self {
        let event = completed(json!({"id": "item_0", "type": "reasoning", "text": "still thinking"}));
        self.shell(&format!("yes {} | head -n {lines}", quote(&event.to_string())))
    }

    /// One well-formed message whose text is `bytes` long: `long_line(50_000_000)`.
    pub fn long_line(self, bytes: u64) -> Self {
        self.shell("printf '%s' '{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"'")
            .shell(&format!("head -c {bytes} /dev/zero | tr '\\0' x"))
            .shell("printf '%s\\n' '\"}}'")
    }

    /// A line that is not UTF-8.
    pub fn invalid_utf8(self) -> Self {
        self.shell("printf 'broken \\377\\376 bytes\\n'")
    }

    /// The beginning of an event, without the end of its line.
    pub fn half_line(self) -> Self {
        self.shell("printf '%s' '{\"type\":\"item.comp'")
    }

    fn next_id(&mut self) -> String {
        self.items += 1;
        format!("item_{}", self.items - 1)
    }
}

fn completed(item: Value) -> Value {
    json!({"type": "item.completed", "item": item})
}

fn command_item(id: &str, command: &str, output: &str, exit_code: Option<i32>) -> Value {
    let status = match exit_code {
        None => "in_progress",
        Some(0) => "completed",
        Some(_) => "failed",
    };
    let wrapped = format!("/bin/bash -lc {}", quote(command));
    json!({"id": id, "type": "command_execution", "command": wrapped, "aggregated_output": output,
        "exit_code": exit_code, "status": status})
}

/// One word for the shell, whatever is in it.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Output, Stdio};

    use super::*;
    use crate::{TempProject, tool_path};

    fn call(agent: &FakeAgent, project: &TempProject, prompt: &str) -> Output {
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {}", agent.command())])
            .current_dir(project.path())
            .env("PATH", tool_path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    fn events(output: &Output) -> Vec<Value> {
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Batches are played in order, the prompts are kept, and real commands report their real exit code.
    #[test]
    fn plays_batches_and_keeps_prompts() {
        let fixed = "def add(a, b):\n    return a + b  # it's a sum\n";
        let agent = FakeAgent::new(vec![
            Batch::codex("t1").run("python3 -m unittest").message("It's 'done'.").turn_completed(10, 2),
            Batch::codex("t1").write_file("calc.py", fixed).run("python3 -m unittest").turn_completed(30, 4),
        ]);
        let project = TempProject::python();
        let first = events(&call(&agent, &project, "fix it"));
        assert_eq!(first[3]["item"]["exit_code"], 1);
        assert_eq!(first[4]["item"]["text"], "It's 'done'.");
        let second = events(&call(&agent, &project, "go on\n"));
        assert_eq!(project.read("calc.py"), fixed);
        let changed = second[2]["item"]["changes"][0]["path"].as_str().unwrap();
        assert_eq!(changed, project.path().join("calc.py").to_str().unwrap());
        assert_eq!(second[4]["item"]["exit_code"], 0);
        assert_eq!(agent.prompts(), ["fix it", "go on\n"]);
    }

    /// Each way of breaking breaks as it says.
    #[test]
    fn breaks_in_every_way() {
        let project = TempProject::no_tests();
        let play = |batch: Batch| call(&FakeAgent::new(vec![batch]), &project, "x");
        assert_eq!(play(Batch::new().die()).status.signal(), Some(9));
        assert_eq!(play(Batch::new().exit(7)).status.code(), Some(7));
        assert_eq!(play(Batch::new().flood(1000)).stdout.iter().filter(|byte| **byte == b'\n').count(), 1000);
        let long = events(&play(Batch::new().long_line(3_000_000)));
        assert_eq!(long[0]["item"]["text"].as_str().unwrap().len(), 3_000_000);
        assert!(String::from_utf8(play(Batch::new().invalid_utf8()).stdout).is_err());
        assert!(!play(Batch::new().half_line()).stdout.ends_with(b"\n"));
        assert_eq!(play(Batch::new().error_line("oh")).stderr, b"oh\n");
    }
}
