//! Answers the requests of a client: lists the tools, and calls them.

use super::answer::{Answered, Page};
use super::budget::{LIMITS, TOKENS, clean};
use super::jobs::{Job, Jobs, NoJob};
use super::tools::{Call, Session, TOOLS, ToolRow, Unanswered, parse};
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use servers::mcp::{Tool, Wait};
use session::Actor;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The revisions that the server speaks.
pub const REVISIONS: &[ProtocolVersion] = &[ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];
/// What an agent reads first.
const INSTRUCTIONS: &str = include_str!("instructions.md");
/// How often progress is told.
const PROGRESS: Duration = Duration::from_secs(1);
/// The longest that a call may wait, in seconds.
const LONGEST_WAIT_S: u64 = 3600;

/// A server for one client.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    actor: Mutex<Option<Actor<Session>>>,
    jobs: Mutex<Jobs>,
    doing: watch::Receiver<String>,
    gone: watch::Receiver<bool>,
    wait: Duration,
    allows_commands: bool,
}

/// Settings of a server.
pub struct Settings {
    /// How long a call may take before the client gets a job.
    pub wait: Duration,
    /// Whether tools take commands.
    pub allows_commands: bool,
}

/// How the wait for a job ended.
enum Waited {
    Answered(Box<Option<Result<Answered, Unanswered>>>),
    TooLong,
    Cancelled,
    Gone,
}

impl Server {
    /// A server. `doing` says what the session does, `gone` whether the client has gone.
    pub fn new(
        actor: Actor<Session>,
        doing: watch::Receiver<String>,
        gone: watch::Receiver<bool>,
        settings: &Settings,
    ) -> Server {
        let shared = Shared {
            actor: Mutex::new(Some(actor)),
            jobs: Mutex::default(),
            doing,
            gone,
            wait: settings.wait,
            allows_commands: settings.allows_commands,
        };
        Server { shared: Arc::new(shared) }
    }

    /// Ends all jobs and the session, and waits until nothing of it is left.
    pub async fn end(&self) {
        self.jobs().cancel_all();
        let actor = self.shared.actor.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(actor) = actor {
            actor.end().await;
        }
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.shared.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a call to the session.
    fn ask(&self, row: &'static ToolRow, arguments: JsonObject, limit: usize) -> Result<Job, String> {
        let actor = self.shared.actor.lock().unwrap_or_else(PoisonError::into_inner);
        let actor = actor.as_ref().ok_or("the server ends")?;
        let pending = actor.ask(Call { row, arguments }).map_err(|untaken| untaken.to_string())?;
        Ok(Job { tool: row.name, pending, began: Instant::now(), limit })
    }

    /// Waits for a job, and tells the client of its progress if it wants that.
    async fn wait(&self, job: &mut Job, most: Duration, context: &RequestContext<RoleServer>) -> Waited {
        let (mut gone, doing) = (self.shared.gone.clone(), self.shared.doing.clone());
        let token = context.meta.get_progress_token();
        let end = Instant::now() + most;
        let mut tell = tokio::time::interval_at(Instant::now() + PROGRESS, PROGRESS);
        tell.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => return Waited::Cancelled,
                () = async { drop(gone.wait_for(|gone| *gone).await) } => return Waited::Gone,
                answer = job.pending.answer() => return Waited::Answered(Box::new(answer)),
                () = tokio::time::sleep_until(end) => return Waited::TooLong,
                _ = tell.tick(), if token.is_some() => {
                    let Some(token) = token.clone() else { continue };
                    let text = format!("{}: {}", job.tool, doing_now(&doing));
                    let progress = ProgressNotificationParam::new(token, job.began.elapsed().as_secs_f64());
                    let sent = context.peer.notify_progress(progress.with_message(clean(&text)));
                    // A client that does not read keeps no call from ending.
                    drop(tokio::time::timeout(PROGRESS, sent).await);
                }
            }
        }
    }

    /// The result of a call after the wait for it. `number` is that of the job, if it is one already.
    fn waited(&self, job: Job, number: Option<u64>, waited: Waited) -> Result<CallToolResult, ErrorData> {
        if let (Some(number), Waited::Answered(_)) = (number, &waited) {
            self.jobs().remove(number);
        }
        match waited {
            Waited::Answered(answer) => Ok(match *answer {
                Some(Ok(answered)) => self.page(answered, job.limit),
                Some(Err(Unanswered::Failed(why))) => failed(&why, job.tool),
                Some(Err(Unanswered::Cancelled)) => ended("cancelled", job.tool),
                None => failed("the session broke: start `qp mcp` again", job.tool),
            }),
            Waited::TooLong => {
                let (tool, seconds) = (job.tool, job.began.elapsed().as_secs());
                let number = match number {
                    Some(number) => {
                        self.jobs().put_back(number, job);
                        number
                    }
                    None => self.jobs().add(job),
                };
                Ok(running(number, tool, seconds, &doing_now(&self.shared.doing)))
            }
            Waited::Cancelled | Waited::Gone => {
                match number {
                    // Somebody can still wait for the job.
                    Some(number) if matches!(waited, Waited::Cancelled) => self.jobs().put_back(number, job),
                    _ => job.pending.cancel(),
                }
                Err(ErrorData::internal_error("cancelled", None))
            }
        }
    }

    /// The first page of an answer; keeps the rest.
    fn page(&self, answered: Answered, limit: usize) -> CallToolResult {
        let number = self.jobs().next_rest();
        let Page { text, structured, rest } = answered.page(limit, || format!("rest:{number}"));
        if let Some(rest) = rest {
            self.jobs().keep_rest(number, rest);
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(Value::Object(structured));
        result
    }

    /// Waits for an earlier call.
    async fn wait_for_job(
        &self,
        arguments: JsonObject,
        most: Duration,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let wait: Wait = match parse(arguments) {
            Ok(wait) => wait,
            Err(error) => return Ok(failed(&format!("error: {error}"), Wait::NAME)),
        };
        let number = wait.job.trim().trim_start_matches("job:").parse().unwrap_or(0);
        let taken = self.jobs().take(number);
        let mut job = match taken {
            Ok(job) => job,
            Err(NoJob::Unknown) => {
                let text =
                    format!("error: there is no `{}`: its answer was given, or it was cancelled", wait.job);
                return Ok(failed(&text, Wait::NAME));
            }
            Err(NoJob::Awaited) => {
                let text = format!("error: another call waits for `{}` already", wait.job);
                return Ok(failed(&text, Wait::NAME));
            }
        };
        if wait.cancel == Some(true) {
            job.pending.cancel();
        }
        let waited = self.wait(&mut job, most, context).await;
        self.waited(job, Some(number), waited)
    }

    async fn called(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(row) = TOOLS.iter().find(|row| row.name == request.name) else {
            let names = TOOLS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
            let text = format!("there is no tool `{}`: the tools are {names}", clean(&request.name));
            return Err(ErrorData::invalid_params(text, None));
        };
        let mut arguments = request.arguments.unwrap_or_default();
        // Absent and `null` are the same.
        arguments.retain(|_, value| !value.is_null());
        let common = Common::take(&mut arguments, self.shared.wait);
        let Common { limit, wait, rest } = match common {
            Ok(common) => common,
            Err(why) => return Ok(failed(&format!("error: {why}"), row.name)),
        };
        if let Some(number) = rest {
            let rest = self.jobs().rest(number);
            return Ok(match rest {
                Some(rest) => self.page(rest, limit),
                None => failed(&format!("error: the rest:{number} is no longer kept"), row.name),
            });
        }
        if !row.is_at_bench() {
            return self.wait_for_job(arguments, wait, context).await;
        }
        let mut job = match self.ask(row, arguments, limit) {
            Ok(job) => job,
            Err(why) => return Ok(failed(&format!("error: {why}"), row.name)),
        };
        let waited = self.wait(&mut job, wait, context).await;
        self.waited(job, None, waited)
    }
}

/// The arguments that every tool takes.
struct Common {
    limit: usize,
    wait: Duration,
    rest: Option<u64>,
}

impl Common {
    /// Takes them out of the arguments.
    fn take(arguments: &mut JsonObject, wait: Duration) -> Result<Common, String> {
        let mut number = |name: &str| match arguments.shift_remove(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(format!("`{name}` is a number, not {value}")),
            },
        };
        let limit = match number("limit")? {
            None => TOKENS,
            Some(limit) => {
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                limit.clamp(*LIMITS.start(), *LIMITS.end())
            }
        };
        let wait = number("wait_s")?.map_or(wait, |seconds| Duration::from_secs(seconds.min(LONGEST_WAIT_S)));
        let rest =
            match arguments.get("cursor").and_then(Value::as_str).and_then(|at| at.strip_prefix("rest:")) {
                None => None,
                Some(number) => {
                    Some(number.parse().map_err(|_| format!("there is no cursor rest:{number}"))?)
                }
            };
        Ok(Common { limit, wait, rest })
    }
}

fn doing_now(doing: &watch::Receiver<String>) -> String {
    let doing = doing.borrow();
    if doing.is_empty() { "working".to_owned() } else { doing.clone() }
}

/// A result that says why there is none.
fn failed(why: &str, tool: &str) -> CallToolResult {
    let why = clean(why.trim_end());
    let why = super::budget::beginning(&why, TOKENS - 50);
    let text = format!("state: failed\n{why}\nnext: mend that, and call `{tool}` again\n");
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn running(number: u64, tool: &str, seconds: u64, doing: &str) -> CallToolResult {
    let next = format!("wait job=job:{number}; with cancel=true it ends");
    let doing = clean(doing);
    let text = format!("state: running\njob:{number}: {tool} has taken {seconds} s: {doing}\nnext: {next}\n");
    let mut structured = JsonObject::new();
    structured.insert("state".to_owned(), "running".into());
    structured.insert("job".to_owned(), format!("job:{number}").into());
    structured.insert("next".to_owned(), next.into());
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(Value::Object(structured));
    result
}

fn ended(state: &str, tool: &str) -> CallToolResult {
    let next = format!("call `{tool}` again");
    let text = format!("state: {state}\nnext: {next}\n");
    let mut structured = JsonObject::new();
    structured.insert("state".to_owned(), state.into());
    structured.insert("next".to_owned(), next.into());
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(Value::Object(structured));
    result
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info.server_info = Implementation::new("querypoint", env!("CARGO_PKG_VERSION"));
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(REVISIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = TOOLS.iter().map(|row| row.listed(self.shared.allows_commands));
        Ok(ListToolsResult::with_all_items(listed.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.called(request, &context).await?.into())
    }
}
