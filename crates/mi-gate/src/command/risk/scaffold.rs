//! Programs that fetch a package and let it write a project: `npx create-…`.

use mi_model::RiskCategory::Install;
use mi_model::Severity::{Low, Medium};

use super::{Findings, effective, rows::operands};
use crate::command::types::SimpleCommand;

pub(super) fn find(command: &SimpleCommand, findings: &mut Findings) {
    let (program, args) = effective(command);
    let words = operands(program, &args);
    let package = match (program, words.as_slice()) {
        ("npx" | "bunx" | "pnpx", [package, ..])
        | ("npm" | "pnpm" | "yarn" | "bun", ["exec" | "dlx" | "x", package, ..]) => *package,
        _ => return,
    };
    let name = package.rsplit('/').next().unwrap_or(package);
    if name.starts_with("create-") {
        findings.add(
            command,
            Install,
            Medium,
            true,
            "downloads a generator, runs it and installs what it names",
        );
    } else if name.contains('@') && !name.starts_with('@') {
        findings.add(command, Install, Low, true, "may download and run a package");
    }
}
