//! The same rules on more of what people write, and on what a session leaves behind.

use super::*;

/// More of what people write, each with the triggers it must set off and no other.
#[test]
fn d_03_triggers_by_how_people_write() {
    use Trigger::*;
    let cases: &[(&str, &[Trigger])] = &[
        ("we should fire Bob", &[Personnel]),
        ("fire the click event", &[]),
        ("let's fire the developer who broke it", &[Personnel]),
        ("reorganize the team into squads", &[Personnel]),
        ("给小李涨薪", &[Personnel]),
        ("promote the build to staging", &[]),
        ("drop the users table", &[MoneySecurityIrreversible]),
        ("remove every customer record from production", &[MoneySecurityIrreversible]),
        ("git push --force origin main", &[MoneySecurityIrreversible]),
        ("transfer $500 to the vendor", &[MoneySecurityIrreversible]),
        ("重置数据库", &[MoneySecurityIrreversible]),
        ("fix the memory leak in the parser", &[]),
        ("delete the unused import", &[]),
        ("truncate the string to 20 chars", &[]),
        ("use React or Vue?", &[Architecture]),
        ("add a column to the users table", &[Architecture]),
        ("数据库用MySQL还是PostgreSQL", &[Architecture]),
        ("validate against the JSON schema", &[]),
        ("马上修复", &[Urgency]),
        ("do this quickly", &[Urgency]),
        ("return immediately if null", &[]),
        ("add an emergency contact field", &[]),
        ("应急预案文档", &[]),
        ("there's no hurry", &[]),
        ("just a quick tweak: rename the public API", &[SmallChangeClaim]),
        ("Should we use Postgres or MySQL?", &[Architecture]),
        ("Let's use MongoDB for the new service", &[Architecture]),
        ("move to MySQL", &[Architecture]),
        ("write a React component in TypeScript", &[]),
        ("don't move to MySQL", &[]),
        ("新增数据库表", &[Architecture]),
        ("迁移数据库到 MySQL", &[Architecture]),
        ("let Bob go", &[Personnel]),
        ("let it go", &[]),
        ("调整员工的薪资", &[Personnel]),
        ("让查询更快", &[]),
        ("这个算法跑得快不快", &[]),
        ("尽快处理", &[Urgency]),
        ("respond as quickly as possible", &[Urgency]),
        ("1. a 2. b 3. c 4. d 5. e 6. f", &[BatchSize]),
        ("请做:1、甲 2、乙 3、丙", &[]),
        ("bump to version 1.2 and 3.4", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(say(text).triggers, *expected, "{text}");
    }
}

/// A task brings its own signals: what it involves, and what its description says.
#[test]
fn d_03_tasks_trigger_too() {
    use Trigger::*;
    for (text, expected) in [
        ("involves: [delete_data]", &[MoneySecurityIrreversible][..]),
        ("involves: [auth]", &[MoneySecurityIrreversible]),
        ("involves: [encryption]", &[MoneySecurityIrreversible]),
        ("description: decide about the tech stack", &[Architecture]),
        ("description: rename a variable", &[]),
    ] {
        assert_eq!(task(text).triggers, expected, "{text}");
    }
}

/// From risk 4 on all four parts are said and the person is waited for, also where no word set a trigger off.
#[test]
fn d_22_full_tier_is_said_without_a_trigger() {
    let reading = task("new_dependency: true\nafter_cutoff: true");
    assert_eq!((reading.mode, reading.tier, reading.needs_acknowledgement), (Mode::Mirror, Tier::Full, true));
    for part in ["recommended_action", "strongest_counter_argument", "key_assumption", "reversal_condition"] {
        assert!(reading.output.contains(part), "{}", reading.output);
    }
}

/// Haste gives no speed where care is due; a level that is asked for by name holds, unless it cannot be undone.
#[test]
fn d_21_haste_never_shortens_care() {
    use Speed::*;
    let risky = Scene { task: Some(Task::parse("t", "involves: [auth]").unwrap()), ..scene() };
    let secret = format!("AKIA{}", "ABCDEFGHIJKLMNOP");
    let cases: [(&Scene, String, &[Speed]); 6] = [
        (&scene(), "urgent: deploy the hotfix to production".to_owned(), &[]),
        (&scene(), format!("ASAP, use {secret}"), &[]),
        (&risky, "urgent, do it".to_owned(), &[]),
        (&risky, "S1+S2, do it".to_owned(), &[S1, S2]),
        (&scene(), "S1-S4: drop the users table".to_owned(), &[]),
        (&scene(), "urgent: fix the typo".to_owned(), &[S1, S3]),
    ];
    for (scene, text, expected) in cases {
        let reading = scene.say(&text);
        assert_eq!(reading.speed, expected, "{text}");
        assert!(reading.output.contains("⚡ 速度模式:本次决策建议后续review"), "{text}");
    }
    let asked = say("S1-S4 from now on").state;
    assert_eq!(Scene { state: asked, ..scene() }.say("fix it ASAP").speed, [S1, S2, S3, S4]);
}

/// An approval lifts the limit once: for its own list, or for the list that waited.
#[test]
fn d_05_approval_lifts_the_limit_once() {
    let list: String = (1..=7).map(|number| format!("{number}. rename thing {number}\n")).collect();
    let mut state = State::default();
    let mut splits = Vec::new();
    for text in [list.as_str(), "approved, do them all", &list, &list] {
        let reading = Scene { state: state.clone(), ..scene() }.say(text);
        splits.push(reading.batch.split);
        state = reading.state;
    }
    assert_eq!(splits, [true, false, false, true]);
    let unasked = Scene { state: say("do them all").state, ..scene() }.say(&list);
    assert!(unasked.batch.split, "nothing waited, so nothing was approved");
    assert_eq!(say("fix bugs in a.rs, b.rs, c.rs, d.rs, e.rs and f.rs").batch.count, 6);
    assert_eq!(say("改 10 处").batch.count, 10);
}

/// What was decided is seen in many words, and what only shares words is not against it.
#[test]
fn d_15_contradictions_by_how_people_write() {
    let texts = [
        "No new dependencies",
        "Tests are mandatory for every change",
        "Never commit directly to main",
        "All API responses use snake_case",
        "Do not store passwords in plain text",
        "不使用 ORM",
        "每次提交必须有测试",
    ];
    let decisions = texts.iter().enumerate();
    let decisions = decisions
        .map(|(at, text)| KnownDecision { id: format!("D-{at}"), text: (*text).to_owned() })
        .collect();
    let scene = Scene { decisions, ..scene() };
    let cases: &[(&str, &[&str])] = &[
        ("add a new dependency on lodash", &["D-0"]),
        ("skip the tests for this change", &["D-1"]),
        ("commit this directly to main", &["D-2"]),
        ("use camelCase in API responses", &["D-3"]),
        ("store the password in plain text", &["D-4"]),
        ("引入 ORM 框架", &["D-5"]),
        ("不写测试直接提交", &["D-6"]),
        ("add tests for the parser", &[]),
        ("write the API response docs", &[]),
        ("why do we not use an ORM?", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(scene.say(text).contradicts, *expected, "{text}");
    }
}

/// A mind's words take the place of the rules' words, two sentences each, with the ids and without secrets.
#[test]
fn d_22_a_mind_fills_the_parts() {
    let decisions = vec![KnownDecision { id: "P-001".to_owned(), text: "Never use MySQL".to_owned() }];
    let mut reading = Scene { decisions, locale: Locale::En, ..scene() }.say("switch to MySQL");
    assert_eq!(reading.challenge_parts(), ["recommendation", "risk_note"]);
    let before = reading.output.clone();
    reading.fill_challenge(&["One.".to_owned()], Locale::En);
    assert_eq!(reading.output, before, "an answer of another length changes nothing");
    let token = format!("{}{}", "ghp_", "a1B2".repeat(9));
    let texts = ["Stay. It works well. It does.".to_owned(), format!("A migration with {token} is costly")];
    reading.fill_challenge(&texts, Locale::En);
    assert!(reading.output.contains("1. recommendation: Stay. It works well.\n"), "{}", reading.output);
    assert!(reading.output.contains("2. risk_note: [P-001] A migration with"), "{}", reading.output);
    assert!(!reading.output.contains(&token));
    assert!(say("list the files").challenge_parts().is_empty());
}

/// Notices say how urgent they are (D.20).
#[test]
fn d_20_notices_have_a_priority() {
    let reading = say("we decided to ship ASAP");
    let notices = serde_json::to_value(&reading.notices).unwrap();
    let priority = |kind: &str| {
        let found = notices.as_array().unwrap().iter().find(|notice| notice["kind"] == kind);
        found.unwrap()["priority"].clone()
    };
    assert_eq!((priority("cognitive"), priority("challenge")), ("low".into(), "high".into()));
}

/// Questions close nothing and override nothing.
#[test]
fn d_12_questions_close_nothing() {
    for text in ["下一个问题是什么", "做完了没有?", "are we done, or is the next task waiting?"]
    {
        assert!(!say(text).autosave.trigger, "{text}");
    }
    assert_eq!(say("你可以直接做这件事吗?").mode, Mode::Mirror);
}

/// A summary of the session ends it, a summary of a file does not (D.11).
#[test]
fn d_11_summaries_and_goodbyes() {
    let words = WordTable::default();
    for text in [
        "今天就到这里",
        "summarize this session",
        "can you summarize what we did",
        "give me a summary",
        "总结一下今天的session",
        "收工了",
        "明天见",
    ] {
        assert!(session_end(text, &words).is_some(), "{text}");
    }
    for text in
        ["summarize the README file", "总结一下这个文件", "结束标签", "the session ended badly, fix it"]
    {
        assert!(session_end(text, &words).is_none(), "{text}");
    }
}

/// The reading says that a session ends, by the seed's number; closing words save too, an order to save is none (D.11, D.12).
#[test]
fn d_11_intake_tells_session_ends() {
    let cases = [
        ("收工", Some(1), true),
        ("结束", Some(1), true),
        ("/save", Some(1), false),
        ("save", Some(1), false),
        ("今天到这,下次继续", Some(2), true),
        ("let's call it a day", Some(2), true),
        ("goodbye", Some(3), true),
        ("summarize this session", Some(4), false),
        ("做完了", None, true),
        ("结束标签写错了", None, false),
        ("fix the parser", None, false),
    ];
    for (text, number, saves) in cases {
        let reading = say(text);
        assert_eq!(reading.session_end, SessionEnd { signal: number.is_some(), number }, "{text}");
        assert_eq!(reading.autosave.trigger, saves, "{text}");
    }
    let json = serde_json::to_value(say("再见")).unwrap();
    assert_eq!(json["session_end"], serde_json::json!({"signal": true, "number": 3}));
    let json = serde_json::to_value(say("hello")).unwrap();
    assert_eq!(json["session_end"], serde_json::json!({"signal": false}));
}

/// Production data and live users are high-risk: a challenge about them waits, and haste does not shorten it (D.14, D.3).
#[test]
fn d_14_production_data_waits_for_the_person() {
    for text in ["urgent: update the production data", "马上改线上用户的资料"] {
        let reading = say(text);
        assert_eq!((reading.mode, reading.needs_acknowledgement), (Mode::Challenge, true), "{text}");
        assert!(reading.speed.is_empty(), "{text}");
    }
    assert!(!say("urgent: update the test data").needs_acknowledgement);
}

/// The tier is one of its three words also behind a blocked gate, and full where haste meets what cannot be undone (D.21, D.22).
#[test]
fn d_22_blocked_requests_have_a_tier() {
    let reading = say("make it better somehow");
    assert!(reading.spec_gate.blocked && reading.tier == Tier::Light);
    let reading = say("urgent: rewrite the entire system and drop the database");
    assert!(reading.spec_gate.blocked && reading.tier == Tier::Full);
    assert!(reading.output.contains("4. reversal_condition"), "{}", reading.output);
}

/// Levels may stand beside each other in any way; numbers that are no levels do not count (D.21).
#[test]
fn d_21_levels_are_combined() {
    use Speed::*;
    let cases: [(&str, &[Speed]); 10] = [
        ("The S1 sensor is broken", &[]),
        ("Fix the S4 class in the C code", &[]),
        ("use the S2 level", &[S2]),
        ("急，S2", &[S2]),
        ("S1 S3", &[S1, S3]),
        ("use S1 and S3 please", &[S1, S3]),
        ("S1、S4", &[S1, S4]),
        ("S2-4", &[S2, S3, S4]),
        ("S1, 3 files are wrong", &[S1]),
        ("S1 and 3 others", &[S1]),
    ];
    for (text, expected) in cases {
        assert_eq!(say(text).speed, expected, "{text}");
    }
}

/// A change of a table is no small one, whatever it is called (D.14).
#[test]
fn d_14_schema_changes_are_not_small() {
    let reading = say("Just a small change: alter the users table");
    assert_eq!(reading.triggers, [Trigger::Architecture, Trigger::SmallChangeClaim]);
}

/// A suggestion that S4 has silenced was not seen, so nothing agrees to it (D.9, D.20, D.21).
#[test]
fn d_09_silenced_suggestions_are_not_saved() {
    let silent = say("S4 we decided to ship weekly");
    assert!(silent.cognitive.signal && !silent.output.contains("💾"), "{}", silent.output);
    let saved = Scene { state: silent.state, ..scene() }.say("save");
    assert_eq!(saved.cognitive.save, None);
    assert!(saved.session_end.signal);
}

/// What reminds, insists or asks is no negation, and longer words are not what they contain.
#[test]
fn d_03_triggers_survive_look_alike_negations() {
    use Trigger::*;
    let cases: &[(&str, &[Trigger])] = &[
        ("这个特别急", &[Urgency]),
        ("没时间了快点", &[Urgency]),
        ("非紧急任务列表", &[]),
        ("紧急程度字段的枚举", &[]),
        ("要不要裁员", &[Personnel]),
        ("不得不裁员", &[Personnel]),
        ("不会裁员", &[]),
        ("不同意裁员", &[]),
        ("why not hire a designer", &[Personnel]),
        ("hire date column formatter", &[]),
        ("能不能删除所有数据", &[MoneySecurityIrreversible]),
        ("别忘了删除所有数据", &[MoneySecurityIrreversible]),
        ("don't forget to drop the users table", &[MoneySecurityIrreversible]),
        ("不要删除数据", &[]),
        ("清空输入框", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(say(text).triggers, *expected, "{text}");
    }
}

/// A technology is chosen by name; a colour that is exchanged and a question about the architecture decide nothing.
#[test]
fn d_03_technology_is_told_from_other_exchanges() {
    for text in [
        "migrate from MySQL to Postgres",
        "switch the backend from Python to Rust",
        "replace Redis with Memcached",
        "rewrite the service in Go",
        "we will use MongoDB for the new project",
        "我们换成 PostgreSQL 吧",
        "用 Go 重写后端",
        "新建一张订单表",
        "选择哪个框架更好",
    ] {
        assert!(say(text).triggers.contains(&Trigger::Architecture), "{text}");
    }
    for text in [
        "把按钮颜色换成蓝色",
        "switch to the dark theme",
        "migrate to the new date helper",
        "replace the icon with a new one",
        "修改表单样式",
        "what is the architecture of this project?",
        "write a Python script to rename files",
    ] {
        assert_eq!(say(text).triggers, [], "{text}");
    }
}

/// Only an order of the person switches debate off: not a word about code, a test, a question.
#[test]
fn d_03_override_stands_alone() {
    for text in [
        "I said override",
        "ok override",
        "override your objection",
        "Override the rule and go on",
        "请 override",
        "drop it, override!",
    ] {
        assert_eq!(say(text).mode, Mode::Obey, "{text}");
    }
    for text in [
        "add tests for override",
        "implement manual override",
        "fix auto-override",
        "给方法加 override",
        "为什么不需要讨论",
        "能不能直接做",
        "把它直接做成组件",
    ] {
        assert_ne!(say(text).mode, Mode::Obey, "{text}");
    }
}

/// Another file or subject ends an override, however few words name it; staying with the task does not.
#[test]
fn d_14_topics_end_overrides() {
    let first =
        || Scene { state: say("override: rename the login handler in src/login.rs").state, ..scene() };
    for text in ["Change the payment schema", "urgent: fix src/billing.rs", "删除所有订单数据"] {
        assert_eq!(first().say(text).mode, Mode::Challenge, "{text}");
    }
    for text in [
        "go ahead and push it ASAP",
        "urgent: fix src/login.rs",
        "再跑一遍测试，快点",
        "format it with black",
    ] {
        assert_eq!(first().say(text).mode, Mode::Obey, "{text}");
    }
}

/// Numbers in words and in Chinese count; what a page shows is no request.
#[test]
fn d_05_numbers_are_read() {
    for (text, count) in [
        ("修改十二个文件", 12),
        ("改十五处", 15),
        ("二十个文件都要改", 20),
        ("共有12处需要修改", 12),
        ("重命名9个变量", 9),
        ("fix thirteen bugs", 13),
        ("rename twenty five functions", 25),
        ("fix a dozen files", 12),
        ("update 6 call sites", 6),
        ("①改a ②改b ③改c ④改d ⑤改e ⑥改f", 6),
        ("（1）a\n（2）b\n（3）c\n（4）d\n（5）e\n（6）f", 6),
        ("the page shows 10 items", 0),
        ("the suite has 200 tests, fix the flaky one", 0),
        ("return 7 items per page", 0),
    ] {
        assert_eq!(say(text).batch.count, count, "{text}");
    }
}

/// A level is asked for or it is a thing; negated, asked about or unknown levels change nothing.
#[test]
fn d_21_levels_are_told_from_things() {
    use Speed::*;
    let cases: &[(&str, &[Speed])] = &[
        ("S2, fix the upload form", &[S2]),
        ("速度级别三", &[S3]),
        ("速度级别1-3", &[S1, S2, S3]),
        ("速度级别12", &[]),
        ("S1–S4", &[S1, S2, S3, S4]),
        ("S4-S1", &[S1, S2, S3, S4]),
        ("S1-S5", &[]),
        ("don't use S4", &[]),
        ("不要S2", &[]),
        ("Galaxy S4 layout is broken", &[]),
        ("move backups to S3", &[]),
        ("s3://x/y is empty", &[]),
        ("add an S3 client", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(say(text).speed, *expected, "{text}");
    }
}

/// Closing words close where they end their clause.
#[test]
fn d_11_d_12_closing_words_end_their_clause() {
    for text in [
        "这个做完了，换个任务吧",
        "先这样，谢谢",
        "ok, next",
        "all done, thanks",
        "let's move on to the next one",
    ] {
        assert!(say(text).autosave.trigger, "{text}");
    }
    for text in [
        "把下一个按钮改成蓝色",
        "等做完了告诉我",
        "如果做完了就提交",
        "next one should be blue",
        "fix the bye handler",
        "下次继续的逻辑",
        "add a goodbye page",
    ] {
        let reading = say(text);
        assert!(!reading.autosave.trigger && !reading.session_end.signal, "{text}");
    }
}

/// One line of a schema or an interface is no small change.
#[test]
fn d_14_schema_files_are_not_trivial() {
    for (path, fires) in [
        ("db/schema.sql", true),
        ("db/migrations/0001.py", true),
        ("api/openapi.yaml", true),
        ("a.py", false),
    ] {
        let diff = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n");
        let diff = Some(change_unit::count(&diff, &|_| false).unwrap());
        let fired = Scene { diff, ..scene() }.say("就改一下").triggers.contains(&Trigger::SmallChangeClaim);
        assert_eq!(fired, fires, "{path}");
    }
}
