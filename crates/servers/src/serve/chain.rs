//! `chain`: the questions of a chain. The next question, or an expression to collect, starts a run.

use super::bench::Bench;
use super::chain_desk::{ChainAction, ChainDesk, ChainShown};
use super::replay_shown::ReplayShown;
use super::{Request, Works, usage};
use command::CommandError;
use past::EventRef;
use recorded::RecordedSource;
use replay::Options;
use session::{Context, SessionError};
use std::collections::BTreeMap;

/// Number of rejected occurrences that are kept for each point.
const REJECTED: usize = 40;
/// Maximum number of runs that are shown.
const RUNS: usize = 20;

impl Request for ChainAction {
    type Reply = ChainShown;

    const NAME: &'static str = "chain";
}

impl Works for ChainAction {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<ChainShown, CommandError> {
        if let ChainAction::Start(at) = &self {
            let mut trace = bench.own_trace(at.trace, context).await?;
            trace.allow(context)?;
            let event = EventRef { call: at.call, event: Some(at.event) };
            let chain = recorded::as_chain(&mut trace, event)?;
            let name = format!("event {event}");
            bench.chain = Some(ChainDesk::new(name, chain));
            bench.board.shown().has_chain = true;
            bench.board.changed(&["session"]);
        }
        let Some(desk) = &mut bench.chain else {
            return usage("there is no chain: begin one at an event of the recording");
        };
        let before = desk.chain.clone();
        desk.change(self)?;
        let replayed = Box::pin(bench.replay_chain(context)).await;
        let Some(desk) = &mut bench.chain else { return usage("there is no chain") };
        if let Err(error) = replayed {
            // What cannot be asked is taken back.
            desk.chain = before;
            return Err(error);
        }
        let shown = desk.shown()?;
        bench.find_points(context).await?;
        Ok(shown)
    }
}

impl Bench {
    /// Replays the chain.
    pub(super) async fn replay_chain(&mut self, context: &Context) -> Result<(), CommandError> {
        let Some(desk) = &mut self.chain else { return Ok(()) };
        let options = Options {
            candidates: REJECTED,
            timeout_s: self.args.timeout,
            show_output: true,
            ..Options::default()
        };
        let replayed = full_replay::replay(&desk.name, &desk.chain, &options, context).await;
        let answer = match replayed {
            Ok(answer) if answer.outcome == answer::Outcome::Interrupted => {
                return Err(SessionError::Interrupted.into());
            }
            Ok(answer) => answer,
            Err(error) => {
                desk.error = Some(error.to_string());
                return Err(error.into());
            }
        };
        desk.runs += 1;
        desk.error = None;
        desk.answer = Some(answer.clone());
        {
            let mut shown = self.board.shown();
            shown.replays.push(ReplayShown { number: desk.runs, answer, events: BTreeMap::new() });
            if shown.replays.len() > RUNS {
                shown.replays.remove(0);
            }
        }
        self.board.changed(&["timeline"]);
        Ok(())
    }

    /// Finds the events of the last replay's points in the recording, if there is one.
    pub(super) async fn find_points(&mut self, context: &Context) -> Result<(), CommandError> {
        let Some(desk) = self.chain.as_ref().filter(|desk| desk.answer.is_some()) else { return Ok(()) };
        let (name, chain) = (desk.name.clone(), desk.chain.clone());
        let Ok(mut trace) = self.own_trace(0, context).await else { return Ok(()) };
        let path = trace.folder.path().to_owned();
        // A recording that is not whole has no such events.
        let Ok(mut source) = RecordedSource::new(&mut trace, path, &chain) else { return Ok(()) };
        let Ok(found) = recorded::find(&mut source, &name, &chain, None, context) else { return Ok(()) };
        let event = |found: recorded::FoundEvent| {
            let event = u64::try_from(found.number).ok();
            (found.point, EventRef { call: found.call.node, event })
        };
        let events: BTreeMap<String, EventRef> = found.found.into_iter().map(event).collect();
        if let Some(last) = self.board.shown().replays.last_mut() {
            last.events = events;
        }
        self.board.changed(&["timeline"]);
        Ok(())
    }
}
