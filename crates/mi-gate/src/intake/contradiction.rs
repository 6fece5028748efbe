//! Whether a message goes against what was decided before (D.3, D.14, D.15).
//!
//! Words are compared, not meanings: what a decision chose and what it refused, against what the message wants and
//! what it wants to drop. Well-known alternatives (one database for another) count as going against.

use std::collections::BTreeSet;

use super::text::{Text, is_chinese};

/// A decision on record: a card, a line of a session log, a principle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDecision {
    pub id: String,
    /// Title, key, aliases and content, as one text.
    pub text: String,
}

pub(super) const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "sqlite",
    "mongodb",
    "mongo",
    "oracle",
    "dynamodb",
    "cockroachdb",
];

/// Things of which a project has one.
const ALTERNATIVES: &[&[&str]] = &[
    DATABASES,
    &["react", "vue", "angular", "svelte"],
    &["npm", "yarn", "pnpm", "bun"],
    &["restful", "graphql", "grpc"],
    &["tabs", "spaces"],
    &["rust", "golang", "python", "java", "typescript", "javascript", "ruby", "php", "kotlin"],
    &["aws", "gcp", "azure"],
    &["docker", "podman"],
    &["redis", "memcached"],
    &["jest", "vitest", "mocha"],
    &["monolith", "microservices"],
    &["rebase", "merge"],
    &["kafka", "rabbitmq", "nats"],
    &["django", "flask", "fastapi"],
    &["jwt", "cookies"],
    &["webpack", "vite", "esbuild"],
    &["snakecase", "camelcase", "kebabcase", "pascalcase"],
    &["eslint", "biome"],
    &["poetry", "pipenv", "uv"],
    &["gitflow", "trunk"],
    &["单体", "微服务"],
];

const REFUSES: &[&str] = &[
    "not",
    "never",
    "don't",
    "do not",
    "avoid",
    "no",
    "instead of",
    "rather than",
    "without",
    "must not",
    "forbid",
    "stop using",
    "drop",
    "remove",
    "get rid of",
    "replace",
    "away from",
    "不用",
    "不要",
    "禁止",
    "不得",
    "不使用",
    "而不是",
    "去掉",
    "移除",
    "放弃",
    "弃用",
    "不再",
    "不能",
    "不允许",
    "skip",
    "disable",
    "bypass",
    "ignore",
    "cannot",
    "不写",
    "跳过",
    "不做",
    "不加",
    "绕过",
    "不必",
    "不应",
];
/// Behind these, "with" and "to" name what comes instead.
const EXCHANGES: &[&str] = &[
    "replace",
    "drop",
    "remove",
    "get rid of",
    "stop using",
    "away from",
    "去掉",
    "移除",
    "放弃",
    "弃用",
    "不用",
    "不再",
];
/// A decision with one of these leaves no choice.
const STRONG: &[&str] =
    &["must", "always", "mandatory", "required", "every", "必须", "一律", "总是", "每次", "强制"];

/// Ids of the decisions that the message goes against, in their order.
pub(super) fn find(text: &Text, decisions: &[KnownDecision]) -> Vec<String> {
    if asks(text) {
        return Vec::new();
    }
    let message = Sides::of(text);
    let needles = message.needles();
    let near = |decision: &&KnownDecision| {
        let text = decision.text.to_lowercase();
        needles.iter().any(|needle| text.contains(needle.as_str()))
    };
    decisions
        .iter()
        .filter(near)
        .filter(|decision| message.against(&Sides::of(&Text::new(&decision.text))))
        .map(|decision| decision.id.clone())
        .collect()
}

/// "Why do we use X?" wants to know, and goes against nothing.
fn asks(text: &Text) -> bool {
    let first = text.tokens.first().map_or("", |token| token.word.as_str());
    matches!(first, "why" | "what" | "which" | "who" | "when" | "where" | "how" | "explain")
        || ["为什么", "什么是", "解释"].iter().any(|word| text.plain.trim_start().starts_with(word))
}

/// What a text is for and against, as words.
struct Sides {
    wanted: BTreeSet<String>,
    refused: BTreeSet<String>,
    /// Each refusal by itself: all of its words must come back.
    refusals: Vec<BTreeSet<String>>,
    /// It leaves no choice.
    strong: bool,
}

impl Sides {
    fn of(text: &Text) -> Self {
        let mut sides =
            Self { wanted: BTreeSet::new(), refused: BTreeSet::new(), refusals: Vec::new(), strong: false };
        sides.strong = STRONG.iter().any(|word| place(&text.plain, word).is_some());
        let plain = one_word(&text.plain);
        for clause in plain.split(['.', ',', ';', '\n', '!', '?', '。', '，', '；', '！', '？', ':', '：'])
        {
            let cut = REFUSES.iter().filter_map(|word| place(clause, word)).min_by_key(|(start, _)| *start);
            let (wanted, refused, exchanges) = match cut {
                Some((start, end)) => {
                    (&clause[..start], &clause[end..], EXCHANGES.contains(&&clause[start..end]))
                }
                None => (clause, "", false),
            };
            // "replace X with Y": what follows is wanted again.
            let (refused, again) = [" with ", " to ", "换成", "改用", "改成"]
                .iter()
                .filter(|word| exchanges || !word.is_ascii())
                .find_map(|word| refused.split_once(word))
                .unwrap_or((refused, ""));
            sides.wanted.extend(content(wanted));
            sides.wanted.extend(content(again));
            let refusal: BTreeSet<String> = content(refused).collect();
            sides.refused.extend(refusal.iter().cloned());
            if !refusal.is_empty() {
                sides.refusals.push(refusal);
            }
        }
        sides
    }

    /// What a decision must have in common to be looked at: there may be thousands of them.
    fn needles(&self) -> Vec<String> {
        let words = self.wanted.iter().chain(&self.refused);
        // A plural may change its last letter.
        let stem = |word: &String| match word.strip_suffix('y').filter(|stem| stem.len() >= 4) {
            Some(stem) => stem.to_owned(),
            None => word.clone(),
        };
        let mut needles: Vec<String> = words.map(stem).collect();
        for group in ALTERNATIVES.iter().filter(|group| group.iter().any(|word| self.wanted.contains(*word)))
        {
            needles.extend(group.iter().map(|word| match word.strip_suffix("case") {
                Some(name) => name.to_owned(),
                None => (*word).to_owned(),
            }));
        }
        needles
    }

    fn against(&self, decision: &Sides) -> bool {
        let takes_back = decision.refusals.iter().any(|refusal| {
            let common = refusal.intersection(&self.wanted).count();
            let named = refusal.iter().any(|word| self.wanted.contains(word) && is_alternative(word));
            named
                || common >= 2 && common * 10 >= refusal.len() * 6
                || refusal.len() == 1
                    && refusal.iter().any(|word| self.wanted.contains(word) && is_telling(word))
        });
        let drops = self.refusals.iter().any(|refusal| {
            let common = refusal.intersection(&decision.wanted).count();
            let named = refusal.iter().any(|word| decision.wanted.contains(word) && is_alternative(word));
            named || common >= 2 || decision.strong && common == 1 && refusal.len() == 1
        });
        let other = ALTERNATIVES.iter().any(|group| {
            let of = |words: &BTreeSet<String>| group.iter().any(|word| words.contains(*word));
            of(&decision.wanted)
                && of(&self.wanted)
                && !group.iter().any(|word| decision.wanted.contains(*word) && self.wanted.contains(*word))
        });
        takes_back || drops || other
    }
}

/// Long enough to mean one thing.
fn is_telling(word: &str) -> bool {
    word.chars().count() >= 3 || word.chars().all(is_chinese)
}

/// Names that are written with a mark inside, as one word.
fn one_word(plain: &str) -> String {
    ["snake", "camel", "kebab", "pascal"].iter().fold(plain.to_owned(), |text, name| {
        ["_", "-", " "]
            .iter()
            .fold(text, |text, mark| text.replace(&format!("{name}{mark}case"), &format!("{name}case")))
    })
}

fn is_alternative(word: &str) -> bool {
    ALTERNATIVES.iter().any(|group| group.contains(&word))
}

/// Where a word stands in a clause, whole if it is English.
fn place(clause: &str, word: &str) -> Option<(usize, usize)> {
    clause.match_indices(word).map(|(at, found)| (at, at + found.len())).find(|(start, end)| {
        let boundary =
            |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric() || is_chinese(char));
        !word.is_ascii()
            || (boundary(clause[..*start].chars().next_back()) && boundary(clause[*end..].chars().next()))
    })
}

const EMPTY: &[&str] = &[
    "on", "in", "at", "to", "of", "is", "it", "be", "by", "or", "an", "as", "we", "do", "if", "so", "the",
    "and", "for", "use", "using", "all", "any", "are", "was", "has", "have", "this", "that", "from", "into",
    "our", "your", "must", "should", "always", "ever", "with", "let's", "please", "just", "you", "switch",
    "directly", "only", "every", "make", "add", "new", "it's", "they", "there", "here", "them", "be", "使用",
    "必须", "我们", "直接", "需要", "这个", "一律", "总是", "每次",
];

fn content(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> = text
        .split(|char: char| !char.is_alphanumeric() || is_chinese(char))
        .filter(|word| word.chars().count() >= 2 && !EMPTY.contains(word))
        .map(singular)
        .flat_map(
            |word| if is_alternative(&format!("{word}s")) { vec![format!("{word}s")] } else { vec![word] },
        )
        .collect();
    let letters: Vec<char> = text.chars().collect();
    let pairs: Vec<String> = letters
        .windows(2)
        .filter(|pair| pair.iter().all(|char| is_chinese(*char)))
        .map(|pair| pair.iter().collect::<String>())
        .filter(|pair| !EMPTY.contains(&pair.as_str()))
        .collect();
    words.into_iter().chain(pairs)
}

fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) if stem.len() > 2 => format!("{stem}y"),
        _ if word.len() > 4 => word.trim_end_matches('s').to_owned(),
        _ => word.to_owned(),
    }
}
