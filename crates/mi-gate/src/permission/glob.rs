//! Path patterns: `*` and `?` inside a name, `**` over folders, `[…]` classes, `{a,b}` for one or the other.
//!
//! Not `globset`: it cannot say whether something below a folder could match ([`Glob::may_lie_below`]), refuses an unclosed `[` that is a
//! letter to a shell, and compares letters instead of names that some file systems take for the same ([`fold`]).
//!
//! Holds: matching takes at most pattern × path steps. [`Glob::may_lie_below`] errs towards yes.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A pattern relative to the project, or absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    text: String,
    parts: Vec<String>,
}

impl Glob {
    /// Every text is a pattern. A leading `./` and doubled slashes are dropped.
    pub fn new(text: &str) -> Self {
        let parts = text.split('/').filter(|part| !matches!(*part, "" | ".")).map(fold).collect();
        Self { text: text.to_owned(), parts }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// It begins at the root of the file system.
    pub fn is_absolute(&self) -> bool {
        self.text.starts_with('/')
    }

    /// Whether `path` (plain names joined by `/`) matches, or lies below something that matches.
    pub fn matches(&self, path: &str) -> bool {
        let names = names(path);
        (1..=names.len()).any(|end| parts_match(&self.parts, &names[..end]))
    }

    /// Whether something below the folder `path` could match.
    pub fn may_lie_below(&self, path: &str) -> bool {
        let names = names(path);
        self.matches(path) || prefix_may_match(&self.parts, &names)
    }
}

/// The most patterns that braces may stand for.
pub(super) const MOST: usize = 256;

/// The patterns that one with braces stands for, none for too many. Braces without a comma, or that are not closed, are letters.
pub(super) fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (mut open, mut whole) = (vec![pattern.to_owned()], Vec::new());
    while let Some(pattern) = open.pop() {
        match first_braces(&pattern) {
            Some((start, end, choices)) => {
                let with = |choice: &&str| format!("{}{choice}{}", &pattern[..start], &pattern[end..]);
                open.extend(choices.iter().map(with));
            }
            None => whole.push(pattern),
        }
        if open.len() + whole.len() > MOST {
            return None;
        }
    }
    whole.sort_unstable();
    whole.dedup();
    Some(whole)
}

/// Where the first innermost braces with a comma stand, and what is in them.
fn first_braces(pattern: &str) -> Option<(usize, usize, Vec<&str>)> {
    let mut start = None;
    for (at, char) in pattern.char_indices() {
        match (char, start) {
            ('{', _) => start = Some(at),
            ('}', Some(from)) if pattern[from..at].contains(',') => {
                return Some((from, at + 1, pattern[from + 1..at].split(',').collect()));
            }
            ('}', _) => start = None,
            _ => {}
        }
    }
    None
}

/// The pattern with `..` taken as the folder above, from `root` unless it is absolute.
pub(super) fn without_climbing(pattern: &str, root: &str) -> String {
    if !pattern.split('/').any(|part| part == "..") {
        return pattern.to_owned();
    }
    let whole = if pattern.starts_with('/') { pattern.to_owned() } else { format!("{root}/{pattern}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Case, accents and compatible forms of letters are ignored: some file systems take such names for the same.
pub(super) fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let seen = name.nfkd().filter(|char| !is_invisible(*char) && !is_combining_mark(*char));
    // First in capitals: `ſ` is a small `S` and has no other small form.
    seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

fn names(path: &str) -> Vec<String> {
    path.split('/').filter(|name| !matches!(*name, "" | ".")).map(fold).collect()
}

fn parts_match(parts: &[String], names: &[String]) -> bool {
    // reachable[i]: the parts seen so far can end before name i.
    let mut reachable = vec![false; names.len() + 1];
    reachable[0] = true;
    for part in parts {
        let mut next = vec![false; names.len() + 1];
        if part == "**" {
            let mut open = false;
            for at in 0..=names.len() {
                open |= reachable[at];
                next[at] = open;
            }
        } else {
            for at in 0..names.len() {
                next[at + 1] = reachable[at] && name_matches(part, &names[at]);
            }
        }
        reachable = next;
    }
    reachable[names.len()]
}

/// Some beginning of the pattern reaches `names` whole, with more to come.
fn prefix_may_match(parts: &[String], names: &[String]) -> bool {
    (0..parts.len()).any(|end| parts_match(&parts[..end], names))
}

/// Whether a name fits a pattern of the shell, in which `*` stands for no name that begins with a dot.
pub(super) fn name_matches_pattern(pattern: &str, name: &str) -> bool {
    (pattern.starts_with('.') || !name.starts_with('.')) && name_matches(&fold(pattern), &fold(name))
}

fn name_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < name.len() {
        match one(&pattern, at, name[here]) {
            Some(width) => (at, here) = (at + width, here + 1),
            None if pattern.get(at) == Some(&'*') => {
                star = Some((at, here));
                at += 1;
            }
            None => match star {
                Some((place, from)) => {
                    star = Some((place, from + 1));
                    (at, here) = (place + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

/// How many characters of the pattern match one letter.
fn one(pattern: &[char], at: usize, letter: char) -> Option<usize> {
    match pattern.get(at)? {
        '*' => None,
        '?' => Some(1),
        '[' => class(&pattern[at..], letter),
        plain => (*plain == letter).then_some(1),
    }
}

/// `[a-z]`, `[!a]`; a bracket that is never closed stands for itself.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let Some(end) = pattern.iter().skip(2).position(|char| *char == ']').map(|at| at + 2) else {
        return (letter == '[').then_some(1);
    };
    let (negated, set) = match pattern[1] {
        '!' | '^' => (true, &pattern[2..end]),
        _ => (false, &pattern[1..end]),
    };
    let inside = set.contains(&letter)
        || set.windows(3).any(|range| range[1] == '-' && (range[0]..=range[2]).contains(&letter));
    (inside != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patterns match whole names, folders and what lies in them.
    #[test]
    fn patterns_match_what_they_say() {
        let cases = [
            ("M", "M", true),
            ("M", "m", true),
            ("M", "M/x", true),
            ("M", "a/M", false),
            ("**/M", "a/b/M", true),
            ("**/M", "M", true),
            ("output/**/agent_output.md", "output/agent_output.md", true),
            ("output/**/agent_output.md", "output/a/b/agent_output.md", true),
            ("output/**/agent_output.md", "output/a/other.md", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**", "src/a/b.rs", true),
            ("[a-c]?", "bx", true),
            ("[!a-c]?", "bx", false),
            ("[", "[", true),
            ("M", "Ｍ", true),
            ("M", "M\u{200b}", true),
            ("S", "\u{17f}", true),
            ("K", "\u{212a}", true),
            ("caf\u{e9}", "cafe\u{301}", true),
            ("caf\u{e9}", "CAFE\u{301}", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(Glob::new(pattern).matches(path), expected, "{pattern} on {path}");
        }
    }

    /// Braces stand for each of their words, also inside each other; what the shell leaves alone stays as it is.
    #[test]
    fn d_19_braces_are_alternatives() {
        let cases: [(&str, &[&str]); 6] = [
            ("{a,b}/x", &["a/x", "b/x"]),
            ("x.{rs,to{ml,}}", &["x.rs", "x.to", "x.toml"]),
            ("{a}", &["{a}"]),
            ("{{name}}", &["{{name}}"]),
            ("{a,b", &["{a,b"]),
            ("a", &["a"]),
        ];
        for (pattern, expected) in cases {
            assert_eq!(alternatives(pattern).unwrap(), expected, "{pattern}");
        }
        assert_eq!(alternatives(&"{a,b}".repeat(20)), None);
        assert_eq!(without_climbing("../x/*", "/home/p"), "/home/x/*");
        assert_eq!(without_climbing("a/../b", "/p"), "/p/b");
    }

    /// A folder that could hold a match says so.
    #[test]
    fn folders_that_may_hold_a_match_are_known() {
        let cases = [
            ("output/**/x.md", "", true),
            ("output/**/x.md", "output", true),
            ("output/**/x.md", "output/a", true),
            ("output/**/x.md", "src", false),
            ("M", "", true),
            ("M", "src", false),
            ("**/M", "src", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(Glob::new(pattern).may_lie_below(path), expected, "{pattern} below {path}");
        }
    }
}
