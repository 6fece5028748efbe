//! What stands between a name and its value (`=`, `: `, ` is `, `>`), and what delimits the value.

use memchr::{memchr2, memchr3_iter};

use crate::{
    assign::Name,
    class::{self, Kinds},
    reading::is_random,
    value::Form,
};

/// How a value is delimited.
#[derive(Clone, Copy)]
pub(crate) struct Delimited {
    pub(crate) quote: Option<u8>,
    /// Quotes are written as `\"`, as in a JSON text inside a JSON string.
    pub(crate) is_escaped: bool,
    /// What it is without quotes.
    bare: Form,
    /// It stands on the line after its name: only if it stands there alone, it is a value.
    is_block: bool,
}

impl Delimited {
    pub(crate) const SAID: Self = Self { quote: None, is_escaped: false, bare: Form::Said, is_block: false };

    pub(crate) fn kind(self) -> Form {
        if self.quote.is_some() { Form::Quoted } else { self.bare }
    }

    /// Whether a value of this kind may end here.
    pub(crate) fn may_end(self, bytes: &[u8], at: usize) -> bool {
        let ends_line = || bytes.get(at).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
        !self.is_block || self.quote.is_some() || ends_line()
    }
}

/// Where the value of a name begins.
pub(crate) fn value_start(bytes: &[u8], name: &Name) -> Option<(usize, Delimited)> {
    let is_flag = bytes[name.start..name.end].starts_with(b"--");
    let at = match bytes.get(name.end) {
        Some(b'=' | b':') => name.end,
        _ => skip_closing(bytes, name.end),
    };
    let spaces = skip_blanks(bytes, at);
    let may_be_blank = || is_flag || is_defined(bytes, name) || begins_random(&bytes[spaces..]);
    let sign = sign_length(bytes, name, spaces, spaces > at, may_be_blank)?;
    let (is_tight, is_colon) = (spaces == at, sign == 1 && bytes[spaces] == b':');
    let is_assigned = sign == 1 && is_tight && bytes[spaces] == b'=';
    let is_said =
        sign > 0 && (bytes[spaces] == b'i' || !bytes[spaces].is_ascii()) || !bytes[name.end - 1].is_ascii();
    let bare = match () {
        () if is_flag || (is_assigned && begins_assignment(bytes, name)) => Form::Shell,
        () if is_said => Form::Said,
        () => Form::Bare,
    };
    let (mut value, mut block) = (spaces + sign, None);
    if !begins_value(bytes, value) {
        value = skip_blanks(bytes, skip_bold(bytes, value));
        block = if is_colon { skip_line(bytes, value) } else { None };
        value = skip_scheme(bytes, block.unwrap_or(value));
    }
    if is_colon {
        value = skip_type(bytes, value).unwrap_or(value);
    }
    let (value, form) = opened(bytes, value, bare);
    Some((value, Delimited { is_block: block.is_some(), ..form }))
}

/// Whether a letter or digit stands here that begins the name of no scheme.
fn begins_value(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|first| class::is(*first, class::ALNUM) && schemes(*first).is_empty())
}

/// Steps over what closes a name: `"`, `']`, `**`, `", "value"`.
fn skip_closing(bytes: &[u8], at: usize) -> usize {
    let quote = skip_quote(bytes, at);
    let bracket = quote + usize::from(bytes.get(quote) == Some(&b']'));
    skip_bold(bytes, skip_value_key(bytes, bracket).unwrap_or(bracket))
}

/// The length of the sign between name and value; after some names a blank is enough.
fn sign_length(
    bytes: &[u8],
    name: &Name,
    at: usize,
    has_blank: bool,
    may_be_blank: impl FnOnce() -> bool,
) -> Option<usize> {
    let is_tag = || (name.start > 0 && bytes[name.start - 1] == b'<') || is_named_element(bytes, name);
    let is_path = || name.start > 0 && bytes[name.start - 1] == b'/';
    let is_verb = |rest: &[u8]| ["：", "是", "为"].iter().any(|verb| rest.starts_with(verb.as_bytes()));
    match &bytes[at..] {
        [b'=', rest @ ..] => match rest.first() {
            Some(b'=' | b'~') => None,
            Some(b'>') => Some(2),
            _ => Some(1),
        },
        // `/etc/passwd: …` is what a program says about a file.
        [b':', ..] if is_path() => None,
        [b':', rest @ ..] => match rest.first() {
            Some(b':') => None,
            Some(b'=') => Some(2),
            _ => Some(1),
        },
        [b'>', ..] if is_tag() => Some(1),
        [b'i', b's', b':', ..] if has_blank => Some(3),
        [b'i', b's', b' ', ..] if has_blank => Some(2),
        // `define('DB_PASSWORD', '…')`
        [b',', ..]
            if bytes[..name.start].ends_with(b"define('") || bytes[..name.start].ends_with(b"define(\"") =>
        {
            Some(1)
        }
        rest @ [0x80..=0xFF, ..] if is_verb(rest) => Some(if is_verb(&rest[3..]) { 6 } else { 3 }),
        [_, ..] if has_blank && may_be_blank() => Some(0),
        _ => None,
    }
}

/// `#define NAME "value"`, `ENV NAME value`, `setx NAME value`
fn is_defined(bytes: &[u8], name: &Name) -> bool {
    let before = &bytes[name.start.saturating_sub(8)..name.start];
    [b"#define ".as_slice(), b"ENV ", b"setx "].iter().any(|word| before.ends_with(word))
}

/// `use the token 0a1B…`: after a blank only what no word looks like is a value.
fn begins_random(bytes: &[u8]) -> bool {
    const LEAST: usize = 20;
    bytes.first_chunk::<LEAST>().is_some_and(|begin| class::are_all(begin, class::ALNUM) && is_random(begin))
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
    let letters = || class::all_kinds(&bytes[name.start..name.end]) & class::LETTER;
    if !bytes[name.start].is_ascii_lowercase() && letters() == class::UPPER {
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
pub(crate) fn opened(bytes: &[u8], at: usize, bare: Form) -> (usize, Delimited) {
    let quoted = |from: usize, quote: u8, is_escaped: bool| {
        (from, Delimited { quote: Some(quote), is_escaped, bare, is_block: false })
    };
    if !matches!(bytes.get(at), Some(b'"' | b'\'' | b'`' | b'\\' | b'@' | b'b' | b'r' | b'f' | b'u')) {
        return (at, Delimited { bare, ..Delimited::SAID });
    }
    let escapes = escapes(&bytes[at..]);
    match &bytes[at + escapes..] {
        [quote @ (b'"' | b'\''), ..] if escapes > 0 => quoted(at + escapes + 1, *quote, true),
        [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..] => quoted(at + 3, bytes[at], false),
        [quote @ (b'"' | b'\'' | b'`'), ..] => quoted(at + 1, *quote, false),
        [b'b' | b'r' | b'f' | b'u' | b'@', quote @ (b'"' | b'\''), ..] => quoted(at + 2, *quote, false),
        _ => (at, Delimited { bare, ..Delimited::SAID }),
    }
}

/// How many backslashes stand before a quote: one in a JSON text inside a JSON string, three one deeper.
fn escapes(bytes: &[u8]) -> usize {
    let slashes = bytes.iter().take(7).take_while(|byte| **byte == b'\\').count();
    if matches!(bytes.get(slashes), Some(b'"' | b'\'')) { slashes } else { 0 }
}

/// `**Password:** …` and `**Password**: …`
fn skip_bold(bytes: &[u8], at: usize) -> usize {
    at + if bytes[at..].starts_with(b"**") { 2 } else { 0 }
}

/// Asked several times after every name, and mostly there is none: a call would be most of the work.
#[inline(always)]
pub(crate) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b' ' | b'\t') => {
            at + bytes[at..].iter().take(16).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
        }
        _ => at,
    }
}

/// As often, and as rarely.
#[inline(always)]
fn skip_quote(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\\') if escapes(&bytes[at..]) > 0 => at + escapes(&bytes[at..]) + 1,
        Some(b'"' | b'\'' | b'`') => at + 1,
        _ => at,
    }
}

/// `Authorization: Bearer …`: the value follows the scheme.
fn skip_scheme(bytes: &[u8], at: usize) -> usize {
    let from = skip_quote(bytes, at);
    // `(ConvertTo-SecureString "…")`
    let from = from + usize::from(bytes[from..].starts_with(b"(C"));
    let rest = &bytes[from..];
    let is_at = |scheme: &&&str| {
        rest.get(..scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    let scheme = rest.first().and_then(|first| schemes(*first).iter().find(is_at));
    scheme.map_or(at, |scheme| skip_blanks(bytes, from + scheme.len()))
}

/// The schemes that begin with a letter.
fn schemes(first: u8) -> &'static [&'static str] {
    match first | 0x20 {
        b'a' => &["apikey "],
        b'b' => &["bearer ", "basic ", "bot "],
        b'c' => &["convertto-securestring -string ", "convertto-securestring "],
        b't' => &["token "],
        _ => &[],
    }
}

/// `apiKey: string = "…"`: the value follows the type.
fn skip_type(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[at..bytes.len().min(at + 41)];
    let is_type = |byte: &u8| {
        class::is(*byte, class::ALNUM | class::UNDERSCORE)
            || matches!(byte, b'&' | b'<' | b'>' | b'\'' | b':' | b' ')
    };
    window.first().filter(|first| is_type(first))?;
    let length = memchr2(b'=', b'\n', window).filter(|length| window[*length] == b'=')?;
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

/// Where a quoted value ends.
pub(crate) fn quoted_length(window: &[u8], quote: u8, is_escaped: bool) -> usize {
    let is_end = |at: &usize| match window[*at] {
        b'\n' | b'\r' => true,
        _ if is_escaped => window.get(at + escapes(&window[*at..])) == Some(&quote),
        _ => *at == 0 || window[at - 1] != b'\\',
    };
    let sign = if is_escaped { b'\\' } else { quote };
    memchr3_iter(sign, b'\n', b'\r', window).find(is_end).unwrap_or(window.len())
}

/// Where a value without quotes ends; a backslash ends it only where it escapes what would.
pub(crate) fn bare_length(bytes: &[u8], ends: Kinds) -> usize {
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
