//! One file with two names, one of them in another member's private folder: refused wherever it is read.

use mi_test_support::{Mi, MiOutput, TempHome};
use std::fs;

struct Scene {
    home: TempHome,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { home: TempHome::new() };
        scene.mi(&["persona", "init"]).expect_exit(0);
        scene.home.write("persona/.bob/private/n.md", "BOBS THOUGHT\n");
        scene
    }

    fn mi(&self, arguments: &[&str]) -> MiOutput {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).env("MI_NOW", "2026-01-10T08:00:00Z").run(arguments)
    }

    fn link(&self, name: &str) {
        let persona = self.home.path().join("persona");
        let target = persona.join(name);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&target);
        fs::hard_link(persona.join(".bob/private/n.md"), target).unwrap();
    }
}

/// A core file, a log, a card and one's own private file that are really Bob's are not read; each is named.
#[test]
fn hard_links_into_another_members_folder_are_refused() {
    for name in [
        "core/principles.md",
        "sessions/2026-01/2026-01-09.md",
        ".ann/private/stolen.md",
        "cards/axioms/X-001.md",
    ] {
        let scene = Scene::new();
        scene.link(name);
        let boot = scene.mi(&["boot", "--json", "--member", "ann"]);
        assert!(!boot.out().contains("BOBS THOUGHT"), "{name}: {boot}");
        assert!(boot.out().contains("hard link") && boot.out().contains(name), "{name}: {boot}");
    }
    let scene = Scene::new();
    scene.link(".ann/private/stolen.md");
    let shown = scene.mi(&["persona", "private", "show", "stolen.md", "--as", "ann"]).expect_exit(4);
    assert!(shown.err().contains("hard link") && !shown.out().contains("BOBS"), "{shown}");
    // Nobody can tell whose it is: Bob is told as well.
    scene.mi(&["persona", "private", "show", "n.md", "--as", "bob"]).expect_exit(4);
}

/// A hard link is neither exported nor passed over by the lint; a file with two names of its own is fine.
#[test]
fn d_10_hard_links_are_not_exported_and_are_linted() {
    let scene = Scene::new();
    scene.link("cards/axioms/X-001.md");
    let out = scene.home.path().join("out");
    let exported = scene.mi(&["persona", "export", "--out", out.to_str().unwrap()]);
    assert_eq!(exported.code(), Some(4), "{exported}");
    assert!(!out.exists(), "{exported}");
    let lint = scene.mi(&["persona", "lint"]);
    assert!(lint.out().contains("hard link"), "{lint}");
    let fine = Scene::new();
    let persona = fine.home.path().join("persona");
    fs::hard_link(persona.join("core/boot.md"), persona.join("core/copy.md")).unwrap();
    fine.mi(&["boot"]).expect_exit(0);
}
