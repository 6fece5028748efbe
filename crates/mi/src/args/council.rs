//! What can be typed to the council: propose, review, dr, deliver, trace, beat, prompt.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Propose files as finished, and open them for review
///
/// The Definition of Done has nine items: spec tests repro diff perf security licence docs trace. A file given with
/// --evidence is stored and is the item's record; items without one hold the delivery.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi propose src --title 'Fix the parser' --author ann --evidence tests=report.txt\n\nExit codes: 0 opened, 2 wrong usage, 4 refused by a rule"
)]
pub struct ProposeArgs {
    /// Files and folders of the project
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// What it is, in a few words
    #[arg(long)]
    pub title: String,
    /// Who made it; the author never votes
    #[arg(long, value_name = "NAME")]
    pub author: String,
    /// Do not open it yet; `mi review request ID` does
    #[arg(long)]
    pub draft: bool,
    /// standard, or hotfix: fewer beats, the same quorum
    #[arg(long, default_value = "standard")]
    pub urgency: String,
    /// The record of an item of the Definition of Done; may be given again
    #[arg(long, value_name = "ITEM=FILE")]
    pub evidence: Vec<String>,
}

/// Votes on proposals: show, request, vote, narrow, evidence, status
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi review vote P-1 --as bob --role qa --vote green --rationale 'Ran all tests.' --evidence report.txt\n  mi review status P-1"
)]
pub struct ReviewArgs {
    #[command(subcommand)]
    pub action: ReviewAction,
}

#[derive(Debug, Subcommand)]
pub enum ReviewAction {
    /// Open a draft, or ask one more reviewer
    #[command(after_help = "Example:\n  mi review request P-1 --add eve --role security")]
    Request {
        id: String,
        /// Ask this person too; the review gets its time anew
        #[arg(long, value_name = "NAME", requires = "role")]
        add: Option<String>,
        /// As what: owner, domain, qa, security, perf, architect, reviewer
        #[arg(long, value_name = "ROLE")]
        role: Option<String>,
        /// Let agents vote: codex, claude, exec:CMD; read-only, 45 seconds each
        #[arg(long, value_name = "AGENT", value_delimiter = ',', requires = "roles", conflicts_with = "add")]
        by: Vec<String>,
        /// The role of each agent
        #[arg(long, value_name = "ROLE", value_delimiter = ',')]
        roles: Vec<String>,
    },
    Vote(VoteArgs),
    /// Narrow the scope to some of the files; every vote is void, and the review gets its time anew
    #[command(after_help = "Example:\n  mi review narrow P-1 --scope src/parser.rs")]
    Narrow {
        id: String,
        /// A path of the present scope, or a part of a file: PATH#part; may be given again
        #[arg(long, required = true, value_name = "SCOPE")]
        scope: Vec<String>,
    },
    /// Add the record of an item of the Definition of Done
    #[command(after_help = "Example:\n  mi review evidence P-1 tests=report.txt")]
    Evidence {
        id: String,
        #[arg(required = true, value_name = "ITEM=FILE")]
        records: Vec<String>,
    },
    /// The Completion Proposal, filled from the evidence there is
    #[command(after_help = "Example:\n  mi review show P-1")]
    Show {
        id: String,
    },
    /// How a proposal stands; without an id, the newest ones
    #[command(after_help = "Example:\n  mi review status P-1 --json")]
    Status {
        id: Option<String>,
    },
}

/// Vote on a proposal, with evidence
///
/// Yellow needs --mitigation 'TEXT; owner=NAME; due=BEATS'; of a red vote the rationale is the conflict or risk, and
/// --mitigation the way to fix it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi review vote P-1 --as bob --role qa --vote yellow --rationale 'Two tests are flaky.' --evidence report.txt --mitigation 'Stabilise them; owner=ann; due=4'\n\nExit codes: 0 taken, 2 malformed, 4 refused by a rule"
)]
pub struct VoteArgs {
    pub id: String,
    /// Who votes
    #[arg(long = "as", value_name = "NAME")]
    pub name: String,
    /// owner, domain, qa, security, perf, architect, reviewer
    #[arg(long)]
    pub role: String,
    /// green, yellow or red
    #[arg(long)]
    pub vote: String,
    /// Why
    #[arg(long, default_value = "", hide_default_value = true)]
    pub rationale: String,
    /// A path of the project with an optional #anchor, or a UCXL address; may be given again
    #[arg(long, value_name = "PATH")]
    pub evidence: Vec<String>,
    /// What is to be done about it; may be given again
    #[arg(long, value_name = "TEXT")]
    pub mitigation: Vec<String>,
    /// What was looked at [default: the whole proposal]
    #[arg(long)]
    pub scope: Option<String>,
    /// The digest that was looked at; refused unless it is the current one
    #[arg(long)]
    pub digest: Option<String>,
}

/// Decision Records: new, list, show, supersede
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi dr new --kind ordinary --title 'Keep the old parser until May'\n  mi dr list"
)]
pub struct DrArgs {
    #[command(subcommand)]
    pub action: DrAction,
}

#[derive(Debug, Subcommand)]
pub enum DrAction {
    /// Write down a decision
    #[command(
        after_help = "Example:\n  mi dr new --kind escalation --for P-1 --title 'The owner is away' --owner eve --expires 8"
    )]
    New(DecisionArgs),
    /// Every decision
    #[command(after_help = "Example:\n  mi dr list")]
    List,
    /// One decision whole
    #[command(after_help = "Example:\n  mi dr show DR-1")]
    Show { id: String },
    /// Write down a decision that takes the place of another
    #[command(after_help = "Example:\n  mi dr supersede DR-1 --title 'Keep the old parser until June'")]
    Supersede {
        id: String,
        #[command(flatten)]
        decision: DecisionArgs,
    },
}

#[derive(Debug, Args)]
pub struct DecisionArgs {
    /// ordinary, approval, exception, escalation, disagreement
    #[arg(long, default_value = "ordinary")]
    pub kind: String,
    /// The proposal it is about
    #[arg(long = "for", value_name = "ID")]
    pub proposal: Option<String>,
    #[arg(long)]
    pub title: String,
    /// The decision itself, in Markdown
    #[arg(long, default_value = "", hide_default_value = true)]
    pub text: String,
    /// Who answers for it
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// For how many beats it holds
    #[arg(long, value_name = "BEATS")]
    pub expires: Option<u32>,
    /// The rule that an exception overrides
    #[arg(long)]
    pub rule: Option<String>,
    /// How to go back
    #[arg(long, value_name = "TEXT")]
    pub rollback: Option<String>,
    /// What it stands on: a path or a UCXL address of a fixed revision; may be given again
    #[arg(long, value_name = "REF")]
    pub cite: Vec<String>,
    /// public, internal or restricted [default: internal]
    #[arg(long, value_name = "LEVEL")]
    pub classification: Option<String>,
}

/// Hand a proposal over as a signed packet that a stranger can check
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Example:\n  mi deliver P-1 --out packet\n  mi deliver verify packet\n\nExit codes: 0 delivered or in order, 1 something is wrong with the packet, 4 refused by a rule"
)]
pub struct DeliverArgs {
    #[command(subcommand)]
    pub action: Option<DeliverAction>,
    /// The proposal
    #[arg(required = true)]
    pub id: Option<String>,
    /// The folder that becomes the packet; it must not be there yet, or be empty
    #[arg(long, required = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How to go back, if it is not the commit the proposal was made on
    #[arg(long, value_name = "TEXT")]
    pub rollback: Option<String>,
    /// Tell this role; may be given again
    #[arg(long, value_name = "ROLE")]
    pub notify: Vec<String>,
    /// Commit the files to this new branch too, with a patch bundle and a tag
    #[arg(long, value_name = "BRANCH")]
    pub git: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum DeliverAction {
    /// Check a packet; needs nothing but the packet
    #[command(after_help = "Example:\n  mi deliver verify packet --key trusted.pub")]
    Verify {
        dir: PathBuf,
        /// The only key that is trusted: a public-key file
        #[arg(long, value_name = "PUB")]
        key: Option<PathBuf>,
    },
    /// Say how a delivery ended
    #[command(after_help = "Example:\n  mi deliver close P-1 --merged --why 'It is on main.'")]
    #[command(group = clap::ArgGroup::new("outcome").required(true))]
    Close {
        id: String,
        #[arg(long, group = "outcome")]
        merged: bool,
        #[arg(long, group = "outcome")]
        rejected: bool,
        #[arg(long, value_name = "TEXT")]
        why: String,
    },
}

/// Where each requirement is met: spec, code, test, commit, delivery, and what is missing
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi trace --family NX")]
pub struct TraceArgs {
    /// Only this requirement
    pub id: Option<String>,
    /// Short ids such as NX-042 count too: their first part; may be given again
    #[arg(long, value_name = "PREFIX")]
    pub family: Vec<String>,
}

/// The beat, window and phase of now
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi beat --json")]
pub struct BeatArgs {
    /// Claim that this task is being worked on
    #[arg(long, value_name = "TASK")]
    pub claim: Option<String>,
}

/// The inserts for system prompts: show one, or compose those of a role
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi prompt compose reviewer")]
pub struct PromptArgs {
    #[command(subcommand)]
    pub action: PromptAction,
}

#[derive(Debug, Subcommand)]
pub enum PromptAction {
    /// One insert: rule-0, rule-t, rule-k, agent, reviewer, rubric, safety; without a name, all names
    #[command(after_help = "Example:\n  mi prompt show rule-k")]
    Show { name: Option<String> },
    /// The prompt of a role: agent, reviewer
    #[command(after_help = "Example:\n  mi prompt compose agent")]
    Compose { role: String },
    /// Whether an answer has the sections of Rule K, in their order
    #[command(after_help = "Example:\n  mi prompt check answer.md\n\nExit codes: 0 it has, 1 it lacks some")]
    Check {
        /// The answer's file; - is standard input
        file: String,
    },
}

/// What `mi context get` takes.
#[derive(Debug, Subcommand)]
pub enum ContextAction {
    /// What the project itself knows, as Markdown; restricted parts are left out
    #[command(after_help = "Example:\n  mi context get --select summary,decisions --scope full")]
    Get {
        /// summary, decisions, diff
        #[arg(
            long = "select",
            alias = "selectors",
            value_delimiter = ',',
            default_value = "summary,decisions",
            value_name = "LIST"
        )]
        selectors: Vec<String>,
        /// brief or full
        #[arg(long, default_value = "brief")]
        scope: String,
        /// Put it into the sections that an answer has by Rule K
        #[arg(long)]
        sections: bool,
        /// The content of one UCXL address instead
        #[arg(long, value_name = "UCXL")]
        address: Option<String>,
    },
}
