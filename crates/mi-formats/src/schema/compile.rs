//! From a schema's JSON to rules, one list for each subschema that can be reached.
//!
//! Subschemas are known by their JSON pointer and compiled in the order in which they were first met, so a schema may
//! refer to itself and nothing recurses.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{NodeId, Rule, Type, pattern};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Why a schema cannot be checked against.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    #[error("compile the schema at `{place}`: there is none")]
    Missing { place: String },
    #[error("compile the schema at `{place}`: the keyword `{keyword}` is not one that is checked")]
    UnknownKeyword { place: String, keyword: String },
    #[error("compile the schema at `{place}`: what stands at `{keyword}` cannot be checked")]
    BadKeyword { place: String, keyword: String },
    #[error("compile the schema at `{place}`: the pattern cannot be checked: {reason}")]
    BadPattern { place: String, reason: String },
}

pub(super) fn nodes(document: &Value) -> Result<Vec<Vec<Rule>>, SchemaError> {
    let mut compiler = Compiler { document, places: Vec::new(), known: HashMap::new() };
    compiler.node_at(String::new());
    let mut nodes = Vec::new();
    while let Some(place) = compiler.places.get(nodes.len()).cloned() {
        nodes.push(compiler.rules(&place)?);
    }
    Ok(nodes)
}

struct Compiler<'s> {
    document: &'s Value,
    /// The pointer of each node.
    places: Vec<String>,
    known: HashMap<String, NodeId>,
}

/// A keyword with what it stands among.
struct Keyword<'s> {
    place: &'s str,
    name: &'s str,
    value: &'s Value,
    siblings: &'s Map<String, Value>,
}

impl Compiler<'_> {
    fn node_at(&mut self, place: String) -> NodeId {
        let next = self.places.len();
        *self.known.entry(place).or_insert_with_key(|place| {
            self.places.push(place.clone());
            next
        })
    }

    fn rules(&mut self, place: &str) -> Result<Vec<Rule>, SchemaError> {
        match self.document.pointer(place) {
            None => Err(SchemaError::Missing { place: place.to_owned() }),
            Some(Value::Bool(true)) => Ok(Vec::new()),
            Some(Value::Bool(false)) => Ok(vec![Rule::Never]),
            Some(Value::Object(words)) => {
                let rule = |(name, value): (&String, &Value)| {
                    self.rule(&Keyword { place, name, value, siblings: words })
                };
                words.iter().map(rule).filter_map(Result::transpose).collect()
            }
            Some(_) => Err(SchemaError::BadKeyword { place: place.to_owned(), keyword: String::new() }),
        }
    }

    /// None for what asks nothing of a value.
    fn rule(&mut self, keyword: &Keyword<'_>) -> Result<Option<Rule>, SchemaError> {
        let rule = match keyword.name {
            "title" | "description" | "default" | "format" => return Ok(None),
            // Definitions are compiled where they are referred to.
            "$defs" if keyword.value.is_object() => return Ok(None),
            "$schema" if keyword.place.is_empty() && keyword.value == DIALECT => return Ok(None),
            "$id" if keyword.place.is_empty() => return Ok(None),
            "then" | "else" if keyword.siblings.contains_key("if") => return Ok(None),
            "type" => Some(Rule::Type(keyword.types()?)),
            "enum" => keyword.scalars().map(Rule::Enum),
            "const" => is_scalar(keyword.value).then(|| Rule::Const(keyword.value.clone())),
            "minimum" => keyword.value.as_number().cloned().map(Rule::Minimum),
            "maximum" => keyword.value.as_number().cloned().map(Rule::Maximum),
            "minLength" => keyword.count().map(Rule::MinLength),
            "maxLength" => keyword.count().map(Rule::MaxLength),
            "minItems" => keyword.count().map(Rule::MinItems),
            "maxItems" => keyword.count().map(Rule::MaxItems),
            "pattern" => Some(keyword.pattern()?),
            "required" => keyword.names().map(Rule::Required),
            "items" => Some(Rule::Items(self.below(keyword, None))),
            "propertyNames" => Some(Rule::PropertyNames(self.below(keyword, None))),
            "properties" => self.properties(keyword),
            "additionalProperties" => Some(self.others(keyword)),
            "allOf" => self.list(keyword).map(Rule::AllOf),
            "anyOf" => self.list(keyword).map(Rule::AnyOf),
            "oneOf" => self.list(keyword).map(Rule::OneOf),
            "$ref" => self.referred(keyword).map(|node| Rule::AllOf(vec![node])),
            "if" => Some(self.condition(keyword)),
            name => {
                let (place, keyword) = (keyword.place.to_owned(), name.to_owned());
                return Err(SchemaError::UnknownKeyword { place, keyword });
            }
        };
        rule.map(Some).ok_or_else(|| keyword.bad())
    }

    /// The schema that stands at a keyword, or at a name below it.
    fn below(&mut self, keyword: &Keyword<'_>, name: Option<&str>) -> NodeId {
        let mut place = format!("{}/{}", keyword.place, keyword.name);
        if let Some(name) = name {
            place.push('/');
            place.push_str(&escaped(name));
        }
        self.node_at(place)
    }

    fn properties(&mut self, keyword: &Keyword<'_>) -> Option<Rule> {
        let names = keyword.value.as_object()?.keys();
        Some(Rule::Properties(names.map(|name| (name.clone(), self.below(keyword, Some(name)))).collect()))
    }

    fn others(&mut self, keyword: &Keyword<'_>) -> Rule {
        let properties = keyword.siblings.get("properties").and_then(Value::as_object);
        let known: Vec<String> = properties.into_iter().flat_map(Map::keys).cloned().collect();
        if keyword.value == false {
            return Rule::NoOthers(known);
        }
        Rule::Others { known, node: self.below(keyword, None) }
    }

    fn list(&mut self, keyword: &Keyword<'_>) -> Option<Vec<NodeId>> {
        let count = keyword.value.as_array().map(Vec::len).filter(|count| *count > 0)?;
        Some((0..count).map(|index| self.below(keyword, Some(&index.to_string()))).collect())
    }

    fn referred(&mut self, keyword: &Keyword<'_>) -> Option<NodeId> {
        let place = keyword.value.as_str()?.strip_prefix('#')?;
        let is_plain_pointer = (place.is_empty() || place.starts_with('/')) && !place.contains('%');
        is_plain_pointer.then(|| self.node_at(place.to_owned()))
    }

    fn condition(&mut self, keyword: &Keyword<'_>) -> Rule {
        let mut branch = |name: &str| {
            keyword.siblings.contains_key(name).then(|| self.node_at(format!("{}/{name}", keyword.place)))
        };
        let (then, otherwise) = (branch("then"), branch("else"));
        Rule::If { condition: self.below(keyword, None), then, otherwise }
    }
}

impl Keyword<'_> {
    fn bad(&self) -> SchemaError {
        SchemaError::BadKeyword { place: self.place.to_owned(), keyword: self.name.to_owned() }
    }

    fn types(&self) -> Result<Vec<Type>, SchemaError> {
        let words = match self.value {
            Value::Array(words) => words.as_slice(),
            word => std::slice::from_ref(word),
        };
        let types = words.iter().map(|word| word.as_str().and_then(Type::named));
        types.collect::<Option<_>>().ok_or_else(|| self.bad())
    }

    /// Only scalars: comparing them does not recurse.
    fn scalars(&self) -> Option<Vec<Value>> {
        self.value.as_array().filter(|options| options.iter().all(is_scalar)).cloned()
    }

    fn count(&self) -> Option<usize> {
        self.value.as_u64().and_then(|count| usize::try_from(count).ok())
    }

    fn names(&self) -> Option<Vec<String>> {
        self.value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    }

    fn pattern(&self) -> Result<Rule, SchemaError> {
        let source = self.value.as_str().ok_or_else(|| self.bad())?.to_owned();
        let compiled = pattern::compile(&source);
        let regex =
            compiled.map_err(|reason| SchemaError::BadPattern { place: self.place.to_owned(), reason })?;
        Ok(Rule::Pattern { source, regex })
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// A name as a step of a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
