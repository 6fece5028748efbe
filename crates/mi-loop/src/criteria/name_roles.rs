//! What a text says of each thing that it names: that it is wanted, that something else takes its place, or that it is part
//! of a report of what goes wrong today.

use super::named_things::{NameRole, NamedThing};

/// Words right before a name that something else is to replace.
const REPLACING: [&str; 22] = [
    "instead of",
    "instead of the",
    "rather than",
    "not",
    "no longer",
    "in place of",
    "replaces",
    "statt",
    "anstatt",
    "anstelle von",
    "nicht",
    "en lugar de",
    "en vez de",
    "au lieu de",
    "plutôt que",
    "而不是",
    "不是",
    "代替",
    "不再是",
    "不要用",
    "取代",
    "替换",
];
/// Words right after such a name.
const REPLACED: [&str; 4] = ["ではなく", "の代わりに", "換成", "改成"];
/// Words that forbid what follows them shortly.
const FORBIDDING: [&str; 10] =
    ["don't", "never", "stop", "avoid", "without", "cannot", "mustn't", "shouldn't", "keine", "jamais"];
const FORBIDDING_CJK: [&str; 3] = ["不要", "不再", "别"];
/// Parts of words by which a sentence reports what goes wrong.
const FAILING: [&str; 50] = [
    "chokes",
    "blows up",
    "dies",
    "bad name",
    "panicked",
    "panics",
    "crash",
    "traceback",
    "exception",
    "raises",
    "throws",
    "segfault",
    "fails",
    "failed with",
    "error:",
    "wrong",
    "broken",
    "complain",
    "ignores",
    "does not",
    "doesn't",
    "do not",
    "don't",
    "currently",
    "at the moment",
    "right now",
    "today",
    "stürzt",
    "falsch",
    "kaputt",
    "funktioniert nicht",
    "bisher",
    "ignoriert",
    "falla",
    "ignora",
    "rompe",
    "incorrect",
    "plante",
    "échoue",
    "崩溃",
    "报错",
    "出错",
    "不对",
    "失败",
    "现在",
    "目前",
    "エラー",
    "落ちる",
    "失敗",
    "現在",
];
/// Words of obligation: a sentence that has one says what is wanted, whatever else it tells.
const OBLIGING: [&str; 33] = [
    "expected",
    "i'd expect",
    "would like",
    "'d like",
    "nice if",
    "möchte",
    "brauch",
    "quiero",
    "希望",
    "ほしい",
    "must",
    "should",
    "shall",
    "has to",
    "have to",
    "need",
    "ought",
    "want",
    "please",
    "muss",
    "müssen",
    "soll",
    "debe",
    "deber",
    "tiene que",
    "doit",
    "doivent",
    "必须",
    "应该",
    "需要",
    "要求",
    "すべき",
    "してください",
];

/// Whether a text reports what goes wrong and asks for nothing itself.
pub(super) fn is_symptom(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(&FAILING) && !has(&OBLIGING)
}

/// Whether a sentence says what is wanted.
pub(super) fn obliges(text: &str) -> bool {
    let lower = text.to_lowercase();
    OBLIGING.iter().any(|word| lower.contains(word))
}

/// Sets the role of every name by where it stands in `text`.
pub(super) fn set_roles(text: &str, names: &mut [NamedThing]) {
    for name in names {
        let mut places = text.match_indices(&name.text).map(|(at, _)| at).peekable();
        if places.peek().is_none() {
            continue;
        }
        let roles: Vec<NameRole> = places.map(|at| role_at(text, at, name.text.len())).collect();
        let is_all = |role: NameRole| roles.iter().all(|one| *one == role);
        name.role = match roles.first() {
            Some(NameRole::Replaced) if is_all(NameRole::Replaced) => NameRole::Replaced,
            _ if roles.iter().all(|role| *role != NameRole::Wanted) => NameRole::Context,
            _ => NameRole::Wanted,
        };
    }
}

fn role_at(text: &str, at: usize, length: usize) -> NameRole {
    let is_frame = |char: char| "`'\"“”「」«»(.#".contains(char);
    let before = text[..at].trim_end_matches(is_frame).trim_end().to_lowercase();
    let after = text[at + length..].trim_start_matches(is_frame).trim_start().to_lowercase();
    let ends_with = |words: &str| {
        before
            .strip_suffix(words)
            .is_some_and(|rest| !words.is_ascii() || !rest.ends_with(|char: char| char.is_alphanumeric()))
    };
    let is_source = ["from", "von", "de", "从"].iter().any(|word| ends_with(word))
        && ["to ", "auf ", "zu ", "a ", "à ", "到", "改"].iter().any(|word| after.starts_with(word));
    if is_source
        || REPLACING.iter().any(|words| ends_with(words))
        || REPLACED.iter().any(|words| after.starts_with(words))
    {
        return NameRole::Replaced;
    }
    let clause = before.rsplit([',', ';', '.', ':', '，', '。']).next().unwrap_or_default();
    let near: Vec<&str> = clause.split_whitespace().rev().take(4).collect();
    if near.iter().any(|word| FORBIDDING.contains(word))
        || FORBIDDING_CJK.iter().any(|word| clause.contains(word))
    {
        return NameRole::Replaced;
    }
    // "The version of package.json" says where something comes from.
    if ["of", "von", "de"].iter().any(|word| ends_with(word))
        && text[at..].contains('.')
        && !text[at..at + length].contains('(')
    {
        return NameRole::Context;
    }
    if is_symptom(sentence_around(text, at, length)) { NameRole::Context } else { NameRole::Wanted }
}

/// The sentence that holds a place; a dot inside a name or number ends none.
fn sentence_around(text: &str, at: usize, length: usize) -> &str {
    let is_end = |(index, char): &(usize, char)| {
        "。！？；;\n".contains(*char)
            || ".!?".contains(*char)
                && text[index + char.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
    };
    let start = text[..at].char_indices().rfind(is_end).map_or(0, |(index, char)| index + char.len_utf8());
    let rest = at + length;
    let is_later = |(index, char): &(usize, char)| *index >= rest && is_end(&(*index, *char));
    let end = text.char_indices().find(is_later).map_or(text.len(), |(index, _)| index);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::super::named_things;
    use super::*;

    fn role(text: &str, name: &str) -> Option<NameRole> {
        named_things(text).into_iter().find(|one| one.text == name).map(|one| one.role)
    }

    /// What is replaced, and what is only reported, is told from what is wanted.
    #[test]
    fn roles_follow_from_the_words_around_a_name() {
        use NameRole::{Context, Replaced, Wanted};
        for (text, name, expected) in [
            ("it must be `acme start`, not `acme run`", "acme run", Replaced),
            ("it must be `acme start`, not `acme run`", "acme start", Wanted),
            ("the background should be #0a7d32 instead of #c00", "#c00", Replaced),
            ("the background should be #0a7d32 instead of #c00", "#0a7d32", Wanted),
            ("bump `lib` from `1.2.0` to `1.3.0`", "1.2.0", Replaced),
            ("用 `tabs` 而不是 `spaces`", "spaces", Replaced),
            ("thread 'main' panicked at src/lib.rs:3. It should return None", "main", Context),
            ("Invoices are printed as 'Total: 12.5' and customers complain", "Total: 12.5", Context),
            ("`parse()` crashes on commas. `parse()` must accept them", "parse", Wanted),
            ("print 'no such user'", "no such user", Wanted),
        ] {
            assert_eq!(role(text, name), Some(expected), "{text}: {name}");
        }
    }
}
