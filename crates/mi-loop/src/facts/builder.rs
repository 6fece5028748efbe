//! Collects the facts of a batch from its events, within fixed bounds.

use std::collections::{BTreeMap, BTreeSet};

use mi_formats::{AgentEvent, ChangeKind, FileChange, Phase, TurnEnd};

use super::{BatchFacts, CommandFact, FileFact};
use crate::checks::{CUT_MARK, reads_like_a_result};

const COMMANDS_KEPT: usize = 400;
const FIRST_COMMANDS: usize = 100;
const FILES_KEPT: usize = 1000;
const FIRST_FILES: usize = 200;
const OUTPUT_HEAD: usize = 4 * 1024;
const OUTPUT_TAIL: usize = 8 * 1024;
/// All outputs together; beyond it the outputs of older commands shrink.
const OUTPUT_TOTAL: usize = 120 * 1024;
const SHRUNK_OUTPUT: usize = 128;
/// What is kept of a test result when even those are too many.
const SHRUNK_RESULT: usize = 256;
const COMMAND_LENGTH: usize = 4 * 1024;
/// All command texts together; beyond it the texts of older commands shrink.
const COMMAND_TOTAL: usize = 48 * 1024;
const SHRUNK_COMMAND: usize = 80;
const PATH_LENGTH: usize = 400;
const PATH_TOTAL: usize = 32 * 1024;
const MESSAGE_LENGTH: usize = 32 * 1024;
const LIST_KEPT: usize = 40;
const LIST_TEXT: usize = 200;
const KINDS_KEPT: usize = 64;

/// Collects the facts of one batch.
#[derive(Debug)]
pub struct FactsBuilder {
    root: String,
    facts: BatchFacts,
    next_order: u32,
    /// Commands that run now, by the harness's id.
    open: BTreeMap<String, u32>,
    /// The last finished command of an id, for its digest.
    finished: BTreeMap<String, u32>,
    /// Edits that were announced and not yet reported as done.
    announced: BTreeMap<String, Vec<FileChange>>,
    /// Commands whose output reads like a test result.
    results: BTreeSet<u32>,
    output_bytes: usize,
    command_bytes: usize,
    path_bytes: usize,
}

impl FactsBuilder {
    /// A builder for a batch in the project at `root`, whose tree had the digest `start_tree`.
    pub fn new(root: &str, start_tree: String) -> Self {
        Self {
            root: root.trim_end_matches('/').to_owned(),
            facts: BatchFacts {
                start_tree,
                root: root.trim_end_matches('/').to_owned(),
                ..BatchFacts::default()
            },
            next_order: 0,
            open: BTreeMap::new(),
            finished: BTreeMap::new(),
            announced: BTreeMap::new(),
            results: BTreeSet::new(),
            output_bytes: 0,
            command_bytes: 0,
            path_bytes: 0,
        }
    }

    /// The next event of the agent.
    pub fn event(&mut self, event: &AgentEvent) {
        self.count(event);
        match event {
            AgentEvent::Message { text } => {
                self.facts.last_message = cut(text, MESSAGE_LENGTH / 4, MESSAGE_LENGTH)
            }
            AgentEvent::CommandStarted { id, command } => self.command_started(id, command),
            AgentEvent::CommandFinished { id, command, exit_code, output } => {
                self.command_finished(id, command, *exit_code, output);
            }
            AgentEvent::FilesChanged { id, changes, phase } => self.files_changed(id, changes, *phase),
            AgentEvent::ToolCall { name, arguments, phase, .. } if *phase != Phase::Started => {
                let call = (clip(name), clip(arguments));
                push_bounded(&mut self.facts.tool_calls, call);
            }
            AgentEvent::WebSearch { query } => push_bounded(&mut self.facts.web_searches, clip(query)),
            AgentEvent::Warning { message } => push_bounded(&mut self.facts.warnings, clip(message)),
            AgentEvent::TurnEnded { end: TurnEnd::Failed { message }, .. } => {
                push_bounded(&mut self.facts.warnings, clip(message));
            }
            AgentEvent::Unknown { .. } => self.facts.unknown_events += 1,
            AgentEvent::ThreadStarted { .. }
            | AgentEvent::TurnStarted
            | AgentEvent::Reasoning { .. }
            | AgentEvent::ToolCall { .. }
            | AgentEvent::Plan { .. }
            | AgentEvent::TurnEnded { .. } => {}
        }
    }

    /// The digest of the tree, taken right after the command with this id finished.
    pub fn command_tree(&mut self, id: &str, digest: String) {
        let Some(order) = self.finished.get(id).copied() else { return };
        if let Some(command) = self.command_mut(order) {
            command.tree = Some(digest);
        }
    }

    /// The last digest came late: the agent had already gone on when it was taken, so it can only show that
    /// something changed, not that nothing did.
    pub fn tree_came_late(&mut self) {
        for order in self.finished.values() {
            if !self.facts.late_trees.contains(order) {
                self.facts.late_trees.push(*order);
            }
        }
    }

    /// The facts, with the digest of the tree at the end of the batch.
    pub fn finish(mut self, end_tree: String) -> BatchFacts {
        for changes in std::mem::take(&mut self.announced).into_values() {
            self.push_files(&changes);
        }
        self.facts.end_tree = end_tree;
        self.facts
    }

    fn command_started(&mut self, id: &str, command: &str) {
        if self.open.contains_key(id) {
            return;
        }
        let order = self.push_command(command);
        self.open.insert(id.to_owned(), order);
        if self.open.len() > COMMANDS_KEPT {
            self.open.pop_first();
        }
    }

    fn command_finished(&mut self, id: &str, command: &str, exit_code: Option<i32>, output: &str) {
        let order = match self.open.remove(id) {
            Some(order) => order,
            None => self.push_command(command),
        };
        self.finished.clear();
        self.finished.insert(id.to_owned(), order);
        let output = cut(output, OUTPUT_HEAD, OUTPUT_HEAD + OUTPUT_TAIL);
        self.output_bytes += output.len();
        if reads_like_a_result(&output) {
            self.results.insert(order);
        }
        if let Some(command) = self.command_mut(order) {
            command.finished = true;
            command.exit_code = exit_code;
            command.output = output;
        }
        self.shrink_outputs(order);
    }

    fn push_command(&mut self, command: &str) -> u32 {
        let order = self.take_order();
        let command = cut(command, COMMAND_LENGTH / 2, COMMAND_LENGTH);
        self.command_bytes += command.len();
        let fact = CommandFact {
            order,
            command,
            exit_code: None,
            finished: false,
            output: String::new(),
            tree: None,
        };
        self.facts.commands.push(fact);
        if self.facts.commands.len() > COMMANDS_KEPT {
            let dropped = self.facts.commands.remove(FIRST_COMMANDS);
            self.command_bytes -= dropped.command.len();
            self.output_bytes -= dropped.output.len();
            self.results.remove(&dropped.order);
            self.facts.left_out += 1;
        }
        self.shrink_commands(order);
        order
    }

    /// Shortens the outputs of older commands until all together fit; test results go last, and keep their end.
    fn shrink_outputs(&mut self, newest: u32) {
        for (spares_results, kept) in [(true, SHRUNK_OUTPUT), (false, SHRUNK_RESULT)] {
            for command in &mut self.facts.commands {
                if self.output_bytes <= OUTPUT_TOTAL {
                    return;
                }
                let spared =
                    command.order == newest || spares_results && self.results.contains(&command.order);
                if !spared && command.output.len() > kept + 2 * CUT_MARK.len() {
                    let shorter = cut(&command.output, 0, kept);
                    self.output_bytes -= command.output.len() - shorter.len();
                    command.output = shorter;
                }
            }
        }
    }

    fn shrink_commands(&mut self, newest: u32) {
        for command in &mut self.facts.commands {
            if self.command_bytes <= COMMAND_TOTAL {
                return;
            }
            if command.order != newest && command.command.len() > 2 * SHRUNK_COMMAND {
                let shorter = cut(&command.command, SHRUNK_COMMAND, SHRUNK_COMMAND);
                self.command_bytes -= command.command.len() - shorter.len();
                command.command = shorter;
            }
        }
    }

    fn files_changed(&mut self, id: &str, changes: &[FileChange], phase: Phase) {
        match phase {
            Phase::Started => {
                if self.announced.len() < COMMANDS_KEPT {
                    let few = changes.iter().take(LIST_KEPT).cloned().collect();
                    self.announced.insert(id.to_owned(), few);
                }
            }
            Phase::Completed => {
                self.announced.remove(id);
                self.push_files(changes);
            }
            Phase::Failed => {
                self.announced.remove(id);
            }
        }
    }

    fn push_files(&mut self, changes: &[FileChange]) {
        for order in self.open.values() {
            if !self.facts.edited_while_running.contains(order) {
                self.facts.edited_while_running.push(*order);
            }
        }
        for change in changes {
            let path = self.relative(&change.path);
            let fact = FileFact { order: self.take_order(), path, kind: change.kind };
            self.path_bytes += fact.path.len();
            self.facts.files.push(fact);
            if self.facts.files.len() > FILES_KEPT || self.path_bytes > PATH_TOTAL {
                let at = FIRST_FILES.min(self.facts.files.len() - 1);
                let dropped = self.facts.files.remove(at);
                self.path_bytes -= dropped.path.len();
                self.facts.left_out += 1;
            }
        }
    }

    fn relative(&self, path: &str) -> String {
        let inside = path.strip_prefix(&self.root).filter(|_| !self.root.is_empty());
        let relative = inside.and_then(|rest| rest.strip_prefix('/')).unwrap_or(path);
        cut(relative, PATH_LENGTH / 2, PATH_LENGTH)
    }

    fn take_order(&mut self) -> u32 {
        let order = self.next_order;
        self.next_order = self.next_order.saturating_add(1);
        order
    }

    fn command_mut(&mut self, order: u32) -> Option<&mut CommandFact> {
        let at = self.facts.commands.binary_search_by_key(&order, |command| command.order).ok()?;
        self.facts.commands.get_mut(at)
    }

    /// Counts the event under the names the seed's records use.
    fn count(&mut self, event: &AgentEvent) {
        let (kind, item) = names(event);
        add_one(&mut self.facts.event_type_counts, kind);
        if let Some(item) = item {
            add_one(&mut self.facts.item_type_counts, item);
        }
    }
}

fn names(event: &AgentEvent) -> (&str, Option<&'static str>) {
    let of = |phase: &Phase| if *phase == Phase::Started { "item.started" } else { "item.completed" };
    match event {
        AgentEvent::ThreadStarted { .. } => ("thread.started", None),
        AgentEvent::TurnStarted => ("turn.started", None),
        AgentEvent::TurnEnded { end: TurnEnd::Completed, .. } => ("turn.completed", None),
        AgentEvent::TurnEnded { end: TurnEnd::Failed { .. }, .. } => ("turn.failed", None),
        AgentEvent::Message { .. } => ("item.completed", Some("agent_message")),
        AgentEvent::Reasoning { .. } => ("item.completed", Some("reasoning")),
        AgentEvent::CommandStarted { .. } => ("item.started", Some("command_execution")),
        AgentEvent::CommandFinished { .. } => ("item.completed", Some("command_execution")),
        AgentEvent::FilesChanged { phase, .. } => (of(phase), Some("file_change")),
        AgentEvent::ToolCall { phase, .. } => (of(phase), Some("tool_call")),
        AgentEvent::WebSearch { .. } => ("item.completed", Some("web_search")),
        AgentEvent::Plan { .. } => ("item.updated", Some("todo_list")),
        AgentEvent::Warning { .. } => ("error", None),
        AgentEvent::Unknown { kind } => (kind.as_str(), None),
    }
}

fn add_one(counts: &mut BTreeMap<String, u64>, name: &str) {
    let name =
        if counts.len() < KINDS_KEPT || counts.contains_key(name) { clip(name) } else { "other".to_owned() };
    *counts.entry(name).or_default() += 1;
}

fn push_bounded<T>(list: &mut Vec<T>, item: T) {
    list.push(item);
    if list.len() > LIST_KEPT {
        list.remove(LIST_KEPT / 2);
    }
}

fn clip(text: &str) -> String {
    cut(text, LIST_TEXT, LIST_TEXT)
}

/// The first `head` bytes and the last of `total`, with the mark between them where something was left out.
fn cut(text: &str, head: usize, total: usize) -> String {
    if text.len() <= total {
        return text.to_owned();
    }
    let first = &text[..text.floor_char_boundary(head)];
    let last = &text[text.ceil_char_boundary(text.len() - total.saturating_sub(head))..];
    format!("{first}{CUT_MARK}{last}")
}

/// What a change is called in a sentence.
pub(super) fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Add => "added",
        ChangeKind::Update => "changed",
        ChangeKind::Delete => "deleted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(id: &str, command: &str, output: &str) -> AgentEvent {
        AgentEvent::CommandFinished {
            id: id.to_owned(),
            command: command.to_owned(),
            exit_code: Some(0),
            output: output.to_owned(),
        }
    }

    fn started(id: &str, command: &str) -> AgentEvent {
        AgentEvent::CommandStarted { id: id.to_owned(), command: command.to_owned() }
    }

    fn edited(id: &str, path: &str) -> AgentEvent {
        let changes = vec![FileChange { path: path.to_owned(), kind: ChangeKind::Update }];
        AgentEvent::FilesChanged { id: id.to_owned(), changes, phase: Phase::Completed }
    }

    fn build(events: &[AgentEvent]) -> BatchFacts {
        let mut builder = FactsBuilder::new("/home/dev/app", "t0".to_owned());
        events.iter().for_each(|event| builder.event(event));
        builder.finish("t1".to_owned())
    }

    /// Commands and edits share one order; a digest lands on the command that just finished.
    #[test]
    fn order_and_digest() {
        let mut builder = FactsBuilder::new("/home/dev/app", "t0".to_owned());
        builder.event(&edited("a", "/home/dev/app/src/lib.rs"));
        builder.event(&started("b", "cargo test"));
        builder.event(&finished("b", "cargo test", "ok"));
        builder.command_tree("b", "t1".to_owned());
        builder.event(&started("c", "sleep 100"));
        let facts = builder.finish("t1".to_owned());
        assert_eq!((facts.files[0].order, facts.files[0].path.as_str()), (0, "src/lib.rs"));
        assert_eq!((facts.commands[0].order, facts.commands[0].tree.as_deref()), (1, Some("t1")));
        assert_eq!((facts.commands[1].finished, facts.commands[1].exit_code), (false, None));
        assert_eq!(facts.item_type_counts["command_execution"], 3);
    }

    /// An edit between a command's start and end is remembered against that command.
    #[test]
    fn edits_during_a_command_are_remembered() {
        let facts = build(&[started("a", "cargo test"), edited("b", "x"), finished("a", "cargo test", "")]);
        assert_eq!(facts.edited_while_running, [0]);
    }

    /// A flood stays within the bounds, keeps the first and the newest, and says how much is missing.
    #[test]
    fn floods_are_bounded() {
        let mut builder = FactsBuilder::new("/p", String::new());
        for index in 0..1500 {
            let id = format!("i{index}");
            builder.event(&finished(&id, &format!("echo {index} {}", "c".repeat(5000)), &"é".repeat(10_000)));
            builder.event(&edited(&id, &format!("/p/{index}/{}", "d".repeat(2000))));
            builder.event(&AgentEvent::Unknown { kind: format!("kind{index}") });
            builder.event(&AgentEvent::Warning { message: "w".repeat(9000) });
        }
        builder.event(&AgentEvent::Message { text: "m".repeat(1_000_000) });
        let facts = builder.finish(String::new());
        let size = serde_json::to_string(&facts).expect("facts are plain data").len();
        assert!(size < 320 * 1024, "{size} bytes");
        assert!(facts.commands[0].command.starts_with("echo 0 ") && facts.commands.len() == COMMANDS_KEPT);
        assert!(facts.commands.last().is_some_and(|last| last.command.starts_with("echo 1499")));
        assert!(facts.left_out > 1100 && facts.unknown_events == 1500);
    }

    /// A test result survives a flood of longer outputs after it.
    #[test]
    fn results_outlive_other_outputs() {
        let mut events = vec![finished("t", "cargo test", "test result: ok. 3 passed; 0 failed")];
        events.extend((0..300).map(|index| finished(&format!("c{index}"), "cat big", &"x".repeat(20_000))));
        let facts = build(&events);
        assert_eq!(facts.commands[0].output, "test result: ok. 3 passed; 0 failed");
    }

    /// Test results stand at the end of an output, so the end is kept.
    #[test]
    fn end_of_a_long_output_is_kept() {
        let output = format!("{}\ntest result: ok. 3 passed", "x".repeat(100_000));
        let facts = build(&[finished("a", "cargo test", &output)]);
        assert!(facts.commands[0].output.ends_with("test result: ok. 3 passed"));
        assert!(facts.commands[0].output.contains(CUT_MARK));
    }
}
