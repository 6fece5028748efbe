//! The vulnerability gate (Rule I, X20): critical advisories of a local file that name a package of the image.
//!
//! The file is a JSON list of `{"id", "package", "versions": […], "severity"}`; an empty list of versions means all. A file that is
//! configured and cannot be read denies.

use mi_admission::Denial;
use serde::Deserialize;
use std::{fs, path::Path};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advisory {
    id: String,
    package: String,
    versions: Vec<String>,
    severity: String,
}

#[derive(Debug, Deserialize)]
struct Sbom {
    packages: Vec<SbomPackage>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SbomPackage {
    name: String,
    #[serde(default)]
    version_info: String,
}

/// Every critical advisory that fits a package of the SBOM.
pub(crate) fn denials(advisories: &Path, sbom: &str) -> Vec<Denial> {
    let read = || -> Result<Vec<Denial>, String> {
        let text = fs::read(advisories).map_err(|error| error.to_string())?;
        let list: Vec<Advisory> = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let sbom: Sbom = serde_json::from_str(sbom).map_err(|error| error.to_string())?;
        Ok(fitting(&list, &sbom))
    };
    read().unwrap_or_else(|reason| {
        let reason = format!("read the advisories {}: {reason}", advisories.display());
        vec![Denial::new("I.advisories", "image", reason)]
    })
}

fn fitting(list: &[Advisory], sbom: &Sbom) -> Vec<Denial> {
    let critical = list.iter().filter(|advisory| advisory.severity.eq_ignore_ascii_case("critical"));
    let hits = critical.flat_map(|advisory| {
        let fits = |package: &&SbomPackage| {
            package.name == advisory.package
                && (advisory.versions.is_empty() || advisory.versions.contains(&package.version_info))
        };
        sbom.packages.iter().filter(fits).map(|package| {
            let reason = format!("{}: {} {} in the image", advisory.id, package.name, package.version_info);
            Denial::new("I.vulnerable", "image", reason)
        })
    });
    hits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only critical advisories about a version that is there deny; a file that is not one denies too.
    #[test]
    fn i_x_20_critical_advisories_deny() {
        let scratch = mi_test_support::Scratch::new("advisories");
        let sbom = r#"{"packages":[{"name":"zlib","versionInfo":"1.2"},{"name":"image"}]}"#;
        let rules = |text: &str| -> Vec<String> {
            let file = scratch.write("a.json", text);
            denials(&file, sbom).into_iter().map(|denial| denial.rule).collect()
        };
        let one = |severity: &str, version: &str| {
            format!(r#"[{{"id":"X-1","package":"zlib","versions":["{version}"],"severity":"{severity}"}}]"#)
        };
        assert_eq!(rules(&one("CRITICAL", "1.2")), ["I.vulnerable"]);
        assert_eq!(rules(&one("critical", "1.3")), Vec::<String>::new());
        assert_eq!(rules(&one("HIGH", "1.2")), Vec::<String>::new());
        assert_eq!(rules("{}"), ["I.advisories"]);
        assert_eq!(denials(Path::new("/nowhere"), sbom)[0].rule, "I.advisories");
    }
}
