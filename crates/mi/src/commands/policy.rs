//! `mi box policy`: the rules of admission, shown, tested and explained.

use mi_admission::{RULES, Rule, RunSpec, rule_named, test_rules};
use serde_json::{Value, json};
use std::path::Path;

use super::admission::{self, Rules};
use crate::{
    app::App,
    args::{PolicyAction, PolicyArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &PolicyArgs) -> Outcome {
    match &args.action {
        PolicyAction::List => list(app),
        PolicyAction::Test => test(app),
        PolicyAction::Explain { what } => match rules().find(|rule| rule.id == what) {
            Some(rule) => explain_rule(app, rule),
            None if is_rule_id(what) && !Path::new(what).exists() => {
                Err(Failure::usage(format!("there is no rule `{what}`"))
                    .todo("mi box policy list shows them all"))
            }
            None => explain_request(app, Path::new(what)),
        },
        PolicyAction::Example => app.print(&RunSpec::example().to_json()),
    }
}

/// The rules of the request, then those of its run.
fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(&mi_box::RULES)
}

/// LETTER.word, as every rule is called.
fn is_rule_id(what: &str) -> bool {
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    what.split_once('.').is_some_and(|(letter, word)| {
        letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_uppercase()) && is_word(word)
    })
}

fn list(app: &App) -> Outcome {
    let rules = Rules::load(app)?;
    let names: Vec<String> = admission::organisation(app).into_iter().map(|source| source.name).collect();
    let in_force = |expiry| app.clock.now() < expiry;
    if app.common.json {
        let exceptions: Vec<Value> = rules
            .exceptions
            .iter()
            .map(|exception| json!({"exception": exception, "in_force": in_force(exception.expiry)}))
            .collect();
        let rules_shown: Vec<Value> = self::rules().map(rule_for_programs).collect();
        return app.print_json(&json!({
            "rules": rules_shown, "organisation": names, "exceptions": exceptions, "policy_hash": rules.policies.hash(),
        }));
    }
    let mut lines: Vec<String> =
        self::rules().map(|rule| format!("{:<16} {}", rule.id, sentence(rule))).collect();
    lines.extend(names.iter().map(|name| format!("organisation     {name}")));
    for exception in rules.exceptions.iter() {
        let state = if in_force(exception.expiry) { "in force until" } else { "expired" };
        let (id, rule, owner) = (&exception.id, &exception.rule, &exception.owner);
        lines.push(format!("exception        {id}: {rule}, {owner}, {state} {}", exception.expiry));
    }
    lines.push(format!("policy hash      {}", rules.policies.hash()));
    app.print(&lines.join("\n"))
}

fn sentence(rule: &Rule) -> String {
    if rule.field.is_empty() { rule.demand.to_owned() } else { format!("{} {}", rule.field, rule.demand) }
}

fn rule_for_programs(rule: &Rule) -> Value {
    json!({"rule": rule.id, "field": rule.field, "demand": rule.demand, "can_be_lifted": rule.can_be_lifted()})
}

fn test(app: &App) -> Outcome {
    let tests = test_rules(&Rules::load(app)?.policies, app.clock.now());
    let failed = tests.iter().filter(|test| !test.passed).count();
    if app.common.json {
        let shown: Vec<Value> = tests
            .iter()
            .map(|test| json!({"rule": test.rule, "shown": test.shown, "passed": test.passed}))
            .collect();
        app.print_json(&json!({"passed": failed == 0, "tests": shown}))?;
    } else {
        let line = |test: &mi_admission::RuleTest| {
            let word = if test.passed { "ok  " } else { "FAIL" };
            format!("{word} {:<15} {}", test.rule, test.shown)
        };
        let mut lines: Vec<String> = tests.iter().map(line).collect();
        lines.push(format!("{} of {} passed", tests.len() - failed, tests.len()));
        app.print(&lines.join("\n"))?;
    }
    Ok(ExitReason::failed_if(failed > 0))
}

fn explain_rule(app: &App, rule: &Rule) -> Outcome {
    if app.common.json {
        let mut object = rule_for_programs(rule);
        object["policy"] = json!(rule.policy());
        return app.print_json(&object);
    }
    let lifted = if rule.can_be_lifted() {
        "An Exception DR can lift it: id, rule, owner, reason, expiry and rollback in MI_HOME/exceptions/ID.json"
    } else {
        "Nothing lifts it"
    };
    let policy = rule.policy().map_or(String::new(), |text| format!("\n\n{}", text.trim_end()));
    app.print(&format!("{}: {}\n{lifted}{policy}", rule.id, sentence(rule)))
}

/// Every rule with what it says about a request.
fn explain_request(app: &App, file: &Path) -> Outcome {
    let request = admission::read_request(file)?;
    let verdict = Rules::load(app)?.admit(app, &request);
    if app.common.json {
        app.print_json(&admission::for_programs(&verdict))?;
    } else {
        let mut lines = Vec::new();
        for rule in RULES.iter().filter(|rule| rule.by_policy) {
            let against = verdict.denials().iter().filter(|denial| denial.rule == rule.id);
            let mut reasons = against.map(admission::denial_line).peekable();
            match reasons.peek() {
                None => lines.push(format!("ok    {}  {}", rule.id, sentence(rule))),
                Some(_) => lines.extend(reasons.map(|reason| format!("DENY  {reason}"))),
            }
        }
        let others = verdict
            .denials()
            .iter()
            .filter(|denial| rule_named(&denial.rule).is_none_or(|rule| !rule.by_policy));
        lines.extend(others.map(|denial| format!("DENY  {}", admission::denial_line(denial))));
        app.print(&lines.join("\n"))?;
    }
    Ok(admission::exit(&verdict))
}
