//! Which engine: the local socket that the environment names, or one of the two usual places (X6, Rule N).

use mi_admission::Denial;
use std::path::PathBuf;

const USUAL: [&str; 2] = ["/var/run/docker.sock", "/run/podman/podman.sock"];

/// The socket to use; none where there is none. `variable` gives the environment's values.
pub fn find_socket<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Result<Option<PathBuf>, Denial> {
    for name in ["DOCKER_HOST", "CONTAINER_HOST"] {
        let Some(value) = variable(name).filter(|value| !value.is_empty()) else { continue };
        return match value.strip_prefix("unix://") {
            Some(path) if path.starts_with('/') => Ok(Some(PathBuf::from(path))),
            _ => {
                let reason =
                    format!("{name} is not a local socket (unix:///path): runs stay on this machine");
                Err(Denial::new("N.socket", name, reason))
            }
        };
    }
    let own = variable("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("podman/podman.sock"));
    Ok(USUAL.iter().map(PathBuf::from).chain(own).find(|path| path.exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first variable decides, alone; anything but a local socket is denied.
    #[test]
    fn x_06_n_sockets_are_local() {
        let found = |docker: &'static str, container: &'static str| {
            find_socket(|name| match name {
                "DOCKER_HOST" => Some(docker),
                "CONTAINER_HOST" => Some(container),
                _ => None,
            })
        };
        assert_eq!(found("unix:///a", "unix:///b").unwrap(), Some("/a".into()));
        assert_eq!(found("", "unix:///b").unwrap(), Some("/b".into()));
        for bad in ["tcp://127.0.0.1:2375", "ssh://x", "unix://relative", "/a", "UNIX:///a", "npipe://x"] {
            assert_eq!(found(bad, "unix:///b").unwrap_err().rule, "N.socket", "{bad}");
        }
    }
}
