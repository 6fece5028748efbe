//! Which blocks count, what is in them, and where they stand (E4–E10).

use super::*;

#[test]
fn e_04_e_05_e_07_a_named_block_becomes_a_file() {
    assert_eq!(
        play("Hi.\n\nCreate file `src/main.rs`:\n```rust\nfn main() {}  \n```\n"),
        ["src/main.rs|rust|4|fn main() {}  \\n"]
    );
    assert_eq!(play("```rust:a.rs\n```\n"), ["a.rs|rust|1|"]);
    assert_eq!(play("\u{feff}```rust:a.rs\r\nx\r\n\r\ny\r\n```\r\n"), ["a.rs|rust|1|x\\n\\ny\\n"]);
}

/// Nothing found is no error; it is a reply to think about.
#[test]
fn e_03_nothing_found_is_task_analysis() {
    for reply in ["", "Just talk.\n", "`a.py`\n\n    indented\n", "\u{feff}"] {
        let result = extract(reply.as_bytes(), &Limits::default(), &NoFolder);
        assert_eq!((result.action().as_str(), result.may_write()), ("task_analysis", true), "{reply}");
        assert_eq!(shown(&result), Vec::<String>::new());
    }
}

#[test]
fn e_06_other_encodings_give_one_refusal() {
    let wide: Vec<u8> = "```a.py\nx\n```\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(shown(&extract(&wide, &Limits::default(), &NoFolder)), ["!encoding|1|-"]);
    assert_eq!(shown(&extract(b"```a.py\nx\n```\n\xff", &Limits::default(), &NoFolder)), ["!encoding|4|-"]);
    assert_eq!(play("```text:a.txt\nx\0y\n```\n"), ["!control_char|1|a.txt"]);
}

#[test]
fn e_09_only_fenced_blocks_count() {
    for (reply, expected) in [
        ("~~~py:a.py\n```\nx\n```\n~~~\n", vec!["a.py|py|1|```\\nx\\n```\\n"]),
        ("````md:a.md\n```py:b.py\nx\n```\n````\n", vec!["a.md|md|1|```py:b.py\\nx\\n```\\n"]),
        ("- item\n\n  ```py:a.py\n  x\n    y\n  ```\n", vec!["a.py|py|3|x\\n  y\\n"]),
        ("> ```py:a.py\n> x\n> ```\n", vec!["a.py|py|1|x\\n"]),
        ("1. > - ```py:a.py\n   >   x\n   >   ```\n", vec!["a.py|py|1|x\\n"]),
        ("  ```py:a.py\n    x\n  y\n z\n  ```\n", vec!["a.py|py|1|  x\\ny\\nz\\n"]),
        ("    ```py:a.py\n    x\n    ```\n", vec![]),
        ("<!--\n```py:a.py\nx\n```\n-->\n", vec![]),
        ("<pre>\n```py:a.py\nx\n```\n</pre>\n", vec![]),
        ("text ```py:a.py``` text\n", vec![]),
        ("```a`b.py\nx\n", vec![]),
        ("<details>\n\n```py:a.py\nx\n```\n\n</details>\n", vec!["a.py|py|3|x\\n"]),
        ("```\nx\n```\n", vec!["!no_name|1|-"]),
    ] {
        assert_eq!(play(reply), expected, "{reply}");
    }
}

#[test]
fn e_10_open_fences_are_unterminated() {
    for (reply, expected) in [
        ("```py:a.py\nx\n", "!unterminated|1|a.py"),
        ("```py:a.py", "!unterminated|1|a.py"),
        ("x\n\n```\nx\n", "!unterminated|3|-"),
        ("````py:a.py\nx\n```\n", "!unterminated|1|a.py"),
        ("```py:a.py\nx\n~~~\n", "!unterminated|1|a.py"),
        ("> ```py:a.py\n> x\n\ntext\n", "!unterminated|1|a.py"),
        ("- ```py:a.py\n  x\n\ntext\n", "!unterminated|1|a.py"),
        ("```py:a.py\nx\n``` no\n", "!unterminated|1|a.py"),
    ] {
        assert_eq!(play(reply), [expected], "{reply}");
    }
}

#[test]
fn e_08_limits_hold() {
    let limits = Limits { file_bytes: 4, files: 2 };
    let block = |name: &str, content: &str| format!("```t:{name}\n{content}\n```\n");
    let reply = format!("{}{}", block("a", "abc"), block("b", "abcd"));
    let result = extract(reply.as_bytes(), &limits, &NoFolder);
    assert_eq!(shown(&result), ["a|t|1|abc\\n", "!too_large|4|b"]);
    assert!(!result.may_write());
    let reply: String = ["a", "b", "c", "d"].iter().map(|name| block(name, "x")).collect();
    assert_eq!(
        shown(&extract(reply.as_bytes(), &limits, &NoFolder)),
        ["a|t|1|x\\n", "b|t|4|x\\n", "!too_many|7|-"]
    );
}

/// Secrets in a content are the output gate's business.
#[test]
fn e_08_secrets_do_not_refuse() {
    let token = format!("ghp_{}", "a".repeat(36));
    assert_eq!(play(&format!("```t:.env\nT={token}\n```\n")).len(), 1);
    assert!(play(&format!("```t:.env\nT={token}\n```\n"))[0].starts_with(".env|"));
}
