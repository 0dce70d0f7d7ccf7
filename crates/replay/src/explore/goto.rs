//! Moves the halted execution to a point that an earlier run located: backwards by another run, forwards by
//! resuming (paper §6).

use super::arrival::{FoundPoint, UnconfirmedArrival, UnconfirmedPoint};
use super::goto_result::{Arrival, Certainty, GotoResult};
use super::position::{HaltedProgram, Position};
use super::run_control::{FinishedRun, RunEnd, RunResult, end_of};
use super::{Explorer, OpenedDebuggee};
use crate::iteration::{Findings, HaltRequest, Runner, learn};
use crate::observer::LocatorObserver;
use crate::probe_policy::astray;
use crate::run_questions::{QuestionsCell, RunQuestions};
use answer::facts::Astray;
use classes::ClassPool;
use model::{LastHit, Namer};
use program::code_book::CodeBook;
use query::PointIndex;
use run::{Ended, Halted};
use session::SessionError;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Points whose located occurrence is not their answer, with the true place if known.
type Places = BTreeMap<PointIndex, Option<String>>;

impl Explorer {
    /// Halts the program at a point, using the coordinate at which the newest run located it.
    ///
    /// # Errors
    /// No such point exists, no run located it, a run is in progress, or the program cannot be run.
    pub async fn goto(&mut self, id: &str) -> Result<GotoResult, SessionError> {
        self.not_while_running()?;
        let at = self.point_index(id)?;
        let not_found = || SessionError::NotFoundYet { id: id.to_owned() };
        let found = self.history.found(at).cloned().ok_or_else(not_found)?;
        if let Position::Halted(halted_program) = &self.position
            && halted_program.point.as_deref() == Some(id)
            && halted_program.arrived.is_none()
        {
            let (id, certainty) = (id.to_owned(), Certainty::Reached);
            return Ok(GotoResult {
                id,
                certainty,
                settled: Vec::new(),
                standing: self.stand().await?,
                ran: None,
            });
        }
        let came_from = self.set_out(id, &found).await?;
        let (end, summary) = self.wait().await?;
        let point = PointIndex(u16::try_from(at).unwrap_or(u16::MAX));
        match end {
            RunEnd::Nothing => Err(SessionError::Interrupted),
            RunEnd::Arrived(halted, asked) => self.arrive(id, point, found, halted, asked, came_from).await,
            RunEnd::Whole(last)
                if matches!(last.run_facts.outcome.ended, Ended::Interrupted | Ended::TimedOut(_)) =>
            {
                let ended = last.run_facts.outcome.ended.clone();
                self.position = Position::Ended(ended.clone());
                Err(SessionError::CutOff { id: id.to_owned(), ended })
            }
            RunEnd::Whole(last) => {
                let elsewhere = self.places(&last.run_facts.astray, &last.run_facts.pool);
                let ran = self.whole(*last, &summary).await?;
                Ok(self.ran_through(id, point, &found, ran, &elsewhere, came_from))
            }
        }
    }

    /// Stands where a run was halted to be at a point, and settles the points from which it came.
    async fn arrive(
        &mut self,
        id: &str,
        point: PointIndex,
        found: FoundPoint,
        halted: Box<Halted>,
        asked: QuestionsCell,
        came_from: Vec<UnconfirmedPoint>,
    ) -> Result<GotoResult, SessionError> {
        let differences = found.differences(halted.candidate(), halted.tables());
        let is_answer = is_located(&asked, &halted, point, &found);
        let (mut settled, mut before) = (Vec::new(), Vec::new());
        let elsewhere = self.elsewhere(&asked, &halted);
        for from in came_from {
            let cell = asked.borrow();
            let located = |a: &RunQuestions| FoundPoint::located(&a.locator, halted.tables(), from.point);
            match (elsewhere.get(&from.point), cell.as_ref().and_then(located)) {
                (Some(place), _) => settled.push(self.settle(&from, None, place.clone())),
                (None, Some(now)) => settled.push(self.settle(&from, Some(&now), None)),
                (None, None) => before.push(from),
            }
        }
        let certainty = if is_answer {
            Certainty::Reached
        } else if differences.is_empty() {
            let point = self.chain.points.get(usize::from(point.0));
            let asked_from = point.and_then(|p| p.refers_to().into_iter().next());
            Certainty::Expected { change: found.change(), asked_from }
        } else {
            Certainty::Differs { differences: differences.clone() }
        };
        let pool = asked.borrow().as_ref().map(|a| a.pool.clone());
        let pool = pool.ok_or(SessionError::Interrupted)?;
        let sources = self.opened.as_ref().map(|opened| opened.sources.clone());
        let sources = sources.ok_or(SessionError::Interrupted)?;
        let (id, edition, frame) = (id.to_owned(), self.edition, found.frame);
        let arrived =
            UnconfirmedArrival { point, id: id.clone(), found, differences, asked, edition, before };
        let arrived = (!is_answer).then_some(arrived);
        let (run, namer) = (self.findings.runs, Namer::default());
        let mut halted_program =
            HaltedProgram::new(halted, pool, sources, namer, Some(id.clone()), run, arrived);
        halted_program.frame = frame;
        self.position = Position::Halted(Box::new(halted_program));
        let standing = self.stand().await?;
        Ok(GotoResult { id, certainty, settled, standing, ran: None })
    }

    /// What a whole run says about the point that it was to reach. `elsewhere` has the true places of points.
    fn ran_through(
        &self,
        id: &str,
        point: PointIndex,
        found: &FoundPoint,
        ran: RunResult,
        elsewhere: &Places,
        came_from: Vec<UnconfirmedPoint>,
    ) -> GotoResult {
        let found_now = |point: PointIndex| self.history.found(usize::from(point.0)).cloned();
        let place = |point: PointIndex| elsewhere.get(&point).cloned().flatten();
        let now = found_now(point);
        let here = now.as_ref().is_some_and(|n| n.coordinate == found.coordinate);
        let certainty = if here && self.point() == Some(id) {
            Certainty::Reached
        } else {
            Certainty::Missed { nearest: now.map(|_| self.place_of(id)).or(place(point)) }
        };
        let settle =
            |from: UnconfirmedPoint| self.settle(&from, found_now(from.point).as_ref(), place(from.point));
        let settled = came_from.into_iter().map(settle).collect();
        let standing = ran.standing.clone();
        GotoResult { id: id.to_owned(), certainty, settled, standing, ran: Some(ran) }
    }

    /// Starts moving to a point. Returns the unconfirmed points at which the same run has halted before.
    async fn set_out(&mut self, id: &str, found: &FoundPoint) -> Result<Vec<UnconfirmedPoint>, SessionError> {
        let target = Some(found.coordinate.clone());
        let later = self.history.all_found();
        let why = format!("goto {id}");
        let leads_on = |arrived: &UnconfirmedArrival| {
            arrived.edition == self.edition
                && arrived.found.sequence < found.sequence
                && arrived.differences.is_empty()
        };
        let position = std::mem::replace(&mut self.position, Position::Nowhere);
        match position {
            Position::Halted(halted_program) if halted_program.arrived.as_ref().is_some_and(leads_on) => {
                let HaltedProgram { halted, arrived, .. } = *halted_program;
                let Some(arrived) = arrived else { return Ok(Vec::new()) };
                let (runner, context) = self.prepare(true).await?;
                let (asked, mut findings) = (arrived.asked.clone(), self.findings.clone());
                self.spawn(&why, runner.chain.clone(), Rc::default(), async move {
                    context.progress().run_started(findings.runs, Some("on"));
                    let points = runner.chain().points.len();
                    let mut observer = LocatorObserver::new(&asked, context.progress(), points, true);
                    let stage = halted.go_on(target, context.interrupt(), &mut observer).await;
                    context.progress().done();
                    let end = checked(end_of(stage?, asked), &runner, &mut findings);
                    Ok(FinishedRun::new(end, findings))
                });
                let UnconfirmedArrival { point, id, found, mut before, .. } = arrived;
                before.push(UnconfirmedPoint { point, id, found });
                Ok(before)
            }
            position => {
                self.position = position;
                self.leave().await;
                let (runner, context) = self.prepare(true).await?;
                let mut findings = self.findings.clone();
                self.spawn(&why, runner.chain.clone(), Rc::default(), async move {
                    let asked = QuestionsCell::default();
                    let halt_request = HaltRequest { hold: true, at: target, later, more: None };
                    let why = Some("to halt at a point");
                    let run = runner.run(&mut findings, why, halt_request, &asked, &context);
                    let stage = run.await;
                    context.progress().done();
                    let end = checked(end_of(stage?, asked), &runner, &mut findings);
                    Ok(FinishedRun::new(end, findings))
                });
                Ok(Vec::new())
            }
        }
    }

    /// Settles an unconfirmed point. `elsewhere` is its true place if the run learned it without stopping
    /// there.
    fn settle(
        &self,
        from: &UnconfirmedPoint,
        now: Option<&FoundPoint>,
        elsewhere: Option<String>,
    ) -> Arrival {
        let same = now.is_some_and(|now| now.coordinate == from.found.coordinate);
        let missed_write = same && now.is_some_and(|now| now.missed_write);
        let instead = (!same && now.is_some()).then(|| self.place_of(&from.id)).or(elsewhere);
        Arrival { point: from.id.clone(), confirmed: same && !missed_write, instead, missed_write }
    }

    /// The points of an unfinished run whose located occurrence is not their answer, with their true places.
    fn elsewhere(&self, asked: &QuestionsCell, halted: &Halted) -> Places {
        let cell = asked.borrow();
        let Some(RunQuestions { queries, gates, locator, pool, .. }) = cell.as_ref() else {
            return Places::new();
        };
        self.places(&astray(queries, gates.as_deref(), locator, halted.tables()), pool)
    }

    fn places(&self, astray: &BTreeMap<PointIndex, Astray>, pool: &ClassPool) -> Places {
        let Some(OpenedDebuggee { sources, .. }) = &self.opened else { return Places::new() };
        let book = CodeBook { pool, sources };
        let place = |astray: &Astray| match astray {
            Astray::Last(LastHit::At(last)) => Some(book.hit(last)),
            Astray::Last(LastHit::Never | LastHit::Unknown(_) | LastHit::Flow(_))
            | Astray::Follows(_)
            | Astray::CutOff
            | Astray::Moved(_)
            | Astray::Deeper(_) => None,
        };
        astray.iter().map(|(point, astray)| (*point, place(astray))).collect()
    }

    /// The place of a point in the newest answer.
    fn place_of(&self, id: &str) -> String {
        let answer = self.answer();
        let point = answer.as_ref().and_then(|a| a.points.iter().find(|p| p.id == id));
        point.map_or_else(String::new, |p| match (&p.file, p.line) {
            (Some(file), Some(line)) => {
                let hit = p.hit.map(|hit| format!(", hit {hit}")).unwrap_or_default();
                format!("{file}:{line}{hit}")
            }
            _ => p.method_text().unwrap_or_else(|| "?".to_owned()),
        })
    }
}

/// Whether the run has already located the point at this coordinate.
fn is_located(asked: &QuestionsCell, halted: &Halted, point: PointIndex, found: &FoundPoint) -> bool {
    let cell = asked.borrow();
    let now = cell.as_ref().and_then(|a| FoundPoint::located(&a.locator, halted.tables(), point));
    now.is_some_and(|now| now.coordinate == found.coordinate)
}

/// Marks the points of a whole run that were asked where only an earlier run had their effect.
fn checked(mut end: RunEnd, runner: &Runner, findings: &mut Findings) -> RunEnd {
    if let RunEnd::Whole(last) = &mut end {
        learn(&runner.chain(), &runner.sources, &mut last.run_facts, &mut findings.learned);
    }
    end
}
