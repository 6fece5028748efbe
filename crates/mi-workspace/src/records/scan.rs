//! Walks through `{…, "tasks": [ {…}, {…} ], …}` without holding the file in memory.
//!
//! Each element of the list is handed out as raw bytes with its place in the file. Strings are skipped at the speed of
//! `memchr`; what is inside of an element is not looked at, so whoever needs it parses it. Holds: an element is handed
//! out only when it is complete; what breaks the walk is told with its place and what was complete until there.

use memchr::memchr2;
use serde_json::{Map, Value};
use std::{
    io::{self, Read},
    ops::Range,
};

/// How much is read at once.
const CHUNK: usize = 1 << 18;

/// Where the list of a file is and what stands around it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outline {
    /// The fields besides the list.
    pub(crate) fields: Map<String, Value>,
    /// `None` when the object has no such list.
    pub(crate) list: Option<List>,
    pub(crate) length: u64,
}

/// The list of records in a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct List {
    pub(crate) count: u64,
    /// Behind the opening bracket.
    pub(crate) start: u64,
    /// Where the next element has to be put: behind the last one, or behind the opening bracket.
    pub(crate) splice: u64,
    /// Behind `splice` there is nothing but `]`, `}` and white space.
    pub(crate) closes_file: bool,
    /// Behind the brace that closes the object.
    pub(crate) closed_at: u64,
    pub(crate) last: Option<Range<u64>>,
}

/// Why a walk ended early.
#[derive(Debug)]
pub(crate) enum ScanError {
    Read(io::Error),
    /// The text is not what it should be at `offset`. `list` is what was complete, when the list had begun.
    Broken {
        offset: u64,
        problem: &'static str,
        list: Option<List>,
    },
}

/// Walks through one file and hands every element of the list `key` to `each`.
pub(crate) fn scan(
    reader: impl Read,
    key: &str,
    mut each: impl FnMut(&[u8], Range<u64>),
) -> Result<Outline, ScanError> {
    let mut walk = Walk { window: Window::new(reader), key, list: None };
    match walk.object(&mut each) {
        Ok(fields) => Ok(Outline { fields, length: walk.window.offset(), list: walk.list }),
        Err(Stop::Read(error)) => Err(ScanError::Read(error)),
        Err(Stop::Broken(problem)) => {
            Err(ScanError::Broken { offset: walk.window.offset(), problem, list: walk.list })
        }
    }
}

enum Stop {
    Read(io::Error),
    Broken(&'static str),
}

struct Walk<'k, R> {
    window: Window<R>,
    key: &'k str,
    list: Option<List>,
}

impl<R: Read> Walk<'_, R> {
    fn object(&mut self, each: &mut impl FnMut(&[u8], Range<u64>)) -> Result<Map<String, Value>, Stop> {
        let mut fields = Map::new();
        self.expect(b'{', "it does not begin with an object")?;
        if self.next()? == b'}' {
            self.window.step();
        } else {
            loop {
                self.field(&mut fields, each)?;
                match self.next()? {
                    b',' => self.window.step(),
                    b'}' => break self.window.step(),
                    _ => return Err(Stop::Broken("there is neither a comma nor the end of the object")),
                }
            }
        }
        if let Some(list) = &mut self.list {
            list.closed_at = self.window.offset();
        }
        match self.window.peek_after_space().map_err(Stop::Read)? {
            None => Ok(fields),
            Some(_) => Err(Stop::Broken("text stands behind the end of the object")),
        }
    }

    fn field(
        &mut self,
        fields: &mut Map<String, Value>,
        each: &mut impl FnMut(&[u8], Range<u64>),
    ) -> Result<(), Stop> {
        if self.next()? != b'"' {
            return Err(Stop::Broken("a field has no name"));
        }
        let (name, _) = self.value()?;
        let name: String =
            serde_json::from_slice(name).map_err(|_| Stop::Broken("the name of a field is no text"))?;
        self.expect(b':', "a field has no value")?;
        if name == self.key {
            return match (self.next()?, &self.list) {
                (b'[', None) => self.elements(each),
                (b'[', Some(_)) => Err(Stop::Broken("the list is there twice")),
                _ => Err(Stop::Broken("there is no list where one should be")),
            };
        }
        self.next()?;
        let (bytes, _) = self.value()?;
        let value =
            serde_json::from_slice(bytes).map_err(|_| Stop::Broken("the value of a field is not JSON"))?;
        if let Some(list) = &mut self.list {
            list.closes_file = false;
        }
        fields.insert(name, value);
        Ok(())
    }

    fn elements(&mut self, each: &mut impl FnMut(&[u8], Range<u64>)) -> Result<(), Stop> {
        self.window.step();
        let start = self.window.offset();
        self.list = Some(List { start, splice: start, closes_file: true, ..List::default() });
        if self.next()? == b']' {
            self.window.step();
            return Ok(());
        }
        loop {
            if self.next()? != b'{' {
                return Err(Stop::Broken("an entry of the list is no object"));
            }
            let (bytes, place) = self.value()?;
            each(bytes, place.clone());
            if let Some(list) = &mut self.list {
                list.count += 1;
                list.splice = place.end;
                list.last = Some(place);
            }
            match self.next()? {
                b',' => self.window.step(),
                b']' => break self.window.step(),
                _ => return Err(Stop::Broken("there is neither a comma nor the end of the list")),
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<u8, Stop> {
        self.window.peek_after_space().map_err(Stop::Read)?.ok_or(Stop::Broken("the text ends too early"))
    }

    fn expect(&mut self, wanted: u8, problem: &'static str) -> Result<(), Stop> {
        if self.next()? != wanted {
            return Err(Stop::Broken(problem));
        }
        self.window.step();
        Ok(())
    }

    fn value(&mut self) -> Result<(&[u8], Range<u64>), Stop> {
        let place = self.window.skip_value()?;
        Ok((self.window.kept(), place))
    }
}

/// A stretch of the file: what is being looked at, and the beginning of the value it belongs to.
struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where in the file the buffer begins.
    base: u64,
    /// From here on the buffer is kept.
    kept: usize,
    position: usize,
    filled: usize,
}

impl<R: Read> Window<R> {
    fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), base: 0, kept: 0, position: 0, filled: 0 }
    }

    fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    fn kept(&self) -> &[u8] {
        &self.buffer[self.kept..self.position]
    }

    fn step(&mut self) {
        self.position += 1;
        self.kept = self.position;
    }

    fn peek_after_space(&mut self) -> io::Result<Option<u8>> {
        loop {
            self.kept = self.position;
            if self.position == self.filled && !self.fill()? {
                return Ok(None);
            }
            match self.buffer[self.position] {
                b' ' | b'\n' | b'\t' | b'\r' => self.position += 1,
                byte => return Ok(Some(byte)),
            }
        }
    }

    /// Reads more; `false` at the end of the file. What is kept moves to the front first.
    fn fill(&mut self) -> io::Result<bool> {
        if self.kept > 0 {
            self.buffer.copy_within(self.kept..self.filled, 0);
            self.base += self.kept as u64;
            self.position -= self.kept;
            self.filled -= self.kept;
            self.kept = 0;
        }
        if self.buffer.len() - self.filled < CHUNK {
            let wanted = (self.filled + CHUNK).max(self.buffer.len() * 2);
            self.buffer.resize(wanted, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Goes behind the value that begins here; its bytes are what is kept.
    fn skip_value(&mut self) -> Result<Range<u64>, Stop> {
        self.kept = self.position;
        let start = self.offset();
        match self.buffer[self.position] {
            b'"' => {
                self.position += 1;
                self.skip_string()?;
            }
            b'{' | b'[' => self.skip_nested()?,
            _ => self.skip_scalar()?,
        }
        Ok(start..self.offset())
    }

    fn skip_nested(&mut self) -> Result<(), Stop> {
        let mut depth = 0_u64;
        loop {
            self.need()?;
            // Walked with a local place: this loop sees every byte of a long history.
            let mut place = self.position;
            let text = &self.buffer[..self.filled];
            while place < text.len() {
                let byte = text[place];
                place += 1;
                match byte {
                    b'"' => match string_end(text, place) {
                        Some(end) => place = end,
                        None => {
                            self.position = place;
                            self.skip_string()?;
                            break;
                        }
                    },
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            self.position = place;
                            return Ok(());
                        }
                    }
                    _ => {}
                }
                self.position = place;
            }
        }
    }

    /// From behind the opening quote to behind the closing one.
    fn skip_string(&mut self) -> Result<(), Stop> {
        loop {
            self.need()?;
            match memchr2(b'"', b'\\', &self.buffer[self.position..self.filled]) {
                None => self.position = self.filled,
                Some(found) => {
                    self.position += found + 1;
                    if self.buffer[self.position - 1] == b'"' {
                        return Ok(());
                    }
                    // Whatever is escaped does not end the string.
                    self.need()?;
                    self.position += 1;
                }
            }
        }
    }

    fn skip_scalar(&mut self) -> Result<(), Stop> {
        loop {
            if self.position == self.filled && !self.fill().map_err(Stop::Read)? {
                return Ok(());
            }
            if matches!(self.buffer[self.position], b',' | b']' | b'}' | b':' | b' ' | b'\n' | b'\t' | b'\r')
            {
                return Ok(());
            }
            self.position += 1;
        }
    }

    fn need(&mut self) -> Result<(), Stop> {
        if self.position < self.filled || self.fill().map_err(Stop::Read)? {
            Ok(())
        } else {
            Err(Stop::Broken("the text ends too early"))
        }
    }
}

/// Behind the quote that ends the string whose text begins at `from`, if it ends within `text`.
fn string_end(text: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let found = from + memchr2(b'"', b'\\', text.get(from..)?)?;
        if text[found] == b'"' {
            return Some(found + 1);
        }
        from = found + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::{ScanError, scan};
    use std::io::Read;

    /// Hands out a few bytes at a time, so that every token is cut somewhere.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    /// Elements, places and fields are the same however the bytes arrive, and agree with a parser.
    #[test]
    fn nx_140_elements_are_found_wherever_the_text_is_cut() {
        let text = "\n{ \"a\" : \"x]\\\"}\\\\\" , \"n\":-1.5e3,\"l\" : [ {\"s\":\"\\\"]}{[\\\\\"} ,\n{\"d\":[{},[[]]],\"e\":\"汉\\u0022\"},{}] ,\"z\":{\"l\":[1]},\"t\":true } ";
        for step in [1, 2, 3, 7, 1000] {
            let mut found = Vec::new();
            let outline = scan(Drops(text.as_bytes(), step), "l", |bytes, place| {
                let (start, end) =
                    (usize::try_from(place.start).unwrap(), usize::try_from(place.end).unwrap());
                assert_eq!(&text.as_bytes()[start..end], bytes);
                found.push(serde_json::from_slice::<serde_json::Value>(bytes).unwrap());
            });
            let outline = outline.unwrap();
            let mut whole: serde_json::Value = serde_json::from_str(text).unwrap();
            let list = whole.as_object_mut().unwrap().shift_remove("l").unwrap();
            assert_eq!(serde_json::Value::from(found), list);
            assert_eq!(serde_json::Value::Object(outline.fields), whole);
            let place = outline.list.unwrap();
            assert_eq!((place.count, place.closes_file, outline.length), (3, false, text.len() as u64));
            assert_eq!(&text[..usize::try_from(place.closed_at).unwrap()], text.trim_end());
        }
    }

    /// Every cut of a text is noticed, with the elements that were complete.
    #[test]
    fn nx_140_every_cut_is_noticed() {
        let text = "{\"x\":1,\"l\":[{\"a\":1},{\"b\":\"}\"}]}";
        for cut in 0..text.len() {
            let mut complete = 0;
            let outcome = scan(&text.as_bytes()[..cut], "l", |_, _| complete += 1);
            let Err(ScanError::Broken { list, .. }) = outcome else { panic!("{}", &text[..cut]) };
            assert_eq!(list.map_or(0, |list| list.count), complete, "{}", &text[..cut]);
        }
    }
}
