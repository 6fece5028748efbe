//! Command lines that carry a password: `curl -u`, `mysql -p`, `sshpass -p`, `login … password …`.
//!
//! A line may have a command again and again, and each sees every flag that follows. So the next flag that has a
//! password is looked for in the whole text and remembered; how far a command is read only decides whether it counts.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::{
    class::{DASH, EQUALS, LETTER, Run, SLASH, SPACE, WORD, is, run},
    forms::{Secret, after, at_least, word_and_blanks},
    memory::Memory,
};

/// What was read of the commands of a text, as places in it.
#[derive(Default)]
pub(crate) struct Commands {
    ends: Run,
    /// To the next `-u` with a name and a password.
    users: Run,
    names: Run,
    arguments: Run,
    /// To the next `-p` with a password.
    passwords: Run,
    values: Run,
}

/// `curl … -u user:password`
pub(crate) fn curl(bytes: &[u8], memory: &mut Memory<'_>) -> Secret {
    let from = memory.place + run(bytes, LETTER) + 1;
    let (text, known) = (memory.text, &mut memory.commands);
    let flag = known.next_user(text, from);
    if flag >= memory.place + bytes.len() || flag >= known.command_end(text, from) {
        return None;
    }
    let password = known.user_and_password(text, flag)?;
    in_sight(bytes, memory.place, password)
}

/// `mysql … -ppassword`, also `mysqldump`; a flag after others counts before the first one.
pub(crate) fn mysql(bytes: &[u8], memory: &mut Memory<'_>) -> Secret {
    let word = run(bytes, LETTER);
    if bytes.get(word) != Some(&b' ') {
        return None;
    }
    let from = memory.place + word + 1;
    let (text, known) = (memory.text, &mut memory.commands);
    let flag = known.next_password(text, from);
    let is_later = flag < memory.place + bytes.len() && flag < known.command_end(text, from);
    let later = if is_later { known.flag_value(text, flag + 3) } else { None };
    let later = later.and_then(|value| in_sight(bytes, memory.place, value));
    later.or_else(|| {
        let first = from + after(text.get(from..)?, &["-p"])?;
        in_sight(bytes, memory.place, known.flag_value(text, first)?)
    })
}

/// `docker login … -p password`, `mongo … -p password`, `redis-cli … -a password`
pub(crate) fn client(bytes: &[u8], memory: &mut Memory<'_>) -> Secret {
    let from = run(bytes, WORD);
    let flag = if bytes[..from].eq_ignore_ascii_case(b"redis-cli") { b" -a " } else { b" -p " };
    let command = memory.commands.command_end(memory.text, memory.place + from) - memory.place;
    let flags = memmem::find_iter(&bytes[from..], flag).map(|at| from + at);
    flags.take_while(|at| *at < command).find_map(|at| {
        let from = at + 4 + usize::from(matches!(bytes.get(at + 4), Some(b'"' | b'\'')));
        let end = end_of(bytes, from, ends_argument);
        at_least(bytes.get(from..end)?, 3).then_some(from..end)
    })
}

/// The part of an argument that a command which begins at `place` and is read so far has, if that is enough of it.
fn in_sight(bytes: &[u8], place: usize, argument: Range<usize>) -> Secret {
    let (from, end) = (argument.start - place, bytes.len().min(argument.end - place));
    at_least(bytes.get(from..end)?, 3).then_some(from..end)
}

impl Commands {
    /// Where a command ends: the end of the line, or what joins it with another.
    fn command_end(&mut self, text: &[u8], from: usize) -> usize {
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'|' | b';' | b'&');
        self.ends.end(from, || end_of(text, from, is_end))
    }

    fn next_user(&mut self, text: &[u8], from: usize) -> usize {
        let mut users = self.users;
        let flag = users.end(from, || {
            let flags = memchr_iter(b'-', text.get(from..).unwrap_or_default()).map(|at| from + at);
            let mut flags = flags.filter(|flag| text.get(flag + 1) == Some(&b'u'));
            flags.find(|flag| self.user_and_password(text, *flag).is_some()).unwrap_or(text.len())
        });
        self.users = users;
        flag
    }

    fn next_password(&mut self, text: &[u8], from: usize) -> usize {
        let mut passwords = self.passwords;
        let flag = passwords.end(from, || {
            let flags = memchr_iter(b'-', text.get(from..).unwrap_or_default()).map(|at| from + at);
            let mut flags = flags.filter(|at| text.get(at + 1) == Some(&b'p') && text[at - 1] == b' ');
            let flag = flags.find(|at| *at > from && self.flag_value(text, at + 2).is_some());
            flag.map_or(text.len(), |at| at - 1)
        });
        self.passwords = passwords;
        flag
    }

    /// The password after the `-u` at `flag`. The long flag has the short one in it, and is looked at first.
    fn user_and_password(&mut self, text: &[u8], flag: usize) -> Option<Range<usize>> {
        let is_long = text[flag.saturating_sub(1)..].starts_with(b"--user");
        let long = if is_long { self.after_flag(text, flag + 5) } else { None };
        long.or_else(|| self.after_flag(text, flag + 2))
    }

    fn after_flag(&mut self, text: &[u8], flag: usize) -> Option<Range<usize>> {
        let is_sign = text.get(flag).is_some_and(|byte| matches!(byte, b' ' | b'='));
        // An `=` may also be the beginning of the name.
        [flag + 1, flag].into_iter().skip(usize::from(!is_sign)).find_map(|from| {
            let from = from + usize::from(matches!(text.get(from), Some(b'"' | b'\'')));
            let is_end = |byte: &u8| is(*byte, SPACE | SLASH) || matches!(byte, b':' | b'"' | b'\'');
            let name = self.names.end(from, || end_of(text, from, is_end));
            if name == from || text.get(name) != Some(&b':') {
                return None;
            }
            let end = self.arguments.end(name + 1, || end_of(text, name + 1, ends_argument));
            at_least(text.get(name + 1..end)?, 3).then_some(name + 1..end)
        })
    }

    fn flag_value(&mut self, text: &[u8], from: usize) -> Option<Range<usize>> {
        if text.get(from).is_none_or(|byte| is(*byte, DASH | EQUALS)) {
            return None;
        }
        let is_end = |byte: &u8| ends_argument(byte) || matches!(byte, b'|' | b';');
        let end = self.values.end(from, || end_of(text, from, is_end));
        at_least(text.get(from..end)?, 3).then_some(from..end)
    }
}

fn ends_argument(byte: &u8) -> bool {
    is(*byte, SPACE) || matches!(byte, b'"' | b'\'')
}

fn end_of(text: &[u8], from: usize, is_end: impl FnMut(&u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(is_end).unwrap_or(rest.len())
}

/// `sshpass -p password`
pub(crate) fn sshpass(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let from = word_and_blanks(bytes)?;
    let flag = from + after(&bytes[from..], &["-p"])?;
    let from = flag + bytes[flag..].iter().take_while(|byte| **byte == b' ').count();
    let from = from + usize::from(matches!(bytes.get(from), Some(b'"' | b'\'')));
    let end = end_of(bytes, from, ends_argument);
    at_least(bytes.get(from..end)?, 3).then_some(from..end)
}

/// `login name password …`
pub(crate) fn login(bytes: &[u8], _: &mut Memory<'_>) -> Secret {
    let name = word_and_blanks(bytes)?;
    let ends = name + bytes[name..].iter().position(|byte| is(*byte, SPACE))?;
    let label = ends + run(&bytes[ends..], SPACE);
    let from = label + after(&bytes[label..], &["password "])?;
    let from = from + bytes[from..].iter().take_while(|byte| **byte == b' ').count();
    let end = from + bytes[from..].iter().position(|byte| is(*byte, SPACE)).unwrap_or(bytes.len() - from);
    (ends > name && at_least(&bytes[from..end], 3)).then_some(from..end)
}
