//! What the calls of a recording executed up to a point: the edges of each call, and the passes of branches.

use crate::inspect::InspectError;
use crate::trace::{Calls, EventPosition, EventTime, Traced, WalkControl};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The part of a run in which an operation was missed.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// From here on the object exists.
    pub from: EventTime,
    /// Here it is wrong.
    pub to: EventTime,
}

/// An edge of a method: the code indices of a branch and of the instruction where it went on. A handler has
/// its own code index twice.
pub(super) type Edge = (u32, u32);

/// The calls of one method that executed the same edges.
#[derive(Debug)]
pub(super) struct Group {
    /// The number of the method.
    pub method: u32,
    /// The edges, sorted.
    pub edges: Box<[Edge]>,
    /// The calls, up to [`CALLS`].
    pub calls: Vec<u32>,
    /// Number of the calls.
    pub count: u64,
}

/// Most calls of a group that are named.
const CALLS: usize = 64;
/// Most passes of a jump that are named.
const PASSES: usize = 256;

/// What was executed.
#[derive(Debug, Default)]
pub(super) struct Executed {
    /// The calls, by what they executed.
    pub groups: Vec<Group>,
    /// By the number of a method and the code index of a branch: how often it went where, in the window.
    pub ways: HashMap<(u32, u32), BTreeMap<u32, u64>>,
}

/// A pass of a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// The event.
    pub at: EventPosition,
    /// Its time.
    pub when: EventTime,
    /// How many earlier passes of the branch there were in threads of this name, in the whole run.
    pub nth: u64,
    /// The code index where it went on.
    pub to: u32,
}

#[derive(Default)]
struct Open {
    node: u32,
    method: u32,
    edges: BTreeSet<Edge>,
}

impl Executed {
    /// Walks over the calls that were open in the window.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn of(calls: &mut Calls, window: Window) -> Result<Executed, InspectError> {
        let mut executed = Executed::default();
        let mut groups: HashMap<(u32, Box<[Edge]>), usize> = HashMap::new();
        for (thread, ..) in calls.threads() {
            let mut open: Vec<Open> = Vec::new();
            let mut ends = |executed: &mut Executed, open: Open| {
                let key = (open.method, open.edges.into_iter().collect::<Box<[Edge]>>());
                let at = *groups.entry(key.clone()).or_insert_with(|| {
                    let (method, edges) = key;
                    executed.groups.push(Group { method, edges, calls: Vec::new(), count: 0 });
                    executed.groups.len() - 1
                });
                if let Some(group) = executed.groups.get_mut(at) {
                    group.count += 1;
                    if group.calls.len() < CALLS {
                        group.calls.push(open.node);
                    }
                }
            };
            calls.walk(thread, None, |_, seen| {
                let when = seen.when();
                if when > window.to {
                    return WalkControl::Stop;
                }
                let is_inside = when >= window.from;
                let (Some(node), method, bci) = (seen.node, seen.site.method, seen.site.bci) else {
                    return WalkControl::Next;
                };
                match seen.site.what {
                    Traced::Enter => open.push(Open { node, method, ..Open::default() }),
                    Traced::Return | Traced::Leave => {
                        while let Some(ended) = open.pop() {
                            let is_it = ended.node == node;
                            if is_inside {
                                ends(&mut executed, ended);
                            }
                            if is_it {
                                break;
                            }
                        }
                    }
                    Traced::Branch(_) | Traced::Catch => {
                        let to = match seen.site.what {
                            Traced::Branch(to) => u32::from(to),
                            _ => bci,
                        };
                        if let Some(own) = open.iter_mut().rfind(|open| open.node == node) {
                            own.edges.insert((bci, to));
                        }
                        if is_inside && to != bci {
                            let ways = executed.ways.entry((method, bci)).or_default();
                            *ways.entry(to).or_insert(0) += 1;
                        }
                    }
                    _ => {}
                }
                WalkControl::Next
            })?;
            while let Some(left) = open.pop() {
                ends(&mut executed, left);
            }
        }
        Ok(executed)
    }
}

/// The passes of some branches in the window, by method and code index; at most [`PASSES`] of each.
///
/// # Errors
/// The events cannot be read.
pub(super) fn passes(
    calls: &mut Calls,
    window: Window,
    branches: &BTreeSet<(u32, u32)>,
) -> Result<HashMap<(u32, u32), Vec<Pass>>, InspectError> {
    let mut found: HashMap<(u32, u32), Vec<Pass>> = HashMap::new();
    let mut counts: HashMap<(String, u32, u32), u64> = HashMap::new();
    for (thread, name, _) in calls.threads() {
        calls.walk(thread, None, |_, seen| {
            let Traced::Branch(to) = seen.site.what else { return WalkControl::Next };
            let branch = (seen.site.method, seen.site.bci);
            if !branches.contains(&branch) {
                return WalkControl::Next;
            }
            let when = seen.when();
            if when > window.to {
                return WalkControl::Stop;
            }
            let count = counts.entry((name.clone(), branch.0, branch.1)).or_insert(0);
            let nth = *count;
            *count += 1;
            let passes = found.entry(branch).or_default();
            if when >= window.from
                && passes.len() < PASSES
                && let Some(at) = seen.position()
            {
                passes.push(Pass { at, when, nth, to: to.into() });
            }
            WalkControl::Next
        })?;
    }
    Ok(found)
}
