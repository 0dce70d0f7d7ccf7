//! The locator takes occurrences in the order of a run and decides which of them are the points (paper Fig.
//! 3). It may use `model` and `query`.
//!
//! A point waits until all points that its constraints name are located. The locator then refines its
//! candidates and counts its instances. When the index is certain, the point is located and its dependents
//! are examined. A point depends only on earlier points, so one pass over the chain settles all consequences
//! of an occurrence.

use super::check::{Checker, Effect, StackView};
use super::error::LocateError;
use super::graph::Graph;
use super::log::Log;
use super::prune::{self, PruningContext};
use super::report::{PointReport, Rejected, Rejection, Unlocated};
use super::track::{Located, State, Track};
use model::{ActivationKey, Occurrence, Tables};
use query::{Constraint, Event, PointIndex, TraceQuery};
use std::collections::HashSet;
use std::sync::Arc;

/// Number of candidates below which pruning costs more than it gains.
const PRUNE_FROM: usize = 8192;

/// Limits and modes of a locator.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of rejected candidates to keep per point, as a sample.
    pub keep_rejected: usize,
    /// Maximum number of candidates of all points together. Pruning must leave an eighth of it free.
    pub limit: usize,
    /// Keep this many last hits of the first root instead of using its index, each with all its dependents.
    pub last_roots: Option<usize>,
    /// Number of groups that pruning may examine per candidate; beyond that it keeps more candidates instead.
    pub patience: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { keep_rejected: 0, limit: usize::MAX, last_roots: None, patience: 256 }
    }
}

/// The effect of one occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Points that it located, from effect to cause.
    pub newly_located: Vec<PointIndex>,
    /// True when every point is decided: no later occurrence can change an answer.
    pub complete: bool,
}

/// Finds the answer of each point of a chain in one run. It is pure: occurrences in, located points out.
pub struct Locator {
    checker: Checker,
    graph: Graph,
    pub(super) tracks: Vec<Track>,
    options: Options,
    newest: u64,
    prune_at: usize,
    kept: usize,
    full: bool,
    solutions: Vec<Vec<Option<Located>>>,
}

impl Locator {
    /// Creates a locator for one run. The TraceQueries are in the chain's order.
    ///
    /// # Errors
    /// As for [`Graph::new`].
    pub fn new(queries: impl Into<Arc<[TraceQuery]>>, options: Options) -> Result<Locator, LocateError> {
        let queries: Arc<[TraceQuery]> = queries.into();
        let graph = Graph::new(&queries)?;
        let last_roots = options.last_roots.filter(|n| *n > 0);
        let main_root = graph.roots().next().filter(|_| last_roots.is_some());
        let mut tracks = Vec::with_capacity(queries.len());
        for query in queries.iter() {
            let mut track = Track::new(query, &graph, options.keep_rejected);
            if Some(query.point) == main_root {
                track.index = -i64::try_from(last_roots.unwrap_or(1)).unwrap_or(i64::MAX);
                track.held = true;
            }
            if let Some(reason) = never_occurs(query, &tracks, &track) {
                track.state = State::Unlocated(reason);
            }
            tracks.push(track);
        }
        let prune_at = PRUNE_FROM.min(options.limit);
        let checker = Checker::new(queries);
        Ok(Locator {
            checker,
            graph,
            tracks,
            options,
            newest: 0,
            prune_at,
            kept: 0,
            full: false,
            solutions: Vec::new(),
        })
    }

    /// The TraceQueries of the chain.
    pub fn queries(&self) -> &[TraceQuery] {
        self.checker.queries()
    }

    /// The dependency graph of the chain.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Adds points from here on. `queries` begins with the existing ones, unchanged. Returns the points that
    /// are located at once; added points see no earlier occurrence.
    ///
    /// # Errors
    /// As for [`Graph::new`].
    pub fn extend(&mut self, queries: Arc<[TraceQuery]>, tables: &Tables) -> Result<Progress, LocateError> {
        let graph = Graph::new(&queries)?;
        let first = self.tracks.len();
        for query in queries.iter().skip(first) {
            let mut track = Track::new(query, &graph, self.options.keep_rejected);
            if let Some(reason) = never_occurs(query, &self.tracks, &track) {
                track.state = State::Unlocated(reason);
            }
            self.tracks.push(track);
        }
        (self.graph, self.checker) = (graph, Checker::new(queries));
        let mut newly_located = Vec::new();
        self.settle(first, tables, &mut newly_located);
        Ok(Progress { newly_located, complete: self.is_complete() })
    }

    /// Takes one occurrence. Occurrences must come in the order of the run; several TraceQueries may watch
    /// one event, with equal sequences.
    ///
    /// # Errors
    /// [`LocateError::NoSuchPoint`], [`LocateError::OutOfOrder`], or [`LocateError::TooMany`] when more
    /// candidates than the limit can still become answers.
    pub fn offer(&mut self, occurrence: Occurrence, tables: &Tables) -> Result<Progress, LocateError> {
        let at = usize::from(occurrence.query);
        let (Some(track), Some(query)) = (self.tracks.get(at), self.checker.query(at)) else {
            return Err(LocateError::NoSuchPoint { query: occurrence.query, points: self.tracks.len() });
        };
        if occurrence.sequence < self.newest {
            return Err(LocateError::OutOfOrder {
                id: query.id.clone(),
                sequence: occurrence.sequence,
                newest: self.newest,
            });
        }
        self.newest = occurrence.sequence;
        let open = match track.state {
            State::Open => true,
            State::Waiting => false,
            State::Located(_) | State::Unlocated(_) => {
                self.too_late(at, occurrence);
                return Ok(Progress { newly_located: Vec::new(), complete: self.is_complete() });
            }
        };
        let verdict = self
            .checker
            .viable(query, &occurrence, tables)
            .and_then(|()| self.checker.judge(query, &occurrence, |p| self.effect(p), tables));
        let full = self.full || self.kept >= self.options.limit;
        let Some(track) = self.tracks.get_mut(at) else { return Ok(Progress::default()) };
        track.hits += 1;
        let mut newly_located = Vec::new();
        match verdict {
            Err(reason) => track.reject(occurrence, reason),
            Ok(uncertain) if open => {
                track.pass(&occurrence);
                track.instances += 1;
                if let Some(window) = track.window() {
                    track.log.push(occurrence);
                    self.kept += 1;
                    if track.log.len() > window && track.log.pop_front().is_some() {
                        self.kept -= 1;
                    } else if full {
                        return Err(self.too_many());
                    }
                } else if track.instances.checked_sub(1) == u64::try_from(track.index).ok() {
                    track.found(occurrence, uncertain, tables);
                    newly_located.push(PointIndex(at as u16));
                    self.settle(at + 1, tables, &mut newly_located);
                }
            }
            Ok(_) => {
                track.log.push(occurrence);
                self.kept += 1;
                if full {
                    return Err(self.too_many());
                }
            }
        }
        Ok(Progress { newly_located, complete: self.is_complete() })
    }

    /// Counts a hit of a point that is already decided.
    fn too_late(&mut self, at: usize, occurrence: Occurrence) {
        let constraints = self.checker.query(at).map_or(&[][..], |q| q.constraints.as_slice());
        let passed = constraints.iter().find_map(|c| match c {
            Constraint::Before(p) if self.effect(*p).is_some() => Some(Rejection::NotBefore(*p)),
            _ => None,
        });
        if let Some(track) = self.tracks.get_mut(at) {
            track.hits += 1;
            match passed {
                Some(reason) => track.reject(occurrence, reason),
                None => track.later += 1,
            }
        }
    }

    pub(super) fn effect(&self, point: PointIndex) -> Option<Effect<'_>> {
        self.located(point).map(Located::effect)
    }

    /// What pruning looks at.
    fn pruning_context(&self) -> PruningContext<'_> {
        let (newest, patience) = (self.newest, self.options.patience);
        PruningContext { checker: &self.checker, tracks: &self.tracks, newest, patience }
    }

    /// Whether every point is located or known to be impossible.
    pub fn is_complete(&self) -> bool {
        self.tracks.iter().all(Track::decided)
    }

    /// Examines every waiting point from `from` on whose dependencies are now decided.
    fn settle(&mut self, from: usize, tables: &Tables, newly_located: &mut Vec<PointIndex>) {
        for at in from..self.tracks.len() {
            let Some(track) = self.tracks.get(at) else { continue };
            if !matches!(track.state, State::Waiting) {
                continue;
            }
            let unlocated = |p: &&PointIndex| {
                let effect = self.tracks.get(usize::from(p.0));
                effect.is_some_and(|t| matches!(t.state, State::Unlocated(_)))
            };
            let missing = track.needs.iter().find(unlocated).copied();
            let ready = track.needs.iter().all(|p| self.effect(*p).is_some());
            if let Some(effect) = missing {
                if let Some(track) = self.tracks.get_mut(at) {
                    track.log = Log::default();
                    track.state = State::Unlocated(Unlocated::EffectNotLocated(effect));
                }
            } else if ready && self.refine(at, tables) {
                newly_located.push(PointIndex(at as u16));
            }
        }
        self.recount();
    }

    fn recount(&mut self) {
        self.kept = self.tracks.iter().map(|t| t.log.len()).sum();
        self.full &= self.kept > self.options.limit - self.options.limit / 8;
    }

    /// Checks the candidates of a point whose dependencies are all located, and decides the point if its
    /// index is certain.
    fn refine(&mut self, at: usize, tables: &Tables) -> bool {
        self.reject_impossible(at, tables);
        let Some(query) = self.checker.query(at) else { return false };
        // All later occurrences come after a located point.
        let bounded = query.constraints.iter().any(|c| matches!(c, Constraint::Before(_)));
        let Some(track) = self.tracks.get_mut(at) else { return false };
        track.instances = track.log.len() as u64;
        track.state = State::Open;
        let enough = u64::try_from(track.index).is_ok_and(|index| index < track.instances);
        if bounded || enough {
            return self.decide(at, tables);
        }
        match track.window() {
            Some(window) => while track.log.len() > window && track.log.pop_front().is_some() {},
            None => track.log = Log::default(),
        }
        false
    }

    /// Decides an open point from its log. Returns true if it is located.
    fn decide(&mut self, at: usize, tables: &Tables) -> bool {
        let Some(track) = self.tracks.get_mut(at) else { return false };
        let Some(occurrence) = track.conclude() else {
            track.none_found();
            return false;
        };
        let Some(query) = self.checker.query(at) else { return false };
        let verdict = self.checker.judge(query, &occurrence, |p| self.effect(p), tables);
        if let Some(track) = self.tracks.get_mut(at) {
            track.found(occurrence, verdict.unwrap_or(false), tables);
        }
        true
    }

    /// Drops the candidates of a waiting point that fail a constraint on a located point.
    pub(super) fn reject_impossible(&mut self, at: usize, tables: &Tables) {
        let Some(track) = self.tracks.get_mut(at) else { return };
        let mut log = std::mem::take(&mut track.log);
        let mut rejected = std::mem::replace(&mut track.rejected, Rejected::new(0));
        if let Some(query) = self.checker.query(at) {
            log.sift(|_, candidate| {
                match self.checker.judge(query, &candidate, |p| self.effect(p), tables) {
                    Ok(_) => Some(candidate),
                    Err(reason) => {
                        rejected.add(candidate, reason);
                        None
                    }
                }
            });
        }
        if let Some(track) = self.tracks.get_mut(at) {
            track.log = log;
            track.rejected = rejected;
        }
    }

    fn too_many(&self) -> LocateError {
        let most = self.tracks.iter().enumerate().max_by_key(|(_, t)| t.log.len());
        let (at, kept) = most.map_or((0, 0), |(at, t)| (at, t.log.len()));
        let query = self.checker.query(at);
        let mut advice = match query.map(|q| &q.event) {
            Some(
                Event::Written(_)
                | Event::Read(_)
                | Event::ElementWritten(_)
                | Event::Changed(_)
                | Event::Made(_),
            ) => {
                vec!["`within` or `after` another point"]
            }
            Some(Event::Thrown { class: None, .. }) => vec!["an exception class"],
            _ => vec!["`within` another point"],
        };
        if query.is_some_and(|q| q.local.when.is_none()) {
            advice.push("a condition with `when`");
        }
        if query.is_some_and(|q| q.local.thread.is_none()) {
            advice.push("a `thread`");
        }
        LocateError::TooMany {
            point: PointIndex(at as u16),
            id: query.map_or_else(|| "?".into(), |q| q.id.clone()),
            kept,
            limit: self.options.limit,
            advice: advice.join(", "),
        }
    }

    /// Whether [`Locator::prune`] should be called now. It is due again when the number of kept candidates
    /// has grown by a sixteenth. So prunable candidates take little memory, and each one is examined only
    /// about twenty times.
    pub fn wants_prune(&self) -> bool {
        self.kept >= self.prune_at
    }

    /// Drops the candidates that can no longer become answers, and the activations without references. `live`
    /// holds the tracked activations on the stacks of all threads; any other activation has ended.
    pub fn prune(&mut self, tables: &mut Tables, live: impl IntoIterator<Item = ActivationKey>) {
        let live: HashSet<ActivationKey> = live.into_iter().collect();
        for at in 0..self.tracks.len() {
            if !self.tracks.get(at).is_some_and(|t| matches!(t.state, State::Waiting)) {
                continue;
            }
            let located = |p: &PointIndex| self.effect(*p).is_some();
            if self.tracks.get(at).is_some_and(|t| t.needs.iter().any(located)) {
                self.reject_impossible(at, tables);
            }
            let keep = prune::keepers(&self.pruning_context(), at, tables, &live);
            if keep.iter().all(|k| *k) {
                continue;
            }
            if let Some(Track { log, rejected, .. }) = self.tracks.get_mut(at) {
                log.sift(|place, candidate| {
                    if keep.get(place).copied().unwrap_or(true) {
                        return Some(candidate);
                    }
                    rejected.add(candidate, Rejection::Outdone);
                    None
                });
            }
        }
        self.recount();
        tables.retain_activations(live.iter().copied().chain(prune::referenced(&self.pruning_context())));
        let limit = self.options.limit;
        self.full = self.kept > limit - limit / 8;
        self.prune_at = (self.kept + (self.kept / 16).max(PRUNE_FROM / 2)).max(PRUNE_FROM).min(limit);
    }

    /// Ends the run: decides every point that had to wait for the end.
    pub fn finish(&mut self, tables: &Tables) {
        self.solve_last_roots(tables);
        for at in 0..self.tracks.len() {
            // The newest solution ends with the last hit of this root.
            if let Some(track) = self.tracks.get_mut(at).filter(|t| t.held) {
                track.index = -1;
                track.held = false;
            }
            if self.tracks.get(at).is_some_and(|t| matches!(t.state, State::Open)) {
                self.decide(at, tables);
                self.settle(at + 1, tables, &mut Vec::new());
            }
        }
    }

    /// Finds one solution for each kept hit of the main root, the newest last.
    fn solve_last_roots(&mut self, tables: &Tables) {
        let Some(root) = self.tracks.iter().position(|t| t.held) else { return };
        let mut solutions = Vec::new();
        let hits = self.tracks.get(root).map(|t| &t.log);
        for hit in hits.into_iter().flat_map(Log::iter) {
            let mut solution: Vec<Option<Located>> = Vec::with_capacity(self.tracks.len());
            for (at, track) in self.tracks.iter().enumerate() {
                let answer = match &track.state {
                    State::Located(located) => Some(located.as_ref().clone()),
                    State::Unlocated(_) => None,
                    _ if at == root => {
                        let view = StackView::new(hit, tables);
                        Some(Located { occurrence: hit.clone(), uncertain: false, view })
                    }
                    _ => self.choose(at, &solution, tables),
                };
                solution.push(answer);
            }
            solutions.push(solution);
        }
        self.solutions = solutions;
    }

    /// The answer of a point, given the answers of the earlier points.
    fn choose(&self, at: usize, before: &[Option<Located>], tables: &Tables) -> Option<Located> {
        let (track, query) = (self.tracks.get(at)?, self.checker.query(at)?);
        let resolve = |p: PointIndex| before.get(usize::from(p.0))?.as_ref().map(Located::effect);
        if track.needs.iter().any(|p| resolve(*p).is_none()) {
            return None;
        }
        let judged = track.log.iter().map(|c| (c, self.checker.judge(query, c, resolve, tables)));
        let instances: Vec<(&Occurrence, bool)> = judged.filter_map(|(c, v)| Some((c, v.ok()?))).collect();
        let place = match usize::try_from(track.index) {
            Ok(from_first) => from_first,
            Err(_) => instances
                .len()
                .checked_sub(usize::try_from(track.index.unsigned_abs()).unwrap_or(usize::MAX))?,
        };
        let (occurrence, uncertain) = instances.get(place)?;
        let view = StackView::new(occurrence, tables);
        Some(Located { occurrence: (*occurrence).clone(), uncertain: *uncertain, view })
    }

    /// The answer of a point, if it is already located.
    pub fn located(&self, point: PointIndex) -> Option<&Located> {
        self.tracks.get(usize::from(point.0))?.located()
    }

    /// The located occurrences, also those of the solutions, to add what they show.
    pub fn located_occurrences(&mut self) -> Vec<&mut Occurrence> {
        let located = self.tracks.iter_mut().filter_map(|track| match &mut track.state {
            State::Located(located) => Some(&mut located.occurrence),
            _ => None,
        });
        let solutions = self.solutions.iter_mut().flatten().flatten();
        located.chain(solutions.map(|located| &mut located.occurrence)).collect()
    }

    /// With `last_roots` and after [`Locator::finish`]: the answers of all points for each of the last hits
    /// of the first root, oldest first. [`Locator::located`] then returns those of the newest.
    pub fn solutions(&self) -> &[Vec<Option<Located>>] {
        &self.solutions
    }

    /// Number of candidates currently held.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// The report of each point's hits.
    pub fn report(&self) -> Vec<PointReport> {
        self.tracks.iter().zip(self.queries()).map(|(track, query)| track.report(query)).collect()
    }
}

/// Decides a point before the run if its event has no site or it depends on such a point.
fn never_occurs(query: &TraceQuery, before: &[Track], track: &Track) -> Option<Unlocated> {
    let unlocated = |p: &&PointIndex| {
        before.get(usize::from(p.0)).is_some_and(|t| matches!(t.state, State::Unlocated(_)))
    };
    if let Some(effect) = track.needs.iter().find(unlocated) {
        return Some(Unlocated::EffectNotLocated(*effect));
    }
    let without_sites = match &query.event {
        Event::Reached(sites) => sites.is_empty(),
        Event::Returned(methods) => methods.is_empty(),
        Event::Skipped(lines) => lines.is_empty(),
        Event::Stored(stores) => stores.is_empty(),
        Event::Branched(branches) => branches.is_empty(),
        Event::Copied(copies) => copies.sites.is_empty(),
        Event::Written(_)
        | Event::Read(_)
        | Event::ElementWritten(_)
        | Event::Made(_)
        | Event::Changed(_)
        | Event::Thrown { .. } => false,
    };
    without_sites.then_some(Unlocated::NeverOccurred)
}
