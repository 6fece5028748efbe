//! Danger in any disguise is found; ordinary work is left in peace.

use mi_gate::command::{RiskFinding, analyze, risk};
use mi_model::Severity;

fn findings(script: &str) -> Vec<RiskFinding> {
    risk(&analyze(&script.replace('⏎', "\n")))
}

/// Every dangerous command has a finding of its category and at least its severity.
#[test]
fn dangerous_commands_are_found() {
    let list = include_str!("data/dangerous.tsv");
    let rows: Vec<_> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() >= 150);
    let missed: Vec<_> = rows
        .into_iter()
        .filter(|row| {
            let mut parts = row.splitn(3, '\t');
            let (category, least, script) =
                (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
            let least = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
                .into_iter()
                .find(|severity| severity.as_str() == least)
                .unwrap();
            !findings(script)
                .iter()
                .any(|finding| finding.category.as_str() == category && finding.severity >= least)
        })
        .map(|row| (row, findings(row.rsplit('\t').next().unwrap())))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Ordinary commands give nothing high, and nine in ten give nothing at all.
#[test]
fn ordinary_commands_are_left_in_peace() {
    let list: Vec<_> = include_str!("data/ordinary.txt").lines().collect();
    assert!(list.len() >= 150);
    let loud: Vec<_> = list
        .iter()
        .filter(|script| findings(script).iter().any(|finding| finding.severity >= Severity::High))
        .collect();
    assert!(loud.is_empty(), "{loud:#?}");
    let noisy: Vec<_> = list
        .iter()
        .filter(|script| !findings(script).is_empty())
        .map(|script| (script, findings(script)))
        .collect();
    assert!(noisy.len() * 10 <= list.len(), "{} of {}: {noisy:#?}", noisy.len(), list.len());
}

/// Ordinary commands are understood.
#[test]
fn ordinary_commands_are_understood() {
    let list: Vec<_> = include_str!("data/ordinary.txt").lines().collect();
    let lost: Vec<_> = list
        .iter()
        .map(|script| (script, analyze(&script.replace('⏎', "\n"))))
        .filter(|(_, analysis)| !analysis.understood)
        .map(|(script, analysis)| (script, analysis.reasons))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

/// The worst finding of each command, or none: secrets of the environment, keys, installs, containers, this machine.
#[test]
fn the_first_finding_names_what_is_at_stake() {
    for (expected, scripts) in [
        (
            "privacy",
            &[
                "env | grep -i token",
                "printenv | grep API_KEY",
                "set | grep -i passw",
                "export -p | rg SECRET",
                "printenv GITHUB_TOKEN",
                "echo $AWS_SECRET_ACCESS_KEY",
                "env",
                "chmod 600 ~/.ssh/id_ed25519",
                "chmod 644 /home/me/.ssh/id_rsa",
                "sudo chown me ~/.ssh/id_ecdsa",
                "mv ~/.aws/credentials /tmp/x",
            ][..],
        ),
        (
            "install",
            &[
                "sudo apt-get install -y jq",
                "sudo apt install x",
                "doas apk add git",
                "npx create-react-app x",
                "npx -y create-next-app@latest x",
                "pnpm dlx create-vite",
                "npm exec create-foo",
                "bunx create-x",
            ],
        ),
        (
            "other",
            &[
                "docker run -v /:/h alpine",
                "docker run --volume=/:/h alpine",
                "podman run --mount type=bind,source=/,target=/h x",
                "docker run -v /var/run/docker.sock:/var/run/docker.sock x",
                "docker run --privileged x",
                "docker run --pid=host x",
            ],
        ),
        (
            "network",
            &["curl http://127.0.0.1.evil.com/", "curl http://localhost@evil.com", "ssh build.example.com"],
        ),
        (
            "",
            &[
                "env | grep PATH",
                "env | wc -l",
                "printenv HOME",
                "echo $PATH",
                "env FOO=1 make",
                "chmod +x run.sh",
                "npx vitest run",
                "npx tsc --noEmit",
                "docker run -v $PWD:/w x",
                "docker run -v /work/project:/w x",
                "curl http://127.0.0.2:8000/x",
                "curl 127.1.2.3:80",
                "curl http://[::1]:80/",
                "wget http://localhost/x",
                "ssh localhost",
                "nc 127.5.5.5 80",
                "http GET localhost:8000/health",
                "rsync -a build/ localhost:/srv",
            ],
        ),
    ] {
        for script in scripts {
            let found = findings(script);
            assert_eq!(
                found.first().map_or("", |first| first.category.as_str()),
                expected,
                "{script}: {found:?}"
            );
        }
    }
}

/// What talks to this machine alone is not external.
#[test]
fn loopback_is_not_external() {
    for script in [
        "curl -X POST http://127.0.0.9/x",
        "nc ::1 80",
        "curl http://user@localhost:3000/",
        "xh :1@127.0.0.1/x",
    ] {
        assert!(!findings(script).iter().any(|finding| finding.external), "{script}: {:?}", findings(script));
    }
}
