//! Time grows with the length of a command or message and not with its square. Only the thread's own time on the processor counts,
//! so a busy machine changes nothing.

use mi_gate::{
    intake::{Message, State, WordTable, intake},
    messages::Locale,
    permission::{Action, Context, NoWorld, decide},
};
use mi_model::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// A script of about that many bytes.
type Shape = (&'static str, fn(usize) -> String);

fn numbered(bytes: usize, width: usize, piece: fn(usize) -> String) -> String {
    (0..bytes / width).map(piece).collect()
}

fn nested(open: &str, close: &str, bytes: usize) -> String {
    let count = bytes / (open.len() + close.len());
    format!("{}ls{}", open.repeat(count), close.repeat(count))
}

const SYNTAX: &[Shape] = &[
    ("words", |n| format!("echo{}", " word".repeat(n / 5))),
    ("one long word", |n| format!("echo {}", "w".repeat(n))),
    ("pipes", |n| format!("cat a{}", " | cat".repeat(n / 6))),
    ("lists", |n| "ls; ".repeat(n / 4)),
    ("conditions", |n| format!("ls{}", " && ls".repeat(n / 6))),
    ("lines", |n| "ls\n".repeat(n / 3)),
    ("substitutions", |n| format!("echo{}", " $(ls)".repeat(n / 6))),
    ("nested substitutions", |n| nested("echo $(", ")", n)),
    ("open substitutions", |n| format!("echo {}", "$(".repeat(n / 2))),
    ("backticks", |n| format!("echo{}", " `ls`".repeat(n / 5))),
    ("process substitutions", |n| format!("cat{}", " <(ls)".repeat(n / 6))),
    ("subshells", |n| nested("( ", " )", n)),
    ("groups", |n| nested("{ ", "; }", n)),
    ("braces", |n| format!("echo {{{}b}}", "a,".repeat(n / 2))),
    ("double quotes", |n| format!("echo{}", " \"a b\"".repeat(n / 6))),
    ("single quotes", |n| format!("echo{}", " 'a'".repeat(n / 4))),
    ("quoted substitutions", |n| format!("echo{}", " \"$(ls)\"".repeat(n / 8))),
    ("an open quote", |n| format!("echo \"{}", "a ".repeat(n / 2))),
    ("here-documents", |n| numbered(n, 16, |i| format!("cat <<E{i}\nx\nE{i}\n"))),
    ("a long here-document", |n| format!("cat <<'E'\n{}E\n", "line of text\n".repeat(n / 13))),
    ("an expanded here-document", |n| format!("cat <<E\n{}E\n", "$A `ls`\n".repeat(n / 8))),
    ("open here-documents", |n| format!("cat {}", "<<E ".repeat(n / 4))),
];

const OPERANDS: &[Shape] = &[
    ("variables", |n| format!("echo{}", " $A".repeat(n / 3))),
    ("open elements", |n| format!("echo{}", " A[".repeat(n / 3))),
    ("elements", |n| format!("echo{}", " A[0]".repeat(n / 5))),
    ("assignments", |n| numbered(n, 7, |i| format!("a{i}=1;"))),
    ("nested defaults", |n| nested("${a:-", "}", n)),
    ("sums", |n| format!("echo $(({}1))", "1+".repeat(n / 2))),
    ("computed names", |n| format!("echo $((A{}))", "+A".repeat(n / 2))),
    ("comments", |n| "# x\n".repeat(n / 4)),
    ("branches", |n| "if ls; then ls; fi; ".repeat(n / 20)),
    ("cases", |n| format!("case a in {}esac", "b) ls;; ".repeat(n / 8))),
    ("functions", |n| numbered(n, 18, |i| format!("f{i}(){{ ls; }};f{i};"))),
    ("wrappers", |n| format!("{}ls", "env ".repeat(n / 4))),
    ("folders", |n| "cd a;".repeat(n / 5)),
    ("one deep folder", |n| format!("cd {}", "a/".repeat(n / 2))),
    ("read files", |n| format!("cat{}", numbered(n, 6, |i| format!(" f{i}")))),
    ("written files", |n| format!("touch{}", numbered(n, 6, |i| format!(" f{i}")))),
    ("copied files", |n| format!("cp{} d", numbered(n, 6, |i| format!(" f{i}")))),
    ("removed files", |n| format!("rm{}", numbered(n, 6, |i| format!(" f{i}")))),
    ("redirections", |n| format!("ls{}", numbered(n, 7, |i| format!(" >f{i}")))),
    ("patterns", |n| format!("cat{}", " a*b".repeat(n / 4))),
    ("one long pattern", |n| format!("cat {}", "*a".repeat(n / 2))),
    ("a script of sed", |n| format!("sed '{}' f", "s/a/b/;".repeat(n / 7))),
    ("a script of awk", |n| format!("awk '{}' f", "{print $1}".repeat(n / 10))),
    ("a script of python", |n| format!("python3 -c '{}'", "print(1)\n".repeat(n / 9))),
    ("a script of a shell", |n| format!("bash -c '{}'", "ls;".repeat(n / 3))),
    ("joined lines", |n| format!("echo {}", "\\\n".repeat(n / 2))),
];

/// What people write, again and again.
const MESSAGES: &[Shape] = &[
    ("words", |n| "word ".repeat(n / 5)),
    ("one long word", |n| "w".repeat(n)),
    ("sentences", |n| "Rename the function. ".repeat(n / 21)),
    ("numbers of changes", |n| "change 8 files and ".repeat(n / 19)),
    ("numbers in Chinese", |n| "改十二个文件".repeat(n / 18)),
    ("closing words", |n| "下一个".repeat(n / 9)),
    ("urgent words", |n| "不急 urgent ".repeat(n / 14)),
    ("negations", |n| "don't not ".repeat(n / 10)),
    ("technologies", |n| "migrate from MySQL to Postgres ".repeat(n / 31)),
    ("levels of speed", |n| "S1+S2 ".repeat(n / 6)),
    ("lists", |n| numbered(n, 9, |i| format!("{i}. do it\n"))),
    ("overrides", |n| "override ".repeat(n / 9)),
    ("decisions", |n| "从今以后用制表符。".repeat(n / 27)),
];

fn judge(script: &str) {
    let action = Action::new("Bash", json!({"command": script}), Some("/p"));
    std::hint::black_box(decide(&action, &Context::new(&[], &NoWorld)));
}

fn hear(text: &str) {
    std::hint::black_box(intake(&Message {
        text,
        task: None,
        diff: None,
        state: &State::default(),
        decisions: &[],
        words: &WordTable::default(),
        now: Timestamp::from_millis(0),
        locale: Locale::En,
    }));
}

/// Nanoseconds on the processor; the shortest of some tries.
fn cost(work: fn(&str), text: &str, tries: u32) -> u64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
    };
    let once = || {
        let start = now();
        work(text);
        now() - start
    };
    (1..tries).map(|_| once()).fold(once(), u64::min)
}

/// What a decision costs whatever it is about.
const FIXED_NS: u64 = 500_000;
/// Beyond it, a text of 30,000 characters says as much as one of 100,000, and in less time.
const LONG_NS: u64 = 25_000_000;

/// From 1,000 to 10,000 characters, and from there to 100,000: ten times the text takes at most 25 times as long.
fn is_linear(work: fn(&str), shapes: &[Shape]) {
    // The tables are made once.
    cost(work, "ls", 1);
    let mut slow = Vec::new();
    for (name, script) in shapes {
        // Short ones are remembered, so only their first try counts.
        let (small, middle) = (cost(work, &script(1_000), 1), cost(work, &script(10_000), 2));
        let factor = if middle > LONG_NS { 3 } else { 10 };
        let large = cost(work, &script(10_000 * factor), 1);
        let most = |cost: u64, factor: usize| (cost + FIXED_NS) * factor as u64 * 5 / 2;
        if middle > most(small, 10) || large > most(middle, factor) {
            slow.push(format!("{name}: {small}, {middle}, then {factor} times the text {large} ns"));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// Words, quotes, lists and everything that nests.
#[test]
fn d_19_time_grows_with_the_length_of_syntax() {
    is_linear(judge, SYNTAX);
}

/// Files, folders, variables and scripts of other programs.
#[test]
fn d_19_time_grows_with_the_length_of_operands() {
    is_linear(judge, OPERANDS);
}

/// D.3 to D.22: a message as long as a file is read in the time of its length.
#[test]
fn d_03_time_grows_with_the_length_of_a_message() {
    is_linear(hear, MESSAGES);
}
