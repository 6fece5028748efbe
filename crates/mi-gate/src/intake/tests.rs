use proptest::prelude::*;

use super::*;
use crate::change_unit;

mod diffs;
mod labelled;
mod meaning;
mod wording;

struct Scene {
    task: Option<Task>,
    diff: Option<ChangeUnits>,
    state: State,
    decisions: Vec<KnownDecision>,
    now_ms: i64,
    locale: Locale,
}

fn scene() -> Scene {
    Scene {
        task: None,
        diff: None,
        state: State::default(),
        decisions: Vec::new(),
        now_ms: 1_000_000_000,
        locale: Locale::Zh,
    }
}

impl Scene {
    fn say(&self, text: &str) -> Intake {
        intake(&Message {
            text,
            task: self.task.as_ref(),
            diff: self.diff.as_ref(),
            state: &self.state,
            decisions: &self.decisions,
            words: &WordTable::default(),
            now: Timestamp::from_millis(self.now_ms),
            locale: self.locale,
        })
    }
}

fn say(text: &str) -> Intake {
    scene().say(text)
}

fn task(text: &str) -> Intake {
    Scene { task: Some(Task::parse("t.yaml", text).unwrap()), ..scene() }.say("do the task")
}

/// Each trigger fires on its own words, in both languages, and not on look-alikes or negations.
#[test]
fn d_03_triggers_fire_by_name() {
    use Trigger::*;
    let cases: &[(&str, &[Trigger])] = &[
        ("please list the files", &[]),
        ("fix it ASAP", &[Urgency]),
        ("this is urgent", &[Urgency]),
        ("快点修好", &[Urgency]),
        ("很急", &[Urgency]),
        ("赶时间", &[Urgency]),
        ("there is no urgency, fix it when you can", &[]),
        ("this is not urgent", &[]),
        ("不急,慢慢来", &[]),
        ("别着急", &[]),
        ("实现快速排序", &[]),
        ("implement quicksort", &[]),
        ("insert a snapshot 快照", &[]),
        ("change the payment flow", &[MoneySecurityIrreversible]),
        ("删除数据", &[MoneySecurityIrreversible]),
        ("don't delete the data", &[]),
        ("should we hire two engineers", &[Personnel]),
        ("裁员名单", &[Personnel]),
        ("discuss the architecture", &[Architecture]),
        ("讨论技术选型", &[Architecture]),
        ("just a small change to the login migration", &[SmallChangeClaim]),
        ("就改一下表结构", &[Architecture, SmallChangeClaim]),
        ("就改一下这个错别字", &[]),
        ("`ASAP` is a constant name", &[]),
    ];
    for (text, expected) in cases {
        let reading = say(text);
        assert_eq!(reading.triggers, *expected, "{text}");
        let mode = if expected.is_empty() { Mode::Mirror } else { Mode::Challenge };
        assert_eq!(reading.mode, mode, "{text}");
    }
}

/// Seven listed changes propose a first batch of five and say why; approval lifts the limit.
#[test]
fn d_05_large_batches_are_split() {
    let list: String = (1..=7).map(|number| format!("{number}. rename thing {number}\n")).collect();
    let reading = say(&list);
    assert_eq!((reading.batch.count, reading.batch.split, reading.batch.first.len()), (7, true, 5));
    assert_eq!(reading.triggers, [Trigger::BatchSize]);
    assert!(reading.output.contains("7"), "{}", reading.output);
    let approved = say(&format!("{list}do them all"));
    assert_eq!((approved.batch.split, approved.triggers.as_slice()), (false, &[][..]));
    assert!(!say("1. a\n2. b\n3. c\n4. d\n5. e").batch.split);
    for text in
        ["change 8 files", "修改7个文件", "rename a, b, c, d, e and f", "重命名 甲、乙、丙、丁、戊、己"]
    {
        assert!(say(text).batch.count > 5, "{text}: {:?}", say(text).batch);
    }
    let diff =
        (0..6).map(|at| format!("diff --git a/{at} b/{at}\nnew file mode 100644\n")).collect::<String>();
    let reading =
        Scene { diff: Some(change_unit::count(&diff, &|_| false).unwrap()), ..scene() }.say("apply this");
    assert_eq!(reading.triggers, [Trigger::BatchSize]);
}

/// The score's table, with vagueness lowering the number and never the review.
#[test]
fn d_06_risk_score_and_orchestration() {
    use Orchestration::*;
    let cases = [
        ("description: x", 0, Alone),
        ("lines_changed: 151", 1, Alone),
        ("lines_changed: 150\ndirectories: 2", 0, Alone),
        ("directories: 3\nchanges_public_api: true", 1, Alone),
        ("new_dependency: true\nexternal_service: true", 2, OfferReview),
        ("involves: [auth, migration]", 3, OfferReview),
        ("involves: [delete_data]\nlines_changed: 200", 4, MustReviewHuman),
        (
            "involves: [encryption]\ncross_project: true\nafter_cutoff: true\ndirectories: 9",
            8,
            MustReviewHuman,
        ),
        ("acceptance_criteria_vague: true", 0, Alone),
        ("involves: [auth]\nlines_changed: 200\nspec_incomplete: true", 2, MustReviewHuman),
    ];
    for (text, score, orchestration) in cases {
        let reading = task(text);
        assert_eq!((reading.risk.score, reading.orchestration), (Some(score), orchestration), "{text}");
    }
}

/// The gate stands before the score: blocked, asked in the seed's words, no score.
#[test]
fn d_06_spec_gate_blocks_before_scoring() {
    for text in ["spec_unclear: true\ninvolves: [auth]", "acceptance_criteria_missing: true"] {
        let reading = task(text);
        assert!(reading.spec_gate.blocked && !reading.spec_gate.questions.is_empty());
        assert_eq!(
            (reading.risk.score, reading.orchestration, reading.tier),
            (None, Orchestration::Blocked, Tier::Light)
        );
        assert!(reading.output.starts_with("需求或验收标准不明确,请先澄清以下问题:"), "{}", reading.output);
        let json = serde_json::to_value(&reading).unwrap();
        assert!(json["risk"].get("score").is_none());
    }
    assert!(!task("acceptance_criteria: []").spec_gate.blocked);
    assert!(!say("fix the typo in README").spec_gate.blocked);
    assert!(say("rewrite the entire system").spec_gate.blocked);
    assert!(!say("rewrite the entire parser so that all tests pass").spec_gate.blocked);
}

/// A task file with an unknown field is refused with file, line and nearest name.
#[test]
fn d_06_task_files_are_typed() {
    let error = Task::parse("t.yaml", "description: x\ninvolve: [auth]\n").unwrap_err().to_string();
    assert!(error.contains("t.yaml, line 2: unknown field `involve`; did you mean `involves`?"), "{error}");
    let error = Task::parse("t.yaml", "description: x\nspec_unclear: \"true\"\n").unwrap_err().to_string();
    assert!(error.contains("t.yaml, line 2: `spec_unclear` is a text in quotes"), "{error}");
    assert!(Task::parse("t.yaml", "description: \"5\"\nlines_changed: 5\nspec_unclear: true\n").is_ok());
    for bad in [
        "involves: [magic]",
        "lines_changed: \"200\"",
        "lines_changed: many",
        "new_dependency: 1",
        "- x",
        "a: {",
    ] {
        assert!(Task::parse("t.yaml", bad).is_err(), "{bad}");
    }
}

/// Override is an order of the person, for this topic, until the next one.
#[test]
fn d_03_obey_lasts_for_the_topic() {
    for text in [
        "override, drop the table",
        "直接做:重构架构",
        "不需要讨论",
        "override",
        "Override: push it urgently",
    ] {
        let reading = say(text);
        assert_eq!(reading.mode, Mode::Obey, "{text}");
        assert!(reading.output.contains("Override acknowledged."), "{text}");
    }
    for text in [
        "how do I override a method in Java",
        "add an override for the css class",
        "不要直接做",
        "不需要讨论吗?",
        "never override",
    ] {
        assert_ne!(say(text).mode, Mode::Obey, "{text}");
    }
    let first = say("override: change the payment module architecture");
    let same =
        Scene { state: first.state.clone(), ..scene() }.say("payment module architecture: continue urgently");
    assert_eq!(same.mode, Mode::Obey);
    let other = Scene { state: first.state, ..scene() }.say("换个任务: urgent database schema");
    assert_eq!(other.mode, Mode::Challenge);
}

/// A secret that several rules know is one secret; a token that its checksum gives away as none is not told.
#[test]
fn d_10_one_secret_is_told_once_and_only_if_valid() {
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let invalid = format!("ghp_{}", "a1B2".repeat(9));
    let kinds = |message: &str| -> Vec<String> {
        say(message).secrets.iter().map(|secret| secret.kind.clone()).collect()
    };
    for message in [
        format!("my token is {key}"),
        format!("Authorization: Bearer {key}"),
        format!("use https://me:{key}@example.org/x"),
    ] {
        assert_eq!(kinds(&message), ["aws-access-key"], "{message}");
    }
    assert_eq!(kinds(&format!("keys {key} and {key}, password: hunter2-abc")).len(), 3);
    assert!(kinds(&format!("my token is {invalid}")).is_empty(), "its checksum is wrong");
}

/// A secret is warned about at once and never given back.
#[test]
fn d_10_secrets_are_warned_about_and_not_repeated() {
    let token = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let reading = say(&format!("use {token} please, we decided on it"));
    assert_eq!(
        (reading.secrets.len(), reading.triggers.contains(&Trigger::Secret)),
        (1, true),
        "{reading:?}"
    );
    assert!(reading.output.starts_with("⚠️ 检测到敏感信息,建议立即撤回并更换凭证。"));
    let everything = format!(
        "{reading:?}{}{}",
        serde_json::to_string(&reading).unwrap(),
        serde_json::to_string(&reading.state).unwrap()
    );
    assert!(
        !everything.contains(&token) && !everything.to_lowercase().contains(&token.to_lowercase()),
        "{everything}"
    );
}

/// Levels by name and by urgency, never for what cannot be undone.
#[test]
fn d_21_speed_levels() {
    use Speed::*;
    let cases: &[(&str, &[Speed])] = &[
        ("fix it", &[]),
        ("fix it ASAP", &[S1, S3]),
        ("S1+S2 fix it", &[S1, S2]),
        ("fix it, S1-S4", &[S1, S2, S3, S4]),
        ("速度级别2", &[S2]),
        ("S4", &[S4]),
        ("S0 urgent", &[]),
        ("upload to the S3 bucket", &[]),
        ("urgent: delete all records permanently", &[]),
        ("S3: drop the table", &[]),
        ("class S1000 is fine", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(say(text).speed, *expected, "{text}");
    }
    assert!(say("fix it ASAP").output.ends_with("⚡ 速度模式:本次决策建议后续review"));
    assert_eq!(say("urgent: drop the table").tier, Tier::Full);
    let silent = Scene { state: State { prefers_silence: true, ..State::default() }, ..scene() };
    assert_eq!(silent.say("fix it ASAP").speed, [S1, S2, S3, S4]);
}

/// Light, moderate and full say two, three and four parts; full waits for the person.
#[test]
fn d_22_tiers_say_their_parts() {
    let cases = [
        ("new_dependency: true", Tier::Light, 2),
        ("involves: [auth]", Tier::Moderate, 3),
        ("involves: [auth]\nlines_changed: 500", Tier::Full, 4),
    ];
    for (text, tier, parts) in cases {
        let scene = Scene { task: Some(Task::parse("t", text).unwrap()), locale: Locale::En, ..scene() };
        let reading = scene.say("decide about the architecture");
        assert_eq!(reading.tier, tier);
        let challenge = reading.notices.iter().find(|notice| notice.kind == NoticeKind::Challenge).unwrap();
        assert_eq!(challenge.text.lines().count(), parts, "{}", challenge.text);
        assert!(challenge.text.lines().all(|line| line[2..].matches(". ").count() <= 2));
        assert_eq!(reading.needs_acknowledgement, tier != Tier::Light);
    }
}

/// A decision on record is cited when the message goes against it, and only then.
#[test]
fn d_03_d_15_contradictions_cite_their_ids() {
    let decisions = vec![
        KnownDecision { id: "P-001".to_owned(), text: "Use PostgreSQL, not MySQL".to_owned() },
        KnownDecision { id: "P-002".to_owned(), text: "Never deploy on Fridays".to_owned() },
        KnownDecision { id: "X-003".to_owned(), text: "前端使用 React".to_owned() },
    ];
    let scene = Scene { decisions, ..scene() };
    let cases: &[(&str, &[&str])] = &[
        ("switch to MySQL", &["P-001"]),
        ("replace postgresql with sqlite", &["P-001"]),
        ("deploy the service on Fridays", &["P-002"]),
        ("前端改用 Vue", &["X-003"]),
        ("add an index to the PostgreSQL table", &[]),
        ("write a React component", &[]),
        ("deploy on Monday", &[]),
    ];
    for (text, expected) in cases {
        let reading = scene.say(text);
        assert_eq!(reading.contradicts, *expected, "{text}");
        assert_eq!(reading.triggers.contains(&Trigger::Contradiction), !expected.is_empty());
        assert!(expected.iter().all(|id| reading.output.contains(id)));
    }
}

/// One suggestion, saved on request, never repeated.
#[test]
fn d_09_cognitive_signals_are_suggested_once() {
    for text in [
        "we decided to use tabs",
        "我习惯先写测试",
        "lesson learned: pin versions",
        "我的原则是简单",
        "from now on answer in French",
    ] {
        let reading = say(text);
        assert!(reading.cognitive.signal && reading.output.contains("💾 认知收集建议:"), "{text}");
        assert_eq!(reading.output.matches("💾").count(), 1);
    }
    let first = say("we decided to ship weekly");
    let saved = Scene { state: first.state.clone(), ..scene() }.say("存");
    assert_eq!(saved.cognitive.save.as_deref(), Some("we decided to ship weekly"));
    let ignored = Scene { state: first.state, ..scene() }.say("ok");
    assert_eq!((ignored.cognitive.signal, ignored.state.pending_card.as_deref()), (false, None));
    let again = Scene { state: ignored.state, ..scene() }.say("we decided to ship weekly");
    assert!(!again.cognitive.signal);
    assert!(!say("should I decide?").cognitive.signal);
}

/// Closing words save, once in ten minutes, never while work is going on.
#[test]
fn d_12_auto_save_triggers_and_exclusions() {
    for text in ["做完了", "下一个", "换个任务", "先这样", "done for now"] {
        assert!(say(text).autosave.trigger, "{text}");
    }
    for text in ["做完了吗?", "先这样做吧", "下一个函数怎么写", "没做完", "hello"] {
        assert!(!say(text).autosave.trigger, "{text}");
    }
    let saved = say("做完了").state;
    let soon = Scene { state: saved.clone(), now_ms: 1_000_000_000 + 599_999, ..scene() };
    assert!(!soon.say("先这样").autosave.trigger);
    let made = State { output_made: Some(true), ..saved.clone() };
    assert!(Scene { state: made, now_ms: 1_000_000_000 + 600_000, ..scene() }.say("先这样").autosave.trigger);
    let talk = State { output_made: Some(false), ..saved };
    let talk = Scene { state: talk, now_ms: 1_000_000_000 + 600_000, ..scene() };
    assert_eq!(talk.say("先这样").autosave.held_back, Some("nothing but discussion since the last save"));
    let busy = State { in_progress: true, ..State::default() };
    let now = Timestamp::from_millis(0);
    for (number, event) in [
        WorkEvent::HumanCloses,
        WorkEvent::TestsPassedAndReported,
        WorkEvent::ReviewAdoptionReported,
        WorkEvent::WorkLogUpdated,
        WorkEvent::TaskDoneAndWaiting,
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(auto_save(event, &State::default(), now).number, Some(number as u8 + 1));
        assert!(auto_save(event, &State::default(), now).trigger && !auto_save(event, &busy, now).trigger);
    }
}

/// The words that end a session, and words that only look like it.
#[test]
fn d_11_session_end_signals() {
    let words = WordTable::default();
    for text in [
        "结束",
        "save",
        "/save",
        "收工",
        "今天到这",
        "下次继续",
        "goodbye",
        "give me a summary of the session",
    ] {
        assert!(session_end(text, &words).is_some(), "{text}");
    }
    for text in ["save the file", "结束标签写错了", "continue"] {
        assert!(session_end(text, &words).is_none(), "{text}");
    }
}

/// Minor notices become one block; important ones never do; S4 is silent.
#[test]
fn d_20_side_block() {
    let minor = |count: usize| {
        (1..=count).map(|at| Notice { kind: NoticeKind::Hint, text: format!("n{at}") }).collect::<Vec<_>>()
    };
    let render = |notices: &[Notice], speed: &[Speed]| render_notices(notices, speed, Locale::Zh);
    assert_eq!(render(&minor(1), &[]), "n1");
    assert_eq!(render(&minor(2), &[]), "─── ISB ───\n• n1\n• n2\n────────────");
    assert_eq!(render(&minor(5), &[]).lines().count(), 7);
    assert_eq!(render(&minor(6), &[]), "─── ISB ───\n• n1\n• n2\n• n3\n• [3 more minor items]\n────────────");
    assert_eq!(render(&minor(3), &[Speed::S4]), "");
    for kind in [
        NoticeKind::SecurityAlert,
        NoticeKind::DeploymentGate,
        NoticeKind::Confirmation,
        NoticeKind::Error,
        NoticeKind::Challenge,
    ] {
        let mut all = minor(2);
        all.push(Notice { kind, text: "important".to_owned() });
        assert_eq!(render(&all, &[]).lines().next(), Some("important"));
        assert_eq!(render(&all, &[Speed::S4]), "important");
    }
}

/// A team's own words count; unknown topics are refused.
#[test]
fn d_03_teams_extend_the_words() {
    let words = WordTable::parse("w.yaml", "urgency: [yesterday, 火烧眉毛]\n").unwrap();
    let scene = scene();
    for text in ["I need it yesterday", "火烧眉毛了"] {
        let message = Message {
            text,
            task: None,
            diff: None,
            state: &scene.state,
            decisions: &[],
            words: &words,
            now: Timestamp::from_millis(0),
            locale: Locale::En,
        };
        assert_eq!(intake(&message).triggers, [Trigger::Urgency]);
    }
    assert!(WordTable::parse("w.yaml", "urgenci: [x]").is_err());
}

proptest! {
    /// Any message is read, from any state it left behind.
    #[test]
    fn d_03_any_message_is_read(first in "\\PC{0,80}", second in "(override|S1-S4|快|急|不|`|```\n|\\d\\. x\n|存|ASAP|, |、|吗|ü|😀){0,12}") {
        let reading = say(&first);
        let next = Scene { state: reading.state, ..scene() }.say(&second);
        prop_assert!(next.spec_gate.blocked == next.risk.score.is_none());
    }
}

/// What is wrong is said in the person's words, with its line, and nothing of the reader's own options.
#[test]
fn d_06_broken_task_files_are_told_in_plain_words() {
    for (text, said) in [
        ("description: a\ndescription: b\n", "t.yaml, line 2: `description` stands here twice; keep one"),
        ("lines_changed: -1\n", "t.yaml, line 1: a whole number from 0 on is expected"),
        ("involves: auth\n", "t.yaml, line 1: a list is expected, such as [a, b]"),
        ("spec_unclear: yes\n", "t.yaml, line 1: true or false is expected"),
        ("description:\n", "t.yaml, line 1: a text is expected, and there is nothing"),
    ] {
        assert_eq!(Task::parse("t.yaml", text).unwrap_err().to_string(), said, "{text}");
    }
}
