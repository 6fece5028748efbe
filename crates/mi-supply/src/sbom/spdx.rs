//! The SPDX 2.3 document.

use mi_model::Timestamp;
use serde_json::{Value, json};

use super::{Package, PackageKind, purl::purl};

/// What a document describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Such as `localhost/demo`.
    pub name: String,
    /// 64 hexadecimal digits: the image's digest, or the tree's.
    pub digest: String,
    /// The `ID` of the image's os-release; `linux` if there is none.
    pub distribution: String,
}

/// The document, pretty-printed. The same packages in any order give the same bytes.
pub fn spdx(subject: &Subject, packages: &[Package], created: Timestamp) -> String {
    let mut packages = packages.to_vec();
    packages.sort();
    packages.dedup_by(|left, right| purl(left, &subject.distribution) == purl(right, &subject.distribution));
    let mut described = vec![root(subject)];
    let mut relations = vec![relation("SPDXRef-DOCUMENT", "DESCRIBES", ROOT)];
    for (index, package) in packages.iter().enumerate() {
        let id = format!("SPDXRef-Package-{}", index + 1);
        described.push(entry(&id, package, &subject.distribution));
        relations.push(relation(ROOT, "CONTAINS", &id));
    }
    let document = json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("{}@sha256:{}", subject.name, subject.digest),
        "documentNamespace": format!("https://spdx.org/spdxdocs/mi-{}", subject.digest),
        "creationInfo": {"created": seconds(created), "creators": [concat!("Tool: mi-", env!("CARGO_PKG_VERSION"))]},
        "packages": described,
        "relationships": relations,
    });
    let text = serde_json::to_string_pretty(&document).expect("a value is JSON");
    format!("{text}\n")
}

const ROOT: &str = "SPDXRef-Subject";

fn root(subject: &Subject) -> Value {
    json!({
        "SPDXID": ROOT,
        "name": subject.name,
        "versionInfo": format!("sha256:{}", subject.digest),
        "supplier": organization(&subject.name),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": false,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "CONTAINER",
        "checksums": [{"algorithm": "SHA256", "checksumValue": subject.digest}],
    })
}

fn entry(id: &str, package: &Package, distribution: &str) -> Value {
    let mut entry = json!({
        "SPDXID": id,
        "name": package.name,
        "versionInfo": package.version,
        "supplier": supplier(package, distribution),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": false,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": purl(package, distribution),
        }],
    });
    if let Some(sum) = &package.sha256 {
        entry["checksums"] = json!([{"algorithm": "SHA256", "checksumValue": sum}]);
    }
    entry
}

/// Who supplies it: the maintainer `Name <address>` of a system's package, else the distribution; a lock file knows only
/// the registry.
fn supplier(package: &Package, distribution: &str) -> String {
    match package.kind {
        PackageKind::Cargo => organization("Cargo registry"),
        PackageKind::Go => organization("Go module registry"),
        PackageKind::Npm => organization("npm registry"),
        PackageKind::Python => organization("Python package index"),
        PackageKind::Alpine | PackageKind::Debian => {
            let maintainer = package.maintainer.as_deref().unwrap_or_default();
            let (name, address) = maintainer.split_once('<').unwrap_or((maintainer, ""));
            let address = plain(address.trim_end_matches('>'));
            match plain(name) {
                name if name.is_empty() => organization(distribution),
                name if address.is_empty() => organization(&name),
                name => format!("{} ({address})", organization(&name)),
            }
        }
    }
}

/// SPDX has the address in brackets, so a name can have none.
fn organization(name: &str) -> String {
    let name = plain(name);
    if name.is_empty() { "NOASSERTION".to_owned() } else { format!("Organization: {name}") }
}

fn plain(text: &str) -> String {
    let kept: String =
        text.chars().filter(|letter| !letter.is_control() && !"()<>".contains(*letter)).collect();
    kept.trim().to_owned()
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
}

/// SPDX has times without fractions.
fn seconds(time: Timestamp) -> String {
    let text = time.to_string();
    text.split('.').next().map_or(text.clone(), |whole| format!("{}Z", whole.trim_end_matches('Z')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            name: "localhost/demo".to_owned(),
            digest: "a".repeat(64),
            distribution: "debian".to_owned(),
        }
    }

    /// I: a package that stands twice is listed once, order does not matter, the document describes its image.
    #[test]
    fn i_documents_are_the_same_for_the_same_packages() {
        let one = Package::new(PackageKind::Cargo, "a", "1.0.0");
        let mut two = Package::new(PackageKind::Debian, "b", "1:2.0");
        two.maintainer = Some("Team <team@lists.example>".to_owned());
        let time = Timestamp::from_millis(1_770_000_000_123);
        let text = spdx(&subject(), &[two.clone(), one.clone(), one.clone()], time);
        assert_eq!(text, spdx(&subject(), &[one, two], time));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["packages"].as_array().unwrap().len(), 3);
        assert_eq!(document["creationInfo"]["created"], "2026-02-02T02:40:00Z");
        assert_eq!(document["packages"][2]["supplier"], "Organization: Team (team@lists.example)");
        assert_eq!(document["relationships"][0]["relatedSpdxElement"], document["packages"][0]["SPDXID"]);
    }
}
