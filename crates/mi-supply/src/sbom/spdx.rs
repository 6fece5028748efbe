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
        "supplier": "NOASSERTION",
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
        "supplier": supplier(package),
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

/// `Name <address>` as SPDX writes it. Whoever runs a registry is not who made the package.
fn supplier(package: &Package) -> String {
    let is_system = matches!(package.kind, PackageKind::Alpine | PackageKind::Debian);
    let maintainer = package.maintainer.as_deref().filter(|_| is_system).map(str::trim).unwrap_or_default();
    let (name, address) = match maintainer.split_once('<') {
        Some((name, address)) => (name.trim(), address.trim_end_matches('>').trim()),
        None => (maintainer, ""),
    };
    let is_plain = |text: &str| !text.chars().any(|letter| letter.is_control() || "()".contains(letter));
    match (name, address) {
        (name, _) if name.is_empty() || !is_plain(name) => "NOASSERTION".to_owned(),
        (name, address) if address.is_empty() || !is_plain(address) => format!("Organization: {name}"),
        (name, address) => format!("Organization: {name} ({address})"),
    }
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
