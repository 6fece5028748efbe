//! `mi hooks`: puts the gate into agents and into git, takes it out, and says whether it works there.
//!
//! Holds: files are changed by the same code as those of `mi mcp install`, with backups of their own.
//! Elsewhere: what a hook answers is `mi-hook`; what the entries look like is `mi_formats::agent_config`.

mod places;
mod probe;
mod scripted;
mod status;

use super::install::{Consent, Order, Wish, carry_out};
use crate::{
    app::{App, talk},
    args::hooks::{HookPlace, HooksAction, HooksArgs, HooksChangeArgs},
    failure::Outcome,
};

pub fn run(app: &App, args: &HooksArgs) -> Outcome {
    match &args.action {
        HooksAction::Install(args) => change(app, args, Wish::Install),
        HooksAction::Uninstall(args) => change(app, args, Wish::Uninstall),
        HooksAction::Status(args) => status::run(app, args),
    }
}

fn change(app: &App, args: &HooksChangeArgs, wish: Wish) -> Outcome {
    let targets = places::targets(app, args.place, scope(args))?;
    let consent = if args.yes { Consent::Given } else { Consent::AskIfPossible };
    let note = match wish {
        Wish::Install => Some(places::about_home(app, args.place, scope(args))?),
        Wish::Uninstall => None,
    };
    let order = Order { wish, name: args.place.name(), dry_run: args.dry_run, consent, note };
    carry_out(app, &order, &targets, || {
        if wish == Wish::Install {
            hint(args);
        }
    })
}

fn scope(args: &HooksChangeArgs) -> places::Scope {
    match (args.user, args.project) {
        (_, true) => places::Scope::Project,
        (true, false) => places::Scope::User,
        (false, false) => places::Scope::Usual,
    }
}

fn hint(args: &HooksChangeArgs) {
    if args.project && args.place != HookPlace::Git {
        talk("mi: the hooks call `mi`: where PATH has none, agents go on without the gate");
    }
    if args.place == HookPlace::Codex && args.project {
        talk("mi: Codex reads a project's configuration only when you trust the project");
    }
    talk("mi: `mi hooks status --probe` shows whether denials are honoured");
}
