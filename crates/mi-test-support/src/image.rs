//! The image that engines of tests run: busybox and the folders of a workspace.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the image can do.
const APPLETS: [&str; 24] = [
    "sh", "cat", "echo", "ls", "id", "sleep", "touch", "mkdir", "ln", "mknod", "mkfifo", "dd", "head", "yes",
    "wget", "nc", "ping", "mount", "su", "chmod", "true", "false", "grep", "cp",
];

/// Makes the image below a folder and packs it; an engine can import the file.
pub(crate) fn packed(folder: &Path) -> PathBuf {
    let root = folder.join("image");
    for inside in ["bin", "etc", "tmp", "workspace/input", "workspace/data", "workspace/output"] {
        fs::create_dir_all(root.join(inside)).expect("make the image's folders");
    }
    // The runtime gives what is mounted there the mode of the image's own folder, and many images are made like this.
    fs::set_permissions(root.join("tmp"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("set the mode of /tmp");
    fs::copy(busybox().expect("looked for before"), root.join("bin/busybox")).expect("copy busybox");
    for applet in APPLETS {
        symlink("busybox", root.join("bin").join(applet)).expect("link an applet");
    }
    fs::write(root.join("etc/passwd"), "root:x:0:0::/:/bin/sh\nchorus:x:1000:1000::/:/bin/sh\n")
        .expect("write");
    let tar = folder.join("image.tar");
    let packed = Command::new("tar").arg("-cf").arg(&tar).arg("-C").arg(&root).arg(".").status();
    assert!(packed.is_ok_and(|status| status.success()), "pack the image");
    tar
}

/// Why a test cannot have an engine of its own that needs these programs; none if it can.
pub(crate) fn obstacle(programs: &[&str]) -> Option<String> {
    let is_root = fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t"));
    if !is_root {
        return Some(format!("{} with an engine of its own needs root", programs[0]));
    }
    if let Some(missing) = programs.iter().find(|program| !exists(program)) {
        return Some(format!("{missing} is not installed (dev/setup)"));
    }
    busybox().is_none().then(|| "busybox-static is not installed (dev/setup)".to_owned())
}

fn exists(program: &str) -> bool {
    let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin", "/sbin"];
    folders.iter().any(|folder| Path::new(folder).join(program).is_file())
}

fn busybox() -> Option<PathBuf> {
    ["/bin/busybox", "/usr/bin/busybox"].map(PathBuf::from).into_iter().find(|path| path.is_file())
}
