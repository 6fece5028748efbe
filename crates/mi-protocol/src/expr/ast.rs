//! An expression as it was written, in one vector: dropping and copying it never recurses.

use std::fmt::Write;

/// Index of a node in its [`Ast`].
pub type Id = usize;

#[derive(Debug, Clone, PartialEq)]
pub struct Ast {
    pub nodes: Vec<Node>,
    pub root: Id,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The character at which it is reported.
    pub at: usize,
    pub depth: usize,
    pub kind: NodeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Id>),
    Name(String),
    Select(Id, String),
    Index(Id, Id),
    Not(Id),
    Negate(Id),
    And(Vec<Id>),
    Or(Vec<Id>),
    Implies(Id, Id),
    Compare(Comparison, Id, Id),
    In(Id, Id),
    Arithmetic(Operator, Id, Id),
    Choose(Id, Id, Id),
    Call { target: Option<Id>, name: String, arguments: Vec<Id> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Comparison {
    pub fn from_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "==" => Self::Equal,
            "!=" => Self::Unequal,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    /// The comparison with its sides exchanged.
    pub fn flipped(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Unequal => Self::Unequal,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// The comparison that holds exactly when this one is false.
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }
}

impl Ast {
    pub fn kind(&self, id: Id) -> &NodeKind {
        &self.nodes[id].kind
    }

    /// The first character of a part; brackets around it are not counted.
    pub fn start(&self, id: Id) -> usize {
        use NodeKind as K;
        match self.kind(id) {
            K::Select(inner, _) | K::Index(inner, _) | K::Implies(inner, _) => self.start(*inner),
            K::Compare(_, inner, _) | K::In(inner, _) | K::Arithmetic(_, inner, _) | K::Choose(inner, ..) => {
                self.start(*inner)
            }
            K::And(parts) | K::Or(parts) => parts.first().map_or(0, |part| self.start(*part)),
            K::Call { target: Some(inner), .. } => self.start(*inner),
            _ => self.nodes[id].at,
        }
    }

    /// A spelling that is the same for all ways to space and bracket one expression.
    pub fn canonical(&self, id: Id) -> String {
        let mut text = String::new();
        self.spell(id, &mut text);
        text
    }

    fn spell(&self, id: Id, text: &mut String) {
        use NodeKind as K;
        // Writing to a string does not fail.
        let _ = match self.kind(id) {
            K::Null => write!(text, "null"),
            K::Bool(value) => write!(text, "{value}"),
            K::Integer(value) => write!(text, "{value}"),
            K::Number(value) => write!(text, "{value:?}"),
            K::Text(value) => write!(text, "{value:?}"),
            K::Name(name) => write!(text, "{name}"),
            K::Select(inner, name) => {
                self.spell(*inner, text);
                write!(text, ".{name}")
            }
            K::List(_) => write!(text, "(list"),
            K::And(_) => write!(text, "(&&"),
            K::Or(_) => write!(text, "(||"),
            K::Index(..) => write!(text, "([]"),
            K::Not(_) => write!(text, "(!"),
            K::Negate(_) => write!(text, "(neg"),
            K::Implies(..) => write!(text, "(->"),
            K::In(..) => write!(text, "(in"),
            K::Compare(comparison, ..) => write!(text, "({comparison:?}"),
            K::Arithmetic(operator, ..) => write!(text, "({operator:?}"),
            K::Choose(..) => write!(text, "(?"),
            K::Call { target, name, .. } => {
                write!(text, "({}{name}()", if target.is_some() { "." } else { "" })
            }
        };
        let is_leaf = matches!(
            self.kind(id),
            K::Null | K::Bool(_) | K::Integer(_) | K::Number(_) | K::Text(_) | K::Name(_) | K::Select(..)
        );
        if is_leaf {
            return;
        }
        self.kind(id).each_child(|child| {
            text.push(' ');
            self.spell(child, text);
        });
        text.push(')');
    }
}

impl NodeKind {
    /// Calls `each` with every part, in the order written.
    pub fn each_child(&self, mut each: impl FnMut(Id)) {
        match self {
            Self::Null
            | Self::Bool(_)
            | Self::Integer(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Name(_) => {}
            Self::List(items) | Self::And(items) | Self::Or(items) => items.iter().copied().for_each(each),
            Self::Select(a, _) | Self::Not(a) | Self::Negate(a) => each(*a),
            Self::Index(a, b)
            | Self::Implies(a, b)
            | Self::Compare(_, a, b)
            | Self::In(a, b)
            | Self::Arithmetic(_, a, b) => [*a, *b].into_iter().for_each(each),
            Self::Choose(a, b, c) => [*a, *b, *c].into_iter().for_each(each),
            Self::Call { target, arguments, .. } => {
                target.iter().chain(arguments).copied().for_each(each);
            }
        }
    }
}
