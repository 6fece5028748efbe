//! Codex: `config.toml` has servers and hooks. A hook runs only if the person's own configuration trusts its hash;
//! an untrusted one is skipped without a word.

use sha2::{Digest, Sha256};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value};

use super::{
    EditError, Program, SERVER,
    hooks::{HookSet, events_of, is_ours, timeout_s},
};
use crate::hooks::Harness;

/// Puts the server and one hook per event of the life cycle in.
pub fn add_codex(text: &str, program: &Program) -> Result<String, EditError> {
    let document = parse(text)?;
    if has_server(&document, program) && has_hooks(&document, program, HookSet::Lifecycle) {
        return Ok(text.to_owned());
    }
    let mut document = parse(&remove_codex(text)?)?;
    let servers = section(&mut document, "mcp_servers")?;
    if servers.contains_key(SERVER) {
        return Err(EditError::Taken { path: format!("mcp_servers.{SERVER}") });
    }
    servers.insert(SERVER, server(program));
    put_in_hooks(&mut document, program, HookSet::Lifecycle)?;
    Ok(written_like(text, &document))
}

/// Takes our server and the hooks of the life cycle out.
pub fn remove_codex(text: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let whole = document.to_string();
    if let Some(servers) = document.get_mut("mcp_servers").and_then(Item::as_table_like_mut) {
        let args = servers.get(SERVER).and_then(|server| server.get("args")).and_then(Item::as_array);
        if args.and_then(|args| args.get(0)).and_then(Value::as_str) == Some("mcp") {
            servers.remove(SERVER);
        }
    }
    drop_if_empty(&mut document, "mcp_servers");
    take_out_set(&mut document, HookSet::Lifecycle);
    Ok(if document.to_string() == whole { text.to_owned() } else { written_like(text, &document) })
}

/// Puts one hook per event of the gate in.
pub fn add_codex_gate(text: &str, program: &Program) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if has_hooks(&document, program, HookSet::Gate) {
        return Ok(text.to_owned());
    }
    take_out_set(&mut document, HookSet::Gate);
    put_in_hooks(&mut document, program, HookSet::Gate)?;
    Ok(written_like(text, &document))
}

/// Takes the hooks of the gate out.
pub fn remove_codex_gate(text: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let whole = document.to_string();
    take_out_set(&mut document, HookSet::Gate);
    Ok(if document.to_string() == whole { text.to_owned() } else { written_like(text, &document) })
}

/// Makes the person's own configuration `text` trust our hooks, of both sets, as they stand in the configuration at
/// `config_path` when it changes from `before` to `after`.
///
/// The trust belongs to a place in a list: a set that is taken out moves the other one, which then would be skipped.
pub fn trust_codex(text: &str, config_path: &str, before: &str, after: &str) -> Result<String, EditError> {
    let (old, new) = (trust_entries(config_path, before)?, trust_entries(config_path, after)?);
    let mut document = parse(text)?;
    let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let trusted = |key: &str| state.and_then(|state| state.get(key)?.get("trusted_hash")?.as_str());
    let is_stale = |(key, hash): &&(String, String)| {
        trusted(key) == Some(hash) && !new.iter().any(|(same, other)| same == key && other == hash)
    };
    let stale: Vec<&String> = old.iter().filter(is_stale).map(|(key, _)| key).collect();
    let missing: Vec<&(String, String)> =
        new.iter().filter(|(key, hash)| trusted(key) != Some(hash)).collect();
    if stale.is_empty() && missing.is_empty() {
        return Ok(text.to_owned());
    }
    forget(&mut document, &stale);
    if !missing.is_empty() {
        let state = subsection(section(&mut document, "hooks")?, "hooks", "state")?;
        for (key, hash) in missing {
            let mut entry = Table::new();
            entry.insert("trusted_hash", hash.as_str().into());
            state.insert(key, Item::Table(entry));
        }
    }
    Ok(written_like(text, &document))
}

/// Whether every hook of a set stands in `config`, at `config_path`, and the person's own configuration trusts it.
pub fn codex_set_is_trusted(
    text: &str,
    config_path: &str,
    config: &str,
    program: &Program,
    set: HookSet,
) -> Result<bool, EditError> {
    Ok(has_hooks(&parse(config)?, program, set) && trust_codex(text, config_path, config, config)? == text)
}

/// The document with the marks of the text it came from, which the parser drops: the one at its beginning, and line ends
/// of Windows.
fn written_like(text: &str, document: &DocumentMut) -> String {
    let mut written = document.to_string();
    let lines = text.matches('\n').count();
    if lines > 0 && text.matches("\r\n").count() == lines {
        written = written.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match text.starts_with(MARK) && !written.starts_with(MARK) {
        true => format!("{MARK}{written}"),
        false => written,
    }
}

/// What some editors put before the text.
const MARK: char = '\u{feff}';

fn forget(document: &mut DocumentMut, keys: &[&String]) {
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else { return };
    let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) else { return };
    for key in keys {
        state.remove(key);
    }
    if !keys.is_empty() && state.is_empty() {
        hooks.remove("state");
    }
    drop_if_empty(document, "hooks");
}

/// Key and hash of each hook of ours, as Codex computes them (0.166; a test asks the real one).
fn trust_entries(config_path: &str, config: &str) -> Result<Vec<(String, String)>, EditError> {
    let document = parse(config)?;
    let mut entries = Vec::new();
    for (name, own) in events_of(Harness::Codex, HookSet::Gate) {
        let event = snake(name);
        for (group, commands) in commands_of(&document, name).iter().enumerate() {
            for (index, command) in commands.iter().enumerate() {
                if HookSet::ALL.iter().any(|set| is_ours(command, Harness::Codex, *set)) {
                    entries.push((
                        format!("{config_path}:{event}:{group}:{index}"),
                        hash(&event, command, timeout_s(own)),
                    ));
                }
            }
        }
    }
    Ok(entries)
}

fn hash(event: &str, command: &str, timeout: i64) -> String {
    let command = serde_json::Value::from(command);
    let text = format!(
        r#"{{"event_name":"{event}","hooks":[{{"async":false,"command":{command},"timeout":{timeout},"type":"command"}}]}}"#
    );
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// `PostToolUse` → `post_tool_use`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// The command lines of an event's hooks, group by group.
fn commands_of(document: &DocumentMut, event: &str) -> Vec<Vec<String>> {
    let groups = document.get("hooks").and_then(|hooks| hooks.get(event)).map(tables).unwrap_or_default();
    let commands = |group: &&dyn TableLike| {
        let hooks = group.get("hooks").map(tables).unwrap_or_default();
        let command =
            |hook: &&dyn TableLike| hook.get("command").and_then(Item::as_str).unwrap_or_default().to_owned();
        hooks.iter().map(command).collect()
    };
    groups.iter().map(commands).collect()
}

/// The tables of a list, in either spelling.
fn tables(item: &Item) -> Vec<&dyn TableLike> {
    match item {
        Item::ArrayOfTables(list) => list.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(list)) => {
            list.iter().filter_map(Value::as_inline_table).map(|table| table as &dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

fn has_server(document: &DocumentMut, program: &Program) -> bool {
    let mut probe = DocumentMut::new();
    probe.insert("s", server(program));
    let server =
        document.get("mcp_servers").and_then(|servers| servers.get(SERVER)).and_then(Item::as_table_like);
    let same = |name: &str| {
        server.and_then(|server| server.get(name)).map(|item| item.to_string().trim().to_owned())
    };
    let wanted = |name: &str| probe["s"].get(name).map(|item| item.to_string().trim().to_owned());
    ["command", "args", "default_tools_approval_mode"].iter().all(|name| same(name) == wanted(name))
}

fn has_hooks(document: &DocumentMut, program: &Program, set: HookSet) -> bool {
    events_of(Harness::Codex, set).all(|(name, event)| {
        let all: Vec<String> = commands_of(document, name).into_iter().flatten().collect();
        let ours: Vec<&String> = all.iter().filter(|command| is_ours(command, Harness::Codex, set)).collect();
        ours == [&program.command(event, Harness::Codex, set)]
    })
}

fn put_in_hooks(document: &mut DocumentMut, program: &Program, set: HookSet) -> Result<(), EditError> {
    let hooks = section(document, "hooks")?;
    for (name, event) in events_of(Harness::Codex, set) {
        let command = program.command(event, Harness::Codex, set);
        match hooks.entry(name).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
            Item::ArrayOfTables(groups) => groups.push(group(&command, timeout_s(event))),
            Item::Value(Value::Array(groups)) => groups.push(inline_group(&command, timeout_s(event))),
            _ => return Err(EditError::Shape { path: format!("hooks.{name}"), wanted: "a list of tables" }),
        }
    }
    Ok(())
}

fn server(program: &Program) -> Item {
    let mut server = Table::new();
    server.insert("command", program.0.as_str().into());
    let arguments: Array = ["mcp", "--harness-id", "codex"].into_iter().collect();
    server.insert("args", arguments.into());
    // Without this every call fails where nobody can be asked (`codex exec`). The tools change .nexus/ alone.
    server.insert("default_tools_approval_mode", "approve".into());
    Item::Table(server)
}

fn group(command: &str, timeout: i64) -> Table {
    let mut hook = Table::new();
    hook.insert("type", "command".into());
    hook.insert("command", command.into());
    hook.insert("timeout", timeout.into());
    let mut hooks = ArrayOfTables::new();
    hooks.push(hook);
    let mut group = Table::new();
    group.insert("hooks", Item::ArrayOfTables(hooks));
    group
}

fn inline_group(command: &str, timeout: i64) -> InlineTable {
    let mut hook = InlineTable::new();
    hook.insert("type", "command".into());
    hook.insert("command", command.into());
    hook.insert("timeout", timeout.into());
    let mut group = InlineTable::new();
    group.insert("hooks", Value::Array([hook].into_iter().collect()));
    group
}

fn take_out_set(document: &mut DocumentMut, set: HookSet) {
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) {
        for (name, _) in events_of(Harness::Codex, set) {
            if hooks.get_mut(name).is_some_and(|groups| take_out_hooks(groups, set)) {
                hooks.remove(name);
            }
        }
    }
    drop_if_empty(document, "hooks");
}

/// Takes our hooks out of an event's list; true when nothing is left and something was taken.
fn take_out_hooks(groups: &mut Item, set: HookSet) -> bool {
    let ours = |hook: &dyn TableLike| {
        let command = hook.get("command").and_then(Item::as_str);
        command.is_some_and(|command| is_ours(command, Harness::Codex, set))
    };
    let strip = |group: &mut dyn TableLike| match group.get_mut("hooks") {
        Some(Item::ArrayOfTables(hooks)) => {
            let before = hooks.len();
            hooks.retain(|hook| !ours(hook));
            hooks.is_empty() && before > 0
        }
        Some(Item::Value(Value::Array(hooks))) => {
            let before = hooks.len();
            hooks.retain(|hook| !hook.as_inline_table().is_some_and(|hook| ours(hook)));
            hooks.is_empty() && before > 0
        }
        _ => false,
    };
    match groups {
        Item::ArrayOfTables(list) => {
            let empty: Vec<bool> = list.iter_mut().map(|group| strip(group)).collect();
            for index in (0..empty.len()).rev().filter(|index| empty[*index]) {
                list.remove(index);
            }
            list.is_empty() && empty.contains(&true)
        }
        Item::Value(Value::Array(list)) => {
            let before = list.len();
            list.retain(|_| true);
            let mut empty = Vec::new();
            for (index, group) in list.iter_mut().enumerate() {
                if group.as_inline_table_mut().is_some_and(|group| strip(group)) {
                    empty.push(index);
                }
            }
            for index in empty.iter().rev() {
                list.remove(*index);
            }
            list.is_empty() && before > 0 && !empty.is_empty()
        }
        _ => false,
    }
}

/// A section that only held what was taken out was ours; one that stands in the text by itself is the person's.
fn drop_if_empty(document: &mut DocumentMut, name: &str) {
    let ours = document
        .get(name)
        .and_then(Item::as_table)
        .is_some_and(|table| table.is_empty() && table.is_implicit());
    if ours {
        document.remove(name);
    }
}

fn section<'a>(document: &'a mut DocumentMut, name: &str) -> Result<&'a mut dyn TableLike, EditError> {
    subsection(document.as_table_mut(), "", name)
}

fn subsection<'a>(
    table: &'a mut dyn TableLike,
    path: &str,
    name: &str,
) -> Result<&'a mut dyn TableLike, EditError> {
    let fresh = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let item = table.entry(name).or_insert_with(fresh);
    let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    item.as_table_like_mut().ok_or(EditError::Shape { path, wanted: "a table" })
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse::<DocumentMut>().map_err(|error: TomlError| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        EditError::Syntax {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: error.message().to_owned(),
        }
    })
}
