//! Options whose values are the words of a setting.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Reads one of a setting's words. `words` has each of them with its line in the help, which may be empty.
pub fn word_parser<T: Clone + Send + Sync + 'static>(
    words: &'static [(&'static str, &'static str)],
    read: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    let values = words.iter().map(|(word, help)| {
        let value = PossibleValue::new(*word);
        if help.is_empty() { value } else { value.help(*help) }
    });
    PossibleValuesParser::new(values).try_map(move |word| read(&word).ok_or("not a word of this setting"))
}

#[cfg(test)]
mod tests {
    use crate::args::{boxed, prove};
    use mi_config::{BoxEngine, ProveEngine};

    /// An option takes exactly the words of its setting.
    #[test]
    fn options_know_every_word_of_their_setting() {
        assert_eq!(prove::ENGINE_HELP.map(|(word, _)| word), *ProveEngine::WORDS);
        assert_eq!(boxed::ENGINE_HELP.map(|(word, _)| word), *BoxEngine::WORDS);
    }
}
