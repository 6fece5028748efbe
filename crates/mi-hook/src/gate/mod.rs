//! The gate on this machine: rules of the user and the project, facts of the disk, what the person approved.
//!
//! [`Gate::decide`] only looks. [`decide_action`] also asks the session (override, acknowledgement) and writes down what
//! it answered; hooks use it, and so does `mi gate check --state`.
//! Holds: files that cannot be read make the answer stricter, never milder; a project's rules are those of the git root
//! above the action's own folder.
//! Elsewhere: deciding is `mi-gate`, which is pure; a harness's JSON is the rest of this crate.

mod action;
mod calls;
mod disk;
mod permits;
mod records;
mod rules;
mod session;

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

use mi_gate::permission::{Action, Context, Decision, Permit, RuleSet, decide};

pub use action::{Asking, Call, Ruling, decide_action, decide_asking};
pub use disk::{Disk, git_root};
pub use permits::{PermitError, PermitLine, Permits, Standing};
pub use records::{OFTEN, Outcome, Overridden, Records};
pub use session::{Heard, Session, SessionError, Speaker, Waiting, hear_once};

/// Where the gate stands. Whoever reads the environment fills it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The home of `mi`; without one there are no rules of the user and nothing is kept.
    pub home: Option<PathBuf>,
    /// The person's home folder, for `~`.
    pub user_home: Option<PathBuf>,
    pub persona: Option<PathBuf>,
    pub member: Option<String>,
    /// The folder of actions that name none.
    pub cwd: PathBuf,
    /// Files of rules besides the usual ones.
    pub rules: Vec<PathBuf>,
}

/// Rules and facts, read once and used for any number of actions.
pub struct Gate {
    cwd: String,
    home: Option<PathBuf>,
    user_home: Option<String>,
    persona: Option<String>,
    member: Option<String>,
    own_folders: Vec<String>,
    records: Option<String>,
    standing: Standing,
    shared: Vec<RuleSet>,
    /// The sets that hold in a project, by its root.
    projects: RefCell<BTreeMap<PathBuf, Rc<[RuleSet]>>>,
    /// What could not be read; each is told once.
    problems: RefCell<Vec<String>>,
}

/// Files of `mi` that decide what a tool may do.
const OWN: [&str; 6] = ["config.toml", "gate.yaml", "hooks", "mindspec", "projects", "heads"];

impl Gate {
    /// Reads the rules of the user and what the person permitted.
    pub fn open(place: Surroundings) -> Self {
        let cwd = real(&place.cwd);
        let home = place.home.as_deref().map(real);
        let mut problems = Vec::new();
        let standing = home.as_deref().map(Permits::read).unwrap_or_default();
        problems.extend(standing.problem.clone());
        let shared = rules::of_user(home.as_deref(), &place.rules);
        problems.extend(shared.iter().filter_map(rules::problem));
        Self {
            cwd: text(&cwd),
            own_folders: home.iter().flat_map(|home| OWN.map(|name| text(&home.join(name)))).collect(),
            records: home.as_deref().map(|home| text(&home.join("gate"))),
            home,
            user_home: place.user_home.as_deref().map(text),
            persona: place
                .persona
                .as_deref()
                .filter(|folder| folder.is_dir())
                .map(|folder| text(&real(folder))),
            member: place.member,
            standing,
            shared,
            projects: RefCell::default(),
            problems: RefCell::new(problems),
        }
    }

    /// The same gate with one more set of rules.
    #[must_use]
    pub fn with_rules(mut self, set: RuleSet) -> Self {
        self.problems.get_mut().extend(rules::problem(&set));
        self.shared.push(set);
        self.projects.get_mut().clear();
        self
    }

    /// Decides about one action and writes nothing down.
    pub fn decide(&self, action: &Action, actor: Option<&str>) -> Decision {
        let cwd = action.cwd.as_deref().filter(|cwd| cwd.starts_with('/')).unwrap_or(&self.cwd);
        let sets = self.rule_sets(Path::new(cwd));
        decide(action, &self.context(&sets, actor))
    }

    /// The files of rules that hold in a folder: the user's, those that were named, the project's.
    pub fn rule_sets(&self, folder: &Path) -> Rc<[RuleSet]> {
        let root = fs::canonicalize(folder).ok().and_then(|folder| git_root(&folder));
        let root = root.unwrap_or_else(|| folder.to_path_buf());
        if let Some(known) = self.projects.borrow().get(&root) {
            return Rc::clone(known);
        }
        let own = rules::of_project(&root, self.home.as_deref());
        self.problems.borrow_mut().extend(own.iter().filter_map(rules::problem));
        let sets: Rc<[RuleSet]> = self.shared.iter().cloned().chain(own).collect();
        self.projects.borrow_mut().insert(root, Rc::clone(&sets));
        sets
    }

    /// What could not be read since this was last asked.
    pub fn take_problems(&self) -> Vec<String> {
        self.problems.take()
    }

    /// What the person made of rules.
    pub fn permits(&self) -> &[Permit] {
        &self.standing.permits
    }

    /// Why nothing can be made milder: changes are missing from what the person permitted.
    pub fn lost_permits(&self) -> Option<&str> {
        self.standing.problem.as_deref().filter(|_| self.standing.is_lost)
    }

    /// The home of `mi`, if there is one.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    fn context<'a>(&'a self, sets: &'a [RuleSet], actor: Option<&'a str>) -> Context<'a> {
        Context {
            actor,
            cwd: Some(&self.cwd),
            home: self.user_home.as_deref(),
            persona: self.persona.as_deref(),
            member: self.member.as_deref(),
            own_folders: &self.own_folders,
            records: self.records.as_deref(),
            permits: &self.standing.permits,
            lost_permits: self.lost_permits(),
            ..Context::new(sets, &Disk)
        }
    }
}

/// Links followed as far as something is there.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .unwrap_or_else(|_| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
