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

pub fn help(app: &App, topic: Option<&str>, mut command: Command) -> Outcome {
    match topic {
        None => app.print(command.render_help().to_string().trim_end()),
        Some("all") => {
            let mut text = String::from("Every command of mi:\n");
            for sub in command.get_subcommands() {
                let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
                text.push_str(&format!("  {:<12} {about}\n", sub.get_name()));
            }
            app.print(text.trim_end())
        }
        Some(name) => match command.find_subcommand_mut(name) {
            Some(sub) => app.print(sub.render_long_help().to_string().trim_end()),
            None => Err(Failure::usage(format!("there is no command `{name}`")).todo("mi help all")),
        },
    }
}
