//! Edge tables: CSV in, protocol file out, and back again without losing a cell.
//!
//! Holds: a cell that the engine reads is given back as it was written unless its meaning was changed; a column that
//! it does not read is kept in the edge's `columns`.

mod columns;
pub mod csv;
mod yaml;

use std::collections::HashSet;

use crate::{
    file::{Draft, EdgeDraft, Named, TableShape},
    problem::{Level, Problem, Problems},
};
use columns::Column;
use csv::{Cells, Row};

/// Why a table was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ImportError {
    pub line: usize,
    pub message: String,
    pub hint: String,
}

impl ImportError {
    fn new(line: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line, message: message.into(), hint: hint.into() }
    }
}

/// A protocol file made of an edge table.
pub fn import(bytes: &[u8], name: &str) -> Result<String, ImportError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = format!("row {} is not UTF-8", row_after(before));
        ImportError::new(line, message, "save the table as UTF-8; the header is row 1")
    })?;
    let cells = csv::read(text)
        .map_err(|error| ImportError::new(error.line, error.message, "quote cells as RFC 4180 says"))?;
    let Some((header, rows)) = cells.rows.split_first() else {
        return Err(ImportError::new(1, "the table is empty", "the first row names the columns"));
    };
    let columns = columns::of(header)?;
    let mut edges: Vec<EdgeDraft> = Vec::new();
    let mut seen = HashSet::new();
    for row in rows {
        let edge = columns::edge(&columns, row)?;
        if !seen.insert(edge.id.text.clone()) {
            return Err(ImportError::new(
                row.line,
                format!("there is an edge `{}` already", edge.id.text),
                "give it another id",
            ));
        }
        edges.push(edge);
    }
    if edges.is_empty() {
        return Err(ImportError::new(1, "the table has no rows", "a protocol needs a node to start at"));
    }
    let shape = TableShape {
        columns: header.cells.clone(),
        bom: cells.bom,
        crlf: cells.crlf,
        last_line_open: cells.last_line_open,
    };
    Ok(yaml::protocol(name, &edges, &shape))
}

/// The row that bytes of a table end in; line breaks inside of quotes end none.
fn row_after(bytes: &[u8]) -> usize {
    let (mut row, mut is_quoted) = (1, false);
    for byte in bytes {
        is_quoted ^= *byte == b'"';
        row += usize::from(*byte == b'\n' && !is_quoted);
    }
    row
}

/// An edge table: its bytes as text, and what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub csv: String,
    pub columns: Vec<String>,
    pub rows: usize,
}

/// The edge table of a protocol file. Only its edges need to load.
pub fn export(bytes: &[u8]) -> Result<Exported, Vec<Problem>> {
    let mut problems = Problems::default();
    let draft = edges_of(bytes, &mut problems);
    let problems = problems.into_sorted();
    if problems.iter().any(|problem| problem.kind.severity() == Level::Error) {
        return Err(problems);
    }
    let shape = draft.table.unwrap_or_default();
    let columns = columns::for_export(&shape, &draft.edges);
    let header = Row { line: 1, cells: columns.iter().map(|column| column.header.clone()).collect() };
    let rows = draft.edges.iter().map(|edge| Row {
        line: 0,
        cells: columns.iter().map(|column| columns::cell(column, edge)).collect(),
    });
    let cells = Cells {
        rows: std::iter::once(header).chain(rows).collect(),
        bom: shape.bom,
        crlf: shape.crlf,
        last_line_open: shape.last_line_open,
    };
    Ok(Exported {
        csv: csv::write(&cells),
        columns: columns.into_iter().map(|column| column.header).collect(),
        rows: draft.edges.len(),
    })
}

/// The file with everything but its edges left out of account.
fn edges_of(bytes: &[u8], problems: &mut Problems) -> Draft {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match crate::tree::parse(text, problems) {
        Some(tree) => crate::file::decode_edges(&tree, problems),
        None => Draft::default(),
    }
}

fn named(text: &str) -> Named {
    Named { text: text.to_owned(), place: crate::problem::Place::START }
}

/// Column keys that tell columns of one name apart.
fn unique_keys(headers: &[String]) -> Vec<String> {
    let mut seen: HashSet<String> = HashSet::new();
    let mut keys = Vec::new();
    for header in headers {
        let mut key = header.clone();
        let mut count = 1;
        while !seen.insert(key.clone()) {
            count += 1;
            key = format!("{header}#{count}");
        }
        keys.push(key);
    }
    keys
}

/// Which column holds what, for one header.
fn keyed(headers: &[String]) -> Vec<Column> {
    let keys = unique_keys(headers);
    let mut taken = HashSet::new();
    headers
        .iter()
        .zip(keys)
        .map(|(header, key)| {
            let meaning = columns::meaning(header).filter(|meaning| taken.insert(*meaning));
            Column { header: header.clone(), key, meaning }
        })
        .collect()
}
