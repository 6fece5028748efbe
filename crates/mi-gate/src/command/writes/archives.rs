//! Tools that pack, unpack and cut files.

use super::Written;
use super::words::{Shape, Words, shape};

const TAR: Shape =
    shape("fCbTXKgIFLNVH", &["file", "directory", "files-from", "exclude-from", "use-compress-program"]);

pub(super) fn written<'a>(program: &str, args: &[&'a str]) -> Written<'a> {
    match program {
        "tar" | "bsdtar" | "gtar" => tar(args),
        "unzip" => unzip(args),
        "zip" => Written::paths(Words::read(args, shape("bnxi", &[])).operands.first().copied()),
        "7z" | "7za" => seven_zip(args),
        "cpio" => {
            let words = Words::read(args, shape("CDEFHIMOR", &["directory", "file"]));
            let unpacks = words.has(&["i", "p", "extract", "pass-through"]) && !words.has(&["t", "list"]);
            if unpacks { Written::folder(".") } else { Written::paths(words.values(&["O", "F", "file"])) }
        }
        "split" | "csplit" => Written::folder("."),
        _ => compressed(args),
    }
}

fn tar<'a>(args: &[&'a str]) -> Written<'a> {
    let words = match args.split_first() {
        // `tar xf FILE`: the first word is a group, whose values are the words behind it.
        Some((group, rest)) if !group.starts_with('-') => bundled(group, rest),
        _ => Words::read(args, TAR),
    };
    let folder = words.values(&["C", "directory"]).next().unwrap_or(".");
    if words.has(&["x", "extract", "get"]) {
        let prints = words.has(&["O", "to-stdout"]);
        return if prints { Written::default() } else { Written::folder(folder) };
    }
    let makes = words.has(&["c", "r", "u", "A", "create", "append", "update", "delete"]);
    let archives = words.values(&["f", "file"]).filter(|file| *file != "-" && makes);
    Written::paths(archives)
}

/// In the old form every letter with a value takes the next word, so the letters are read one by one.
fn bundled<'a>(group: &'a str, rest: &[&'a str]) -> Words<'a> {
    let mut rest = rest.iter().copied();
    let mut words = Words::default();
    for (at, letter) in group.char_indices() {
        words.group(&group[at..at + letter.len_utf8()], TAR, &mut rest);
    }
    let behind: Vec<&str> = rest.collect();
    words.append(Words::read(&behind, TAR));
    words
}

fn unzip<'a>(args: &[&'a str]) -> Written<'a> {
    let words = Words::read(args, shape("dxP", &[]));
    if words.has(&["l", "v", "t", "p", "c", "z", "Z"]) || words.operands.is_empty() {
        return Written::default();
    }
    Written::folder(words.values(&["d"]).next().unwrap_or("."))
}

fn seven_zip<'a>(args: &[&'a str]) -> Written<'a> {
    let folder = args.iter().find_map(|arg| arg.strip_prefix("-o")).unwrap_or(".");
    match args {
        ["x" | "e", ..] if args.contains(&"-so") => Written::default(),
        ["x" | "e", ..] => Written::folder(folder),
        ["a" | "u" | "d" | "rn", rest @ ..] => {
            Written::paths(rest.iter().copied().find(|arg| !arg.starts_with('-')))
        }
        _ => Written::default(),
    }
}

/// `gzip FILE` replaces it; with `-c`, or without a file, it prints.
fn compressed<'a>(args: &[&'a str]) -> Written<'a> {
    let words = Words::read(args, shape("So", &["suffix"]));
    if words.has(&["c", "stdout", "to-stdout", "t", "test", "l", "list"]) {
        return Written::default();
    }
    Written::paths(words.operands.into_iter().filter(|file| *file != "-"))
}
