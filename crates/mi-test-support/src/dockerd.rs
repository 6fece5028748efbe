//! A real Docker engine of a test's own: its own storage, its own socket, one busybox image. Needs root.
//!
//! An image that is only imported has no digest in Docker; one that was pushed has. So there is a registry beside it,
//! on loopback.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::image;
use crate::processes::wait_until;
use crate::scratch::Scratch;
use crate::skip::skipped;

/// A running engine. Its containers, its daemons and its storage go with it.
#[derive(Debug)]
pub struct Dockerd {
    scratch: Scratch,
    daemons: Vec<Child>,
    /// The test image, by its digest.
    pub image: String,
}

impl Dockerd {
    /// Starts one, or says why it cannot.
    pub fn start() -> Option<Self> {
        if let Some(reason) = image::obstacle(&["dockerd", "docker", "docker-registry"]) {
            skipped(&reason);
            return None;
        }
        // Short: its sockets are further down, and a socket's path has room for 107 bytes.
        let scratch = Scratch::outside_any_repository("docker");
        let mut docker = Self { scratch, daemons: Vec::new(), image: String::new() };
        docker.daemons.push(docker.engine());
        let pinged = || docker.docker(&["version"]).is_ok();
        if !wait_until(Duration::from_secs(60), pinged) {
            let log = fs::read_to_string(docker.scratch.path().join("dockerd.log")).unwrap_or_default();
            skipped(&format!("dockerd does not start here: {}", log.lines().last().unwrap_or_default()));
            return None;
        }
        docker.image = docker.import();
        Some(docker)
    }

    /// What `DOCKER_HOST` is set to.
    pub fn host(&self) -> String {
        format!("unix://{}", self.scratch.path().join("socket").display())
    }

    /// The names of all containers, running or not.
    pub fn containers(&self) -> Vec<String> {
        let names = self.docker(&["ps", "-a", "--format", "{{.Names}}"]).expect("list the containers");
        names.lines().map(str::to_owned).collect()
    }

    /// Runs a `docker` command on this engine: what it printed, or what it complained of.
    pub fn docker(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("docker");
        command.args(["-H", &self.host()]).args(arguments).env("HOME", self.scratch.path());
        let output = command.output().expect("run docker");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    fn engine(&self) -> Child {
        let below = |name: &str| self.scratch.path().join(name).display().to_string();
        let mut command = Command::new("dockerd");
        command.args(["-H", &self.host(), "--data-root", &below("d"), "--exec-root", &below("e")]);
        command.args(["--pidfile", &below("pid"), "--storage-driver=vfs", "--bridge=none"]);
        command.args(["--iptables=false", "--ip6tables=false", "--ip-forward=false"]);
        command.args(["--default-ulimit", "nofile=16384:16384", "--default-ulimit", "nproc=8192:8192"]);
        start(command, self.scratch.path(), "dockerd")
    }

    fn import(&mut self) -> String {
        let address = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port");
        let root = self.scratch.path().join("registry");
        let settings = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: {address}\n",
            root.display()
        );
        let settings = self.scratch.write("registry.yml", settings);
        let mut registry = Command::new("docker-registry");
        registry.arg("serve").arg(settings);
        let registry = start(registry, self.scratch.path(), "registry");
        self.daemons.push(registry);
        let tar = image::packed(self.scratch.path()).display().to_string();
        let tag = format!("{address}/mi-box-test:1");
        self.docker(&["import", &tar, &tag]).expect("import the image");
        let pushed = || self.docker(&["push", "--quiet", &tag]).is_ok();
        assert!(wait_until(Duration::from_secs(30), pushed), "push the image");
        self.docker(&["image", "inspect", "--format", "{{index .RepoDigests 0}}", &tag]).expect("a digest")
    }
}

impl Drop for Dockerd {
    fn drop(&mut self) {
        let containers = self.docker(&["ps", "-aq"]).unwrap_or_default();
        for container in containers.lines() {
            let _ = self.docker(&["rm", "--force", container]);
        }
        for daemon in &mut self.daemons {
            // Asked to end, dockerd takes its own containerd and its mounts with it.
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
            if !wait_until(Duration::from_secs(20), || daemon.try_wait().is_ok_and(|ended| ended.is_some())) {
                let _ = daemon.kill();
                let _ = daemon.wait();
            }
        }
    }
}

fn start(mut command: Command, folder: &Path, name: &str) -> Child {
    let log = fs::File::create(folder.join(format!("{name}.log"))).expect("make a log");
    command.stdin(Stdio::null()).stdout(log.try_clone().expect("one log for both")).stderr(log);
    command.env_remove("DOCKER_HOST").spawn().unwrap_or_else(|error| panic!("start {name}: {error}"))
}
