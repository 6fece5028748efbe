//! What this crate writes, read by programs that others wrote: minisign, and three validators of SPDX.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]
#![expect(clippy::disallowed_methods, reason = "tests start programs of their own")]

use mi_model::Timestamp;
use mi_supply::{
    sbom::{self, Subject},
    sign::{PublicKey, SecretKey},
};
use mi_test_support::{Scratch, installed, workspace_dir};
use std::{fs, path::Path, process::Command};

/// The program's output, which must end well.
fn run(program: &Path, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{} {arguments:?}: {said}", program.display());
    said
}

/// U: our signatures hold for minisign, with our key files; its signatures and keys hold for us.
#[test]
fn u_minisign_verifies_ours_and_we_verify_its() {
    let Some(minisign) = installed("minisign") else { return };
    let scratch = Scratch::new("minisign");
    let place = scratch.path();
    let secret = SecretKey::from_random([7; 32], [9; 8]).unwrap();
    fs::write(place.join("ours.pub"), secret.public().to_file()).unwrap();
    fs::write(place.join("ours.key"), secret.to_file()).unwrap();
    fs::write(place.join("m"), "manifest").unwrap();
    fs::write(place.join("m.minisig"), secret.sign(b"manifest", "run x1")).unwrap();
    let said = run(&minisign, &["-V", "-p", "ours.pub", "-m", "m"], place);
    assert!(said.contains("Trusted comment: run x1"), "{said}");

    run(&minisign, &["-S", "-s", "ours.key", "-m", "m", "-x", "its.minisig", "-t", "theirs"], place);
    let its = fs::read_to_string(place.join("its.minisig")).unwrap();
    assert_eq!(secret.public().verify(b"manifest", &its).unwrap(), "theirs");

    run(&minisign, &["-G", "-W", "-p", "its.pub", "-s", "its.key"], place);
    let key = SecretKey::read(&fs::read_to_string(place.join("its.key")).unwrap()).unwrap();
    assert_eq!(key.public(), PublicKey::read(&fs::read_to_string(place.join("its.pub")).unwrap()).unwrap());
}

/// I: an SBOM of real databases and lock files passes the SPDX project's own tools, the NTIA checker built on them, and
/// the official JSON schema as another library applies it.
#[test]
fn i_sbom_passes_independent_validators() {
    let (Some(tools), Some(ntia)) = (installed("pyspdxtools"), installed("sbomcheck")) else { return };
    let python = tools.with_file_name("python3");
    let scratch = Scratch::new("sbom");
    let mut packages = Vec::new();
    let debian = "Package: bash\nStatus: install ok installed\nMaintainer: Matthias <doko@e.example>\nArchitecture: amd64\nVersion: 5.2.15-2+b2\n\n\
                  Package: libstdc++6\nStatus: install ok installed\nMaintainer: GCC (team) <g@e.example>\nVersion: 1:12.2.0-14\n";
    let lock = fs::read_to_string(workspace_dir().join("Cargo.lock")).unwrap();
    for (path, text) in [
        ("var/lib/dpkg/status", debian),
        ("lib/apk/db/installed", "P:musl\nV:1.2.5-r0\nA:x86_64\nm:Timo <t@e.example>\n"),
        ("Cargo.lock", &lock),
        ("package-lock.json", r#"{"packages":{"node_modules/@s/a":{"version":"1.0.0-beta.1+x"}}}"#),
        ("requirements.txt", "Django==5.0\n"),
        ("go.sum", "m.example/a v1.0.0 h1:x=\n"),
    ] {
        packages.extend(sbom::packages(path, text).unwrap().unwrap());
    }
    assert!(packages.len() > 100);
    let subject = Subject {
        name: "localhost/demo".to_owned(),
        digest: "b".repeat(64),
        distribution: "debian".to_owned(),
    };
    let text = sbom::spdx(&subject, &packages, Timestamp::from_millis(1_770_000_000_000));
    let file = scratch.write("SBOM-demo.spdx.json", text);
    let name = file.file_name().unwrap().to_str().unwrap();
    run(&tools, &["-i", name], scratch.path());
    let said = run(&ntia, &[name], scratch.path());
    assert!(said.contains("Conformant: True"), "{said}");
    let check = "import sys\nfrom lib4sbom.validator import SBOMValidator\nresult = SBOMValidator().validate_file(sys.argv[1])\nprint(result)\nsys.exit(0 if isinstance(result, dict) and result.get('SPDX') not in (False, None) else 1)\n";
    let said = run(&python, &["-c", check, name], scratch.path());
    assert!(said.contains("SPDX"), "{said}");
    // The validators must be able to fail.
    let broken = fs::read_to_string(&file).unwrap().replacen("\"SPDX-2.3\"", "\"SPDX-9\"", 1);
    scratch.write("broken.spdx.json", broken);
    let output =
        Command::new(&tools).args(["-i", "broken.spdx.json"]).current_dir(scratch.path()).output().unwrap();
    assert!(!output.status.success());
}
