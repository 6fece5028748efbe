//! Questions to databases that change nothing.

use super::{Job, Work};
use crate::command::Word;

pub(super) fn reads(job: &Job<'_>) -> Result<Work, Option<String>> {
    let texts = job.texts();
    let program = job.command.program.as_str();
    let no = |why: &str| Err(Some(format!("`{program}` {why}")));
    match program {
        "redis-cli" => redis(&texts),
        "sqlite3" => {
            match texts.iter().copied().filter(|text| !is_sqlite_option(text)).collect::<Vec<_>>().as_slice()
            {
                [database, statements @ ..]
                    // `file:x?mode=rwc` is an address: a file of another name, with options.
                    if !database.starts_with('-')
                        && !database.starts_with("file:")
                        && !statements.is_empty()
                        && statements.iter().all(|text| only_asks(text)) =>
                {
                    // A database that is not there would be made.
                    Ok(Work { outputs: vec![job.here.target(&Word::exact(*database))], ..Work::default() })
                }
                _ => no("may change the database"),
            }
        }
        _ => {
            let (statements, plain) = statements(&texts, program);
            if !plain || statements.is_empty() || !statements.iter().all(|text| only_asks(text)) {
                return no("may change the database");
            }
            Ok(Work::default())
        }
    }
}

/// `$DATABASE_URL` and the like: where the database is, nothing else.
pub(super) fn is_address(word: &Word) -> bool {
    matches!(word.text.as_str(), "$DATABASE_URL" | "${DATABASE_URL}")
}

fn is_sqlite_option(text: &str) -> bool {
    matches!(
        text,
        "-header"
            | "-headers"
            | "-column"
            | "-csv"
            | "-json"
            | "-line"
            | "-readonly"
            | "-batch"
            | "-list"
            | "-markdown"
            | "-table"
            | "-box"
    )
}

/// The statements, and whether every other option is known to be harmless.
fn statements<'a>(texts: &[&'a str], program: &str) -> (Vec<&'a str>, bool) {
    let (flag, valued, plain): (&[&str], &[&str], &[&str]) = match program {
        "psql" => (
            &["-c", "--command"],
            &["-h", "--host", "-U", "--username", "-d", "--dbname", "-p", "--port"],
            &["-t", "-A", "-q", "-w", "-x", "-At", "-tA", "-qAt", "-X", "--csv", "-l", "--list"],
        ),
        _ => (
            &["-e", "--execute"],
            &["-h", "--host", "-u", "--user", "-P", "--port", "-D", "--database"],
            &["-t", "--table", "-N", "-B", "-s"],
        ),
    };
    let (mut found, mut known) = (Vec::new(), true);
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        let name = text.split('=').next().unwrap_or(text);
        if flag.contains(text) {
            found.extend(rest.next());
        } else if valued.contains(text) {
            rest.next();
        } else if matches!(*text, "-l" | "--list") {
            found.push("\\l");
        } else if text.starts_with('-')
            && !plain.contains(text)
            && !(valued.contains(&name) && text.contains('='))
        {
            known = false;
        }
    }
    (found, known)
}

/// One statement that begins with a question and holds no word that changes, runs or writes.
fn only_asks(statement: &str) -> bool {
    let statement = statement.trim().trim_end_matches(';').trim_end();
    if let Some(meta) = statement.strip_prefix('\\') {
        let mut words = meta.split_whitespace();
        let known = words.next().is_some_and(|name| {
            matches!(
                name.trim_end_matches('+'),
                "d" | "dt" | "di" | "dv" | "dn" | "du" | "df" | "ds" | "l" | "conninfo" | "dp" | "dx" | "dT"
            )
        });
        return known && !meta.contains(['\\', '|', '`', '\n']);
    }
    if let Some(meta) = statement.strip_prefix('.') {
        let name = meta.split_whitespace().next().unwrap_or_default();
        return matches!(name, "schema" | "tables" | "databases" | "indexes" | "indices" | "dbinfo")
            && !meta.contains('\n');
    }
    let upper = statement.to_uppercase();
    let words: Vec<&str> = upper
        .split(|char: char| !char.is_ascii_alphanumeric() && char != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let asks = matches!(words.first(), Some(&("SELECT" | "SHOW" | "EXPLAIN" | "DESCRIBE" | "DESC")));
    const NEVER: &[&str] = &[
        "INTO",
        "COPY",
        "INSERT",
        "UPDATE",
        "DELETE",
        "DROP",
        "ALTER",
        "CREATE",
        "GRANT",
        "REVOKE",
        "TRUNCATE",
        "CALL",
        "DO",
        "EXECUTE",
        "ANALYZE",
        "VACUUM",
        "SET",
        "NEXTVAL",
        "SETVAL",
        "DBLINK",
        "PROGRAM",
        "OUTFILE",
        "DUMPFILE",
        "LOAD_FILE",
        "LOAD_EXTENSION",
        "WRITEFILE",
        "READFILE",
        "FSDIR",
        "ZIPFILE",
        "EDIT",
        "SYSTEM",
        "SOURCE",
        "ATTACH",
        "FTS3_TOKENIZER",
        "SLEEP",
    ];
    let changes = words.iter().any(|word| {
        NEVER.contains(word)
            || word.starts_with("LO_")
            || word.starts_with("PG_")
                && !matches!(
                    *word,
                    "PG_TABLES"
                        | "PG_SIZE_PRETTY"
                        | "PG_STAT_ACTIVITY"
                        | "PG_INDEXES"
                        | "PG_DATABASE"
                        | "PG_CLASS"
                )
    });
    asks && !changes && !statement.contains([';', '\\', '`'])
}

fn redis(texts: &[&str]) -> Result<Work, Option<String>> {
    let mut rest = texts;
    while let ["-h" | "-p" | "-n", _, more @ ..] = rest {
        rest = more;
    }
    let asks = matches!(
        rest.first().map(|word| word.to_lowercase()).as_deref(),
        Some(
            "ping"
                | "get"
                | "keys"
                | "info"
                | "ttl"
                | "type"
                | "exists"
                | "dbsize"
                | "hgetall"
                | "hget"
                | "lrange"
                | "llen"
                | "smembers"
                | "scard"
                | "zrange"
                | "mget"
                | "strlen"
                | "scan"
                | "time"
        )
    );
    let plain = rest
        .iter()
        .all(|word| !word.starts_with('-') || word.bytes().skip(1).all(|byte| byte.is_ascii_digit()));
    if asks && plain { Ok(Work::default()) } else { Err(Some("`redis-cli` may change the store".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions are told from statements that change, write or run.
    #[test]
    fn d_19_statements_that_only_ask() {
        for text in [
            "select 1",
            "SELECT id, name FROM users LIMIT 5;",
            "\\dt",
            "show tables",
            ".schema users",
            "explain select 1",
            "select count(*) from t where a = 'x'",
        ] {
            assert!(only_asks(text), "{text}");
        }
        for text in [
            "drop table x",
            "select 1; drop table x",
            "select * into x from y",
            "\\! touch M",
            "\\o M",
            "select pg_read_file('x')",
            "copy x to program 'sh'",
            "select lo_export(1,'M')",
            "select 1 \\g M",
            ".shell touch M",
            ".output M",
            "select writefile('M','x')",
            "explain analyze delete from x",
            "with x as (delete from y) select 1",
            ".schema\n.shell touch M",
            "select 1 into outfile 'M'",
            "select system('x')",
        ] {
            assert!(!only_asks(text), "{text}");
        }
    }
}
