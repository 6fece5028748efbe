//! Git commands that only read, in repositories that make git run nothing.

use super::decide::Place;
use super::paths::{Reach, Target};
use super::readers::Reads;
use super::shell::Here;
use super::world::{FileText, GitSettings};
use crate::command::{SimpleCommand, Word};

/// Subcommands that read whatever their options are, except for [`NEVER`].
const READERS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "ls-files",
    "ls-tree",
    "cat-file",
    "blame",
    "annotate",
    "describe",
    "shortlog",
    "merge-base",
    "rev-list",
    "name-rev",
    "for-each-ref",
    "show-ref",
    "show-branch",
    "check-ignore",
    "check-attr",
    "count-objects",
    "diff-tree",
    "diff-index",
    "diff-files",
    "whatchanged",
    "cherry",
    "range-diff",
    "grep",
    "version",
];

/// Those that print what files hold.
const SHOWS_CONTENT: &[&str] = &[
    "diff",
    "show",
    "cat-file",
    "blame",
    "annotate",
    "grep",
    "diff-tree",
    "diff-index",
    "diff-files",
    "whatchanged",
    "range-diff",
];

/// Options that write, run or open something.
const NEVER: &[&str] = &[
    "--output",
    "--output-directory",
    "--ext-diff",
    "--textconv",
    "--filters",
    "--open-files-in-pager",
    "--exec",
    "--upload-pack",
    "--show-signature",
    "--edit-description",
    "--exec-path",
    "--config-env",
    "--web",
    "--recurse-submodules",
    "--no-index",
    "--contents",
];

/// Options of `branch` and `tag` that only list.
const LISTING: &[&str] = &[
    "-a",
    "-r",
    "-v",
    "-vv",
    "-l",
    "-n",
    "--list",
    "--all",
    "--remotes",
    "--verbose",
    "--show-current",
    "--merged",
    "--no-merged",
    "--contains",
    "--no-contains",
    "--points-at",
    "--sort",
    "--format",
    "--column",
    "--no-column",
    "--color",
    "--no-color",
    "-avv",
    "-av",
    "-rv",
    "--ignore-case",
    "-i",
    "--abbrev",
    "--no-abbrev",
];

/// Options of `fsck` that keep nothing of what it finds.
const FSCK: &[&str] = &[
    "--full",
    "--no-full",
    "--strict",
    "--dangling",
    "--no-dangling",
    "--unreachable",
    "--connectivity-only",
    "--no-reflogs",
    "--root",
    "--tags",
    "--cache",
    "--progress",
    "--no-progress",
    "--name-objects",
    "-v",
    "--verbose",
];

/// Settings of `-c` that change words and colours.
const HARMLESS_SETTINGS: &[&str] =
    &["color.", "core.quotepath", "core.abbrev", "advice.", "log.date", "diff.renames", "column."];

/// What a git command reads, or why it is not known to only read.
pub(super) fn reads(command: &SimpleCommand, here: &Here<'_>, place: &Place<'_>) -> Result<Reads, String> {
    let (rest, folder) = globals(command, here)?;
    let Some((sub, args)) = rest.split_first() else { return Err("git is told nothing to do".to_owned()) };
    if matches!(sub.text.as_str(), "--version" | "-v" | "version") {
        return Ok(Reads::default());
    }
    let is_open =
        |word: &Word| !word.exact && word.text.starts_with(['-', '$', '`']) && !is_revision(&word.text);
    if !sub.exact || args.iter().any(is_open) {
        return Err("the words for git are not known".to_owned());
    }
    // A pattern may become a file name that is an option.
    let mut options = args.iter().take_while(|word| word.text != "--");
    if let Some(word) = options.find(|word| word.glob && word.text.starts_with(['*', '?', '['])) {
        return Err(format!("`{}` may become an option of git", word.text));
    }
    if let Some(word) = args.iter().find(|word| is_never(&word.text)) {
        return Err(format!("`{}` can write or run something", word.text));
    }
    let texts: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
    if !only_reads(&sub.text, &texts) {
        return Err(format!("`git {}` may change something", sub.text));
    }
    let folder = folder.ok_or("the folder of git is not known")?;
    trusted(place, &folder)?;
    // Git reads paths from the folder it was sent to.
    let there = Here { start: here.start, folder: Some(&folder) };
    let root = place.context.world.project_root(&folder).unwrap_or_else(|| place.root().to_owned());
    let mut reads = contents(&sub.text, args, &there, &root);
    reads.contents.extend(option_files(&sub.text, args).map(|word| there.target(&word)));
    Ok(reads)
}

/// Files that options name: what stands in them may be printed, or told by what is found.
fn option_files<'a>(sub: &'a str, args: &'a [Word]) -> impl Iterator<Item = Word> + 'a {
    let long = ["--ignore-revs-file", "--pathspec-from-file", "--exclude-from"];
    let letter = match sub {
        "grep" => 'f',
        "ls-files" | "check-ignore" => 'X',
        "blame" | "annotate" => 'S',
        _ => 'O',
    };
    let next = args.iter().skip(1).map(Some).chain([None]);
    args.iter().zip(next).filter_map(move |(word, next)| {
        let text = word.text.as_str();
        if text.starts_with("--") {
            // Beginnings of long options are options too.
            let is_file = |name: &str| name.len() > 4 && long.iter().any(|long| long.starts_with(name));
            return match text.split_once('=') {
                Some((name, value)) => is_file(name).then(|| Word::exact(value)),
                None => next.filter(|_| is_file(text)).cloned(),
            };
        }
        // Also behind others in a group: `-nSfile`.
        match text.strip_prefix('-')?.split_once(letter)?.1 {
            "" => next.cloned(),
            value => Some(Word::exact(value)),
        }
    })
}

/// Whether a git command is ordinary local work: it can be undone, writes no history and runs nothing of the repository.
///
/// Gives what it may write: a branch's name may be a file's, which git would bring back.
pub(super) fn work(
    command: &SimpleCommand,
    here: &Here<'_>,
    place: &Place<'_>,
) -> Result<Vec<Target>, String> {
    let (rest, folder) = globals(command, here)?;
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let Some((sub, args)) = texts.split_first() else { return Err("git is told nothing to do".to_owned()) };
    let folder = folder.ok_or("the folder of git is not known")?;
    let is_path = |name: &str| {
        here.start
            .resolve(&folder, name)
            .is_none_or(|path| place.context.world.text(&path) != FileText::Missing)
    };
    let asks_remote = match (*sub, args) {
        ("add", args) => {
            let flags = args.iter().filter(|arg| arg.starts_with('-'));
            flags
                .clone()
                .all(|arg| {
                    matches!(
                        *arg,
                        "-A" | "-u"
                            | "-v"
                            | "-n"
                            | "--all"
                            | "--update"
                            | "--verbose"
                            | "--dry-run"
                            | "-N"
                            | "--"
                    )
                })
                .then_some(false)
        }
        ("branch" | "tag", [name] | [name, _]) if is_name(name) && args.iter().all(|arg| is_name(arg)) => {
            Some(false)
        }
        ("checkout", ["-b", name]) | ("switch", ["-c" | "--create", name]) if is_name(name) => Some(false),
        ("switch", [name]) if is_name(name) || *name == "-" => Some(false),
        ("checkout", [name]) if is_name(name) && !is_path(name) => Some(false),
        ("restore", ["--staged", paths @ ..]) | ("reset", ["HEAD", "--", paths @ ..])
            if paths.iter().all(|path| !path.starts_with('-')) =>
        {
            Some(false)
        }
        ("apply", ["--check" | "--stat", paths @ ..]) if paths.iter().all(|path| !path.starts_with('-')) => {
            Some(false)
        }
        ("help", [_]) | ("var", ["GIT_AUTHOR_IDENT"]) | ("verify-pack", _) => Some(false),
        ("fetch", args) => {
            let plain = args.iter().all(|arg| {
                is_name(arg)
                    || matches!(
                        *arg,
                        "--all"
                            | "--prune"
                            | "-p"
                            | "--tags"
                            | "-v"
                            | "-q"
                            | "--quiet"
                            | "--dry-run"
                            | "--unshallow"
                    )
            });
            plain.then_some(true)
        }
        ("ls-remote", args) => args
            .iter()
            .all(|arg| is_name(arg) || matches!(*arg, "--heads" | "--tags" | "-h" | "-t" | "--refs"))
            .then_some(true),
        ("remote", ["show", name]) if is_name(name) => Some(true),
        _ => None,
    };
    let asks_remote = asks_remote.ok_or_else(|| format!("`git {sub}` may change something"))?;
    trusted(place, &folder)?;
    runs_no_hook(place, &folder, asks_remote)?;
    let restores = rest.iter().skip(1).filter(|_| *sub == "checkout");
    Ok(restores.filter(|word| !word.text.starts_with('-')).map(|word| here.target(word)).collect())
}

/// The name of a branch, a tag or a remote: no option, no address, no refspec.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'#');
    text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && text.bytes().all(plain)
        && !text.contains("..")
}

/// Hooks of the repository, and settings that run something when git speaks to another machine.
fn runs_no_hook(place: &Place<'_>, folder: &str, asks_remote: bool) -> Result<(), String> {
    let GitSettings::Found { configs, hooks } = place.context.world.git_settings(folder) else {
        return Ok(());
    };
    if let Some(hook) = hooks.iter().find(|hook| !hook.ends_with(".sample")) {
        return Err(format!("the repository's hook `{hook}` may run"));
    }
    let found =
        configs.iter().find_map(|config| settings(config).find(|(key, value)| runs_when_asking(key, value)));
    match found {
        Some((key, _)) if asks_remote => {
            Err(format!("the repository sets `{key}`, which makes git run something"))
        }
        _ => Ok(()),
    }
}

fn runs_when_asking(key: &str, value: &str) -> bool {
    let first = key.split('.').next().unwrap_or_default();
    matches!(first, "credential" | "url" | "http" | "ssh" | "transfer" | "core.askpass")
        || key == "core.askpass"
        || key.starts_with("remote.")
            && key.ends_with("url")
            && (value.contains("::") || value.starts_with('-'))
        || key.starts_with("remote.") && (key.ends_with("receivepack") || key.ends_with("proxy"))
}

/// Options before the subcommand.
fn globals<'a>(command: &'a SimpleCommand, here: &Here<'_>) -> Result<(&'a [Word], Option<String>), String> {
    let mut folder = here.folder.map(str::to_owned);
    let mut args = command.args.as_slice();
    while let [first, rest @ ..] = args {
        args = match first.text.as_str() {
            "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" | "--no-replace-objects" => {
                rest
            }
            "-C" if rest.first().is_some_and(|word| word.exact) => {
                folder = folder.as_deref().and_then(|folder| here.start.resolve(folder, &rest[0].text));
                &rest[1..]
            }
            "-c" if rest.first().is_some_and(is_harmless_setting) => &rest[1..],
            "--version" => break,
            "-v" if rest.is_empty() => break,
            text if text.starts_with('-') => return Err(format!("`git {text}` may change what git does")),
            _ => break,
        };
    }
    Ok((args, folder))
}

fn is_harmless_setting(word: &Word) -> bool {
    let text = word.text.to_lowercase();
    let prints = matches!(text.as_str(), "core.pager=cat" | "core.pager=");
    word.exact && (prints || HARMLESS_SETTINGS.iter().any(|key| text.starts_with(key)))
}

/// Git takes every unambiguous beginning of a long option.
fn is_never(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    name.len() > 2 && name.starts_with("--") && NEVER.iter().any(|never| never.starts_with(name))
}

fn only_reads(sub: &str, args: &[&str]) -> bool {
    let listing = || {
        let options = || args.iter().filter(|arg| arg.starts_with('-'));
        let lists = options().any(|arg| {
            let name = arg.split('=').next().unwrap_or(arg);
            matches!(
                name,
                "-l" | "--list" | "--merged" | "--no-merged" | "--contains" | "--no-contains" | "--points-at"
            )
        });
        let known = options().all(|arg| {
            LISTING.contains(&arg.split('=').next().unwrap_or(arg)) || is_count(arg) || is_group(arg, "arv")
        });
        known && (lists || args.iter().all(|arg| arg.starts_with('-')))
    };
    match (sub, args) {
        ("grep", _) => !args.iter().any(|arg| opens_pager(arg)),
        (sub, _) if READERS.contains(&sub) => true,
        ("branch" | "tag", _) => listing(),
        ("remote", [] | ["-v"] | ["--verbose"] | ["show"] | ["get-url", ..]) => true,
        ("stash", ["list" | "show", ..]) | ("worktree" | "notes" | "sparse-checkout", ["list", ..]) => true,
        ("notes", ["show", ..]) | ("submodule", [] | ["status", ..]) | ("bisect", ["log"]) => true,
        ("config", _) => asks_settings(args),
        ("reflog", []) | ("reflog", ["show", ..]) => true,
        // Other words may be commands: `expire`, `delete`.
        ("reflog", [first, ..]) => first.starts_with('-') || *first == "HEAD" || first.starts_with("HEAD@{"),
        ("remote", ["show", "-n", name]) => is_name(name),
        // With a second name it would be set.
        ("symbolic-ref", [flags @ .., name]) => {
            !name.starts_with('-')
                && flags.iter().all(|flag| matches!(*flag, "--short" | "-q" | "--quiet" | "--no-recurse"))
        }
        ("var", ["-l"]) | ("archive", ["-l" | "--list"]) => true,
        ("var", [name]) => name.starts_with("GIT_"),
        ("rerere", ["status" | "diff" | "remaining"]) => true,
        ("fsck", _) => args.iter().all(|arg| FSCK.contains(arg)),
        _ => false,
    }
}

/// `git config` that prints: it is told to, or it is given one key and nothing to set it to.
fn asks_settings(args: &[&str]) -> bool {
    let is_action = |arg: &&str| {
        matches!(*arg, "--get" | "--get-all" | "--get-regexp" | "--get-urlmatch" | "--list" | "-l")
    };
    let is_place = |arg: &str| {
        matches!(
            arg,
            "--global"
                | "--local"
                | "--system"
                | "--worktree"
                | "--show-origin"
                | "--show-scope"
                | "--name-only"
                | "-z"
                | "--null"
                | "--bool"
                | "--int"
                | "--path"
                | "--includes"
        ) || arg.starts_with("--type=")
    };
    let (flags, words): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| arg.starts_with('-'));
    let known = flags.iter().all(|flag| is_action(flag) || is_place(flag));
    let prints = flags.iter().any(is_action) || matches!(args.first(), Some(&("get" | "list")));
    // A key has a dot; without one it may be a command of newer versions, such as `edit`.
    known && (prints || matches!(words.as_slice(), [key] if key.contains('.')))
}

/// `-O`, also in a group such as `-nO`; behind a letter that takes a value stands that value.
fn opens_pager(arg: &str) -> bool {
    arg.strip_prefix('-').filter(|letters| !letters.starts_with('-')).is_some_and(|letters| {
        letters.chars().take_while(|letter| !"efABCm".contains(*letter)).any(|letter| letter == 'O')
    })
}

/// A revision that git itself prints: a hash, or the name that was asked about, which is no option.
fn is_revision(text: &str) -> bool {
    let Some((script, behind)) =
        text.trim_matches('"').strip_prefix("$(git ").and_then(|rest| rest.split_once(')'))
    else {
        return false;
    };
    let plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_.~^@{}- ".contains(&byte))
            && !text.contains(" -")
    };
    let names =
        ["merge-base ", "rev-parse --short ", "rev-parse "].iter().find_map(|sub| script.strip_prefix(sub));
    names.is_some_and(|names| plain(names) && !names.starts_with('-')) && plain(behind)
}

fn is_group(arg: &str, letters: &str) -> bool {
    arg.strip_prefix('-')
        .is_some_and(|group| !group.is_empty() && group.chars().all(|letter| letters.contains(letter)))
}

fn is_count(arg: &str) -> bool {
    arg.strip_prefix("-n").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The tree, a single path of a revision, or the paths behind `--`.
fn contents(sub: &str, args: &[Word], here: &Here<'_>, root: &str) -> Reads {
    let mut reads = Reads::default();
    let has = |flags: &[&str]| args.iter().any(|word| flags.contains(&word.text.as_str()));
    let patches = args.iter().any(|word| prints_patches(&word.text));
    let patched = matches!(sub, "log" | "stash" | "rev-list" | "reflog") && patches;
    let verbose = |word: &Word| word.text.starts_with("--v") || is_group_with(&word.text, 'v');
    // Settings may make `stash show` print more than names.
    let stashed = sub == "stash" && has(&["show"]);
    let shows =
        SHOWS_CONTENT.contains(&sub) || patched || stashed || sub == "status" && args.iter().any(verbose);
    // A summary is one of changes: what a file holds is printed whatever else is asked for.
    let is_object = |word: &Word| revision_path(&word.text).is_some() || is_hash(&word.text);
    let whole_files = matches!(sub, "blame" | "annotate" | "cat-file" | "grep")
        || sub == "show" && args.iter().any(is_object);
    let summary = has(&["--stat", "--name-only", "--name-status", "--numstat", "--shortstat"]);
    let only_names = sub == "grep" && has(&["--name-only"]);
    if !shows || only_names || summary && !patches && !whole_files {
        return reads;
    }
    let end = args.iter().position(|word| word.text == "--").unwrap_or(args.len());
    let (before, paths) = (&args[..end], args.get(end + 1..).unwrap_or_default());
    if sub == "blame" || sub == "annotate" {
        let files = before.iter().chain(paths).filter(|word| !word.text.starts_with('-'));
        reads.contents.extend(files.map(|word| here.tree(word)));
        return reads;
    }
    let operands = before.iter().filter(|word| !word.text.starts_with('-'));
    let kinds: &[&str] = if sub == "cat-file" { &["blob", "tree", "commit", "tag"] } else { &[] };
    let operands = operands.filter(|word| !kinds.contains(&word.text.as_str()));
    let lines = before.iter().filter(|word| word.text.starts_with("-L"));
    let mut whole = paths.iter().any(is_magic);
    for word in operands.chain(lines) {
        match revision_path(&word.text).filter(|_| sub != "grep") {
            Some(path) => {
                let here_below = path.starts_with("./") || path.starts_with("../");
                // The file of `-L` is looked for where git stands.
                let from =
                    [Some(root).filter(|_| !here_below), here.folder.filter(|_| here_below || sub == "log")];
                reads.contents.extend(from.into_iter().flatten().map(|from| Target {
                    shown: word.text.clone(),
                    reach: here.start.resolve(from, path).map_or(Reach::Unknown, Reach::Below),
                }));
            }
            // A revision, or a path that stands among them: paths behind `--` narrow it down.
            None => whole |= paths.is_empty(),
        }
    }
    reads.contents.extend(paths.iter().filter(|word| !is_magic(word)).map(|word| here.tree(word)));
    if whole || reads.contents.is_empty() {
        reads
            .contents
            .push(Target { shown: "the repository".to_owned(), reach: Reach::Below(root.to_owned()) });
    }
    reads
}

/// `-v`, also in a group such as `-sv`.
fn is_group_with(text: &str, letter: char) -> bool {
    text.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

/// May be a file's.
fn is_hash(text: &str) -> bool {
    text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Options with which a log prints what files hold. Beginnings of long options are options too.
fn prints_patches(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    let begins = |long: &str, least: usize| name.len() >= least && long.starts_with(name);
    // `-sp` is `-s -p`; behind some letters stands a value.
    let group = text.strip_prefix('-').is_some_and(|letters| {
        !letters.starts_with(|first: char| "-SGnlCMBOLUI".contains(first) || first.is_ascii_digit())
            && letters.contains(['p', 'u', 'c', 'm', 'U', 'L', 'W'])
    });
    group
        || matches!(name, "--cc" | "--dd")
        || ["-U", "-L", "--pat", "--diff-m"].iter().any(|start| name.starts_with(start))
        || begins("--unified", 3)
        || begins("--binary", 4)
        || begins("--remerge-diff", 5)
}

/// The path in `HEAD:path`, `:path`, `:0:path` and `-L1,2:path`; none in what only looks like it: `:/text`, `HEAD^{/a:b}`, `@{12:30}`.
fn revision_path(text: &str) -> Option<&str> {
    let (revision, path) = text.split_once(':')?;
    let is_open = revision.matches('{').count() != revision.matches('}').count();
    if is_open || revision.contains("{/") || revision.is_empty() && path.starts_with(['/', '!', '^', '(']) {
        return None;
    }
    let stage = path.strip_prefix(['0', '1', '2', '3']).and_then(|path| path.strip_prefix(':'));
    // `-L:name:path` has another colon.
    let function = path.rsplit_once(':').map(|(_, path)| path).filter(|_| text.starts_with("-L:"));
    Some(function.or(stage.filter(|_| revision.is_empty())).unwrap_or(path))
}

/// Git reads signs and patterns in paths itself, also in quotes.
fn is_magic(word: &Word) -> bool {
    word.text.starts_with(':') || word.text.contains(['*', '?', '[', '\\'])
}

/// What git-lfs itself writes into a repository's settings.
const LARGE_FILES: &[&str] = &[
    "git-lfs clean -- %f",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
];

/// Keys whose value runs when git only reads, or names another file of which git then tells something.
fn runs_something(key: &str, value: &str) -> bool {
    let parts: Vec<&str> = key.split('.').collect();
    match (parts.first().copied().unwrap_or_default(), parts.last().copied().unwrap_or_default()) {
        ("core", "fsmonitor") => {
            !matches!(value, "true" | "false" | "yes" | "no" | "on" | "off" | "1" | "0" | "")
        }
        ("core", "hookspath" | "worktree" | "attributesfile" | "alternaterefscommand") => true,
        // An agent's shell may have a terminal, and then git starts its pager.
        ("core", "pager" | "sshcommand" | "gitproxy") => true,
        ("pager", _) => !matches!(value, "true" | "false" | "yes" | "no" | "on" | "off" | "1" | "0" | ""),
        ("diff", "external" | "textconv" | "command") => true,
        ("filter", "clean" | "smudge" | "process") => !LARGE_FILES.contains(&value),
        // Objects that are missing are fetched, by whatever program the remote names.
        ("remote", "promisor" | "uploadpack" | "vcs") | ("protocol", _) => true,
        ("include" | "includeif", _) | ("gpg", "program") | ("hook", _) => true,
        ("fsck", "skiplist") | ("mailmap", "file") => true,
        // `git help` and `--help` start what shows the page.
        ("man" | "browser", _) | ("help", "browser" | "format" | "htmlpath") => true,
        _ => false,
    }
}

/// Whether the repository's own settings leave git alone.
fn trusted(place: &Place<'_>, folder: &str) -> Result<(), String> {
    // In a folder that is not there git finds what is above it, or does not run at all.
    let is_there = |folder: &&str| place.context.world.real_path(folder).is_some();
    let above = std::iter::successors(Some(folder), |folder| folder.rfind('/').map(|at| &folder[..at]));
    let folder = above.into_iter().find(is_there).filter(|found| !found.is_empty()).unwrap_or(folder);
    match place.context.world.git_settings(folder) {
        GitSettings::None => Ok(()),
        GitSettings::Unknown => Err("the repository's own git settings are not known".to_owned()),
        GitSettings::Found { configs, hooks } => {
            if hooks.iter().any(|hook| hook == "post-index-change") {
                return Err("the repository has a hook that runs when git reads".to_owned());
            }
            let found = configs
                .iter()
                .find_map(|config| settings(config).find(|(key, value)| runs_something(key, value)));
            match found {
                Some((key, _)) => Err(format!("the repository sets `{key}`, which makes git run something")),
                None => Ok(()),
            }
        }
    }
}

/// `section.sub.key` and value of every line, keys in lower case.
fn settings(config: &str) -> impl Iterator<Item = (String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in config.trim_start_matches('\u{feff}').lines().map(str::trim) {
        let mut line = line;
        // The next line belongs to this value, even if it looks like a header.
        if line.ends_with('\\') {
            found.push(("include.unreadable".to_owned(), line.to_owned()));
        }
        // More than one header may stand in a line.
        while let Some(rest) = line.strip_prefix('[') {
            let Some(end) = header_end(rest) else {
                found.push(("include.unreadable".to_owned(), line.to_owned()));
                line = "";
                break;
            };
            section = rest[..end].replace('"', "").replace(' ', ".").to_lowercase();
            line = rest[end + 1..].trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        found.push((
            format!("{section}.{}", key.trim().to_lowercase()),
            value.trim().trim_matches('"').to_owned(),
        ));
    }
    found.into_iter()
}

/// The first bracket outside of quotes.
fn header_end(header: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, char) in header.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `-O` opens a pager of one's own wherever it stands in a group, but not in a value.
    #[test]
    fn d_19_git_grep_groups_are_read() {
        for arg in ["-O", "-Ox", "-nO./x", "-lOx", "-inO"] {
            assert!(opens_pager(arg), "{arg}");
        }
        for arg in ["-n", "-eFOO", "-nfO", "--Oxx", "FOO", "-A3"] {
            assert!(!opens_pager(arg), "{arg}");
        }
    }

    /// Hashes that git prints are known; what another program prints is not.
    #[test]
    fn d_19_revisions_that_git_prints() {
        for text in [
            "$(git merge-base main HEAD)..HEAD",
            "$(git rev-parse HEAD~1)",
            "\"$(git rev-parse --short HEAD)\"",
        ] {
            assert!(is_revision(text), "{text}");
        }
        for text in [
            "$(cat x)",
            "$(git rev-parse --sq-quote --output=M)",
            "$(git log)",
            "$x",
            "$(git rev-parse -- -x)",
        ] {
            assert!(!is_revision(text), "{text}");
        }
    }

    /// Settings that run something are found, ordinary ones are not.
    #[test]
    fn d_19_planted_git_settings_are_found() {
        let bad = [
            "[core]\n\tfsmonitor = ./x\n",
            "[diff \"z\"]\n textconv = ./x",
            "[diff]\nexternal=./x",
            "[include] path = ../x",
            "[fsck]\n\tskipList = S\n",
            "[core] hooksPath = h",
            "[filter \"f\"]\nclean = ./x",
            "[CORE]\nFSMonitor = x",
            "[core\nfsmonitor=x",
            "[core] fsmonitor = ./x #]",
            "\u{feff}[core]\nfsmonitor = ./x",
            "[a][core] fsmonitor = ./x",
            "[filter \"lfs\"]\nclean = git-lfs clean -- %f; ./x",
            "[core]\npager = ./x",
            "[remote \"o\"]\npromisor = true",
            "[core]\nx = a \\\n[user]\nfsmonitor = ./x",
            "[man \"x\"]\ncmd = ./x",
            "[help]\nbrowser = x",
        ];
        for config in bad {
            assert!(settings(config).any(|(key, value)| runs_something(&key, &value)), "{config}");
        }
        let good = "[core]\n\tbare = false\n\tfsmonitor = true\n[remote \"origin\"]\n\turl = x\n[filter \"lfs\"]\n\tprocess = git-lfs filter-process\n";
        assert!(!settings(good).any(|(key, value)| runs_something(&key, &value)));
    }
}
