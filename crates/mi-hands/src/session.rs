//! The storing and interpreting half of a batch, whatever feeds it: a process or a recording.
//!
//! Holds: bytes reach the transcript before their events reach the observer.

use mi_formats::AgentEvent;
use mi_model::Usage;
use mi_process::{ExitStatus, Stopwatch};

use crate::{
    BatchEnd, BatchOrder, Ending, HandsError, Observer, Verdict,
    interpret::{Dialect, Interpreter, Turn},
    transcript::{Line, StreamName, StreamReader, Writer},
};

/// How much of standard error is kept for the report.
const TAIL_BYTES: usize = 4096;

/// How a batch ended that nobody stopped: from the turn, the exit and the end of standard error.
pub(crate) type Judge = fn(&Turn, ExitStatus, &str) -> Ending;

/// A batch that is under way.
pub(crate) struct Session {
    writer: Writer,
    stdout: StreamReader,
    stderr: StreamReader,
    /// Lines of standard output that are stored and not yet interpreted, each with its newline.
    queue: Vec<u8>,
    interpreter: Interpreter,
    tail: Vec<u8>,
    stopped: Option<Ending>,
    watch: Stopwatch,
}

impl Session {
    /// Opens the transcript.
    pub(crate) fn begin(
        order: &BatchOrder<'_>,
        dialect: Dialect,
        observer: &dyn Observer,
    ) -> Result<Self, HandsError> {
        Ok(Self {
            writer: Writer::create(&order.transcript_path, order.store_raw, observer.now())?,
            stdout: StreamReader::default(),
            stderr: StreamReader::default(),
            queue: Vec::new(),
            interpreter: Interpreter::new(dialect),
            tail: Vec::new(),
            stopped: None,
            watch: Stopwatch::start(),
        })
    }

    /// Stores and interprets bytes of standard output.
    pub(crate) fn stdout(&mut self, bytes: &[u8], observer: &mut dyn Observer) -> Result<(), HandsError> {
        self.writer.set_time(observer.now());
        self.stdout.push(bytes);
        let (writer, queue) = (&mut self.writer, &mut self.queue);
        self.stdout.lines(|line| store_output(line, writer, queue, true))?;
        self.writer.flush()?;
        self.interpret(observer)
    }

    /// Stores bytes of standard error.
    pub(crate) fn stderr(&mut self, bytes: &[u8], observer: &dyn Observer) -> Result<(), HandsError> {
        self.writer.set_time(observer.now());
        self.keep_tail(bytes);
        self.stderr.push(bytes);
        let writer = &mut self.writer;
        self.stderr.lines(|line| store(StreamName::Stderr, line, writer, true).map(drop))?;
        self.writer.flush()
    }

    /// Takes a verdict. The first that is not to continue counts, but the person's word is above the others.
    pub(crate) fn obey(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Continue => {}
            Verdict::Stop => self.stopped = Some(Ending::Stopped),
            Verdict::Interrupt { command, reason } => {
                self.stopped.get_or_insert(Ending::Interrupted { command, reason });
            }
        }
    }

    /// Notes that a time limit was reached.
    pub(crate) fn time_out(&mut self, message: String) {
        self.stopped.get_or_insert(Ending::TimedOut { message });
    }

    /// Whether the batch is to end now.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Stores and interprets what is left and closes the transcript. `judge` says how a batch ended that
    /// nobody stopped.
    pub(crate) fn finish(
        mut self,
        order: &BatchOrder<'_>,
        observer: &mut dyn Observer,
        exit: Option<ExitStatus>,
        judge: Judge,
    ) -> Result<BatchEnd, HandsError> {
        self.writer.set_time(observer.now());
        let (writer, queue) = (&mut self.writer, &mut self.queue);
        self.stdout.finish(|line| store_output(line, writer, queue, false))?;
        self.stderr.finish(|line| store(StreamName::Stderr, line, writer, false).map(drop))?;
        self.writer.flush()?;
        self.interpret(observer)?;
        if let Some(event) = self.interpreter.finish() {
            self.tell(&event, observer)?;
        }
        let duration = self.watch.elapsed();
        let stderr_tail = String::from_utf8_lossy(&self.tail).into_owned();
        let turn = self.interpreter.turn;
        let ending = match (self.stopped, exit) {
            // An agent that had said that it is done and then did not leave is done all the same.
            (Some(Ending::TimedOut { .. }), _) if turn.end.is_some() => {
                judge(&turn, ExitStatus::Code(0), &stderr_tail)
            }
            (Some(stopped), _) => stopped,
            (None, exit) => judge(&turn, exit.unwrap_or(ExitStatus::Code(0)), &stderr_tail),
        };
        let (usage, thread_usage) = split_usage(order, &turn);
        Ok(BatchEnd {
            ending,
            thread_id: turn.thread_id.or_else(|| order.thread_id.clone()),
            usage,
            thread_usage,
            stderr_tail,
            event_types: self.interpreter.event_types,
            item_types: self.interpreter.item_types,
            unknown_events: self.interpreter.unknown_events,
            transcript: self.writer.finish()?,
            exit,
            duration,
            notes: Vec::new(),
        })
    }

    fn interpret(&mut self, observer: &mut dyn Observer) -> Result<(), HandsError> {
        let queue = std::mem::take(&mut self.queue);
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', &queue) {
            let line = String::from_utf8_lossy(&queue[from..end]);
            from = end + 1;
            if let Some(event) = self.interpreter.line(&line) {
                self.tell(&event, observer)?;
            }
        }
        self.queue = queue;
        self.queue.clear();
        self.writer.flush()
    }

    fn tell(&mut self, event: &AgentEvent, observer: &mut dyn Observer) -> Result<(), HandsError> {
        self.writer.event(event)?;
        let verdict = observer.event(event);
        self.obey(verdict);
        Ok(())
    }

    fn keep_tail(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]);
        let over = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..over);
    }
}

/// Stores a line; gives back what of it is to be interpreted.
fn store<'a>(
    stream: StreamName,
    line: Line<'a>,
    writer: &mut Writer,
    is_whole: bool,
) -> Result<Option<std::borrow::Cow<'a, [u8]>>, HandsError> {
    match line {
        Line::Whole(line) => writer.line(stream, line, true).map(|()| Some(line.into())),
        Line::Half(line) => writer.line(stream, line, false).map(|()| Some(line.into())),
        Line::Piece(piece) => writer.piece(stream, piece).map(|()| None),
        Line::PieceEnd => writer.piece_end(stream, is_whole).map(|line| Some(line.into_bytes().into())),
    }
}

fn store_output(
    line: Line<'_>,
    writer: &mut Writer,
    queue: &mut Vec<u8>,
    is_whole: bool,
) -> Result<(), HandsError> {
    if let Some(line) = store(StreamName::Stdout, line, writer, is_whole)? {
        queue.extend_from_slice(&line);
        queue.push(b'\n');
    }
    Ok(())
}

/// Agents report sums over the whole conversation; what earlier batches used is taken off.
fn split_usage(order: &BatchOrder<'_>, turn: &Turn) -> (Usage, Usage) {
    let is_same_thread =
        order.thread_id.is_some() && (turn.thread_id.is_none() || turn.thread_id == order.thread_id);
    let earlier = if is_same_thread { order.thread_usage } else { Usage::default() };
    let sum = turn.usage.unwrap_or(earlier);
    (sum.since(&earlier), sum)
}

/// The last words of a standard error, for a message: at most its last three lines.
pub(crate) fn last_words(stderr_tail: &str) -> String {
    let lines: Vec<&str> = stderr_tail.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.iter().skip(lines.len().saturating_sub(3)).copied().collect::<Vec<_>>().join(" / ");
    if last.is_empty() { String::new() } else { format!(": {last}") }
}
