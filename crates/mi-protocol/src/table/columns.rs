//! What the columns of an edge table mean, and the cells of one edge.

use std::collections::HashSet;

use super::{ImportError, csv::Row, keyed, named};
use crate::{
    file::{EdgeDraft, OnGuardFail, Source, TableShape, class, on_guard_fail_word},
    nearest::nearest,
    problem::{Place, Problems, listed},
    words::{EdgeClass, GuardScope, GuardType, Requirement},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Meaning {
    Id,
    From,
    To,
    Class,
    Guard,
    Scope,
    Type,
    OnFail,
    Evidence,
    Policies,
    Invariants,
    Trust,
}

/// A column: its header, the key under which an edge keeps its cell, and what it means if anything.
#[derive(Debug, Clone)]
pub struct Column {
    pub header: String,
    pub key: String,
    pub meaning: Option<Meaning>,
}

/// The first name of each meaning is the one that a new table gets.
const NAMES: [(Meaning, &[&str]); 12] = [
    (Meaning::Id, &["edge_id", "affected_edge", "id"]),
    (Meaning::From, &["source", "from"]),
    (Meaning::To, &["target", "to"]),
    (Meaning::Class, &["v2_primary_class", "class"]),
    (Meaning::Guard, &["guard_expr"]),
    (Meaning::Scope, &["guard_scope"]),
    (Meaning::Type, &["guard_type"]),
    (Meaning::OnFail, &["on_guard_fail"]),
    (Meaning::Evidence, &["guard_evidence_source"]),
    (Meaning::Policies, &["policy_refs"]),
    (Meaning::Invariants, &["audit_invariant_refs"]),
    (Meaning::Trust, &["trust_requirement"]),
];

pub fn meaning(header: &str) -> Option<Meaning> {
    let header = header.trim();
    NAMES.iter().find(|(_, names)| names.contains(&header)).map(|(meaning, _)| *meaning)
}

/// The columns of a header that has all an edge needs.
pub fn of(header: &Row) -> Result<Vec<Column>, ImportError> {
    let columns = keyed(&header.cells);
    if let Some(long) = columns.iter().find(|column| column.header.len() > 1000) {
        let message = format!("the header {}… is too long", mi_model::shorten(&long.header, 40));
        return Err(ImportError::new(header.line, message, "use at most 1000 bytes"));
    }
    for (wanted, names) in NAMES.iter().take(4) {
        if columns.iter().any(|column| column.meaning == Some(*wanted)) {
            continue;
        }
        let near = names.iter().find_map(|name| nearest(name, header.cells.iter().map(String::as_str)));
        let near = near.map(|near| format!("; is it `{near}`?")).unwrap_or_default();
        let message = format!("the table has no column `{}`", names.join("` or `"));
        return Err(ImportError::new(
            header.line,
            message,
            format!("name the column in the first row{near}"),
        ));
    }
    Ok(columns)
}

/// The edge of one row.
pub fn edge(columns: &[Column], row: &Row) -> Result<EdgeDraft, ImportError> {
    if row.cells.len() != columns.len() {
        let message = format!("the row has {} cells, and the header {}", row.cells.len(), columns.len());
        return Err(ImportError::new(row.line, message, "give every row as many cells as the header"));
    }
    let mut edge = EdgeDraft {
        id: named(""),
        place: Place::START,
        from: named(""),
        to: named(""),
        class: EdgeClass::Progress,
        guard: None,
        guard_scope: GuardScope::Phase,
        guard_type: None,
        on_guard_fail: OnGuardFail::Block,
        evidence_source: None,
        policy_refs: Vec::new(),
        invariant_refs: Vec::new(),
        needs_verification: false,
        columns: Vec::new(),
    };
    for (column, cell) in columns.iter().zip(&row.cells) {
        if let Some(meaning) = column.meaning {
            take(&mut edge, meaning, cell)
                .map_err(|(message, hint)| ImportError::new(row.line, message, hint))?;
        }
    }
    // Cells that mean nothing, and those whose spelling would be lost.
    for (column, cell) in columns.iter().zip(&row.cells) {
        if column.meaning.is_none_or(|meaning| spelled(meaning, &edge) != *cell) {
            edge.columns.push((column.key.clone(), cell.clone()));
        }
    }
    Ok(edge)
}

fn take(edge: &mut EdgeDraft, meaning: Meaning, cell: &str) -> Result<(), (String, String)> {
    let text = cell.trim();
    let word = |what: &str, known: &[&str]| {
        let near = nearest(text, known.iter().copied()).map(|near| format!("did you mean `{near}`? "));
        Err((
            format!("`{what}` is never `{text}`"),
            near.unwrap_or_default() + &listed(known.iter().copied()),
        ))
    };
    let needed = |what: &str| {
        if text.is_empty() {
            Err((format!("the cell `{what}` is empty"), "fill it in".to_owned()))
        } else {
            Ok(named(text))
        }
    };
    match meaning {
        Meaning::Id => edge.id = needed("edge_id")?,
        Meaning::From => edge.from = needed("source")?,
        Meaning::To => edge.to = needed("target")?,
        Meaning::Class => match class(&needed("v2_primary_class")?, &mut Problems::default()) {
            Some(class) => edge.class = class,
            None => return word("class", &EdgeClass::ALL.iter().map(|(word, _)| *word).collect::<Vec<_>>()),
        },
        Meaning::Guard => edge.guard = (!text.is_empty()).then(|| Source::made(text)),
        Meaning::Evidence => edge.evidence_source = (!text.is_empty()).then(|| Source::made(text)),
        Meaning::Policies => edge.policy_refs = refs(text),
        Meaning::Invariants => edge.invariant_refs = refs(text),
        Meaning::Scope => match GuardScope::from_word(if text.is_empty() { "phase" } else { text }) {
            Some(scope) => edge.guard_scope = scope,
            None => {
                return word(
                    "guard_scope",
                    &GuardScope::ALL.iter().map(|(word, _)| *word).collect::<Vec<_>>(),
                );
            }
        },
        Meaning::Type => match GuardType::from_word(text) {
            Some(guard_type) => edge.guard_type = Some((guard_type, Place::START)),
            None if text.is_empty() => edge.guard_type = None,
            None => {
                return word("guard_type", &GuardType::ALL.iter().map(|(word, _)| *word).collect::<Vec<_>>());
            }
        },
        Meaning::OnFail => match on_guard_fail_word(&named(if text.is_empty() { "block" } else { text })) {
            Some(action) => edge.on_guard_fail = action,
            None => return word("on_guard_fail", &["block", "rerun", "escalate", "reroute:NODE"]),
        },
        Meaning::Trust => match Requirement::from_word(if text.is_empty() { "none" } else { text }) {
            Some(requirement) => edge.needs_verification = requirement == Requirement::Independent,
            None => {
                return word(
                    "trust_requirement",
                    &Requirement::ALL.iter().map(|(word, _)| *word).collect::<Vec<_>>(),
                );
            }
        },
    }
    Ok(())
}

fn refs(text: &str) -> Vec<crate::file::Named> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(named).collect()
}

/// The spelling that a cell gets when nothing else is known.
fn spelled(meaning: Meaning, edge: &EdgeDraft) -> String {
    let joined = |names: &[crate::file::Named]| {
        names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(";")
    };
    match meaning {
        Meaning::Id => edge.id.text.clone(),
        Meaning::From => edge.from.text.clone(),
        Meaning::To => edge.to.text.clone(),
        Meaning::Class => edge.class.word().to_owned(),
        Meaning::Guard => edge.guard.as_ref().map(|guard| guard.text().to_owned()).unwrap_or_default(),
        Meaning::Scope => edge.guard_scope.word().to_owned(),
        Meaning::Type => edge.guard_type.map(|(word, _)| word.word().to_owned()).unwrap_or_default(),
        Meaning::OnFail => match &edge.on_guard_fail {
            OnGuardFail::Block => "block".to_owned(),
            OnGuardFail::Rerun => "rerun".to_owned(),
            OnGuardFail::Escalate => "escalate".to_owned(),
            OnGuardFail::Reroute(target) => format!("reroute:{}", target.text),
        },
        Meaning::Evidence => {
            edge.evidence_source.as_ref().map(|source| source.text().to_owned()).unwrap_or_default()
        }
        Meaning::Policies => joined(&edge.policy_refs),
        Meaning::Invariants => joined(&edge.invariant_refs),
        Meaning::Trust => if edge.needs_verification { Requirement::Independent } else { Requirement::None }
            .word()
            .to_owned(),
    }
}

/// The cell of an edge: as it was written if it still means the same.
pub fn cell(column: &Column, edge: &EdgeDraft) -> String {
    let kept = edge.columns.iter().find(|(key, _)| *key == column.key).map(|(_, cell)| cell.clone());
    let Some(meaning) = column.meaning else { return kept.unwrap_or_default() };
    let now = spelled(meaning, edge);
    match kept {
        Some(kept) => {
            let mut then = edge.clone();
            let same = take(&mut then, meaning, &kept).is_ok() && spelled(meaning, &then) == now;
            if same { kept } else { now }
        }
        None => now,
    }
}

/// The columns of the table the edges came from, and those that they need besides.
pub fn for_export(shape: &TableShape, edges: &[EdgeDraft]) -> Vec<Column> {
    let mut headers = shape.columns.clone();
    let known = keyed(&headers);
    for (wanted, names) in NAMES {
        let fresh = shape.columns.is_empty();
        let used = edges.iter().any(|edge| spelled(wanted, edge) != default_cell(wanted));
        if !known.iter().any(|column| column.meaning == Some(wanted)) && (fresh || used) {
            headers.push(names[0].to_owned());
        }
    }
    let mut keys: HashSet<String> = keyed(&headers).into_iter().map(|column| column.key).collect();
    for (key, _) in edges.iter().flat_map(|edge| &edge.columns) {
        if keys.insert(key.clone()) {
            headers.push(key.clone());
        }
    }
    keyed(&headers)
}

fn default_cell(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Scope => "phase",
        Meaning::OnFail => "block",
        Meaning::Trust => "none",
        _ => "",
    }
}
