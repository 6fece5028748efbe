//! Control groups, version 1 and 2: the kernel counts the whole box.
//!
//! Holds: the folders' names follow from the run's name, so that what a killed `mi` left can be found; nothing outside
//! those folders is changed, except that version 2 may be told to hand its controllers down.

use mi_admission::RunLimits;
use mi_process::{Deadline, pause};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];
/// What a process writes that wants to join a group itself.
pub(super) const JOIN: &[u8] = b"0";
const PERIOD_MICROS: f64 = 100_000.0;

/// Where the groups of one run are, made or not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The folder for each controller; the same one three times in version 2.
    folders: BTreeMap<&'static str, PathBuf>,
    unified: bool,
}

impl Groups {
    /// Where they would be on this machine; none where no place for them is seen.
    pub(crate) fn find(name: &str) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        version_1(&own, &mounts, name).or_else(|| version_2(&own, &mounts, name))
    }

    /// The folders, each once.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = self.folders.values().cloned().collect();
        folders.dedup();
        folders
    }

    /// Makes them and sets the limits. On failure nothing of them is left.
    pub(crate) fn make(&self, limits: &RunLimits) -> io::Result<()> {
        let made = self.try_make(limits);
        if made.is_err() {
            remove(&self.folders());
        }
        made
    }

    fn try_make(&self, limits: &RunLimits) -> io::Result<()> {
        for folder in self.folders() {
            if let (true, Some(above)) = (self.unified, folder.parent()) {
                hand_down(above)?;
            }
            fs::create_dir(&folder)?;
        }
        let quota = (limits.cpus * PERIOD_MICROS).max(1000.0) as u64;
        let period = PERIOD_MICROS as u64;
        let memory = limits.memory_bytes.to_string();
        self.write("pids", "pids.max", &limits.pids.to_string())?;
        if self.unified {
            self.write("memory", "memory.max", &memory)?;
            self.write_if_there("memory", "memory.swap.max", "0")?;
            self.write_if_there("memory", "memory.oom.group", "1")?;
            return self.write("cpu", "cpu.max", &format!("{quota} {period}"));
        }
        self.write("memory", "memory.limit_in_bytes", &memory)?;
        self.write_if_there("memory", "memory.memsw.limit_in_bytes", &memory)?;
        self.write("cpu", "cpu.cfs_period_us", &period.to_string())?;
        self.write("cpu", "cpu.cfs_quota_us", &quota.to_string())
    }

    /// The files by which a process joins the groups, itself and all that it will start, when it writes [`JOIN`] there.
    ///
    /// Who moves another process makes the whole machine wait (a grace period, 8 ms and more); a single thread that
    /// moves itself does not, and version 1 has a file for that.
    pub(crate) fn doors(&self) -> io::Result<Vec<File>> {
        let name = if self.unified { "cgroup.procs" } else { "tasks" };
        self.folders().iter().map(|folder| OpenOptions::new().write(true).open(folder.join(name))).collect()
    }

    /// How many processes of the box were killed for want of memory.
    pub(crate) fn killed_for_memory(&self) -> u64 {
        let name = if self.unified { "memory.events" } else { "memory.oom_control" };
        let text = fs::read_to_string(self.folders["memory"].join(name)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }

    fn write(&self, controller: &str, name: &str, value: &str) -> io::Result<()> {
        fs::write(self.folders[controller].join(name), value)
    }

    /// Swap accounting and group kills are not on every kernel.
    fn write_if_there(&self, controller: &str, name: &str, value: &str) -> io::Result<()> {
        if self.folders[controller].join(name).exists() {
            self.write(controller, name, value)
        } else {
            Ok(())
        }
    }
}

/// Removes groups: kills what is left in them first. What cannot be removed is named.
pub(crate) fn remove(folders: &[PathBuf]) -> Vec<PathBuf> {
    let last = Deadline::after(Duration::from_secs(2));
    loop {
        for folder in folders {
            let _ = fs::remove_dir(folder);
        }
        let left: Vec<PathBuf> = folders.iter().filter(|folder| folder.exists()).cloned().collect();
        if left.is_empty() || last.has_passed() {
            return left;
        }
        for folder in &left {
            // Version 2 kills a whole group at once, also one that forks faster than it can be read.
            let kill = OpenOptions::new().write(true).open(folder.join("cgroup.kill"));
            if kill.is_ok_and(|mut kill| kill.write_all(b"1").is_ok()) {
                continue;
            }
            let ids = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            for tie in ids.lines().filter_map(|id| mi_process::Tie::to(id.trim().parse().ok()?)) {
                tie.kill();
            }
        }
        let _ = pause(Deadline::after(Duration::from_millis(3)), None);
    }
}

fn version_1(own: &str, mounts: &str, name: &str) -> Option<Groups> {
    let mut folders = BTreeMap::new();
    for controller in CONTROLLERS {
        let path = own.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            controllers.split(',').any(|known| known == controller).then_some(path)
        })?;
        let (root, mount) = mounts.lines().find_map(|line| mount_of(line, "cgroup", Some(controller)))?;
        folders.insert(controller, below(&mount, &root, path).join(name));
    }
    Some(Groups { folders, unified: false })
}

/// A group that holds processes cannot hand its controllers down, so a run's group stands beside the group that `mi`
/// is in; only at the top is it below.
fn version_2(own: &str, mounts: &str, name: &str) -> Option<Groups> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let (root, mount) = mounts.lines().find_map(|line| mount_of(line, "cgroup2", None))?;
    let at = below(&mount, &root, path);
    let above = if at == mount { at } else { at.parent()?.to_owned() };
    let known = fs::read_to_string(above.join("cgroup.controllers")).ok()?;
    if !CONTROLLERS.iter().all(|wanted| known.split_whitespace().any(|known| known == *wanted)) {
        return None;
    }
    let folder = above.join(name);
    Some(Groups { folders: CONTROLLERS.map(|controller| (controller, folder.clone())).into(), unified: true })
}

fn hand_down(folder: &Path) -> io::Result<()> {
    let file = folder.join("cgroup.subtree_control");
    let active = fs::read_to_string(&file)?;
    if CONTROLLERS.iter().all(|wanted| active.split_whitespace().any(|known| known == *wanted)) {
        return Ok(());
    }
    fs::write(file, "+memory +pids +cpu")
}

/// The root inside the hierarchy and the mount point, if a line of `mountinfo` is the mount that is looked for.
fn mount_of(line: &str, kind: &str, controller: Option<&str>) -> Option<(String, PathBuf)> {
    let (left, right) = line.split_once(" - ")?;
    let mut after = right.split(' ');
    let is_kind = after.next()? == kind;
    let options = after.nth(1)?;
    let serves = controller.is_none_or(|wanted| options.split(',').any(|option| option == wanted));
    let mut before = left.split(' ').skip(3);
    let (root, mount) = (before.next()?, before.next()?);
    (is_kind && serves).then(|| (root.to_owned(), PathBuf::from(mount)))
}

/// The folder of a group; in a container the path may lie outside of what is mounted, then the mount itself is it.
fn below(mount: &Path, root: &str, path: &str) -> PathBuf {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let folder = mount.join(inner.trim_start_matches('/'));
    if folder.is_dir() { folder } else { mount.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The controllers' mounts are found by their options, whatever else is mounted.
    #[test]
    fn x_18_groups_of_version_1_are_found_by_controller() {
        let own = "9:name=systemd:/\n8:pids:/\n4:memory:/nowhere/at/all\n1:cpu,cpuacct:/\n0::/\n";
        let mounts = "30 25 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
            31 30 0:27 / /a/memory rw,relatime - cgroup cgroup rw,memory\n\
            32 30 0:28 / /a/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
            33 30 0:29 / /a/pids rw - cgroup cgroup rw,pids\n";
        let groups = version_1(own, mounts, "x").unwrap();
        assert_eq!(groups.folders().len(), 3);
        assert_eq!(groups.folders["memory"], Path::new("/a/memory/x"));
        assert_eq!(groups.folders["cpu"], Path::new("/a/cpu/x"));
        assert_eq!(version_1(own, "", "x"), None);
    }

    fn limits() -> RunLimits {
        let (step_seconds, job_seconds) = (1, 1);
        RunLimits { pids: 7, memory_bytes: 1 << 26, cpus: 0.5, nofile: 64, step_seconds, job_seconds }
    }

    /// A folder with the files of a group that hands its controllers down: where groups of version 2 are made, what is
    /// written there, and that nothing is left of them.
    #[test]
    fn x_18_groups_of_version_2_get_their_limits() {
        let top = mi_test_support::Scratch::new("groups");
        let all = "cpu memory pids";
        top.write("cgroup.controllers", all);
        top.write("cgroup.subtree_control", "");
        top.write("mine/cgroup.procs", "");
        let mounts = format!("40 25 0:26 / {} rw - cgroup2 cgroup2 rw\n", top.path().display());
        for (own, at) in [("0::/\n", "x"), ("0::/mine\n", "x"), ("12:cpu:/\n0::/mine\n", "x")] {
            let groups = version_2(own, &mounts, "x").unwrap();
            assert_eq!((groups.unified, groups.folders()), (true, vec![top.path().join(at)]), "{own}");
        }
        let groups = version_2("0::/\n", &mounts, "x").unwrap();
        groups.make(&limits()).unwrap();
        let read = |name: &str| fs::read_to_string(top.path().join(name)).unwrap();
        assert_eq!(read("cgroup.subtree_control"), "+memory +pids +cpu");
        assert_eq!((read("x/pids.max"), read("x/memory.max")), ("7".to_owned(), (1 << 26).to_string()));
        assert_eq!(read("x/cpu.max"), "50000 100000");
        top.write("x/memory.events", "low 0\noom 3\noom_kill 2\n");
        assert_eq!(groups.killed_for_memory(), 2);
        top.write("cgroup.controllers", "cpu pids");
        assert_eq!(version_2("0::/\n", &mounts, "x"), None, "memory is missing");
    }

    /// On the system's own hierarchy of version 2, whatever controllers it has: a process joins by the door, is counted,
    /// and dies with its group; a group whose limits cannot be set leaves nothing.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the process that joins is the test's own")]
    fn x_18_groups_of_version_2_are_joined_and_killed() {
        use std::{os::unix::process::ExitStatusExt, process::Command};
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let unified = mounts.lines().find_map(|line| mount_of(line, "cgroup2", None));
        let Some((_, mount)) = unified else { return mi_test_support::skipped("no cgroup2 is mounted here") };
        let folder = mount.join(format!("mi-test-{}", std::process::id()));
        if fs::create_dir(&folder).is_err() {
            return mi_test_support::skipped("groups of version 2 can be made by root alone");
        }
        let groups = Groups {
            folders: CONTROLLERS.map(|controller| (controller, folder.clone())).into(),
            unified: true,
        };
        assert_eq!(groups.doors().unwrap().len(), 1);
        let script = "printf %s \"$2\" > \"$1\"; sleep 60 & sleep 60 & exec sleep 60";
        let mut joining = Command::new("sh");
        joining.args(["-c", script, "sh"]).arg(folder.join("cgroup.procs"));
        let mut child = joining.arg(str::from_utf8(JOIN).unwrap()).spawn().unwrap();
        let members = || fs::read_to_string(folder.join("cgroup.procs")).unwrap().lines().count();
        assert!(mi_test_support::wait_until(Duration::from_secs(10), || members() == 3));
        assert_eq!(remove(&groups.folders()), Vec::<PathBuf>::new());
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert!(!folder.exists());
        let has_all = CONTROLLERS.iter().all(|wanted| {
            fs::read_to_string(mount.join("cgroup.controllers"))
                .unwrap()
                .split_whitespace()
                .any(|have| have == *wanted)
        });
        if !has_all {
            groups.make(&limits()).unwrap_err();
            assert!(!folder.exists());
        }
    }
}
