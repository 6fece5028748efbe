//! The words of a tool that reads its options as GNU's do: anywhere, in groups, with glued values, abbreviated.

/// Which options of a tool take a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Letters whose value is the rest of the word or the next word.
    valued: &'static str,
    /// Letters whose value is the rest of the word only: `-i.bak`.
    glued: &'static str,
    /// Long options whose value may be the next word.
    long: &'static [&'static str],
}

pub(super) const fn shape(valued: &'static str, long: &'static [&'static str]) -> Shape {
    Shape { valued, glued: "", long }
}

impl Shape {
    pub(super) const fn glued(self, glued: &'static str) -> Self {
        Self { glued, ..self }
    }
}

/// A tool's words, told apart.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// Names without dashes; a flag has no value.
    options: Vec<(&'a str, Option<&'a str>)>,
    pub(super) operands: Vec<&'a str>,
}

impl<'a> Words<'a> {
    pub(super) fn read(args: &[&'a str], shape: Shape) -> Self {
        let mut words = Self::default();
        let mut rest = args.iter().copied();
        while let Some(arg) = rest.next() {
            if arg == "--" {
                words.operands.extend(rest.by_ref());
            } else if let Some(long) = arg.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                let takes_next = value.is_none() && shape.long.iter().any(|known| known.starts_with(name));
                words.options.push((name, if takes_next { rest.next() } else { value }));
            } else if arg.len() > 1 && arg.starts_with('-') {
                words.group(&arg[1..], shape, &mut rest);
            } else {
                words.operands.push(arg);
            }
        }
        words
    }

    /// `-la`: each letter is an option, up to one that takes the rest for its value.
    pub(super) fn group(&mut self, group: &'a str, shape: Shape, rest: &mut impl Iterator<Item = &'a str>) {
        for (at, letter) in group.char_indices() {
            let end = at + letter.len_utf8();
            let behind = Some(&group[end..]).filter(|behind| !behind.is_empty());
            if shape.valued.contains(letter) {
                return self.options.push((&group[at..end], behind.or_else(|| rest.next())));
            }
            if shape.glued.contains(letter) {
                return self.options.push((&group[at..end], behind));
            }
            self.options.push((&group[at..end], None));
        }
    }

    pub(super) fn append(&mut self, mut more: Self) {
        self.options.append(&mut more.options);
        self.operands.append(&mut more.operands);
    }

    /// Whether one of the options is given; long ones may be abbreviated.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(option, _)| is_one_of(option, names))
    }

    /// The values of these options, in their order.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        self.options.iter().filter(|(option, _)| is_one_of(option, names)).filter_map(|(_, value)| *value)
    }
}

/// One letter is one letter; the beginning of a long name stands for it.
fn is_one_of(option: &str, names: &[&str]) -> bool {
    let is = |name: &&str| *name == option || option.len() > 1 && name.starts_with(option);
    !option.is_empty() && names.iter().any(is)
}
