//! Rows of test tables: parameters of a decorator, cases of an attribute, lists that a test goes through.

use super::strength::fingerprint;

/// A table is read no further than this.
pub(super) const TABLE_LINES: usize = 300;

/// Whether a table may begin on the line.
pub(super) fn begins_table(line: &str) -> bool {
    const STARTS: [&str; 10] =
        ["parametrize(", ".each(", "Source(", "= [", "=[", "= (", " in [", " of [", "= vec![", "= &["];
    STARTS.iter().any(|start| line.contains(start))
        || line.contains("[]struct")
        || line.contains("= {")
        || line.contains("@pytest.fixture(params")
        || line.contains(" in (")
}

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
    let groups = list_groups(statement);
    let has_rows = |elements: &&Vec<&str>| elements.iter().any(|element| element.ends_with([')', ']', '}']));
    let table = groups.iter().find(has_rows).or_else(|| {
        groups.iter().find(|elements| is_decorator && elements.iter().any(|element| !element.is_empty()))
    });
    let rows = table.into_iter().flatten().filter(|element| !element.is_empty());
    rows.map(|row| fingerprint(&packed(row))).collect()
}

/// One line as a row.
pub(super) fn row(line: &str) -> u32 {
    fingerprint(&packed(line))
}

fn packed(text: &str) -> String {
    let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    text.replace(",)", ")").replace(",]", "]").replace(",}", "}").replace('\'', "\"")
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
