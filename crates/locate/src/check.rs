//! Checks whether a candidate satisfies the constraints of its TraceQuery, given the points they name (paper
//! §3). It may use `model` and `query`.

use super::report::Rejection;
use model::{ActivationKey, Occurrence, Site, StackKey, Tables, Value};
use query::{BranchSite, Constraint, Event, FrameSelector, PointIndex, Slot, TraceQuery};
use std::collections::HashMap;
use std::sync::Arc;

/// A tracked activation on a point's stack.
#[derive(Clone, Debug)]
pub(super) struct OnStack {
    pub(super) key: ActivationKey,
    pub(super) depth: u32,
    pub(super) method: u32,
    pub(super) certain: bool,
}

/// A point's stack, computed once for all candidates that are compared with it.
#[derive(Clone, Debug, Default)]
pub(super) struct StackView {
    depth: u32,
    /// Newest first.
    pub(super) activations: Vec<OnStack>,
}

impl StackView {
    pub(super) fn new(occurrence: &Occurrence, tables: &Tables) -> StackView {
        let on_stack = tables.activations(occurrence.activation).map(|(key, a)| OnStack {
            key,
            depth: a.depth,
            method: a.method,
            certain: a.certain,
        });
        StackView { depth: tables.depth(occurrence.stack), activations: on_stack.collect() }
    }

    /// The depth of frame `n`, counted from the newest, or from the oldest when negative.
    fn depth_of(&self, n: i32) -> Option<u32> {
        if n < 0 {
            Some(n.unsigned_abs()).filter(|d| *d <= self.depth)
        } else {
            self.depth.checked_sub(n.unsigned_abs()).filter(|d| *d > 0)
        }
    }

    /// The activation of frame `n`, if it is tracked.
    pub(super) fn nth(&self, n: i32) -> Option<&OnStack> {
        let depth = self.depth_of(n)?;
        self.activations.iter().find(|a| a.depth == depth)
    }

    fn find(&self, key: ActivationKey) -> Option<&OnStack> {
        self.activations.iter().find(|a| a.key == key)
    }

    fn newest_of(&self, method: u32) -> Option<&OnStack> {
        self.activations.iter().find(|a| a.method == method)
    }

    fn site_at<'t>(&self, depth: u32, stack: StackKey, tables: &'t Tables) -> Option<&'t Site> {
        let from_newest = self.depth.checked_sub(depth)?;
        let frame = tables.frame_keys(stack).nth(from_newest as usize)?;
        tables.frame(frame).map(|f| &f.site)
    }
}

/// A located or possible point that a constraint names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect<'a> {
    pub(super) occurrence: &'a Occurrence,
    pub(super) view: &'a StackView,
}

/// The value in one slot of an occurrence.
pub(super) fn slot(occurrence: &Occurrence, slot: Slot) -> Option<&Value> {
    match slot {
        Slot::Owner => Some(&occurrence.owner),
        Slot::Kept(index) => occurrence.kept.get(index),
    }
}

/// The activation that catches an occurrence's exception.
pub(super) fn catcher(occurrence: &Occurrence) -> Option<ActivationKey> {
    let exception = occurrence.detail.as_ref()?.exception.as_ref()?;
    match &exception.bypassed {
        Some(bypassed) => bypassed.activation,
        None => exception.caught.as_ref()?.activation,
    }
}

/// Checks constraints. Indexes the sites of the TraceQueries for fast look-up.
pub(super) struct Checker {
    queries: Arc<[TraceQuery]>,
    branches: Vec<HashMap<Site, Vec<usize>>>,
}

impl Checker {
    pub(super) fn new(queries: Arc<[TraceQuery]>) -> Checker {
        let branches = queries.iter().map(|query| {
            let mut by_site: HashMap<Site, Vec<usize>> = HashMap::new();
            if let Event::Branched(sites) = &query.event {
                for (place, branch) in sites.iter().enumerate() {
                    by_site.entry(branch.site.clone()).or_default().push(place);
                }
            }
            by_site
        });
        Checker { branches: branches.collect(), queries }
    }

    pub(super) fn query(&self, point: usize) -> Option<&TraceQuery> {
        self.queries.get(point)
    }

    pub(super) fn queries(&self) -> &[TraceQuery] {
        &self.queries
    }

    /// Checks the conditions on the candidate alone. A rejected candidate cannot be an instance for any
    /// point.
    pub(super) fn viable(
        &self,
        query: &TraceQuery,
        c: &Occurrence,
        tables: &Tables,
    ) -> Result<(), Rejection> {
        for constraint in &query.constraints {
            let p = constraint.point();
            match constraint {
                Constraint::Sameness { mine, .. } if slot(c, *mine).and_then(Value::identity).is_none() => {
                    return Err(Rejection::NoReference(p));
                }
                Constraint::SameValue { mine, .. } if slot(c, *mine).and_then(Value::equality).is_none() => {
                    return Err(Rejection::Unread(p));
                }
                Constraint::MayAffect { .. } | Constraint::Controls(_) if !has_own_activation(c, tables) => {
                    return Err(Rejection::OtherActivation(p));
                }
                Constraint::CaughtIn(_) if catcher(c).is_none() => return Err(Rejection::CaughtElsewhere(p)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks the constraints whose points `resolve` knows. `Ok(true)`: satisfied, but through an activation
    /// that may be another one.
    pub(super) fn judge<'e>(
        &self,
        query: &TraceQuery,
        candidate: &Occurrence,
        resolve: impl Fn(PointIndex) -> Option<Effect<'e>>,
        tables: &Tables,
    ) -> Result<bool, Rejection> {
        let mut uncertain = false;
        for constraint in &query.constraints {
            if let Some(effect) = resolve(constraint.point()) {
                uncertain |= self.check(query, candidate, constraint, effect, tables)?;
            }
        }
        Ok(uncertain)
    }

    /// Checks one constraint; `Ok(true)` as for [`Checker::judge`].
    pub(super) fn check(
        &self,
        query: &TraceQuery,
        c: &Occurrence,
        constraint: &Constraint,
        effect: Effect<'_>,
        tables: &Tables,
    ) -> Result<bool, Rejection> {
        let Effect { occurrence: p, view } = effect;
        let point = constraint.point();
        let hold = |holds: bool, reason: Rejection| if holds { Ok(false) } else { Err(reason) };
        match constraint {
            Constraint::Before(_) => hold(c.sequence < p.sequence, Rejection::NotBefore(point)),
            Constraint::After(_) => hold(c.sequence > p.sequence, Rejection::NotAfter(point)),
            Constraint::SameThread(_) => hold(c.thread == p.thread, Rejection::OtherThread(point)),
            Constraint::Sameness { mine, theirs, .. } => {
                let theirs = slot(p, *theirs);
                let Some(wanted) = theirs.and_then(Value::identity) else {
                    return Err(Rejection::PointHasNoReference(point));
                };
                let is_index = theirs.is_some_and(|value| value.object_id().is_none());
                match slot(c, *mine).and_then(Value::identity) {
                    None => Err(Rejection::NoReference(point)),
                    Some(id) if is_index => hold(id == wanted, Rejection::OtherElement(point)),
                    Some(id) => hold(id == wanted, Rejection::OtherObject(point)),
                }
            }
            Constraint::SameValue { mine, theirs, .. } => {
                let readable = |value: &&Value| value.equality().is_some();
                let wanted = slot(p, *theirs).filter(readable).ok_or(Rejection::PointUnread(point))?;
                let value = slot(c, *mine).filter(readable).ok_or(Rejection::Unread(point))?;
                hold(value.equals(wanted), Rejection::OtherValue(point))
            }
            Constraint::MayAffect { frame, .. } => {
                let found = match frame {
                    FrameSelector::Nth(n) => view.nth(*n).filter(|a| Some(a.key) == c.activation),
                    FrameSelector::Any => c.activation.and_then(|key| view.find(key)),
                };
                found
                    .filter(|_| has_own_activation(c, tables))
                    .map(|a| !a.certain)
                    .ok_or(Rejection::OtherActivation(point))
            }
            Constraint::StoresFor { frame, .. } => {
                let wanted = view.depth_of(*frame).and_then(|depth| view.site_at(depth, p.stack, tables));
                let holds = wanted.is_some_and(|site| stored_for(query, c, site, tables));
                hold(holds, Rejection::OtherVariable(point))
            }
            Constraint::Controls(_) => {
                let frame =
                    c.activation.and_then(|key| view.find(key)).filter(|_| has_own_activation(c, tables));
                let Some(frame) = frame else { return Err(Rejection::OtherActivation(point)) };
                let mut site = view.site_at(frame.depth, p.stack, tables).cloned();
                if let (Some(site), Some(left), true) = (&mut site, p.left(), frame.depth == view.depth) {
                    site.bci = left;
                }
                let holds = site.is_some_and(|site| self.controls(query, c, &site, tables));
                if holds { Ok(!frame.certain) } else { Err(Rejection::OtherWay(point)) }
            }
            Constraint::Within(_) => {
                let newest = view.nth(0);
                let on_mine =
                    newest.filter(|a| tables.activations(c.activation).any(|(key, _)| key == a.key));
                on_mine.map(|a| !a.certain).ok_or(Rejection::NotWithin(point))
            }
            Constraint::CaughtIn(_) => {
                let catcher = catcher(c);
                let method = catcher.and_then(|key| tables.activation(key)).map(|a| a.method);
                let newest = method.and_then(|m| view.newest_of(m)).filter(|a| Some(a.key) == catcher);
                newest.map(|a| !a.certain).ok_or(Rejection::CaughtElsewhere(point))
            }
        }
    }

    /// Whether `site` is control dependent on the way that the candidate took.
    fn controls(&self, query: &TraceQuery, c: &Occurrence, site: &Site, tables: &Tables) -> bool {
        let Event::Branched(branches) = &query.event else { return false };
        let Some(way) = c.way else { return false };
        let here = tables.frame(c.frame).and_then(|f| {
            let by_site = self.branches.get(usize::from(query.point.0))?;
            by_site.get(&f.site)
        });
        let takes = |branch: &BranchSite| {
            branch.controls.get(site).is_some_and(|ways| ways.contains(&u32::from(way.get())))
        };
        here.is_some_and(|places| places.iter().filter_map(|i| branches.get(*i)).any(takes))
    }
}

/// Whether the candidate stored to the variable that a frame at `site` sees.
fn stored_for(query: &TraceQuery, c: &Occurrence, site: &Site, tables: &Tables) -> bool {
    let Event::Stored(stores) = &query.event else { return false };
    let Some(frame) = tables.frame(c.frame) else { return false };
    // One site can hold several stores: the parameters of a method share its entry. `way` tells them apart.
    let store = c.way.and_then(|way| stores.get(usize::from(way.get())));
    store.is_some_and(|s| s.site == frame.site && s.asked_at.contains(site))
}

/// Whether the activation of the newest frame is tracked, so that the occurrence names this activation.
fn has_own_activation(c: &Occurrence, tables: &Tables) -> bool {
    c.activation.and_then(|key| tables.activation(key)).is_some_and(|a| a.depth == tables.depth(c.stack))
}
