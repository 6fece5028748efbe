//! The sentences that are fixed, in the seed's own words (`zh`) and in English.
//!
//! Holds: every message has both; words in square brackets of the seed are filled in, nothing else is changed.

/// The language a person reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locale {
    Zh,
    #[default]
    En,
}

/// One fixed sentence with what is filled into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message<'a> {
    /// D.2
    FirstBoot,
    /// D.2
    Ready,
    /// D.3, D.21
    SpeedReview,
    /// D.3
    OverrideAcknowledged,
    /// D.6
    SpecUnclear { questions: &'a [String] },
    /// D.6
    ReviewPassed,
    /// D.6
    ReviewPartlyAdopted,
    /// D.9
    CognitiveSuggestion { description: &'a str },
    /// D.9: the suggestion was taken up.
    ProposalWritten { path: &'a str },
    /// D.10
    SecretDetected,
    /// D.11
    FirstSessionLog,
    /// D.12
    AutoSaved { slot: &'a str, trigger: u8 },
    /// D.20
    MoreItems { count: usize },
    /// D.3, D.22
    WaitsForAcknowledgement { id: &'a str },
    /// D.5
    SplitBatch { count: usize, first: usize },
}

impl Message<'_> {
    /// The sentence in the language of `locale`.
    pub fn text(&self, locale: Locale) -> String {
        match locale {
            Locale::Zh => self.zh(),
            Locale::En => self.en(),
        }
    }

    fn zh(&self) -> String {
        match self {
            Self::FirstBoot => {
                "首次启动,无历史session。本次session结束时将创建第一份session log。".to_owned()
            }
            Self::Ready => "系统就绪。建议先完成一个小任务验证协作流程。".to_owned(),
            Self::SpeedReview => "⚡ 速度模式:本次决策建议后续review".to_owned(),
            Self::SpecUnclear { questions } => {
                format!("需求或验收标准不明确,请先澄清以下问题:{}", questions.join(" "))
            }
            Self::ReviewPassed => "[外部审查通过]".to_owned(),
            Self::ReviewPartlyAdopted => "[外部建议已部分采纳]".to_owned(),
            Self::CognitiveSuggestion { description } => {
                format!("💾 认知收集建议:{description} — 需要保存为card吗?")
            }
            Self::ProposalWritten { path } => format!("已写入 {path}"),
            Self::SecretDetected => "⚠️ 检测到敏感信息,建议立即撤回并更换凭证。".to_owned(),
            Self::FirstSessionLog => "首次session log,系统初始化完成".to_owned(),
            Self::SplitBatch { count, first } => {
                format!("本次请求包含{count}项改动,一次改动过多会降低质量。建议先做第一批({first}项)。")
            }
            Self::WaitsForAcknowledgement { id } => {
                format!("高风险事项:在您于自己的终端运行 `mi ack {id}` 之前不会执行。")
            }
            Self::OverrideAcknowledged | Self::AutoSaved { .. } | Self::MoreItems { .. } => self.fixed(),
        }
    }

    fn en(&self) -> String {
        match self {
            Self::FirstBoot => {
                "First start, no earlier session. The first session log will be written when this \
                                session ends."
                    .to_owned()
            }
            Self::Ready => "Ready. Try the way of working on a small task first.".to_owned(),
            Self::SpeedReview => "⚡ Speed mode: review this decision later".to_owned(),
            Self::SpecUnclear { questions } => format!(
                "The requirement or its acceptance criteria are not clear. Please answer first: {}",
                questions.join(" ")
            ),
            Self::ReviewPassed => "[external review passed]".to_owned(),
            Self::ReviewPartlyAdopted => "[external advice partly adopted]".to_owned(),
            Self::CognitiveSuggestion { description } => {
                format!("💾 Worth keeping: {description} — save it as a card?")
            }
            Self::ProposalWritten { path } => format!("Written to {path}"),
            Self::SecretDetected => {
                "⚠️ This message holds a secret. Take it back and replace the credential now.".to_owned()
            }
            Self::FirstSessionLog => "First session log, the system is set up".to_owned(),
            Self::SplitBatch { count, first } => format!(
                "This asks for {count} changes at once; large batches hide mistakes and are hard to review. \
                 Proposed first batch: {first}."
            ),
            Self::WaitsForAcknowledgement { id } => {
                format!(
                    "High risk: nothing is changed before you run `mi ack {id}` in a terminal of your own."
                )
            }
            Self::OverrideAcknowledged | Self::AutoSaved { .. } | Self::MoreItems { .. } => self.fixed(),
        }
    }

    /// Sentences that the seed fixes in English for everybody.
    fn fixed(&self) -> String {
        match self {
            Self::AutoSaved { slot, trigger } => format!("Auto-saved to slot-{slot} | trigger: {trigger}"),
            Self::MoreItems { count } => format!("[{count} more minor items]"),
            _ => "Override acknowledged.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Chinese sentences are the seed's, letter by letter.
    #[test]
    fn d_02_d_03_d_06_d_09_d_10_d_11_d_12_zh_words_are_the_seeds() {
        let questions = ["A?".to_owned(), "B?".to_owned()];
        let cases = [
            (Message::FirstBoot, "首次启动,无历史session。本次session结束时将创建第一份session log。"),
            (Message::Ready, "系统就绪。建议先完成一个小任务验证协作流程。"),
            (Message::SpeedReview, "⚡ 速度模式:本次决策建议后续review"),
            (Message::OverrideAcknowledged, "Override acknowledged."),
            (Message::SpecUnclear { questions: &questions }, "需求或验收标准不明确,请先澄清以下问题:A? B?"),
            (Message::ReviewPassed, "[外部审查通过]"),
            (Message::ReviewPartlyAdopted, "[外部建议已部分采纳]"),
            (Message::CognitiveSuggestion { description: "x" }, "💾 认知收集建议:x — 需要保存为card吗?"),
            (Message::SecretDetected, "⚠️ 检测到敏感信息,建议立即撤回并更换凭证。"),
            (Message::FirstSessionLog, "首次session log,系统初始化完成"),
            (Message::AutoSaved { slot: "A", trigger: 1 }, "Auto-saved to slot-A | trigger: 1"),
            (Message::MoreItems { count: 4 }, "[4 more minor items]"),
        ];
        for (message, words) in cases {
            assert_eq!(message.text(Locale::Zh), words);
        }
    }

    /// English is for people who read no Chinese: no Chinese in it.
    #[test]
    fn english_has_no_chinese() {
        let messages = [
            Message::FirstBoot,
            Message::Ready,
            Message::SpeedReview,
            Message::OverrideAcknowledged,
            Message::SpecUnclear { questions: &[] },
            Message::ReviewPassed,
            Message::ReviewPartlyAdopted,
            Message::CognitiveSuggestion { description: "x" },
            Message::SecretDetected,
            Message::FirstSessionLog,
            Message::SplitBatch { count: 9, first: 5 },
            Message::WaitsForAcknowledgement { id: "a1" },
        ];
        for message in messages {
            let text = message.text(Locale::En);
            assert!(!text.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char)), "{text}");
        }
    }
}
