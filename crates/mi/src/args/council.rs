//! Arguments of the council: propose, review, dr, deliver, trace, beat, prompt.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Propose files as finished, and open the proposal for review
///
/// The Definition of Done has nine items: spec tests repro diff perf security licence docs trace. A file given with
/// --evidence is stored as the record of its item. An item without a record blocks the delivery.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi propose src --title 'Fix the parser' --author ann --evidence tests=report.txt\n\nExit codes: 0 opened, 2 wrong usage, 4 refused by a rule"
)]
pub struct ProposeArgs {
    /// Files and folders of the project
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Title of the proposal
    #[arg(long)]
    pub title: String,
    /// Author, who cannot vote on it
    #[arg(long, value_name = "NAME")]
    pub author: String,
    /// Save a draft; `mi review request ID` opens it
    #[arg(long)]
    pub draft: bool,
    /// Urgency: standard, or hotfix with fewer beats and the same quorum
    #[arg(long, default_value = "standard")]
    pub urgency: String,
    /// Record of an item of the Definition of Done; can be repeated
    #[arg(long, value_name = "ITEM=FILE")]
    pub evidence: Vec<String>,
}

/// Request reviews of proposals, vote on them and show their status
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
    /// Open a draft for review, or ask another reviewer
    #[command(after_help = "Example:\n  mi review request P-1 --add eve --role security")]
    Request {
        /// Proposal id
        id: String,
        /// Also ask this person; the review period starts again
        #[arg(long, value_name = "NAME", requires = "role")]
        add: Option<String>,
        /// Role: owner, domain, qa, security, perf, architect, reviewer
        #[arg(long, value_name = "ROLE")]
        role: Option<String>,
        /// Agents that vote: codex, claude, exec:CMD; read-only, 45 seconds each
        #[arg(long, value_name = "AGENT", value_delimiter = ',', requires = "roles", conflicts_with = "add")]
        by: Vec<String>,
        /// Role of each agent
        #[arg(long, value_name = "ROLE", value_delimiter = ',')]
        roles: Vec<String>,
    },
    Vote(VoteArgs),
    /// Narrow the scope; discards all votes and restarts the review period
    #[command(after_help = "Example:\n  mi review narrow P-1 --scope src/parser.rs")]
    Narrow {
        /// Proposal id
        id: String,
        /// Path in the current scope, or part of a file as PATH#part; can be repeated
        #[arg(long, required = true, value_name = "SCOPE")]
        scope: Vec<String>,
    },
    /// Add a record to an item of the Definition of Done
    #[command(after_help = "Example:\n  mi review evidence P-1 tests=report.txt")]
    Evidence {
        /// Proposal id
        id: String,
        /// Item and the file that is its record
        #[arg(required = true, value_name = "ITEM=FILE")]
        records: Vec<String>,
    },
    /// Print a proposal as a Completion Proposal
    #[command(after_help = "Example:\n  mi review show P-1")]
    Show {
        /// Proposal id
        id: String,
    },
    /// Show the status of a proposal, or of the newest ones
    #[command(after_help = "Example:\n  mi review status P-1 --json")]
    Status {
        /// Proposal id
        id: Option<String>,
    },
}

/// Vote on a proposal, with evidence
///
/// A yellow vote needs --mitigation 'TEXT; owner=NAME; due=BEATS'. In a red vote, --rationale is the conflict or risk and
/// --mitigation the fix.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mi review vote P-1 --as bob --role qa --vote yellow --rationale 'Two tests are flaky.' --evidence report.txt --mitigation 'Stabilise them; owner=ann; due=4'\n\nExit codes: 0 recorded, 2 malformed, 4 refused by a rule"
)]
pub struct VoteArgs {
    /// Proposal id
    pub id: String,
    /// Voter
    #[arg(long = "as", value_name = "NAME")]
    pub name: String,
    /// Role: owner, domain, qa, security, perf, architect, reviewer
    #[arg(long)]
    pub role: String,
    /// Vote: green, yellow or red
    #[arg(long)]
    pub vote: String,
    /// Reason for the vote
    #[arg(long, default_value = "", hide_default_value = true)]
    pub rationale: String,
    /// Project path with an optional #anchor, or UCXL address; can be repeated
    #[arg(long, value_name = "PATH")]
    pub evidence: Vec<String>,
    /// Fix or mitigation; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub mitigation: Vec<String>,
    /// Reviewed part [default: the whole proposal]
    #[arg(long)]
    pub scope: Option<String>,
    /// Reviewed digest; the vote is refused if it is not the current one
    #[arg(long)]
    pub digest: Option<String>,
}

/// Write, list, show and supersede Decision Records
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
    /// Write a Decision Record
    #[command(
        after_help = "Example:\n  mi dr new --kind escalation --for P-1 --title 'The owner is away' --owner eve --expires 8"
    )]
    New(DecisionArgs),
    /// List the Decision Records
    #[command(after_help = "Example:\n  mi dr list")]
    List,
    /// Print a Decision Record
    #[command(after_help = "Example:\n  mi dr show DR-1")]
    Show {
        /// Decision Record id
        id: String,
    },
    /// Write a Decision Record that replaces another
    #[command(after_help = "Example:\n  mi dr supersede DR-1 --title 'Keep the old parser until June'")]
    Supersede {
        /// Id of the Decision Record to replace
        id: String,
        #[command(flatten)]
        decision: DecisionArgs,
    },
}

#[derive(Debug, Args)]
pub struct DecisionArgs {
    /// Kind: ordinary, approval, exception, escalation, disagreement
    #[arg(long, default_value = "ordinary")]
    pub kind: String,
    /// Proposal that it is about
    #[arg(long = "for", value_name = "ID")]
    pub proposal: Option<String>,
    /// Title of the decision
    #[arg(long)]
    pub title: String,
    /// Decision, in Markdown
    #[arg(long, default_value = "", hide_default_value = true)]
    pub text: String,
    /// Owner of the decision
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// Number of beats after which it expires
    #[arg(long, value_name = "BEATS")]
    pub expires: Option<u32>,
    /// Rule that an exception overrides
    #[arg(long)]
    pub rule: Option<String>,
    /// How to roll back
    #[arg(long, value_name = "TEXT")]
    pub rollback: Option<String>,
    /// Source: a path, or a UCXL address of a fixed revision; can be repeated
    #[arg(long, value_name = "REF")]
    pub cite: Vec<String>,
    /// Classification: public, internal or restricted [default: internal]
    #[arg(long, value_name = "LEVEL")]
    pub classification: Option<String>,
}

/// Deliver a proposal as a signed packet that anyone can verify
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Example:\n  mi deliver P-1 --out packet\n  mi deliver verify packet\n\nExit codes: 0 delivered or verified, 1 the packet has problems, 4 refused by a rule"
)]
pub struct DeliverArgs {
    #[command(subcommand)]
    pub action: Option<DeliverAction>,
    /// Proposal id
    #[arg(required = true)]
    pub id: Option<String>,
    /// Folder for the packet; must be missing or empty
    #[arg(long, required = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How to roll back [default: to the commit that the proposal was made on]
    #[arg(long, value_name = "TEXT")]
    pub rollback: Option<String>,
    /// Role to notify; can be repeated
    #[arg(long, value_name = "ROLE")]
    pub notify: Vec<String>,
    /// Also commit the files to this new branch, with a patch bundle and a tag
    #[arg(long, value_name = "BRANCH")]
    pub git: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum DeliverAction {
    /// Verify a packet, using only the packet
    #[command(after_help = "Example:\n  mi deliver verify packet --key trusted.pub")]
    Verify {
        /// Folder of the packet
        dir: PathBuf,
        /// Public-key file of the only key to trust
        #[arg(long, value_name = "PUB")]
        key: Option<PathBuf>,
    },
    /// Record whether a delivery was merged or rejected
    #[command(after_help = "Example:\n  mi deliver close P-1 --merged --why 'It is on main.'")]
    #[command(group = clap::ArgGroup::new("outcome").required(true))]
    Close {
        /// Proposal id
        id: String,
        /// The delivery was merged
        #[arg(long, group = "outcome")]
        merged: bool,
        /// The delivery was rejected
        #[arg(long, group = "outcome")]
        rejected: bool,
        /// Reason
        #[arg(long, value_name = "TEXT")]
        why: String,
    },
}

/// Trace each requirement to its spec, code, test, commit and delivery
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi trace --family NX")]
pub struct TraceArgs {
    /// Trace only this requirement
    pub id: Option<String>,
    /// Prefix of short ids, such as NX for NX-042; can be repeated
    #[arg(long, value_name = "PREFIX")]
    pub family: Vec<String>,
}

/// Show the current beat, window and phase
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi beat --json")]
pub struct BeatArgs {
    /// Claim that you are working on this task
    #[arg(long, value_name = "TASK")]
    pub claim: Option<String>,
}

/// Print inserts for system prompts, and check answers against them
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mi prompt compose reviewer")]
pub struct PromptArgs {
    #[command(subcommand)]
    pub action: PromptAction,
}

#[derive(Debug, Subcommand)]
pub enum PromptAction {
    /// Print an insert, or list the names of all
    #[command(after_help = "Example:\n  mi prompt show rule-k")]
    Show {
        /// Insert: rule-0, rule-t, rule-k, agent, reviewer, rubric, safety
        name: Option<String>,
    },
    /// Compose the prompt of a role
    #[command(after_help = "Example:\n  mi prompt compose agent")]
    Compose {
        /// Role: agent or reviewer
        role: String,
    },
    /// Check that an answer has the sections of Rule K in order
    #[command(
        after_help = "Example:\n  mi prompt check answer.md\n\nExit codes: 0 it has them, 1 a section is missing or out of order"
    )]
    Check {
        /// Answer file; `-` reads standard input
        file: String,
    },
}

/// Subcommands of `mi context`.
#[derive(Debug, Subcommand)]
pub enum ContextAction {
    /// Print the project's context as Markdown, without restricted parts
    #[command(after_help = "Example:\n  mi context get --select summary,decisions --scope full")]
    Get {
        /// Parts to print: summary, decisions, diff
        #[arg(
            long = "select",
            alias = "selectors",
            value_delimiter = ',',
            default_value = "summary,decisions",
            value_name = "LIST"
        )]
        selectors: Vec<String>,
        /// Length: brief or full
        #[arg(long, default_value = "brief")]
        scope: String,
        /// Use the sections that Rule K asks of an answer
        #[arg(long)]
        sections: bool,
        /// Print the content of this UCXL address instead
        #[arg(long, value_name = "UCXL")]
        address: Option<String>,
    },
}
