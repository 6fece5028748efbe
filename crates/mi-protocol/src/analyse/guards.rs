//! Whether a guard can hold, and whether it can fail: by cases over what its fields can be.
//!
//! A guard becomes a list of cases for "true", "false" and "no value". A case is a set of values per field, an order
//! per pair of fields, and answers of parts that are not understood. A case that contradicts itself falls away; when
//! none is left, that is a proof.

use std::collections::{BTreeMap, HashMap};

use super::domain::{Domain, Values};
use crate::{
    event_kind::EventKind,
    expr::{
        Value,
        ast::{Ast, Comparison, Id, NodeKind},
    },
    protocol::{Edge, ExprId, Protocol},
    state::{FieldKind, slot},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Never,
    Always,
    Sometimes,
    /// Neither was proven, and parts were not understood.
    Unknown,
}

/// More cases than this are not looked at.
const MOST_CASES: usize = 256;

pub fn answers(protocol: &Protocol) -> Vec<Answer> {
    // Guards that read neither the event nor the place have one answer everywhere.
    let mut known: HashMap<ExprId, Answer> = HashMap::new();
    let mut answers = Vec::with_capacity(protocol.edges.len());
    for edge in &protocol.edges {
        let answer = match edge.guard {
            None => Answer::Sometimes,
            Some(guard) => {
                let program = &protocol.expressions[guard].checked.program;
                let local = program.reads_event
                    || program.reads.iter().any(|read| matches!(*read, slot::PHASE_ID | slot::SUBPHASE_ID));
                match known.get(&guard) {
                    Some(answer) if !local => *answer,
                    _ => *known.entry(guard).insert_entry(answer(protocol, edge, guard)).get(),
                }
            }
        };
        answers.push(answer);
    }
    answers
}

fn answer(protocol: &Protocol, edge: &Edge, guard: ExprId) -> Answer {
    let ast = &protocol.expressions[guard].checked.ast;
    let mut reader = Reader { protocol, edge, ast, understood: true };
    if let NodeKind::And(parts) = ast.kind(ast.root)
        && let Some(answer) = reader.conjunction(parts)
    {
        return answer;
    }
    let Some(outcome) = reader.outcome(ast.root) else { return Answer::Unknown };
    let possible = |cases: &[Case]| cases.iter().any(|case| reader.is_possible(case));
    if !possible(&outcome.yes) {
        return Answer::Never;
    }
    if !possible(&outcome.no) && !possible(&outcome.fault) {
        return Answer::Always;
    }
    if reader.understood { Answer::Sometimes } else { Answer::Unknown }
}

/// What must be so at once.
#[derive(Debug, Clone, Default)]
struct Case {
    fields: Vec<(usize, Domain)>,
    /// Per pair of fields, which of less, equal, greater are left.
    orders: Vec<((usize, usize), [bool; 3])>,
    /// Parts that are not understood, by their spelling.
    opaque: BTreeMap<String, bool>,
    impossible: bool,
}

/// The cases in which an expression is true, is false, and has no value (at least those).
struct Outcome {
    yes: Vec<Case>,
    no: Vec<Case>,
    fault: Vec<Case>,
}

struct Reader<'p> {
    protocol: &'p Protocol,
    edge: &'p Edge,
    ast: &'p Ast,
    understood: bool,
}

impl Reader<'_> {
    /// Most guards are a conjunction whose parts can be false by themselves: that needs no cases of the whole.
    fn conjunction(&mut self, parts: &[Id]) -> Option<Answer> {
        let mut yes = vec![Case::default()];
        let (mut can_fail, mut can_fault) = (false, false);
        for part in parts {
            let outcome = self.outcome(*part)?;
            can_fail = can_fail || outcome.no.iter().any(|case| self.is_possible(case));
            can_fault |= !outcome.fault.is_empty();
            yes = product(yes, &outcome.yes)?;
        }
        if !yes.iter().any(|case| self.is_possible(case)) {
            return Some(Answer::Never);
        }
        match (can_fail, can_fault, self.understood) {
            (false, false, _) => Some(Answer::Always),
            (false, true, _) => None,
            (true, _, true) => Some(Answer::Sometimes),
            (true, _, false) => Some(Answer::Unknown),
        }
    }

    fn outcome(&mut self, id: Id) -> Option<Outcome> {
        let ast = self.ast;
        match ast.kind(id) {
            NodeKind::Bool(value) => Some(constant(*value)),
            NodeKind::Not(inner) => self.outcome(*inner).map(negated),
            NodeKind::And(parts) => self.all(parts),
            NodeKind::Or(parts) => self.any(parts),
            NodeKind::Implies(a, b) => {
                let (left, right) = (negated(self.outcome(*a)?), self.outcome(*b)?);
                either(left, right)
            }
            NodeKind::Compare(comparison, a, b) => self.compare(id, *comparison, *a, *b),
            NodeKind::In(item, list) => self.membership(id, *item, *list),
            NodeKind::Select(..) => self.truth(id),
            NodeKind::Call { target: None, name, arguments } if name == "has" => {
                match arguments.first().and_then(|field| self.field(*field)) {
                    Some(field) => Some(self.is_null(field, false)),
                    None => Some(self.opaque(id)),
                }
            }
            _ => Some(self.opaque(id)),
        }
    }

    fn all(&mut self, parts: &[Id]) -> Option<Outcome> {
        let mut outcome = constant(true);
        for part in parts {
            outcome = both(outcome, self.outcome(*part)?)?;
        }
        Some(outcome)
    }

    fn any(&mut self, parts: &[Id]) -> Option<Outcome> {
        let mut outcome = constant(false);
        for part in parts {
            outcome = either(outcome, self.outcome(*part)?)?;
        }
        Some(outcome)
    }

    /// A part that is not understood: it may be anything, but the same everywhere.
    fn opaque(&mut self, id: Id) -> Outcome {
        self.understood = false;
        let spelling = self.ast.canonical(id);
        let case = |answer| Case { opaque: BTreeMap::from([(spelling.clone(), answer)]), ..Case::default() };
        Outcome { yes: vec![case(true)], no: vec![case(false)], fault: vec![Case::default()] }
    }

    /// The state field that a part names.
    fn field(&self, id: Id) -> Option<usize> {
        match self.ast.kind(id) {
            NodeKind::Select(root, name) => match self.ast.kind(*root) {
                NodeKind::Name(root) if root == "state" => self.protocol.field_index.get(name).copied(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value that a part always has at this edge.
    fn constant(&self, id: Id) -> Option<Value> {
        Some(match self.ast.kind(id) {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(value) => Value::Bool(*value),
            NodeKind::Integer(value) => Value::Integer(*value),
            NodeKind::Number(value) => Value::Number(*value),
            NodeKind::Text(text) => Value::Text(text.clone()),
            NodeKind::Negate(inner) => match self.constant(*inner)? {
                Value::Integer(value) => Value::Integer(value.checked_neg()?),
                Value::Number(value) => Value::Number(-value),
                _ => return None,
            },
            NodeKind::Select(root, name) => match self.ast.kind(*root) {
                NodeKind::Name(root) if root == "event" => self.event(name)?,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// A guard is asked at the transition over its own edge.
    fn event(&self, name: &str) -> Option<Value> {
        if let Some(kind) = EventKind::from_name(name) {
            return Some(Value::Bool(kind == EventKind::Transition));
        }
        Some(Value::Text(match name {
            "type" => EventKind::Transition.name().to_owned(),
            "edge" => self.edge.id.to_string(),
            "from" => self.protocol.nodes[self.edge.from].id.to_string(),
            "to" => self.protocol.nodes[self.edge.to].id.to_string(),
            // A transition may carry any of the others.
            _ => return None,
        }))
    }

    fn truth(&mut self, id: Id) -> Option<Outcome> {
        if let Some(Value::Bool(value)) = self.constant(id) {
            return Some(constant(value));
        }
        let Some(field) = self.field(id) else { return Some(self.opaque(id)) };
        let bools = |yes| Domain { null: false, values: Values::Bools { yes, no: !yes } };
        Some(Outcome {
            yes: vec![only(field, bools(true))],
            no: vec![only(field, bools(false))],
            fault: self.null_case(field),
        })
    }

    fn null_case(&self, field: usize) -> Vec<Case> {
        let full = Domain::of(&self.protocol.fields[field]);
        if full.null { vec![only(field, nothing_but_null(&full))] } else { Vec::new() }
    }

    fn is_null(&self, field: usize, wanted: bool) -> Outcome {
        let full = Domain::of(&self.protocol.fields[field]);
        let null = vec![only(field, nothing_but_null(&full))];
        let set = vec![only(field, Domain { null: false, ..full })];
        let (yes, no) = if wanted { (null, set) } else { (set, null) };
        Outcome { yes, no, fault: Vec::new() }
    }

    fn compare(&mut self, id: Id, comparison: Comparison, a: Id, b: Id) -> Option<Outcome> {
        match (self.field(a), self.constant(a), self.field(b), self.constant(b)) {
            (Some(field), _, _, Some(value)) => Some(self.with_constant(id, comparison, field, &value)),
            (_, Some(value), Some(field), _) => {
                Some(self.with_constant(id, comparison.flipped(), field, &value))
            }
            (Some(a), _, Some(b), _) => Some(self.two_fields(id, comparison, a, b)),
            (_, Some(a), _, Some(b)) => match two_constants(comparison, &a, &b) {
                Some(answer) => Some(constant(answer)),
                None => Some(self.opaque(id)),
            },
            _ => Some(self.opaque(id)),
        }
    }

    fn with_constant(&mut self, id: Id, comparison: Comparison, field: usize, value: &Value) -> Outcome {
        let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if *value == Value::Null && equality {
            return self.is_null(field, comparison == Comparison::Equal);
        }
        let (Some(mut yes), Some(mut no)) =
            (Domain::compared(comparison, value), Domain::compared(comparison.negated(), value))
        else {
            return self.opaque(id);
        };
        // Null equals nothing else, and has no order.
        let nullable = self.protocol.fields[field].nullable;
        yes.null = nullable && comparison == Comparison::Unequal;
        no.null = nullable && comparison == Comparison::Equal;
        let fault = if equality { Vec::new() } else { self.null_case(field) };
        Outcome { yes: vec![only(field, yes)], no: vec![only(field, no)], fault }
    }

    fn two_fields(&mut self, id: Id, comparison: Comparison, a: usize, b: usize) -> Outcome {
        let fields = &self.protocol.fields;
        let number = |field: usize| matches!(fields[field].kind, FieldKind::Integer | FieldKind::Number);
        let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if !number(a) || !number(b) || (equality && (fields[a].nullable || fields[b].nullable)) {
            return self.opaque(id);
        }
        let fault = [self.null_case(a), self.null_case(b)].concat();
        if a == b {
            let same = matches!(
                comparison,
                Comparison::Equal | Comparison::LessOrEqual | Comparison::GreaterOrEqual
            );
            let set = only(a, Domain { null: false, ..Domain::of(&fields[a]) });
            let (yes, no) = if same { (vec![set], Vec::new()) } else { (Vec::new(), vec![set]) };
            return Outcome { yes, no, fault };
        }
        let (pair, comparison) = if a < b { ((a, b), comparison) } else { ((b, a), comparison.flipped()) };
        let case = |comparison| Case { orders: vec![(pair, orders(comparison))], ..Case::default() };
        Outcome { yes: vec![case(comparison)], no: vec![case(comparison.negated())], fault }
    }

    fn membership(&mut self, id: Id, item: Id, list: Id) -> Option<Outcome> {
        let NodeKind::List(items) = self.ast.kind(list) else { return Some(self.opaque(id)) };
        let mut outcome = constant(false);
        for &other in items {
            outcome = either(outcome, self.compare(id, Comparison::Equal, item, other)?)?;
        }
        // Whatever is in it, a list of which one part has no value has none.
        let is_plain = |part: Id| self.field(part).is_some() || self.constant(part).is_some();
        if !is_plain(item) || !items.iter().all(|part| is_plain(*part)) {
            self.understood = false;
            outcome.fault.push(Case::default());
        }
        Some(outcome)
    }

    /// Whether nothing in a case contradicts the rest, or what the fields can be here.
    fn is_possible(&self, case: &Case) -> bool {
        if case.impossible {
            return false;
        }
        let here = |field: usize| match case.fields.iter().find(|(own, _)| *own == field) {
            Some((_, domain)) => domain.meet(&self.here(field)),
            None => self.here(field),
        };
        let whole = |field: usize| self.protocol.fields[field].kind == FieldKind::Integer;
        let possible =
            |(field, domain): &(usize, Domain)| !domain.meet(&self.here(*field)).is_empty(whole(*field));
        case.fields.iter().all(possible)
            && case.orders.iter().all(|(pair, left)| possible_order(*left, &here(pair.0), &here(pair.1)))
    }

    /// What a field can be while the edge's own node is the current one.
    fn here(&self, field: usize) -> Domain {
        let node = &self.protocol.nodes[self.edge.from];
        let mut domain = Domain::of(&self.protocol.fields[field]);
        match field {
            slot::PHASE_ID => {
                domain.values = Values::Words { words: [node.id.to_string()].into(), all_but: false };
            }
            slot::SUBPHASE_ID => {
                domain.values =
                    Values::Words { words: node.subphases.iter().cloned().collect(), all_but: false };
            }
            slot::ATTEMPT_COUNT => {
                let entered = Domain::compared(Comparison::GreaterOrEqual, &Value::Integer(1));
                domain = entered.map_or(domain.clone(), |entered| domain.meet(&entered));
            }
            _ => {}
        }
        domain
    }
}

fn constant(value: bool) -> Outcome {
    let (yes, no) =
        if value { (vec![Case::default()], Vec::new()) } else { (Vec::new(), vec![Case::default()]) };
    Outcome { yes, no, fault: Vec::new() }
}

fn negated(outcome: Outcome) -> Outcome {
    Outcome { yes: outcome.no, no: outcome.yes, fault: outcome.fault }
}

/// A conjunction has no value only where no part of it is false: one that is makes up for another without a value.
fn both(a: Outcome, b: Outcome) -> Option<Outcome> {
    let fault =
        [product(a.fault.clone(), &b.yes)?, product(a.fault, &b.fault)?, product(a.yes.clone(), &b.fault)?]
            .concat();
    Some(Outcome {
        yes: product(a.yes, &b.yes)?,
        no: bounded([a.no, b.no].concat())?,
        fault: bounded(fault)?,
    })
}

fn either(a: Outcome, b: Outcome) -> Option<Outcome> {
    both(negated(a), negated(b)).map(negated)
}

fn product(a: Vec<Case>, b: &[Case]) -> Option<Vec<Case>> {
    if a.len().saturating_mul(b.len()) > MOST_CASES {
        return None;
    }
    let Some((last, others)) = b.split_last() else { return Some(Vec::new()) };
    let mut cases = Vec::with_capacity(a.len() * b.len());
    for left in a {
        cases.extend(others.iter().map(|right| left.clone().and(right)));
        cases.push(left.and(last));
    }
    cases.retain(|case| !case.impossible);
    Some(cases)
}

fn bounded(cases: Vec<Case>) -> Option<Vec<Case>> {
    (cases.len() <= MOST_CASES).then_some(cases)
}

impl Case {
    fn and(mut self, other: &Self) -> Self {
        for (field, domain) in &other.fields {
            match self.fields.iter_mut().find(|(own, _)| own == field) {
                None => self.fields.push((*field, domain.clone())),
                Some((_, own)) => {
                    *own = own.meet(domain);
                    self.impossible |= own.is_empty(false);
                }
            }
        }
        for (pair, left) in &other.orders {
            match self.orders.iter_mut().find(|(own, _)| own == pair) {
                None => self.orders.push((*pair, *left)),
                Some((_, own)) => {
                    *own = std::array::from_fn(|order| own[order] && left[order]);
                    self.impossible |= *own == [false; 3];
                }
            }
        }
        for (spelling, answer) in &other.opaque {
            self.impossible |=
                self.opaque.insert(spelling.clone(), *answer).is_some_and(|own| own != *answer);
        }
        self
    }
}

fn only(field: usize, domain: Domain) -> Case {
    Case { fields: vec![(field, domain)], ..Case::default() }
}

fn nothing_but_null(full: &Domain) -> Domain {
    let values = match &full.values {
        Values::Bools { .. } => Values::Bools { yes: false, no: false },
        Values::Numbers(_) => Values::Numbers(Vec::new()),
        Values::Words { .. } => Values::Words { words: Default::default(), all_but: false },
        Values::Any(_) => Values::Any(false),
    };
    Domain { null: full.null, values }
}

fn orders(comparison: Comparison) -> [bool; 3] {
    match comparison {
        Comparison::Less => [true, false, false],
        Comparison::LessOrEqual => [true, true, false],
        Comparison::Equal => [false, true, false],
        Comparison::Unequal => [true, false, true],
        Comparison::GreaterOrEqual => [false, true, true],
        Comparison::Greater => [false, false, true],
    }
}

/// Whether two fields can still be in one of the orders that are left.
fn possible_order(left: [bool; 3], a: &Domain, b: &Domain) -> bool {
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.bounds(), b.bounds()) else { return true };
    let [less, equal, greater] = left;
    (less && a_low < b_high) || (equal && a_low <= b_high && b_low <= a_high) || (greater && a_high > b_low)
}

fn two_constants(comparison: Comparison, a: &Value, b: &Value) -> Option<bool> {
    let (a, b) = (a.view(), b.view());
    match comparison {
        Comparison::Equal => return Some(a.equals(&b)),
        Comparison::Unequal => return Some(!a.equals(&b)),
        _ => {}
    }
    let order = a.order(&b)?;
    Some(match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}
