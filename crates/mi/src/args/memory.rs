//! Arguments of `mi memory`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Save, search and delete the notes in .nexus/memory/
///
/// Notes are lessons that neither the code nor the web gives you. Search works in any language. Each deletion is a commit
/// that git can revert.
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
    /// List the notes by name
    #[command(after_help = "Example:\n  mi memory list")]
    List,
    /// Print a note, without counting it as read by an agent
    #[command(after_help = "Example:\n  mi memory show empirical-lock-order")]
    Show {
        /// Name of the note
        name: String,
    },
    Search(SearchArgs),
    Gc(GcArgs),
    /// List which agent read which note
    #[command(after_help = "Example:\n  mi memory access")]
    Access,
    MergeLog(MergeLogArgs),
}

/// Save a lesson as a note
///
/// If a note on the same topic exists, shows what would be added to it and writes nothing (exit 3) until you decide.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi memory save pattern-flaky-test-hunt 'Run it 200 times under load.' --tag tests --yes\n\nExit codes: 0 saved or already there, 3 needs your decision, 4 not worth a note (a secret, a copy, a rule, …)"
)]
pub struct SaveArgs {
    /// Name of two to four words, such as `lock-order`; no dates, no versions
    pub name: String,
    /// Text in Markdown; `-` reads standard input
    #[arg(value_name = "TEXT", required_unless_present = "file")]
    pub text: Option<String>,
    /// Read the text from a file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// Tag; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Prefix for the name: empirical, external, pattern or your own
    #[arg(long, value_name = "CATEGORY")]
    pub category: Option<String>,
    /// Add it to this note, or to the note that overlaps most
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, conflicts_with_all = ["new", "yes"])]
    pub merge: Option<Option<String>>,
    /// Save a new note even if others overlap
    #[arg(long, conflicts_with = "yes")]
    pub new: bool,
    /// Accept the preview
    #[arg(long, short)]
    pub yes: bool,
    /// Show the preview; write nothing
    #[arg(long, conflicts_with_all = ["merge", "new", "yes"])]
    pub dry_run: bool,
    /// Save it even if a rule rejects it; never overrides the rule on secrets
    #[arg(long)]
    pub force: bool,
}

/// Search notes, context, rules, closed cycles and learned rules
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi memory search 'lock order'\n  mi memory search 锁的顺序 --in memory,history"
)]
pub struct SearchArgs {
    /// Words to search for
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Only these sources: memory, context, rules, learned, cards, history
    #[arg(long = "in", value_name = "SOURCE", value_delimiter = ',', value_parser = ["memory", "context", "rules", "learned", "cards", "history"])]
    pub sources: Vec<String>,
    /// At most this many results
    #[arg(short, value_name = "N", default_value_t = 10)]
    pub n: usize,
}

/// Show how notes are used, and delete or merge those you name
///
/// Each deletion is its own git commit, and its message has the command that restores the note.
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
    /// Delete what all three signals of memory.gc call stale; your config must allow it
    #[arg(long, conflicts_with = "delete")]
    pub auto: bool,
    /// Show what would be deleted; delete nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// Merge two memory-access.jsonl files, and print or write the result
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi memory merge-log one.jsonl two.jsonl --out both.jsonl")]
pub struct MergeLogArgs {
    /// First file
    pub first: PathBuf,
    /// Second file
    pub second: PathBuf,
    /// Write the result to this new file
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
