//! The thirteen kinds of event, and the texts of an event that expressions can read.

/// What happened. The names are those of the event's `type` and of `event.NAME`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    PhaseStart,
    PhaseEnd,
    SubphaseStart,
    SubphaseEnd,
    Update,
    Tick,
    Transition,
    Access,
    Said,
    Evidence,
    Output,
    Approved,
    Resume,
}

impl EventKind {
    pub const ALL: [(&'static str, Self); 13] = [
        ("phase_start", Self::PhaseStart),
        ("phase_end", Self::PhaseEnd),
        ("subphase_start", Self::SubphaseStart),
        ("subphase_end", Self::SubphaseEnd),
        ("update", Self::Update),
        ("tick", Self::Tick),
        ("transition", Self::Transition),
        ("access", Self::Access),
        ("said", Self::Said),
        ("evidence", Self::Evidence),
        ("output", Self::Output),
        ("approved", Self::Approved),
        ("resume", Self::Resume),
    ];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// The texts of an event, in the order of [`EventTexts`].
pub const TEXT_NAMES: [&str; 10] =
    ["type", "phase", "subphase", "edge", "from", "to", "actor", "path", "mode", "text"];

/// `event.type`, `event.phase`, …; empty when absent.
pub type EventTexts<'e> = [&'e str; TEXT_NAMES.len()];

/// Everything that can stand after `event.`.
pub fn known_names() -> impl Iterator<Item = &'static str> + Clone {
    TEXT_NAMES.into_iter().chain(EventKind::ALL.iter().map(|(name, _)| *name))
}
