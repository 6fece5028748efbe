//! What is read fast is compared with what is read simply: patterns for the forms, one place after the other for the
//! literals, nothing remembered from one place to the next.

use std::{ops::Range, sync::LazyLock};

use proptest::prelude::*;
use regex::Regex;

use crate::{
    Finding,
    assign::{Names, WORDS},
    class::Run,
    memory::Memory,
    reading::{Readings, is_random},
    scan::Text,
    shapes::SHAPES,
    tokens::TOKENS,
};

/// The forms of [`SHAPES`], in the same order, as patterns; the first group is the secret.
#[rustfmt::skip]
const PATTERNS: [&str; 26] = [
    r"^hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{16,})",
    r"^discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{16,})",
    r"^(eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}))",
    r"^(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})",
    r"^[a-z]?[a-z]?([0-9]{8,10}:AA[A-Za-z0-9_-]{32,33})",
    r"^(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,88}={0,2})",
    r"^sig=([A-Za-z0-9%+/_-]{32,}={0,2})",
    r"^([A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})",
    r"^([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})",
    r#"^://[^ \t\r\n:/@"'`<>\\]*:([^ \t\r\n/"'`<>\\]+)@[A-Za-z0-9\[]"#,
    r"^[A-Za-z]+ +([A-Za-z0-9._~+/=-]{16,})",
    r"^[A-Za-z]+ +([A-Za-z0-9+/]{6,}={0,2})",
    r#"^[A-Za-z]+"?: ?"?([^\r\n"']{8,})"#,
    r#"^[A-Za-z]+ [^\r\n|;&]*?(?:-u|--user)[ =]?["']?[^ \t\r\n:"'/]+:([^ \t\r\n"']{3,})"#,
    r#"^[A-Za-z]+ +-p *["']?([^ \t\r\n"']{3,})"#,
    r#"^[A-Za-z]+ (?:[^\r\n|;&]*? )?-p([^ \t\r\n"'|;=-][^ \t\r\n"'|;]{2,})"#,
    r"^[A-Za-z]+ +[^ \t\r\n]+[ \t\r\n]+password +([^ \t\r\n]{3,})",
    r"^(?:手机|电话|联系方式|[A-Za-z]+)[^0-9+\r\n]{0,16}((?:\+?86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4})(?:[^0-9]|$)",
    r"^(?:/webhook/send\?key=|/bot/v2/hook/|IncomingWebhook/)([A-Za-z0-9/_-]{32,128})",
    r#"^(?:auth\\?":|_auth=) *\\?"?([A-Za-z0-9+/]{8,}={0,2})"#,
    r#"^(?::5432:[^ \t\r\n:"']+:|\*:\*:\*:)[^ \t\r\n:"']+:([^ \t\r\n:"']{4,})"#,
    r#"^jdbc:oracle:thin:[A-Za-z0-9._-]+/([^ \t\r\n@"'/]{3,})@"#,
    r#"^(?:(?i:redis-cli)[^\r\n|;&]*? -a |[A-Za-z0-9_-]+[^\r\n|;&]*? -p )["']?([^ \t\r\n"']{3,})"#,
    r"^身份证[^0-9\r\n]{0,16}([1-9][0-9]{16}[0-9Xx])(?:[^0-9]|$)",
    r"^(?:卡号|银行卡|(?i:card))[^0-9\r\n]{0,16}([0-9](?:[ -]?[0-9]){12,18})(?:[^0-9 -]|[ -](?:[^0-9]|$)|$)",
    r"^(?i:iban)[^A-Z0-9\r\n]{0,16}([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30})",
];

static COMPILED: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PATTERNS.iter().map(|pattern| Regex::new(pattern).unwrap()).collect());

/// Where a literal stands, whatever its case.
fn places(text: &str, literal: &str) -> Vec<usize> {
    let is_at = |at: &usize| {
        text.as_bytes()[*at..]
            .get(..literal.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(literal.as_bytes()))
    };
    (0..text.len()).filter(is_at).collect()
}

/// Whether the pattern finds the same as the form, both asked at the beginning of a text.
fn by_pattern(shape: usize, text: &str) -> Option<Range<usize>> {
    let found = COMPILED[shape].captures(text)?.get(1)?.range();
    // Two exceptions that the forms know and the patterns do not.
    let is_digest = SHAPES[shape].rule.name() == "url-password" && text[found.end..].starts_with("@sha256:");
    (!is_digest).then_some(found)
}

/// A text that is made of the literals and of what may follow them.
fn texts() -> impl Strategy<Value = String> {
    let mut words: Vec<&str> = SHAPES.iter().flat_map(|shape| shape.literals.iter().copied()).collect();
    words.extend(WORDS.iter().map(|(word, _)| *word));
    words.extend(TOKENS.iter().flat_map(|token| token.prefixes.iter().copied()));
    #[rustfmt::skip]
    words.extend([
        " ", "  ", "\n", "\r\n", "\t", ":", ": ", "=", "\"", "'", "`", "\\", "\\n", "\\\"", "@", "@h", "@sha256:", "/", ";", "|", "&", "-u", "-u ", "-u=",
        "--user ", "--user=", "-p", " -p", "-", "_", ".", "+86", "86", "138", "1234", "5678", "13812345678", "X", "é", "密", "services/", "workflows/",
        "123456789/", "eyJ", ".eyJ", "8Q~", "a=1;", "session=", "expires=", "theme=dark; ", "password ", "password=", "value", "<", ">", "[", "]", ",",
        "(", ")", "{", "}", "${", "xxxx", "is ", "是", "--", "export ", "110105194912310021", "11010519491231002X", "hunter2abc", "name=\"", "number", "4111 1111", "1111-1111", "DE89", "GB29 NWBK",
    ]);
    let run =
        prop_oneof!["[A-Za-z0-9]{1,45}", "[A-Za-z0-9+/_=-]{14,70}", "[0-9]{1,18}", "[a-z]{1,4}", "\\PC{0,3}"];
    let piece = prop_oneof![4 => prop::sample::select(words).prop_map(str::to_owned), 2 => run];
    let again = (prop::collection::vec(piece, 1..10), prop_oneof![9 => Just(1_usize), 1 => 2..40_usize]);
    again.prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: ProptestConfig::default().cases.max(2_000), ..ProptestConfig::default() })]

    /// A form that is read by hand finds what its pattern finds, at every place where a literal stands.
    #[test]
    fn forms_are_read_as_their_patterns(text in texts()) {
        for (number, shape) in SHAPES.iter().enumerate() {
            for at in shape.literals.iter().flat_map(|literal| places(&text, literal)) {
                // Some forms begin before their literal.
                let begins_before = matches!(shape.rule.name(), "telegram-token" | "azure-client-secret" | "terraform-token");
                let before = if begins_before { 14 } else { 0 };
                for rest in (at.saturating_sub(before)..=at).filter_map(|at| text.get(at..)) {
                    // A cookie is judged while it is read.
                    if shape.rule.name() != "cookie" || shape.read_at_start(rest).is_some() {
                        prop_assert_eq!(shape.read_at_start(rest), by_pattern(number, rest), "{}: {:?}", shape.rule, rest);
                    }
                }
            }
        }
    }

    /// A value is random if one character after the other says so; eight at a time and what is remembered say the same.
    #[test]
    fn random_values_are_read_as_characters(text in texts(), from in 0..90_usize) {
        let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
        let mut readings = Readings::new(&text);
        for from in [0, from / 2, from, from / 3] {
            let Some(value) = readings.enter(from, text.len()).map(str::as_bytes) else { continue };
            let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
            let changes = value.windows(2).filter(|two| kind(two[0]) != kind(two[1])).count();
            let has_letter = value.iter().any(u8::is_ascii_alphabetic);
            let expected = value.len() >= 16 && digits >= 2 && has_letter && changes * 5 >= value.len();
            prop_assert_eq!((is_random(value), readings.is_random(from)), (expected, expected));
        }
    }

    /// What was read before changes nothing: with an empty memory at each place the same is found.
    #[test]
    fn memory_changes_nothing(text in texts()) {
        let read = Text::new(&text);
        let (mut memory, mut names, mut bodies) = (Memory::new(&text), Names::default(), [Run::default(); 6]);
        for at in 0..text.len() {
            let stands = |literal: &str| text.as_bytes()[at..].get(..literal.len()).is_some_and(|found| found.eq_ignore_ascii_case(literal.as_bytes()));
            for shape in SHAPES.iter().filter(|shape| shape.literals.iter().any(|literal| stands(literal))) {
                let fresh: Option<Finding> = shape.find(read, at, &mut Memory::new(&text));
                prop_assert_eq!(shape.find(read, at, &mut memory), fresh);
            }
            for (word, promise) in WORDS.iter().filter(|(word, _)| stands(word)) {
                let fresh = Names::default().find(read, at, at + word.len(), *promise, &mut Readings::new(&text));
                prop_assert_eq!(names.find(read, at, at + word.len(), *promise, &mut memory.readings), fresh);
            }
            for token in TOKENS {
                for prefix in token.prefixes.iter().filter(|prefix| stands(prefix)) {
                    let fresh = token.find(read, at, prefix, &mut [Run::default(); 6]);
                    prop_assert_eq!(token.find(read, at, prefix, &mut bodies), fresh);
                }
            }
        }
    }
}
