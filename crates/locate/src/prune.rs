//! Decides which candidates of a waiting point can still become its answer. It may use `model` and `query`.
//!
//! Candidates form a group when they agree in every property, except time, that constraints on unlocated
//! points examine. Either all candidates of a group satisfy those constraints or none does. So for index -k,
//! only the last k of a group before the bound set by `before` can become the answer. For index m, only the
//! first m + 1 after the bound set by `after` can. The bounds are the possible answers of the named points,
//! and "some time from now on".
//!
//! With one unlocated point, which is nearly always the case, each of its candidates selects by binary search
//! what it would choose as the answer. With several, every group keeps what it would need for every bound:
//! more than necessary, never less. The work is sorting; no table per candidate remains.

use super::check::{self, Checker, Effect, StackView};
use super::log::Log;
use super::track::{Located, State, Track};
use model::{ActivationKey, Occurrence, Tables, Value};
use query::{Constraint, FrameSelector, PointIndex, Slot, TraceQuery};
use std::cmp::Ordering;
use std::collections::HashSet;

/// The candidates that are held, and what decides about them.
pub(super) struct PruningContext<'a> {
    pub(super) checker: &'a Checker,
    pub(super) tracks: &'a [Track],
    /// The sequence number of the newest occurrence.
    pub(super) newest: u64,
    /// Groups that pruning may look at per candidate before it keeps more instead.
    pub(super) patience: usize,
}

impl<'a> PruningContext<'a> {
    /// The effect of a located point.
    fn effect(&self, point: PointIndex) -> Option<Effect<'a>> {
        self.tracks.get(usize::from(point.0))?.located().map(Located::effect)
    }
}

/// A property of a candidate that a constraint examines.
#[derive(Clone, Copy, PartialEq)]
enum Property {
    Object(Slot),
    Equal(Slot),
    Thread,
    Activation,
    Catcher,
    Frame,
    Way,
}

impl Property {
    /// A number for the property's value: equal numbers mean equal values, and 0 means none.
    fn of(self, candidate: &Occurrence) -> u64 {
        match self {
            Property::Object(slot) => {
                let id = check::slot(candidate, slot).and_then(Value::identity);
                id.map_or(0, |id| id.wrapping_add(1))
            }
            Property::Equal(slot) => {
                let equality = check::slot(candidate, slot).and_then(Value::equality);
                equality.map_or(0, |number| number.wrapping_add(1))
            }
            Property::Thread => u64::from(candidate.thread.0),
            Property::Activation => candidate.activation.map_or(0, |a| a.serial()),
            Property::Catcher => check::catcher(candidate).map_or(0, |a| a.serial()),
            Property::Frame => u64::from(candidate.frame.0),
            Property::Way => candidate.way.map_or(0, |w| u64::from(w.get()) + 1),
        }
    }
}

/// What a possible answer of the named point requires of a matching group.
enum Anchor {
    /// No further requirement.
    None,
    /// The activation of one of the answer's frames.
    Activation(FrameSelector),
    /// The catching activation, which is on the answer's stack.
    Catcher,
}

/// Marks the candidates of point `at` that can still become its answer.
pub(super) fn keepers(
    pruning_context: &PruningContext<'_>,
    at: usize,
    tables: &Tables,
    live: &HashSet<ActivationKey>,
) -> Vec<bool> {
    let (Some(track), Some(query)) = (pruning_context.tracks.get(at), pruning_context.checker.query(at))
    else {
        return Vec::new();
    };
    let unlocated: Vec<PointIndex> =
        track.needs.iter().copied().filter(|p| pruning_context.effect(*p).is_none()).collect();
    let [first, rest @ ..] = unlocated.as_slice() else { return vec![true; track.log.len()] };
    let constraints: Vec<&Constraint> =
        query.constraints.iter().filter(|c| unlocated.contains(&c.point())).collect();
    let mut pruning = Pruning {
        pruning_context,
        tables,
        live,
        query,
        log: &track.log,
        index: track.index,
        constraints,
        properties: Vec::new(),
        order: Vec::new(),
        keep: vec![false; track.log.len()],
    };
    if rest.is_empty() {
        let (exact, anchor) = pruning.properties_for_one();
        pruning.sort();
        pruning.keep_for_future(*first);
        if pruning.keep_for_each(*first, &exact, &anchor).is_some() {
            return pruning.keep;
        }
    } else {
        pruning.properties_for_all();
        pruning.sort();
    }
    pruning.keep_for_bounds(&unlocated);
    pruning.keep
}

/// A candidate in the order in which groups are found.
#[derive(Clone, Copy)]
struct SortedCandidate {
    /// Its first property.
    first: u64,
    /// Its index in the log.
    index: u32,
}

struct Pruning<'a> {
    pruning_context: &'a PruningContext<'a>,
    tables: &'a Tables,
    live: &'a HashSet<ActivationKey>,
    query: &'a TraceQuery,
    log: &'a Log,
    index: i64,
    /// The constraints on unlocated points.
    constraints: Vec<&'a Constraint>,
    properties: Vec<Property>,
    /// The candidates, sorted by group and then by time.
    order: Vec<SortedCandidate>,
    keep: Vec<bool>,
}

impl Pruning<'_> {
    fn add(&mut self, property: Property) {
        if !self.properties.contains(&property) {
            self.properties.push(property);
        }
    }

    /// Chooses the group key for one unlocated point: first the properties that a possible answer fixes
    /// (returned with their constraints), then the anchor, then the rest.
    fn properties_for_one(&mut self) -> (Vec<Constraint>, Anchor) {
        let mut exact = Vec::new();
        for constraint in self.constraints.clone() {
            let property = match constraint {
                Constraint::Sameness { mine, .. } => Property::Object(*mine),
                Constraint::SameValue { mine, .. } => Property::Equal(*mine),
                Constraint::SameThread(_) => Property::Thread,
                _ => continue,
            };
            if !self.properties.contains(&property) {
                self.properties.push(property);
                exact.push(constraint.clone());
            }
        }
        let mut anchor = Anchor::None;
        for constraint in &self.constraints {
            anchor = match (constraint, anchor) {
                (Constraint::MayAffect { frame: frame @ FrameSelector::Nth(_), .. }, _) => {
                    Anchor::Activation(*frame)
                }
                (Constraint::MayAffect { .. } | Constraint::Controls(_), Anchor::None | Anchor::Catcher) => {
                    Anchor::Activation(FrameSelector::Any)
                }
                (Constraint::CaughtIn(_), Anchor::None) => Anchor::Catcher,
                (_, anchor) => anchor,
            };
        }
        match anchor {
            Anchor::Activation(_) => self.add(Property::Activation),
            Anchor::Catcher => self.add(Property::Catcher),
            Anchor::None => {}
        }
        self.properties_for_all();
        (exact, anchor)
    }

    fn properties_for_all(&mut self) {
        for constraint in self.constraints.clone() {
            match constraint {
                Constraint::Before(_) | Constraint::After(_) => {}
                Constraint::SameThread(_) => self.add(Property::Thread),
                Constraint::Sameness { mine, .. } => self.add(Property::Object(*mine)),
                Constraint::SameValue { mine, .. } => self.add(Property::Equal(*mine)),
                Constraint::MayAffect { .. } | Constraint::Within(_) => self.add(Property::Activation),
                Constraint::StoresFor { .. } => {
                    self.add(Property::Frame);
                    self.add(Property::Way);
                }
                Constraint::Controls(_) => {
                    self.add(Property::Activation);
                    self.add(Property::Frame);
                    self.add(Property::Way);
                }
                Constraint::CaughtIn(_) => self.add(Property::Catcher),
            }
        }
    }

    fn sort(&mut self) {
        let first = |c: &Occurrence| self.properties.first().map_or(0, |p| p.of(c));
        let mut order: Vec<SortedCandidate> = Vec::with_capacity(self.log.len());
        let sorted = |(index, c)| SortedCandidate { first: first(c), index: index as u32 };
        order.extend(self.log.iter().enumerate().map(sorted));
        order.sort_unstable_by(|a, b| {
            let by_group = a.first.cmp(&b.first).then_with(|| self.compare_rest(a.index, b.index));
            by_group.then_with(|| a.index.cmp(&b.index))
        });
        self.order = order;
    }

    fn candidate(&self, entry: SortedCandidate) -> Option<&Occurrence> {
        self.log.get(entry.index as usize)
    }

    fn compare_rest(&self, a: u32, b: u32) -> Ordering {
        if self.properties.len() < 2 {
            return Ordering::Equal;
        }
        let (Some(a), Some(b)) = (self.log.get(a as usize), self.log.get(b as usize)) else {
            return Ordering::Equal;
        };
        let rest = self.properties.iter().skip(1).map(|p| p.of(a).cmp(&p.of(b)));
        rest.fold(Ordering::Equal, Ordering::then)
    }

    fn compare_prefix(&self, entry: SortedCandidate, prefix: &[u64]) -> Ordering {
        let Some(candidate) = self.candidate(entry) else { return Ordering::Equal };
        let compared = self.properties.iter().zip(prefix).map(|(p, wanted)| p.of(candidate).cmp(wanted));
        compared.fold(Ordering::Equal, Ordering::then)
    }

    fn sequence(&self, entry: SortedCandidate) -> u64 {
        self.candidate(entry).map_or(0, |c| c.sequence)
    }

    /// The end of the group that starts at `start`, at most `end`.
    fn group_end(&self, start: usize, end: usize) -> usize {
        let Some(head) = self.order.get(start).copied() else { return end };
        let same = |e: &SortedCandidate| {
            e.first == head.first && self.compare_rest(e.index, head.index) == Ordering::Equal
        };
        // Most groups are short, so search near the start first.
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

    /// The end and the first candidate of the group that starts at `start`. The first candidate represents
    /// the group.
    fn group(&self, start: usize) -> Option<(usize, &Occurrence)> {
        let head = self.order.get(start).and_then(|e| self.candidate(*e))?;
        Some((self.group_end(start, self.order.len()), head))
    }

    fn has(&self, kind: impl Fn(&Constraint) -> bool) -> bool {
        self.constraints.iter().any(|c| kind(c))
    }

    /// Number of candidates that one bound needs, from the group's end for a negative index, otherwise from
    /// its start.
    fn window(&self) -> usize {
        let from_first = usize::try_from(self.index).map(|m| m.saturating_add(1));
        from_first.unwrap_or_else(|_| usize::try_from(self.index.unsigned_abs()).unwrap_or(usize::MAX))
    }

    /// Whether a candidate can be an instance for a future answer of `point`. The stack of a future answer
    /// holds only live activations, and no kept candidate comes after it.
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

    /// Marks the candidates that a future answer of `point` would choose.
    fn keep_for_future(&mut self, point: PointIndex) {
        let mut start = 0;
        while let Some((end, head)) = self.group(start) {
            if self.can_match_future(head, point) {
                self.keep_in_group(start, end, &[], true);
            }
            start = end;
        }
    }

    /// Marks what the sorted `bounds` need in one group, and with `unbounded` also what no bound limits.
    fn keep_in_group(&mut self, start: usize, end: usize, bounds: &[u64], unbounded: bool) {
        let window = self.window();
        let last = self.index < 0;
        let newest = self.pruning_context.newest;
        for i in start..end {
            let Some(&SortedCandidate { index: place, .. }) = self.order.get(i) else { continue };
            let sequence = self.order.get(i).map_or(0, |e| self.sequence(*e));
            let wins = if last {
                // Some bound lies after this candidate, but not after the one that would replace it.
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

    /// Marks the candidate that each possible answer of `point` would choose. `None` when this takes too long
    /// because the constraints leave too many groups.
    fn keep_for_each(&mut self, point: PointIndex, exact: &[Constraint], anchor: &Anchor) -> Option<()> {
        let possible = &self.pruning_context.tracks.get(usize::from(point.0))?.log;
        let per_candidate = self.pruning_context.patience;
        let mut budget = (possible.len() + self.log.len()).saturating_mul(per_candidate);
        let mut picks: Vec<u32> = Vec::new();
        let by_stack = self.has(asks_for_stack);
        for answer in possible.iter() {
            let view = if by_stack { StackView::new(answer, self.tables) } else { StackView::default() };
            let effect = Effect { occurrence: answer, view: &view };
            let Some(mut prefix) = exact.iter().map(|c| fixed(c, answer)).collect::<Option<Vec<u64>>>()
            else {
                continue;
            };
            picks.clear();
            match anchor {
                Anchor::None => self.pick(&prefix, effect, &mut picks, &mut budget)?,
                Anchor::Activation(FrameSelector::Nth(n)) => {
                    let Some(activation) = view.nth(*n) else { continue };
                    prefix.push(activation.key.serial());
                    self.pick(&prefix, effect, &mut picks, &mut budget)?;
                }
                Anchor::Activation(FrameSelector::Any) | Anchor::Catcher => {
                    for activation in &view.activations {
                        prefix.push(activation.key.serial());
                        self.pick(&prefix, effect, &mut picks, &mut budget)?;
                        prefix.pop();
                    }
                }
            }
            // Indices are in the order of the run.
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

    /// Adds the candidates that `effect` would choose in each group that begins with `prefix`.
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
                picks.extend(group.iter().skip(skipped).take(window).map(|e| e.index));
                *budget = budget.checked_sub(group.len().min(window))?;
            }
            start = stop;
        }
        Some(())
    }

    fn satisfies_timeless(&self, candidate: &Occurrence, effect: Effect<'_>) -> bool {
        self.constraints.iter().all(|c| match c {
            Constraint::Before(_) | Constraint::After(_) => true,
            c => self.pruning_context.checker.check(self.query, candidate, c, effect, self.tables).is_ok(),
        })
    }

    /// Marks what every group needs for every bound that candidates of the unlocated points can set.
    fn keep_for_bounds(&mut self, unlocated: &[PointIndex]) {
        let last = self.index < 0;
        let mut bounds: Vec<u64> = Vec::new();
        for constraint in &self.constraints {
            let point = match constraint {
                Constraint::Before(p) if last => p,
                Constraint::After(p) if !last => p,
                _ => continue,
            };
            let possible = self.pruning_context.tracks.get(usize::from(point.0)).map(|t| &t.log);
            bounds.extend(possible.into_iter().flat_map(Log::iter).map(|c| c.sequence));
        }
        bounds.sort_unstable();
        bounds.dedup();
        // A kept candidate never comes after a future answer.
        let unbounded = last || !self.has(|c| matches!(c, Constraint::After(_)));
        // A point without candidates can only occur later.
        let future: Vec<PointIndex> = unlocated
            .iter()
            .copied()
            .filter(|p| {
                let track = self.pruning_context.tracks.get(usize::from(p.0));
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

/// Whether a constraint examines the stack of its point.
fn asks_for_stack(constraint: &Constraint) -> bool {
    asks_for_activations(constraint) || matches!(constraint, Constraint::StoresFor { .. })
}

/// Whether a constraint examines activations, of the candidate and of its point.
fn asks_for_activations(constraint: &Constraint) -> bool {
    matches!(
        constraint,
        Constraint::MayAffect { .. }
            | Constraint::Controls(_)
            | Constraint::Within(_)
            | Constraint::CaughtIn(_)
    )
}

/// The property value that a possible answer fixes through a constraint; `None` when no candidate can match.
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

/// The activations of candidates and answers that a constraint may examine.
pub(super) fn referenced<'a>(
    pruning_context: &PruningContext<'a>,
) -> impl Iterator<Item = ActivationKey> + use<'a> {
    let mut asked = HashSet::new();
    for query in pruning_context.checker.queries() {
        for constraint in query.constraints.iter().filter(|c| asks_for_activations(c)) {
            asked.insert(query.point);
            asked.insert(constraint.point());
        }
    }
    let asked: Vec<_> = pruning_context.checker.queries().iter().map(|q| asked.contains(&q.point)).collect();
    let tracks = pruning_context.tracks.iter().zip(asked).filter(|(_, asked)| *asked).map(|(track, _)| track);
    tracks.flat_map(|track| {
        let located = track.located().map(|l| &l.occurrence);
        track.log.iter().chain(located).flat_map(|o| o.activation.into_iter().chain(check::catcher(o)))
    })
}
