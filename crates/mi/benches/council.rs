//! `cargo bench -p mi --bench council [COUNT]`: how long `mi review status --json ID` takes from start to exit with COUNT
//! (10,000) votes on one proposal, by as many people or by a few who change their minds, and among COUNT proposals.
//!
//! Bar: 10 ms each.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Result, ensure};
use mi_autopilot::Project;
use mi_council::{
    Aliases, Citation, Colour, Digest, Event, Opened, Person, Quorum, Role, Urgency, Vote, licence::Policy,
};
use mi_delivery::{Bus, Chamber, Place};
use mi_journal::LogView;
use mi_model::Timestamp;
use mi_test_support::{TempHome, TempProject};
use std::{collections::BTreeMap, time::Instant};
use support::{MI, print_table, program, size_or};

const ROUNDS: usize = 40;
const NOW: i64 = 1_790_000_000_000;

fn main() -> Result<()> {
    let count = size_or(10_000);
    let mut rows = Vec::new();
    for (name, people) in [("votes by as many people", count), ("votes by 10 people", 10)] {
        let scene = Scene::new()?;
        scene.publish(|chamber| {
            let digest =
                chamber.now(&["calc.py".to_owned()], Timestamp::from_millis(NOW)).map(|now| now.digest)?;
            let votes = (0..count).map(|number| vote(&format!("p{}", number % people), digest));
            Ok(vec![("P-1".to_owned(), std::iter::once(opened("P-1", digest)).chain(votes).collect())])
        })?;
        rows.push(scene.row(&format!("{count} {name}"), "P-1")?);
    }
    let scene = Scene::new()?;
    scene.publish(|_| {
        let digest = Digest::new([1; 32]);
        Ok((1..=count)
            .map(|number| format!("P-{number}"))
            .map(|id| (id.clone(), vec![opened(&id, digest)]))
            .collect())
    })?;
    for id in ["P-1".to_owned(), format!("P-{}", count / 2), format!("P-{count}")] {
        rows.push(scene.row(&format!("{id} of {count} proposals"), &id)?);
    }
    println!("start to exit of mi review status; bar: 10 ms\n");
    print_table(&["what", "runs", "median ms", "p95 ms"], &rows);
    Ok(())
}

struct Scene {
    home: TempHome,
    folder: TempProject,
    project: Project,
}

impl Scene {
    fn new() -> Result<Self> {
        let (home, folder) = (TempHome::with_values("Prefer small changes."), TempProject::python());
        let project = Project::open(&home.path(), folder.path())?;
        Ok(Self { home, folder, project })
    }

    fn publish(
        &self,
        events: impl FnOnce(&Chamber) -> Result<Vec<(String, Vec<Event>)>, mi_delivery::CouncilError>,
    ) -> Result<()> {
        let mut chamber = Chamber::new(Place {
            root: self.project.root.clone(),
            layout: self.project.layout.clone(),
            files: self.project.files.clone(),
            aliases: Aliases::default(),
            licences: Policy::default(),
        });
        for (id, events) in events(&chamber)? {
            for group in events.chunks(500) {
                chamber.bus.publish(Timestamp::from_millis(NOW), Some(&id), group)?;
            }
        }
        // As every proposal and vote does, a little at a time.
        LogView::open(&chamber.bus.place().log)?.catch_up(u64::MAX)?;
        Ok(())
    }

    fn row(&self, name: &str, id: &str) -> Result<Vec<String>> {
        let mut times = Vec::new();
        for round in 0..=ROUNDS {
            let began = Instant::now();
            let mut command = program(MI, &self.home, self.folder.path());
            command.args(["review", "status", "--json", id]).env("MI_NOW", "2026-09-22T00:00:00Z");
            let status = command.status()?;
            let elapsed = began.elapsed();
            ensure!(status.success(), "mi review status {id}: {status}");
            // The first one reads the program from the disk and writes the checkpoint.
            if round > 0 {
                times.push(elapsed.as_secs_f64() * 1000.0);
            }
        }
        times.sort_by(f64::total_cmp);
        let at = |part: usize| format!("{:.1}", times[(times.len() - 1) * part / 100]);
        Ok(vec![name.to_owned(), ROUNDS.to_string(), at(50), at(95)])
    }
}

fn citation() -> Citation {
    let digest = Digest::new([3; 32]);
    Citation {
        address: format!("ucxl://mi:council@calc:P-1/sha256:{digest}#/report.txt#L12"),
        given: "report.txt#L12".to_owned(),
    }
}

fn opened(id: &str, digest: Digest) -> Event {
    Event::ProposalOpened(Box::new(Opened {
        id: id.to_owned(),
        title: "Let the calculator add what it is given, and nothing else".to_owned(),
        author: Person::named("ann").expect("a plain name"),
        paths: vec!["calc.py".to_owned()],
        files: Vec::new(),
        digest,
        urgency: Urgency::Standard,
        draft: false,
        quorum: Quorum::default(),
        evidence: BTreeMap::new(),
        requirements: Vec::new(),
        commit: None,
        beat: 0,
    }))
}

fn vote(name: &str, digest: Digest) -> Event {
    Event::VoteCast(Box::new(Vote {
        name: Person::named(name).expect("a plain name"),
        role: Role::Qa,
        vote: Colour::Green,
        digest,
        scope: "whole proposal".to_owned(),
        rationale: "Ran every test twice, read the change line by line, and found nothing that the task does not ask for.".to_owned(),
        evidence: vec![citation()],
        mitigations: Vec::new(),
        beat: 0,
    }))
}
