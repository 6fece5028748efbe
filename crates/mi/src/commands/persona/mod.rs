//! `mi persona`, `mi boot`, `mi session`, `mi card`, `mi handoff`: the person's shared memory, at the command line.

mod boot;
mod card;
mod handoff;
mod keep;
mod private;
mod session;

pub use boot::run as boot;
pub use card::run as card;
pub use handoff::run as handoff;
pub use session::run as session;

use jiff::{civil::Date, tz::TimeZone};
use mi_persona::{AccessError, Age, Member, Persona, Problem};
use mi_process::Environment;
use mi_workspace::memory::{Document, Source};
use std::path::{Path, PathBuf};

use super::{intake::locale, launch};
use crate::{
    app::App,
    args::persona::{As, PersonaAction, PersonaArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &PersonaArgs) -> Outcome {
    match &args.action {
        PersonaAction::Init { who } => keep::init(app, who),
        PersonaAction::Lint { names } => keep::lint(app, names),
        PersonaAction::Export { out } => keep::export(app, out),
        PersonaAction::Sync { remote } => keep::sync(app, remote.as_deref()),
        PersonaAction::Private(args) => private::run(app, args),
    }
}

/// `$PERSONA`, else `persona` in the home.
pub fn folder(app: &App) -> PathBuf {
    let named = app.variable("PERSONA").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| app.home.join("persona"));
    std::path::absolute(&folder).unwrap_or(folder)
}

/// The persona of this home.
pub fn open(app: &App) -> Result<Persona, Failure> {
    let folder = folder(app);
    Persona::in_home(&folder, &app.home).map_err(|error| access(&error))
}

/// `--as`, else MI_MEMBER, else `self`.
pub fn member(app: &App, who: &As) -> Result<Member, Failure> {
    let name = who.member.as_deref().or_else(|| app.variable("MI_MEMBER")).unwrap_or("self");
    Member::new(name).map_err(|error| Failure::usage(error.to_string()))
}

/// The day where the person is.
pub fn today(app: &App) -> Date {
    let now =
        jiff::Timestamp::from_millisecond(app.clock.now().as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    now.to_zoned(TimeZone::system()).date()
}

/// The `age` program with a member's identity.
fn age(app: &App, member: &Member, identity: Option<&Path>) -> Result<Age, Failure> {
    let own = mi_persona::identity_file(&app.home, member);
    let identity = identity.map_or(own, |path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    Ok(Age { spawner: launch::spawner()?, environment: inherit(), identity })
}

fn inherit() -> Environment {
    Environment::Inherit { set: Vec::new(), remove: Vec::new() }
}

/// No persona is the person's move, a refusal is a rule's, the rest is the machine's.
fn access(error: &AccessError) -> Failure {
    let exit = match error {
        AccessError::NoPersona { .. } => ExitReason::NeedsYou,
        AccessError::Link { .. } | AccessError::Private { .. } | AccessError::SharedWithPrivate { .. } => {
            ExitReason::Denied
        }
        AccessError::File(_)
        | AccessError::NotAFile { .. }
        | AccessError::TooLarge { .. }
        | AccessError::NotText { .. } => ExitReason::Failed,
    };
    Failure::of(error).ending(exit)
}

fn say(app: &App, problems: &[Problem]) {
    for problem in problems {
        app.talk(&format!("mi: {problem}"));
    }
}

/// The active cards, for a search over all memories. Without a persona there are none.
pub fn documents(app: &App) -> Vec<Document> {
    let Ok(persona) = open(app) else { return Vec::new() };
    let cards = match persona.cards() {
        Ok(cards) => cards,
        Err(error) => {
            app.talk(&format!("mi: cards were not searched: {error}"));
            return Vec::new();
        }
    };
    say(app, &cards.problems);
    let text = |path: &str| persona.read_shared(path).ok().flatten();
    let document = |entry: &mi_persona::index::Entry| {
        let text = text(&entry.path)?;
        Some(Document { source: Source::Cards, name: entry.id.to_string(), place: entry.path.clone(), text })
    };
    cards.active().filter_map(document).collect()
}
