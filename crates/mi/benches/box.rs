//! `cargo bench -p mi --bench box [RUNS]`: `mi box exec … true` against bubblewrap itself and against Podman's own `run`.
//!
//! They are taken in turn, so that what else the machine does hits them alike, each after a pause: the kernel takes the
//! network of the one before apart for tens of milliseconds, and nobody can make a new one meanwhile. What the engine left to be written
//! is written before. Bars: bwrap at most 20 ms in all;
//! a container at most 1.15 times the engine's own run with the same limits.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it starts and times other programs")]

mod support;

use anyhow::{Result, ensure};
use mi_test_support::{Podman, Scratch, TempHome};
use std::{
    io::Write,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};
use support::{MI, print_table, program, size_or};

fn main() -> Result<()> {
    let runs = size_or(30);
    let (home, scratch) = (TempHome::new(), Scratch::new("bench-box"));
    let podman = Podman::start();
    let mut times: Vec<(&str, Vec<Duration>)> = [
        "bwrap itself",
        "mi box exec, bwrap",
        "podman run",
        "mi box exec, container",
        "one small file flushed",
    ]
    .into_iter()
    .map(|name| (name, Vec::new()))
    .collect();
    for slot in ["input", "data", "output"] {
        std::fs::create_dir(scratch.path().join(slot))?;
    }
    let bwrap = bwrap_arguments(scratch.path());
    for _ in 0..=runs {
        // What Podman has left to write would be waited for by the first that promises something to be on the disk.
        ensure!(Command::new("sync").status()?.success(), "sync failed");
        times[0].1.push(time(program("bwrap", &home, scratch.path()).args(&bwrap))?);
        let mut exec = program(MI, &home, scratch.path());
        times[1].1.push(time(exec.args(["exec", "--engine", "bwrap", "--", "/bin/true"]))?);
        times[4].1.push(flush(&home.path().join("flushed"))?);
        if let Some(podman) = &podman {
            thread::sleep(PAUSE);
            let began = Instant::now();
            podman.podman(&[&["run", "--rm"][..], &LIMITS, &[&podman.image, "/bin/true"]].concat());
            times[2].1.push(began.elapsed());
            let mut exec = program(MI, &home, scratch.path());
            exec.env("DOCKER_HOST", podman.host());
            exec.args(["exec", "--engine", "container", "--image", &podman.image, "--", "/bin/true"]);
            times[3].1.push(time(&mut exec)?);
        }
    }
    report(&mut times);
    Ok(())
}

/// The same namespaces, mounts and workspace that `mi box exec` asks bubblewrap for, around the same command.
fn bwrap_arguments(workspace: &Path) -> Vec<String> {
    let mut words: Vec<String> = "--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts \
        --unshare-cgroup-try --uid 1000 --gid 1000 --hostname box --die-with-parent --new-session --cap-drop ALL \
        --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib \
        --symlink usr/lib64 /lib64 --proc /proc --ro-bind-try /proc/sys /proc/sys \
        --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --ro-bind-try /proc/irq /proc/irq \
        --ro-bind-try /proc/bus /proc/bus --ro-bind-try /proc/fs /proc/fs --ro-bind /dev/null /proc/keys \
        --ro-bind /dev/null /proc/kallsyms --dev /dev --perms 1777 --size 67108864 --tmpfs /dev/shm --perms 1777 \
        --size 268435456 --tmpfs /tmp --ro-bind-try /etc/alternatives /etc/alternatives \
        --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache"
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    for (how, slot) in [("--ro-bind", "input"), ("--bind", "data"), ("--bind", "output")] {
        let from = workspace.join(slot).display().to_string();
        words.extend([how.to_owned(), from, format!("/workspace/{slot}")]);
    }
    let last = ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/workspace/data", "/bin/true"];
    words.extend(last.map(str::to_owned));
    words
}

const PAUSE: Duration = Duration::from_millis(100);

const LIMITS: [&str; 11] = [
    "--network=none",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--user=1000:1000",
    "--pids-limit=256",
    "--memory=512m",
    "--cpus=1",
    "--ulimit=nofile=4096:4096",
    "--ulimit=nproc=8192:8192",
    "--log-driver=none",
];

fn time(command: &mut Command) -> Result<Duration> {
    thread::sleep(PAUSE);
    let began = Instant::now();
    let status = command.status()?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(began.elapsed())
}

/// What the disk takes at this moment for what is promised to be on it.
fn flush(path: &Path) -> Result<Duration> {
    thread::sleep(PAUSE);
    let began = Instant::now();
    let mut file = std::fs::File::create(path)?;
    file.write_all(b"flushed")?;
    file.sync_all()?;
    Ok(began.elapsed())
}

/// The first of each is left out: it fills caches and makes keys.
fn report(times: &mut [(&str, Vec<Duration>)]) {
    let mut rows = Vec::new();
    let mut medians = Vec::new();
    for (name, times) in times.iter_mut() {
        if times.is_empty() {
            medians.push(None);
            continue;
        }
        times.remove(0);
        times.sort();
        let ms = |at: usize| times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3);
        let (median, worst) = (ms(times.len() / 2), ms(times.len() * 95 / 100));
        medians.push(Some(median));
        rows.push(vec![(*name).to_owned(), format!("{median:.1}"), format!("{worst:.1}")]);
    }
    print_table(&["what", "median ms", "p95 ms"], &rows);
    if let [_, _, Some(own), Some(ours), ..] = medians[..] {
        println!("container over the engine's own run: {:.2} (bar 1.15)", ours / own);
    }
    if let [Some(own), Some(ours), ..] = medians[..] {
        println!("bwrap in all: {ours:.1} ms (bar 20), of which bubblewrap itself {own:.1} ms");
    }
}
