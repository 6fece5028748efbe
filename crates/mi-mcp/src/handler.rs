//! One server: the SDK asks it, it asks the workspace.

use std::sync::Arc;

use mi_model::Timestamp;
use mi_workspace::{Workspace, memory::Document};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, Implementation,
        ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::Value;

use crate::{
    answer::{result_of, unknown_request, unknown_tool},
    calls::Calls,
    tools::{Operation, offered},
};

const INSTRUCTIONS: &str = "Plans, tasks, decisions, history and reports of this project, kept in its .nexus folder. \
    nx_context tells where the work stands. A cycle: nx_plan_start, nx_plan_decide for each issue, nx_task_add, \
    nx_task_update while working, nx_task_close at the end. memory_search before work, memory_save for what was learned.";

/// The tools of one project. Cheap to clone: every clone is the same server.
#[derive(Clone)]
pub struct Server {
    project: Arc<Project>,
    calls: Arc<Calls>,
}

struct Project {
    workspace: Workspace,
    surroundings: Surroundings,
}

/// What a server gets from the program it runs in.
pub struct Surroundings {
    /// The time of a call.
    pub now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// Memories from outside of `.nexus/`, such as learned rules; asked for at every search.
    pub documents: Box<dyn Fn() -> Vec<Document> + Send + Sync>,
    /// The project's own categories of notes; asked for at every save.
    pub categories: Box<dyn Fn() -> Vec<String> + Send + Sync>,
    /// Tells the person what was repaired; the answers have no place for it.
    pub tell: Box<dyn Fn(&str) + Send + Sync>,
}

impl Server {
    pub fn new(workspace: Workspace, surroundings: Surroundings) -> Self {
        Self { project: Arc::new(Project { workspace, surroundings }), calls: Arc::default() }
    }

    pub(crate) fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }
}

impl Project {
    fn run(&self, operation: Operation, arguments: &Value) -> Result<Value, String> {
        let outcome = operation.run(&self.workspace, arguments, &self.surroundings);
        for note in self.workspace.take_notes() {
            (self.surroundings.tell)(&note);
        }
        outcome
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(Implementation::new("mi", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(offered()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let operation = Operation::named(&request.name).ok_or_else(|| unknown_tool(&request.name))?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let project = Arc::clone(&self.project);
        let waits = operation.may_take_long() || project.workspace.store().is_locked();
        let outcome = self.calls.carry_out(waits, move || project.run(operation, &arguments)).await;
        outcome
            .map(|outcome| result_of(outcome).into())
            .map_err(|error| ErrorData::internal_error(format!("the call was cut off: {error}"), None))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unknown_request(&request))
    }
}
