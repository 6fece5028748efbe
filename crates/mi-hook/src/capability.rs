//! The capability map: which concrete tools belong to which class of the vocabulary (NX-250 to NX-256).
//!
//! Holds: tools that only look are in no class, so they are never blocked (NX-253); neither is the artifact tool, by
//! which agents that may not edit report (NX-256).

use mi_formats::hooks::Effect;

const FILE_CLASSES: [&str; 4] = ["file_creation", "file_modification", "file_deletion", "partial_file_edit"];
const SHELL_CLASSES: [&str; 3] = ["shell_command_exec", "subprocess_spawn", "interactive_shell_session"];

/// The classes of a tool, by the name an agent gives it (`Edit`, `apply_patch`, `mcp__mi__nx_task_add`) and by what the
/// call does.
pub fn classes_of(tool: &str, effect: Effect) -> &'static [&'static str] {
    let nexus = nexus_tool(tool);
    match tool {
        "NotebookEdit" => return &["structured_document_edit", "file_modification"],
        "Write" | "write" | "write_file" => return &["file_creation", "file_modification"],
        "Edit" | "MultiEdit" | "edit" | "multiedit" => return &["partial_file_edit", "file_modification"],
        _ => {}
    }
    match (effect, nexus) {
        (Effect::Write, _) => &FILE_CLASSES,
        (Effect::Shell, _) => &SHELL_CLASSES,
        (_, Some("task_add")) => &["nexus_task_creation"],
        (_, Some("task_update")) => &["nexus_task_state_transition", "nexus_task_metadata_modification"],
        (_, Some("task_close")) => &["nexus_task_state_transition"],
        _ => &[],
    }
}

/// Whether a tool changes the plan, which is Lead's alone although no capability says so (NX-254, NX-258).
pub(crate) fn is_leads_own(tool: &str) -> bool {
    matches!(nexus_tool(tool), Some("plan_start" | "plan_update" | "plan_decide"))
}

/// `task_add` of `nx_task_add`, `mcp__mi__nx_task_add`, `mi_nx_task_add`.
fn nexus_tool(tool: &str) -> Option<&str> {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    match name.rfind("nx_") {
        Some(at) if at == 0 || name[..at].ends_with('_') => Some(&name[at + 3..]),
        _ => Some(name).filter(|name| name.starts_with("task_")),
    }
}

#[cfg(test)]
mod tests {
    use mi_formats::hooks::effect_of;
    use mi_workspace::vocabulary::Vocabulary;
    use std::collections::BTreeSet;

    fn classes_of(tool: &str) -> &'static [&'static str] {
        super::classes_of(tool, effect_of(tool))
    }

    const TOOLS: [&str; 12] = [
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "Bash",
        "apply_patch",
        "exec_command",
        "edit",
        "write",
        "mcp__mi__nx_task_add",
        "mcp__mi__nx_task_update",
        "mi_nx_task_close",
    ];

    /// Every class that the vocabulary blocks has a tool of ours.
    #[test]
    fn nx_252_every_class_has_a_tool() {
        let mapped: BTreeSet<&str> = TOOLS.iter().flat_map(|tool| classes_of(tool)).copied().collect();
        let capabilities = &Vocabulary::starter().capabilities;
        let classes = capabilities.iter().flat_map(|capability| &capability.blocks_semantic_classes);
        let missing: Vec<&String> = classes.filter(|class| !mapped.contains(class.as_str())).collect();
        assert_eq!(missing, Vec::<&String>::new());
    }

    /// What only looks, and the artifact tool, is in no class.
    #[test]
    fn nx_253_nx_256_reads_and_artifacts_are_in_no_class() {
        for tool in [
            "Read",
            "Grep",
            "Glob",
            "LS",
            "WebFetch",
            "read",
            "list",
            "mcp__mi__nx_artifact_write",
            "nx_task_list",
            "mcp__mi__nx_plan_status",
            "mcp__mi__memory_search",
            "BashOutput",
            "",
            "unknown",
        ] {
            assert_eq!(classes_of(tool), [""; 0], "{tool}");
        }
    }
}
