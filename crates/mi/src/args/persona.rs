//! Arguments of `mi persona`, `mi boot`, `mi session`, `mi card` and `mi handoff`.

use clap::{Args, Subcommand, ValueEnum};
use mi_persona::card::CardType;
use std::path::PathBuf;

/// The acting member; every command of this module takes it.
#[derive(Debug, Clone, Default, Args)]
pub struct As {
    /// Member who does this [default: MI_MEMBER, else self]
    #[arg(long = "as", alias = "member", value_name = "MEMBER", global = true)]
    pub member: Option<String>,
}

/// Set up, check and share the memory of you and your agents
///
/// The folder $PERSONA holds core rules, reviewed cards, session logs, handoffs and each member's private memory, in plain
/// files.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi persona init\n  mi boot")]
pub struct PersonaArgs {
    #[command(subcommand)]
    pub action: PersonaAction,
}

#[derive(Debug, Subcommand)]
pub enum PersonaAction {
    /// Create the missing files from templates
    #[command(after_help = "Example:\n  mi persona init --as self")]
    Init {
        #[command(flatten)]
        who: As,
    },
    /// Find broken files, and secrets or names in shared files
    #[command(
        after_help = "Example:\n  mi persona lint --name 'Ann Miller'\n\nExit codes: 0 clean or warnings only, 1 errors"
    )]
    Lint {
        /// Name that must not appear; can be repeated
        #[arg(long = "name", value_name = "NAME")]
        names: Vec<String>,
    },
    /// Copy the shared files to a new folder, without private ones
    #[command(
        after_help = "Example:\n  mi persona export --out ../shared-persona\n\nExit codes: 0 done, 4 a file contains a secret"
    )]
    Export {
        /// New folder
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Synchronise this persona with your own git remote
    #[command(
        after_help = "Example:\n  mi persona sync --remote ../persona.git\n\nExit codes: 0 done, 3 both sides changed the same file, 4 private memory or a secret would leave"
    )]
    Sync {
        /// Your remote; required the first time
        #[arg(long, value_name = "URL")]
        remote: Option<String>,
    },
    /// Read, write and encrypt your private memory
    #[command(after_help = "Example:\n  mi persona private write notes.md 'The person likes short answers.'")]
    Private(PrivateArgs),
}

#[derive(Debug, Args)]
pub struct PrivateArgs {
    #[command(subcommand)]
    pub action: PrivateAction,
    #[command(flatten)]
    pub who: As,
    /// Age identity that decrypts the memory [default: $MI_HOME/keys/persona-MEMBER.txt]
    #[arg(long, global = true, value_name = "FILE")]
    pub identity: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum PrivateAction {
    /// List your files
    #[command(after_help = "Example:\n  mi persona private list")]
    List,
    /// Print a file, decrypted if necessary
    #[command(after_help = "Example:\n  mi persona private show notes.md")]
    Show {
        /// File name
        name: String,
    },
    /// Append to a file, or create it
    #[command(after_help = "Example:\n  mi persona private write notes.md 'The person likes short answers.'")]
    Write {
        /// File name
        name: String,
        /// Text; `-` reads standard input
        text: String,
    },
    /// Encrypt your private memory with age, creating a key if necessary
    #[command(after_help = "Example:\n  mi persona private encrypt")]
    Encrypt,
    /// Decrypt your private memory
    #[command(after_help = "Example:\n  mi persona private decrypt")]
    Decrypt,
}

/// Load what a member must know at the start of a session
///
/// Reads the core files, the latest session, the member's private memory, today's other sessions, the card index and the
/// cards of salience 9 and 10.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi boot --as self\n\nExit codes: 0 all read, 1 a file could not be read, 3 there is no persona"
)]
pub struct BootArgs {
    #[command(flatten)]
    pub who: As,
    /// Also print the loaded texts
    #[arg(long)]
    pub full: bool,
    /// Age identity that decrypts the memory [default: $MI_HOME/keys/persona-MEMBER.txt]
    #[arg(long, value_name = "FILE")]
    pub identity: Option<PathBuf>,
}

/// Keep session logs: what was done, decided and comes next
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi session start\n  mi session end --completed 'Fixed the login' --next 'Write its docs'"
)]
pub struct SessionArgs {
    #[command(subcommand)]
    pub action: SessionAction,
}

#[derive(Debug, Subcommand)]
pub enum SessionAction {
    /// Start a session in its own slot
    #[command(after_help = "Example:\n  mi session start")]
    Start {
        /// Use this slot instead of the first free one
        #[arg(long, value_name = "SLOT")]
        slot: Option<String>,
        #[command(flatten)]
        who: As,
    },
    /// Write to the session log and continue
    #[command(
        after_help = "Example:\n  mi session save --completed 'Tests pass' --decision 'Keep SQLite' --next 'Docs'"
    )]
    Save(SaveArgs),
    /// Write to the session log and end the session
    #[command(
        after_help = "Example:\n  mi session end --completed 'Fixed the login' --next 'Write its docs'"
    )]
    End(EndArgs),
    /// List session logs, newest first, and open sessions
    #[command(after_help = "Example:\n  mi session list -n 5")]
    List {
        /// At most this many logs
        #[arg(short, value_name = "N", default_value_t = 20)]
        n: usize,
    },
}

#[derive(Debug, Clone, Args)]
pub struct WhatArgs {
    /// Something completed; this and the following options can be repeated
    #[arg(long = "completed", value_name = "TEXT")]
    pub completed: Vec<String>,
    /// Something decided
    #[arg(long = "decision", value_name = "TEXT")]
    pub decisions: Vec<String>,
    /// Next step
    #[arg(long = "next", value_name = "TEXT")]
    pub next: Vec<String>,
    /// Insight that may become a card
    #[arg(long = "insight", value_name = "TEXT")]
    pub insights: Vec<String>,
    /// Call to an external AI, with its result
    #[arg(long = "external", value_name = "TEXT")]
    pub external: Vec<String>,
    /// Incident
    #[arg(long = "incident", value_name = "TEXT")]
    pub incidents: Vec<String>,
    /// Session id [default: your open session]
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Slot of the session
    #[arg(long, value_name = "SLOT")]
    pub slot: Option<String>,
    #[command(flatten)]
    pub who: As,
}

#[derive(Debug, Args)]
pub struct SaveArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// Automatic save, with its trigger: 1 closing words, 2 tests passed, 3 review adopted, 4 work log updated, 5 task done
    #[arg(long, value_name = "TRIGGER", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub auto: Option<u8>,
    /// With --auto: save nothing, because the task is in progress
    #[arg(long, requires = "auto")]
    pub in_progress: bool,
    /// With --auto: save nothing, because a new instruction is waiting
    #[arg(long, requires = "auto")]
    pub new_instruction: bool,
}

#[derive(Debug, Args)]
pub struct EndArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// End only if this message ends a session, such as `收工` or `that's all for today`
    #[arg(allow_hyphen_values = true, long, value_name = "TEXT")]
    pub on_message: Option<String>,
}

/// Propose, review and search cards: what the team knows
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi card list\n  mi card search 'lock order'")]
pub struct CardArgs {
    #[command(subcommand)]
    pub action: CardAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TypeWord {
    Axiom,
    Principle,
    Heuristic,
    Pattern,
}

impl From<TypeWord> for CardType {
    fn from(word: TypeWord) -> Self {
        match word {
            TypeWord::Axiom => Self::Axiom,
            TypeWord::Principle => Self::Principle,
            TypeWord::Heuristic => Self::Heuristic,
            TypeWord::Pattern => Self::Pattern,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum CardAction {
    Propose(ProposeArgs),
    Review(ReviewArgs),
    /// List the cards, or the pending proposals
    #[command(after_help = "Example:\n  mi card list --proposals")]
    List {
        /// Only pending proposals
        #[arg(long, conflicts_with_all = ["archived", "kind"])]
        proposals: bool,
        /// Include archived cards
        #[arg(long)]
        archived: bool,
        /// Only cards of this type
        #[arg(long = "type", value_enum, value_name = "TYPE")]
        kind: Option<TypeWord>,
    },
    /// Print a card
    #[command(after_help = "Example:\n  mi card show H-001")]
    Show {
        /// Card id
        id: String,
    },
    Search(CardSearchArgs),
    /// Archive or restore a card
    #[command(after_help = "Example:\n  mi card archive H-001\n  mi card archive H-001 --restore")]
    Archive {
        /// Card id
        id: String,
        /// Restore it
        #[arg(long)]
        restore: bool,
        /// The person decides; required for axioms and principles
        #[arg(long)]
        human: bool,
    },
    /// Check whether the saliences are still spread out
    #[command(
        after_help = "Example:\n  mi card calibrate\n\nWarns if more than 70 % of the cards have salience 5–7"
    )]
    Calibrate,
    /// Rebuild indexes/card-index.yaml from the cards
    #[command(
        after_help = "Example:\n  mi card index --check\n\nExit codes: 0 done or fresh, 1 a card is broken, or (--check) the index is stale"
    )]
    Index {
        /// Only check whether the index is up to date
        #[arg(long)]
        check: bool,
    },
}

/// Propose a card for another member to review
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi card propose 'Take the plan lock first' --type heuristic --content 'Always in this order.' --evidence 'Two servers hung on 2026-01-02.'\n\nExit codes: 0 written, 2 wrong usage, 4 refused (no evidence or source, a secret)"
)]
pub struct ProposeArgs {
    /// Title of the card
    pub title: String,
    /// Type of the card
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value = "heuristic")]
    pub kind: TypeWord,
    /// Content; `-` reads standard input
    #[arg(allow_hyphen_values = true, long, value_name = "TEXT")]
    pub content: String,
    /// When it applies
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub applies: String,
    /// When an exception applies
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub bends: String,
    /// Evidence that it is true
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub evidence: String,
    /// Source
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
    /// Merge key: cards with the same key are merged [default: derived from the title]
    #[arg(long, value_name = "KEY")]
    pub merge_key: Option<String>,
    /// Alias of the title; can be repeated
    #[arg(long = "alias", value_name = "TEXT")]
    pub aliases: Vec<String>,
    /// Salience: 9–10 read on every boot, 7–8 on a match, 4–6 on demand, 1–3 by name
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub salience: u8,
    #[command(flatten)]
    pub who: As,
}

/// Accept or reject another member's proposal
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi card review take-the-plan-lock --accept --as reviewer\n\nExit codes: 0 done, 3 needs the person (--human), 4 your own proposal"
)]
pub struct ReviewArgs {
    /// Path of the proposal, or part of its file name
    pub proposal: String,
    /// Accept it
    #[arg(long, conflicts_with = "reject", required_unless_present = "reject")]
    pub accept: bool,
    /// Reject it, with a reason
    #[arg(long, value_name = "REASON")]
    pub reject: Option<String>,
    /// The person decides; required for axioms and principles
    #[arg(long)]
    pub human: bool,
    #[command(flatten)]
    pub who: As,
}

/// Find the cards for a task, sorted by salience and last review
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi card search 'change the lock order' --non-trivial")]
pub struct CardSearchArgs {
    /// Task to find cards for
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// The task is not trivial: also read cards of salience 4–6
    #[arg(long)]
    pub non_trivial: bool,
    /// At most this many cards
    #[arg(short, value_name = "N", default_value_t = 20)]
    pub n: usize,
}

/// Hand a task with acceptance criteria to another member
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi handoff new 'Fix the login' --to bob --context 'It fails since Monday.' --criterion 'the login test passes'"
)]
pub struct HandoffArgs {
    #[command(subcommand)]
    pub action: HandoffAction,
}

#[derive(Debug, Subcommand)]
pub enum HandoffAction {
    /// Offer a task to another member
    #[command(
        after_help = "Example:\n  mi handoff new 'Fix the login' --to bob --context 'It fails since Monday.' --criterion 'the login test passes'\n\nExit codes: 0 offered, 3 unclear: ask the person, 4 it contains a secret"
    )]
    New {
        /// Task to hand over
        task: String,
        /// Receiver
        #[arg(long, value_name = "MEMBER")]
        to: String,
        /// Context for the receiver
        #[arg(long, value_name = "TEXT", default_value = "")]
        context: String,
        /// Acceptance criterion; can be repeated
        #[arg(long = "criterion", value_name = "TEXT")]
        criteria: Vec<String>,
        /// Constraint; can be repeated
        #[arg(long = "constraint", value_name = "TEXT")]
        constraints: Vec<String>,
        /// Something out of scope; can be repeated
        #[arg(long = "not-in-scope", value_name = "TEXT")]
        not_in_scope: Vec<String>,
        #[command(flatten)]
        who: As,
    },
    /// Accept a task that was offered to you
    #[command(after_help = "Example:\n  mi handoff accept HO-2026-01-02-1 --as bob")]
    Accept {
        /// Handoff id
        id: String,
        #[command(flatten)]
        who: As,
    },
    /// Return a task, with a reason
    #[command(after_help = "Example:\n  mi handoff reject HO-2026-01-02-1 --reason 'Which login?' --as bob")]
    Reject {
        /// Handoff id
        id: String,
        /// Reason
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        who: As,
    },
    /// Complete a task, with its deliverables
    #[command(
        after_help = "Example:\n  mi handoff complete HO-2026-01-02-1 --deliverable 'commit 1f3b' --as bob"
    )]
    Complete {
        /// Handoff id
        id: String,
        /// Deliverable; can be repeated
        #[arg(long = "deliverable", value_name = "TEXT")]
        deliverables: Vec<String>,
        #[command(flatten)]
        who: As,
    },
    /// List the handoffs
    #[command(after_help = "Example:\n  mi handoff list")]
    List,
    /// Print a handoff
    #[command(after_help = "Example:\n  mi handoff show HO-2026-01-02-1")]
    Show {
        /// Handoff id
        id: String,
    },
}
