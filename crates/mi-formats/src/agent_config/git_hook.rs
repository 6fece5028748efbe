//! Git: a few marked lines at the top of the `pre-commit` script, above whatever the person runs there.

use mi_model::shell_word;

use super::{EditError, Program};

const BEGIN: &str =
    "# >>> mi gate >>> (`mi hooks install git` wrote this, `mi hooks uninstall git` removes it)";
const END: &str = "# <<< mi gate <<<";
const SHEBANG: &str = "#!/bin/sh\n";
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// Puts our lines in. A script that no shell reads is left alone.
pub fn add_git_hook(text: &str, program: &Program) -> Result<String, EditError> {
    let text = remove_git_hook(text)?;
    let text = if text.is_empty() { SHEBANG.to_owned() } else { text };
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    if !is_shell(first) {
        let wanted = "a shell script: call `mi hook pre-commit --harness git` from it yourself";
        return Err(EditError::Shape { path: "pre-commit".to_owned(), wanted });
    }
    // A program that is gone stops the commit too: `git commit --no-verify` is the person's way around.
    let words: String = program.1.iter().map(|word| format!(" {}", shell_word(word))).collect();
    let call = format!("{} hook pre-commit --harness git{words} || exit 1", shell_word(&program.0));
    Ok(format!("{first}\n{BEGIN}\n{call}\n{END}\n{rest}"))
}

/// Takes our lines out; a script that only held them becomes empty.
pub fn remove_git_hook(text: &str) -> Result<String, EditError> {
    let Some((before, after)) = text.split_once(BEGIN) else { return Ok(text.to_owned()) };
    let Some((_, after)) = after.split_once(END) else {
        let reason = format!("`{END}` is missing: take our lines out by hand");
        return Err(EditError::Syntax { line: before.matches('\n').count() + 1, column: 1, reason });
    };
    let left = format!("{before}{}", after.strip_prefix('\n').unwrap_or(after));
    Ok(if left == SHEBANG { String::new() } else { left })
}

fn is_shell(first: &str) -> bool {
    let Some(line) = first.strip_prefix("#!") else { return false };
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.next().filter(|name| *name != "env").or_else(|| words.next());
    program.is_some_and(|name| SHELLS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our lines come first, are put in once, and leave no trace; what is no shell script is refused.
    #[test]
    fn d_18_git_hook_is_put_in_and_taken_out() {
        let program = Program("/opt/my tools/mi".to_owned(), Vec::new());
        for text in ["", "#!/bin/sh\nnpm test\n", "#!/usr/bin/env bash\nset -e", "#!/bin/sh -e\n"] {
            let with = add_git_hook(text, &program).unwrap();
            assert!(with.contains("'/opt/my tools/mi' hook pre-commit --harness git || exit 1\n"), "{with}");
            assert_eq!(add_git_hook(&with, &program).unwrap(), with);
            assert_eq!(remove_git_hook(&with).unwrap(), text);
        }
        let fixed = Program("mi".to_owned(), vec!["--home".to_owned(), "/home/a b".to_owned()]);
        let with = add_git_hook("", &fixed).unwrap();
        assert!(with.contains("\nmi hook pre-commit --harness git --home '/home/a b' || exit 1\n"), "{with}");
        assert_eq!(remove_git_hook(&with).unwrap(), "");
        assert!(matches!(add_git_hook("#!/usr/bin/python3\n", &program), Err(EditError::Shape { .. })));
        assert!(matches!(add_git_hook("binary", &program), Err(EditError::Shape { .. })));
        assert!(matches!(remove_git_hook(BEGIN), Err(EditError::Syntax { .. })));
    }
}
