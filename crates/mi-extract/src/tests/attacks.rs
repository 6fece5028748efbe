//! Replies that mean harm or are easily misread: bad names through every way of naming, fences, here-documents, diffs.

use super::*;

/// What a reply gives, without lines: `+path=content` per file, `reason path` per refusal.
fn brief(reply: &str) -> Vec<String> {
    brief_of(&extract(reply.as_bytes(), &Limits::default(), &NoFolder))
}

fn brief_of(result: &Extraction<'_>) -> Vec<String> {
    let files = result.files.iter().map(|file| format!("+{}={}", file.path, file.content.escape_debug()));
    let refused = result.refused.iter().map(|refusal| {
        format!("{} {}", refusal.reason.as_str(), refusal.path.as_deref().unwrap_or("-").escape_debug())
    });
    files.chain(refused).collect()
}

#[track_caller]
fn all(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(reply, expected)| brief(reply) != *expected)
        .map(|(reply, expected)| format!("{reply:?}\n  wanted {expected:?}\n  found  {:?}", brief(reply)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Names that must never be written, each with its reason; none of them has a space, quote or bracket.
const NAMES: [(&str, &str); 44] = [
    ("../x.py", "climbing_path"),
    ("../../etc/x.py", "climbing_path"),
    ("a/../b.py", "climbing_path"),
    ("a/b/../../../c.py", "climbing_path"),
    ("./../x.py", "climbing_path"),
    ("..\\x.py", "climbing_path"),
    ("a\\..\\b.py", "climbing_path"),
    ("a/..", "climbing_path"),
    ("/etc/x.py", "absolute_path"),
    ("//host/x.py", "absolute_path"),
    ("~/x.py", "absolute_path"),
    ("~root/x.py", "absolute_path"),
    ("\\\\host\\x.py", "absolute_path"),
    ("C:\\x.py", "absolute_path"),
    ("C:/x.py", "absolute_path"),
    ("c:x.py", "absolute_path"),
    ("file:///etc/x.py", "absolute_path"),
    ("https://h/x.py", "absolute_path"),
    ("/proc/self/root/x.py", "absolute_path"),
    ("a\u{202E}yp.x/b.py", "control_char"),
    ("a\u{2066}b.py", "control_char"),
    ("a\u{200B}b.py", "control_char"),
    ("a\u{200D}b.py", "control_char"),
    ("a\u{FEFF}b.py", "control_char"),
    ("a\u{61C}b.py", "control_char"),
    ("a\u{7F}b.py", "control_char"),
    ("a\u{1}b.py", "control_char"),
    ("a\u{9D}b.py", "control_char"),
    (".git/config", "reserved_name"),
    (".GIT/hooks/x.sh", "reserved_name"),
    ("a/.Git/x.py", "reserved_name"),
    ("con.py", "reserved_name"),
    ("a/NUL.txt", "reserved_name"),
    ("Aux/x.py", "reserved_name"),
    ("lpt9.tar.py", "reserved_name"),
    ("a//b.py", "bad_path"),
    ("a/./b.py", "bad_path"),
    ("a./b.py", "bad_path"),
    ("a\\b.py", "bad_path"),
    ("a:b/x.py", "absolute_path"),
    ("ａ.py", "bad_path"),
    ("ﬁle.py", "bad_path"),
    ("p\u{430}ypal.py", "bad_path"),
    ("αbc/b\u{3B1}.py", "bad_path"),
];

/// Through whatever way a name comes, it is refused for the same reason (E28–E32).
#[test]
fn e_29_to_e_32_bad_names_are_refused_in_every_pattern() {
    for (name, reason) in NAMES {
        let ways = [
            format!("```py:{name}\nx\n```\n"),
            format!("```py title=\"{name}\"\nx\n```\n"),
            format!("```py {{file={name}}}\nx\n```\n"),
            format!("--- filename: {name} ---\n```py\nx\n```\n"),
            format!("```py\n--- filename: {name} ---\nx\n```\n"),
            format!("```py\n# file: {name}\nx\n```\n"),
            format!("```js\n// FILENAME: {name}\nx\n```\n"),
            format!("```css\n/* path: {name} */\nx\n```\n"),
            format!("```html\n<!-- file: {name} -->\nx\n```\n"),
            format!("```sh\ncat > '{name}' <<'EOF'\nx\nEOF\n```\n"),
            format!("```sh\ntee '{name}' <<'EOF' >/dev/null\nx\nEOF\n```\n"),
            format!("```diff\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n```\n"),
            format!("> - 1. ```py:{name}\n>      x\n>      ```\n"),
        ];
        for reply in ways {
            let found = brief(&reply);
            assert_eq!(found.len(), 1, "{reply}\n{found:?}");
            assert!(found[0].starts_with(&format!("{reason} ")), "{reply}\n{found:?}");
        }
        // A name in backticks with a slash or a known ending, in a sentence of its own.
        let sentence = brief(&format!("Create file `{name}`:\n```py\nx\n```\n"));
        assert_eq!(sentence.len(), 1, "{name} {sentence:?}");
        assert!(sentence[0].starts_with(&format!("{reason} ")), "{name} {sentence:?}");
    }
}

/// Names that need quotes: only where something quotes them.
#[test]
fn e_32_names_with_spaces_and_patterns() {
    all(&[
        ("```py title=\"a .py\"\nx\n```\n", &["no_name -"]),
        ("```py file=\"a /b.py\"\nx\n```\n", &["bad_path a /b.py"]),
        ("```py file=\"b.py \"\nx\n```\n", &["bad_path b.py "]),
        ("```py file=\"a?.py\"\nx\n```\n", &["bad_path a?.py"]),
        ("```py file='a|b.py'\nx\n```\n", &["bad_path a|b.py"]),
        ("```py file='a<b.py'\nx\n```\n", &["bad_path a<b.py"]),
        ("```py file=\"a b.py\"\nx\n```\n", &["+a b.py=x\\n"]),
        ("--- filename: a b.py ---\n```py\nx\n```\n", &["+a b.py=x\\n"]),
        ("```py:dir/\nx\n```\n", &["bad_path dir/"]),
        ("```py:x.py.\nx\n```\n", &["bad_path x.py."]),
        ("```py:.\nx\n```\n", &["bad_path ."]),
        ("```py:..\nx\n```\n", &["climbing_path .."]),
        ("```py:./a.py\nx\n```\n", &["+a.py=x\\n"]),
        ("```py:a\u{0}b.py\nx\n```\n", &["control_char a\\0b.py"]),
        ("Create `a\u{0}b.py`:\n```py\nx\n```\n", &["control_char a\\0b.py"]),
        ("--- filename: a\u{0}.py ---\n```py\nx\n```\n", &["control_char a\\0.py"]),
    ]);
    let long = "a".repeat(256);
    assert_eq!(brief(&format!("```t:{long}\nx\n```\n")), [format!("bad_path {long}")]);
    let deep = vec!["ab"; 400].join("/");
    assert_eq!(brief(&format!("```t:{deep}\nx\n```\n")), [format!("bad_path {deep}")]);
}

/// Names that are the same file on some system (E27, E33).
#[test]
fn e_27_e_33_names_that_meet_somewhere() {
    all(&[
        ("```t:a.py\n1\n```\n```t:A.PY\n1\n```\n", &["case_clash a.py", "case_clash A.PY"]),
        ("```t:é.py\n1\n```\n```t:e\u{301}.py\n1\n```\n", &["+é.py=1\\n"]),
        ("```t:é.py\n1\n```\n```t:e\u{301}.py\n2\n```\n", &["conflict é.py", "conflict é.py"]),
        ("```t:É.py\n1\n```\n```t:e\u{301}.py\n1\n```\n", &["case_clash É.py", "case_clash é.py"]),
        ("```t:ß.py\n1\n```\n```t:SS.py\n1\n```\n", &["case_clash ß.py", "case_clash SS.py"]),
        ("```t:ẞ.py\n1\n```\n```t:ß.py\n1\n```\n", &["case_clash ẞ.py", "case_clash ß.py"]),
        ("```t:σ\n1\n```\n```t:ς\n1\n```\n", &["case_clash σ", "case_clash ς"]),
        ("```t:d/a\n1\n```\n```t:D/b\n1\n```\n", &["case_clash d/a", "case_clash D/b"]),
        ("```t:a\n1\n```\n```t:A/b\n1\n```\n", &["case_clash a", "case_clash A/b"]),
        ("```t:a\n1\n```\n```t:a/b\n1\n```\n", &["conflict a", "conflict a/b"]),
        ("```t:a\n1\n```\n```t:./a\n2\n```\n", &["conflict a", "conflict a"]),
        ("```t:a\n1\n```\n```sh\ncat > a <<'E'\n1\nE\n```\n", &["+a=1\\n"]),
        (
            "```t:a\n1\n```\n```diff\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+2\n```\n",
            &["conflict a", "conflict a"],
        ),
        ("```t:a\n1\n```\n```t:a\n1\n```\n```t:b\n2\n```\n", &["+a=1\\n", "+b=2\\n"]),
    ]);
}

/// What is a fence and what only looks like one (E7, E9, E10).
#[test]
fn e_09_e_10_fences_of_all_kinds() {
    all(&[
        ("````md:a.md\n```py:b.py\nx\n```\n````\n", &["+a.md=```py:b.py\\nx\\n```\\n"]),
        ("~~~md:a.md\n```py:b.py\nx\n```\n~~~\n", &["+a.md=```py:b.py\\nx\\n```\\n"]),
        ("```md:a.md\n~~~py:b.py\nx\n~~~\n```\n", &["+a.md=~~~py:b.py\\nx\\n~~~\\n"]),
        ("``````t:a\nx\n`````\n``````\n", &["+a=x\\n`````\\n"]),
        ("```t:a\nx\n``````\n", &["+a=x\\n"]),
        ("```t:a\nx\n  ```\n", &["+a=x\\n"]),
        ("```t:a\nx\n    ```\n```\n", &["+a=x\\n    ```\\n"]),
        ("   ```t:a\n   x\n     y\n   ```\n", &["+a=x\\n  y\\n"]),
        ("    ```t:a\n    x\n    ```\n", &[]),
        ("\t```t:a\n\tx\n\t```\n", &[]),
        ("`` ```t:a `` x\n", &[]),
        ("```t:a\nx\n```x\n```\n", &["+a=x\\n```x\\n"]),
        ("```t:a`b\nx\n", &[]),
        ("~~~t:a`b\nx\n~~~\n", &["+a`b=x\\n"]),
        ("```t:a\nx", &["unterminated a"]),
        ("```t:a\nx\n~~~\n", &["unterminated a"]),
        ("> ```t:a\n> x\ny\n", &["unterminated a"]),
        ("- ```t:a\n  x\n  ```\n", &["+a=x\\n"]),
        ("1. > ```t:a\n   > x\n   > ```\n", &["+a=x\\n"]),
        ("<!--\n```t:a\nx\n```\n-->\n", &[]),
        ("<pre>\n```t:a\nx\n```\n</pre>\n", &[]),
        ("<script>\n```t:a\nx\n```\n</script>\n", &[]),
        ("{\"reply\": \"```t:a\\nx\\n```\"}\n", &[]),
        ("```json\n{\"file\": \"```t:a\\nx```\"}\n```\n", &["no_name -"]),
        ("\u{FEFF}```t:a\nx\n```\n", &["+a=x\\n"]),
        ("```t:a\r\nx\r\n y \r\n```\r\n", &["+a=x\\n y \\n"]),
        ("```t:a\rx\r```\r", &["+a=x\\n"]),
        ("```t:a\nx\ry\n```\n", &["+a=x\\ny\\n"]),
        ("> ```t:a\r> x\r> ```\r", &["+a=x\\n"]),
        ("```t:a\nx\n```\t\n", &["+a=x\\n"]),
        ("- ~~~t:a\n  x\n  ~~~ \t \n", &["+a=x\\n"]),
        ("````t:a\nx\n```\t\n````\n", &["+a=x\\n```\\t\\n"]),
        ("> ````t:a\n> x\n> ```\t\n> ````\t", &["+a=x\\n```\\t\\n"]),
        ("```t:a\nx\n```\ty\n```\n", &["+a=x\\n```\\ty\\n"]),
        ("```t:a\n```\n", &["+a="]),
        ("```t:a\n\n```\n", &["+a=\\n"]),
        ("```t:a\nx\u{0}y\n```\n", &["control_char a"]),
        ("[x]: ```t:a\n", &[]),
    ]);
}

/// Logs, examples and commands that speak of files (E12, E15, E18).
#[test]
fn e_15_e_18_what_only_speaks_of_a_file() {
    all(&[
        ("The log says `file: /etc/passwd`:\n```\nfile: /etc/passwd\n```\n", &["no_name -"]),
        ("Run this to create `a.py`:\n```sh\ntouch a.py\n```\n", &["no_name -"]),
        ("For example, create `a.py`:\n```py\nx\n```\n", &["no_name -"]),
        ("Create `a.py` by running the following command:\n```sh\nx\n```\n", &["no_name -"]),
        ("Create `a.py` and `b.py`:\n```py\nx\n```\n", &["ambiguous_name -"]),
        ("Create `a.py`. Then look at `b.py`:\n```py\nx\n```\n", &["no_name -"]),
        ("See `b.py`. Create `a.py`:\n```py\nx\n```\n", &["+a.py=x\\n"]),
        ("Create `a.py`:\n\nSome words.\n\n```py\nx\n```\n", &["no_name -"]),
        ("Create `a.py`:\n\n\n\n```py\nx\n```\n", &["+a.py=x\\n"]),
        ("Call `self.items` and save `v1.2.3`:\n```py\nx\n```\n", &["no_name -"]),
        ("```py\n# a.py and more\nx\n```\n", &["no_name -"]),
        ("```py\nx = 1  # a.py\n```\n", &["no_name -"]),
        ("```sql\n-- db/a.sql\nx\n```\n", &["+db/a.sql=-- db/a.sql\\nx\\n"]),
        ("```asm\n; a.asm\nx\n```\n", &["+a.asm=; a.asm\\nx\\n"]),
        ("```tex\n% a.tex\nx\n```\n", &["+a.tex=% a.tex\\nx\\n"]),
        ("```json\n// a.json\n{}\n```\n", &["+a.json={}\\n"]),
        ("```sh\n#!/bin/sh\n# run.sh\nx\n```\n", &["+run.sh=#!/bin/sh\\n# run.sh\\nx\\n"]),
        ("```md\n# notes.md\nx\n```\n", &["no_name -"]),
        ("```html\n<!-- index.html -->\n```\n", &["+index.html=<!-- index.html -->\\n"]),
        ("Create `a.py`:\n```py\ndef f():\n    # ... rest of the code unchanged\n```\n", &["partial a.py"]),
        ("Create `a.py`:\n```py\nx = [...]\nf(*rest)\n...\n```\n", &["+a.py=x = [...]\\nf(*rest)\\n...\\n"]),
        (
            "Create `a.py` (part 1 of 2):\n```py\nx\n```\nCreate `a.py`:\n```py\nx\n```\n",
            &["split a.py", "split a.py"],
        ),
        ("Add this to `a.py`:\n```py\nx\n```\n", &["split a.py"]),
        ("创建 `a.py`。\n```py\nx\n```\n", &["+a.py=x\\n"]),
        ("`a.py` 파일을 만들어 주세요:\n```py\nx\n```\n", &["+a.py=x\\n"]),
        ("**File:** `a.py`\n```py\nx\n```\n", &["+a.py=x\\n"]),
        ("### 2. `src/a.py`:\n```py\nx\n```\n", &["+src/a.py=x\\n"]),
    ]);
}

/// What a shell would do with a here-document decides (E20–E23).
#[test]
fn e_21_e_22_here_documents_that_deceive() {
    let script = |body: &str| brief(&format!("```bash\n{body}\n```\n"));
    for (body, expected) in [
        ("cat > a <<'E'\n$(rm -rf ~)\nE", vec!["+a=$(rm -rf ~)\\n"]),
        ("cat > a <<\"E\"\n$x\nE", vec!["+a=$x\\n"]),
        ("cat > a <<E\\OF\n$x\nEOF", vec!["+a=$x\\n"]),
        ("cat > a <<E\n$(rm -rf ~)\nE", vec!["expansion a"]),
        ("cat > a <<E\n\\$(x)\nE", vec!["+a=$(x)\\n"]),
        ("cat > a <<-E\n\t\tx\n\t y\n\tE", vec!["+a=x\\n y\\n"]),
        ("cat > a <<-E\n    x\n    E\nE", vec!["+a=    x\\n    E\\n"]),
        ("cat > a <<E\nx\nE \nE", vec!["+a=x\\nE \\n"]),
        ("cat > a <<E\nx", vec!["unterminated a"]),
        ("cat > a <<E; cat > b <<F\n1\nE\n2\nF", vec!["+a=1\\n", "+b=2\\n"]),
        ("cat > a <<E && cat > b <<'E'\n1\nE\n$2\nE", vec!["+a=1\\n", "+b=$2\\n"]),
        ("cat >> a <<E\nx\nE", vec!["split a"]),
        ("tee -a a <<E\nx\nE", vec!["split a"]),
        ("cat > $HOME/a <<'E'\nx\nE", vec!["expansion $HOME/a"]),
        ("cat > ~/a <<'E'\nx\nE", vec!["absolute_path ~/a"]),
        ("cat > ../a <<'E'\nx\nE", vec!["climbing_path ../a"]),
        ("cat > \"a b\" <<'E'\nx\nE", vec!["+a b=x\\n"]),
        ("cat > a\\ b <<'E'\nx\nE", vec!["+a b=x\\n"]),
        ("cd /tmp && cat > a <<'E'\nx\nE", vec!["context a"]),
        ("if x; then\ncat > a <<'E'\nx\nE\nfi", vec!["context a"]),
        ("(cat > a <<'E'\nx\nE\n)", vec!["context a"]),
        ("command cd /tmp\ncat > a <<'E'\nx\nE", vec!["context a"]),
        ("builtin pushd x\ncat > a <<'E'\nx\nE", vec!["context a"]),
        ("command -p -- cd x && cat > a <<'E'\nx\nE", vec!["context a"]),
        ("for f in a; do cat > $f <<'E'\nx\nE\ndone", vec!["context $f"]),
        ("sudo tee /etc/x <<'E'\nx\nE", vec!["no_name -"]),
        ("python3 - <<'E'\nopen('a','w')\nE", vec!["no_name -"]),
        ("cat <<'E'\nx\nE", vec!["no_name -"]),
        ("cat <<'E' | tee a\nx\nE", vec!["no_name -"]),
        ("cat > a <<'E'\ncat > b <<'F'\nx\nF\nE", vec!["+a=cat > b <<\\'F\\'\\nx\\nF\\n"]),
        ("cat > a << 'MY END'\nx\nMY END", vec!["+a=x\\n"]),
        ("cat > a <<''\nx\n\n", vec!["+a=x\\n"]),
        ("# cat > a <<E\necho", vec!["no_name -"]),
        ("cat > /dev/null <<E\nx\nE", vec!["no_name -"]),
    ] {
        assert_eq!(script(body), expected, "{body}");
    }
    all(&[
        ("```py\ncat > a <<'E'\nx\nE\n```\n", &["no_name -"]),
        ("```sh:run.sh\ncat > a <<'E'\nx\nE\n```\n", &["+run.sh=cat > a <<\\'E\\'\\nx\\nE\\n"]),
        ("```\n$ cat > a <<'E'\nx\nE\n```\n", &["+a=x\\n"]),
    ]);
}

/// Diffs change what stands there exactly, or not at all (E24).
#[test]
fn e_24_diffs_that_deceive() {
    let stands = Stands(&[("a.txt", "1\n2\n3\n"), ("b.txt", "x"), ("l@", ""), ("c.txt", "r\r\n")]);
    let diff = |text: &str| {
        let reply = format!("```diff\n{text}\n```\n");
        brief_of(&extract(reply.as_bytes(), &Limits::default(), &stands))
    };
    for (text, expected) in [
        ("--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-2\n+two", vec!["+a.txt=1\\ntwo\\n3\\n"]),
        ("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-2\n+two", vec!["diff_conflict a.txt"]),
        ("--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-2 \n+two", vec!["diff_conflict a.txt"]),
        ("--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y", vec!["diff_conflict b.txt"]),
        ("--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y", vec!["+b.txt=y\\n"]),
        ("--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-x\n+y", vec!["diff_base n.txt"]),
        ("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x", vec!["diff_conflict a.txt"]),
        ("--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-1\n-2\n-3", vec!["diff_unsupported a.txt"]),
        ("--- a/a.txt\n+++ b/z.txt\n@@ -2 +2 @@\n-2\n+two", vec!["diff_unsupported z.txt"]),
        ("diff --git a/a.txt b/z.txt\nrename from a.txt\nrename to z.txt", vec!["diff_unsupported z.txt"]),
        ("diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755", vec!["+a.txt=1\\n2\\n3\\n"]),
        ("diff --git a/n.txt b/n.txt\nold mode 100644\nnew mode 100755", vec!["diff_base n.txt"]),
        ("diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 120000", vec!["diff_unsupported a.txt"]),
        ("diff --git a/a.txt b/a.txt\nindex 1..2 100755", vec!["diff_unsupported a.txt"]),
        (
            "diff --git a/b.txt b/b.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-2\n+two",
            vec!["diff_conflict a.txt"],
        ),
        ("--- a/b.txt\n+++ b/b.txt\n@@ -1,0 +2 @@\n+y", vec!["diff_conflict b.txt"]),
        (
            "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n\\ No newline at end of file\n+y",
            vec!["diff_conflict n"],
        ),
        (
            "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+one\n\\ No newline at end of file",
            vec!["diff_conflict a.txt"],
        ),
        (
            "diff --git a/s b/s\nnew file mode 120000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file",
            vec!["diff_unsupported s"],
        ),
        (
            "diff --git a/s b/s\nnew file mode 104755\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x",
            vec!["diff_unsupported s"],
        ),
        (
            "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x",
            vec!["diff_unsupported s"],
        ),
        (
            "diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ",
            vec!["diff_unsupported p.png"],
        ),
        ("diff --git a/p b/p\nGIT binary patch\nliteral 0\nHc$@<O00001", vec!["diff_unsupported p"]),
        ("--- a/l\n+++ b/l\n@@ -0,0 +1 @@\n+x", vec!["symlink_parent l"]),
        ("--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+x", vec!["symlink_parent l/x"]),
        ("--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x", vec!["symlink_parent l"]),
        (
            "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x",
            vec!["reserved_name .git/hooks/pre-commit"],
        ),
        ("--- /dev/null\t1970\n+++ b/n.txt\t2026-01-01 00:00\n@@ -0,0 +1 @@\n+x", vec!["+n.txt=x\\n"]),
        ("--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x", vec!["diff_conflict n"]),
        ("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n+4", vec!["diff_conflict a.txt"]),
        ("--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-2\n+b\n@@ -1 +1 @@\n-1\n+a", vec!["diff_conflict a.txt"]),
        ("+x\n-y", vec!["no_name -"]),
    ] {
        assert_eq!(diff(text), expected, "{text}");
    }
    let made = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n";
    let shown = |language: &str, before: &str| brief(&format!("```{language}\n{before}{made}```\n"));
    assert_eq!(shown("", "commit 1234\nAuthor: a\n\n    Words\n\n"), ["+n=x\\n"]);
    assert_eq!(shown("text", "Index: n\n=====\n"), ["+n=x\\n"]);
    assert_eq!(shown("", "git apply <<'E'\n"), ["no_name -"]);
    assert_eq!(shown("python", "patch = (\n"), ["no_name -"]);
    all(&[("Update `a.txt`:\n```diff\n-2\n+two\n```\n", &["partial a.txt"])]);
}

/// Ten thousand blocks, one huge line, a deep quote: an answer in short time, and the limits' reasons.
#[test]
fn e_08_sizes_that_hurt() {
    let many: String = (0..10_000).map(|number| format!("```t:f{number}\nx\n```\n")).collect();
    assert_eq!(extract(many.as_bytes(), &Limits::default(), &NoFolder).files.len(), 10_000);
    let over: String = (0..20_001).map(|number| format!("```t:f{number}\nx\n```\n")).collect();
    let result = extract(over.as_bytes(), &Limits::default(), &NoFolder);
    assert_eq!((result.files.len(), result.may_write()), (20_000, false));
    assert_eq!(result.refused[0].reason.as_str(), "too_many");
    let huge = format!("```t:a\n{}\n```\n", "x".repeat(16 << 20));
    assert_eq!(brief(&huge), ["too_large a"]);
    let just = format!("```t:a\n{}\n```\n", "x".repeat((16 << 20) - 1));
    assert_eq!(extract(just.as_bytes(), &Limits::default(), &NoFolder).files.len(), 1);
    for hurt in [
        "> ".repeat(50_000),
        "- ".repeat(20_000),
        "`".repeat(200_000),
        "[".repeat(100_000),
        "*a ".repeat(50_000),
    ] {
        let reply = format!("{hurt}\n\n```t:a\nx\n```\n");
        assert!(extract(reply.as_bytes(), &Limits::default(), &NoFolder).files.len() <= 1);
    }
}
