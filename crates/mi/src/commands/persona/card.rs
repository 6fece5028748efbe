//! `mi card`: proposing, reviewing, finding and retiring what the team knows (D.4, D.13, D.15).

use mi_persona::{
    CardError, Persona, Proposal, Verdict,
    card::{CardId, CardType, Sections, Status},
    index::Entry,
    retrieval::{self, Match, Weight},
    salience,
};
use serde_json::{Value, json};

use super::{access, member, open, say, today};
use crate::{
    app::App,
    args::persona::{CardAction, CardArgs, CardSearchArgs, ProposeArgs, ReviewArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &CardArgs) -> Outcome {
    match &args.action {
        CardAction::Propose(args) => propose(app, args),
        CardAction::Review(args) => review(app, args),
        CardAction::List { proposals: true, .. } => proposals(app),
        CardAction::List { archived, kind, .. } => list(app, *archived, kind.map(CardType::from)),
        CardAction::Show { id } => show(app, id),
        CardAction::Search(args) => search(app, args),
        CardAction::Archive { id, restore, human } => archive(app, id, !restore, *human),
        CardAction::Calibrate => calibrate(app),
        CardAction::Index { check: true } => check_index(app),
        CardAction::Index { check: false } => index(app),
    }
}

fn propose(app: &App, args: &ProposeArgs) -> Outcome {
    let persona = open(app)?;
    let by = member(app, &args.who)?;
    let proposal = Proposal {
        by: &by,
        kind: args.kind.into(),
        title: args.title.clone(),
        merge_key: args.merge_key.clone(),
        aliases: args.aliases.clone(),
        salience: args.salience,
        source: args.source.clone(),
        sections: Sections {
            content: app.text_or_stdin(&args.content)?,
            applies: args.applies.clone(),
            bends: args.bends.clone(),
            evidence: args.evidence.clone(),
        },
    };
    let path = persona.propose(&proposal, today(app)).map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&json!({"proposal": path, "proposed_by": by.as_str()}));
    }
    app.print(&format!(
        "Proposed: {path}\nNext: another member reviews it: mi card review {path} --accept --as MEMBER"
    ))
}

fn review(app: &App, args: &ReviewArgs) -> Outcome {
    let persona = open(app)?;
    let reviewer = member(app, &args.who)?;
    let verdict = match &args.reject {
        Some(reason) => Verdict::Reject { reason: reason.clone() },
        None => Verdict::Accept { human: args.human },
    };
    let reviewed =
        persona.review(&args.proposal, &reviewer, &verdict, today(app)).map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&json!(reviewed));
    }
    match (&reviewed.card, &reviewed.path) {
        (Some(card), Some(path)) if reviewed.merged => app.print(&format!("Merged into {card}: {path}")),
        (Some(card), Some(path)) => app.print(&format!("Accepted as {card}: {path}")),
        _ => app.print(&format!("Rejected: {}", reviewed.proposal)),
    }
}

fn proposals(app: &App) -> Outcome {
    let persona = open(app)?;
    let mut problems = Vec::new();
    let pending = persona.proposals_with(&mut problems).map_err(|error| access(&error))?;
    say(app, &problems);
    if app.common.json {
        app.print_json(&json!({"proposals": pending, "problems": problems}))?;
    } else if pending.is_empty() {
        app.print("No proposal waits.")?;
    } else {
        for proposal in &pending {
            let by = proposal.proposed_by.as_deref().unwrap_or("nobody");
            app.print(&format!(
                "{:<9} {}  {}",
                proposal.kind.as_str(),
                proposal.title,
                app.look.faint(&format!("{by}: {}", proposal.path))
            ))?;
        }
    }
    Ok(ExitReason::failed_if(!problems.is_empty()))
}

fn list(app: &App, archived: bool, kind: Option<CardType>) -> Outcome {
    let cards = open(app)?.cards().map_err(|error| access(&error))?;
    say(app, &cards.problems);
    let shown: Vec<&Entry> = cards
        .entries
        .iter()
        .filter(|entry| archived || entry.status == Status::Active)
        .filter(|entry| kind.is_none_or(|kind| entry.kind == kind))
        .collect();
    if app.common.json {
        app.print_json(&json!({"cards": shown, "problems": cards.problems}))?;
    } else if shown.is_empty() {
        app.print("No cards yet. Propose one: mi card propose 'TITLE' --content 'TEXT' --evidence 'TEXT'")?;
    } else {
        for entry in shown {
            app.print(&line(app, entry))?;
        }
    }
    Ok(ExitReason::failed_if(!cards.problems.is_empty()))
}

fn line(app: &App, entry: &Entry) -> String {
    let archived = if entry.status == Status::Active { "" } else { "  (archived)" };
    let title = app.look.one_line(&entry.title, 20 + archived.len());
    format!("{:<6} {:>2}  {title}{}", entry.id.as_str(), entry.salience, app.look.faint(archived))
}

fn show(app: &App, id: &str) -> Outcome {
    let persona = open(app)?;
    let missing = || Failure::new(format!("there is no card `{id}`")).todo("list the cards: mi card list");
    let id = CardId::parse(id).ok_or_else(missing)?;
    let (path, text) = persona.card_text(&id).map_err(|error| match error {
        CardError::UnknownCard(_) => missing(),
        error => explain(&error),
    })?;
    if app.common.json {
        return app.print_json(&json!({"id": id.as_str(), "path": path, "text": text}));
    }
    app.print(text.trim_end())
}

fn card_id(text: &str) -> Result<CardId, Failure> {
    CardId::parse(text).ok_or_else(|| {
        Failure::usage(format!("`{text}` is no card's id"))
            .todo("such as X-001, P-001, H-001 or M-001; mi card list")
    })
}

fn search(app: &App, args: &CardSearchArgs) -> Outcome {
    let persona = open(app)?;
    let cards = persona.cards().map_err(|error| access(&error))?;
    say(app, &cards.problems);
    let weight = if args.non_trivial { Weight::NonTrivial } else { Weight::Trivial };
    let mut found = retrieval::search(&cards.entries, &args.task.join(" "), weight);
    let total = found.len();
    found.truncate(args.n);
    if app.common.json {
        let hits: Vec<Value> =
            found.iter().map(|hit| described(&persona, hit)).collect::<Result<_, Failure>>()?;
        app.print_json(&json!({"cards": hits, "total": total, "problems": cards.problems}))?;
    } else {
        for hit in &found {
            app.print(&line(app, hit.entry))?;
            if hit.read {
                app.print(&format!("\n{}\n", text_of(&persona, hit)?.trim_end()))?;
            }
        }
        if found.is_empty() {
            app.print("No card matches.")?;
        }
    }
    Ok(ExitReason::failed_if(!cards.problems.is_empty()))
}

fn described(persona: &Persona, hit: &Match<'_>) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(hit).unwrap_or(Value::Null);
    if hit.read {
        value["text"] = json!(text_of(persona, hit)?);
    }
    Ok(value)
}

fn text_of(persona: &Persona, hit: &Match<'_>) -> Result<String, Failure> {
    let text = persona.read_shared(&hit.entry.path).map_err(|error| access(&error))?;
    Ok(text.unwrap_or_default())
}

fn archive(app: &App, id: &str, archived: bool, human: bool) -> Outcome {
    let persona = open(app)?;
    let id = card_id(id)?;
    let (status, path) = persona.set_archived(&id, archived, human).map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&json!({"id": id.as_str(), "status": status, "path": path}));
    }
    match archived {
        true => app.print(&format!("{id} is archived. Bring it back: mi card archive {id} --restore")),
        false => app.print(&format!("{id} is active again.")),
    }
}

fn calibrate(app: &App) -> Outcome {
    let cards = open(app)?.cards().map_err(|error| access(&error))?;
    say(app, &cards.problems);
    let spread = salience::calibrate(cards.active().map(|entry| entry.salience));
    let share = spread.middle_percent;
    let warning = spread.needed.then(|| {
        format!(
            "WARNING: {share} % of {} cards have salience 5-7: calibration needed. Re-evaluate them against actual usage.",
            spread.total
        )
    });
    let exit = ExitReason::failed_if(!cards.problems.is_empty());
    if app.common.json {
        let mut value = json!(spread);
        value["warning"] = json!(warning);
        value["problems"] = json!(cards.problems);
        app.print_json(&value)?;
        return Ok(exit);
    }
    for (at, count) in spread.counts.iter().enumerate().rev() {
        let salience = u8::try_from(at + 1).unwrap_or(10);
        app.print(&format!("{salience:>2}  {count:>6}  {}", app.look.faint(salience::band(salience))))?;
    }
    match warning {
        Some(warning) => app.print(&app.look.warn(&warning))?,
        None => app.print(&format!("{share} % of {} cards lie in 5-7; fine up to 70 %.", spread.total))?,
    };
    Ok(exit)
}

fn index(app: &App) -> Outcome {
    let (count, changed) = open(app)?.rebuild_index().map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&json!({"cards": count, "changed": changed, "path": mi_persona::INDEX}));
    }
    let word = if changed { "made again" } else { "was up to date" };
    app.print(&format!("{}: {word}, {count} cards", mi_persona::INDEX))
}

fn check_index(app: &App) -> Outcome {
    let fresh = open(app)?.index_is_fresh().map_err(|error| explain(&error))?;
    if app.common.json {
        app.print_json(&json!({"fresh": fresh, "path": mi_persona::INDEX}))?;
    } else if fresh {
        app.print(&format!("{} says what the cards say.", mi_persona::INDEX))?;
    } else {
        app.print(&format!("{} is stale; mi card index makes it again.", mi_persona::INDEX))?;
    }
    Ok(ExitReason::failed_if(!fresh))
}

fn explain(error: &CardError) -> Failure {
    let exit = match error {
        CardError::Access(source) => return access(source),
        CardError::Front { .. } | CardError::Problems(_) => ExitReason::Failed,
        CardError::NoEvidence | CardError::Secret | CardError::OwnProposal { .. } => ExitReason::Denied,
        CardError::NeedsHuman { .. } | CardError::NoProposer | CardError::KeyTaken { .. } => {
            ExitReason::NeedsYou
        }
        CardError::Empty(_)
        | CardError::Salience(_)
        | CardError::Decided { .. }
        | CardError::UnknownProposal(_)
        | CardError::AmbiguousProposal(_)
        | CardError::UnknownCard(_) => ExitReason::WrongUsage,
    };
    Failure::of(error).ending(exit)
}
