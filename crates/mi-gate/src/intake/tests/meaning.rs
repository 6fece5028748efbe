//! Words that are used, told from words that are only mentioned; changes that are asked for, told from things that are counted.

use super::*;

/// What stands in quotation marks, names a document, a label or a value, or is only misspelt, sets nothing off (D.3).
#[test]
fn d_03_mentions_trigger_nothing() {
    for text in [
        "fix typo in architecture.md",
        "there is a broken link in docs/architecture.md",
        "修一下 架构.md 里的错别字",
        "typo in the architecture section of the README",
        "支付文档里有个错别字,改一下",
        "the word \"urgent\" in the table should be bold",
        "把表格里的“紧急”两个字去掉",
        "赶紧两个字的拼音注释错了",
        "The docs say \"直接做\" in the table; fix the spacing there",
        "解释一下\"不需要讨论\"这句话在规范里的意思",
        "the Hire button is misaligned on mobile",
        "set the tooltip of the delete all button to German",
        "parse the priority enum: low, normal, urgent",
        "sort tickets so that urgent ones come first",
        "add ASAP Rocky to the artists fixture",
        "把急切加载改成懒加载",
        "build for the arm64 architecture",
        "the architecture diagram in the README is blurry",
        "README 的架构图太模糊了",
        "Employee.hire() should set the start date",
        "ticket.urgent is undefined",
        "how does authentication work in this repo?",
        "the docs mention `DROP TABLE`, fix the formatting",
        "override `render` in the view",
        "override: what does it do?",
    ] {
        assert_eq!((say(text).mode, say(text).triggers.as_slice()), (Mode::Mirror, &[][..]), "{text}");
    }
    assert_eq!(say("she wrote \"the production site is down, urgent, fix it\"").triggers, [Trigger::Urgency]);
}

/// What is meant is seen however the sentence is built, also in what the message says to run.
#[test]
fn d_03_meanings_by_how_people_write() {
    use Trigger::*;
    let cases: &[(&str, &[Trigger])] = &[
        ("quick, fix the broken import", &[Urgency]),
        ("please quickly rename foo to bar", &[Urgency]),
        ("quick question: what is this file for", &[]),
        ("把线上的订单数据全部删掉", &[MoneySecurityIrreversible]),
        ("把 users 表删了", &[MoneySecurityIrreversible]),
        ("不要把用户的数据删掉", &[]),
        ("删除用户表单里的空行", &[]),
        ("run `DROP TABLE users` on it", &[MoneySecurityIrreversible]),
        ("execute the following:\n```sql\nDROP TABLE users;\n```", &[MoneySecurityIrreversible]),
        ("here is my code:\n```sql\nDROP TABLE users;\n```", &[]),
        ("execute \"drop table users\"", &[MoneySecurityIrreversible]),
        ("把钱转给供应商", &[MoneySecurityIrreversible]),
        ("关闭登录鉴权", &[MoneySecurityIrreversible]),
        ("turn off TLS verification", &[MoneySecurityIrreversible]),
        ("组织架构调整", &[Personnel]),
        ("准备裁掉三个人", &[Personnel]),
        ("fire the QA lead", &[Personnel]),
        ("就改一下,把用户表加个字段", &[Architecture, SmallChangeClaim]),
        ("reorganise the department into two", &[Personnel]),
        ("switch our ORM from Sequelize to Prisma", &[Architecture]),
        ("给用户表加个索引", &[Architecture]),
        ("replace our REST API with gRPC", &[Architecture]),
    ];
    for (text, expected) in cases {
        assert_eq!(say(text).triggers, *expected, "{text}");
    }
}

/// Only changes that are asked for are counted; reading, running and asking about many things changes none (D.5).
#[test]
fn d_05_changes_are_told_from_things() {
    for (text, count) in [
        ("update a.rs, b.rs, c.rs, d.rs, e.rs, f.rs, g.rs to use the new helper", 7),
        ("第一,改标题;第二,改按钮;第三,改页脚;第四,改菜单;第五,改图标;第六,改背景", 6),
        ("there are seven typos in the docs, fix them all", 7),
        ("change the colour of these 6 buttons", 6),
        (
            "please rename foo to bar, delete baz, add some logging to qux, fix the import in the main module, bump it, and sort it",
            6,
        ),
        ("改一下标题、按钮、页脚、菜单、图标、背景这些样式", 6),
        ("rename `a`, `b`, `c`, `d`, `e` and `f`", 6),
        ("all 40 endpoints should return JSON", 40),
    ] {
        assert_eq!(say(text).batch.count, count, "{text}");
    }
    for text in [
        "why do tests 1, 2, 3, 4, 5, 6 and 7 fail?",
        "explain these 12 files to me",
        "run all 200 tests",
        "which of the 20 tests is the slowest?",
        "it prints a, b, c, d, e, f, g - why?",
        "the test expects the output \"1, 2, 3, 4, 5, 6\"",
        "add a test with the values 1, 2, 3, 4, 5, 6",
        "my list of fruits: apple, banana, cherry, date, elderberry, fig, grape",
        "读取这 10 个文件并总结",
        "这 12 个测试是做什么的?",
        "set the page size to 25 items",
        "steps to reproduce:\n1. open\n2. click\n3. enter\n4. press\n5. wait\n6. see the error",
    ] {
        assert!(say(text).batch.count <= 5, "{text}: {:?}", say(text).batch);
    }
}

/// A product without a word about what it does is no specification (D.6).
#[test]
fn d_06_a_product_alone_is_unclear() {
    for text in ["build me an app", "做一个网站", "improve everything"] {
        assert!(say(text).spec_gate.blocked, "{text}");
    }
    for text in ["make the button blue", "build a CLI that converts CSV to JSON", "写一个函数"] {
        assert!(!say(text).spec_gate.blocked, "{text}");
    }
}

/// Names that look like levels are none; levels may be joined by a stroke (D.21).
#[test]
fn d_21_names_are_no_levels() {
    for text in
        ["copy S1.png to assets", "fix sheet S1 in the sample", "explain the difference between S3 and GCS"]
    {
        assert!(say(text).speed.is_empty(), "{text}");
    }
    assert_eq!(say("S1/S2 rename foo").speed, [Speed::S1, Speed::S2]);
    assert_eq!(say("Fix the login page typo ASAP").speed, [Speed::S1, Speed::S3]);
}

/// A suggestion is agreed to in more than one word, keeps its code, and is not made again in another dress (D.9).
#[test]
fn d_09_suggestions_are_agreed_to() {
    let first = say("we decided to use `pnpm` everywhere");
    assert_eq!(first.cognitive.description.as_deref(), Some("we decided to use `pnpm` everywhere"));
    for text in ["save it", "yes, save", "好,存", "存吧", "Save."] {
        let saved = Scene { state: first.state.clone(), ..scene() }.say(text);
        assert_eq!(saved.cognitive.save.as_deref(), Some("we decided to use `pnpm` everywhere"), "{text}");
    }
    let again = Scene { state: first.state, ..scene() }.say("We decided to use pnpm everywhere!");
    assert!(!again.cognitive.signal);
    for text in
        ["以后每次提交前先跑测试", "decision: keep it in one repository", "我们的规矩是每个 PR 都要有人看"]
    {
        assert!(say(text).cognitive.signal, "{text}");
    }
    for text in ["I learned nothing from this log", "决定论的定义很长", "the value is always null"] {
        assert!(!say(text).cognitive.signal, "{text}");
    }
}

/// More words that close (D.11, D.12).
#[test]
fn d_11_more_closing_words() {
    for text in ["下次再继续吧", "回顾一下本次会话", "gotta go, talk later"] {
        assert!(say(text).session_end.signal, "{text}");
    }
    for text in ["done. next!", "let's switch to another task"] {
        assert!(say(text).autosave.trigger, "{text}");
    }
    for text in ["在文件末尾加一行“结束”", "add a \"Save\" button", "next, add a test"] {
        let reading = say(text);
        assert!(!reading.session_end.signal && !reading.autosave.trigger, "{text}");
    }
}

/// Obedience ends when the person takes it back, and not before (D.3).
#[test]
fn d_03_an_override_is_taken_back() {
    let obeyed = say("override: change the schema of the service").state;
    let then = |text: &str| Scene { state: obeyed.clone(), ..scene() }.say(text).mode;
    for text in [
        "don't override any more: the schema of the service",
        "the service's schema: let's discuss",
        "先讨论 service 的 schema",
    ] {
        assert_eq!(then(text), Mode::Challenge, "{text}");
    }
    for text in ["no need to discuss the schema of the service", "不用先讨论 service 的 schema", "ok"] {
        assert_eq!(then(text), Mode::Obey, "{text}");
    }
}

/// A list is approved in Chinese, too; what is changed into something is no approval (D.5).
#[test]
fn d_05_approvals_in_chinese() {
    let list: String = (1..=7).map(|number| format!("- rename thing{number}\n")).collect();
    for (text, split) in [("可以,一次全改", false), ("不用分批,直接全部改", false), ("不批准", true)]
    {
        let state = Scene { state: say(&list).state, ..scene() }.say(text).state;
        assert_eq!(Scene { state, ..scene() }.say(&list).batch.split, split, "{text}");
    }
    assert!(say("把这六处全部改成英文").batch.split);
}
