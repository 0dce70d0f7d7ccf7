//! Moves the halted execution to a point that an earlier run found: backwards by running again, forwards by going on
//! (paper §6).

use super::Explorer;
use super::arrival::{Arrival, Arrived, Certainty, Found, Gone, Unsettled};
use super::going::{End, Finished, end_of};
use super::place::{Place, Standing};
use crate::model::Namer;
use crate::query::PointIndex;
use crate::run::Ended;
use crate::session::error::SessionError;
use crate::session::round::{Asked, AskedCell, Halting};
use crate::session::watching::Watching;
use std::rc::Rc;

impl Explorer {
    /// Halts the program at a point, by the coordinate at which the newest run found it.
    ///
    /// # Errors
    /// There is no such point or no run found it, a run is on, or the program cannot be run.
    pub async fn goto(&mut self, id: &str) -> Result<Gone, SessionError> {
        self.not_while_running()?;
        let at = self.position(id)?;
        let not_found = || SessionError::NotFoundYet { id: id.to_owned() };
        let found = self.history.found(at).cloned().ok_or_else(not_found)?;
        if let Place::Halted(standing) = &self.place
            && standing.point.as_deref() == Some(id)
            && standing.arrived.is_none()
        {
            let (id, certainty) = (id.to_owned(), Certainty::Reached);
            return Ok(Gone { id, certainty, settled: Vec::new(), standing: self.stand().await?, ran: None });
        }
        let came_from = self.set_out(id, &found).await?;
        let (end, made) = self.wait().await?;
        let point = PointIndex(u16::try_from(at).unwrap_or(u16::MAX));
        match end {
            End::Nothing => Err(SessionError::Interrupted),
            End::Arrived(halted, asked) => {
                let differences = found.differences(halted.candidate(), halted.tables());
                let is_answer = is_located(&asked, &halted, point, &found);
                let (mut settled, mut before) = (Vec::new(), Vec::new());
                for from in came_from {
                    let cell = asked.borrow();
                    let located = |a: &Asked| Found::located(&a.locator, halted.tables(), from.point);
                    match cell.as_ref().and_then(located) {
                        Some(now) => settled.push(self.settle(&from, Some(&now))),
                        None => before.push(from),
                    }
                }
                let certainty = if is_answer {
                    Certainty::Reached
                } else if differences.is_empty() {
                    let point = self.chain.points.get(at);
                    let asked_from = point.and_then(|p| p.refers_to().into_iter().next());
                    Certainty::Expected { change: found.change(), asked_from }
                } else {
                    Certainty::Differs { differences: differences.clone() }
                };
                let pool = asked.borrow().as_ref().map(|a| a.pool.clone());
                let pool = pool.ok_or(SessionError::Interrupted)?;
                let (id, edition) = (id.to_owned(), self.edition);
                let frame = found.frame;
                let arrived = Arrived { point, id: id.clone(), found, differences, asked, edition, before };
                let arrived = (!is_answer).then_some(arrived);
                let run = self.teaching.runs;
                let namer = Namer::default();
                let mut standing = Standing::new(halted, pool, namer, Some(id.clone()), run, arrived);
                standing.frame = frame;
                self.place = Place::Halted(Box::new(standing));
                let standing = self.stand().await?;
                Ok(Gone { id, certainty, settled, standing, ran: None })
            }
            End::Whole(last)
                if matches!(last.round.outcome.ended, Ended::Interrupted | Ended::TimedOut(_)) =>
            {
                let ended = last.round.outcome.ended.clone();
                self.place = Place::Ended(ended.clone());
                Err(SessionError::CutOff { id: id.to_owned(), ended })
            }
            End::Whole(last) => {
                let ran = self.whole(*last, &made).await?;
                let now = self.history.found(at).cloned();
                let here = now.as_ref().is_some_and(|n| n.coordinate == found.coordinate);
                let stands = self.point() == Some(id);
                let certainty = if here && stands {
                    Certainty::Reached
                } else {
                    Certainty::Missed { nearest: now.map(|_| self.place_of(id)) }
                };
                let settled = came_from.into_iter().map(|from| {
                    let now = self.history.found(usize::from(from.point.0)).cloned();
                    self.settle(&from, now.as_ref())
                });
                let settled = settled.collect();
                let standing = ran.standing.clone();
                Ok(Gone { id: id.to_owned(), certainty, settled, standing, ran: Some(ran) })
            }
        }
    }

    /// Begins the way to a point. Gives the expected points that the way leads on from.
    async fn set_out(&mut self, id: &str, found: &Found) -> Result<Vec<Unsettled>, SessionError> {
        let target = Some(found.coordinate.clone());
        let why = format!("goto {id}");
        let leads_on = |arrived: &Arrived| {
            arrived.edition == self.edition
                && arrived.found.sequence < found.sequence
                && arrived.differences.is_empty()
        };
        let place = std::mem::replace(&mut self.place, Place::Nowhere);
        match place {
            Place::Halted(standing) if standing.arrived.as_ref().is_some_and(leads_on) => {
                let Standing { halted, arrived, .. } = *standing;
                let Some(arrived) = arrived else { return Ok(Vec::new()) };
                let (runner, mut progress, mut interrupt) = self.prepare(true).await?;
                let (asked, teaching) = (arrived.asked.clone(), self.teaching.clone());
                self.spawn(&why, runner.chain.clone(), Rc::default(), async move {
                    progress.run_started(teaching.runs, Some("on"));
                    let points = runner.chain().points.len();
                    let mut watching = Watching::new(&asked, &mut *progress, points, true);
                    let stage = halted.go_on(target, &mut interrupt, &mut watching).await;
                    progress.done();
                    Ok(Finished::new(end_of(stage?, asked), teaching))
                });
                let Arrived { point, id, found, mut before, .. } = arrived;
                before.push(Unsettled { point, id, found });
                Ok(before)
            }
            place => {
                self.place = place;
                self.leave().await;
                let (runner, mut progress, mut interrupt) = self.prepare(true).await?;
                let mut teaching = self.teaching.clone();
                self.spawn(&why, runner.chain.clone(), Rc::default(), async move {
                    let asked = AskedCell::default();
                    let halting = Halting { hold: true, at: target, more: None };
                    let why = Some("to halt at a point");
                    let run = runner.run(&mut teaching, why, halting, &asked, &mut *progress, &mut interrupt);
                    let stage = run.await;
                    progress.done();
                    Ok(Finished::new(end_of(stage?, asked), teaching))
                });
                Ok(Vec::new())
            }
        }
    }

    fn settle(&self, from: &Unsettled, now: Option<&Found>) -> Arrival {
        let same = now.is_some_and(|now| now.coordinate == from.found.coordinate);
        let missed_write = same && now.is_some_and(|now| now.missed_write);
        let instead = (!same && now.is_some()).then(|| self.place_of(&from.id));
        Arrival { point: from.id.clone(), confirmed: same && !missed_write, instead, missed_write }
    }

    /// Where the newest answer has a point.
    fn place_of(&self, id: &str) -> String {
        let answer = self.answer();
        let point = answer.as_ref().and_then(|a| a.points.iter().find(|p| p.id == id));
        point.map_or_else(String::new, |p| match (&p.file, p.line) {
            (Some(file), Some(line)) => format!("{file}:{line}, hit {}", p.hit.unwrap_or_default()),
            _ => format!("{}.{}", p.class.as_deref().unwrap_or("?"), p.method.as_deref().unwrap_or("?")),
        })
    }
}

/// Whether the run has located the point already, at the coordinate.
fn is_located(asked: &AskedCell, halted: &crate::run::Halted, point: PointIndex, found: &Found) -> bool {
    let cell = asked.borrow();
    let now = cell.as_ref().and_then(|a| Found::located(&a.locator, halted.tables(), point));
    now.is_some_and(|now| now.coordinate == found.coordinate)
}
