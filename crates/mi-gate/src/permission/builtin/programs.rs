//! Built-in rules about programs: pushing, production, tests, deployments, other AIs.

use super::files::is_own;
use crate::command::SimpleCommand;
use crate::command::risk::rows::operands;
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Fallback};
use crate::permission::matching::{self, Match};
use crate::permission::rules::{Matcher, Words};

/// Program, first operands.
type Row = (&'static [&'static str], &'static [&'static str]);

fn is_one(fact: &Fact, rows: &[Row]) -> Match {
    let Some(command) = &fact.command else { return Match::No };
    if matches!(fact.fallback, Fallback::Allow { .. }) {
        return Match::No;
    }
    let (program, operands) = effective(command);
    let hit = rows.iter().any(|(programs, subs)| {
        programs.contains(&program.as_str())
            && (subs.is_empty() || subs.iter().any(|sub| starts(&operands, sub)))
    });
    Match::when(hit)
}

/// `python -m x` and `npx x` are `x`.
fn effective(command: &SimpleCommand) -> (String, Vec<String>) {
    let texts: Vec<&str> = command.arg_texts().collect();
    let program = command.program.strip_suffix(".exe").unwrap_or(&command.program);
    let (program, texts) = match (program, texts.as_slice()) {
        ("python" | "python3", ["-m", module, rest @ ..]) => (*module, rest.to_vec()),
        ("npx" | "bunx" | "uvx", [tool, rest @ ..]) => (*tool, rest.to_vec()),
        ("bundle" | "poetry" | "pnpm" | "yarn", ["exec" | "run" | "dlx", tool, rest @ ..])
            if !tool.starts_with("test") =>
        {
            (*tool, rest.to_vec())
        }
        _ => (program, texts),
    };
    let operands = operands(program, &texts).into_iter().map(str::to_owned).collect();
    (program.to_owned(), operands)
}

fn starts(operands: &[String], sub: &str) -> bool {
    sub.split(' ').enumerate().all(|(at, word)| operands.get(at).is_some_and(|have| have == word))
}

fn git_push() -> Matcher {
    Matcher {
        command: Some(Words::One("git".to_owned())),
        args: vec!["push".to_owned()],
        ..Matcher::default()
    }
}

pub(super) fn force_push_main(fact: &Fact, place: &Place<'_>) -> Match {
    if fact.command.as_ref().is_none_or(|command| command.program != "git") {
        return Match::No;
    }
    let branch = vec!["main".to_owned(), "master".to_owned()];
    let flags = [
        "--force",
        "-f",
        "--force-with-lease",
        "--force-if-includes",
        "--mirror",
        "--delete",
        "-d",
        "--prune",
    ];
    let forced = Matcher { flags: flags.map(str::to_owned).to_vec(), branch: branch.clone(), ..git_push() };
    let removed = fact.command.as_ref().is_some_and(|command| {
        command.arg_texts().any(|text| {
            branch.iter().any(|name| text == format!(":{name}") || text == format!(":refs/heads/{name}"))
        })
    });
    let removes = if removed { matching::fits(&git_push(), fact, place) } else { Match::No };
    matching::fits(&forced, fact, place).max(removes)
}

pub(super) fn push(fact: &Fact, _: &Place<'_>) -> Match {
    is_one(
        fact,
        &[
            (&["git"], &["push", "send-email", "svn dcommit"]),
            (&["gh"], &["pr create", "pr merge", "release create", "repo create", "gist create"]),
            (&["hg", "jj"], &["push", "git push"]),
        ],
    )
}

pub(super) fn commit(fact: &Fact, _: &Place<'_>) -> Match {
    is_one(
        fact,
        &[(&["git", "hg", "jj"], &["commit", "commit-tree", "merge", "cherry-pick", "revert", "am"])],
    )
}

pub(super) fn tests(fact: &Fact, _: &Place<'_>) -> Match {
    is_one(
        fact,
        &[
            (&["cargo"], &["test", "nextest", "bench", "t"]),
            (&["npm", "pnpm", "yarn", "bun"], &["test", "t", "run test", "run-script test"]),
            (
                &[
                    "pytest",
                    "py.test",
                    "tox",
                    "nox",
                    "unittest",
                    "jest",
                    "vitest",
                    "mocha",
                    "rspec",
                    "phpunit",
                    "ctest",
                    "bats",
                    "ava",
                    "karma",
                    "playwright",
                    "cypress",
                ],
                &[],
            ),
            (
                &[
                    "go", "dotnet", "mix", "swift", "flutter", "dart", "deno", "bazel", "rake", "rails",
                    "zig", "mvn", "mvnw", "gradle", "gradlew", "sbt", "lein", "stack", "cabal",
                ],
                &["test"],
            ),
            (&["make", "just", "task", "ninja"], &["test", "tests", "check"]),
        ],
    )
}

pub(super) fn external_ai(fact: &Fact, _: &Place<'_>) -> Match {
    is_one(
        fact,
        &[
            (&["mi"], &["consult"]),
            (
                &[
                    "codex",
                    "claude",
                    "gemini",
                    "opencode",
                    "aider",
                    "llm",
                    "goose",
                    "amp",
                    "cursor-agent",
                    "copilot",
                    "qwen",
                    "chatgpt",
                    "sgpt",
                ],
                &[],
            ),
        ],
    )
}

pub(super) fn human_only(fact: &Fact, _: &Place<'_>) -> Match {
    let Some(command) = fact.command.as_ref().filter(|command| command.program == "mi") else {
        return Match::No;
    };
    let words = own_words(command);
    match words.as_slice() {
        ["permit" | "ack" | "install" | "uninstall", ..] => Match::Yes,
        // It speaks for the harness: whoever calls it could speak for the person.
        ["hook", ..] => Match::Yes,
        ["hooks", rest @ ..] => Match::when(rest.iter().any(|word| matches!(*word, "install" | "uninstall"))),
        ["deploy", rest @ ..] => Match::when(rest.iter().any(|word| matches!(*word, "record" | "rollback"))),
        // What is not known may be one of them.
        _ => Match::perhaps_when(command.args.iter().any(|word| !word.exact)),
    }
}

/// `mi boot --member bob`, `mi persona private show n.md --as bob`: reads the memory of the member whom it names.
pub(super) fn reads_as_another(fact: &Fact, place: &Place<'_>) -> Match {
    let Some(command) = fact.command.as_ref().filter(|command| command.program == "mi") else {
        return Match::No;
    };
    if !matches!(own_words(command).as_slice(), ["boot", ..] | ["persona", "private", ..]) {
        return Match::No;
    }
    let variables = command.assignments.iter().filter(|assignment| assignment.name == "MI_MEMBER");
    let named = variables.map(|assignment| (assignment.value.text.as_str(), assignment.value.exact));
    let options = command.args.iter().enumerate().filter_map(|(at, word)| match word.text.as_str() {
        "--member" | "--as" => command.args.get(at + 1).map(|next| (next.text.as_str(), next.exact)),
        text => {
            let value = text.strip_prefix("--member=").or_else(|| text.strip_prefix("--as="));
            value.map(|value| (value, word.exact))
        }
    });
    let is_anothers = |(member, exact): (&str, bool)| match exact {
        true => Match::when(!is_own(member, place)),
        false => Match::perhaps_when(true),
    };
    named.chain(options).map(is_anothers).max().unwrap_or(Match::No)
}

/// The words of `mi` itself: its command and what follows, without options before it, and a folder that stands first.
fn own_words(command: &SimpleCommand) -> Vec<&str> {
    let mut words = Vec::new();
    let mut texts = command.arg_texts();
    while let Some(text) = texts.next() {
        match text {
            "--home" | "--cd" if words.is_empty() => drop(texts.next()),
            text if text.starts_with('-') && text != "-" => {}
            text if words.is_empty() && (text.starts_with('/') || text.starts_with('.')) => {}
            text => words.push(text),
        }
    }
    words
}

pub(super) fn schema(fact: &Fact, _: &Place<'_>) -> Match {
    let rows = is_one(
        fact,
        &[
            (
                &["rails", "rake"],
                &["db:migrate", "db:schema:load", "db:rollback", "db:reset", "db:drop", "db:setup"],
            ),
            (&["alembic"], &["upgrade", "downgrade"]),
            (&["prisma"], &["migrate", "db push"]),
            (&["flyway", "liquibase", "dbmate", "sqitch", "goose"], &[]),
            (&["diesel", "sqlx"], &["migration", "migrate", "database"]),
            (
                &["knex", "sequelize", "typeorm", "drizzle-kit"],
                &["migrate:latest", "db:migrate", "migration:run", "push"],
            ),
        ],
    );
    rows.max(Match::when(
        statements(fact).any(|text| ["ALTER ", "CREATE ", "DROP "].iter().any(|word| text.contains(word))),
    ))
}

/// What is handed to a database, in capitals.
fn statements(fact: &Fact) -> impl Iterator<Item = String> {
    let bodies = fact.command.iter().flat_map(|command| &command.bodies);
    bodies.filter(|body| body.language == "sql").map(|body| body.text.to_uppercase())
}

pub(super) fn deploy(fact: &Fact, _: &Place<'_>) -> Match {
    is_one(
        fact,
        &[
            (
                &["kubectl", "oc"],
                &[
                    "apply",
                    "create",
                    "replace",
                    "patch",
                    "delete",
                    "scale",
                    "rollout restart",
                    "rollout undo",
                    "set",
                    "edit",
                    "drain",
                ],
            ),
            (&["helm"], &["install", "upgrade", "uninstall", "rollback"]),
            (&["terraform", "tofu", "pulumi"], &["apply", "destroy", "up", "import"]),
            (
                &[
                    "fly",
                    "flyctl",
                    "vercel",
                    "netlify",
                    "heroku",
                    "railway",
                    "wrangler",
                    "firebase",
                    "serverless",
                    "sls",
                    "eb",
                    "cap",
                    "ansible-playbook",
                    "kamal",
                    "nomad",
                    "cdk",
                    "sam",
                ],
                &[],
            ),
            (&["gcloud"], &["app deploy", "run deploy", "functions deploy"]),
            (&["docker", "podman"], &["push", "stack deploy", "service update"]),
            (&["npm", "pnpm", "yarn", "cargo", "poetry", "twine", "gem"], &["publish", "upload", "push"]),
        ],
    )
}

/// `prod`, `production` or `live` as a word of its own.
fn names_production(text: &str) -> bool {
    text.split(|char: char| !char.is_ascii_alphanumeric())
        .any(|word| matches!(word.to_ascii_lowercase().as_str(), "prod" | "production" | "prd" | "live"))
}

fn all_texts(command: &SimpleCommand) -> Vec<&str> {
    let values = command
        .assignments
        .iter()
        .flat_map(|assignment| [assignment.name.as_str(), assignment.value.text.as_str()]);
    command.arg_texts().chain(values).collect()
}

pub(super) fn production_data(fact: &Fact, _: &Place<'_>) -> Match {
    let Some(command) = &fact.command else { return Match::No };
    if !all_texts(command).into_iter().any(names_production) {
        return Match::No;
    }
    let (program, operands) = effective(command);
    let has =
        |words: &[&str]| command.arg_texts().any(|text| words.contains(&text.to_ascii_lowercase().as_str()));
    let sql = statements(fact).any(|text| {
        [
            "DROP ",
            "TRUNCATE",
            "DELETE FROM",
            "DROPDATABASE",
            "DELETEMANY",
            "FLUSHALL",
            "FLUSHDB",
            ".DROP(",
            "REMOVE(",
        ]
        .iter()
        .any(|word| text.contains(word))
    });
    let tool = match program.as_str() {
        "dropdb" | "mysqladmin" => true,
        "aws" | "gsutil" | "gcloud" | "az" | "s3cmd" | "rclone" | "mc" => has(&[
            "rm",
            "rb",
            "delete",
            "remove",
            "purge",
            "delete-table",
            "delete-bucket",
            "delete-object",
            "delete-db-instance",
            "terminate-instances",
            "del",
        ]),
        "kubectl" | "oc" | "helm" => has(&["delete", "uninstall", "drain"]),
        "terraform" | "tofu" | "pulumi" => has(&["destroy"]),
        "redis-cli" => has(&["flushall", "flushdb", "del", "unlink"]),
        "rails" | "rake" => operands.iter().any(|word| {
            word.starts_with("db:drop") || word.starts_with("db:reset") || word.starts_with("db:purge")
        }),
        "heroku" => has(&["pg:reset", "apps:destroy"]),
        "rm" | "shred" | "unlink" => {
            fact.target.contains("data") || fact.target.contains("/db") || fact.target.contains("backup")
        }
        _ => false,
    };
    Match::when(sql || tool)
}

pub(super) fn production_host(fact: &Fact, _: &Place<'_>) -> Match {
    let Some(command) = &fact.command else { return Match::No };
    let production = || all_texts(command).into_iter().any(names_production);
    let runs_there = match command.program.as_str() {
        "ssh" | "mosh" | "autossh" => {
            let host = command.arg_texts().find(|text| !text.starts_with('-'));
            host.is_some_and(names_production) || production()
        }
        "kubectl" | "oc" => {
            command.arg_texts().any(|text| matches!(text, "exec" | "attach" | "debug" | "cp" | "run"))
                && production()
        }
        "docker" | "podman" => {
            command.arg_texts().any(|text| matches!(text, "exec" | "run"))
                && command.arg_texts().any(|text| matches!(text, "-H" | "--host" | "--context" | "-c"))
                && production()
        }
        "ansible" | "ansible-playbook" | "fab" | "salt" | "pdsh" => production(),
        "heroku" => command.arg_texts().any(|text| text.starts_with("run")) && production(),
        "aws" => {
            command
                .arg_texts()
                .any(|text| matches!(text, "send-command" | "start-session" | "execute-command"))
                && production()
        }
        "gcloud" => command.arg_texts().any(|text| text == "ssh") && production(),
        _ => false,
    };
    Match::when(runs_there)
}
