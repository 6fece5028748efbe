//! The programs that only read.

use crate::command::{SimpleCommand, Word};

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

use Operands::{Files, Names, PatternThenFiles, Text};

const READERS: &[Reader] = &[
    reader(
        &[
            "cat",
            "head",
            "tail",
            "wc",
            "nl",
            "tac",
            "rev",
            "cut",
            "comm",
            "paste",
            "join",
            "fold",
            "expand",
            "unexpand",
            "od",
            "hexdump",
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
            "cksum",
            "sum",
            "base64",
            "base32",
            "cmp",
            "diff",
            "zcat",
            "bzcat",
            "xzcat",
            "column",
            "pr",
            "tsort",
            "fmt",
            "shasum",
            "md5",
            "zipinfo",
            "bc",
            "shellcheck",
        ],
        Files,
    ),
    reader(&["nm", "size", "objdump", "readelf", "strings"], Files).never(&["--plugin"]),
    reader(
        &["ls", "stat", "du", "basename", "dirname", "realpath", "readlink", "test", "[", "[[", "exa", "eza"],
        Names,
    ),
    reader(&["df", "mountpoint"], Names),
    reader(&["grep", "egrep", "fgrep"], PatternThenFiles),
    reader(&["jq"], PatternThenFiles),
    reader(&["ag"], PatternThenFiles).never(&["--pager", "-z", "--search-zip"]),
    reader(
        &[
            "echo", "true", "false", ":", "pwd", "cd", "pushd", "popd", "dirs", "which", "type", "whoami",
            "id", "groups", "uname", "uptime", "ps", "pgrep", "free", "nproc", "arch", "tty", "seq", "sleep",
            "expr", "factor", "numfmt", "getconf", "locale", "lscpu", "lsblk", "lsusb", "lspci", "tr",
            "wait", "exit", "return", "break", "continue", "cal", "yes", "logname", "users", "who", "w",
            "whereis", "vmstat", "last", "sw_vers", "lsmod", "shift",
        ],
        Text,
    ),
    reader(&["jobs"], Text).never(&["-x"]),
    reader(&["local"], Text).only(&["-r", "-l", "-u", "-g"]),
    reader(&["whatis", "apropos"], Text).never(&[
        "-C",
        "--config-file",
        "-M",
        "--manpath",
        "-m",
        "--systems",
    ]),
    reader(&["printf"], Text).never(&["-v"]),
    reader(&["command"], Text).only(&["-v", "-V"]),
    reader(&["hostname"], Text).only(&["-f", "-i", "-I", "-s", "-d"]).most(0),
    reader(&["date"], Text).never(&["-s", "--set", "-f", "--file"]),
    reader(&["set"], Text).only(&["-e", "-u", "-x", "-o", "-eu", "-ex", "-euo", "-euxo", "-eo", "-uo"]),
    reader(&["sort"], Files).never(&[
        "-o",
        "--output",
        "--compress-program",
        "-T",
        "--temporary-directory",
        "--files0-from",
        "-S",
    ]),
    // The second operand is written, and `-` is the first.
    reader(&["uniq", "xxd"], Files).never(&["-r"]).most(1),
    reader(&["file"], Files).never(&["-C", "--compile", "-m", "--magic-file", "-z", "-Z", "--uncompress"]),
    reader(&["tree"], Names).only(&[
        "-a",
        "-d",
        "-f",
        "-i",
        "-L",
        "-l",
        "-P",
        "-I",
        "-s",
        "-h",
        "-u",
        "-g",
        "-D",
        "-t",
        "-r",
        "-C",
        "-n",
        "-p",
        "-F",
        "-J",
        "--du",
        "--prune",
        "--dirsfirst",
        "--noreport",
        "--gitignore",
        "--filelimit",
        "--si",
        "--sort",
    ]),
    reader(&["rg"], PatternThenFiles).never(&["--pre", "--pre-glob", "--hostname-bin", "-z", "--search-zip"]),
    reader(&["fd", "fdfind"], Names).never(&["-x", "-X", "--exec", "--exec-batch", "-l", "--list-details"]),
    reader(&["find"], Names).never(&[
        "-delete",
        "-fprint",
        "-fprint0",
        "-fprintf",
        "-fls",
        "-ok",
        "-okdir",
        "-files0-from",
    ]),
    reader(&["sed", "gsed"], PatternThenFiles).only(&[
        "-n",
        "-e",
        "-E",
        "-r",
        "-u",
        "-z",
        "-s",
        "--quiet",
        "--silent",
        "--regexp-extended",
        "--expression",
    ]),
    reader(&["awk", "gawk", "mawk"], PatternThenFiles).only(&["-F", "-v"]),
    reader(&["yq"], PatternThenFiles).never(&[
        "-i",
        "--inplace",
        "-s",
        "--split-exp",
        "--split-exp-file",
        "--from-file",
        "--in-place",
    ]),
    reader(&["tar"], Files)
        .subs(&[
            "tf", "tvf", "tzf", "tvzf", "tzvf", "tjf", "tJf", "-tf", "-tvf", "-tzf", "-tzvf", "-tvzf",
            "-tjf", "-tJf",
        ])
        .only(&["-tf", "-tvf", "-tzf", "-tzvf", "-tvzf", "-tjf", "-tJf"]),
    reader(&["unzip"], Files).subs(&["-l", "-Z"]).only(&["-l", "-Z", "-Z1"]),
    reader(&["printenv"], Text)
        .only(&[])
        .most(1)
        .subs(&["HOME", "PATH", "SHELL", "LANG", "USER", "PWD", "TERM", "EDITOR"]),
    reader(&["docker", "podman"], Text)
        .subs(&[
            "ps",
            "images",
            "logs",
            "version",
            "info",
            "stats --no-stream",
            "compose ps",
            "compose logs",
            "image ls",
            "container ls",
            "network ls",
            "volume ls",
            "top",
            "port",
            "history",
            "diff",
        ])
        .never(&["-H", "--host", "--context", "--config"]),
    reader(&["kubectl"], Text)
        .subs(&[
            "get pods",
            "get pod",
            "get deployments",
            "get deployment",
            "get deploy",
            "get jobs",
            "get job",
            "get cronjobs",
            "get pvc",
            "get rs",
            "get hpa",
            "get svc",
            "get services",
            "get nodes",
            "get ns",
            "get namespaces",
            "get events",
            "get all",
            "get ingress",
            "describe pod",
            "describe deployment",
            "describe svc",
            "describe node",
            "logs",
            "version",
            "config current-context",
            "config get-contexts",
            "top pods",
            "top nodes",
            "api-resources",
            "explain",
            "rollout status",
            "rollout history",
            "cluster-info",
        ])
        .never(&[
            "--kubeconfig",
            "--as",
            "-s",
            "--server",
            "--token",
            "--cache-dir",
            "--profile",
            "--profile-output",
            "--log-file",
            "--log-dir",
            "--output-directory",
        ]),
    reader(&["gh"], Text)
        .subs(&[
            "pr view",
            "pr list",
            "pr status",
            "pr diff",
            "pr checks",
            "issue view",
            "issue list",
            "issue status",
            "run list",
            "run view",
            "repo view",
            "release list",
            "release view",
            "workflow list",
            "workflow view",
            "auth status",
            "label list",
            "search",
        ])
        .never(&["-w", "--web", "-t", "--show-token"]),
    reader(&["npm", "pnpm"], Text)
        .subs(&["ls", "list", "root", "prefix", "bin", "why", "explain", "config get registry"])
        .never(&[
            "--prefix",
            "-C",
            "--node-options",
            "--userconfig",
            "--globalconfig",
            "--script-shell",
            "--cache",
            "--logs-dir",
        ]),
    reader(&["pip", "pip3"], Text).subs(&["list", "show", "freeze", "check", "index"]).never(&[
        "--python",
        "--log-file",
        "--local-log",
        "--proxy",
        "-r",
        "--requirement",
    ]),
    reader(&["go"], Text).subs(&["version", "env", "doc"]).never(&[
        "-w",
        "-u",
        "-toolexec",
        "-overlay",
        "-C",
        "-http",
        // Two dashes are as good as one.
        "--w",
        "--u",
        "--http",
        "--toolexec",
        "--overlay",
    ]),
    reader(&["rustup"], Text).subs(&["show", "toolchain list", "target list", "component list", "which"]),
    reader(&["systemctl"], Text)
        .subs(&[
            "status",
            "is-active",
            "is-enabled",
            "list-units",
            "list-unit-files",
            "show",
            "cat",
            "--failed",
        ])
        .never(&["-H", "--host"]),
    reader(&["journalctl"], Text).never(&[
        "--vacuum-size",
        "--vacuum-time",
        "--vacuum-files",
        "--rotate",
        "--flush",
        "--sync",
        "--relinquish-var",
        "--setup-keys",
        "--update-catalog",
        "--cursor-file",
        "--smart-relinquish-var",
    ]),
    reader(&["top"], Text).only(&["-b", "-n", "-o", "-p", "-u", "-H", "-c"]),
    reader(&["ifconfig"], Text).only(&["-a"]).most(1),
    reader(&["dmesg"], Text).only(&["-T", "-H", "-k", "-u", "-l", "-x", "--level", "--ctime", "--human"]),
    reader(&["history", "alias", "umask"], Text).only(&[]).most(0),
    reader(&["ulimit"], Text).only(&["-a"]).most(0),
    reader(&["tput"], Text).subs(&["cols", "lines", "colors"]).only(&[]).most(1),
    reader(&["shuf", "iconv"], Files).never(&["-o", "--output"]),
    reader(&["xmllint"], Files).only(&["--noout", "--format", "--xpath"]),
    reader(&["yamllint", "hadolint"], Files).only(&[]),
    reader(&["openssl"], Text).subs(&["version"]).only(&["-a", "-v", "-d", "-p", "-f", "-b"]).most(1),
    reader(&["openssl"], Files)
        .subs(&["dgst -sha256", "dgst -sha512", "dgst -sha1", "dgst -md5"])
        .only(&["-sha256", "-sha512", "-sha1", "-md5"]),
    reader(&["openssl"], Files).subs(&["x509"]).only(&[
        "-in",
        "-noout",
        "-text",
        "-subject",
        "-issuer",
        "-dates",
        "-enddate",
        "-fingerprint",
        "-serial",
    ]),
    reader(&["gofmt"], Files).only(&["-l", "-d", "-s", "-e"]),
    reader(&["black"], Files).subs(&["--check"]).only(&["--check", "--diff", "-q", "--quiet"]),
    reader(&["helm"], Text).subs(&["list", "ls", "status", "history", "version", "search"]).never(&[
        "--kubeconfig",
        "--kube-apiserver",
        "--kube-token",
        "--post-renderer",
    ]),
    reader(&["terraform"], Text).subs(&["version"]).only(&["-json"]),
    reader(&["rustc"], Text).subs(&["-vV", "--version --verbose", "-V -v"]).most(0),
    reader(&["rustc"], Text).subs(&["--explain"]).only(&["--explain"]).most(1),
    reader(&["mount"], Text).only(&["-l"]).most(0),
    reader(&["crontab"], Text).only(&["-l"]).most(0),
    reader(&["ss", "netstat"], Text).never(&["-K", "--kill", "-D", "--diag", "-F", "--filter"]),
    reader(&["ip"], Text)
        .subs(&["addr show", "a show", "route show", "r show", "link show", "neigh show"])
        .only(&["-4", "-6", "-s", "-d", "-o", "-br", "-brief", "-j", "-json", "-c"])
        .most(4),
    reader(&["ip"], Text)
        .subs(&["addr", "a", "route", "r", "link", "neigh"])
        .only(&["-4", "-6", "-s", "-d", "-o", "-br", "-brief", "-j", "-json", "-c"])
        .most(1),
    reader(&["lsof"], Text).never(&["-D"]),
    reader(&["dpkg"], Text).only(&["-l", "-L", "-s", "-S", "--list", "--status", "--print-architecture"]),
    reader(&["dpkg-query"], Text).only(&["-l", "-L", "-s", "-S", "-W", "-f"]),
    reader(&["apt"], Text).subs(&["list", "show", "search", "policy"]).never(&[
        "-o",
        "-c",
        "--option",
        "--config-file",
    ]),
    reader(&["apt-cache"], Text)
        .never(&[
            "-o",
            "-c",
            "-p",
            "-s",
            "--generate",
            "--option",
            "--config-file",
            "--pkg-cache",
            "--src-cache",
        ])
        .subs(&["policy", "show", "search", "depends", "rdepends"]),
    reader(&["brew"], Text).subs(&["list", "info", "--version", "--prefix", "outdated"]),
    reader(&["mi"], Text)
        .subs(&[
            "status",
            "last",
            "log",
            "show",
            "why",
            "inbox",
            "cu",
            "gate matrix",
            "gate rules",
            "gate explain",
            "plan show",
            "task list",
            "verify",
        ])
        .only(&["--json", "--staged", "--cu", "--risk"]),
    reader(&["rpm"], Text).subs(&["-q", "-qa", "-qi", "-ql", "-qf"]).only(&["-q", "-a", "-i", "-l", "-f"]),
];

/// Programs that tell their version and nothing else.
const VERSIONED: &[&str] = &[
    "node",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "python",
    "python3",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "ruby",
    "gem",
    "bundle",
    "java",
    "javac",
    "mvn",
    "gradle",
    "go",
    "rustc",
    "cargo",
    "rustup",
    "rustfmt",
    "gcc",
    "g++",
    "clang",
    "cmake",
    "make",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "psql",
    "sqlite3",
    "redis-cli",
    "jq",
    "rg",
    "fd",
    "curl",
    "wget",
    "bash",
    "zsh",
    "ssh",
    "php",
    "composer",
    "dotnet",
    "swift",
    "perl",
    "tsc",
    "eslint",
    "prettier",
    "ruff",
    "black",
    "mypy",
    "pytest",
    "codex",
    "claude",
    "opencode",
    "gh",
    "aws",
    "gcloud",
    "az",
    "vim",
    "nvim",
    "tmux",
    "sed",
    "awk",
    "tar",
    "openssl",
    "gdb",
    "mi",
];

const VERSION: Reader = reader(&[], Text);

/// What stands behind the options in front of a subcommand. An option that may take the next word as its value ends
/// the search: in `kubectl -x logs delete pod` the subcommand is `delete`.
pub(in crate::permission) fn behind_globals<'a, 'b>(program: &str, texts: &'a [&'b str]) -> &'a [&'b str] {
    let valued: &[&str] = match program {
        "kubectl" | "oc" | "helm" => &["-n", "--namespace", "--context"],
        "aws" => &["--profile", "--region", "--output"],
        _ => &[],
    };
    let flags: &[&str] = match program {
        "systemctl" => &["--user", "--system", "--no-pager", "-q", "--quiet", "-a", "--all", "-l", "--full"],
        "npm" | "pnpm" | "yarn" => &["-s", "--silent", "-g", "--global", "--json"],
        "pip" | "pip3" => &["-q", "--quiet", "-v", "--verbose", "--disable-pip-version-check", "--no-input"],
        "ip" => &["-4", "-6", "-s", "-d", "-o", "-br", "-brief", "-j", "-json", "-c"],
        "kubectl" | "oc" | "helm" => &["-A", "--all-namespaces"],
        "aws" => &["--no-cli-pager"],
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
    // Bare `set` shows every variable; a name with a colon is a file of another machine for tar.
    let safe = match program {
        "set" => !texts.is_empty() && sets_known_options(&texts),
        "tar" => !operands.iter().any(|name| name.contains(':')),
        // `@FILE` stands for the options in a file.
        "nm" | "size" | "objdump" | "readelf" | "strings" => !texts.iter().any(|text| text.starts_with('@')),
        "printf" => !may_count(command),
        // The file of a formula is a program.
        "brew" => !operands.iter().any(|name| name.contains(['/', '.'])),
        _ => true,
    };
    let dated = program == "date" && texts.iter().any(|text| matches!(*text, "-d" | "-r" | "--date"));
    (described && safe && operands.len() <= row.most && (!sets_the_clock || dated)).then_some(row)
}
