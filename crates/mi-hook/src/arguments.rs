//! The few words that may stand after `mi hook`, read by hand: a parser would cost as much as the call.

use std::path::PathBuf;

use mi_formats::hooks::{Event, Harness};

/// What `mi hook --help` prints.
pub const HELP: &str = "\
Record one event of an agent's life, and say what it is to know or must not do

Usage: mi hook EVENT [--harness-id ID] [--cd DIR] < flat.json
       mi hook EVENT --harness claude|codex|opencode [--gate|--lifecycle] < native.json
       mi hook pre-commit --harness git [--home DIR]

Events: session-start user-message pre-tool-use post-tool-use agent-spawn agent-complete agent-resume
        memory-read context-compact stop session-end          (`_` may stand for `-`)

  --harness-id ID  under which name state is kept: .nexus/state/ID/
                   [else: NEXUS_HARNESS_ID; `harness_id` in the payload comes first]
  --harness NAME   the payload is the agent's own, and so is the answer; ID is NAME unless it is given
  --gate           ask the gate alone; --lifecycle: record and inform alone   [default: both]
  --cd DIR         the project [default: the working directory]
  --home DIR       the home of mi; with it, MI_HOME, PERSONA, MI_MEMBER and MI_NOW of the environment count for nothing:
                   a repository can set them. --persona DIR, --member NAME: the same for those two

Example:
  echo '{\"harness_id\":\"claude-nexus\",\"agent_name\":\"engineer\",\"agent_id\":\"a1\"}' | mi hook agent-spawn

Before a tool, whatever goes wrong in the gate, or in a flat call, is a denial. Exit codes: 0 answered, 1 failed (nothing was changed),
2 wrong usage. docs/hooks.md lists every field.
";

/// The words after `mi hook`, read once, before anything else of a call.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// What was fixed when the hook was installed. It counts even where the rest is not understood.
    pub fixed: FixedSurroundings,
    pub(crate) asks_for_help: bool,
    pub(crate) arguments: Result<Arguments, Problem>,
}

/// What was fixed when the hook was installed, as words of its command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixedSurroundings {
    pub home: Option<PathBuf>,
    /// `--home` is there without a value.
    pub lacks_home: bool,
    pub persona: Option<PathBuf>,
    pub member: Option<String>,
}

impl CommandLine {
    pub fn read(words: &[String]) -> Self {
        Self {
            fixed: FixedSurroundings::read(words),
            asks_for_help: words.iter().any(|word| word == "--help" || word == "-h"),
            arguments: Arguments::read(words),
        }
    }

    /// The same call in another project, unless the words name one.
    #[must_use]
    pub fn in_project(mut self, project: Option<PathBuf>) -> Self {
        if let Ok(arguments) = &mut self.arguments {
            arguments.cd = arguments.cd.take().or(project);
        }
        self
    }
}

impl FixedSurroundings {
    fn read(words: &[String]) -> Self {
        let place =
            |flag: &str| words.iter().position(|word| word == flag || word.split('=').next() == Some(flag));
        let value = |flag: &str| {
            let at = place(flag)?;
            let inline = words[at].split_once('=').map(|(_, value)| value.to_owned());
            inline.or_else(|| words.get(at + 1).cloned()).filter(|value| !value.is_empty())
        };
        let home = value("--home").map(PathBuf::from);
        Self {
            lacks_home: home.is_none() && place("--home").is_some(),
            home,
            persona: value("--persona").map(PathBuf::from),
            member: value("--member"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) event: Event,
    pub(crate) harness: Option<Harness>,
    pub(crate) harness_id: Option<String>,
    pub(crate) cd: Option<PathBuf>,
    pub(crate) part: Part,
}

/// Which half of `mi` a native call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    #[default]
    Both,
    Gate,
    Lifecycle,
}

/// What is wrong with a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) message: String,
    /// An agent may be the caller: exit 2 would mean "blocked" to it.
    pub(crate) native: bool,
    /// The gate is asked, as far as one can tell.
    pub(crate) gate: bool,
    /// The event, if at least that was understood.
    pub(crate) event: Option<Event>,
}

impl Arguments {
    pub(crate) fn read(words: &[String]) -> Result<Self, Problem> {
        let native = words.iter().any(|word| word == "--harness" || word.starts_with("--harness="));
        let gate = native && !words.iter().any(|word| word == "--lifecycle");
        let event = words.iter().find(|word| !word.starts_with('-')).and_then(|word| Event::from_name(word));
        Self::read_words(words).map_err(|message| Problem { message, native, gate, event })
    }

    fn read_words(words: &[String]) -> Result<Self, String> {
        let (mut event, mut harness, mut harness_id, mut cd) = (None, None, None, None);
        let mut part = Part::Both;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            let mut value = || {
                let value = inline.clone().or_else(|| words.next().cloned());
                value.ok_or_else(|| format!("{name} needs a value; see mi hook --help"))
            };
            match name {
                "--harness" => {
                    let value = value()?;
                    let known = Harness::from_name(&value);
                    harness = Some(known.ok_or_else(|| {
                        format!("`{value}` is no known harness: claude, codex or opencode")
                    })?);
                }
                "--harness-id" => harness_id = Some(value()?),
                "--cd" => cd = Some(PathBuf::from(value()?)),
                "--lifecycle" => part = Part::Lifecycle,
                "--gate" => part = Part::Gate,
                // These are `FixedSurroundings`.
                "--home" | "--persona" | "--member" => drop(value()?),
                "--json" => {}
                _ if event.is_none() && !name.starts_with('-') => {
                    let known = Event::from_name(word);
                    event = Some(known.ok_or_else(|| format!("`{word}` is no event; see mi hook --help"))?);
                }
                _ => return Err(format!("`{word}` is not understood; see mi hook --help")),
            }
        }
        let event = event.ok_or("no event is named; see mi hook --help")?;
        Ok(Self { event, harness, harness_id, cd, part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, Problem> {
        Arguments::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    /// Flags may stand anywhere, with `=` or a space.
    #[test]
    fn command_lines_are_read() {
        let arguments =
            read("--cd=/p agent_spawn --harness-id x --harness codex --lifecycle --home /h --member=ann")
                .unwrap();
        assert_eq!(
            arguments,
            Arguments {
                event: Event::AgentSpawn,
                harness: Some(Harness::Codex),
                harness_id: Some("x".to_owned()),
                cd: Some("/p".into()),
                part: Part::Lifecycle,
            }
        );
    }

    /// What was fixed counts even where the rest is not understood; a home without a value is noted.
    #[test]
    fn fixed_surroundings_are_read_from_any_line() {
        let fixed = |line: &str| {
            CommandLine::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).fixed
        };
        let found = fixed("fly --home=/h --persona /p --loud --member ann");
        assert_eq!((found.home, found.persona), (Some("/h".into()), Some("/p".into())));
        assert_eq!((found.member.as_deref(), found.lacks_home), (Some("ann"), false));
        assert!(fixed("stop --home").lacks_home && fixed("stop --home=").lacks_home);
        assert_eq!(fixed("stop"), FixedSurroundings::default());
    }

    /// What is not understood is named.
    #[test]
    fn wrong_command_lines_are_refused() {
        for (line, part) in [
            ("", "no event"),
            ("fly", "`fly`"),
            ("stop stop", "`stop`"),
            ("stop --cd", "--cd needs"),
            ("stop --home", "--home needs"),
            ("stop --loud", "`--loud`"),
            ("stop --harness vim", "`vim`"),
        ] {
            let problem = read(line).unwrap_err();
            assert!(problem.message.contains(part), "{line}: {}", problem.message);
            assert_eq!(problem.native, line.contains("--harness"), "{line}");
        }
    }
}
