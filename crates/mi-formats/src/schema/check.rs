//! Whether a value keeps the rules of a schema.
//!
//! Holds: the walk goes no deeper than [`MOST_STEPS`], the value than [`DEEPEST_VALUE`]; more is a misfit. A choice (`anyOf`, `oneOf`) is one
//! misfit at its own place, whatever its branches say.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::{Misfit, NodeId, Rule, Type, compile::escaped};

/// As deep as JSON text is read; showing a deeper value would recurse as deeply.
const DEEPEST_VALUE: usize = 128;
/// Steps into a value or from one schema to another.
const MOST_STEPS: usize = 512;
const TOO_DEEP: &str = "The value is nested too deeply to be checked";

pub(super) fn misfits<'v>(nodes: &[Vec<Rule>], value: &'v Value) -> Vec<Misfit<'v>> {
    let mut walk = Walk { nodes, place: Vec::new(), found: Vec::new() };
    if is_too_deep(value) {
        walk.tell_alone(TOO_DEEP.to_owned());
    } else {
        walk.visit(0, value, 0);
    }
    walk.found
}

struct Walk<'s, 'v> {
    nodes: &'s [Vec<Rule>],
    place: Vec<Step<'v>>,
    found: Vec<Misfit<'v>>,
}

#[derive(Clone, Copy)]
enum Step<'v> {
    Field(&'v str),
    Item(usize),
}

impl<'v> Walk<'_, 'v> {
    fn visit(&mut self, node: NodeId, value: &'v Value, depth: usize) {
        if depth == MOST_STEPS {
            return self.tell_alone(TOO_DEEP.to_owned());
        }
        let nodes = self.nodes;
        for rule in &nodes[node] {
            if self.of_any_type(rule, value, depth) {
                continue;
            }
            match value {
                Value::Object(fields) => self.object(rule, value, fields, depth),
                Value::Array(items) => self.array(rule, value, items, depth),
                Value::String(text) => self.text(rule, value, text),
                Value::Number(number) => self.number(rule, value, number),
                Value::Null | Value::Bool(_) => {}
            }
        }
    }

    /// Whether the rule is one for values of every type; if so, it is checked.
    fn of_any_type(&mut self, rule: &Rule, value: &'v Value, depth: usize) -> bool {
        match rule {
            Rule::Never => self.tell(value, "is not allowed here"),
            Rule::Type(types) if types.iter().any(|one| is_of_type(value, *one)) => {}
            Rule::Type(types) => self.tell(value, type_words(types)),
            Rule::Enum(options) if options.iter().any(|option| same(option, value)) => {}
            Rule::Enum(options) => self.tell(value, format!("is not one of {}", alternatives(options))),
            Rule::Const(expected) if same(expected, value) => {}
            Rule::Const(expected) => self.tell_alone(format!("{expected} was expected")),
            Rule::AllOf(nodes) => nodes.iter().for_each(|node| self.visit(*node, value, depth + 1)),
            Rule::AnyOf(nodes) => {
                if !nodes.iter().any(|node| self.fits(*node, value, depth)) {
                    self.tell(value, "is not valid under any of the schemas listed in the 'anyOf' keyword");
                }
            }
            Rule::OneOf(nodes) => match nodes.iter().filter(|node| self.fits(**node, value, depth)).count() {
                0 => self.tell(value, "is not valid under any of the schemas listed in the 'oneOf' keyword"),
                1 => {}
                _ => self
                    .tell(value, "is valid under more than one of the schemas listed in the 'oneOf' keyword"),
            },
            Rule::If { condition, then, otherwise } => {
                let branch = if self.fits(*condition, value, depth) { then } else { otherwise };
                if let Some(node) = branch {
                    self.visit(*node, value, depth + 1);
                }
            }
            _ => return false,
        }
        true
    }

    fn object(&mut self, rule: &Rule, value: &'v Value, fields: &'v Map<String, Value>, depth: usize) {
        match rule {
            Rule::Required(names) => {
                for name in names.iter().filter(|name| !fields.contains_key(*name)) {
                    self.tell_alone(format!("{} is a required property", Value::from(name.as_str())));
                }
            }
            Rule::Properties(properties) => {
                for (name, node) in properties {
                    if let Some((name, field)) = fields.get_key_value(name) {
                        self.enter(Step::Field(name), *node, field, depth);
                    }
                }
            }
            Rule::NoOthers(known) => {
                let others: Vec<String> =
                    others(fields, known).map(|(name, _)| format!("'{name}'")).collect();
                let verb = if others.len() == 1 { "was" } else { "were" };
                if !others.is_empty() {
                    let list = others.join(", ");
                    self.tell_alone(format!(
                        "Additional properties are not allowed ({list} {verb} unexpected)"
                    ));
                }
            }
            Rule::Others { known, node } => {
                for (name, field) in others(fields, known) {
                    self.enter(Step::Field(name), *node, field, depth);
                }
            }
            Rule::PropertyNames(node) => {
                for name in fields.keys() {
                    if !self.fits(*node, &Value::from(name.as_str()), depth) {
                        self.tell(value, format!("has a field of the name '{name}', which is not allowed"));
                    }
                }
            }
            _ => {}
        }
    }

    fn array(&mut self, rule: &Rule, value: &'v Value, items: &'v [Value], depth: usize) {
        match rule {
            Rule::MinItems(least) if items.len() < *least => {
                self.tell(value, format!("has less than {}", counted(*least, "item")));
            }
            Rule::MaxItems(most) if items.len() > *most => {
                self.tell(value, format!("has more than {}", counted(*most, "item")));
            }
            Rule::Items(node) => {
                for (index, item) in items.iter().enumerate() {
                    self.enter(Step::Item(index), *node, item, depth);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, rule: &Rule, value: &'v Value, text: &str) {
        match rule {
            Rule::MinLength(least) if text.chars().take(*least).count() < *least => {
                self.tell(value, format!("is shorter than {}", counted(*least, "character")));
            }
            Rule::MaxLength(most) if text.chars().nth(*most).is_some() => {
                self.tell(value, format!("is longer than {}", counted(*most, "character")));
            }
            Rule::Pattern { source, regex } if !regex.is_match(text) => {
                self.tell(value, format!("does not match \"{source}\""));
            }
            _ => {}
        }
    }

    fn number(&mut self, rule: &Rule, value: &'v Value, number: &Number) {
        match rule {
            Rule::Minimum(least) if compare(number, least) == Some(Ordering::Less) => {
                self.tell(value, format!("is less than the minimum of {least}"));
            }
            Rule::Maximum(most) if compare(number, most) == Some(Ordering::Greater) => {
                self.tell(value, format!("is greater than the maximum of {most}"));
            }
            _ => {}
        }
    }

    fn enter(&mut self, step: Step<'v>, node: NodeId, value: &'v Value, depth: usize) {
        self.place.push(step);
        self.visit(node, value, depth + 1);
        self.place.pop();
    }

    fn fits(&self, node: NodeId, value: &Value, depth: usize) -> bool {
        let mut walk = Walk { nodes: self.nodes, place: Vec::new(), found: Vec::new() };
        walk.visit(node, value, depth + 1);
        walk.found.is_empty()
    }

    fn tell(&mut self, value: &'v Value, words: impl Into<String>) {
        self.found.push(Misfit { pointer: self.pointer(), value: Some(value), words: words.into() });
    }

    fn tell_alone(&mut self, words: String) {
        self.found.push(Misfit { pointer: self.pointer(), value: None, words });
    }

    fn pointer(&self) -> String {
        let step = |step: &Step<'_>| match step {
            Step::Field(name) => format!("/{}", escaped(name)),
            Step::Item(index) => format!("/{index}"),
        };
        self.place.iter().map(step).collect()
    }
}

fn is_too_deep(value: &Value) -> bool {
    let mut waiting = vec![(value, 0)];
    while let Some((value, depth)) = waiting.pop() {
        if depth > DEEPEST_VALUE {
            return true;
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => waiting.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    false
}

fn is_of_type(value: &Value, one: Type) -> bool {
    match (one, value) {
        (Type::Array, Value::Array(_))
        | (Type::Boolean, Value::Bool(_))
        | (Type::Null, Value::Null)
        | (Type::Number, Value::Number(_))
        | (Type::Object, Value::Object(_))
        | (Type::String, Value::String(_)) => true,
        (Type::Integer, Value::Number(number)) => {
            whole(number).is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

fn type_words(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(|one| format!("\"{}\"", one.name())).collect();
    format!("is not of type{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

fn alternatives(options: &[Value]) -> String {
    let told: Vec<String> = options.iter().map(Value::to_string).collect();
    match told.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => told.concat(),
    }
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// The fields that the schema does not name.
fn others<'v>(
    fields: &'v Map<String, Value>,
    known: &[String],
) -> impl Iterator<Item = (&'v String, &'v Value)> {
    fields.iter().filter(|(name, _)| !known.contains(name))
}

/// Equality with a scalar; `1` and `1.0` are one number.
fn same(expected: &Value, value: &Value) -> bool {
    match (expected, value) {
        (Value::Number(one), Value::Number(other)) => compare(one, other) == Some(Ordering::Equal),
        _ => expected == value,
    }
}

/// Exact also where a float could not hold the integer.
fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// The number as an integer, if it is one and not beyond what any integer type of JSON's users holds.
fn whole(number: &Number) -> Option<i128> {
    const BEYOND: f64 = 1e30;
    let float = || number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < BEYOND);
    number
        .as_i64()
        .map(i128::from)
        .or(number.as_u64().map(i128::from))
        .or_else(|| float().map(|float| float as i128))
}
