//! One name, checked (E28–E32): it comes out relative and in NFC, or with the reason against it. Never repaired.

use unicode_normalization::UnicodeNormalization;

use crate::outcome::Reason;

const COMPONENT_BYTES: usize = 255;
const PATH_BYTES: usize = 1024;

/// The path that a name stands for.
pub(crate) fn check(name: &str) -> Result<String, Reason> {
    refuse_absolute(name)?;
    let name = name.strip_prefix("./").unwrap_or(name);
    refuse_absolute(name)?;
    if name.split(['/', '\\']).any(|component| component == "..") {
        return Err(Reason::ClimbingPath);
    }
    if name.chars().any(is_control) {
        return Err(Reason::ControlChar);
    }
    // Before normalising, so that the work stays small.
    if name.len() > 4 * PATH_BYTES {
        return Err(Reason::BadPath);
    }
    let is_ascii = name.is_ascii();
    let path: String = if is_ascii { name.to_owned() } else { name.nfc().collect() };
    if path.split('/').any(is_reserved) {
        return Err(Reason::ReservedName);
    }
    let folds = !is_ascii && path.nfkc().ne(path.chars());
    if folds || path.len() > PATH_BYTES || path.split('/').any(is_bad) {
        return Err(Reason::BadPath);
    }
    Ok(path)
}

fn refuse_absolute(name: &str) -> Result<(), Reason> {
    let scheme = name.split_once(':').is_some_and(|(scheme, rest)| {
        let letters = scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        let drive = scheme.len() == 1;
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && letters
            && (drive || rest.starts_with('/'))
    });
    if name.starts_with(['/', '~', '\\']) || scheme { Err(Reason::AbsolutePath) } else { Ok(()) }
}

/// C0, DEL, C1, and what is invisible or changes the direction or the line (E30).
fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// `.git` in any case, and the devices of Windows with or without extension (E31).
fn is_reserved(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    component.eq_ignore_ascii_case(".git")
        || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || numbered.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

/// What some system would read differently (E32).
fn is_bad(component: &str) -> bool {
    component.is_empty()
        || component == "."
        || component.len() > COMPONENT_BYTES
        || component.ends_with(['.', ' '])
        || component.contains(['\\', ':', '*', '?', '"', '<', '>', '|'])
        || mixes_scripts(component)
}

/// Latin with Cyrillic or Greek letters: look-alikes.
fn mixes_scripts(component: &str) -> bool {
    let latin = component.chars().any(|letter| {
        letter.is_ascii_alphabetic()
            || matches!(letter, '\u{C0}'..='\u{24F}' | '\u{250}'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}' | '\u{2C60}'..='\u{2C7F}' | '\u{A722}'..='\u{A7FF}')
                && letter.is_alphabetic()
    });
    let other = |letter: char| {
        matches!(letter, '\u{370}'..='\u{3FF}' | '\u{400}'..='\u{52F}' | '\u{1C80}'..='\u{1C8F}' | '\u{1F00}'..='\u{1FFF}' | '\u{2DE0}'..='\u{2DFF}' | '\u{A640}'..='\u{A69F}')
            && letter.is_alphabetic()
    };
    latin && component.chars().any(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_28_good_names_pass() {
        for (name, expected) in [
            ("a.py", "a.py"),
            ("./src/a.py", "src/a.py"),
            ("cafe\u{301}.txt", "café.txt"),
            (".github/x.yml", ".github/x.yml"),
            (".gitignore", ".gitignore"),
            ("a b.txt", "a b.txt"),
            ("конфиг", "конфиг"),
            ("日本/語.md", "日本/語.md"),
            ("console", "console"),
            ("com10.txt", "com10.txt"),
            ("a..b", "a..b"),
            ("-rf", "-rf"),
        ] {
            assert_eq!(check(name).as_deref(), Ok(expected), "{name}");
        }
        let longest = format!("{}/{}", "a".repeat(255), "b".repeat(255));
        assert_eq!(check(&longest), Ok(longest));
    }

    #[test]
    fn e_29_to_e_32_bad_names_are_refused() {
        use Reason::{AbsolutePath, BadPath, ClimbingPath, ControlChar, ReservedName};
        let long_component = "a".repeat(256);
        let long_path = vec!["a".repeat(200); 6].join("/");
        for (name, reason) in [
            ("/etc/passwd", AbsolutePath),
            (".//etc/passwd", AbsolutePath),
            ("~/.ssh/x", AbsolutePath),
            ("~root/x", AbsolutePath),
            ("\\\\host\\share", AbsolutePath),
            ("C:\\x.txt", AbsolutePath),
            ("c:x.txt", AbsolutePath),
            ("./C:/x", AbsolutePath),
            ("file:///etc/x", AbsolutePath),
            ("https://x.example/a.py", AbsolutePath),
            ("../x", ClimbingPath),
            ("a/../b", ClimbingPath),
            ("a/b/..", ClimbingPath),
            ("..", ClimbingPath),
            ("..\\x", ClimbingPath),
            ("a\\..\\..\\x", ClimbingPath),
            ("./../x", ClimbingPath),
            ("a\0b", ControlChar),
            ("a\nb", ControlChar),
            ("a\u{7f}", ControlChar),
            ("a\u{85}b", ControlChar),
            ("a\u{202e}txt.py", ControlChar),
            ("a\u{200b}b.py", ControlChar),
            ("\u{feff}a.py", ControlChar),
            ("a\u{2066}b", ControlChar),
            ("a\u{2028}b", ControlChar),
            (".git/config", ReservedName),
            ("x/.GiT/hooks/y", ReservedName),
            (".git", ReservedName),
            ("con", ReservedName),
            ("a/NUL.txt", ReservedName),
            ("aux.tar.gz", ReservedName),
            ("Com1", ReservedName),
            ("lpt9.c", ReservedName),
            ("a\\b.py", BadPath),
            ("ab:c", BadPath),
            ("a.txt:stream", BadPath),
            ("a*", BadPath),
            ("a?", BadPath),
            ("a\"b", BadPath),
            ("a<b", BadPath),
            ("a>b", BadPath),
            ("a|b", BadPath),
            ("", BadPath),
            ("./", BadPath),
            (".", BadPath),
            ("././a", BadPath),
            ("a//b", BadPath),
            ("a/./b", BadPath),
            ("a/", BadPath),
            ("a.", BadPath),
            ("a /b", BadPath),
            ("a.txt ", BadPath),
            ("...", BadPath),
            (".git.", BadPath),
            (&long_component, BadPath),
            (&long_path, BadPath),
            ("ａ.py", BadPath),
            ("．．/x", BadPath),
            ("ﬁle.py", BadPath),
            ("a\u{a0}b", BadPath),
            ("pаypal.py", BadPath),
            ("αlpha", BadPath),
        ] {
            assert_eq!(check(name), Err(reason), "{name:?}");
        }
    }
}
