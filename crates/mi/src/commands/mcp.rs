//! `mi mcp`: serves the tools of one project, on standard input and output or on a loopback address, and installs that
//! server in agents.
//!
//! Nothing is read or created before the first answer, because an agent waits for it.

use mi_mcp::{HttpAddress, Server, Surroundings, serve_http, serve_stdio};
use mi_workspace::{HarnessId, Layout, Workspace};
use std::{io, path::PathBuf, sync::Arc};

use crate::{
    app::{App, talk},
    args::{McpAction, McpArgs},
    commands::{
        council_tools,
        install::{self, Wish},
        memory::learned,
        workspace,
    },
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &McpArgs) -> Outcome {
    match &args.action {
        None => serve(app, args),
        Some(_) if args.harness_id.is_some() || args.http.is_some() => Err(Failure::usage(
            "--harness-id and --http are options of the server, not of install or uninstall",
        )),
        Some(McpAction::Install(change)) => install::run(app, change, Wish::Install),
        Some(McpAction::Uninstall(change)) => install::run(app, change, Wish::Uninstall),
    }
}

fn serve(app: &App, args: &McpArgs) -> Outcome {
    check_harness(app, args)?;
    let http = args.http.as_deref().map(str::parse::<HttpAddress>).transpose();
    let http = http.map_err(|error| Failure::usage(error.to_string()))?;
    let root = workspace::root(app)?;
    let server = Server::new(Workspace::new(Layout::new(root.clone())), surroundings(app, root));
    match http {
        None => serve_stdio(server, io::stdin(), io::stdout()).map_err(|error| Failure::of(&error))?,
        Some(address) => {
            serve_http(server, address, |url| talk(&format!("mi: MCP on {url}; Ctrl-C ends it")))
                .map_err(|error| Failure::of(&error))?;
        }
    }
    Ok(ExitReason::Done)
}

fn surroundings(app: &App, root: PathBuf) -> Surroundings {
    let clock = app.clock;
    let searching = Arc::new(app.at_home(app.home.clone(), root));
    let saving = Arc::clone(&searching);
    let counselling = Arc::clone(&searching);
    Surroundings {
        now: Box::new(move || clock.now()),
        documents: Box::new(move || {
            searching.project().map_or(Vec::new(), |project| learned(&searching, &project))
        }),
        categories: Box::new(move || categories(&saving)),
        council: Box::new(move |tool, arguments| council_tools::call(&counselling, tool, arguments)),
        tell: Box::new(|note| talk(&format!("mi: {note}"))),
    }
}

fn categories(app: &App) -> Vec<String> {
    mi_config::resolve(&app.layers(&app.folder()), &app.environment, &[]).settings.memory.categories
}

/// The tools write nothing below a harness's own folder (NX-010), but a wrong id is a wrong installation.
fn check_harness(app: &App, args: &McpArgs) -> Result<(), Failure> {
    let named = args.harness_id.as_deref().or_else(|| app.variable("NEXUS_HARNESS_ID"));
    match named.map(HarnessId::new).transpose() {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}
