//! The council's tools by name. What they do is the program's: it knows settings, clock and home.

use serde_json::Value;

/// One tool of the council.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CouncilTool {
    ReviewVote,
    ReviewStatus,
    DeliverSubmit,
    ContextGet,
}

/// Carries out a tool of the council; the error is what the model is told.
pub type Council = Box<dyn Fn(CouncilTool, &Value) -> Result<Value, String> + Send + Sync>;

impl CouncilTool {
    pub const ALL: [Self; 4] = [Self::ReviewVote, Self::ReviewStatus, Self::DeliverSubmit, Self::ContextGet];

    pub fn name(self) -> &'static str {
        self.into()
    }
}
