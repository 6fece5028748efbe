//! Walks the syntax tree in the order of execution and collects commands, scope and what the exit code tells.

use brush_parser::ast::{
    AndOr, AndOrList, Command, CompoundCommand, CompoundList, IfClauseCommand, Pipeline, SeparatorOperator,
};

use super::heredocs::Document;
use super::scope::Scope;
use super::types::{Analysis, Connector, Place, Redirect, SimpleCommand, Via, Visibility, Word};
use super::{MAX_COMMANDS, MAX_DEPTH, MAX_SCRIPT_BYTES, exits, fallback, heredocs, parse, plain, words};

/// Here-documents and here-strings in one script; a person reads no more.
const MAX_DOCUMENTS: usize = 100;
/// Values of a loop that are gone through one by one.
const MOST_ROUNDS: usize = 12;
const LOST_IN_PIPE: &str = "it is piped, and the pipe reports the exit code of its last command";

/// What is known about a node from the nodes around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// Exit 0 of the whole script implies that this node ran and ended with 0.
    pub(super) zero: bool,
    /// Exit 0 of the whole script implies that this node ran.
    pub(super) runs: bool,
    /// Exit 0 of the whole script implies that the shell around this node ended with 0.
    pub(super) shell_zero: bool,
    /// `set -e` counts here (it does not in conditions).
    pub(super) errexit_counts: bool,
    /// Why `zero` is false.
    pub(super) why: &'static str,
    pub(super) via: Via,
    pub(super) parent: Option<usize>,
    pub(super) place: Place,
    pub(super) depth: u8,
}

impl Context {
    fn start() -> Self {
        let place = Place {
            pipeline: 0,
            position: 0,
            length: 1,
            connector: Connector::Start,
            background: false,
            negated: false,
        };
        Self {
            zero: true,
            runs: true,
            shell_zero: true,
            errexit_counts: true,
            why: "",
            via: Via::Script,
            parent: None,
            place,
            depth: 0,
        }
    }

    /// The node may run, but the script's exit code does not speak for it.
    pub(super) fn unseen(self, why: &'static str) -> Self {
        Self { zero: false, why: if self.zero { why } else { self.why }, ..self }
    }

    /// The node may not even run.
    pub(super) fn uncertain(self, why: &'static str) -> Self {
        Self { runs: false, ..self.unseen(why) }
    }

    /// Cut off: neither its code nor that of its shell reaches the script.
    pub(super) fn detached(self, why: &'static str) -> Self {
        Self { shell_zero: false, ..self.uncertain(why) }
    }

    fn condition(self) -> Self {
        Self { errexit_counts: false, ..self }
    }

    /// In a shell process of its own.
    pub(super) fn forked(self) -> Self {
        Self { shell_zero: self.zero, ..self }
    }

    pub(super) fn inside(self, via: Via, parent: Option<usize>) -> Self {
        Self { via, parent, depth: self.depth.saturating_add(1), ..self }
    }
}

/// What a command reads as its standard input, if the script says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    Inherited,
    Text(String),
    /// From a pipe or a file: unknown.
    Unknown,
}

/// Collects an analysis.
#[derive(Default)]
pub(super) struct Walker {
    pub(super) analysis: Analysis,
    pub(super) aliases: Vec<String>,
    /// Some function leads elsewhere; which one calls which is not followed.
    pub(super) functions_move: bool,
    /// Something that takes the meaning out of every exit code.
    pub(super) hides_all: Option<&'static str>,
    /// Inside of a loop that is read once for each value.
    unrolling: bool,
    /// Here-documents that were taken out, and how many were found in their place again.
    pub(super) documents: Vec<Document>,
    pub(super) documents_placed: usize,
    read_bytes: usize,
    pipelines: u32,
}

impl Walker {
    pub(super) fn analyze(script: &str) -> Analysis {
        let mut walker = Self::default();
        walker.script(script, Context::start(), &mut Scope::default());
        walker.finish()
    }

    fn finish(mut self) -> Analysis {
        self.find_links();
        let hides_all = self.hides_all;
        let functions = &self.analysis.functions;
        for command in &mut self.analysis.commands {
            let shadowed =
                functions.contains(&command.program_path) || self.aliases.contains(&command.program_path);
            let why = match (hides_all, shadowed) {
                (Some(why), _) => why,
                (None, true) => "the script gives this name another meaning",
                (None, false) => continue,
            };
            command.visibility = Visibility::Hidden { why: why.to_owned() };
        }
        self.analysis.understood = self.analysis.reasons.is_empty();
        self.analysis
    }

    /// Writing through a link that the script itself made goes elsewhere than it says.
    fn find_links(&mut self) {
        let mut links: Vec<String> = Vec::new();
        for command in &self.analysis.commands {
            let operands: Vec<&str> = command.arg_texts().filter(|text| !text.starts_with('-')).collect();
            if let ("ln", [target, .., name]) = (command.program.as_str(), operands.as_slice()) {
                links.extend([
                    (*name).to_owned(),
                    format!("{name}/{}", target.rsplit('/').next().unwrap_or_default()),
                ]);
            }
        }
        let through = |target: &Word| {
            links.iter().any(|link| target.text == *link || target.text.starts_with(&format!("{link}/")))
        };
        let written = |command: &SimpleCommand| {
            command.redirects.iter().map(|redirect: &Redirect| &redirect.target).any(through)
                || (command.program != "ln" && command.args.iter().any(through))
        };
        if !links.is_empty() && self.analysis.commands.iter().any(written) {
            self.doubt("a link made by the script is used by it");
        }
    }

    /// Notes that a part of the script was left out because it is too long or nested too deep.
    pub(super) fn doubt_limit(&mut self, reason: &str) {
        self.analysis.exceeds_limits = true;
        self.doubt(reason);
    }

    /// Notes why the script is not understood.
    pub(super) fn doubt(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if self.analysis.reasons.len() < 16 && !self.analysis.reasons.contains(&reason) {
            self.analysis.reasons.push(reason);
        }
    }

    /// Reads a script of its own.
    pub(super) fn script(&mut self, text: &str, context: Context, scope: &mut Scope) {
        self.read_bytes = self.read_bytes.saturating_add(text.len());
        if context.depth > MAX_DEPTH {
            return self.doubt_limit("scripts are nested too deep");
        }
        if self.read_bytes > MAX_SCRIPT_BYTES {
            self.doubt_limit("the script is too long");
            return fallback::read(self, text, context);
        }
        if heredocs::is_forged(text) {
            self.doubt("the script holds marks of the analysis");
            return fallback::read(self, text, context);
        }
        if text.matches("<<").nth(MAX_DOCUMENTS).is_some() {
            self.doubt_limit("too many here-documents");
        }
        if self.read_by_plain_shell(context) && plain::needs_bash(text) {
            self.doubt("a shell other than bash reads this otherwise");
        }
        // A document that is read twice is placed twice, so there may be more places than documents.
        let missing = self.documents.len().wrapping_sub(self.documents_placed);
        let plain = heredocs::take_out(text, &mut self.documents);
        match parse::parse(&plain) {
            Ok(program) => {
                let items: Vec<_> = program.complete_commands.iter().flat_map(|list| &list.0).collect();
                self.items(&items, context, scope);
                if self.documents.len().wrapping_sub(self.documents_placed) != missing {
                    self.doubt("a here-document is not where the parser looks for it");
                    fallback::read(self, text, context);
                }
            }
            Err(error) => {
                self.doubt(error.to_string());
                fallback::read(self, text, context);
            }
        }
    }

    /// Reads a substitution: part of a text that was checked as a whole.
    fn substitution(&mut self, nested: &words::Nested, context: Context, scope: &Scope) {
        self.read_bytes = self.read_bytes.saturating_add(nested.script.len());
        if context.depth > MAX_DEPTH || self.read_bytes > 2 * MAX_SCRIPT_BYTES {
            return self.doubt_limit("scripts are nested too deep");
        }
        let mut scope = scope.clone();
        scope.errexit = false;
        let plain = heredocs::take_out(&nested.script, &mut self.documents);
        match parse::parse(&plain) {
            Ok(program) => {
                let items: Vec<_> = program.complete_commands.iter().flat_map(|list| &list.0).collect();
                self.items(&items, context.forked(), &mut scope);
            }
            Err(error) => {
                self.doubt(error.to_string());
                fallback::read(self, &nested.script, context);
            }
        }
    }

    /// Reads the substitutions of a command's words; the last one's code may be the command's own.
    pub(super) fn substitutions(
        &mut self,
        nested: &[words::Nested],
        context: Context,
        parent: Option<usize>,
        last_counts: bool,
        scope: &Scope,
    ) {
        for (index, one) in nested.iter().enumerate() {
            let via = if one.process { Via::ProcessSubstitution } else { Via::Substitution };
            let inner = if last_counts && !one.process && index + 1 == nested.len() {
                context
            } else {
                context.detached("it runs inside a substitution")
            };
            self.substitution(one, inner.inside(via, parent), scope);
        }
    }

    pub(super) fn list(&mut self, list: &CompoundList, context: Context, scope: &mut Scope) {
        let items: Vec<_> = list.0.iter().collect();
        self.items(&items, context, scope);
    }

    fn items(&mut self, items: &[&brush_parser::ast::CompoundListItem], context: Context, scope: &mut Scope) {
        let lists: Vec<&AndOrList> = items.iter().map(|item| &item.0).collect();
        let forwarded = exits::forwarded(&lists);
        let mut context = context;
        let mut connector = context.place.connector;
        for (index, item) in items.iter().enumerate() {
            let background = matches!(item.1, SeparatorOperator::Async);
            let decides = forwarded == Some(index)
                || (scope.errexit && context.errexit_counts && exits::aborts(&item.0));
            let mut inner = if background {
                context.detached("it runs in the background")
            } else if decides && context.runs && context.shell_zero {
                Context { zero: true, ..context }
            } else if index + 1 == items.len() {
                context
            } else {
                context.unseen("another command follows it, and only the last exit code is reported")
            };
            inner.place.connector = connector;
            inner.place.background |= background;
            scope.settle();
            if background {
                self.and_or(&item.0, inner, &mut scope.clone());
            } else {
                self.and_or(&item.0, inner, scope);
            }
            if exits::may_end(&item.0) && index + 1 < items.len() {
                context = context.uncertain("the script may end before it");
            }
            connector = if background { Connector::Background } else { Connector::Sequence };
        }
    }

    fn and_or(&mut self, list: &AndOrList, context: Context, scope: &mut Scope) {
        let mut contexts = vec![context];
        let mut current = context;
        // From the right: `a && b` needs both; `a || exit 1` needs a; any other `||` leaves both open.
        for part in list.additional.iter().rev() {
            let (left, right) = match part {
                AndOr::And(_) => (current.condition(), current),
                AndOr::Or(right) if exits::always_fails(right, true) => {
                    let survives = current.runs && current.shell_zero;
                    (
                        Context { zero: survives, ..current }.condition(),
                        current.uncertain("it runs only if another command fails"),
                    )
                }
                AndOr::Or(right) if exits::always_fails(right, false) => {
                    (current.condition(), current.uncertain("it runs only if another command fails"))
                }
                AndOr::Or(_) => {
                    let left = current.unseen("`||` hides its exit code").condition();
                    (left, current.uncertain("it runs only if another command fails"))
                }
            };
            contexts.push(right);
            current = left;
        }
        contexts[0] = current;
        contexts[1..].reverse();
        self.pipeline(&list.first, contexts[0], scope);
        if list.additional.is_empty() {
            return;
        }
        // What holds wherever the list may have stopped so far.
        let mut common = scope.clone();
        let mut left = &list.first;
        for (part, mut context) in list.additional.iter().zip(contexts.into_iter().skip(1)) {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = part;
            let is_and = matches!(part, AndOr::And(_));
            context.place.connector = if is_and { Connector::And } else { Connector::Or };
            if is_and && !left.bang {
                scope.succeeded();
            } else {
                scope.keep_common(&common);
            }
            // Behind `||` it may have been left out when the next one runs.
            let without = (!is_and).then(|| scope.clone());
            self.pipeline(pipeline, context, scope);
            if let Some(without) = without {
                scope.keep_common(&without);
            }
            common.keep_common(scope);
            left = pipeline;
        }
        scope.keep_common(&common);
    }

    fn pipeline(&mut self, pipeline: &Pipeline, context: Context, scope: &mut Scope) {
        self.pipelines += 1;
        let length = pipeline.seq.len();
        let mut context = context;
        if pipeline.bang {
            context = context.unseen("it is negated").condition();
        }
        context.place = Place {
            pipeline: self.pipelines,
            length: length.min(usize::from(u16::MAX)) as u16,
            negated: pipeline.bang,
            ..context.place
        };
        if let [only] = pipeline.seq.as_slice() {
            self.command(only, Input::Inherited, context, scope);
            return;
        }
        let mut input = Input::Inherited;
        for (position, command) in pipeline.seq.iter().enumerate() {
            let lost = position + 1 < length && !scope.pipefail;
            let mut inner = if lost { context.unseen(LOST_IN_PIPE) } else { context }.forked();
            inner.place.position = position.min(usize::from(u16::MAX)) as u16;
            let first = self.analysis.commands.len();
            self.command(command, input, inner, &mut scope.clone());
            input = self.output_of(first);
        }
    }

    fn command(&mut self, command: &Command, input: Input, context: Context, scope: &mut Scope) {
        if self.analysis.commands.len() >= MAX_COMMANDS {
            return self.doubt_limit("too many commands");
        }
        match command {
            Command::Simple(simple) => self.simple(simple, input, context, scope),
            Command::Function(function) => {
                self.analysis.functions.push(function.fname.value.clone());
                if function.fname.value == "command_not_found_handle" {
                    self.hides_all = Some("missing programs are handled by the script");
                }
                let mut scope = Scope::elsewhere();
                let inner = context.detached("it stands in a function").inside(Via::Function, context.parent);
                let first = self.analysis.commands.len();
                self.compound(&function.body.0, inner, &mut scope);
                let moves = |command: &SimpleCommand| {
                    matches!(command.program.as_str(), "cd" | "pushd" | "popd" | "source" | ".")
                };
                self.functions_move |= self.analysis.commands[first..].iter().any(moves);
                self.redirects_alone(function.body.1.as_ref(), inner, &scope);
            }
            Command::Compound(compound, redirects) => {
                self.compound(compound, context, scope);
                self.redirects_alone(redirects.as_ref(), context, scope);
            }
            Command::ExtendedTest(test, redirects) => {
                self.extended_test(&test.expr, context, scope);
                self.redirects_alone(redirects.as_ref(), context, scope);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, context: Context, scope: &mut Scope) {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, context, scope),
            CompoundCommand::Subshell(shell) => {
                self.list(
                    &shell.list,
                    context.forked().inside(Via::Subshell, context.parent),
                    &mut scope.clone(),
                );
            }
            CompoundCommand::IfClause(clause) => self.if_clause(clause, context, scope),
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                scope.forget_variables();
                let inner = context.uncertain("it stands in a loop");
                let before = scope.clone();
                self.list(&clause.0, inner.condition(), scope);
                self.list(&clause.1.list, inner, scope);
                self.ends_where_it_began(&before, scope);
                scope.keep_common(&before);
            }
            CompoundCommand::ForClause(clause) => {
                let mut values = Vec::new();
                for word in clause.values.iter().flatten() {
                    let expansion = words::expand(&word.value, scope);
                    self.substitutions(&expansion.nested, context, context.parent, false, scope);
                    values.extend(expansion.words);
                }
                self.for_clause(&clause.variable_name, &values, &clause.body.list, context, scope);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater].into_iter().flatten() {
                    self.arithmetic(&part.value, context, scope);
                }
                self.for_clause("", &[], &clause.body.list, context, scope);
            }
            CompoundCommand::CaseClause(clause) => {
                let (_, nested) = words::expand_single(&clause.value.value, scope);
                self.substitutions(&nested, context, context.parent, false, scope);
                let before = scope.clone();
                for case in &clause.cases {
                    for pattern in &case.patterns {
                        let (_, nested) = words::expand_single(&pattern.value, scope);
                        self.substitutions(&nested, context, context.parent, false, scope);
                    }
                    if let Some(list) = &case.cmd {
                        self.list(list, context.uncertain("it stands in a branch"), scope);
                        scope.keep_common(&before);
                    }
                }
            }
            CompoundCommand::Coprocess(coprocess) => {
                // Bash writes a substitution anew before it reads it, and then takes the first word for a name.
                self.doubt("a coprocess is not understood");
                let mut inner = context.detached("it runs in the background");
                inner.place.background = true;
                self.command(&coprocess.body, Input::Unknown, inner, &mut scope.clone());
            }
            CompoundCommand::Arithmetic(arithmetic) => {
                self.arithmetic(&arithmetic.expr.value, context, scope)
            }
        }
    }

    fn for_clause(
        &mut self,
        variable: &str,
        values: &[Word],
        body: &CompoundList,
        context: Context,
        scope: &mut Scope,
    ) {
        self.tied_name(variable);
        let certain = !values.is_empty() && values.iter().all(|word| word.exact && !word.glob);
        let inner = match values {
            [_] if certain => context,
            _ if certain => context.unseen("it stands in a loop"),
            _ => context.uncertain("it stands in a loop"),
        };
        scope.forget_variables();
        let before = scope.clone();
        let known = values.iter().all(|word| word.exact);
        if known && !self.unrolling && (2..=MOST_ROUNDS).contains(&values.len()) {
            self.rounds(variable, values, body, inner, scope);
            scope.keep_common(&before);
            return;
        }
        match values {
            [value] if known => assign_value(scope, variable, value),
            _ => {}
        }
        self.list(body, inner, scope);
        self.ends_where_it_began(&before, scope);
        scope.keep_common(&before);
    }

    /// A loop is read once: the next time around it must begin in the same folder.
    fn ends_where_it_began(&mut self, before: &Scope, after: &Scope) {
        if !before.is_unmoved(after) {
            self.doubt("a loop changes its folder");
        }
    }

    /// The body once for each value, in the order of the shell.
    fn rounds(
        &mut self,
        variable: &str,
        values: &[Word],
        body: &CompoundList,
        context: Context,
        scope: &mut Scope,
    ) {
        let placed = self.documents_placed;
        self.unrolling = true;
        for value in values {
            scope.forget_variables();
            assign_value(scope, variable, value);
            self.documents_placed = placed;
            let before = scope.clone();
            self.list(body, context, scope);
            // A pattern stands for any number of rounds.
            if value.glob {
                self.ends_where_it_began(&before, scope);
                scope.keep_common(&before);
            }
        }
        self.unrolling = false;
    }

    fn if_clause(&mut self, clause: &IfClauseCommand, context: Context, scope: &mut Scope) {
        let elses = clause.elses.as_deref().unwrap_or_default();
        let survives = context.runs && context.shell_zero;
        let negated = matches!(clause.condition.0.as_slice(), [only] if only.0.first.bang && only.0.additional.is_empty());
        let (mut condition, mut then) =
            (context.unseen("it is only a condition"), context.uncertain("it stands in a branch"));
        let mut bare = false;
        match elses {
            // `if X; then …; else exit 1; fi`
            [other]
                if other.condition.is_none() && exits::list_always_fails(&other.body, true) && !negated =>
            {
                condition = Context { zero: survives, ..context };
                then = context;
            }
            // `if ! X; then exit 1; fi`
            [] if negated && exits::list_always_fails(&clause.then, true) => {
                condition = Context { zero: survives, ..context };
                bare = true;
            }
            _ => {}
        }
        match clause.condition.0.as_slice() {
            [only] if bare => {
                let mut pipeline = only.0.first.clone();
                pipeline.bang = false;
                self.pipeline(&pipeline, condition.condition(), scope);
            }
            _ => self.list(&clause.condition, condition.condition(), scope),
        }
        let before = scope.clone();
        self.list(&clause.then, then, scope);
        scope.keep_common(&before);
        for other in elses {
            let inner = context.uncertain("it stands in a branch");
            if let Some(list) = &other.condition {
                self.list(list, inner.condition(), scope);
            }
            self.list(&other.body, inner, scope);
            scope.keep_common(&before);
        }
    }

    pub(super) fn arithmetic(&mut self, text: &str, context: Context, scope: &Scope) {
        self.substitutions(&words::substitutions(text), context, context.parent, false, scope);
    }
}

/// What a loop's variable holds: a text, or one of the names that a pattern stands for.
fn assign_value(scope: &mut Scope, variable: &str, value: &Word) {
    if value.glob {
        scope.assign_name(variable, &value.text);
    } else {
        scope.assign(variable, &value.text);
    }
}
