//! Containers that are given the machine they run on.

use mi_model::RiskCategory::Other;
use mi_model::Severity::High;

use super::{Findings, effective, rows::operands};
use crate::command::types::SimpleCommand;

/// Folders whose loss or change is the machine's, not the container's.
const SYSTEM: &[&str] =
    &["/", "/etc", "/usr", "/bin", "/boot", "/root", "/home", "/var", "/lib", "/proc", "/sys", "/dev"];

pub(super) fn find(command: &SimpleCommand, findings: &mut Findings) {
    let (program, args) = effective(command);
    let runs = matches!(program, "docker" | "podman" | "nerdctl")
        && matches!(operands(program, &args).first(), Some(&("run" | "create" | "container")));
    if !runs {
        return;
    }
    let values = |names: &[&str]| -> Vec<&str> {
        let glued =
            args.iter().filter_map(|arg| arg.split_once('=')).filter(|(name, _)| names.contains(name));
        let apart = args.windows(2).filter(|pair| names.contains(&pair[0])).map(|pair| pair[1]);
        glued.map(|(_, value)| value).chain(apart).collect()
    };
    let volumes = values(&["-v", "--volume"]).into_iter().filter_map(|value| value.split(':').next());
    let mounts = values(&["--mount"]);
    let sources = mounts
        .iter()
        .flat_map(|mount| mount.split(','))
        .filter_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
    let is_system = |path: &str| {
        let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
        SYSTEM.contains(&path) || path.ends_with("docker.sock")
    };
    if volumes.chain(sources).any(is_system) {
        findings.add(command, Other, High, false, "gives the container the machine's own files");
    }
    let host_spaces = values(&["--pid", "--ipc", "--userns", "--cgroupns"]).contains(&"host");
    if args.contains(&"--privileged") || host_spaces {
        findings.add(command, Other, High, false, "gives the container the rights of the machine");
    }
}
