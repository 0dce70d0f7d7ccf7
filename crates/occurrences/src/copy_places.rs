//! The places of recorded methods through which a value can flow, and when a call passes each.

use query::{CopyWhat, Event, TraceQuery};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// When a call passes a place, relative to the instruction there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PassedWhen {
    /// At the entry of the method.
    Entry,
    /// Before the instruction is executed.
    Before,
    /// When it is executed.
    During,
    /// After it, which for a call is after the return.
    Behind,
}

impl PassedWhen {
    fn of(what: &CopyWhat) -> PassedWhen {
        match what {
            CopyWhat::Entered { .. } => PassedWhen::Entry,
            CopyWhat::Got { .. } | CopyWhat::GotElement | CopyWhat::Chosen | CopyWhat::Called { .. } => {
                PassedWhen::Before
            }
            CopyWhat::Back => PassedWhen::Behind,
            CopyWhat::Stored { .. }
            | CopyWhat::Increased { .. }
            | CopyWhat::Put { .. }
            | CopyWhat::ElementPut { .. }
            | CopyWhat::Returned { .. } => PassedWhen::During,
        }
    }
}

/// A place through which a value can flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyPlace {
    /// The code index.
    pub bci: u32,
    /// When it is passed.
    pub when: PassedWhen,
    /// The query.
    pub query: u16,
    /// Its position in the query's event.
    pub way: u32,
    /// The parameter's slot, at an entry.
    pub slot: Option<u16>,
}

/// The places of a method, in the order of its code.
pub(super) struct MethodPlaces(Vec<CopyPlace>);

impl MethodPlaces {
    /// The places at a code index.
    pub fn at(&self, bci: u32) -> impl Iterator<Item = &CopyPlace> {
        let from = self.0.partition_point(|place| place.bci < bci);
        self.0.iter().skip(from).take_while(move |place| place.bci == bci)
    }
}

/// The places of the queries about value flows, by the number of the method.
#[derive(Default)]
pub(super) struct CopyPlaces {
    of_methods: HashMap<u32, Rc<MethodPlaces>>,
    /// The methods and code indices of the calls that can enter a method with parameters that matter.
    callers: HashMap<u32, HashSet<(u32, u32)>>,
}

impl CopyPlaces {
    /// The places of these queries. `numbers` are those of the recorded methods of a name: loaders can have
    /// made several classes of one name.
    pub fn new(queries: &[TraceQuery], numbers: &impl Fn(&model::MethodName) -> Vec<u32>) -> CopyPlaces {
        let mut of_methods: HashMap<u32, Vec<CopyPlace>> = HashMap::new();
        let mut places = CopyPlaces::default();
        for query in queries {
            let Event::Copied(copies) = &query.event else { continue };
            for (way, site) in (0..).zip(&copies.sites) {
                let (bci, when) = (site.site.bci, PassedWhen::of(&site.what));
                let slot = match site.what {
                    CopyWhat::Entered { slot, .. } => Some(slot),
                    _ => None,
                };
                let place = CopyPlace { bci, when, query: query.point.0, way, slot };
                for method in numbers(&site.site.method) {
                    of_methods.entry(method).or_default().push(place);
                    let CopyWhat::Entered { callers, .. } = &site.what else { continue };
                    let calls = callers.iter().filter_map(|(call, _)| copies.site(*call));
                    for call in calls {
                        let callers = numbers(&call.site.method).into_iter();
                        let known = places.callers.entry(method).or_default();
                        known.extend(callers.map(|caller| (caller, call.site.bci)));
                    }
                }
            }
        }
        let sorted = of_methods.into_iter().map(|(method, mut of_method)| {
            of_method.sort_by_key(|place| (place.bci, place.when));
            (method, Rc::new(MethodPlaces(of_method)))
        });
        places.of_methods = sorted.collect();
        places
    }

    /// The places of a method, if it has any.
    pub fn of_method(&self, method: u32) -> Option<&Rc<MethodPlaces>> {
        self.of_methods.get(&method)
    }

    /// Whether a call at a code index of one method can enter the other with a parameter that matters.
    pub fn can_enter(&self, callee: u32, caller: u32, bci: u32) -> bool {
        self.callers.get(&callee).is_some_and(|callers| callers.contains(&(caller, bci)))
    }
}
