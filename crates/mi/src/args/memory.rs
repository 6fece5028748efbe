//! What can be typed after `mi memory`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What the project learned by working: notes in .nexus/memory/
///
/// Keeps lessons that neither the code nor the web gives back, finds them again in any language, and forgets them in
/// commits that git can undo.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi memory save empirical-lock-order 'Take the plan lock before the task lock.'\n  mi memory search 'lock order'"
)]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub action: MemoryAction,
}

#[derive(Debug, Subcommand)]
pub enum MemoryAction {
    Save(SaveArgs),
    /// All notes by name
    #[command(after_help = "Example:\n  mi memory list")]
    List,
    /// One note whole; your own reading is not counted, only that of agents
    #[command(after_help = "Example:\n  mi memory show empirical-lock-order")]
    Show {
        name: String,
    },
    Search(SearchArgs),
    Gc(GcArgs),
    /// Which agent read which note, of all harnesses together
    #[command(after_help = "Example:\n  mi memory access")]
    Access,
    MergeLog(MergeLogArgs),
}

/// Keep a lesson: two to four words of a name, and what was learned
///
/// Where a note on the same topic exists, shows what would be added to it and writes nothing (exit 3) until you decide.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi memory save pattern-flaky-test-hunt 'Run it 200 times under load.' --tag tests --yes\n\nExit codes: 0 kept or there already, 3 needs your decision, 4 no memory (a secret, a copy, a rule, …)"
)]
pub struct SaveArgs {
    /// Such as `lock-order` or `empirical-lock-order.md`; no dates, no versions
    pub name: String,
    /// What was learned, in Markdown; `-` reads standard input
    #[arg(value_name = "TEXT", required_unless_present = "file")]
    pub text: Option<String>,
    /// Take the text from a file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// A tag for the first line; may be given again
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// A prefix for the name: empirical, external, pattern or your own
    #[arg(long, value_name = "CATEGORY")]
    pub category: Option<String>,
    /// Add it to the note that overlaps most, or to this one
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, conflicts_with_all = ["new", "yes"])]
    pub merge: Option<Option<String>>,
    /// Make a note of its own although others overlap
    #[arg(long, conflicts_with = "yes")]
    pub new: bool,
    /// Do what the preview proposes
    #[arg(long, short)]
    pub yes: bool,
    /// Show what would happen, write nothing
    #[arg(long, conflicts_with_all = ["merge", "new", "yes"])]
    pub dry_run: bool,
    /// Keep it although a rule says that it is no memory; never overrides secrets
    #[arg(long)]
    pub force: bool,
}

/// Find in all memories: notes, context, rules, finished cycles and what mi learned from you
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi memory search 'lock order'\n  mi memory search 锁的顺序 --in memory,history"
)]
pub struct SearchArgs {
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Only in these: memory, context, rules, learned, cards, history
    #[arg(long = "in", value_name = "SOURCE", value_delimiter = ',', value_parser = ["memory", "context", "rules", "learned", "cards", "history"])]
    pub sources: Vec<String>,
    /// At most this many
    #[arg(short, value_name = "N", default_value_t = 10)]
    pub n: usize,
}

/// Forget notes: shows how each is used; deletes only what you name
///
/// Every deletion is a git commit of its own whose message has the command that brings the note back.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi memory gc\n  mi memory gc --delete empirical-lock-order\n  mi memory gc --merge lock-order lock-readers"
)]
pub struct GcArgs {
    /// Delete these notes
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub delete: Vec<String>,
    /// Add the second note to the first and delete the second
    #[arg(long, value_names = ["INTO", "FROM"], num_args = 2, conflicts_with_all = ["delete", "auto"])]
    pub merge: Vec<String>,
    /// Delete what all three signals of memory.gc say is stale; must be switched on in your config
    #[arg(long, conflicts_with = "delete")]
    pub auto: bool,
    /// Show what would be deleted, delete nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Merge two memory-access.jsonl by path, counts added; prints the result
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi memory merge-log one.jsonl two.jsonl --out both.jsonl")]
pub struct MergeLogArgs {
    pub first: PathBuf,
    pub second: PathBuf,
    /// Write the result to a new file instead
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
