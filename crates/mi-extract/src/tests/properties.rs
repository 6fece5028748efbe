//! What holds for every reply.

use std::{ops::ControlFlow, path::Component, path::Path};

use proptest::prelude::*;

use super::*;
use crate::blocks::{Block, each_block, parse_all};

/// Bits that replies are made of, dangerous ones more often than not.
fn reply() -> impl Strategy<Value = String> {
    let bit = prop::sample::select(vec![
        "```",
        "````",
        "~~~",
        "\n",
        "\n",
        "\n```\n",
        "\n```py\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "    ",
        "\t",
        "> ",
        "- ",
        "1. ",
        "py",
        ":a.py",
        "`a/b.py`",
        "Create ",
        "x",
        "--- filename: c.txt ---",
        "cat > f <<EOF",
        "EOF",
        "$(",
        ")",
        "'",
        "\"",
        "\\",
        "{",
        "diff --git a/x b/x",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "+y",
        "-x",
        "<!--",
        "-->",
        "<div>",
        "../",
        "/",
        "\0",
        "é",
        "\u{202e}",
        "# ",
        "===",
        "---",
        "[a]: /b",
        "*",
        "_",
        "&amp;",
        "|",
        ";",
        "((",
        "if ",
        "fi",
    ]);
    prop::collection::vec(bit, 0..60).prop_map(|bits| bits.concat())
}

fn blocks_in(reply: &str, window: usize) -> Vec<String> {
    let mut found = Vec::new();
    each_block(reply, window, &mut |block| {
        found.push(shown_block(&block));
        ControlFlow::Continue(())
    });
    found
}

fn shown_block(block: &Block<'_>) -> String {
    let before = block.before.as_deref().map(|before| (before.header(), before.naming()));
    format!("{} {:?} {:?} {} {before:?}", block.line, block.info, block.content, block.closed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// No reply panics; the same reply gives the same answer; no path leaves the folder.
    #[test]
    fn any_reply_is_read_and_stays_inside(reply in reply()) {
        let result = extract(reply.as_bytes(), &Limits::default(), &NoFolder);
        prop_assert_eq!(&result, &extract(reply.as_bytes(), &Limits::default(), &NoFolder));
        for file in &result.files {
            let normal = Path::new(&file.path).components().all(|part| matches!(part, Component::Normal(_)));
            prop_assert!(normal && !file.path.is_empty(), "{}", file.path);
            prop_assert!(file.line >= 1 && file.line <= reply.split(['\n', '\r']).count());
        }
    }

    /// Bytes of any kind do not panic.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(extract(&bytes, &Limits::default(), &NoFolder));
    }

    /// Reading in windows, without prose and contents, gives what one parse of everything gives.
    #[test]
    fn windows_change_nothing(reply in reply(), window in 1usize..80) {
        let mut parsed = Vec::new();
        parse_all(&reply, &mut |block| {
            parsed.push(shown_block(&block));
            ControlFlow::Continue(())
        });
        prop_assert_eq!(blocks_in(&reply, window), parsed.clone());
        prop_assert_eq!(blocks_in(&reply, usize::MAX), parsed);
    }

    /// A checked path checks again to itself.
    #[test]
    fn checked_paths_are_stable(name in "[a-zé./\\\\ ~:\u{301}\u{200b}]{0,12}") {
        if let Ok(path) = crate::path::check(&name) {
            prop_assert_eq!(crate::path::check(&path), Ok(path));
        }
    }
}

/// Ten thousand blocks, one huge block, and deep nesting are read in reasonable time.
#[test]
fn large_replies_are_read() {
    let many: String =
        (0..10_000).map(|index| format!("Create `f{index}.txt`:\n```\n{index}\n```\n\n")).collect();
    assert_eq!(extract(many.as_bytes(), &Limits::default(), &NoFolder).files.len(), 10_000);
    let huge = format!("```t:a\n{}\n```\n", "x\n".repeat(9 << 20));
    assert_eq!(shown(&extract(huge.as_bytes(), &Limits::default(), &NoFolder)), ["!too_large|1|a"]);
    for deep in
        [">".repeat(20_000), "- ".repeat(5_000), "[".repeat(20_000), "`".repeat(20_000), "*a ".repeat(20_000)]
    {
        drop(extract(format!("{deep}\n```\nx\n```\n").as_bytes(), &Limits::default(), &NoFolder));
    }
    let script = format!("```sh\n{}\n```\n", "$(".repeat(100_000));
    assert_eq!(play(&script), ["!no_name|1|-"]);
    let heres: String = (0..10_000).map(|index| format!("cat > f{index} <<E\nx\nE\n")).collect();
    assert_eq!(
        extract(format!("```sh\n{heres}```\n").as_bytes(), &Limits::default(), &NoFolder).files.len(),
        10_000
    );
}
