//! Which candidates of a waiting point can still win. It may use `model` and `query`.
//!
//! Candidates that agree in everything a constraint on an unlocated point looks at, except the time, form a
//! group: all of a group satisfy those constraints or none does. So for index -k only the last k of a group
//! before the bound that `before` sets can win, and for index m only the first m + 1 after the bound that
//! `after` sets. The bounds are the candidates of the named points that may be their answers, and "some time
//! from now on".
//!
//! With one unlocated point (nearly always) each of its candidates picks, by binary search, what it would
//! choose if it were the answer. With several, every group keeps what it would need for every bound, which is
//! more than can win, and never less. What is dropped is told by its place only; the work is sorting, and no
//! table per candidate stays.

use super::check::{self, Effect, View};
use super::locator::Locator;
use super::log::Log;
use super::track::State;
use crate::model::{ActivationKey, Occurrence, Tables, Value};
use crate::query::{Constraint, FrameSelector, PointIndex, Slot, TraceQuery};
use std::cmp::Ordering;
use std::collections::HashSet;

/// One thing that a constraint looks at in a candidate.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Object(Slot),
    Equal(Slot),
    Thread,
    Own,
    Catcher,
    Frame,
    Way,
}

impl Part {
    /// Equal numbers mean equal things; 0 means none.
    fn of(self, candidate: &Occurrence) -> u64 {
        match self {
            Part::Object(slot) => {
                let id = check::slot(candidate, slot).and_then(Value::identity);
                id.map_or(0, |id| id.wrapping_add(1))
            }
            Part::Equal(slot) => {
                let equality = check::slot(candidate, slot).and_then(Value::equality);
                equality.map_or(0, |number| number.wrapping_add(1))
            }
            Part::Thread => u64::from(candidate.thread.0),
            Part::Own => candidate.activation.map_or(0, |a| a.serial()),
            Part::Catcher => check::catcher(candidate).map_or(0, |a| a.serial()),
            Part::Frame => u64::from(candidate.frame.0),
            Part::Way => candidate.way.map_or(0, |w| u64::from(w.get()) + 1),
        }
    }
}

/// What a possible answer of the named point fixes in a group that matches it.
enum Anchor {
    /// Nothing further.
    None,
    /// The activation of one of its frames.
    Own(FrameSelector),
    /// The activation that catches, which is on its stack.
    Catcher,
}

/// Marks the candidates of point `at` that can still win.
pub(super) fn keepers(
    locator: &Locator,
    at: usize,
    tables: &Tables,
    live: &HashSet<ActivationKey>,
) -> Vec<bool> {
    let (Some(track), Some(query)) = (locator.tracks.get(at), locator.checker.query(at)) else {
        return Vec::new();
    };
    let unlocated: Vec<PointIndex> =
        track.needs.iter().copied().filter(|p| locator.effect(*p).is_none()).collect();
    let [first, rest @ ..] = unlocated.as_slice() else { return vec![true; track.log.len()] };
    let constraints: Vec<&Constraint> =
        query.constraints.iter().filter(|c| unlocated.contains(&c.point())).collect();
    let mut work = Work {
        locator,
        tables,
        live,
        query,
        log: &track.log,
        index: track.index,
        constraints,
        parts: Vec::new(),
        order: Vec::new(),
        keep: vec![false; track.log.len()],
    };
    if rest.is_empty() {
        let (exact, anchor) = work.parts_of_one();
        work.sort();
        work.keep_for_future(*first);
        if work.keep_for_each(*first, &exact, &anchor).is_some() {
            return work.keep;
        }
    } else {
        work.parts_of_all();
        work.sort();
    }
    work.keep_for_bounds(&unlocated);
    work.keep
}

struct Work<'a> {
    locator: &'a Locator,
    tables: &'a Tables,
    live: &'a HashSet<ActivationKey>,
    query: &'a TraceQuery,
    log: &'a Log,
    index: i64,
    /// Those on unlocated points.
    constraints: Vec<&'a Constraint>,
    parts: Vec<Part>,
    /// The candidates' places, by group and then by time, each with its first part.
    order: Vec<(u64, u32)>,
    keep: Vec<bool>,
}

impl Work<'_> {
    fn add(&mut self, part: Part) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// Parts for one unlocated point: first those whose value a possible answer fixes (the constraints that
    /// fix them are returned), then the one it anchors, then the rest.
    fn parts_of_one(&mut self) -> (Vec<Constraint>, Anchor) {
        let mut exact = Vec::new();
        for constraint in self.constraints.clone() {
            let part = match constraint {
                Constraint::Sameness { mine, .. } => Part::Object(*mine),
                Constraint::SameValue { mine, .. } => Part::Equal(*mine),
                Constraint::SameThread(_) => Part::Thread,
                _ => continue,
            };
            if !self.parts.contains(&part) {
                self.parts.push(part);
                exact.push(constraint.clone());
            }
        }
        let mut anchor = Anchor::None;
        for constraint in &self.constraints {
            anchor = match (constraint, anchor) {
                (Constraint::MayAffect { frame: frame @ FrameSelector::Nth(_), .. }, _) => {
                    Anchor::Own(*frame)
                }
                (Constraint::MayAffect { .. } | Constraint::Controls(_), Anchor::None | Anchor::Catcher) => {
                    Anchor::Own(FrameSelector::Any)
                }
                (Constraint::CaughtIn(_), Anchor::None) => Anchor::Catcher,
                (_, anchor) => anchor,
            };
        }
        match anchor {
            Anchor::Own(_) => self.add(Part::Own),
            Anchor::Catcher => self.add(Part::Catcher),
            Anchor::None => {}
        }
        self.parts_of_all();
        (exact, anchor)
    }

    fn parts_of_all(&mut self) {
        for constraint in self.constraints.clone() {
            match constraint {
                Constraint::Before(_) | Constraint::After(_) => {}
                Constraint::SameThread(_) => self.add(Part::Thread),
                Constraint::Sameness { mine, .. } => self.add(Part::Object(*mine)),
                Constraint::SameValue { mine, .. } => self.add(Part::Equal(*mine)),
                Constraint::MayAffect { .. } | Constraint::Within(_) => self.add(Part::Own),
                Constraint::StoresFor { .. } => {
                    self.add(Part::Frame);
                    self.add(Part::Way);
                }
                Constraint::Controls(_) => {
                    self.add(Part::Own);
                    self.add(Part::Frame);
                    self.add(Part::Way);
                }
                Constraint::CaughtIn(_) => self.add(Part::Catcher),
            }
        }
    }

    fn sort(&mut self) {
        let first = |c: &Occurrence| self.parts.first().map_or(0, |p| p.of(c));
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(self.log.len());
        order.extend(self.log.iter().enumerate().map(|(place, c)| (first(c), place as u32)));
        order.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.compare_rest(a.1, b.1)).then_with(|| a.1.cmp(&b.1))
        });
        self.order = order;
    }

    fn candidate(&self, entry: (u64, u32)) -> Option<&Occurrence> {
        self.log.get(entry.1 as usize)
    }

    fn compare_rest(&self, a: u32, b: u32) -> Ordering {
        if self.parts.len() < 2 {
            return Ordering::Equal;
        }
        let (Some(a), Some(b)) = (self.log.get(a as usize), self.log.get(b as usize)) else {
            return Ordering::Equal;
        };
        let rest = self.parts.iter().skip(1).map(|p| p.of(a).cmp(&p.of(b)));
        rest.fold(Ordering::Equal, Ordering::then)
    }

    fn compare_prefix(&self, entry: (u64, u32), prefix: &[u64]) -> Ordering {
        let Some(candidate) = self.candidate(entry) else { return Ordering::Equal };
        let compared = self.parts.iter().zip(prefix).map(|(p, wanted)| p.of(candidate).cmp(wanted));
        compared.fold(Ordering::Equal, Ordering::then)
    }

    fn sequence(&self, entry: (u64, u32)) -> u64 {
        self.candidate(entry).map_or(0, |c| c.sequence)
    }

    /// The end of the group that starts at `start`, at most `end`.
    fn group_end(&self, start: usize, end: usize) -> usize {
        let Some(head) = self.order.get(start).copied() else { return end };
        let same = |e: &(u64, u32)| e.0 == head.0 && self.compare_rest(e.1, head.1) == Ordering::Equal;
        // Most groups are short: look near before halving the whole.
        let mut reach = start + 1;
        let mut step = 1;
        while reach < end && self.order.get(reach).is_some_and(same) {
            reach = (reach + step).min(end);
            step *= 2;
        }
        let low = start + 1;
        let slice = self.order.get(low..reach).unwrap_or_default();
        low + slice.partition_point(same)
    }

    /// The group that starts at `start`: its end and its first candidate, which speaks for all of it.
    fn group(&self, start: usize) -> Option<(usize, &Occurrence)> {
        let head = self.order.get(start).and_then(|e| self.candidate(*e))?;
        Some((self.group_end(start, self.order.len()), head))
    }

    fn has(&self, kind: impl Fn(&Constraint) -> bool) -> bool {
        self.constraints.iter().any(|c| kind(c))
    }

    /// How many of a group one bound needs: from its end for a negative index, else from its start.
    fn window(&self) -> usize {
        let from_first = usize::try_from(self.index).map(|m| m.saturating_add(1));
        from_first.unwrap_or_else(|_| usize::try_from(self.index.unsigned_abs()).unwrap_or(usize::MAX))
    }

    /// Whether a candidate can be an instance for an answer of `point` that is still to occur: such an
    /// answer's stack holds only activations that have not ended, and nothing kept is after it.
    fn can_match_future(&self, candidate: &Occurrence, point: PointIndex) -> bool {
        let alive = |key: Option<ActivationKey>| key.is_some_and(|k| self.live.contains(&k));
        self.constraints.iter().filter(|c| c.point() == point).all(|constraint| match constraint {
            Constraint::After(_) => false,
            Constraint::MayAffect { .. } | Constraint::Controls(_) => alive(candidate.activation),
            Constraint::CaughtIn(_) => alive(check::catcher(candidate)),
            Constraint::Within(_) => {
                self.tables.activations(candidate.activation).any(|(key, _)| self.live.contains(&key))
            }
            _ => true,
        })
    }

    /// Marks what an answer of `point` that is still to occur would choose.
    fn keep_for_future(&mut self, point: PointIndex) {
        let mut start = 0;
        while let Some((end, head)) = self.group(start) {
            if self.can_match_future(head, point) {
                self.keep_in_group(start, end, &[], true);
            }
            start = end;
        }
    }

    /// Marks in one group what the sorted `bounds` need, and what no bound needs (`unbounded`).
    fn keep_in_group(&mut self, start: usize, end: usize, bounds: &[u64], unbounded: bool) {
        let window = self.window();
        let last = self.index < 0;
        let newest = self.locator.newest;
        for i in start..end {
            let Some(&(_, place)) = self.order.get(i) else { continue };
            let sequence = self.order.get(i).map_or(0, |e| self.sequence(*e));
            let wins = if last {
                // Some bound lies after this one and not after the one that would take its place.
                let next = i.checked_add(window).filter(|n| *n < end).and_then(|n| self.order.get(n));
                match next.map(|e| self.sequence(*e)) {
                    None => unbounded || bounds.partition_point(|b| *b <= sequence) < bounds.len(),
                    Some(next) => {
                        let after = bounds.partition_point(|b| *b <= sequence);
                        // A future answer may be the event that was offered last.
                        bounds.get(after).is_some_and(|b| *b <= next)
                            || (unbounded && sequence < newest && newest <= next)
                    }
                }
            } else {
                let previous = i.checked_sub(window).filter(|n| *n >= start).and_then(|n| self.order.get(n));
                let before = bounds.partition_point(|b| *b < sequence);
                match previous.map(|e| self.sequence(*e)) {
                    None => unbounded || before > 0,
                    Some(previous) => {
                        before.checked_sub(1).and_then(|b| bounds.get(b)).is_some_and(|b| *b >= previous)
                    }
                }
            };
            if wins && let Some(mark) = self.keep.get_mut(place as usize) {
                *mark = true;
            }
        }
    }

    /// Marks what each candidate of `point` would choose if it were the answer. `None` when that takes too
    /// long, for constraints that leave very many groups to look at.
    fn keep_for_each(&mut self, point: PointIndex, exact: &[Constraint], anchor: &Anchor) -> Option<()> {
        let possible = &self.locator.tracks.get(usize::from(point.0))?.log;
        let per_candidate = self.locator.patience;
        let mut budget = (possible.len() + self.log.len()).saturating_mul(per_candidate);
        let mut picks: Vec<u32> = Vec::new();
        let by_stack = self.has(asks_for_stack);
        for answer in possible.iter() {
            let view = if by_stack { View::new(answer, self.tables) } else { View::default() };
            let effect = Effect { occurrence: answer, view: &view };
            let Some(mut prefix) = exact.iter().map(|c| fixed(c, answer)).collect::<Option<Vec<u64>>>()
            else {
                continue;
            };
            picks.clear();
            match anchor {
                Anchor::None => self.pick(&prefix, effect, &mut picks, &mut budget)?,
                Anchor::Own(FrameSelector::Nth(n)) => {
                    let Some(activation) = view.nth(*n) else { continue };
                    prefix.push(activation.key.serial());
                    self.pick(&prefix, effect, &mut picks, &mut budget)?;
                }
                Anchor::Own(FrameSelector::Any) | Anchor::Catcher => {
                    for activation in &view.activations {
                        prefix.push(activation.key.serial());
                        self.pick(&prefix, effect, &mut picks, &mut budget)?;
                        prefix.pop();
                    }
                }
            }
            // Places are in the order of the run.
            picks.sort_unstable();
            let window = self.window();
            let skipped = if self.index < 0 { picks.len().saturating_sub(window) } else { 0 };
            for place in picks.iter().skip(skipped).take(window) {
                if let Some(mark) = self.keep.get_mut(*place as usize) {
                    *mark = true;
                }
            }
        }
        Some(())
    }

    /// Adds what `effect` would choose in each of the groups that begin with `prefix`.
    fn pick(
        &self,
        prefix: &[u64],
        effect: Effect<'_>,
        picks: &mut Vec<u32>,
        budget: &mut usize,
    ) -> Option<()> {
        *budget = budget.checked_sub(1)?;
        let from = self.order.partition_point(|e| self.compare_prefix(*e, prefix) == Ordering::Less);
        let rest = self.order.get(from..)?;
        let end = from + rest.partition_point(|e| self.compare_prefix(*e, prefix) == Ordering::Equal);
        let window = self.window();
        let mut start = from;
        while start < end {
            let stop = self.group_end(start, end);
            *budget = budget.checked_sub(1)?;
            let head = self.order.get(start).and_then(|e| self.candidate(*e));
            if head.is_some_and(|c| self.satisfies_timeless(c, effect)) {
                let at = effect.occurrence.sequence;
                let mut group = self.order.get(start..stop).unwrap_or_default();
                if self.has(|c| matches!(c, Constraint::Before(_))) {
                    let cut = group.partition_point(|e| self.sequence(*e) < at);
                    group = group.get(..cut).unwrap_or_default();
                }
                if self.has(|c| matches!(c, Constraint::After(_))) {
                    let cut = group.partition_point(|e| self.sequence(*e) <= at);
                    group = group.get(cut..).unwrap_or_default();
                }
                let skipped = if self.index < 0 { group.len().saturating_sub(window) } else { 0 };
                picks.extend(group.iter().skip(skipped).take(window).map(|e| e.1));
                *budget = budget.checked_sub(group.len().min(window))?;
            }
            start = stop;
        }
        Some(())
    }

    fn satisfies_timeless(&self, candidate: &Occurrence, effect: Effect<'_>) -> bool {
        self.constraints.iter().all(|c| match c {
            Constraint::Before(_) | Constraint::After(_) => true,
            c => self.locator.checker.check(self.query, candidate, c, effect, self.tables).is_ok(),
        })
    }

    /// Marks what every group needs for every bound that the candidates of the unlocated points can set.
    fn keep_for_bounds(&mut self, unlocated: &[PointIndex]) {
        let last = self.index < 0;
        let mut bounds: Vec<u64> = Vec::new();
        for constraint in &self.constraints {
            let point = match constraint {
                Constraint::Before(p) if last => p,
                Constraint::After(p) if !last => p,
                _ => continue,
            };
            let possible = self.locator.tracks.get(usize::from(point.0)).map(|t| &t.log);
            bounds.extend(possible.into_iter().flat_map(Log::iter).map(|c| c.sequence));
        }
        bounds.sort_unstable();
        bounds.dedup();
        // What is kept is never after an answer that is still to occur.
        let unbounded = last || !self.has(|c| matches!(c, Constraint::After(_)));
        // A point without candidates will occur later, if at all.
        let future: Vec<PointIndex> = unlocated
            .iter()
            .copied()
            .filter(|p| {
                let track = self.locator.tracks.get(usize::from(p.0));
                track.is_some_and(|t| t.log.len() == 0 && !matches!(t.state, State::Unlocated(_)))
            })
            .collect();
        let mut start = 0;
        while let Some((end, head)) = self.group(start) {
            if future.iter().all(|p| self.can_match_future(head, *p)) {
                self.keep_in_group(start, end, &bounds, unbounded);
            }
            start = end;
        }
    }
}

/// Whether a constraint looks at the stack of the point it names.
fn asks_for_stack(constraint: &Constraint) -> bool {
    asks_for_activations(constraint) || matches!(constraint, Constraint::StoresFor { .. })
}

/// Whether a constraint looks at activations, of the candidate and of the point it names.
fn asks_for_activations(constraint: &Constraint) -> bool {
    matches!(
        constraint,
        Constraint::MayAffect { .. }
            | Constraint::Controls(_)
            | Constraint::Within(_)
            | Constraint::CaughtIn(_)
    )
}

/// The value that a possible answer fixes through a constraint; `None` when nothing can match it.
fn fixed(constraint: &Constraint, answer: &Occurrence) -> Option<u64> {
    match constraint {
        Constraint::Sameness { theirs, .. } => {
            check::slot(answer, *theirs).and_then(Value::identity).map(|id| id.wrapping_add(1))
        }
        Constraint::SameValue { theirs, .. } => {
            check::slot(answer, *theirs).and_then(Value::equality).map(|number| number.wrapping_add(1))
        }
        Constraint::SameThread(_) => Some(u64::from(answer.thread.0)),
        _ => None,
    }
}

/// The activations that candidates and answers refer to, as far as a constraint may ask for them.
pub(super) fn referenced(locator: &Locator) -> impl Iterator<Item = ActivationKey> {
    let mut asked = HashSet::new();
    for query in locator.queries() {
        for constraint in query.constraints.iter().filter(|c| asks_for_activations(c)) {
            asked.insert(query.point);
            asked.insert(constraint.point());
        }
    }
    let asked: Vec<_> = locator.queries().iter().map(|q| asked.contains(&q.point)).collect();
    let tracks = locator.tracks.iter().zip(asked).filter(|(_, asked)| *asked).map(|(track, _)| track);
    tracks.flat_map(|track| {
        let located = track.located().map(|l| &l.occurrence);
        track.log.iter().chain(located).flat_map(|o| o.activation.into_iter().chain(check::catcher(o)))
    })
}
