//! Ordinary work in projects whose files say what would run.

use serde_json::json;

use crate::permission::Verdict::{self, Allow, Deny, Prompt};
use crate::permission::{Action, Context, FileText, GitSettings, Layer, World, decide, load};

/// Paths below `/p`, with what they say.
type Files = &'static [(&'static str, &'static str)];

/// A project in `/p` with these files and an ordinary repository.
struct Project(Files);

impl World for Project {
    fn real_path(&self, _: &str) -> Option<String> {
        None
    }
    fn project_root(&self, _: &str) -> Option<String> {
        Some("/p".to_owned())
    }
    fn current_branch(&self, _: &str) -> Option<String> {
        None
    }
    fn git_settings(&self, _: &str) -> GitSettings {
        let hooks = self.0.iter().filter_map(|(name, _)| name.strip_prefix(".git/hooks/")).map(str::to_owned);
        let configs =
            self.0.iter().filter(|(name, _)| *name == ".git/config").map(|(_, text)| (*text).to_owned());
        GitSettings::Found { configs: configs.collect(), hooks: hooks.collect() }
    }
    fn has_other_names(&self, _: &str) -> bool {
        false
    }
    fn text(&self, absolute: &str) -> FileText {
        let found = self.0.iter().find(|(name, _)| absolute.strip_prefix("/p/") == Some(*name));
        found.map_or(FileText::Missing, |(_, text)| FileText::Text((*text).to_owned()))
    }
    fn names(&self, folder: &str) -> Option<Vec<String>> {
        let folder = format!("{}/", folder.trim_start_matches("/p").trim_start_matches('/'));
        let folder = folder.trim_start_matches('/');
        let names = self.0.iter().filter_map(|(name, _)| name.strip_prefix(folder)?.split('/').next());
        Some(names.map(str::to_owned).collect())
    }
}

const RULES: &str = "version: 1\nrules:\n  - {id: no-touch, decision: deny, match: {command: touch}, reason: no}\n  - {id: banned, decision: deny, match: {write: M}, reason: no}\n";

fn verdict(files: Files, script: &str) -> Verdict {
    let (world, sets) = (Project(files), [load("r.yaml", RULES, Layer::User).unwrap()]);
    let context = Context { cwd: Some("/p"), ..Context::new(&sets, &world) };
    decide(&Action::new("Bash", json!({"command": script}), None), &context).verdict
}

/// Scripts of `package.json`, recipes, shell scripts and programs in a command are not read: they prompt, harmless or not.
#[test]
fn d_19_code_of_the_project_prompts() {
    const FILES: Files = &[
        ("package.json", r#"{"scripts": {"build": "tsc --noEmit", "test": "vitest"}}"#),
        ("Makefile", "all:\n\ttrue\ntest:\n\ttrue\n"),
        ("build.ninja", "# CMAKE generated file\n"),
        ("scripts/build.sh", "#!/usr/bin/env bash\nls target\n"),
    ];
    let scripts = [
        "npm run build",
        "npm test",
        "npm start",
        "yarn build",
        "pnpm --filter web build",
        "bun run build",
        "make",
        "make -n",
        "make test",
        "ninja -C build",
        "bash scripts/build.sh",
        "./scripts/build.sh",
        "cd scripts && ./build.sh",
        "python3 -c 'print(1)'",
        "python3 -m json.tool x",
        "node -p 1+1",
        "python3 - <<E\nprint(1)\nE",
        "sqlite3 x 'select 1'",
        "psql -c 'select 1'",
    ];
    for script in scripts {
        assert_eq!(verdict(FILES, script), Prompt, "{script}");
        assert_eq!(verdict(&[], script), Prompt, "{script}");
    }
    let looks = [
        "npm run",
        "npm ls",
        "npm view x",
        "yarn why x",
        "node --check x.js",
        "psql -l",
        "redis-cli -n 1 get x",
    ];
    for script in looks {
        assert_eq!(verdict(FILES, script), Allow, "{script}");
    }
    let changes =
        ["npm audit fix", "npm version patch", "npm config get //r/:_authToken", "redis-cli set x 1"];
    for script in changes {
        assert_eq!(verdict(FILES, script), Prompt, "{script}");
    }
}

/// Cargo compiles without a question unless the project may make it run something else: build scripts and packages that
/// could bring one are not read.
#[test]
fn d_19_cargo_is_asked_about_where_a_project_changes_what_it_runs() {
    const PLAIN: Files = &[("Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\n")];
    const ABOVE: Files =
        &[("Cargo.toml", "[workspace]\n"), ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n")];
    const SCRIPT: Files = &[("Cargo.toml", "[package]\n"), ("build.rs", "fn main() {}")];
    const NAMED: Files = &[("Cargo.toml", "[package]\nbuild = \"b.rs\"\n"), ("b.rs", "use std::fs::File;")];
    const MEMBER: Files = &[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.toml", ""),
        ("crates/a/build.rs", "Command"),
    ];
    const WRAPPED: Files = &[(".cargo/config.toml", "[build]\nrustc-wrapper = \"./e\"\n")];
    const ALIAS: Files = &[(".cargo/config.toml", "[alias]\nclippy = \"run\"\n")];
    for (files, script, expected) in [
        (PLAIN, "cargo build", Allow),
        (PLAIN, "cargo clippy --all-targets -- -D warnings", Allow),
        (PLAIN, "cargo run", Prompt),
        (PLAIN, "cargo test", Prompt),
        (SCRIPT, "cargo build", Prompt),
        (SCRIPT, "cargo tree", Allow),
        (NAMED, "cargo check", Prompt),
        (MEMBER, "cargo check", Prompt),
        (ABOVE, "cd crates/a && cargo check", Prompt),
        (PLAIN, "echo > src/x.rs && cargo check", Prompt),
        (WRAPPED, "cargo check", Prompt),
        (ALIAS, "cargo clippy", Prompt),
    ] {
        assert_eq!(verdict(files, script), expected, "{script} {files:?}");
    }
}

/// Git's ordinary work is asked about where the repository has hooks, or settings that run something.
#[test]
fn d_19_hooks_of_a_repository_are_asked_about() {
    const HOOK: Files = &[(".git/hooks/post-checkout", "")];
    const HELPER: Files = &[(".git/config", "[credential]\nhelper = !touch M\n")];
    let cases: [(Files, &str, Verdict); 8] = [
        (&[], "git switch main", Allow),
        (&[], "git fetch origin", Allow),
        (&[], "git add -A", Allow),
        (HOOK, "git switch main", Prompt),
        (HELPER, "git fetch", Prompt),
        (HELPER, "git add .", Allow),
        (&[], "git checkout M", Deny),
        (&[], "git checkout main", Allow),
    ];
    for (files, script, expected) in cases {
        assert_eq!(verdict(files, script), expected, "{script} {files:?}");
    }
}

/// What compilers and folders are made as is seen by rules about paths.
#[test]
fn d_19_named_products_are_seen() {
    for script in ["gcc -o M x.c", "mkdir -p M"] {
        assert_eq!(verdict(&[], script), Deny, "{script}");
    }
}

/// What a project's files put in the place of a program, a package or a module is seen, however it is written.
#[test]
fn d_19_planted_files_are_asked_about() {
    const WRITES: &str = "use std::fs as f; fn main() { f::write(\"M\", \"\"); }";
    const BUILDS: &str = r#"{"scripts": {"build": "ls", "git": "git status", "say": "echo $'\\'; touch M #'",
        "more": "((x > M))", "end": "grep -v 'x$' a", "stop": "touch M"}}"#;
    let cases: &[(Files, &str, Verdict)] = &[
        (&[("Cargo.toml", "[package]\nbuild = 'b.rs'\n"), ("b.rs", WRITES)], "cargo check", Prompt),
        (&[("Cargo.toml", "[package]\nbuild = \"b.rs\" # x\n"), ("b.rs", WRITES)], "cargo check", Prompt),
        (
            &[("Cargo.toml", "[package]\n\"bui\\u006cd\" = \"b.rs\"\n"), ("b.rs", WRITES)],
            "cargo check",
            Prompt,
        ),
        (
            &[("Cargo.toml", "x = { path = \"e\" }"), ("e/Cargo.toml", ""), ("e/build.rs", WRITES)],
            "cargo check",
            Prompt,
        ),
        (
            &[("Cargo.toml", "members = ['m?']"), ("mm/Cargo.toml", ""), ("mm/build.rs", WRITES)],
            "cargo check",
            Prompt,
        ),
        (
            &[
                ("Cargo.toml", "x = {path='e'}"),
                ("e/Cargo.toml", "proc-macro = true"),
                ("e/src/lib.rs", WRITES),
            ],
            "cargo check",
            Prompt,
        ),
        (
            &[
                ("Cargo.toml", "[build-dependencies]\nx = {path='e'}"),
                ("build.rs", "fn main() { e::x() }"),
                ("e/Cargo.toml", ""),
                ("e/src/lib.rs", WRITES),
            ],
            "cargo check",
            Prompt,
        ),
        (
            &[("Cargo.toml", "x = {path='e'}"), ("e/Cargo.toml", ""), ("e/src/lib.rs", WRITES)],
            "cargo check",
            Prompt,
        ),
        (
            &[(".cargo/config.toml", "[build]\n\"r\\u0075stc-wr\\u0061pper\" = \"./e\"")],
            "cargo check",
            Prompt,
        ),
        (&[(".cargo/config.toml", "[build]\ntarget-dir = \"M\"")], "cargo check", Prompt),
        (&[("rust-toolchain.toml", "[toolchain]\n\"p\\u0061th\" = \"e\"")], "cargo --version", Prompt),
        (&[("package.json", BUILDS)], "npm run say", Prompt),
        (&[("package.json", BUILDS)], "npm run more", Prompt),
        (&[("package.json", BUILDS)], "npm restart", Prompt),
        (&[("package.json", BUILDS)], "npm run restart", Prompt),
        (&[("package.json", BUILDS), ("node_modules/.bin/git", "")], "npm run git", Prompt),
        (&[("package.json", BUILDS), ("node_modules/.bin/sh", "")], "npm run build", Prompt),
        (&[("sub/package.json", BUILDS), ("node_modules/.bin/ls", "")], "cd sub && npm run build", Prompt),
        (&[("s.sh", "#!/bin/sh\necho $'\\'; touch M #'\n")], "./s.sh", Prompt),
        (&[("s.sh", "echo $'\\'; touch M #'\n")], "sh s.sh", Prompt),
        (&[("Makefile", "all:\n\techo $$'\\'; touch M #'\n")], "make all", Prompt),
        (&[("_json.py", "")], "python3 -c 'import json; print(1)'", Prompt),
        (&[("re/__init__.pyc", "")], "python3 -c 'import json; print(1)'", Prompt),
        (&[("sysconfig.py", "")], "python3 -m pip list", Prompt),
        (&[("mypy.ini", "[mypy]\nplugins = ./e.py\n")], "python3 -m mypy .", Prompt),
        (&[(".npmrc", "git=./e\n")], "npm view git+file:///x", Prompt),
        (&[(".npmrc", "\"c\\u0061che\"=M\n")], "npm ls", Prompt),
        (&[(".npmrc", "registry=https://r.example\nsave-exact=true\n")], "npm ls", Allow),
        (&[(".pnpmfile.cjs", "")], "pnpm ls", Prompt),
        (&[("mypy.ini", "[mypy]\nplugins = ./e.py\n")], "mypy .", Prompt),
        (&[("mypy.ini", "[mypy]\nplugins = pydantic.mypy\n")], "mypy .", Allow),
        (&[(".pylintrc", "[MAIN]\ninit-hook='import os'\n")], "pylint src", Prompt),
        (&[("setup.cfg", "[flake8:local-plugins]\n")], "flake8 src", Prompt),
        (&[("conftest.py", "")], "pytest --version", Prompt),
        (&[("conftest.py", "")], "pytest --help", Prompt),
        (&[("composer.json", r#"{"scripts": {"pre-command-run": "touch M"}}"#)], "composer show", Prompt),
        (&[("composer.json", r#"{"require": {}}"#)], "composer show", Allow),
        (&[("bin/rails", "")], "rails --version", Prompt),
    ];
    for (files, script, expected) in cases {
        assert_eq!(verdict(files, script), *expected, "{script} {files:?}");
    }
}

/// What compilers make without being told is seen by rules about paths.
#[test]
fn d_19_unnamed_products_are_seen() {
    let rule = "version: 1\nrules: [{id: b, decision: deny, match: {write: [a.out, x.o]}, reason: no}]";
    let (world, sets) = (Project(&[]), [load("r.yaml", rule, Layer::User).unwrap()]);
    let context = Context { cwd: Some("/p"), ..Context::new(&sets, &world) };
    let verdict =
        |script: &str| decide(&Action::new("Bash", json!({"command": script}), None), &context).verdict;
    assert_eq!(verdict("gcc y.c"), Deny);
    assert_eq!(verdict("gcc -c src/x.c"), Deny);
    assert_eq!(verdict("gcc -o y y.c"), Allow);
}

/// Names that a project chooses for what is built are seen by rules about paths.
#[test]
fn d_19_chosen_products_are_seen() {
    let cases: &[(Files, &str, Verdict)] = &[
        (&[("go.mod", "module example.com/M\n")], "go build", Deny),
        (&[("go.mod", "module example.com/x\n")], "go build ./cmd/M", Deny),
        (&[("go.mod", "module example.com/x\n")], "go build ./...", Allow),
        (&[("tsconfig.json", "{\"compilerOptions\": {\"outFile\": \"./M\"}}")], "tsc", Deny),
        (&[("sub/tsconfig.json", "{\"tsBuildInfoFile\": \"../M\"}")], "tsc -p sub", Deny),
        (&[("tsconfig.json", "{\"compilerOptions\": {\"outDir\": \"dist\"}}")], "tsc", Allow),
    ];
    for (files, script, expected) in cases {
        assert_eq!(verdict(files, script), *expected, "{script} {files:?}");
    }
}

/// A compiler replaces no text, and puts nothing where programs are looked for.
#[test]
fn d_19_products_replace_nothing_that_somebody_wrote() {
    const FILES: Files = &[("Makefile", "all:\n"), ("empty", "")];
    for script in [
        "gcc -E x.c -o Makefile",
        "gcc -oMakefile x.c",
        "gcc -o node_modules/.bin/eslint x.c",
        "gcc -o .venv/bin/python x.c",
        "gcc -o ../x x.c",
        "gcc -o /root/bin/ls x.c",
        "go build -o Makefile",
        "cmake -B .git",
        "meson setup .git",
        "mkdir .git",
        "javac -d / X.java",
    ] {
        assert_eq!(verdict(FILES, script), Prompt, "{script}");
    }
    for script in ["gcc -o x x.c", "gcc -o /tmp/x x.c", "cmake -B build", "mkdir -p a/b", "go build -o bin/x"]
    {
        assert_eq!(verdict(FILES, script), Allow, "{script}");
    }
}
