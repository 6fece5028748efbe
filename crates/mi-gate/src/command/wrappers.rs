//! Programs that start the program in their arguments, and shells.

use super::options::{self, Spec};
use super::scope::Scope;
use super::simple::{Parts, Started};
use super::types::{Assignment, Via, Word};
use super::walk::{Context, Input, Walker};

mod runners;

/// A program of the shape `NAME [options] [operands] COMMAND…`.
struct Wrapper {
    names: &'static [&'static str],
    spec: Spec,
    /// Operands before the command.
    operands: usize,
    /// Its exit code is that of the command.
    passes_exit: bool,
}

const fn wrapper(
    names: &'static [&'static str],
    flags: &'static str,
    valued: &'static str,
    long_flags: &'static [&'static str],
    long_valued: &'static [&'static str],
) -> Wrapper {
    Wrapper { names, spec: Spec { flags, valued, long_flags, long_valued }, operands: 0, passes_exit: true }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(&["nice"], "0123456789", "n", &[], &["adjustment"]),
    wrapper(
        &[
            "nohup",
            "chronic",
            "unbuffer",
            "pkexec",
            "fakeroot",
            "dbus-run-session",
            "builtin",
            "winpty",
            "linux64",
            "linux32",
            "catchsegv",
        ],
        "",
        "",
        &[],
        &[],
    ),
    Wrapper {
        operands: 1,
        ..wrapper(
            &["timeout", "gtimeout"],
            "v",
            "sk",
            &["foreground", "preserve-status", "verbose"],
            &["signal", "kill-after"],
        )
    },
    wrapper(&["time", "gtime"], "pvalVq", "fo", &["portability", "verbose", "append"], &["format", "output"]),
    wrapper(&["setsid"], "wcf", "", &["wait", "ctty"], &[]),
    wrapper(&["stdbuf"], "", "ioe", &[], &["input", "output", "error"]),
    wrapper(&["ionice"], "t", "cnpPu", &["ignore"], &["class", "classdata"]),
    wrapper(
        &["sudo"],
        "AbEeHiKknPSsVv",
        "ugpChrtTUDR",
        &["preserve-env", "non-interactive", "set-home", "login", "stdin"],
        &["user", "group", "prompt", "chdir", "host"],
    ),
    wrapper(&["doas"], "Lns", "uCa", &[], &[]),
    wrapper(&["command"], "pvV", "", &[], &[]),
    wrapper(&["exec"], "cl", "a", &[], &[]),
    wrapper(
        &["env", "genv"],
        "i0v",
        "uCS",
        &["ignore-environment", "null", "debug"],
        &["unset", "chdir", "split-string"],
    ),
    Wrapper {
        passes_exit: false,
        ..wrapper(
            &["xargs", "gxargs"],
            "0rtpxoi",
            "InPdaELsJR",
            &["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty"],
            &["replace", "max-args", "max-procs", "delimiter", "arg-file", "max-lines", "max-chars", "eof"],
        )
    },
    wrapper(
        &["strace", "ltrace"],
        "fFqvyTtrcCDiwxzZ",
        "oespPaIEuSOb",
        &["follow-forks"],
        &["output", "trace"],
    ),
    wrapper(
        &["xvfb-run"],
        "alh",
        "enpsfw",
        &["auto-servernum", "listen-tcp"],
        &["server-num", "server-args", "error-file", "wait"],
    ),
    wrapper(&["caffeinate"], "disum", "tw", &[], &[]),
    Wrapper { operands: 1, ..wrapper(&["chroot"], "", "", &["skip-chdir"], &["groups", "userspec"]) },
    wrapper(
        &["unshare"],
        "muinpUCTrfc",
        "RwSG",
        &["mount", "uts", "ipc", "net", "pid", "user", "fork", "map-root-user", "map-current-user"],
        &["root", "wd"],
    ),
    wrapper(&["setarch"], "RvZLXB3", "", &["addr-no-randomize"], &[]),
    wrapper(
        &[
            "prlimit",
            "cpulimit",
            "numactl",
            "setpriv",
            "taskset",
            "chrt",
            "cgexec",
            "systemd-run",
            "systemd-inhibit",
            "firejail",
            "proot",
            "valgrind",
            "heaptrack",
            "rr",
            "perf",
            "entr",
        ],
        "",
        "",
        &[],
        &[],
    ),
    wrapper(&["busybox", "toybox"], "", "", &[], &[]),
];

const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish", "yash"];

const SHELL_SPEC: Spec = Spec {
    flags: "cliesuxvnpabfhkmtBCEHPTrD",
    valued: "oO",
    long_flags: &["login", "norc", "noprofile", "posix", "restricted", "verbose", "noediting"],
    long_valued: &["rcfile", "init-file", "command"],
};

/// Starts what stands behind a wrapper, a runner or a shell.
pub(super) fn read(walker: &mut Walker, command: &Started, scope: &mut Scope) {
    let program = walker.program(command).to_owned();
    if SHELLS.contains(&program.as_str()) {
        return shell(walker, command, scope);
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&program.as_str())) {
        return wrapped(walker, wrapper, &program, command, scope);
    }
    runners::read(walker, &program, command, scope);
}

/// `bash --version`: nothing is started.
fn asks_version(args: &[Word]) -> bool {
    matches!(args, [only] if only.exact && matches!(only.text.as_str(), "--version" | "--help"))
}

fn wrapped(walker: &mut Walker, wrapper: &Wrapper, program: &str, command: &Started, scope: &mut Scope) {
    let args = walker.args(command);
    if asks_version(&args) {
        return;
    }
    let options = options::read(&args, &wrapper.spec);
    if program == "command" && (options.has("-v") || options.has("-V")) {
        return;
    }
    if let Some(unknown) = &options.unknown {
        walker.doubt(format!("`{program}` has the unknown option `{unknown}`"));
    }
    let passes = wrapper.passes_exit && (program != "setsid" || options.has("-w"));
    let mut context = command.inside(Via::Wrapper);
    if !passes {
        context = context.uncertain("the program that starts it does not pass its exit code on");
    }
    let mut inner_scope = scope.clone();
    if let Some(directory) = options.value("-C").or(options.value("--chdir")).filter(|_| program == "env") {
        inner_scope.change_directory(directory);
    }
    let mut words = args[options.end..].to_vec();
    if let Some(split) = options.value("-S").or(options.value("--split-string")).filter(|_| program == "env")
    {
        // `env` reads quotes with escapes in them, which a shell does not.
        if split.text.contains('\\') {
            walker.doubt("`env` splits the text otherwise than a shell");
        }
        let rest = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let script = Word { text: format!("{} {rest}", split.text), ..split.clone() };
        return walker.script_word(&script, context, &mut inner_scope);
    }
    words.drain(..wrapper.operands.min(words.len()));
    let mut parts = Parts::of_words(words);
    if matches!(program, "env" | "genv" | "sudo" | "doas") {
        take_assignments(&mut parts);
    }
    if program == "sudo" && (options.has("-s") || options.has("-i")) && parts.words.is_empty() {
        parts.words = vec![Word::exact("sh")];
    }
    if parts.words.is_empty() {
        return;
    }
    if program == "xargs" && matches!(parts.words[0].text.as_str(), "env" | "sudo") {
        walker.doubt("`xargs` adds unknown words to a wrapper");
    }
    let input = if program == "xargs" { Input::Unknown } else { command.input.clone() };
    if program == "xargs" && only_runs_its_arguments(&parts.words) {
        walker.doubt("`xargs` makes commands out of its input");
    }
    let same_shell = matches!(program, "exec" | "command" | "builtin");
    walker.run(parts, input, context, if same_shell { scope } else { &mut inner_scope });
}

/// `xargs sh -c`, `xargs -I{} {}`: the input itself becomes a command.
fn only_runs_its_arguments(words: &[Word]) -> bool {
    let first = super::simple::base_name(&words[0].text);
    words[0].text.contains("{}")
        || (SHELLS.contains(&first)
            && (words.len() < 3 || words.iter().skip(1).any(|word| word.text.contains("{}"))))
}

/// Moves `NAME=value` words in front to the assignments.
fn take_assignments(parts: &mut Parts) {
    while let Some((name, value)) = parts.words.first().and_then(|word| word.text.split_once('=')) {
        let name_is_plain =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !name_is_plain {
            return;
        }
        let value = Word { text: value.to_owned(), exact: parts.words[0].exact, glob: false };
        parts.assignments.push(Assignment { name: name.to_owned(), value });
        parts.words.remove(0);
    }
}

/// `bash -c SCRIPT`, `bash FILE`, or a script on standard input.
fn shell(walker: &mut Walker, command: &Started, scope: &Scope) {
    let args = walker.args(command);
    if asks_version(&args) {
        return;
    }
    let options = options::read(&args, &SHELL_SPEC);
    if let Some(unknown) = &options.unknown {
        walker.doubt(format!("the shell has the unknown option `{unknown}`"));
    }
    if options.has("--rcfile") || options.has("--init-file") {
        walker.doubt("the shell reads a start file");
    }
    let mut inner = scope.clone();
    inner.forget_variables();
    let turned_on =
        |name: &str| options.values.iter().any(|(flag, value)| flag == "-o" && value.text == name);
    inner.errexit = options.has("-e") || turned_on("errexit");
    inner.pipefail = turned_on("pipefail");
    let mut context = command.inside(Via::Text).forked();
    context.errexit_counts = true;
    if options.has("-n") || turned_on("noexec") {
        context = context.detached("the shell is told not to run anything");
    }
    if options.has("-c") || options.has("--command") {
        match options.value("--command").or(args.get(options.end)) {
            Some(script) => walker.script_word(script, context, &mut inner),
            None => walker.doubt("the shell has no script"),
        }
        return;
    }
    if args.get(options.end).is_some() && !options.has("-s") {
        let script = &args[options.end].text;
        if script.starts_with("<(") || script.starts_with("/dev/") {
            walker.doubt("a shell reads its script from another program");
        }
        return;
    }
    shell_input(walker, command, context, &mut inner);
}

fn shell_input(walker: &mut Walker, command: &Started, context: Context, scope: &mut Scope) {
    match &command.input {
        Input::Text(text) => walker.script(text, Context { via: Via::Input, ..context }, scope),
        Input::Inherited => walker.doubt("a shell reads its script from elsewhere"),
        Input::Unknown => walker.doubt("a shell reads its script from a pipe"),
    }
}
