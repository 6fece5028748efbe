//! One line of an event stream, read strictly: a missing or mistyped key is no event.

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt};

use crate::{event_kind::EventKind, expr::Value};

/// Bytes of one line; longer ones are no events.
pub const LONGEST_LINE: usize = 8 * 1024 * 1024;

#[derive(Debug)]
pub struct Event<'e> {
    pub body: Body<'e>,
    /// Fields and values, in the order written.
    pub set: Vec<(Cow<'e, str>, Option<Value>)>,
    /// Texts that the event carries beyond what its kind needs; expressions see them all the same.
    pub besides: Besides<'e>,
    /// Why the evidence of a transition's guard could not be read, if it could not.
    pub unread_evidence: Option<Cow<'e, str>>,
}

/// Texts by the names of `event.NAME`; nothing where the event's own kind has taken them.
#[derive(Debug, Default)]
pub struct Besides<'e> {
    pub phase: Option<Text<'e>>,
    pub subphase: Option<Text<'e>>,
    pub edge: Option<Text<'e>>,
    pub actor: Option<Text<'e>>,
    pub path: Option<Text<'e>>,
    pub mode: Option<Text<'e>>,
    pub text: Option<Text<'e>>,
}

#[derive(Debug)]
pub enum Body<'e> {
    PhaseStart { phase: Cow<'e, str> },
    PhaseEnd { phase: Cow<'e, str> },
    SubphaseStart { phase: Cow<'e, str>, subphase: Cow<'e, str> },
    SubphaseEnd { phase: Cow<'e, str>, subphase: Cow<'e, str>, manifest: Vec<Cow<'e, str>> },
    Update,
    Tick,
    Transition { edge: Cow<'e, str> },
    Access { actor: Cow<'e, str>, path: Cow<'e, str>, mode: Cow<'e, str> },
    Said { actor: Cow<'e, str>, text: Cow<'e, str> },
    Evidence { id: Cow<'e, str>, claim: Cow<'e, str>, source: Cow<'e, str>, supports: bool },
    Output(Output<'e>),
    Approved { items: Vec<Cow<'e, str>> },
    Resume,
}

#[derive(Debug)]
pub struct Output<'e> {
    pub path: Cow<'e, str>,
    pub digest: Cow<'e, str>,
    pub previous: Option<Cow<'e, str>>,
    pub items: Vec<(Cow<'e, str>, Cow<'e, str>)>,
}

/// Why a line is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAnEvent {
    Bad(String),
    Unknown(String),
}

/// Reads one line.
pub fn read(line: &[u8]) -> Result<Event<'_>, NotAnEvent> {
    let bad = |why: &str| NotAnEvent::Bad(why.to_owned());
    if line.len() > LONGEST_LINE {
        return Err(bad("the line is longer than 8 MiB"));
    }
    let text = std::str::from_utf8(line).map_err(|_| bad("the line is not UTF-8"))?;
    // The reader below would take a list for an object without keys.
    if !text.trim_start().starts_with('{') {
        return Err(bad("the line is not a JSON object"));
    }
    let mut raw: Raw<'_> = serde_json::from_str(text).map_err(|error| mistyped(text, &error))?;
    let name = raw.kind.take().ok_or_else(|| bad("`type` is missing"))?.0;
    let kind = EventKind::from_name(&name).ok_or_else(|| NotAnEvent::Unknown(name.into_owned()))?;
    let set = raw.set.take().map(|set| set.0).unwrap_or_default();
    let unread_evidence = raw.guard_evidence.take().and_then(|evidence| evidence.error).map(|error| error.0);
    let body = raw.body(kind)?;
    let Raw { phase, subphase, edge, actor, path, mode, text, .. } = raw;
    let besides = Besides { phase, subphase, edge, actor, path, mode, text };
    Ok(Event { body, set, besides, unread_evidence })
}

/// Keys have types only in an event that there is.
fn mistyped(text: &str, error: &serde_json::Error) -> NotAnEvent {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "type")]
        kind: String,
    }
    match serde_json::from_str::<Named>(text) {
        Ok(Named { kind }) if EventKind::from_name(&kind).is_none() => NotAnEvent::Unknown(kind),
        _ => NotAnEvent::Bad(error.to_string()),
    }
}

/// What a transition says about the evidence of its guard. Only its absence matters to the engine.
#[derive(Deserialize)]
struct GuardEvidence<'e> {
    #[serde(borrow)]
    error: Option<Text<'e>>,
}

#[derive(Deserialize)]
struct Raw<'e> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'e>>,
    #[serde(borrow)]
    phase: Option<Text<'e>>,
    #[serde(borrow)]
    subphase: Option<Text<'e>>,
    #[serde(borrow)]
    edge: Option<Text<'e>>,
    #[serde(borrow)]
    actor: Option<Text<'e>>,
    #[serde(borrow)]
    path: Option<Text<'e>>,
    #[serde(borrow)]
    mode: Option<Text<'e>>,
    #[serde(borrow)]
    text: Option<Text<'e>>,
    #[serde(borrow)]
    id: Option<Text<'e>>,
    #[serde(borrow)]
    claim: Option<Text<'e>>,
    #[serde(borrow)]
    source: Option<Text<'e>>,
    #[serde(borrow)]
    digest: Option<Text<'e>>,
    #[serde(borrow)]
    previous_output_path: Option<Text<'e>>,
    supports: Option<bool>,
    #[serde(borrow)]
    manifest: Option<Vec<Text<'e>>>,
    #[serde(borrow)]
    items: Option<Items<'e>>,
    #[serde(borrow)]
    set: Option<Set<'e>>,
    #[serde(borrow)]
    guard_evidence: Option<GuardEvidence<'e>>,
}

impl<'e> Raw<'e> {
    /// Takes what an event of this kind needs.
    fn body(&mut self, kind: EventKind) -> Result<Body<'e>, NotAnEvent> {
        let need = |text: Option<Text<'e>>, key: &str| {
            text.map(|text| text.0).ok_or_else(|| NotAnEvent::Bad(format!("`{key}` is missing")))
        };
        Ok(match kind {
            EventKind::PhaseStart => Body::PhaseStart { phase: need(self.phase.take(), "phase")? },
            EventKind::PhaseEnd => Body::PhaseEnd { phase: need(self.phase.take(), "phase")? },
            EventKind::SubphaseStart => Body::SubphaseStart {
                phase: need(self.phase.take(), "phase")?,
                subphase: need(self.subphase.take(), "subphase")?,
            },
            EventKind::SubphaseEnd => Body::SubphaseEnd {
                phase: need(self.phase.take(), "phase")?,
                subphase: need(self.subphase.take(), "subphase")?,
                manifest: self
                    .manifest
                    .take()
                    .map(|paths| paths.into_iter().map(|path| path.0).collect())
                    .ok_or_else(|| NotAnEvent::Bad("`manifest` is missing".to_owned()))?,
            },
            EventKind::Update => Body::Update,
            EventKind::Tick => Body::Tick,
            EventKind::Transition => Body::Transition { edge: need(self.edge.take(), "edge")? },
            EventKind::Access => Body::Access {
                actor: need(self.actor.take(), "actor")?,
                path: need(self.path.take(), "path")?,
                mode: need(self.mode.take(), "mode")?,
            },
            EventKind::Said => {
                Body::Said { actor: need(self.actor.take(), "actor")?, text: need(self.text.take(), "text")? }
            }
            EventKind::Evidence => Body::Evidence {
                id: need(self.id.take(), "id")?,
                claim: need(self.claim.take(), "claim")?,
                source: need(self.source.take(), "source")?,
                supports: self.supports.ok_or_else(|| NotAnEvent::Bad("`supports` is missing".to_owned()))?,
            },
            EventKind::Output => Body::Output(Output {
                path: need(self.path.take(), "path")?,
                digest: need(self.digest.take(), "digest")?,
                previous: self.previous_output_path.take().map(|path| path.0),
                items: match self.items.take() {
                    None => Vec::new(),
                    Some(Items::Digests(items)) => items,
                    Some(Items::Names(_)) => {
                        return Err(NotAnEvent::Bad("`items` of an output maps names to digests".to_owned()));
                    }
                },
            }),
            EventKind::Approved => match self.items.take() {
                Some(Items::Names(items)) => Body::Approved { items },
                _ => return Err(NotAnEvent::Bad("`items` of an approval is a list of names".to_owned())),
            },
            EventKind::Resume => Body::Resume,
        })
    }
}

impl Body<'_> {
    pub fn kind(&self) -> EventKind {
        match self {
            Self::PhaseStart { .. } => EventKind::PhaseStart,
            Self::PhaseEnd { .. } => EventKind::PhaseEnd,
            Self::SubphaseStart { .. } => EventKind::SubphaseStart,
            Self::SubphaseEnd { .. } => EventKind::SubphaseEnd,
            Self::Update => EventKind::Update,
            Self::Tick => EventKind::Tick,
            Self::Transition { .. } => EventKind::Transition,
            Self::Access { .. } => EventKind::Access,
            Self::Said { .. } => EventKind::Said,
            Self::Evidence { .. } => EventKind::Evidence,
            Self::Output(_) => EventKind::Output,
            Self::Approved { .. } => EventKind::Approved,
            Self::Resume => EventKind::Resume,
        }
    }
}

/// A string that borrows from the line unless it has escapes.
#[derive(Debug)]
pub struct Text<'e>(pub Cow<'e, str>);

impl<'de: 'e, 'e> Deserialize<'de> for Text<'e> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

#[derive(Debug)]
enum Items<'e> {
    Digests(Vec<(Cow<'e, str>, Cow<'e, str>)>),
    Names(Vec<Cow<'e, str>>),
}

impl<'de: 'e, 'e> Deserialize<'de> for Items<'e> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names, or names with digests")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut names = Vec::new();
                while let Some(Text(name)) = list.next_element()? {
                    names.push(name);
                }
                Ok(Items::Names(names))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                entries(map, |value: Text<'de>| value.0).map(Items::Digests)
            }
        }
        deserializer.deserialize_any(ItemsVisitor)
    }
}

/// The entries of a map; a key that stands twice is an error, not a choice.
fn entries<'de, A: MapAccess<'de>, V: Deserialize<'de>, T>(
    mut map: A,
    make: impl Fn(V) -> T,
) -> Result<Vec<(Cow<'de, str>, T)>, A::Error> {
    let mut entries: Vec<(Cow<'de, str>, T)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    while let Some((Text(key), value)) = map.next_entry::<Text<'de>, V>()? {
        let few = entries.len() < 16;
        let twice = if few {
            entries.iter().any(|(known, _)| *known == key)
        } else {
            if seen.is_empty() {
                seen.extend(entries.iter().map(|(known, _)| known.clone()));
            }
            !seen.insert(key.clone())
        };
        if twice {
            return Err(A::Error::custom(format!("`{key}` stands twice")));
        }
        entries.push((key, make(value)));
    }
    Ok(entries)
}

#[derive(Debug)]
struct Set<'e>(Vec<(Cow<'e, str>, Option<Value>)>);

impl<'de: 'e, 'e> Deserialize<'de> for Set<'e> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SetVisitor;
        impl<'de> Visitor<'de> for SetVisitor {
            type Value = Set<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("fields and values")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                entries(map, |given: Given| given.0).map(Set)
            }
        }
        deserializer.deserialize_map(SetVisitor)
    }
}

/// A value that a field could hold; `None` for everything else, such as objects.
struct Given(Option<Value>);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GivenVisitor).map(Given)
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Value::Bool(value)))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(Value::Integer(value)))
    }
    #[expect(clippy::cast_precision_loss, reason = "an integer that large fits number fields only")]
    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(i64::try_from(value).map_or(Value::Number(value as f64), Value::Integer)))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(Value::Number(value)))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Value::Text(text.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut texts = Some(Vec::new());
        while let Some(Given(item)) = list.next_element()? {
            texts = match (texts, item) {
                (Some(mut texts), Some(Value::Text(text))) => {
                    texts.push(text);
                    Some(texts)
                }
                _ => None,
            };
        }
        Ok(texts.map(Value::List))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<Text<'de>, Given>()?.is_some() {}
        Ok(None)
    }
}
