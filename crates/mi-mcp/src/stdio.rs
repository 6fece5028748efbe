//! The protocol over two byte streams: one message per line in, one per line out.
//!
//! Not the SDK's own line transport: that one drops what is too long without an answer, loses the id of a message it
//! cannot read, ends at a notification before `initialize`, and gives calls five seconds after the input has ended.
//! Holds: every request that was read is answered, if the reader is still there; memory does not grow with the input.

use std::{
    collections::HashSet,
    future::ready,
    io::{self, Read, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    service::{ServerInitializeError, serve_server},
    transport::Transport,
};
use tokio::sync::{Notify, mpsc};

use crate::{
    Server,
    handler::{Sockets, runtime},
    lines::{Line, read_lines},
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
    let transport = Pipes::open(input, output).map_err(ServeStdioError::Start)?;
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

struct Pipes {
    lines: mpsc::Receiver<Line>,
    output: Arc<Output>,
    opened: bool,
}

struct Output {
    state: Mutex<OutputState>,
    changed: Notify,
}

struct OutputState {
    stream: Box<dyn Write + Send>,
    /// Requests that were read and not yet answered.
    open: HashSet<RequestId>,
    gone: bool,
}

impl Pipes {
    fn open(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> io::Result<Self> {
        let state = OutputState { stream: Box::new(output), open: HashSet::new(), gone: false };
        let output = Arc::new(Output { state: Mutex::new(state), changed: Notify::new() });
        Ok(Self { lines: read_lines(input)?, output, opened: false })
    }

    /// The message to hand on, if this line is one.
    fn take(&mut self, line: &Line) -> Option<ClientJsonRpcMessage> {
        let message = match message::read(line) {
            Reading::Message(message) => *message,
            Reading::Refused(refusal) => return self.output.refuse(refusal),
            Reading::Nothing => return None,
        };
        if !self.opened {
            self.opened = message::opens(&message);
            if let Some(refusal) = message::unreadable(&message) {
                return self.output.refuse(refusal);
            }
            // Before the handshake the SDK gives up at anything but a request.
            if !matches!(message, JsonRpcMessage::Request(_)) {
                return None;
            }
        }
        self.output.note(&message);
        Some(message)
    }
}

impl Transport<RoleServer> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        ready(self.output.send(&message))
    }

    /// May be dropped at any `await` without losing a message.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while self.output.open_requests()? >= MOST_OPEN {
                self.output.changed.notified().await;
            }
            let line = tokio::select! {
                line = self.lines.recv() => line,
                () = self.output.changed.notified() => continue,
            };
            match line {
                Some(line) => {
                    if let Some(message) = self.take(&line) {
                        return Some(message);
                    }
                }
                None => {
                    self.output.finish().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output {
    fn state(&self) -> std::sync::MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None when nobody reads any more.
    fn open_requests(&self) -> Option<usize> {
        let state = self.state();
        (!state.gone).then_some(state.open.len())
    }

    /// Writes at once, on this thread: a client that does not read is not read from either.
    fn send(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(message)?;
        bytes.push(b'\n');
        let mut state = self.state();
        let written = state.stream.write_all(&bytes).and_then(|()| state.stream.flush());
        state.gone |= written.is_err();
        match message {
            JsonRpcMessage::Response(response) => drop(state.open.remove(&response.id)),
            JsonRpcMessage::Error(error) => drop(error.id.as_ref().map(|id| state.open.remove(id))),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        drop(state);
        self.changed.notify_one();
        written
    }

    fn refuse<T>(&self, refusal: Refusal) -> Option<T> {
        // A failure is noticed by the next look at whether the reader has gone.
        let _ = self.send(&ServerJsonRpcMessage::error(refusal.error, refusal.id));
        None
    }

    fn note(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => drop(self.state().open.insert(request.id.clone())),
            // The SDK does not answer what was cancelled.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.state().open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Waits until every request is answered, or no answer comes for a long time.
    async fn finish(&self) {
        while self.open_requests().is_some_and(|open| open > 0) {
            if tokio::time::timeout(PATIENCE, self.changed.notified()).await.is_err() {
                return;
            }
        }
    }
}
