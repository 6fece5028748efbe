//! Names against each other and against what stands in the folder (E27, E33, E34).

use super::*;

fn blocks(files: &[(&str, &str)]) -> String {
    files.iter().map(|(name, content)| format!("```t:{name}\n{content}\n```\n")).collect()
}

#[test]
fn e_27_same_path_twice() {
    assert_eq!(play(&blocks(&[("a", "x"), ("./a", "x")])), ["a|t|1|x\\n"]);
    assert_eq!(
        play(&blocks(&[("a", "x"), ("a", "y"), ("b", "z")])),
        ["b|t|7|z\\n", "!conflict|1|a", "!conflict|4|a"]
    );
    assert_eq!(play(&blocks(&[("caf\u{e9}", "x"), ("cafe\u{301}", "x")])), ["café|t|1|x\\n"]);
    assert_eq!(play(&blocks(&[("a", "x"), ("a/b", "x")])), ["!conflict|1|a", "!conflict|4|a/b"]);
    assert_eq!(
        play(&blocks(&[("a/b/c", "x"), ("a/d", "x"), ("a", "x")])),
        ["!conflict|1|a/b/c", "!conflict|4|a/d", "!conflict|7|a"]
    );
}

#[test]
fn e_33_names_that_differ_in_case() {
    assert_eq!(
        play(&blocks(&[("a.py", "x"), ("A.py", "x"), ("b", "x")])),
        ["b|t|7|x\\n", "!case_clash|1|a.py", "!case_clash|4|A.py"]
    );
    assert_eq!(
        play(&blocks(&[("src/a", "x"), ("Src/b", "x")])),
        ["!case_clash|1|src/a", "!case_clash|4|Src/b"]
    );
    assert_eq!(play(&blocks(&[("straße", "x"), ("STRASSE", "x")])).len(), 2);
    assert!(play(&blocks(&[("straße", "x"), ("STRASSE", "x")]))[0].starts_with("!case_clash"));
    let stands = Stands(&[("README.md", ""), ("Src/x", "")]);
    assert_eq!(play_in(&blocks(&[("readme.md", "x")]), &stands), ["!case_clash|1|readme.md"]);
    assert_eq!(play_in(&blocks(&[("src/y", "x")]), &stands), ["!case_clash|1|src/y"]);
    assert_eq!(play_in(&blocks(&[("Src/y", "x"), ("README.md", "x")]), &stands).len(), 2);
    assert!(play_in(&blocks(&[("Src/y", "x")]), &stands)[0].starts_with("Src/y|"));
}

#[test]
fn e_34_links_are_not_followed() {
    let stands = Stands(&[("l@", ""), ("d/l@", ""), ("d/f", "")]);
    for name in ["l", "l/x", "d/l", "d/l/x/y"] {
        assert_eq!(play_in(&blocks(&[(name, "x")]), &stands), [format!("!symlink_parent|1|{name}")]);
    }
    for name in ["l", "d/l", "d/l/x"] {
        let diff = format!("```diff\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n```\n");
        assert_eq!(play_in(&diff, &stands), [format!("!symlink_parent|2|{name}")]);
    }
    assert_eq!(play_in(&blocks(&[("d/f", "x")]), &stands), ["d/f|t|1|x\\n"]);
    assert_eq!(play_in(&blocks(&[("d/f/x", "x")]), &stands), ["!conflict|1|d/f/x"]);
    assert_eq!(play_in(&blocks(&[("d", "x")]), &stands), ["!conflict|1|d"]);
}
