//! Former names of commands. They work as before; no help lists them.

use clap::{ArgMatches, Args, Command as ClapCommand, FromArgMatches};

use super::{
    AdmitArgs, BoxAction, BoxArgs, CheckArgs, Command, ConfigChange, ExecArgs, LastArgs, McpAction, McpArgs,
    PolicyArgs, PublishArgs,
};

/// Subcommands of `mi box` that were commands of their own.
const OF_BOX: [&str; 5] = ["exec", "check", "publish", "admit", "policy"];
/// Subcommands of `mi mcp` that were commands of their own.
const OF_MCP: [&str; 2] = ["install", "uninstall"];
/// `mi log` with five records.
const LAST: &str = "last";

pub(super) fn has(name: &str) -> bool {
    name == LAST || OF_BOX.contains(&name) || OF_MCP.contains(&name)
}

pub(super) fn augment(parent: ClapCommand) -> ClapCommand {
    let hidden = |name: &'static str| clap::Command::new(name).hide(true);
    parent
        .subcommand(hidden("exec").defer(ExecArgs::augment_args))
        .subcommand(hidden("check").defer(CheckArgs::augment_args))
        .subcommand(hidden("publish").defer(PublishArgs::augment_args))
        .subcommand(hidden("admit").defer(AdmitArgs::augment_args))
        .subcommand(hidden("policy").defer(PolicyArgs::augment_args))
        .subcommand(
            hidden("install").about("Former name of `mi mcp install`").defer(ConfigChange::augment_args),
        )
        .subcommand(
            hidden("uninstall").about("Former name of `mi mcp uninstall`").defer(ConfigChange::augment_args),
        )
        .subcommand(hidden(LAST).defer(LastArgs::augment_args))
}

/// The visible command that a former name stands for; `None` for any other name.
pub(super) fn read(matches: &ArgMatches) -> Option<Result<Command, clap::Error>> {
    let (name, arguments) = matches.subcommand()?;
    if OF_BOX.contains(&name) {
        let action = BoxAction::from_arg_matches(matches);
        return Some(action.map(|action| Command::Box(BoxArgs { action })));
    }
    if OF_MCP.contains(&name) {
        let action = McpAction::from_arg_matches(matches);
        return Some(
            action.map(|action| Command::Mcp(McpArgs { action: Some(action), ..McpArgs::default() })),
        );
    }
    (name == LAST).then(|| LastArgs::from_arg_matches(arguments).map(|args| Command::Log(args.into())))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::args::{Cli, Command, GROUPS};

    fn parse(line: &str) -> String {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let cli = Cli::try_parse_from(["mi"].into_iter().chain(words));
        cli.map_or_else(|error| panic!("{line}: {error}"), |cli| format!("{cli:?}"))
    }

    /// A former name parses to the same command as the visible one, options and all.
    #[test]
    fn former_names_are_the_visible_commands() {
        for (former, visible) in [
            ("exec --engine bwrap --prove -- true", "box exec --engine bwrap --prove -- true"),
            ("--json exec --from reply.md -- sh -c x", "--json box exec --from reply.md -- sh -c x"),
            ("check -- make test", "box check -- make test"),
            ("publish last --to /srv", "box publish last --to /srv"),
            ("admit -", "box admit -"),
            ("policy explain F.network", "box policy explain F.network"),
            ("install claude --project --dry-run --json", "mcp install claude --project --dry-run --json"),
            ("exec --json --cd /x -- true", "box exec --json --cd /x -- true"),
            ("policy --json list", "box policy --json list"),
            ("uninstall codex --yes", "mcp uninstall codex --yes"),
            ("last", "log -n 5"),
            ("last -n 3", "log -n 3"),
            ("boot --member ann", "boot --as ann"),
        ] {
            assert_eq!(parse(former), parse(visible), "{former}");
        }
        assert!(Cli::try_parse_from(["mi", "last", "-n", "0"]).is_err());
    }

    /// Help shows exactly the commands of the groups, each in one group.
    #[test]
    fn former_names_are_hidden() {
        let tree = <Command as clap::Subcommand>::augment_subcommands(clap::Command::new("mi"));
        let mut shown: Vec<&str> = tree
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
    }
}
