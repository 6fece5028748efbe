//! Help, completions and the man page, all made from the same definitions.

use clap::{Command, CommandFactory};

use crate::{
    app::App,
    args::Cli,
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
    for command in full.get_subcommands() {
        result = result.and_then(|()| {
            render(command.clone().name(format!("mi-{}", command.get_name()).leak() as &str), &mut text)
        });
    }
    result.map_err(|error| Failure::new("write the man page").because(&error))?;
    app.print(String::from_utf8_lossy(&text).trim_end())
}

/// Help for the command that the words name; `all` lists every command.
pub fn help(app: &App, words: &[String], mut command: Command) -> Outcome {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    command.build();
    match &words[..] {
        [] => return app.print(command.render_help().to_string().trim_end()),
        ["all"] => return all(app, &command),
        _ => {}
    }
    let mut named = &mut command;
    for word in &words {
        let found = named.find_subcommand_mut(word);
        let unknown =
            || Failure::usage(format!("there is no command `{}`", words.join(" "))).todo("mi help all");
        named = found.ok_or_else(unknown)?;
    }
    app.print(named.render_long_help().to_string().trim_end())
}

fn all(app: &App, command: &Command) -> Outcome {
    let mut text = String::from("Every command of mi:\n");
    for sub in command.get_subcommands() {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("  {:<12} {}\n", sub.get_name(), app.look.one_line(&about, 15)));
    }
    app.print(text.trim_end())
}
