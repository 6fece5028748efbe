//! What one fenced block is: files, refusals, or a note that it has no name (E10, E11, E18–E26).

use std::borrow::Cow;

use crate::{
    before::Naming,
    blocks::Block,
    comment, diff,
    folder::Folder,
    header, info,
    outcome::{Limits, Reason, Refusal},
    path, shell,
    split::before_note,
};

/// Something found, before it is compared with the rest of the reply.
#[derive(Debug)]
pub(crate) enum Draft<'a> {
    File(FileDraft<'a>),
    Refused(Refusal),
}

#[derive(Debug)]
pub(crate) struct FileDraft<'a> {
    pub(crate) path: String,
    pub(crate) language: Option<&'a str>,
    pub(crate) content: Cow<'a, str>,
    pub(crate) line: usize,
    /// The text that names it says that it is a part (E25).
    pub(crate) split: bool,
    /// Said by a diff alone (E24).
    pub(crate) executable: Option<bool>,
}

/// Adds what a block holds.
pub(crate) fn read<'a>(block: &Block<'a>, limits: &Limits, folder: &dyn Folder, drafts: &mut Vec<Draft<'a>>) {
    let reader = Reader { block, limits, language: info::language(block.info) };
    let says_diff = info::is_one_of(reader.language, &["diff", "patch"]);
    let naming = reader.naming();
    // Output of a program, such as `git show`, has words before the headers; a script with here-documents has patches in them.
    let may_show_diff = matches!(naming, Named::Nothing)
        && info::is_one_of(reader.language, &["", "text", "txt", "console"])
        && !block.content.contains("<<");
    let is_diff = diff::is_diff(&block.content, says_diff || may_show_diff);
    if !block.closed {
        let name = if is_diff { diff::sole_name(&block.content) } else { naming.sole_name() };
        return drafts.push(reader.refuse(Reason::Unterminated, block.line, name));
    }
    if is_diff {
        return reader.diff(folder, drafts);
    }
    match naming {
        Named::Ambiguous => drafts.push(reader.refuse(Reason::AmbiguousName, block.line, None)),
        Named::Nothing => reader.unnamed(drafts),
        Named::Whole { name, .. } | Named::Comment { name, .. } if says_diff => {
            drafts.push(reader.refuse(Reason::Partial, block.line, Some(name)));
        }
        Named::Whole { name, split } => {
            let split =
                split || comment::name(&block.content, reader.language).is_some_and(|found| found.split);
            drafts.push(reader.file(name, block.content.clone(), split));
        }
        Named::Comment { name, split } => {
            drafts.push(reader.file(name, reader.without_json_comment(), split))
        }
        Named::Parts(parts) if says_diff => drafts.extend(
            parts.into_iter().map(|part| reader.refuse(Reason::Partial, block.line, Some(part.name))),
        ),
        Named::Parts(parts) => {
            drafts.extend(
                parts.into_iter().map(|part| reader.file(part.name, Cow::Owned(part.content), part.split)),
            );
        }
    }
}

/// How a block is named (E11).
enum Named {
    Whole { name: String, split: bool },
    Comment { name: String, split: bool },
    Parts(Vec<Part>),
    Ambiguous,
    Nothing,
}

/// What follows one header inside a fence.
struct Part {
    name: String,
    content: String,
    split: bool,
}

impl Named {
    /// A name that may have a note behind it: `a.py (part 1)`.
    fn noted(name: &str) -> Self {
        let (name, split) = noted(name);
        Self::Whole { name, split }
    }

    /// Of several names none is the block's.
    fn sole_name(self) -> Option<String> {
        match self {
            Self::Whole { name, .. } | Self::Comment { name, .. } => Some(name),
            Self::Parts(parts) if parts.len() == 1 => parts.into_iter().next().map(|part| part.name),
            Self::Parts(_) | Self::Ambiguous | Self::Nothing => None,
        }
    }
}

fn noted(name: &str) -> (String, bool) {
    let before = before_note(name);
    (before.unwrap_or(name).to_owned(), before.is_some())
}

struct Reader<'b, 'a> {
    block: &'b Block<'a>,
    limits: &'b Limits,
    language: Option<&'a str>,
}

impl<'a> Reader<'_, 'a> {
    /// The first that exists wins; the lower ones are ordinary content.
    fn naming(&self) -> Named {
        if let Some(name) = info::name(self.block.info) {
            return Named::noted(info::with_note(self.block.info, name));
        }
        let before = self.block.before.as_deref();
        if let Some(name) = before.and_then(|before| before.header()) {
            return Named::noted(name);
        }
        if let Some(parts) = header::cut(&self.block.content) {
            let owned = parts.into_iter().map(|(name, content)| {
                let (name, split) = noted(name);
                Part { name, content: content.to_owned(), split }
            });
            return Named::Parts(owned.collect());
        }
        match before.map_or(Naming::Nothing, |before| before.naming()) {
            Naming::Name { name, split } => Named::Whole { name, split },
            Naming::Ambiguous => Named::Ambiguous,
            Naming::Nothing => match comment::name(&self.block.content, self.language) {
                Some(found) => Named::Comment { name: found.name.to_owned(), split: found.split },
                None => Named::Nothing,
            },
        }
    }

    fn refuse(&self, reason: Reason, line: usize, path: Option<String>) -> Draft<'a> {
        Draft::Refused(Refusal { reason, line, path })
    }

    /// A named content, if nothing is against it.
    fn file(&self, name: String, content: Cow<'a, str>, split: bool) -> Draft<'a> {
        let checked = path::check(&name).and_then(|path| self.check_content(&content).map(|()| path));
        match checked {
            Err(reason) => self.refuse(reason, self.block.line, Some(name)),
            Ok(_) if comment::is_partial(&content, self.language) && !split => {
                self.refuse(Reason::Partial, self.block.line, Some(name))
            }
            Ok(path) => Draft::File(FileDraft {
                path,
                language: self.language,
                content,
                line: self.block.line,
                split,
                executable: None,
            }),
        }
    }

    fn check_content(&self, content: &str) -> Result<(), Reason> {
        if content.len() > self.limits.file_bytes {
            return Err(Reason::TooLarge);
        }
        if memchr::memchr(0, content.as_bytes()).is_some() { Err(Reason::ControlChar) } else { Ok(()) }
    }

    /// JSON has no comments: the line that names the file does not stay (E18).
    fn without_json_comment(&self) -> Cow<'a, str> {
        if !info::is_one_of(self.language, &["json"]) {
            return self.block.content.clone();
        }
        let end = |text: &str| text.find('\n').map_or(text.len(), |place| place + 1);
        let content = self.block.content.as_ref();
        // What names stands behind `#!`.
        let start = if content.starts_with("#!") { end(content) } else { 0 };
        let rest = start + end(&content[start..]);
        match &self.block.content {
            Cow::Borrowed(content) if start == 0 => Cow::Borrowed(&content[rest..]),
            content => Cow::Owned([&content[..start], &content[rest..]].concat()),
        }
    }

    fn unnamed(&self, drafts: &mut Vec<Draft<'a>>) {
        const SHELLS: [&str; 6] = ["sh", "bash", "shell", "zsh", "console", ""];
        let is_shell = info::is_one_of(self.language, &SHELLS);
        let files = if is_shell { shell::here_files(&self.block.content) } else { Vec::new() };
        if files.is_empty() {
            return drafts.push(self.refuse(Reason::NoName, self.block.line, None));
        }
        for file in files {
            let line = self.block.line + 1 + file.line;
            if file.content == Err(Reason::Split) {
                drafts.push(self.added_to(file.target, line));
                continue;
            }
            let checked = file.content.and_then(|content| {
                let path = path::check(&file.target)?;
                self.check_content(&content).map(|()| (path, content))
            });
            drafts.push(self.draft(checked, line, file.target, None));
        }
    }

    /// What a here-document adds to is split wherever it stands (E25), so it is compared with the rest.
    fn added_to(&self, target: String, line: usize) -> Draft<'a> {
        match path::check(&target) {
            Ok(path) => Draft::File(FileDraft {
                path,
                language: None,
                content: Cow::Borrowed(""),
                line,
                split: true,
                executable: None,
            }),
            Err(_) => self.refuse(Reason::Split, line, Some(target)),
        }
    }

    fn diff(&self, folder: &dyn Folder, drafts: &mut Vec<Draft<'a>>) {
        for file in diff::read(&self.block.content, self.limits.file_bytes, folder) {
            let line = self.block.line + 1 + file.line;
            let checked = file
                .result
                .and_then(|(path, content)| self.check_content(&content).map(|()| (path, content)));
            drafts.push(self.draft(checked, line, file.name, file.executable));
        }
    }

    /// A file out of a here-document or a diff has no language (E5).
    fn draft(
        &self,
        checked: Result<(String, String), Reason>,
        line: usize,
        name: String,
        executable: Option<bool>,
    ) -> Draft<'a> {
        match checked {
            Ok((path, content)) => Draft::File(FileDraft {
                path,
                language: None,
                content: Cow::Owned(content),
                line,
                split: false,
                executable,
            }),
            Err(reason) => self.refuse(reason, line, Some(name)),
        }
    }
}
