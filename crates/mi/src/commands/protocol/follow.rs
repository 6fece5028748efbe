//! The protocol that a run follows: loaded before the run begins, and the very same one when it goes on.

use mi_autopilot::{FollowedProtocol, Recorded};
use mi_protocol::Protocol;
use std::sync::Arc;

use super::source::Source;
use crate::failure::Failure;

/// A protocol and where it was found.
pub struct Followed {
    pub file: String,
    pub protocol: Arc<Protocol>,
}

impl Followed {
    /// What the journal keeps of it.
    pub fn reference(&self) -> FollowedProtocol {
        FollowedProtocol {
            file: self.file.clone(),
            name: self.protocol.name.clone(),
            sha256: self.protocol.digest.clone(),
        }
    }
}

/// The protocol of `mi run --protocol`. `builtin:autopilot` is what every run follows anyway: it needs no director.
pub fn load(name: &str) -> Result<Option<Followed>, Failure> {
    match name {
        "builtin:autopilot" => return Ok(None),
        "-" => {
            return Err(Failure::usage("a run cannot follow a protocol from standard input")
                .todo("give a file, so that the run can go on after a crash"));
        }
        _ => {}
    }
    let source = Source::read(name)?;
    let loaded = mi_protocol::load(&source.bytes);
    let Some(protocol) = loaded.protocol else {
        let first = loaded.problems.first();
        let what = first.map_or_else(
            || format!("{name} does not load"),
            |problem| format!("{name}:{}: {}", problem.place, problem.message),
        );
        return Err(Failure::new(what).todo(format!("see all of it: mi protocol check {name}")));
    };
    let file = match name.starts_with("builtin:") {
        true => name.to_owned(),
        false => std::path::absolute(name).map_or(name.to_owned(), |path| path.display().to_string()),
    };
    Ok(Some(Followed { file, protocol: Arc::new(protocol) }))
}

/// Refuses to go on with another protocol than the run began with.
pub fn same(followed: Option<&Followed>, recorded: &Recorded) -> Result<(), Failure> {
    let (now, then) = (followed.map(Followed::reference), recorded.followed());
    if now.as_ref().map(|now| &now.sha256) == then.as_ref().map(|then| &then.sha256) {
        return Ok(());
    }
    let (what, todo) = match (then, now) {
        (Some(then), Some(_)) => (
            format!(
                "the run follows the protocol {} with the digest {}, and this file is another",
                then.name, then.sha256
            ),
            format!("put {} back as it was, or begin a new run", then.file),
        ),
        (Some(then), None) => (
            format!("the run follows the protocol {}", then.name),
            format!("go on with --protocol {}", then.file),
        ),
        (None, _) => (
            "the run was begun without a protocol".to_owned(),
            "go on without --protocol, or begin a new run".to_owned(),
        ),
    };
    Err(Failure::usage(what).todo(todo))
}
