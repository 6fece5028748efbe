//! Long runs of base64 or hex characters: wrapped secrets, and tokens that only their neighbours give away.
//!
//! Text has few runs of [`LEAST`] such characters, so looking at every 24th byte finds them all. A run that
//! decodes to text is scanned again, twice at most; what is found there takes out the whole run.

use std::{borrow::Cow, sync::LazyLock};

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use memchr::memrchr_iter;

use crate::{
    Finding, Level, Rule,
    class::{self, ALNUM, DASH, DIGIT, Kinds, LOWER, PLUS, SLASH, UNDERSCORE, UPPER, WORD},
    scan::{Text, find_at, past_escape, starts_word},
};

/// Shortest run: `password=hunter2` in base64.
const LEAST: usize = 24;
/// How often a text inside a text is opened.
const DEPTH: usize = 2;
/// What a run is made of.
const RUN: Kinds = WORD | PLUS | SLASH;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Adds what the runs of a text hold; `findings` has what the prefilter found, in the order of the text. Where all
/// findings count, there is no need to look whether a run is random if a secret begins before its first character.
pub(crate) fn find(
    text: Text<'_>,
    depth: usize,
    all_count: bool,
    ids: Vec<usize>,
    findings: &mut Vec<Finding>,
) {
    let bytes = text.bytes();
    let reader = Reader { text, depth, ids };
    // Notices about characters of a secret are dropped.
    let known = if all_count { findings.len() } else { 0 };
    let (mut passed, mut covered) = (0, 0);
    let (mut at, mut floor) = (LEAST - 1, 0);
    while at < bytes.len() {
        if !class::is(bytes[at], RUN) || !may_be_long(bytes, at) {
            floor = at + 1;
            at += LEAST;
            continue;
        }
        let start = at - class::run_back(&bytes[floor..at], RUN);
        let end = at + class::long_run(&bytes[at..], RUN);
        floor = end;
        // What follows an escape is shorter still.
        let past = if end - start >= LEAST { past_escape(bytes, start) } else { None };
        let start = past.map_or(start, |past| past.min(end));
        if end - start >= LEAST {
            while let Some(found) = findings[passed..known].first().filter(|found| found.start <= start) {
                covered = if found.level.is_redacted() { covered.max(found.end) } else { covered };
                passed += 1;
            }
            let (found, last) = reader.look(start, end, covered > start);
            findings.extend(found);
            floor = last;
        }
        at = floor + LEAST - 1;
    }
}

/// Whether a long run may go through a place: then eight characters before it or after it are all of the run. Words are
/// shorter, and it takes less to see this than where they end.
fn may_be_long(bytes: &[u8], at: usize) -> bool {
    let is_run = |eight: &[u8]| class::are_all(eight, RUN);
    bytes.get(at - 8..at).is_some_and(is_run) || bytes.get(at + 1..at + 9).is_some_and(is_run)
}

struct Reader<'t> {
    text: Text<'t>,
    depth: usize,
    /// Where AWS access key ids stand, in order: a secret key is known by its nearness to one.
    ids: Vec<usize>,
}

impl Reader<'_> {
    /// What one run is, and where reading goes on.
    fn look(&self, start: usize, end: usize, is_covered: bool) -> (Option<Finding>, usize) {
        let bytes = self.text.bytes();
        let run = &bytes[start..end];
        let secret = |rule, end| (Some(Finding { rule, start, end, level: Level::Secret }), end);
        if let Some(end) = discord_end(bytes, start, end) {
            return secret(const { Rule::named("discord-token") }, end);
        }
        if is_twilio(run) {
            return secret(const { Rule::named("twilio-key") }, end);
        }
        if is_mailchimp(run) {
            return secret(const { Rule::named("mailchimp-key") }, end);
        }
        if let Some(start) = airtable_start(bytes, start, end) {
            return (
                Some(Finding {
                    rule: const { Rule::named("airtable-token") },
                    start,
                    end,
                    level: Level::Secret,
                }),
                end,
            );
        }
        if run.len() == 40 && self.is_near_id(start) && has_all_kinds(class::all_kinds(run)) {
            return secret(const { Rule::named("aws-secret-key") }, end);
        }
        let (joined, last) = join_lines(bytes, start, end);
        if self.depth < DEPTH
            && let Some(inner) = unwrap(&joined).and_then(|inner| worst(&inner, self.depth + 1))
        {
            let end = last + bytes[last..].iter().take(2).take_while(|byte| **byte == b'=').count();
            return (Some(Finding { start, end, ..inner }), end);
        }
        let is_notice = !is_covered && is_dense(run);
        (
            is_notice.then_some(Finding {
                rule: const { Rule::named("high-entropy") },
                start,
                end,
                level: Level::Notice,
            }),
            last,
        )
    }

    fn is_near_id(&self, start: usize) -> bool {
        let first = self.ids.partition_point(|id| *id + 200 < start);
        self.ids.get(first).is_some_and(|id| *id <= start + 200)
    }
}

/// The surest finding in a decoded text, if it would be taken out.
fn worst(inner: &str, depth: usize) -> Option<Finding> {
    find_at(inner, depth)
        .into_iter()
        .filter(|found| found.level.is_redacted())
        .max_by_key(|found| found.level)
}

/// A run and the lines that go on with it, as `base64` writes them: full lines of 60 or more.
fn join_lines(bytes: &[u8], start: usize, end: usize) -> (Cow<'_, [u8]>, usize) {
    let mut joined = Cow::Borrowed(&bytes[start..end]);
    let (mut from, mut last) = (start, end);
    while last - from >= 60 && (last - from).is_multiple_of(4) {
        let gap = match &bytes[last..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
            _ => break,
        };
        from = last + gap;
        let line = class::long_run(&bytes[from..], RUN);
        last = from + line;
        if line == 0 {
            break;
        }
        joined.to_mut().extend_from_slice(&bytes[from..last]);
    }
    (joined, last)
}

/// The text that a run decodes to, if it is one.
fn unwrap(run: &[u8]) -> Option<String> {
    if run.len() >= 32 && run.len().is_multiple_of(2) && class::are_hex(run) {
        return unwrap_hex(run);
    }
    if let Some(inner) = unwrap_base64(run) {
        return Some(inner);
    }
    // A path or an address may end in the run that counts.
    let mut end = run.len();
    for slash in memrchr_iter(b'/', run) {
        if end - slash > LEAST {
            return unwrap_base64(&run[slash + 1..end]);
        }
        end = slash;
    }
    (end >= LEAST && end < run.len()).then(|| unwrap_base64(&run[..end])).flatten()
}

fn unwrap_hex(run: &[u8]) -> Option<String> {
    // The low four bits of a digit are its value, those of a letter count from one.
    let digit = |byte: u8| (byte & 15) + 9 * (byte >> 6);
    let (pairs, _) = run.as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| digit(*high) << 4 | digit(*low);
    let mut head = [0; 9];
    head.iter_mut().zip(pairs).for_each(|(head, pair)| *head = byte(pair));
    if may_begin_text(&head) { text_of(pairs.iter().map(byte).collect()) } else { None }
}

fn unwrap_base64(run: &[u8]) -> Option<String> {
    let mut head = [0; 9];
    let (fours, _) = run.first_chunk::<12>()?.as_chunks::<4>();
    for (three, four) in head.as_chunks_mut::<3>().0.iter_mut().zip(fours) {
        let number =
            four.iter().fold(0, |number, byte| number << 6 | u32::from(SIX_BITS[usize::from(*byte)]));
        let [_, bytes @ ..] = number.to_be_bytes();
        *three = bytes;
    }
    if !may_begin_text(&head) {
        return None;
    }
    let is_url_safe = class::all_kinds(run) & (DASH | UNDERSCORE) != 0;
    let engine = if is_url_safe { &URL_SAFE } else { &STANDARD };
    // A run that is no multiple of four was cut; the whole groups count.
    let whole = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
    text_of(engine.decode(whole).ok()?)
}

/// What a base64 character stands for, in either alphabet; the decoder tells the alphabets apart.
static SIX_BITS: [u8; 256] = {
    let mut table = [63; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        byte += 1;
    }
    table
};

/// Most runs are names, digests and pictures: their first bytes already are no text.
fn may_begin_text(head: &[u8; 9]) -> bool {
    !head.iter().any(|byte| is_control(*byte))
        && (head.is_ascii()
            || std::str::from_utf8(head).map_or_else(|wrong| wrong.error_len().is_none(), |_| true))
}

fn text_of(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    // Without a way out in the middle, many bytes are looked at at once.
    (!text.bytes().fold(false, |seen, byte| seen | is_control(byte))).then_some(text)
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t')
}

/// `id.time.signature`, where the id is a number in base64.
fn discord_end(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    if !matches!(bytes[start], b'M' | b'N' | b'O') || end - start > 28 || bytes.get(end) != Some(&b'.') {
        return None;
    }
    // A word that is longer than any part is no part, however long it is.
    let word = |at: usize| class::run(&bytes[at..bytes.len().min(at + 41)], RUN & !SLASH);
    let time = word(end + 1);
    let dot = end + 1 + time;
    if !(6..=7).contains(&time) || bytes.get(dot) != Some(&b'.') {
        return None;
    }
    let id = STANDARD.decode(&bytes[start..end]).ok()?;
    let signature = word(dot + 1);
    let is_token = (27..=40).contains(&signature) && id.iter().all(u8::is_ascii_digit);
    is_token.then_some(dot + 1 + signature)
}

fn is_twilio(run: &[u8]) -> bool {
    run.len() == 34 && run.starts_with(b"SK") && class::are_hex(&run[2..])
}

/// Thirty-two hex digits and the place of the account: `-us12`.
fn is_mailchimp(run: &[u8]) -> bool {
    let Some((key, place)) = run.split_at_checked(32) else { return false };
    let is_place =
        matches!(place, [b'-', b'u', b's', b'1'..=b'9'] | [b'-', b'u', b's', b'1'..=b'9', b'0'..=b'9']);
    is_place && class::are_hex(key)
}

/// `pat`, fourteen letters and digits, a dot, and sixty-four hex digits, which are the run.
fn airtable_start(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    if end - start != 64 || !bytes[..start].ends_with(b".") || !class::are_hex(&bytes[start..end]) {
        return None;
    }
    let from = start.checked_sub(18)?;
    let name = &bytes[from..start - 1];
    let is_token = name.starts_with(b"pat") && class::are_all(name, ALNUM) && starts_word(bytes, from);
    is_token.then_some(from)
}

/// Random enough to be pointed out: digests that say so, names and pictures are not.
fn is_dense(run: &[u8]) -> bool {
    (32..=256).contains(&run.len())
        && has_all_kinds(class::all_kinds(run))
        && !run.starts_with(b"sha")
        && has_entropy(run)
}

fn has_all_kinds(seen: Kinds) -> bool {
    seen & DIGIT != 0 && seen & LOWER != 0 && seen & UPPER != 0
}

/// Whether a character of a run carries 4.3 bits or more.
fn has_entropy(run: &[u8]) -> bool {
    let (mut counts, mut sum, logarithms) = ([0_u8; 128], 0, &*LOGARITHMS);
    for byte in run {
        let count = &mut counts[usize::from(byte & 127)];
        sum += logarithms.growth[usize::from(*count)];
        *count = count.saturating_add(1);
    }
    sum <= logarithms.most[run.len().min(256)]
}

/// What is needed of `n × log2(n)`, in parts of [`UNIT`]: logarithms are slow.
struct Logarithms {
    /// By how much it grows from each `n` to the next.
    growth: [u64; 256],
    /// How much it may be in all for the characters of a run of each length.
    most: [u64; 257],
}

static LOGARITHMS: LazyLock<Logarithms> = LazyLock::new(|| {
    let value = |count: usize| if count > 0 { count as f64 * (count as f64).log2() } else { 0.0 };
    Logarithms {
        growth: std::array::from_fn(|count| ((value(count + 1) - value(count)) * UNIT).round() as u64),
        most: std::array::from_fn(|length| ((value(length) - 4.3 * length as f64) * UNIT) as u64),
    }
});

const UNIT: f64 = (1_u64 << 44) as f64;
