//! KACHING: which licences a delivery may carry.
//!
//! [`Expression`] reads SPDX licence expressions (`MIT OR (Apache-2.0 WITH LLVM-exception AND BSD-3-Clause)`);
//! [`Policy`] judges them; [`judge_record`] reads SBOMs, SPDX and CycloneDX as JSON. Holds: what cannot be read, or is not
//! said, is unknown, and unknown is not allowed. A person's own note is enough only where nobody configured a policy.

use serde_json::Value;

/// Nothing in a real SBOM is nested deeper.
const DEEPEST: usize = 64;

/// A licence expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    Licence { id: String, exception: Option<String> },
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

/// Why a text is no licence expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no SPDX licence expression: {problem}")]
pub struct ExpressionError {
    pub text: String,
    pub problem: &'static str,
}

impl Expression {
    pub fn read(text: &str) -> Result<Self, ExpressionError> {
        let wrong = |problem| ExpressionError { text: text.to_owned(), problem };
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut reader = Reader { words: spaced.split_whitespace().collect(), at: 0 };
        let expression = reader.any(0).map_err(wrong)?;
        match reader.peek() {
            None => Ok(expression),
            Some(_) => Err(wrong("something follows its end")),
        }
    }
}

struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn any(&mut self, depth: usize) -> Result<Expression, &'static str> {
        let mut parts = vec![self.all(depth)?];
        while self.take("OR") {
            parts.push(self.all(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Result<Expression, &'static str> {
        let mut parts = vec![self.one(depth)?];
        while self.take("AND") {
            parts.push(self.one(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    fn one(&mut self, depth: usize) -> Result<Expression, &'static str> {
        if depth > DEEPEST {
            return Err("it is nested too deeply");
        }
        if self.take("(") {
            let inner = self.any(depth + 1)?;
            return if self.take(")") { Ok(inner) } else { Err("a bracket is not closed") };
        }
        let id = self.id()?;
        let exception = if self.take("WITH") { Some(self.id()?) } else { None };
        Ok(Expression::Licence { id, exception })
    }

    fn id(&mut self) -> Result<String, &'static str> {
        let word = self.peek().ok_or("a licence is missing")?.to_owned();
        let is_word = word.chars().all(|char| char.is_ascii_alphanumeric() || "-.+:".contains(char));
        if !is_word || ["AND", "OR", "WITH"].iter().any(|operator| word.eq_ignore_ascii_case(operator)) {
            return Err("a licence is missing");
        }
        self.at += 1;
        Ok(word)
    }
}

/// Which licences are allowed; `deny` wins over `allow`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    /// The person wrote it: then a record that it cannot be held against is no proof.
    pub is_configured: bool,
}

impl Default for Policy {
    /// Permissive licences.
    fn default() -> Self {
        let allow = [
            "MIT",
            "MIT-0",
            "Apache-2.0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "0BSD",
            "ISC",
            "Zlib",
            "Unlicense",
            "CC0-1.0",
            "Unicode-3.0",
            "Unicode-DFS-2016",
            "BSL-1.0",
            "PSF-2.0",
            "Python-2.0",
            "BlueOak-1.0.0",
        ];
        Self { allow: allow.map(str::to_owned).to_vec(), deny: Vec::new(), is_configured: false }
    }
}

/// What the policy says about a licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Allowed,
    Unknown,
    Denied,
}

impl Policy {
    /// All parts of an AND must be allowed, one of an OR.
    pub fn judge(&self, expression: &Expression) -> Verdict {
        match expression {
            Expression::Licence { id, .. } => self.judge_one(id),
            Expression::All(parts) => {
                parts.iter().map(|part| self.judge(part)).max().unwrap_or(Verdict::Unknown)
            }
            Expression::Any(parts) => {
                parts.iter().map(|part| self.judge(part)).min().unwrap_or(Verdict::Unknown)
            }
        }
    }

    fn judge_one(&self, id: &str) -> Verdict {
        let plain = id.strip_suffix('+').unwrap_or(id);
        let has = |list: &[String]| {
            list.iter().any(|known| known.eq_ignore_ascii_case(plain) || known.eq_ignore_ascii_case(id))
        };
        match (has(&self.deny), has(&self.allow)) {
            (true, _) => Verdict::Denied,
            (false, true) => Verdict::Allowed,
            (false, false) => Verdict::Unknown,
        }
    }
}

const UNREADABLE: &str = "it cannot be read as an SBOM; give SPDX or CycloneDX as JSON";

/// Why the record of licences proves nothing, if it does not.
pub fn judge_record(content: &[u8], policy: &Policy) -> Option<String> {
    match serde_json::from_slice::<Value>(content) {
        Ok(value) if value.get("spdxVersion").is_some() => {
            judge_packages(value.get("packages").and_then(Value::as_array), policy, said_by_spdx)
        }
        Ok(value) if value.get("bomFormat").is_some() => {
            judge_packages(components(&value).as_ref(), policy, said_by_cyclonedx)
        }
        Ok(value) if policy.is_configured || value.get("@graph").is_some() => Some(UNREADABLE.to_owned()),
        Err(_) if policy.is_configured || looks_like_sbom(content) => Some(UNREADABLE.to_owned()),
        Ok(_) | Err(_) => None,
    }
}

/// Whether a text that is no JSON was meant to be read by a machine: JSON that was cut off, XML, SPDX's tags and values.
fn looks_like_sbom(content: &[u8]) -> bool {
    let text = content.trim_ascii();
    text.starts_with(b"{") || text.starts_with(b"<") || text.starts_with(b"SPDXVersion:")
}

/// The first packages that the policy does not allow, as one sentence; a document without a list of them proves nothing.
fn judge_packages(
    packages: Option<&Vec<Value>>,
    policy: &Policy,
    said: fn(&Value) -> Option<String>,
) -> Option<String> {
    let Some(packages) = packages else { return Some("it lists no packages".to_owned()) };
    let judge = |package: &Value| judge_package(package, said(package), policy);
    let problems: Vec<String> = packages.iter().filter_map(judge).collect();
    match problems.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first, rest @ ..] => Some(format!("{first}; and {} more", rest.len())),
    }
}

/// Every component, also those inside others.
fn components(bom: &Value) -> Option<Vec<Value>> {
    let list = bom.get("components")?.as_array()?;
    let inner = list.iter().filter_map(components).flatten();
    Some(list.iter().cloned().chain(inner).collect())
}

fn said_by_spdx(package: &Value) -> Option<String> {
    let text = |key: &str| {
        package.get(key).and_then(Value::as_str).filter(|text| !["NOASSERTION", "NONE", ""].contains(text))
    };
    text("licenseConcluded").or_else(|| text("licenseDeclared")).map(str::to_owned)
}

/// All licences of a component hold together.
fn said_by_cyclonedx(component: &Value) -> Option<String> {
    let one = |choice: &Value| {
        let licence = choice.get("license");
        let id = licence.and_then(|licence| licence.get("id").or_else(|| licence.get("name")));
        choice.get("expression").or(id)?.as_str().map(|text| format!("({text})"))
    };
    let all: Option<Vec<String>> = component.get("licenses")?.as_array()?.iter().map(one).collect();
    all.filter(|all| !all.is_empty()).map(|all| all.join(" AND "))
}

fn judge_package(package: &Value, said: Option<String>, policy: &Policy) -> Option<String> {
    let name = package.get("name").and_then(Value::as_str).unwrap_or("(no name)");
    let Some(said) = said else { return Some(format!("{name}: no licence is stated")) };
    match Expression::read(&said).map(|expression| policy.judge(&expression)) {
        Ok(Verdict::Allowed) => None,
        Ok(Verdict::Unknown) => Some(format!("{name}: `{said}` is not on the list of allowed licences")),
        Ok(Verdict::Denied) => Some(format!("{name}: `{said}` is denied")),
        Err(error) => Some(format!("{name}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn judged(text: &str) -> Result<Verdict, ExpressionError> {
        let policy = Policy { deny: vec!["AGPL-3.0-only".to_owned()], ..Policy::default() };
        Expression::read(text).map(|expression| policy.judge(&expression))
    }

    /// Expressions are judged by their structure; AND binds tighter than OR.
    #[test]
    fn kaching_expressions_are_judged() {
        for (text, verdict) in [
            ("MIT", Verdict::Allowed),
            ("mit or GPL-3.0-only", Verdict::Allowed),
            ("MIT AND GPL-3.0-only", Verdict::Unknown),
            ("MIT OR GPL-3.0-only AND AGPL-3.0-only", Verdict::Allowed),
            ("(MIT OR GPL-3.0-only) AND AGPL-3.0-only", Verdict::Denied),
            ("Apache-2.0 WITH LLVM-exception", Verdict::Allowed),
            ("Apache-2.0+", Verdict::Allowed),
            ("LicenseRef-own", Verdict::Unknown),
            ("AGPL-3.0-only OR MIT", Verdict::Allowed),
        ] {
            assert_eq!(judged(text), Ok(verdict), "{text}");
        }
        for bad in ["", "AND", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "MIT/Apache-2.0", "()"]
        {
            assert!(judged(bad).is_err(), "{bad}");
        }
        assert!(judged(&"(".repeat(10_000)).is_err());
    }

    /// One package without a good licence spoils the whole.
    #[test]
    fn kaching_packages_are_judged() {
        let sbom = |licence: &str| json!({"spdxVersion": "SPDX-2.3", "packages": [{"name": "a", "licenseConcluded": "MIT"}, {"name": "b", "licenseDeclared": licence}]});
        let judged = |sbom: &Value| judge_record(sbom.to_string().as_bytes(), &Policy::default());
        assert_eq!(judged(&sbom("ISC")), None);
        assert_eq!(judged(&sbom("NOASSERTION")).unwrap(), "b: no licence is stated");
        assert!(judged(&sbom("GPL-3.0-only")).unwrap().starts_with("b: `GPL-3.0-only` is not"));
        assert_eq!(judged(&json!({"spdxVersion": "SPDX-2.3"})).unwrap(), "it lists no packages");
    }

    /// CycloneDX says its licences in three ways, and components have components.
    #[test]
    fn kaching_components_are_judged() {
        let bom = |licences: Value| {
            let inner = json!([{"name": "b", "licenses": licences}]);
            let outer = json!([{"name": "a", "licenses": [{"license": {"id": "MIT"}}], "components": inner}]);
            let bom = json!({"bomFormat": "CycloneDX", "components": outer});
            judge_record(bom.to_string().as_bytes(), &Policy::default())
        };
        assert_eq!(bom(json!([{"expression": "ISC OR GPL-3.0-only"}, {"license": {"id": "MIT"}}])), None);
        assert!(bom(json!([{"license": {"id": "MIT"}}, {"license": {"id": "GPL-3.0-only"}}])).is_some());
        assert!(bom(json!([{"license": {"name": "my own licence"}}])).is_some());
        assert_eq!(bom(json!([])).unwrap(), "b: no licence is stated");
        assert!(judge_record(br#"{"bomFormat":"CycloneDX"}"#, &Policy::default()).is_some());
    }

    /// A policy that cannot be evaluated denies: an SBOM that was cut off or has another form; with a policy of the
    /// person's own, also a note that is no SBOM.
    #[test]
    fn kaching_what_cannot_be_read_is_not_allowed() {
        let own = Policy { is_configured: true, ..Policy::default() };
        for record in
            ["{\"spdxVersion\":\"SPDX-2.3\",\"pack", "SPDXVersion: SPDX-2.3\n", "<bom/>", "{\"@graph\":[]}"]
        {
            assert!(judge_record(record.as_bytes(), &Policy::default()).is_some(), "{record}");
            assert!(judge_record(record.as_bytes(), &own).is_some(), "{record}");
        }
        for note in ["looked at by hand", "{\"ok\":true}", "[]"] {
            assert_eq!(judge_record(note.as_bytes(), &Policy::default()), None, "{note}");
            assert!(judge_record(note.as_bytes(), &own).is_some(), "{note}");
        }
    }
}
