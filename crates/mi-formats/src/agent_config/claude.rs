//! Claude Code: `settings.json` has the hooks, `.claude.json` (of a person) or `.mcp.json` (of a project) the servers.

use serde_json::json;

use super::{
    EditError, Program, SERVER,
    hooks::{HookSet, events_of, is_ours, timeout_s},
    json_text::{self, Node, Step},
};
use crate::hooks::Harness;

/// Puts the server in.
pub fn add_claude_server(text: &str, program: &Program) -> Result<String, EditError> {
    let value = json!({"type": "stdio", "command": program.0, "args": ["mcp", "--harness-id", "claude"]});
    add_server(text, "mcpServers", &value, is_our_server)
}

/// Takes the server out; `before` is the text from before it was put in.
pub fn remove_claude_server(text: &str, before: Option<&str>) -> Result<String, EditError> {
    remove_server(text, "mcpServers", before, is_our_server)
}

/// Puts one hook per event of a set in.
pub fn add_claude_hooks(text: &str, program: &Program, set: HookSet) -> Result<String, EditError> {
    if has_all_hooks(text, program, set)? {
        return Ok(text.to_owned());
    }
    // Entries of an older installation, perhaps with another program, go first.
    let mut text = remove_claude_hooks(text, Some(text), set)?;
    for (name, event) in events_of(Harness::Claude, set) {
        let command = program.command(event, Harness::Claude, set);
        let group = json!({"hooks": [{"type": "command", "command": command, "timeout": timeout_s(event)}]});
        text = json_text::push(&text, &["hooks", name], &group)?;
    }
    Ok(text)
}

/// Takes our hooks out; lists that only we filled go with them.
pub fn remove_claude_hooks(text: &str, before: Option<&str>, set: HookSet) -> Result<String, EditError> {
    let mut text = text.to_owned();
    // What stood there only for our other set of hooks is not the person's.
    let others = || HookSet::ALL.into_iter().filter(|other| *other != set);
    let before = before.map(|text| others().try_fold(text.to_owned(), |text, other| stripped(&text, other)));
    let before = before.and_then(|text| json_text::parse(&text.ok()?).ok());
    let step = |name: &str| Step::Member(name.to_owned());
    if text.trim().is_empty() {
        return Ok(text);
    }
    let mut taken = false;
    for (name, _) in events_of(Harness::Claude, set) {
        let mut here = false;
        while let Some(path) = find_hook(&json_text::parse(&text)?, name, set) {
            text = json_text::remove(&text, &path)?;
            here = true;
        }
        // A list that is empty without us is the person's.
        let had =
            before.as_ref().and_then(|node| node.get("hooks")).and_then(|hooks| hooks.get(name)).is_some();
        text = drop_if_empty(text, &[step("hooks"), step(name)], had || !here)?;
        taken |= here;
    }
    let had = before.as_ref().and_then(|node| node.get("hooks")).is_some();
    drop_if_empty(text, &[step("hooks")], had || !taken)
}

/// The text without a set of hooks and without the lists that this leaves empty.
fn stripped(text: &str, set: HookSet) -> Result<String, EditError> {
    let step = |name: &str| Step::Member(name.to_owned());
    let (mut text, mut taken) = (text.to_owned(), false);
    for (name, _) in events_of(Harness::Claude, set) {
        let mut here = false;
        while let Some(path) = find_hook(&json_text::parse(&text)?, name, set) {
            text = json_text::remove(&text, &path)?;
            here = true;
        }
        text = drop_if_empty(text, &[step("hooks"), step(name)], !here)?;
        taken |= here;
    }
    drop_if_empty(text, &[step("hooks")], !taken)
}

/// Whether every event has exactly the hook it should have of ours.
pub fn has_all_hooks(text: &str, program: &Program, set: HookSet) -> Result<bool, EditError> {
    if text.trim().is_empty() {
        return Ok(false);
    }
    let root = json_text::parse(text)?;
    let has = |(name, event): (&str, crate::hooks::Event)| {
        let groups = root.get("hooks").and_then(|hooks| hooks.get(name)).map(Node::items).unwrap_or_default();
        let hooks = groups.iter().flat_map(|group| group.get("hooks").map(Node::items).unwrap_or_default());
        let commands = hooks.filter_map(|hook| hook.get("command").and_then(Node::as_str));
        let ours: Vec<&str> = commands.filter(|command| is_ours(command, Harness::Claude, set)).collect();
        ours == [program.command(event, Harness::Claude, set)]
    };
    Ok(events_of(Harness::Claude, set).all(has))
}

/// The first hook of ours among those of an event: its whole group where it stands alone.
fn find_hook(root: &Node, event: &str, set: HookSet) -> Option<Vec<Step>> {
    let groups = root.get("hooks")?.get(event)?.items();
    let ours = |hook: &Node| {
        hook.get("command")
            .and_then(Node::as_str)
            .is_some_and(|command| is_ours(command, Harness::Claude, set))
    };
    for (index, group) in groups.iter().enumerate() {
        let hooks = group.get("hooks").map(Node::items).unwrap_or_default();
        if let Some(place) = hooks.iter().position(ours) {
            let mut path =
                vec![Step::Member("hooks".to_owned()), Step::Member(event.to_owned()), Step::Item(index)];
            if hooks.len() > 1 {
                path.extend([Step::Member("hooks".to_owned()), Step::Item(place)]);
            }
            return Some(path);
        }
    }
    None
}

pub(super) fn drop_if_empty(text: String, path: &[Step], had: bool) -> Result<String, EditError> {
    let root = json_text::parse(&text)?;
    let mut node = Some(&root);
    for step in path {
        node = match step {
            Step::Member(name) => node.and_then(|node| node.get(name)),
            Step::Item(index) => node.and_then(|node| node.items().get(*index)),
        };
    }
    if !had && node.is_some_and(Node::is_empty) { json_text::remove(&text, path) } else { Ok(text) }
}

pub(super) fn add_server(
    text: &str,
    section: &str,
    value: &serde_json::Value,
    ours: impl Fn(&Node) -> bool,
) -> Result<String, EditError> {
    if !text.trim().is_empty() {
        let root = json_text::parse(text)?;
        if let Some(server) = root.get(section).and_then(|servers| servers.get(SERVER)) {
            if !ours(server) {
                return Err(EditError::Taken { path: format!("{section}.{SERVER}") });
            }
            let same = serde_json::from_str::<serde_json::Value>(&text[server.span.clone()]);
            if same.is_ok_and(|same| same == *value) {
                return Ok(text.to_owned());
            }
            let text = remove_server(text, section, Some(text), &ours)?;
            return json_text::insert(&text, &[section], SERVER, value);
        }
    }
    json_text::insert(text, &[section], SERVER, value)
}

pub(super) fn remove_server(
    text: &str,
    section: &str,
    before: Option<&str>,
    ours: impl Fn(&Node) -> bool,
) -> Result<String, EditError> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = json_text::parse(text)?;
    let server = root.get(section).and_then(|servers| servers.get(SERVER));
    if !server.is_some_and(ours) {
        return Ok(text.to_owned());
    }
    let step = |name: &str| Step::Member(name.to_owned());
    let text = json_text::remove(text, &[step(section), step(SERVER)])?;
    let had = before
        .and_then(|before| json_text::parse(before).ok())
        .is_some_and(|node| node.get(section).is_some());
    drop_if_empty(text, &[step(section)], had)
}

fn is_our_server(server: &Node) -> bool {
    let first = server.get("args").and_then(|args| args.items().first()).and_then(Node::as_str);
    first == Some("mcp")
}
