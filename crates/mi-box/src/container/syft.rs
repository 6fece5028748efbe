//! The SBOM by `syft`, where the person has it: it knows more kinds of packages than the databases that are read here.
//!
//! The image goes to it as an archive that the engine gives, so it needs neither the engine's socket nor a network.
//! Holds: what it says counts only if it is an SPDX document of this image; else the databases are read.

use mi_process::{Environment, Limits, SpawnSpec, Spawner, Stdin, run_to_end};
use serde_json::Value;
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use super::http::Client;

const ARCHIVE_BYTES: u64 = 32 << 30;
const LIMITS: Limits = Limits { timeout: Duration::from_secs(600), max_output_bytes: 64 << 20 };

/// The program, and who starts it.
#[derive(Debug, Clone)]
pub struct Syft {
    pub program: PathBuf,
    pub spawner: Spawner,
}

impl Syft {
    /// The document about an image; nothing where syft or the engine cannot give one. `place` takes the archive meanwhile.
    pub(super) fn document(&self, client: &Client, image: &str, place: &Path) -> Option<String> {
        let archive = place.join("image.tar");
        let text = self.ask(client, image, &archive);
        let _ = fs::remove_file(archive);
        text.filter(|text| is_spdx(text))
    }

    fn ask(&self, client: &Client, image: &str, archive: &Path) -> Option<String> {
        let mut file = File::create_new(archive).ok()?;
        client.download(&format!("/images/{image}/get"), ARCHIVE_BYTES, &mut file).ok()?;
        let (name, digest) = image.rsplit_once('@')?;
        let source = format!("docker-archive:{}", archive.display());
        let args = [&source, "--output", "spdx-json", "--source-name", name, "--source-version", digest];
        let spec = SpawnSpec {
            program: self.program.clone().into(),
            args: args.map(Into::into).to_vec(),
            cwd: "/".into(),
            environment: Environment::Inherit {
                set: vec![("SYFT_CHECK_FOR_APP_UPDATE".into(), "false".into())],
                remove: Vec::new(),
            },
            stdin: Stdin::Null,
        };
        let output = run_to_end(&self.spawner, &spec, LIMITS, None).ok()?;
        let whole = output.end.is_success() && output.left_out_bytes == 0;
        String::from_utf8(output.stdout).ok().filter(|_| whole)
    }
}

/// What every SPDX 2 document has.
fn is_spdx(text: &str) -> bool {
    let Ok(document) = serde_json::from_str::<Value>(text) else { return false };
    let has_text = |key: &str| document[key].as_str().is_some_and(|text| !text.is_empty());
    let is_package = |package: &Value| package["name"].is_string() && package["SPDXID"].is_string();
    document["spdxVersion"].as_str().is_some_and(|version| version.starts_with("SPDX-2."))
        && ["SPDXID", "name", "dataLicense", "documentNamespace"].iter().all(|key| has_text(key))
        && document["creationInfo"]["creators"].as_array().is_some_and(|creators| !creators.is_empty())
        && document["packages"].as_array().is_some_and(|packages| packages.iter().all(is_package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mi_model::Timestamp;
    use mi_supply::sbom::{Subject, spdx};

    /// Our own documents pass; other JSON, other versions and half documents do not.
    #[test]
    fn i_only_spdx_documents_are_taken() {
        let subject =
            Subject { name: "demo".to_owned(), digest: "1".repeat(64), distribution: "debian".to_owned() };
        let good = spdx(&subject, &[], Timestamp::from_millis(0));
        assert!(is_spdx(&good));
        for bad in [
            String::new(),
            "{}".to_owned(),
            "[]".to_owned(),
            good.replace("SPDX-2.", "SPDX-3."),
            good.replace("packages", "pakets"),
            good[..good.len() - 2].to_owned(),
        ] {
            assert!(!is_spdx(&bad), "{bad}");
        }
    }
}
