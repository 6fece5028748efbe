//! CSV text to cells and back: BOM, line ends, quotes and line breaks in cells are kept.

/// Cells with what is needed to write the same bytes again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    pub rows: Vec<Row>,
    pub bom: bool,
    pub crlf: bool,
    /// The last line has no line end.
    pub last_line_open: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The line of the text on which it begins, from 1.
    pub line: usize,
    pub cells: Vec<String>,
}

/// Why a text is no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotCsv {
    pub line: usize,
    pub message: String,
}

pub fn read(text: &str) -> Result<Cells, NotCsv> {
    let (text, bom) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let mut cells = Cells { bom, ..Cells::default() };
    let mut reader = Reader { rest: text, line: 1 };
    let mut first = true;
    while !reader.rest.is_empty() {
        let line = reader.line;
        let (row, end) = reader.row()?;
        if std::mem::take(&mut first) {
            cells.crlf = end == "\r\n";
        }
        cells.last_line_open = end.is_empty();
        cells.rows.push(Row { line, cells: row });
    }
    Ok(cells)
}

struct Reader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Reader<'t> {
    /// One row and the line end after it.
    fn row(&mut self) -> Result<(Vec<String>, &'t str), NotCsv> {
        let mut cells = Vec::new();
        loop {
            cells.push(if self.rest.starts_with('"') { self.quoted()? } else { self.plain()? });
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            for end in ["\r\n", "\n"] {
                if let Some(rest) = self.rest.strip_prefix(end) {
                    self.rest = rest;
                    self.line += 1;
                    return Ok((cells, end));
                }
            }
            return Ok((cells, ""));
        }
    }

    fn plain(&mut self) -> Result<String, NotCsv> {
        let end = self.rest.find([',', '\n', '"']).unwrap_or(self.rest.len());
        if self.rest[end..].starts_with('"') {
            let message = "a quote stands inside of a cell that is not quoted".to_owned();
            return Err(NotCsv { line: self.line, message });
        }
        let at_line_end = self.rest[end..].starts_with('\n') || end == self.rest.len();
        let cell = &self.rest[..end];
        // The carriage return belongs to the line end, if there is one.
        let cell = if at_line_end && self.rest[end..].starts_with('\n') {
            cell.strip_suffix('\r').unwrap_or(cell)
        } else {
            cell
        };
        self.rest = &self.rest[cell.len()..];
        Ok(cell.to_owned())
    }

    fn quoted(&mut self) -> Result<String, NotCsv> {
        let start = self.line;
        let mut cell = String::new();
        self.rest = &self.rest[1..];
        loop {
            let Some(end) = self.rest.find('"') else {
                return Err(NotCsv { line: start, message: "a quoted cell does not end".to_owned() });
            };
            let part = &self.rest[..end];
            self.line += part.matches('\n').count();
            cell.push_str(part);
            self.rest = &self.rest[end + 1..];
            match self.rest.strip_prefix('"') {
                Some(rest) => {
                    cell.push('"');
                    self.rest = rest;
                }
                None => break,
            }
        }
        if self.rest.is_empty() || self.rest.starts_with([',', '\n']) || self.rest.starts_with("\r\n") {
            return Ok(cell);
        }
        Err(NotCsv {
            line: self.line,
            message: "something stands after the closing quote of a cell".to_owned(),
        })
    }
}

/// The text of a table, quoted only where it must be.
pub fn write(cells: &Cells) -> String {
    let end = if cells.crlf { "\r\n" } else { "\n" };
    let mut text = String::from(if cells.bom { "\u{feff}" } else { "" });
    for (at, row) in cells.rows.iter().enumerate() {
        let line: Vec<String> = row.cells.iter().map(|cell| quoted(cell)).collect();
        text.push_str(&line.join(","));
        if at + 1 < cells.rows.len() || !cells.last_line_open {
            text.push_str(end);
        }
    }
    text
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
