//! What a test file imports, and which of it is replaced: assigned, patched, mocked or defined again.
//!
//! Replacing a collaborator is usual; replacing what the assertions call leaves nothing to be tested.

use std::collections::BTreeSet;

use super::{
    ENTRIES_KEPT, NAME_KEPT, TamperKind, TamperSign, TestInventory,
    compare::{Inventories, shown},
    wish::Wish,
};

/// Whether the file prepares the tests of others.
pub(super) fn is_setup(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let is_script = [".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx"].iter().any(|end| name.ends_with(end));
    let in_tests = path.split('/').any(|part| ["test", "tests", "spec", "__tests__"].contains(&part));
    name == "conftest.py"
        || in_tests && name == "__init__.py"
        || is_script
            && (name.contains(".setup.") || stem.contains("setup") && (in_tests || stem.contains("test")))
        || ["spec_helper.rb", "rails_helper.rb", "test_helper.rb"].contains(&name)
}

/// Adds what a line imports, defines and replaces. `line` has no comments.
pub(super) fn read(line: &str, inventory: &mut TestInventory) {
    for (module, names) in imports(line) {
        if inventory.imports.len() < ENTRIES_KEPT {
            inventory
                .imports
                .entry(clipped(&module))
                .or_default()
                .extend(names.iter().map(|name| clipped(name)));
        }
    }
    if let Some(name) = defined(line).filter(|_| inventory.defines.len() < ENTRIES_KEPT) {
        inventory.defines.insert(clipped(name));
    }
    if let Some(name) = replaced(line, inventory).filter(|_| inventory.replaces.len() < ENTRIES_KEPT) {
        inventory.replaces.insert(clipped(&name));
    }
}

fn clipped(name: &str) -> String {
    name[..name.floor_char_boundary(NAME_KEPT)].to_owned()
}

/// Replacements that came since `before` and take the place of what assertions call.
pub(super) fn signs(before: &Inventories, after: &Inventories, wish: &Wish) -> Vec<TamperSign> {
    if wish.speaks_of_mocks() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (path, file) in after {
        let nothing = TestInventory::default();
        let old = before.get(path).unwrap_or(&nothing);
        let is_subject = |name: &str| match is_setup(path) {
            true => after.values().any(|other| calls(other, name)),
            false => calls(file, name),
        };
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for name in file.replaces.difference(&old.replaces) {
            match name.strip_prefix(MODULE) {
                Some(module) => {
                    let everywhere = after.values().filter(|_| is_setup(path));
                    let imported =
                        [file].into_iter().chain(everywhere).filter_map(|other| other.imports.get(module));
                    names.extend(imported.flatten().map(String::as_str).filter(|name| is_subject(name)));
                }
                None => names.extend([name.as_str()].into_iter().filter(|name| is_subject(name))),
            }
        }
        let imported =
            |file: &TestInventory, name: &str| file.imports.values().any(|names| names.contains(name));
        names.extend(
            file.defines
                .difference(&old.defines)
                .map(String::as_str)
                .filter(|name| imported(old, name) && !imported(file, name) && calls(file, name)),
        );
        if !names.is_empty() {
            let names: Vec<&str> = names.into_iter().collect();
            let what = format!("what the tests call is replaced: {}", shown(&names));
            found.push(TamperSign { kind: TamperKind::SubjectReplaced, path: path.clone(), what });
        }
    }
    found
}

/// Whether an assertion of the file calls the function.
fn calls(file: &TestInventory, name: &str) -> bool {
    file.tests.values().any(|case| case.calls.contains(name))
}

/// A whole module that is replaced.
const MODULE: &str = "module ";

/// The module and the names that a line takes from it.
fn imports(line: &str) -> Vec<(String, Vec<String>)> {
    let names = |list: &str| -> Vec<String> {
        let list = list.trim().trim_matches(|char| "(){}".contains(char));
        let own = |part: &str| {
            let part = part.rsplit([' ', ':']).next().unwrap_or_default();
            part.trim().to_owned()
        };
        list.split(',').map(|part| own(part.trim())).filter(|name| !name.is_empty()).collect()
    };
    if let Some((module, list)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        return vec![(stem(module), names(list))];
    }
    let module = quoted(line).map(stem);
    if let (Some(module), Some(rest)) = (&module, line.strip_prefix("import ")) {
        let list = rest.split(" from ").next().unwrap_or_default().replace("* as", "");
        let taken = names(&list);
        return with_aliases(module, taken);
    }
    let requires = line.contains("require(") || line.contains("await import(");
    if let (Some(module), true, Some((left, _))) = (&module, requires, line.split_once('=')) {
        let left =
            left.trim().trim_start_matches("const ").trim_start_matches("let ").trim_start_matches("var ");
        return with_aliases(module, names(left));
    }
    match line.strip_prefix("import ").filter(|_| module.is_none()) {
        Some(list) => list
            .split(',')
            .filter_map(|part| part.split_whitespace().next_back())
            .map(|name| (name.trim_end_matches(';').to_owned(), Vec::new()))
            .collect(),
        None => Vec::new(),
    }
}

/// A module that is taken whole is known by the name it is given.
fn with_aliases(module: &str, names: Vec<String>) -> Vec<(String, Vec<String>)> {
    let aliases = names.iter().map(|name| (name.clone(), Vec::new())).collect::<Vec<_>>();
    let mut found = vec![(module.to_owned(), names)];
    found.extend(aliases);
    found
}

/// The last part of a module's path, without its extension.
fn stem(module: &str) -> String {
    let name = module
        .trim()
        .rsplit(['/', '.'])
        .find(|part| !["js", "ts", "mjs", "cjs", "jsx", "tsx", ""].contains(part));
    name.unwrap_or_default().to_owned()
}

fn quoted(text: &str) -> Option<&str> {
    let at = text.find(['"', '\'', '`'])?;
    let mark = text[at..].chars().next()?;
    text[at + 1..].split(mark).next()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(text.len());
    &text[..end]
}

fn defined(line: &str) -> Option<&str> {
    if let Some((name, _)) = line.split_once(" = lambda").filter(|(name, _)| identifier(name) == *name) {
        return Some(name);
    }
    let starts = ["def ", "async def ", "function ", "const ", "let ", "var ", "export function "];
    let rest = starts.iter().find_map(|start| line.strip_prefix(start))?;
    let name = identifier(rest);
    let is_function = !line.contains("require(")
        && (line.contains("=>") || line.contains("def ") || line.contains("function"));
    (!name.is_empty() && is_function).then_some(name)
}

/// The name or the module that a line puts something else in the place of.
fn replaced(line: &str, inventory: &TestInventory) -> Option<String> {
    let last = |path: &str| path.rsplit(['.', '/', ':']).next().map(str::to_owned);
    let after = |word: &str| line.split_once(word).map(|(_, rest)| rest);
    for call in ["jest.mock(", "vi.mock(", "mock.module(", "jest.doMock(", "vi.doMock(", "sys.modules["] {
        if let Some(module) = after(call).and_then(quoted) {
            return Some(format!("{MODULE}{}", stem(module)));
        }
    }
    for call in ["setattr(", "patch(", "patch.object(", ".method("] {
        if let Some(name) = after(call).and_then(quoted) {
            return last(name);
        }
    }
    if line.contains(".mock")
        && let Some(name) = after("spyOn(").and_then(quoted)
    {
        return Some(name.to_owned());
    }
    if let Some(rest) = after("receive(:").filter(|_| line.contains("allow")) {
        return Some(identifier(rest).to_owned());
    }
    for call in ["when(", ".Setup("] {
        let called = after(call).and_then(|rest| rest.split_once('(')).map(|(before, _)| before);
        if let Some(name) = called.filter(|called| called.contains('.')).and_then(last) {
            return Some(name);
        }
    }
    let (left, right) = line.split_once('=')?;
    let is_imported = |name: &str| inventory.imports.values().any(|names| names.contains(name));
    if !right.starts_with(['=', '>']) && is_imported(left.trim()) {
        return Some(left.trim().to_owned());
    }
    let (module, name) = left.trim().rsplit_once('.')?;
    let is_assignment = !right.starts_with('=') && !left.ends_with(['!', '<', '>', '+', '-']);
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_.".contains(char))
    };
    let root = module.split('.').next_back().unwrap_or(module);
    let is_imported = inventory.imports.contains_key(root);
    (is_assignment && is_plain(module) && is_plain(name) && is_imported).then(|| name.to_owned())
}
