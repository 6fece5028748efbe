//! D.19's denials, however they are written, and what stands near to them and is not denied.

use super::*;

fn not_denied(list: &str) -> Vec<String> {
    let decided = list.lines().map(|script| (script, bash(script, &[])));
    let milder = decided.filter(|(_, decision)| decision.verdict != Deny);
    milder.map(|(script, decision)| format!("{script}: {:?} {}", decision.verdict, decision.rule)).collect()
}

/// 30: credentials to external systems are denied, whichever way they take through the script.
#[test]
fn d_19_credentials_do_not_leave() {
    let found = not_denied(include_str!("../../../tests/data/denied_credentials.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// 30: deleting production data is denied: files, databases, services.
#[test]
fn d_19_production_data_are_not_deleted() {
    let found = not_denied(include_str!("../../../tests/data/denied_production_data.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// 30: unreviewed commands on production hosts are denied, statements for their databases too.
#[test]
fn d_19_production_hosts_are_left_alone() {
    let found = not_denied(include_str!("../../../tests/data/denied_production_hosts.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// 30: a forced push to main is denied, by settings, by other programs and over the net.
#[test]
fn d_19_main_is_not_rewritten() {
    let found = not_denied(include_str!("../../../tests/data/denied_pushes.txt"));
    assert!(found.is_empty(), "{found:#?}");
}

/// What developers do with tokens, production builds and their own branches is asked about at most.
#[test]
fn d_19_what_is_near_to_a_denial_is_not_denied() {
    let list = include_str!("../../../tests/data/not_denied.txt");
    let decided = list.lines().map(|script| (script, bash(script, &[])));
    let denied = decided.filter(|(_, decision)| decision.verdict == Deny);
    let found: Vec<String> =
        denied.map(|(script, decision)| format!("{script}: {}", decision.rule)).collect();
    assert!(found.is_empty(), "{found:#?}");
}
