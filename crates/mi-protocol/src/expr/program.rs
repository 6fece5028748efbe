//! A checked expression on slots: evaluation borrows, allocates only for computed texts, and always ends.

use regex::Regex;
use std::{borrow::Cow, cell::Cell, cmp::Ordering, fmt};

use super::{
    ast::{Comparison, Operator},
    calculate::{Number, arithmetic, compared, integers, length, numbers, to_integer, to_number, to_text},
    value::{Value, View},
};
use crate::event_kind::{EventKind, EventTexts};

/// Steps of one evaluation; only quantifiers over long lists come near.
const MOST_STEPS: u32 = 100_000;

#[derive(Debug, Clone)]
pub struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) root: usize,
    /// The state slots that it reads, each once.
    pub reads: Vec<usize>,
    /// Whether it reads `event.*`, so that its result is no one else's.
    pub reads_event: bool,
}

/// What an expression can see.
#[derive(Clone, Copy)]
pub struct Facts<'f> {
    pub state: &'f [Value],
    pub event: EventKind,
    pub texts: &'f EventTexts<'f>,
}

#[derive(Debug, Clone)]
pub(super) enum Op {
    Constant(Value),
    State(usize),
    EventIs(EventKind),
    EventText(usize),
    /// The element that a quantifier looks at.
    Local(usize),
    Not(usize),
    Negate(usize),
    And(Box<[usize]>),
    Or(Box<[usize]>),
    Compare(Comparison, usize, usize),
    In(usize, usize),
    Arithmetic(Operator, usize, usize),
    Choose(usize, usize, usize),
    Index(usize, usize),
    List(Box<[usize]>),
    IsSet(usize),
    Size(usize),
    Test(TextTest, usize, usize),
    Matches(usize, Box<Regex>),
    ToInteger(usize),
    ToNumber(usize),
    ToText(usize),
    Quantify {
        quantifier: Quantifier,
        list: usize,
        local: usize,
        body: usize,
    },
    /// The elements for which the body holds.
    Filter {
        list: usize,
        local: usize,
        body: usize,
    },
    /// What the body makes of each element.
    Map {
        list: usize,
        local: usize,
        body: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextTest {
    Contains,
    StartsWith,
    EndsWith,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    DivisionByZero,
    Overflow,
    Null,
    NoSuchIndex,
    NotConvertible,
    TooManySteps,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DivisionByZero => "division by zero",
            Self::Overflow => "the result is too large",
            Self::Null => "a value is null",
            Self::NoSuchIndex => "there is no such index",
            Self::NotConvertible => "the value cannot be converted",
            Self::TooManySteps => "the evaluation took too many steps",
        })
    }
}

impl Program {
    /// Whether it holds.
    pub fn truth(&self, facts: Facts<'_>) -> Result<bool, Fault> {
        self.truth_of(self.root, facts)
    }

    pub(super) fn truth_of(&self, op: usize, facts: Facts<'_>) -> Result<bool, Fault> {
        let run = Run { ops: &self.ops, facts, steps: Cell::new(0) };
        run.truth(op, &Locals::none())
    }

    /// The operations of a conjunction, in the order written.
    pub(super) fn conjuncts(&self) -> Option<&[usize]> {
        match &self.ops[self.root] {
            Op::And(parts) => Some(parts),
            _ => None,
        }
    }
}

struct Run<'r> {
    ops: &'r [Op],
    facts: Facts<'r>,
    steps: Cell<u32>,
}

/// The elements of the quantifiers around an operation, innermost first.
struct Locals<'l> {
    own: Option<(usize, &'l View<'l>)>,
    outer: Option<&'l Locals<'l>>,
}

impl<'l> Locals<'l> {
    fn none() -> Self {
        Self { own: None, outer: None }
    }

    fn find(&self, local: usize) -> Option<&'l View<'l>> {
        match self.own {
            Some((number, value)) if number == local => Some(value),
            _ => self.outer.and_then(|outer| outer.find(local)),
        }
    }
}

impl<'r> Run<'r> {
    fn count(&self) -> Result<(), Fault> {
        let steps = self.steps.get().saturating_add(1);
        self.steps.set(steps);
        if steps > MOST_STEPS { Err(Fault::TooManySteps) } else { Ok(()) }
    }

    /// Texts that are made cost steps too, so that they cannot fill the memory.
    fn made(&self, bytes: usize) -> Result<(), Fault> {
        let steps = self.steps.get().saturating_add(u32::try_from(bytes / 1024).unwrap_or(u32::MAX));
        self.steps.set(steps);
        if steps > MOST_STEPS { Err(Fault::TooManySteps) } else { Ok(()) }
    }

    fn truth(&self, id: usize, locals: &Locals<'_>) -> Result<bool, Fault> {
        self.count()?;
        match &self.ops[id] {
            Op::State(slot) => match &self.facts.state[*slot] {
                Value::Bool(value) => Ok(*value),
                _ => Err(Fault::Null),
            },
            Op::EventIs(kind) => Ok(self.facts.event == *kind),
            Op::Not(inner) => self.truth(*inner, locals).map(|value| !value),
            Op::And(parts) => self.absorbing(parts, false, locals),
            Op::Or(parts) => self.absorbing(parts, true, locals),
            Op::Compare(comparison, a, b) => self.compare(*comparison, *a, *b, locals),
            Op::In(item, list) => self.contains(*item, *list, locals),
            Op::Choose(condition, yes, no) => {
                self.truth(if self.truth(*condition, locals)? { *yes } else { *no }, locals)
            }
            Op::IsSet(inner) => Ok(match self.value(*inner, locals)? {
                View::Null => false,
                // The texts of an event are empty when absent.
                View::Text(text) => !text.is_empty() || !matches!(self.ops[*inner], Op::EventText(_)),
                _ => true,
            }),
            Op::Test(test, text, part) => {
                let (text, part) = (self.text(*text, locals)?, self.text(*part, locals)?);
                Ok(match test {
                    TextTest::Contains => text.contains(&*part),
                    TextTest::StartsWith => text.starts_with(&*part),
                    TextTest::EndsWith => text.ends_with(&*part),
                })
            }
            Op::Matches(text, pattern) => Ok(pattern.is_match(&self.text(*text, locals)?)),
            Op::Quantify { quantifier, list, local, body } => {
                self.quantify(*quantifier, *list, *local, *body, locals)
            }
            _ => match self.value(id, locals)? {
                View::Bool(value) => Ok(value),
                _ => Err(Fault::Null),
            },
        }
    }

    /// CEL's `&&` and `||`: one part that decides makes up for another that has no value.
    fn absorbing(&self, parts: &[usize], decides: bool, locals: &Locals<'_>) -> Result<bool, Fault> {
        let mut fault = None;
        for part in parts {
            match self.truth(*part, locals) {
                Ok(value) if value == decides => return Ok(decides),
                Ok(_) => {}
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        fault.map_or(Ok(!decides), Err)
    }

    fn compare(
        &self,
        comparison: Comparison,
        a: usize,
        b: usize,
        locals: &Locals<'_>,
    ) -> Result<bool, Fault> {
        if let (Some(a), Some(b)) = (self.plain(a), self.plain(b)) {
            return compared(comparison, || a.equals(b), || a.order(b));
        }
        let (left, right) = (self.number(a), self.number(b));
        match (left, right) {
            (Number::Fault(fault), _) | (_, Number::Fault(fault)) => return Err(fault),
            (Number::Other, _) | (_, Number::Other) => {}
            _ => {
                let order = left.order(right);
                return compared(comparison, || order == Some(Ordering::Equal), || order);
            }
        }
        let (a, b) = (self.value(a, locals)?, self.value(b, locals)?);
        compared(comparison, || a.equals(&b), || a.order(&b))
    }

    /// A field or a constant, where it stands: most operands are one, and need no copy.
    fn plain(&self, id: usize) -> Option<&'r Value> {
        match &self.ops[id] {
            Op::Constant(value) => Some(value),
            Op::State(slot) => self.facts.state.get(*slot),
            _ => None,
        }
    }

    /// A number made of fields and constants.
    fn number(&self, id: usize) -> Number {
        let (operator, a, b) = match &self.ops[id] {
            Op::Arithmetic(operator, a, b) => (*operator, self.number(*a), self.number(*b)),
            Op::Constant(value) => return Number::of(value),
            Op::State(slot) => return Number::of(&self.facts.state[*slot]),
            _ => return Number::Other,
        };
        let result = match (a, b) {
            (Number::Real(a), Number::Real(b)) => numbers(operator, a, b).map(Number::Real),
            (Number::Whole(a), Number::Whole(b)) => integers(operator, a, b).map(Number::Whole),
            (Number::Fault(fault), _) | (_, Number::Fault(fault)) => Err(fault),
            (Number::Other, _) | (_, Number::Other) => return Number::Other,
            (a, b) => numbers(operator, a.real(), b.real()).map(Number::Real),
        };
        result.unwrap_or_else(Number::Fault)
    }

    fn contains(&self, item: usize, list: usize, locals: &Locals<'_>) -> Result<bool, Fault> {
        if let (Op::List(parts), Some(item)) = (&self.ops[list], self.plain(item)) {
            return any_of(parts, |part| match self.plain(part) {
                Some(value) => Ok(value.equals(item)),
                None => Ok(self.value(part, locals)?.equals(&item.view())),
            });
        }
        let item = self.value(item, locals)?;
        if let Op::List(parts) = &self.ops[list] {
            return any_of(parts, |part| Ok(self.value(part, locals)?.equals(&item)));
        }
        match (self.value(list, locals)?, &item) {
            (View::Texts(texts), View::Text(text)) => Ok(texts.iter().any(|other| other == text)),
            (View::Texts(_), _) => Ok(false),
            (View::List(items), item) => Ok(items.iter().any(|other| other.equals(item))),
            _ => Err(Fault::Null),
        }
    }

    fn text<'l>(&'l self, id: usize, locals: &Locals<'l>) -> Result<Cow<'l, str>, Fault> {
        match self.value(id, locals)? {
            View::Text(text) => Ok(text),
            _ => Err(Fault::Null),
        }
    }

    fn value<'l>(&'l self, id: usize, locals: &Locals<'l>) -> Result<View<'l>, Fault> {
        self.count()?;
        Ok(match &self.ops[id] {
            Op::Constant(value) => value.view(),
            Op::State(slot) => self.facts.state[*slot].view(),
            Op::EventText(index) => View::Text(Cow::Borrowed(self.facts.texts[*index])),
            Op::Local(local) => locals.find(*local).cloned().ok_or(Fault::Null)?,
            Op::Negate(inner) => match self.value(*inner, locals)? {
                View::Integer(value) => View::Integer(value.checked_neg().ok_or(Fault::Overflow)?),
                View::Number(value) => View::Number(-value),
                _ => return Err(Fault::Null),
            },
            Op::Arithmetic(operator, a, b) => {
                let result = arithmetic(*operator, self.value(*a, locals)?, self.value(*b, locals)?)?;
                if let View::Text(text) = &result {
                    self.made(text.len())?;
                }
                result
            }
            Op::Choose(condition, yes, no) => {
                self.value(if self.truth(*condition, locals)? { *yes } else { *no }, locals)?
            }
            Op::Index(list, index) => self.index(*list, *index, locals)?,
            Op::List(items) => {
                View::List(items.iter().map(|item| self.value(*item, locals)).collect::<Result<_, _>>()?)
            }
            Op::Size(inner) => match self.value(*inner, locals)? {
                View::Text(text) => View::Integer(length(text.chars().count())),
                View::Texts(texts) => View::Integer(length(texts.len())),
                View::List(items) => View::Integer(length(items.len())),
                _ => return Err(Fault::Null),
            },
            Op::ToInteger(inner) => to_integer(&self.value(*inner, locals)?)?,
            Op::ToNumber(inner) => to_number(&self.value(*inner, locals)?)?,
            Op::ToText(inner) => to_text(self.value(*inner, locals)?)?,
            Op::Filter { list, local, body } => self.filter(*list, *local, *body, locals)?,
            Op::Map { list, local, body } => self.map(*list, *local, *body, locals)?,
            _ => View::Bool(self.truth(id, locals)?),
        })
    }

    fn index<'l>(&'l self, list: usize, index: usize, locals: &Locals<'l>) -> Result<View<'l>, Fault> {
        let View::Integer(index) = self.value(index, locals)? else { return Err(Fault::Null) };
        let index = usize::try_from(index).map_err(|_| Fault::NoSuchIndex)?;
        match self.value(list, locals)? {
            View::Texts(texts) => texts
                .get(index)
                .map(|text| View::Text(Cow::Borrowed(text.as_str())))
                .ok_or(Fault::NoSuchIndex),
            View::List(mut items) if index < items.len() => Ok(items.swap_remove(index)),
            View::List(_) => Err(Fault::NoSuchIndex),
            _ => Err(Fault::Null),
        }
    }

    fn items<'l>(&'l self, list: usize, locals: &Locals<'l>) -> Result<Vec<View<'l>>, Fault> {
        match self.value(list, locals)? {
            View::Texts(texts) => {
                Ok(texts.iter().map(|text| View::Text(Cow::Borrowed(text.as_str()))).collect())
            }
            View::List(items) => Ok(items),
            _ => Err(Fault::Null),
        }
    }

    fn filter<'l>(
        &'l self,
        list: usize,
        local: usize,
        body: usize,
        locals: &Locals<'l>,
    ) -> Result<View<'l>, Fault> {
        let mut kept = Vec::new();
        for item in self.items(list, locals)? {
            let inner = Locals { own: Some((local, &item)), outer: Some(locals) };
            if self.truth(body, &inner)? {
                kept.push(item);
            }
        }
        Ok(View::List(kept))
    }

    fn map<'l>(
        &'l self,
        list: usize,
        local: usize,
        body: usize,
        locals: &Locals<'l>,
    ) -> Result<View<'l>, Fault> {
        let mut made = Vec::new();
        for item in self.items(list, locals)? {
            let inner = Locals { own: Some((local, &item)), outer: Some(locals) };
            let value = self.value(body, &inner)?.into_owned();
            if let View::Text(text) = &value {
                self.made(text.len())?;
            }
            made.push(value);
        }
        Ok(View::List(made))
    }

    fn quantify(
        &self,
        quantifier: Quantifier,
        list: usize,
        local: usize,
        body: usize,
        locals: &Locals<'_>,
    ) -> Result<bool, Fault> {
        let items = self.items(list, locals)?;
        let (mut found, mut fault) = (0_usize, None);
        for item in &items {
            let inner = Locals { own: Some((local, item)), outer: Some(locals) };
            match (quantifier, self.truth(body, &inner)) {
                (_, Err(Fault::TooManySteps)) => return Err(Fault::TooManySteps),
                (Quantifier::ExistsOne, Err(error)) => return Err(error),
                (_, Err(error)) => fault = fault.or(Some(error)),
                (Quantifier::All, Ok(false)) => return Ok(false),
                (Quantifier::Exists, Ok(true)) => return Ok(true),
                (_, Ok(value)) => found += usize::from(value),
            }
        }
        match (fault, quantifier) {
            (Some(fault), _) => Err(fault),
            (None, Quantifier::All) => Ok(true),
            (None, Quantifier::Exists) => Ok(false),
            (None, Quantifier::ExistsOne) => Ok(found == 1),
        }
    }
}

/// Whether a part of a written list is the one. All of them are looked at: a list of which one part has no value has
/// none itself, wherever in it that part stands.
fn any_of(parts: &[usize], mut is_it: impl FnMut(usize) -> Result<bool, Fault>) -> Result<bool, Fault> {
    let mut found = false;
    for part in parts {
        found |= is_it(*part)?;
    }
    Ok(found)
}
