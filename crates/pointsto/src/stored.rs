//! The result of an analysis in a form that can be stored. It names methods by class and position, and reads
//! their bodies again from the class files, which must be those of the analysis.

use super::body::Body;
use super::nodes::{Object, index};
use super::set::Set;
use super::statistics::Statistics;
use super::{AllocId, MethodId, PointsTo, Program, Reached};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A method and a code index in it.
type Place = (u32, u32);

/// A stored result.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredPointsTo {
    /// The classes of the methods.
    classes: Vec<String>,
    /// By method: its class, its position in the class file, and the node before its first value.
    methods: Vec<(u32, u32, u32)>,
    objects: Vec<Object>,
    types: Vec<String>,
    /// The different sets.
    sets: Vec<Set>,
    /// By node: the place of its set in `sets`.
    set_of: Vec<u32>,
    at: Vec<(Place, u32)>,
    callees: Vec<(Place, Vec<u32>)>,
    is_complete: bool,
    statistics: Statistics,
}

impl PointsTo {
    /// The result in a form that can be stored.
    pub fn to_stored(&self) -> StoredPointsTo {
        let (mut classes, mut number_of) = (Vec::new(), HashMap::new());
        let mut methods = Vec::with_capacity(self.methods.len());
        for reached in &self.methods {
            let class = *number_of.entry(reached.class.name.as_str()).or_insert_with(|| {
                classes.push(reached.class.name.clone());
                number(classes.len() - 1)
            });
            methods.push((class, number(reached.at), reached.base));
        }
        let (mut sets, mut place_of) = (Vec::new(), HashMap::new());
        let place = |at: &u32| {
            let set = self.sets.get(index(*at)).unwrap_or(&super::EMPTY);
            *place_of.entry(set).or_insert_with(|| {
                sets.push(set.clone());
                number(sets.len() - 1)
            })
        };
        let set_of = self.set_of.iter().map(place).collect();
        let mut at: Vec<(Place, u32)> = self.at.iter().map(|(place, id)| (*place, id.0)).collect();
        at.sort_unstable();
        let callees = self.callees.iter().map(|(place, all)| (*place, all.iter().map(|id| id.0).collect()));
        StoredPointsTo {
            classes,
            methods,
            objects: self.objects.clone(),
            types: self.types.clone(),
            sets,
            set_of,
            at,
            callees: callees.collect(),
            is_complete: self.is_complete,
            statistics: self.statistics.clone(),
        }
    }

    /// The result that was stored. `None` if the program does not have its methods.
    pub fn from_stored(stored: StoredPointsTo, program: &dyn Program) -> Option<PointsTo> {
        let classes: Vec<_> = stored.classes.iter().map(|name| program.class(name)).collect::<Option<_>>()?;
        let (mut methods, mut ids) = (Vec::with_capacity(stored.methods.len()), HashMap::new());
        for (id, (class, at, base)) in (0..).map(MethodId).zip(stored.methods) {
            let (class, at) = (classes.get(index(class))?.clone(), index(at));
            let method = class.methods.get(at)?;
            let body = Body::new(method, method.code.as_ref()?);
            ids.insert((class.name.clone(), method.name.clone(), method.descriptor.clone()), id);
            methods.push(Reached { class, at, body, base });
        }
        let mut callers: BTreeMap<u32, BTreeSet<Place>> = BTreeMap::new();
        for (place, all) in &stored.callees {
            for callee in all {
                callers.entry(*callee).or_default().insert(*place);
            }
        }
        let callees = stored.callees.into_iter();
        Some(PointsTo {
            methods,
            ids,
            objects: stored.objects,
            types: stored.types,
            sets: stored.sets,
            set_of: stored.set_of,
            at: stored.at.into_iter().map(|(place, id)| (place, AllocId(id))).collect(),
            callees: callees.map(|(place, all)| (place, all.into_iter().map(MethodId).collect())).collect(),
            callers,
            is_complete: stored.is_complete,
            statistics: stored.statistics,
        })
    }
}

/// There are fewer than 2³² methods, classes and sets: all are numbered by `u32`.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
