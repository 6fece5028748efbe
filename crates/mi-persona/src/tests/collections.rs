//! Cards: cache, index, proposals, reviews, archives, decisions.

use super::{Place, member, proposal};
use crate::{
    CardError, INDEX, Verdict,
    card::{CardId, CardType, Status},
    index,
};
use std::{fs, thread, time::Duration};

fn day(text: &str) -> jiff::civil::Date {
    text.parse().unwrap()
}

/// Lets files grow old enough to be cached.
fn settle() {
    thread::sleep(Duration::from_millis(250));
}

/// After the first look nothing is read again, and every kind of change is seen.
#[test]
fn d_15_the_cache_never_wins_over_the_files() {
    let place = Place::new();
    for number in 1..=200 {
        place.card(&format!("H-{number:03}"), &format!("key-{number}"), 5);
    }
    settle();
    assert_eq!(place.persona.cards().unwrap().read, 200);
    let second = place.persona.cards().unwrap();
    assert_eq!((second.read, second.entries.len()), (0, 200));
    assert_eq!(second.index_digest, *blake3::hash(index::bytes(&second.entries).as_bytes()).as_bytes());
    // Same size, and the same time put back.
    let path = place.path("cards/heuristics/H-007.md");
    let times = fs::metadata(&path).unwrap().modified().unwrap();
    let text = fs::read_to_string(&path).unwrap().replace("salience: 5", "salience: 9");
    fs::write(&path, text).unwrap();
    fs::File::options().append(true).open(&path).unwrap().set_modified(times).unwrap();
    fs::remove_file(place.path("cards/heuristics/H-008.md")).unwrap();
    place.card("H-500", "key-500", 3);
    let third = place.persona.cards().unwrap();
    assert_eq!((third.read, third.entries.len()), (2, 200));
    assert_eq!(third.by_id(&CardId::parse("H-007").unwrap()).unwrap().salience, 9);
    assert!(third.by_id(&CardId::parse("H-008").unwrap()).is_none());
}

/// A cache that somebody changed, cut or filled with nonsense is not believed.
#[test]
fn d_15_a_damaged_cache_is_ignored() {
    let place = Place::new();
    place.card("H-001", "one", 5);
    settle();
    place.persona.cards().unwrap();
    let file = place.folder.path().join("state/cards.cache");
    let good = fs::read(&file).unwrap();
    let changed = String::from_utf8_lossy(&good).replace("About one", "About two").into_bytes();
    for bad in [changed, good[..good.len() - 3].to_vec(), b"nonsense".to_vec(), Vec::new()] {
        fs::write(&file, &bad).unwrap();
        let cards = place.persona.cards().unwrap();
        assert_eq!((cards.read, cards.entries[0].title.as_str()), (1, "About one"));
    }
}

/// Two cards with one key, or one id, are told every time, with both files; no index is written meanwhile.
#[test]
fn d_04_duplicate_merge_keys_are_told() {
    let place = Place::new();
    place.card("H-001", "same", 5);
    place.card("M-001", "Same", 5);
    place.card("P-001", "other", 5);
    place.write("cards/principles/copy.md", &place.read("cards/principles/P-001.md"));
    settle();
    let before = place.read(INDEX);
    for _ in 0..3 {
        let problems: Vec<String> =
            place.persona.cards().unwrap().problems.iter().map(ToString::to_string).collect();
        assert!(
            problems.iter().any(|text| text.contains("M-001.md") && text.contains("H-001")),
            "{problems:?}"
        );
        assert!(problems.iter().any(|text| text.contains("the id P-001")), "{problems:?}");
    }
    assert!(matches!(place.persona.rebuild_index(), Err(CardError::Problems(_))));
    assert_eq!(place.read(INDEX), before);
    fs::remove_file(place.path("cards/principles/copy.md")).unwrap();
    place.persona.set_archived(&CardId::parse("M-001").unwrap(), true, false).unwrap();
    assert!(place.persona.index_is_fresh().unwrap());
    let restored = place.persona.set_archived(&CardId::parse("M-001").unwrap(), false, false);
    assert!(matches!(restored, Err(CardError::KeyTaken { .. })));
}

/// A card enters only through somebody else's review, and gets the next number.
#[test]
fn d_04_a_card_needs_another_members_review() {
    let place = Place::new();
    place.card("H-041", "older", 5);
    let (ann, bob) = (member("ann"), member("bob"));
    let path = place.persona.propose(&proposal(&ann, "Retry: limits!"), day("2026-01-02")).unwrap();
    assert_eq!(path, "proposals/2026-01/proposal-heuristic-retry-limits.md");
    let accept = Verdict::Accept { human: false };
    for own in ["ann", "Ann"] {
        let refused = place.persona.review(&path, &member(own), &accept, day("2026-01-03"));
        assert!(matches!(refused, Err(CardError::OwnProposal { .. })), "{own}");
    }
    let reviewed = place.persona.review("retry-limits", &bob, &accept, day("2026-01-03")).unwrap();
    assert_eq!(reviewed.card.as_deref(), Some("H-042"));
    assert!(place.persona.index_is_fresh().unwrap() && place.read(INDEX).contains("H-042"));
    assert!(
        place.read(&reviewed.proposal).contains("status: accepted")
            && place.persona.pending_proposals().unwrap().is_empty()
    );
    let again = place.persona.review(&path, &bob, &accept, day("2026-01-03"));
    assert!(matches!(again, Err(CardError::Decided { status: Status::Accepted, .. })));
}

/// The same key merges into the card that is there; a rejection leaves no card.
#[test]
fn d_04_same_merge_key_merges() {
    let place = Place::new();
    let (ann, bob) = (member("ann"), member("bob"));
    place.card("H-001", "retry-limits", 5);
    let path = place.persona.propose(&proposal(&ann, "Retry limits"), day("2026-01-02")).unwrap();
    let reviewed =
        place.persona.review(&path, &bob, &Verdict::Accept { human: false }, day("2026-01-03")).unwrap();
    assert!(reviewed.merged && reviewed.card.as_deref() == Some("H-001"));
    let text = place.read("cards/heuristics/H-001.md");
    assert!(text.contains("Know retry-limits.") && text.contains("Do it so."), "{text}");
    let other = place.persona.propose(&proposal(&ann, "Retry limits"), day("2026-01-02")).unwrap();
    assert_ne!(other, path);
    let verdict = Verdict::Reject { reason: "known".to_owned() };
    let rejected = place.persona.review(&other, &bob, &verdict, day("2026-01-03")).unwrap();
    let text = place.read(&rejected.proposal);
    assert!(!rejected.accepted && text.contains("status: rejected") && text.contains("known"), "{text}");
}

/// A claim needs evidence or a source; a secret is never kept; axioms need the person.
#[test]
fn d_04_d_07_d_10_what_is_refused() {
    let place = Place::new();
    let (ann, bob) = (member("ann"), member("bob"));
    let today = day("2026-01-02");
    let mut bare = proposal(&ann, "Claim");
    bare.source = None;
    assert!(matches!(place.persona.propose(&bare, today), Err(CardError::NoEvidence)));
    let mut secret = proposal(&ann, "Login");
    secret.sections.content = format!("use ghp_{}", "a".repeat(36));
    assert!(matches!(place.persona.propose(&secret, today), Err(CardError::Secret)));
    let axiom = crate::Proposal { kind: CardType::Axiom, ..proposal(&ann, "Truth") };
    let path = place.persona.propose(&axiom, today).unwrap();
    let alone = place.persona.review(&path, &bob, &Verdict::Accept { human: false }, today);
    assert!(matches!(alone, Err(CardError::NeedsHuman { .. })));
    assert!(place.persona.review(&path, &bob, &Verdict::Accept { human: true }, today).unwrap().accepted);
    let id = CardId::parse("X-001").unwrap();
    assert!(matches!(place.persona.set_archived(&id, true, false), Err(CardError::NeedsHuman { .. })));
    // A proposal that lost its evidence on the way is stopped at the review.
    let path = place.persona.propose(&proposal(&ann, "Later"), today).unwrap();
    place.write(&path, &place.read(&path).replace("source: \"a test\"\n", ""));
    let late = place.persona.review(&path, &bob, &Verdict::Accept { human: false }, today);
    assert!(matches!(late, Err(CardError::NoEvidence)));
}

/// Archiving and restoring leave the card's file as it was.
#[test]
fn d_15_archive_and_restore_are_inverse() {
    let place = Place::new();
    place.card("H-001", "one", 5);
    let id = CardId::parse("h-001").unwrap();
    place.persona.set_archived(&id, true, false).unwrap();
    let archived = place.read("cards/heuristics/H-001.md");
    assert!(archived.contains("status: archived") && place.persona.cards().unwrap().active().count() == 0);
    place.persona.set_archived(&id, false, false).unwrap();
    assert_eq!(place.read("cards/heuristics/H-001.md"), archived.replace("archived", "active"));
    assert!(place.persona.index_is_fresh().unwrap());
}

/// Decisions on record come from active cards, principles and session logs, each with what it is cited by.
#[test]
fn d_14_known_decisions_have_ids() {
    let place = Place::new();
    place.card("H-001", "use-postgres", 5);
    place.card("H-002", "gone", 5);
    place.persona.set_archived(&CardId::parse("H-002").unwrap(), true, false).unwrap();
    place.write("core/principles.md", "# P\n\n- Never push on Fridays.\n");
    place.write("sessions/2026-01/2026-01-02.md", "## decisions\n- no slots here\n");
    place.write("sessions/2026-01/2026-01-03.md", "## decisions\n- rolled up\n");
    place.write("sessions/2026-01/2026-01-03-slot-A-1.md", "## decisions\n- in a slot\n");
    let mut problems = Vec::new();
    let known = place.persona.known_decisions(&mut problems).unwrap();
    let ids: Vec<&str> = known.iter().map(|decision| decision.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "H-001",
            "core/principles.md#1",
            "sessions/2026-01/2026-01-02.md#1",
            "sessions/2026-01/2026-01-03-slot-A-1.md#1"
        ]
    );
    assert!(known[0].text.contains("use postgres") && known[1].text == "Never push on Fridays.");
}
