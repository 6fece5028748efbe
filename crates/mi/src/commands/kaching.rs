//! KACHING: what a task may use up, from the settings.

use mi_config::Settings;
use mi_council::budget::{Budget, Prices};
use std::num::NonZeroU64;

use crate::failure::Failure;

/// The budget of one task. A limit of money that nobody could hold is refused.
pub fn budget(settings: &Settings) -> Result<Budget, Failure> {
    let set = &settings.budget;
    let budget = Budget {
        max_tokens: set.max_tokens.map(NonZeroU64::get),
        max_cents: set.max_cents.map(NonZeroU64::get),
        prices: Prices { input_cents: set.input_cents, output_cents: set.output_cents },
    };
    match budget.lacks_prices() {
        false => Ok(budget),
        true => Err(Failure::usage("budget.max_cents is set, but nothing says what tokens cost")
            .todo("set budget.input_cents and budget.output_cents: cents for a million tokens")),
    }
}
