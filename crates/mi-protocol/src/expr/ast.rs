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

    /// Whether two parts, perhaps of two expressions, say the same, however they are spaced and bracketed.
    pub fn same(&self, a: Id, other: &Self, b: Id) -> bool {
        use NodeKind as K;
        let all = |left: &[Id], right: &[Id]| {
            left.len() == right.len() && left.iter().zip(right).all(|(&x, &y)| self.same(x, other, y))
        };
        match (self.kind(a), other.kind(b)) {
            (K::List(x), K::List(y)) | (K::And(x), K::And(y)) | (K::Or(x), K::Or(y)) => all(x, y),
            (K::Select(x, left), K::Select(y, right)) => left == right && self.same(*x, other, *y),
            (K::Not(x), K::Not(y)) | (K::Negate(x), K::Negate(y)) => self.same(*x, other, *y),
            (K::Index(x, i), K::Index(y, j)) | (K::Implies(x, i), K::Implies(y, j)) | (K::In(x, i), K::In(y, j)) => {
                all(&[*x, *i], &[*y, *j])
            }
            (K::Compare(c, x, i), K::Compare(d, y, j)) => c == d && all(&[*x, *i], &[*y, *j]),
            (K::Arithmetic(c, x, i), K::Arithmetic(d, y, j)) => c == d && all(&[*x, *i], &[*y, *j]),
            (K::Choose(c, x, i), K::Choose(d, y, j)) => all(&[*c, *x, *i], &[*d, *y, *j]),
            (
                K::Call { target: t, name: n, arguments: x },
                K::Call { target: u, name: m, arguments: y },
            ) => {
                let targets: (Vec<Id>, Vec<Id>) = (t.iter().copied().collect(), u.iter().copied().collect());
                n == m && all(&targets.0, &targets.1) && all(x, y)
            }
            (x, y) => x == y,
        }
    }
}
