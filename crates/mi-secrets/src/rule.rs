//! The names of the rules, in one byte each.
//!
//! A text can hold a finding every nine bytes. With its rule as a number a finding takes 24 bytes instead of 40, and the
//! findings of such a text fit into memory that is used again.

use std::fmt;

/// The name of a rule: a short word such as `github-token`. Ordered as the words are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule(u8);

impl Rule {
    /// The rule of this name. In a constant, a name that is not in the list does not compile.
    pub(crate) const fn named(name: &str) -> Self {
        let mut at = 0;
        while at < NAMES.len() {
            if is_same(NAMES[at].as_bytes(), name.as_bytes()) {
                return Self(at as u8);
            }
            at += 1;
        }
        panic!("no rule has this name")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }
}

/// As `==`, which constants do not have.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one.split_first(), other.split_first()) {
        (Some((one, ones)), Some((other, others))) => *one == *other && is_same(ones, others),
        (None, None) => true,
        _ => false,
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.name())
    }
}

/// Every name, in order.
#[rustfmt::skip]
pub(crate) const NAMES: [&str; 118] = [
    "age-key", "airtable-token", "alibaba-access-key", "amazon-key", "anthropic-key", "artifactory-token",
    "atlassian-token", "aws-access-key", "aws-bedrock-key", "aws-secret-key", "azure-client-secret", "azure-key",
    "azure-sas", "baidu-key", "bank-card", "basic-auth", "bearer-token", "brevo-key", "buildkite-token",
    "cerebras-key", "circleci-token", "cloudflare-token", "cn-identity", "cn-mobile", "contentful-token", "cookie",
    "crates-io-token", "databricks-token", "deno-token", "digitalocean-token", "discord-token", "discord-webhook",
    "docker-token", "doppler-token", "dropbox-token", "duffel-token", "dynatrace-token", "e2b-key", "easypost-key",
    "elevenlabs-key", "facebook-token", "figma-token", "firecrawl-key", "fireworks-key", "fly-token",
    "github-token", "gitlab-token", "google-api-key", "google-oauth-token", "grafana-token", "groq-key",
    "heroku-key", "high-entropy", "honeycomb-key", "hubspot-token", "hugging-face-token", "iban", "jina-key",
    "jwt", "labelled-secret", "langfuse-key", "langsmith-key", "linear-key", "logfire-token", "mailchimp-key",
    "mailersend-key", "mailgun-key", "mapbox-token", "neon-key", "netlify-token", "new-relic-key", "notion-token",
    "npm-token", "nuget-key", "nvidia-key", "onepassword-token", "openai-key", "openrouter-key", "openshift-token",
    "password", "perplexity-key", "pinecone-key", "planetscale-token", "posthog-key", "postman-key", "private-key",
    "pulumi-token", "pypi-token", "render-key", "replicate-token", "rubygems-key", "runpod-key", "sendgrid-key",
    "sentry-token", "shippo-token", "shopify-token", "slack-token", "slack-webhook", "sonar-token",
    "sourcegraph-token", "square-token", "stripe-key", "supabase-key", "tailscale-key", "tavily-key",
    "telegram-token", "tencent-secret-id", "terraform-token", "together-key", "twilio-key", "typeform-token",
    "url-password", "vault-token", "vercel-token", "volcengine-access-key", "wandb-key", "webhook", "xai-key",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings at one place are put in the order of their names.
    #[test]
    fn rules_are_ordered_as_their_names_are() {
        assert!(NAMES.is_sorted());
        assert_eq!(Rule::named("jwt").name(), "jwt");
        assert_eq!(size_of::<crate::Finding>(), 24);
    }
}
