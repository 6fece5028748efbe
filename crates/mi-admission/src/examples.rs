//! For every rule a request that it must deny, so that a person can see the rules work: `mi box policy test`.

use mi_model::Timestamp;

use crate::{Exceptions, Policies, RunSpec, admit};

/// One check of the rules themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTest {
    /// The rule, or the file of an organisation's policy.
    pub rule: String,
    /// What was shown to it.
    pub shown: String,
    pub passed: bool,
}

/// Shows the good request and one bad request per rule to the built-in policies, and tests the organisation's.
pub fn test_rules(policies: &Policies, now: Timestamp) -> Vec<RuleTest> {
    let good = RunSpec::example().to_json();
    let builtin = Policies::builtin();
    let judge = |text: &str| admit(text.as_bytes(), &builtin, &Exceptions::none(), now);
    let mut tests = vec![RuleTest {
        rule: "all".to_owned(),
        shown: "the good request is admitted".to_owned(),
        passed: judge(&good).is_admitted(),
    }];
    for (rule, old, new) in CHANGES {
        let changed = good.replacen(old, new, 1);
        let denied = judge(&changed).denials().iter().any(|denial| denial.rule == rule);
        let shown = format!("{} is denied", shown(old, new));
        tests.push(RuleTest { rule: rule.to_owned(), shown, passed: denied && changed != good });
    }
    let own = policies.run_tests(good.as_bytes()).into_iter();
    tests.extend(own.map(|(rule, shown, passed)| RuleTest { rule, shown, passed }));
    tests
}

fn shown(old: &str, new: &str) -> String {
    let old = old.split_whitespace().collect::<Vec<_>>().join(" ");
    let new = new.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = |text: &str| mi_model::shorten(text, 40);
    format!("{} for {}", if new.is_empty() { "nothing".to_owned() } else { cut(&new) }, cut(&old))
}

/// Rule, and a text of the good request with what it is replaced by.
const CHANGES: [(&str, &str, &str); 24] = [
    ("A.depth", "\"DEMO-INT-001\"", "[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]"),
    ("A.duplicate", "\"network\": \"none\"", "\"network\": \"none\", \"network\": \"none\""),
    ("A.encoding", "{", "\u{feff}{"),
    ("A.json", "{", "{ // a comment"),
    ("A.missing", "\"network\": \"none\",", ""),
    ("A.type", "\"pids\": 256", "\"pids\": \"256\""),
    ("A.unknown", "{", "{\"privileged\": false,"),
    ("A.command", "\"/bin/sh\"", "\"\""),
    ("A.task_id", "DEMO-INT-001", "demo"),
    ("F.cap_drop", "\"ALL\"", "\"NET_RAW\""),
    ("F.network", "\"none\"", "\"host\""),
    ("F.read_only", "\"read_only\": true", "\"read_only\": false"),
    ("F.security_opt", "no-new-privileges", "seccomp=unconfined"),
    ("F.upload", "make test", "make test && git push"),
    ("F.user", "1000:1000", "0:0"),
    ("I.image", "@sha256:9f86", ":latest"),
    ("N.mounts", "\"source\": \"input\"", "\"source\": \"nas:/export\""),
    ("S.env", "\"TZ\"", "\"HOME\": \"/root\", \"TZ\""),
    ("S.mounts", "\"source\": \"input\"", "\"source\": \"/root/.ssh\""),
    ("S.secret", "make test", "curl -u me:hunter2hunter2 https://me:hunter2hunter2@host/"),
    ("W.env", "\"WORKSPACE_ROOT\": \"/workspace\"", "\"WORKSPACE_ROOT\": \"/\""),
    ("W.mounts", "\"ro\"", "\"rw\""),
    ("X.determinism", "\"TZ\": \"UTC\"", "\"TZ\": \"CET\""),
    ("X.limits", "\"pids\": 256", "\"pids\": 100000"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{RULES, rule_named};

    /// Every rule that can fail by a change of the good request has such a change, and it is denied by that rule.
    #[test]
    fn every_rule_denies_its_example() {
        let results = test_rules(&Policies::builtin(), Timestamp::from_millis(0));
        let failed: Vec<_> = results.iter().filter(|test| !test.passed).collect();
        assert_eq!(failed, Vec::<&RuleTest>::new());
        let has_example = |id: &str| CHANGES.iter().any(|(rule, _, _)| *rule == id);
        let without: Vec<_> = RULES.iter().map(|rule| rule.id).filter(|id| !has_example(id)).collect();
        assert_eq!(without, ["A.policy", "A.size"]);
        assert!(CHANGES.iter().all(|(rule, _, _)| rule_named(rule).is_some()));
    }
}
