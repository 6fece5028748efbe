//! The protocol over two byte streams: one message per line in, one per line out.
//!
//! Not the SDK's own line transport: that one drops what is too long without an answer, loses the id of a message it
//! cannot read, ends at a notification before `initialize`, and gives calls five seconds after the input has ended.
//! Holds: every request that was read is answered, if the reader is still there; memory does not grow with the input.
//! While no call is under way apart, the next line is read on the protocol's own thread, which has nothing else to do.

use std::{
    collections::HashSet,
    future::{pending, ready},
    io::{self, BufReader, Read, Write},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    service::{ServerInitializeError, serve_server},
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::{
    Server,
    calls::{Calls, Sockets, runtime},
    lines::{Line, MAX_LINE_BYTES, read_line},
    message::{self, Reading, Refusal},
};

/// So many requests are worked on or wait; further ones stay in the pipe.
const MOST_OPEN: usize = 64;
/// After the input has ended, so long without any answer means that none will come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a server did not start, or stopped for another reason than the end of its input.
#[derive(Debug, thiserror::Error)]
pub enum ServeStdioError {
    #[error("start the MCP server")]
    Start(#[source] io::Error),
    #[error("serve MCP")]
    Serve(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Serves until the input ends or the reader of the output has gone; both are a normal end.
pub fn serve_stdio(
    server: Server,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), ServeStdioError> {
    let runtime = runtime(Sockets::None).map_err(ServeStdioError::Start)?;
    let transport = Pipes::new(Arc::clone(server.calls()), input, output);
    let served = runtime.block_on(async {
        match serve_server(server, transport).await {
            Ok(running) => {
                running.waiting().await.map(drop).map_err(|error| ServeStdioError::Serve(error.into()))
            }
            // The client came and went without a handshake; a transport error is a reader that has gone.
            Err(
                ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(error) => Err(ServeStdioError::Serve(error.into())),
        }
    });
    // A call that still waits for a lock changes nothing any more; the process may end under it.
    runtime.shutdown_background();
    served
}

struct Pipes<I, O> {
    calls: Arc<Calls>,
    input: Input<I>,
    output: O,
    /// Requests that were read and not yet answered.
    open: HashSet<RequestId>,
    /// The handshake has begun.
    opened: bool,
    /// Nobody reads the answers any more.
    gone: bool,
}

enum Input<I> {
    Here(BufReader<I>),
    /// Another thread waits for the next line and brings the reader back with it.
    Apart(JoinHandle<(BufReader<I>, Option<Line>)>),
    Ended,
}

impl<I: Read + Send + 'static, O: Write> Pipes<I, O> {
    fn new(calls: Arc<Calls>, input: I, output: O) -> Self {
        let input = Input::Here(BufReader::with_capacity(64 * 1024, input));
        Self { calls, input, output, open: HashSet::new(), opened: false, gone: false }
    }

    /// `None` when there will be no further line. May be dropped at any `await` without losing one.
    async fn next_line(&mut self) -> Option<Line> {
        if let Input::Here(reader) = &mut self.input
            && self.open.is_empty()
        {
            let line = read_line(reader, MAX_LINE_BYTES).ok().flatten();
            if line.is_none() {
                self.input = Input::Ended;
            }
            return line;
        }
        self.input = match std::mem::replace(&mut self.input, Input::Ended) {
            Input::Here(mut reader) => Input::Apart(tokio::task::spawn_blocking(move || {
                let line = read_line(&mut reader, MAX_LINE_BYTES).ok().flatten();
                (reader, line)
            })),
            other => other,
        };
        let Input::Apart(reading) = &mut self.input else { return None };
        let read = reading.await;
        self.input = Input::Ended;
        let (reader, line) = read.ok()?;
        if line.is_some() {
            self.input = Input::Here(reader);
        }
        line
    }

    /// The message to hand on, if this line is one.
    fn take(&mut self, line: &Line) -> Option<ClientJsonRpcMessage> {
        let message = match message::read(line) {
            Reading::Message(message) => *message,
            Reading::Refused(refusal) => return self.refuse(refusal),
            Reading::Nothing => return None,
        };
        if !self.opened {
            self.opened = message::opens(&message);
            if let Some(refusal) = message::unreadable(&message) {
                return self.refuse(refusal);
            }
            // Before the handshake the SDK gives up at anything but a request.
            if !matches!(message, JsonRpcMessage::Request(_)) {
                return None;
            }
        }
        Some(message)
    }

    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => drop(self.open.insert(request.id.clone())),
            // The SDK does not answer what was cancelled.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// A client that does not read is not read from either.
    fn write(&mut self, mut bytes: Vec<u8>) -> io::Result<()> {
        bytes.push(b'\n');
        let written = self.output.write_all(&bytes).and_then(|()| self.output.flush());
        self.gone |= written.is_err();
        written
    }

    fn refuse<T>(&mut self, refusal: Refusal) -> Option<T> {
        let is_unknown = refusal.id.is_none();
        let mut message = json!(ServerJsonRpcMessage::error(refusal.error, refusal.id));
        if is_unknown {
            // The SDK leaves it out; JSON-RPC wants it to be there.
            message["id"] = Value::Null;
        }
        // A failure is noticed by the next look at whether the reader has gone.
        let _ = self.write(message.to_string().into_bytes());
        None
    }
}

impl<I: Read + Send + 'static, O: Write + Send> Transport<RoleServer> for Pipes<I, O> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        answered.map(|id| self.open.remove(id));
        ready(serde_json::to_vec(&message).map_err(io::Error::from).and_then(|bytes| self.write(bytes)))
    }

    /// The SDK asks anew after each answer, so that waiting for one needs no signal.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while !self.gone {
            if matches!(self.input, Input::Ended) {
                if !self.open.is_empty() {
                    let _ = tokio::time::timeout(PATIENCE, pending::<()>()).await;
                }
                return None;
            }
            if self.open.len() >= MOST_OPEN {
                pending::<()>().await;
            }
            while !self.open.is_empty() && !self.calls.any_apart() {
                self.calls.one_goes_apart().await;
            }
            let Some(line) = self.next_line().await else { continue };
            if let Some(message) = self.take(&line) {
                self.note(&message);
                return Some(message);
            }
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
