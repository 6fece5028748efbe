//! Which engine works here, and why another does not: for `mi doctor`.

use mi_box::{BoxHome, Container, find_socket, probe};

use super::{exec, plan};
use crate::app::App;

/// An engine that was tried.
pub struct Tried {
    pub ok: bool,
    pub detail: String,
    pub todo: &'static str,
}

/// Makes a box and ends it.
pub fn bwrap(app: &App) -> Tried {
    let todo = "install the package bubblewrap; user namespaces must be allowed";
    let Some(bwrap) = plan::find_bwrap(app) else {
        return Tried { ok: false, detail: "bwrap is not in PATH".to_owned(), todo };
    };
    let home = BoxHome::new(&app.home);
    match probe(&bwrap, &home, &format!("{}-doctor", exec::new_run(app))) {
        Ok(how) => {
            let settings = mi_config::resolve(&app.layers(&app.folder()), &app.environment, &[]).settings;
            let bound = plan::toolchains(app, &settings.r#box);
            let bound: Vec<String> = bound.iter().map(|path| path.display().to_string()).collect();
            let bound =
                if bound.is_empty() { String::new() } else { format!("; toolchains {}", bound.join(", ")) };
            Tried { ok: true, detail: format!("{}, {how}{bound}", bwrap.program.display()), todo }
        }
        Err(reason) => Tried { ok: false, detail: reason, todo },
    }
}

/// Asks the engine for its version.
pub fn container(app: &App) -> Tried {
    let todo = "optional: start Docker or Podman, or set DOCKER_HOST=unix:///path";
    let socket = match find_socket(|name| app.variable(name)) {
        Ok(Some(socket)) => socket,
        Ok(None) => return Tried { ok: false, detail: "no socket of an engine was found".to_owned(), todo },
        Err(denial) => return Tried { ok: false, detail: denial.reason, todo },
    };
    match Container::new(&socket).version() {
        Ok(version) => Tried { ok: true, detail: format!("{version}  {}", socket.display()), todo },
        Err(reason) => Tried { ok: false, detail: reason, todo },
    }
}
