//! What a sentence of the person wants: each thing it names, and how it stands to it.
//!
//! Holds: what cannot be read with confidence is marked `unsure`, never guessed; a condition anywhere in a
//! segment makes all of it unsure.

use crate::words::{Act, Cue, Item, Term, read};

/// How the person stands to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    Favour,
    Against,
    Permit,
    /// Wants to be asked.
    Ask,
    /// Leaves it to the agent.
    Delegate,
    /// Only describes.
    Fact,
}

/// One thing a sentence says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Position {
    pub(crate) stance: Stance,
    pub(crate) act: Act,
    pub(crate) terms: Vec<Term>,
    /// It hangs on a condition, or could not be read with confidence.
    pub(crate) unsure: bool,
    pub(crate) hedged: bool,
    /// No cue and no order says how the person stands to it: "Linux uses tabs", "Tabs drive me crazy".
    pub(crate) told: bool,
}

/// Everything `sentence` says, with what follows from it.
pub(crate) fn positions(sentence: &str) -> Vec<Position> {
    let items = read(sentence);
    let hedged = items.iter().any(|item| is_cue(item, Cue::Hedge));
    let mut found = Vec::new();
    for segment in items.split(|item| *item == Item::Semicolon) {
        let conditional = segment.iter().any(|item| is_cue(item, Cue::If));
        for mut clause in clauses(segment) {
            clause.items.retain(|item| !is_cue(item, Cue::Hedge));
            found.extend(clause.positions().into_iter().map(|position| Position {
                unsure: position.unsure || conditional,
                hedged,
                ..position
            }));
        }
    }
    if items.split(|item| *item == Item::Semicolon).any(takes_back) {
        found.iter_mut().for_each(|position| position.unsure = true);
    }
    let implied: Vec<Position> = found.iter().flat_map(implications).collect();
    found.extend(implied);
    found.retain(|position| !position.terms.is_empty() || position.act == Act::Remove);
    found
}

/// "…; I do not": a refusal that names nothing turns what stands beside it.
fn takes_back(segment: &[Item]) -> bool {
    let refuses = segment.iter().any(|item| is_cue(item, Cue::Against) || is_cue(item, Cue::Not));
    refuses && !segment.iter().any(|item| matches!(item, Item::Act { .. } | Item::Term(_)))
}

/// Wanting the first means not wanting the act on the last.
const IMPLIED: &[(&str, Act, &str)] = &[
    ("preserving", Act::Change, "api"),
    ("preserving", Act::Change, "behaviour"),
    ("preserving", Act::Any, "breaking"),
    ("compatible", Act::Any, "breaking"),
    ("compatible", Act::Change, "api"),
    ("compatible", Act::Remove, "api"),
    ("minimal", Act::Any, "unrelated"),
];

fn implications(position: &Position) -> Vec<Position> {
    if !matches!(position.stance, Stance::Favour | Stance::Fact) {
        return Vec::new();
    }
    let wanted =
        |topic: &str| position.terms.iter().any(|term| matches!(term, Term::Topic(id) if *id == topic));
    IMPLIED
        .iter()
        .filter(|(from, _, _)| wanted(from))
        .map(|&(_, act, to)| Position {
            stance: Stance::Against,
            act,
            terms: vec![Term::Topic(to)],
            ..position.clone()
        })
        .collect()
}

fn is_cue(item: &Item, wanted: Cue) -> bool {
    matches!(item, Item::Cue { cue, .. } if *cue == wanted)
}

fn is_measure(term: &Term) -> bool {
    matches!(term, Term::Member { category: "size" | "length" | "code shape", .. })
}

/// A part of a segment with one attitude.
struct Clause {
    items: Vec<Item>,
    unsure: bool,
}

/// Cuts a segment where a new attitude begins: "use tabs, avoid new dependencies".
fn clauses(segment: &[Item]) -> Vec<Clause> {
    let mut found = vec![Clause { items: Vec::new(), unsure: false }];
    let mut refusing = false;
    for (at, item) in segment.iter().enumerate() {
        let current = found.last_mut().expect("starts with one clause");
        let boundary = matches!(item, Item::Comma | Item::Cue { cue: Cue::But | Cue::Join, .. });
        let next = segment[at + 1..].iter().find(|next| !is_cue(next, Cue::Person) && !is_cue(next, Cue::Me));
        let turns = is_cue(item, Cue::But) && has_own_attitude(&segment[at + 1..]);
        // "Go ahead and push" is one thought.
        let speaks = current.items.iter().any(|item| matches!(item, Item::Act { .. } | Item::Term(_)));
        let begins = boundary && speaks && (turns || next.is_some_and(|next| begins_clause(next, refusing)));
        if begins {
            let unsure = *item != Item::Comma && matches!(next, Some(Item::Act { .. })) && refusing;
            found.push(Clause { items: Vec::new(), unsure });
            refusing = false;
            continue;
        }
        if boundary && refusing && *item == Item::Comma && matches!(next, Some(Item::Act { .. })) {
            // "Never push, delete or install": one list. Without a join it may be a new thought.
            current.unsure |= !segment[at..].iter().any(|later| is_cue(later, Cue::Join));
        }
        let cue = |wanted: &[Cue]| matches!(item, Item::Cue { cue, .. } if wanted.contains(cue));
        refusing |= cue(&[Cue::Against, Cue::Not, Cue::Ask, Cue::Unasked, Cue::Permit]);
        current.items.push(item.clone());
    }
    found.retain(|clause| !clause.items.is_empty());
    found
}

/// "…, but `left-pad` is OK": what follows says for itself how the person stands to it.
fn has_own_attitude(rest: &[Item]) -> bool {
    rest.iter()
        .take_while(|item| **item != Item::Comma)
        .any(|item| is_cue(item, Cue::Permit) || is_cue(item, Cue::Against) || is_cue(item, Cue::Ask))
}

fn begins_clause(next: &Item, refusing: bool) -> bool {
    match next {
        Item::Cue { cue, .. } => {
            matches!(cue, Cue::For | Cue::Against | Cue::Not | Cue::Permit | Cue::Ask | Cue::NoAsk)
        }
        Item::Act { act, .. } => !refusing || matches!(act, Act::Keep | Act::Use | Act::Run | Act::Write),
        Item::Term(_) | Item::Comma | Item::Semicolon | Item::Value(_) => false,
    }
}

impl Clause {
    fn has(&self, wanted: Cue) -> bool {
        self.items.iter().any(|item| is_cue(item, wanted))
    }

    fn positions(&self) -> Vec<Position> {
        let fixed = self.fixed_stance();
        let (default, orders) = (self.default_stance(), self.orders() || self.describes());
        let mut reader = Reader { fixed, default, orders, ..Reader::default() };
        for item in &self.items {
            reader.take(item);
        }
        let mut found = reader.finish();
        for position in &mut found {
            position.unsure |= self.unsure;
        }
        found
    }

    /// The stance of a clause that speaks of asking, whatever else it says.
    fn fixed_stance(&self) -> Option<Stance> {
        let permits = self.has(Cue::Permit);
        let refuses = self.has(Cue::Against) || self.has(Cue::Not);
        if self.has(Cue::NoAsk) {
            return Some(if permits { Stance::Permit } else { Stance::Delegate });
        }
        if self.has(Cue::Unasked) {
            let goes_on = permits || (!refuses && self.default_stance() == Stance::Favour);
            return Some(if goes_on { Stance::Permit } else { Stance::Ask });
        }
        // "I merge", "only I deploy": the person does it, not the agent.
        let mine = self
            .items
            .windows(2)
            .any(|pair| is_cue(&pair[0], Cue::Me) && matches!(pair[1], Item::Act { act: Act::Do, .. }));
        (mine || self.has(Cue::Ask)).then_some(Stance::Ask)
    }

    /// The stance when no cue says one: an order is wanted, a description is only a fact.
    fn default_stance(&self) -> Stance {
        let fragment =
            self.items.len() <= 6 && !self.items.iter().any(|item| matches!(item, Item::Act { .. }));
        if self.orders() || (fragment && !self.has(Cue::Copula)) { Stance::Favour } else { Stance::Fact }
    }

    /// "Small, focused changes": what stands before the thing only says how it is to be.
    fn describes(&self) -> bool {
        let measured = self.items.iter().any(|item| matches!(item, Item::Term(term) if is_measure(term)));
        measured && !matches!(self.items.last(), Some(Item::Term(Term::Word(_))))
    }

    /// Whether a verb begins it, or follows the person: "use tabs", "we use tabs".
    fn orders(&self) -> bool {
        self.items.iter().enumerate().any(|(at, item)| match item {
            Item::Act { first, han, .. } => {
                *first
                    || *han
                    || at == 0
                    || is_cue(&self.items[at - 1], Cue::Person)
                    || is_cue(&self.items[at - 1], Cue::Me)
            }
            _ => false,
        })
    }
}

/// Walks over a clause and collects what it says.
struct Reader {
    fixed: Option<Stance>,
    default: Stance,
    /// The clause is an order, or describes what is wanted.
    orders: bool,
    stance: Option<Stance>,
    act: Act,
    terms: Vec<Term>,
    /// The act was said before the last comma.
    carried: bool,
    unsure: bool,
    found: Vec<(Option<Stance>, Position)>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            fixed: None,
            default: Stance::Fact,
            orders: false,
            stance: None,
            act: Act::Any,
            terms: Vec::new(),
            carried: false,
            unsure: false,
            found: Vec::new(),
        }
    }
}

impl Reader {
    fn take(&mut self, item: &Item) {
        match item {
            Item::Act { act, han, .. } => self.take_act(*act, *han),
            Item::Term(term) => self.terms.push(term.clone()),
            Item::Cue { cue, han } => self.take_cue(*cue, *han),
            // "small, focused commits" is one thing.
            Item::Comma if !self.terms.iter().all(is_measure) || self.terms.is_empty() => {
                self.flush(false);
                self.carried = true;
            }
            Item::Comma => {}
            Item::Semicolon | Item::Value(_) => {}
        }
    }

    fn take_act(&mut self, act: Act, han: bool) {
        // "注释用英文，文档用中文": what stands before a Chinese verb belongs to it, not to the verb before the comma.
        if !self.terms.is_empty() && self.act != Act::Any && !(self.carried && han) {
            self.flush(false);
        }
        self.carried = false;
        self.act = act;
    }

    fn take_cue(&mut self, cue: Cue, han: bool) {
        match cue {
            Cue::For => self.stand(Stance::Favour),
            Cue::Need if self.terms.is_empty() => self.stand(Stance::Favour),
            // Kept among the terms so that the occasion by itself does not decide a choice.
            Cue::Need => self.terms.push(Term::Word("need".to_owned())),
            Cue::Permit => self.stand(Stance::Permit),
            Cue::Against => self.oppose(han),
            Cue::Not => {
                self.flush(false);
                self.stance = Some(Stance::Against);
            }
            Cue::Over => {
                self.flush(false);
                self.unsure |= self.stance.unwrap_or(self.default) == Stance::Against;
                self.stance = Some(Stance::Against);
            }
            Cue::Without => self.lack(),
            Cue::Before | Cue::Then => {
                self.flush(false);
                self.unsure |= self.fixed.is_none();
            }
            Cue::Moment => self.flush(self.fixed.is_none()),
            Cue::Join | Cue::If => self.flush(false),
            Cue::Ask | Cue::Unasked | Cue::NoAsk | Cue::Hedge => {}
            Cue::But | Cue::Copula | Cue::Me | Cue::Person | Cue::Own => {}
        }
    }

    fn stand(&mut self, stance: Stance) {
        self.stance = self.stance.or(Some(stance));
    }

    /// A refusal looks back when nothing else was said ("new dependencies are forbidden"), else forward.
    fn oppose(&mut self, han: bool) {
        let spoken = self.stance.is_some() || (self.act != Act::Any && !self.terms.is_empty());
        if spoken && !self.terms.is_empty() {
            self.flush(false);
        }
        // A second refusal turns the first around, which is too easily misread.
        self.unsure |= self.stance == Some(Stance::Against) && !han;
        self.stance = Some(Stance::Against);
    }

    /// "Never commit without running the tests" wants the tests; whether to commit stays open.
    fn lack(&mut self) {
        let refusing = self.stance == Some(Stance::Against);
        self.flush(refusing);
        self.act = Act::Any;
        self.stance = Some(if refusing { Stance::Favour } else { Stance::Against });
    }

    fn flush(&mut self, side: bool) {
        let bare_act = self.act == Act::Remove;
        if self.terms.is_empty() && !bare_act {
            return;
        }
        let position = Position {
            stance: Stance::Fact,
            act: self.act,
            terms: std::mem::take(&mut self.terms),
            unsure: self.unsure || side,
            hedged: false,
            told: false,
        };
        if bare_act {
            self.act = Act::Any;
        }
        self.found.push((self.stance, position));
    }

    /// Things named before any cue take the first stance that was said.
    fn finish(mut self) -> Vec<Position> {
        let bare = self.act == Act::Remove && self.terms.is_empty();
        if !bare || self.found.iter().all(|(_, position)| position.act != Act::Remove) {
            self.flush(false);
        }
        let first = self.found.iter().find_map(|(stance, _)| *stance);
        let late = self.stance.filter(|_| first.is_none()).or(first);
        let fallback = match late {
            // "tabs not spaces": what stands before a mere "not" is wanted.
            Some(Stance::Against) if self.found.iter().any(|(stance, _)| stance.is_some()) => self.default,
            Some(stance) => stance,
            None => self.default,
        };
        let fixed = self.fixed;
        let need = Term::Word("need".to_owned());
        let needs = self.found.iter().any(|(_, position)| position.terms.contains(&need));
        let told = fixed.is_none() && late.is_none() && !self.orders && !needs;
        // "Never delete or overwrite user data" does not refuse every deletion.
        let named = self.found.iter().any(|(_, position)| !position.terms.is_empty());
        for (_, position) in &mut self.found {
            position.unsure |= position.terms.is_empty() && named && fixed != Some(Stance::Ask);
        }
        self.found
            .into_iter()
            .map(|(stance, position)| Position {
                stance: fixed.unwrap_or(stance.unwrap_or(fallback)),
                told,
                ..position
            })
            .collect()
    }
}
