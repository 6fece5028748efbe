//! Scripts and words that another command of the same script prints: `bash <(echo …)`, `sh -c "$(…)"`, `… | base64 -d | sh`,
//! `… | xargs git`.
//!
//! Only what is printed from the script's own words is known; what comes from a file or a program is not judged here, and
//! meets no network in the box (X17).

use std::collections::{HashMap, HashSet};

use mi_gate::command::{Analysis, RedirectKind, SimpleCommand, Via};

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"];

/// Texts that some shell of this script may be given to run.
pub(super) fn scripts(analysis: &Analysis) -> Vec<String> {
    let commands = &analysis.commands;
    let computed = commands.iter().any(runs_output);
    // Where in each pipeline the last shell stands that runs what it reads.
    let mut readers: HashMap<u32, u16> = HashMap::new();
    for shell in commands.iter().filter(|command| runs_input(command)) {
        let last = readers.entry(shell.place.pipeline).or_default();
        *last = shell.place.position.max(*last);
    }
    let has = |names: &[&str]| commands.iter().any(|command| names.contains(&command.program.as_str()));
    let decoders = Decoders {
        base64: has(&["base64", "basenc", "openssl", "busybox"]),
        hexadecimal: has(&["xxd", "basenc", "busybox"]),
        reverse: has(&["rev", "busybox"]),
    };
    let files = run_files(commands);
    let is_read = |command: &&SimpleCommand| {
        let written = command.redirects.iter().any(|redirect| {
            matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
                && files.contains(base_name(&redirect.target.text))
        });
        let substituted = matches!(command.via, Via::Substitution | Via::ProcessSubstitution);
        let piped = readers.get(&command.place.pipeline).is_some_and(|last| command.place.position < *last);
        (computed && substituted) || piped || written
    };
    let texts = commands.iter().filter(is_read).filter_map(printed);
    texts.flat_map(|text| decoders.readings(text)).take(MOST).collect()
}

/// The files that are run, by name: a script may write one first.
fn run_files(commands: &[SimpleCommand]) -> HashSet<&str> {
    let mut files = HashSet::new();
    for command in commands {
        if command.program_path.contains('/') {
            files.insert(command.program.as_str());
        }
        let is_shell = SHELLS.contains(&command.program.as_str()) || is_busybox_shell(command);
        if is_shell || ["source", "."].contains(&command.program.as_str()) {
            files.extend(command.arg_texts().filter(|word| !word.starts_with('-')).map(base_name));
        }
    }
    files
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How many texts of one script are looked at.
const MOST: usize = 256;

/// What the script's own commands can make of a text before a shell reads it.
struct Decoders {
    base64: bool,
    hexadecimal: bool,
    reverse: bool,
}

impl Decoders {
    fn readings(&self, text: String) -> Vec<String> {
        let compact: String = text.split_whitespace().collect();
        let mut all = Vec::new();
        all.extend(self.base64.then(|| from_base64(&compact)).flatten());
        all.extend(self.hexadecimal.then(|| from_hexadecimal(&compact)).flatten());
        all.extend(self.reverse.then(|| text.trim().chars().rev().collect()));
        all.extend(text.contains('\\').then(|| unescaped(&text)));
        all.push(text);
        all
    }
}

/// The commands that `xargs` makes of printed words.
pub(super) fn with_printed_words(analysis: &Analysis) -> Vec<Vec<String>> {
    let commands = &analysis.commands;
    let mut found = Vec::new();
    for (index, xargs) in commands.iter().enumerate().filter(|(_, command)| command.program == "xargs") {
        let inner =
            commands.iter().find(|command| command.parent == Some(index) && command.via == Via::Wrapper);
        for text in commands.iter().filter(|other| is_fed_by(xargs, other)).filter_map(printed).take(MOST) {
            let text = unescaped(&text);
            let Some(inner) = inner else { continue };
            let words: Vec<&str> = std::iter::once(inner.program.as_str()).chain(inner.arg_texts()).collect();
            let mark =
                xargs.arg_texts().find_map(|word| word.strip_prefix("-I")).filter(|mark| !mark.is_empty());
            let mark = mark.unwrap_or("{}");
            found.push(if words.iter().any(|word| word.contains(mark)) {
                words.iter().map(|word| word.replace(mark, text.trim())).collect()
            } else {
                words
                    .into_iter()
                    .chain(text.split(|letter: char| letter.is_whitespace() || letter == '\0'))
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect()
            });
        }
    }
    found
}

/// Whether what `earlier` prints is what `later` reads.
fn is_fed_by(later: &SimpleCommand, earlier: &SimpleCommand) -> bool {
    later.place.pipeline == earlier.place.pipeline && later.place.position > earlier.place.position
}

/// A shell without a script of its own.
fn runs_input(command: &SimpleCommand) -> bool {
    let shell = SHELLS.contains(&command.program.as_str()) || is_busybox_shell(command);
    let takes_text = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let source = ["source", "."].contains(&command.program.as_str());
    let makefile = command.program == "make" && command.arg_texts().any(|word| ["-", "-f-"].contains(&word));
    (shell && !command.arg_texts().any(takes_text)) || source || makefile
}

fn is_busybox_shell(command: &SimpleCommand) -> bool {
    command.program == "busybox" && command.arg_texts().next().is_some_and(|word| SHELLS.contains(&word))
}

/// Runs what a substitution prints: as its file, as its input, or as the command itself. The text of `sh -c` and of `eval`
/// is read as commands, so one that is nothing but a substitution stands among them.
fn runs_output(command: &SimpleCommand) -> bool {
    let reads = ["source", "."].contains(&command.program.as_str())
        || SHELLS.contains(&command.program.as_str())
        || is_busybox_shell(command);
    let from_process = command.arg_texts().any(|word| word.starts_with("<(")) || command.args.is_empty();
    let word = command.program_path.as_str();
    (reads && from_process) || word.starts_with("$(") || word.starts_with('`') || word == "$"
}

/// What a command prints that is known from its words.
fn printed(command: &SimpleCommand) -> Option<String> {
    let words: Vec<&str> = command.arg_texts().collect();
    let here = command.redirects.iter().find(|redirect| redirect.kind == RedirectKind::Text);
    match command.program.as_str() {
        "echo" => {
            let is_option = |word: &&&str| ["-e", "-n", "-E", "-ne", "-en"].contains(*word);
            let words: Vec<&str> = words.iter().skip_while(is_option).copied().collect();
            Some(words.join(" "))
        }
        "printf" => {
            let rest = words.strip_prefix(&["--"]).unwrap_or(&words);
            rest.split_first().map(|(format, values)| formatted(format, values))
        }
        _ => here.map(|redirect| redirect.target.text.clone()),
    }
}

/// `printf` as far as scripts use it: each `%…` takes the next word, and the format is used again while words are left.
fn formatted(format: &str, values: &[&str]) -> String {
    let (mut text, mut values) = (String::new(), values.iter());
    loop {
        let mut rest = format.chars();
        let before = values.len();
        while let Some(letter) = rest.next() {
            match letter {
                '%' => match rest.find(|letter| letter.is_ascii_alphabetic() || *letter == '%') {
                    Some('%') | None => text.push('%'),
                    Some(_) => text.push_str(values.next().copied().unwrap_or_default()),
                },
                letter => text.push(letter),
            }
        }
        if values.len() == 0 || values.len() == before {
            return text;
        }
    }
}

/// `\n`, `\x67`, `\147`.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (digits, radix) = match after {
            [b'x', digits @ ..] => (digits, 16),
            digits => (digits, 8),
        };
        let most = if radix == 16 { 2 } else { 4 };
        let count = digits.iter().take(most).take_while(|digit| char::from(**digit).is_digit(radix)).count();
        let value =
            std::str::from_utf8(&digits[..count]).ok().and_then(|code| u32::from_str_radix(code, radix).ok());
        match (value.and_then(|value| u8::try_from(value).ok()), after.first()) {
            (Some(value), _) => {
                bytes.push(value);
                rest = &digits[count..];
            }
            (None, Some(b'n')) => {
                bytes.push(b'\n');
                rest = &after[1..];
            }
            (None, Some(b't')) => {
                bytes.push(b'\t');
                rest = &after[1..];
            }
            (None, _) => bytes.push(b'\\'),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn from_base64(text: &str) -> Option<String> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)?;
        bits = (bits << 6 | u32::try_from(value).ok()?) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(((bits >> count) & 0xFF) as u8);
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

fn from_hexadecimal(text: &str) -> Option<String> {
    let digits: Vec<u8> = text
        .bytes()
        .map(|digit| char::from(digit).to_digit(16))
        .map(|digit| digit.and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}
