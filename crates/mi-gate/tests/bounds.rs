//! Hostile input: nothing panics, nothing takes long, and what is cut off is said.

use mi_gate::command::{analyze, risk};
use proptest::prelude::*;

/// Size, depth and number have limits, and going over them is never "understood".
#[test]
fn too_much_is_never_understood() {
    let nested = |open: &str, close: &str, count: usize| {
        format!("{}echo a{}", open.repeat(count), close.repeat(count))
    };
    let scripts = [
        "echo a; ".repeat(200_000),
        format!("echo {}", "a".repeat(1 << 20)),
        "echo a; ".repeat(600),
        "cat <<A\nx\nA\n".repeat(10_000),
        nested("( ", " )", 50),
        nested("( ", " )", 5_000),
        "( ".repeat(40),
        "( ".repeat(100_000),
        nested("echo $(", ")", 300),
        nested("echo \"$(", ")\"", 300),
        "$(".repeat(100_000),
        "${a:-".repeat(50_000),
        "`".repeat(100_001),
        nested("{ ", "; }", 500),
        nested("if true; then ", "; fi", 500),
        "{".repeat(100_000),
        "{a,b}".repeat(40),
        "if ".repeat(10_000),
        "99999999999999999999>x echo".to_owned(),
        "echo 'open".to_owned(),
        "sudo ".repeat(5_000) + "ls",
        "eval ".repeat(5_000) + "ls",
        "\"".repeat(100_001),
        "<<".repeat(50_000),
        "case x in ".repeat(5_000),
    ];
    for script in scripts {
        let analysis = analyze(&script);
        assert!(!analysis.understood, "{}", script.chars().take(60).collect::<String>());
        assert!(!analysis.reasons.is_empty());
        risk(&analysis);
    }
}

/// Danger beyond the limits is still looked for.
#[test]
fn the_fallback_still_finds_danger() {
    let script = format!("{}\nrm -rf /", "( ".repeat(40));
    assert!(risk(&analyze(&script)).iter().any(|finding| finding.severity == mi_model::Severity::Critical));
}

/// A here-document that two commands read is counted as often as it is read.
#[test]
fn a_document_may_be_read_twice() {
    let script = "echo $((1 + $(aa <<|git submodule foreach 'aa'|bb))) & cat <<'E'\ncc\nE\n";
    assert!(!analyze(script).understood);
}

/// Pieces that shells give a meaning to.
const PIECES: &[&str] = &[
    "echo ",
    "a",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "${",
    "`",
    "'",
    "\"",
    "\\",
    "$",
    "<",
    ">",
    "<<",
    "<<<",
    "EOF",
    ">&",
    "2>&1",
    "if ",
    "then ",
    "fi",
    "for ",
    "in ",
    "do ",
    "done",
    "case ",
    "esac",
    "while ",
    "[[ ",
    " ]]",
    "((",
    "))",
    "[",
    "]",
    "!",
    "=",
    "x=",
    "~",
    "~9",
    "*",
    "?",
    "{1..9}",
    "{a,b}",
    "#",
    "bash -c ",
    "eval ",
    "sudo ",
    "env ",
    "xargs ",
    "find . -exec ",
    "git -c ",
    "python -c ",
    "é",
    "\u{200b}",
    "\0",
    "\r",
    "$'\\x",
    "$((",
    "1",
    "99999999999",
    "-",
    "--",
    "sed ",
    "awk ",
    "ssh h ",
    "timeout ",
    "@(",
    "$\"",
    "<(",
    ">(",
    "|&",
    ";;",
    "coproc ",
    "function f ",
    "trap ",
    "alias x=",
    "time ",
    "\u{1F600}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(3_000), ..ProptestConfig::default() })]

    /// No arrangement of shell pieces makes the analysis or the risk panic.
    #[test]
    fn no_arrangement_panics(pieces in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let script: String = pieces.into_iter().map(|index| PIECES[index]).collect();
        let analysis = analyze(&script);
        risk(&analysis);
        prop_assert_eq!(analysis.understood, analysis.reasons.is_empty());
    }

    /// Nor does any text at all.
    #[test]
    fn no_text_panics(script in "\\PC{0,200}") {
        risk(&analyze(&script));
    }
}
