//! KACHING: what a task may use up in tokens and money.
//!
//! Holds: cached input is priced as input, so that the cost told is never below the true one; a limit of money without
//! prices is no limit, which [`Budget::lacks_prices`] tells before anything is spent.

use mi_model::Usage;
use serde::{Deserialize, Serialize};

/// What a task may use up. `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budget {
    #[serde(default)]
    pub max_tokens: Option<u64>,
    #[serde(default)]
    pub max_cents: Option<u64>,
    #[serde(default)]
    pub prices: Prices,
}

/// Cents for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prices {
    pub input_cents: u64,
    pub output_cents: u64,
}

/// What a task has used up so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub tokens: u64,
    /// Millionths of the currency's unit: ten thousand are a cent.
    pub cost_micros: u64,
}

impl Budget {
    /// Adds what was used.
    pub fn spend(&self, spent: &mut Spent, usage: &Usage) {
        spent.tokens = spent.tokens.saturating_add(usage.total());
        spent.cost_micros = spent.cost_micros.saturating_add(self.prices.cost_micros(usage));
    }

    /// Why nothing more may be used, if so.
    pub fn reached(&self, spent: &Spent) -> Option<String> {
        if self.max_tokens.is_some_and(|most| spent.tokens >= most) {
            return Some(format!("the token limit is reached at {} tokens (--max-tokens)", spent.tokens));
        }
        let most = self.max_cents.filter(|most| spent.cost_micros >= most.saturating_mul(10_000))?;
        let cents = spent.cost_micros / 10_000;
        Some(format!("the cost limit of {most} cents is reached at {cents} cents (budget.max_cents)"))
    }

    /// Whether money is limited and nobody said what anything costs.
    pub fn lacks_prices(&self) -> bool {
        self.max_cents.is_some() && self.prices == Prices::default()
    }
}

impl Prices {
    fn cost_micros(&self, usage: &Usage) -> u64 {
        let part = |tokens: u64, cents: u64| u128::from(tokens) * u128::from(cents);
        let total = part(usage.input_tokens, self.input_cents)
            .saturating_add(part(usage.output_tokens, self.output_cents));
        u64::try_from(total / 100).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
        Usage { input_tokens, output_tokens, ..Usage::default() }
    }

    /// Each limit holds by itself, from the very token or cent on; no limit is none.
    #[test]
    fn kaching_limits_hold_from_the_very_token_on() {
        let prices = Prices { input_cents: 200, output_cents: 1000 };
        let budget = Budget { max_tokens: Some(100), max_cents: None, prices };
        let mut spent = Spent::default();
        budget.spend(&mut spent, &usage(90, 9));
        assert_eq!(budget.reached(&spent), None);
        budget.spend(&mut spent, &usage(0, 1));
        assert_eq!(
            budget.reached(&spent).unwrap(),
            "the token limit is reached at 100 tokens (--max-tokens)"
        );
        let money = Budget { max_tokens: None, max_cents: Some(3), prices };
        let mut spent = Spent::default();
        money.spend(&mut spent, &usage(10_000, 999));
        assert_eq!((spent.cost_micros, money.reached(&spent)), (29_990, None));
        money.spend(&mut spent, &usage(0, 1));
        assert!(money.reached(&spent).unwrap().contains("3 cents"));
        assert_eq!(Budget::default().reached(&Spent { tokens: u64::MAX, cost_micros: u64::MAX }), None);
    }

    /// Sums never overflow, and a price that is missing is told.
    #[test]
    fn kaching_sums_do_not_overflow() {
        let prices = Prices { input_cents: u64::MAX, output_cents: u64::MAX };
        let budget = Budget { max_tokens: None, max_cents: Some(u64::MAX), prices };
        let mut spent = Spent { tokens: u64::MAX, cost_micros: 1 };
        budget.spend(&mut spent, &usage(u64::MAX, u64::MAX));
        assert_eq!(spent, Spent { tokens: u64::MAX, cost_micros: u64::MAX });
        assert!(!budget.lacks_prices());
        assert!(Budget { max_cents: Some(1), ..Budget::default() }.lacks_prices());
    }
}
