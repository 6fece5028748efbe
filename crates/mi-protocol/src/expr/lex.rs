//! Characters to tokens, in CEL's spelling, with `->` added.
//!
//! Holds: positions count characters of the expression.

use super::ExprError;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// Without its sign, which is an operator.
    Integer(u64),
    Number(f64),
    Text(String),
    Name(String),
    /// Operators and brackets.
    Sign(&'static str),
    End,
}

pub struct Lexed {
    pub token: Token,
    pub at: usize,
}

/// Longest first, so that `<=` is not read as `<`.
const SIGNS: [&str; 27] = [
    "->", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(", ")",
    "[", "]", "{", "}", ".", ",", "=", "&",
];

pub fn lex(text: &str) -> Result<Vec<Lexed>, ExprError> {
    let chars: Vec<char> = text.chars().collect();
    let mut lexer = Lexer { chars: &chars, at: 0 };
    let mut tokens = Vec::with_capacity(chars.len() / 4 + 2);
    loop {
        lexer.skip_space();
        let at = lexer.at;
        let token = lexer.token()?;
        let done = token == Token::End;
        tokens.push(Lexed { token, at });
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'c> {
    chars: &'c [char],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn skip_space(&mut self) {
        loop {
            while self.peek(0).is_some_and(char::is_whitespace) {
                self.at += 1;
            }
            if self.peek(0) != Some('/') || self.peek(1) != Some('/') {
                return;
            }
            while self.peek(0).is_some_and(|char| char != '\n') {
                self.at += 1;
            }
        }
    }

    fn token(&mut self) -> Result<Token, ExprError> {
        let Some(first) = self.peek(0) else { return Ok(Token::End) };
        if matches!(first, 'r' | 'R') && matches!(self.peek(1), Some('"' | '\'')) {
            self.at += 1;
            return self.text(true);
        }
        match first {
            '"' | '\'' => self.text(false),
            '0'..='9' => self.number(),
            '.' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => Ok(self.name()),
            _ => self.sign(first),
        }
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        while self.peek(0).is_some_and(|char| char.is_ascii_alphanumeric() || char == '_') {
            self.at += 1;
        }
        Token::Name(self.chars[start..self.at].iter().collect())
    }

    fn sign(&mut self, first: char) -> Result<Token, ExprError> {
        let second = self.peek(1);
        let found = SIGNS.iter().find(|sign| {
            let mut chars = sign.chars();
            chars.next() == Some(first) && chars.next().is_none_or(|wanted| second == Some(wanted))
        });
        match found {
            Some(&sign @ ("=" | "&")) => {
                Err(ExprError::syntax(self.at, format!("`{sign}` is not an operator; write `{sign}{sign}`")))
            }
            Some(sign) => {
                self.at += sign.len();
                Ok(Token::Sign(sign))
            }
            None => Err(ExprError::syntax(self.at, format!("`{}` means nothing here", first.escape_debug()))),
        }
    }

    fn number(&mut self) -> Result<Token, ExprError> {
        let start = self.at;
        if self.peek(0) == Some('0') && matches!(self.peek(1), Some('x' | 'X')) {
            self.at += 2;
            let digits = self.digits(16);
            self.suffix();
            return u64::from_str_radix(&digits, 16)
                .map(Token::Integer)
                .map_err(|_| ExprError::syntax(start, "the number is too large or has no digits"));
        }
        let mut text = self.digits(10);
        let mut whole = true;
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|next| next.is_ascii_digit()) {
            self.at += 1;
            whole = false;
            text = format!("{text}.{}", self.digits(10));
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            let sign = matches!(self.peek(1), Some('+' | '-'));
            if self.peek(1 + usize::from(sign)).is_some_and(|next| next.is_ascii_digit()) {
                whole = false;
                text.push('e');
                if sign {
                    text.extend(self.peek(1));
                }
                self.at += 1 + usize::from(sign);
                text.push_str(&self.digits(10));
            }
        }
        if whole {
            self.suffix();
            let parsed = text.parse().map(Token::Integer);
            return parsed.map_err(|_| ExprError::syntax(start, "the integer is too large"));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Number(number)),
            _ => Err(ExprError::syntax(start, "the number is too large")),
        }
    }

    fn digits(&mut self, radix: u32) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(|char| char.is_digit(radix)) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    /// CEL's unsigned integers are integers here.
    fn suffix(&mut self) {
        if matches!(self.peek(0), Some('u' | 'U')) {
            self.at += 1;
        }
    }

    fn text(&mut self, raw: bool) -> Result<Token, ExprError> {
        let start = self.at;
        let quote = self.chars[self.at];
        let triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let width = if triple { 3 } else { 1 };
        self.at += width;
        let mut text = String::new();
        loop {
            let Some(char) = self.peek(0) else {
                return Err(ExprError::syntax(start, "the string does not end"));
            };
            if (0..width).all(|ahead| self.peek(ahead) == Some(quote)) {
                self.at += width;
                return Ok(Token::Text(text));
            }
            if char == '\n' && !triple {
                return Err(ExprError::syntax(start, "the string does not end on its line"));
            }
            if char == '\\' && !raw {
                text.push(self.escape()?);
            } else {
                text.push(char);
                self.at += 1;
            }
        }
    }

    fn escape(&mut self) -> Result<char, ExprError> {
        let start = self.at;
        let letter = self.peek(1);
        self.at += 2;
        let simple = match letter {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('v') => '\u{b}',
            Some(same @ ('\\' | '"' | '\'' | '`' | '?')) => same,
            Some('x' | 'X') => return self.code(start, 2, 16),
            Some('u') => return self.code(start, 4, 16),
            Some('U') => return self.code(start, 8, 16),
            Some('0'..='3') => {
                self.at -= 1;
                return self.code(start, 3, 8);
            }
            _ => return Err(ExprError::syntax(start, "there is no such escape")),
        };
        Ok(simple)
    }

    fn code(&mut self, start: usize, length: usize, radix: u32) -> Result<char, ExprError> {
        let digits: String = self.chars.iter().skip(self.at).take(length).collect();
        self.at += length;
        let whole = digits.chars().count() == length && digits.chars().all(|char| char.is_digit(radix));
        u32::from_str_radix(&digits, radix)
            .ok()
            .filter(|_| whole)
            .and_then(char::from_u32)
            .ok_or_else(|| ExprError::syntax(start, "the escape names no character"))
    }
}
