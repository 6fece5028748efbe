//! Whatever an agent prints, reading it neither fails nor loses its words.
//!
//! `dev/fuzz` runs these for as many cases as one likes.

use mi_formats::{AgentEvent, clip::Clipper, codex, shell::unwrap_shell, text::Reader};
use proptest::prelude::*;

const REAL: [&str; 4] = [
    include_str!("data/happy.jsonl"),
    include_str!("data/failing.jsonl"),
    include_str!("data/structured.jsonl"),
    include_str!("data/interrupted.jsonl"),
];

/// A real line with some stretches replaced, doubled or cut out.
fn mutated() -> impl Strategy<Value = String> {
    let lines: Vec<&'static str> = REAL.iter().flat_map(|text| text.lines()).collect();
    let change = (0.0..1.0_f64, 0_usize..12, "[\\x00-\\x7f]{0,6}|[{}\\[\\]\",:0-9nul]{0,6}|.{0,3}");
    (prop::sample::select(lines), prop::collection::vec(change, 0..6)).prop_map(|(line, changes)| {
        let mut characters: Vec<char> = line.chars().collect();
        for (place, length, text) in changes {
            let start = (characters.len() as f64 * place) as usize;
            let end = (start + length).min(characters.len());
            characters.splice(start..end, text.chars());
        }
        characters.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(4_000), ..ProptestConfig::default() })]

    /// A broken line of a stream is still some event, and its types are read without it.
    #[test]
    fn any_line_is_some_event(line in prop_oneof![mutated(), any::<String>()]) {
        let event = codex::read_line(&line);
        let (kind, _) = codex::event_types(&line);
        if serde_json::from_str::<serde_json::Value>(&line).is_err() {
            prop_assert!(matches!(event, AgentEvent::Unknown { .. } | AgentEvent::Message { .. }), "{event:?}");
            prop_assert_eq!(kind, None);
        }
        let mut reader = Reader::default();
        reader.read_line(&line);
        reader.finish();
    }

    /// Taking the shell away from a command never makes it longer.
    #[test]
    fn any_command_is_unwrapped(command in "((/bin/)?(ba|z|)sh -l?c )?['\"]?.{0,40}['\"]?") {
        prop_assert!(unwrap_shell(&command).len() <= command.len());
    }

    /// However the pieces fall, the same bytes are kept and counted, and what was JSON still is.
    #[test]
    fn clipping_does_not_depend_on_the_pieces(
        bytes in prop_oneof![mutated().prop_map(String::into_bytes), any::<Vec<u8>>()],
        cut in 1_usize..40,
        limit in 0_usize..80,
    ) {
        let (mut whole, mut pieces) = (Clipper::new(limit), Clipper::new(limit));
        whole.push(&bytes);
        bytes.chunks(cut).for_each(|piece| pieces.push(piece));
        let (kept, left_out) = whole.finish();
        if serde_json::from_slice::<serde_json::Value>(&bytes).is_ok() {
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&kept).is_ok());
        }
        prop_assert_eq!((kept, left_out), pieces.finish());
    }
}
