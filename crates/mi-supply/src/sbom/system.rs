//! The databases of Debian's and Alpine's package managers.

use super::{Package, PackageKind};

/// `/var/lib/dpkg/status`, or a file of `status.d`: what is installed, nothing that only left its settings.
pub(super) fn dpkg(text: &str) -> Vec<Package> {
    let package = |stanza: &str| {
        let field = |name: &str| {
            let value = stanza.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            value.map(|value| value.trim().to_owned())
        };
        let is_installed =
            field("Status").is_none_or(|status| status.split(' ').any(|word| word == "installed"));
        let mut package = Package::new(PackageKind::Debian, &field("Package")?, &field("Version")?);
        package.architecture = field("Architecture");
        package.maintainer = field("Maintainer");
        is_installed.then_some(package)
    };
    stanzas(text).filter_map(|stanza| package(&stanza)).collect()
}

/// `/lib/apk/db/installed`.
pub(super) fn apk(text: &str) -> Vec<Package> {
    let package = |stanza: &str| {
        let field = |name: &str| stanza.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let mut package = Package::new(PackageKind::Alpine, &field("P:")?, &field("V:")?);
        package.architecture = field("A:");
        package.maintainer = field("m:");
        Some(package)
    };
    stanzas(text).filter_map(|stanza| package(&stanza)).collect()
}

fn stanzas(text: &str) -> impl Iterator<Item = String> {
    let text = text.replace("\r\n", "\n");
    text.split("\n\n").map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use crate::sbom::packages;

    fn named(path: &str, text: &str) -> Vec<String> {
        let found = packages(path, text).unwrap().unwrap();
        found.iter().map(|package| format!("{} {}", package.name, package.version)).collect()
    }

    /// I: what dpkg has installed is listed, what it has removed is not.
    #[test]
    fn i_dpkg_status_is_read() {
        let text = "Package: bash\nStatus: install ok installed\nMaintainer: M <m@e>\nArchitecture: amd64\nVersion: 5.2-1\n\
                    Description: a shell\n Package: not this\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n\n\
                    Package: epoch\nStatus: install ok installed\nVersion: 1:2.0+x\n";
        assert_eq!(named("var/lib/dpkg/status", text), ["bash 5.2-1", "epoch 1:2.0+x"]);
        assert_eq!(named("var/lib/dpkg/status.d/base", "Package: base\nVersion: 12\n"), ["base 12"]);
        assert_eq!(named("var/lib/dpkg/status", ""), Vec::<String>::new());
    }

    /// I: Alpine's database is read.
    #[test]
    fn i_apk_database_is_read() {
        let text = "C:Q1x=\nP:musl\nV:1.2.5-r0\nA:x86_64\nm:N <n@e>\nF:lib\nR:ld\n\nP:busybox\nV:1.36\n\n";
        assert_eq!(named("lib/apk/db/installed", text), ["musl 1.2.5-r0", "busybox 1.36"]);
    }
}
