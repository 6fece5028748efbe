//! Deliveries from the command line: the micro-flow, packets that were spoiled, what comes after.

use super::council::{NOON, Table, records};
use mi_council::packet::Node;
use mi_test_support::{Mi, TempHome};
use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    thread,
};

impl Table {
    /// A packet that was delivered by three greens.
    fn delivered(&self) -> (String, PathBuf) {
        let id = self.propose_done();
        self.votes(&id, "qa:green owner:green security:green");
        let out = self.home.path().join("packet");
        self.run(&["deliver", &id, "--out", out.to_str().unwrap()]).expect_exit(0);
        (id, out)
    }
}

/// `mi deliver verify` by a stranger: another home, no journal, no settings.
pub(crate) fn stranger(packet: &Path, more: &[&str]) -> mi_test_support::MiOutput {
    let home = TempHome::new();
    let arguments = [&["deliver", "verify", packet.to_str().unwrap()][..], more].concat();
    Mi::new(env!("CARGO_BIN_EXE_mi"), &home).run(arguments)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The seed's micro-flow, from the proposal to a packet that a stranger accepts.
#[test]
fn section_9_the_micro_flow_ends_in_a_packet_that_a_stranger_accepts() {
    let table = Table::new();
    let id = table.propose_done();
    table.votes(&id, "qa:yellow security:green owner:green");
    assert_eq!(table.phase(&id), "CONSENSUS");
    table.project.write("calc.py", "def add(a, b):\n    return a + b  # guarded\n");
    assert_eq!(table.phase(&id), "REVIEW", "the fix changes the artefact, so all vote anew");
    table.votes(&id, "security:green owner:green");
    table.vote(&id, "qa", "qa", "green").expect_exit(0);
    let out = table.home.path().join("packet");
    let answer = table.run(&["deliver", &id, "--out", out.to_str().unwrap(), "--json"]).expect_exit(0).json();
    assert_eq!(
        (answer["submission_id"].as_str(), answer["status"].as_str()),
        (Some("D-1"), Some("accepted"))
    );
    assert_eq!(table.phase(&id), "SUBMITTED");
    let checked = stranger(&out, &[]).expect_exit(0).out();
    assert!(checked.contains(answer["fingerprint"].as_str().unwrap()), "{checked}");
    let packet = fs::read_to_string(out.join("DELIVERY.md")).unwrap();
    assert!(packet.contains("3 green / 0 yellow / 0 red") && packet.contains("ucxl://"), "{packet}");
    assert!(fs::read_to_string(out.join("diff.patch")).unwrap().contains("+    return a + b  # guarded"));
    assert_eq!(
        fs::read_to_string(out.join("files/calc.py")).unwrap(),
        "def add(a, b):\n    return a + b  # guarded\n"
    );
}

/// Outside of CONSENSUS, with open items, or into a folder that is there, nothing is delivered and nothing is left.
#[test]
fn mi_council_012_deliver_is_refused_and_leaves_no_folder() {
    let table = Table::new();
    let out = table.home.path().join("packet");
    let deliver = |id: &str| table.run(&["deliver", id, "--out", out.to_str().unwrap()]);
    let id = table.propose_done();
    deliver(&id).expect_exit(4);
    table.votes(&id, "qa:green owner:green security:green");
    table.project.write("calc.py", "changed at the last moment\n");
    deliver(&id).expect_exit(4);
    let open = table.propose(&[]);
    table.votes(&open, "qa:green owner:green security:green");
    assert_eq!(table.phase(&open), "CONSENSUS");
    assert!(deliver(&open).expect_exit(4).err().contains("dod:tests"));
    assert!(!out.exists());
    let records = records();
    let more = records.iter().map(String::as_str).filter(|word| *word != "--evidence");
    let add: Vec<&str> = ["review", "evidence", open.as_str()].into_iter().chain(more).collect();
    table.run(&add).expect_exit(0);
    fs::create_dir(&out).unwrap();
    fs::write(out.join("mine"), "x").unwrap();
    deliver(&open).expect_exit(2);
    fs::remove_file(out.join("mine")).unwrap();
    deliver(&open).expect_exit(0);
    deliver(&open).expect_exit(4);
}

/// A secret that came in after the record of security, or in a record, is not delivered; nor is a proposal whose record is
/// gone. Each is told with what to do, and leaves no folder; a folder that is asked for below others is made with them.
#[test]
fn rule_1_deliver_looks_for_secrets_and_records_itself() {
    let table = Table::new();
    let token = format!("ghp_{}", "a".repeat(36));
    let refused = |id: &str, words: &[&str]| {
        let said = table.run(&["deliver", id, "--out", "out/deep/packet"]).expect_exit(4);
        assert!(words.iter().all(|word| said.err().contains(word)), "{said}");
        assert!(!table.project.path().join("out").exists());
    };
    let id = table.propose_done();
    table.project.write("calc.py", format!("KEY = '{token}'\n"));
    table.votes(&id, "qa:green owner:green security:green");
    assert_eq!(table.phase(&id), "CONSENSUS");
    refused(&id, &["dod:security", "calc.py"]);
    table.project.write("calc.py", "KEY = None\n");
    table.votes(&id, "qa:green owner:green security:green");
    table.project.write("leak.txt", format!("{token}\n"));
    table.run(&["review", "evidence", &id, "docs=leak.txt"]).expect_exit(0);
    refused(&id, &["dod:docs", "secret", "mi review evidence"]);
    table.project.write("leak.txt", "a page\n");
    table.run(&["review", "evidence", &id, "docs=leak.txt"]).expect_exit(0);
    let kept = mi_council::Digest::of(b"a page\n").to_string();
    let place = table.home.path().join("store/sha256").join(&kept[..2]).join(&kept[2..]);
    fs::remove_file(&place).unwrap();
    refused(&id, &["dod:docs", "no longer in the store"]);
    table.run(&["review", "evidence", &id, "docs=leak.txt"]).expect_exit(0);
    table.run(&["deliver", &id, "--out", "out/deep/packet"]).expect_exit(0);
    stranger(&table.project.path().join("out/deep/packet"), &[]).expect_exit(0);
}

/// A byte in each file, a missing, an extra, a renamed file, a folder, a symlink: each is found and named.
#[test]
fn mi_council_013_every_spoiled_packet_is_found() {
    let table = Table::new();
    let (_, out) = table.delivered();
    stranger(&out, &[]).expect_exit(0);
    for file in files(&out) {
        let name = file.strip_prefix(&out).unwrap().to_str().unwrap().to_owned();
        let content = fs::read(&file).unwrap();
        let mut spoiled = content.clone();
        let middle = spoiled.len() / 2;
        spoiled[middle] ^= 1;
        fs::write(&file, &spoiled).unwrap();
        let said = stranger(&out, &[]).expect_exit(1).out();
        assert!(said.contains(&name), "{name}: {said}");
        fs::remove_file(&file).unwrap();
        assert!(stranger(&out, &[]).expect_exit(1).out().contains(&name), "{name} missing");
        symlink("/etc/hostname", &file).unwrap();
        assert!(stranger(&out, &[]).expect_exit(1).out().contains(&name), "{name} a symlink");
        fs::remove_file(&file).unwrap();
        fs::write(&file, &content).unwrap();
    }
    for extra in ["files/extra", "extra"] {
        fs::create_dir(out.join(extra)).unwrap();
        assert!(stranger(&out, &[]).expect_exit(1).out().contains(extra));
        fs::remove_dir(out.join(extra)).unwrap();
        fs::write(out.join(extra), "x").unwrap();
        assert!(stranger(&out, &["--json"]).expect_exit(1).json()["problems"].to_string().contains(extra));
        fs::remove_file(out.join(extra)).unwrap();
    }
    fs::rename(out.join("files/calc.py"), out.join("files/Calc.py")).unwrap();
    let said = stranger(&out, &[]).expect_exit(1).out();
    assert!(said.contains("files/calc.py") && said.contains("files/Calc.py"), "{said}");
}

/// Every byte of every file of a real packet, changed in turn, is found, and the file is named; so is one byte more.
#[test]
fn mi_council_013_every_single_byte_of_a_packet_counts() {
    let table = Table::new();
    let (_, out) = table.delivered();
    let tree = mi_delivery::read_packet(&out).unwrap();
    let verify = |tree: &BTreeMap<String, Node>| mi_delivery::verify_packet(tree, None);
    assert_eq!(verify(&tree).problems, []);
    let spoil_each = |file: PathBuf| {
        let name = file.strip_prefix(&out).unwrap().to_str().unwrap().to_owned();
        let content = fs::read(&file).unwrap();
        let mut tree = tree.clone();
        let mut found = |spoiled: &[u8]| {
            tree.insert(name.clone(), Node::of(spoiled));
            verify(&tree).problems.iter().any(|problem| problem.path == name)
        };
        for at in 0..content.len() {
            let mut spoiled = content.clone();
            spoiled[at] ^= 1 << (at % 8);
            assert!(found(&spoiled), "{name} byte {at}");
        }
        assert!(found(&[&content[..], b"\n"].concat()) && found(&content[..content.len() - 1]), "{name}");
    };
    thread::scope(|scope| files(&out).into_iter().for_each(|file| drop(scope.spawn(|| spoil_each(file)))));
}

/// A folder in a file's place, another case, and a swap of two files are found on the disk too.
#[test]
fn mi_council_013_files_in_the_wrong_place_are_found() {
    let table = Table::new();
    let (_, out) = table.delivered();
    for name in [
        "key.pub",
        "manifest.json",
        "manifest.json.minisig",
        "receipt.json",
        "files/calc.py",
        "evidence/tests",
    ] {
        let (file, kept) = (out.join(name), fs::read(out.join(name)).unwrap());
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(stranger(&out, &[]).expect_exit(1).out().contains(name), "{name} is a folder");
        fs::remove_dir(&file).unwrap();
        let upper = out.join(name.to_uppercase());
        upper.parent().map(fs::create_dir_all).unwrap().unwrap();
        fs::write(&upper, &kept).unwrap();
        assert!(stranger(&out, &[]).expect_exit(1).out().contains(name), "{name} in another case");
        fs::remove_file(&upper).unwrap();
        if upper.parent() != Some(&out) {
            fs::remove_dir(upper.parent().unwrap()).unwrap();
        }
        fs::write(&file, &kept).unwrap();
        stranger(&out, &[]).expect_exit(0);
    }
    let (proposal, votes) = (out.join("proposal.md"), out.join("votes.md"));
    fs::rename(&proposal, out.join("x")).unwrap();
    fs::rename(&votes, &proposal).unwrap();
    fs::rename(out.join("x"), &votes).unwrap();
    let said = stranger(&out, &[]).expect_exit(1).out();
    assert!(said.contains("proposal.md") && said.contains("votes.md"), "{said}");
}

/// With a trusted key, a packet of any other key fails; without, the fingerprint tells.
#[test]
fn mi_council_013_018_a_foreign_key_fails_against_a_trusted_one() {
    let (mine, other) = (Table::new(), Table::new());
    let ((_, packet), (_, foreign)) = (mine.delivered(), other.delivered());
    let key = packet.join("key.pub");
    stranger(&packet, &["--key", key.to_str().unwrap()]).expect_exit(0);
    stranger(&foreign, &[]).expect_exit(0);
    let said = stranger(&foreign, &["--key", key.to_str().unwrap()]).expect_exit(1).out();
    assert!(said.contains("key.pub") && said.contains("SHA256:"), "{said}");
    fs::copy(foreign.join("manifest.json.minisig"), packet.join("manifest.json.minisig")).unwrap();
    assert!(stranger(&packet, &[]).expect_exit(1).out().contains("manifest.json"));
    stranger(&packet, &["--key", "/nowhere"]).expect_exit(2);
    stranger(Path::new("/nowhere"), &[]).expect_exit(1);
}

/// Late votes are kept, count nothing and end in 0; then it is merged, once.
#[test]
fn mi_council_008_019_after_the_delivery() {
    let table = Table::new();
    let (id, _) = table.delivered();
    let late = table.vote(&id, "architect", "architect", "red").expect_exit(0).json();
    assert_eq!(late["counted"], false);
    table.vote(&id, "qa", "qa", "red").expect_exit(0);
    let status = table.status(&id);
    assert_eq!(
        (status["phase"].as_str(), status["votes"]["qa"]["vote"].as_str()),
        (Some("SUBMITTED"), Some("green"))
    );
    assert_eq!(status["votes"]["architect"]["counted"], false);
    assert_eq!(status["history"][0]["vote"], "red");
    table.run(&["deliver", "close", &id, "--why", "x"]).expect_exit(2);
    table.run(&["deliver", "close", &id, "--merged", "--why", "it is on main"]).expect_exit(0);
    assert_eq!(table.phase(&id), "MERGED");
    table.run(&["deliver", "close", &id, "--rejected", "--why", "x"]).expect_exit(4);
}

/// In git: a branch with the requirement in its subject, a tag with the packet's digest, a bundle; nothing else moves.
#[test]
fn deliver_to_git() {
    let table = Table::new();
    assert!(table.project.passes("printf '#!/bin/sh\n' > run.sh && chmod +x run.sh && git branch taken"));
    let records = records();
    let mut propose =
        vec!["propose", "calc.py", "run.sh", "--title", "CALC-ADD-001 add", "--author", "ann", "--json"];
    propose.extend(records.iter().map(String::as_str));
    let id = table.run(&propose).expect_exit(0).json()["id"].as_str().unwrap().to_owned();
    table.project.write("calc.py", "def add(a, b):\n    return a + b\n");
    table.votes(&id, "qa:green owner:green security:green");
    let out = table.home.path().join("packet");
    for branch in ["taken", "no good"] {
        table.run(&["deliver", &id, "--out", out.to_str().unwrap(), "--git", branch]).expect_exit(2);
        assert!(!out.exists() && table.phase(&id) == "CONSENSUS", "nothing was handed over");
    }
    let answer = table
        .run(&["deliver", &id, "--out", out.to_str().unwrap(), "--git", "delivery-1", "--json"])
        .expect_exit(0)
        .json();
    let digest = answer["packet_digest"].as_str().unwrap();
    assert!(table.project.passes("git log -1 --format=%s delivery-1 | grep -q CALC-ADD-001"));
    assert!(table.project.passes("git show delivery-1:calc.py | grep -q 'a + b'"));
    assert!(table.project.passes("git ls-tree delivery-1 run.sh | grep -q ^100755"), "a script stays one");
    assert!(table.project.passes("git ls-tree delivery-1 calc.py | grep -q ^100644"));
    assert!(
        table.project.passes(&format!("git tag -l --format='%(contents)' delivery/D-1 | grep -q {digest}"))
    );
    assert!(
        table.project.passes(&format!("git bundle verify {}", answer["git"]["bundle"].as_str().unwrap()))
    );
    assert!(
        table.project.passes("git status --porcelain | grep -q ' M calc.py'"),
        "the work tree stays as it was"
    );
}

/// A requirement is followed from the specification to the delivery.
#[test]
fn rule_t_trace_shows_requirements_and_gaps() {
    let table = Table::new();
    table.project.write("docs/spec.md", "CALC-ADD-001: adds.\nCALC-SUB-002: subtracts.\n");
    table.project.write("calc.py", "# REQ: CALC-ADD-001\ndef add(a, b):\n    return a + b\n");
    table.project.write("test_calc.py", "def test_calc_add_001_adds():\n    pass\n");
    table.delivered();
    let traced = table.run(&["trace", "--json"]).expect_exit(0).json();
    assert_eq!(traced["requirements"][0]["id"], "CALC-ADD-001");
    assert_eq!(traced["requirements"][0]["missing"], json!(["commit"]));
    assert_eq!(traced["requirements"][1]["missing"], json!(["code", "test", "commit", "delivery"]));
}

/// Two processes derive the same beat; prompts are composed; restricted decisions never leave.
#[test]
fn rule_t_rule_0_beats_prompts_and_context() {
    let table = Table::new();
    let beat = table.run(&["beat", "--json"]).expect_exit(0).json();
    assert_eq!(beat, table.run(&["beat", "--json"]).expect_exit(0).json());
    assert_eq!(
        (beat["starts_at"].as_str(), beat["beat_ms"].as_i64()),
        (Some("2026-02-08T12:00:00.000Z"), Some(900_000))
    );
    table.run(&["beat", "--claim", "CALC-ADD-001"]).expect_exit(0);
    let prompt = table.run(&["prompt", "compose", "reviewer"]).expect_exit(0).out();
    assert!(prompt.contains("Reviewer behavior") && prompt.contains("Rule K"), "{prompt}");
    table.run(&["prompt", "compose", "boss"]).expect_exit(2);
    table.run(&["dr", "new", "--title", "The price is 7", "--classification", "restricted"]).expect_exit(0);
    table
        .run(&[
            "dr",
            "new",
            "--title",
            "Ship on Monday",
            "--text",
            "x\n<!-- SHHH: restricted -->\nsecret sauce\n<!-- /SHHH -->\ny",
        ])
        .expect_exit(0);
    let id = table.propose(&[]);
    table.vote(&id, "qa", "qa", "red").expect_exit(0);
    let context = table.run(&["context", "get", "--scope", "full"]).expect_exit(0).out();
    assert!(context.contains("Precedence: Internal") && context.contains("Ship on Monday"), "{context}");
    assert!(context.contains("blocked by red:qa"), "{context}");
    assert!(!context.contains("price") && !context.contains("sauce"), "{context}");
    table.run(&["context", "get", "--select", "gossip"]).expect_exit(2);
    restricted_parts_never_leave(&table);
    let answer = table.run(&["context", "get", "--sections"]).expect_exit(0).out();
    assert!(
        answer.contains("## Internal Context (from Project)") && answer.contains("Ship on Monday"),
        "{answer}"
    );
    table.project.write("answer.md", &answer);
    table.run(&["prompt", "check", "answer.md"]).expect_exit(0);
    table.project.write("answer.md", answer.replace("## Next Steps", "Next steps"));
    let lacking = table.run(&["prompt", "check", "answer.md", "--json"]).expect_exit(1).json();
    assert_eq!(lacking["missing"], json!(["Next Steps"]));
    assert_eq!(table.now, NOON);
}

/// Neither a hunk between marks, nor a restricted file, nor a record by its address, nor a secret.
fn restricted_parts_never_leave(table: &Table) {
    let marked = |inner: &str| {
        format!("<!-- SHHH: restricted -->\n1\n2\n3\n4\n5\n{inner}\n6\n7\n8\n9\n<!-- /SHHH -->\nopen\n")
    };
    table.project.write("marked.md", marked("old sauce"));
    assert!(
        table
            .project
            .passes("git add marked.md && git -c user.name=t -c user.email=t@localhost commit -qm marked")
    );
    table.project.write("marked.md", marked("new sauce"));
    table.project.write("plan.md", "---\nclassification: restricted\n---\nthe sauce is ketchup\n");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    table.project.write("settings.py", format!("KEY = '{token}'\n"));
    let diff = table.run(&["context", "get", "--select", "diff"]).expect_exit(0).out();
    assert!(!diff.contains("sauce") && !diff.contains(&token) && diff.contains("settings.py"), "{diff}");
    for decision in table.run(&["dr", "list", "--json"]).expect_exit(0).json().as_array().unwrap() {
        let address = decision["address"].as_str().unwrap();
        let shown = table.run(&["context", "get", "--address", address]).expect_exit(0).out();
        assert!(!shown.contains("sauce") && !shown.contains("price"), "{shown}");
    }
}
