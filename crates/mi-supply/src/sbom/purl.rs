//! Package URLs: one spelling per package, for tools that look packages up.

use super::{Package, PackageKind};

/// `pkg:type/namespace/name@version?arch=…`. `distribution` is the `ID` of the system's os-release.
pub(super) fn purl(package: &Package, distribution: &str) -> String {
    let (kind, name) = match package.kind {
        PackageKind::Alpine => {
            (format!("apk/{}", encoded(distribution)), encoded(&package.name.to_lowercase()))
        }
        PackageKind::Debian => {
            (format!("deb/{}", encoded(distribution)), encoded(&package.name.to_lowercase()))
        }
        PackageKind::Cargo => ("cargo".to_owned(), encoded(&package.name)),
        PackageKind::Go => ("golang".to_owned(), parts(&package.name.to_lowercase())),
        PackageKind::Npm => ("npm".to_owned(), parts(&package.name.to_lowercase())),
        PackageKind::Python => ("pypi".to_owned(), encoded(&package.name.to_lowercase().replace('_', "-"))),
    };
    let architecture = package.architecture.as_deref().map(|name| format!("?arch={}", encoded(name)));
    format!("pkg:{kind}/{name}@{}{}", encoded(&package.version), architecture.unwrap_or_default())
}

fn parts(name: &str) -> String {
    name.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I: scopes, epochs and plus signs are escaped, separators are not.
    #[test]
    fn i_package_urls_are_canonical() {
        let cases = [
            (PackageKind::Debian, "libstdc++6", "1:12.2+x", "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2%2Bx"),
            (PackageKind::Npm, "@s/a", "1.0.0", "pkg:npm/%40s/a@1.0.0"),
            (PackageKind::Go, "M.example/A/b", "v1.0.0", "pkg:golang/m.example/a/b@v1.0.0"),
            (PackageKind::Python, "Foo_Bar", "1.0", "pkg:pypi/foo-bar@1.0"),
            (PackageKind::Cargo, "serde_json", "1.0.0", "pkg:cargo/serde_json@1.0.0"),
        ];
        for (kind, name, version, expected) in cases {
            assert_eq!(purl(&Package::new(kind, name, version), "debian"), expected);
        }
    }
}
