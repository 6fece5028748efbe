//! `mi box publish` to real git repositories and to a web server of the test's own (Rule U).

use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
};

use super::boxed::{Place, run_folder};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A sealed run with one output, made by the engine that runs nothing; its name.
fn sealed(place: &Place) -> String {
    let output = place.mi().run(["exec", "--json", "--engine", "none", "--", "true"]).expect_exit(0);
    super::boxed::run_folder(&output).file_name().unwrap().to_str().unwrap().to_owned()
}

fn publish(place: &Place, run: &str, to: &str) -> mi_test_support::MiOutput {
    place.mi().run(["publish", "--json", run, "--to", to])
}

fn allow(place: &Place, sinks: &[&str]) {
    place.home.write_config(&format!("[sinks]\nallow = {}\n", serde_json::json!(sinks)));
}

/// What the timeline says of publications: sink and status.
fn journalled(place: &Place) -> Vec<(String, String)> {
    let text = fs::read_to_string(place.home.path().join("box/timeline.jsonl")).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = records.filter(|record| record["kind"] == "box_publish");
    let word = |record: &Value, name: &str| record[name].as_str().unwrap_or_default().to_owned();
    told.map(|record| (word(&record, "to"), word(&record, "status"))).collect()
}

/// Each run goes into a folder of its own on the release branch, one commit on the other; nothing is left behind.
#[test]
fn u_publish_to_a_git_branch() {
    let place = Place::new();
    let bare = place.scratch.path().join("release.git");
    git(place.scratch.path(), &["init", "-q", "--bare", bare.to_str().unwrap()]);
    let sink = format!("git:{}#release", bare.display());
    allow(&place, &[&sink]);
    let (one, two) = (sealed(&place), sealed(&place));
    for run in [&one, &two] {
        assert_eq!(publish(&place, run, &sink).expect_exit(0).json()["published"], true);
    }
    let names = git(&bare, &["ls-tree", "-r", "--name-only", "release"]);
    for run in [&one, &two] {
        assert!(names.contains(&format!("{run}/manifest.json.minisig")), "{names}");
    }
    assert_eq!(git(&bare, &["rev-list", "--count", "release"]), "2");
    let shown = git(&bare, &["show", &format!("release:{one}/manifest.json")]);
    let manifest = place.home.path().join("box/runs").join(&one).join("manifest.json");
    assert_eq!(shown, fs::read_to_string(manifest).unwrap().trim());
    let live = fs::read_dir(place.home.path().join("box/live")).unwrap().flatten();
    assert_eq!(live.filter(|entry| entry.path().is_dir()).count(), 0);
    assert_eq!(journalled(&place).len(), 4);
}

/// A sealed run with these outputs: what an agent's reply holds.
fn sealed_with(place: &Place, reply: &str) -> String {
    let reply = place.scratch.write("reply.md", reply);
    let from = reply.to_str().unwrap();
    let output = place.mi().run(["exec", "--json", "--engine", "none", "--from", from]).expect_exit(0);
    run_folder(&output).file_name().unwrap().to_str().unwrap().to_owned()
}

/// The branch has the bytes of the manifest, whatever attributes the outputs bring and whatever the person's git is set to;
/// a run that is there is not an error; what git cannot carry is said, not left out.
#[test]
fn u_git_carries_every_byte_or_says_so() {
    let place = Place::new();
    let bare = place.scratch.path().join("release.git");
    git(place.scratch.path(), &["init", "-q", "--bare", bare.to_str().unwrap()]);
    let sink = format!("git:{}#release", bare.display());
    let folder = place.scratch.path().join("sink");
    fs::create_dir(&folder).unwrap();
    allow(&place, &[&sink, folder.to_str().unwrap()]);
    let settings =
        place.scratch.write("gitconfig", "[core]\n\tautocrlf = input\n[commit]\n\tgpgSign = true\n");
    let reply = "```text:.gitattributes\n* text eol=lf ident\n```\n\n```text:a.txt\nb\u{0d}c $Id: x$\n```\n";
    let run = sealed_with(&place, reply);
    let output = place.home.path().join("box/runs").join(&run).join("output/a.txt");
    for _ in 0..2 {
        let mi = place.mi().env("GIT_CONFIG_GLOBAL", settings.to_str().unwrap());
        mi.run(["publish", "--json", &run, "--to", &sink]).expect_exit(0);
        publish(&place, &run, folder.to_str().unwrap()).expect_exit(0);
    }
    let shown = git(&bare, &["show", &format!("release:{run}/output/a.txt")]);
    assert_eq!(shown, fs::read_to_string(output).unwrap().trim());
    assert_eq!(git(&bare, &["rev-list", "--count", "release"]), "1");
    if super::boxed::has_bwrap() {
        let script = "cd /workspace/output; mkdir -p r/.git; echo x > r/.git/HEAD";
        let repository = run_folder(&place.sh(script).expect_exit(0));
        let refused = publish(&place, repository.to_str().unwrap(), &sink).expect_exit(1);
        assert!(refused.err().contains("git cannot carry output/r/.git/HEAD"), "{}", refused.err());
    }
    fs::create_dir(folder.join(format!(".{run}.new"))).unwrap();
    fs::remove_dir_all(folder.join(&run)).unwrap();
    publish(&place, &run, folder.to_str().unwrap()).expect_exit(0);
}

/// A repository that is not there is an error that says so, and is on record as failed.
#[test]
fn u_publish_failures_are_journalled() {
    let place = Place::new();
    let sink = format!("git:{}#release", place.scratch.path().join("gone.git").display());
    allow(&place, &[&sink]);
    let run = sealed(&place);
    let output = publish(&place, &run, &sink).expect_exit(1);
    assert!(output.err().contains("git ls-remote"), "{}", output.err());
    let told: Vec<String> = journalled(&place).into_iter().map(|(_, status)| status).collect();
    assert_eq!(told, ["begins", "failed"]);
}

/// The head line of a request and its body.
type Request = (String, Vec<u8>);

/// A web server that answers every request with one status and keeps what it was asked.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/store", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().take(64).flatten() {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while let Some((line, body)) = request(&mut reader) {
                    log.lock().unwrap().push((line, body));
                    let head = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
                    (&stream).write_all(head.as_bytes()).unwrap();
                }
            }
        });
        Self { url, asked }
    }

    fn lines(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(line, _)| line.clone()).collect()
    }
}

fn request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        chunked |= header.starts_with("transfer-encoding: chunked");
        if let Some(number) = header.strip_prefix("content-length:") {
            length = number.trim().parse().ok()?;
        }
    }
    assert!(!chunked, "a file is sent with its length");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((line.trim().to_owned(), body))
}

/// Every file of the run is put below the allowed URL, byte for byte.
#[test]
fn u_publish_to_a_url() {
    let place = Place::new();
    let server = Server::start("201 Created");
    allow(&place, &[&server.url]);
    let run = sealed(&place);
    publish(&place, &run, &server.url).expect_exit(0);
    let asked = server.asked.lock().unwrap().clone();
    let folder = place.home.path().join("box/runs").join(&run);
    for name in ["manifest.json", "manifest.json.minisig", "artifact.meta.json"] {
        let wanted = format!("PUT /store/{run}/{name} HTTP/1.1");
        let (_, body) = asked.iter().find(|(line, _)| *line == wanted).expect(name);
        assert_eq!(*body, fs::read(folder.join(name)).unwrap(), "{name}");
    }
}

/// A server that refuses or points elsewhere gets nothing more; where it points to is not asked at all.
#[test]
fn u_publish_stops_where_the_server_refuses_or_redirects() {
    let place = Place::new();
    let elsewhere = Server::start("200 OK");
    let target: &'static str =
        Box::leak(format!("302 Found\r\nLocation: {}/x", elsewhere.url).into_boxed_str());
    for answer in ["500 Internal Server Error", "403 Forbidden", target] {
        let server = Server::start(answer);
        allow(&place, &[&server.url]);
        let run = sealed(&place);
        publish(&place, &run, &server.url).expect_exit(1);
        assert_eq!(server.lines().len(), 1, "{answer}");
    }
    assert_eq!(elsewhere.lines(), Vec::<String>::new());
}

/// What is not on the list, or is no sink, is denied by rule U before anything is sent, and journalled.
#[test]
fn u_sinks_that_are_not_allowed_get_nothing() {
    let place = Place::new();
    let server = Server::start("200 OK");
    allow(&place, &[&format!("{}/other", server.url), "git:/srv/x.git#release"]);
    let run = sealed(&place);
    let longer = format!("{}/other/below", server.url);
    for sink in
        [server.url.as_str(), &longer, "git:/srv/x.git#main", "git:/srv/y.git#release", "/srv", "s3://b"]
    {
        let denied = publish(&place, &run, sink).expect_exit(4).json();
        assert_eq!(denied["denials"][0]["rule"], "U.sink", "{sink}");
    }
    assert_eq!(server.lines(), Vec::<String>::new());
    assert!(journalled(&place).iter().all(|(_, status)| status == "denied"));
    let folder = place.home.path().join("box/runs").join(&run);
    fs::write(folder.join("artifact.meta.json"), "{}").unwrap();
    allow(&place, &[&server.url]);
    let changed = publish(&place, &run, &server.url).expect_exit(4).json();
    assert_eq!(changed["denials"][0]["rule"], "U.sealed");
    assert_eq!(server.lines(), Vec::<String>::new());
}

/// One byte more in any file of a sealed run, or another label, is found and named.
#[test]
fn a_f_05_no_byte_of_a_sealed_run_changes_unseen() {
    let place = Place::new();
    let output = place.mi().run(["exec", "--json", "--engine", "none", "--", "true"]).expect_exit(0);
    let folder = run_folder(&output);
    let names = ["manifest.json", "manifest.json.minisig", "statement.dsse.json", "artifact.meta.json"];
    let names: Vec<_> = names.into_iter().filter(|name| folder.join(name).exists()).collect();
    assert!(names.len() >= 3, "{names:?}");
    let problems = || -> String {
        let said = place.mi().run(["box", "verify", "--json", "last"]).expect_exit(1).json();
        said["problems"].to_string()
    };
    for name in names {
        let good = fs::read(folder.join(name)).unwrap();
        for more in ["\n", " "] {
            fs::write(folder.join(name), [&good, more.as_bytes()].concat()).unwrap();
            assert!(problems().contains(name), "{name}");
        }
        fs::write(folder.join(name), good).unwrap();
    }
    let label = folder.join("artifact.meta.json");
    let open = fs::read_to_string(&label).unwrap().replace("internal", "public");
    fs::write(&label, open).unwrap();
    assert!(problems().contains("artifact.meta.json"));
}
