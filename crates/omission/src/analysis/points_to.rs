//! The points-to analysis of a recorded program: which objects an instruction may use, and which methods a
//! call may run.

use super::kept::{self, AnalysisStore};
use super::use_site::UseSite;
use bytecode::{Op, descriptor};
use classes::ClassPool;
use model::MethodName;
use past::PastError;
use pointsto::{AllocId, Entry, Limits, MethodId, PointsTo, Position, Set};
use program::call_index::{Index, MethodAt, PlaceAt};
use program::lineage;
use std::collections::{BTreeSet, HashMap, HashSet};
use trace::{Calls, Traced, Value, WalkControl};

/// Most steps of the analysis: some seconds.
const STEPS: u64 = 20_000_000;
/// Most events that are looked at to find where an object was made.
const MENTIONS: usize = 2_000;

/// The analysis, by the methods of the index.
pub(super) struct ProgramPointsTo {
    points_to: PointsTo,
    /// The methods that recorded methods override. No object of the run selects them.
    overridden: HashSet<MethodAt>,
    ids: HashMap<MethodAt, MethodId>,
    at: HashMap<MethodId, MethodAt>,
}

impl ProgramPointsTo {
    /// Analyses what the recorded run began with; `None` if the analysis would take too long.
    pub fn of(
        calls: &Calls,
        index: &Index<'_>,
        pool: &ClassPool,
        is_recorded: &dyn Fn(&str) -> bool,
        store: &dyn AnalysisStore,
    ) -> Option<ProgramPointsTo> {
        let mut entries = BTreeSet::new();
        for (thread, ..) in calls.threads() {
            for root in calls.roots(thread) {
                if let Some(method) = calls.method(root) {
                    let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
                    entries.insert(Entry { class: method.class.to_string(), name, descriptor });
                }
            }
        }
        // What a method overrides can be what should have run.
        let overridden = overridden(calls, index, pool);
        for method in &overridden {
            if let (Some(file), Some(declared)) = (index.file(*method), index.method(*method)) {
                let (name, descriptor) = (declared.name.clone(), declared.descriptor.clone());
                entries.insert(Entry { class: file.name.clone(), name, descriptor });
            }
        }
        let entries: Vec<Entry> = entries.into_iter().collect();
        let limits = Limits { steps: STEPS, ..Limits::default() };
        let points_to = kept::analyse(pool, is_recorded, &entries, limits, store);
        if !points_to.is_complete() {
            return None;
        }
        let (mut ids, mut at) = (HashMap::new(), HashMap::new());
        for method in index.all() {
            let (Some(file), Some(declared)) = (index.file(method), index.method(method)) else { continue };
            if let Some(id) = points_to.method_id(&file.name, &declared.name, &declared.descriptor) {
                ids.insert(method, id);
                at.insert(id, method);
            }
        }
        Some(ProgramPointsTo { points_to, overridden, ids, at })
    }

    /// Whether the run can reach a method.
    pub fn is_reachable(&self, method: MethodAt) -> bool {
        self.ids.contains_key(&method)
    }

    /// The methods that a call can run.
    pub fn callees(&self, (method, pc): PlaceAt, index: &Index<'_>) -> Vec<MethodAt> {
        let Some(id) = self.ids.get(&method) else { return Vec::new() };
        let callees = self.points_to.callees(*id, pc).iter();
        let mut all: Vec<MethodAt> = callees.filter_map(|id| self.at.get(id).copied()).collect();
        if !self.overridden.is_empty()
            && let Some(Op::Invoke { kind, method }) = index.op((method, pc))
        {
            let targets = index.targets(*kind, method).into_iter();
            let others: Vec<MethodAt> =
                targets.filter(|target| self.overridden.contains(target) && !all.contains(target)).collect();
            all.extend(others);
        }
        all
    }

    /// The calls that can run a method.
    pub fn callers(&self, method: MethodAt, index: &Index<'_>) -> Vec<PlaceAt> {
        let Some(id) = self.ids.get(&method) else { return Vec::new() };
        if self.overridden.contains(&method) {
            let callers = index.callers(method).into_iter().map(|caller| caller.place);
            return callers.filter(|place| self.ids.contains_key(&place.0)).collect();
        }
        let callers = self.points_to.callers(*id);
        callers.filter_map(|(method, pc)| Some((*self.at.get(&method)?, pc))).collect()
    }

    /// Whether the operand of a use site may be one of these allocations.
    pub fn may_be(&self, site: &UseSite, op: &Op, allocations: &BTreeSet<AllocId>) -> bool {
        let (Some(id), Some(position)) = (self.ids.get(&site.place.0), position(op, site.above)) else {
            return false;
        };
        let set = self.points_to.operand(*id, site.place.1, position);
        allocations.iter().any(|allocation| set.contains(*allocation))
    }

    /// The allocations that fit all events that name an object; `None` if none does. Then the object was
    /// made where the analysis does not look.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn allocations(
        &self,
        calls: &mut Calls,
        object: u32,
        class: &str,
    ) -> Result<Option<BTreeSet<AllocId>>, PastError> {
        let mut found: Option<BTreeSet<AllocId>> = None;
        let mut mentions = 0;
        for (thread, ..) in calls.threads() {
            calls.walk(thread, None, |calls, seen| {
                if !seen.values.contains(&Value::Object(object)) {
                    return WalkControl::Next;
                }
                mentions += 1;
                let Some(method) = calls.sites.method(seen.site.method) else { return WalkControl::Next };
                let id = self.points_to.method_id(&method.class, &method.name, &method.descriptor);
                let Some(id) = id else { return WalkControl::Next };
                for set in self.named(id, method.is_static, method.name == "<init>", seen, object) {
                    let of_it: BTreeSet<AllocId> = set.iter().collect();
                    found = Some(match found.take() {
                        Some(known) => known.intersection(&of_it).copied().collect(),
                        None => of_it,
                    });
                }
                if mentions < MENTIONS { WalkControl::Next } else { WalkControl::Stop }
            })?;
        }
        let name = match class.starts_with('[') {
            true => descriptor::java_type(&class.replace('.', "/")),
            false => class.to_owned(),
        };
        let found = found.map(|mut found| {
            found.retain(|id| {
                self.points_to.allocation(*id).is_some_and(|made| !made.is_exact || made.ty == name)
            });
            found
        });
        Ok(found.filter(|found| !found.is_empty()))
    }

    /// The sets of the places where an event names an object.
    fn named<'s>(
        &'s self,
        id: MethodId,
        is_static: bool,
        is_constructor: bool,
        seen: &trace::TracedEvent<'_>,
        object: u32,
    ) -> Vec<&'s Set> {
        let bci = seen.site.bci;
        let is_it = |value: Option<&Value>| value == Some(&Value::Object(object));
        let mut sets = Vec::new();
        let mut operand = |position: Position| sets.push(self.points_to.operand(id, bci, position));
        match seen.site.what {
            Traced::Put => {
                if is_it(seen.values.first()) {
                    operand(Position::Object);
                }
                if is_it(seen.values.last()) {
                    operand(Position::Stored);
                }
            }
            Traced::PutStatic | Traced::Preset if is_it(seen.values.last()) => operand(Position::Stored),
            Traced::Return if is_it(seen.values.first()) => operand(Position::Passed),
            Traced::Element(_) => {
                if is_it(seen.values.first()) {
                    operand(Position::Array);
                }
                if is_it(seen.values.last()) {
                    operand(Position::Stored);
                }
            }
            Traced::Enter if !seen.is_around => {
                let first = u32::from(!is_static && is_constructor);
                for (place, value) in (first..).zip(seen.values) {
                    if is_it(Some(value)) {
                        sets.push(self.points_to.parameter(id, place));
                    }
                }
            }
            _ => {}
        }
        sets.retain(|set| !set.is_empty());
        sets
    }
}

/// The methods of the program that recorded methods override, and that were not recorded themselves.
fn overridden(calls: &Calls, index: &Index<'_>, pool: &ClassPool) -> HashSet<MethodAt> {
    let recorded: HashSet<(&str, &str, &str)> = calls
        .sites
        .methods()
        .iter()
        .enumerate()
        .filter(|(number, _)| {
            let number = u32::try_from(*number).unwrap_or(u32::MAX);
            calls.threads().iter().any(|(thread, ..)| calls.count_of_method(number, *thread) > 0)
        })
        .map(|(_, method)| (&*method.class, method.name.as_str(), method.descriptor.as_str()))
        .collect();
    let mut found = HashSet::new();
    for (class, name, descriptor) in &recorded {
        if name.starts_with('<') {
            continue;
        }
        let Ok(Some(own)) = pool.find(class) else { continue };
        for above in lineage(pool, &own.file).iter().skip(1) {
            let named = MethodName::new(above.name.as_str(), *name, *descriptor);
            let is_recorded = recorded.contains(&(above.name.as_str(), *name, *descriptor));
            found.extend(index.find(&named).filter(|_| !is_recorded));
        }
    }
    found
}

/// The role of the operand below this number of slots.
fn position(op: &Op, above: Option<u16>) -> Option<Position> {
    let above = above?;
    match op {
        Op::PutField(_) | Op::GetField(_) => Some(Position::Object),
        Op::ArrayStore(_) | Op::ArrayLoad(_) => Some(Position::Array),
        Op::Invoke { method, .. } => {
            let types = descriptor::parse_method(&method.descriptor)?;
            let mut slots = 0;
            for (at, parameter) in types.parameters.iter().enumerate().rev() {
                if slots == above {
                    return u16::try_from(at).ok().map(Position::Argument);
                }
                slots += descriptor::slots(parameter);
            }
            Some(Position::Receiver)
        }
        _ => None,
    }
}
