//! `mi beat`: where now lies on the beat grid.

use mi_council::beat::BeatFrame;
use serde_json::json;

use super::council;
use crate::{app::App, args::council::BeatArgs, failure::Outcome};

pub fn run(app: &App, args: &BeatArgs) -> Outcome {
    let now = app.clock.now();
    let frame = BeatFrame::at(now);
    if let Some(task) = &args.claim {
        let task = mi_secrets::redact(task);
        let mut chamber = council::chamber(app)?;
        let claim = chamber.claim(&frame.claim(&task, "working"), now);
        let claim = claim.map_err(|error| council::failure(&error))?;
        return match app.common.json {
            true => app.print_json(&json!(claim)),
            false => app.print(&format!("{task} is claimed at beat {}", claim.beat_index)),
        };
    }
    if app.common.json {
        return app.print_json(&json!(frame));
    }
    let phase = format!("{:?}", frame.phase).to_lowercase();
    app.print(&format!("beat {} of window {}, phase {phase}", frame.beat_index, frame.window_id))?;
    app.print(&format!("  {} to {}, hlc {}", frame.starts_at, frame.ends_at, frame.hlc))
}
