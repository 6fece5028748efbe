//! What holds among all files of a reply, and against what already stands in the folder (E8, E25, E27, E33, E34).
//!
//! Names stand in a tree by component, so that the work is linear in their length however deep they are.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use crate::{
    block::{Draft, FileDraft},
    folder::{EntryKind, Folder},
    outcome::{ExtractedFile, Extraction, Limits, Reason, Refusal},
    path,
};

/// The files and refusals of a reply, in its order.
pub(crate) fn gather<'a>(drafts: Vec<Draft<'a>>, limits: &Limits, folder: &dyn Folder) -> Extraction<'a> {
    let mut names = Names::for_about(drafts.len());
    let places: Vec<usize> = (0..drafts.len()).map(|index| names.add(&drafts, index)).collect();
    names.compare();
    names.look_into(folder);
    let mut links = Links { folder, known: HashMap::new() };
    let mut result = Extraction::default();
    for (index, (draft, place)) in drafts.into_iter().zip(places).enumerate() {
        match draft {
            Draft::Refused(refusal) => result.refused.push(links.told(refusal)),
            Draft::File(file) => match names.against(place) {
                Some(reason) => {
                    result.refused.push(Refusal { reason, line: file.line, path: Some(file.path) });
                }
                // The same content again is the same file.
                None if names.nodes[place].first == Some(index) && result.files.len() < limits.files => {
                    result.files.push(extracted(file));
                }
                None => {}
            },
        }
    }
    result
}

fn extracted(file: FileDraft<'_>) -> ExtractedFile<'_> {
    ExtractedFile {
        path: file.path,
        language: file.language,
        content: file.content,
        line: file.line,
        executable: file.executable,
    }
}

impl Refusal {
    /// With the path that the name stands for (E28), if it stands for one.
    fn named(self) -> Self {
        let path = self.path.map(|name| path::check(&name).unwrap_or(name));
        Self { path, ..self }
    }
}

/// The links that stand in the target, by folder; each folder is looked at once.
struct Links<'f> {
    folder: &'f dyn Folder,
    known: HashMap<String, HashSet<String>>,
}

impl Links<'_> {
    /// A base is missed behind a link too: then it is the link that is said (E34).
    fn told(&mut self, refusal: Refusal) -> Refusal {
        let missed = (refusal.reason == Reason::DiffBase).then_some(refusal.path.as_deref()).flatten();
        match missed.and_then(|name| path::check(name).ok()) {
            Some(path) if self.meets(&path) => {
                Refusal { reason: Reason::SymlinkParent, path: Some(path), ..refusal }
            }
            _ => refusal.named(),
        }
    }

    /// Whether a link stands on the way to a path, or at its end.
    fn meets(&mut self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(place, _)| place).chain([path.len()]);
        ends.into_iter().any(|end| {
            let (above, name) = path[..end].rsplit_once('/').unwrap_or(("", &path[..end]));
            self.beside(above).contains(name)
        })
    }

    fn beside(&mut self, above: &str) -> &HashSet<String> {
        self.known.entry(above.to_owned()).or_insert_with(|| {
            let entries = self.folder.entries(above).into_iter();
            entries.filter(|entry| entry.kind == EntryKind::Link).map(|entry| entry.name).collect()
        })
    }
}

/// All names of a reply, by component. Node 0 is the target folder itself; parents come before children.
struct Names {
    nodes: Vec<Node>,
    children: HashMap<(usize, String), usize>,
}

#[derive(Default)]
struct Node {
    parent: usize,
    name: String,
    is_folder: bool,
    /// The first draft with this name, if a file has it.
    first: Option<usize>,
    split: bool,
    against: Option<Reason>,
}

impl Names {
    fn for_about(count: usize) -> Self {
        let mut nodes = Vec::with_capacity(count + 1);
        nodes.push(Node::default());
        Self { nodes, children: HashMap::with_capacity(count) }
    }

    /// The node of a draft; 0 for a refusal.
    fn add(&mut self, drafts: &[Draft<'_>], index: usize) -> usize {
        let Draft::File(file) = &drafts[index] else { return 0 };
        let mut place = 0;
        for component in file.path.split('/') {
            self.nodes[place].is_folder = true;
            place = self.child(place, component);
        }
        let node = &mut self.nodes[place];
        node.split |= file.split;
        match node.first.map(|first| &drafts[first]) {
            None => node.first = Some(index),
            Some(Draft::File(known))
                if known.content != file.content || known.executable != file.executable =>
            {
                node.against = Some(Reason::Conflict)
            }
            Some(_) => {}
        }
        place
    }

    fn child(&mut self, parent: usize, name: &str) -> usize {
        let next = self.nodes.len();
        let found = *self.children.entry((parent, name.to_owned())).or_insert(next);
        if found == next {
            self.nodes.push(Node { parent, name: name.to_owned(), ..Node::default() });
        }
        found
    }

    /// Marks names that differ only in case.
    fn compare(&mut self) {
        let mut same: HashMap<(usize, String), usize> = HashMap::with_capacity(self.nodes.len());
        for index in 1..self.nodes.len() {
            let key = (self.nodes[index].parent, folded(&self.nodes[index].name));
            let first = *same.entry(key).or_insert(index);
            if first != index {
                self.mark(first, Reason::CaseClash);
                self.mark(index, Reason::CaseClash);
            }
        }
    }

    /// Marks what does not go with what already stands there.
    fn look_into(&mut self, folder: &dyn Folder) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            children[node.parent].push(index);
        }
        let mut to_look = vec![(0, String::new())];
        while let Some((parent, path)) = to_look.pop() {
            if children[parent].is_empty() {
                continue;
            }
            let entries = folder.entries(&path);
            let kinds: HashMap<&str, EntryKind> =
                entries.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect();
            let folds: HashSet<String> = entries.iter().map(|entry| folded(&entry.name)).collect();
            for &child in &children[parent] {
                let name = &self.nodes[child].name;
                match kinds.get(name.as_str()) {
                    Some(EntryKind::Folder) if self.nodes[child].first.is_none() => {
                        let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                        to_look.push((child, below));
                    }
                    Some(EntryKind::File) if !self.nodes[child].is_folder => {}
                    Some(EntryKind::Link) => self.mark(child, Reason::SymlinkParent),
                    Some(_) => self.mark(child, Reason::Conflict),
                    None if folds.contains(&folded(name)) => self.mark(child, Reason::CaseClash),
                    None => {}
                }
            }
        }
    }

    /// The first reason stays.
    fn mark(&mut self, index: usize, reason: Reason) {
        self.nodes[index].against.get_or_insert(reason);
    }

    /// What is against a file: its own reason first, then that of a folder above it.
    fn against(&self, place: usize) -> Option<Reason> {
        let node = &self.nodes[place];
        if node.split {
            return Some(Reason::Split);
        }
        if node.is_folder {
            return Some(Reason::Conflict);
        }
        let mut found = node.against;
        let mut above = node.parent;
        while above != 0 && found.is_none() {
            let folder = &self.nodes[above];
            found = folder.first.map(|_| Reason::Conflict).or(folder.against);
            above = folder.parent;
        }
        found
    }
}

/// Equal for names that some system takes for the same.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Through both: `ẞ` becomes `ß` only in lower case, and `ß` becomes `ss` only by way of upper case.
    name.to_lowercase().to_uppercase().to_lowercase().nfc().collect()
}
