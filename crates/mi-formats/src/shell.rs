//! Takes the script out of the shell call an agent's harness wraps it in.

/// The script that `command` really runs: `/bin/bash -lc 'cargo test'` gives `cargo test`.
///
/// Only the outermost wrapper with exactly one quoted argument is removed; anything else is returned as it is.
pub fn unwrap_shell(command: &str) -> String {
    for shell in ["/bin/bash", "/usr/bin/bash", "bash", "/bin/sh", "sh", "/bin/zsh", "/usr/bin/zsh", "zsh"] {
        for flag in [" -lc ", " -c "] {
            let Some(rest) = command.strip_prefix(shell).and_then(|rest| rest.strip_prefix(flag)) else {
                continue;
            };
            if let Some(word) = unquote(rest.trim()) {
                return word;
            }
        }
    }
    command.to_owned()
}

/// The value of `text` if it is one shell word, with its quotes removed.
fn unquote(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inner => value.push(inner),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        '\n' => {}
                        escaped @ ('"' | '\\' | '$' | '`') => value.push(escaped),
                        other => value.extend(['\\', other]),
                    },
                    inner => value.push(inner),
                }
            },
            '\\' => value.push(chars.next()?),
            white if white.is_whitespace() => return None,
            plain => value.push(plain),
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The three ways codex writes its wrapper.
    #[test]
    fn codex_wrappers_are_removed() {
        assert_eq!(unwrap_shell("/bin/bash -lc 'sh hello.sh && ls'"), "sh hello.sh && ls");
        assert_eq!(unwrap_shell("/bin/bash -lc \"cat 'README.md'\""), "cat 'README.md'");
        assert_eq!(unwrap_shell("/bin/bash -lc ls"), "ls");
        assert_eq!(unwrap_shell(r#"/bin/bash -lc 'echo '"'"'a'"'"''"#), "echo 'a'");
    }

    /// A command with more words after the script is not a plain wrapper.
    #[test]
    fn other_commands_stay_as_they_are() {
        assert_eq!(unwrap_shell("bash -c 'echo $1' x y"), "bash -c 'echo $1' x y");
        assert_eq!(unwrap_shell("cargo test"), "cargo test");
        assert_eq!(unwrap_shell("bash -c 'unterminated"), "bash -c 'unterminated");
    }
}
