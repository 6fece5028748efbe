//! Tools with a subcommand or an option that runs a command: `uv run`, `find -exec`, `ssh`, `docker exec`, `su -c`.

use crate::command::scope::Scope;
use crate::command::simple::{Parts, Started, base_name};
use crate::command::types::{Via, Word};
use crate::command::walk::Walker;

/// `PROGRAM SUB… [options] COMMAND…`: how many words stand before the options.
const RUNNERS: &[(&str, &[&str])] = &[
    ("uv", &["run"]),
    ("uvx", &[]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("pixi", &["run"]),
    ("bundle", &["exec"]),
    ("npx", &[]),
    ("bunx", &[]),
    ("npm", &["exec"]),
    ("pnpm", &["exec"]),
    ("pnpm", &["dlx"]),
    ("yarn", &["exec"]),
    ("yarn", &["dlx"]),
    ("rustup", &["run", "*"]),
    ("direnv", &["exec", "*"]),
    ("mise", &["exec"]),
    ("mise", &["x"]),
    ("asdf", &["exec"]),
    ("conda", &["run"]),
    ("micromamba", &["run"]),
    ("dotenv", &["run"]),
    ("op", &["run"]),
    ("doppler", &["run"]),
    ("aws-vault", &["exec", "*"]),
    ("coverage", &["run"]),
    ("xcrun", &[]),
    ("arch", &[]),
];

/// Options of runners that take the next word.
const RUNNER_VALUES: &[&str] = &[
    "-p",
    "--package",
    "--with",
    "--python",
    "--extra",
    "--group",
    "-n",
    "--name",
    "--env-file",
    "-f",
    "--project",
    "--directory",
    "--from",
    "-m",
    "--module",
];

/// Programs whose option carries a script, or a command with its words: `su -c`, `fd -x`.
const SCRIPT_OPTIONS: &[(&str, &[&str])] = &[
    ("su", &["-c", "--command", "--session-command"]),
    ("runuser", &["-c", "--command"]),
    ("sg", &["-c"]),
    ("script", &["-c", "--command"]),
    ("flock", &["-c", "--command"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("sort", &["--compress-program"]),
    ("gsort", &["--compress-program"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("split", &["--filter"]),
    (
        "tar",
        &[
            "--to-command",
            "--use-compress-program",
            "-I",
            "--rsh-command",
            "--rmt-command",
            "--info-script",
            "-F",
            "--new-volume-script",
        ],
    ),
    ("gtar", &["--to-command", "--use-compress-program", "-I"]),
    ("bsdtar", &["--use-compress-program"]),
    ("man", &["-P", "--pager"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("go", &["-exec", "-toolexec", "-vettool"]),
    ("nodemon", &["--exec", "-x"]),
    ("gcc", &["-wrapper"]),
    ("nix-shell", &["--run", "--command"]),
    ("socat", &[]),
    ("nc", &["-e", "-c", "--exec", "--sh-exec"]),
    ("ncat", &["-e", "-c", "--exec", "--sh-exec"]),
    ("xterm", &["-e"]),
    ("vagrant", &["-c"]),
    ("npm", &["--call"]),
    ("npx", &["-c", "--call"]),
    ("wget", &["--use-askpass"]),
    ("logrotate", &[]),
    ("less", &[]),
    ("screen", &["-X"]),
    ("vim", &["--cmd"]),
];

/// Programs that take everything after their own options as one script for `sh -c`.
const SCRIPT_OPERANDS: &[&str] = &["watch", "hyperfine", "concurrently", "watchexec", "parallel", "onchange"];

pub(super) fn read(walker: &mut Walker, program: &str, command: &Started, scope: &Scope) {
    let args = walker.args(command);
    match program {
        "find" | "gfind" | "fd" | "fdfind" => find(walker, &args, command, scope),
        "ssh" | "autossh" => ssh(walker, &args, command, scope),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "docker-compose" => {
            container(walker, &args, command)
        }
        "flock" => flock(walker, &args, command, scope),
        "tmux" | "screen" => terminal(walker, &args, command, scope),
        "at" | "batch" => super::shell_input(
            walker,
            command,
            command.inside(Via::Input).detached("it runs later"),
            &mut scope.clone(),
        ),
        _ if program.starts_with("ld-linux") || program.starts_with("ld-musl") => {
            start(walker, args.clone(), command, scope)
        }
        _ if SCRIPT_OPERANDS.contains(&program) => operands(walker, &args, command, scope),
        _ => runner(walker, program, &args, command, scope),
    }
    script_options(walker, program, &args, command, scope);
}

/// Runs the words as a command of their own.
fn start(walker: &mut Walker, words: Vec<Word>, command: &Started, scope: &Scope) {
    if !words.is_empty() {
        walker.run(
            Parts::of_words(words),
            command.input.clone(),
            command.inside(Via::Wrapper),
            &mut scope.clone(),
        );
    }
}

fn runner(walker: &mut Walker, program: &str, args: &[Word], command: &Started, scope: &Scope) {
    let matches = |sub: &[&str]| {
        sub.len() <= args.len() && sub.iter().zip(args).all(|(want, arg)| *want == "*" || arg.text == *want)
    };
    let Some((_, sub)) = RUNNERS.iter().find(|(name, sub)| *name == program && matches(sub)) else { return };
    let mut at = sub.len();
    while let Some(arg) = args.get(at) {
        match arg.text.as_str() {
            "--" => {
                at += 1;
                break;
            }
            "-m" | "--module" => {
                let mut words = vec![Word::exact("python")];
                words.extend_from_slice(&args[at..]);
                return start(walker, words, command, scope);
            }
            "-c" | "--call" => return,
            text if RUNNER_VALUES.contains(&text) => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let mut words = args.get(at..).unwrap_or_default().to_vec();
    if program == "coverage" {
        words.insert(0, Word::exact("python"));
    }
    start(walker, words, command, scope);
}

fn find(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        if !matches!(
            arg.text.as_str(),
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
        ) {
            continue;
        }
        // A `+` ends the command only behind `{}`; anywhere else it is a word like any other.
        let ends = |index: &usize| match args[*index].text.as_str() {
            ";" => true,
            "+" => *index > at && args[*index - 1].text == "{}",
            _ => false,
        };
        let end = (at..args.len()).find(ends).unwrap_or(args.len());
        let words = args[at..end].to_vec();
        if words.first().is_some_and(|word| word.text.contains("{}")) {
            walker.doubt("found files are run as programs");
        }
        let context = command.inside(Via::Wrapper).uncertain("`find` does not pass its exit code on");
        // `-execdir` runs it where the file is.
        let elsewhere = matches!(arg.text.as_str(), "-execdir" | "-okdir");
        let mut scope = if elsewhere { Scope::elsewhere() } else { scope.clone() };
        walker.run(Parts::of_words(words), command.input.clone(), context, &mut scope);
        at = end;
    }
}

/// Options of ssh that take the next word.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

fn ssh(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-')) {
        let letter = arg.text.chars().nth(1).unwrap_or('-');
        let takes_next = arg.text.len() == 2 && SSH_VALUES.contains(letter);
        let value = if takes_next {
            args.get(at + 1).map_or("", |word| word.text.as_str())
        } else {
            arg.text.get(2..).unwrap_or_default()
        };
        let lower = value.to_ascii_lowercase();
        if letter == 'o' && lower.contains("command") {
            let script = value.split_once(['=', ' ']).map_or(value, |(_, script)| script).to_owned();
            walker.script(
                &script,
                command.inside(Via::Text).detached("another program starts it"),
                &mut scope.clone(),
            );
        }
        if letter == 'F' {
            walker.doubt("`ssh` reads another configuration");
        }
        at += if takes_next { 2 } else { 1 };
    }
    remote(walker, args.get(at + 1..).unwrap_or_default(), command);
}

/// Words that another machine's shell reads as a script.
fn remote(walker: &mut Walker, words: &[Word], command: &Started) {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if !text.is_empty() {
        let context = command.inside(Via::Remote);
        walker.script(&text, context, &mut Scope::elsewhere());
    }
}

/// Options of `docker run`, `docker exec` and `kubectl exec` that take no value.
const CONTAINER_FLAGS: &[&str] = &[
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "--rm",
    "--privileged",
    "--init",
    "-T",
    "-P",
    "--interactive",
    "--tty",
    "--detach",
    "--read-only",
    "--no-deps",
    "--build",
    "-q",
    "--quiet",
    "--stdin",
    "-dit",
    "-itd",
];

fn container(walker: &mut Walker, args: &[Word], command: &Started) {
    let Some(sub) = args.iter().position(|arg| matches!(arg.text.as_str(), "run" | "exec")) else { return };
    let rest = &args[sub + 1..];
    let mut at = 0;
    if let Some(dashes) = rest.iter().position(|arg| arg.text == "--") {
        at = dashes + 1;
    } else {
        while let Some(arg) = rest.get(at).filter(|arg| arg.text.starts_with('-')) {
            at += if CONTAINER_FLAGS.contains(&arg.text.as_str()) || arg.text.contains('=') { 1 } else { 2 };
        }
        at += 1;
    }
    let words = rest.get(at..).unwrap_or_default().to_vec();
    if !words.is_empty() {
        let context = command.inside(Via::Remote);
        walker.run(Parts::of_words(words), command.input.clone(), context, &mut Scope::elsewhere());
    }
}

fn flock(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-')) {
        at += if matches!(arg.text.as_str(), "-w" | "-E" | "--timeout" | "--wait") { 2 } else { 1 };
    }
    let words = args.get(at + 1..).unwrap_or_default().to_vec();
    if words.first().is_some_and(|word| word.text != "-c" && word.text != "--command") {
        start(walker, words, command, scope);
    }
}

fn terminal(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let starts = [
        "new",
        "new-session",
        "new-window",
        "neww",
        "split-window",
        "send-keys",
        "send",
        "run-shell",
        "run",
        "respawn-pane",
        "if-shell",
        "-dm",
        "-dmS",
        "-X",
    ];
    if !args.iter().any(|arg| starts.contains(&arg.text.as_str())) {
        return;
    }
    let context = command.inside(Via::Text).detached("it runs in another terminal");
    for arg in args.iter().filter(|arg| !arg.text.starts_with('-') && arg.text.contains(' ')) {
        walker.script_word(arg, context, &mut scope.clone());
    }
    walker.doubt("commands are given to another terminal");
}

fn operands(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let context =
        command.inside(Via::Text).uncertain("the program that starts it does not pass its exit code on");
    let joined = !args.iter().any(|arg| arg.text.contains(' '));
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-')) {
        let takes_next = matches!(
            arg.text.as_str(),
            "-n" | "--interval"
                | "-w"
                | "--warmup"
                | "-r"
                | "--runs"
                | "-j"
                | "--jobs"
                | "-m"
                | "--min-runs"
                | "-S"
                | "--shell"
                | "-N"
        );
        at += if takes_next { 2 } else { 1 };
    }
    let rest = args.get(at..).unwrap_or_default();
    if joined {
        let text = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let exact = rest.iter().all(|word| word.exact);
        walker.script_word(&Word { text, exact, glob: false }, context, &mut scope.clone());
    } else {
        for script in rest.iter().filter(|word| !word.text.starts_with('-')) {
            walker.script_word(script, context, &mut scope.clone());
        }
    }
}

/// Values of options that are commands, in the same word or the next.
fn script_options(walker: &mut Walker, program: &str, args: &[Word], command: &Started, scope: &Scope) {
    let context = command.inside(Via::Text).uncertain("another program starts it");
    for (at, arg) in args.iter().enumerate() {
        if let Some(script) =
            arg.text.split("exec=").nth(1).filter(|_| arg.text.starts_with("--checkpoint-action"))
        {
            walker.script(script, context, &mut scope.clone());
        }
        if let Some(script) = ["EXEC:", "SYSTEM:", "exec:", "system:"]
            .iter()
            .find_map(|key| arg.text.strip_prefix(key))
            .filter(|_| program == "socat")
        {
            walker.script(script, context, &mut scope.clone());
        }
        for (_, options) in SCRIPT_OPTIONS.iter().filter(|(name, _)| *name == base_name(program)) {
            for option in *options {
                let value = match arg.text.strip_prefix(option) {
                    Some("") => args.get(at + 1).cloned(),
                    Some(rest) if rest.starts_with('=') => {
                        Some(Word { text: rest[1..].to_owned(), ..arg.clone() })
                    }
                    Some(rest) if option.len() == 2 && !rest.starts_with('-') => {
                        Some(Word { text: rest.to_owned(), ..arg.clone() })
                    }
                    // `script -qc COMMAND`: the letter ends a group of flags.
                    None if *option == "-c" && is_flag_group(&arg.text) => args.get(at + 1).cloned(),
                    _ => None,
                };
                if let Some(script) = value {
                    walker.script_word(&script, context, &mut scope.clone());
                }
            }
        }
    }
}

fn is_flag_group(text: &str) -> bool {
    text.len() > 2
        && text.ends_with('c')
        && text
            .strip_prefix('-')
            .is_some_and(|letters| letters.bytes().all(|byte| byte.is_ascii_alphabetic()))
}
