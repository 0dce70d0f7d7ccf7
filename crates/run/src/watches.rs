//! The watches of a run by class name: turns TraceQueries into places where the VM must interrupt.
//!
//! Pure: it uses names of classes and methods. [`super::install`] finds them in the VM.

use model::MethodName;
use query::{Event, Field, Making, TraceQuery};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Marked instructions by method: the last one executed shows which arm produced a value
/// ([`bytecode::arms`]).
pub type Marks = BTreeMap<MethodName, BTreeSet<u32>>;

/// Why execution is interrupted at an index of a method. Numbers are positions in the TraceQuery's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// An activation begins here (always handled first).
    Activation,
    /// A Java agent has redefined classes.
    Redefined,
    /// The instruction after a store or a branch, which completes waiting candidates.
    Completes,
    /// The first instruction after a [`query::Pass`] of this query.
    PassEnds { query: u16, pass: u16 },
    /// A local variable is stored. Handled before a pass: at index 0 parameters are assigned when the pass
    /// begins.
    Store { query: u16, store: u16 },
    /// A pass begins.
    Pass { query: u16, pass: u16 },
    /// The object can be published from here on.
    Made { query: u16 },
    /// An iteration begins of an endless loop that a branch can leave.
    Turn { query: u16, branch: u16 },
    /// A branch is about to be decided.
    Branch { query: u16, branch: u16 },
    /// One of the [`Marks`]. Handled last: other watches at this index concern the instructions executed
    /// before.
    Mark,
}

/// What to watch in one method.
#[derive(Clone, Debug, Default)]
pub struct MethodWatch {
    /// Interests by bytecode index.
    pub at: BTreeMap<u32, Vec<Interest>>,
    /// Queries that watch its normal return.
    pub returns: Vec<u16>,
    /// Queries about a line in it. If the line is never reached, what prevented that is told.
    pub lines: Vec<u16>,
    /// The gates of these lines ([`query::Pass`]), with their queries.
    pub gates: BTreeMap<u32, Vec<u16>>,
}

/// What to watch in one class.
#[derive(Clone, Debug, Default)]
pub struct ClassWatch {
    /// By name and descriptor.
    pub methods: BTreeMap<(Arc<str>, Arc<str>), MethodWatch>,
    /// Fields whose writes are watched, with the queries that watch them.
    pub written: BTreeMap<Arc<str>, Vec<u16>>,
    /// Fields whose reads are watched.
    pub read: BTreeMap<Arc<str>, Vec<u16>>,
    /// Queries that watch the exceptions of this class: `(query, caught)`.
    pub thrown: Vec<(u16, Option<bool>)>,
}

/// Everything one run watches.
#[derive(Clone, Debug, Default)]
pub struct Watches {
    /// By binary class name.
    pub classes: BTreeMap<Arc<str>, ClassWatch>,
    /// Queries that watch the exceptions of every class: `(query, caught)`.
    pub thrown: Vec<(u16, Option<bool>)>,
    /// Methods with marks.
    marked: BTreeSet<MethodName>,
}

impl Watches {
    /// The watches of these TraceQueries. Activations of `tracked` methods are distinguished.
    pub fn new(queries: &[TraceQuery], tracked: &BTreeSet<MethodName>, marks: &Marks) -> Watches {
        let mut watches = Watches::default();
        for (method, at) in marks {
            at.iter().for_each(|bci| watches.interest(method, *bci, Interest::Mark));
            watches.marked.insert(method.clone());
        }
        for query in queries {
            watches.add(query);
        }
        for method in tracked {
            watches.interest(method, 0, Interest::Activation);
        }
        for class in watches.classes.values_mut() {
            for interests in class.methods.values_mut().flat_map(|m| m.at.values_mut()) {
                interests.sort_by_key(|i| (rank(i, queries), *i));
                interests.dedup();
            }
        }
        watches
    }

    /// The methods whose activations are distinguished.
    pub fn tracked(&self) -> impl Iterator<Item = MethodName> {
        self.classes.iter().flat_map(|(class, watch)| {
            let tracked = watch
                .methods
                .iter()
                .filter(|(_, m)| m.at.get(&0).is_some_and(|i| i.contains(&Interest::Activation)));
            tracked.map(|((name, descriptor), _)| {
                MethodName::new(class.clone(), name.clone(), descriptor.clone())
            })
        })
    }

    /// Whether a method contains marks.
    pub fn is_marked(&self, method: &MethodName) -> bool {
        self.marked.contains(method)
    }

    fn add(&mut self, query: &TraceQuery) {
        let q = query.point.0;
        match &query.event {
            Event::Reached(passes) => {
                for (n, pass) in passes.iter().enumerate() {
                    let number = small(n);
                    for entry in &pass.entries {
                        self.interest(&pass.method, *entry, Interest::Pass { query: q, pass: number });
                    }
                    if !pass.on_entry {
                        let method = self.method(&pass.method);
                        method.lines.push(q);
                        pass.gates.iter().for_each(|gate| method.gates.entry(*gate).or_default().push(q));
                    }
                    if pass.entries.len() > 1 {
                        // Whether a pass is in progress is a property of one activation.
                        self.interest(&pass.method, 0, Interest::Activation);
                        for exit in &pass.exits {
                            self.interest(&pass.method, *exit, Interest::PassEnds { query: q, pass: number });
                        }
                    }
                }
            }
            Event::Returned(methods) => {
                for method in methods {
                    self.method(method).returns.push(q);
                }
            }
            Event::Written(field) => self.field(field).written.entry(field.name.clone()).or_default().push(q),
            // Only probes see these events, and probes find their classes themselves.
            Event::ElementWritten(_)
            | Event::Changed(_)
            | Event::Copied(_)
            | Event::Made(Making::Array { .. }) => {}
            Event::Made(Making::Object { sites, .. }) => {
                for made in sites {
                    self.interest(&made.site.method, made.site.bci, Interest::Made { query: q });
                }
            }
            Event::Read(field) => self.field(field).read.entry(field.name.clone()).or_default().push(q),
            Event::Thrown { class: None, caught } => self.thrown.push((q, *caught)),
            Event::Thrown { class: Some(class), caught } => {
                self.classes.entry(class.clone()).or_default().thrown.push((q, *caught));
            }
            Event::Skipped(lines) => {
                let may_leave = lines.iter().any(|line| !line.left_from.is_empty());
                self.thrown.push((q, (!may_leave).then_some(true)));
                for line in lines {
                    self.interest(&line.method, 0, Interest::Activation);
                }
            }
            Event::Stored(stores) => {
                for (n, store) in stores.iter().enumerate() {
                    let method = &store.site.method;
                    self.interest(method, store.site.bci, Interest::Store { query: q, store: small(n) });
                    self.interest(method, store.value_at, Interest::Completes);
                    self.interest(method, 0, Interest::Activation);
                }
            }
            Event::Branched(branches) => {
                for (n, branch) in branches.iter().enumerate() {
                    let method = &branch.site.method;
                    self.interest(method, 0, Interest::Activation);
                    if branch.is_handler() {
                        self.thrown.push((q, Some(true)));
                        continue;
                    }
                    self.interest(method, branch.site.bci, Interest::Branch { query: q, branch: small(n) });
                    if let Some(turns) = branch.turns {
                        self.interest(method, turns, Interest::Turn { query: q, branch: small(n) });
                    }
                    for target in &branch.targets {
                        self.interest(method, *target, Interest::Completes);
                    }
                }
            }
        }
        self.thrown.sort();
        self.thrown.dedup();
    }

    fn method(&mut self, method: &MethodName) -> &mut MethodWatch {
        let class = self.classes.entry(method.class.clone()).or_default();
        class.methods.entry((method.name.clone(), method.descriptor.clone())).or_default()
    }

    fn field(&mut self, field: &Field) -> &mut ClassWatch {
        self.classes.entry(field.class.clone()).or_default()
    }

    fn interest(&mut self, method: &MethodName, bci: u32, interest: Interest) {
        self.method(method).at.entry(bci).or_default().push(interest);
    }
}

/// The order of interests at one index. An activation begins, its call assigns the parameters, and then the
/// first instruction is reached. An object was made by the instruction before.
fn rank(interest: &Interest, queries: &[TraceQuery]) -> u8 {
    match interest {
        Interest::Activation | Interest::Made { .. } => 0,
        Interest::Turn { .. } => 1,
        Interest::Store { query, store } => {
            let events = queries.iter().filter(|q| q.point.0 == *query).map(|q| &q.event);
            let by_call = events.filter_map(|event| match event {
                Event::Stored(stores) => stores.get(usize::from(*store)),
                _ => None,
            });
            if by_call.into_iter().any(|s| s.value_at == s.site.bci) { 1 } else { 2 }
        }
        _ => 2,
    }
}

fn small(n: usize) -> u16 {
    // A method has at most 65,535 indices (JVMS §4.7.3), so no event has more sites per method.
    u16::try_from(n).unwrap_or(u16::MAX)
}
