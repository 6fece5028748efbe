//! Reads the evidence that a protocol's guards stand on: files of the project, bounded, never outside of it.

use mi_model::{record::EvidenceRead, sha256_hex};
use mi_protocol::evidence::Source;
use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

/// More than any evidence needs.
const LARGEST: u64 = 16 * 1024 * 1024;

/// What stands at each source now, in their order. `root` is canonical.
pub(crate) fn read(root: &Path, sources: &[String]) -> Vec<EvidenceRead> {
    sources.iter().map(|source| read_one(root, source)).collect()
}

fn read_one(root: &Path, source: &str) -> EvidenceRead {
    let mut read = EvidenceRead {
        source: source.to_owned(),
        sha256: String::new(),
        value: serde_json::Value::Null,
        error: None,
    };
    let Some(parsed) = Source::parse(source) else {
        read.error = Some("it leads out of the project".to_owned());
        return read;
    };
    match content(root, &parsed.file) {
        Err(why) => read.error = Some(why),
        Ok(bytes) => {
            read.sha256 = sha256_hex(&bytes);
            match parsed.pick(&bytes) {
                Ok(value) => read.value = value,
                Err(why) => read.error = Some(why),
            }
        }
    }
    read
}

fn content(root: &Path, file: &str) -> Result<Vec<u8>, String> {
    let fail = |error: std::io::Error| format!("read {file}: {error}");
    let path = fs::canonicalize(root.join(file)).map_err(fail)?;
    if !path.starts_with(root) {
        return Err(format!("{file} is a link that leads out of the project"));
    }
    let opened = File::open(&path).map_err(fail)?;
    let about = opened.metadata().map_err(fail)?;
    if !about.is_file() || about.len() > LARGEST {
        return Err(format!("{file} is no file of at most 16 MiB"));
    }
    let mut bytes = Vec::new();
    opened.take(LARGEST).read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value, a whole file, and everything that cannot be read, each with its reason.
    #[test]
    fn evidence_is_read_inside_of_the_project_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("logs")).unwrap();
        fs::write(root.join("logs/t.json"), "{\"a\": {\"b\": 7}}").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", root.join("out")).unwrap();
        let sources =
            ["logs/t.json:a.b", "logs/t.json", "logs/t.json:a.x", "none.json:a", "../x:a", "out", "logs"];
        let found = read(&root, &sources.map(str::to_owned));
        assert_eq!(found[0].value, 7);
        assert_eq!((found[0].sha256.len(), &found[0].sha256), (64, &found[1].sha256));
        assert_eq!(found[1].error, None);
        let why = |at: usize| found[at].error.clone().unwrap();
        assert_eq!(why(2), "logs/t.json has no `a.x`");
        assert!(why(3).starts_with("read none.json:"), "{}", why(3));
        assert_eq!(why(4), "it leads out of the project");
        assert!(why(5).contains("link") || why(5).contains("read out"), "{}", why(5));
        assert!(why(6).contains("no file"), "{}", why(6));
    }
}
