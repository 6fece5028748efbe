//! The whole file: which keys stand at its top, and the state it declares.

use super::{
    Draft, Named, TableShape,
    fields::{Fields, KeyName, bad_word, core, named, wrong},
    parts,
};
use crate::{
    expr::Value,
    problem::{Kind, Place, Problems},
    state::{Field, FieldKind, Misfit},
    tree::{Content, Core, Tree},
    words::FieldTypeWord,
};
use std::collections::HashSet;

const KEYS: &[KeyName] = &[
    ("version", &[]),
    ("name", &[]),
    ("start", &[]),
    ("nodes", &[]),
    ("state", &[]),
    ("edges", &[]),
    ("policies", &[]),
    ("access_rules", &[]),
    ("claims", &[]),
    ("invariants", &[]),
    ("builtin_off", &[]),
    ("csv", &[]),
];

/// Reads what can be read; everything else is a problem.
pub fn decode(tree: &Tree, problems: &mut Problems) -> Draft {
    let Some(mut fields) = Fields::of(tree, "a protocol", KEYS, problems) else { return Draft::default() };
    // Missing keys at the top belong to the file, not to its first key.
    fields.place = Place::START;
    version(&fields, problems);
    fields.need("nodes", problems);
    let policies = fields.list("policies", problems);
    let invariants = fields.list("invariants", problems);
    let nodes = fields.list("nodes", problems);
    Draft {
        name: fields.text("name", problems).unwrap_or_else(|| "protocol".to_owned()),
        // Without any nodes it is their absence that is said, not that of each name.
        start: fields.named("start", problems).filter(|_| fields.get("nodes").is_some()),
        named_nodes: ids(nodes, &["id"]),
        named_policies: ids(policies, &["id", "policy_id"]),
        named_invariants: ids(invariants, &["invariant_id"]),
        nodes: nodes.iter().filter_map(|item| parts::node(item, problems)).collect(),
        named_fields: fields.get("state").map(keys).unwrap_or_default(),
        fields: fields.get("state").map(|tree| state(tree, problems)).unwrap_or_default(),
        edges: fields.each("edges", parts::edge, problems),
        policies: policies.iter().filter_map(|item| parts::policy(item, problems)).collect(),
        access_rules: fields.each("access_rules", parts::access_rule, problems),
        claims: fields.each("claims", parts::claim, problems),
        invariants: invariants.iter().filter_map(|item| parts::invariant(item, problems)).collect(),
        off: fields.each("builtin_off", parts::off, problems),
        table: fields.get("csv").and_then(|tree| table(tree, problems)),
    }
}

/// Reads the edges and the shape of their table, and looks at nothing else.
pub fn decode_edges(tree: &Tree, problems: &mut Problems) -> Draft {
    let Some(fields) = Fields::of(tree, "a protocol", KEYS, &mut Problems::default()) else {
        wrong::<()>(tree, "a mapping", problems);
        return Draft::default();
    };
    Draft {
        edges: fields.each("edges", parts::edge, problems),
        table: fields.get("csv").and_then(|tree| table(tree, problems)),
        ..Draft::default()
    }
}

/// The ids that stand in a list, also of items that are otherwise wrong: a reference to one is not unknown.
fn ids(items: &[Tree], keys: &[&str]) -> HashSet<String> {
    let entries = items.iter().filter_map(|item| match &item.content {
        Content::Map(entries) => Some(entries),
        _ => None,
    });
    entries
        .flatten()
        .filter(|(key, _)| keys.contains(&key.text.as_str()))
        .map(|(_, value)| parts::cell(value))
        .collect()
}

/// The keys of a mapping, also of values that are wrong.
fn keys(tree: &Tree) -> HashSet<String> {
    match &tree.content {
        Content::Map(entries) => entries.iter().map(|(key, _)| key.text.clone()).collect(),
        _ => HashSet::new(),
    }
}

fn version(fields: &Fields<'_>, problems: &mut Problems) {
    let Some(tree) = fields.need("version", problems) else { return };
    match core(tree) {
        Some(Core::Integer(1)) => {}
        Some(Core::Integer(other)) => {
            problems.add(Kind::BadValue, tree.place, format!("version {other} is not known"), "one of: 1");
        }
        _ => drop(wrong::<()>(tree, "an integer", problems)),
    }
}

fn state(tree: &Tree, problems: &mut Problems) -> Vec<(Field, Place)> {
    let entries = match &tree.content {
        Content::Map(entries) => entries,
        Content::Scalar(scalar) if scalar.core() == Core::Null => return Vec::new(),
        _ => {
            wrong::<()>(tree, "a mapping of fields", problems);
            return Vec::new();
        }
    };
    let mut declared = Vec::new();
    for (key, value) in entries {
        let plain = key.text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
            && key.text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
        if !plain || matches!(key.text.as_str(), "true" | "false" | "null" | "in") {
            let hint = "letters, digits and underscores, no digit first, no word of the expression language";
            problems.add(Kind::BadValue, key.place, format!("`{}` cannot be a field's name", key.text), hint);
        }
        if let Some(field) = field(&key.text, value, problems) {
            declared.push((field, key.place));
        }
    }
    declared
}

const FIELD: &[KeyName] =
    &[("type", &[]), ("values", &[]), ("default", &[]), ("nullable", &[]), ("min", &[]), ("max", &[])];

fn field(name: &str, tree: &Tree, problems: &mut Problems) -> Option<Field> {
    let fields = Fields::of(tree, "a state field", FIELD, problems)?;
    let word = fields.needed_word("type", FieldTypeWord::ALL, problems)?;
    let values = fields.names("values", problems);
    let kind = match word {
        FieldTypeWord::Boolean => FieldKind::Boolean,
        FieldTypeWord::Integer => FieldKind::Integer,
        FieldTypeWord::Number => FieldKind::Number,
        FieldTypeWord::Text => FieldKind::Text,
        FieldTypeWord::List => FieldKind::List,
        FieldTypeWord::Enum => {
            let listed = fields.need("values", problems)?;
            if values.is_empty() {
                problems.add(Kind::BadValue, listed.place, "an enum needs words", "values: [one, two]");
                return None;
            }
            unique(&values, "word", problems);
            FieldKind::Enum(values.iter().map(|word| word.text.clone()).collect())
        }
    };
    misplaced(&fields, &kind, problems);
    let nullable = fields.boolean("nullable", problems).unwrap_or(false);
    let (min, max) = (fields.number("min", problems), fields.number("max", problems));
    if let (Some(low), Some(high), Some(tree)) = (min, max, fields.get("max"))
        && low > high
    {
        problems.add(
            Kind::BadValue,
            tree.place,
            format!("`max` {high} is below `min` {low}"),
            "exchange them",
        );
    }
    let mut field =
        Field { name: name.to_owned(), kind, nullable, min, max, default: Value::Null, read_only: false };
    // A wrong default leaves the type known: expressions are held to it all the same.
    let given = fields.get("default").and_then(|tree| default(&field, tree, problems));
    field.default = given.unwrap_or_else(|| zero(&field));
    Some(field)
}

/// Keys that belong to another type of field.
fn misplaced(fields: &Fields<'_>, kind: &FieldKind, problems: &mut Problems) {
    let numeric = matches!(kind, FieldKind::Integer | FieldKind::Number);
    let is_enum = matches!(kind, FieldKind::Enum(_));
    for (key, fits) in [("min", numeric), ("max", numeric), ("values", is_enum)] {
        if let Some(tree) = fields.get(key).filter(|_| !fits) {
            let hint = if key == "values" { "type: enum" } else { "type: integer or number" };
            problems.add(Kind::BadValue, tree.place, format!("`{key}` means nothing for this type"), hint);
        }
    }
}

fn default(field: &Field, tree: &Tree, problems: &mut Problems) -> Option<Value> {
    let given = match &tree.content {
        Content::List(list) => {
            Value::List(list.iter().filter_map(|item| named(item, problems)).map(|item| item.text).collect())
        }
        Content::Map(_) => return wrong(tree, &field.told(), problems),
        Content::Scalar(scalar) => match scalar.core() {
            Core::Null => Value::Null,
            Core::Bool(value) => Value::Bool(value),
            Core::Integer(value) => Value::Integer(value),
            Core::Number(value) => Value::Number(value),
            Core::Text(text) => Value::Text(text.to_owned()),
        },
    };
    match field.fit(given) {
        Ok(value) => Some(value),
        Err(Misfit::Type | Misfit::Null) => wrong(tree, &field.told(), problems),
        Err(Misfit::Range) => {
            problems.add(
                Kind::BadValue,
                tree.place,
                "the default is outside of min and max",
                "move it inside",
            );
            None
        }
        Err(Misfit::Word) => {
            if let (FieldKind::Enum(words), Some(word)) = (&field.kind, named(tree, problems)) {
                bad_word(&word, "default", words.iter().map(String::as_str), problems);
            }
            None
        }
    }
}

/// What a field holds when nothing is said: null, else nothing, else the least that fits.
fn zero(field: &Field) -> Value {
    let number = 0.0_f64.max(field.min.unwrap_or(f64::MIN)).min(field.max.unwrap_or(f64::MAX));
    match &field.kind {
        _ if field.nullable => Value::Null,
        FieldKind::Boolean => Value::Bool(false),
        #[expect(clippy::cast_possible_truncation, reason = "a bound of an integer field is an integer")]
        FieldKind::Integer => Value::Integer(number.ceil() as i64),
        FieldKind::Number => Value::Number(number),
        FieldKind::Text => Value::Text(String::new()),
        FieldKind::Enum(words) => Value::Text(words.first().cloned().unwrap_or_default()),
        FieldKind::List => Value::List(Vec::new()),
    }
}

/// Reports names that stand twice.
pub fn unique(names: &[Named], what: &str, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.text.as_str()) {
            let message = format!("the {what} `{}` is there already", name.text);
            problems.add(Kind::DuplicateId, name.place, message, "give it another name or take it out");
        }
    }
}

const TABLE: &[KeyName] = &[("columns", &[]), ("bom", &[]), ("crlf", &[]), ("last_line_open", &[])];

fn table(tree: &Tree, problems: &mut Problems) -> Option<TableShape> {
    let fields = Fields::of(tree, "csv", TABLE, problems)?;
    let columns = match fields.get("columns").map(|tree| &tree.content) {
        Some(Content::List(items)) => items.iter().map(parts::cell).collect(),
        _ => Vec::new(),
    };
    Some(TableShape {
        columns,
        bom: fields.boolean("bom", problems).unwrap_or(false),
        crlf: fields.boolean("crlf", problems).unwrap_or(false),
        last_line_open: fields.boolean("last_line_open", problems).unwrap_or(false),
    })
}
