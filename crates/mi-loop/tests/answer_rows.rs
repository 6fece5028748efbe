//! The table of 11-autopilot-semantics, "Auto-answer by rules", row by row, and what holds around it.

use mi_loop::{
    answers::{Answered, Context, Sources, answer, answer_for},
    questions::{Kind, find_questions},
};
use proptest::prelude::*;

fn ask(values: &str, earlier: &[(&str, &str)], message: &str) -> Answered {
    let earlier: Vec<(String, String)> =
        earlier.iter().map(|(question, answer)| ((*question).to_owned(), (*answer).to_owned())).collect();
    let sources = Sources::new(values, &[], &[], None, &earlier);
    answer(&find_questions(message), &sources, Context::default())
}

fn assert_says(got: &Answered, part: &str, source: &str) {
    let answer = &got.answer;
    assert!(answer.should_answer && !answer.needs_user_input && !got.undecided, "{got:?}");
    assert!(answer.codex_answer_input.contains(part), "{got:?}");
    assert!(
        got.sources.iter().any(|cited| cited.contains(source)) && answer.notes.contains(source),
        "{got:?}"
    );
    assert!(answer.unanswered_questions.is_empty() && answer.ask_user_question.is_empty(), "{got:?}");
}

fn assert_person(got: &Answered, question: &str) {
    let answer = &got.answer;
    assert!(!answer.should_answer && answer.needs_user_input, "{got:?}");
    assert_eq!(answer.ask_user_question, question);
    assert!(answer.codex_answer_input.is_empty(), "{got:?}");
}

/// "Prefer behaviour-preserving refactors." keeps the public API.
#[test]
fn row_1_behaviour_preserving_keeps_the_api() {
    let got = ask(
        "Prefer behaviour-preserving refactors.",
        &[],
        "Should I also change the public API while I'm here?",
    );
    assert_says(&got, "No, keep the API", "behaviour-preserving");
}

/// "Use tabs." decides tabs or spaces.
#[test]
fn row_2_tabs() {
    assert_says(&ask("Use tabs.", &[], "Tabs or spaces?"), "Decision: Tabs.", "Use tabs.");
}

/// "Never push without asking me." means ask, and that is decided.
#[test]
fn row_3_push_is_asked() {
    let got = ask("Never push without asking me.", &[], "Shall I push to origin?");
    assert_person(&got, "Shall I push to origin?");
    assert!(!got.undecided && got.rule == "answer.ask_first");
}

/// "Avoid new dependencies." refuses a package.
#[test]
fn row_4_no_new_dependency() {
    assert_says(
        &ask("Avoid new dependencies.", &[], "Can I add `left-pad`?"),
        "No, do without",
        "Avoid new dependencies.",
    );
}

/// A condition needs judgement: a model may try, else the person.
#[test]
fn row_5_condition_is_asked() {
    let got = ask(
        "Avoid new dependencies unless the standard library cannot do it.",
        &[],
        "Regex needs a crate; add one?",
    );
    assert_person(&got, "Regex needs a crate; add one?");
    assert!(got.undecided && got.rule == "answer.condition");
}

/// An earlier answer gives the version.
#[test]
fn row_6_version_from_an_earlier_answer() {
    for asked in ["Which database do you use?", ""] {
        let got = ask("", &[(asked, "Postgres 15")], "Which Postgres version do you run?");
        assert_says(&got, "Answer: 15.", "earlier answer: “Postgres 15”");
    }
}

/// 先跑测试再提交: yes, run the tests first.
#[test]
fn row_7_tests_first_in_chinese() {
    assert_says(&ask("先跑测试再提交", &[], "要先跑一遍测试吗?"), "是", "先跑测试再提交");
}

/// Nothing said: taste is the person's.
#[test]
fn row_8_taste_is_asked() {
    let question = "Which of the two designs do you like better?";
    let got = ask("", &[], question);
    assert_person(&got, question);
    assert!(!got.undecided);
}

/// "Keep it short." decides long or short.
#[test]
fn row_9_short() {
    assert_says(
        &ask("Keep it short.", &[], "Should I write long docs or short ones?"),
        "Decision: short",
        "Keep it short.",
    );
}

/// "Ask me about anything that costs money." means ask.
#[test]
fn row_10_cost_is_asked() {
    let got = ask("Ask me about anything that costs money.", &[], "The API call costs $2; go on?");
    assert_person(&got, "The API call costs $2; go on?");
    assert!(!got.undecided);
}

/// The covered half is kept for later and only the rest is asked.
#[test]
fn half_covered_asks_for_the_rest_alone() {
    let got = ask("Use tabs.", &[], "1. Tabs or spaces?\n2. Which of the two designs do you like better?");
    assert_eq!(got.answer.ask_user_question, "Which of the two designs do you like better?");
    assert_eq!(got.answer.unanswered_questions, ["Which of the two designs do you like better?"]);
    assert!(got.answer.codex_answer_input.contains("Tabs") && !got.answer.should_answer);
}

/// Two questions in one sentence are two: the refused one is answered, only the other is asked.
#[test]
fn two_questions_in_one_sentence_are_answered_each_for_itself() {
    for (message, rest) in [
        ("Can I add `left-pad`, and shall I push to origin?", "shall I push to origin?"),
        ("可以加依赖 left-pad 吗，要推送吗？", "要推送吗？"),
    ] {
        let got = ask("Avoid new dependencies.", &[], message);
        assert_eq!(got.answer.ask_user_question, rest, "{got:?}");
        assert_eq!(got.answer.unanswered_questions, [rest]);
        let covered = &got.answer.codex_answer_input;
        assert!(covered.contains("No, do without") || covered.contains("不要引入"), "{got:?}");
    }
}

/// A condition in the sentence may hold for both halves, so that they are not taken apart.
#[test]
fn a_condition_keeps_two_questions_together() {
    let message = "If the build fails, should I revert it, and should I push?";
    assert_eq!(find_questions(message).len(), 1);
}

/// An earlier yes to something risky stands only when the person said so without a limit.
#[test]
fn an_earlier_yes_with_a_limit_does_not_stand() {
    let question = "Shall I push to origin?";
    let again = |answer: &str| ask("", &[(question, answer)], question).answer.should_answer;
    assert!(again("yes, always"));
    for answer in ["yes, but always ask me", "yes, always before noon, not later", "yes"] {
        assert!(!again(answer), "{answer}");
    }
}

/// An offer can wait, so the covered half is answered at once.
#[test]
fn half_covered_is_answered_when_the_rest_can_wait() {
    let got = ask("Use tabs.", &[], "Tabs or spaces? Let me know if you want me to add a benchmark.");
    assert!(got.answer.should_answer && got.answer.codex_answer_input.contains("Tabs"), "{got:?}");
    assert_eq!(got.answer.unanswered_questions, ["Let me know if you want me to add a benchmark."]);
}

/// The summary speaks only where the person's own words are silent.
#[test]
fn summary_does_not_drop_a_condition() {
    let values = "Avoid new dependencies unless the standard library cannot do it.";
    let summary = ["Avoid new dependencies.".to_owned(), "Use tabs.".to_owned()];
    let sources = Sources::new(values, &summary, &[], None, &[]);
    let dependency = answer(&find_questions("Can I add `left-pad`?"), &sources, Context::default());
    assert!(dependency.undecided, "{dependency:?}");
    let indent = answer(&find_questions("Tabs or spaces?"), &sources, Context::default());
    assert_eq!(indent.rule, "answer.values_summary");
}

/// A question of the mind itself is tried too, question mark or not.
#[test]
fn the_minds_own_question_is_tried() {
    let sources = Sources::new("Use pnpm.", &[], &[], None, &[]);
    let got = answer_for("which package manager to use", &sources, Context::default());
    assert!(got.answer.codex_answer_input.contains("pnpm"), "{got:?}");
}

/// Lists, letters and both languages give options.
#[test]
fn options_are_found() {
    let cases: &[(&str, &[&str])] = &[
        ("Should I use npm, pnpm or yarn?", &["use npm", "pnpm", "yarn"]),
        ("Shall I squash it, or leave it?", &["squash it", "leave it"]),
        ("A) use a lock B) use a channel. Which one?", &["use a lock", "use a channel"]),
        ("Which do you want?\n- a lock\n- a channel", &["a lock", "a channel"]),
        ("Two ways:\n1. a lock\n2. a channel\n\nWhich one should I take?", &["a lock", "a channel"]),
        ("用制表符还是空格？", &["用制表符", "空格"]),
        ("Should I add a test for null or empty input?", &[]),
        ("Should I do it or not?", &[]),
    ];
    for (message, options) in cases {
        let found = find_questions(message);
        assert_eq!(found.len(), 1, "{message}: {found:?}");
        assert_eq!(found[0].options, *options, "{message}");
        assert_eq!(found[0].kind == Kind::Choice, !options.is_empty(), "{message}");
    }
}

proptest! {
    /// No text of an agent or a person makes the rules fail, and what they say is consistent.
    #[test]
    fn any_text_is_read(message in ".{0,200}", values in "[ -~。，？！不要先再用测试吗还是\n`\"?.;:,]{0,200}") {
        let sources = Sources::new(&values, &[], &[], Some(&values), &[(message.clone(), values.clone())]);
        for text in [&message, &values] {
            let got = answer(&find_questions(text), &sources, Context { task: text, mindspec: None });
            prop_assert!(!(got.answer.should_answer && got.answer.needs_user_input));
            prop_assert!(!got.undecided || got.answer.needs_user_input);
            prop_assert_eq!(got.answer.should_answer, got.answer.should_answer && !got.sources.is_empty());
            let asked = answer_for(text, &sources, Context::default());
            prop_assert!(asked.answer.should_answer || asked.answer.needs_user_input || text.trim().is_empty() || !asked.undecided);
        }
    }

    /// Sentences made of the words the rules look for do not make them fail either.
    #[test]
    fn any_mix_of_cues_is_read(words in prop::collection::vec(prop::sample::select(vec![
        "should", "I", "or", "not", "never", "push", "tabs", "`a-b`", "?", ",", "unless", "without", "asking", "delete",
        "before", "A)", "B)", "1.", "\n", "- ", "要", "不要", "还是", "吗", "？", "先", "再", "测试", "over", "keep", "$2", "“", "”", "```",
    ]), 0..40)) {
        let text = words.join(" ");
        let sources = Sources::new(&text, &[], &[], None, &[]);
        let got = answer(&find_questions(&text), &sources, Context::default());
        prop_assert!(!(got.answer.should_answer && got.answer.needs_user_input));
    }
}
