//! A second parser as an oracle: every program and redirect that tree-sitter's bash grammar sees in a script is seen by the product.
//!
//! tree-sitter is no part of the product, because its C code has memory errors: it must never see a here-document nor a character
//! beyond ASCII. Scripts with either are left out.

use mi_gate::command::{Analysis, analyze};
use proptest::{prelude::*, test_runner::RngSeed};
use tree_sitter::{Node, Parser};

/// What a parser saw: the raw command words and redirect targets that hold nothing to expand.
#[derive(Debug, Default)]
struct Sighting {
    names: Vec<String>,
    targets: Vec<String>,
}

/// What tree-sitter sees in `script`; None if it finds an error or must not be asked.
fn sight(script: &str) -> Option<Sighting> {
    if !script.is_ascii() || script.contains("<<") || script.contains('\0') {
        return None;
    }
    // It takes the two halves of a word that goes on in the next line for two words.
    let joined = if script.contains('\'') { script.to_owned() } else { script.replace("\\\n", "") };
    let script = joined.as_str();
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar fits the library");
    let tree = parser.parse(script, None)?;
    let mut sighting = Sighting::default();
    let mut open = vec![tree.root_node()];
    if open[0].has_error() {
        return None;
    }
    while let Some(node) = open.pop() {
        collect(node, script, &mut sighting);
        open.extend((0..node.child_count()).filter_map(|index| node.child(index)));
    }
    Some(sighting)
}

fn collect(node: Node<'_>, script: &str, sighting: &mut Sighting) {
    let text = |node: Node<'_>| script.get(node.byte_range()).unwrap_or_default().trim().to_owned();
    match node.kind() {
        "command_name" => sighting.names.push(text(node)),
        "declaration_command" | "unset_command" => sighting.names.extend(node.child(0).map(text)),
        "file_redirect" => {
            let duplicates = (0..node.child_count())
                .filter_map(|index| node.child(index))
                .any(|child| matches!(child.kind(), ">&" | "<&" | ">&-" | "<&-"));
            if !duplicates {
                sighting.targets.extend(node.child_by_field_name("destination").map(text));
            }
        }
        _ => {}
    }
}

/// Words of the shell's grammar.
const RESERVED: [&str; 14] = [
    "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "then", "time", "until",
    "while",
];

/// What tree-sitter saw and the product did not. Words with quotes or expansions are spelled differently and not compared.
fn missed(script: &str, analysis: &Analysis) -> Vec<String> {
    let Some(sighting) = sight(script) else { return Vec::new() };
    let is_plain =
        |word: &&String| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte));
    let names = sighting.names.iter().filter(is_plain).filter(|name| {
        // The grammar takes these for programs behind `!` and the like.
        !RESERVED.contains(&name.as_str())
            && !analysis.commands.iter().any(|command| command.program_path == **name)
    });
    let targets = sighting.targets.iter().filter(is_plain).filter(|target| {
        let mut redirects = analysis.commands.iter().flat_map(|command| &command.redirects);
        !redirects.any(|redirect| redirect.target.text == **target)
    });
    names.chain(targets).cloned().collect()
}

/// The scripts that other tests go through, and how often tree-sitter has an opinion on them.
#[test]
fn d_19_listed_scripts_are_read_as_the_oracle_reads_them() {
    let lists = [
        include_str!("data/asked.txt"),
        include_str!("data/bypasses.txt"),
        include_str!("data/bypasses_programs.txt"),
        include_str!("data/bypasses_work.txt"),
        include_str!("data/developer.txt"),
        include_str!("data/everyday.txt"),
        include_str!("data/looking.txt"),
        include_str!("data/ordinary.txt"),
        include_str!("data/reading.txt"),
        include_str!("data/tricks.txt"),
    ];
    let mut seen = 0;
    let mut wrong = Vec::new();
    for script in lists.iter().flat_map(|list| list.lines()).map(|line| line.replace('⏎', "\n")) {
        let analysis = analyze(&script);
        seen += usize::from(analysis.understood && sight(&script).is_some());
        let missed = missed(&script, &analysis);
        if analysis.understood && !missed.is_empty() {
            wrong.push((script, missed));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 1_000, "only {seen} scripts were compared");
}

/// Syntax that brush-parser misreads: bash runs `touch M` in each, and each is doubted or shows it.
#[test]
fn d_19_known_misreadings_are_doubted() {
    for script in [
        "( ( touch M ) )",
        "( (touch M))",
        "((touch M) )",
        "((true); touch M)",
        "(( 1 # ))\ntouch M\n))",
        "echo $((1 # ))\ntouch M\n))",
        "echo \"$((1 # ))\ntouch M\n))\"",
        "echo $(({ touch M; $(case a in a) ls;; esac) ))",
        "echo $((touch M) )",
        "echo \"$((touch M) )\"",
        "echo \"${x:-$((touch M) )}\"",
        "echo ${x:-`( ( touch M ) )`}",
        "cat <<E\n$((touch M) )\nE",
        "x=()ls touch M",
        "x=(a b)\\\nls touch M",
        "{fd}>/dev/null touch M",
        "! time ! touch M",
        "ls\u{1} touch M",
    ] {
        let analysis = analyze(script);
        let shown = analysis.commands.iter().any(|command| command.program == "touch");
        assert!(shown || !analysis.understood, "{script:?}: {analysis:#?}");
    }
    // What is written in the same manner and means what it says.
    for script in [
        "(( (a + 1) * 2 > 3 ))",
        "for ((i = 0; i < 3; i++)); do ls; done",
        "echo $(( (1 + 2) * 3 ))",
        "x=(a b); ls",
    ] {
        let analysis = analyze(script);
        assert!(analysis.understood, "{script:?}: {:?}", analysis.reasons);
    }
}

const NAMES: [&str; 6] = ["ls", "git", "touch", "echo", "true", "cat"];
const WORDS: [&str; 16] = [
    "x",
    "-l",
    "'q r'",
    "\"d $x\"",
    "$x",
    "${x:-v}",
    "\"$(ls)\"",
    "$(git a)",
    "`cat`",
    "{a,b}",
    "$((1 + 2))",
    "*",
    "# c\n",
    "\\\n",
    "a=b",
    "<(ls)",
];
const REDIRECTS: [&str; 7] = [">f", "> g", ">>h", "2>i", "<j", "2>&1", "&>k"];
const JOINTS: [&str; 8] = ["; ", " && ", " || ", " | ", " & ", "\n", ";", "|"];
const FRAMES: [&str; 19] = [
    "@",
    "@",
    "@",
    "( @ )",
    "{ @; }",
    "if @; then @; fi",
    "while @; do @; done",
    "for x in a b; do @; done",
    "for ((i = 0; i < 2; i++)); do @; done",
    "case a in a) @;; esac",
    "f() { @; }",
    "[[ a == b ]] && @",
    "(( 1 + 2 )); @",
    "! ls && @",
    "x=$(@)",
    "echo \"$(@)\"",
    "( (@) )",
    "((@) )",
    "x=(a)@",
];

fn simple() -> impl Strategy<Value = String> {
    let part = prop_oneof![3 => prop::sample::select(&WORDS[..]), 1 => prop::sample::select(&REDIRECTS[..])];
    (prop::sample::select(&NAMES[..]), prop::collection::vec(part, 0..4))
        .prop_map(|(name, parts)| format!("{name} {}", parts.join(" ")))
}

fn script() -> impl Strategy<Value = String> {
    simple().prop_recursive(3, 12, 3, |inner| {
        let framed = (prop::sample::select(&FRAMES[..]), inner.clone())
            .prop_map(|(frame, inner)| frame.replace('@', &inner));
        (framed, prop::collection::vec((prop::sample::select(&JOINTS[..]), inner), 0..2)).prop_map(
            |(first, rest)| rest.into_iter().fold(first, |script, (joint, next)| script + joint + &next),
        )
    })
}

proptest! {
    // The oracle has errors of its own, so CI asks it about the same scripts each time; more cases reach further ones.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(2_000),
        rng_seed: RngSeed::Fixed(19),
        ..ProptestConfig::default()
    })]

    /// D.19: a script that is understood shows every program and redirect that the oracle sees in it.
    #[test]
    fn d_19_generated_scripts_are_read_as_the_oracle_reads_them(script in script()) {
        let analysis = analyze(&script);
        // The grammar takes numbers in nested arithmetic for programs; that syntax has the lists above.
        if analysis.understood && !script.contains("((") {
            prop_assert_eq!(missed(&script, &analysis), Vec::<String>::new(), "{:?}", script);
        }
    }
}
