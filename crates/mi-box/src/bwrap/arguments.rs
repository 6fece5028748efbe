//! The command line of bubblewrap: what the box sees (X3, X4).

use std::{
    fs::{self, File},
    io,
    os::fd::{AsRawFd, RawFd},
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use super::memory_file;
use crate::engine::Job;

/// Parts of `/proc` that show the machine to users without powers. `kcore` and `kmsg` are not among them: the kernel
/// opens those for powers over the machine alone, and each file that is hidden costs a third of a millisecond.
const PROC_HIDDEN: [&str; 4] = ["/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/kallsyms"];
/// What programs in `/usr` need of `/etc` to be found, and to load.
const ALTERNATIVES: &str = "/etc/alternatives";
const LOADER: [&str; 2] = ["/etc/ld.so.cache", "/etc/ld.so.conf"];
const LOADER_PARTS: &str = "/etc/ld.so.conf.d";
/// More parts than any system has; each needs a descriptor.
const MOST_PARTS: usize = 64;
/// Files of the box's own, by their names and texts.
const OWN_FILES: [(&str, &str); 4] = [
    ("/etc/passwd", "chorus:x:1000:1000::/workspace/data:/bin/sh\n"),
    ("/etc/group", "chorus:x:1000:\n"),
    ("/etc/hosts", "127.0.0.1 localhost box\n"),
    ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
];
const SHARED_MEMORY_BYTES: u64 = 64 << 20;

/// What may be written in the box.
pub(super) const WRITABLE: [&str; 4] = ["/workspace/data", "/workspace/output", "/tmp", "/dev/shm"];

/// All arguments before the command, for `--args`, and what else bubblewrap reads: files that are copied into the box,
/// since every mount costs more than all of them. Bubblewrap tells of itself on `status`.
pub(super) fn arguments(job: &Job<'_>, status: RawFd) -> io::Result<(Vec<u8>, Vec<File>)> {
    let mut list = List::default();
    list.add(&["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]);
    list.add(&["--unshare-cgroup-try", "--uid", "1000", "--gid", "1000", "--hostname", "box"]);
    list.add(&["--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    system(&mut list);
    list.add(&["--proc", "/proc"]);
    // To the kernel the box's user is whoever runs this: what they cannot read need not be hidden.
    for path in PROC_HIDDEN.iter().filter(|path| access(**path, Access::READ_OK).is_ok()) {
        list.add(&["--ro-bind", "/dev/null", path]);
    }
    // As root the box's user is still the machine's first user, who may write much of it.
    list.add(&["--remount-ro", "/proc"]);
    let temp = job.work.slots.temp_bytes.to_string();
    let shared = SHARED_MEMORY_BYTES.min(job.work.slots.temp_bytes).to_string();
    list.add(&["--dev", "/dev", "--perms", "1777", "--size", &shared, "--tmpfs", "/dev/shm"]);
    list.add(&["--perms", "1777", "--size", &temp, "--tmpfs", "/tmp"]);
    list.add(&["--ro-bind-try", ALTERNATIVES, ALTERNATIVES]);
    let mut files = loader_files();
    for (path, text) in OWN_FILES {
        files.push((PathBuf::from(path), memory_file(&job.live.id, text.as_bytes())?));
    }
    for (path, file) in &files {
        list.add(&["--perms", "0644", "--file", &file.as_raw_fd().to_string()]);
        list.push(path);
    }
    for toolchain in job.work.toolchains {
        list.bind("--ro-bind", toolchain, toolchain);
    }
    list.bind("--ro-bind", &job.live.slot("input"), "/workspace/input");
    list.bind("--bind", &job.live.slot("data"), "/workspace/data");
    list.bind("--bind", &job.live.slot("output"), "/workspace/output");
    list.add(&["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/workspace/data"]);
    list.add(&["--json-status-fd", &status.to_string()]);
    Ok((list.bytes, files.into_iter().map(|(_, file)| file).collect()))
}

/// Arguments with a NUL after each.
#[derive(Default)]
struct List {
    bytes: Vec<u8>,
}

impl List {
    fn add(&mut self, words: &[&str]) {
        for word in words {
            self.push(Path::new(word));
        }
    }

    fn bind(&mut self, how: &str, from: &Path, to: impl AsRef<Path>) {
        self.add(&[how]);
        self.push(from);
        self.push(to.as_ref());
    }

    fn push(&mut self, word: &Path) {
        self.bytes.extend_from_slice(word.as_os_str().as_encoded_bytes());
        self.bytes.push(0);
    }
}

/// The files of the loader that are there; a system without them has another loader.
fn loader_files() -> Vec<(PathBuf, File)> {
    let parts = fs::read_dir(LOADER_PARTS).into_iter().flatten().flatten().map(|entry| entry.path());
    let paths = LOADER.map(PathBuf::from).into_iter().chain(parts.take(MOST_PARTS));
    let files = paths.filter_map(|path| Some((File::open(&path).ok()?, path)));
    let plain = files.filter(|(file, _)| file.metadata().is_ok_and(|known| known.is_file()));
    plain.map(|(file, path)| (path, file)).collect()
}

/// `/usr`, and beside it what leads there.
fn system(list: &mut List) {
    list.add(&["--ro-bind", "/usr", "/usr"]);
    for name in ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"] {
        match fs::read_link(name) {
            Ok(target) => {
                list.add(&["--symlink"]);
                list.push(&target);
                list.add(&[name]);
            }
            Err(_) if Path::new(name).is_dir() => list.add(&["--ro-bind", name, name]),
            Err(_) => {}
        }
    }
}

/// The environment: what was admitted, and what a container would have of its image.
pub(super) fn environment(job: &Job<'_>) -> Vec<(String, String)> {
    let mut search: Vec<String> =
        job.work.toolchains.iter().map(|toolchain| toolchain.join("bin").display().to_string()).collect();
    search.extend(["/usr/local/bin", "/usr/bin", "/bin"].map(str::to_owned));
    let mut variables: Vec<(String, String)> = job.work.spec.env.clone().into_iter().collect();
    let own = [("PATH", search.join(":")), ("HOME", "/workspace/data".to_owned())];
    for (name, value) in own {
        if !job.work.spec.env.contains_key(name) {
            variables.push((name.to_owned(), value));
        }
    }
    variables
}
