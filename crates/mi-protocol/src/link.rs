//! From the file as written to the protocol as it runs: names are looked up, expressions compiled.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    access::Glob,
    builtin::BuiltIn,
    expr::{self, ExprError},
    file::{
        ClaimDraft, Draft, EdgeDraft, InvariantDraft, Named, OnGuardFail, PolicyDraft, RuleDraft, Source,
    },
    problem::{Kind, Problems},
    protocol::{
        Access, Check, CheckRule, Claim, Edge, ExprId, Expression, Invariant, Node, OnFail, Policy, Protocol,
        Rule,
    },
    said::{fold, fold_source},
    state::{self, Field},
};

/// The protocol, if nothing is wrong. Problems found before count too.
pub fn link(draft: &Draft, source: &str, digest: String, problems: &mut Problems) -> Option<Protocol> {
    let start = draft.start.as_ref();
    let mut linker = Linker {
        source,
        problems,
        fields: fields(draft),
        expressions: Vec::new(),
        compiled: HashMap::new(),
        node_index: index(draft.nodes.iter().map(|node| node.id.text.as_str())),
        policy_index: index(draft.policies.iter().map(|policy| policy.id.text.as_str())),
        draft,
    };
    linker.duplicates();
    let (invariants, checks) = linker.invariants();
    let invariant_index = index(invariants.iter().map(|invariant| invariant.id.as_str()));
    let policies = linker.policies();
    let edges = linker.edges(&invariant_index);
    let start = start.and_then(|start| linker.node(start));
    let off = linker.off();
    if linker.problems.has_errors() {
        return None;
    }
    let Linker { fields, expressions, .. } = linker;
    let nodes: Vec<Node> = draft.nodes.iter().map(node).collect();
    let named: HashSet<usize> = edges.iter().flat_map(|edge: &Edge| edge.policies.iter().copied()).collect();
    let everywhere = (0..policies.len())
        .filter(|policy| !named.contains(policy) && matches!(policies[*policy].rule, Rule::Expr(_)))
        .collect();
    Some(Protocol {
        name: draft.name.clone(),
        digest,
        start: start?,
        node_index: nodes.iter().enumerate().map(|(at, node)| (Arc::clone(&node.id), at)).collect(),
        edge_index: edges.iter().enumerate().map(|(at, edge)| (Arc::clone(&edge.id), at)).collect(),
        field_index: fields.iter().enumerate().map(|(at, field)| (field.name.clone(), at)).collect(),
        claim_index: draft.claims.iter().enumerate().map(|(at, claim)| (claim.id.text.clone(), at)).collect(),
        readers: readers(fields.len(), &expressions),
        access: draft.access_rules.iter().map(access).collect(),
        claims: draft.claims.iter().map(claim).collect(),
        nodes,
        edges,
        fields,
        expressions,
        policies,
        everywhere,
        invariants,
        checks,
        off,
    })
}

fn index<'n>(names: impl Iterator<Item = &'n str>) -> HashMap<String, usize> {
    let mut index = HashMap::new();
    for (at, name) in names.enumerate() {
        index.entry(name.to_owned()).or_insert(at);
    }
    index
}

fn fields(draft: &Draft) -> Vec<Field> {
    let start = draft.start.as_ref().map_or("", |start| start.text.as_str());
    let mut fields = state::built_in(start);
    fields.extend(draft.fields.iter().map(|(field, _)| field.clone()));
    fields
}

fn readers(slots: usize, expressions: &[Expression]) -> Vec<Vec<ExprId>> {
    let mut readers = vec![Vec::new(); slots];
    for (id, expression) in expressions.iter().enumerate() {
        for &slot in &expression.checked.program.reads {
            readers[slot].push(id);
        }
    }
    readers
}

fn node(draft: &crate::file::NodeDraft) -> Node {
    Node {
        id: Arc::from(draft.id.text.as_str()),
        title: draft.title.clone(),
        is_end: draft.is_end,
        validator: draft.validator,
        subphases: draft.subphases.iter().map(|name| name.text.clone()).collect(),
        minimum_duration: draft.minimum_duration,
        files: draft.files.clone(),
        checks: draft.checks.clone(),
        prompt: draft.prompt.clone(),
        place: draft.place,
    }
}

fn access(rule: &crate::file::AccessRule) -> Access {
    Access {
        actor: rule.actor.clone(),
        glob: Glob::new(&rule.pattern),
        mode: rule.mode.clone(),
        allowed: rule.allowed,
        reason: rule.reason.clone(),
    }
}

fn claim(draft: &ClaimDraft) -> Claim {
    Claim {
        id: draft.id.text.clone(),
        source: fold_source(&draft.source),
        trust: draft.trust,
        evidence_ids: draft.evidence_ids.clone(),
        status: draft.status,
    }
}

struct Linker<'d> {
    draft: &'d Draft,
    source: &'d str,
    problems: &'d mut Problems,
    fields: Vec<Field>,
    expressions: Vec<Expression>,
    /// Expressions that were compiled already; tables repeat their guards.
    compiled: HashMap<&'d str, ExprId>,
    node_index: HashMap<String, usize>,
    policy_index: HashMap<String, usize>,
}

impl<'d> Linker<'d> {
    fn duplicates(&mut self) {
        let draft = self.draft;
        self.unique("node", draft.nodes.iter().map(|node| &node.id));
        self.unique("edge", draft.edges.iter().map(|edge| &edge.id));
        self.unique("policy", draft.policies.iter().map(|policy| &policy.id));
        self.unique("claim", draft.claims.iter().map(|claim| &claim.id));
        self.unique("invariant", draft.invariants.iter().map(|invariant| &invariant.id));
        self.unique("built-in", draft.off.iter().map(|off| &off.id));
        let built_in = state::built_in("");
        for (field, place) in &draft.fields {
            if built_in.iter().any(|known| known.name == field.name) {
                let message = format!("`{}` is a built-in field", field.name);
                self.problems.add(Kind::DuplicateId, *place, message, "take it out; it is there already");
            }
        }
    }

    fn unique<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n Named>) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name.text.as_str()) {
                let message = format!("the id `{}` belongs to another {what} already", name.text);
                self.problems.add(Kind::DuplicateId, name.place, message, "give it another id");
            }
        }
    }

    fn expression(&mut self, source: &'d Source) -> Option<ExprId> {
        if let Some(&id) = self.compiled.get(source.text()) {
            return Some(id);
        }
        match expr::compile(source.text(), &self.fields) {
            Ok(checked) => {
                self.expressions.push(Expression { text: source.text().trim().to_owned(), checked });
                self.compiled.insert(source.text(), self.expressions.len() - 1);
                Some(self.expressions.len() - 1)
            }
            Err(error) if self.is_told_already(source.text(), &error) => None,
            Err(ExprError { kind, at, message, hint }) => {
                let place = source.scalar.place_of(self.source, source.place, at);
                self.problems.add(kind, place, message, hint);
                None
            }
        }
    }

    /// Whether an expression fails only because it names a field that stands in the file with a mistake of its own.
    fn is_told_already(&self, text: &str, error: &ExprError) -> bool {
        if error.kind != Kind::UnknownField {
            return false;
        }
        let mut chars = text.chars();
        let before: String = chars.by_ref().take(error.at).collect();
        let name: String = chars.take_while(|char| char.is_ascii_alphanumeric() || *char == '_').collect();
        let root = before.trim_end().strip_suffix('.').map(str::trim_end);
        root.is_some_and(|root| root.ends_with("state")) && self.draft.named_fields.contains(&name)
    }

    fn node(&mut self, name: &Named) -> Option<usize> {
        if let Some(&node) = self.node_index.get(&name.text) {
            return Some(node);
        }
        if !self.draft.named_nodes.contains(&name.text) {
            let known = self.draft.nodes.iter().map(|node| node.id.text.as_str());
            let hint = self.problems.suggestion(&name.text, known);
            self.problems.add(
                Kind::UnknownRef,
                name.place,
                format!("there is no node `{}`", name.text),
                hint,
            );
        }
        None
    }

    fn policy(&mut self, name: &Named) -> Option<usize> {
        if let Some(&policy) = self.policy_index.get(&name.text) {
            return Some(policy);
        }
        if !self.draft.named_policies.contains(&name.text) {
            let known = self.draft.policies.iter().map(|policy| policy.id.text.as_str());
            let hint = self.problems.suggestion(&name.text, known);
            self.problems.add(
                Kind::UnknownRef,
                name.place,
                format!("there is no policy `{}`", name.text),
                hint,
            );
        }
        None
    }

    fn edges(&mut self, invariant_index: &HashMap<String, usize>) -> Vec<Edge> {
        let draft = self.draft;
        draft.edges.iter().filter_map(|edge| self.edge(edge, invariant_index)).collect()
    }

    fn edge(&mut self, draft: &'d EdgeDraft, invariant_index: &HashMap<String, usize>) -> Option<Edge> {
        let from = self.node(&draft.from);
        let to = self.node(&draft.to);
        let guard = draft.guard.as_ref().map(|guard| self.expression(guard));
        let on_guard_fail = match &draft.on_guard_fail {
            OnGuardFail::Block => Some(OnFail::Block),
            OnGuardFail::Rerun => Some(OnFail::Rerun),
            OnGuardFail::Escalate => Some(OnFail::Escalate),
            OnGuardFail::Reroute(target) => self.node(target).map(OnFail::Reroute),
        };
        let policies = draft.policy_refs.iter().filter_map(|name| self.policy(name)).collect();
        let invariants =
            draft.invariant_refs.iter().filter_map(|name| self.invariant(name, invariant_index)).collect();
        Some(Edge {
            id: Arc::from(draft.id.text.as_str()),
            class: draft.class,
            guard: guard.flatten(),
            guard_place: draft.guard.as_ref().map_or(draft.place, |guard| guard.place),
            guard_scope: draft.guard_scope,
            guard_type: draft.guard_type,
            evidence_source: draft.evidence_source.as_ref().map(|source| source.text().to_owned()),
            policies,
            invariants,
            needs_verification: draft.needs_verification,
            place: draft.place,
            from: from?,
            to: to?,
            on_guard_fail: on_guard_fail?,
        })
    }

    fn invariant(&mut self, name: &Named, invariant_index: &HashMap<String, usize>) -> Option<usize> {
        if let Some(&invariant) = invariant_index.get(&name.text) {
            return Some(invariant);
        }
        if self.draft.named_invariants.contains(&name.text) {
            return None;
        }
        if self.draft.off.iter().any(|off| off.id.text == name.text) {
            let message = format!("the invariant `{}` is off in this protocol", name.text);
            self.problems.add(
                Kind::UnknownRef,
                name.place,
                message,
                "take it out of builtin_off or out of the edge",
            );
            return None;
        }
        let hint = self.problems.suggestion(&name.text, invariant_index.keys().map(String::as_str));
        self.problems.add(
            Kind::UnknownRef,
            name.place,
            format!("there is no invariant `{}`", name.text),
            hint,
        );
        None
    }

    fn policies(&mut self) -> Vec<Policy> {
        let draft = self.draft;
        let mut conflicts: Vec<HashSet<usize>> = vec![HashSet::new(); draft.policies.len()];
        for (own, policy) in draft.policies.iter().enumerate() {
            for name in &policy.conflicts_with {
                let Some(other) = self.policy(name) else { continue };
                let new = conflicts[own].insert(other);
                conflicts[other].insert(own);
                if new && draft.policies[other].priority == policy.priority {
                    self.undecided(policy, &draft.policies[other]);
                }
            }
        }
        let rules: Vec<Option<Rule>> = draft.policies.iter().map(|policy| self.rule(&policy.rule)).collect();
        let parts = draft.policies.iter().zip(rules).zip(conflicts);
        parts.filter_map(|((policy, rule), conflicts)| linked(policy, rule?, conflicts)).collect()
    }

    fn undecided(&mut self, policy: &PolicyDraft, other: &PolicyDraft) {
        let (id, other) = (&policy.id.text, &other.id.text);
        let message =
            format!("`{id}` and `{other}` conflict at the same priority {}: neither wins", policy.priority);
        self.problems.add(Kind::Conflict, policy.place, message, "give one of them a higher priority");
    }

    fn rule(&mut self, rule: &'d RuleDraft) -> Option<Rule> {
        match rule {
            RuleDraft::Expr(source) => self.expression(source).map(Rule::Expr),
            RuleDraft::Text(phrases) => {
                Some(Rule::Text(phrases.iter().map(|phrase| fold(phrase.text())).collect()))
            }
        }
    }

    fn off(&mut self) -> Vec<(BuiltIn, String)> {
        let mut found = Vec::new();
        for off in &self.draft.off {
            match BuiltIn::ALL.into_iter().find(|built_in| built_in.id() == off.id.text) {
                Some(built_in) => found.push((built_in, off.reason.clone())),
                None => {
                    let known = BuiltIn::ALL.iter().map(|built_in| built_in.id());
                    let hint = self.problems.suggestion(&off.id.text, known);
                    let message = format!("there is no built-in invariant `{}`", off.id.text);
                    self.problems.add(Kind::UnknownRef, off.id.place, message, hint);
                }
            }
        }
        found
    }

    /// Built-in ones that the file does not name, then those of the file with the built-in ones under the same id.
    fn invariants(&mut self) -> (Vec<Invariant>, Vec<Check>) {
        let draft = self.draft;
        let (mut invariants, mut checks) = (Vec::new(), Vec::new());
        let is_on = |built_in: &BuiltIn| !draft.off.iter().any(|off| off.id.text == built_in.id());
        let in_file = |built_in: &BuiltIn| draft.invariants.iter().any(|own| own.id.text == built_in.id());
        for built_in in BuiltIn::ALL.into_iter().filter(|built_in| is_on(built_in) && !in_file(built_in)) {
            let check = Check {
                invariant: invariants.len(),
                timing: built_in.timing(),
                rule: CheckRule::BuiltIn(built_in),
            };
            checks.push(check);
            invariants.push(Invariant {
                id: built_in.id().to_owned(),
                severity: built_in.severity(),
                fail_action: built_in.fail_action(),
                checks: vec![checks.len() - 1],
            });
        }
        for own in &draft.invariants {
            let same = BuiltIn::ALL.into_iter().find(|built_in| built_in.id() == own.id.text);
            let same = same.filter(is_on);
            let invariant = self.own_invariant(own, same, invariants.len(), &mut checks);
            invariants.extend(invariant);
        }
        (invariants, checks)
    }

    fn own_invariant(
        &mut self,
        own: &'d InvariantDraft,
        same: Option<BuiltIn>,
        invariant: usize,
        checks: &mut Vec<Check>,
    ) -> Option<Invariant> {
        let expr = self.expression(&own.expr)?;
        let first = checks.len();
        let built_in = same.map(|built_in| Check {
            invariant,
            timing: built_in.timing(),
            rule: CheckRule::BuiltIn(built_in),
        });
        checks.extend(built_in);
        checks.push(Check { invariant, timing: Some(own.timing), rule: CheckRule::Expr(expr) });
        Some(Invariant {
            id: own.id.text.clone(),
            severity: own.severity,
            fail_action: own.fail_action,
            checks: (first..checks.len()).collect(),
        })
    }
}

fn linked(draft: &PolicyDraft, rule: Rule, conflicts: HashSet<usize>) -> Option<Policy> {
    let mut conflicts: Vec<usize> = conflicts.into_iter().collect();
    conflicts.sort_unstable();
    Some(Policy {
        id: draft.id.text.clone(),
        rule,
        priority: draft.priority,
        conflicts,
        override_mode: draft.override_mode,
        action: draft.action,
        place: draft.place,
    })
}
