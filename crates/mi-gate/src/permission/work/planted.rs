//! Files of a project that make a tool run the project's own code, even when it is only asked for its version.

use super::FileText;
use crate::permission::decide::Place;
use crate::permission::paths::relative;
use crate::permission::shell::Here;

/// Some files, and whether what one says is a program of the project.
type Files = (&'static [&'static str], fn(&str) -> bool);

/// The files for a program.
fn files(program: &str) -> &'static [Files] {
    match program {
        // Escapes may stand for any letter.
        "cargo" | "rustc" | "rustfmt" | "rustup" | "rustdoc" | "clippy-driver" => {
            &[(&["rust-toolchain.toml", "rust-toolchain"], |text| {
                text.contains("path") || text.contains('\\')
            })]
        }
        "yarn" => &[(&[".yarnrc.yml", ".yarnrc"], |text| {
            ["yarnPath", "yarn-path", "plugins", "\\"].iter().any(|word| text.contains(word))
        })],
        "pnpm" => &[
            (&[".pnpmfile.cjs", ".pnpmfile.mjs"], |_| true),
            (&["pnpm-workspace.yaml"], |text| {
                text.contains("pnpmfile") || text.contains("configDependencies")
            }),
        ],
        "mvn" => &[(&[".mvn/jvm.config", ".mvn/maven.config"], |text| {
            ["agent", "-cp", "classpath", "class.path", "OnError", "OnOutOfMemory", "@"]
                .iter()
                .any(|word| text.contains(word))
        })],
        "dotnet" => &[(&["global.json"], |text| text.contains("\"paths\""))],
        "composer" => &[(&["composer.json"], |text| {
            ["pre-command-run", "\"command\"", "allow-plugins", "\\u"].iter().any(|word| text.contains(word))
        })],
        // These load what they find even to tell their options.
        "pytest" | "py.test" => &[
            (&["conftest.py"], |_| true),
            (&["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"], |text| {
                text.contains("addopts") && text.contains("-p")
            }),
        ],
        "tox" => &[(&["toxfile.py"], |_| true)],
        "flask" => &[(&["app.py", "wsgi.py", ".flaskenv", ".env"], |_| true)],
        "rails" => &[(&["bin/rails", "script/rails"], |_| true)],
        "scrapy" => &[(&["scrapy.cfg"], |_| true)],
        "scons" => &[(&["SConstruct", "Sconstruct", "sconstruct"], |_| true)],
        "thor" => &[(&["Thorfile"], |_| true)],
        "locust" => &[(&["locustfile.py"], |_| true)],
        "grunt" => &[(&["Gruntfile.js", "Gruntfile.coffee"], |_| true)],
        "gulp" => &[(&["gulpfile.js", "gulpfile.ts", "gulpfile.mjs"], |_| true)],
        "hardhat" => &[(&["hardhat.config.js", "hardhat.config.ts"], |_| true)],
        "serverless" | "sls" => &[(&["serverless.yml", "serverless.js"], |_| true)],
        // Settings that name a file of code or hold some.
        "mypy" | "dmypy" => &[(&["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"], |text| {
            text.lines().any(|line| line.contains("plugins") && line.contains(".py"))
        })],
        "pylint" => &[(&["pylintrc", ".pylintrc", "pylintrc.toml", "pyproject.toml", "setup.cfg"], |text| {
            text.contains("init-hook") || text.contains("init_hook")
        })],
        "flake8" => &[(&[".flake8", "tox.ini", "setup.cfg"], |text| text.contains("local-plugins"))],
        _ => &[],
    }
}

/// What npm obeys in a project's own settings. At home they are the person's.
fn is_foreign_npm(line: &str) -> bool {
    let key = line.split('=').next().unwrap_or_default().trim().trim_matches('"').to_lowercase();
    key.contains(['\\', '$'])
        || matches!(
            key.as_str(),
            "git"
                | "cache"
                | "logs-dir"
                | "script-shell"
                | "shell"
                | "node-options"
                | "prefix"
                | "globalconfig"
                | "userconfig"
                | "viewer"
                | "editor"
                | "browser"
                | "init-module"
                | "onload-script"
                | "pnpmfile"
                | "global-pnpmfile"
        )
}

/// Refuses a tool that would run what a file around here names.
pub(in crate::permission) fn check(program: &str, here: &Here<'_>, place: &Place<'_>) -> Result<(), String> {
    let npm: &[Files] = &[(&[".npmrc"], |text| text.lines().any(is_foreign_npm))];
    let managed = matches!(program, "npm" | "npx" | "pnpm" | "pnpx");
    let files = files(program);
    if files.is_empty() && !managed {
        return Ok(());
    }
    let Some(folder) = here.folder else { return Err(format!("the folder of `{program}` is not known")) };
    let mut folder = folder.trim_end_matches('/');
    loop {
        let own = relative(folder, place.root()).is_some() && managed;
        let found = files
            .iter()
            .chain(npm.iter().filter(|_| own))
            .flat_map(|(names, is_code)| names.iter().map(move |name| (name, is_code)));
        for (name, is_code) in found {
            let bad = match place.context.world.text(&format!("{folder}/{name}")) {
                FileText::Missing => false,
                FileText::Text(text) => is_code(&text),
                FileText::Unknown => true,
            };
            if bad {
                return Err(format!("`{folder}/{name}` changes what `{program}` runs"));
            }
        }
        match folder.rfind('/') {
            Some(at) => folder = &folder[..at],
            None => return Ok(()),
        }
    }
}
