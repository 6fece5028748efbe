//! A manifest for the archive: encrypted to the recipients that the person names, by the `age` program (F.5).

use mi_admission::Denial;
use mi_box::{BoxHome, Finished};
use mi_process::{Environment, Limits, SpawnSpec, Stdin, run_to_end};
use std::time::Duration;

use crate::{commands::launch, exit_reason::ExitReason};

/// Writes `manifest.json.age` beside the manifest. Where that was asked for and fails, the run is not complete.
pub fn manifest(home: &BoxHome, recipients: &[String], finished: Finished) -> Finished {
    let Some(path) = finished.manifest.clone().filter(|_| !recipients.is_empty()) else { return finished };
    let mut args: Vec<String> = vec!["--encrypt".to_owned()];
    args.extend(recipients.iter().flat_map(|recipient| ["--recipient".to_owned(), recipient.clone()]));
    args.extend(["--output".to_owned(), format!("{}.age", path.display()), path.display().to_string()]);
    let spec = SpawnSpec {
        program: "age".into(),
        args: args.into_iter().map(Into::into).collect(),
        cwd: "/".into(),
        environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: Duration::from_secs(30), max_output_bytes: 4096 };
    let spawner = launch::spawner().map_err(|failure| failure.what);
    let encrypted = spawner.and_then(|spawner| match run_to_end(&spawner, &spec, limits, None) {
        Ok(output) if output.end.is_success() => {
            let folder = path.parent().unwrap_or(&path);
            mi_box::sign_archive(home, folder).map_err(|error| error.to_string())
        }
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(error.to_string()),
    });
    match encrypted {
        Ok(()) => finished,
        Err(reason) => {
            let mut denials = finished.denials;
            denials.push(Denial::new(
                "S.encrypt",
                "manifest",
                format!("encrypt the manifest with age: {reason}"),
            ));
            Finished { exit: ExitReason::Denied.code().into(), denials, ..finished }
        }
    }
}
