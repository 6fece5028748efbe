//! Reach, dead ends and loops. A reroute counts as an edge, a rerun does not.

use crate::{
    expr::ast::{Ast, Comparison, Id, NodeKind},
    problem::{Kind, Problems},
    protocol::{Edge, OnFail, Protocol},
    words::EdgeClass,
};

/// Nodes that cannot be reached, and phases that nothing leaves.
pub fn reach(protocol: &Protocol, problems: &mut Problems) {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); protocol.nodes.len()];
    for edge in &protocol.edges {
        next[edge.from].push(edge.to);
        next[edge.from].extend(reroute(edge));
    }
    let mut seen = vec![false; protocol.nodes.len()];
    let mut waiting = vec![protocol.start];
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            waiting.extend(&next[node]);
        }
    }
    for (at, node) in protocol.nodes.iter().enumerate() {
        if !seen[at] {
            let message =
                format!("`{}` cannot be reached from `{}`", node.id, protocol.nodes[protocol.start].id);
            problems.add(
                Kind::Unreachable,
                node.place,
                message,
                "add an edge that leads to it, or remove it",
            );
        }
        if next[at].is_empty() && !node.is_end {
            let message = format!("nothing leaves `{}`", node.id);
            problems.add(Kind::DeadEnd, node.place, message, "add an edge, or make it `kind: end`");
        }
    }
}

fn reroute(edge: &Edge) -> Option<usize> {
    match edge.on_guard_fail {
        OnFail::Reroute(target) => Some(target),
        OnFail::Block | OnFail::Rerun | OnFail::Escalate => None,
    }
}

/// A way from node to node that no guard bounds.
struct Step {
    to: usize,
    edge: usize,
}

/// Loops without a bound: what is left to go round in when all bounded edges are taken away.
pub fn loops(protocol: &Protocol, problems: &mut Problems) {
    let mut next: Vec<Vec<Step>> = (0..protocol.nodes.len()).map(|_| Vec::new()).collect();
    for (at, edge) in protocol.edges.iter().enumerate() {
        if !is_bounded(protocol, edge) {
            next[edge.from].push(Step { to: edge.to, edge: at });
        }
        // A reroute happens when the guard fails, so the guard does not bound it.
        if let Some(target) = reroute(edge) {
            next[edge.from].push(Step { to: target, edge: at });
        }
    }
    let component = components(&next);
    let mut told: Vec<usize> = Vec::new();
    for closing in closing_edges(protocol, &next, &component) {
        let edge = &protocol.edges[closing];
        if told.contains(&component[edge.from]) {
            continue;
        }
        told.push(component[edge.from]);
        let members: Vec<&str> = (0..protocol.nodes.len())
            .filter(|node| component[*node] == component[edge.from])
            .take(8)
            .map(|node| &*protocol.nodes[node].id)
            .collect();
        let message = format!("the loop through {} has no bound", members.join(", "));
        let hint = format!(
            "add `state.attempt_count <= N` to the guard of `{}` or another edge of the loop",
            edge.id
        );
        problems.add(Kind::UnboundedLoop, edge.place, message, hint);
    }
}

/// Edges inside of a component, those that are meant to go back first.
fn closing_edges(protocol: &Protocol, next: &[Vec<Step>], component: &[usize]) -> Vec<usize> {
    let mut closing: Vec<usize> = Vec::new();
    for (from, steps) in next.iter().enumerate() {
        closing
            .extend(steps.iter().filter(|step| component[step.to] == component[from]).map(|step| step.edge));
    }
    closing.sort_by_key(|edge| {
        let back = matches!(protocol.edges[*edge].class, EdgeClass::Loop | EdgeClass::Rollback);
        (!back, *edge)
    });
    closing
}

/// Strongly connected components, by Tarjan's algorithm with a stack of its own. A step inside of one closes a loop.
fn components(next: &[Vec<Step>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = next.len();
    let (mut order, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut stack, mut counter, mut found) = (Vec::new(), 0, 0);
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((node, step)) = work.pop() {
            if step == 0 {
                (order[node], low[node]) = (counter, counter);
                counter += 1;
                stack.push(node);
            } else {
                low[node] = low[node].min(low[next[node][step - 1].to]);
            }
            let mut at = step;
            let mut descended = false;
            while at < next[node].len() {
                let to = next[node][at].to;
                at += 1;
                if order[to] == NONE {
                    work.push((node, at));
                    work.push((to, 0));
                    descended = true;
                    break;
                }
                if component[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
            }
            if !descended && low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// Whether the guard has the conjunct `attempt_count < n` or `attempt_count <= n`.
fn is_bounded(protocol: &Protocol, edge: &Edge) -> bool {
    let Some(guard) = edge.guard else { return false };
    let ast = &protocol.expressions[guard].checked.ast;
    conjuncts(ast, ast.root).into_iter().any(|part| match ast.kind(part) {
        NodeKind::Compare(comparison, a, b) => {
            let (bounded, bound, comparison) = if is_attempt_count(ast, *a) {
                (*a, *b, *comparison)
            } else {
                (*b, *a, comparison.flipped())
            };
            is_attempt_count(ast, bounded)
                && !is_attempt_count(ast, bound)
                && matches!(comparison, Comparison::Less | Comparison::LessOrEqual)
        }
        _ => false,
    })
}

fn is_attempt_count(ast: &Ast, id: Id) -> bool {
    match ast.kind(id) {
        NodeKind::Select(root, name) => {
            name == "attempt_count" && matches!(ast.kind(*root), NodeKind::Name(root) if root == "state")
        }
        _ => false,
    }
}

fn conjuncts(ast: &Ast, id: Id) -> Vec<Id> {
    match ast.kind(id) {
        NodeKind::And(parts) => parts.iter().flat_map(|part| conjuncts(ast, *part)).collect(),
        _ => vec![id],
    }
}
