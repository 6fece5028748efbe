//! Built-in rules about programs: pushing, tests, deployments, other AIs.

use super::private::is_own;
use crate::command::SimpleCommand;
use crate::command::risk::rows::operands;
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Fallback};
use crate::permission::matching::Match;

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
pub(super) fn effective(command: &SimpleCommand) -> (String, Vec<String>) {
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
        ["hooks" | "mcp", rest @ ..] => {
            Match::when(rest.iter().any(|word| matches!(*word, "install" | "uninstall")))
        }
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
pub(super) fn statements(fact: &Fact) -> impl Iterator<Item = String> {
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
