//! Here-documents in shell blocks (E20–E23): which commands write a file, and what stands in it.
//!
//! `read` takes a script apart; this module decides what each command means.

mod body;
mod read;
mod word;

use crate::outcome::Reason;
use read::{Command, Here, Joint, Script};
use word::Word;

/// A file that a script writes from a here-document, or why it is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HereFile {
    /// The line of the command in the script, from 0.
    pub(crate) line: usize,
    /// As the shell would read the target.
    pub(crate) target: String,
    pub(crate) content: Result<String, Reason>,
}

/// Every here-document of a script that goes into a file.
pub(crate) fn here_files(script: &str) -> Vec<HereFile> {
    if !script.contains("<<") {
        return Vec::new();
    }
    let script = Script::read(script);
    let mut moved = false;
    let mut found = Vec::new();
    for command in &script.commands {
        let words = command.words_after_assignments();
        let Some(program) = words.first() else { continue };
        moved |= moves(words);
        if let Some(wanted) = Wanted::of(command, program, &words[1..]) {
            let here = &script.heres[command.heres[0]];
            found.push(HereFile {
                line: command.line,
                target: wanted.target.text.clone(),
                content: content(&script, command, here, &wanted, moved),
            });
        }
    }
    found
}

/// Whether a command changes the folder, also behind `command` and `builtin`.
fn moves(words: &[Word]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    let program = words.find(|word| !["command", "builtin", "--", "-p"].contains(word));
    program.is_some_and(|program| ["cd", "chdir", "pushd", "popd"].contains(&program))
}

fn content(
    script: &Script<'_>,
    command: &Command,
    here: &Here,
    wanted: &Wanted<'_>,
    moved: bool,
) -> Result<String, Reason> {
    let body = here.body.clone().ok_or(Reason::Unterminated)?;
    let conditional = command.before == Joint::Or || [Joint::Or, Joint::Background].contains(&command.after);
    if moved || command.nested || conditional {
        return Err(Reason::Context);
    }
    if wanted.append {
        return Err(Reason::Split);
    }
    if wanted.target.expands {
        return Err(Reason::Expansion);
    }
    body::resolve(&script.text[body], here)
}

/// `cat` or `tee` with one here-document and one file.
struct Wanted<'a> {
    target: &'a Word,
    append: bool,
}

impl<'a> Wanted<'a> {
    fn of(command: &'a Command, program: &Word, operands: &'a [Word]) -> Option<Self> {
        let piped = command.before == Joint::Pipe || command.after == Joint::Pipe;
        if piped || command.heres.len() != 1 || command.reads_elsewhere || program.expands {
            return None;
        }
        let written = command.targets.iter().filter(|target| !is_nowhere(&target.word.text));
        let mut targets: Vec<(&Word, bool)> = written.map(|target| (&target.word, target.append)).collect();
        match program.text.rsplit('/').next() {
            Some("cat") if operands.iter().all(|word| word.text == "-" || word.text == "--") => {}
            Some("tee") => targets.extend(tee_operands(operands)?),
            _ => return None,
        }
        match targets.as_slice() {
            [(target, append)] => Some(Self { target, append: *append }),
            _ => None,
        }
    }
}

/// The files that `tee` writes; nothing where an option is not known.
fn tee_operands(words: &[Word]) -> Option<Vec<(&Word, bool)>> {
    let (mut append, mut files, mut options) = (false, Vec::new(), true);
    for word in words {
        match word.text.as_str() {
            "--" if options => options = false,
            "-a" | "--append" | "-ai" | "-ia" if options => append = true,
            "-i" | "-p" | "--ignore-interrupts" if options => {}
            text if options && text.starts_with('-') && text != "-" => return None,
            text if is_nowhere(text) => {}
            _ => files.push(word),
        }
    }
    Some(files.into_iter().map(|word| (word, append)).collect())
}

fn is_nowhere(target: &str) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&target)
}

#[cfg(test)]
mod tests;
