//! The council over MCP and HTTP: the micro-flow with real files, and what agents get wrong.

use super::{
    council::records,
    mcp::{HttpServer, Place},
};
use mi_test_support::{McpClient, Mi, TempHome};
use serde_json::{Value, json};

fn propose(place: &Place) -> String {
    place.project.write("report.txt", "12 passed\n");
    let mut arguments = vec!["propose", "calc.py", "--title", "add", "--author", "builder", "--json"];
    let records = records();
    arguments.extend(records.iter().map(String::as_str));
    let mi = Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home).cwd(place.project.path());
    mi.run(arguments).expect_exit(0).json()["id"].as_str().unwrap().to_owned()
}

fn vote(name: &str, colour: &str, mitigations: Value) -> Value {
    json!({
        "artifact": "P-1", "as": name, "role": name, "vote": colour, "rationale": "looked at it",
        "evidence_refs": ["report.txt#L1"], "mitigations": mitigations,
    })
}

/// The error that a call was answered with.
fn refused(client: &mut McpClient, tool: &str, arguments: &Value) -> String {
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    result["structuredContent"]["error"].as_str().unwrap().to_owned()
}

/// The seed's micro-flow with the tools alone, ending in a packet that a stranger accepts.
#[test]
fn section_9_the_micro_flow_over_mcp() {
    let place = Place::new();
    propose(&place);
    let mut client = place.connect();
    let yellow = vote("qa", "yellow", json!([{"text": "two flaky tests", "owner": "builder", "due": 2}]));
    client.returned("review_vote", &yellow);
    client.returned("review_vote", &vote("security", "green", json!([])));
    let status = client.returned("review_vote", &vote("owner", "green", json!([])));
    assert_eq!(status["phase"], "CONSENSUS");
    place.project.write("calc.py", "def add(a, b):\n    return a + b  # guarded\n");
    let rejected = client.returned("deliver_submit", &json!({"artifact": "P-1"}));
    assert_eq!(rejected["status"], "rejected");
    for name in ["qa", "security", "owner"] {
        client.returned("review_vote", &vote(name, "green", json!([])));
    }
    let status = client.returned("review_status", &json!({"artifact": "add"}));
    assert_eq!(
        (status["phase"].as_str(), status["votes"].as_object().unwrap().len()),
        (Some("CONSENSUS"), 3)
    );
    let bundle = json!({
        "artifact": "P-1", "packet_markdown": "### Delivery Packet\n", "files": ["calc.py"],
        "notify_roles": ["Leader", "QA"], "urgency": "standard",
    });
    let answer = client.returned("deliver_submit", &bundle);
    assert_eq!(
        (answer["submission_id"].as_str(), answer["status"].as_str()),
        (Some("D-1"), Some("accepted"))
    );
    let inbox =
        Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home).cwd(place.project.path()).run(["inbox", "--json"]);
    let told: Vec<Value> =
        inbox.json().as_array().unwrap().iter().map(|notice| notice["role"].clone()).collect();
    assert_eq!(told, ["QA", "Leader"], "the newest first");
    let nowhere = TempHome::new();
    let stranger = Mi::new(env!("CARGO_BIN_EXE_mi"), &nowhere);
    stranger.run(["deliver", "verify", answer["packet"].as_str().unwrap()]).expect_exit(0);
    let context =
        client.call("context_get", &json!({"selectors": ["summary", "decisions"], "scope": "brief"}));
    let markdown = context["content"][0]["text"].as_str().unwrap();
    assert!(markdown.contains("- P-1 add: SUBMITTED\n"), "Markdown, as it stands: {context}");
    assert_eq!(context["structuredContent"]["markdown"], markdown);
}

/// Of a key that stands twice nobody knows which is meant, and an argument that nobody knows was meant to do something.
#[test]
fn mi_council_015_keys_that_stand_twice_and_unknown_arguments_are_refused() {
    let place = Place::new();
    propose(&place);
    let mut client = place.connect();
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"review_vote","arguments":{arguments}}}}}"#
        )
    };
    let good = vote("qa", "red", json!([{"text": "fix", "owner": "dev", "due": 1}])).to_string();
    let server = HttpServer::start(&place);
    let host = format!("host: {}\r\n", server.address);
    for (key, more) in [("vote", r#""vote":"green","#), ("as", r#""as":"eve","#), ("due", r#""#)] {
        let twice = match key {
            "due" => good.replace(r#""due":1"#, r#""due":1,"due":2"#),
            _ => good.replacen('{', &format!("{{{more}"), 1),
        };
        client.send_bytes(format!("{}\n", call(&twice)).as_bytes());
        let answer = client.answer(77);
        assert!(
            answer["error"]["message"].as_str().unwrap().contains(&format!("`{key}` stands twice")),
            "{answer}"
        );
        let (status, body) = server.post_text("/mcp", &host, &call(&twice));
        assert!(status == 400 && body.contains("stands twice"), "{status} {body}");
    }
    let (status, body) =
        server.post_text("/decision/bundle", &host, r#"{"artifact":"P-2","artifact":"P-1"}"#);
    assert!(status == 400 && body.contains("`artifact` of the bundle stands twice"), "{status} {body}");
    for (tool, arguments) in [
        (
            "review_vote",
            json!({"artifact": "P-1", "as": "qa", "role": "qa", "vote": "green", "votes": "red"}),
        ),
        ("review_vote", vote("qa", "yellow", json!([{"text": "x", "owner": "a", "due": 1, "by": "b"}]))),
        ("review_status", json!({"artifact": "P-1", "beat": 1})),
        ("deliver_submit", json!({"artifact": "P-1", "out": "/tmp"})),
        ("context_get", json!({"selector": ["diff"]})),
    ] {
        refused(&mut client, tool, &arguments);
    }
    assert_eq!(client.returned("review_status", &json!({"artifact": "P-1"}))["votes"], json!({}));
}

/// Malformed votes from agents change nothing and name the rule.
#[test]
fn mi_council_015_malformed_votes_of_agents() {
    let place = Place::new();
    propose(&place);
    let mut client = place.connect();
    let with = |key: &str, value: Value| {
        let mut form = vote("qa", "green", json!([]));
        form[key] = value;
        form
    };
    for (form, word) in [
        (with("as", json!("Builder")), "`author`"),
        (with("role", json!("boss")), "`role`"),
        (with("vote", json!("GREEN!")), "`vote`"),
        (with("vote", json!(1)), "`vote`"),
        (with("evidence_refs", json!([])), "`evidence`"),
        (with("evidence_refs", json!("report.txt")), "`evidence_refs`"),
        (with("evidence_refs", json!(["ucxl://a:b@c:d/latest#/x"])), "`evidence`"),
        (with("rationale", json!("  ")), "`rationale`"),
        (with("digest", json!("0".repeat(64))), "`digest`"),
        (with("as", json!("")), "`as`"),
        (with("artifact", json!("P-77")), "P-77"),
        (vote("qa", "yellow", json!([{"text": "x", "owner": "a"}])), "`mitigation`"),
        (vote("qa", "yellow", json!(["x; owner=a; due=1"])), "`mitigation`"),
        (vote("qa", "red", json!([])), "`mitigation`"),
    ] {
        let error = refused(&mut client, "review_vote", &form);
        assert!(error.contains(word), "{form}: {error}");
    }
    assert_eq!(client.returned("review_status", &json!({"artifact": "P-1"}))["votes"], json!({}));
}

/// `POST /decision/bundle` is the same hand-over; other methods, hosts, pages and forms are refused.
#[test]
fn section_5_the_decision_bundle_over_http() {
    let place = Place::new();
    propose(&place);
    let mut client = place.connect();
    for name in ["qa", "security", "owner"] {
        client.returned("review_vote", &vote(name, "green", json!([])));
    }
    let server = HttpServer::start(&place);
    let bundle = json!({"artifact": "P-1", "packet_markdown": "", "files": [], "notify_roles": [], "urgency": "hotfix"});
    let host = format!("host: {}\r\n", server.address);
    let post = |headers: &str, bundle: &Value| {
        let (status, body) = server.post_to("/decision/bundle", headers, bundle);
        (status, serde_json::from_str::<Value>(&body).unwrap_or_default())
    };
    assert_eq!(post("host: evil.example\r\n", &bundle).0, 403);
    assert_eq!(post(&format!("{host}origin: https://evil.example\r\n"), &bundle).0, 403);
    assert_eq!(post(&host, &json!([1])).0, 400);
    let foreign = json!({"artifact": "P-1", "files": ["/etc/passwd"]});
    assert_eq!(
        post(&host, &foreign),
        (
            409,
            json!({"submission_id": null, "status": "rejected", "error": "`/etc/passwd` is not part of P-1"})
        )
    );
    let (status, answer) = post(&host, &bundle);
    assert_eq!(
        (status, answer["status"].as_str(), answer["submission_id"].as_str()),
        (200, Some("accepted"), Some("D-1"))
    );
    assert_eq!(post(&host, &bundle).0, 409, "it was handed over already");
}
