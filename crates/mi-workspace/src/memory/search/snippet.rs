//! The piece of a text that shows best why it was found.

use mi_model::shorten;

use super::query::Query;

/// Characters of a piece; about two lines of a terminal.
const LONG: usize = 160;

/// The line, counted from 1, and the piece of it that has most of the query; empty text has none.
pub(crate) fn snippet(text: &str, query: &Query, weights: &[f32]) -> Option<(usize, String)> {
    let mut best: Option<(f32, usize, &str)> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("<!-- tags:") {
            continue;
        }
        for piece in pieces(line) {
            let value = value(piece, query, weights);
            if best.is_none_or(|(known, _, _)| value > known) {
                best = Some((value, index + 1, piece));
            }
        }
    }
    let (_, line, piece) = best?;
    Some((line, shorten(piece.trim(), LONG)))
}

fn value(piece: &str, query: &Query, weights: &[f32]) -> f32 {
    let mut counts = query.nothing();
    query.count(piece, 1.0, &mut counts);
    let found = counts.of_terms.iter().zip(weights).filter(|(count, _)| **count > 0.0);
    found.map(|(_, weight)| weight).sum()
}

/// A line cut between words, or between characters where there are none, into pieces that overlap by half.
fn pieces(line: &str) -> Vec<&str> {
    if line.chars().nth(LONG).is_none() {
        return vec![line];
    }
    let mut pieces = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        pieces.push(&rest[..cut(rest, LONG)]);
        if rest.chars().nth(LONG).is_none() {
            break;
        }
        rest = rest[cut(rest, LONG / 2)..].trim_start();
    }
    pieces
}

/// Where to cut so that at most `most` characters come before: after a blank if there is a late one.
fn cut(text: &str, most: usize) -> usize {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    if end == text.len() {
        return end;
    }
    match text[..end].rfind(' ') {
        Some(blank) if blank > end / 2 => blank + 1,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::{Query, snippet};
    use proptest::prelude::*;

    /// The line with most of the query is shown, cut around the words in a long one.
    #[test]
    fn the_best_line_is_shown() {
        let query = Query::new("lock order").unwrap();
        let text = "<!-- tags: lock, order -->\n# Notes\n\na lock here\nthe order of every lock\n";
        assert_eq!(snippet(text, &query, &[1.0, 1.0]), Some((5, "the order of every lock".to_owned())));
        let long = format!("{}锁的顺序{}", "前面的话".repeat(100), "后面的话".repeat(100));
        let query = Query::new("锁的顺序").unwrap();
        let (_, shown) = snippet(&long, &query, &[1.0; 3]).unwrap();
        assert!(shown.contains("锁的顺序") && shown.chars().count() <= super::LONG, "{shown}");
    }

    proptest! {
        /// No text panics.
        #[test]
        fn any_text_has_a_snippet_or_none(text in "(\\PC|\n){0,400}") {
            snippet(&text, &Query::new("a 锁").unwrap(), &[1.0, 1.0]);
        }
    }
}
