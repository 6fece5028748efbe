//! Holds the program's JSON Schemas to what checks them: all compile, and our verdict is that of a full validator.

use jsonschema::Validator;
use mi_formats::schema::Schema;
use mi_mind::PromptKind;
use proptest::{prelude::*, test_runner::TestCaseError};
use serde_json::{Map, Value, json};
use std::{cell::RefCell, collections::HashMap};

/// Each schema of the program with its name: those it checks by, and those it only prints.
fn schemas() -> Vec<(String, Value)> {
    let of_files = mi_workspace::schema_names()
        .map(|name| (name.to_owned(), mi_workspace::schema(name).expect("a name that is listed")));
    let of_answers = PromptKind::ALL.into_iter().map(|kind| (kind.name().to_owned(), kind.schema()));
    let of_records = schemars::schema_for!(mi_model::record::Record).to_value();
    let others = [("record".to_owned(), of_records), ("protocol".to_owned(), mi_protocol::schema())];
    of_files.chain(of_answers).chain(others).collect()
}

/// A keyword that is not checked would be found here first.
#[test]
fn every_schema_compiles() {
    for (name, schema) in schemas() {
        Schema::compile(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Values made by each schema, with a few places changed: the same verdict, told at the same places.
    #[test]
    fn nx_351_the_verdict_is_that_of_a_full_validator(tape in prop::collection::vec(any::<u16>(), 20..120)) {
        COMPILED.with(|compiled| {
            for (index, one) in compiled.iter().enumerate() {
                let mut tape = Tape { choices: &tape, next: index };
                let value = tape.value_of(one);
                one.compare(&value)?;
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}

thread_local! {
    /// The texts that a schema takes, by the schema.
    static FITTING: RefCell<HashMap<String, Vec<String>>> = RefCell::default();
    static COMPILED: Vec<Compiled> = schemas().into_iter().map(Compiled::new).collect();
}

struct Compiled {
    name: String,
    document: Value,
    ours: Schema,
    full: Validator,
}

impl Compiled {
    fn new((name, document): (String, Value)) -> Self {
        let ours = Schema::compile(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        let full = jsonschema::draft202012::new(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, document, ours, full }
    }

    fn compare(&self, value: &Value) -> Result<(), TestCaseError> {
        let mut ours: Vec<String> =
            self.ours.misfits(value).into_iter().map(|misfit| misfit.pointer).collect();
        let mut full: Vec<String> =
            self.full.iter_errors(value).map(|error| error.instance_path().to_string()).collect();
        ours.sort();
        full.sort();
        prop_assert_eq!(ours, full, "{}: {}", self.name, value);
        Ok(())
    }
}

/// Short and long, in and out of every pattern, with what patterns of other dialects take for digits and spaces.
fn texts() -> Vec<String> {
    let short = [
        "abc",
        "a",
        "",
        "A",
        "a_b",
        "a-b.c",
        "1.2",
        "1.2.3",
        "1.2.3-x.1",
        "a/b~c",
        " ",
        "ä\u{a0}",
        "٣.٣",
        "x\n",
        "abcdef0",
        "user",
        "rules:x\r",
        "reroute: b",
        "a sentence that is longer than forty characters by a few",
    ];
    let long = [119, 120, 121].map(|count| "x".repeat(count));
    let hashes = [63, 64, 65].map(|count| format!("sha256:{}", "a".repeat(count)));
    short.map(str::to_owned).into_iter().chain(long).chain(hashes).collect()
}

/// Choices, made beforehand, that lead from a schema to a value; when they run out, the first way is taken.
struct Tape<'t> {
    choices: &'t [u16],
    next: usize,
}

impl Tape<'_> {
    fn choose(&mut self, count: usize) -> usize {
        let choice = self.choices.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        usize::from(choice) % count.max(1)
    }

    fn value_of(&mut self, one: &Compiled) -> Value {
        self.value(&one.document, &one.document, 0)
    }

    /// A value that the schema takes, most of the time.
    fn value(&mut self, document: &Value, schema: &Value, depth: usize) -> Value {
        if depth > 12 || self.choose(24) == 23 {
            return self.anything();
        }
        if let Some(place) = schema["$ref"].as_str() {
            let target = document.pointer(place.trim_start_matches('#')).expect("a test compiles it");
            return self.value(document, target, depth + 1);
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(branches) = schema[choice].as_array() {
                let branch = self.choose(branches.len());
                let value = self.value(document, &branches[branch], depth + 1);
                return self.merged(document, schema, value, depth);
            }
        }
        if let Some(options) = schema["enum"].as_array() {
            return options[self.choose(options.len())].clone();
        }
        match schema.get("const") {
            Some(constant) => constant.clone(),
            None => self.of_type(document, schema, depth),
        }
    }

    /// The fields of a choice with those that stand beside it.
    fn merged(&mut self, document: &Value, schema: &Value, value: Value, depth: usize) -> Value {
        match (value, self.fields(document, schema, depth)) {
            (Value::Object(mut chosen), beside) => {
                chosen.extend(beside);
                Value::Object(chosen)
            }
            (other, _) => other,
        }
    }

    fn of_type(&mut self, document: &Value, schema: &Value, depth: usize) -> Value {
        let word = match &schema["type"] {
            Value::Array(words) => words[self.choose(words.len())].as_str(),
            word => word.as_str(),
        };
        match word {
            Some("object") => Value::Object(self.fields(document, schema, depth)),
            Some("array") => {
                let count = self.choose(3);
                (0..count).map(|_| self.value(document, &schema["items"], depth + 1)).collect()
            }
            Some("string") => json!(self.text_for(schema)),
            Some("integer" | "number") => self.number(),
            Some("boolean") => json!(self.choose(2) == 0),
            Some("null") => Value::Null,
            _ => self.anything(),
        }
    }

    /// Every field that the schema names, now and then without one or with one more.
    fn fields(&mut self, document: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut fields = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if self.choose(12) != 11 {
                fields.insert(name.clone(), self.value(document, property, depth + 1));
            }
        }
        if schema["additionalProperties"].is_object() || self.choose(12) == 11 {
            let name = self.text();
            let value = self.value(document, &schema["additionalProperties"], depth + 1);
            fields.insert(name, value);
        }
        fields
    }

    /// A text that the schema takes, if there is one; any text now and then.
    fn text_for(&mut self, schema: &Value) -> String {
        if schema.get("pattern").is_none() && schema.get("minLength").is_none() || self.choose(24) == 23 {
            return self.text();
        }
        let key = schema.to_string();
        let fitting = FITTING.with_borrow_mut(|known| {
            let fits = |text: &String| jsonschema::is_valid(schema, &json!(text));
            known.entry(key).or_insert_with(|| texts().into_iter().filter(fits).collect()).clone()
        });
        if fitting.is_empty() { self.text() } else { fitting[self.choose(fitting.len())].clone() }
    }

    fn text(&mut self) -> String {
        let texts = texts();
        texts[self.choose(texts.len())].clone()
    }

    fn number(&mut self) -> Value {
        let numbers = [
            json!(1),
            json!(0),
            json!(-1),
            json!(1.0),
            json!(0.5),
            json!(-0.0),
            json!(1e30),
            json!(1e300),
            json!(255),
            json!(256),
            json!(255.5),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(4_294_967_296_u64),
        ];
        numbers[self.choose(numbers.len())].clone()
    }

    fn anything(&mut self) -> Value {
        match self.choose(7) {
            0 => Value::Null,
            1 => json!(true),
            2 => self.number(),
            3 => json!(self.text()),
            4 => json!([]),
            5 => json!([[self.text()], {}]),
            _ => json!({self.text(): self.number()}),
        }
    }
}
