//! After a deployment: is it well, and if not, what would bring the old state back.

use mi_gate::deploy::{Health, Probes, health as judge, startup_errors};
use serde_json::json;
use std::{
    io::{self, BufRead, IsTerminal, Write},
    time::Duration,
};

use super::{Place, facts, record};
use crate::{
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// One probe answers within this time, so that all of them fit into a minute.
const PROBE: Duration = Duration::from_secs(15);

pub(super) fn health(place: &Place<'_>) -> Outcome {
    let health = judge(&probe(place)?);
    let value = json!(health);
    record::write(place, "deploy_health", value.clone())?;
    let exit = if health == Health::Good { ExitReason::Done } else { ExitReason::NeedsYou };
    if place.app.common.json {
        let mut value = value;
        value["target"] = json!(place.name);
        place.app.print_json(&value)?;
        return Ok(exit);
    }
    match &health {
        Health::Good => place.app.print(&format!("{} is well", place.name))?,
        Health::Bad { symptom, suspected_cause, proposed_rollback } => {
            place.app.print(&format!("symptom:           {symptom}"))?;
            place.app.print(&format!("suspected cause:   {suspected_cause}"))?;
            place.app.print(&format!("proposed rollback: {proposed_rollback}"))?;
            place.app.print("It waits for you: mi deploy rollback")?
        }
    };
    Ok(exit)
}

fn probe(place: &Place<'_>) -> Result<Probes, Failure> {
    let target = &place.target;
    let smoke = target.smoke_test.as_deref().map(|command| facts::run(place, command, PROBE)).transpose()?;
    let now = place.app.clock.now().as_millis();
    let since = record::deployed_at(place)?.map_or(0, |at| now.saturating_sub(at.as_millis()).max(0));
    Ok(Probes {
        endpoint_status: target.health.as_deref().and_then(status),
        smoke_test_passed: smoke.map(|output| output.end.is_success()),
        startup_errors: place.read(target.log.as_deref()).map(|log| startup_errors(&log)),
        seconds_since_deployment: u64::try_from(since / 1000).unwrap_or(u64::MAX),
        rollback: target.rollback.clone().unwrap_or_else(|| "no command is written down".to_owned()),
    })
}

/// What the address answers; nothing if it does not.
fn status(url: &str) -> Option<u16> {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(PROBE))
        .http_status_as_error(false)
        .max_redirects(0)
        .build();
    let answer = ureq::Agent::new_with_config(config).get(url).call();
    Some(answer.map_or(0, |answer| answer.status().as_u16()))
}

/// Shows the way back. It is gone only by a person who types the target's name.
pub(super) fn rollback(place: &Place<'_>) -> Outcome {
    let app = place.app;
    let plan = place.read(place.target.rollback_plan.as_deref()).unwrap_or_default();
    let Some(command) = place.target.rollback.as_deref() else {
        return Err(Failure::needs_person(format!("no rollback command is written down for {}", place.name))
            .todo("follow the rollback plan by hand; `rollback:` in .mi/deploy.yaml names a command"));
    };
    app.talk(&format!("mi: the way back for {}: {command}\n{}", place.name, plan.trim_end()));
    if !io::stdin().is_terminal() {
        if app.common.json {
            app.print_json(
                &json!({"target": place.name, "rollback": command, "status": "waits for the person"}),
            )?;
            return Ok(ExitReason::NeedsYou);
        }
        return Err(Failure::needs_person("nothing is rolled back without you; nothing was done")
            .todo("run mi deploy rollback in a terminal of your own"));
    }
    drop(
        write!(io::stderr().lock(), "Type {} to roll back: ", place.name).and_then(|()| io::stderr().flush()),
    );
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::new("read the answer").because(&error))?;
    if answer.trim() != place.name {
        return Err(Failure::needs_person("nothing was rolled back"));
    }
    record::write(place, "deploy_rollback", json!({"command": command}))?;
    let output = facts::run(place, command, Duration::from_secs(600))?;
    app.print(String::from_utf8_lossy(&output.stdout).trim_end())?;
    if output.end.is_success() {
        return app.print(&format!("{} is rolled back; look again: mi deploy health", place.name));
    }
    let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::new(format!("the rollback of {} failed: {why}", place.name)))
}
