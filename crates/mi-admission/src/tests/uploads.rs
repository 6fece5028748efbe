//! F.3 in the dresses that hide it from a look at the program's name, and ordinary work that only looks like it.

use super::*;

/// The good request with another command.
fn with(command: Value) -> String {
    let mut request = good();
    request["command"] = command;
    request.to_string()
}

fn is_denied(script: &str) -> bool {
    let request = with(json!(["/bin/bash", "-c", script]));
    verdict(&request).denials().iter().any(|denial| denial.rule == "F.upload")
}

/// A script that another command prints is read like one that is written down.
#[test]
fn f_03_a_06_printed_scripts_are_read() {
    let scripts = [
        "bash <(echo git push)",
        "sh <(echo 'git push')",
        "source <(echo git push)",
        ". <(echo \"git push\")",
        "bash <(printf 'git push\\n')",
        "bash <(printf '%s %s\\n' git push)",
        "bash <(cat <<'E'\ngit push\nE\n)",
        "bash < <(echo git push)",
        "bash <<< \"git push\"",
        "sh -s <<'E'\nset -e\ngit push\nE",
        "bash -c \"$(echo git push)\"",
        "bash -c \"`echo git push`\"",
        "sh -c \"$(cat <<'E'\ngit push\nE\n)\"",
        "eval \"git push\"",
        "eval \"$(echo git push)\"",
        "$(echo git push)",
        "echo git push | sh",
        "printf 'git %s' push | sh",
        "cat <<'E' | bash -x\ngit push\nE",
        "echo -e '\\x67it push' | sh",
        "printf '\\147it push' | sh",
        "echo Z2l0IHB1c2g= | base64 -d | sh",
        "base64 --decode <<< Z2l0IHB1c2g= | bash",
        "eval \"$(echo Z2l0IHB1c2g= | base64 -d)\"",
        "bash <(echo Z2l0IHB1c2g= | base64 -d)",
        "echo 'hsup tig' | rev | sh",
        "echo push | xargs git",
        "echo push | xargs -I{} git {}",
        "echo push | xargs -I% git %",
        "echo 'git push' | xargs -I{} sh -c '{}'",
        "xargs -a names git push",
        "env -S 'git push'",
        "env --split-string='git push'",
        "vim -c '!git push' -c q",
        "printf 'push\\0' | xargs -0 git",
        "printf 'all:\\n\\tgit push\\n' | make -f -",
        "echo 'git push' > x.sh; sh x.sh",
        "cat > x.sh <<'E'\ngit push\nE\nbash ./x.sh",
        "echo git push > x; . ./x",
        "printf '#!/bin/sh\\ngit push\\n' > x; chmod +x x; ./x",
        "git${IFS}push",
        "/usr/bin/gi? push",
        "/usr/bin/g[i]t push",
        "/*/bin/sc* a h:b",
        "zsh -c '=git push'",
        "/usr/bin/*g*i*t*?*?* push",
    ];
    assert_eq!(scripts.into_iter().filter(|script| !is_denied(script)).collect::<Vec<_>>(), [""; 0]);
}

/// What is too long or nested too deep to be understood is searched word by word: it fails closed.
#[test]
fn f_03_a_06_long_and_deep_scripts_hide_nothing() {
    for script in [
        format!("{}git push", "true;".repeat(4000)),
        format!("{}git push", "true\n".repeat(4000)),
        format!("{}git push", "eval ".repeat(30)),
        format!("{}git push", "env ".repeat(500)),
        format!("{}scp a h:b{}", "(".repeat(300), ")".repeat(300)),
    ] {
        assert!(is_denied(&script), "{}", &script[script.len() - 20..]);
    }
    assert!(!is_denied(&"make test;".repeat(2000)));
    assert!(!is_denied(&format!("{}make", "env ".repeat(500))));
}

/// One-liners in other languages that start an upload or send something themselves.
#[test]
fn f_03_a_06_other_languages_are_read() {
    let scripts = [
        "python3 -c 'import os; os.system(\"git push\")'",
        "python3 -c 'import subprocess; subprocess.run([\"git\", \"push\"])'",
        "perl -e 'system \"git push\"'",
        "ruby -e '`git push`'",
        "node -e 'require(\"child_process\").execSync(\"git push\")'",
        "node -e 'require(\"child_process\").spawn(\"git\", [\"push\"])'",
        "python3 -c 'import requests; requests.post(\"http://h\", data=open(\"f\", \"rb\"))'",
        "python3 -c 'import urllib.request as u; u.urlopen(u.Request(\"http://h\", data=b\"x\", method=\"PUT\"))'",
        "python3 -c 'import ftplib; ftplib.FTP(\"h\").storbinary(\"STOR f\", open(\"f\", \"rb\"))'",
        "python3 <<'E'\nimport requests\nrequests.put('http://h')\nE",
        "echo 'import requests; requests.post(\"http://h\")' | python3",
        "perl -MHTTP::Tiny -e 'HTTP::Tiny->new->put(\"http://h\")'",
        "ruby -rnet/http -e 'Net::HTTP.post(URI(\"http://h\"), \"x\")'",
        "node -e 'fetch(\"http://h\", {method: \"POST\", body: \"x\"})'",
        "perl -e 'exec qw(git push)'",
        "ruby -e 'exec(*%w(git push))'",
        "php -r 'curl_setopt($c, CURLOPT_POST, 1);'",
    ];
    assert_eq!(scripts.into_iter().filter(|script| !is_denied(script)).collect::<Vec<_>>(), [""; 0]);
}

/// Builds, tests and checks of ten languages, and words about uploads, are admitted.
#[test]
fn f_03_ordinary_work_is_admitted() {
    let scripts = [
        "cargo build --release --offline",
        "cargo test --workspace -- --test-threads=1",
        "cargo clippy --all-targets -- -D warnings && cargo fmt --check",
        "cargo test publish_is_refused",
        "RUSTFLAGS='-D warnings' cargo doc --no-deps",
        "cd /workspace/data && cp -r /workspace/input/. . && cargo build",
        "go build ./... && go vet ./...",
        "go test -race -count=1 ./pkg/upload/...",
        "CGO_ENABLED=0 go build -o /workspace/output/app ./cmd/app",
        "gofmt -l . | tee fmt.txt",
        "python3 -m pytest -q tests/test_upload.py",
        "python3 -m unittest discover -s tests",
        "python3 -m venv .venv && . .venv/bin/activate && pip install --no-index -r requirements.txt",
        "source .venv/bin/activate && pytest",
        "ruff check . && black --check . && mypy src",
        "python3 -c 'import sys; print(sys.version)'",
        "python3 -c 'import requests; print(requests.__version__)'",
        "python3 setup.py sdist bdist_wheel",
        "uv run --offline pytest",
        "npm ci --offline && npm test",
        "npm run build -- --mode production",
        "pnpm test && pnpm build",
        "yarn install --frozen-lockfile --offline && yarn test",
        "npx tsc --noEmit && npx eslint src",
        "node -e 'console.log(process.version)'",
        "node --test test/post.test.js",
        "NODE_ENV=test npx jest --runInBand upload",
        "mvn -o -q test",
        "mvn -B -o package -DskipTests",
        "./gradlew --offline build",
        "gradle --offline publishToMavenLocal",
        "javac -d out $(find src -name '*.java') && java -cp out Main",
        "cmake -S . -B build && cmake --build build -j4 && ctest --test-dir build",
        "make -j$(nproc) && make check",
        "gcc -O2 -Wall -o app main.c && ./app --push 3",
        "g++ -std=c++20 -o t t.cc && ./t",
        "meson setup build && ninja -C build test",
        "bundle exec rspec && bundle exec rubocop",
        "ruby -Ilib -e 'require \"post\"; puts Post.new.title'",
        "rake test",
        "composer install --no-dev && vendor/bin/phpunit",
        "php -r 'echo PHP_VERSION;'",
        "dotnet build -c Release && dotnet test --no-build",
        "swift build && swift test",
        "mix deps.get --only test && mix test",
        "stack test --fast && cabal build",
        "sbt compile test",
        "perl -ne 'print if /push/' log.txt",
        "perl Makefile.PL && make test",
        "shellcheck *.sh && bats tests",
        "git log --oneline | head -5; git diff --stat",
        "git status && git stash push -m wip && git stash pop",
        "echo 'now run: git push' >> NOTES.md",
        "grep -rn 'curl -T' docs || true",
        "cat > deploy.sh <<'E'\n#!/bin/sh\ngit push\nE\nchmod +x deploy.sh",
        "find . -name '*.py' -print0 | xargs -0 python3 -m py_compile",
        "find . -name '*.sh' | xargs -n1 bash -n",
        "git ls-files | xargs wc -l | sort -n | tail",
        "echo src/a.rs src/b.rs | xargs rustfmt --check",
        "tar czf /workspace/output/app.tar.gz dist && sha256sum dist/* > /workspace/output/SUMS",
        "for f in tests/*.sh; do bash \"$f\" || exit 1; done",
        "bash scripts/test.sh && sh -eu ./ci/build.sh",
        "eval \"$(direnv export bash)\" && make",
        "source <(echo 'export A=1'); make test",
        "echo 'select 1;' | sqlite3 test.db",
        "note=$(echo 'git push comes later'); test -n \"$note\" && make",
        "log \"$(printf 'git push %s' x)\"",
        "$(which python3) -m pytest \"$(echo tests)\"",
        "printf 'y\\n' | ./configure && make",
        "python3 - <<'E'\nimport json\nprint(json.dumps({'post': 1}))\nE",
        "python3 -m http.server 8000 & sleep 1; python3 -c 'import urllib.request as u; u.urlopen(\"http://127.0.0.1:8000\")'",
        "python3 -c 'import requests; requests.post(\"http://localhost:8000/items\", json={})'",
        "nc -z localhost 5432",
        // Looking whether there is a network is no upload; that there is none is for the box to show.
        "echo x | nc -w 2 192.0.2.1 22",
        "bash -c 'echo x > /dev/tcp/192.0.2.1/80'",
        "timeout 60 npm test 2>&1 | tee /workspace/output/test.log",
        "rsync -a --delete input/ data/",
        "./target/debug/app-* push",
        "./tests/run_* && [ -f out ]",
    ];
    let refused: Vec<String> = scripts
        .into_iter()
        .map(|script| with(json!(["/bin/bash", "-c", script])))
        .filter(|request| !verdict(request).is_admitted())
        .map(|request| format!("{:?}", verdict(&request)))
        .collect();
    assert_eq!(refused, Vec::<String>::new());
}

/// X2: what the flags put in place of a request's own is what is judged; a request that is not whole stays so.
#[test]
fn x_02_a_replaced_command_is_judged_instead_of_its_own() {
    let ask = |request: &str, command: &[&str], task: Option<&str>| {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let instead = Instead { command: &command, image: None, task_id: task };
        let verdict = admit_with(request.as_bytes(), &instead, &builtin(), &Exceptions::none(), now());
        let rules: Vec<String> = verdict.denials().iter().map(|denial| denial.rule.clone()).collect();
        rules
    };
    let bad = with(json!(["git", "push"]));
    assert_eq!(ask(&bad, &["make"], None), [""; 0]);
    assert_eq!(ask(&bad, &[], None), ["F.upload"]);
    assert_eq!(ask(&with(json!("make")), &["make"], None), [""; 0]);
    assert_eq!(ask(&good().to_string(), &["git", "push"], None), ["F.upload"]);
    let mut request = good();
    assert_eq!(ask(&request.to_string(), &[], Some("x")), ["A.task_id"]);
    request["task_id"] = json!("x");
    assert_eq!(ask(&request.to_string(), &[], Some("MI-EXEC-001")), [""; 0]);
    let mut request = good();
    request.as_object_mut().unwrap().remove("command");
    assert!(ask(&request.to_string(), &["make"], None).iter().any(|rule| rule.starts_with("A.")));
}
