//! What a call costs, by a table of list prices; an unknown model costs `None`, never zero.

use mi_model::Usage;
use serde::Deserialize;

/// US dollars per million tokens.
#[derive(Debug, Deserialize)]
struct Price {
    model: String,
    input: f64,
    cached_input: f64,
    output: f64,
}

#[derive(Debug, Deserialize)]
struct PriceTable {
    prices: Vec<Price>,
}

const TABLE: &str = include_str!("../prices.json");

/// The list price of this usage.
pub(crate) fn cost_usd(model: &str, usage: &Usage) -> Option<f64> {
    let table: PriceTable = serde_json::from_str(TABLE).ok()?;
    let price = table.prices.into_iter().find(|price| names(&price.model, model))?;
    let cached = usage.cached_input_tokens.min(usage.input_tokens);
    let fresh = usage.input_tokens - cached;
    let millionths = fresh as f64 * price.input
        + cached as f64 * price.cached_input
        + usage.output_tokens as f64 * price.output;
    Some(millionths / 1e6)
}

/// Whether `model` is the listed one, or a dated edition of it: `gpt-5-2025-08-07`, `claude-opus-4-5-20251101`.
fn names(listed: &str, model: &str) -> bool {
    let Some(rest) = model.strip_prefix(listed) else { return false };
    let is_date =
        |date: &str| date.len() >= 8 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    rest.is_empty() || rest.strip_prefix('-').is_some_and(is_date)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cached input is the cheaper part of the input; unknown models have no price.
    #[test]
    fn prices_follow_the_table() {
        let usage = Usage {
            input_tokens: 1_000_000,
            cached_input_tokens: 400_000,
            output_tokens: 100_000,
            ..Usage::default()
        };
        for (model, expected) in [
            ("gpt-5", Some(0.6 * 1.25 + 0.4 * 0.125 + 1.0)),
            ("gpt-5-2025-08-07", Some(0.6 * 1.25 + 0.4 * 0.125 + 1.0)),
            ("gpt-5-mini", Some(0.6 * 0.25 + 0.4 * 0.025 + 0.2)),
            ("claude-sonnet-4-5-20250929", Some(0.6 * 3.0 + 0.4 * 0.3 + 1.5)),
            ("gpt-5-turbo-unheard-of", None),
            ("fake-model", None),
            ("", None),
        ] {
            let cost = cost_usd(model, &usage);
            assert_eq!(
                cost.map(|cost| (cost * 1e9).round()),
                expected.map(|cost| (cost * 1e9_f64).round()),
                "{model}"
            );
        }
    }
}
