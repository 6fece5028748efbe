//! Which files a command changes, as far as its words say: redirects, tools whose operands or options name outputs, and
//! tools that change files which no word names.
//!
//! Holds: options are read as the tool reads them (in groups, with glued values, abbreviated, behind operands). What a
//! program does besides (a build, a script of the project) is not known here.

mod archives;
mod awk;
mod git;
mod in_place;
mod words;

use super::types::{Analysis, RedirectKind, SimpleCommand, Via};
use words::{Shape, Words, shape};

/// What a command changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written<'a> {
    /// Paths that it creates, changes or removes, as written.
    pub paths: Vec<&'a str>,
    /// Folders in which it changes files that no word names: a patch, an archive, names from standard input.
    pub folders: Vec<&'a str>,
    /// It puts the files of other commits into the work tree: another branch, a merge, a stash.
    pub from_commits: bool,
}

impl<'a> Written<'a> {
    fn paths(paths: impl IntoIterator<Item = &'a str>) -> Self {
        Self { paths: paths.into_iter().collect(), ..Self::default() }
    }

    fn folder(folder: &'a str) -> Self {
        Self { folders: vec![folder], ..Self::default() }
    }

    /// Paths if there are any, else what lies in `folder`.
    fn paths_or(paths: Vec<&'a str>, folder: &'a str) -> Self {
        if paths.is_empty() { Self::folder(folder) } else { Self::paths(paths) }
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.folders.is_empty() && !self.from_commits
    }
}

/// What command `index` changes. Words that another command hands over (`xargs`, `find -exec`) are files of any name.
pub fn written(analysis: &Analysis, index: usize) -> Written<'_> {
    const ANY: &str = "{}";
    let Some(command) = analysis.commands.get(index) else { return Written::default() };
    let parent = command.parent.and_then(|parent| analysis.commands.get(parent));
    let parent = parent.filter(|_| !matches!(command.via, Via::Substitution | Via::ProcessSubstitution));
    let gets_words =
        matches!(parent.map(|parent| parent.program.as_str()), Some("xargs" | "gxargs" | "parallel"));
    let args: Vec<&str> = command.arg_texts().chain(gets_words.then_some(ANY)).collect();
    let mut written = by_words(&command.program, &args);
    written.paths.extend(redirected(command));
    written.paths.extend(patched(command));
    if written.paths.iter().any(|path| path.contains(ANY)) {
        written.paths.retain(|path| !path.contains(ANY));
        written.folders.push(".");
    }
    written
}

/// Paths that `command` creates, changes or removes, as written.
pub fn written_paths(command: &SimpleCommand) -> Vec<&str> {
    let args: Vec<&str> = command.arg_texts().collect();
    redirected(command).chain(by_words(&command.program, &args).paths).collect()
}

/// Whether a tool for text streams is told to change its files instead: `sed -i`, `perl -pi`, `awk -i inplace`.
pub fn changes_in_place(program: &str, args: &[&str]) -> bool {
    in_place::find(program, args).is_some()
}

fn redirected(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    let writes = [RedirectKind::Write, RedirectKind::Append, RedirectKind::ReadWrite];
    let to_files = command.redirects.iter().filter(move |redirect| writes.contains(&redirect.kind));
    to_files.map(|redirect| redirect.target.text.as_str())
}

/// The files of a patch that stands in the script itself, in the form of Codex.
fn patched(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let is_patch = matches!(command.program.as_str(), "apply_patch" | "applypatch");
    let texts = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Text);
    let texts = texts.map(|redirect| redirect.target.text.as_str()).chain(command.arg_texts());
    let lines = texts.filter(move |_| is_patch).flat_map(str::lines);
    lines.filter_map(|line| HEADERS.iter().find_map(|header| line.strip_prefix(header)).map(str::trim))
}

/// What a program changes that is started with `args`.
fn by_words<'a>(program: &str, args: &[&'a str]) -> Written<'a> {
    if let Some(changed) = in_place::find(program, args) {
        return Written::paths(changed);
    }
    match program {
        "touch" => operands(args, shape("drt", &["date", "reference", "time"])),
        "truncate" => operands(args, shape("sr", &["size", "reference"])),
        "shred" => operands(args, shape("ns", &["iterations", "size", "random-source"])),
        "mkdir" | "mkfifo" | "mknod" => operands(args, shape("m", &["mode"])),
        "tee" | "rm" | "rmdir" | "unlink" | "chmod" | "chown" | "chgrp" | "sponge" => {
            operands(args, shape("", &[]))
        }
        "mv" | "ln" => {
            let words = Words::read(args, shape("tS", &["target-directory", "suffix"]));
            let folder = words.values(&["t", "target-directory"]);
            Written::paths(words.operands.iter().copied().chain(folder))
        }
        "cp" | "gcp" | "install" | "rsync" | "scp" | "ditto" => copied(program, args),
        "dd" => Written::paths(args.iter().filter_map(|arg| arg.strip_prefix("of="))),
        "sort" => outputs(args, shape("kotST", &["key", "output", "field-separator"]), &["o", "output"]),
        "uniq" => second_operand(args, shape("fsw", &["skip-fields", "skip-chars", "check-chars"])),
        "gcc" | "cc" | "clang" | "ld" | "pandoc" => compiled(args),
        "curl" => curl(args),
        "wget" => wget(args),
        "patch" => patch(args),
        "apply_patch" | "applypatch" => Written::folder("."),
        "tar" | "bsdtar" | "gtar" | "unzip" | "zip" | "7z" | "7za" | "cpio" | "split" | "csplit" | "gzip"
        | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" => {
            archives::written(program, args)
        }
        "awk" | "gawk" | "mawk" | "nawk" => awk::written(args),
        "ed" | "red" | "ex" | "vim" | "vi" | "nvim" | "nano" | "micro" | "emacs" => editor(program, args),
        "find" | "gfind" => found(args),
        "git" => git::written(args),
        _ => Written::default(),
    }
}

fn operands<'a>(args: &[&'a str], shape: Shape) -> Written<'a> {
    Written::paths(Words::read(args, shape).operands)
}

fn second_operand<'a>(args: &[&'a str], shape: Shape) -> Written<'a> {
    Written::paths(Words::read(args, shape).operands.get(1).copied())
}

/// The values of options that name an output; `-` is standard output.
fn outputs<'a>(args: &[&'a str], shape: Shape, names: &[&str]) -> Written<'a> {
    let words = Words::read(args, shape);
    Written::paths(words.values(names).filter(|path| *path != "-"))
}

/// The last operand, unless an option names the folder.
fn copied<'a>(program: &str, args: &[&'a str]) -> Written<'a> {
    let shape = match program {
        "rsync" => {
            shape("efBTM", &["rsh", "exclude", "include", "filter", "files-from", "log-file", "out-format"])
        }
        "scp" => shape("cDFiJloPSX", &[]),
        "install" => shape("gmoSt", &["group", "mode", "owner", "suffix", "target-directory"]),
        _ => shape("St", &["suffix", "target-directory"]),
    };
    let words = Words::read(args, shape);
    let makes_folders = program == "install" && words.has(&["d", "directory"]);
    let folder = words.values(&["t", "target-directory"]).next().filter(|_| program != "rsync");
    match folder {
        Some(folder) => Written::paths([folder]),
        None if makes_folders => Written::paths(words.operands),
        None => Written::paths(words.operands.last().copied()),
    }
}

/// Compilers have options of many letters: only `-o FILE` and `--output=FILE` are read.
fn compiled<'a>(args: &[&'a str]) -> Written<'a> {
    let next = args.iter().zip(args.iter().skip(1));
    let named = next.filter(|(option, _)| ["-o", "--output"].contains(option)).map(|(_, value)| *value);
    Written::paths(named.chain(args.iter().filter_map(|arg| arg.strip_prefix("--output="))))
}

fn curl<'a>(args: &[&'a str]) -> Written<'a> {
    const LONG: [&str; 5] = ["output", "output-dir", "dump-header", "cookie-jar", "config"];
    let words = Words::read(args, shape("AbcCdDeEFHKmoPQrtTuUwxXyYz", &LONG));
    let named = words.values(&["o", "output", "D", "dump-header", "c", "cookie-jar"]);
    let mut written = Written::paths(named.filter(|path| *path != "-"));
    if words.has(&["O", "remote-name", "remote-name-all"]) {
        written.folders.push(words.values(&["output-dir"]).next().unwrap_or("."));
    }
    written
}

fn wget<'a>(args: &[&'a str]) -> Written<'a> {
    const LONG: [&str; 4] = ["output-document", "output-file", "append-output", "directory-prefix"];
    let words = Words::read(args, shape("OoaeitTwQPUlARDIXB", &LONG));
    let named = words.values(&["O", "output-document", "o", "output-file", "a", "append-output"]);
    let mut written = Written::paths(named.filter(|path| *path != "-"));
    let fetches = !words.operands.is_empty() || words.has(&["i", "input-file"]);
    if fetches && !words.has(&["O", "output-document", "spider"]) {
        written.folders.push(words.values(&["P", "directory-prefix"]).next().unwrap_or("."));
    }
    written
}

/// The file that it is given, or those that the patch names, which is not among the words.
fn patch<'a>(args: &[&'a str]) -> Written<'a> {
    const LONG: [&str; 4] = ["directory", "input", "output", "strip"];
    let words = Words::read(args, shape("BDdFgioprVYz", &LONG));
    if words.has(&["dry-run", "version", "help"]) {
        return Written::default();
    }
    let output: Vec<&str> = words.values(&["o", "output"]).collect();
    let named =
        if output.is_empty() { words.operands.first().copied().into_iter().collect() } else { output };
    Written::paths_or(named, words.values(&["d", "directory"]).next().unwrap_or("."))
}

/// Editors write what they are given; those for lines may be told a name in their script.
fn editor<'a>(program: &str, args: &[&'a str]) -> Written<'a> {
    let words = Words::read(args, shape("cuUSTwW", &["cmd", "eval", "load"]));
    if words.has(&["version", "help", "R"]) {
        return Written::default();
    }
    let is_scripted = matches!(program, "ed" | "red" | "ex") || words.has(&["e", "E"]);
    let files: Vec<&str> = words.operands.iter().copied().filter(|file| !file.starts_with('+')).collect();
    match files.is_empty() && !is_scripted {
        true => Written::default(),
        false => Written::paths_or(files, "."),
    }
}

fn found<'a>(args: &[&'a str]) -> Written<'a> {
    let next = args.iter().zip(args.iter().skip(1));
    let lists = next.filter(|(option, _)| ["-fprint", "-fprint0", "-fprintf", "-fls"].contains(option));
    let mut written = Written::paths(lists.map(|(_, list)| *list));
    if args.contains(&"-delete") {
        let starts = args.iter().copied().take_while(|arg| !arg.starts_with(['-', '(', '!']));
        written.folders.extend(starts);
        if written.folders.is_empty() {
            written.folders.push(".");
        }
    }
    written
}

#[cfg(test)]
mod tests;
