//! Secrets whose form takes a pattern: addresses with passwords, headers, tokens in parts.
//!
//! A pattern is built the first time its literal occurs in a text, and is tried only there.

use std::sync::OnceLock;

use base64::{Engine, engine::general_purpose::STANDARD};
use regex::Regex;

use crate::{
    Finding, Level,
    scan::{Text, starts_word},
    value::{is_placeholder, is_random},
};

/// One form; the first group of the pattern is the secret.
pub(crate) struct Shape {
    pub(crate) rule: &'static str,
    pub(crate) literals: &'static [&'static str],
    pattern: &'static str,
    /// What the secret must also be.
    check: fn(&str) -> Option<Level>,
    place: Place,
    compiled: OnceLock<Option<Regex>>,
}

/// Where the literal stands in the form.
enum Place {
    /// It begins a word.
    Begin,
    /// It may be the end of a longer word.
    Label,
    /// Up to so many characters of the token stand before it.
    Inside(usize),
    /// It begins, and this byte must follow somewhere; most often it does not, and no pattern is needed.
    Before(u8),
}

const fn shape(
    rule: &'static str,
    literals: &'static [&'static str],
    place: Place,
    pattern: &'static str,
    check: fn(&str) -> Option<Level>,
) -> Shape {
    Shape { rule, literals, pattern, check, place, compiled: OnceLock::new() }
}

use Place::{Before, Begin, Inside, Label};

#[rustfmt::skip]
pub(crate) static SHAPES: [Shape; 19] = [
    shape("slack-webhook", &["hooks.slack.com/"], Begin, r"^hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{16,})", sure),
    shape("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Begin, r"^discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{16,})", sure),
    shape("jwt", &["eyJ"], Begin, r"^(eyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}))", sure),
    shape("sendgrid-key", &["SG."], Begin, r"^(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})", sendgrid),
    shape("telegram-token", &[":AA"], Inside(10), r"^[a-z]?[a-z]?([0-9]{8,10}:AA[A-Za-z0-9_-]{32,33})", sure),
    shape("azure-key", &["AccountKey=", "SharedAccessKey="], Begin, r"^(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,88}={0,2})", sure),
    shape("azure-sas", &["sig="], Begin, r"^sig=([A-Za-z0-9%+/_-]{32,}={0,2})", random),
    shape("azure-client-secret", &["7Q~", "8Q~"], Inside(3), r"^([A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})", sure),
    shape("terraform-token", &[".atlasv1."], Inside(14), r"^([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})", sure),
    shape("url-password", &["://"], Before(b'@'), r#"^://[^ \t\r\n:/@"'`<>\\]*:([^ \t\r\n/"'`<>\\]+)@[A-Za-z0-9\[]"#, url_password),
    shape("bearer-token", &["bearer "], Begin, r"^[A-Za-z]+ +([A-Za-z0-9._~+/=-]{16,})", random),
    shape("basic-auth", &["basic "], Begin, r"^[A-Za-z]+ +([A-Za-z0-9+/]{6,}={0,2})", basic),
    shape("cookie", &["cookie:", "cookie\":"], Label, r#"^[A-Za-z]+"?: ?"?([^\r\n"']{8,})"#, cookie),
    shape("password", &["curl "], Before(b':'), r#"^[A-Za-z]+ [^\r\n|;&]*?(?:-u|--user)[ =]?["']?[^ \t\r\n:"'/]+:([^ \t\r\n"']{3,})"#, command_password),
    shape("password", &["sshpass "], Begin, r#"^[A-Za-z]+ +-p *["']?([^ \t\r\n"']{3,})"#, command_password),
    shape("password", &["mysql"], Before(b'p'), r#"^[A-Za-z]+ (?:[^\r\n|;&]*? )?-p([^ \t\r\n"'|;=-][^ \t\r\n"'|;]{2,})"#, command_password),
    shape("password", &["login "], Begin, r"^[A-Za-z]+ +[^ \t\r\n]+[ \t\r\n]+password +([^ \t\r\n]{3,})", command_password),
    shape("cn-mobile", &["手机", "电话", "联系方式", "phone", "mobile"], Label, r"^(?:手机|电话|联系方式|[A-Za-z]+)[^0-9+\r\n]{0,16}((?:\+?86[- ]?)?1[3-9][0-9][- ]?[0-9]{4}[- ]?[0-9]{4})(?:[^0-9]|$)", sure),
    shape("cn-identity", &["身份证"], Label, r"^身份证[^0-9\r\n]{0,16}([1-9][0-9]{16}[0-9Xx])(?:[^0-9]|$)", suspect),
];

/// How far a token or a header is read, and how far a command or an address, so that an endless line with many
/// literals costs no more than many lines.
const WINDOW: usize = 8 * 1024;
const SHORT_WINDOW: usize = 512;

impl Shape {
    /// The secret that has this form where the literal stands.
    pub(crate) fn find(&self, text: Text<'_>, hit: usize) -> Option<Finding> {
        let bytes = text.bytes();
        let start = match self.place {
            Place::Inside(most) => {
                let before = bytes[..hit].iter().rev().take(most);
                hit - before.take_while(|byte| byte.is_ascii_alphanumeric() || b"_~.-".contains(byte)).count()
            }
            Place::Label => hit,
            Place::Begin | Place::Before(_)
                if bytes[hit].is_ascii_alphanumeric() && !starts_word(bytes, hit) =>
            {
                return None;
            }
            Place::Begin | Place::Before(_) => hit,
        };
        let window = if matches!(self.place, Place::Before(_)) { SHORT_WINDOW } else { WINDOW };
        let end = text.as_str().floor_char_boundary(hit + window);
        if let Place::Before(byte) = self.place
            && !line(&bytes[hit..end]).contains(&byte)
        {
            return None;
        }
        if matches!(self.place, Place::Before(b'@')) && bytes[..hit].ends_with(ADDRESS_OF_ROLE) {
            return None;
        }
        let pattern = self.compiled.get_or_init(|| Regex::new(self.pattern).ok()).as_ref()?;
        let found = pattern.captures(text.as_str().get(start..end)?)?.get(1)?;
        // `image:3.18@sha256:…` is an image and its digest.
        if matches!(self.place, Place::Before(b'@')) && bytes[start + found.end()..].starts_with(b"@sha256:")
        {
            return None;
        }
        let level = (self.check)(found.as_str())?;
        Some(Finding { rule: self.rule, start: start + found.start(), end: start + found.end(), level })
    }
}

/// In `ucxl://agent:role@project:task` the second word is a role, not a password.
const ADDRESS_OF_ROLE: &[u8] = b"ucxl";

fn line(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len())]
}

fn sendgrid(key: &str) -> Option<Level> {
    Some(if key.len() == 69 { Level::Secret } else { Level::Suspect })
}

fn suspect(_: &str) -> Option<Level> {
    Some(Level::Suspect)
}

fn sure(secret: &str) -> Option<Level> {
    (!is_placeholder(secret)).then_some(Level::Secret)
}

fn random(secret: &str) -> Option<Level> {
    (is_random(secret) && !is_placeholder(secret)).then_some(Level::Secret)
}

/// A word such as `password` in an address is most often an example; it is taken out all the same.
fn url_password(secret: &str) -> Option<Level> {
    const EXAMPLES: &[&str] = &["password", "pass", "pwd", "secret", "passwd", "user", "test", "token"];
    let is_hole = secret.starts_with(['$', '{', '<', '%', '*', '['])
        || secret.contains("${")
        || secret.contains("...")
        || secret.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*'));
    if is_hole || secret.bytes().all(|byte| byte.is_ascii_digit()) && secret.len() < 6 {
        return None;
    }
    Some(if EXAMPLES.contains(&secret) || is_placeholder(secret) { Level::Suspect } else { Level::Secret })
}

/// `user:password` in base64.
fn basic(secret: &str) -> Option<Level> {
    let pair = String::from_utf8(STANDARD.decode(secret).ok()?).ok()?;
    let (_, password) = pair.split_once(':')?;
    (!password.is_empty() && !pair.chars().any(char::is_control)).then_some(Level::Secret)
}

/// A header with at least one value that is long and random.
fn cookie(header: &str) -> Option<Level> {
    const SESSIONS: &[&str] = &["sess", "sid", "auth", "token", "jwt", "remember"];
    let is_secret = |pair: &str| {
        let Some((name, value)) = pair.trim().split_once('=') else { return false };
        let name = name.to_ascii_lowercase();
        if name == "expires" || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return false;
        }
        let is_session = SESSIONS.iter().any(|word| name.contains(word));
        !is_placeholder(value)
            && (is_random(value)
                || (is_session && value.len() >= 8 && value.bytes().any(|byte| byte.is_ascii_digit())))
    };
    header.split(';').any(is_secret).then_some(Level::Secret)
}

fn command_password(secret: &str) -> Option<Level> {
    let is_hole = secret.starts_with(['$', '<', '{', '*']) || is_placeholder(secret) || secret == "password";
    (!is_hole).then_some(Level::Secret)
}
