//! `mi propose`: files are said to be finished, and opened for review.

use mi_council::{Urgency, done::Item};
use mi_delivery::Opening;
use serde_json::json;

use super::{council, git};
use crate::{
    app::App,
    args::council::ProposeArgs,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &ProposeArgs) -> Outcome {
    let quorum = council::quorum(app)?;
    let urgency = Urgency::from_word(&args.urgency)
        .ok_or_else(|| Failure::usage(format!("`{}` is no urgency: standard or hotfix", args.urgency)))?;
    let evidence = evidence(&args.evidence)?;
    let mut chamber = council::chamber(app)?;
    let opening = Opening {
        paths: args.paths.clone(),
        title: args.title.clone(),
        author: args.author.clone(),
        draft: args.draft,
        urgency,
        evidence,
        quorum,
        commit: git::head(&chamber.place.root),
    };
    let opened = chamber.propose(opening, app.clock.now()).map_err(|error| council::failure(&error))?;
    council::tell_repairs(app, &chamber);
    if app.common.json {
        let phase = if opened.draft { "DRAFT" } else { "REVIEW" };
        return app.print_json(&json!({
            "id": opened.id, "phase": phase, "digest": opened.digest, "files": opened.files.len(),
            "requirements": opened.requirements,
        }));
    }
    let next = if opened.draft { "request" } else { "status" };
    app.print(&format!(
        "{} opened: {} files. Next: mi review {next} {}",
        opened.id,
        opened.files.len(),
        opened.id
    ))
}

/// Reads `ITEM=FILE` pairs.
pub fn evidence(texts: &[String]) -> Result<Vec<(Item, String)>, Failure> {
    let read = |text: &String| {
        let (item, file) = text.split_once('=').filter(|(_, file)| !file.is_empty()).ok_or_else(|| {
            Failure::usage(format!("rule `evidence`: `{text}` is not ITEM=FILE, such as tests=report.txt"))
        })?;
        let item =
            item.parse::<Item>().map_err(|error| Failure::usage(format!("rule `evidence`: {error}")))?;
        Ok((item, file.to_owned()))
    };
    texts.iter().map(read).collect()
}
