//! Scripts and words that another command of the same script prints: `bash <(echo …)`, `sh -c "$(…)"`, `… | base64 -d | sh`,
//! `… | xargs git`.
//!
//! Only what is printed from the script's own words is known; what comes from a file or a program is not judged here, and
//! meets no network in the box (X17).

use mi_gate::command::{Analysis, RedirectKind, SimpleCommand, Via};

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"];

/// Texts that some shell of this script may be given to run.
pub(super) fn scripts(analysis: &Analysis) -> Vec<String> {
    let commands = &analysis.commands;
    let computed = commands.iter().any(runs_output);
    let mut found = Vec::new();
    for command in commands {
        let substituted = matches!(command.via, Via::Substitution | Via::ProcessSubstitution);
        let piped = commands.iter().any(|other| is_fed_by(other, command) && runs_input(other));
        if (computed && substituted) || piped {
            found.extend(printed(command).into_iter().flat_map(readings));
        }
    }
    found
}

/// The commands that `xargs` makes of printed words.
pub(super) fn with_printed_words(analysis: &Analysis) -> Vec<Vec<String>> {
    let commands = &analysis.commands;
    let mut found = Vec::new();
    for (index, xargs) in commands.iter().enumerate().filter(|(_, command)| command.program == "xargs") {
        let inner =
            commands.iter().find(|command| command.parent == Some(index) && command.via == Via::Wrapper);
        for text in commands.iter().filter(|other| is_fed_by(xargs, other)).filter_map(printed) {
            let Some(inner) = inner else { continue };
            let words: Vec<&str> = std::iter::once(inner.program.as_str()).chain(inner.arg_texts()).collect();
            let mark =
                xargs.arg_texts().find_map(|word| word.strip_prefix("-I")).filter(|mark| !mark.is_empty());
            let mark = mark.unwrap_or("{}");
            found.push(if words.iter().any(|word| word.contains(mark)) {
                words.iter().map(|word| word.replace(mark, text.trim())).collect()
            } else {
                words.into_iter().chain(text.split_whitespace()).map(str::to_owned).collect()
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
    (shell && !command.arg_texts().any(takes_text)) || source
}

fn is_busybox_shell(command: &SimpleCommand) -> bool {
    command.program == "busybox" && command.arg_texts().next().is_some_and(|word| SHELLS.contains(&word))
}

/// Runs what a substitution prints: as its script, as its file, or as the command itself.
fn runs_output(command: &SimpleCommand) -> bool {
    let substituted = |word: &str| word.contains("$(") || word.contains('`') || word.contains("<(");
    let reads = ["eval", "source", "."].contains(&command.program.as_str())
        || SHELLS.contains(&command.program.as_str())
        || is_busybox_shell(command);
    let from = |redirect: &mi_gate::command::Redirect| {
        redirect.kind == RedirectKind::Read && redirect.target.text.contains("<(")
    };
    (reads && (command.arg_texts().any(substituted) || command.redirects.iter().any(from)))
        || (reads && command.args.is_empty())
        || substituted(&command.program_path)
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

/// What a printed text may become before a shell reads it: as it is, with escapes, out of base64 or hexadecimal digits, in
/// reverse.
fn readings(text: String) -> Vec<String> {
    let compact: String = text.split_whitespace().collect();
    let mut all = vec![unescaped(&text), text.trim().chars().rev().collect()];
    all.extend(from_base64(&compact));
    all.extend(from_hexadecimal(&compact));
    all.push(text);
    all
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
