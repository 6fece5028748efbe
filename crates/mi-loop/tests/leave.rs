//! Leave for something risky (11-autopilot-semantics, "Auto-answer by rules": "consent to something risky is covered only
//! by a source that names it"): a sentence that refuses, asks, warns or limits never becomes a yes.

use mi_loop::{
    answers::{Answered, Context, Sources, answer},
    questions::find_questions,
};

/// Something risky, and how an agent asks for it.
struct Risky {
    /// After "You may": `push`.
    verb: &'static str,
    /// Before "is fine": `pushing`.
    gerund: &'static str,
    chinese: &'static str,
    /// The first English and the first Chinese question ask for just that.
    questions: &'static [&'static str],
    chinese_questions: &'static [&'static str],
}

const RISKY: &[Risky] = &[
    Risky {
        verb: "install packages",
        gerund: "installing packages",
        chinese: "安装依赖",
        questions: &[
            "May I install left-pad?",
            "Can I add `left-pad`?",
            "May I pull in lodash?",
            "Can I use a new library for this?",
            "Shall I bring in the requests package?",
            "Should I run `npm install left-pad`?",
        ],
        chinese_questions: &["可以安装依赖吗？", "可以加一个依赖 left-pad 吗？", "要不要引入 lodash？"],
    },
    Risky {
        verb: "install",
        gerund: "installing",
        chinese: "安装",
        questions: &[
            "May I install left-pad?",
            "Can I add `left-pad`?",
            "Can I add the left-pad dependency?",
        ],
        chinese_questions: &["可以安装 numpy 吗？", "可以加一个依赖 left-pad 吗？"],
    },
    Risky {
        verb: "push",
        gerund: "pushing",
        chinese: "推送",
        questions: &[
            "Shall I push?",
            "Shall I push to origin?",
            "Can I push the branch?",
            "Should I push without running the tests?",
            "Want me to push this now?",
        ],
        chinese_questions: &["要推送吗？", "可以推送到远程吗？", "可以不跑测试就推送吗？"],
    },
    Risky {
        verb: "force push",
        gerund: "force pushing",
        chinese: "强制推送",
        questions: &["Shall I force push?", "May I force push the branch?", "Can I push with --force?"],
        chinese_questions: &["可以强制推送吗？"],
    },
    Risky {
        verb: "delete files",
        gerund: "deleting files",
        chinese: "删除文件",
        questions: &[
            "Can I delete the files?",
            "Can I delete the old files?",
            "Shall I remove the build directory?",
            "May I delete the files without a backup?",
            "Can I wipe the uploads folder?",
        ],
        chinese_questions: &["可以删除文件吗？", "要删除旧文件吗？"],
    },
    Risky {
        verb: "use the network",
        gerund: "using the network",
        chinese: "联网",
        questions: &[
            "Can I use the network?",
            "Can I download the dataset?",
            "May I fetch the schema from the web?",
            "Can I upload the logs to S3?",
        ],
        chinese_questions: &["可以联网吗？", "要联网下载数据吗？"],
    },
    Risky {
        verb: "spend money",
        gerund: "spending money",
        chinese: "花钱",
        questions: &[
            "Can I spend money?",
            "The API call costs money; go on?",
            "Can I buy the license?",
            "Can I use the paid tier?",
        ],
        chinese_questions: &["可以花钱吗？"],
    },
    Risky {
        verb: "share personal data",
        gerund: "sharing personal data",
        chinese: "发送用户数据",
        questions: &[
            "Can I share personal data?",
            "May I upload the personal data to the vendor?",
            "Can I send the user data to the customer?",
        ],
        chinese_questions: &["可以发送用户数据吗？"],
    },
    Risky {
        verb: "publish",
        gerund: "publishing",
        chinese: "发布",
        questions: &["Shall I publish?", "Can I publish the package?", "Should I release the crate?"],
        chinese_questions: &["可以发布吗？", "要发布新版本吗？"],
    },
    Risky {
        verb: "deploy",
        gerund: "deploying",
        chinese: "部署",
        questions: &[
            "Shall I deploy?",
            "Can I deploy to production?",
            "Should I deploy without the smoke tests?",
        ],
        chinese_questions: &["要部署吗？", "可以部署到生产环境吗？"],
    },
    Risky {
        verb: "change the schema",
        gerund: "changing the schema",
        chinese: "修改表结构",
        questions: &[
            "Can I change the schema?",
            "Shall I change the database schema?",
            "May I drop a column of the schema?",
        ],
        chinese_questions: &["可以修改表结构吗？"],
    },
    Risky {
        verb: "run the migration",
        gerund: "running the migration",
        chinese: "执行数据迁移",
        questions: &["Shall I run the migration?", "Should I run the migration on production?"],
        chinese_questions: &["可以执行数据迁移吗？"],
    },
];

/// `V` is the verb, `G` the gerund, `S` the gerund that begins the sentence.
const NO_LEAVE: &[&str] = &[
    "Never V.",
    "Do not V.",
    "Don't V.",
    "You may not V.",
    "You can't V.",
    "No G.",
    "Stop G.",
    "Avoid G.",
    "Refrain from G.",
    "S is forbidden.",
    "S is not allowed.",
    "S is not OK.",
    "It is not fine to V.",
    "Nobody may V.",
    "Under no circumstances V.",
    "Ask before G.",
    "Ask me before you V.",
    "Always ask before G.",
    "Always confirm before G.",
    "Confirm before G.",
    "Get my approval before G.",
    "S needs my approval.",
    "S requires sign-off.",
    "S is my call.",
    "S is my job.",
    "Never V without asking.",
    "Never V without my OK.",
    "Do not V unless I say so.",
    "Talk to me before G.",
    "Discuss G with me.",
    "Check with the team before G.",
    "I V myself.",
    "Only Bob may V.",
    "Whether to V is up to me.",
    "Let me V.",
    "Be careful when G.",
    "Be careful with G.",
    "Think twice before G.",
    "S is dangerous.",
    "S is risky.",
    "S is slow.",
    "Try not to V.",
    "I would rather not V.",
    "I dislike G.",
    "I am not sure about G.",
    "Prefer anything over G.",
    "You may V if the tests pass.",
    "You may V after I looked.",
    "You may V on Fridays.",
    "You may V once.",
    "You may V sometimes.",
    "You may V in the sandbox only.",
    "You may V, but ask first.",
    "You may V except at night.",
    "Only V when I said so.",
    "Rarely V.",
    "Hardly ever V.",
    "Keep G to a minimum.",
    "Run the tests before G.",
    "Document it when G.",
    "Do you think you may V?",
    "I used to allow G.",
    "My colleague likes G.",
    "Others V.",
    "S happens on Fridays.",
    "Use a script for G.",
    "I doubt you may V.",
    "Instead of G, write it down.",
    "Last time G was fine.",
    "You may soon V.",
    "Maybe V.",
    "Perhaps you can V.",
    "In an emergency you may V.",
];

/// `X` is the act.
const NO_LEAVE_CHINESE: &[&str] = &[
    "不要X。",
    "别X。",
    "禁止X。",
    "严禁X。",
    "不可以X。",
    "不能X。",
    "先别X。",
    "不许X。",
    "最好不要X。",
    "尽量少X。",
    "X前先问我。",
    "X之前要我同意。",
    "X需要我批准。",
    "未经我同意不得X。",
    "除非我说，否则不要X。",
    "X由我决定。",
    "我来X。",
    "只有我可以X。",
    "小心X。",
    "谨慎X。",
    "X要慎重。",
    "X很危险。",
    "必要时才X。",
    "偶尔可以X。",
    "测试通过后可以X。",
    "可以在沙箱里X。",
    "以前可以X。",
    "如果测试通过，可以X。",
    "同事喜欢X。",
    "也许可以X。",
    "周五可以X。",
    "我不想X。",
];

fn ask(values: &str, message: &str) -> Answered {
    let sources = Sources::new(values, &[], &[], None, &[]);
    answer(&find_questions(message), &sources, Context::default())
}

fn consents(got: &Answered) -> bool {
    let reply = &got.answer.codex_answer_input;
    ["Yes, go ahead", "是，可以", "Decide this yourself", "由你自己决定"]
        .iter()
        .any(|yes| reply.contains(yes))
}

fn english(form: &str, risky: &Risky) -> String {
    let mut capital = risky.gerund.to_owned();
    capital[..1].make_ascii_uppercase();
    let words = form.split(' ').map(|word| {
        let (stem, end) = word.split_at(word.trim_end_matches(['.', ',', '?']).len());
        let said = match stem {
            "V" => risky.verb,
            "G" => risky.gerund,
            "S" => &capital,
            other => other,
        };
        format!("{said}{end}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Every form of refusal, wish to be asked, warning and limit, for every risk and every way to ask for it, in both languages.
#[test]
fn what_refuses_asks_or_limits_is_never_a_yes() {
    let mut wrong = Vec::new();
    for risky in RISKY {
        let english = NO_LEAVE.iter().map(|form| english(form, risky));
        let chinese = NO_LEAVE_CHINESE.iter().map(|form| form.replace('X', risky.chinese));
        for values in english.chain(chinese) {
            for message in risky.questions.iter().chain(risky.chinese_questions) {
                let got = ask(&values, message);
                if consents(&got) {
                    wrong.push(format!("{values} | {message} | {}", got.answer.codex_answer_input));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Plain leave is a yes to just that, in both languages.
#[test]
fn plain_leave_is_a_yes() {
    let mut wrong = Vec::new();
    for risky in RISKY {
        for form in [
            "You may V.",
            "You can V.",
            "Feel free to V.",
            "S is fine.",
            "You may V without asking.",
            "Go ahead and V.",
        ] {
            let values = english(form, risky);
            if !consents(&ask(&values, risky.questions[0])) {
                wrong.push(format!("{values} | {}", risky.questions[0]));
            }
        }
        for form in ["可以X。", "你可以直接X。", "允许X。"] {
            let values = form.replace('X', risky.chinese);
            if !consents(&ask(&values, risky.chinese_questions[0])) {
                wrong.push(format!("{values} | {}", risky.chinese_questions[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
