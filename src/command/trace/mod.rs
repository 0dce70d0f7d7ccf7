//! `qp trace …`: a run recorded, and what a recorded run tells. A file for each, and a row in [`Trace`].

mod as_chain;
mod calls;
mod events;
mod export;
mod find;
mod history;
mod info;
mod level;
mod reading;
mod record;
mod state;
mod step;

pub use as_chain::{AsChain, MadeChain};
pub use calls::Calls;
pub use events::Events;
pub use export::Export;
pub use find::Find;
pub use history::History;
pub use info::Info;
pub use level::LevelArg;
pub use reading::Memory;
pub use record::Record;
pub use state::State;
pub use step::{STEP_TABLE, Step, StepCommand, StepDialogue, StepReply, StepRow};

use super::CommandError;
use crate::session::{
    CallTree, Context, EventsShown, Exported, FoundEvents, History as Writes, Holds, RecordedRun, StateShown,
};

/// Records a run, and shows what was recorded
#[derive(clap::Subcommand, Clone, Debug)]
pub enum Trace {
    #[allow(missing_docs)]
    Record(Box<Record>),
    #[allow(missing_docs)]
    Info(Info),
    #[allow(missing_docs)]
    Calls(Calls),
    #[allow(missing_docs)]
    Events(Events),
    #[allow(missing_docs)]
    History(History),
    #[allow(missing_docs)]
    State(State),
    #[allow(missing_docs)]
    Step(Step),
    #[allow(missing_docs)]
    AsChain(AsChain),
    #[allow(missing_docs)]
    Find(Find),
    #[allow(missing_docs)]
    Export(Export),
}

impl Trace {
    /// Whether the program of a recording is run again without a question.
    pub fn trusts(&self) -> bool {
        match self {
            Trace::Events(events) => events.trust.trust,
            Trace::State(state) => state.trust.trust,
            Trace::Step(step) => step.trust.trust,
            _ => false,
        }
    }
}

/// What one of them gives.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum Traced {
    /// What was recorded.
    Record(RecordedRun),
    /// What a recorded run holds.
    Info(Holds),
    /// Its calls.
    Calls(CallTree),
    /// The events of a call.
    Events(EventsShown),
    /// The writes to a variable.
    History(Writes),
    /// An object at the beginning and end of a call.
    State(StateShown),
    /// A chain.
    AsChain(MadeChain),
    /// Where the points of a chain are.
    Find(FoundEvents),
    /// What was written for others.
    Export(Exported),
}

impl Traced {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        match self {
            Traced::Record(recorded) => recorded.exit_code(),
            Traced::Info(_) => 0,
            Traced::Calls(tree) => u8::from(tree.threads.is_empty()),
            Traced::Events(_) | Traced::State(_) | Traced::AsChain(_) | Traced::Export(_) => 0,
            Traced::Find(points) => u8::from(!points.not_found.is_empty()),
            Traced::History(history) => u8::from(history.writes.is_empty()),
        }
    }
}

impl Trace {
    /// Does it.
    ///
    /// # Errors
    /// The program cannot be launched, or the recorded run not be read.
    pub async fn execute(&self, context: &Context) -> Result<Traced, CommandError> {
        Ok(match self {
            // It is led by a person: the front end has it.
            Trace::Step(_) => return Err(CommandError::Usage("`qp trace step` needs a prompt".to_owned())),
            Trace::Record(record) => Traced::Record(record.execute(context).await?),
            Trace::Info(info) => Traced::Info(info.execute(context).await?),
            Trace::Calls(calls) => Traced::Calls(calls.execute(context).await?),
            Trace::Events(events) => Traced::Events(events.execute(context).await?),
            Trace::History(history) => Traced::History(history.execute(context).await?),
            Trace::State(state) => Traced::State(state.execute(context).await?),
            Trace::Find(find) => Traced::Find(find.execute(context).await?),
            Trace::AsChain(made) => Traced::AsChain(made.execute(context).await?),
            Trace::Export(export) => Traced::Export(export.execute(context).await?),
        })
    }
}
