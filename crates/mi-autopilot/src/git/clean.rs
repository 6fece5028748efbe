//! Finds out from git's own files that a work tree is as it was committed but for some edited files, so that git is not
//! asked for what is staged, new or gone.
//!
//! Holds: nothing is told that `git status` would not tell: the index has the very tree of HEAD's commit, every file of it is
//! there, and nothing else lies in the work tree. A file that has the size, times, owner, inode and mode which git noted
//! before it wrote the index was not edited; of all others git is asked. Whatever is not plain is left to git: other
//! versions and parts of an index, flags, links, submodules, a commit in a pack, large projects, and any name that the
//! index does not have, even if it is ignored.

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::{
    collections::{HashMap, HashSet},
    fs,
    os::unix::fs::MetadataExt,
    path::Path,
};

use super::patch::sha1;

/// Of more files than this, git knows more quickly.
const MOST_FILES: usize = 2000;
/// The longest commit that is read.
const COMMIT_BYTES: usize = 64 * 1024;
/// The bytes of an index entry before its name, and of a digest.
const ENTRY_BYTES: usize = 62;
const DIGEST_BYTES: usize = 20;

/// The files that may be edited, if nothing else differs between the commit `head`, the index and the work tree at `root`,
/// whose git folder is `folder`. None where that cannot be told from here.
pub(super) fn edited_only(root: &Path, folder: &Path, head: &str) -> Option<Vec<String>> {
    is_plain(folder).then_some(())?;
    let path = folder.join("index");
    let written = fs::metadata(&path).ok()?;
    let bytes = fs::read(&path).ok()?;
    let index = Index::read(&bytes)?;
    (tree_of(folder, head)? == index.tree).then_some(())?;
    has_no_other_names(root, "", &index).then_some(())?;
    let mut edited = Vec::new();
    for (name, entry) in &index.files {
        let found = fs::symlink_metadata(root.join(name)).ok().filter(fs::Metadata::is_file)?;
        if !entry.fits(&found) || !is_older(&found, &written) {
            edited.push((*name).to_owned());
        }
    }
    Some(edited)
}

/// Whether nothing in the repository's own files makes other files count than those that are read here.
fn is_plain(folder: &Path) -> bool {
    let config = fs::read_to_string(folder.join("config")).unwrap_or_default().to_lowercase();
    let packed = fs::read_to_string(folder.join("packed-refs")).unwrap_or_default();
    let unusual = ["extensions", "worktree", "[include", "bare = true", "bare=true"];
    let files = ["commondir", "refs/replace", "info/grafts", "info/sparse-checkout", "shallow"];
    !unusual.iter().any(|word| config.contains(word))
        && !packed.contains("refs/replace/")
        && !files.iter().any(|name| folder.join(name).exists())
}

/// The tree of a commit that has a file of its own.
fn tree_of(folder: &Path, commit: &str) -> Option<String> {
    let (start, rest) = commit.split_at_checked(2)?;
    (commit.len() == 2 * DIGEST_BYTES && commit.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(())?;
    let packed = fs::read(folder.join("objects").join(start).join(rest)).ok()?;
    let object = decompress_to_vec_zlib_with_limit(&packed, COMMIT_BYTES).ok()?;
    (sha1(&object) == commit).then_some(())?;
    let text = object.strip_prefix(b"commit ")?;
    let body = text.splitn(2, |byte| *byte == 0).nth(1)?.strip_prefix(b"tree ")?;
    let line = body.split(|byte| *byte == b'\n').next()?;
    String::from_utf8(line.to_vec()).ok()
}

/// What an index says, if it says nothing that takes more than this.
struct Index<'a> {
    files: HashMap<&'a str, Entry>,
    folders: HashSet<&'a str>,
    /// The tree that it would be committed as.
    tree: String,
}

/// The numbers that git notes of a file, each in four bytes: ctime, mtime, dev, inode, mode, owner, group, size.
struct Entry([u32; 10]);

impl<'a> Index<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (content, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST_BYTES)?)?;
        (sha1(content) == hex(digest)).then_some(())?;
        let mut rest = content.strip_prefix(b"DIRC\0\0\0\x02")?;
        let count = usize::try_from(number(&mut rest)?).ok().filter(|count| *count <= MOST_FILES)?;
        let (mut files, mut folders) = (HashMap::with_capacity(count), HashSet::new());
        for _ in 0..count {
            let (name, entry) = Entry::read(&mut rest)?;
            folders.extend(name.match_indices('/').map(|(end, _)| &name[..end]));
            files.insert(name, entry);
        }
        let tree = tree_of_all(rest, count)?;
        (files.len() == count).then_some(Self { files, folders, tree })
    }
}

impl Entry {
    /// Takes the first entry off `rest`.
    fn read<'a>(rest: &mut &'a [u8]) -> Option<(&'a str, Self)> {
        let mut numbers = rest.get(..40)?;
        let entry = Self(std::array::from_fn(|_| number(&mut numbers).unwrap_or_default()));
        let flags = rest.get(ENTRY_BYTES - 2..ENTRY_BYTES)?;
        // No flag, no stage of a merge, and a name whose length is told.
        let length = usize::from(u16::from_be_bytes([flags[0], flags[1]]));
        (length > 0 && length < 0xfff).then_some(())?;
        let name = std::str::from_utf8(rest.get(ENTRY_BYTES..ENTRY_BYTES + length)?).ok()?;
        // Padded with one to eight zeros.
        *rest = rest.get((ENTRY_BYTES + length) / 8 * 8 + 8..)?;
        [0o100_644, 0o100_755].contains(&entry.0[6]).then_some((name, entry))
    }

    /// Whether this is the file that git looked at. Git keeps the lower half of long numbers.
    fn fits(&self, found: &fs::Metadata) -> bool {
        let low = |number: u64| (number & u64::from(u32::MAX)) as u32;
        let signed = |number: i64| low(number.cast_unsigned());
        let mode = if found.mode() & 0o100 == 0 { 0o100_644 } else { 0o100_755 };
        let [changed, changed_part, modified, modified_part, _, inode, noted_mode, owner, group, size] =
            self.0;
        [changed, changed_part] == [signed(found.ctime()), signed(found.ctime_nsec())]
            && [modified, modified_part] == [signed(found.mtime()), signed(found.mtime_nsec())]
            && [inode, size] == [low(found.ino()), low(found.size())]
            && [noted_mode, owner, group] == [mode, found.uid(), found.gid()]
    }
}

/// Whether a file was last changed before the index was written: else it may have changed again without its time showing it.
fn is_older(file: &fs::Metadata, index: &fs::Metadata) -> bool {
    let time = |found: &fs::Metadata| (found.mtime(), found.mtime_nsec());
    time(file) < time(index)
}

/// The digest of the whole tree, if the parts after an index's entries have one for all of them.
fn tree_of_all(mut rest: &[u8], count: usize) -> Option<String> {
    let mut tree = None;
    while !rest.is_empty() {
        let name = rest.split_off(..4)?;
        let length = usize::try_from(number(&mut rest)?).ok()?;
        let part = rest.split_off(..length)?;
        match name {
            b"TREE" => tree = Some(part),
            b"EOIE" | b"IEOT" => {}
            _ => return None,
        }
    }
    // The root's name is empty; then come the number of its files and of its folders.
    let root = tree?.strip_prefix(b"\0")?;
    let end = root.iter().position(|byte| *byte == b'\n')?;
    let counts = std::str::from_utf8(&root[..end]).ok()?;
    let files: usize = counts.split(' ').next()?.parse().ok()?;
    let digest = root.get(end + 1..end + 1 + DIGEST_BYTES)?;
    (files == count).then(|| hex(digest))
}

/// Whether every name in a folder is one that the index has.
fn has_no_other_names(root: &Path, folder: &str, index: &Index<'_>) -> bool {
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return false };
    for entry in entries {
        let Ok(entry) = entry else { return false };
        let (Ok(kind), Some(name)) = (entry.file_type(), entry.file_name().to_str().map(str::to_owned))
        else {
            return false;
        };
        if folder.is_empty() && name == ".git" {
            continue;
        }
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        let is_known = match kind.is_dir() {
            true => index.folders.contains(path.as_str()) && has_no_other_names(root, &path, index),
            false => index.files.contains_key(path.as_str()),
        };
        if !is_known {
            return false;
        }
    }
    true
}

/// Takes four bytes off `rest`.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let (first, others) = rest.split_first_chunk::<4>()?;
    *rest = others;
    Some(u32::from_be_bytes(*first))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        os::unix::fs::{PermissionsExt, symlink},
        process::Command,
        thread::sleep,
        time::Duration,
    };

    type Change = fn(&Path);

    #[expect(clippy::disallowed_methods, reason = "the test asks the real git")]
    fn git(folder: &Path, args: &[&str]) -> String {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
        let output = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A repository with files in folders, all committed.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src/inner")).unwrap();
        for name in ["a.py", "src/b.py", "src/inner/c.py", "a name, rather long, with blanks"] {
            fs::write(root.join(name), "one\n").unwrap();
        }
        fs::write(root.join(".gitignore"), "out/\n").unwrap();
        fs::write(root.join("run.sh"), "true\n").unwrap();
        fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        git(root, &["init", "--quiet"]);
        // Else the files are as new as the index that notes them.
        sleep(Duration::from_millis(20));
        git(root, &["add", "."]);
        git(root, &["commit", "--quiet", "-m", "First"]);
        folder
    }

    /// What is told, in order.
    fn shown(root: &Path) -> Option<Vec<String>> {
        let mut edited = edited_only(root, &root.join(".git"), &git(root, &["rev-parse", "HEAD"]))?;
        edited.sort();
        Some(edited)
    }

    /// A fresh commit is known to be clean without git, and so is what was edited since.
    #[test]
    fn edits_of_a_committed_tree_are_found() {
        let folder = repository();
        let root = folder.path();
        assert_eq!(shown(root), Some(Vec::new()));
        fs::write(root.join("src/b.py"), "two\nthree\n").unwrap();
        assert_eq!(shown(root), Some(vec!["src/b.py".to_owned()]));
        fs::write(root.join("src/inner/c.py"), "two\n").unwrap();
        fs::set_permissions(root.join("a.py"), fs::Permissions::from_mode(0o755)).unwrap();
        let all = ["a.py", "src/b.py", "src/inner/c.py"].map(str::to_owned);
        assert_eq!(shown(root), Some(all.to_vec()));
    }

    /// Whatever else differs, or might, is left to git.
    #[test]
    fn nothing_is_told_where_more_than_contents_differs() {
        let changes: [(&str, Change); 16] = [
            ("a new file", |root| fs::write(root.join("new.py"), "").unwrap()),
            ("a new file in a folder", |root| fs::write(root.join("src/new.py"), "").unwrap()),
            ("an ignored file", |root| {
                fs::create_dir(root.join("out")).unwrap();
                fs::write(root.join("out/x"), "").unwrap();
            }),
            ("a deleted file", |root| fs::remove_file(root.join("a.py")).unwrap()),
            ("a file that is a link", |root| {
                fs::remove_file(root.join("a.py")).unwrap();
                symlink("src/b.py", root.join("a.py")).unwrap();
            }),
            ("something staged", |root| {
                fs::write(root.join("a.py"), "staged\n").unwrap();
                sleep(Duration::from_millis(20));
                git(root, &["add", "a.py"]);
            }),
            ("something staged, its tree known", |root| {
                fs::write(root.join("a.py"), "staged\n").unwrap();
                sleep(Duration::from_millis(20));
                git(root, &["add", "a.py"]);
                git(root, &["write-tree"]);
            }),
            ("a removal that is staged", |root| drop(git(root, &["rm", "--quiet", "a.py"]))),
            ("a file to be added", |root| {
                fs::write(root.join("n.py"), "").unwrap();
                git(root, &["add", "--intent-to-add", "n.py"]);
            }),
            ("a file that is not looked at", |root| {
                git(root, &["update-index", "--skip-worktree", "a.py"]);
                fs::remove_file(root.join("a.py")).unwrap();
            }),
            ("a file that is taken for unchanged", |root| {
                git(root, &["update-index", "--assume-unchanged", "a.py"]);
                fs::write(root.join("a.py"), "two\n").unwrap();
            }),
            ("another commit", |root| {
                git(root, &["commit", "--quiet", "--allow-empty", "-m", "Second"]);
                git(root, &["rm", "--quiet", "--cached", "a.py"]);
                git(root, &["commit", "--quiet", "-m", "Third"]);
                git(root, &["update-ref", "HEAD", "HEAD~1"]);
            }),
            ("a replaced commit", |root| {
                git(root, &["rm", "--quiet", "--cached", "a.py"]);
                git(root, &["commit", "--quiet", "-m", "Second"]);
                git(root, &["reset", "--quiet", "HEAD~1"]);
                let second = git(root, &["rev-parse", "HEAD@{1}"]);
                git(root, &["replace", "HEAD", &second]);
            }),
            ("a packed commit", |root| drop(git(root, &["gc", "--quiet"]))),
            ("an index of another version", |root| {
                git(root, &["update-index", "--index-version", "4"]);
            }),
            ("a torn index", |root| {
                let bytes = fs::read(root.join(".git/index")).unwrap();
                fs::write(root.join(".git/index"), &bytes[..bytes.len() - 1]).unwrap();
            }),
        ];
        for (what, change) in changes {
            let folder = repository();
            change(folder.path());
            assert_eq!(shown(folder.path()), None, "{what}");
        }
    }
}
