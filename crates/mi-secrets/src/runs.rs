//! Long runs of base64 or hex characters: wrapped secrets, and tokens that only their neighbours give away.
//!
//! Text has few runs of [`LEAST`] such characters, so looking at every 24th byte finds them all. A run that
//! decodes to text is scanned again, twice at most; what is found there takes out the whole run.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use crate::{
    Finding, Level,
    scan::{Text, find_at},
};

/// Shortest run: `password=hunter2` in base64.
const LEAST: usize = 24;
/// How often a text inside a text is opened.
const DEPTH: usize = 2;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Adds what the runs of a text hold; `findings` has what the prefilter found, in the order of the text.
pub(crate) fn find(text: Text<'_>, depth: usize, findings: &mut Vec<Finding>) {
    let bytes = text.bytes();
    let ids =
        findings.iter().filter(|found| found.rule == "aws-access-key").map(|found| found.start).collect();
    let reader = Reader { text, depth, ids };
    let (mut at, mut floor) = (LEAST - 1, 0);
    while at < bytes.len() {
        if !is_run(bytes[at]) {
            floor = at + 1;
            at += LEAST;
            continue;
        }
        let start = at - bytes[floor..at].iter().rev().take_while(|byte| is_run(**byte)).count();
        let end = at + bytes[at..].iter().take_while(|byte| is_run(**byte)).count();
        floor = end;
        if end - start >= LEAST {
            let (found, last) = reader.look(start, end);
            findings.extend(found);
            floor = last;
        }
        at = floor + LEAST - 1;
    }
}

struct Reader<'t> {
    text: Text<'t>,
    depth: usize,
    /// Where AWS access key ids stand, in order: a secret key is known by its nearness to one.
    ids: Vec<usize>,
}

impl Reader<'_> {
    /// What one run is, and where reading goes on.
    fn look(&self, start: usize, end: usize) -> (Option<Finding>, usize) {
        let bytes = self.text.bytes();
        let run = &bytes[start..end];
        let secret = |rule, end| (Some(Finding { rule, start, end, level: Level::Secret }), end);
        if let Some(end) = discord_end(bytes, start, end) {
            return secret("discord-token", end);
        }
        if is_twilio(run) {
            return secret("twilio-key", end);
        }
        if is_aws_secret(run) && self.is_near_id(start) {
            return secret("aws-secret-key", end);
        }
        let (joined, last) = join_lines(bytes, start, end);
        if self.depth < DEPTH
            && let Some(inner) = unwrap(&joined).and_then(|inner| worst(&inner, self.depth + 1))
        {
            let end = last + bytes[last..].iter().take(2).take_while(|byte| **byte == b'=').count();
            return (Some(Finding { start, end, ..inner }), end);
        }
        let notice =
            is_dense(run).then_some(Finding { rule: "high-entropy", start, end, level: Level::Notice });
        (notice, last)
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
fn join_lines(bytes: &[u8], start: usize, end: usize) -> (Vec<u8>, usize) {
    let mut joined = bytes[start..end].to_vec();
    let (mut from, mut last) = (start, end);
    while last - from >= 60 && (last - from).is_multiple_of(4) {
        let gap = match &bytes[last..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
            _ => break,
        };
        from = last + gap;
        let line = bytes[from..].iter().take_while(|byte| is_run(**byte)).count();
        last = from + line;
        joined.extend_from_slice(&bytes[from..last]);
        if line == 0 {
            break;
        }
    }
    (joined, last)
}

/// The text that a run decodes to, if it is one.
fn unwrap(run: &[u8]) -> Option<String> {
    if run.len() >= 32 && run.len().is_multiple_of(2) && run.iter().all(u8::is_ascii_hexdigit) {
        return text_of(run.chunks_exact(2).map_while(hex_pair).collect());
    }
    if let Some(inner) = unwrap_base64(run) {
        return Some(inner);
    }
    // A path or an address may end in the run that counts.
    let tail = run.rsplit(|byte| *byte == b'/').find(|part| part.len() >= LEAST)?;
    if tail.len() == run.len() { None } else { unwrap_base64(tail) }
}

fn unwrap_base64(run: &[u8]) -> Option<String> {
    let engine = if run.iter().any(|byte| matches!(byte, b'-' | b'_')) { &URL_SAFE } else { &STANDARD };
    // Most runs are names, digests and pictures: their first nine bytes already are no text.
    let mut head = [0; 9];
    engine.decode_slice(run.get(..12)?, &mut head).ok()?;
    if head.iter().any(|byte| is_control(*byte)) {
        return None;
    }
    // A run that is no multiple of four was cut; the whole groups count.
    let whole = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
    text_of(engine.decode(whole).ok()?)
}

fn text_of(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    (!text.bytes().any(is_control)).then_some(text)
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t')
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()
}

/// `id.time.signature`, where the id is a number in base64.
fn discord_end(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let word = |at: usize| bytes[at..].iter().take_while(|byte| is_run(**byte) && **byte != b'/').count();
    if !matches!(bytes[start], b'M' | b'N' | b'O') || end - start > 28 || bytes.get(end) != Some(&b'.') {
        return None;
    }
    let time = word(end + 1);
    let dot = end + 1 + time;
    let id = STANDARD.decode(&bytes[start..end]).ok()?;
    if !(6..=7).contains(&time) || bytes.get(dot) != Some(&b'.') || !id.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let signature = word(dot + 1);
    (27..=40).contains(&signature).then_some(dot + 1 + signature)
}

fn is_twilio(run: &[u8]) -> bool {
    run.len() == 34 && run.starts_with(b"SK") && run[2..].iter().all(u8::is_ascii_hexdigit)
}

fn is_aws_secret(run: &[u8]) -> bool {
    run.len() == 40 && has_all_kinds(run)
}

/// Random enough to be pointed out: digests that say so, names and pictures are not.
fn is_dense(run: &[u8]) -> bool {
    (32..=256).contains(&run.len()) && has_all_kinds(run) && !run.starts_with(b"sha") && entropy(run) >= 4.3
}

fn has_all_kinds(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_digit)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_uppercase)
}

/// Bits per character.
fn entropy(run: &[u8]) -> f64 {
    let mut counts = [0_u16; 128];
    run.iter().for_each(|byte| counts[usize::from(byte & 127)] += 1);
    let total = run.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum()
}

fn is_run(byte: u8) -> bool {
    RUN[usize::from(byte)]
}

/// Asked for much of the text, so it is looked up.
static RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-');
        byte += 1;
    }
    table
};
