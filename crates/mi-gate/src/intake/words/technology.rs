//! Whether a message chooses a technology (D.3): one or another, a move to it, something rewritten in it.

use std::sync::LazyLock;

use regex::Regex;

use super::super::{contradiction::DATABASES, text::Text};
use super::negation;

/// Whether a technology is chosen.
pub(super) fn is_chosen(text: &Text) -> bool {
    chosen_in_english(text) || chosen_in_chinese(&text.plain) || makes_table(&text.plain)
}

fn chosen_in_english(text: &Text) -> bool {
    (0..text.tokens.len())
        .filter(|at| is_technology(&text.tokens[*at].word) || is_rewritten_in(text, *at))
        .any(|at| (is_moved_to(text, at) || is_exchanged(text, at)) && !negation::english(text, at))
}

fn word(text: &Text, at: Option<usize>) -> &str {
    at.and_then(|at| text.tokens.get(at)).map_or("", |token| token.word.as_str())
}

/// "move to X", "let's use X", "X or Y".
fn is_moved_to(text: &Text, at: usize) -> bool {
    const VERBS: &[&str] = &["adopt", "choose", "pick"];
    const BEFORE_TO: &[&str] = &["move", "switch", "migrate", "change", "go", "back", "over"];
    const FAR_BEFORE_TO: &[&str] = &["move", "switch", "migrate", "port", "convert"];
    let (before, second) = (word(text, at.checked_sub(1)), word(text, at.checked_sub(2)));
    let either = (matches!(word(text, Some(at + 1)), "or" | "vs" | "versus")
        || word(text, at.checked_sub(1)) == "between")
        && is_technology(word(text, Some(at + 2)));
    let moved = match before {
        "to" => {
            BEFORE_TO.contains(&second)
                || is_technology(second)
                || (at.saturating_sub(6)..at).any(|far| FAR_BEFORE_TO.contains(&word(text, Some(far))))
        }
        "with" => second == "go" || second == "going",
        "use" => {
            matches!(second, "let's" | "will" | "we'll" | "i'll")
                || second == "should" && text.plain.contains('?')
        }
        other => VERBS.contains(&other),
    };
    either || moved || is_rewritten_in(text, at)
}

/// "replace X with …", "replace … with X", "X instead of Y".
fn is_exchanged(text: &Text, at: usize) -> bool {
    let near =
        (at.saturating_sub(6)..at).any(|before| matches!(word(text, Some(before)), "replace" | "swap"));
    let instead = word(text, Some(at + 1)) == "instead" && word(text, Some(at + 2)) == "of"
        || word(text, at.checked_sub(1)) == "of" && word(text, at.checked_sub(2)) == "instead";
    let follows = (at + 1..at + 4).any(|after| matches!(word(text, Some(after)), "with" | "by" | "for"));
    let before = matches!(word(text, at.checked_sub(1)), "with" | "by" | "for");
    near && (follows || before) || instead
}

/// "rewrite the front end in X"; here `Go` is a language too.
fn is_rewritten_in(text: &Text, at: usize) -> bool {
    let named = is_technology(word(text, Some(at))) || word(text, Some(at)) == "go";
    named
        && word(text, at.checked_sub(1)) == "in"
        && (at.saturating_sub(7)..at).any(|before| {
            matches!(word(text, Some(before)), "rewrite" | "reimplement" | "rewriting" | "reimplementing")
        })
}

/// 换成 X, 改用 X, 用 X 重写, X 还是 Y.
fn chosen_in_chinese(plain: &str) -> bool {
    static CHOSEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?:换成|换到|换|改成|改用|改为|迁移到|迁到|切换到|切到|采用|选用|引入|替换成|替换为)\s*([a-z0-9+#.]+)|用\s*([a-z0-9+#.]+)\s*(?:来)?(?:重写|重构|改写|替换|代替)|([a-z0-9+#.]+)\s*还是|(?:要不要|该不该|是否|应该|上不上|用不用)[^，。,\s]{0,2}?(?:上|用)?\s*([a-z0-9+#.]+)",
        )
        .expect("a fixed pattern compiles")
    });
    CHOSEN.captures_iter(plain).any(|found| {
        let name = found.iter().skip(1).flatten().next();
        let start = found.get(0).map_or(0, |whole| whole.start());
        name.is_some_and(|name| is_technology(name.as_str()) || name.as_str() == "go")
            && !negation::chinese(&plain[..start])
    })
}

/// 新建一张订单表: a table of a database, not a form (表单) or a spreadsheet (表格).
fn makes_table(plain: &str) -> bool {
    static TABLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?:新建|创建|新增|添加|增加|加)(?:一|两|几)?张[^，。,\s]{0,8}?表(?:$|[^单格情达面头示明现])|表(?:里|中)?(?:加|新增|增加|添加)(?:个|一个|一条|几个|上|了)?(?:新)?(?:索引|字段|列)",
        )
        .expect("a fixed pattern compiles")
    });
    TABLE.find_iter(plain).any(|found| !negation::chinese(&plain[..found.start()]))
}

fn is_technology(word: &str) -> bool {
    const TECHNOLOGIES: &[&str] = &[
        "cassandra",
        "redis",
        "memcached",
        "kafka",
        "rabbitmq",
        "nats",
        "elasticsearch",
        "clickhouse",
        "neo4j",
        "nosql",
        "firebase",
        "supabase",
        "react",
        "vue",
        "angular",
        "svelte",
        "nextjs",
        "nuxt",
        "jquery",
        "flutter",
        "electron",
        "django",
        "flask",
        "fastapi",
        "rails",
        "laravel",
        "spring",
        "nestjs",
        "graphql",
        "grpc",
        "rest",
        "kubernetes",
        "k8s",
        "terraform",
        "aws",
        "gcp",
        "azure",
        "rust",
        "golang",
        "python",
        "java",
        "javascript",
        "typescript",
        "kotlin",
        "scala",
        "elixir",
        "deno",
        "ruby",
        "php",
        "microservices",
        "serverless",
        "sequelize",
        "prisma",
        "typeorm",
        "hibernate",
        "sqlalchemy",
        "redux",
        "zustand",
        "mobx",
        "vuex",
        "pinia",
        "fastify",
        "websockets",
        "protobuf",
        "nginx",
        "zig",
    ];
    DATABASES.contains(&word) || TECHNOLOGIES.contains(&word)
}
