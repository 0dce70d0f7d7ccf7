//! A goal whose solutions are asked for one by one.

use super::open_log::{AskRequest, OpenLog};
use logic::rules::{AskItem, Asked, Rules};
use session::background::unless_late;
use session::{Context, SessionError};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// What a goal did since it was asked last.
#[derive(Debug)]
pub enum GoalStep {
    /// It wrote something.
    Output(String),
    /// It has a solution, and waits.
    Solution(AskItem),
    /// It ended. The answers have no items.
    Ended(Asked),
}

/// A goal that runs on a thread of its own. It waits after each solution. Dropping it ends the goal.
pub struct RunningGoal {
    steps: UnboundedReceiver<Result<GoalStep, SessionError>>,
    more: Sender<()>,
    stop: Arc<AtomicBool>,
    is_waiting: bool,
    /// Its rules.
    pub rules: Rules,
}

impl OpenLog {
    /// Starts a goal.
    ///
    /// # Errors
    /// A file of rules cannot be read.
    pub fn start(&self, request: &AskRequest) -> Result<RunningGoal, SessionError> {
        let rules = request.read_rules()?;
        let stop = Arc::new(AtomicBool::new(false));
        let (more, waits) = channel();
        let (sender, steps) = unbounded_channel();
        let (source, request, notes) = (self.source.clone(), request.clone(), self.notes());
        let (flag, own) = (stop.clone(), rules.clone());
        tokio::task::spawn_blocking(move || {
            let takes = sender.clone();
            let ended = rules.run(&source, &request.goal, request.options(flag), move |item| {
                let is_solution = matches!(item, AskItem::Solution(_));
                let step = match item {
                    AskItem::Output(text) => GoalStep::Output(text),
                    solution @ AskItem::Solution(_) => GoalStep::Solution(solution),
                };
                let is_heard = takes.send(Ok(step)).is_ok();
                match is_heard && (!is_solution || waits.recv().is_ok()) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            let ended = ended.map_err(SessionError::from).map(|mut asked| {
                asked.notes.extend(notes);
                GoalStep::Ended(asked)
            });
            // Nobody listens when the goal was given up.
            drop(sender.send(ended));
        });
        Ok(RunningGoal { steps, more, stop, is_waiting: false, rules: own })
    }
}

impl RunningGoal {
    /// What the goal does next.
    ///
    /// # Errors
    /// The rules or the goal are not valid, or the user interrupted the goal, which is over then.
    pub async fn next(&mut self, context: &Context) -> Result<GoalStep, SessionError> {
        if self.is_waiting {
            self.is_waiting = false;
            // Sending fails when the goal has ended, which it says below.
            let _ = self.more.send(());
        }
        let step = unless_late(context, &self.stop, self.steps.recv()).await?;
        if self.stop.load(Ordering::Relaxed) {
            return Err(SessionError::Interrupted);
        }
        let step = step.unwrap_or(Err(SessionError::Interrupted))?;
        self.is_waiting = matches!(step, GoalStep::Solution(_));
        Ok(step)
    }
}

impl Drop for RunningGoal {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
