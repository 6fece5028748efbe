//! Codex: `config.toml` has servers and hooks. A hook runs only if the person's own configuration trusts its hash;
//! an untrusted one is skipped without a word.

use sha2::{Digest, Sha256};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value};

use super::{
    EditError, Program, SERVER,
    hooks::{events_of, is_ours, timeout_s},
};
use crate::hooks::Harness;

/// Puts the server and one hook per event in.
pub fn add_codex(text: &str, program: &Program) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if has_all(&document, program) {
        return Ok(text.to_owned());
    }
    take_out(&mut document);
    let servers = section(&mut document, "mcp_servers")?;
    if servers.contains_key(SERVER) {
        return Err(EditError::Taken { path: format!("mcp_servers.{SERVER}") });
    }
    servers.insert(SERVER, server(program));
    let hooks = section(&mut document, "hooks")?;
    for (name, event) in events_of(Harness::Codex) {
        let command = program.command(*event, Harness::Codex);
        match hooks.entry(name).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
            Item::ArrayOfTables(groups) => groups.push(group(&command, timeout_s(*event))),
            Item::Value(Value::Array(groups)) => groups.push(inline_group(&command, timeout_s(*event))),
            _ => return Err(EditError::Shape { path: format!("hooks.{name}"), wanted: "a list of tables" }),
        }
    }
    Ok(document.to_string())
}

/// Takes our server and our hooks out.
pub fn remove_codex(text: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    take_out(&mut document);
    Ok(document.to_string())
}

/// Trusts our hooks of `config`, which stands at `config_path`, in the person's own configuration `text`.
pub fn trust_codex(text: &str, config_path: &str, config: &str) -> Result<String, EditError> {
    let present = parse(text)?;
    let trusted = |(key, hash): &(String, String)| {
        let state = present.get("hooks").and_then(|hooks| hooks.get("state"));
        let entry = state.and_then(|state| state.get(key)).and_then(|entry| entry.get("trusted_hash"));
        entry.and_then(Item::as_str) == Some(hash)
    };
    if trust_entries(config_path, config)?.iter().all(trusted) {
        return Ok(text.to_owned());
    }
    let text = remove_codex_trust(text, config_path, config)?;
    let mut document = parse(&text)?;
    let wanted = trust_entries(config_path, config)?;
    let state = subsection(section(&mut document, "hooks")?, "hooks", "state")?;
    for (key, hash) in wanted {
        let mut entry = Table::new();
        entry.insert("trusted_hash", hash.into());
        state.insert(&key, Item::Table(entry));
    }
    Ok(document.to_string())
}

/// Takes the trust in our hooks of `config` back.
pub fn remove_codex_trust(text: &str, config_path: &str, config: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    let hashes: Vec<String> = trust_entries(config_path, config)?.into_iter().map(|(_, hash)| hash).collect();
    let prefix = format!("{config_path}:");
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let is_ours = |key: &str, entry: &Item| {
        let hash = entry.as_table_like().and_then(|entry| entry.get("trusted_hash")).and_then(Item::as_str);
        key.starts_with(&prefix) && hash.is_some_and(|hash| hashes.iter().any(|own| own == hash))
    };
    let gone: Vec<String> =
        state.iter().filter(|(key, entry)| is_ours(key, entry)).map(|(key, _)| key.to_owned()).collect();
    for key in &gone {
        state.remove(key);
    }
    if !gone.is_empty() && state.is_empty() {
        hooks.remove("state");
    }
    drop_if_empty(&mut document, "hooks");
    Ok(document.to_string())
}

/// Key and hash of each hook of ours, as Codex computes them (0.166; a test asks the real one).
fn trust_entries(config_path: &str, config: &str) -> Result<Vec<(String, String)>, EditError> {
    let document = parse(config)?;
    let mut entries = Vec::new();
    for (name, own) in events_of(Harness::Codex) {
        let event = snake(name);
        for (group, commands) in commands_of(&document, name).iter().enumerate() {
            for (index, command) in commands.iter().enumerate() {
                if is_ours(command, Harness::Codex) {
                    entries.push((
                        format!("{config_path}:{event}:{group}:{index}"),
                        hash(&event, command, timeout_s(*own)),
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

fn has_all(document: &DocumentMut, program: &Program) -> bool {
    let mut probe = DocumentMut::new();
    probe.insert("s", server(program));
    let server =
        document.get("mcp_servers").and_then(|servers| servers.get(SERVER)).and_then(Item::as_table_like);
    let same = |name: &str| {
        server.and_then(|server| server.get(name)).map(|item| item.to_string().trim().to_owned())
    };
    let wanted = |name: &str| probe["s"].get(name).map(|item| item.to_string().trim().to_owned());
    let server_is_there =
        ["command", "args", "default_tools_approval_mode"].iter().all(|name| same(name) == wanted(name));
    let hook_is_there = |(name, event): &(&str, crate::hooks::Event)| {
        let all: Vec<String> = commands_of(document, name).into_iter().flatten().collect();
        let ours: Vec<&String> = all.iter().filter(|command| is_ours(command, Harness::Codex)).collect();
        ours == [&program.command(*event, Harness::Codex)]
    };
    server_is_there && events_of(Harness::Codex).iter().all(hook_is_there)
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

fn take_out(document: &mut DocumentMut) {
    if let Some(servers) = document.get_mut("mcp_servers").and_then(Item::as_table_like_mut) {
        let args = servers.get(SERVER).and_then(|server| server.get("args")).and_then(Item::as_array);
        if args.and_then(|args| args.get(0)).and_then(Value::as_str) == Some("mcp") {
            servers.remove(SERVER);
        }
    }
    drop_if_empty(document, "mcp_servers");
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) {
        for (name, _) in events_of(Harness::Codex) {
            if hooks.get_mut(name).is_some_and(take_out_hooks) {
                hooks.remove(name);
            }
        }
    }
    drop_if_empty(document, "hooks");
}

/// Takes our hooks out of an event's list; true when nothing is left and something was taken.
fn take_out_hooks(groups: &mut Item) -> bool {
    let ours = |hook: &dyn TableLike| {
        hook.get("command").and_then(Item::as_str).is_some_and(|command| is_ours(command, Harness::Codex))
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
