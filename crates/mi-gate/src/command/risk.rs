use super::Analysis;
pub struct RiskFinding;
pub fn risk(_a: &Analysis) -> Vec<RiskFinding> { vec![] }
