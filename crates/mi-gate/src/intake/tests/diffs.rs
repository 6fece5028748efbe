//! What a diff brings: its files and statements count as words do.

use super::*;

fn with_diff(diff: &str, text: &str) -> Intake {
    Scene { diff: Some(change_unit::count(diff, &|_| false).unwrap()), ..scene() }.say(text)
}

/// A file with one added line.
fn file(path: &str, line: &str) -> String {
    format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n")
}

/// What is staged is scored by what it touches, whatever the message says (D.6, D.14).
#[test]
fn d_06_a_diff_is_scored_by_what_it_touches() {
    for (path, line, score) in [
        ("auth/login.py", "x", 3),
        ("src/AuthToken.java", "x", 3),
        ("lib/password_reset.rb", "x", 3),
        ("db/migrations/1.sql", "ALTER TABLE a", 3),
        ("db/cleanup.sql", "DELETE FROM users;", 3),
        ("docs/authentication.md", "x", 0),
        ("AUTHORS", "x", 0),
        ("src/parser.rs", "x", 0),
    ] {
        let reading = with_diff(&file(path, line), "commit this");
        assert_eq!(reading.risk.score, Some(score), "{path}: {:?}", reading.risk);
    }
    let claims = Some(Task::parse("t", "description: x").unwrap());
    let diff = Some(change_unit::count(&file("auth/login.py", "x"), &|_| false).unwrap());
    let reading = Scene { task: claims, diff, ..scene() }.say("commit this");
    assert_eq!(reading.risk.score, Some(3), "a task's silence takes nothing from a diff");
}

/// A diff that changes a schema or who may enter triggers as its description would (D.3).
#[test]
fn d_03_a_diff_triggers_by_what_it_touches() {
    use Trigger::*;
    for (path, line, expected) in [
        ("a.sql", "ALTER TABLE users ADD COLUMN age int;", &[Architecture][..]),
        ("store.py", "db.execute('ALTER TABLE users ADD COLUMN age int')", &[Architecture]),
        ("db/migrations/0002_age.py", "x", &[Architecture]),
        ("auth/login.py", "x", &[MoneySecurityIrreversible]),
        ("guide.md", "ALTER TABLE users ADD COLUMN age int;", &[]),
        ("schema.json", "x", &[]),
        ("a.py", "x", &[]),
    ] {
        assert_eq!(with_diff(&file(path, line), "commit this").triggers, expected, "{path}");
    }
}

/// Where the message lists nothing, the first batch is made of the files of the diff, or of the names in a row (D.5).
#[test]
fn d_05_the_first_batch_is_named() {
    let diff: String = (0..6).map(|at| file(&format!("{at}.txt"), "x")).collect();
    assert_eq!(with_diff(&diff, "apply this").batch.first, ["0.txt", "1.txt", "2.txt", "3.txt", "4.txt"]);
    let named = say("fix 8 files: a.py b.py c.py d.py e.py f.py g.py h.py").batch;
    assert_eq!(
        (named.count, named.first),
        (8, ["a.py", "b.py", "c.py", "d.py", "e.py"].map(str::to_owned).into())
    );
}

/// A bare yes right after the proposal lifts the limit once; later it answers something else (D.5).
#[test]
fn d_05_a_bare_yes_answers_the_proposal() {
    let list: String = (1..=7).map(|number| format!("{number}. rename thing {number}\n")).collect();
    let after = |state: State, text: &str| Scene { state, ..scene() }.say(text);
    for text in ["同意", "yes", "go ahead", "ok do it", "Yes, go ahead!", "approved", "批准"] {
        let answered = after(say(&list).state, text);
        let lifted = after(answered.state, &list);
        assert!(!lifted.batch.split, "{text}");
        assert!(after(lifted.state, &list).batch.split, "{text}: once");
    }
    for text in ["yes, but first explain item 3", "ok", "no", "不同意"] {
        assert!(after(after(say(&list).state, text).state, &list).batch.split, "{text}");
    }
    let later = after(after(after(say(&list).state, "what is thing 3?").state, "yes").state, &list);
    assert!(later.batch.split);
}

/// A session that only asked has nothing to save; one that begins with closing words may have (D.12).
#[test]
fn d_12_discussion_alone_is_not_saved() {
    let after = |state: State, text: &str| Scene { state, ..scene() }.say(text);
    let asked = say("what is a monad?").state;
    assert!(!after(asked.clone(), "先这样").autosave.trigger);
    assert!(after(after(asked, "fix the parser").state, "先这样").autosave.trigger);
    assert!(after(say("fix the parser").state, "先这样").autosave.trigger);
    assert!(say("先这样").autosave.trigger);
}
