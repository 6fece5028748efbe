//! YAML as a tree that keeps the order of keys and knows on which line each value stands.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;
use std::fmt;

use crate::YamlError;

/// One value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    line: u64,
    tree: Tree,
}

#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Scalar(Value),
    List(Vec<YamlNode>),
    Fields(Vec<(String, YamlNode)>),
}

/// Reads one document.
pub fn read_tree(text: &str) -> Result<YamlNode, YamlError> {
    crate::read::<Located>(text).map(|located| located.0)
}

impl YamlNode {
    /// The value without its places; keys in the order of the text.
    pub fn to_value(&self) -> Value {
        match &self.tree {
            Tree::Scalar(value) => value.clone(),
            Tree::List(items) => items.iter().map(Self::to_value).collect(),
            Tree::Fields(fields) => {
                let object: Map<String, Value> =
                    fields.iter().map(|(key, node)| (key.clone(), node.to_value())).collect();
                Value::Object(object)
            }
        }
    }

    /// The line of what a JSON pointer names, or of the nearest value around it.
    pub fn line_of(&self, pointer: &str) -> u64 {
        let mut node = self;
        for part in pointer.split('/').skip(1) {
            match node.child(&part.replace("~1", "/").replace("~0", "~")) {
                Some(child) => node = child,
                None => break,
            }
        }
        node.line
    }

    fn child(&self, part: &str) -> Option<&Self> {
        match &self.tree {
            Tree::Scalar(_) => None,
            Tree::List(items) => items.get(part.parse::<usize>().ok()?),
            Tree::Fields(fields) => fields.iter().find(|(key, _)| key == part).map(|(_, node)| node),
        }
    }
}

struct Located(YamlNode);

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Tree>::deserialize(deserializer)?;
        Ok(Self(YamlNode { line: spanned.referenced.line(), tree: spanned.value }))
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Tree, E> {
        // A whole number is written without a fraction, as JSON does: `012` and `1.0` arrive here.
        if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
            return Ok(Tree::Scalar(Value::from(value as i64)));
        }
        let number =
            Number::from_f64(value).ok_or_else(|| E::custom("a number without end has no place in JSON"))?;
        Ok(Tree::Scalar(Value::Number(number)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Located>()? {
            list.push(item.0);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Located>()? {
            fields.push((key, value.0));
        }
        Ok(Tree::Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::read_tree as read;
    use serde_json::json;

    /// The surprises of older YAML are gone, and keys stay where they are.
    #[test]
    fn nx_341_keys_keep_their_order_and_scalars_are_plain() {
        let text = "z: no\na: 012\nm: on\ny: ~\nb: true\nf: 1.5\ns: 'true'\nd: 2024-01-02\nn: -3\no: 0o17\n";
        let value = read(text).unwrap().to_value();
        assert_eq!(
            value.to_string(),
            r#"{"z":"no","a":12,"m":"on","y":null,"b":true,"f":1.5,"s":"true","d":"2024-01-02","n":-3,"o":15}"#
        );
    }

    /// Folded and literal blocks end as YAML says, with every chomping mark.
    #[test]
    fn nx_343_blocks_fold_as_yaml_says() {
        let text = "a: >\n  one\n  two\n\n  three\nb: |\n  one\n  two\nc: >-\n  one\n  two\nd: |+\n  one\n\ne: plain\n  goes on\n";
        assert_eq!(
            read(text).unwrap().to_value(),
            json!({"a": "one two\nthree\n", "b": "one\ntwo\n", "c": "one two", "d": "one\n\n", "e": "plain goes on"})
        );
    }

    /// A pointer leads to the line of its value, or of what is nearest.
    #[test]
    fn a_value_knows_its_line() {
        let node = read("tags:\n  - id: a\n    trigger: b\n  - id: c\n").unwrap();
        let lines: Vec<u64> = ["", "/tags/0/trigger", "/tags/1/id", "/tags/1/missing", "/nothing"]
            .iter()
            .map(|pointer| node.line_of(pointer))
            .collect();
        assert_eq!(lines, [1, 3, 4, 4, 1]);
    }

    /// What is not one plain document is refused with its line.
    #[test]
    fn bad_documents_are_refused_with_their_line() {
        let line = |text: &str| read(text).unwrap_err().line;
        assert_eq!(line("a: 1\nb: 2\na: 3\n"), 3);
        assert_eq!(line("a: [1, 2\nb: 3\n"), 2);
        assert!(read("a: 1\n---\nb: 2\n").is_err());
        assert!(read("base: &b {a: 1}\nc:\n  <<: *b\n").is_err());
        assert!(read("a: .inf\n").is_err());
        let bomb = format!("a: &a [x,x,x,x,x,x,x,x,x]\n{}", (b'b'..=b'k')
            .map(|letter| {
                let (now, last) = (letter as char, (letter - 1) as char);
                format!("{now}: &{now} [*{last},*{last},*{last},*{last},*{last},*{last},*{last},*{last},*{last}]\n")
            })
            .collect::<String>());
        assert!(read(&bomb).is_err());
    }
}
