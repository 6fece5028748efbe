//! Whether a word looks like the name of a file (E12).

use std::{collections::HashSet, sync::LazyLock};

/// One token without spaces, brackets or quotes, with a slash, a known extension, or a well-known name.
pub(crate) fn is_name_like(token: &str) -> bool {
    is_token(token) && (token.contains(['/', '\\']) || has_known_extension(token) || is_well_known(token))
}

/// One token: no space, bracket or quote. Control characters may stand in it: they are refused later, with a reason.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && !text.contains([' ', '(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '“', '”', '‘', '’'])
}

/// `main.rs`, not `.rs`; what belongs to an object is code.
pub(crate) fn has_known_extension(token: &str) -> bool {
    let Some((stem, extension)) = token.rsplit_once('.') else { return false };
    let of_object = ["self.", "this.", "super."].iter().any(|object| token.starts_with(object));
    !stem.is_empty()
        && extension.len() <= 12
        && !of_object
        && KNOWN_EXTENSIONS.contains(extension.to_ascii_lowercase().as_str())
}

fn is_well_known(token: &str) -> bool {
    const FAMILIES: [&str; 5] = [".env.", "Dockerfile.", "Makefile.", "Containerfile.", "LICENSE-"];
    KNOWN_NAMES.contains(token)
        || FAMILIES.iter().any(|family| token.strip_prefix(family).is_some_and(|rest| !rest.is_empty()))
}

static KNOWN_EXTENSIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| EXTENSIONS.split(' ').collect());
static KNOWN_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| BARE_NAMES.split(' ').collect());

/// Left out: what is a method or an attribute more often than a file (`console.log`, `list.map`, `np.sum`).
const EXTENSIONS: &str = "\
    ada adb adoc ads agda asciidoc asm astro atom avsc awk bash bat bats bazel bib bicep bzl c cabal \
    cc cfg cjs clj cljc cljs cls cmake cmd coffee conf containerfile cpp cr cs csh cshtml csproj css \
    csv cts cu cuh cxx dart desktop diff dockerfile edn ejs el elm erb erl ex exs f f90 f95 fish fnl \
    frag fs fsi fsproj fsx gd gemspec geojson gleam glsl go gql gradle graphql groovy h haml hbs hcl \
    heex hh hjson hlsl hpp hrl hs htm html hxx ics idr ini ino ipynb iss j2 java jinja jinja2 jl js \
    json json5 jsonc jsonl jsonnet jsx just ksh kt kts lean less lisp lua m mak markdown md mdx mjs \
    mk ml mli mm mts mustache ndjson nim ninja nix njk nsi nu odin pas patch php pl plist pm po pot \
    prisma properties proto ps1 psd1 psm1 pug purs pxd pxi py pyi pyw pyx qml r rake rb rbs rego rkt \
    rmd ron rs rss rst s sass sbt scala scm scss sed service sh sln sol sql srt styl sv svelte svg \
    svh swift tcl tcsh templ tera tex tf tfvars thrift tmpl toml tpl ts tsv tsx ttl twig txt typ v vb \
    vbs vcf vert vhd vhdl vim vtt vue vy wast wat webmanifest wgsl xaml xhtml xml xsd xsl xslt yaml \
    yml zig zon zsh";

/// Files that have no extension, or one that is not known.
const BARE_NAMES: &str = "\
    .babelrc .bash_profile .bashrc .browserslistrc .clang-format .clang-tidy .coveragerc .dockerignore \
    .editorconfig .env .envrc .eslintignore .eslintrc .flake8 .gitattributes .gitignore .gitkeep \
    .gitmodules .helmignore .hgignore .htaccess .mailmap .node-version .npmignore .npmrc .nvmrc \
    .prettierignore .prettierrc .profile .pylintrc .python-version .rspec .ruby-version .stylelintrc \
    .tool-versions .vimrc .yarnrc .zshrc AUTHORS App.config BUILD Brewfile CHANGELOG CODEOWNERS \
    CONTRIBUTING CONTRIBUTORS COPYING Caddyfile Cargo.lock Containerfile Dockerfile Doxyfile Earthfile \
    Fastfile GNUmakefile Gemfile Gemfile.lock Guardfile INSTALL Jenkinsfile Justfile Kbuild Kconfig \
    LICENCE LICENSE Makefile NOTICE Pipfile Pipfile.lock Podfile Procfile README Rakefile SConscript \
    SConstruct Snakefile Taskfile Tiltfile VERSION Vagrantfile WORKSPACE composer.lock crontab \
    flake.lock go.mod go.sum go.work justfile makefile nuget.config poetry.lock uv.lock web.config \
    wscript yarn.lock";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_12_names_are_told_from_code() {
        for token in [
            "src/main.rs",
            "main.rs",
            "README.MD",
            "a\\b",
            "Makefile",
            "Dockerfile",
            "Dockerfile.dev",
            ".gitignore",
            ".env",
            ".env.example",
            "LICENSE",
            "go.mod",
            "Cargo.lock",
            "../x",
            "/etc/passwd",
            "con.txt",
            "a\u{202e}.py",
            "a\0.py",
            ".eslintrc.json",
            "日本/x",
        ] {
            assert!(is_name_like(token), "{token:?}");
        }
        for token in [
            "self.items",
            "v1.2.3",
            "cargo test",
            "console.log",
            "process.env",
            "add()",
            "Vec<u8>",
            "\"a.py\"",
            "'a.py'",
            "",
            ".rs",
            ".",
            "..",
            "x",
            "list.map",
            "self.c",
            "foo.rs bar",
            "a[0].rs",
            "1.5",
        ] {
            assert!(!is_name_like(token), "{token:?}");
        }
    }
}
