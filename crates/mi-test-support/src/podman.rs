//! A real Podman engine of a test's own: its own storage, its own socket, one busybox image. Needs root.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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
/// What the image can do.
const APPLETS: [&str; 24] = [
    "sh", "cat", "echo", "ls", "id", "sleep", "touch", "mkdir", "ln", "mknod", "mkfifo", "dd", "head", "yes",
    "wget", "nc", "ping", "mount", "su", "chmod", "true", "false", "grep", "cp",
];

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
        let root = fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t"));
        for (there, reason) in [
            (root, "Podman with an engine of its own needs root"),
            (exists("podman"), "podman is not installed (dev/setup)"),
            (exists("runc"), "runc is not installed (dev/setup)"),
            (busybox().is_some(), "busybox-static is not installed (dev/setup)"),
        ] {
            if !there {
                skipped(reason);
                return None;
            }
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
        let root = self.scratch.path().join("image");
        let program = busybox().expect("looked for before");
        for folder in ["bin", "etc", "tmp", "workspace/input", "workspace/data", "workspace/output"] {
            fs::create_dir_all(root.join(folder)).expect("make the image's folders");
        }
        // The runtime gives what is mounted there the mode of the image's own folder.
        fs::set_permissions(root.join("tmp"), std::os::unix::fs::PermissionsExt::from_mode(0o1777))
            .expect("open /tmp");
        fs::copy(program, root.join("bin/busybox")).expect("copy busybox");
        for applet in APPLETS {
            symlink("busybox", root.join("bin").join(applet)).expect("link an applet");
        }
        fs::write(root.join("etc/passwd"), "root:x:0:0::/:/bin/sh\nchorus:x:1000:1000::/:/bin/sh\n")
            .expect("write");
        let tar = self.scratch.path().join("image.tar");
        let packed = Command::new("tar").arg("-cf").arg(&tar).arg("-C").arg(&root).arg(".").status();
        assert!(packed.is_ok_and(|status| status.success()), "pack the image");
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

fn exists(program: &str) -> bool {
    let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin", "/sbin"];
    folders.iter().any(|folder| Path::new(folder).join(program).is_file())
}

fn busybox() -> Option<PathBuf> {
    ["/bin/busybox", "/usr/bin/busybox"].map(PathBuf::from).into_iter().find(|path| path.is_file())
}
