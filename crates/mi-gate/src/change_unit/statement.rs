//! Lines of a diff that change what a database holds, whatever language they stand in.

/// Kept of each file: a dump has thousands, and the first ones say what it is about.
pub(super) const MOST: usize = 20;

/// Longer lines are data.
const LONGEST: usize = 400;

/// Whether a line holds such a statement of SQL.
pub(super) fn is_one(line: &str) -> bool {
    const STATEMENTS: [&str; 9] = [
        "alter table",
        "create table",
        "create index",
        "create unique index",
        "drop table",
        "drop database",
        "drop column",
        "truncate table",
        "delete from",
    ];
    let line = line.to_ascii_lowercase();
    line.len() <= LONGEST && STATEMENTS.iter().any(|statement| line.contains(statement))
}
