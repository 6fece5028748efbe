//! Builtins that change the shell, or run text.

use super::scope::Scope;
use super::simple::{Started, shorten};
use super::types::{Assignment, Via, Word};
use super::walk::{Context, Walker};

/// Environment variables whose value is a command.
const COMMAND_VARIABLES: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "PROMPT_COMMAND",
    "PS0",
    "PS4",
    "FZF_DEFAULT_COMMAND",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CC",
    "CXX",
    "MAKE",
    "TAR_OPTIONS",
];

/// Environment variables that load code or change which program a name means.
const LOADING_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "RUBYLIB",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "MAKEFLAGS",
    "MAKEFILES",
    "GCONV_PATH",
    "ZDOTDIR",
    "INPUTRC",
    "CLASSPATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "SHELL",
    "RIPGREP_CONFIG_PATH",
    "NPM_CONFIG_SCRIPT_SHELL",
];

/// Looks at a builtin; other names are left alone.
pub(super) fn read(walker: &mut Walker, command: &Started, scope: &mut Scope) {
    let args = walker.args(command);
    let name = walker.analysis.commands[command.index].program_path.clone();
    match name.as_str() {
        "cd" | "pushd" => change_directory(&args, scope),
        "popd" => scope.lose_directory(),
        "set" => set(walker, &args, command.context, scope),
        "eval" => eval(walker, &args, command, scope),
        "source" | "." => source(walker, args.first(), scope),
        "trap" => trap(walker, &args, command, scope),
        "alias" => alias(walker, &args, command, scope),
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            declare(walker, &args, command.context, scope)
        }
        "read" | "printf" | "mapfile" | "readarray" | "getopts" | "let" | "unset" | "wait" | "test" | "[" => {
            names(walker, &name, &args, command, scope);
        }
        "complete" | "bind" | "enable" | "hash" | "fc" if !args.is_empty() => {
            walker.doubt(format!("`{name}` can run or replace commands"))
        }
        "shopt" if args.iter().any(|arg| arg.text == "expand_aliases") => {
            walker.doubt("aliases are switched on")
        }
        _ => {}
    }
}

/// One place and no option is understood; anything else may lead anywhere, or fail.
fn change_directory(args: &[Word], scope: &mut Scope) {
    let args: Vec<&Word> = args.iter().filter(|arg| !matches!(arg.text.as_str(), "-L" | "--")).collect();
    match args.as_slice() {
        [target] if !target.text.starts_with(['-', '+']) => scope.try_directory(target),
        _ => scope.lose_directory(),
    }
}

fn set(walker: &mut Walker, args: &[Word], context: Context, scope: &mut Scope) {
    if args.iter().any(|arg| !arg.exact && arg.text.starts_with('$'))
        && args.first().is_none_or(|arg| arg.text != "--")
    {
        walker.doubt("the options of `set` are not known");
    }
    let mut args = args.iter().map(|arg| arg.text.as_str());
    while let Some(arg) = args.next() {
        let on = match arg.as_bytes() {
            [b'-', b'-', ..] => return,
            [b'-', ..] => true,
            [b'+', ..] => false,
            _ => return,
        };
        // An option that is switched on somewhere that may not run is not relied on.
        let on = on && context.runs;
        for letter in arg[1..].chars() {
            match letter {
                'e' => scope.errexit = on,
                'o' => match args.next() {
                    Some("errexit") => scope.errexit = on,
                    Some("pipefail") => scope.pipefail = on,
                    Some("noexec") => walker.hides_all = Some("the shell is told not to run anything"),
                    _ => {}
                },
                'n' => walker.hides_all = Some("the shell is told not to run anything"),
                _ => {}
            }
        }
    }
}

fn eval(walker: &mut Walker, args: &[Word], command: &Started, scope: &mut Scope) {
    let text = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let exact = args.iter().all(|arg| arg.exact);
    let context = command.inside(Via::Text).unseen("it stands in `eval`");
    walker.script_word(&Word { text, exact, glob: false }, context, scope);
    scope.forget_variables();
}

/// Scripts that set up a tool's environment, by the names that tools give them.
fn is_activation(path: &str) -> bool {
    ["bin/activate", ".cargo/env", "nvm.sh", "conda.sh", "emsdk_env.sh", "/etc/profile"]
        .iter()
        .any(|end| path.ends_with(end))
}

fn source(walker: &mut Walker, file: Option<&Word>, scope: &mut Scope) {
    let Some(file) = file else { return };
    if !is_activation(&file.text) {
        walker.doubt(format!("commands are read from `{}`", shorten(&file.text)));
    }
    scope.forget_variables();
}

fn trap(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let Some(body) = args.iter().find(|arg| !matches!(arg.text.as_str(), "--" | "-p" | "-l" | "-P")) else {
        return;
    };
    if matches!(body.text.as_str(), "" | "-") || args.len() < 2 {
        return;
    }
    walker.hides_all = Some("a trap may change the exit code");
    let context = command.inside(Via::Text).detached("it stands in a trap");
    walker.script_word(body, context, &mut scope.clone());
}

fn alias(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    for arg in args {
        if let Some((name, body)) = arg.text.split_once('=') {
            walker.aliases.push(name.to_owned());
            let body = Word { text: body.to_owned(), ..arg.clone() };
            let context = command.inside(Via::Text).detached("it stands in an alias");
            walker.script_word(&body, context, &mut scope.clone());
        }
    }
}

fn declare(walker: &mut Walker, args: &[Word], context: Context, scope: &mut Scope) {
    if args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(['n', 'i', 'u', 'l', 'a', 'A'])) {
        scope.forget_variables();
        return;
    }
    for arg in args {
        walker.subscript(&arg.text, context, scope);
        // What is given to an array later is read as a list, and its substitutions run.
        if arg.text.contains("=(") {
            walker.doubt("an array is declared");
        }
        if let Some((name, value)) = arg.text.split_once('=') {
            let value = Word { text: value.to_owned(), ..arg.clone() };
            walker.assign_all(&[Assignment { name: name.to_owned(), value }], scope);
        }
    }
}

/// Builtins that take variable names, numbers or callbacks.
fn names(walker: &mut Walker, name: &str, args: &[Word], command: &Started, scope: &mut Scope) {
    if !matches!(name, "test" | "[" | "wait")
        && (name != "printf" || args.first().is_some_and(|arg| arg.text == "-v"))
    {
        scope.forget_variables();
    }
    if matches!(name, "read" | "mapfile" | "readarray" | "getopts") {
        args.iter().for_each(|arg| walker.tied_name(&arg.text));
    }
    if name != "printf" || args.first().is_some_and(|arg| arg.text.starts_with("-v")) {
        for arg in args {
            walker.subscript(&arg.text, command.inside(Via::Text), scope);
        }
    }
    let asks_name = |option: &str| match name {
        "test" | "[" => matches!(option, "-v" | "-R"),
        "wait" => option == "-p",
        _ => false,
    };
    for pair in args.windows(2).filter(|pair| asks_name(&pair[0].text)) {
        walker.variable_name(&pair[1]);
    }
    let callback = args.windows(2).find(|pair| pair[0].text == "-C").map(|pair| &pair[1]);
    if let ("mapfile" | "readarray", Some(callback)) = (name, callback) {
        let context = command.inside(Via::Text).detached("it is a callback");
        walker.script_word(callback, context, &mut scope.clone());
    }
}

impl Walker {
    /// Assignments that stay: `name=value` alone, or through `export`.
    pub(super) fn assign_all(&mut self, assignments: &[Assignment], scope: &mut Scope) {
        for Assignment { name, value } in assignments {
            let plain = name.split('[').next().unwrap_or(name);
            if matches!(plain, "IFS" | "HOME" | "PWD" | "OLDPWD" | "CDPATH") {
                self.doubt(format!("`{plain}` is changed"));
            }
            self.tied_name(plain);
            if value.exact && (value.text.contains("$(") || value.text.contains('`')) {
                self.doubt("a variable holds a substitution as text");
            }
            self.loading_variable(plain, value);
            scope.assign_word(name, value);
        }
    }

    /// In zsh, which may be the shell at hand, these small names are the folders in which programs are looked for.
    pub(super) fn tied_name(&mut self, name: &str) {
        if matches!(name, "path" | "fpath" | "cdpath" | "module_path") {
            self.doubt(format!("in zsh `{name}` says where programs are"));
        }
    }

    /// Assignments in front of a program can make it run others.
    pub(super) fn environment(&mut self, assignment: &Assignment, context: Context, scope: &Scope) {
        let Assignment { name, value } = assignment;
        self.loading_variable(name, value);
        if COMMAND_VARIABLES.contains(&name.as_str()) && !value.text.is_empty() {
            self.script_word(value, context.detached("another program starts it"), &mut scope.clone());
        }
    }

    fn loading_variable(&mut self, name: &str, value: &Word) {
        let loads = match name {
            "PATH" => !is_ordinary_path(&value.text),
            "NODE_OPTIONS" => ["-r", "--require", "--import", "loader", "--eval", "-e "]
                .iter()
                .any(|flag| value.text.contains(flag)),
            // A file that a shell reads at its start; many projects use the name for `test` or `production`.
            "ENV" => !value.exact || value.text.contains(['/', '.']),
            name => {
                LOADING_VARIABLES.contains(&name)
                    || name.starts_with("GIT_CONFIG")
                    || name.starts_with("BASH_FUNC_")
            }
        };
        if loads && !(value.exact && value.text.is_empty()) {
            self.doubt(format!("`{name}` changes what programs do"));
        }
    }
}

/// Every part of a `PATH` is where programs usually are.
fn is_ordinary_path(value: &str) -> bool {
    value.split(':').all(|part| {
        matches!(part, "$PATH" | "${PATH}")
            || part.ends_with("node_modules/.bin")
            || part.ends_with("venv/bin")
            || [
                "/usr/", "/bin", "/sbin", "/opt/", "/nix/", "/snap/", "$HOME/", "${HOME}/", "~/", "/root/.",
                "/home/", "$(go env",
            ]
            .iter()
            .any(|start| part.starts_with(start))
    })
}
