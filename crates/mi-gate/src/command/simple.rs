//! One simple command: its words, its redirects, and what hides behind its name.

use brush_parser::ast::{
    self, AssignmentValue, CommandPrefixOrSuffixItem, ExtendedTestExpr, IoFileRedirectKind,
    IoFileRedirectTarget, IoRedirect, RedirectList,
};

use super::scope::Scope;
use super::types::{Assignment, Redirect, RedirectKind, SimpleCommand, Via, Visibility, Word};
use super::walk::{Context, Input, Walker};
use super::words::{self, Nested};
use super::{MAX_COMMANDS, builtins, git, heredocs, interpreters, tables, wrappers};

/// The parts of a command after expansion.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) words: Vec<Word>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) redirects: Vec<Redirect>,
    nested: Vec<Nested>,
    /// Process substitutions that are files of a redirect or an argument.
    shells: Vec<ast::SubshellCommand>,
}

impl Parts {
    pub(super) fn of_words(words: Vec<Word>) -> Self {
        Self { words, ..Self::default() }
    }
}

impl Walker {
    pub(super) fn simple(
        &mut self,
        simple: &ast::SimpleCommand,
        input: Input,
        context: Context,
        scope: &mut Scope,
    ) {
        let mut parts = Parts::default();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, true, &mut parts, scope);
        }
        if let Some(name) = &simple.word_or_name {
            take_word(&name.value, &mut parts, scope);
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, false, &mut parts, scope);
        }
        let nested = std::mem::take(&mut parts.nested);
        let shells = std::mem::take(&mut parts.shells);
        let first = self.analysis.commands.len();
        let bare = parts.words.is_empty();
        // `cd $(pwd)/x`: what stands in the words runs before the command changes anything.
        let before = if nested.is_empty() { Scope::default() } else { scope.clone() };
        if bare {
            self.assign_all(&parts.assignments, scope);
            if !parts.redirects.is_empty() {
                self.push(parts, context, scope);
            }
        } else {
            self.run(parts, input, context, scope);
        }
        let parent = (self.analysis.commands.len() > first).then_some(first).or(context.parent);
        self.substitutions(&nested, context, parent, bare, &before);
        for shell in &shells {
            let inner =
                context.detached("it runs inside a substitution").inside(Via::ProcessSubstitution, parent);
            self.list(&shell.list, inner, &mut scope.clone());
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, prefix: bool, parts: &mut Parts, scope: &Scope) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, parts, scope),
            CommandPrefixOrSuffixItem::Word(word) => take_word(&word.value, parts, scope),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) if prefix => {
                self.assignment(assignment, &word.value, parts, scope)
            }
            CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                // Builtins like `export` do not split; for other programs it is a word like any other.
                let (value, nested) = words::expand_single(&word.value, scope);
                parts.words.push(value);
                parts.nested.extend(nested);
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, shell) => {
                parts.words.push(Word {
                    text: heredocs::unveiled(&format!("<{shell}")).into_owned(),
                    exact: false,
                    glob: false,
                });
                parts.shells.push(shell.clone());
            }
        }
    }

    fn assignment(&mut self, assignment: &ast::Assignment, raw: &str, parts: &mut Parts, scope: &Scope) {
        let name = assignment.name.to_string();
        parts.nested.extend(words::substitutions(&name));
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let (value, nested) = words::expand_single(&word.value, scope);
                parts.nested.extend(nested);
                Word { exact: value.exact && !assignment.append, ..value }
            }
            AssignmentValue::Array(_) => {
                parts.nested.extend(
                    words::expand_single(raw.split_once('=').map_or("", |(_, value)| value), scope).1,
                );
                Word { text: raw.to_owned(), exact: false, glob: false }
            }
        };
        parts.assignments.push(Assignment { name, value });
    }

    fn redirect(&mut self, redirect: &IoRedirect, parts: &mut Parts, scope: &Scope) {
        let file = |kind: RedirectKind, raw: &str, parts: &mut Parts| {
            let (target, nested) = words::expand_single(raw, scope);
            parts.nested.extend(nested);
            let target = Word { exact: target.exact && !target.glob, ..target };
            let name = words::one_name(raw, scope).filter(|_| kind == RedirectKind::Read);
            let target = name.unwrap_or(target);
            parts.redirects.push(Redirect { kind, target });
        };
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let kind = match kind {
                    IoFileRedirectKind::Read => RedirectKind::Read,
                    IoFileRedirectKind::Write | IoFileRedirectKind::Clobber => RedirectKind::Write,
                    IoFileRedirectKind::Append => RedirectKind::Append,
                    IoFileRedirectKind::ReadAndWrite => RedirectKind::ReadWrite,
                    IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput => {
                        RedirectKind::Duplicate
                    }
                };
                match target {
                    IoFileRedirectTarget::Filename(word) => {
                        if let Some(number) = heredocs::marked(&word.value) {
                            return self.document(number, parts);
                        }
                        file(kind, &word.value, parts);
                    }
                    IoFileRedirectTarget::Fd(number) => {
                        parts.redirects.push(Redirect {
                            kind: RedirectKind::Duplicate,
                            target: Word::exact(number.to_string()),
                        });
                    }
                    IoFileRedirectTarget::Duplicate(word) => {
                        let digits = word.value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                        // `>& file` writes a file.
                        file(
                            if digits { RedirectKind::Duplicate } else { RedirectKind::Write },
                            &word.value,
                            parts,
                        );
                    }
                    IoFileRedirectTarget::ProcessSubstitution(_, shell) => parts.shells.push(shell.clone()),
                }
            }
            IoRedirect::OutputAndError(word, append) => {
                file(if *append { RedirectKind::Append } else { RedirectKind::Write }, &word.value, parts);
            }
            IoRedirect::HereString(_, word) => {
                file(RedirectKind::Text, &word.value, parts);
            }
            // All of them were taken out: one that is left was not seen as such.
            IoRedirect::HereDocument(..) => self.doubt("a here-document is not understood"),
        }
    }

    /// Puts a here-document back in its place.
    fn document(&mut self, number: usize, parts: &mut Parts) {
        let Some(document) = self.documents.get(number) else { return };
        self.documents_placed += 1;
        let expands = document.expands && document.text.contains(['$', '`', '\\']);
        let target = Word { text: document.text.clone(), exact: !expands, glob: false };
        if !document.closed {
            self.doubt("a here-document does not end");
        }
        if expands {
            let nested = words::substitutions(&target.text);
            parts.nested.extend(nested);
        }
        parts.redirects.push(Redirect { kind: RedirectKind::Text, target });
    }

    /// Redirects of a compound command stand as a command without a program.
    pub(super) fn redirects_alone(
        &mut self,
        redirects: Option<&RedirectList>,
        context: Context,
        scope: &Scope,
    ) {
        let Some(redirects) = redirects else { return };
        let mut parts = Parts::default();
        for redirect in &redirects.0 {
            self.redirect(redirect, &mut parts, scope);
        }
        let nested = std::mem::take(&mut parts.nested);
        let shells = std::mem::take(&mut parts.shells);
        let parent = self.push(parts, context, scope);
        self.substitutions(&nested, context, parent, false, scope);
        for shell in &shells {
            let inner =
                context.detached("it runs inside a substitution").inside(Via::ProcessSubstitution, parent);
            self.list(&shell.list, inner, &mut scope.clone());
        }
    }

    pub(super) fn extended_test(&mut self, test: &ExtendedTestExpr, context: Context, scope: &Scope) {
        if self.read_by_plain_shell(context) {
            self.doubt("`[[` is a program's name in this shell");
        }
        let operands: Vec<&ast::Word> = match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.extended_test(left, context, scope);
                return self.extended_test(right, context, scope);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                return self.extended_test(inner, context, scope);
            }
            ExtendedTestExpr::UnaryTest(test, word) => {
                if is_name_test(test) {
                    self.variable_name(&words::expand_single(&word.value, scope).0);
                }
                vec![word]
            }
            ExtendedTestExpr::BinaryTest(_, left, right) => vec![left, right],
        };
        for word in operands {
            let (value, nested) = words::expand_single(&word.value, scope);
            self.subscript(&value.text, context, scope);
            self.substitutions(&nested, context, context.parent, false, scope);
        }
    }

    /// The text is for `sh` or `dash`, which take `[[ a > b ]]` for a program whose output goes to `b`.
    pub(super) fn read_by_plain_shell(&self, context: Context) -> bool {
        let parent = context.parent.and_then(|parent| self.analysis.commands.get(parent));
        matches!(context.via, Via::Text | Via::Input)
            && !parent
                .is_some_and(|parent| matches!(parent.program.as_str(), "bash" | "zsh" | "eval" | "trap"))
    }

    /// The name of a variable that is asked for, as in `-v NAME`: its subscript is computed, and that runs what it holds.
    pub(super) fn variable_name(&mut self, word: &Word) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let subscript = word.text.split_once('[').map(|(_, subscript)| subscript.trim_end_matches(']'));
        let known = match subscript {
            None => word.text.bytes().all(plain),
            Some("@" | "*") => true,
            Some(subscript) => subscript.bytes().all(|byte| byte.is_ascii_digit()),
        };
        if !word.exact || !known {
            self.doubt("the name of a variable is computed");
        }
    }

    /// A quoted array subscript is evaluated all the same by builtins that take variable names or numbers.
    pub(super) fn subscript(&mut self, text: &str, context: Context, scope: &Scope) {
        if text.contains('[') && (text.contains("$(") || text.contains('`')) {
            self.doubt("a subscript runs a command");
            self.substitutions(&words::substitutions(text), context, context.parent, false, scope);
        }
    }

    /// Adds a command as it stands; gives its index.
    pub(super) fn push(&mut self, parts: Parts, context: Context, scope: &Scope) -> Option<usize> {
        if self.analysis.commands.len() >= MAX_COMMANDS {
            self.doubt_limit("too many commands");
            return None;
        }
        let mut words = parts.words.into_iter();
        let name = words.next().map(|word| word.text).unwrap_or_default();
        let visibility =
            if context.zero { Visibility::Shown } else { Visibility::Hidden { why: context.why.to_owned() } };
        self.analysis.commands.push(SimpleCommand {
            program: base_name(&name).to_owned(),
            program_path: name,
            args: words.collect(),
            assignments: parts.assignments,
            redirects: parts.redirects,
            place: context.place,
            directory: scope.directory.clone(),
            other_directories: scope.other_directories(),
            parent: context.parent,
            via: context.via,
            bodies: Vec::new(),
            visibility,
        });
        Some(self.analysis.commands.len() - 1)
    }

    /// Adds a command with a program and everything that its name and options make run.
    pub(super) fn run(&mut self, parts: Parts, input: Input, context: Context, scope: &mut Scope) {
        let Some(name) = parts.words.first().cloned() else { return };
        self.check_name(&name);
        let assignments = parts.assignments.clone();
        let input = input_of(&parts.redirects).unwrap_or(input);
        let Some(index) = self.push(parts, context, scope) else { return };
        if context.depth > super::MAX_DEPTH {
            return self.doubt_limit("scripts are nested too deep");
        }
        for assignment in &assignments {
            self.environment(assignment, context.inside(Via::Text, Some(index)), scope);
        }
        if self.analysis.functions.contains(&name.text) {
            scope.forget_variables();
            if self.functions_move {
                scope.lose_directory();
            }
        }
        let command = Started { index, input, context };
        builtins::read(self, &command, scope);
        wrappers::read(self, &command, scope);
        interpreters::read(self, &command, scope);
        git::read(self, &command, scope);
        tables::read(self, &command, scope);
    }

    fn check_name(&mut self, name: &Word) {
        if !name.exact || name.glob && name.text != "[" && name.text != "[[" {
            self.doubt(format!("the command word `{}` is not known", shorten(&name.text)));
        }
        if RESERVED.contains(&name.text.as_str()) {
            self.doubt(format!("`{}` is no program", name.text));
        }
        if name.text.starts_with('=') || name.text.chars().any(|char| !char.is_ascii_graphic()) {
            self.doubt(format!("the command word `{}` has odd characters", shorten(&name.text)));
        }
    }

    /// The text that the pipeline's next command reads, if the commands from `first` on just print it.
    pub(super) fn output_of(&self, first: usize) -> Input {
        let [command] = self.analysis.commands.get(first..).unwrap_or_default() else {
            return Input::Unknown;
        };
        if !command.args.iter().all(|word| word.exact && !word.glob) {
            return Input::Unknown;
        }
        let args: Vec<&str> = command.arg_texts().collect();
        match (command.program.as_str(), args.as_slice()) {
            ("echo", ["-n" | "-e" | "-ne" | "-en", rest @ ..] | rest) => {
                Input::Text(format!("{}\n", rest.join(" ").replace("\\n", "\n")))
            }
            ("printf", [text]) => Input::Text(text.replace("\\n", "\n")),
            ("printf", ["%s" | "%s\\n", rest @ ..]) => Input::Text(rest.join("\n")),
            ("cat", [] | ["-"]) => input_of(&command.redirects).unwrap_or(Input::Unknown),
            _ => Input::Unknown,
        }
    }
}

/// A command that was added, with what is needed to look behind its name.
pub(super) struct Started {
    pub(super) index: usize,
    pub(super) input: Input,
    pub(super) context: Context,
}

impl Started {
    pub(super) fn inside(&self, via: Via) -> Context {
        self.context.inside(via, Some(self.index))
    }
}

impl Walker {
    pub(super) fn program(&self, started: &Started) -> &str {
        &self.analysis.commands[started.index].program
    }

    pub(super) fn args(&self, started: &Started) -> Vec<Word> {
        self.analysis.commands[started.index].args.clone()
    }

    /// Reads a word as a script; one that is not known is read as written and doubted.
    pub(super) fn script_word(&mut self, word: &Word, context: Context, scope: &mut Scope) {
        if !word.exact {
            self.doubt(format!("the script `{}` is not known", shorten(&word.text)));
        }
        self.script(&word.text, context, scope);
    }
}

fn take_word(raw: &str, parts: &mut Parts, scope: &Scope) {
    let expansion = words::expand(raw, scope);
    parts.words.extend(expansion.words);
    parts.nested.extend(expansion.nested);
}

fn input_of(redirects: &[Redirect]) -> Option<Input> {
    let last = redirects.iter().rev().find(|redirect| {
        matches!(redirect.kind, RedirectKind::Text | RedirectKind::Read | RedirectKind::ReadWrite)
    })?;
    Some(match last.kind {
        RedirectKind::Text if last.target.exact => Input::Text(last.target.text.clone()),
        _ => Input::Unknown,
    })
}

/// Words of the grammar that end up as a program's name only where the parser lost its way, as in `! time ! ls`.
const RESERVED: [&str; 18] = [
    "!", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "select", "then", "until", "while",
];

/// The name without its directory.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// At most forty characters, for messages.
pub(super) fn shorten(text: &str) -> String {
    mi_model::shorten(text, 40)
}

/// `-v` and `-R`.
fn is_name_test(test: &ast::UnaryPredicate) -> bool {
    matches!(
        test,
        ast::UnaryPredicate::ShellVariableIsSetAndAssigned
            | ast::UnaryPredicate::ShellVariableIsSetAndNameRef
    )
}
