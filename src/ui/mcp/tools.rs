//! The table of tools, and the session that runs them one after another.

use super::answer::{Answered, Told};
use super::schema;
use crate::ui::out::error_text;
use crate::ui::table::Local;
use command::CommandError;
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use servers::mcp::{
    Calls, Diagnose, Events, Find, History, Record, Replay, State, Tool, Wait, Why, Workbench, Works,
};
use session::{Context, Serves, SessionError};
use std::sync::Arc;

/// The tools, in the order of the list.
pub const TOOLS: &[ToolRow] = &[
    ToolRow::at_bench::<Record>(),
    ToolRow::at_bench::<Why>(),
    ToolRow::at_bench::<Replay>(),
    ToolRow::at_bench::<Calls>(),
    ToolRow::at_bench::<Events>(),
    ToolRow::at_bench::<State>(),
    ToolRow::at_bench::<History>(),
    ToolRow::at_bench::<Diagnose>(),
    ToolRow::at_bench::<Find>(),
    ToolRow::of_server::<Wait>(),
];

/// A tool.
pub struct ToolRow {
    /// Its name.
    pub name: &'static str,
    /// How it works; `None` if the server does it.
    work: Option<Work>,
    listed: fn(allows_commands: bool) -> Listed,
}

type Work =
    for<'a> fn(JsonObject, &'a mut Workbench, &'a Context) -> Local<'a, Result<Answered, CommandError>>;

impl ToolRow {
    const fn at_bench<T: Works>() -> ToolRow
    where
        T::Output: Told,
    {
        ToolRow {
            name: T::NAME,
            work: Some(|arguments, bench, context| Box::pin(work::<T>(arguments, bench, context))),
            listed: listed::<T>,
        }
    }

    const fn of_server<T: Tool>() -> ToolRow {
        ToolRow { name: T::NAME, work: None, listed: listed::<T> }
    }

    /// Whether a session does the work.
    pub fn is_at_bench(&self) -> bool {
        self.work.is_some()
    }

    /// Its row in the list that an agent gets.
    pub fn listed(&self, allows_commands: bool) -> Listed {
        (self.listed)(allows_commands)
    }
}

async fn work<T: Works>(
    arguments: JsonObject,
    bench: &mut Workbench,
    context: &Context,
) -> Result<Answered, CommandError>
where
    T::Output: Told,
{
    let arguments: T = parse(arguments)?;
    let result = Box::pin(arguments.call(bench, context)).await?;
    Ok(Answered::new(&result))
}

/// Parses the arguments of a tool.
///
/// # Errors
/// They do not fit.
pub fn parse<T: Tool>(arguments: JsonObject) -> Result<T, CommandError> {
    let value = serde_json::Value::Object(arguments);
    T::deserialize(value)
        .map_err(|error| CommandError::Usage(format!("the arguments of `{}` do not fit: {error}", T::NAME)))
}

fn listed<T: Tool>(allows_commands: bool) -> Listed {
    let left_out: &[&str] = if allows_commands { &[] } else { &["command"] };
    // Every call takes `limit`, `cursor` and `wait_s`. They are listed where they matter most.
    let common: &[(&str, &str)] = match T::NAME {
        Wait::NAME => &[("wait_s", "integer")],
        Record::NAME | Replay::NAME | State::NAME | Diagnose::NAME => &[("cursor", "string")],
        _ => &[("limit", "integer"), ("cursor", "string")],
    };
    let arguments = schema::of_arguments::<T>(common, left_out);
    let listed = Listed::new(T::NAME, T::ABOUT, Arc::new(arguments))
        .with_raw_output_schema(Arc::new(schema::of_result(T::RUNS)));
    // By default a tool is not read-only.
    if T::RUNS { listed } else { listed.with_annotations(ToolAnnotations::new().read_only(true)) }
}

/// A call of a tool.
pub struct Call {
    /// The tool.
    pub row: &'static ToolRow,
    /// Its arguments.
    pub arguments: JsonObject,
}

/// Why a call has no result.
#[derive(Clone, Debug)]
pub enum Unanswered {
    /// It was cancelled.
    Cancelled,
    /// The reason, for the agent.
    Failed(String),
}

/// The session that runs tools.
pub struct Session(pub Workbench);

impl Serves for Session {
    type Request = Call;
    type Answer = Result<Answered, Unanswered>;

    async fn take(&mut self, call: Call, context: &Context) -> Result<Answered, Unanswered> {
        if context.is_interrupted() {
            return Err(Unanswered::Cancelled);
        }
        let Some(work) = call.row.work else {
            return Err(Unanswered::Failed(format!("`{}` needs no session", call.row.name)));
        };
        work(call.arguments, &mut self.0, context).await.map_err(|error| match error {
            CommandError::Session(SessionError::Interrupted) => Unanswered::Cancelled,
            error => Unanswered::Failed(error_text(&error, false)),
        })
    }
}
