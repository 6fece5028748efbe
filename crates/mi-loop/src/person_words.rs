//! What the person says to `mi` itself, rather than to the agent: accept it, stop, skip this criterion.

/// An order of the person to `mi`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PersonOrder {
    /// Take what is still open as done.
    Accept,
    /// End the run as it is.
    Stop,
    /// Leave out the criterion that the question was about.
    Skip,
}

/// Words that accept, whatever was asked.
const ACCEPTING: [&str; 34] = [
    "accept",
    "accepted",
    "i accept",
    "accept it",
    "accept it as done",
    "accept as done",
    "take it as done",
    "count it as done",
    "mark it as done",
    "call it done",
    "that is enough",
    "that's enough",
    "good enough",
    "it is good enough",
    "it is done",
    "it's done",
    "this is done",
    "接受",
    "我接受",
    "可以了",
    "够了",
    "就这样吧",
    "算完成",
    "当作完成",
    "akzeptiert",
    "akzeptiere es",
    "das reicht",
    "passt so",
    "acéptalo",
    "aceptado",
    "es suficiente",
    "accepte",
    "ça suffit",
    "承認",
];
/// Words that accept only as the answer to "is it done?".
const AGREEING: [&str; 30] = [
    "yes",
    "y",
    "ok",
    "okay",
    "fine",
    "it is fine",
    "it's fine",
    "that is fine",
    "looks good",
    "looks good to me",
    "lgtm",
    "good",
    "right",
    "correct",
    "all right",
    "done",
    "是",
    "好",
    "好的",
    "可以",
    "没问题",
    "行",
    "ja",
    "gut",
    "passt",
    "sí",
    "vale",
    "oui",
    "はい",
    "ok so",
];
const STOPPING: [&str; 24] = [
    "stop",
    "stop it",
    "stop here",
    "please stop",
    "stop the run",
    "stop now",
    "abort",
    "quit",
    "cancel",
    "end it",
    "end the run",
    "give up",
    "停",
    "停止",
    "停下",
    "取消",
    "别做了",
    "halt",
    "hör auf",
    "abbrechen",
    "para",
    "arrête",
    "止めて",
    "中止",
];
const SKIPPING: [&str; 12] = [
    "skip",
    "skip it",
    "skip this",
    "skip this criterion",
    "skip the criterion",
    "leave it out",
    "ignore this criterion",
    "跳过",
    "跳过这个",
    "überspringen",
    "omítelo",
    "passe",
];

/// The order in an answer, if it is nothing else. `asks_whether_done`: the question was whether the work is done.
pub(crate) fn read_order(answer: &str, asks_whether_done: bool) -> Option<PersonOrder> {
    let clauses: Vec<String> = answer
        .split(['.', ',', '!', ';', '\n', '。', '，', '！'])
        .map(|clause| clause.trim().to_lowercase().trim_start_matches("please ").to_owned())
        .filter(|clause| !clause.is_empty())
        .collect();
    let all = |known: &[&[&str]]| {
        !clauses.is_empty()
            && clauses.len() <= 3
            && clauses.iter().all(|clause| known.iter().any(|words| words.contains(&clause.as_str())))
    };
    let any = |words: &[&str]| clauses.iter().any(|clause| words.contains(&clause.as_str()));
    if all(&[&ACCEPTING, &STOPPING, &AGREEING]) && (any(&ACCEPTING) || asks_whether_done && any(&AGREEING)) {
        return Some(PersonOrder::Accept);
    }
    // "It is fine, stop": whoever ends the run like that is content with it.
    if all(&[&STOPPING, &AGREEING]) && any(&STOPPING) {
        let is_content = clauses
            .iter()
            .any(|clause| clause.contains("fine") || clause.contains("good") || clause.contains("可以"));
        return Some(if is_content { PersonOrder::Accept } else { PersonOrder::Stop });
    }
    all(&[&SKIPPING]).then_some(PersonOrder::Skip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use PersonOrder::{Accept, Skip, Stop};

    /// Orders to mi are understood as such; everything else goes to the agent.
    #[test]
    fn orders_are_told_from_answers() {
        for (answer, asked, expected) in [
            ("accept it as done, stop", false, Some(Accept)),
            ("Accept it.", false, Some(Accept)),
            ("It is fine, stop.", false, Some(Accept)),
            ("That is enough.", false, Some(Accept)),
            ("yes", true, Some(Accept)),
            ("yes", false, None),
            ("stop here", false, Some(Stop)),
            ("停止", false, Some(Stop)),
            ("skip this criterion", false, Some(Skip)),
            ("接受", false, Some(Accept)),
            ("Use 8080", false, None),
            ("Stop using tabs", false, None),
            ("Accept only JSON", false, None),
            ("", true, None),
        ] {
            assert_eq!(read_order(answer, asked), expected, "{answer}");
        }
    }
}
