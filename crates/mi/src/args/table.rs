//! The table of commands.
//!
//! Generates what `#[derive(Subcommand)]` would, with two differences: the arguments of a command are built only when
//! that command is typed, because building some fifty of them takes longer than most commands run; and each command
//! is in exactly one group of `mi help`.

/// Commands that `mi help NAME` lists together.
#[derive(Debug)]
pub struct Group {
    pub name: &'static str,
    pub about: &'static str,
    pub commands: &'static [&'static str],
}

/// Generates `enum Command` and `GROUPS` from groups of `"word to type" => Name(Args)`. A command without arguments is
/// written `Name: "what it does"; "an example"`.
macro_rules! commands {
    ($($group:literal: $group_about:literal {
        $($word:literal => $name:ident $(($args:ty))? $(: $about:literal; $example:literal)?),* $(,)?
    })*) => {
        /// What was typed.
        #[derive(Debug)]
        pub enum Command {
            $($($name $(($args))?),*),*
        }

        /// Every visible command, in the order of the help.
        pub const GROUPS: &[Group] =
            &[$(Group { name: $group, about: $group_about, commands: &[$($word),*] }),*];

        impl clap::Subcommand for Command {
            fn augment_subcommands(parent: clap::Command) -> clap::Command {
                let parent = parent$($(.subcommand(
                    clap::Command::new($word)
                        $(.defer(<$args>::augment_args))?
                        $(.about($about).after_help(concat!("Example:\n  ", $example)))?
                ))*)*;
                former::augment(parent)
            }

            fn augment_subcommands_for_update(parent: clap::Command) -> clap::Command {
                Self::augment_subcommands(parent)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($($word),*),*].contains(&name) || former::has(name)
            }
        }

        impl clap::FromArgMatches for Command {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
                let (word, _matches) = matches.subcommand().ok_or_else(missing)?;
                match word {
                    $($($word => {
                        Ok(Self::$name $((<$args as clap::FromArgMatches>::from_arg_matches(_matches)?))?)
                    })*)*
                    _ => former::read(matches).ok_or_else(missing)?,
                }
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = <Self as clap::FromArgMatches>::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}
