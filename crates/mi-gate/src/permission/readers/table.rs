//! The programs that only read.

use crate::command::{SimpleCommand, Word};

mod rows;
mod versions;

use rows::READERS;
use versions::{VERSION_COMMAND, VERSION_OPTION, VERSIONED};

/// What the operands of a program are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    Files,
    /// Paths whose names or sizes are shown, not their contents.
    Names,
    PatternThenFiles,
    Text,
}

/// One row: programs, and which options they must not have.
#[derive(Debug)]
pub(super) struct Reader {
    programs: &'static [&'static str],
    /// First operands; empty for programs without subcommands.
    subs: &'static [&'static str],
    pub(super) operands: Operands,
    /// Options that write or run; short ones count inside groups.
    pub(super) never: &'static [&'static str],
    /// If given, no other options are taken.
    pub(super) only: Option<&'static [&'static str]>,
    /// At most this many operands.
    most: usize,
}

const fn reader(programs: &'static [&'static str], operands: Operands) -> Reader {
    Reader { programs, subs: &[], operands, never: &[], only: None, most: usize::MAX }
}

impl Reader {
    const fn never(self, never: &'static [&'static str]) -> Self {
        Self { never, ..self }
    }

    const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only: Some(only), ..self }
    }

    const fn most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    const fn subs(self, subs: &'static [&'static str]) -> Self {
        Self { subs, ..self }
    }

    /// Whether an option is harmless.
    pub(super) fn takes(&self, option: &str) -> bool {
        let name = option.split('=').next().unwrap_or(option);
        // `-Iseconds` is `-I` with its value, no group of letters.
        let name = if self.programs.contains(&"date") && name.starts_with("-I") { "-I" } else { name };
        if let Some(only) = self.only {
            // Only awk's `-F` has a value that may be glued to it.
            let separator = self.programs.contains(&"awk") && name.starts_with("-F");
            return separator || only.contains(&name) || is_group_of(name, only);
        }
        !self.never.iter().any(|never| match never.strip_prefix("--") {
            // Unambiguous beginnings of long options are options too.
            Some(long) => {
                name.strip_prefix("--").is_some_and(|name| !name.is_empty() && long.starts_with(name))
            }
            None if never.len() == 2 => !name.starts_with("--") && name.contains(&never[1..]),
            None => name == *never,
        })
    }
}

/// `-la` is `-l -a`; digits are values.
fn is_group_of(group: &str, only: &[&str]) -> bool {
    let Some(letters) =
        group.strip_prefix('-').filter(|letters| !letters.starts_with('-') && !letters.is_empty())
    else {
        return false;
    };
    letters.chars().all(|letter| {
        letter.is_ascii_digit()
            || only
                .iter()
                .any(|option| option.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter])))
    })
}

const VERSION: Reader = reader(&[], Operands::Text);

/// What stands behind the options in front of a subcommand. An option that may take the next word as its value ends
/// the search: in `kubectl -x logs delete pod` the subcommand is `delete`.
pub(in crate::permission) fn behind_globals<'a, 'b>(program: &str, texts: &'a [&'b str]) -> &'a [&'b str] {
    let valued: &[&str] = match program {
        "kubectl" | "oc" | "helm" => &["-n", "--namespace", "--context"],
        "docker-compose" => &["-f", "--file", "-p", "--project-name", "--profile"],
        "aws" => &["--profile", "--region", "--output"],
        "redis-cli" => &["-h", "-p", "-n"],
        _ => &[],
    };
    let flags: &[&str] = match program {
        "systemctl" => &["--user", "--system", "--no-pager", "-q", "--quiet", "-a", "--all", "-l", "--full"],
        "npm" | "pnpm" | "yarn" => &["-s", "--silent", "-g", "--global", "--json"],
        "pip" | "pip3" => &["-q", "--quiet", "-v", "--verbose", "--disable-pip-version-check", "--no-input"],
        "ip" => &["-4", "-6", "-s", "-d", "-o", "-br", "-brief", "-j", "-json", "-c"],
        "kubectl" | "oc" | "helm" => &["-A", "--all-namespaces"],
        "aws" => &["--no-cli-pager"],
        "mvn" => &[
            "-q",
            "-B",
            "-e",
            "-o",
            "-U",
            "-ntp",
            "--quiet",
            "--batch-mode",
            "--no-transfer-progress",
            "-DskipTests",
            "-DskipTests=true",
            "-Dmaven.test.skip=true",
        ],
        "gradle" => &["-q", "--quiet", "--offline", "--no-daemon"],
        _ => &[],
    };
    let mut rest = texts;
    while let [first, more @ ..] = rest {
        rest = match more {
            [_, behind @ ..] if valued.contains(first) => behind,
            _ if flags.contains(first) || first.starts_with("--") && first.contains('=') => more,
            _ => break,
        };
    }
    rest
}

/// The words that are no options. Behind `--` all of them are none, even if they begin with a dash; for `find` it ends
/// nothing.
pub(super) fn operands(command: &SimpleCommand) -> impl Iterator<Item = &Word> {
    let end = options_end(command);
    command.args.iter().enumerate().filter_map(move |(at, word)| {
        let is_option = at <= end && word.text.starts_with('-') && word.text != "-";
        (!is_option).then_some(word)
    })
}

/// Where the options end: at `--`, or not at all.
pub(super) fn options_end(command: &SimpleCommand) -> usize {
    let end = command.args.iter().position(|word| word.text == "--");
    end.filter(|_| command.program != "find").unwrap_or(command.args.len())
}

/// `set -o allexport` would hand every variable to every program.
fn sets_known_options(texts: &[&str]) -> bool {
    let options = texts.iter().take_while(|text| **text != "--");
    options.filter(|text| !text.starts_with(['-', '+'])).all(|name| {
        matches!(*name, "pipefail" | "errexit" | "nounset" | "xtrace" | "verbose" | "noclobber" | "noglob")
    })
}

/// `printf '%n' NAME` sets the variable to a number, and a folder may have a number for its name: `PATH=5`.
fn may_count(command: &SimpleCommand) -> bool {
    let mut words = command.args.iter().skip_while(|word| word.text == "--");
    let Some(format) = words.next() else { return false };
    let counts = format.text.split('%').skip(1).any(|rest| {
        rest.trim_start_matches(|char: char| char.is_ascii_digit() || " -+#'.*hlLjtz".contains(char))
            .starts_with('n')
    });
    let is_name = |word: &Word| {
        !word.exact || word.text.starts_with(|char: char| char.is_ascii_uppercase() || char == '_')
    };
    counts || !format.exact && words.any(is_name)
}

/// The row for a command.
pub(super) fn find(command: &SimpleCommand) -> Option<&'static Reader> {
    let program = command.program.as_str();
    let texts: Vec<&str> = command.arg_texts().collect();
    let asks_version = matches!(texts.as_slice(), ["--version" | "-V" | "-version"])
        || (matches!(texts.as_slice(), ["-v"])
            && matches!(
                program,
                "node" | "npm" | "yarn" | "pnpm" | "bun" | "ruby" | "php" | "mvn" | "make" | "clang" | "gcc"
            ));
    let by_own_word = match texts.as_slice() {
        ["version"] => VERSION_COMMAND.contains(&program),
        [option] => VERSION_OPTION.contains(&(program, option)),
        // Glued to the option, a second word would be a file to write.
        ["--print", what] => {
            program == "rustc" && matches!(*what, "sysroot" | "cfg" | "target-list" | "host-tuple")
        }
        _ => false,
    };
    if by_own_word {
        return Some(&VERSION);
    }
    if asks_version && VERSIONED.contains(&program) {
        return Some(&VERSION);
    }
    let operands: Vec<&str> = operands(command).map(|word| word.text.as_str()).collect();
    let is_sub = |sub: &&str| {
        let words: Vec<&str> = sub.split(' ').collect();
        let source = if sub.contains('-') { &texts } else { behind_globals(program, &texts) };
        source.get(..words.len()) == Some(words.as_slice())
    };
    let fits = |row: &&Reader| {
        row.programs.contains(&program) && (row.subs.is_empty() || row.subs.iter().any(is_sub))
    };
    let row = READERS.iter().find(fits)?;
    let sets_the_clock = program == "date" && operands.iter().any(|text| !text.starts_with('+'));
    let described = command.args.iter().all(|word| word.exact) || row.subs.is_empty();
    // A pattern stands for any number of words.
    let is_plain = || command.args.iter().all(|word| word.exact && !word.glob);
    // Bare `set` shows every variable; a name with a colon is a file of another machine for tar.
    let safe = match program {
        "set" => !texts.is_empty() && sets_known_options(&texts),
        "tar" => !texts.iter().any(|name| name.contains(':')),
        // `@FILE` stands for the options in a file.
        "nm" | "size" | "objdump" | "readelf" | "strings" => !texts.iter().any(|text| text.starts_with('@')),
        "printf" => !may_count(command),
        // The file of a formula is a program.
        "brew" => !operands.iter().any(|name| name.contains(['/', '.'])),
        // Its first word is a program, which may read other files.
        "jq" => command
            .args
            .iter()
            .find(|word| !word.text.starts_with('-'))
            .is_none_or(|word| !word.glob && word.exact),
        // `-o go-template-file=FILE` shows it.
        "kubectl" => !texts.iter().any(|text| text.contains("-file")),
        "xxd" => dumps_one_file(&texts) && is_plain(),
        // `name=value` sets.
        "sysctl" => !operands.iter().any(|name| name.contains('=')) && is_plain(),
        "service" => {
            operands.get(1) == Some(&"status")
                && operands[0].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_@".contains(&byte))
        }
        // Addresses of other machines and of parts of files; lists of further options.
        "ffprobe" | "mediainfo" | "xmllint" => {
            !operands.iter().any(|name| name.contains(':') && program != "xmllint" || name.contains("://"))
        }
        "zless" | "zmore" => !operands.iter().any(|name| name.starts_with('+')),
        "c++filt" | "addr2line" => !operands.iter().any(|name| name.starts_with('@')),
        "uniq" => operands.len() <= 1 + skipped_values(&texts) && is_plain(),
        // Without `-` the text goes into a file.
        "pdftotext" => operands.last() == Some(&"-"),
        _ => true,
    };
    let dated = program == "date" && texts.iter().any(|text| matches!(*text, "-d" | "-r" | "--date"));
    (described && safe && operands.len() <= row.most && (!sets_the_clock || dated)).then_some(row)
}

/// `uniq -f 1`: numbers that belong to the option before them.
fn skipped_values(texts: &[&str]) -> usize {
    let options = texts.iter().take_while(|text| **text != "--");
    let is_value = |(option, value): &(&&str, &&str)| {
        matches!(**option, "-f" | "-s" | "-w") && value.bytes().all(|byte| byte.is_ascii_digit())
    };
    options.zip(texts.iter().skip(1)).filter(is_value).count()
}

/// `xxd` writes its second operand, and stops to look for options at the first.
fn dumps_one_file(texts: &[&str]) -> bool {
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'x');
    let valued = |text: &str| {
        text.strip_prefix('-')
            .and_then(|rest| rest.strip_prefix(['l', 's', 'c', 'g', 'o']))
            .is_some_and(is_number)
    };
    let mut rest = texts;
    while let [option, more @ ..] = rest {
        rest = match (*option, more) {
            ("-l" | "-s" | "-c" | "-g" | "-o", [value, behind @ ..]) if is_number(value) => behind,
            ("-a" | "-b" | "-C" | "-e" | "-E" | "-i" | "-p" | "-ps" | "-u" | "-d", _) => more,
            (text, _) if valued(text) => more,
            _ => break,
        };
    }
    matches!(rest, [] | ["-"]) || matches!(rest, [file] if !file.starts_with('-'))
}
