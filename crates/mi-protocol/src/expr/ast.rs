//! An expression as it was written, in one vector: dropping and copying it never recurses.

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
        let (head, parts): (String, Vec<Id>) = match self.kind(id) {
            K::Null => return text.push_str("null"),
            K::Bool(value) => return text.push_str(&value.to_string()),
            K::Integer(value) => return text.push_str(&value.to_string()),
            K::Number(value) => return text.push_str(&format!("{value:?}")),
            K::Text(value) => return text.push_str(&format!("{value:?}")),
            K::Name(name) => return text.push_str(name),
            K::List(items) => ("list".to_owned(), items.clone()),
            K::And(items) => ("&&".to_owned(), items.clone()),
            K::Or(items) => ("||".to_owned(), items.clone()),
            K::Select(inner, name) => (format!(".{name}"), vec![*inner]),
            K::Index(a, b) => ("[]".to_owned(), vec![*a, *b]),
            K::Not(a) => ("!".to_owned(), vec![*a]),
            K::Negate(a) => ("neg".to_owned(), vec![*a]),
            K::Implies(a, b) => ("->".to_owned(), vec![*a, *b]),
            K::In(a, b) => ("in".to_owned(), vec![*a, *b]),
            K::Compare(comparison, a, b) => (format!("{comparison:?}"), vec![*a, *b]),
            K::Arithmetic(operator, a, b) => (format!("{operator:?}"), vec![*a, *b]),
            K::Choose(a, b, c) => ("?".to_owned(), vec![*a, *b, *c]),
            K::Call { target, name, arguments } => {
                let mark = if target.is_some() { "." } else { "" };
                (format!("{mark}{name}()"), target.iter().chain(arguments).copied().collect())
            }
        };
        text.push('(');
        text.push_str(&head);
        for part in parts {
            text.push(' ');
            self.spell(part, text);
        }
        text.push(')');
    }
}
