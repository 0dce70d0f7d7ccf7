//! Logic queries over recordings. They run on a thread of their own (`session::background`), so that the
//! user can interrupt them. `index` opens the log of a recording, and [`OpenLog`] is asked several times.
//! `saved` finds files of rules. `answer_file` writes and reads saved answers. `running` is a goal whose
//! solutions come one by one.

mod answer_file;
mod facts;
mod index;
mod open_log;
mod planned;
mod running;
mod saved;

pub use answer_file::{read_answer, write_answer};
pub use facts::ask_facts;
pub use open_log::{AskRequest, OpenLog, ToSave};
pub use planned::{PlannedRequest, ask_program, explain_plan};
pub use running::{GoalStep, RunningGoal};
