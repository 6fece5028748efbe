//! Programs that are known to only read, with options that are known to be harmless. This is the whole of what a shell
//! command can be allowed for without a rule.

use super::decide::Place;
use super::git;
use super::links::{self, Way};
use super::paths::{Reach, Target};
use super::shell::{Here, starts_only_parts};
use super::variables;
use super::work;
use crate::command::{Analysis, Assignment, SimpleCommand, Via, Word};

mod bodies;
mod table;

pub(super) use table::behind_globals;
use table::{Operands, Reader};

/// What a command reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    pub(super) contents: Vec<Target>,
    pub(super) names: Vec<Target>,
}

/// What a command reads, or why it is not known to only read.
pub(super) fn reads(
    analysis: &Analysis,
    index: usize,
    here: &Here<'_>,
    place: &Place<'_>,
) -> Result<Reads, String> {
    let command = &analysis.commands[index];
    let program = command.program.as_str();
    unhindered(command)?;
    if program.is_empty() || analysis.functions.iter().any(|name| name == program) {
        return Ok(Reads::default());
    }
    if command.program_path.contains('/') && !is_system_path(&command.program_path) {
        return Err(format!("`{}` is a program of its own", command.program_path));
    }
    if is_wrapper(command) && starts_only_parts(analysis, index) {
        return Ok(Reads::default());
    }
    if program == "git" {
        return match handed_over(analysis, index) {
            Some(parent) => Err(format!("git gets words of `{}` that are not known", parent.program)),
            None => git::reads(command, here, place),
        };
    }
    let reader = table::find(command).ok_or_else(|| format!("`{program}` is not known to only read"))?;
    work::planted::check(program, here, place)?;
    check_options(reader, command)?;
    bodies::check(command)?;
    let mut reads = targets(reader, command, here);
    // `<(sort a)` is a pipe from a part of its own.
    let pipes = analysis
        .commands
        .iter()
        .filter(|other| other.parent == Some(index) && other.via == Via::ProcessSubstitution);
    let is_pipe = |target: &Target| target.reach == Reach::Unknown && target.shown.starts_with("<( ");
    if reads.contents.iter().filter(|target| is_pipe(target)).count() <= pipes.count() {
        reads.contents.retain(|target| !is_pipe(target));
    }
    add_unnamed(analysis, index, reader, here, &mut reads)?;
    Ok(reads)
}

/// What must hold of every command that is allowed without a rule.
pub(super) fn unhindered(command: &SimpleCommand) -> Result<(), String> {
    let program = command.program.as_str();
    if command.via == Via::Remote {
        return Err("it runs on another machine".to_owned());
    }
    let is_odd = |assignment: &&Assignment| {
        if program == "read" && assignment.name == "IFS" {
            return false;
        }
        let value = assignment.value.exact.then_some(assignment.value.text.as_str());
        !value.map_or_else(
            || variables::is_harmless(&assignment.name),
            |value| variables::is_harmless_value(&assignment.name, value),
        )
    };
    if let Some(assignment) = command.assignments.iter().find(is_odd) {
        return Err(format!("`{}` may change what `{program}` does", assignment.name));
    }
    if shows_secret_variable(command) {
        return Err("a variable that looks like a secret would be shown".to_owned());
    }
    Ok(())
}

pub(super) fn is_system_path(path: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|name| !name.contains('/')))
}

fn shows_secret_variable(command: &SimpleCommand) -> bool {
    command.args.iter().filter(|word| !word.exact).any(|word| {
        let text = word.text.to_uppercase();
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "CREDENTIAL", "PRIVATE_KEY"]
            .iter()
            .any(|name| text.contains(name) && text.contains('$'))
    })
}

/// Programs that only start what stands behind them.
fn is_wrapper(command: &SimpleCommand) -> bool {
    let has = |flag: &str| command.arg_texts().any(|text| text == flag);
    match command.program.as_str() {
        "time" => !writes_its_report(command),
        "env" | "nice" | "nohup" | "timeout" | "command" | "builtin" | "stdbuf" | "ionice" | "eval"
        | "xargs" => true,
        "bash" | "sh" | "zsh" | "dash" => {
            !has("-i") && !has("--rcfile") && !has("--init-file") && !has("-s") && !changes_patterns(command)
        }
        _ => false,
    }
}

/// `bash -O dotglob`: what patterns stand for is no longer what it is elsewhere.
fn changes_patterns(command: &SimpleCommand) -> bool {
    let mut options = command.arg_texts().take_while(|text| text.starts_with(['-', '+']));
    let letters: &[char] = if command.program == "zsh" { &['o', 'O'] } else { &['O'] };
    options.any(|text| !text.starts_with("--") && text.contains(letters))
}

/// `/usr/bin/time -o FILE`: options before the program that is timed.
fn writes_its_report(command: &SimpleCommand) -> bool {
    let mut words = command.arg_texts();
    while let Some(word) = words.next().filter(|word| word.starts_with('-') && *word != "--") {
        match word.strip_prefix("--") {
            Some(long) if long.starts_with(['o', 'a']) => return true,
            Some("format") => drop(words.next()),
            Some(_) => {}
            None if word == "-f" => drop(words.next()),
            None if word.starts_with("-f") => {}
            None if word.contains(['o', 'a']) => return true,
            None => {}
        }
    }
    false
}

fn check_options(reader: &Reader, command: &SimpleCommand) -> Result<(), String> {
    if reader.never.is_empty() && reader.only.is_none() {
        return Ok(());
    }
    // Behind its format `printf` looks for no options.
    let is_format = |word: &Word| word.exact && !word.text.starts_with('-') && !word.glob;
    let end = match command.program == "printf" && command.args.first().is_some_and(is_format) {
        true => 0,
        false => table::options_end(command),
    };
    for word in &command.args[..end] {
        let text = word.text.as_str();
        // A pattern may become a file name that is an option.
        let may_be_option = word.glob && text.starts_with(['*', '?', '['])
            || !word.exact && text.starts_with(['$', '`', '"']);
        if may_be_option {
            return Err(format!("`{text}` may become an option of `{}`", command.program));
        }
        if text.starts_with('-') && text.len() > 1 && !reader.takes(text) {
            return Err(format!("`{} {text}` may write or run something", command.program));
        }
    }
    Ok(())
}

/// The words that are paths.
fn targets(reader: &Reader, command: &SimpleCommand, here: &Here<'_>) -> Reads {
    let mut reads = Reads::default();
    let skip = match reader.operands {
        Operands::Text => return reads,
        Operands::Files | Operands::Names => 0,
        Operands::PatternThenFiles => usize::from(!has_pattern_option(command)),
    };
    let recursive = is_recursive(command) || compares_folders(command, here);
    if matches!(command.program.as_str(), "test" | "[" | "[[") {
        reads.names.extend(tested(&command.args).map(|word| here.target(word)));
        return reads;
    }
    let operands: Vec<&Word> = table::operands(command).filter(|word| word.text != "-").collect();
    // What is taken for the pattern may be the first file, if the pattern stands in an option.
    let first = operands.iter().take(skip).filter(|word| may_hold_pattern(command) && here.is_there(word));
    let options = &command.args[..table::options_end(command)];
    let values = options.iter().flat_map(|word| glued_values(word, here));
    let paths = first.chain(operands.iter().skip(skip)).map(|word| (*word).clone()).chain(values);
    // A list of names is read, and what is no name is complained about word by word.
    let names_only =
        reader.operands == Operands::Names && !options.iter().any(|word| word.text.starts_with("--fi"));
    let list = if names_only { &mut reads.names } else { &mut reads.contents };
    list.extend(paths.map(|word| if recursive { here.tree(&word) } else { here.target(&word) }));
    // What stands behind `-e` is a pattern, and without a path everything is searched.
    if recursive && (list.is_empty() || operands.len() <= pattern_options(command)) {
        list.push(here.tree(&Word::exact(".")));
    }
    if recursive && follows_links(command) {
        let behind: Vec<Target> =
            list.iter().flat_map(|target| here.behind_links(target, Way::Whole)).collect();
        list.extend(behind);
    }
    reads
}

/// Options that may take the next word for the pattern: `-e x`, `-ne x`, `--regexp x`.
fn pattern_options(command: &SimpleCommand) -> usize {
    let options = command.args[..table::options_end(command)].iter();
    let options = options.filter_map(|word| word.text.strip_prefix('-'));
    let takes_next = |option: &str| match option.strip_prefix('-') {
        Some(long) => long.starts_with(['e', 'f', 'r']) && !long.contains('='),
        None => option.ends_with(['e', 'f']),
    };
    options.filter(|option| takes_next(option)).count()
}

/// Some option may hold the pattern: `-ne x`, `-nex`, `--reg=x`, `-vf x`.
fn may_hold_pattern(command: &SimpleCommand) -> bool {
    let options = command.args[..table::options_end(command)].iter();
    options.filter_map(|word| word.text.strip_prefix('-')).any(|option| match option.strip_prefix('-') {
        Some(long) => long.starts_with(['e', 'f', 'r']),
        None => option.contains(['e', 'f']),
    })
}

/// What `test` looks at on the disk; it compares texts and numbers without looking anywhere.
fn tested(args: &[Word]) -> impl Iterator<Item = &Word> {
    let is_of_files = |text: &str| {
        matches!(text, "-nt" | "-ot" | "-ef")
            || text
                .strip_prefix('-')
                .is_some_and(|letter| letter.len() == 1 && "abcdefghkprstuwxGLNOS".contains(letter))
    };
    let pairs = args.iter().zip(args.iter().skip(1));
    let behind = pairs.clone().filter(move |(option, _)| is_of_files(&option.text)).map(|(_, word)| word);
    let before = pairs.filter(|(_, option)| matches!(option.text.as_str(), "-nt" | "-ot" | "-ef"));
    behind.chain(before.map(|(word, _)| word))
}

fn has_pattern_option(command: &SimpleCommand) -> bool {
    command.arg_texts().any(|text| {
        text.starts_with("-e")
            || text.starts_with("-f")
            || text.starts_with("--regexp")
            || text.starts_with("--file")
            || text.starts_with("--from-file")
            || text == "--files"
    })
}

/// Even without `-r`, `diff` compares two folders file by file.
fn compares_folders(command: &SimpleCommand, here: &Here<'_>) -> bool {
    let is_folder = |word: &Word| match here.target(word).reach {
        Reach::Exact(path) => here.start.world.names(&path).is_some_and(|names| !names.is_empty()),
        Reach::Below(_) | Reach::Unknown => false,
    };
    command.program == "diff" && command.args.iter().any(is_folder)
}

fn is_recursive(command: &SimpleCommand) -> bool {
    let group = |letters: &str| {
        command.arg_texts().any(|text| {
            text.starts_with('-')
                && !text.starts_with("--")
                && text[1..].chars().any(|letter| letters.contains(letter))
        })
    };
    // Beginnings of `--recursive`, `--dereference-recursive` and `--directories=recurse` are options too.
    let long = |text: &str| ["--rec", "--der", "--dir"].iter().any(|start| text.starts_with(start));
    match command.program.as_str() {
        "rg" | "ag" => true,
        "diff" => group("r") || command.arg_texts().any(long),
        "grep" | "egrep" | "fgrep" => {
            group("rR") || command.arg_texts().any(|text| long(text) || text.ends_with("recurse"))
        }
        "find" | "fd" | "fdfind" | "tree" => true,
        "du" => group("a") || command.arg_texts().any(|text| text.starts_with("--al")),
        "ls" | "exa" | "eza" | "lsd" => {
            group("RT") || command.arg_texts().any(|text| text.starts_with("--re"))
        }
        _ => false,
    }
}

/// Whether a program that goes through folders goes through the links in them, too.
fn follows_links(command: &SimpleCommand) -> bool {
    let has = |letter: char, long: &str| {
        command.arg_texts().any(|text| match text.strip_prefix("--") {
            // Beginnings of long options are options too.
            Some(name) => name.len() >= 2 && (long.starts_with(name) || name.starts_with(long)),
            None => text.starts_with('-') && text.contains(letter),
        })
    };
    match command.program.as_str() {
        "grep" | "egrep" | "fgrep" => has('R', "dereference-recursive"),
        "rg" | "fd" | "fdfind" => has('L', "follow"),
        "ag" => has('f', "follow"),
        "find" => command.arg_texts().any(|text| matches!(text, "-L" | "-follow")),
        "tree" => has('l', "follow"),
        "ls" | "exa" | "eza" => has('L', "dereference") || has('X', "follow-symlinks"),
        _ => true,
    }
}

/// `--file=x`, `-fx` and `-nfx`. What has no sign of a path in it counts where there is such a file.
fn glued_values(word: &Word, here: &Here<'_>) -> Vec<Word> {
    let of = |text: &str| Word { text: text.to_owned(), ..word.clone() };
    let is_path = |text: &str| !text.is_empty() && text.contains(['/', '.']) || here.is_there(&of(text));
    let Some(letters) = word.text.strip_prefix('-') else { return Vec::new() };
    if let Some(long) = letters.strip_prefix('-') {
        let value = long.split_once('=').map(|(_, value)| value);
        return value.filter(|value| is_path(value)).map(of).into_iter().collect();
    }
    let ends = letters.char_indices().skip(1).take(LONGEST_GROUP).map(|(at, _)| &letters[at..]);
    ends.enumerate()
        .filter(|(at, end)| *at == 0 && is_path(end) || here.is_there(&of(end)))
        .map(|(_, end)| of(end))
        .collect()
}

/// Letters of a group of options behind which a value may begin.
const LONGEST_GROUP: usize = 16;

/// Files that `xargs` and `find -exec` hand over: known if they are names below known folders.
fn add_unnamed(
    analysis: &Analysis,
    index: usize,
    reader: &Reader,
    here: &Here<'_>,
    reads: &mut Reads,
) -> Result<(), String> {
    let command = &analysis.commands[index];
    let Some(parent) = handed_over(analysis, index) else { return Ok(()) };
    // What reads no file and takes any option can be handed anything.
    let only_says = reader.operands == Operands::Text && reader.never.is_empty() && reader.only.is_none();
    let source = match parent.program.as_str() {
        "xargs" if only_says && !takes_its_words_from_a_file(parent, command) => return Ok(()),
        "find" => parent,
        _ if takes_its_words_from_a_file(parent, command) => {
            return Err("`xargs` reads its words from a file".to_owned());
        }
        _ => piped_names(analysis, parent).ok_or("`xargs` hands over words that are not known")?,
    };
    if is_recursive(command) {
        return Err(format!("`{}` looks into folders that are not known", command.program));
    }
    // The second word of `uniq` and `xxd` is written.
    let writes = matches!(command.program.as_str(), "uniq" | "xxd");
    if !reader.never.is_empty() || reader.only.is_some() || writes {
        return Err(format!(
            "`{}` gets words that are not known, and some of its options write",
            command.program
        ));
    }
    let operands = || table::operands(source);
    let folders: Vec<&Word> = match source.program.as_str() {
        "find" => source.args.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect(),
        "rg" | "fd" | "grep" => operands().skip(1).collect(),
        _ => Vec::new(),
    };
    if parent.program == "xargs" && cuts_lines(parent, command) {
        let begin = |word: &&Word| here.tree(word).reach;
        let all =
            folders.iter().map(begin).chain(folders.is_empty().then(|| here.tree(&Word::exact(".")).reach));
        let is_plain = |reach| match reach {
            Reach::Below(folder) => links::has_plain_names(here.start.world, &folder),
            Reach::Exact(_) | Reach::Unknown => false,
        };
        if !all.into_iter().all(is_plain) {
            return Err("`xargs` may cut names with blanks into other names".to_owned());
        }
    }
    reads.contents.retain(|target| target.shown != "{}");
    for folder in folders.iter().map(|word| word.text.as_str()).chain(folders.is_empty().then_some(".")) {
        // What is looked for by name is read by name: rules about files see it.
        reads.contents.extend(
            names_looked_for(source).map(|name| here.target(&Word::exact(format!("{folder}/{name}")))),
        );
    }
    if folders.is_empty() {
        reads.contents.push(here.tree(&Word::exact(".")));
    }
    reads.contents.extend(folders.into_iter().map(|word| here.tree(word)));
    if names_links(source) {
        let behind = |target: &Target| here.behind_links(target, Way::Whole);
        let behind: Vec<Target> = reads.contents.iter().flat_map(behind).collect();
        reads.contents.extend(behind);
    }
    Ok(())
}

/// Whether links are among the names that a program finds: whoever reads by these names follows them.
fn names_links(source: &SimpleCommand) -> bool {
    let mut pairs = source.args.windows(2);
    let files_only = pairs.any(|pair| pair[0].text == "-type" && pair[1].text == "f");
    match source.program.as_str() {
        "find" => follows_links(source) || !files_only || source.arg_texts().any(|text| text == "-o"),
        "grep" | "rg" => follows_links(source),
        _ => true,
    }
}

/// The program that adds words of its own to this command.
fn handed_over(analysis: &Analysis, index: usize) -> Option<&SimpleCommand> {
    let parent = analysis.commands[index].parent.and_then(|parent| analysis.commands.get(parent))?;
    let started = !matches!(analysis.commands[index].via, Via::Substitution | Via::ProcessSubstitution);
    (started && matches!(parent.program.as_str(), "find" | "xargs")).then_some(parent)
}

/// `xargs` takes every word for a name, unless it is told what stands between names, or to take lines.
fn cuts_lines(xargs: &SimpleCommand, started: &SimpleCommand) -> bool {
    let mut own = xargs.arg_texts().take_while(|text| *text != started.program_path);
    !own.any(|text| {
        text.starts_with("-0") || text.starts_with("-d") || text.starts_with("-I") || text == "--null"
    })
}

/// `xargs -a FILE`, in front of the program that it starts.
fn takes_its_words_from_a_file(xargs: &SimpleCommand, started: &SimpleCommand) -> bool {
    let own = xargs.arg_texts().take_while(|text| *text != started.program_path);
    let mut options = own.filter_map(|text| text.strip_prefix('-'));
    options.any(|option| match option.strip_prefix('-') {
        Some(long) => long.starts_with('a'),
        None => option.contains('a'),
    })
}

/// The names that `find` is told, with any letter where a pattern has many.
fn names_looked_for(finder: &SimpleCommand) -> impl Iterator<Item = String> {
    let values = finder.args.iter().zip(finder.args.iter().skip(1));
    let named = values.filter(|(option, _)| matches!(option.text.as_str(), "-name" | "-iname" | "-path"));
    named.map(|(_, value)| value.text.replace(['*', '?'], "x"))
}

/// The command whose names reach `xargs`, with nothing but filters between them.
fn piped_names<'a>(analysis: &'a Analysis, xargs: &SimpleCommand) -> Option<&'a SimpleCommand> {
    let mut before: Vec<&SimpleCommand> = analysis
        .commands
        .iter()
        .filter(|other| {
            other.place.pipeline == xargs.place.pipeline && other.place.position < xargs.place.position
        })
        .collect();
    before.sort_by_key(|command| command.place.position);
    let (source, filters) = before.split_first()?;
    (filters.iter().all(|filter| keeps_lines(filter)) && prints_names(source)).then_some(*source)
}

/// A filter that gives whole lines of what it gets: it reads no file of its own and cuts nothing out of them.
fn keeps_lines(filter: &SimpleCommand) -> bool {
    let texts: Vec<&str> = filter.arg_texts().collect();
    let is_count =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'+');
    let is_group = |text: &str, letters: &str| {
        text.strip_prefix('-').is_some_and(|group| group.chars().all(|letter| letters.contains(letter)))
    };
    let known = match (filter.program.as_str(), texts.as_slice()) {
        ("head" | "tail", [] | ["-n", _]) => texts.get(1).is_none_or(|count| is_count(count)),
        ("head" | "tail", [option]) => {
            option.strip_prefix("-n").or_else(|| option.strip_prefix('-')).is_some_and(is_count)
        }
        ("grep", [options @ .., pattern]) => {
            let plain = match options {
                [before @ .., "-e"] => before,
                _ if pattern.starts_with('-') => return false,
                _ => options,
            };
            plain.iter().all(|text| is_group(text, "vEiFwxP"))
        }
        ("sort", options) => options.iter().all(|text| is_group(text, "unrfVz")),
        ("uniq", []) => true,
        _ => false,
    };
    known && filter.args.iter().all(|word| word.exact && !word.glob)
}

/// Nothing but names of files below the folders that it is given.
fn prints_names(source: &SimpleCommand) -> bool {
    let texts: Vec<&str> = source.arg_texts().collect();
    let any = |starts: &[&str]| texts.iter().any(|text| starts.iter().any(|start| text.starts_with(start)));
    let is_listing = |text: &&str| {
        matches!(*text, "--files" | "--files-with-matches")
            || text.strip_prefix('-').is_some_and(|group| {
                group.contains('l') && group.chars().all(|letter| "rRlinwEFIH0".contains(letter))
            })
    };
    match source.program.as_str() {
        "find" => !any(&["-printf", "-exec", "-ok"]),
        "fd" => !any(&["--search-path", "--base-directory", "--format", "--path-sep", "-c"]),
        // The names of another folder would be looked for in this one.
        "ls" => texts.iter().all(|text| {
            text.strip_prefix('-').is_some_and(|group| group.chars().all(|letter| "1aAtrU".contains(letter)))
        }),
        "git" => names_by_git(&texts),
        "rg" => texts.iter().any(is_listing) && !any(&["--path-sep", "--h", "--color", "-r", "--replace"]),
        "grep" => texts.iter().any(is_listing) && !any(&["--label"]),
        _ => false,
    }
}

/// What git lists is below the folder, if it prints nothing else beside it.
fn names_by_git(texts: &[&str]) -> bool {
    let inside = |text: &&str| !text.contains("..") && !text.starts_with(['/', ':', '~']);
    let is_unsaid = |text: &&str| matches!(*text, "--format=" | "--pretty=" | "--pretty=format:");
    let harmless = |text: &&str| {
        is_unsaid(text)
            || matches!(*text, "--name-only" | "--cached" | "--staged" | "--no-commit-id" | "-r")
            || text.starts_with("--diff-filter=")
            || text.strip_prefix('-').is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut options = texts.iter().take_while(|text| **text != "--").filter(|text| text.starts_with('-'));
    let names_only = texts.contains(&"--name-only") && options.all(harmless);
    match texts.first().copied() {
        Some("ls-files") => texts.iter().all(inside) && !texts.iter().any(|text| text.starts_with("--f")),
        Some("diff") => names_only,
        Some("log" | "show") => names_only && texts.iter().any(is_unsaid),
        Some("diff-tree") => names_only && texts.contains(&"--no-commit-id"),
        _ => false,
    }
}
