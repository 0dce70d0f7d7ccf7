//! What the calls of a recording executed up to a point: the edges of each call, the methods that it called,
//! where exceptions came, and the passes of jumps.

use foldhash::fast::FixedState;
use model::MethodName;
use past::PastError;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use trace::{Calls, EventPosition, EventTime, Traced, TracedEvent, Value, WalkControl};

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

/// What one call executed. The lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Trail {
    /// The edges.
    pub edges: Box<[Edge]>,
    /// The numbers of the recorded methods that it called.
    pub callees: Box<[u32]>,
    /// The code indices of the last events before an exception came: it came behind them, before the next
    /// event.
    pub exceptions: Box<[u32]>,
}

/// The calls of one method that executed the same.
#[derive(Debug)]
pub(super) struct Group {
    /// The number of the method.
    pub method: u32,
    /// What they executed.
    pub trail: Trail,
    /// The calls, up to [`CALLS`].
    pub calls: Vec<u32>,
    /// Number of the calls.
    pub count: u64,
}

/// The groups by the number of the method and what the calls executed. The hash is quick: nobody can choose
/// what is hashed.
type NumberOfGroup = HashMap<(u32, Trail), usize, FixedState>;

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
    pub ways: HashMap<(u32, u32), BTreeMap<u32, u64>, FixedState>,
}

/// A jump of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum JumpSite {
    /// A branch, by its code index.
    Branch(u32),
    /// An exception, by the code index of the last event before it.
    Exception(u32),
    /// A call that ran this method, by its number.
    Dispatch(u32),
}

/// A pass of a jump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// The call of the jump's method.
    pub node: u32,
    /// The event: the branch, the last event before the exception, or the entry of the called method.
    pub at: EventPosition,
    /// Its time.
    pub when: EventTime,
    /// How many earlier passes of the jump there were in threads of this name, in the whole run.
    pub nth: u64,
    /// For a branch: the code index where it went on.
    pub to: u32,
    /// The exception.
    pub exception: u32,
}

/// A set to which the same few items are added again and again.
struct SmallSet<T> {
    items: Vec<T>,
    /// The length at which items that were added twice are removed.
    most: usize,
}

impl<T> Default for SmallSet<T> {
    fn default() -> SmallSet<T> {
        SmallSet { items: Vec::new(), most: 32 }
    }
}

impl<T: Copy + Ord> SmallSet<T> {
    fn insert(&mut self, item: T) {
        if self.items.last() == Some(&item) {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.most {
            self.sort();
            self.most = (2 * self.items.len()).max(self.most);
        }
    }

    fn sort(&mut self) {
        self.items.sort_unstable();
        self.items.dedup();
    }

    fn sorted(mut self) -> Box<[T]> {
        self.sort();
        self.items.into()
    }
}

#[derive(Default)]
struct Open {
    node: u32,
    method: u32,
    edges: SmallSet<Edge>,
    callees: SmallSet<u32>,
    exceptions: SmallSet<u32>,
    /// The code index of the last event.
    last: u32,
}

impl Open {
    fn trail(self) -> (u32, Trail) {
        let Open { edges, callees, exceptions, .. } = self;
        let trail =
            Trail { edges: edges.sorted(), callees: callees.sorted(), exceptions: exceptions.sorted() };
        (self.method, trail)
    }
}

impl Executed {
    /// Walks over the calls that were open in the window.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn of(calls: &mut Calls, window: Window) -> Result<Executed, PastError> {
        let mut executed = Executed::default();
        let mut groups = NumberOfGroup::default();
        let mut ways = HashMap::default();
        for (thread, ..) in calls.threads() {
            let (executed, groups, ways) = (&mut executed, &mut groups, &mut ways);
            let mut walk = TrailWalk { window, executed, groups, ways, open: Vec::new() };
            calls.walk(thread, None, |_, seen| walk.see(seen))?;
            walk.finish();
        }
        for ((method, bci, to), count) in ways {
            executed.ways.entry((method, bci)).or_default().insert(to, count);
        }
        Ok(executed)
    }

    fn add(&mut self, groups: &mut NumberOfGroup, open: Open) {
        let node = open.node;
        let (method, trail) = open.trail();
        let key = (method, trail);
        let at = match groups.get(&key) {
            Some(at) => *at,
            None => {
                let trail = key.1.clone();
                self.groups.push(Group { method, trail, calls: Vec::new(), count: 0 });
                groups.insert(key, self.groups.len() - 1);
                self.groups.len() - 1
            }
        };
        if let Some(group) = self.groups.get_mut(at) {
            group.count += 1;
            if group.calls.len() < CALLS {
                group.calls.push(node);
            }
        }
    }
}

/// Follows the calls of a thread, and keeps what each executed.
struct TrailWalk<'e> {
    window: Window,
    executed: &'e mut Executed,
    /// The numbers of the groups.
    groups: &'e mut NumberOfGroup,
    /// How often each branch went where, by the number of its method and its code index.
    ways: &'e mut HashMap<(u32, u32, u32), u64, FixedState>,
    /// The open calls.
    open: Vec<Open>,
}

impl TrailWalk<'_> {
    fn see(&mut self, seen: &TracedEvent<'_>) -> WalkControl {
        let when = seen.when();
        if when > self.window.to {
            return WalkControl::Stop;
        }
        let is_inside = when >= self.window.from;
        let Some(node) = seen.node else { return WalkControl::Next };
        match seen.site.what {
            Traced::Enter => self.enter(node, seen),
            Traced::Return => self.end(node, false, is_inside),
            Traced::Leave => self.end(node, true, is_inside),
            _ => self.note(node, seen, is_inside),
        }
        WalkControl::Next
    }

    fn enter(&mut self, node: u32, seen: &TracedEvent<'_>) {
        let method = seen.site.method;
        if let Some(caller) = self.open.last_mut().filter(|open| Some(open.node) == seen.around) {
            caller.callees.insert(method);
        }
        self.open.push(Open { node, method, ..Open::default() });
    }

    /// Ends a call, and those of its callees whose end was not recorded.
    fn end(&mut self, node: u32, is_left: bool, is_inside: bool) {
        while let Some(mut ended) = self.open.pop() {
            let is_it = ended.node == node;
            if is_it && is_left {
                ended.exceptions.insert(ended.last);
            }
            if is_inside {
                self.executed.add(self.groups, ended);
            }
            if is_it {
                break;
            }
        }
    }

    /// Notes an event between the entry and the end of its call.
    fn note(&mut self, node: u32, seen: &TracedEvent<'_>, is_inside: bool) {
        let Some(own) = self.open.iter_mut().rfind(|open| open.node == node) else { return };
        let (method, bci) = (seen.site.method, seen.site.bci);
        match seen.site.what {
            Traced::Branch(to) => {
                own.edges.insert((bci, to.into()));
                if is_inside {
                    *self.ways.entry((method, bci, to.into())).or_insert(0) += 1;
                }
            }
            Traced::Catch => {
                own.edges.insert((bci, bci));
                own.exceptions.insert(own.last);
            }
            _ => {}
        }
        if is_place(seen.site.what) {
            own.last = bci;
        }
    }

    /// Keeps what the calls executed that are open at the end.
    fn finish(mut self) {
        while let Some(left) = self.open.pop() {
            self.executed.add(self.groups, left);
        }
    }
}

/// The name of a method of a recording.
pub(super) fn name_of(calls: &Calls, method: u32) -> Option<MethodName> {
    let method = calls.sites.method(method)?;
    Some(MethodName::new(method.class.clone(), method.name.as_str(), method.descriptor.as_str()))
}

/// Whether an event tells where its call is. Events about contents have no code index of their own.
fn is_place(what: Traced) -> bool {
    !matches!(what, Traced::Contents | Traced::Text | Traced::Start | Traced::Raised)
}

/// The code index of an event, where it is, and when it was.
type LastEvent = (u32, EventPosition, EventTime);

/// The passes of a jump in the window.
#[derive(Debug, Default)]
pub(super) struct JumpPasses {
    /// Number of all passes.
    pub count: u64,
    /// Those of the calls that were asked for; at most [`PASSES`], the last ones.
    pub of_calls: VecDeque<Pass>,
}

/// A jump, by the number of its method.
type JumpOf = (u32, JumpSite);

/// The passes of some jumps in the window, by method. Each jump comes with the calls whose passes are wanted.
///
/// # Errors
/// The events cannot be read.
pub(super) fn passes(
    calls: &mut Calls,
    window: Window,
    jumps: &BTreeMap<JumpOf, BTreeSet<u32>>,
) -> Result<HashMap<JumpOf, JumpPasses>, PastError> {
    let mut found: HashMap<JumpOf, JumpPasses> = HashMap::new();
    // By thread name.
    let mut counts: HashMap<String, HashMap<JumpOf, u64>> = HashMap::new();
    for (thread, name, _) in calls.threads() {
        let (found, counts) = (&mut found, counts.entry(name).or_default());
        let mut walk = PassWalk { window, jumps, found, counts, open: Vec::new() };
        calls.walk(thread, None, |_, seen| walk.see(seen))?;
    }
    Ok(found)
}

/// An open call, as the passes of its jumps are looked for.
struct PassingCall {
    node: u32,
    method: u32,
    last: Option<LastEvent>,
}

/// Follows the calls of a thread, and keeps the passes of jumps.
struct PassWalk<'p> {
    window: Window,
    /// The jumps, with the calls whose passes are wanted.
    jumps: &'p BTreeMap<JumpOf, BTreeSet<u32>>,
    found: &'p mut HashMap<JumpOf, JumpPasses>,
    /// The number of earlier passes in threads of this name.
    counts: &'p mut HashMap<JumpOf, u64>,
    open: Vec<PassingCall>,
}

impl PassWalk<'_> {
    fn see(&mut self, seen: &TracedEvent<'_>) -> WalkControl {
        let when = seen.when();
        if when > self.window.to {
            return WalkControl::Stop;
        }
        let (Some(node), Some(at)) = (seen.node, seen.position()) else { return WalkControl::Next };
        let exception = match seen.values.first() {
            Some(Value::Object(exception)) => *exception,
            _ => 0,
        };
        let here = Pass { node, at, when, nth: 0, to: 0, exception };
        let (method, bci) = (seen.site.method, seen.site.bci);
        match seen.site.what {
            Traced::Enter => {
                if let Some(caller) = self.open.last().filter(|open| Some(open.node) == seen.around) {
                    let (node, jump) = (caller.node, (caller.method, JumpSite::Dispatch(method)));
                    self.pass(jump, Pass { node, ..here });
                }
                self.open.push(PassingCall { node, method, last: None });
            }
            Traced::Branch(to) => {
                self.pass((method, JumpSite::Branch(bci)), Pass { to: to.into(), ..here });
            }
            Traced::Catch | Traced::Leave => {
                let own = self.open.iter().rfind(|open| open.node == node);
                if let Some(&PassingCall { method, last: Some((bci, at, when)), .. }) = own {
                    self.pass((method, JumpSite::Exception(bci)), Pass { at, when, ..here });
                }
            }
            _ => {}
        }
        if matches!(seen.site.what, Traced::Return | Traced::Leave) {
            while self.open.pop().is_some_and(|open| open.node != node) {}
        } else if is_place(seen.site.what)
            && seen.site.what != Traced::Enter
            && let Some(own) = self.open.iter_mut().rfind(|open| open.node == node)
        {
            own.last = Some((bci, at, when));
        }
        WalkControl::Next
    }

    /// Counts a pass, and keeps it if it is wanted.
    fn pass(&mut self, jump: JumpOf, pass: Pass) {
        let Some(wanted) = self.jumps.get(&jump) else { return };
        let count = self.counts.entry(jump).or_insert(0);
        let nth = *count;
        *count += 1;
        if pass.when < self.window.from {
            return;
        }
        let passes = self.found.entry(jump).or_default();
        passes.count += 1;
        if wanted.contains(&pass.node) {
            passes.of_calls.push_back(Pass { nth, ..pass });
            if passes.of_calls.len() > PASSES {
                passes.of_calls.pop_front();
            }
        }
    }
}
