//! Built-in rules about production: its data are not deleted, and its hosts are not worked on, by a tool (D.19).

use super::programs::{effective, statements};
use crate::command::{RedirectKind, SimpleCommand};
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Fallback, Operation};
use crate::permission::matching::Match;
use crate::permission::paths::{Reach, Target, relative};

/// `prod`, `production`, `prd` or `live` as a word of its own, numbered or behind the name of something: `prod01`, `dbprod`.
fn names_production(text: &str) -> bool {
    let is_it = |word: &str| {
        let word = word.trim_end_matches(|sign: char| sign.is_ascii_digit()).to_ascii_lowercase();
        matches!(word.as_str(), "prod" | "production" | "prd" | "live")
            || word.ends_with("prod") && !matches!(word.as_str(), "nonprod" | "preprod" | "notprod")
    };
    let words = || text.split(|char: char| !char.is_ascii_alphanumeric());
    // `-hproduction`: a value that is glued to its letter.
    let glued = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    let pre = |text: &str| text.to_ascii_lowercase().contains("non-prod") || text.contains("pre-prod");
    !pre(text) && (words().any(is_it) || glued.is_some_and(|rest| rest.split('-').next().is_some_and(is_it)))
}

/// Its own words, the variables it is given, and what reaches it from elsewhere.
fn all_texts<'a>(fact: &'a Fact, command: &'a SimpleCommand) -> impl Iterator<Item = &'a str> {
    let values = command
        .assignments
        .iter()
        .flat_map(|assignment| [assignment.name.as_str(), assignment.value.text.as_str()]);
    command.arg_texts().chain(values).chain(fact.around.iter().map(String::as_str))
}

pub(super) fn data(fact: &Fact, place: &Place<'_>) -> Match {
    let Some(command) = &fact.command else { return of_another_server(fact) };
    if matches!(fact.fallback, Fallback::Allow { .. }) && fact.deletes.is_empty() && fact.writes.is_empty() {
        return Match::No;
    }
    let files = deletes_files(fact, command, place);
    let named = || all_texts(fact, command).any(names_production);
    Match::when(
        files || named() && (destroys(fact, command) || statements(fact).any(|text| is_destructive(&text))),
    )
}

/// A tool of another server that is given a statement.
fn of_another_server(fact: &Fact) -> Match {
    let guessed = matches!(fact.operation, Operation::Mcp | Operation::Unknown);
    let destructive = || fact.sends.iter().any(|text| is_destructive(&text.to_uppercase()));
    Match::when(guessed && fact.sends.iter().any(|text| names_production(text)) && destructive())
}

/// Words of statements that delete, in capitals.
fn is_destructive(statement: &str) -> bool {
    [
        "DROP ",
        "TRUNCATE",
        "DELETE FROM",
        "DROPDATABASE",
        "DELETEMANY",
        "DELETEONE",
        "FLUSHALL",
        "FLUSHDB",
        ".DROP(",
        "REMOVE(",
    ]
    .iter()
    .any(|word| statement.contains(word))
}

/// Files and folders with a name of production that hold data.
fn deletes_files(fact: &Fact, command: &SimpleCommand, place: &Place<'_>) -> bool {
    let program = command.program.as_str();
    let handed_over = || fact.around.iter().any(|word| is_data_path(word));
    match program {
        "rm" | "shred" | "unlink" | "rmdir" | "srm" | "wipe" => {
            fact.deletes.iter().any(|target| is_production_data(target, place)) || handed_over()
        }
        "truncate" | "dd" => {
            fact.writes.iter().any(|target| is_production_data(target, place)) || handed_over()
        }
        "find" | "fd" | "fdfind" => {
            let deletes = command.arg_texts().any(|text| text == "-delete");
            deletes && command.arg_texts().any(is_data_path)
        }
        // A redirect from nothing empties the file.
        "" | ":" | "true" => empties(command, command.arg_texts().count() == 0),
        "cat" | "cp" => empties(command, command.arg_texts().any(|text| text == "/dev/null")),
        "echo" | "printf" => {
            empties(command, command.arg_texts().all(|text| text.is_empty() || text == "-n"))
        }
        _ => false,
    }
}

fn empties(command: &SimpleCommand, from_nothing: bool) -> bool {
    let emptied = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Write);
    from_nothing && emptied.chain([]).any(|redirect| is_data_path(&redirect.target.text))
}

/// As the path was written, or where it leads; names above the project say nothing about what is in it.
fn is_production_data(target: &Target, place: &Place<'_>) -> bool {
    let real = match &target.reach {
        Reach::Exact(path) | Reach::Below(path) => relative(path, place.root()).is_none().then_some(path),
        Reach::Unknown => None,
    };
    is_data_path(&target.shown) || real.is_some_and(|path| is_data_path(path))
}

/// A path outside of the project, or with a sign of data in it: `build/production` and `config/production.rb` are not.
fn is_data_path(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "data",
        "db",
        "database",
        "databases",
        "backup",
        "backups",
        "pgdata",
        "storage",
        "uploads",
        "volumes",
        "dumps",
    ];
    const ENDS: &[&str] = &[
        "db", "sqlite", "sqlite3", "sql", "dump", "rdb", "mdb", "bak", "gz", "tar", "tgz", "zst", "csv",
        "parquet", "frm", "ibd",
    ];
    let is_folder = |name: &str| FOLDERS.contains(&name.to_ascii_lowercase().as_str());
    let end = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, end)| end.to_ascii_lowercase());
    let elsewhere = path.starts_with('/') && !path.starts_with("/tmp/");
    let is_data =
        path.split(['/', '-', '_']).any(is_folder) || end.is_some_and(|end| ENDS.contains(&end.as_str()));
    names_production(path) && (is_data || elsewhere)
}

/// Words that delete, as a subcommand or a part of one: `delete-table`, `pg:reset`, `firestore:delete`.
const VERBS: &[&str] = &[
    "delete",
    "del",
    "rm",
    "rb",
    "remove",
    "destroy",
    "drop",
    "purge",
    "flush",
    "flushall",
    "flushdb",
    "truncate",
    "reset",
    "wipe",
    "uninstall",
    "terminate",
    "drain",
    "unlink",
    "erase",
    "dropdb",
    "clean",
];

/// Programs whose words are names of files, packages, branches or sentences, and no places where data lie.
const NOT_SERVICES: &[&str] = &[
    "git", "hg", "jj", "hub", "npm", "pnpm", "yarn", "bun", "pip", "pip3", "cargo", "gem", "composer", "apt",
    "apt-get", "brew", "echo", "printf", "make", "go", "mi", "code", "grep", "rg", "find", "fd", "fdfind",
    "rm", "rmdir", "xargs", "sudo", "env", "bash", "sh", "sed", "cp", "mv", "claude", "codex", "gemini",
    "opencode", "bundle", "npx", "mvn", "gradle", "poetry", "uv",
];

/// Whether the program itself deletes what it is told.
fn destroys(fact: &Fact, command: &SimpleCommand) -> bool {
    let (program, _) = effective(command);
    let has = |wanted: &[&str]| command.arg_texts().any(|text| wanted.contains(&text));
    let runs_file = || {
        has(&["-f", "--file", "<"])
            || command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read)
    };
    match program.as_str() {
        "dropdb" => true,
        "gh" | "glab" => false,
        // The file is not known, and a client of a database only runs it to change something.
        "psql" | "mysql" | "mariadb" | "sqlcmd" | "sqlplus" if runs_file() => true,
        "psql" | "mysql" | "mariadb" | "sqlite3" | "clickhouse-client" | "clickhouse" | "influx"
        | "cqlsh" | "wrangler" | "mongosh" | "mongo" | "usql" | "snowsql" | "bq" | "sqlcmd" => {
            let piped = fact.before.iter().flat_map(SimpleCommand::arg_texts);
            let mut words = command.arg_texts().chain(piped).map(str::to_uppercase);
            words.any(|text| is_destructive(&text)) || program == "bq" && has(&["rm"])
        }
        "curl" | "wget" | "http" | "https" | "xh" => command
            .arg_texts()
            .any(|text| matches!(text, "DELETE" | "-XDELETE" | "--request=DELETE" | "--method=DELETE")),
        "docker" | "podman" | "docker-compose" | "nerdctl" => {
            has(&["rm", "prune", "rmi"]) || has(&["down"]) && has(&["-v", "--volumes"])
        }
        "terraform" | "tofu" | "pulumi" | "terragrunt" => has(&["destroy", "-destroy", "--destroy"]),
        "aws" | "gsutil" | "gcloud" | "az" | "rclone" | "rsync" | "s3cmd" | "mc"
            if has(&["--delete", "-d", "--del", "--delete-after"]) =>
        {
            true
        }
        program if NOT_SERVICES.contains(&program) => false,
        _ => command.arg_texts().any(has_verb),
    }
}

/// One word with a verb in it; sentences have none.
fn has_verb(text: &str) -> bool {
    let word = text.trim_start_matches('-');
    !word.contains([' ', '\n', '/', '.'])
        && word.split(['-', ':', '_', '=']).any(|part| VERBS.contains(&part.to_ascii_lowercase().as_str()))
}

pub(super) fn hosts(fact: &Fact, _: &Place<'_>) -> Match {
    let Some(command) = &fact.command else { return Match::No };
    let production = || all_texts(fact, command).any(names_production);
    let has = |wanted: &[&str]| command.arg_texts().any(|text| wanted.contains(&text));
    let part = |wanted: &[&str]| {
        command.arg_texts().any(|text| text.split([':', '-']).any(|part| wanted.contains(&part)))
    };
    let runs_there = match command.program.as_str() {
        "ssh" | "slogin" | "mosh" | "autossh" | "rsh" | "rlogin" | "rexec" | "sftp" | "telnet" | "pssh"
        | "parallel-ssh" | "pdsh" | "clush" | "dsh" | "cssh" | "mussh" | "ansible" | "ansible-playbook"
        | "ansible-console" | "fab" | "salt" | "cap" | "mina" | "sshpass" | "tsh" | "knife" | "bolt" => true,
        "kubectl" | "oc" => has(&["exec", "attach", "debug", "cp", "run", "rsh", "port-forward"]),
        "docker" | "podman" | "nerdctl" | "docker-compose" => {
            return Match::when(is_on_production_host(command));
        }
        "heroku" | "fly" | "flyctl" | "eb" | "kamal" | "railway" | "render" | "dokku" | "nomad" | "doctl"
        | "vagrant" | "convox" | "porter" | "scalingo" | "copilot" | "platform" | "boundary" | "lxc"
        | "incus" | "virsh" => {
            part(&["ssh", "exec", "console", "shell", "run", "bash", "attach", "connect", "sftp"])
        }
        "aws" => has(&["send-command", "start-session", "execute-command"]),
        "gcloud" => has(&["ssh", "scp"]),
        "az" => has(&["run-command", "ssh", "exec"]),
        "psql" | "mysql" | "mariadb" | "mongosh" | "mongo" | "redis-cli" | "valkey-cli"
        | "clickhouse-client" | "influx" | "cqlsh" | "sqlcmd" | "sqlplus" | "usql" | "pgcli" | "mycli"
        | "mssql-cli" | "etcdctl" => {
            return Match::when(is_client_of_production(command));
        }
        _ => has(&["ssh"]) && !matches!(fact.fallback, Fallback::Allow { .. }),
    };
    Match::when(runs_there && production())
}

/// `-H ssh://prod`, `--context prod`, `DOCKER_HOST=…`.
fn is_on_production_host(command: &SimpleCommand) -> bool {
    let variables = command
        .assignments
        .iter()
        .filter(|one| matches!(one.name.as_str(), "DOCKER_HOST" | "DOCKER_CONTEXT"));
    let is_host = |option: &str| matches!(option, "-H" | "--host" | "-c" | "--context");
    let mut pairs = command.args.iter().zip(command.args.iter().skip(1));
    let given = pairs.any(|(option, value)| is_host(&option.text) && names_production(&value.text));
    let glued = command.arg_texts().any(|text| {
        (text.starts_with("--host=") || text.starts_with("--context=") || text.starts_with("-H"))
            && names_production(text)
    });
    given || glued || variables.map(|one| one.value.text.as_str()).any(names_production)
}

/// Where a client of a database connects to, not which database: `-h`, an address, `PGHOST`, `$PRODUCTION_URL`.
fn is_client_of_production(command: &SimpleCommand) -> bool {
    let variables =
        command.assignments.iter().filter(|one| one.name.contains("HOST") || one.name.contains("URL"));
    let is_host = |option: &str| {
        let option = option.trim_start_matches('-');
        matches!(option, "h" | "H" | "host" | "hostname" | "server" | "S" | "u" | "uri" | "url" | "endpoints")
    };
    let mut pairs = command.args.iter().zip(command.args.iter().skip(1));
    let given = pairs.any(|(option, value)| {
        option.text.starts_with('-') && is_host(&option.text) && names_production(&value.text)
    });
    let is_place = |text: &str| {
        text.contains("://")
            || text.contains("host=")
            || text.starts_with("--host=")
            || text.starts_with("-h")
            || text.starts_with("--server=")
            || text.starts_with("--endpoints=")
            || text.starts_with('$')
            || text.contains('@') && !text.contains(' ')
    };
    let address = command.arg_texts().any(|text| is_place(text) && names_production(text));
    given || address || variables.map(|one| one.value.text.as_str()).any(names_production)
}
