//! Tokens to a tree, by binding power: `->` weakest and to the right, then CEL's own order.

use super::{
    ExprError, LONGEST,
    ast::{Ast, Comparison, Id, Node, NodeKind, Operator},
    lex::{Lexed, Token, lex},
};

/// Levels of nesting; deeper is refused so that walking the tree is safe.
pub const DEEPEST: usize = 200;

pub fn parse(text: &str) -> Result<Ast, ExprError> {
    if text.len() > LONGEST {
        return Err(ExprError::limit(0, format!("the expression is longer than {} KiB", LONGEST / 1024)));
    }
    let tokens = lex(text)?;
    let nodes = Vec::with_capacity(tokens.len());
    let mut parser = Parser { tokens, at: 0, depth: 0, nodes };
    let root = parser.implication()?;
    match parser.peek() {
        Token::End => Ok(Ast { nodes: parser.nodes, root }),
        other => Err(ExprError::syntax(parser.place(), format!("{} is not expected here", told(other)))),
    }
}

struct Parser {
    tokens: Vec<Lexed>,
    at: usize,
    depth: usize,
    nodes: Vec<Node>,
}

type Parsed = Result<Id, ExprError>;

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is `End` and is never stepped over.
        &self.tokens[self.at.min(self.tokens.len() - 1)].token
    }

    /// The next token, stepped over; the end stays.
    fn take(&mut self) -> Token {
        match self.tokens.get_mut(self.at) {
            Some(lexed) if lexed.token != Token::End => {
                self.at += 1;
                std::mem::replace(&mut lexed.token, Token::End)
            }
            _ => Token::End,
        }
    }

    fn place(&self) -> usize {
        self.tokens[self.at.min(self.tokens.len() - 1)].at
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(other) if *other == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), ExprError> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(ExprError::syntax(self.place(), format!("`{sign}` is expected here, not {}", told(self.peek()))))
    }

    fn node(&mut self, at: usize, kind: NodeKind) -> Parsed {
        let mut depth = 1;
        kind.each_child(|child| depth = depth.max(self.nodes[child].depth + 1));
        if depth > DEEPEST {
            return Err(ExprError::limit(
                at,
                format!("the expression is nested deeper than {DEEPEST} levels"),
            ));
        }
        self.nodes.push(Node { at, depth, kind });
        Ok(self.nodes.len() - 1)
    }

    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the expression is nested deeper than {DEEPEST} levels");
            return Err(ExprError::limit(self.place(), message));
        }
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn implication(&mut self) -> Parsed {
        let left = self.choice()?;
        let at = self.place();
        if !self.eat("->") {
            return Ok(left);
        }
        let right = self.deeper(Self::implication)?;
        self.node(at, NodeKind::Implies(left, right))
    }

    fn choice(&mut self) -> Parsed {
        let condition = self.alternatives()?;
        let at = self.place();
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.deeper(Self::implication)?;
        self.expect(":")?;
        let no = self.deeper(Self::choice)?;
        self.node(at, NodeKind::Choose(condition, yes, no))
    }

    fn alternatives(&mut self) -> Parsed {
        self.chain("||", Self::conjunction, NodeKind::Or)
    }

    fn conjunction(&mut self) -> Parsed {
        self.chain("&&", Self::relation, NodeKind::And)
    }

    /// `a && b && c` is one node with three parts: long chains stay flat.
    fn chain(&mut self, sign: &str, part: fn(&mut Self) -> Parsed, make: fn(Vec<Id>) -> NodeKind) -> Parsed {
        let first = part(self)?;
        let at = self.place();
        let mut parts = vec![first];
        while self.eat(sign) {
            parts.push(part(self)?);
        }
        if parts.len() == 1 { Ok(first) } else { self.node(at, make(parts)) }
    }

    fn relation(&mut self) -> Parsed {
        let mut left = self.sum()?;
        loop {
            let at = self.place();
            let kind = match self.peek() {
                Token::Sign(sign) => Comparison::from_sign(sign),
                Token::Name(name) if name == "in" => None,
                _ => return Ok(left),
            };
            let is_in = matches!(self.peek(), Token::Name(_));
            if kind.is_none() && !is_in {
                return Ok(left);
            }
            self.at += 1;
            let right = self.sum()?;
            left = match kind {
                Some(comparison) => self.node(at, NodeKind::Compare(comparison, left, right))?,
                None => self.node(at, NodeKind::In(left, right))?,
            };
        }
    }

    fn sum(&mut self) -> Parsed {
        self.operators(Self::product, &[("+", Operator::Add), ("-", Operator::Subtract)])
    }

    fn product(&mut self) -> Parsed {
        let signs = [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
        self.operators(Self::unary, &signs)
    }

    fn operators(&mut self, part: fn(&mut Self) -> Parsed, signs: &[(&str, Operator)]) -> Parsed {
        let mut left = part(self)?;
        loop {
            let at = self.place();
            let Some((_, operator)) = signs.iter().find(|(sign, _)| self.eat(sign)) else { return Ok(left) };
            let right = part(self)?;
            left = self.node(at, NodeKind::Arithmetic(*operator, left, right))?;
        }
    }

    fn unary(&mut self) -> Parsed {
        let at = self.place();
        if self.eat("!") {
            let inner = self.deeper(Self::unary)?;
            return self.node(at, NodeKind::Not(inner));
        }
        if self.eat("-") {
            if self.eat_least() {
                return self.node(at, NodeKind::Integer(i64::MIN));
            }
            let inner = self.deeper(Self::unary)?;
            return self.node(at, NodeKind::Negate(inner));
        }
        let first = self.primary()?;
        self.postfix(first)
    }

    /// The least integer is one further from zero than the largest: without its sign it could not be written.
    fn eat_least(&mut self) -> bool {
        let found = matches!(self.peek(), Token::Integer(value) if *value == i64::MIN.unsigned_abs());
        self.at += usize::from(found);
        found
    }

    fn postfix(&mut self, mut left: Id) -> Parsed {
        loop {
            if self.eat(".") {
                let at = self.place();
                let Token::Name(name) = self.take() else {
                    return Err(ExprError::syntax(at, "a name is expected after the dot"));
                };
                let kind = if self.eat("(") {
                    NodeKind::Call { target: Some(left), name, arguments: self.list(")")? }
                } else {
                    NodeKind::Select(left, name)
                };
                left = self.node(at, kind)?;
            } else {
                let at = self.place();
                if !self.eat("[") {
                    return Ok(left);
                }
                let index = self.deeper(Self::implication)?;
                self.expect("]")?;
                left = self.node(at, NodeKind::Index(left, index))?;
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let at = self.place();
        if self.eat("(") {
            let inner = self.deeper(Self::implication)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("[") {
            let items = self.list("]")?;
            return self.node(at, NodeKind::List(items));
        }
        let kind = literal(self.take(), at)?;
        match kind {
            NodeKind::Name(name) if self.eat("(") => {
                let arguments = self.list(")")?;
                self.node(at, NodeKind::Call { target: None, name, arguments })
            }
            kind => self.node(at, kind),
        }
    }

    /// Values between commas up to the closing bracket; a comma may stand last.
    fn list(&mut self, close: &'static str) -> Result<Vec<Id>, ExprError> {
        let mut items = Vec::new();
        loop {
            if self.eat(close) {
                return Ok(items);
            }
            items.push(self.deeper(Self::implication)?);
            if !self.eat(",") {
                self.expect(close)?;
                return Ok(items);
            }
        }
    }
}

/// A value of one token. Apart from what calls itself, which is kept small: nested expressions use up the stack.
fn literal(token: Token, at: usize) -> Result<NodeKind, ExprError> {
    Ok(match token {
        Token::Integer(value) => match i64::try_from(value) {
            Ok(value) => NodeKind::Integer(value),
            Err(_) => return Err(ExprError::syntax(at, "the integer is too large")),
        },
        Token::Number(value) => NodeKind::Number(value),
        Token::Text(text) => NodeKind::Text(text),
        Token::Name(name) => match name.as_str() {
            "true" => NodeKind::Bool(true),
            "false" => NodeKind::Bool(false),
            "null" => NodeKind::Null,
            "in" => return Err(ExprError::syntax(at, "`in` needs a value on its left")),
            _ => NodeKind::Name(name),
        },
        other => {
            return Err(ExprError::syntax(at, format!("a value is expected here, not {}", told(&other))));
        }
    })
}

fn told(token: &Token) -> String {
    match token {
        Token::Integer(value) => format!("`{value}`"),
        Token::Number(value) => format!("`{value}`"),
        Token::Text(_) => "a string".to_owned(),
        Token::Name(name) => format!("`{}`", mi_model::shorten(name, 40)),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::End => "the end".to_owned(),
    }
}
