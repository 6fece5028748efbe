//! Words that stand in a script in another dress: `$(echo git)`, `` `which git` ``, `${x:-push}`.
//!
//! Only what is written out is put in its place; the result is one reading more of the script, never instead of it.

/// The commands whose words are what they print.
const PRINTS: [&str; 5] = ["echo ", "printf ", "which ", "command -v ", "type -p "];

/// The script with such words in their place, if it has any.
pub(super) fn resolve(script: &str) -> Option<String> {
    let (mut text, mut rest, mut is_changed) = (String::with_capacity(script.len()), script, false);
    while let Some(at) = rest.find(['$', '`']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (word, after) = match printed(rest).or_else(|| default_value(rest)) {
            Some(found) => {
                is_changed = true;
                found
            }
            None => rest.split_at(1),
        };
        text.push_str(word);
        rest = after;
    }
    text.push_str(rest);
    is_changed.then_some(text)
}

/// `$(echo WORDS)`, `` `echo WORDS` ``, and what follows.
fn printed(text: &str) -> Option<(&str, &str)> {
    let (inner, after) = match text.strip_prefix("$(") {
        Some(rest) => rest.split_once(')')?,
        None => text.strip_prefix('`')?.split_once('`')?,
    };
    let words = PRINTS.iter().find_map(|prints| inner.trim_start().strip_prefix(prints))?;
    is_plain(words).then_some((words.trim(), after))
}

/// `${name:-WORDS}`, and what follows.
fn default_value(text: &str) -> Option<(&str, &str)> {
    let (inner, after) = text.strip_prefix("${")?.split_once('}')?;
    let mark = inner.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let rest = inner[mark..].strip_prefix(':').unwrap_or(&inner[mark..]);
    let words = rest.strip_prefix(['-', '='])?;
    is_plain(words).then_some((words, after))
}

fn is_plain(words: &str) -> bool {
    words.chars().all(|letter| letter.is_ascii_alphanumeric() || " ./_-".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F.3: written-out words are put in their place, everything else stays.
    #[test]
    fn f_3_words_in_another_dress_are_put_in_their_place() {
        for (script, expected) in [
            ("$(echo git) push", Some("git push")),
            ("`which git` push", Some("git push")),
            ("git ${x:-push} a", Some("git push a")),
            ("a; $( command -v scp ) b h:c", Some("a; scp b h:c")),
            ("git $(cat list)", None),
            ("echo $HOME ${x} ${x:?no} `", None),
            ("$(echo 'a;b')", None),
            ("é$", None),
            ("$(", None),
        ] {
            assert_eq!(resolve(script).as_deref(), expected, "{script}");
        }
    }
}
