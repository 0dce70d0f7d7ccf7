//! A slow reading of an exported log: the calls around each event and the ends of calls, by naive loops.

use crate::jel::{Event, Term};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How a call ended, by the log alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Returned(u64),
    Threw(u64),
    /// The log ends before, or does not say.
    Open,
}

/// The calls of a log.
pub struct Brute<'l> {
    pub events: &'l [Event],
    /// The calls around each event, the innermost first.
    pub around: Vec<Vec<u64>>,
    pub ends: BTreeMap<u64, End>,
    /// The events whose calls the log does not tell for certain.
    pub unsure: HashSet<u64>,
}

struct Thread {
    open: Vec<u64>,
    /// Number of open calls below those that the log does not tell for certain.
    unsure: Option<usize>,
}

impl Brute<'_> {
    pub fn new(events: &[Event]) -> Brute<'_> {
        let exits: HashMap<u64, u64> = events
            .iter()
            .filter(|event| event.is("methodexit"))
            .map(|event| (event.call().unwrap(), event.id))
            .collect();
        let mut threads: Vec<(String, Thread)> = Vec::new();
        let mixed = mixed(events);
        let mut brute = Brute { events, around: Vec::new(), ends: BTreeMap::new(), unsure: HashSet::new() };
        // Several threads can have one name, one after another: the newest is meant.
        for event in events {
            if event.is("threadstart") {
                threads.push((event.thread.clone(), Thread { open: Vec::new(), unsure: None }));
            }
            let at =
                threads.iter().rposition(|(name, _)| *name == event.thread).expect("a thread that started");
            let thread = &mut threads[at].1;
            if event.is("methodexit") {
                let call = event.call().unwrap();
                while let Some(open) = thread.open.pop() {
                    if open == call {
                        break;
                    }
                    brute.ends.entry(open).or_insert(End::Open);
                }
                thread.unsure = thread.unsure.filter(|depth| thread.open.len() >= *depth);
                brute.ends.insert(call, End::Returned(event.id));
            }
            if thread.unsure.is_some() || mixed.contains(event.thread.as_str()) {
                brute.unsure.insert(event.id);
            }
            brute.around.push(thread.open.iter().rev().copied().collect());
            match event.kind.as_str() {
                "methodcall" => thread.open.push(event.id),
                "exception" => {
                    let catch = event.args[3].of("l").map(|place| (place[0].name(), place[1].int().unwrap()));
                    let is_uncaught = event.args[3] == Term::atom("uncaught");
                    let mut popped = Vec::new();
                    while let Some(open) = thread.open.last().copied() {
                        let returns = exits.get(&open).is_some_and(|exit| *exit > event.id);
                        let is_here = catch.is_some_and(|catch| has_line(events, open, catch));
                        if !is_uncaught && (returns || is_here) {
                            // A recursive method may have caught it further out.
                            let others = thread.open.iter().rev().skip(1);
                            let again = others.filter(|call| {
                                events[usize::try_from(**call).unwrap()].name()
                                    == events[usize::try_from(open).unwrap()].name()
                            });
                            let again = again.count() > 0;
                            if !returns && again {
                                thread.unsure.get_or_insert(thread.open.len());
                            }
                            break;
                        }
                        thread.open.pop();
                        brute.ends.insert(open, End::Threw(event.id));
                        popped.push(open);
                    }
                    // Unrecorded code may have caught it further in.
                    if catch.is_none() && !is_uncaught && popped.len() > 1 {
                        brute.unsure.extend(popped.iter().skip(1));
                        thread.unsure.get_or_insert(thread.open.len());
                    }
                }
                _ => {}
            }
        }
        for call in events.iter().filter(|event| event.is("methodcall")) {
            brute.ends.entry(call.id).or_insert(End::Open);
        }
        brute
    }

    /// The calls directly inside a call.
    pub fn children(&self, call: u64) -> Vec<u64> {
        self.calls(|around| around.first() == Some(&call))
    }

    /// The calls inside a call, directly and indirectly.
    pub fn inside(&self, call: u64) -> Vec<u64> {
        self.calls(|around| around.contains(&call))
    }

    fn calls(&self, fits: impl Fn(&[u64]) -> bool) -> Vec<u64> {
        let calls = self.events.iter().zip(&self.around).filter(|(event, _)| event.is("methodcall"));
        calls.filter(|(_, around)| fits(around)).map(|(event, _)| event.id).collect()
    }

    /// The id of the event that ended a call.
    pub fn end(&self, call: u64) -> Option<u64> {
        match self.ends[&call] {
            End::Returned(id) | End::Threw(id) => Some(id),
            End::Open => None,
        }
    }

    /// Whether the calls around an event and the ends of these calls are certain.
    pub fn is_sure(&self, id: u64) -> bool {
        !self.unsure.contains(&id)
    }
}

/// The names that several threads have at the same time.
pub fn mixed(events: &[Event]) -> HashSet<&str> {
    let (mut alive, mut mixed): (HashMap<&str, i32>, HashSet<&str>) = (HashMap::new(), HashSet::new());
    for event in events {
        let count = alive.entry(&event.thread).or_default();
        *count += i32::from(event.is("threadstart")) - i32::from(event.is("threaddeath"));
        if *count > 1 {
            mixed.insert(&event.thread);
        }
    }
    mixed
}

/// Whether the method of a call has this line: it begins at or before it, and no other method of the file
/// begins in between. Lambdas lie inside other methods, and catch nothing in these programs.
fn has_line(events: &[Event], call: u64, (file, line): (&str, i64)) -> bool {
    let call = &events[usize::try_from(call).unwrap()];
    let is_lambda = |event: &Event| event.name().starts_with("lambda$");
    let Some((of, first)) = call.place().filter(|_| !is_lambda(call)) else { return false };
    let others = events.iter().filter(|event| event.is("methodcall") && !is_lambda(event));
    let mut between = others.filter_map(Event::place);
    of == file && first <= line && !between.any(|(of, begins)| of == file && begins > first && begins <= line)
}
