//! `qp trace …`: records a run, and shows recorded runs. Each command has a file.

mod as_chain;
mod calls;
mod events;
mod export;
mod find;
mod history;
mod info;
mod level;
mod pack;
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
pub use pack::Pack;
pub use reading::{Memory, Reading};
pub use record::Record;
pub use state::State;
pub use step::{STEP_TABLE, Step, StepCommand, StepDialogue, StepReply};
