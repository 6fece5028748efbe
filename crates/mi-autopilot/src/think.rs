//! Passes the brain's questions to a model and keeps what was said.

use mi_formats::{AgentEvent, codex};
use mi_loop::message::{MindPrompt, MindQuestion};
use mi_mind::{Mind, PromptKind, Section};
use mi_model::{BatchId, answers::SectionOrigin, record::MindCall};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
};

use crate::Clock;

/// How often a waiting question looks whether the person wants to stop.
const LOOK_MS: i64 = 20;

/// The most bytes of lines that nothing understood that a model is given.
pub(crate) const UNREAD_BYTES: usize = 8_000;
/// How much of the end of a transcript is looked through for them.
const SEARCHED_BYTES: u64 = 1024 * 1024;

/// One question to a model, and where what is said about it is kept.
pub(crate) struct Asked {
    pub(crate) question: MindQuestion,
    pub(crate) transcript: PathBuf,
    /// The transcript as records name it.
    pub(crate) reference: String,
    pub(crate) clock: Clock,
    pub(crate) place: (BatchId, String),
}

/// Asks the model; its answer, if it is usable, and the record of the call. `None` when the person stopped it.
///
/// A request under way cannot be called back, so it runs in a thread of its own that is left behind.
pub(crate) fn ask(mind: &Arc<Mind>, asked: Asked, wake: BorrowedFd<'_>) -> Option<(Option<Value>, MindCall)> {
    let (sender, receiver) = mpsc::channel();
    let mind = Arc::clone(mind);
    thread::spawn(move || drop(sender.send(ask_now(&mind, asked))));
    loop {
        let pause = Timespec { tv_sec: 0, tv_nsec: LOOK_MS * 1_000_000 };
        let mut fds = [PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        let woken = poll(&mut fds, Some(&pause)).is_ok_and(|ready| ready > 0);
        match receiver.try_recv() {
            Ok(answer) => return Some(answer),
            Err(mpsc::TryRecvError::Disconnected) => return None,
            Err(mpsc::TryRecvError::Empty) if woken => return None,
            Err(mpsc::TryRecvError::Empty) => {}
        }
    }
}

fn ask_now(mind: &Mind, asked: Asked) -> (Option<Value>, MindCall) {
    let Asked { question, transcript, reference, clock, place: (batch_id, thread_id) } = asked;
    let question = mind_question(&question, reference);
    let mut file: Option<File> = None;
    let mut sink = |stream: &str, line: &str| -> Result<(), String> {
        let line = json!({"ts": clock.now(), "stream": stream, "line": line});
        let file = match &mut file {
            Some(file) => file,
            None => file.insert(open(&transcript)?),
        };
        writeln!(file, "{line}").map_err(|error| format!("write {}: {error}", transcript.display()))
    };
    let mut answer = mind.ask(&question, &mut sink);
    if answer.call.model.is_empty() {
        // An agent program that chooses its own model is known by its own name.
        answer.call.model.clone_from(&answer.call.provider);
    }
    (answer.value, answer.call.into_record(batch_id, thread_id))
}

/// The brain's question in the words of `mi-mind`.
pub fn mind_question(question: &MindQuestion, transcript_path: String) -> mi_mind::MindQuestion {
    mi_mind::MindQuestion { kind: kind(question.prompt), sections: sections(question), transcript_path }
}

/// The lines at the end of an agent's transcript that are no event of any agent known here.
pub(crate) fn unread_lines(transcript: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(transcript)?;
        let start = file.metadata()?.len().saturating_sub(SEARCHED_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let mut text = String::new();
    for line in String::from_utf8_lossy(&bytes).lines() {
        let Ok(stored) = serde_json::from_str::<Value>(line) else { continue };
        let Some(line) = stored["line"].as_str().filter(|_| stored["stream"] == "stdout") else { continue };
        let is_read = match serde_json::from_str::<Value>(line) {
            Ok(value) => !matches!(codex::read_value(&value), AgentEvent::Unknown { .. }),
            Err(_) => line.trim().is_empty(),
        };
        if !is_read && text.len() < 2 * UNREAD_BYTES {
            text.push_str(&format!("{}\n", mi_model::shorten(line, 1_000)));
        }
    }
    text
}

fn open(transcript: &Path) -> Result<File, String> {
    // Most runs ask no model, so the first that does makes the folder.
    let made = transcript.parent().map_or(Ok(()), fs::create_dir_all);
    let opened = made.and_then(|()| OpenOptions::new().create(true).append(true).open(transcript));
    opened.map_err(|error| format!("open {}: {error}", transcript.display()))
}

fn kind(prompt: MindPrompt) -> PromptKind {
    match prompt {
        MindPrompt::ExtractEvidence => PromptKind::ExtractEvidence,
        MindPrompt::RiskJudge => PromptKind::RiskJudge,
        MindPrompt::PlanMinChecks => PromptKind::PlanMinChecks,
        MindPrompt::AutoAnswerToCodex => PromptKind::AutoAnswerToCodex,
        MindPrompt::DecideNext => PromptKind::DecideNext,
        MindPrompt::JudgeCriteria => PromptKind::JudgeCriteria,
    }
}

/// The brain lists the most important first; that is their priority.
fn sections(question: &MindQuestion) -> Vec<Section> {
    let numbered = question.sections.iter().zip(0_u8..);
    numbered
        .map(|(section, priority)| {
            let text = section.text.clone();
            let whole = match section.origin {
                SectionOrigin::Person => Section::person(section.title, priority, text),
                SectionOrigin::Evidence => Section::evidence(section.title, priority, text),
            };
            whole.at_most(section.most_bytes)
        })
        .collect()
}
