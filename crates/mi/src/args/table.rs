//! The table of commands.
//!
//! What `#[derive(Subcommand)]` would make, but for one thing: the flags of a command are put together only when that
//! command is typed. With some forty commands the whole tree costs more than most of them take to run.

/// Makes `enum Command` out of `"word to type" => Name(Args)`, or `Name: "what it does"; "an example"` where there are no flags.
macro_rules! commands {
    ($($word:literal => $name:ident $(($args:ty))? $(: $about:literal; $example:literal)?),* $(,)?) => {
        /// What was typed.
        #[derive(Debug)]
        pub enum Command {
            $($name $(($args))?),*
        }

        impl clap::Subcommand for Command {
            fn augment_subcommands(parent: clap::Command) -> clap::Command {
                parent$(.subcommand(
                    clap::Command::new($word)
                        $(.defer(<$args>::augment_args))?
                        $(.about($about).after_help(concat!("Example:\n  ", $example)))?
                ))*
            }

            fn augment_subcommands_for_update(parent: clap::Command) -> clap::Command {
                Self::augment_subcommands(parent)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($word),*].contains(&name)
            }
        }

        impl clap::FromArgMatches for Command {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
                let (word, _matches) = matches.subcommand().ok_or_else(missing)?;
                match word {
                    $($word => Ok(Self::$name $((<$args as clap::FromArgMatches>::from_arg_matches(_matches)?))?),)*
                    _ => Err(missing()),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = <Self as clap::FromArgMatches>::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}
