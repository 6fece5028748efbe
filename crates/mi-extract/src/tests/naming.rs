//! What names a block, and what says that it is no whole file (E11–E26).

use super::*;

fn block_after(text: &str) -> Vec<String> {
    play(&format!("{text}\n```py\nx\n```\n"))
}

#[test]
fn e_11_the_first_kind_of_name_wins() {
    assert_eq!(play("Create `b.py`:\n```py:a.py\n# c.py\n```\n"), ["a.py|py|2|# c.py\\n"]);
    assert_eq!(play("Create `b.py`:\n--- filename: h.py ---\n```py\n# c.py\n```\n"), ["h.py|py|3|# c.py\\n"]);
    assert_eq!(play("Create `b.py`:\n```py\n# c.py\n```\n"), ["b.py|py|2|# c.py\\n"]);
    assert_eq!(play("Look:\n```py\n# c.py\n```\n"), ["c.py|py|2|# c.py\\n"]);
}

/// Rule O's own sentences, and others like them.
#[test]
fn rule_o_sentences_with_intent_name_files() {
    for text in [
        "Create file `a.py`:",
        "The file `a.py` should have the following content:",
        "File named `a.py` with this code:",
        "Update file `a.py`:",
        "I fixed it. Then, save this as `a.py`.",
        "See `other`. Now rewrite `a.py`:",
        "Add `a.py`",
        "Write version 1.2 to `a.py`:\n",
        "Create `a.py`, yes `a.py`:",
        "创建 `a.py`：",
        "`a.py` 내용 수정",
        "`a.py` 파일을 만듭니다:",
        "`a.py` content:",
        "> Create `a.py`:\n",
        "- Create `a.py`:\n",
        "1. Create **`a.py`**:",
        "## Create `a.py`",
        "Create\n`a.py`:",
    ] {
        let found = block_after(text);
        assert!(found.len() == 1 && found[0].starts_with("a.py|py|"), "{text}: {found:?}");
    }
}

#[test]
fn e_14_e_15_other_texts_name_nothing() {
    for text in [
        "The function in `a.py` looks like this:",
        "For example, create `a.py`:",
        "You could create it, e.g. `a.py`:",
        "Create it by running `a.py`:",
        "Update it, then run the following: `a.py`",
        "Create `a.py`:\n\nAnother paragraph.\n",
        "Create `a.py`:\n\n---\n",
        "Create `self.items`:",
        "Create a.py:",
        "Create `a.py`. Check `b.py`:",
        "The `update.py` says:",
        "The address of `a.py`:",
    ] {
        let found = block_after(text);
        assert!(found.len() == 1 && found[0].starts_with("!no_name|"), "{text}: {found:?}");
    }
}

#[test]
fn e_16_two_names_are_ambiguous() {
    assert_eq!(block_after("Create `a.py` and `b.py`:"), ["!ambiguous_name|2|-"]);
    assert_eq!(block_after("See `b.py`. Create `a.py`:"), ["a.py|py|2|x\\n"]);
}

#[test]
fn e_17_a_line_that_is_a_name_names() {
    for text in [
        "### src/__init__.py",
        "**`src/__init__.py`**\n",
        "File: `src/__init__.py`:",
        "src/__init__.py\n---",
        "1. src/__init__.py",
    ] {
        let found = block_after(text);
        assert!(found.len() == 1 && found[0].starts_with("src/__init__.py|"), "{text}: {found:?}");
    }
}

#[test]
fn e_18_comments_name_and_stay_except_in_json() {
    assert_eq!(play("```py\n# a.py\nx\n```\n"), ["a.py|py|1|# a.py\\nx\\n"]);
    assert_eq!(play("```json\n// a.json\n{}\n```\n"), ["a.json|json|1|{}\\n"]);
    assert_eq!(play("```json\n#!x\n// a.json\n{}\n```\n"), ["a.json|json|1|#!x\\n{}\\n"]);
    assert_eq!(play("```sh\n#!/bin/sh\n# run.sh\n```\n"), ["run.sh|sh|1|#!/bin/sh\\n# run.sh\\n"]);
    assert_eq!(play("```md\n# docs/a.md\n```\n"), ["!no_name|1|-"]);
}

#[test]
fn e_19_headers_name_and_cut() {
    assert_eq!(play("--- filename: a.py ---\n\n```py\nx\n```\n"), ["a.py|py|3|x\\n"]);
    assert_eq!(
        play("> --- filename: src/__init__.py ---\n> ```py\n> x\n> ```\n"),
        ["src/__init__.py|py|2|x\\n"]
    );
    assert_eq!(
        play("```\n--- filename: a ---\nx\n--- filename: b ---\ny\n```\n"),
        ["a|-|1|x\\n", "b|-|1|y\\n"]
    );
    assert_eq!(play("--- filename: a.py ---\ntext\n\n```py\nx\n```\n"), ["!no_name|4|-"]);
    assert_eq!(play("```\nx\n--- filename: b ---\ny\n```\n"), ["!no_name|1|-"]);
    assert_eq!(play("--- filename: ../a.py ---\n```py\nx\n```\n"), ["!climbing_path|2|../a.py"]);
}

#[test]
fn e_20_to_e_23_here_documents_of_unnamed_shell_blocks() {
    assert_eq!(play("Run:\n```bash\nmkdir a\ncat > a/b <<'E'\n$x\nE\n```\n"), ["a/b|-|4|$x\\n"]);
    assert_eq!(play("```\ncat > ../b <<E\nE\n```\n"), ["!climbing_path|2|../b"]);
    assert_eq!(play("```bash:s.sh\ncat > b <<E\nE\n```\n"), ["s.sh|bash|1|cat > b <<E\\nE\\n"]);
    assert_eq!(play("```python\ncat > b <<E\nE\n```\n"), ["!no_name|1|-"]);
    assert_eq!(play("```sh\nls\n```\n"), ["!no_name|1|-"]);
    assert_eq!(play("```sh\ncat >> b <<E\nx\nE\n```\n"), ["!split|2|b"]);
}

#[test]
fn e_24_diffs_name_themselves() {
    let diff = "Create `z.py`:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n";
    assert_eq!(play(diff), ["!diff_base|3|x"]);
    assert_eq!(play_in(diff, &Stands(&[("x", "a\n")])), ["x|-|3|b\\n"]);
    assert_eq!(play_in(diff, &Stands(&[("x", "c\n")])), ["!diff_conflict|3|x"]);
    assert_eq!(play("```diff\n-a\n+b\n```\n"), ["!no_name|1|-"]);
    assert_eq!(play("Update `a.py`:\n```diff\n-a\n+b\n```\n"), ["!partial|2|a.py"]);
    assert_eq!(play("```diff\n--- filename: a.py ---\n-a\n+b\n```\n"), ["!partial|1|a.py"]);
}

#[test]
fn e_25_parts_refuse_every_block_of_the_path() {
    let reply = "Create `a.py` (part 1):\n```py\nx\n```\nCreate `a.py`:\n```py\ny\n```\nCreate `b.py`:\n```py\nz\n```\n";
    assert_eq!(play(reply), ["b.py|py|10|z\\n", "!split|2|a.py", "!split|6|a.py"]);
    assert_eq!(play("```py\n# a.py (part 2)\n```\n"), ["!split|1|a.py"]);
    assert_eq!(block_after("Add this to `a.py`:"), ["!split|2|a.py"]);
    assert_eq!(block_after("### a.py (continued)"), ["!split|2|a.py"]);
    for text in [
        "Append this to `a.py`:",
        "Continuation of `a.py`:",
        "Next, `a.py` (continued):",
        "### Part 2: `a.py`",
        "Here is part 2 of `a.py`:",
    ] {
        assert_eq!(block_after(text), ["!split|2|a.py"], "{text}");
    }
    for text in [
        "`f` in `a.py` appends to the list:",
        "In `a.py` 3/3 tests pass:",
        "As said in part 1, `a.py` prints:",
        "继续运行 `a.py`：",
        "For example append to `a.py`:",
        "Append `b.py` to `a.py`:",
    ] {
        assert_eq!(block_after(text), ["!no_name|2|-"], "{text}");
    }
}

/// The note of a part stands behind the name in other carriers too; it is no part of the name.
#[test]
fn e_25_parts_are_heard_in_headers_and_info_strings() {
    assert_eq!(block_after("--- filename: a.py (part 1/2) ---"), ["!split|2|a.py"]);
    assert_eq!(
        play("```\n--- filename: a (part 1) ---\nx\n--- filename: b c ---\ny\n```\n"),
        ["b c|-|1|y\\n", "!split|1|a"]
    );
    assert_eq!(play("```py:a.py (part 2)\nx\n```\n"), ["!split|1|a.py"]);
    assert_eq!(play("```py file=\"a.py (continued)\"\nx\n```\n"), ["!split|1|a.py"]);
    assert_eq!(play("```py:a.py linenos\nx\n```\n"), ["a.py|py|1|x\\n"]);
}

#[test]
fn e_21_e_25_what_is_added_to_is_split_everywhere() {
    let script = "```sh\ncat > a <<E\nx\nE\ncat >> ./a <<E\ny\nE\n```\n```t:b\nz\n```\n";
    assert_eq!(play(script), ["b|t|9|z\\n", "!split|2|a", "!split|5|a"]);
    assert_eq!(play("```sh\ntee -a ../a <<E\nx\nE\n```\n"), ["!split|2|../a"]);
}

#[test]
fn e_10_e_19_an_open_fence_has_the_name_of_its_header() {
    assert_eq!(play("```\n--- filename: a ---\nx\n"), ["!unterminated|1|a"]);
    assert_eq!(play("```\n--- filename: a ---\nx\n--- filename: b ---\ny\n"), ["!unterminated|1|-"]);
    // A diff names itself, whatever stands around it (E24).
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(play(&format!("Create `z.py`:\n```diff\n{diff}")), ["!unterminated|2|x"]);
    assert_eq!(
        play(&format!("Create `z.py`:\n```diff\n{diff}{}", diff.replace("/x", "/y"))),
        ["!unterminated|2|-"]
    );
}

/// E28: a refusal tells the path as a file would have it; what is no path is told as it was written.
#[test]
fn e_28_refusals_tell_the_path() {
    for (reply, expected) in [
        ("```py:./a.py\nx\n# ... rest unchanged\n```\n", "!partial|1|a.py"),
        ("```py:./a.py\nx\n", "!unterminated|1|a.py"),
        ("```sh\ncd b; cat > ./a <<E\nx\nE\n```\n", "!context|2|a"),
        ("```sh\ncat > ./a <<E\n$x\nE\n```\n", "!expansion|2|a"),
        ("```py:./../a.py\nx\n```\n", "!climbing_path|1|./../a.py"),
    ] {
        assert_eq!(play(reply), [expected], "{reply}");
    }
}

#[test]
fn e_26_partial_contents_are_refused_where_they_are_named() {
    assert_eq!(play("```py:a.py\nx\n# ... rest of the code\n```\n"), ["!partial|1|a.py"]);
    assert_eq!(play("```py\nx\n# ... rest of the code\n```\n"), ["!no_name|1|-"]);
    assert_eq!(play("```js:a.js\nf(...rest)\n...\n```\n").len(), 1);
    assert!(play("```js:a.js\nf(...rest)\n...\n```\n")[0].starts_with("a.js|"));
}

/// Hostile names reach the check from every carrier.
#[test]
fn names_are_checked_wherever_they_come_from() {
    for (name, reason) in [
        ("../../etc/x.py", "climbing_path"),
        ("/etc/x.py", "absolute_path"),
        (".git/x.py", "reserved_name"),
        ("a\u{202e}.py", "control_char"),
        ("a\0.py", "control_char"),
        ("aux.py", "reserved_name"),
        ("ａ/b.py", "bad_path"),
    ] {
        let shown = format!("!{reason}|{}|{name}", 1);
        for reply in [
            format!("```py:{name}\nx\n```\n"),
            format!("```py file=\"{name}\"\nx\n```\n"),
            format!("```py\n# {name}\nx\n```\n"),
            format!("```py\n--- filename: {name} ---\nx\n```\n"),
        ] {
            assert_eq!(play(&reply), [shown.as_str()], "{reply:?}");
        }
        let shown = format!("!{reason}|2|{name}");
        for text in [format!("Create `{name}`:"), format!("### {name}"), format!("--- filename: {name} ---")]
        {
            assert_eq!(block_after(&text), [shown.as_str()], "{text:?}");
        }
        let shell = play(&format!("```sh\ncat > '{name}' <<E\nE\n```\n"));
        assert_eq!(shell, [shown.as_str()]);
    }
}
