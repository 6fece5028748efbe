//! The parser behind guards: what could make it recurse too deep, run too long or panic never reaches it.

use brush_parser::ast::Program;
use brush_parser::{ParserOptions, Token};

use super::misread;

/// Expansions in one script; each may cost the tokenizer stack.
const MAX_EXPANSIONS: usize = 150;
/// Parentheses inside each other: the grammar tries each twice, so time doubles per level.
const MAX_PARENTHESES: usize = 10;
/// Compound commands inside each other.
const MAX_COMPOUNDS: usize = 60;
/// Subscripts in one word, `a[b[c]]`: each costs the grammar stack.
const MAX_SUBSCRIPTS: usize = 200;

/// Why a script was not parsed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ParseScriptError {
    #[error("more than {MAX_EXPANSIONS} expansions")]
    Expansions,
    #[error("nested too deep")]
    Depth,
    #[error("a descriptor number is too large")]
    Number,
    #[error("the shell grammar does not accept it")]
    Syntax,
    #[error("{0}")]
    Misread(&'static str),
}

/// Parses `script`, from which here-documents were taken out, as bash.
pub(super) fn parse(script: &str) -> Result<Program, ParseScriptError> {
    if count_expansions(script) > MAX_EXPANSIONS {
        return Err(ParseScriptError::Expansions);
    }
    let options = ParserOptions::default();
    let tokens = brush_parser::uncached_tokenize_str(script, &options.tokenizer_options())
        .map_err(|_| ParseScriptError::Syntax)?;
    check(&tokens)?;
    if let Some(why) = misread::find_misread_syntax(script, &tokens) {
        return Err(ParseScriptError::Misread(why));
    }
    brush_parser::parse_tokens(&tokens, &options).map_err(|_| ParseScriptError::Syntax)
}

/// An upper bound of how often the tokenizer can nest, whatever the quoting.
fn count_expansions(script: &str) -> usize {
    let bytes = script.as_bytes();
    let pairs = bytes.windows(2).filter(|pair| {
        matches!(pair, [b'$', b'(' | b'{' | b'['] | [b'<' | b'>' | b'?' | b'*' | b'+' | b'@' | b'!', b'('])
    });
    pairs.count() + bytes.iter().filter(|byte| **byte == b'`').count()
}

/// An upper bound of how deep subscripts of one word can nest: names in front of a bracket.
fn count_subscripts(word: &str) -> usize {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    word.as_bytes().windows(2).filter(|pair| is_name(pair[0]) && pair[1] == b'[').count()
}

/// Bounds the nesting that the grammar will see, on its own tokens.
fn check(tokens: &[Token]) -> Result<(), ParseScriptError> {
    let (mut parentheses, mut compounds) = (0usize, 0usize);
    let mut command_position = true;
    for token in tokens {
        match token {
            Token::Operator(operator, _) => {
                match operator.as_str() {
                    "(" => parentheses += 1,
                    ")" => parentheses = parentheses.saturating_sub(1),
                    _ => {}
                }
                command_position = !operator.starts_with(['<', '>']);
            }
            Token::Word(word, _) => {
                if word.len() > 9 && word.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(ParseScriptError::Number);
                }
                if word.len() > MAX_SUBSCRIPTS && count_subscripts(word) > MAX_SUBSCRIPTS {
                    return Err(ParseScriptError::Depth);
                }
                match word.as_str() {
                    "if" | "while" | "until" | "for" | "case" | "select" | "{" | "coproc" | "function"
                        if command_position =>
                    {
                        compounds += 1;
                    }
                    "fi" | "done" | "esac" | "}" if command_position => {
                        compounds = compounds.saturating_sub(1)
                    }
                    "then" | "else" | "elif" | "do" | "!" | "time" | "in" => {}
                    _ => {
                        command_position = false;
                        continue;
                    }
                }
                command_position = true;
            }
        }
        if parentheses > MAX_PARENTHESES || compounds > MAX_COMPOUNDS {
            return Err(ParseScriptError::Depth);
        }
    }
    Ok(())
}
