//! Whether a tool call may run (D.17, D.19): allow, prompt or deny, with the rule and the reason.
//!
//! [`decide`] is the sole maker of a [`Decision`]. Calls become parts ([`call`]), each part is asked against built-in
//! rules, the user's and the project's; the strictest match decides, and the strictest part decides the call.
//! Holds: allow is a closed list; what is not understood prompts; a rule that cannot be evaluated denies.
//! Elsewhere: facts of the machine come through [`World`]; a harness's own JSON is `mi-hook`'s.

mod arithmetic;
mod around;
mod builtin;
mod call;
mod decide;
mod facts;
mod git;
mod glob;
mod grant;
mod json;
mod leaks;
mod links;
mod matching;
mod patch;
mod paths;
mod readers;
mod rules;
mod shell;
mod transition;
mod variables;
mod work;
mod world;

#[cfg(test)]
mod tests;

pub use builtin::{BuiltinRule, builtin_rules};
pub use call::{Action, ActionError, opencode_tool};
pub use decide::{Context, Decision, Part, Verdict, decide};
pub use facts::{DEFAULT_RULES, DefaultRule};
pub use glob::Glob;
pub use grant::{Grant, action_digest};
pub use json::{JsonError, read_json};
pub use rules::{Examples, Layer, LoadError, Matcher, Rule, RuleSet, Words, load, load_or_guard};
pub use transition::{History, Permit, Refusal, is_fixed, transition, transition_of};
pub use world::{Entry, EntryKind, FileText, GitSettings, NoWorld, World};
