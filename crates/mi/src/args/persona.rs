//! What can be typed after `mi persona`, `mi boot`, `mi session`, `mi card` and `mi handoff`.

use clap::{Args, Subcommand, ValueEnum};
use mi_persona::card::CardType;
use std::path::PathBuf;

/// Who speaks; every command of these families takes it.
#[derive(Debug, Clone, Default, Args)]
pub struct As {
    /// The member who does this [default: MI_MEMBER, else self]
    #[arg(long = "as", visible_alias = "member", value_name = "MEMBER", global = true)]
    pub member: Option<String>,
}

/// The persona: memory that a person and their agents share, in $PERSONA
///
/// Core rules, reviewed cards, session logs, handoffs and each member's private memory, in plain files.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi persona init\n  mi boot")]
pub struct PersonaArgs {
    #[command(subcommand)]
    pub action: PersonaAction,
}

#[derive(Debug, Subcommand)]
pub enum PersonaAction {
    /// Write templates for what is missing; nothing that exists is changed
    #[command(after_help = "Example:\n  mi persona init --member self")]
    Init {
        #[command(flatten)]
        who: As,
    },
    /// What is broken, and what shared files must not hold: machine paths, names, secrets
    #[command(
        after_help = "Example:\n  mi persona lint --name 'Ann Miller'\n\nExit codes: 0 clean or warnings only, 1 errors"
    )]
    Lint {
        /// A name that must not appear; may be given again
        #[arg(long = "name", value_name = "NAME")]
        names: Vec<String>,
    },
    /// Copy what may be shown to others into a new folder: no private memory, no proposals
    #[command(
        after_help = "Example:\n  mi persona export --out ../shared-persona\n\nExit codes: 0 done, 4 a secret stands in it"
    )]
    Export {
        /// A folder that does not exist yet
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Bring this persona and your own git remote to the same state
    #[command(
        after_help = "Example:\n  mi persona sync --remote ../persona.git\n\nExit codes: 0 done, 3 both sides changed the same file, 4 private memory or a secret would leave"
    )]
    Sync {
        /// Your own remote; needed the first time
        #[arg(long, value_name = "URL")]
        remote: Option<String>,
    },
    /// Your own private memory: list, show, write, encrypt, decrypt
    #[command(after_help = "Example:\n  mi persona private write notes.md 'The person likes short answers.'")]
    Private(PrivateArgs),
}

#[derive(Debug, Args)]
pub struct PrivateArgs {
    #[command(subcommand)]
    pub action: PrivateAction,
    #[command(flatten)]
    pub who: As,
    /// The age identity that opens encrypted memory [default: $MI_HOME/keys/persona-MEMBER.txt]
    #[arg(long, global = true, value_name = "FILE")]
    pub identity: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum PrivateAction {
    /// Your files
    #[command(after_help = "Example:\n  mi persona private list")]
    List,
    /// One file, decrypted if need be
    #[command(after_help = "Example:\n  mi persona private show notes.md")]
    Show { name: String },
    /// Add to a file, or make it
    #[command(after_help = "Example:\n  mi persona private write notes.md 'The person likes short answers.'")]
    Write {
        name: String,
        /// The text; `-` reads standard input
        text: String,
    },
    /// Encrypt all of it with age, now and from now on; makes a key if there is none
    #[command(after_help = "Example:\n  mi persona private encrypt")]
    Encrypt,
    /// Decrypt all of it
    #[command(after_help = "Example:\n  mi persona private decrypt")]
    Decrypt,
}

/// Start a session: load what a member must know, and say where things stand
///
/// Core files, latest session, own private memory, today's other windows, card index, cards of salience 9 and 10.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi boot --member self\n\nExit codes: 0 all read, 1 something could not be read (it says what), 3 there is no persona"
)]
pub struct BootArgs {
    #[command(flatten)]
    pub who: As,
    /// Print the texts too, not only what was loaded
    #[arg(long)]
    pub full: bool,
    /// The age identity that opens encrypted memory [default: $MI_HOME/keys/persona-MEMBER.txt]
    #[arg(long, value_name = "FILE")]
    pub identity: Option<PathBuf>,
}

/// Session logs: what was done, decided, and comes next
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
    /// Open a session in a slot of its own
    #[command(after_help = "Example:\n  mi session start")]
    Start {
        /// Use this slot instead of the first free one
        #[arg(long, value_name = "SLOT")]
        slot: Option<String>,
        #[command(flatten)]
        who: As,
    },
    /// Write to the log of the session, and go on
    #[command(
        after_help = "Example:\n  mi session save --completed 'Tests pass' --decision 'Keep SQLite' --next 'Docs'"
    )]
    Save(SaveArgs),
    /// Write to the log and end the session
    #[command(
        after_help = "Example:\n  mi session end --completed 'Fixed the login' --next 'Write its docs'"
    )]
    End(EndArgs),
    /// Logs, newest first, and sessions that are open
    #[command(after_help = "Example:\n  mi session list -n 5")]
    List {
        /// At most this many
        #[arg(short, value_name = "N", default_value_t = 20)]
        n: usize,
    },
}

#[derive(Debug, Clone, Args)]
pub struct WhatArgs {
    /// Something that was completed; may be given again, as may all of these
    #[arg(long = "completed", value_name = "TEXT")]
    pub completed: Vec<String>,
    /// Something that was decided
    #[arg(long = "decision", value_name = "TEXT")]
    pub decisions: Vec<String>,
    /// What comes next
    #[arg(long = "next", value_name = "TEXT")]
    pub next: Vec<String>,
    /// Something that may become a card
    #[arg(long = "insight", value_name = "TEXT")]
    pub insights: Vec<String>,
    /// A call to an external AI, and what came of it
    #[arg(long = "external", value_name = "TEXT")]
    pub external: Vec<String>,
    /// Something that went wrong
    #[arg(long = "incident", value_name = "TEXT")]
    pub incidents: Vec<String>,
    /// The session [default: the one you have open]
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// The slot
    #[arg(long, value_name = "SLOT")]
    pub slot: Option<String>,
    #[command(flatten)]
    pub who: As,
}

#[derive(Debug, Args)]
pub struct SaveArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// Save by itself, for trigger 1 closing words, 2 tests passed, 3 review adopted, 4 work log updated, 5 task done
    #[arg(long, value_name = "TRIGGER", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub auto: Option<u8>,
    /// With --auto: the task is in progress, so nothing is saved
    #[arg(long, requires = "auto")]
    pub in_progress: bool,
    /// With --auto: a new instruction waits, so nothing is saved
    #[arg(long, requires = "auto")]
    pub new_instruction: bool,
}

#[derive(Debug, Args)]
pub struct EndArgs {
    #[command(flatten)]
    pub what: WhatArgs,
    /// End only if this message of the person ends a session, such as `收工` or `that's all for today`
    #[arg(allow_hyphen_values = true, long, value_name = "TEXT")]
    pub on_message: Option<String>,
}

/// Cards: what the team knows, proposed by one member and accepted by another
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
    /// All cards, or the proposals that wait
    #[command(after_help = "Example:\n  mi card list --proposals")]
    List {
        /// Proposals that nobody has decided about
        #[arg(long, conflicts_with_all = ["archived", "kind"])]
        proposals: bool,
        /// Archived cards too
        #[arg(long)]
        archived: bool,
        /// Only this type
        #[arg(long = "type", value_enum, value_name = "TYPE")]
        kind: Option<TypeWord>,
    },
    /// One card whole
    #[command(after_help = "Example:\n  mi card show H-001")]
    Show {
        id: String,
    },
    Search(CardSearchArgs),
    /// Take a card out of use; --restore brings it back
    #[command(after_help = "Example:\n  mi card archive H-001\n  mi card archive H-001 --restore")]
    Archive {
        id: String,
        /// Bring it back
        #[arg(long)]
        restore: bool,
        /// The person says so; needed for axioms and principles
        #[arg(long)]
        human: bool,
    },
    /// Whether saliences still tell important from ordinary
    #[command(
        after_help = "Example:\n  mi card calibrate\n\nWarns when more than 70 % of the cards lie in 5–7"
    )]
    Calibrate,
    /// Make indexes/card-index.yaml again from the cards
    #[command(
        after_help = "Example:\n  mi card index --check\n\nExit codes: 0 done or fresh, 1 a card is broken, or (--check) the index is stale"
    )]
    Index {
        /// Only say whether it is what the cards say
        #[arg(long)]
        check: bool,
    },
}

/// Propose a card: written to proposals/, for another member to review
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi card propose 'Take the plan lock first' --type heuristic --content 'Always in this order.' --evidence 'Two servers hung on 2026-01-02.'\n\nExit codes: 0 written, 2 wrong usage, 4 refused (no evidence or source, a secret)"
)]
pub struct ProposeArgs {
    pub title: String,
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value = "heuristic")]
    pub kind: TypeWord,
    /// What it says; `-` reads standard input
    #[arg(allow_hyphen_values = true, long, value_name = "TEXT")]
    pub content: String,
    /// When it applies
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub applies: String,
    /// When it bends
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub bends: String,
    /// What shows that it is true
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub evidence: String,
    /// Where it comes from
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
    /// Cards with the same key are one card [default: made from the title]
    #[arg(long, value_name = "KEY")]
    pub merge_key: Option<String>,
    /// Another word for it; may be given again
    #[arg(long = "alias", value_name = "TEXT")]
    pub aliases: Vec<String>,
    /// 1 to 10: 9–10 on every boot, 7–8 when it matches, 4–6 on demand, 1–3 when named
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
    pub salience: u8,
    #[command(flatten)]
    pub who: As,
}

/// Decide about a proposal of another member
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi card review take-the-plan-lock --accept --as reviewer\n\nExit codes: 0 done, 3 needs the person (--human), 4 one's own proposal"
)]
pub struct ReviewArgs {
    /// Its path, or a part of its file's name
    pub proposal: String,
    #[arg(long, conflicts_with = "reject", required_unless_present = "reject")]
    pub accept: bool,
    /// Reject it, and say why
    #[arg(long, value_name = "REASON")]
    pub reject: Option<String>,
    /// The person says so; needed for axioms and principles
    #[arg(long)]
    pub human: bool,
    #[command(flatten)]
    pub who: As,
}

/// Cards for a task: by salience, then by their last review
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi card search 'change the lock order' --non-trivial")]
pub struct CardSearchArgs {
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// The task is not trivial: cards of salience 4–6 are read too
    #[arg(long)]
    pub non_trivial: bool,
    /// At most this many
    #[arg(short, value_name = "N", default_value_t = 20)]
    pub n: usize,
}

/// Hand a task to another member; without acceptance criteria there is no transfer
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
    /// Offer a task
    #[command(
        after_help = "Example:\n  mi handoff new 'Fix the login' --to bob --context 'It fails since Monday.' --criterion 'the login test passes'\n\nExit codes: 0 offered, 3 unclear: ask the person, 4 a secret stands in it"
    )]
    New {
        task: String,
        #[arg(long, value_name = "MEMBER")]
        to: String,
        /// What the receiver must know
        #[arg(long, value_name = "TEXT", default_value = "")]
        context: String,
        /// What can be checked when it is done; may be given again
        #[arg(long = "criterion", value_name = "TEXT")]
        criteria: Vec<String>,
        #[arg(long = "constraint", value_name = "TEXT")]
        constraints: Vec<String>,
        #[arg(long = "not-in-scope", value_name = "TEXT")]
        not_in_scope: Vec<String>,
        #[command(flatten)]
        who: As,
    },
    /// Take a task that was offered to you
    #[command(after_help = "Example:\n  mi handoff accept HO-2026-01-02-1 --as bob")]
    Accept {
        id: String,
        #[command(flatten)]
        who: As,
    },
    /// Give it back, and say why
    #[command(after_help = "Example:\n  mi handoff reject HO-2026-01-02-1 --reason 'Which login?' --as bob")]
    Reject {
        id: String,
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        who: As,
    },
    /// Say what was delivered
    #[command(
        after_help = "Example:\n  mi handoff complete HO-2026-01-02-1 --deliverable 'commit 1f3b' --as bob"
    )]
    Complete {
        id: String,
        #[arg(long = "deliverable", value_name = "TEXT")]
        deliverables: Vec<String>,
        #[command(flatten)]
        who: As,
    },
    /// All handoffs
    #[command(after_help = "Example:\n  mi handoff list")]
    List,
    /// One handoff whole
    #[command(after_help = "Example:\n  mi handoff show HO-2026-01-02-1")]
    Show { id: String },
}
