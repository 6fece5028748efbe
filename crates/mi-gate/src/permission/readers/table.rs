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
    reader(&["ls", "stat", "du", "realpath", "readlink", "test", "[", "[[", "exa", "eza"], Names),
    reader(&["lsd"], Names).never(&["--config-file"]),
    reader(&["df", "mountpoint"], Names),
    reader(&["grep", "egrep", "fgrep"], PatternThenFiles),
    reader(&["jq"], PatternThenFiles),
    reader(&["ag"], PatternThenFiles).never(&["--pager", "-z", "--search-zip"]),
    reader(
        &[
            "echo",
            "true",
            "false",
            ":",
            "pwd",
            "cd",
            "pushd",
            "popd",
            "dirs",
            "which",
            "type",
            "whoami",
            "id",
            "groups",
            "uname",
            "uptime",
            "ps",
            "pgrep",
            "free",
            "nproc",
            "arch",
            "tty",
            "seq",
            "sleep",
            "expr",
            "factor",
            "numfmt",
            "getconf",
            "locale",
            "lscpu",
            "lsblk",
            "lsusb",
            "lspci",
            "tr",
            "wait",
            "exit",
            "return",
            "break",
            "continue",
            "cal",
            "yes",
            "logname",
            "users",
            "who",
            "w",
            "whereis",
            "vmstat",
            "last",
            "sw_vers",
            "lsmod",
            "shift",
            "basename",
            "dirname",
            "pidof",
            "pstree",
            "iostat",
            "mpstat",
            "findmnt",
            "lsb_release",
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
    reader(&["uniq"], Files),
    reader(&["xxd"], Files),
    reader(&["sdiff"], Files).never(&["-o", "--output", "--diff-program"]),
    reader(&["diff3"], Files).never(&["--diff-program"]),
    reader(&["zgrep", "zegrep", "zfgrep"], PatternThenFiles).only(&[
        "-i", "-n", "-c", "-l", "-v", "-E", "-F", "-w", "-o", "-h", "-H", "-A", "-B", "-C", "-m", "-q", "-e",
    ]),
    reader(&["zless", "zmore"], Files).only(&[]),
    reader(&["c++filt"], Text).only(&["-n", "-p", "-t", "-i", "-_"]),
    reader(&["addr2line"], Files).only(&["-e", "-f", "-C", "-p", "-i", "-a", "-s"]),
    reader(&["pkg-config", "pkgconf"], Text).only(&[
        "--libs",
        "--libs-only-l",
        "--libs-only-L",
        "--cflags",
        "--cflags-only-I",
        "--modversion",
        "--exists",
        "--list-all",
        "--static",
        "--print-errors",
        "--print-requires",
        "--print-variables",
        "--variable",
        "--atleast-version",
    ]),
    reader(&["ldconfig"], Text).subs(&["-p"]).only(&["-p"]).most(0),
    reader(&["fuser"], Text).only(&["-v", "-n", "-u", "-m", "-a"]),
    // The only files that are no files.
    reader(&["tee"], Text).subs(&["/dev/null", "/dev/stderr", "/dev/tty"]).only(&[]).most(1),
    reader(&["hash"], Text).only(&[]).most(0),
    reader(&["shopt"], Text).only(&["-p", "-o"]).most(1),
    reader(&["sysctl"], Text).only(&["-a", "-n", "-N", "-e"]),
    reader(&["swapon"], Text)
        .subs(&["--show", "-s"])
        .only(&["--show", "-s", "--bytes", "--noheadings"])
        .most(0),
    reader(&["hostnamectl", "localectl"], Text).subs(&["status"]).only(&["--no-pager"]).most(1),
    reader(&["hostnamectl", "localectl"], Text).only(&["--no-pager"]).most(0),
    reader(&["timedatectl", "loginctl"], Text)
        .subs(&["status", "show", "list-timezones", "list-sessions", "list-users"])
        .only(&["--no-pager", "-p", "--property", "--value"])
        .most(2),
    reader(&["timedatectl", "loginctl"], Text).only(&["--no-pager"]).most(0),
    reader(&["getent"], Text)
        .subs(&["passwd", "group", "services", "protocols", "hosts localhost", "ahosts localhost"])
        .only(&[])
        .most(2),
    reader(&["ssh-add"], Text).subs(&["-l", "-L"]).only(&["-l", "-L"]).most(0),
    reader(&["gpg", "gpg2"], Text)
        .subs(&["--list-keys", "-k", "--list-secret-keys", "-K", "--fingerprint", "--list-sigs"])
        .only(&[
            "--list-keys",
            "-k",
            "--list-secret-keys",
            "-K",
            "--fingerprint",
            "--list-sigs",
            "--keyid-format",
        ]),
    reader(&["nginx"], Text).subs(&["-v", "-V", "-t", "-T"]).only(&["-v", "-V", "-t", "-T"]).most(0),
    reader(&["service"], Text).only(&[]).most(2),
    reader(&["ffprobe"], Files).only(&[
        "-v",
        "-hide_banner",
        "-show_format",
        "-show_streams",
        "-show_entries",
        "-select_streams",
        "-print_format",
        "-of",
        "-i",
    ]),
    reader(&["mediainfo"], Files).only(&[]),
    reader(&["pdfinfo"], Files).only(&["-f", "-l", "-box", "-meta"]),
    reader(&["pdftotext"], Files).only(&["-layout", "-raw", "-nopgbrk", "-f", "-l", "-q"]),
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
            "tf", "tvf", "tzf", "tvzf", "tzvf", "tjf", "tjvf", "tvjf", "tJf", "tJvf", "tvJf", "ztf", "ztvf",
            "xOf", "xzOf", "-tf", "-tvf", "-tzf", "-tzvf", "-tvzf", "-ztf", "-ztvf", "-tjf", "-tjvf",
            "-tvjf", "-tJf", "-tJvf", "-tvJf", "-xOf", "-xzOf", "-xOzf", "-Oxf", "--list",
        ])
        .only(&[
            "-tf",
            "-tvf",
            "-tzf",
            "-tzvf",
            "-tvzf",
            "-ztf",
            "-ztvf",
            "-tjf",
            "-tjvf",
            "-tvjf",
            "-tJf",
            "-tJvf",
            "-tvJf",
            "-xOf",
            "-xzOf",
            "-xOzf",
            "-Oxf",
            "--list",
            "--file",
            "-f",
            "-v",
            "-z",
            "--wildcards",
            "--verbose",
        ]),
    reader(&["unzip"], Files)
        .subs(&["-l", "-Z", "-Z1", "-lv", "-v", "-p", "-t", "-c"])
        .only(&["-l", "-Z", "-Z1", "-v", "-p", "-t", "-c", "-q"]),
    reader(&["printenv"], Text).only(&[]).most(1).subs(&[
        "HOME",
        "PATH",
        "SHELL",
        "LANG",
        "USER",
        "PWD",
        "TERM",
        "EDITOR",
        "LOGNAME",
        "HOSTNAME",
        "TZ",
        "LC_ALL",
        "TMPDIR",
        "DISPLAY",
        "CI",
        "NODE_ENV",
        "NODE_PATH",
        "NVM_DIR",
        "GOPATH",
        "GOROOT",
        "GOOS",
        "GOARCH",
        "JAVA_HOME",
        "VIRTUAL_ENV",
        "PYTHONPATH",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUST_LOG",
        "RUST_BACKTRACE",
        "LD_LIBRARY_PATH",
        "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR",
        "XDG_SESSION_TYPE",
        "PAGER",
        "VISUAL",
        "SHLVL",
        "COLUMNS",
        "LINES",
        "ANDROID_HOME",
    ]),
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
            "run watch",
            "repo list",
            "gist list",
            "gist view",
            "cache list",
            "secret list",
            "status",
            "project list",
            "ruleset list",
            "extension list",
            "org list",
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
    reader(&["rustup"], Text).subs(&[
        "show",
        "toolchain list",
        "target list",
        "component list",
        "which",
        "check",
    ]),
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
            "list-timers",
            "list-sockets",
            "list-jobs",
            "list-dependencies",
            "get-default",
            "is-failed",
            "is-system-running",
        ])
        .never(&["-H", "--host"]),
    reader(&["systemctl"], Text).only(&["--no-pager", "--user"]).most(0),
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
    reader(&["ulimit"], Text)
        .only(&[
            "-a", "-n", "-u", "-s", "-c", "-f", "-l", "-m", "-t", "-v", "-d", "-i", "-q", "-x", "-S", "-H",
        ])
        .most(0),
    reader(&["tput"], Text).subs(&["cols", "lines", "colors"]).only(&[]).most(1),
    reader(&["shuf", "iconv"], Files).never(&["-o", "--output"]),
    reader(&["xmllint"], Files).only(&["--noout", "--format", "--xpath", "--schema", "--html"]),
    reader(&["yamllint"], Files).only(&["-d", "-c", "-s", "-f", "--strict", "--format", "--no-warnings"]),
    reader(&["hadolint"], Files).only(&[
        "--no-fail",
        "-f",
        "--format",
        "--ignore",
        "-t",
        "--failure-threshold",
    ]),
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
    reader(&["goimports"], Files).subs(&["-l", "-d"]).only(&["-l", "-d", "-e"]),
    reader(&["helm"], Text).subs(&["list", "ls", "status", "history", "version", "search"]).never(&[
        "--kubeconfig",
        "--kube-apiserver",
        "--kube-token",
        "--post-renderer",
    ]),
    reader(&["terraform"], Text).subs(&["version"]).only(&["-json"]),
    reader(&["rustc"], Text).subs(&["-vV", "--version --verbose", "-V -v"]).most(0),
    reader(&["rustc"], Text).subs(&["--explain"]).only(&["--explain"]).most(1),
    reader(&["rustc"], Text)
        .subs(&[
            "--print sysroot",
            "--print target-list",
            "--print cfg",
            "--print target-cpus",
            "--print target-features",
            "--print target-libdir",
            "--print host-tuple",
        ])
        .only(&["--print"])
        .most(1),
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
    reader(&["brew"], Text).subs(&["list", "info", "--version", "--prefix", "--cellar", "outdated"]),
    reader(&["brew"], Text)
        .subs(&["search", "leaves", "deps", "uses", "config", "doctor", "desc", "services list", "ls"])
        .only(&["--cask", "--formula", "--tree", "--installed", "--versions"]),
    reader(&["pacman"], Text)
        .only(&["-Q", "-Qe", "-Qi", "-Ql", "-Qs", "-Qo", "-Qm", "-Qn", "-Qu", "-Qdt", "-Ss", "-Si"]),
    reader(&["apk"], Text).subs(&["info", "list", "search", "policy"]).only(&["-v", "-vv", "-L", "-e", "-a"]),
    reader(&["yum", "dnf"], Text).subs(&["list", "info", "search", "repolist", "provides"]).only(&[
        "-q",
        "--installed",
        "--available",
        "--upgrades",
        "-v",
    ]),
    reader(&["snap"], Text).subs(&["list", "info", "find", "version"]).only(&["--all"]),
    reader(&["flatpak"], Text).subs(&["list", "info", "search"]).only(&[
        "--app",
        "--runtime",
        "--user",
        "--system",
    ]),
    reader(&["nix-env"], Text).subs(&["-q", "--query"]).only(&["-q", "--query", "--installed", "-a"]),
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

/// Programs whose command `version` tells their version and asks no other machine.
const VERSION_COMMAND: &[&str] = &[
    "tofu",
    "packer",
    "zig",
    "dlv",
    "k9s",
    "minikube",
    "kind",
    "kustomize",
    "etcdctl",
    "consul",
    "vault",
    "nomad",
    "gitleaks",
    "hugo",
    "caddy",
    "trivy",
    "dagger",
    "cosign",
    "opa",
    "pulumi",
    "buildah",
];

/// Programs that tell their version by an option of their own.
const VERSION_OPTION: &[(&str, &str)] = &[
    ("kotlinc", "-version"),
    ("kotlin", "-version"),
    ("scala", "-version"),
    ("scalac", "-version"),
    ("erl", "-version"),
    ("ffmpeg", "-version"),
    ("ffprobe", "-version"),
    ("actionlint", "-version"),
    ("dot", "-V"),
    ("lua", "-v"),
    ("luajit", "-v"),
    ("perl", "-v"),
    ("zip", "-v"),
    ("unzip", "-v"),
    ("screen", "-v"),
    ("clang++", "-v"),
    ("g++", "-v"),
    ("docker", "-v"),
    ("docker-compose", "-v"),
    ("gradle", "-v"),
    ("npx", "-v"),
    ("gem", "-v"),
    ("bundle", "-v"),
    ("redis-cli", "-v"),
    ("redis-server", "-v"),
    ("mysql", "-V"),
];

const VERSION: Reader = reader(&[], Text);

/// What stands behind the options in front of a subcommand. An option that may take the next word as its value ends
/// the search: in `kubectl -x logs delete pod` the subcommand is `delete`.
pub(in crate::permission) fn behind_globals<'a, 'b>(program: &str, texts: &'a [&'b str]) -> &'a [&'b str] {
    let valued: &[&str] = match program {
        "kubectl" | "oc" | "helm" => &["-n", "--namespace", "--context"],
        "docker-compose" => &["-f", "--file", "-p", "--project-name", "--profile"],
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
    // Bare `set` shows every variable; a name with a colon is a file of another machine for tar.
    let safe = match program {
        "set" => !texts.is_empty() && sets_known_options(&texts),
        "tar" => !texts.iter().any(|name| name.contains(':')),
        // `@FILE` stands for the options in a file.
        "nm" | "size" | "objdump" | "readelf" | "strings" => !texts.iter().any(|text| text.starts_with('@')),
        "printf" => !may_count(command),
        // The file of a formula is a program.
        "brew" => !operands.iter().any(|name| name.contains(['/', '.'])),
        "xxd" => dumps_one_file(&texts),
        // `name=value` sets.
        "sysctl" => !operands.iter().any(|name| name.contains('=')),
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
        "uniq" => operands.len() <= 1 + skipped_values(&texts),
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
