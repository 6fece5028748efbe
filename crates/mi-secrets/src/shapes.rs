//! Secrets whose form has parts: addresses with passwords, headers, commands, tokens with dots.
//!
//! How a form is read stands in [`crate::forms`]; here is which literal asks for it, where the literal must stand, how
//! far it is read and what the secret must be. Patterns would be shorter, but the first use of each took a tenth of a
//! millisecond to build, and text that is full of their literals went ten times slower.

use std::ops::Range;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    Finding, Level, Rule, checksum, class, commands,
    cookie::cookie,
    forms,
    memory::Memory,
    scan::{Text, starts_word},
    value::Value,
};

/// One form.
pub(crate) struct Shape {
    pub(crate) rule: Rule,
    pub(crate) literals: &'static [&'static str],
    place: Place,
    /// How far from the literal the form is read.
    window: usize,
    /// The secret in a part of the text that begins where the form would.
    read: Read,
    /// What the secret must also be.
    check: fn(Value<'_, '_>) -> Option<Level>,
}

/// Reads a form at the beginning of the bytes.
pub(crate) type Read = fn(&[u8], &mut Memory<'_>) -> Option<Range<usize>>;

/// Where the literal stands in the form.
enum Place {
    /// It begins a word.
    Begin,
    /// It may be the end of a longer word.
    Label,
    /// Up to so many characters of the token stand before it.
    Inside(usize),
}

const fn shape(
    rule: &'static str,
    literals: &'static [&'static str],
    place: Place,
    window: usize,
    read: Read,
    check: fn(Value<'_, '_>) -> Option<Level>,
) -> Shape {
    Shape { rule: Rule::named(rule), literals, place, window, read, check }
}

use Place::{Begin, Inside, Label};

/// How far a token or a header is read, and how far a command or an address, so that an endless line with many
/// literals costs no more than many lines.
const LONG: usize = 8 * 1024;
const SHORT: usize = 512;

#[rustfmt::skip]
pub(crate) static SHAPES: [Shape; 26] = [
    shape("slack-webhook", &["hooks.slack.com/"], Begin, LONG, forms::slack_webhook, sure),
    shape("discord-webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Begin, LONG, forms::discord_webhook, sure),
    shape("jwt", &["eyJ"], Begin, LONG, forms::jwt, sure),
    shape("sendgrid-key", &["SG."], Begin, LONG, forms::sendgrid, sendgrid),
    shape("telegram-token", &[":AA"], Inside(10), LONG, forms::telegram, sure),
    shape("azure-key", &["AccountKey=", "SharedAccessKey="], Begin, LONG, forms::azure_key, sure),
    shape("azure-sas", &["sig="], Begin, LONG, forms::azure_sas, random),
    shape("azure-client-secret", &["7Q~", "8Q~"], Inside(3), LONG, forms::azure_client_secret, sure),
    shape("terraform-token", &[".atlasv1."], Inside(14), LONG, forms::terraform, sure),
    shape("url-password", &["://"], Begin, SHORT, forms::url_password, url_password),
    shape("bearer-token", &["bearer "], Begin, LONG, forms::bearer, random),
    shape("basic-auth", &["basic "], Begin, LONG, forms::basic, basic),
    shape("cookie", &["cookie:", "cookie\":"], Label, LONG, cookie, certain),
    shape("password", &["curl "], Begin, SHORT, commands::curl, command_password),
    shape("password", &["sshpass "], Begin, LONG, commands::sshpass, command_password),
    shape("password", &["mysql"], Begin, SHORT, commands::mysql, command_password),
    shape("password", &["login "], Begin, LONG, commands::login, command_password),
    shape("cn-mobile", &["手机", "电话", "联系方式", "phone", "mobile"], Label, LONG, forms::mobile, sure),
    shape("webhook", &["/webhook/send?key=", "/bot/v2/hook/", "IncomingWebhook/"], Begin, LONG, forms::webhook, sure),
    shape("basic-auth", &["auth\":", "auth\\\":", "_auth="], Label, LONG, forms::registry, basic),
    shape("password", &[":5432:", "*:*:*:"], Label, SHORT, forms::pgpass, command_password),
    shape("password", &["jdbc:oracle:thin:"], Begin, SHORT, forms::oracle, command_password),
    shape("password", &["login -", "redis-cli ", "mongo ", "mongosh "], Begin, SHORT, commands::client, command_password),
    shape("cn-identity", &["身份证"], Label, LONG, forms::identity, suspect),
    shape("bank-card", &["卡号", "银行卡", "card n", "card_n", "cardn"], Label, SHORT, forms::bank_card, bank_card),
    shape("iban", &["iban"], Begin, SHORT, forms::iban, iban),
];

impl Shape {
    /// The secret that has this form where the literal stands.
    pub(crate) fn find(&self, text: Text<'_>, hit: usize, memory: &mut Memory<'_>) -> Option<Finding> {
        let bytes = text.bytes();
        let start = match self.place {
            Place::Inside(most) => {
                let before = &bytes[hit.saturating_sub(most)..hit];
                hit - class::run_back(before, class::WORD | class::TILDE | class::DOT)
            }
            Place::Label => hit,
            Place::Begin if bytes[hit].is_ascii_alphanumeric() && !starts_word(bytes, hit) => return None,
            Place::Begin if bytes[..hit].ends_with(ADDRESS_OF_ROLE) && bytes[hit] == b':' => return None,
            Place::Begin => hit,
        };
        let end = text.as_str().floor_char_boundary(hit + self.window);
        memory.place = start;
        let found = (self.read)(bytes.get(start..end)?, memory)?;
        let (start, end) = (start + found.start, start + found.end);
        let level = (self.check)(Value::at(&mut memory.readings, start, end)?)?;
        Some(Finding { rule: self.rule, start, end, level })
    }
}

#[cfg(test)]
impl Shape {
    /// What the form alone makes of a text that begins with it.
    pub(crate) fn read_at_start(&self, text: &str) -> Option<Range<usize>> {
        (self.read)(text.as_bytes(), &mut Memory::new(text))
    }
}

/// In `ucxl://agent:role@project:task` the second word is a role, not a password.
const ADDRESS_OF_ROLE: &[u8] = b"ucxl";

fn sendgrid(key: Value<'_, '_>) -> Option<Level> {
    Some(if key.text.len() == 69 { Level::Secret } else { Level::Suspect })
}

fn bank_card(number: Value<'_, '_>) -> Option<Level> {
    checksum::bank_card(number.text.as_bytes()).then_some(Level::Secret)
}

fn iban(number: Value<'_, '_>) -> Option<Level> {
    checksum::iban(number.text.as_bytes()).then_some(Level::Secret)
}

fn suspect(_: Value<'_, '_>) -> Option<Level> {
    Some(Level::Suspect)
}

fn sure(mut secret: Value<'_, '_>) -> Option<Level> {
    (!secret.is_placeholder()).then_some(Level::Secret)
}

fn random(mut secret: Value<'_, '_>) -> Option<Level> {
    (secret.is_random() && !secret.is_placeholder()).then_some(Level::Secret)
}

/// A word such as `password` in an address is most often an example; it is taken out all the same.
fn url_password(mut secret: Value<'_, '_>) -> Option<Level> {
    const EXAMPLES: &[&str] = &["password", "pass", "pwd", "secret", "passwd", "user", "test", "token"];
    let text = secret.text;
    let is_hole = text.starts_with(['$', '{', '<', '%', '*', '['])
        || text.contains("${")
        || text.contains("...")
        || text.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*'));
    if is_hole || text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() < 6 {
        return None;
    }
    Some(if EXAMPLES.contains(&text) || secret.is_placeholder() { Level::Suspect } else { Level::Secret })
}

/// `user:password` in base64.
fn basic(secret: Value<'_, '_>) -> Option<Level> {
    let pair = String::from_utf8(STANDARD.decode(secret.text).ok()?).ok()?;
    let (_, password) = pair.split_once(':')?;
    (!password.is_empty() && !pair.chars().any(char::is_control)).then_some(Level::Secret)
}

fn certain(_: Value<'_, '_>) -> Option<Level> {
    Some(Level::Secret)
}

fn command_password(mut secret: Value<'_, '_>) -> Option<Level> {
    let is_hole =
        secret.text.starts_with(['$', '<', '{', '*']) || secret.text == "password" || secret.is_placeholder();
    (!is_hole).then_some(Level::Secret)
}
