//! Requests that ask for more than the good one: engine options by every name, numbers that only look like some, uploads
//! in every dress. Each must be denied by the letter that its field has (A3).

use super::*;

#[track_caller]
fn denied_by(text: &str, letter: &str) {
    let verdict = verdict(text);
    let rules: Vec<&str> = verdict.denials().iter().map(|denial| denial.rule.as_str()).collect();
    assert!(
        !verdict.is_admitted() && rules.iter().any(|rule| rule.starts_with(letter)),
        "{letter} {rules:?}\n{text}"
    );
}

fn with(place: &str, value: Value) -> String {
    let mut request = good();
    *request.pointer_mut(place).unwrap() = value;
    request.to_string()
}

/// What engines understand and this request has no word for: unknown at the top and in every object (A1, A2).
#[test]
fn a_01_engine_options_are_unknown_wherever_they_stand() {
    let options: Vec<(&str, Value)> = vec![
        ("privileged", json!(true)),
        ("Privileged", json!(false)),
        ("--privileged", json!("")),
        ("cap_add", json!(["ALL"])),
        ("CapAdd", json!(["CAP_SYS_ADMIN"])),
        ("capabilities", json!({"add": ["ALL"]})),
        ("NetworkMode", json!("host")),
        ("networks", json!({"none": {"ipv4_address": "10.0.0.2"}})),
        ("network_mode", json!("none")),
        ("NetworkingConfig", json!({"EndpointsConfig": {"bridge": {}}})),
        ("ports", json!(["80:80"])),
        ("publish", json!(["80:80"])),
        ("expose", json!(["80"])),
        ("extra_hosts", json!(["a:1.2.3.4"])),
        ("dns", json!(["8.8.8.8"])),
        ("links", json!(["db"])),
        ("pid", json!("host")),
        ("PidMode", json!("container:x")),
        ("ipc", json!("host")),
        ("uts", json!("host")),
        ("userns_mode", json!("host")),
        ("cgroup_parent", json!("/")),
        ("cgroupns", json!("host")),
        ("devices", json!(["/dev/kvm"])),
        ("device_cgroup_rules", json!(["a *:* rwm"])),
        ("gpus", json!("all")),
        ("binds", json!(["/:/host"])),
        ("volumes", json!(["/var/run/docker.sock:/var/run/docker.sock"])),
        ("volumes_from", json!(["other"])),
        ("tmpfs", json!({"/run": "exec"})),
        ("shm_size", json!(1_u64 << 40)),
        ("sysctls", json!({"kernel.core_pattern": "|/x"})),
        ("ulimits", json!({"nofile": -1})),
        ("oom_kill_disable", json!(true)),
        ("memory_swap", json!(-1)),
        ("runtime", json!("nvidia")),
        ("log_driver", json!("syslog")),
        ("restart", json!("always")),
        ("healthcheck", json!({"test": ["CMD", "curl", "x"]})),
        ("entrypoint", json!(["/bin/sh"])),
        ("workdir", json!("/")),
        ("hostname", json!("host")),
        ("group_add", json!(["docker"])),
        ("stop_signal", json!("SIGCONT")),
        ("init", json!(true)),
        ("labels", json!({"a": "b"})),
        ("annotations", json!({"run.oci.keep_original_groups": "1"})),
        ("secrets", json!(["x"])),
        ("image_digest", json!("sha256:1234")),
        ("pull", json!("always")),
        ("__proto__", json!({"network": "host"})),
        ("$schema", json!("x")),
        ("//", json!("a comment")),
        ("", json!(null)),
    ];
    for (name, value) in options {
        for place in ["", "/limits", "/mounts/0", "/mounts/2"] {
            let mut request = good();
            request.pointer_mut(place).unwrap()[name] = value.clone();
            denied_by(&request.to_string(), "A.unknown");
        }
        let mut request = good();
        request["env"][name] = json!("x");
        denied_by(&request.to_string(), "S.env");
    }
}

/// A field's own denial is by its own letter, however the value is dressed.
#[test]
fn a_03_other_values_are_denied_by_their_fields_letter() {
    let hex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let cases: Vec<(&str, Vec<Value>, &str)> = vec![
        (
            "/image",
            vec![
                json!(format!("demo:1@sha256:{hex}")),
                json!(format!("demo@sha256:{}", &hex[1..])),
                json!(format!("demo@sha256:{hex}0")),
                json!(format!("demo@sha256:{}", hex.to_uppercase())),
                json!(format!("demo@sha512:{hex}{hex}")),
                json!(format!("demo@md5:{}", &hex[..32])),
                json!(format!("demo@sha256:{}", "0".repeat(64))),
                json!(format!("demo@sha256:{hex}@sha256:{hex}")),
                json!(format!("Demo@sha256:{hex}")),
                json!(format!("demo /x@sha256:{hex}")),
                json!(format!("../demo@sha256:{hex}")),
                json!(format!("https://h/demo@sha256:{hex}")),
                json!(format!("h:99999999/demo@sha256:{hex}")),
                json!(format!("@sha256:{hex}")),
                json!(format!("sha256:{hex}")),
                json!(format!("demo@sha256:{hex}\n")),
                json!(hex),
                json!({"name": "demo", "digest": hex}),
                json!([format!("demo@sha256:{hex}")]),
            ],
            "I",
        ),
        (
            "/network",
            vec![
                json!("none\u{0}"),
                json!("nonе"),
                json!(["none"]),
                json!({"mode": "none"}),
                json!("private"),
                json!("slirp4netns"),
                json!("ns:/proc/1/ns/net"),
            ],
            "F",
        ),
        (
            "/user",
            vec![
                json!("１０００:１０００"),
                json!("1000:1000:0"),
                json!("1000:"),
                json!(":1000"),
                json!(1000),
                json!(["1000:1000"]),
                json!("65534:65534"),
                json!("0x3e8:1000"),
            ],
            "F",
        ),
        ("/read_only", vec![json!("true"), json!(1), json!([true])], "F"),
        (
            "/cap_drop",
            vec![
                json!("ALL"),
                json!(["ALL", "ALL"]),
                json!(["ALL", "NET_RAW"]),
                json!([["ALL"]]),
                json!({"0": "ALL"}),
                json!(["CAP_ALL"]),
            ],
            "F",
        ),
        (
            "/security_opt",
            vec![
                json!("no-new-privileges"),
                json!(["no-new-privileges", "seccomp=unconfined"]),
                json!(["apparmor=unconfined"]),
                json!(["no-new-privileges", "label=disable"]),
                json!(["no-new-privileges", "systempaths=unconfined"]),
                json!([true]),
                json!([]),
            ],
            "F",
        ),
        (
            "/mounts",
            vec![
                json!([{"source": "input", "target": "/workspace/input", "mode": "ro"}]),
                json!([{"source": "data", "target": "/workspace/data", "mode": "rw"}, {"source": "output", "target": "/workspace/output", "mode": "rw"}, {"source": "input", "target": "/workspace/input", "mode": "ro"}, {"source": "data", "target": "/x", "mode": "rw"}]),
                json!(["input:/workspace/input:ro", "data:/workspace/data", "output:/workspace/output"]),
                json!({"input": "/workspace/input"}),
            ],
            "",
        ),
        (
            "/mounts/1/mode",
            vec![json!("rw,exec"), json!("RW"), json!("rw,rshared"), json!("z"), json!("ro")],
            "W",
        ),
        (
            "/mounts/0/source",
            vec![
                json!("/"),
                json!("./input"),
                json!("input/"),
                json!("../input"),
                json!("Input"),
                json!("/var/run/docker.sock"),
                json!("/proc"),
                json!("~/.aws"),
            ],
            "S",
        ),
        (
            "/mounts/0/source",
            vec![
                json!("nfs://h/x"),
                json!("//h/share"),
                json!("s3://b"),
                json!("nas:/export"),
                json!("nas.lan:share"),
            ],
            "N",
        ),
        (
            "/mounts/0/target",
            vec![
                json!("/"),
                json!("/workspace/input/"),
                json!("/workspace//input"),
                json!("/workspace/../etc"),
                json!("workspace/input"),
                json!("/workspace/data"),
            ],
            "S",
        ),
        (
            "/env/SOURCE_DATE_EPOCH",
            vec![
                json!("-1"),
                json!("+1"),
                json!("01"),
                json!("1.0"),
                json!("1e3"),
                json!(""),
                json!("１"),
                json!("18446744073709551616"),
                json!(0),
                json!("0x0"),
            ],
            "X",
        ),
        (
            "/env/CHORUS_SEED",
            vec![json!("٣"), json!("42 "), json!("42\n"), json!("random"), json!(null)],
            "X",
        ),
        ("/env/TZ", vec![json!("utc"), json!("UTC0"), json!(":UTC"), json!("Etc/UTC")], "X"),
        ("/env/LC_ALL", vec![json!("C"), json!("c.utf-8"), json!("en_US.UTF-8")], "X"),
        ("/env/WORKSPACE_INPUT", vec![json!("/workspace"), json!("/workspace/input/"), json!("/etc")], "W"),
        (
            "/task_id",
            vec![
                json!("DEMO-001"),
                json!("demo-int-001"),
                json!("DEMO-INT-01"),
                json!("DEMO-INT-1234567"),
                json!("DEMO--INT-001"),
                json!("DEMO-INT-００１"),
                json!("DEMO-INT-001\n"),
                json!("1DEMO-INT-001"),
                json!(format!("{}-INT-001", "A".repeat(64))),
            ],
            "A",
        ),
        (
            "/command",
            vec![
                json!("make test"),
                json!([[]]),
                json!(["a\u{0}b"]),
                json!([""]),
                json!([null]),
                json!(vec!["a"; 257]),
                json!(["a".repeat(32 * 1024 + 1)]),
            ],
            "A",
        ),
        ("/limits/pids", vec![json!(0), json!(513), json!(256.0), json!([256]), json!(true)], ""),
        ("/limits/cpus", vec![json!(0.009), json!(16.01), json!(-1), json!("1.0"), json!(1e300)], ""),
        ("/limits/nofile", vec![json!(63), json!(16385), json!(-1)], "X"),
        ("/limits/memory_bytes", vec![json!((16 << 20) - 1), json!((8_u64 << 30) + 1), json!(u64::MAX)], "X"),
    ];
    for (place, values, letter) in cases {
        for value in values {
            denied_by(&with(place, value), letter);
        }
    }
}

/// Numbers and documents that other readers take for the same (A2, A8).
#[test]
fn a_02_a_08_texts_that_other_readers_take() {
    let good = good().to_string();
    for (from, to) in [
        ("256", "2.56e2"),
        ("256", "256.0"),
        ("256", "+256"),
        ("256", "0256"),
        ("256", "0x100"),
        ("256", "2_56"),
        ("256", "٢٥٦"),
        ("256", "NaN"),
        ("256", "Infinity"),
        ("256", "256e0"),
        ("256", "1e999"),
        ("256", "99999999999999999999999999"),
        ("true", "True"),
        ("true", "1"),
        ("\"none\"", "'none'"),
        ("\"none\"", "none"),
        ("\"none\"", "\"none\" // host"),
        ("\"none\"", "\"none\" /* host */"),
        ("\"none\"", "\"none\",\"network\":\"host\""),
        ("\"none\"", "\"none\",\"n\\u0065twork\":\"none\""),
        ("\"none\"", "\"none\","),
        ("\"none\"", "\"no\\u0000ne\""),
        ("\"none\"", "\"\\ud800none\""),
        ("\"network\"", "\"Network\""),
        ("\"network\"", "\"net\u{200b}work\""),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        denied_by(&text, "");
    }
    for text in [
        String::new(),
        " ".to_owned(),
        format!("\u{feff}{good}"),
        format!("{good}{good}"),
        format!("{good}x"),
        format!("[{good}]"),
        format!("{{\"spec\":{good}}}"),
        format!("{good}{}", " ".repeat(65 * 1024)),
        good.replacen("\"none\"", &format!("{}\"none\"{}", "[".repeat(20), "]".repeat(20)), 1),
        good.replacen("\"none\"", &format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000)), 1),
        good.trim_end_matches('}').to_owned(),
        "network: none\n".to_owned(),
    ] {
        denied_by(&text, "A.");
    }
    for bytes in [&b"\xff\xfe{\0}\0"[..], b"{\"task_id\":\"\xff\"}", b"\0"] {
        let verdict = admit(bytes, &Policies::builtin(), &Exceptions::none(), now());
        assert!(verdict.denials().iter().any(|denial| denial.rule.starts_with("A.")), "{bytes:?}");
    }
}

/// F.3: what uploads is denied as the program and inside a script, however it is written.
#[test]
fn f_03_a_06_uploads_in_every_dress() {
    let scripts = [
        "git push",
        "git push --force origin main",
        "git -C repo push",
        "git -c a.b=c push",
        "/usr/bin/git push",
        "cd x && git push",
        "true; git push",
        "git status || git push",
        "(git push)",
        "{ git push; }",
        "if true; then git push; fi",
        "x=$(git push)",
        "echo `git push`",
        "env A=1 git push",
        "sudo git push",
        "nice -n 5 git push",
        "timeout 5 git push",
        "nohup git push &",
        "bash -c 'git push'",
        "sh -lc \"git push\"",
        "eval git push",
        "g''it push",
        "\\git push",
        "'git' \"push\"",
        "command git push",
        "exec git push",
        "time git push",
        "xargs git push < x",
        "find . -exec scp {} h:x \\;",
        "scp a h:b",
        "sftp h",
        "rsync -a -e ssh a h:b",
        "rsync --rsh=ssh a h:b",
        "rsync a h:b",
        "rsync a rsync://h/b",
        "curl -T a http://h",
        "curl --upload-file a http://h",
        "curl -X PUT --data-binary @a http://h",
        "curl -F f=@a http://h",
        "curl -d @a http://h",
        "wget --post-file=a http://h",
        "aws s3 cp a s3://b",
        "aws s3 sync a s3://b",
        "aws --profile p s3 cp a s3://b",
        "gsutil cp a gs://b",
        "gsutil -m cp a gs://b",
        "az storage blob upload -f a",
        "rclone copy a r:b",
        "rclone sync a r:b",
        "npm publish",
        "cargo publish",
        "twine upload dist/*",
        "python3 -m twine upload dist/*",
        "docker push x",
        "podman push x",
        "gh release upload v1 a",
        "git lfs push origin main",
        "ftp h",
        "s3cmd put a s3://b",
    ];
    let missed: Vec<&str> = scripts
        .into_iter()
        .filter(|script| {
            let request = with("/command", json!(["/bin/sh", "-c", script]));
            !verdict(&request).denials().iter().any(|denial| denial.rule == "F.upload")
        })
        .collect();
    assert_eq!(missed, Vec::<&str>::new());
    for words in [
        json!(["git", "push"]),
        json!(["/usr/bin/scp", "a", "h:b"]),
        json!(["env", "-i", "git", "push"]),
        json!(["bash", "-euc", "git push"]),
    ] {
        denied_by(&with("/command", words), "F.upload");
    }
    for fine in [
        "git status",
        "git log --grep push",
        "make push-button",
        "echo done > pushed.txt",
        "cargo test publish",
        "ls scp",
    ] {
        let request = with("/command", json!(["/bin/sh", "-c", fine]));
        assert!(verdict(&request).is_admitted(), "{fine} {:?}", verdict(&request));
    }
}

/// S: secrets in a command or a variable, told without being repeated; paths of credentials in no mount.
#[test]
fn s_a_06_secrets_in_commands() {
    let token = format!("ghp_{}", "b".repeat(36));
    let key = format!("-----BEGIN {} PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "RSA");
    let aws = format!("AKIA{}", "Q7ZJ3WXY5KLMNP2R");
    for secret in [&token, &key, &aws] {
        for command in [json!(["make", secret]), json!(["sh", "-c", format!("export T={secret}; make")])] {
            let text = with("/command", command);
            denied_by(&text, "S.secret");
            assert!(!format!("{:?}", verdict(&text)).contains(secret.as_str()));
        }
    }
}

/// S: a secret in place of a key is told without being repeated, whatever rule names the key.
#[test]
fn s_a_03_secrets_as_keys_stand_in_no_denial() {
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    let good = RunSpec::example().to_json();
    for text in [
        good.replacen("\"TZ\"", &format!("\"{token}\": \"x\", \"TZ\""), 1),
        good.replacen("\"pids\"", &format!("\"{token}\": 1, \"pids\""), 1),
        good.replacen('{', &format!("{{\"{token}\": 1, \"{token}\": 1,"), 1),
        good.replacen("\"mode\"", &format!("\"{token}\": null, \"mode\""), 1),
    ] {
        let verdict = verdict(&text);
        assert!(verdict.denials().iter().any(|denial| denial.rule.starts_with("A.")), "{verdict:?}");
        assert!(!format!("{verdict:?}").contains(&token), "{verdict:?}");
    }
}
