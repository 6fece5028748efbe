//! Notices with priorities, and the side block that gathers the minor ones (D.20).

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::speed::Speed;
use crate::messages::{Locale, Message};

/// Something to tell the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub kind: NoticeKind,
    pub text: String,
}

impl Serialize for Notice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Notice", 3)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("priority", if self.kind.is_minor() { "low" } else { "high" })?;
        fields.serialize_field("text", &self.text)?;
        fields.end()
    }
}

/// What a notice is; the first eight stand in the answer itself, the rest are minor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    SecurityAlert,
    DeploymentGate,
    Confirmation,
    Error,
    Challenge,
    Override,
    SpecGate,
    SpeedReview,
    Cognitive,
    Style,
    Hint,
    Status,
}

impl NoticeKind {
    /// It may be gathered, shortened and silenced.
    pub fn is_minor(self) -> bool {
        match self {
            Self::Cognitive | Self::Style | Self::Hint | Self::Status => true,
            Self::SecurityAlert
            | Self::DeploymentGate
            | Self::Confirmation
            | Self::Error
            | Self::Challenge
            | Self::Override
            | Self::SpecGate
            | Self::SpeedReview => false,
        }
    }
}

/// Everything in order, the minor ones in one block behind it. S4 leaves the block out.
pub fn render_notices(notices: &[Notice], speed: &[Speed], locale: Locale) -> String {
    let (minor, inline): (Vec<&Notice>, Vec<&Notice>) =
        notices.iter().partition(|notice| notice.kind.is_minor());
    let mut lines: Vec<String> = inline.iter().map(|notice| notice.text.clone()).collect();
    match minor.as_slice() {
        _ if speed.contains(&Speed::S4) => {}
        [] => {}
        [one] => lines.push(one.text.clone()),
        many => {
            let shown = if many.len() > 5 { 3 } else { many.len() };
            lines.push("─── ISB ───".to_owned());
            lines.extend(many.iter().take(shown).map(|notice| format!("• {}", notice.text)));
            if many.len() > shown {
                lines.push(format!("• {}", Message::MoreItems { count: many.len() - shown }.text(locale)));
            }
            lines.push("────────────".to_owned());
        }
    }
    lines.join("\n")
}
