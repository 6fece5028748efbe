//! Danger in any disguise is found; ordinary work is left in peace.

use mi_gate::command::{RiskFinding, analyze, risk};
use mi_model::Severity;

fn findings(script: &str) -> Vec<RiskFinding> {
    risk(&analyze(&script.replace('⏎', "\n")))
}

/// Every dangerous command has a finding of its category and at least its severity.
#[test]
fn dangerous_commands_are_found() {
    let list = include_str!("data/dangerous.tsv");
    let rows: Vec<_> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() >= 150);
    let missed: Vec<_> = rows
        .into_iter()
        .filter(|row| {
            let mut parts = row.splitn(3, '\t');
            let (category, least, script) =
                (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
            let least = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
                .into_iter()
                .find(|severity| severity.as_str() == least)
                .unwrap();
            !findings(script)
                .iter()
                .any(|finding| finding.category.as_str() == category && finding.severity >= least)
        })
        .map(|row| (row, findings(row.rsplit('\t').next().unwrap())))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Ordinary commands give nothing high, and nine in ten give nothing at all.
#[test]
fn ordinary_commands_are_left_in_peace() {
    let list: Vec<_> = include_str!("data/ordinary.txt").lines().collect();
    assert!(list.len() >= 150);
    let loud: Vec<_> = list
        .iter()
        .filter(|script| findings(script).iter().any(|finding| finding.severity >= Severity::High))
        .collect();
    assert!(loud.is_empty(), "{loud:#?}");
    let noisy: Vec<_> = list
        .iter()
        .filter(|script| !findings(script).is_empty())
        .map(|script| (script, findings(script)))
        .collect();
    assert!(noisy.len() * 10 <= list.len(), "{} of {}: {noisy:#?}", noisy.len(), list.len());
}

/// Ordinary commands are understood.
#[test]
fn ordinary_commands_are_understood() {
    let list: Vec<_> = include_str!("data/ordinary.txt").lines().collect();
    let lost: Vec<_> = list
        .iter()
        .map(|script| (script, analyze(&script.replace('⏎', "\n"))))
        .filter(|(_, analysis)| !analysis.understood)
        .map(|(script, analysis)| (script, analysis.reasons))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
}
