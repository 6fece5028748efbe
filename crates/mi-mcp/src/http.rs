//! The protocol over the SDK's streamable HTTP, for clients on this machine alone.
//!
//! Holds: it listens on a loopback address or not at all; a request whose `Host` or `Origin` is not this machine is
//! refused, so that no web page reaches it under a name of its own; there are no sessions to keep, each request stands
//! for itself.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    Request, StatusCode,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use mi_formats::strict_json::parse_value_with_double;
use rmcp::{
    ErrorData,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use crate::{
    Server, bundle,
    calls::{Sockets, runtime},
    lines::MAX_LINE_BYTES,
    message::stands_twice,
};

const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// A loopback address and a port; port 0 is any free one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpAddress(SocketAddr);

/// A text that is no loopback address.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AddressError {
    #[error("`{text}` is not an address: give HOST:PORT, such as 127.0.0.1:8765")]
    Unreadable { text: String },
    #[error(
        "`{text}` can be reached from other machines; anybody there could change this project: use 127.0.0.1:PORT"
    )]
    NotLoopback { text: String },
}

impl FromStr for HttpAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let unreadable = || AddressError::Unreadable { text: text.to_owned() };
        let address = match text.strip_prefix("localhost:") {
            Some(port) => {
                SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port.parse().map_err(|_| unreadable())?)
            }
            None => text.parse().map_err(|_| unreadable())?,
        };
        match address.ip().to_canonical().is_loopback() {
            true => Ok(Self(address)),
            false => Err(AddressError::NotLoopback { text: text.to_owned() }),
        }
    }
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeHttpError {
    #[error("start the MCP server")]
    Start(#[source] io::Error),
    #[error("listen on {address}: is another server there already?")]
    Listen { address: SocketAddr, source: io::Error },
}

/// Serves until the process is ended. `ready` is told the URL as soon as clients can come.
pub fn serve_http(
    server: Server,
    address: HttpAddress,
    ready: impl FnOnce(&str),
) -> Result<(), ServeHttpError> {
    let runtime = runtime(Sockets::Used).map_err(ServeHttpError::Start)?;
    runtime.block_on(async {
        let fail = |source| ServeHttpError::Listen { address: address.0, source };
        let listener = TcpListener::bind(address.0).await.map_err(fail)?;
        let url = format!("http://{}/mcp", listener.local_addr().map_err(fail)?);
        ready(&url);
        let served = server.clone();
        let service = StreamableHttpService::new(
            move || Ok(served.clone()),
            Arc::new(NeverSessionManager::default()),
            configuration(),
        );
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    drop(tokio::spawn(serve_connection(stream, service.clone(), server.clone())))
                }
                // The client went away first, or this process is out of descriptors, which takes time to pass.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    })
}

type Service = StreamableHttpService<Server, NeverSessionManager>;

async fn serve_connection(stream: TcpStream, service: Service, server: Server) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let (service, server) = (service.clone(), server.clone());
        async move {
            match request.uri().path() {
                bundle::PATH => Ok(bundle::answer(&server, request).await),
                _ => match read_strictly(request).await {
                    Ok(request) => TowerToHyperService::new(service).call(request).await,
                    Err(answer) => Ok(answer),
                },
            }
        }
    });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
    // The only errors are those of a client that went away or does not speak HTTP.
    let _ = connection.await;
}

/// The request with its body, in which no key stands twice; what is no JSON at all the SDK refuses itself.
async fn read_strictly(request: Request<Incoming>) -> Result<Request<Full<Bytes>>, bundle::Answer> {
    let (head, body) = request.into_parts();
    let refused = |status, id: &Value, error| {
        bundle::reply(status, &json!({"jsonrpc": "2.0", "id": id, "error": error}))
    };
    let Ok(body) = Limited::new(body, MAX_LINE_BYTES).collect().await else {
        let error = ErrorData::invalid_request("the message is too large, or was cut off", None);
        return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, &Value::Null, error));
    };
    let body = body.to_bytes();
    match parse_value_with_double(&body) {
        Ok((message, Some(key))) => Err(refused(StatusCode::BAD_REQUEST, &message["id"], stands_twice(&key))),
        Ok((_, None)) | Err(_) => Ok(Request::from_parts(head, Full::new(body))),
    }
}

fn configuration() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(HOSTS)
        .with_allowed_origins(ORIGINS)
        .enforce_origin_validation()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_LINE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only an address that no other machine can reach is taken.
    #[test]
    fn only_loopback_addresses_are_taken() {
        for good in ["127.0.0.1:8765", "localhost:0", "[::1]:80", "127.8.8.8:1", "[::ffff:127.0.0.1]:1"] {
            assert!(good.parse::<HttpAddress>().is_ok(), "{good}");
        }
        for far in ["0.0.0.0:80", "192.168.1.2:80", "[::]:80", "[2001:db8::1]:80"] {
            let error = far.parse::<HttpAddress>().unwrap_err();
            assert_eq!(error, AddressError::NotLoopback { text: far.to_owned() });
        }
        for bad in ["", "80", "example.org:80", "localhost", "127.0.0.1", "localhost:x"] {
            assert!(matches!(bad.parse::<HttpAddress>(), Err(AddressError::Unreadable { .. })), "{bad}");
        }
    }
}
