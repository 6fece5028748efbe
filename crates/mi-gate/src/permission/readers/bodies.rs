//! Small programs in `sed` and `awk` that only print.

use crate::command::SimpleCommand;

/// Refuses bodies that may write or run something.
pub(super) fn check(command: &SimpleCommand) -> Result<(), String> {
    if matches!(command.program.as_str(), "jq" | "yq") {
        return queries(command);
    }
    let sed = matches!(command.program.as_str(), "sed" | "gsed");
    let awk = matches!(command.program.as_str(), "awk" | "gawk" | "mawk");
    if !sed && !awk {
        return Ok(());
    }
    if command.args.iter().any(|word| !word.exact) {
        return Err(format!("the program for `{}` is not known", command.program));
    }
    if command.bodies.is_empty() {
        return Err(format!("`{}` has no program that can be read", command.program));
    }
    let plain = |text: &str| if sed { sed_prints(text) } else { awk_prints(text) };
    match command.bodies.iter().find(|body| !plain(&body.text)) {
        Some(body) => Err(format!(
            "`{}` may write or run something: {}",
            command.program,
            mi_model::shorten(&body.text, 60)
        )),
        None => Ok(()),
    }
}

/// Queries that show the environment, open further files, or stand in one.
fn queries(command: &SimpleCommand) -> Result<(), String> {
    const WORDS: [&str; 4] = ["env", "ENV", "strenv", "envsubst"];
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let opens = |text: &str| {
        let mut rest = text;
        std::iter::from_fn(|| {
            let start = rest.find(is_name)?;
            let before = rest[..start].chars().next_back();
            let end = rest[start..].find(|char| !is_name(char)).map_or(rest.len(), |at| start + at);
            let word = &rest[start..end];
            rest = &rest[end..];
            Some((before, word))
        })
        .any(|(before, word)| {
            // `.include` and `"include"` are names in the data.
            let directive = matches!(word, "import" | "include" | "modulemeta");
            WORDS.contains(&word) || word.contains("load") || directive && !matches!(before, Some('.' | '"'))
        })
    };
    let in_a_file = |text: &str| match text.strip_prefix('-').map(|option| (option, option.strip_prefix('-')))
    {
        Some((_, Some(long))) => long.starts_with("from"),
        Some((letters, None)) => command.program == "jq" && letters.contains('f'),
        None => false,
    };
    match command.arg_texts().find(|text| opens(text) || in_a_file(text)) {
        Some(text) => Err(format!("`{}` may show more than its files: {text}", command.program)),
        None => Ok(()),
    }
}

/// Addresses followed by `p d q =` or a substitution without `e` and `w`.
fn sed_prints(script: &str) -> bool {
    script.split([';', '\n']).map(str::trim).filter(|command| !command.is_empty()).all(|command| {
        let Some(rest) = after_address(command) else { return false };
        let rest = rest.trim_start_matches(['!', ' ']);
        match rest.chars().next() {
            Some('p' | 'd' | 'q' | '=' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'l') => {
                rest[1..].trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'}')
            }
            Some('s' | 'y') => substitution_prints(&rest[1..]),
            Some('{') => sed_prints(rest[1..].trim_end_matches('}')),
            Some('}') => rest[1..].trim().is_empty(),
            _ => false,
        }
    })
}

/// What stands behind `12,$` or `/a/,/b/`.
fn after_address(command: &str) -> Option<&str> {
    let mut rest = command;
    loop {
        rest = rest.trim_start();
        rest = match rest.chars().next()? {
            '0'..='9' | '$' | ',' | '~' | '+' => &rest[1..],
            '/' => {
                let end = unescaped(&rest[1..], '/')?;
                rest[end + 2..].trim_start_matches(['I', 'M'])
            }
            _ => return Some(rest),
        };
    }
}

fn unescaped(text: &str, wanted: char) -> Option<usize> {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        match char {
            '\\' if !escaped => escaped = true,
            char if char == wanted && !escaped => return Some(at),
            _ => escaped = false,
        }
    }
    None
}

fn substitution_prints(rest: &str) -> bool {
    let Some(delimiter) = rest.chars().next().filter(|char| char.is_ascii_punctuation() && *char != '\\')
    else {
        return false;
    };
    let first = &rest[1..];
    let Some(end) = unescaped(first, delimiter) else { return false };
    let second = &first[end + 1..];
    let Some(end) = unescaped(second, delimiter) else { return false };
    second[end + 1..]
        .trim()
        .bytes()
        .all(|byte| matches!(byte, b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' | b'}'))
}

/// No pipe, no redirect behind a `print`, and no word that reads other inputs or runs something. Quotes and patterns are
/// not told apart: a sign in them prompts too.
fn awk_prints(script: &str) -> bool {
    const NEVER: [&str; 9] =
        ["system", "getline", "close", "fflush", "ENVIRON", "@", "ARGV", "SYMTAB", "PROCINFO"];
    let printed = script.find("print").map_or("", |at| &script[at..]);
    !NEVER.iter().any(|word| script.contains(word))
        && !script.replace("||", "").contains('|')
        && !printed.contains('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What prints is told from what writes or runs.
    #[test]
    fn d_19_sed_and_awk_bodies_are_read() {
        for script in ["1,120p", "s/a/b/g", "/x/,/y/p", "$!d", "s|a|b|;s/c/d/2p", "/a\\/b/d", "10q"] {
            assert!(sed_prints(script), "{script}");
        }
        for script in [
            "1e touch M",
            "s/x/y/e",
            "s/x/y/w M",
            "w M",
            "r /etc/passwd",
            "/x/w M",
            "s/x/y/gw M",
            "1!{w M}",
            "i\\\nx",
            "e",
            "s/a/b",
            "W M",
        ] {
            assert!(!sed_prints(script), "{script}");
        }
        for script in [
            "{print $1}",
            "$3 > 10 {print}",
            "{ if ($1 > 2) print }",
            "NR > 1 || $2 > 3",
            "a||b{print}",
            "/ERROR/ { if ($3 > 10) print $1 }",
        ] {
            assert!(awk_prints(script), "{script}");
        }
        for script in [
            "BEGIN{print 1 > \"M\"}",
            "BEGIN{system(\"x\")}",
            "{print | \"sh\"}",
            "BEGIN{\"x\"|getline}",
            "@load \"x\"",
            "/\"/{print 1 > f}#\"",
            "/[(]/{print > $2}",
            "/[}]/{print > $2}",
            "#(\n{print 1 > f}",
            "BEGIN{for(print 1 > \"M\";0;);}",
            "BEGIN{print 1,\n2 > f}",
            "{if(x~/[(]/)y; print 1 > f}",
            "{print $1} $3 > 5",
            "{printf \"x\" >> f}",
            "{print ||| \"sh\"}",
        ] {
            assert!(!awk_prints(script), "{script}");
        }
    }
}
