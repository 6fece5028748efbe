//! Paths and the patterns that rules name them with.
//!
//! Holds: a path is resolved lexically before it is compared; nothing outside of the project is ever matched.

/// A path below the project with `.`, `//` and `..` resolved; `None` when it is absolute or climbs out.
pub fn resolve(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `*` inside a segment, `**` across segments; everything else stands for itself. (To `globset`, `?`, `[` and `{` do not, and `a**b` stays in a segment.)
#[derive(Debug, Clone, PartialEq)]
pub struct Glob {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Char(char),
    /// Any characters but a slash.
    InSegment,
    /// Any characters.
    Across,
    /// Nothing, or whole segments with their slash.
    Segments,
}

impl Glob {
    pub fn new(pattern: &str) -> Self {
        let pattern = tidy(pattern);
        let chars: Vec<char> = pattern.chars().collect();
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            if chars[at] != '*' {
                tokens.push(Token::Char(chars[at]));
                at += 1;
                continue;
            }
            let stars = chars[at..].iter().take_while(|char| **char == '*').count();
            let starts_segment = at == 0 || chars[at - 1] == '/';
            at += stars;
            if stars == 1 {
                tokens.push(Token::InSegment);
            } else if starts_segment && chars.get(at) == Some(&'/') {
                tokens.push(Token::Segments);
                at += 1;
            } else {
                tokens.push(Token::Across);
            }
        }
        Self { tokens }
    }

    /// Whether the whole path fits. Takes time in proportion to pattern times path, whatever they are.
    pub fn matches(&self, path: &str) -> bool {
        let mut here = vec![false; self.tokens.len() + 1];
        let mut next = here.clone();
        here[0] = true;
        self.skip_stars(&mut here, true);
        for char in path.chars() {
            next.fill(false);
            for (at, token) in self.tokens.iter().enumerate().filter(|(at, _)| here[*at]) {
                match token {
                    Token::Char(wanted) => next[at + 1] |= *wanted == char,
                    Token::InSegment => next[at] |= char != '/',
                    Token::Across | Token::Segments => next[at] = true,
                }
            }
            self.skip_stars(&mut next, char == '/');
            std::mem::swap(&mut here, &mut next);
        }
        here[self.tokens.len()]
    }

    /// Stars may stand for nothing; `**/` only where a segment begins.
    fn skip_stars(&self, here: &mut [bool], segment_start: bool) {
        for (at, token) in self.tokens.iter().enumerate() {
            let skips = match token {
                Token::InSegment | Token::Across => true,
                Token::Segments => segment_start,
                Token::Char(_) => false,
            };
            if here[at] && skips {
                here[at + 1] = true;
            }
        }
    }
}

/// A pattern without `.` segments and doubled slashes, so that it meets resolved paths.
fn tidy(pattern: &str) -> String {
    let absolute = pattern.starts_with('/');
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pattern with paths that fit and paths that do not.
    #[test]
    fn patterns_fit_what_they_say() {
        let cases: [(&str, &[&str], &[&str]); 7] = [
            (
                "output/phase_*/agent_output.md",
                &["output/phase_6/agent_output.md", "output/phase_/agent_output.md"],
                &["output/phase_6/x/agent_output.md", "output/phase_6/agent_output.md.bak"],
            ),
            ("output/**", &["output/a", "output/a/b.c"], &["output", "outputs/a", "x/output/a"]),
            ("**/secret.txt", &["secret.txt", "a/secret.txt", "a/b/secret.txt"], &["a/notsecret.txt"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab"]),
            ("*", &["a", ".env"], &["a/b"]),
            ("**", &["a", "a/b"], &[]),
            ("./docs//*.md", &["docs/a.md"], &["docs/a/b.md", "docs/amd"]),
        ];
        for (pattern, fits, others) in cases {
            let glob = Glob::new(pattern);
            fits.iter().for_each(|path| assert!(glob.matches(path), "{pattern} {path}"));
            others.iter().for_each(|path| assert!(!glob.matches(path), "{pattern} {path}"));
        }
    }

    /// Detours lead where they lead; absolute paths and those that climb out lead nowhere.
    #[test]
    fn paths_are_resolved_before_they_are_compared() {
        let cases = [
            ("a/./b//c", Some("a/b/c")),
            ("a/x/../b", Some("a/b")),
            ("output/../secrets/key", Some("secrets/key")),
            ("a/", Some("a")),
            ("..", None),
            ("a/../../b", None),
            ("/etc/passwd", None),
        ];
        for (path, expected) in cases {
            assert_eq!(resolve(path).as_deref(), expected, "{path}");
        }
    }
}
