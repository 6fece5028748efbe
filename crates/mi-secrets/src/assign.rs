//! Values that a name calls secret: `KEY=value`, `"key": "value"`, `key: value`, `--key value`, `<key>value</key>`.
//!
//! The prefilter finds the word (`password`, `token`, …); this module reads the whole name around it, what stands
//! between name and value, and the value, and asks [`crate::value`] whether the value could be real.

use memchr::{memchr, memchr3_iter};

use crate::{
    Finding, Level,
    class::{self, DOT, ENDS_CODE, ENDS_VALUE, Kinds, Run, WORD},
    reading::Readings,
    scan::Text,
    value::{Form, Promise, Value},
};

/// Words that make a name secret.
pub(crate) const WORDS: &[(&str, Promise)] = &[
    ("password", Promise::Password),
    ("passwd", Promise::Password),
    ("passphrase", Promise::Password),
    ("pwd", Promise::Password),
    ("passcode", Promise::Password),
    ("_pass", Promise::Password),
    // These are parts of many words; with what follows them they are of few.
    ("pass=", Promise::Password),
    ("pass:", Promise::Password),
    ("pass\"", Promise::Password),
    ("pw=", Promise::Password),
    ("pw:", Promise::Password),
    ("pw\"", Promise::Password),
    ("密码", Promise::Password),
    ("口令", Promise::Password),
    ("secret", Promise::Token),
    ("token", Promise::Token),
    ("apikey", Promise::Token),
    ("api_key", Promise::Token),
    ("api-key", Promise::Token),
    ("api key", Promise::Token),
    ("access_key", Promise::Token),
    ("access-key", Promise::Token),
    ("accesskey", Promise::Token),
    ("private_key", Promise::Token),
    ("privatekey", Promise::Token),
    ("secret_key", Promise::Token),
    ("secretkey", Promise::Token),
    ("auth_key", Promise::Token),
    ("auth-key", Promise::Token),
    ("app_key", Promise::Token),
    ("appkey", Promise::Token),
    ("master_key", Promise::Token),
    ("masterkey", Promise::Token),
    ("_pat=", Promise::Token),
    ("_sk=", Promise::Token),
    ("authkey", Promise::Token),
    ("encryption_key", Promise::Token),
    ("encryptionkey", Promise::Token),
    ("signing_key", Promise::Token),
    ("signingkey", Promise::Token),
    ("account_key", Promise::Token),
    ("authorization", Promise::Token),
    ("密钥", Promise::Token),
    ("秘钥", Promise::Token),
    ("令牌", Promise::Token),
];

/// Runs of a text that were read already: in one name, or in one value, may be many words.
#[derive(Default)]
pub(crate) struct Names {
    name: Run,
    /// Bare values: in code, and in a shell.
    values: [Run; 2],
}

const NAME: Kinds = WORD | DOT;
/// What makes another secret word of `_pass`.
const OTHER_WORDS: [&[u8]; 3] = [b"word", b"wd", b"phrase"];
/// How far a name goes to either side of the word.
const REACH: usize = 64;

impl Names {
    /// The value that belongs to the secret word at `start..end`; a sign at its end is no part of the word.
    pub(crate) fn find(
        &mut self,
        text: Text<'_>,
        start: usize,
        end: usize,
        promise: Promise,
        readings: &mut Readings<'_>,
    ) -> Option<Finding> {
        let bytes = text.bytes();
        let is_part = matches!(bytes[end - 1], b'=' | b':' | b'"');
        let end = end - usize::from(is_part);
        if is_part && start > 0 && bytes[start - 1].is_ascii_alphanumeric() && bytes[start] != b'_' {
            return None;
        }
        let name_end = match bytes.get(end) {
            Some(byte) if class::is(*byte, NAME) => {
                self.name.end(end, || end + class::run(&bytes[end..], NAME)).min(end + REACH)
            }
            _ => end,
        };
        if !may_be_followed(bytes, name_end) {
            return None;
        }
        let before = class::run_back(&bytes[start.saturating_sub(REACH)..start], NAME);
        // `_pass` is found in `_password` too, where the longer word says the same.
        let is_other_word = |rest: &[u8]| OTHER_WORDS.iter().any(|word| rest.eq_ignore_ascii_case(word));
        if bytes[start] == b'_' && before < REACH && is_other_word(&bytes[end..name_end]) {
            return None;
        }
        let name = Name { start: start - before, end: name_end };
        let (from, form) = value_start(bytes, &name)?;
        let bar = name.bar(bytes, start, end)?;
        let to = self.value_end(bytes, from, form);
        if form.is_block && form.quote.is_none() && !ends_line(bytes, to) {
            return None;
        }
        if to - from > LONGEST {
            return None;
        }
        let kind = if form.quote.is_some() {
            Form::Quoted
        } else if form.is_shell {
            Form::Shell
        } else {
            Form::Bare
        };
        let mut value = Value::at(readings, from, to)?;
        let value_bytes = value.text.as_bytes();
        let is_high_enough = bar == Bar::Usual || (to - from >= 20 && value.is_random());
        // `pass: 128` counts, `OPAL_SET_PW: u32 = 1109422304` is a constant.
        let is_number =
            || is_part && kind != Form::Quoted && class::run(value_bytes, class::DIGIT) == to - from;
        let is_secret = is_high_enough && !is_number() && value.is_real(promise, kind);
        is_secret.then_some(Finding { rule: rule_of(promise), start: from, end: to, level: Level::Secret })
    }

    /// Where the value ends: at the closing quote, or at what ends a bare value.
    fn value_end(&mut self, bytes: &[u8], from: usize, form: Delimited) -> usize {
        let window = &bytes[from..bytes.len().min(from + LONGEST + 1)];
        if let Some(quote) = form.quote {
            return from + quoted_length(window, quote, form.is_escaped);
        }
        let length =
            || bare_length(&bytes[from..], if form.is_shell { ENDS_VALUE } else { ENDS_VALUE | ENDS_CODE });
        let run = &mut self.values[usize::from(form.is_shell)];
        // An escape at the very end of the window is no end: what it escapes is not in sight.
        let end = Some(run.end(from, || from + length()) - from).filter(|end| *end < window.len());
        let end = end.filter(|end| *end + 1 < window.len() || window[*end] != b'\\').unwrap_or(window.len());
        let is_mark = |byte: &u8| matches!(byte, b'.' | b',' | b';' | b':' | b'!' | b'?');
        from + window[..end].iter().rposition(|byte| !is_mark(byte)).map_or(0, |last| last + 1)
    }
}

/// Values that are longer are none.
const LONGEST: usize = 4096;

/// Whether what stands after a name can belong to it; in most text it cannot, and nothing else is looked at.
fn may_be_followed(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| {
        !byte.is_ascii()
            || class::is(*byte, class::SPACE | class::EQUALS)
            || matches!(byte, b':' | b'"' | b'\'' | b'`' | b'\\' | b']' | b'>' | b',' | b'i')
    })
}

fn quoted_length(window: &[u8], quote: u8, is_escaped: bool) -> usize {
    let is_end = |at: &usize| match window[*at] {
        b'\n' | b'\r' => true,
        _ if is_escaped => window.get(at + escapes(&window[*at..])) == Some(&quote),
        _ => *at == 0 || window[at - 1] != b'\\',
    };
    let sign = if is_escaped { b'\\' } else { quote };
    memchr3_iter(sign, b'\n', b'\r', window).find(is_end).unwrap_or(window.len())
}

fn bare_length(bytes: &[u8], ends: Kinds) -> usize {
    let mut at = 0;
    loop {
        at += class::until(&bytes[at..], ends);
        let is_escape = bytes.get(at + 1).is_some_and(|next| b"nrt\"'".contains(next));
        if bytes.get(at) != Some(&b'\\') || is_escape {
            return at;
        }
        at += 1;
    }
}

fn rule_of(promise: Promise) -> &'static str {
    match promise {
        Promise::Password => "password",
        Promise::Token => "labelled-secret",
    }
}

/// The identifier around the word.
struct Name {
    start: usize,
    end: usize,
}

/// What a value must look like after this name.
#[derive(PartialEq)]
enum Bar {
    Usual,
    /// The name goes on after the word (`token_prod`): only a random value counts.
    High,
}

impl Name {
    fn bar(&self, bytes: &[u8], start: usize, end: usize) -> Option<Bar> {
        const BEFORE: &[&str] =
            &["page", "next", "continuation", "cancel", "max", "public", "csrf", "xsrf", "sync", "resume"];
        const ALLOWED: &[&str] = &[
            "", "key", "base", "value", "val", "str", "string", "text", "prod", "dev", "live", "test",
            "staging", "old", "new",
        ];
        const REFUSED: &[&str] = &[
            "s", "id", "ids", "name", "type", "url", "uri", "file", "path", "dir", "count", "limit",
            "length", "len", "size", "ttl", "hash", "sha", "digest", "field", "label", "ref", "class",
            "version", "arn", "endpoint", "expires", "expiry", "at", "izer", "ized", "ize", "ary", "less",
            "address",
        ];
        if self.start == start && self.end == end {
            return Some(Bar::Usual);
        }
        let before = &bytes[self.start..start];
        let before = before.strip_suffix(b"_").or(before.strip_suffix(b"-")).unwrap_or(before);
        let last = before.last().map(u8::to_ascii_lowercase);
        let may_end = |word: &&&str| word.as_bytes().last().copied() == last;
        if last.is_some() && BEFORE.iter().filter(may_end).any(|word| ends_with(before, word)) {
            return None;
        }
        if self.end == end {
            return Some(Bar::Usual);
        }
        let digits = bytes[end..self.end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let mut parts = bytes[end..self.end - digits].split(|byte| matches!(byte, b'_' | b'-' | b'.'));
        let is_in = |words: &[&str], part: &[u8]| {
            words.iter().any(|word| word.len() == part.len() && part.eq_ignore_ascii_case(word.as_bytes()))
        };
        if parts.clone().all(|part| is_in(ALLOWED, part)) {
            return Some(Bar::Usual);
        }
        (!parts.any(|part| is_in(REFUSED, part))).then_some(Bar::High)
    }
}

fn ends_with(name: &[u8], word: &str) -> bool {
    let at = name.len().checked_sub(word.len());
    at.is_some_and(|at| name[at..].eq_ignore_ascii_case(word.as_bytes()))
}

/// How a value is delimited.
#[derive(Clone, Copy)]
struct Delimited {
    quote: Option<u8>,
    /// Quotes are written as `\"`, as in a JSON text inside a JSON string.
    is_escaped: bool,
    is_shell: bool,
    /// It stands on the line after its name: only if it stands there alone, it is a value.
    is_block: bool,
}

fn ends_line(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| matches!(byte, b'\r' | b'\n'))
}

/// Where the value of a name begins.
fn value_start(bytes: &[u8], name: &Name) -> Option<(usize, Delimited)> {
    let is_flag = bytes[name.start..name.end].starts_with(b"--");
    let is_tag = || (name.start > 0 && bytes[name.start - 1] == b'<') || is_named_element(bytes, name);
    let is_path = || name.start > 0 && bytes[name.start - 1] == b'/';
    let mut at = skip_quote(bytes, name.end);
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    at = skip_value_key(bytes, at).unwrap_or(at);
    let spaces = skip_blanks(bytes, at);
    let separator = match &bytes[spaces..] {
        [b'=', b'=' | b'~', ..] | [b':', b':', ..] => return None,
        // `/etc/passwd: …` is what a program says about a file.
        [b':', ..] if is_path() => return None,
        [b':', b'=', ..] | [b'=', b'>', ..] => 2,
        [b'=' | b':', ..] => 1,
        [b'>', ..] if is_tag() => 1,
        [b'i', b's', b':', ..] if spaces > at => 3,
        [b'i', b's', b' ', ..] if spaces > at => 2,
        rest if rest.starts_with("：".as_bytes())
            || rest.starts_with("是".as_bytes())
            || rest.starts_with("为".as_bytes()) =>
        {
            3
        }
        [_, ..] if spaces > at && (is_flag || is_defined(bytes, name)) => 0,
        _ => return None,
    };
    let tight = separator == 1 && spaces == at && bytes[spaces] == b'=';
    let is_shell = is_flag || (tight && begins_assignment(bytes, name));
    let mut value = skip_blanks(bytes, spaces + separator);
    let block = if separator == 1 && bytes[spaces] == b':' { skip_line(bytes, value) } else { None };
    value = skip_scheme(bytes, block.unwrap_or(value));
    if separator == 1 && bytes[spaces] == b':' {
        value = skip_type(bytes, value).unwrap_or(value);
    }
    let (value, form) = opened(bytes, value, is_shell);
    Some((value, Delimited { is_block: block.is_some(), ..form }))
}

/// `#define NAME "value"`, `ENV NAME value`, `setx NAME value`
fn is_defined(bytes: &[u8], name: &Name) -> bool {
    let before = &bytes[name.start.saturating_sub(8)..name.start];
    [b"#define ".as_slice(), b"ENV ", b"setx "].iter().any(|word| before.ends_with(word))
}

/// Where the next line's text begins, if the value is not on this one: nothing follows, or the sign of a YAML block.
fn skip_line(bytes: &[u8], at: usize) -> Option<usize> {
    let sign = match &bytes[at..] {
        [b'|' | b'>', b'-' | b'+', ..] => 2,
        [b'|' | b'>', ..] => 1,
        _ => 0,
    };
    let line = match &bytes[at + sign..] {
        [b'\r', b'\n', ..] => at + sign + 2,
        [b'\n', ..] => at + sign + 1,
        _ => return None,
    };
    let text = skip_blanks(bytes, line);
    (text > line).then_some(text)
}

/// `<property name="password">`: the element's content is the value.
fn is_named_element(bytes: &[u8], name: &Name) -> bool {
    let before = &bytes[name.start.saturating_sub(6)..name.start];
    let is_attribute =
        [b"name=\"".as_slice(), b"name='", b"key=\"", b"key='"].iter().any(|mark| before.ends_with(mark));
    is_attribute && bytes.get(skip_quote(bytes, name.end)) == Some(&b'>')
}

/// Whether a name is what a shell or an env file assigns: it begins the line, and nothing but `export` is before it.
fn begins_assignment(bytes: &[u8], name: &Name) -> bool {
    let kinds = class::all_kinds(&bytes[name.start..name.end]);
    if kinds & class::LETTER == class::UPPER {
        return true;
    }
    // What may stand before the name is short; a line can be very long.
    let before = &bytes[name.start.saturating_sub(24)..name.start];
    if before.last().is_some_and(|last| !last.is_ascii_whitespace()) {
        return before.ends_with(b"\\n");
    }
    let begin = before.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let line = begin.or((name.start <= 24).then_some(0)).map(|at| before[at..].trim_ascii_start());
    line.is_some_and(|line| matches!(line, b"" | b"export " | b"set "))
}

/// Steps over an opening quote, also over three of them, and over one that was escaped, however often.
fn opened(bytes: &[u8], at: usize, is_shell: bool) -> (usize, Delimited) {
    let quoted = |from: usize, quote: u8, is_escaped: bool| {
        (from, Delimited { quote: Some(quote), is_escaped, is_shell, is_block: false })
    };
    let escapes = escapes(&bytes[at..]);
    match &bytes[at + escapes..] {
        [quote @ (b'"' | b'\''), ..] if escapes > 0 => quoted(at + escapes + 1, *quote, true),
        [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..] => quoted(at + 3, bytes[at], false),
        [quote @ (b'"' | b'\'' | b'`'), ..] => quoted(at + 1, *quote, false),
        [b'b' | b'r' | b'f' | b'u' | b'@', quote @ (b'"' | b'\''), ..] => quoted(at + 2, *quote, false),
        _ => (at, Delimited { quote: None, is_escaped: false, is_shell, is_block: false }),
    }
}

/// How many backslashes stand before a quote: one in a JSON text inside a JSON string, three one deeper.
fn escapes(bytes: &[u8]) -> usize {
    let slashes = bytes.iter().take(7).take_while(|byte| **byte == b'\\').count();
    if matches!(bytes.get(slashes), Some(b'"' | b'\'')) { slashes } else { 0 }
}

fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take(16).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn skip_quote(bytes: &[u8], at: usize) -> usize {
    match &bytes[at..] {
        [b'\\', ..] if escapes(&bytes[at..]) > 0 => at + escapes(&bytes[at..]) + 1,
        [b'"' | b'\'' | b'`', ..] => at + 1,
        _ => at,
    }
}

/// `Authorization: Bearer …`: the value follows the scheme.
fn skip_scheme(bytes: &[u8], at: usize) -> usize {
    const SCHEMES: &[&str] = &[
        "bearer ",
        "basic ",
        "token ",
        "bot ",
        "apikey ",
        "convertto-securestring -string ",
        "convertto-securestring ",
    ];
    let from = skip_quote(bytes, at);
    // `(ConvertTo-SecureString "…")`
    let from = from + usize::from(bytes[from..].starts_with(b"(C"));
    let rest = &bytes[from..];
    if !rest.first().is_some_and(|first| matches!(first | 0x20, b'a' | b'b' | b'c' | b't')) {
        return at;
    }
    let scheme = SCHEMES.iter().find(|scheme| {
        rest.get(..scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    scheme.map_or(at, |scheme| skip_blanks(bytes, from + scheme.len()))
}

/// `apiKey: string = "…"`: the value follows the type.
fn skip_type(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[at..bytes.len().min(at + 41)];
    let length = memchr(b'=', window).filter(|length| *length > 0)?;
    let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || b"&<>'_: ".contains(byte);
    let is_typed = bytes.get(at + length + 1) != Some(&b'=') && window[..length].iter().all(is_type);
    is_typed.then(|| skip_blanks(bytes, at + length + 1))
}

/// `"name": "DB_PASSWORD", "value": "…"`: what follows counts as the separator of the name before it.
fn skip_value_key(bytes: &[u8], at: usize) -> Option<usize> {
    let is_gap = |byte: &&u8| class::is(**byte, class::SPACE) || **byte == b',';
    let gap = bytes[at..].iter().take(48).take_while(is_gap).count();
    if gap == 0 {
        return None;
    }
    let from = skip_quote(bytes, at + gap);
    let is_value = bytes.get(from..from + 5)?.eq_ignore_ascii_case(b"value");
    is_value.then(|| skip_quote(bytes, from + 5))
}
