//! Reads the options that stand before a command's operands.

use super::types::Word;

/// Which options a program has, as far as its operands depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec {
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters of options with a value, in the same word or the next.
    pub(super) valued: &'static str,
    pub(super) long_flags: &'static [&'static str],
    pub(super) long_valued: &'static [&'static str],
}

/// The options in front, and where they end.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// Index of the first operand.
    pub(super) end: usize,
    pub(super) values: Vec<(String, Word)>,
    pub(super) flags: Vec<String>,
    pub(super) unknown: Option<String>,
}

impl Options {
    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name) || self.value(name).is_some()
    }

    pub(super) fn value(&self, name: &str) -> Option<&Word> {
        self.values.iter().find(|(option, _)| option == name).map(|(_, value)| value)
    }
}

/// Reads options up to the first operand or `--`.
pub(super) fn read(args: &[Word], spec: &Spec) -> Options {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if text.len() < 2 || !text.starts_with(['-', '+']) {
            break;
        }
        at += 1;
        let takes_next = match text.strip_prefix("--") {
            Some(long) => long_option(long, spec, &mut options),
            None => short_options(text, spec, &mut options),
        };
        if let Some(name) = takes_next {
            options.values.push((name, args.get(at).cloned().unwrap_or_default()));
            at += 1;
        }
    }
    options.end = at.min(args.len());
    options
}

/// Gives the name of an option whose value is the next word.
fn long_option(long: &str, spec: &Spec, options: &mut Options) -> Option<String> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let known_valued = spec.long_valued.contains(&name);
    match value {
        Some(value) => options.values.push((format!("--{name}"), Word::exact(value))),
        None if known_valued => return Some(format!("--{name}")),
        None => options.flags.push(format!("--{name}")),
    }
    if !known_valued && !spec.long_flags.contains(&name) {
        options.unknown.get_or_insert(format!("--{name}"));
    }
    None
}

fn short_options(text: &str, spec: &Spec, options: &mut Options) -> Option<String> {
    let sign = &text[..1];
    for (index, letter) in text.char_indices().skip(1) {
        let name = format!("{sign}{letter}");
        if spec.valued.contains(letter) {
            let rest = &text[index + letter.len_utf8()..];
            if rest.is_empty() {
                return Some(name);
            }
            options.values.push((name, Word::exact(rest)));
            return None;
        }
        if !spec.flags.contains(letter) {
            options.unknown.get_or_insert_with(|| name.clone());
        }
        options.flags.push(name);
    }
    None
}
