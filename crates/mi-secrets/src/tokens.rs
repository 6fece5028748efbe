//! Tokens that begin with a prefix their provider chose: prefix, alphabet, length, checksum.
//!
//! The table is all there is to most providers. A body of the exact length (and checksum) is a secret; any body
//! of at least sixteen characters is a suspect, so that a token with a typo or of a future length is still taken
//! out. A *weak* prefix is also an ordinary word: it must stand alone, and its body must have a digit or be
//! longer than words are.

use crate::{
    Finding, Level, Rule, checksum,
    class::{self, ALNUM, DASH, DIGIT, DOT, EQUALS, HEX, Kinds, PERCENT, PLUS, Run, SLASH, UPPER, WORD},
    scan::{Text, starts_word},
};

/// One provider's token.
pub(crate) struct Token {
    pub(crate) rule: Rule,
    pub(crate) prefixes: &'static [&'static str],
    body: Body,
    /// Lengths of a valid body.
    valid: std::ops::RangeInclusive<usize>,
    weak: bool,
    /// Whether prefix and body have the checksum, for kinds that have one.
    check: Option<fn(&str, &str) -> bool>,
}

/// The alphabet of a body.
#[derive(Clone, Copy)]
enum Body {
    Hex,
    Upper,
    Alnum,
    /// Letters, digits, `_` and `-`.
    Word,
    /// `Word` and the dot.
    Dotted,
    /// `Word` and `. = + / %`.
    Wide,
}

const ANY: usize = 4096;
/// Fewest characters after a prefix that are taken out, valid or not.
const LEAST: usize = 16;

/// A token whose prefix occurs nowhere else.
const fn strong(
    rule: &'static str,
    prefixes: &'static [&'static str],
    body: Body,
    low: usize,
    high: usize,
) -> Token {
    Token { rule: Rule::named(rule), prefixes, body, valid: low..=high, weak: false, check: None }
}

/// A token whose prefix is also a word.
const fn weak(
    rule: &'static str,
    prefixes: &'static [&'static str],
    body: Body,
    low: usize,
    high: usize,
) -> Token {
    Token { rule: Rule::named(rule), prefixes, body, valid: low..=high, weak: true, check: None }
}

#[rustfmt::skip]
pub(crate) static TOKENS: &[Token] = &[
    Token {
        check: Some(checksum::github_token),
        ..strong("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Body::Alnum, 36, 36)
    },
    // GitHub says nothing of a checksum in fine-grained tokens. Others report one that they worked out from tokens they
    // had; it cannot be verified here, and a wrong one would keep real tokens from being reported.
    strong("github-token", &["github_pat_"], Body::Word, 82, 82),
    Token {
        check: Some(checksum::gitlab_token),
        ..strong(
            "gitlab-token",
            &[
                "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-",
                "gloas-", "glffct-", "glrtr-", "glwt-",
            ],
            Body::Dotted,
            20,
            320,
        )
    },
    weak("gitlab-token", &["GR1348941"], Body::Word, 20, 20),
    strong(
        "slack-token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xapp-"],
        Body::Wide,
        24,
        ANY,
    ),
    strong("stripe-key", &["sk_live_", "rk_live_", "sk_prod_", "rk_prod_"], Body::Alnum, 24, 247),
    Token { check: Some(never), ..strong("stripe-key", &["sk_test_", "rk_test_"], Body::Alnum, 24, 247) },
    strong("stripe-key", &["whsec_"], Body::Wide, 24, 64),
    strong("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], Body::Word, 40, ANY),
    weak("openai-key", &["sk-", "sk-None-", "sk-test-", "sk-live-", "sk-prod-", "sk-dev-"], Body::Alnum, 32, 64),
    strong("anthropic-key", &["sk-ant-"], Body::Word, 80, ANY),
    strong("openrouter-key", &["sk-or-v1-"], Body::Hex, 64, 64),
    strong("google-api-key", &["AIza"], Body::Word, 35, 35),
    strong("google-api-key", &["AQ.Ab8RN6"], Body::Word, 40, 48),
    strong("google-oauth-token", &["ya29."], Body::Word, 40, ANY),
    strong("google-oauth-token", &["GOCSPX-"], Body::Word, 28, 28),
    weak("google-oauth-token", &["1//0"], Body::Word, 40, ANY),
    Token { check: Some(checksum::github_token), ..strong("npm-token", &["npm_"], Body::Alnum, 36, 36) },
    Token { check: Some(checksum::pypi_token), ..strong("pypi-token", &["pypi-AgE"], Body::Word, 50, ANY) },
    weak("crates-io-token", &["cio"], Body::Alnum, 32, 32),
    strong("hugging-face-token", &["hf_"], Body::Alnum, 34, 40),
    weak("hugging-face-token", &["api_org_"], Body::Alnum, 34, 34),
    weak("mailgun-key", &["key-"], Body::Hex, 32, 32),
    strong("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Body::Hex, 64, 64),
    weak("digitalocean-token", &["DO00"], Body::Upper, 16, 16),
    strong("heroku-key", &["HRKU-"], Body::Word, 36, 64),
    strong("vault-token", &["hvs.", "hvb.", "hvr."], Body::Word, 24, ANY),
    weak("databricks-token", &["dapi", "dose"], Body::Hex, 32, 32),
    strong("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"], Body::Hex, 32, 32),
    strong("linear-key", &["lin_api_", "lin_oauth_"], Body::Alnum, 40, 64),
    strong("notion-token", &["ntn_"], Body::Alnum, 40, 64),
    weak("notion-token", &["secret_"], Body::Alnum, 43, 43),
    Token { check: Some(checksum::atlassian_token), ..strong("atlassian-token", &["ATATT3", "ATCTT3", "ATSTT3"], Body::Wide, 100, ANY) },
    Token { check: Some(checksum::atlassian_token), ..weak("atlassian-token", &["ATBB"], Body::Alnum, 32, 32) },
    strong("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], Body::Upper, 16, 16),
    strong("alibaba-access-key", &["LTAI"], Body::Alnum, 12, 26),
    weak("tencent-secret-id", &["AKID"], Body::Alnum, 32, 32),
    Token { check: Some(checksum::grafana_token), ..strong("grafana-token", &["glsa_"], Body::Word, 41, 41) },
    strong("grafana-token", &["glc_eyJ"], Body::Wide, 32, ANY),
    weak("grafana-token", &["eyJrIjoi"], Body::Alnum, 60, 400),
    strong("docker-token", &["dckr_pat_", "dckr_oat_"], Body::Word, 27, 32),
    strong("mapbox-token", &["sk.eyJ"], Body::Dotted, 60, ANY),
    strong("hubspot-token", &["pat-na1-", "pat-eu1-"], Body::Word, 36, 36),
    strong("postman-key", &["PMAK-"], Body::Word, 59, 59),
    strong("figma-token", &["figd_", "figo_", "figu_", "figr_"], Body::Word, 40, 64),
    strong("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Body::Dotted, 40, 80),
    strong("fly-token", &["fm1_", "fm2_", "fo1_"], Body::Wide, 40, ANY),
    strong("supabase-key", &["sbp_"], Body::Hex, 40, 40),
    strong("supabase-key", &["sb_secret_"], Body::Word, 31, 64),
    strong("planetscale-token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], Body::Dotted, 32, 64),
    weak("pulumi-token", &["pul-"], Body::Hex, 40, 40),
    strong("rubygems-key", &["rubygems_"], Body::Hex, 48, 48),
    strong("new-relic-key", &["NRAK-", "NRJS-", "NRII-"], Body::Word, 19, 40),
    strong("sentry-token", &["sntrys_"], Body::Wide, 64, ANY),
    strong("sentry-token", &["sntryu_"], Body::Hex, 64, 64),
    strong("square-token", &["sq0atp-", "sq0csp-"], Body::Word, 22, 43),
    strong("groq-key", &["gsk_"], Body::Alnum, 52, 52),
    strong("xai-key", &["xai-"], Body::Alnum, 80, 80),
    strong("perplexity-key", &["pplx-"], Body::Alnum, 48, 56),
    strong("replicate-token", &["r8_"], Body::Alnum, 37, 37),
    strong("buildkite-token", &["bkua_", "bkct_", "bkaj_"], Body::Alnum, 40, 40),
    strong("circleci-token", &["CCIPAT_", "CCIPRJ_"], Body::Word, 60, 80),
    weak("artifactory-token", &["AKCp"], Body::Alnum, 69, 73),
    strong("artifactory-token", &["cmVmdGtuOj"], Body::Alnum, 54, 54),
    strong("tailscale-key", &["tskey-"], Body::Word, 24, 80),
    strong("brevo-key", &["xkeysib-"], Body::Word, 81, 81),
    strong("netlify-token", &["nfp_"], Body::Alnum, 36, 40),
    strong("contentful-token", &["CFPAT-"], Body::Word, 43, 43),
    strong("dynatrace-token", &["dt0c01."], Body::Dotted, 89, 89),
    strong("onepassword-token", &["ops_eyJ"], Body::Wide, 200, ANY),
    strong("aws-bedrock-key", &["ABSKQmVkcm9ja0FQSUtleS"], Body::Wide, 91, 253),
    strong("aws-bedrock-key", &["bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t"], Body::Wide, 32, ANY),
    strong("cloudflare-token", &["cfut_", "cfat_", "cfk_"], Body::Word, 40, 64),
    strong("dropbox-token", &["sl.u.A"], Body::Word, 120, ANY),
    strong("posthog-key", &["phx_"], Body::Alnum, 40, 48),
    weak("fireworks-key", &["fw_"], Body::Alnum, 22, 24),
    strong("tavily-key", &["tvly-"], Body::Word, 32, 64),
    strong("nvidia-key", &["nvapi-"], Body::Word, 60, 70),
    weak("cerebras-key", &["csk-"], Body::Alnum, 48, 48),
    strong("jina-key", &["jina_"], Body::Alnum, 60, 60),
    strong("langsmith-key", &["lsv2_pt_", "lsv2_sk_"], Body::Word, 43, 43),
    strong("langfuse-key", &["sk-lf-"], Body::Word, 36, 36),
    strong("e2b-key", &["e2b_"], Body::Hex, 40, 40),
    weak("firecrawl-key", &["fc-"], Body::Hex, 32, 32),
    strong("pinecone-key", &["pcsk_"], Body::Word, 60, 80),
    strong("vercel-token", &["vercel_blob_rw_"], Body::Word, 40, 64),
    weak("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], Body::Alnum, 24, 80),
    weak("render-key", &["rnd_"], Body::Alnum, 28, 32),
    strong("sonar-token", &["sqp_", "squ_", "sqa_"], Body::Hex, 40, 40),
    strong("shippo-token", &["shippo_live_"], Body::Hex, 40, 40),
    weak("easypost-key", &["EZAK", "EZTK"], Body::Alnum, 54, 54),
    strong("typeform-token", &["tfp_"], Body::Word, 40, 62),
    weak("nuget-key", &["oy2"], Body::Alnum, 43, 43),
    strong("age-key", &["AGE-SECRET-KEY-1"], Body::Upper, 58, 58),
    weak("elevenlabs-key", &["sk_"], Body::Hex, 48, 48),
    weak("volcengine-access-key", &["AKLT"], Body::Alnum, 40, 48),
    strong("baidu-key", &["bce-v3/ALTAK-"], Body::Wide, 60, 64),
    weak("sourcegraph-token", &["sgp_"], Body::Word, 40, 64),
    strong("wandb-key", &["wandb_v1_"], Body::Word, 60, 90),
    strong("together-key", &["tgp_v1_"], Body::Word, 43, 43),
    strong("openshift-token", &["sha256~"], Body::Word, 43, 43),
    strong("amazon-key", &["amzn.mws."], Body::Word, 36, 36),
    strong("amazon-key", &["amzn1.oa2-cs.v1."], Body::Hex, 64, 64),
    strong("facebook-token", &["EAACEdEose0cBA"], Body::Alnum, 40, ANY),
    strong("duffel-token", &["duffel_live_", "duffel_test_"], Body::Word, 43, 43),
    weak("neon-key", &["napi_"], Body::Alnum, 40, 70),
    weak("deno-token", &["ddp_", "ddw_"], Body::Alnum, 36, 36),
    strong("mailersend-key", &["mlsn."], Body::Hex, 64, 64),
    strong("logfire-token", &["pylf_v1_us_", "pylf_v1_eu_"], Body::Alnum, 43, 43),
    strong("honeycomb-key", &["hcaik_", "hcxik_"], Body::Alnum, 58, 58),
    weak("runpod-key", &["rpa_"], Body::Alnum, 40, 52),
];

fn never(_: &str, _: &str) -> bool {
    false
}

impl Token {
    /// The token whose prefix stands at `start`, if there is one.
    pub(crate) fn find(
        &self,
        text: Text<'_>,
        start: usize,
        prefix: &str,
        read: &mut [Run; 6],
    ) -> Option<Finding> {
        let bytes = text.bytes();
        let from = start + prefix.len();
        if bytes.get(start..from)? != prefix.as_bytes() || (self.weak && !starts_word(bytes, start)) {
            return None;
        }
        let kinds = self.body.kinds();
        // Most prefixes that are words are followed by one character that no body has.
        if !class::is(*bytes.get(from)?, kinds) {
            return None;
        }
        let end = read[self.body as usize].end(from, || {
            let run = &bytes[from..from + class::long_run(&bytes[from..], kinds)];
            from + run.len() - class::run_back(run, DOT | DASH | EQUALS | PERCENT | SLASH | PLUS)
        });
        let end = end + self.missing_dashes(bytes, from, end);
        let body = text.as_str().get(from..end)?;
        if body.len() < LEAST || (self.weak && is_word(body)) {
            return None;
        }
        let level = match body.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'-' | b'_' | b'.')) {
            true => Level::Notice,
            false if self.is_valid(prefix, body) => Level::Secret,
            false => Level::Suspect,
        };
        Some(Finding { rule: self.rule, start, end, level })
    }

    fn is_valid(&self, prefix: &str, body: &str) -> bool {
        self.valid.contains(&body.len()) && self.check.is_none_or(|check| check(prefix, body))
    }

    /// A dash after a body is the text's, unless the body is too short without it: one token in sixty ends in one.
    fn missing_dashes(&self, bytes: &[u8], from: usize, end: usize) -> usize {
        let missing = self.valid.start().saturating_sub(end - from);
        let is_missing = (1..=2).contains(&missing) && class::is(b'-', self.body.kinds());
        let dashes = || class::run(&bytes[end..bytes.len().min(end + missing)], DASH);
        if is_missing && dashes() == missing { missing } else { 0 }
    }

    /// Whether a token of another length or checksum is certainly none of this kind.
    pub(crate) fn is_exact(&self) -> bool {
        !self.weak && (self.check.is_some() || self.valid.start() == self.valid.end())
    }
}

/// Letters alone are a word, unless there are more of them than any word has.
fn is_word(body: &str) -> bool {
    body.len() < 32 && !body.bytes().any(|byte| byte.is_ascii_digit())
}

impl Body {
    fn kinds(self) -> Kinds {
        match self {
            Self::Hex => HEX,
            Self::Upper => UPPER | DIGIT,
            Self::Alnum => ALNUM,
            Self::Word => WORD,
            Self::Dotted => WORD | DOT,
            Self::Wide => WORD | DOT | EQUALS | PLUS | SLASH | PERCENT,
        }
    }
}
