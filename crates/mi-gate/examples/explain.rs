//! Prints the analysis of a script given as the first argument, or of every line of standard input.
#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use mi_gate::command::{analyze, exit_code_is_visible, risk};

fn main() {
    match std::env::args().nth(1) {
        Some(script) => explain(&script),
        None => {
            std::io::stdin().lines().map_while(Result::ok).for_each(|line| explain(&line.replace('⏎', "\n")))
        }
    }
}

fn explain(script: &str) {
    let analysis = analyze(script);
    println!("{script}\n  understood: {} {:?}", analysis.understood, analysis.reasons);
    for (index, command) in analysis.commands.iter().enumerate() {
        let visibility = exit_code_is_visible(&analysis, index);
        println!("  {:?} {} in {:?}: {visibility:?}", command.via, command.display(), command.directory);
    }
    for finding in risk(&analysis) {
        println!(
            "  ! {} {} ({}): {}",
            finding.category.as_str(),
            finding.severity.as_str(),
            finding.command,
            finding.why
        );
    }
}
