//! A real Podman engine of a test's own: its own storage, its own socket, one busybox image. Needs root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::image;
use crate::processes::wait_until;
use crate::scratch::Scratch;
use crate::skip::skipped;

const SETTINGS: &str = r#"[containers]
default_ulimits = ["nofile=16384:16384", "nproc=8192:8192"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"#;
/// A running engine. Its containers, its service and its storage go with it.
#[derive(Debug)]
pub struct Podman {
    scratch: Scratch,
    service: Child,
    /// The test image, by its digest.
    pub image: String,
}

impl Podman {
    /// Starts one, or says why it cannot.
    pub fn start() -> Option<Self> {
        if let Some(reason) = image::obstacle(&["podman", "runc"]) {
            skipped(&reason);
            return None;
        }
        let scratch = Scratch::new("podman");
        scratch.write("containers.conf", SETTINGS);
        let service = command(scratch.path())
            .args(["system", "service", "--time=0"])
            .arg(format!("unix://{}", scratch.path().join("socket").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(scratch.path().join("service.log")).expect("make a log"))
            .spawn()
            .expect("start podman's service");
        let mut podman = Self { scratch, service, image: String::new() };
        let socket = podman.socket();
        assert!(
            wait_until(Duration::from_secs(60), || std::os::unix::net::UnixStream::connect(&socket).is_ok()),
            "podman's service does not answer: {}",
            fs::read_to_string(podman.scratch.path().join("service.log")).unwrap_or_default()
        );
        podman.image = podman.import();
        Some(podman)
    }

    pub fn socket(&self) -> PathBuf {
        self.scratch.path().join("socket")
    }

    /// What `DOCKER_HOST` is set to.
    pub fn host(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Runs a `podman` command on this engine's storage; panics when it fails.
    pub fn podman(&self, arguments: &[&str]) -> String {
        let output = command(self.scratch.path()).args(arguments).output().expect("run podman");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "podman {arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The names of all containers, running or not.
    pub fn containers(&self) -> Vec<String> {
        self.podman(&["ps", "-a", "--format", "{{.Names}}"]).lines().map(str::to_owned).collect()
    }

    /// Kills the service, as a crash would; containers go on.
    pub fn kill_service(&mut self) {
        let _ = self.service.kill();
        let _ = self.service.wait();
    }

    fn import(&self) -> String {
        let tar = image::packed(self.scratch.path());
        self.podman(&["import", "--quiet", tar.to_str().expect("a plain path"), "localhost/mi-box-test:1"]);
        let digest = self.podman(&["image", "inspect", "--format", "{{.Digest}}", "localhost/mi-box-test:1"]);
        format!("localhost/mi-box-test@{digest}")
    }
}

impl Drop for Podman {
    fn drop(&mut self) {
        let _ = command(self.scratch.path()).args(["rm", "--all", "--force", "--time", "0"]).output();
        self.kill_service();
    }
}

fn command(scratch: &Path) -> Command {
    let mut command = Command::new("podman");
    command.args(["--storage-driver", "vfs", "--root"]).arg(scratch.join("root"));
    command.arg("--runroot").arg(scratch.join("run")).arg("--tmpdir").arg(scratch.join("tmp"));
    // Its helper leaves a file `oom` where it was started.
    command
        .current_dir(scratch)
        .env("CONTAINERS_CONF", scratch.join("containers.conf"))
        .env_remove("DOCKER_HOST")
        .env_remove("CONTAINER_HOST");
    command
}
