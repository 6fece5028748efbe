//! Good answers, bad answers, and servers that say no in their API's own way.

use mi_mind::{Mind, MindSettings, PromptKind};
use mi_model::Usage;
use serde_json::{Value, json};
use std::time::Duration;

use crate::support::{
    DIALECTS, Dialect, ask, ask_mind, ask_script, good_move, question, scripted, surroundings,
};

/// A good answer arrives whole, with usage and one attempt, and both lines are in the transcript.
#[test]
fn good_answer_is_accepted_and_recorded() {
    for dialect in DIALECTS {
        let (outcome, requests) = ask_script(dialect, vec![dialect.turn(&good_move())], &question());
        let call = &outcome.answer.call;
        assert_eq!(outcome.answer.value, Some(good_move()), "{dialect:?}: {:?}", call.error);
        assert_eq!((call.attempts, call.ok, call.error.as_deref()), (1, true, None));
        // Anthropic counts cached input beside the input and tells no reasoning.
        let (input_tokens, reasoning_output_tokens) =
            if dialect == Dialect::Anthropic { (110, 0) } else { (100, 5) };
        let usage =
            Usage { input_tokens, cached_input_tokens: 10, output_tokens: 20, reasoning_output_tokens };
        assert_eq!(call.usage, usage);
        assert_eq!((call.prompt.as_str(), call.prompt_version.as_str()), ("decide_next", "v1"));
        assert_eq!((call.model.as_str(), call.cost_usd), ("fake-model", None));
        assert_eq!(call.answer, good_move());
        assert!(call.prompt_bytes > 1000 && call.prompt_sha256.len() == 64);
        let streams: Vec<&str> = outcome.transcript.iter().map(|(stream, _)| stream.as_str()).collect();
        assert_eq!(streams, ["request", "response"]);
        assert_eq!(schema_sent(&requests[0]), &PromptKind::DecideNext.schema());
    }
}

fn schema_sent(request: &Value) -> &Value {
    let body = &request["body"];
    let places = ["/response_format/json_schema/schema", "/text/format/schema", "/tools/0/input_schema"];
    places.iter().find_map(|place| body.pointer(place)).expect("one of the three places")
}

/// An answer that breaks the schema is told so once, and the repaired one counts.
#[test]
fn bad_answer_is_repaired_once() {
    let mut without_status = good_move();
    without_status.as_object_mut().unwrap().remove("status");
    for dialect in DIALECTS {
        let turns = vec![dialect.turn(&without_status), dialect.turn(&good_move())];
        let (outcome, requests) = ask_script(dialect, turns, &question());
        assert_eq!(outcome.answer.value, Some(good_move()), "{dialect:?}");
        assert_eq!((outcome.answer.call.attempts, outcome.answer.call.usage.output_tokens), (2, 40));
        let repair = requests[1]["last_text"].as_str().unwrap();
        assert!(repair.contains("does not fit the schema") && repair.contains("status"), "{repair}");
        assert!(repair.contains("trust me"), "the question itself is asked again");
    }
}

/// Two bad answers are no answer: the value is none, never "done".
#[test]
fn two_bad_answers_are_a_failure() {
    let no_question = json!({"next_action": "ask_user", "status": "not_done", "next_codex_input": null,
                             "ask_user_question": " ", "reason": "unclear", "confidence": 0.5});
    let mut done_but_goes_on = good_move();
    done_but_goes_on["next_action"] = json!("send_to_codex");
    done_but_goes_on["next_codex_input"] = json!("go on");
    for dialect in DIALECTS {
        let turns =
            vec![dialect.turn(&no_question), dialect.turn(&done_but_goes_on), dialect.turn(&good_move())];
        let (outcome, requests) = ask_script(dialect, turns, &question());
        assert_eq!((outcome.answer.value.as_ref(), requests.len()), (None, 2), "{dialect:?}");
        assert_eq!(
            outcome.error(),
            "the model's answer was refused twice; first: the answer contradicts itself: `ask_user_question` is empty; \
             then: the answer contradicts itself: `status` is done but `next_action` is not stop"
        );
    }
}

/// Text that is not JSON, JSON that is no object, a code fence and nothing at all are all refused.
#[test]
fn only_strict_json_is_an_answer() {
    let fenced = format!("```json\n{}\n```", good_move());
    for text in ["Done!", "\"done\"", "[]", "", &fenced, "{\"status\": \"done\""] {
        // In this dialect the scripted model does not turn text into a fitting answer by itself.
        let (outcome, requests) =
            ask_script(Dialect::Anthropic, vec![json!({"say": text}), json!({"say": text})], &question());
        assert_eq!((outcome.answer.value.as_ref(), requests.len()), (None, 2), "{text}");
    }
}

/// An answer in the same text form that is strict JSON is taken also without the tool call.
#[test]
fn text_instead_of_a_tool_call_is_read() {
    let (outcome, _) =
        ask_script(Dialect::Anthropic, vec![json!({"say": good_move().to_string()})], &question());
    assert_eq!(outcome.answer.value, Some(good_move()));
}

/// A refused key is said at once, with the variable to set and without the key.
#[test]
fn refused_key_is_not_retried() {
    for dialect in DIALECTS {
        for status in [401, 403] {
            let leak = format!("Incorrect API key provided: {}", crate::support::key());
            let turns = vec![json!({"status": status, "error": leak}), dialect.turn(&good_move())];
            let (outcome, requests) = ask_script(dialect, turns, &question());
            assert_eq!((outcome.answer.value.as_ref(), requests.len()), (None, 1));
            let variable = if dialect == Dialect::Anthropic { "ANTHROPIC_API_KEY" } else { "OPENAI_API_KEY" };
            let expected = format!(
                "refused the key (HTTP {status}): Incorrect API key provided: [mind key]. Check that {variable}"
            );
            assert!(outcome.error().contains(&expected), "{}", outcome.error());
        }
    }
}

/// A key that the server wants is the key it gets.
#[test]
fn key_reaches_the_server_in_its_header() {
    for dialect in DIALECTS {
        let turns = json!({"side_uses_turns": true, "turns": [dialect.turn(&good_move())]});
        let model = mi_test_support::FakeModel::start_with_key(turns, &crate::support::key());
        let outcome = ask(MindSettings::new(dialect.provider(&model.url())), &question());
        assert_eq!(outcome.answer.value, Some(good_move()), "{dialect:?}: {}", outcome.error());
    }
}

/// A server over its limit is asked again after the time it names.
#[test]
fn rate_limit_is_waited_for() {
    for dialect in DIALECTS {
        let busy = json!({"status": 429, "headers": {"retry-after": "3"}});
        let (outcome, _) = ask_script(dialect, vec![busy, dialect.turn(&good_move())], &question());
        assert_eq!(outcome.answer.value, Some(good_move()), "{dialect:?}");
        assert_eq!((outcome.answer.call.attempts, outcome.waits), (2, vec![Duration::from_secs(3)]));
    }
}

/// A server that fails for ever is given up on within the waiting time, and one that names an hour at once.
#[test]
fn failing_server_is_given_up_on() {
    for dialect in DIALECTS {
        let (outcome, requests) = ask_script(dialect, vec![json!({"status": 500, "repeat": 0})], &question());
        assert_eq!((outcome.answer.value.as_ref(), requests.len()), (None, 6));
        assert_eq!(outcome.waits.iter().sum::<Duration>(), Duration::from_millis(15_500));
        assert!(
            outcome.error().contains("(HTTP 500) after 6 tries: scripted HTTP 500."),
            "{}",
            outcome.error()
        );
    }
    let hour = json!({"status": 529, "headers": {"retry-after": "3600"}, "repeat": 0});
    let (outcome, requests) = ask_script(Dialect::Anthropic, vec![hour], &question());
    assert_eq!((outcome.answer.value.as_ref(), requests.len(), outcome.waits.len()), (None, 1, 0));
    let now = json!({"status": 503, "headers": {"retry-after": "0"}, "repeat": 0});
    let (outcome, requests) = ask_script(Dialect::Chat, vec![now], &question());
    assert_eq!((outcome.answer.value.as_ref(), requests.len()), (None, 8));
}

/// A model slower than the timeout is left, and the error says how to wait longer.
#[test]
fn slow_model_is_left_at_the_timeout() {
    for dialect in DIALECTS {
        let mut turn = dialect.turn(&good_move());
        turn["delay_ms"] = json!(20_000);
        let model = scripted(vec![turn]);
        let mut settings = MindSettings::new(dialect.provider(&model.openai_url()));
        settings.timeout = Duration::from_millis(400);
        let outcome = ask(settings, &question());
        assert_eq!(outcome.answer.value, None);
        assert!(
            outcome.error().contains("gave no answer within 1 s. Raise the mind's timeout"),
            "{}",
            outcome.error()
        );
        assert!((400..5_000).contains(&outcome.answer.call.latency_ms), "{}", outcome.answer.call.latency_ms);
    }
}

/// A server that takes no schema gets it in words, once refused and from then on.
#[test]
fn refused_schema_is_given_in_words() {
    let no_schema = json!({"status": 400, "error": "response_format is not supported"});
    for dialect in DIALECTS {
        let said = json!({"say": good_move().to_string()});
        let model = scripted(vec![no_schema.clone(), said.clone(), said]);
        let mind = Mind::new(
            MindSettings::new(dialect.provider(&model.openai_url())),
            surroundings(Default::default()),
        );
        let (first, _) = ask_mind(&mind, &question());
        let (second, _) = ask_mind(&mind, &question());
        assert_eq!((first.value, second.value), (Some(good_move()), Some(good_move())), "{dialect:?}");
        assert_eq!((first.call.attempts, second.call.attempts), (2, 1));
        let bodies: Vec<String> =
            model.model_requests().iter().map(|request| request["body"].to_string()).collect();
        let in_words = |body: &String| body.contains("# JSON Schema of the answer");
        assert_eq!(bodies.iter().map(in_words).collect::<Vec<_>>(), [false, true, true]);
        assert!(!bodies[1].contains("json_schema\"") && !bodies[1].contains("tool_choice"));
    }
}

/// A request that is refused either way names the server's reason, after two tries.
#[test]
fn unknown_model_is_an_error_with_the_servers_words() {
    let turns = vec![json!({"status": 400, "error": "no such model: fake-model", "repeat": 0})];
    let (outcome, requests) = ask_script(Dialect::Chat, turns, &question());
    assert_eq!((outcome.answer.value.as_ref(), requests.len()), (None, 2));
    assert!(
        outcome.error().contains("no such model: fake-model. Check the model name"),
        "{}",
        outcome.error()
    );
}
