//! Names and types, when the file is loaded: what comes out can be evaluated without looking anything up.

use regex::RegexBuilder;

use super::{
    ExprError,
    ast::{Ast, Comparison, Id, NodeKind, Operator},
    program::{Facts, Fault, Op, Program, Quantifier, TextTest},
    value::Value,
};
use crate::{
    event_kind::{EventKind, TEXT_NAMES, known_names},
    nearest::nearest,
    problem::{Kind, listed},
    state::{Field, FieldKind},
};

/// An expression that is fit to run.
#[derive(Debug, Clone)]
pub struct Checked {
    pub ast: Ast,
    pub program: Program,
}

/// Parses and checks a boolean expression against the fields there are.
pub fn compile(text: &str, fields: &[Field]) -> Result<Checked, ExprError> {
    let ast = super::parse(text)?;
    let mut checker = Checker { ast: &ast, fields, ops: Vec::new(), locals: Vec::new(), reads: Vec::new() };
    let (root, found) = checker.check(ast.root)?;
    if found != Type::Bool {
        let message = format!("the expression is {}, not a boolean", found.told());
        return Err(ExprError::new(Kind::Type, ast.nodes[ast.root].at, message, "compare it with something"));
    }
    let reads_event = checker.ops.iter().any(|op| matches!(op, Op::EventIs(_) | Op::EventText(_)));
    let program = Program { ops: checker.ops, root, reads: checker.reads, reads_event };
    Ok(Checked { ast, program })
}

impl Checked {
    /// The parts of a conjunction, as written, each with its own answer; nothing when it is not one.
    pub fn parts(&self, text: &str, facts: Facts<'_>) -> Vec<(String, Result<bool, Fault>)> {
        let (NodeKind::And(nodes), Some(ops)) = (self.ast.kind(self.ast.root), self.program.conjuncts())
        else {
            return Vec::new();
        };
        let chars: Vec<char> = text.chars().collect();
        let starts: Vec<usize> = nodes.iter().map(|node| self.ast.start(*node)).collect();
        let ends = starts.iter().skip(1).copied().chain([chars.len()]);
        let texts = starts.iter().zip(ends).map(|(start, end)| {
            let part: String = chars.get(*start..end.max(*start)).unwrap_or_default().iter().collect();
            part.trim().trim_end_matches('(').trim().trim_end_matches("&&").trim().to_owned()
        });
        texts.zip(ops.iter().map(|op| self.program.truth_of(*op, facts))).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Type {
    Bool,
    Integer,
    Number,
    Text,
    Null,
    /// `None`: the empty list, which fits every list.
    List(Option<Box<Type>>),
}

impl Type {
    fn told(&self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Null => "null",
            Self::List(_) => "a list",
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }

    /// Whether values of both can be equal.
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => true,
            (Self::List(a), Self::List(b)) => match (a, b) {
                (Some(a), Some(b)) => a.meets(b),
                _ => true,
            },
            _ => self == other || (self.is_number() && other.is_number()),
        }
    }
}

struct Checker<'c> {
    ast: &'c Ast,
    fields: &'c [Field],
    ops: Vec<Op>,
    locals: Vec<(String, Type)>,
    reads: Vec<usize>,
}

type Found = Result<(usize, Type), ExprError>;

impl Checker<'_> {
    fn op(&mut self, op: Op, found: Type) -> Found {
        self.ops.push(op);
        Ok((self.ops.len() - 1, found))
    }

    fn wrong(&self, id: Id, message: impl Into<String>) -> ExprError {
        ExprError::new(Kind::Type, self.ast.nodes[id].at, message, "types are those of the declared fields")
    }

    /// Checks a part that must have a type.
    fn wanted(&mut self, id: Id, wanted: &Type, by: &str) -> Result<usize, ExprError> {
        let (op, found) = self.check(id)?;
        if &found == wanted || (found.is_number() && *wanted == Type::Number) {
            return Ok(op);
        }
        Err(self.wrong(id, format!("{by} wants {}, and this is {}", wanted.told(), found.told())))
    }

    fn check(&mut self, id: Id) -> Found {
        let ast = self.ast;
        match ast.kind(id) {
            NodeKind::Null => self.op(Op::Constant(Value::Null), Type::Null),
            NodeKind::Bool(value) => self.op(Op::Constant(Value::Bool(*value)), Type::Bool),
            NodeKind::Integer(value) => self.op(Op::Constant(Value::Integer(*value)), Type::Integer),
            NodeKind::Number(value) => self.op(Op::Constant(Value::Number(*value)), Type::Number),
            NodeKind::Text(text) => self.op(Op::Constant(Value::Text(text.clone())), Type::Text),
            NodeKind::List(items) => self.list(items),
            NodeKind::Name(name) => self.name(id, name),
            NodeKind::Select(target, name) => self.select(id, *target, name),
            NodeKind::Index(list, index) => self.index(*list, *index),
            NodeKind::Not(inner) => {
                let inner = self.wanted(*inner, &Type::Bool, "`!`")?;
                self.op(Op::Not(inner), Type::Bool)
            }
            NodeKind::Negate(inner) => {
                let (op, found) = self.check(*inner)?;
                if !found.is_number() {
                    return Err(self.wrong(id, format!("`-` wants a number, and this is {}", found.told())));
                }
                self.op(Op::Negate(op), found)
            }
            NodeKind::And(parts) => {
                let parts = self.booleans(parts, "`&&`")?;
                self.op(Op::And(parts), Type::Bool)
            }
            NodeKind::Or(parts) => {
                let parts = self.booleans(parts, "`||`")?;
                self.op(Op::Or(parts), Type::Bool)
            }
            NodeKind::Implies(a, b) => {
                let parts = self.booleans(&[*a, *b], "`->`")?;
                let (not, _) = self.op(Op::Not(parts[0]), Type::Bool)?;
                self.op(Op::Or(Box::new([not, parts[1]])), Type::Bool)
            }
            NodeKind::Compare(comparison, a, b) => self.compare(id, *comparison, *a, *b),
            NodeKind::In(item, list) => self.membership(id, *item, *list),
            NodeKind::Arithmetic(operator, a, b) => self.arithmetic(id, *operator, *a, *b),
            NodeKind::Choose(condition, yes, no) => self.choose(id, *condition, *yes, *no),
            NodeKind::Call { target, name, arguments } => self.call(id, *target, name, arguments),
        }
    }

    fn booleans(&mut self, parts: &[Id], by: &str) -> Result<Box<[usize]>, ExprError> {
        parts.iter().map(|part| self.wanted(*part, &Type::Bool, by)).collect()
    }

    fn list(&mut self, items: &[Id]) -> Found {
        let mut ops = Vec::new();
        let mut element: Option<Type> = None;
        for &item in items {
            let (op, found) = self.check(item)?;
            match &element {
                Some(first) if !first.meets(&found) => {
                    return Err(self.wrong(item, format!("{} in a list of {}", found.told(), first.told())));
                }
                Some(Type::Null) | None => element = Some(found),
                Some(_) => {}
            }
            ops.push(op);
        }
        self.op(Op::List(ops.into_boxed_slice()), Type::List(element.map(Box::new)))
    }

    fn name(&mut self, id: Id, name: &str) -> Found {
        if let Some(local) = self.locals.iter().rposition(|(known, _)| known == name) {
            let found = self.locals[local].1.clone();
            return self.op(Op::Local(local), found);
        }
        let at = self.ast.nodes[id].at;
        if matches!(name, "state" | "event") {
            return Err(
                self.wrong(id, format!("`{name}` is not a value; name a field of it, such as `{name}.…`"))
            );
        }
        let known = self.fields.iter().map(|field| field.name.as_str());
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean `state.{near}`?"),
            None => "fields are written `state.NAME` and `event.NAME`".to_owned(),
        };
        Err(ExprError::new(Kind::UnknownField, at, format!("there is no `{name}`"), hint))
    }

    fn select(&mut self, id: Id, target: Id, name: &str) -> Found {
        match self.ast.kind(target) {
            NodeKind::Name(root) if root == "state" && !self.is_local(root) => self.state(id, name),
            NodeKind::Name(root) if root == "event" && !self.is_local(root) => self.event(id, name),
            _ => {
                let (_, found) = self.check(target)?;
                Err(self.wrong(id, format!("{} has no field `{name}`", found.told())))
            }
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|(known, _)| known == name)
    }

    fn state(&mut self, id: Id, name: &str) -> Found {
        let Some(slot) = self.fields.iter().position(|field| field.name == name) else {
            let known = self.fields.iter().map(|field| field.name.as_str());
            return Err(self.unknown(id, "state", name, known));
        };
        if !self.reads.contains(&slot) {
            self.reads.push(slot);
        }
        let found = match &self.fields[slot].kind {
            FieldKind::Boolean => Type::Bool,
            FieldKind::Integer => Type::Integer,
            FieldKind::Number => Type::Number,
            FieldKind::Text | FieldKind::Enum(_) => Type::Text,
            FieldKind::List => Type::List(Some(Box::new(Type::Text))),
        };
        self.op(Op::State(slot), found)
    }

    fn event(&mut self, id: Id, name: &str) -> Found {
        if let Some(kind) = EventKind::from_name(name) {
            return self.op(Op::EventIs(kind), Type::Bool);
        }
        match TEXT_NAMES.iter().position(|known| *known == name) {
            Some(index) => self.op(Op::EventText(index), Type::Text),
            None => Err(self.unknown(id, "event", name, known_names())),
        }
    }

    fn unknown<'n>(
        &self,
        id: Id,
        root: &str,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> ExprError {
        let hint = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{root}.{near}`?"),
            None => listed(known),
        };
        let message = format!("there is no field `{root}.{name}`");
        ExprError::new(Kind::UnknownField, self.ast.nodes[id].at, message, hint)
    }

    fn index(&mut self, list: Id, index: Id) -> Found {
        let (list_op, found) = self.check(list)?;
        let Type::List(element) = found else {
            return Err(self.wrong(list, format!("only a list has an index, and this is {}", found.told())));
        };
        let index = self.wanted(index, &Type::Integer, "an index")?;
        self.op(Op::Index(list_op, index), element.map_or(Type::Null, |element| *element))
    }

    fn compare(&mut self, id: Id, comparison: Comparison, a: Id, b: Id) -> Found {
        let (left, left_type) = self.check(a)?;
        let (right, right_type) = self.check(b)?;
        let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let ordered = |found: &Type| matches!(found, Type::Integer | Type::Number | Type::Text | Type::Bool);
        let fits =
            left_type.meets(&right_type) && (equality || (ordered(&left_type) && ordered(&right_type)));
        if !fits {
            let message = format!("{} cannot be compared with {}", left_type.told(), right_type.told());
            return Err(self.wrong(id, message));
        }
        self.word(left, b)?;
        self.word(right, a)?;
        self.op(Op::Compare(comparison, left, right), Type::Bool)
    }

    /// A literal that meets an enum must be one of its words.
    fn word(&self, op: usize, literal: Id) -> Result<(), ExprError> {
        let (Op::State(slot), NodeKind::Text(text)) = (&self.ops[op], self.ast.kind(literal)) else {
            return Ok(());
        };
        let FieldKind::Enum(words) = &self.fields[*slot].kind else { return Ok(()) };
        if words.contains(text) {
            return Ok(());
        }
        let known = words.iter().map(String::as_str);
        let hint = match nearest(text, known.clone()) {
            Some(near) => format!("did you mean \"{near}\"? {}", listed(known)),
            None => listed(known),
        };
        let message = format!("`state.{}` is never {text:?}", self.fields[*slot].name);
        Err(ExprError::new(Kind::BadValue, self.ast.nodes[literal].at, message, hint))
    }

    fn membership(&mut self, id: Id, item: Id, list: Id) -> Found {
        let (item_op, item_type) = self.check(item)?;
        let (list_op, list_type) = self.check(list)?;
        let Type::List(element) = &list_type else {
            return Err(self.wrong(list, format!("`in` wants a list, and this is {}", list_type.told())));
        };
        if element.as_ref().is_some_and(|element| !element.meets(&item_type)) {
            return Err(self.wrong(id, format!("{} is never in this list", item_type.told())));
        }
        if let NodeKind::List(items) = self.ast.kind(list) {
            for &literal in items {
                self.word(item_op, literal)?;
            }
        }
        self.op(Op::In(item_op, list_op), Type::Bool)
    }

    fn arithmetic(&mut self, id: Id, operator: Operator, a: Id, b: Id) -> Found {
        let (left, left_type) = self.check(a)?;
        let (right, right_type) = self.check(b)?;
        let found = match (&left_type, &right_type) {
            (Type::Text, Type::Text) if operator == Operator::Add => Type::Text,
            (Type::Integer, Type::Integer) => Type::Integer,
            (a, b) if a.is_number() && b.is_number() => Type::Number,
            _ => {
                let message =
                    format!("{} and {} cannot be calculated with", left_type.told(), right_type.told());
                return Err(self.wrong(id, message));
            }
        };
        self.op(Op::Arithmetic(operator, left, right), found)
    }

    fn choose(&mut self, id: Id, condition: Id, yes: Id, no: Id) -> Found {
        let condition = self.wanted(condition, &Type::Bool, "`?:`")?;
        let (yes, yes_type) = self.check(yes)?;
        let (no, no_type) = self.check(no)?;
        if !yes_type.meets(&no_type) {
            let message = format!("one branch is {}, the other {}", yes_type.told(), no_type.told());
            return Err(self.wrong(id, message));
        }
        let found = match (yes_type, no_type) {
            (Type::Null, other) => other,
            (Type::Integer, Type::Number) => Type::Number,
            (first, _) => first,
        };
        self.op(Op::Choose(condition, yes, no), found)
    }

    fn call(&mut self, id: Id, target: Option<Id>, name: &str, arguments: &[Id]) -> Found {
        match (target, name, arguments) {
            (None, "has", [field]) => {
                let (op, _) = self.check(*field)?;
                if !matches!(self.ops[op], Op::State(_) | Op::EventText(_)) {
                    return Err(
                        self.wrong(*field, "`has` wants a field, such as `state.score` or `event.actor`")
                    );
                }
                self.op(Op::IsSet(op), Type::Bool)
            }
            (None, "size", [inner]) => self.size(*inner),
            (Some(inner), "size", []) => self.size(inner),
            (None, "int", [inner]) => self.convert(*inner, Op::ToInteger, Type::Integer),
            (None, "double", [inner]) => self.convert(*inner, Op::ToNumber, Type::Number),
            (None, "string", [inner]) => self.convert(*inner, Op::ToText, Type::Text),
            (Some(text), "contains", [part]) => self.test(TextTest::Contains, text, *part),
            (Some(text), "startsWith", [part]) => self.test(TextTest::StartsWith, text, *part),
            (Some(text), "endsWith", [part]) => self.test(TextTest::EndsWith, text, *part),
            (Some(text), "matches", [pattern]) => self.matches(text, *pattern),
            (None, "matches", [text, pattern]) => self.matches(*text, *pattern),
            (Some(list), "filter", [local, body]) => self.filter(list, *local, *body),
            (Some(list), "map", [local, body]) => self.map(list, *local, *body),
            (Some(list), "all", [local, body]) => self.quantify(Quantifier::All, list, *local, *body),
            (Some(list), "exists", [local, body]) => self.quantify(Quantifier::Exists, list, *local, *body),
            (Some(list), "exists_one", [local, body]) => {
                self.quantify(Quantifier::ExistsOne, list, *local, *body)
            }
            _ => Err(self.unknown_function(id, name)),
        }
    }

    fn unknown_function(&self, id: Id, name: &str) -> ExprError {
        let known = FUNCTIONS.iter().map(|(name, _)| *name);
        let at = self.ast.nodes[id].at;
        if let Some((_, usage)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            return ExprError::new(
                Kind::Type,
                at,
                format!("`{name}` is not called like that"),
                format!("write {usage}"),
            );
        }
        let hint = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => listed(known),
        };
        ExprError::new(Kind::UnknownRef, at, format!("there is no function `{name}`"), hint)
    }

    fn size(&mut self, inner: Id) -> Found {
        let (op, found) = self.check(inner)?;
        if !matches!(found, Type::Text | Type::List(_)) {
            return Err(
                self.wrong(inner, format!("`size` wants a string or a list, and this is {}", found.told()))
            );
        }
        self.op(Op::Size(op), Type::Integer)
    }

    fn convert(&mut self, inner: Id, make: fn(usize) -> Op, result: Type) -> Found {
        let (op, found) = self.check(inner)?;
        if matches!(found, Type::List(_) | Type::Null) || (found == Type::Bool && result != Type::Text) {
            return Err(self.wrong(inner, format!("{} cannot become {}", found.told(), result.told())));
        }
        self.op(make(op), result)
    }

    fn test(&mut self, test: TextTest, text: Id, part: Id) -> Found {
        let text = self.wanted(text, &Type::Text, "this function")?;
        let part = self.wanted(part, &Type::Text, "this function")?;
        self.op(Op::Test(test, text, part), Type::Bool)
    }

    fn matches(&mut self, text: Id, pattern: Id) -> Found {
        let text = self.wanted(text, &Type::Text, "`matches`")?;
        let NodeKind::Text(source) = self.ast.kind(pattern) else {
            return Err(self.wrong(pattern, "the pattern of `matches` must stand here as a string"));
        };
        let built = RegexBuilder::new(source).size_limit(1 << 20).dfa_size_limit(1 << 20).build();
        let regex = built.map_err(|error| {
            let message =
                format!("the pattern cannot be read: {}", error.to_string().lines().last().unwrap_or(""));
            ExprError::new(Kind::BadValue, self.ast.nodes[pattern].at, message, "it is RE2 syntax")
        })?;
        self.op(Op::Matches(text, Box::new(regex)), Type::Bool)
    }

    fn quantify(&mut self, quantifier: Quantifier, list: Id, local: Id, body: Id) -> Found {
        let said = self.each(list, local, body)?;
        let body = self.condition(body, said.body)?;
        self.op(Op::Quantify { quantifier, list: said.list, local: said.local, body }, Type::Bool)
    }

    fn filter(&mut self, list: Id, local: Id, body: Id) -> Found {
        let said = self.each(list, local, body)?;
        let body = self.condition(body, said.body)?;
        self.op(Op::Filter { list: said.list, local: said.local, body }, said.list_type)
    }

    fn map(&mut self, list: Id, local: Id, body: Id) -> Found {
        let Each { list, local, body: (body, found), .. } = self.each(list, local, body)?;
        self.op(Op::Map { list, local, body }, Type::List(Some(Box::new(found))))
    }

    /// What is said of each element must be true or false.
    fn condition(&self, id: Id, (op, found): (usize, Type)) -> Result<usize, ExprError> {
        if found == Type::Bool {
            return Ok(op);
        }
        Err(self.wrong(id, format!("the condition wants a boolean, and this is {}", found.told())))
    }

    fn each(&mut self, list: Id, local: Id, body: Id) -> Result<Each, ExprError> {
        let (list_op, found) = self.check(list)?;
        let Type::List(element) = &found else {
            return Err(self.wrong(list, format!("only a list has elements, and this is {}", found.told())));
        };
        let NodeKind::Name(name) = self.ast.kind(local) else {
            return Err(self.wrong(local, "the first argument names the element"));
        };
        let number = self.locals.len();
        let element = element.as_ref().map_or(Type::Null, |element| (**element).clone());
        self.locals.push((name.clone(), element));
        let said = self.check(body);
        self.locals.pop();
        Ok(Each { list: list_op, list_type: found, local: number, body: said? })
    }
}

/// A list, the number of its element's name, and what is said of each element.
struct Each {
    list: usize,
    list_type: Type,
    local: usize,
    body: (usize, Type),
}

const FUNCTIONS: [(&str, &str); 14] = [
    ("has", "`has(state.FIELD)` or `has(event.NAME)`"),
    ("size", "`size(x)` or `x.size()`"),
    ("int", "`int(x)`"),
    ("double", "`double(x)`"),
    ("string", "`string(x)`"),
    ("contains", "`text.contains(part)`"),
    ("startsWith", "`text.startsWith(part)`"),
    ("endsWith", "`text.endsWith(part)`"),
    ("matches", "`text.matches(\"pattern\")`"),
    ("all", "`list.all(x, condition)`"),
    ("exists", "`list.exists(x, condition)`"),
    ("exists_one", "`list.exists_one(x, condition)`"),
    ("filter", "`list.filter(x, condition)`"),
    ("map", "`list.map(x, value)`"),
];
