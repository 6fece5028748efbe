//! Rows of test tables: parameters of a decorator, cases of an attribute, lists that a test goes through.

use super::strength::{fingerprint, literals_of};

/// A table is read no further than this.
pub(super) const TABLE_LINES: usize = 300;

/// What a table begins with; the last character opens it.
const STARTS: [&str; 14] = [
    "parametrize(",
    ".each(",
    "Source(",
    "fixture(",
    "= [",
    "=[",
    "= (",
    "= {",
    " in [",
    " in (",
    " of [",
    "= vec![",
    "= &[",
    "= &&[",
];

/// Whether a table may begin on the line.
pub(super) fn begins_table(line: &str) -> bool {
    line.contains(['[', '(', '{'])
        && (line.contains(GO_TABLE) || STARTS.iter().any(|start| line.contains(start)))
}

/// Go names the shape of its rows before them.
const GO_TABLE: &str = "[]struct";

/// Whether the line is one case of an attribute.
pub(super) fn is_case(line: &str) -> bool {
    const CASES: [&str; 7] = [
        "#[case",
        "#[test_case(",
        "[InlineData(",
        "[TestCase(",
        "[DataRow(",
        "@MethodSource(",
        "#[TestWith(",
    ];
    CASES.iter().any(|case| line.starts_with(case))
}

/// The rows of a statement that holds a table, each as one number.
pub(super) fn rows(statement: &str) -> Vec<u32> {
    let is_decorator = statement.starts_with('@') || statement.contains(".each(");
    let groups = list_groups(table_of(statement));
    let has_rows = |elements: &&Vec<&str>| elements.iter().any(|element| element.ends_with([')', ']', '}']));
    let table = groups.iter().find(has_rows).or_else(|| {
        groups.iter().find(|elements| is_decorator && elements.iter().any(|element| !element.is_empty()))
    });
    let rows = table.into_iter().flatten().filter(|element| !element.is_empty());
    rows.map(|row| self::row(row)).collect()
}

/// The part of the statement that is the table: what follows in a loop's body is none of it.
fn table_of(statement: &str) -> &str {
    if let Some(at) = statement.find(GO_TABLE) {
        return &statement[at..];
    }
    let start = STARTS.iter().filter_map(|start| statement.find(start).map(|at| at + start.len() - 1)).min();
    let rest = &statement[start.unwrap_or(0)..];
    let mut depth = 0_i32;
    for (at, char) in rest.char_indices() {
        depth += i32::from("([{".contains(char)) - i32::from(")]}".contains(char));
        if depth == 0 && ")]}".contains(char) {
            return &rest[..=at];
        }
    }
    rest
}

/// One row, by its literals: what it calls may be renamed. A row without any is known by its text.
pub(super) fn row(row: &str) -> u32 {
    let mut literals = literals_of(row);
    let is_word = |word: &&str| ["true", "false", "True", "False", "None", "null", "nil"].contains(word);
    let words = row.split(|char: char| !char.is_alphanumeric());
    literals.extend(words.filter(is_word).map(str::to_owned));
    if literals.is_empty() {
        return fingerprint(&row.chars().filter(|char| !char.is_whitespace()).collect::<String>());
    }
    fingerprint(&literals.join("\u{0}"))
}

/// The elements of each list in brackets or braces, outermost first.
fn list_groups(statement: &str) -> Vec<Vec<&str>> {
    let mut groups: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut open: Vec<(usize, char, Vec<usize>)> = Vec::new();
    let mut quote = None;
    for (at, char) in statement.char_indices() {
        match (quote, char) {
            (Some(mark), _) => {
                quote = (char != mark).then_some(mark);
            }
            (None, '"' | '\'' | '`') => quote = Some(char),
            (None, '(' | '[' | '{') => open.push((at, char, vec![at + 1])),
            (None, ',') => {
                if let Some((_, _, starts)) = open.last_mut() {
                    starts.push(at + 1);
                }
            }
            (None, ')' | ']' | '}') => {
                let Some((from, opened, starts)) = open.pop() else { continue };
                if opened == '(' && !statement[..from].ends_with([' ', '=']) {
                    continue;
                }
                let ends = starts.iter().skip(1).map(|start| start - 1).chain([at]);
                let elements = starts.iter().zip(ends).map(|(&start, end)| statement[start..end].trim());
                groups.push((from, elements.collect()));
            }
            _ => {}
        }
    }
    groups.sort_by_key(|(from, _)| *from);
    groups.into_iter().map(|(_, elements)| elements).collect()
}
