//! Help, completions and the man page, all generated from the definitions in `args`.

use clap::{
    Command, CommandFactory,
    error::{ContextKind, ContextValue},
};

use crate::{
    app::App,
    args::{Cli, GROUPS, Group},
    failure::{Failure, Outcome},
};

pub fn completions(app: &App, shell: clap_complete::Shell) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mi", &mut text);
    app.print(String::from_utf8_lossy(&text).trim_end())
}

pub fn man(app: &App) -> Outcome {
    let mut text = Vec::new();
    let render = |command: Command, text: &mut Vec<u8>| clap_mangen::Man::new(command).render(text);
    let full = Cli::command().help_template("{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}");
    let mut result = render(full.clone(), &mut text);
    for command in full.get_subcommands().filter(|command| !command.is_hide_set()) {
        result = result.and_then(|()| {
            render(command.clone().name(format!("mi-{}", command.get_name()).leak() as &str), &mut text)
        });
    }
    result.map_err(|error| Failure::new("write the man page").because(&error))?;
    app.print(String::from_utf8_lossy(&text).trim_end())
}

/// Prints the help of everything, of a group or of a command. A group comes before a command of the same name, because
/// its page lists the subcommands of that command too.
pub fn help(app: &App, words: &[String]) -> Outcome {
    let mut command = Cli::command();
    command.build();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let group = |name: &str| GROUPS.iter().find(|group| group.name == name);
    let text = match &words[..] {
        [] => command.render_help().to_string(),
        ["all"] => {
            let pages: Vec<String> = GROUPS.iter().map(|group| render_group(group, &command)).collect();
            pages.join("\n\n")
        }
        [name] if let Some(group) = group(name) => {
            let page = render_group(group, &command);
            format!("{page}\n\n`mi help COMMAND` shows the options of a command, with an example.")
        }
        words => find_command(&mut command, words)?.render_long_help().to_string(),
    };
    app.print(text.trim_end())
}

fn render_group(group: &Group, all: &Command) -> String {
    let rows = list_commands(group, all);
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = rows.iter().map(|(name, about)| format!("\n  {name:<width$}  {about}"));
    format!("{}: {}{}", group.name, group.about, rows.collect::<String>())
}

/// The commands of a group with their descriptions. A command that has the name of its group stands for its subcommands.
fn list_commands(group: &Group, all: &Command) -> Vec<(String, String)> {
    let describe = |command: &Command| command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut rows = Vec::new();
    for command in group.commands.iter().filter_map(|name| all.find_subcommand(name)) {
        let name = command.get_name();
        if name == group.name {
            let actions = command.get_subcommands().filter(|action| action.get_name() != "help");
            rows.extend(actions.map(|action| (format!("{name} {}", action.get_name()), describe(action))));
        } else {
            rows.push((name.to_owned(), describe(command)));
        }
    }
    rows
}

fn find_command<'a>(all: &'a mut Command, words: &[&str]) -> Result<&'a mut Command, Failure> {
    let mut found = all;
    for (depth, word) in words.iter().enumerate() {
        if found.find_subcommand(word).is_none() {
            return Err(unknown(found, &words[..=depth]));
        }
        found = found.find_subcommand_mut(word).expect("it was found a line above");
    }
    Ok(found)
}

fn unknown(parent: &Command, words: &[&str]) -> Failure {
    let (typed, path) = words.split_last().expect("a word is unknown");
    // The names in the table are those that help shows; `parent` of the first word has former names too.
    let commands = || GROUPS.iter().flat_map(|group| group.commands);
    let groups = GROUPS.iter().map(|group| &group.name).filter(|name| !commands().any(|one| one == *name));
    let known = match path {
        [] => clap::Command::new("mi")
            .disable_help_subcommand(true)
            .subcommands(commands().chain(groups).map(|name| clap::Command::new(*name))),
        _ => parent.clone(),
    };
    let near = names_like(typed, known);
    let what = format!("there is no command or group `{}`", words.join(" "));
    if near.is_empty() {
        return Failure::usage(what).todo("mi help all");
    }
    let near = near.iter().map(|name| format!("mi help {}", [path, &[name.as_str()]].concat().join(" ")));
    Failure::usage(what).todo(format!("did you mean: {}", near.collect::<Vec<_>>().join(", ")))
}

/// The subcommands that clap suggests for a wrong one.
fn names_like(typed: &str, known: Command) -> Vec<String> {
    let error = known.try_get_matches_from(["mi", typed]).err();
    match error.and_then(|error| error.get(ContextKind::SuggestedSubcommand).cloned()) {
        Some(ContextValue::Strings(mut near)) => {
            near.sort();
            near.dedup();
            near
        }
        _ => Vec::new(),
    }
}
