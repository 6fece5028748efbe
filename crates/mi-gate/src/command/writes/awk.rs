//! Programs in awk that print into files.

use super::Written;
use super::words::{Words, shape};

/// A redirect behind `print` writes; its name may be made in the program, so it is not looked for.
pub(super) fn written<'a>(args: &[&'a str]) -> Written<'a> {
    let words =
        Words::read(args, shape("fFvile", &["file", "field-separator", "assign", "include", "source"]));
    let given = words.values(&["e", "source"]).next();
    let program = given.or_else(|| words.operands.first().copied().filter(|_| !words.has(&["f", "file"])));
    if program.is_some_and(redirects) { Written::folder(".") } else { Written::default() }
}

/// Whether `>` stands behind a `print`, outside of quotes and of parentheses opened since.
fn redirects(program: &str) -> bool {
    let mut printing: Option<i32> = None;
    let (mut open, mut quoted) = (0_i32, false);
    let mut letters = program.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '"' => quoted = !quoted,
            _ if quoted => {}
            'p' if program[at..].starts_with("print") => printing = Some(open),
            '(' => open += 1,
            ')' => open -= 1,
            ';' | '{' | '}' => printing = None,
            '>' if printing.is_some_and(|since| open <= since) && !to_terminal(&program[at..]) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// `> "/dev/stderr"` writes no file.
fn to_terminal(redirect: &str) -> bool {
    redirect.trim_start_matches(['>', ' ']).starts_with("\"/dev/std")
}
