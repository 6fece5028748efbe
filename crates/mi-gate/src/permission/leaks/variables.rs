//! Secrets in variables: whether a command gives one to somebody it does not belong to.
//!
//! A token goes to its own service every day (`curl -H "Authorization: Bearer $GITHUB_TOKEN" https://api.github.com`);
//! that is asked about, as all of the network is. Anywhere else it leaves.

use crate::command::{SimpleCommand, Word};

/// Parts of a variable's name that say that it is a secret.
const SIGNS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "CREDENTIAL",
    "PRIVATE_KEY",
    "AUTH_KEY",
    "PASSPHRASE",
];

/// Parts that say nothing about whose it is.
const GENERIC: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "API",
    "KEY",
    "APIKEY",
    "ACCESS",
    "CREDENTIAL",
    "CREDENTIALS",
    "PRIVATE",
    "AUTH",
    "PASSPHRASE",
    "BEARER",
    "ID",
    "PAT",
    "CLIENT",
    "MY",
    "APP",
    "USER",
    "ADMIN",
    "SERVICE",
    "BOT",
    "SESSION",
    "REFRESH",
    "THE",
    "DEV",
    "TEST",
    "STAGING",
    "PROD",
    "PRODUCTION",
    "JWT",
    "OAUTH",
    "LOCAL",
    "WEB",
    "SERVER",
];

/// Services whose names stand in variables everywhere; their tokens belong to nobody else.
const SERVICES: &[&str] = &[
    "GITHUB",
    "GH",
    "GITLAB",
    "AWS",
    "OPENAI",
    "ANTHROPIC",
    "GOOGLE",
    "GEMINI",
    "GCP",
    "AZURE",
    "NPM",
    "PYPI",
    "DOCKER",
    "HF",
    "SLACK",
    "STRIPE",
    "CLOUDFLARE",
    "HEROKU",
    "VERCEL",
    "DIGITALOCEAN",
    "TWILIO",
    "SENDGRID",
    "DATADOG",
    "SENTRY",
    "NETLIFY",
    "FLY",
    "CARGO",
];

pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SIGNS.iter().any(|sign| name.contains(sign))
}

/// Names of secret variables that a word puts in.
fn secrets_in(word: &Word) -> impl Iterator<Item = &str> {
    let text = if word.exact { "" } else { word.text.as_str() };
    let names = text.split('$').skip(1).map(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let rest = rest.strip_prefix(['#', '!']).unwrap_or(rest);
        let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    names.filter(|name| is_secret(name))
}

/// A secret variable stands in the words, and not only for the service that it belongs to.
pub(super) fn are_given_away(command: &SimpleCommand) -> bool {
    let hosts = || command.args.iter().filter_map(|word| host(&word.text));
    let is_at_home = |name: &str| hosts().next().is_some() && hosts().all(|host| belongs(name, host));
    let mut before = "";
    for word in &command.args {
        let proves = proves_who_one_is(before, &word.text);
        before = &word.text;
        for name in secrets_in(word) {
            let is_of_nobody =
                !name.split('_').any(|part| SERVICES.contains(&part.to_ascii_uppercase().as_str()));
            if !(is_at_home(name) || proves && is_of_nobody) {
                return true;
            }
        }
    }
    command.redirects.iter().any(|redirect| secrets_in(&redirect.target).next().is_some())
}

/// `-H "Authorization: …"`, `-u name:password`: where a service expects a secret.
fn proves_who_one_is(option: &str, word: &str) -> bool {
    let header = word.to_ascii_lowercase();
    let is_header =
        ["authorization:", "x-api-key:", "private-token:", "api-key:", "x-auth-token:"].iter().any(|name| {
            header.trim_start_matches("--header=").trim_start_matches("-h").trim_start().starts_with(name)
        });
    is_header || matches!(option, "-u" | "--user" | "--oauth2-bearer" | "-p" | "--password")
}

/// The host of an address, if the word is one.
fn host(word: &str) -> Option<&str> {
    let (_, rest) = word.split_once("://")?;
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    Some(rest.split(':').next().unwrap_or(rest))
}

/// The service behind a host is the one that the variable is named after, or this machine.
fn belongs(name: &str, host: &str) -> bool {
    if matches!(host, "localhost" | "127.0.0.1" | "[" | "0.0.0.0") || host.ends_with(".localhost") {
        return true;
    }
    // Not what stands before it: anybody may have a `github.evil.example`.
    let owner = host.rsplit('.').nth(1).unwrap_or_default().to_ascii_lowercase();
    let parts = name.split('_').map(str::to_ascii_uppercase).filter(|part| !GENERIC.contains(&part.as_str()));
    let of = |part: String| match part.as_str() {
        "GH" => owner == "github" || owner == "githubusercontent",
        "AWS" => owner == "amazonaws" || owner == "aws",
        "HF" => owner == "huggingface",
        "GCP" | "GEMINI" => owner.starts_with("google"),
        part => part.len() >= 3 && owner.starts_with(&part.to_ascii_lowercase()),
    };
    parts.into_iter().any(of)
}
