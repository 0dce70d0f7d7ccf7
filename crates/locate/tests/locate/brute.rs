//! The oracle for the locator's tests. It evaluates every constraint over the complete log of a run, point by
//! point, as the paper's §3 defines them. It shares no code with the locator and keeps every occurrence.

use model::{Activation, ActivationKey, Occurrence, Site, Tables, Value};
use query::{Constraint, Event, FrameSelector, Slot, TraceQuery};

/// The result that the definitions give for one point.
#[derive(Clone, Debug)]
pub struct Expected {
    pub answer: Option<(Occurrence, bool)>,
    /// `None` when a point that the constraints name has no answer.
    pub instances: Option<usize>,
}

/// Answers every point. `root_from_last` replaces the first point's index: take its n-th hit from the last.
pub fn answers(
    queries: &[TraceQuery],
    log: &[Occurrence],
    tables: &Tables,
    root_from_last: Option<usize>,
) -> Vec<Expected> {
    let mut all: Vec<Expected> = Vec::new();
    for query in queries {
        let index = match root_from_last {
            Some(n) if query.point.0 == 0 => -(n as i64),
            _ => query.index,
        };
        let effects_known = query.constraints.iter().all(|c| all[c.point().0 as usize].answer.is_some());
        if !effects_known {
            all.push(Expected { answer: None, instances: None });
            continue;
        }
        let mut instances: Vec<(Occurrence, bool)> = Vec::new();
        for candidate in log.iter().filter(|o| o.query == query.point.0) {
            let verdicts: Vec<Option<bool>> = query
                .constraints
                .iter()
                .map(|c| {
                    let effect = &all[c.point().0 as usize].answer.as_ref().unwrap().0;
                    satisfied(query, c, candidate, effect, tables)
                })
                .collect();
            if verdicts.iter().all(Option::is_some) {
                instances.push((candidate.clone(), verdicts.contains(&Some(false))));
            }
        }
        let place = if index < 0 { instances.len() as i64 + index } else { index };
        let answer = usize::try_from(place).ok().and_then(|i| instances.get(i).cloned());
        all.push(Expected { answer, instances: Some(instances.len()) });
    }
    all
}

/// `None`: not satisfied. `Some(true)`: satisfied. `Some(false)`: satisfied if the activation was identified
/// correctly.
fn satisfied(
    query: &TraceQuery,
    constraint: &Constraint,
    c: &Occurrence,
    p: &Occurrence,
    tables: &Tables,
) -> Option<bool> {
    let yes = |b: bool| b.then_some(true);
    let on_stack = |o: &Occurrence| -> Vec<(ActivationKey, Activation)> {
        tables.activations(o.activation).map(|(k, a)| (k, a.clone())).collect()
    };
    // One entry per frame of P, newest first: its site and its activation.
    let frames = |o: &Occurrence| -> Vec<(Site, Option<(ActivationKey, Activation)>)> {
        let sites: Vec<Site> = tables.stack(o.stack).map(|f| f.site.clone()).collect();
        let depth = sites.len();
        let tracked = on_stack(o);
        let with = |(i, site)| {
            let own = tracked.iter().find(|(_, a)| a.depth as usize == depth - i).cloned();
            (site, own)
        };
        sites.into_iter().enumerate().map(with).collect()
    };
    let nth = |n: i32| -> Option<(Site, Option<(ActivationKey, Activation)>)> {
        let frames = frames(p);
        let place = if n < 0 { frames.len() as i64 + i64::from(n) } else { i64::from(n) };
        frames.get(usize::try_from(place).ok()?).cloned()
    };
    let own = frames(c).first().and_then(|(_, own)| own.clone());
    match constraint {
        Constraint::Before(_) => yes(c.sequence < p.sequence),
        Constraint::After(_) => yes(c.sequence > p.sequence),
        Constraint::SameThread(_) => yes(c.thread == p.thread),
        Constraint::Sameness { mine, theirs, .. } => {
            let read = |o: &Occurrence, s: &Slot| match s {
                Slot::Owner => identity(&o.owner),
                Slot::Kept(i) => o.kept.get(*i).and_then(identity),
            };
            yes(read(c, mine)? == read(p, theirs)?)
        }
        Constraint::SameValue { mine, theirs, .. } => {
            let read = |o: &Occurrence, s: &Slot| match s {
                Slot::Owner => Some(o.owner.clone()),
                Slot::Kept(i) => o.kept.get(*i).cloned(),
            };
            let (mine, theirs) = (read(c, mine)?, read(p, theirs)?);
            let is_read = |value: &Value| !matches!(value, Value::Failed(_));
            yes(is_read(&mine) && is_read(&theirs) && mine.equals(&theirs))
        }
        Constraint::MayAffect { frame: FrameSelector::Nth(n), .. } => {
            let (theirs, mine) = (nth(*n)?.1?, own?);
            (theirs.0 == mine.0).then_some(mine.1.certain)
        }
        Constraint::MayAffect { frame: FrameSelector::Any, .. } => {
            let mine = own?;
            on_stack(p).iter().any(|(k, _)| *k == mine.0).then_some(mine.1.certain)
        }
        Constraint::StoresFor { frame, .. } => {
            let wanted = nth(*frame)?.0;
            let Event::Stored(stores) = &query.event else { return None };
            let store = stores.get(usize::from(c.way?.get()))?;
            let here = &tables.frame(c.frame)?.site;
            yes(store.site == *here && store.asked_at.contains(&wanted))
        }
        Constraint::Controls(_) => {
            let mine = own?;
            let Event::Branched(branches) = &query.event else { return None };
            let same =
                |own: &Option<(ActivationKey, Activation)>| own.as_ref().is_some_and(|(k, _)| *k == mine.0);
            let place = frames(p).iter().position(|(_, own)| same(own))?;
            let mut site = frames(p).into_iter().nth(place)?.0;
            // A handler is control dependent on the instruction that threw.
            let caught = p.detail.as_ref().and_then(|d| d.exception.as_ref()).and_then(|e| e.caught.as_ref());
            if let (0, Some(_), Some(way)) = (place, caught, p.way) {
                site.bci = way.get().into();
            }
            let here = &tables.frame(c.frame)?.site;
            let branch = branches.iter().find(|b| b.site == *here)?;
            branch.controls.get(&site)?.contains(&c.way?.get().into()).then_some(mine.1.certain)
        }
        Constraint::Within(_) => {
            let theirs = frames(p).first()?.1.clone()?;
            on_stack(c).iter().any(|(k, _)| *k == theirs.0).then_some(theirs.1.certain)
        }
        Constraint::CaughtIn(_) => {
            let exception = c.detail.as_ref()?.exception.as_ref()?;
            let left = exception.bypassed.as_ref().map(|bypassed| bypassed.activation);
            let catcher = left.or_else(|| Some(exception.caught.as_ref()?.activation))??;
            let method = tables.activation(catcher)?.method;
            let newest = on_stack(p).into_iter().find(|(_, a)| a.method == method)?;
            (newest.0 == catcher).then_some(newest.1.certain)
        }
    }
}

fn identity(value: &Value) -> Option<u64> {
    match value {
        Value::Object { id, .. } => Some(id.0),
        Value::Str(s) => Some(s.id.0),
        Value::Int(i) => Some(*i as u64),
        _ => None,
    }
}
