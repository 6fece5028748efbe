//! Passwords as people write them: of several words in quotes, or right after the word `password` in a sentence.
//!
//! Texts of a user interface stand in the same places (`"password": "Enter your password"`), and so do names with a number
//! (`password sha256`). What tells them apart is small on purpose and was tried on the sources and locale files of
//! a whole machine.

use crate::{
    class::{self, ALNUM, DIGIT, ENDS_VALUE, Kinds, LETTER},
    value::Form,
};

/// Whether a quoted value of several words is a password: a word has digits inside it, or all are small and none is one of
/// those that sentences and labels are made of.
pub(crate) fn is_passphrase(value: &str) -> bool {
    const LONGEST: usize = 80;
    if value.len() > LONGEST || !value.is_ascii() {
        return false;
    }
    let words = || value.split(' ');
    let is_word = |word: &str| !word.is_empty() && !word.bytes().any(|byte| byte.is_ascii_control());
    if !words().all(is_word) || words().any(is_of_sentences) {
        return false;
    }
    let is_small = |word: &str| class::are_all(word.as_bytes(), class::LOWER | DIGIT | class::DASH);
    let is_odd =
        |word: &str| turns(word.as_bytes()) >= 2 || (word.len() >= 4 && has_rare_mark(word.as_bytes()));
    words().any(is_odd) || (words().count() >= 3 && words().all(is_small))
}

/// Whether a word belongs to a sentence or a label, or ends as one does.
fn is_of_sentences(word: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "cannot", "enter", "for", "from", "has", "if", "in", "into", "invalid", "is", "it", "must",
        "new", "no", "not", "of", "old", "on", "only", "or", "passcode", "passphrase", "password", "passwords", "passwd", "required", "that", "the", "this",
        "to", "type", "use", "used", "user", "was", "when", "will", "with", "without", "you", "your",
    ];
    let is_end = word.ends_with(['.', ',', ':', ';', '?', ')']);
    is_end || WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// `use password Tr0ub4dor&3`, `passwd hunter2`: whether no word and no name looks like what stands here.
pub(crate) fn is_made(bytes: &[u8], form: Form) -> bool {
    const LONGEST: usize = 64;
    let window = &bytes[..bytes.len().min(LONGEST)];
    let word = &window[..class::until(window, ENDS_VALUE)];
    let word = &word[..word.iter().rposition(|byte| class::is(*byte, ALNUM)).map_or(0, |last| last + 1)];
    let kinds = class::all_kinds(word);
    let is_mixed = has(kinds, DIGIT) && has(kinds, LETTER) && word.len() >= 6 && class::is(word[0], ALNUM);
    let is_odd = || turns(word) >= 3 || word.contains(&b'&') || has_rare_mark(word) || ends_in_number(word);
    is_mixed && (form == Form::Quoted || (is_odd() && !is_address(word)))
}

/// Paths, images, pairs, calls and e-mail addresses: `passwd me@example.org`, `-e PASSWORD image@sha256:…`.
fn is_address(word: &[u8]) -> bool {
    word.iter().any(|byte| matches!(byte, b'/' | b':' | b'=' | b'('))
        || (word.contains(&b'@') && word.contains(&b'.'))
}

fn has(kinds: Kinds, wanted: Kinds) -> bool {
    kinds & wanted != 0
}

/// Marks that stand in passwords and hardly in names and sentences.
pub(crate) fn has_rare_mark(word: &[u8]) -> bool {
    word.iter().any(|byte| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'*' | b'@' | b'^' | b'~'))
}

/// `hunter2`: a long small word and a digit or two.
fn ends_in_number(word: &[u8]) -> bool {
    let letters = class::run(word, class::LOWER);
    letters >= 6 && class::are_all(&word[letters..], DIGIT)
}

/// How often digits and letters take turns, marks left out.
fn turns(word: &[u8]) -> usize {
    let mut kinds = word.iter().filter(|byte| class::is(**byte, ALNUM)).map(u8::is_ascii_digit);
    let Some(mut last) = kinds.next() else { return 0 };
    kinds.filter(|kind| std::mem::replace(&mut last, *kind) != *kind).count()
}

#[cfg(test)]
mod tests {
    use crate::{examples::assemble, redact};

    /// D.10: what people write as they speak is taken out whole, with the marks and blanks in it.
    #[test]
    fn d_10_no_part_of_a_spoken_password_is_left() {
        for (text, clean) in [
            ("{\"password\": \"my secret pa·ss 1\"}", "{\"password\": \"*\"}"),
            ("password: \"Tr0·ub 4dor 99\"", "password: \"*\""),
            ("password = 'correct horse·battery staple'", "password = '*'"),
            ("DB_PASSWORD=\"correct horse·battery staple\"", "DB_PASSWORD=\"*\""),
            ("password: 'P@ss·word 9x'", "password: '*'"),
            ("{\"password\": \"Tr0ub·4dor(3)x9\"}", "{\"password\": \"*\"}"),
            ("password is Tr0ub·4dor(3)x9", "password is *"),
            ("the root password is Tr0ub·4dor&3", "the root password is *"),
            ("(the password is Tr0ub·4dor&3).", "(the password is *)."),
            ("密码是 Tr0ub·4dor&3xyz", "密码是 *"),
            ("密码:aB·3$kk,99x", "密码:*"),
            ("密码:aB·3$kk,账号:me", "密码:*,账号:me"),
            ("password: Tr0ub·4dor&3", "password: *"),
            ("use password Tr0ub·4dor&3 for the db", "use password * for the db"),
            ("passwd hun·ter2", "passwd *"),
            ("pwd hun·ter2-x9, please", "pwd *, please"),
            ("CREATE USER me WITH PASSWORD 'hun·ter2x';", "CREATE USER me WITH PASSWORD '*';"),
        ] {
            assert_eq!(redact(&assemble(text)), clean.replace('*', "[REDACTED:password]"), "{text}");
        }
    }

    /// D.10: labels, sentences, placeholders, and names that have a number stay.
    #[test]
    fn d_10_what_is_said_about_passwords_stays() {
        for text in [
            "{\"password\": \"Enter your password\", \"passphrase\": \"choose a strong passphrase\"}",
            "{\"password\": \"Password must be at least 8 characters\"}",
            "{\"password\": \"must have 8 to 64 characters\", \"passwd\": \"minimum 8 characters.\"}",
            "{\"password\": \"Forgot password?\", \"new_password\": \"Nova senha\"}",
            "{\"password\": \"Mot de passe\", \"passcode\": \"Kata sandi baru\"}",
            "set PASSWORD=<your password> in .env",
            "password=<your password here>",
            "the password is case-sensitive, the password is stored(hashed)",
            "the password is salted&hashed; password is &quot;secret&quot;",
            "passwd user1, password sha256, password CVE-2024-1234, pwd /srv/app2, passwd me1@example.org",
            "\"password\": \"getPassword1()\"",
            "GET /?password=${PASSWORD}&user=me1",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
