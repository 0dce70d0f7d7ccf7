//! Looks at arrays and fields around the calls of the JDK that may write them. The recorder compares the
//! values before and after a call.

use crate::external_writes::{FieldOwners, Given, GivenPart, field_owners, handed, is_inherited};
use crate::sites::{Name, Site, Sites, numbered};
use crate::spill::{Place, spill};
use crate::steps::Weaver;
use descriptor::Kind;
use rewrite::{Effect, Kept, MethodShape, RewriteError, Scan, Slot, Step};
use std::collections::{BTreeMap, HashSet};
use wire::{CalledMethod, ClassReport, PROBE_GIVEN_CLASS, Plan};

/// The extra local that holds what the running call was given.
const GIVEN: &str = "qp:given";

/// The class whose methods [`SETTERS`] set the fields of deserialised objects.
const DESERIALISER: &str = "java/io/ObjectStreamClass";
const SETTERS: [(&str, &str); 2] = [
    ("setPrimFieldValues", "(Ljava/lang/Object;[B)V"),
    ("setObjFieldValues", "(Ljava/lang/Object;[Ljava/lang/Object;)V"),
];

/// Calls that deserialise objects. A class of the program may inherit them.
const READERS: [(&str, &str); 3] = [
    ("readObject", "()Ljava/lang/Object;"),
    ("readUnshared", "()Ljava/lang/Object;"),
    ("defaultReadObject", "()V"),
];

/// Prefixes of the JDK's packages.
const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];

/// The descriptor of `QuerypointProbeGivenField.given`.
const GIVEN_FIELD: &str = "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Class;III)Ljava/lang/Object;";

/// Marks of a site, as `QuerypointProbeGiven` and `QuerypointProbeGivenArray` have them.
const KEEP: i32 = 1;
const TESTED: i32 = 2;
const ALONE: i32 = 8;

/// A query about elements, at a call that may write them.
struct ArrayQuery<'a> {
    given: &'a Given,
    kind: char,
    query: u16,
    marks: i32,
}

/// A query about a field, at a call that may write it.
struct FieldQuery {
    owner: Owner,
    query: u16,
    marks: i32,
}

/// The object whose field a call may write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The argument at this position.
    Argument(usize),
    /// What is bound to the method handle that is called.
    Bound,
    /// Any object that the call deserialises.
    Deserialised,
    /// None: the field is static.
    Static,
}

/// The site numbers of a call, by query.
type Numbers = BTreeMap<u16, i32>;

/// The arguments of a call, copied to scratch locals.
#[derive(Default)]
struct Spilled {
    /// The code that copies them.
    steps: Vec<Step>,
    /// The code that loads the method handle, if it is looked at.
    handle: Option<Step>,
    /// The locals, by the positions of the arguments.
    places: BTreeMap<usize, Place>,
}

impl Spilled {
    fn load(&self, at: usize) -> Step {
        self.places.get(&at).map_or(Step::Null, |[_, load]| load.clone())
    }

    /// The code that shows the recorder an array.
    fn look_at_array(&self, array: &ArrayQuery<'_>, numbers: &Numbers) -> Vec<Step> {
        let ArrayQuery { given, kind, query, marks } = *array;
        let GivenPart { from, many, how } = given.part.given(|at| self.load(at));
        let kind = i32::try_from(u32::from(kind)).unwrap_or(0);
        let (array, marks) = (self.load(given.argument), Step::Int(marks | how));
        let (number, of) = (number_of(query, numbers), Step::Int(query.into()));
        let told = "(Ljava/lang/Object;Ljava/lang/Object;IIIIII)Ljava/lang/Object;";
        vec![array, from, many, marks, Step::Int(kind), number, of, call("Array", "given", told)]
    }

    /// The code that shows the recorder the owner of a field, at a call in the code of `class`.
    fn look_at_field(&self, field: &FieldQuery, class: &str, numbers: &Numbers) -> Vec<Step> {
        let FieldQuery { owner, query, marks } = *field;
        let mut steps = Vec::new();
        let told = match owner {
            Owner::Argument(at) => {
                steps.extend([self.load(at), Step::Null]);
                call("Field", "given", GIVEN_FIELD)
            }
            Owner::Static => {
                steps.extend([Step::Null, Step::Class(class.to_owned().into())]);
                call("Field", "given", GIVEN_FIELD)
            }
            Owner::Bound => {
                steps.extend(self.handle.clone());
                call("Field", "bound", "(Ljava/lang/Object;Ljava/lang/Object;III)Ljava/lang/Object;")
            }
            Owner::Deserialised => call("Reader", "given", "(Ljava/lang/Object;III)Ljava/lang/Object;"),
        };
        steps.extend([Step::Int(marks), number_of(query, numbers), Step::Int(query.into()), told]);
        steps
    }
}

fn number_of(query: u16, numbers: &Numbers) -> Step {
    Step::Int(numbers.get(&query).copied().unwrap_or(0))
}

/// Inserts probes around calls of the JDK.
pub struct CallProbes<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The numbered sites.
    pub sites: &'a mut Sites,
    /// The numbers of those whose hits are tested.
    pub tested: &'a mut HashSet<u32>,
}

/// Whether a class sets the fields that are asked for when an object is deserialised.
pub fn is_deserialiser(plan: &Plan, class: &str) -> bool {
    class == DESERIALISER && plan.written_fields().any(|field| !field.is_static)
}

/// Whether a class calls a method that may write what is asked for.
pub fn calls_writers(plan: &Plan, scan: &Scan<'_>) -> bool {
    let (arrays, fields) = (!plan.arrays.is_empty(), plan.written_fields().next().is_some());
    if !arrays && !fields {
        return false;
    }
    scan.names_method(&|class, name, descriptor| {
        let writes_field = || field_owners(class, name, descriptor).is_some();
        let writes_array = || handed(class, name, descriptor).is_some_and(|handed| !handed.given.is_empty());
        fields && deserialises(name, descriptor)
            || is_of_jdk(class, name, descriptor) && (fields && writes_field() || arrays && writes_array())
    })
}

impl CallProbes<'_> {
    /// Inserts probes around calls of the JDK that may write what is asked for.
    pub fn insert(
        &mut self,
        scan: &Scan<'_>,
        class: &str,
        weavers: &mut BTreeMap<Name, Weaver>,
        report: &mut ClassReport,
    ) -> Result<(), RewriteError> {
        for shape in scan.methods()? {
            for effect in scan.recorded_effects(&shape.name, &shape.descriptor)? {
                let Effect::Call { class: of, name, descriptor } = &effect.what else { continue };
                // Before `this` is initialised, no handler could look at what a throwing call has written.
                let is_looked_at = is_of_jdk(of, name, descriptor) || deserialises(name, descriptor);
                if shape.is_early(effect.pc) || !is_looked_at {
                    continue;
                }
                let called =
                    CalledMethod { class: of.clone(), name: name.clone(), descriptor: descriptor.clone() };
                self.call(&shape, effect.pc, &called, class, weavers, report);
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        shape: &MethodShape,
        pc: u32,
        called: &CalledMethod,
        class: &str,
        weavers: &mut BTreeMap<Name, Weaver>,
        report: &mut ClassReport,
    ) {
        let Some(parts) = descriptor::parse_method(&called.descriptor) else { return };
        let handed = handed(&called.class, &called.name, &called.descriptor);
        let given = handed.map(|handed| handed.given).unwrap_or_default();
        let arrays = self.array_queries(&given);
        let fields = self.field_queries(called, &parts.parameters);
        let queries = arrays.iter().map(|array| array.query).chain(fields.iter().map(|field| field.query));
        let site = Site {
            query: 0,
            class: class.to_owned(),
            method: shape.name.clone(),
            descriptor: shape.descriptor.clone(),
            bci: pc,
            way: None,
            named_by: None,
        };
        let Some(numbers) = self.numbers(queries, &site, called, report) else { return };
        if numbers.is_empty() {
            return;
        }
        for field in fields.iter().filter(|field| field.marks & TESTED != 0) {
            let number = numbers.get(&field.query).and_then(|number| u32::try_from(*number).ok());
            self.tested.extend(number);
        }
        let weaver = weavers.entry((shape.name.clone(), shape.descriptor.clone())).or_default();
        let slot = weaver.given(shape);
        let mut spilled = weaver.spilled(&parts.parameters, &arrays, &fields);
        let mut steps = std::mem::take(&mut spilled.steps);
        steps.push(Step::Null);
        steps.extend(arrays.iter().flat_map(|array| spilled.look_at_array(array, &numbers)));
        steps.extend(fields.iter().flat_map(|field| spilled.look_at_field(field, class, &numbers)));
        steps.push(Step::Store(Kind::Reference, slot));
        weaver.plan.before.entry(pc).or_default().extend(steps);
        weaver.plan.after.entry(pc).or_default().splice(0..0, back(slot));
    }

    /// Numbers a site for each query; `None` if there are too many.
    fn numbers(
        &mut self,
        queries: impl Iterator<Item = u16>,
        site: &Site,
        called: &CalledMethod,
        report: &mut ClassReport,
    ) -> Option<Numbers> {
        let mut numbers = Numbers::new();
        for query in queries {
            let site = Site { query, ..site.clone() };
            let Some(number) = numbered(self.sites, &site, report) else {
                report.left.push(wire::SkippedMethod {
                    method: site.method,
                    descriptor: site.descriptor,
                    queries: vec![query],
                    why: "there are too many sites".to_owned(),
                });
                return None;
            };
            if let Some(told) = report.sites.last_mut() {
                told.by = Some(called.clone());
            }
            numbers.insert(query, number);
        }
        Some(numbers)
    }

    fn array_queries<'a>(&self, given: &'a [Given]) -> Vec<ArrayQuery<'a>> {
        let mut found = Vec::new();
        for given in given {
            for array in &self.plan.arrays {
                let kind = if array.kind == 'Z' { 'B' } else { array.kind };
                if given.of.is_none_or(|of| of == kind) {
                    let marks = if array.keep { KEEP } else { 0 };
                    found.push(ArrayQuery { given, kind, query: array.query, marks });
                }
            }
        }
        if let [alone] = found.as_mut_slice() {
            alone.marks |= ALONE;
        }
        found
    }

    fn field_queries(&self, called: &CalledMethod, arguments: &[String]) -> Vec<FieldQuery> {
        let reads = deserialises(&called.name, &called.descriptor);
        let is_handle = called.class == "java/lang/invoke/MethodHandle";
        let owners = field_owners(&called.class, &called.name, &called.descriptor);
        if owners.is_none() && !reads {
            return Vec::new();
        }
        let is_object = |at: usize| arguments.get(at).is_some_and(|of| may_be_object(of));
        let positions: Vec<usize> = match owners {
            Some(FieldOwners::OfHandle(_)) => (0..1).filter(|at| is_object(*at)).collect(),
            Some(FieldOwners::Arguments) => (0..arguments.len()).filter(|at| is_object(*at)).collect(),
            None => Vec::new(),
        };
        let positions = positions.into_iter().map(Owner::Argument);
        let others = [(is_handle, Owner::Bound), (reads, Owner::Deserialised)];
        let others = others.into_iter().filter_map(|(is_so, owner)| is_so.then_some(owner));
        let owners: Vec<Owner> = positions.chain(others).collect();
        let mut found = Vec::new();
        for field in self.plan.written_fields() {
            let keep = if field.keep { KEEP } else { 0 };
            let marks = keep | if field.tested.is_some() { TESTED } else { 0 };
            let query = field.query;
            match field.is_static {
                true if reads => {}
                true => found.push(FieldQuery { owner: Owner::Static, query, marks }),
                false => found.extend(owners.iter().map(|owner| FieldQuery { owner: *owner, query, marks })),
            }
        }
        found
    }
}

impl Weaver {
    /// The local that holds what the running call was given. An exception that leaves the call reaches a
    /// handler or leaves the method: there the recorder compares too.
    fn given(&mut self, shape: &MethodShape) -> Slot {
        if let Some(known) = self.plan.kept.iter().position(|kept| kept.name == GIVEN) {
            return Slot::Kept(known);
        }
        self.plan.kept.push(Kept { kind: Kind::Reference, name: GIVEN.to_owned() });
        let slot = Slot::Kept(self.plan.kept.len() - 1);
        self.plan.entry.splice(0..0, [Step::Null, Step::Store(Kind::Reference, slot)]);
        for handler in &shape.handlers {
            // Before `this` is initialised, inserted code cannot continue from a handler.
            if !shape.is_early(*handler) {
                self.plan.before.entry(*handler).or_default().splice(0..0, back(slot));
            }
        }
        self.plan.unwind.splice(0..0, back(slot));
        slot
    }

    /// Copies the arguments that are looked at to scratch locals, with those above them on the stack, and the
    /// method handle if it is looked at.
    fn spilled(&mut self, arguments: &[String], arrays: &[ArrayQuery<'_>], fields: &[FieldQuery]) -> Spilled {
        let mut scratch = |kind, nth| self.nth_scratch(kind, nth);
        if fields.iter().any(|field| field.owner == Owner::Bound) {
            let handle = "Ljava/lang/invoke/MethodHandle;".to_owned();
            let all: Vec<String> = [handle].into_iter().chain(arguments.iter().cloned()).collect();
            let (steps, places) = spill(&all, &mut scratch);
            let handle = places.first().map(|[_, load]| load.clone());
            return Spilled { steps, handle, places: (0..).zip(places.into_iter().skip(1)).collect() };
        }
        let of_arrays = arrays.iter().map(|array| array.given.argument);
        let of_fields = fields.iter().filter_map(|field| match field.owner {
            Owner::Argument(at) => Some(at),
            Owner::Bound | Owner::Deserialised | Owner::Static => None,
        });
        let first = of_arrays.chain(of_fields).min();
        let Some(first) = first else { return Spilled::default() };
        let above = arguments.get(first..).unwrap_or_default();
        let (steps, places) = spill(above, &mut scratch);
        Spilled { steps, handle: None, places: (first..).zip(places).collect() }
    }

    /// The store and load of a further scratch local.
    fn nth_scratch(&mut self, kind: Kind, nth: usize) -> Place {
        let known = self.plan.scratch.iter().enumerate().filter(|(_, of)| **of == kind).nth(nth);
        let at = known.map(|(at, _)| at).unwrap_or_else(|| {
            self.plan.scratch.push(kind);
            self.plan.scratch.len() - 1
        });
        [Step::Store(kind, Slot::Scratch(at)), Step::Load(kind, Slot::Scratch(at))]
    }
}

/// Tells the recorder what the JDK sets of a deserialised object.
pub fn deserialising(scan: &Scan<'_>, weavers: &mut BTreeMap<Name, Weaver>) -> Result<(), RewriteError> {
    for shape in scan.methods()? {
        if !SETTERS.contains(&(shape.name.as_str(), shape.descriptor.as_str())) {
            continue;
        }
        let weaver = weavers.entry((shape.name.clone(), shape.descriptor.clone())).or_default();
        weaver.plan.kept.push(Kept { kind: Kind::Reference, name: GIVEN.to_owned() });
        let slot = Slot::Kept(weaver.plan.kept.len() - 1);
        let object = Step::Load(Kind::Reference, Slot::Own(1));
        let begin = call("Reader", "begin", "(Ljava/lang/Object;)Ljava/lang/Object;");
        weaver.plan.entry.extend([object, begin, Step::Store(Kind::Reference, slot)]);
        let end = [Step::Load(Kind::Reference, slot), call("Reader", "end", "(Ljava/lang/Object;)V")];
        for returns in &shape.returns {
            weaver.plan.before.entry(returns.pc).or_default().extend(end.clone());
        }
        weaver.plan.unwind.extend(end);
    }
    Ok(())
}

/// Whether a call deserialises objects.
fn deserialises(name: &str, descriptor: &str) -> bool {
    READERS.contains(&(name, descriptor))
}

/// Whether a method belongs to the JDK, or a class of the program may inherit it from the JDK.
fn is_of_jdk(class: &str, name: &str, descriptor: &str) -> bool {
    JDK.iter().any(|package| class.starts_with(package)) || is_inherited(name, descriptor)
}

/// Whether an argument of this type may be an object of a class of the program.
fn may_be_object(descriptor: &str) -> bool {
    descriptor.starts_with('L') && descriptor != "Ljava/lang/String;"
}

/// The call is over.
fn back(slot: Slot) -> Vec<Step> {
    vec![
        Step::Load(Kind::Reference, slot),
        call("", "back", "(Ljava/lang/Object;)V"),
        Step::Null,
        Step::Store(Kind::Reference, slot),
    ]
}

fn call(part: &str, name: &'static str, descriptor: &'static str) -> Step {
    Step::Call {
        class: format!("{PROBE_GIVEN_CLASS}{part}").into(),
        name: name.into(),
        descriptor: descriptor.into(),
    }
}
