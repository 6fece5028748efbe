//! One spelling for the forms of an English word: `renaming`, `renames` and `rename` compare equal.

/// The stem of one word. Stems are for comparing only; they need not be words.
pub(crate) fn stem(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == lower) {
        return (*base).to_owned();
    }
    if !lower.is_ascii() || !lower.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return lower;
    }
    let base = undo_ending(&lower);
    let base = if base.len() >= 5 { base.strip_suffix('e').map(str::to_owned).unwrap_or(base) } else { base };
    british(base)
}

const IRREGULAR: &[(&str, &str)] = &[
    ("using", "use"),
    ("used", "use"),
    ("uses", "use"),
    ("wrote", "writ"),
    ("written", "writ"),
    ("ran", "run"),
    ("broke", "break"),
    ("broken", "break"),
    ("this", "this"),
    ("is", "is"),
    ("was", "was"),
    ("does", "do"),
    ("has", "has"),
    ("as", "as"),
    ("us", "us"),
    ("yes", "yes"),
    ("always", "always"),
    ("keeping", "keep"),
    ("kept", "keep"),
    ("anything", "anything"),
    ("everything", "everything"),
    ("nothing", "nothing"),
    ("something", "something"),
    ("during", "during"),
    ("bring", "bring"),
    ("string", "string"),
    ("spent", "spend"),
    ("paid", "paid"),
    ("tests", "test"),
    ("need", "need"),
    ("needed", "need"),
    ("indices", "index"),
    ("libs", "lib"),
    ("going", "go"),
    ("doing", "do"),
    ("left", "left"),
    ("leaving", "leav"),
    ("leave", "leav"),
    ("fees", "fee"),
    ("fee", "fee"),
];

fn undo_ending(word: &str) -> String {
    let length = word.len();
    if let Some(base) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")).filter(|_| length >= 5)
    {
        return format!("{base}y");
    }
    if let Some(base) = word.strip_suffix("ing").filter(|base| base.len() >= 3) {
        return single_consonant(base);
    }
    if let Some(base) = word.strip_suffix("ed").filter(|base| base.len() >= 3) {
        return single_consonant(base);
    }
    let hissing = ["ses", "xes", "zes", "ches", "shes"].iter().any(|ending| word.ends_with(ending));
    if hissing && length >= 5 {
        let base = &word[..length - 2];
        return base.to_owned();
    }
    match word.strip_suffix('s') {
        Some(base) if length >= 4 && !["s", "u", "i"].iter().any(|end| base.ends_with(end)) => {
            base.to_owned()
        }
        _ => word.to_owned(),
    }
}

/// `running` minus `ing` is `runn`; the word is `run`.
fn single_consonant(base: &str) -> String {
    let bytes = base.as_bytes();
    let doubled = bytes.len() >= 4 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    if doubled && b"bgkmnprtv".contains(&bytes[bytes.len() - 1]) {
        return base[..base.len() - 1].to_owned();
    }
    base.to_owned()
}

/// `behaviour` and `behavior`, `minimise` and `minimize` are the same word.
fn british(base: String) -> String {
    if let Some(head) = base.strip_suffix("our").filter(|head| head.len() >= 3) {
        return format!("{head}or");
    }
    if let Some(head) = base.strip_suffix("is").filter(|head| head.len() >= 5) {
        return format!("{head}iz");
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms of one word share a stem, and different words do not.
    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            &["rename", "renames", "renaming", "renamed"][..],
            &["dependency", "dependencies"],
            &["commit", "commits", "committing", "committed"],
            &["behaviour", "behavior", "behaviours"],
            &["delete", "deleting", "deleted"],
            &["install", "installing", "installed"],
            &["minimise", "minimizing"],
            &["use", "using", "used"],
            &["push", "pushes", "pushing"],
        ] {
            let stems: Vec<_> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|one| one == &stems[0]), "{forms:?} gave {stems:?}");
        }
        assert_ne!(stem("test"), stem("text"));
    }
}
