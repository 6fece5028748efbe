//! What brings foreign code onto the machine or into the project.

use mi_model::RiskCategory::Install;
use mi_model::Severity::{High, Low, Medium};

use super::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        &["apt", "apt-get", "aptitude", "yum", "dnf", "zypper", "microdnf", "tdnf", "pkg", "slackpkg"],
        &[
            "install",
            "upgrade",
            "dist-upgrade",
            "full-upgrade",
            "update",
            "reinstall",
            "localinstall",
            "groupinstall",
            "build-dep",
            "add",
        ],
        Install,
        Medium,
        "installs system packages",
    )
    .examples(
        &["apt-get install -y jq", "sudo apt install jq", "apt-get -o X=1 update", "dnf install x"],
        &["apt list --installed", "apt-cache policy jq"],
    ),
    row(
        &["apt", "apt-get", "yum", "dnf", "zypper", "aptitude", "brew"],
        &["remove", "purge", "autoremove", "erase", "uninstall"],
        Install,
        High,
        "removes system packages",
    )
    .local()
    .examples(&["apt-get purge -y git", "brew uninstall x"], &["apt list"]),
    row(&["apk"], &["add", "upgrade", "del"], Install, Medium, "installs system packages")
        .examples(&["apk add --no-cache git"], &["apk info"]),
    row(&["pacman", "yay", "paru"], &[], Install, Medium, "installs system packages")
        .flags(&["-S", "-U", "-R", "--sync"])
        .examples(&["pacman -S jq", "pacman -Syu"], &["pacman -Q jq"]),
    row(
        &["brew"],
        &["install", "upgrade", "update", "reinstall", "tap", "bundle", "cask install"],
        Install,
        Medium,
        "installs system packages",
    )
    .examples(&["brew install jq"], &["brew list"]),
    row(
        &[
            "snap",
            "flatpak",
            "nix-env",
            "nix",
            "guix",
            "port",
            "choco",
            "winget",
            "scoop",
            "mas",
            "asdf",
            "mise",
            "sdk",
            "conda",
            "mamba",
            "micromamba",
            "rustup",
            "nvm",
            "fnm",
            "volta",
            "pyenv",
            "rbenv",
            "opam",
            "ghcup",
            "juliaup",
        ],
        &[
            "install",
            "profile install",
            "upgrade",
            "update",
            "toolchain install",
            "component add",
            "target add",
            "create",
            "use",
            "default",
            "plugin add",
            "env create",
            "plugin install",
        ],
        Install,
        Medium,
        "installs tools",
    )
    .examples(
        &[
            "snap install x",
            "conda install numpy",
            "rustup toolchain install nightly",
            "nix profile install x",
        ],
        &["rustup show", "conda list", "nix build"],
    ),
    row(&["nix-env"], &[], Install, Medium, "installs tools")
        .flags(&["-i", "-iA"])
        .examples(&["nix-env -iA nixpkgs.jq"], &["nix-env -q"]),
    row(&["dpkg", "rpm", "installer"], &[], Install, High, "installs a package file")
        .flags(&["-i", "--install", "-U", "-ivh", "-Uvh", "-pkg"])
        .examples(&["dpkg -i x.deb", "rpm -ivh x.rpm"], &["dpkg -l", "rpm -qa"]),
    row(
        &["npm"],
        &[
            "install",
            "i",
            "ci",
            "add",
            "update",
            "up",
            "upgrade",
            "link",
            "isntall",
            "in",
            "clean-install",
            "install-test",
            "it",
            "rebuild",
            "dedupe",
        ],
        Install,
        Medium,
        "installs packages and may run their scripts",
    )
    .examples(
        &["npm i", "npm ci", "npm --prefix web install", "npm   install left-pad"],
        &["npm test", "npm run build", "npm ls"],
    ),
    row(
        &["pnpm", "yarn", "bun"],
        &["install", "i", "add", "up", "update", "upgrade", "import", "link"],
        Install,
        Medium,
        "installs packages and may run their scripts",
    )
    .examples(
        &["pnpm i", "yarn add x", "bun add y"],
        &["pnpm test", "yarn test", "bun test", "yarn run add"],
    ),
    row(&["npm", "pnpm", "yarn"], &[], Install, Medium, "installs packages for the whole account")
        .flags(&["-g", "--global"])
        .without(&["ls", "list", "root", "bin", "config", "prefix"])
        .examples(&["npm i -g x", "npm install --global x"], &["npm ls -g", "npm root -g"]),
    row(&["npx", "bunx", "uvx"], &[], Install, Low, "may download and run a package")
        .flags(&["-y", "--yes", "-p", "--package", "--from"])
        .examples(&["npx -y create-app x", "npx --yes cowsay"], &["npx tsc --noEmit"]),
    row(
        &["npm", "yarn", "pnpm", "bun"],
        &["create", "init", "dlx", "x"],
        Install,
        Low,
        "downloads and runs a package",
    )
    .without(&["-y"])
    .examples(&["npm create vite", "pnpm dlx x"], &["npm init -y"]),
    row(&["pip"], &["install", "uninstall", "sync"], Install, Medium, "installs packages").examples(
        &[
            "pip install requests",
            "pip3 install -r requirements.txt",
            "python3 -m pip install -U pip",
            "pip3.11 install x",
        ],
        &["pip list", "pip show x", "python -m pytest"],
    ),
    row(
        &[
            "pipx",
            "poetry",
            "pdm",
            "pipenv",
            "rye",
            "hatch",
            "pixi",
            "easy_install",
            "conan",
            "vcpkg",
            "spack",
        ],
        &["install", "add", "update", "inject", "upgrade", "sync", "lock", "self update"],
        Install,
        Medium,
        "installs packages",
    )
    .examples(
        &["pipx install x", "poetry add x", "poetry install", "pipenv sync"],
        &["poetry run pytest", "poetry show"],
    ),
    row(
        &["uv"],
        &[
            "add",
            "sync",
            "pip install",
            "tool install",
            "python install",
            "pip sync",
            "lock",
            "self update",
            "tool run",
        ],
        Install,
        Medium,
        "installs packages",
    )
    .examples(&["uv add x", "uv pip install x", "uv sync"], &["uv run pytest", "uv pip list"]),
    row(
        &["cargo"],
        &["add", "install", "binstall", "remove", "uninstall", "upgrade"],
        Install,
        Medium,
        "adds or installs crates",
    )
    .without(&["--list"])
    .examples(
        &["cargo add serde", "cargo +nightly install x", "cargo install --path ."],
        &["cargo test", "cargo install --list"],
    ),
    row(&["go"], &["get", "install"], Install, Medium, "adds or installs modules")
        .examples(&["go get x@latest", "go install golang.org/x/y@latest"], &["go test ./...", "go build"]),
    row(
        &[
            "gem",
            "bundle",
            "bundler",
            "composer",
            "luarocks",
            "cpan",
            "cpanm",
            "mix",
            "cabal",
            "stack",
            "dotnet",
            "nuget",
            "pod",
            "carthage",
            "swift",
            "raco",
            "hex",
            "shards",
            "dart",
            "flutter",
            "helm",
            "krew",
            "code",
            "ansible-galaxy",
            "vagrant",
            "tfenv",
            "jill",
            "deno",
        ],
        &[
            "install",
            "update",
            "add",
            "require",
            "deps.get",
            "tool install",
            "add package",
            "pub get",
            "pub add",
            "package update",
            "local.hex",
            "plugin install",
            "global require",
            "collection install",
            "role install",
            "restore",
        ],
        Install,
        Medium,
        "installs packages",
    )
    .without(&["upgrade"])
    .examples(
        &[
            "gem install x",
            "bundle install",
            "composer require x/y",
            "mix deps.get",
            "dotnet add package x",
            "flutter pub get",
        ],
        &["bundle exec rspec", "mix test", "dotnet test"],
    ),
    row(&["code", "cursor", "codium"], &[], Install, Medium, "installs an editor extension")
        .flags(&["--install-extension"])
        .examples(&["code --install-extension x.y"], &["code ."]),
    row(
        &["make", "gmake", "ninja", "cmake", "meson", "just", "rake"],
        &["install", "uninstall"],
        Install,
        Medium,
        "installs into the system",
    )
    .local()
    .examples(&["make install", "sudo make -C build install"], &["make", "make test"]),
    row(&["cmake"], &[], Install, Medium, "installs into the system")
        .flags(&["--install"])
        .local()
        .examples(&["cmake --install build"], &["cmake --build build"]),
    row(
        &["python", "python3", "setup.py"],
        &["setup.py install", "setup.py develop", "install"],
        Install,
        Medium,
        "installs into the system",
    )
    .local()
    .examples(&["python setup.py install", "python3 setup.py develop"], &["python setup.py build"]),
    row(&["docker", "podman"], &["plugin install", "load", "import"], Install, Medium, "brings in an image")
        .local()
        .examples(&["docker load -i x.tar"], &["docker images"]),
    row(&["pre-commit", "husky", "lefthook"], &["install"], Install, Low, "installs git hooks")
        .local()
        .examples(&["pre-commit install", "npx husky install"], &["pre-commit run -a"]),
    row(&["git"], &["lfs install"], Install, Low, "changes git's filters")
        .local()
        .examples(&["git lfs install"], &["git lfs ls-files"]),
];
