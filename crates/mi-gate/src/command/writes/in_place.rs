//! Tools for text streams that can change their files instead.

use super::words::{Shape, Words, shape};

const SED: Shape = shape("efl", &["expression", "file", "line-length"]).glued("iI");
const PERL: Shape = shape("eE", &[]).glued("i0lCDFIMmTxV");
const RUBY: Shape = shape("eIr", &[]).glued("i0CEFKTWx");
const AWK: Shape = shape("fFvile", &["file", "field-separator", "assign", "include", "load", "source"]);

/// The files that are changed; nothing if the tool only prints.
pub(super) fn find<'a>(program: &str, args: &[&'a str]) -> Option<Vec<&'a str>> {
    let (shape, given): (Shape, &[&str]) = match program {
        "sed" | "gsed" => (SED, &["e", "f", "expression", "file"]),
        "perl" => (PERL, &["e", "E"]),
        "ruby" => (RUBY, &["e"]),
        "awk" | "gawk" => (AWK, &["e", "f", "source", "file"]),
        _ => return None,
    };
    let words = Words::read(args, shape);
    let changes = match program {
        "awk" | "gawk" => words.values(&["i", "include"]).any(|name| name.contains("inplace")),
        // BSD's sed has `-I` too; elsewhere it names a folder.
        "sed" | "gsed" => words.has(&["i", "I", "in-place"]),
        _ => words.has(&["i"]),
    };
    // BSD's `-i ''` leaves an empty word.
    let mut files: Vec<&str> = words.operands.iter().copied().filter(|file| !file.is_empty()).collect();
    if !words.has(given) && !files.is_empty() {
        files.remove(0);
    }
    changes.then_some(files)
}
