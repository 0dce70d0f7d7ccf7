//! Computes all places that can have passed on the value of a variable seen by a point ([`Copies`]). It
//! follows the stores of the variable, the sources of the stored values, and the calls that pass a parameter.
//! It also follows the returns of called methods and the writes of fields, until nothing new is found. It
//! uses only class files, so the result contains more than any run takes.

use super::translate::classes::Classes;
use bytecode::descriptor::{parameter_slots, parse_method};
use bytecode::op::Element;
use bytecode::stores::{SlotStores, StoreKind};
use bytecode::{FieldRef, Instruction, Kind, MethodRef, Op, Producer, Producers};
use model::{MethodName, Site};
use program::call_index::{Index, MethodAt, PlaceAt};
use query::{CopySite, CopyWhat, SiteSet, Source};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Maximum number of places. Inserting code at more places would take too long.
const MOST: usize = 60_000;

/// There are too many places to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany(pub usize);

/// Distinguishes places at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Which {
    /// The instruction itself.
    Does,
    /// A mark before the instruction, which shows that it pushed the value.
    Marks,
    /// The place after the instruction.
    Behind,
    /// The entry of the method, for a slot.
    Enters(u16),
}

/// Work of the finder.
enum Task {
    /// Find the sources of a value that is stored, written or returned.
    Value(u32),
    /// Find the sources of an argument of a call.
    Argument(u32, usize),
}

/// The stores that reach each load of each slot.
type Loads = HashMap<(MethodAt, u16), HashMap<u32, Vec<(u32, StoreKind)>>>;

/// Finds the places that can pass a value on.
pub struct Finder<'a> {
    index: Index<'a>,
    sites: Vec<CopySite>,
    at: Vec<PlaceAt>,
    known: HashMap<(PlaceAt, Which), u32>,
    tasks: VecDeque<Task>,
    /// The arguments of calls that are or were tasks.
    asked: HashSet<(u32, usize)>,
    fields: HashMap<(String, String, String), SiteSet>,
    elements: HashMap<Element, SiteSet>,
}

impl<'a> Finder<'a> {
    /// A finder in the program's own classes.
    pub fn new(classes: &'a Classes<'a>) -> Finder<'a> {
        let index = Index::new(classes.pool);
        let (sites, at, known) = (Vec::new(), Vec::new(), HashMap::new());
        let (fields, elements) = (HashMap::new(), HashMap::new());
        Finder { index, sites, at, known, tasks: VecDeque::new(), asked: HashSet::new(), fields, elements }
    }

    /// The places that store a local variable, given the code indices of the stores. A parameter entry is the
    /// call itself.
    pub fn stores(&mut self, method: &MethodName, slot: u16, stores: &[(u32, StoreKind)]) -> SiteSet {
        let Some(at) = self.index.find(method) else { return SiteSet::default() };
        let numbers: Vec<u32> =
            stores.iter().filter_map(|(pc, how)| self.store(at, slot, *pc, *how)).collect();
        set(numbers)
    }

    /// The places that write a field.
    pub fn puts(&mut self, class: &str, name: &str, descriptor: &str) -> SiteSet {
        let key = (class.to_owned(), name.to_owned(), descriptor.to_owned());
        if let Some(known) = self.fields.get(&key) {
            return known.clone();
        }
        let places = self.index.puts(class, name, descriptor);
        let numbers = places.into_iter().filter_map(|place| self.put(place)).collect();
        let found = set(numbers);
        self.fields.insert(key, found.clone());
        found
    }

    /// The places that write array elements, by the first letter of the element descriptor.
    pub fn element_puts(&mut self, letter: char) -> SiteSet {
        self.element(match letter {
            'I' => Element::Int,
            'J' => Element::Long,
            'F' => Element::Float,
            'D' => Element::Double,
            'B' | 'Z' => Element::ByteOrBoolean,
            'C' => Element::Char,
            'S' => Element::Short,
            _ => Element::Reference,
        })
    }

    /// All places that lead to those requested so far.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn finish(mut self) -> Result<Vec<CopySite>, TooMany> {
        let mut producers = HashMap::new();
        let mut reached = Loads::new();
        while let Some(task) = self.tasks.pop_front() {
            let number = match task {
                Task::Value(number) | Task::Argument(number, _) => number,
            };
            let Some((at, pc)) = self.place(number) else { continue };
            // A task reads only the index and adds to other fields.
            let known = producers.entry(at).or_insert_with(|| self.index.code(at).and_then(Operands::new));
            match task {
                Task::Value(_) => {
                    let pushed = known.as_ref().map(|of| of.top(pc));
                    let found = self.sources((at, pc), pushed, &mut reached);
                    if let Some(site) = self.site_mut(number) {
                        site.sources = found;
                    }
                }
                Task::Argument(_, place) => {
                    let pushed = known.as_ref().map(|of| of.argument(pc, place));
                    let found = self.sources((at, pc), pushed, &mut reached);
                    if let Some(CopyWhat::Called { arguments }) =
                        self.site_mut(number).map(|site| &mut site.what)
                    {
                        arguments.push((place, found));
                    }
                }
            }
            if self.sites.len() > MOST {
                return Err(TooMany(MOST));
            }
        }
        Ok(self.sites)
    }

    fn place(&self, number: u32) -> Option<PlaceAt> {
        self.at.get(usize::try_from(number).ok()?).copied()
    }

    fn site_mut(&mut self, number: u32) -> Option<&mut CopySite> {
        self.sites.get_mut(usize::try_from(number).ok()?)
    }

    /// The number of a place, and whether it is new.
    fn number(
        &mut self,
        place: PlaceAt,
        which: Which,
        what: impl FnOnce() -> CopyWhat,
    ) -> Option<(u32, bool)> {
        if let Some(number) = self.known.get(&(place, which)) {
            return Some((*number, false));
        }
        let (at, pc) = place;
        let number = u32::try_from(self.sites.len()).ok()?;
        let site = Site { method: self.index.name(at)?, bci: pc };
        self.sites.push(CopySite { site, what: what(), sources: Vec::new() });
        self.at.push(place);
        self.known.insert((place, which), number);
        Some((number, true))
    }

    /// Adds a place whose value is followed further.
    fn copying(&mut self, place: PlaceAt, what: impl FnOnce() -> CopyWhat) -> Option<u32> {
        let (number, new) = self.number(place, Which::Does, what)?;
        if new {
            self.tasks.push_back(Task::Value(number));
        }
        Some(number)
    }

    fn store(&mut self, at: MethodAt, slot: u16, pc: u32, how: StoreKind) -> Option<u32> {
        match how {
            StoreKind::ParameterEntry => self.entered(at, slot),
            StoreKind::Store => {
                let Some(Op::Store { kind, .. }) = self.index.op((at, pc)) else { return None };
                let kind = letter(*kind);
                self.copying((at, pc), || CopyWhat::Stored { slot, kind })
            }
            StoreKind::Iinc => {
                let Some(Op::Iinc { by, .. }) = self.index.op((at, pc)) else { return None };
                let by = *by;
                let (number, new) =
                    self.number((at, pc), Which::Does, || CopyWhat::Increased { slot, by })?;
                if let Some(site) = self.site_mut(number).filter(|_| new) {
                    site.sources = vec![Source::End { mark: None, why: None }];
                }
                Some(number)
            }
        }
    }

    fn entered(&mut self, at: MethodAt, slot: u16) -> Option<u32> {
        let method = self.index.method(at)?;
        let slots = parameter_slots(&method.descriptor, method.is_static());
        let (place, descriptor) =
            slots.into_iter().enumerate().find_map(|(n, (s, of))| (s == slot).then_some((n, of)))?;
        let what =
            || CopyWhat::Entered { slot, descriptor: descriptor.as_str().into(), callers: Arc::default() };
        let (number, new) = self.number((at, 0), Which::Enters(slot), what)?;
        if new {
            let mut calls: BTreeMap<u32, Option<usize>> = BTreeMap::new();
            for caller in self.index.callers(at) {
                let what = || CopyWhat::Called { arguments: Vec::new() };
                let Some((call, _)) = self.number(caller.place, Which::Does, what) else { continue };
                let argument =
                    isize::try_from(place).ok().and_then(|n| usize::try_from(n + caller.first).ok());
                calls.insert(call, argument);
                let Some(argument) = argument else { continue };
                // Several methods of one name can share a call.
                if self.asked.insert((call, argument)) {
                    self.tasks.push_back(Task::Argument(call, argument));
                }
            }
            if let Some(CopyWhat::Entered { callers, .. }) = self.site_mut(number).map(|site| &mut site.what)
            {
                *callers = calls.into_iter().collect();
            }
        }
        Some(number)
    }

    fn put(&mut self, place: PlaceAt) -> Option<u32> {
        let (at, pc) = place;
        let op = self.index.op(place)?.clone();
        let (field, _) = op.field_access()?;
        let is_static = matches!(op, Op::PutStatic(_));
        let name: Arc<str> = field.name.as_str().into();
        let descriptor: Arc<str> = field.descriptor.as_str().into();
        let constructed = if is_static { None } else { self.super_call(at).filter(|behind| pc < *behind) };
        self.copying(place, || CopyWhat::Put { name, descriptor, is_static, constructed })
    }

    /// In a constructor, the call of another constructor on `this`, which initialises the object.
    fn super_call(&self, at: MethodAt) -> Option<u32> {
        let method = self.index.method(at).filter(|m| m.name == "<init>")?;
        let code = method.code.as_ref()?;
        let producers = Producers::new(code)?;
        let this = |producer: &Producer| match producer {
            Producer::At(pc) => {
                matches!(code.at(*pc).map(|i| &i.op), Some(Op::Load { slot: 0, kind: Kind::Reference }))
            }
            Producer::Caught(_) => false,
        };
        let calls = code.instructions.iter().filter_map(|i| match &i.op {
            Op::Invoke { method, .. } if method.name == "<init>" => Some((i.pc, &method.descriptor)),
            _ => None,
        });
        let mut calls = calls.filter(|(pc, of)| producers.receiver(*pc, of).iter().all(this));
        calls.next().map(|(pc, _)| pc)
    }

    fn element(&mut self, element: Element) -> SiteSet {
        if let Some(known) = self.elements.get(&element) {
            return known.clone();
        }
        let kind = letter(element.kind());
        let places = self.index.elements(element).to_vec();
        let what = || CopyWhat::ElementPut { kind };
        let found = set(places.into_iter().filter_map(|place| self.copying(place, what)).collect());
        self.elements.insert(element, found.clone());
        found
    }

    /// Adds a mark before an instruction.
    fn mark(&mut self, place: PlaceAt, what: CopyWhat) -> Option<u32> {
        self.number(place, Which::Marks, || what).map(|(number, _)| number)
    }

    /// The sources of a value that an instruction uses.
    fn sources(
        &mut self,
        (at, used): PlaceAt,
        pushed: Option<Vec<Producer>>,
        reached: &mut Loads,
    ) -> Vec<Source> {
        let Some(pushed) = pushed else {
            let why = "its code has subroutines, as compilers before Java 6 made them";
            return vec![Source::End { mark: None, why: Some(why.into()) }];
        };
        let many = pushed.len() > 1;
        let mut found = Vec::new();
        for producer in pushed {
            let pc = match producer {
                Producer::At(pc) => pc,
                Producer::Caught(_) => {
                    found.push(Source::End {
                        mark: None,
                        why: Some("it is an exception that was caught".into()),
                    });
                    continue;
                }
            };
            let place = (at, pc);
            let Some(op) = self.index.op(place).cloned() else { continue };
            let source = self.source(place, &op, many, used, reached);
            found.push(match source {
                Some(source) => source,
                None => {
                    let mark = if many { self.mark(place, CopyWhat::Chosen) } else { None };
                    Source::End { mark, why: came_out_of(&op) }
                }
            });
        }
        found
    }

    /// The source of a value that an instruction pushes; none if the instruction made the value.
    fn source(
        &mut self,
        place: PlaceAt,
        op: &Op,
        many: bool,
        used: u32,
        reached: &mut Loads,
    ) -> Option<Source> {
        let (at, pc) = place;
        match op {
            Op::Load { slot, .. } => {
                let known = match reached.get(&(at, *slot)) {
                    Some(known) => known,
                    None => {
                        let fresh = self.loads(at, *slot);
                        reached.entry((at, *slot)).or_insert(fresh)
                    }
                };
                let stores = known.get(&pc).cloned().unwrap_or_default();
                let is_this = |(pc, how): &(u32, StoreKind)| {
                    (*pc, *how) == (0, StoreKind::ParameterEntry)
                        && *slot == 0
                        && self.index.method(at).is_some_and(|m| !m.is_static())
                };
                if stores.iter().any(is_this) {
                    return None;
                }
                let number = |(pc, how)| self.store(at, *slot, pc, how);
                let numbers = stores.into_iter().filter_map(number).collect();
                let again = many || self.stored_between(at, *slot, pc, used);
                let mark = if again { self.mark(place, CopyWhat::Chosen) } else { None };
                Some(Source::Local { mark, stores: set(numbers) })
            }
            Op::GetField(field) | Op::GetStatic(field) => {
                let (class, own) = self.index.declares(field)?;
                if !own {
                    return None;
                }
                let is_static = matches!(op, Op::GetStatic(_));
                let kind = letter(Kind::of_descriptor(&field.descriptor));
                let got = self.mark(place, CopyWhat::Got { kind, is_static })?;
                let puts = self.puts(&class, &field.name, &field.descriptor);
                Some(Source::Heap { got, puts })
            }
            Op::ArrayLoad(element) => {
                let got = self.mark(place, CopyWhat::GotElement)?;
                Some(Source::Heap { got, puts: self.element(*element) })
            }
            Op::Invoke { kind, method } => {
                let targets = self.index.targets(*kind, method);
                if targets.is_empty() {
                    return None;
                }
                let (back, _) = self.number(place, Which::Behind, || CopyWhat::Back)?;
                let mut returns = Vec::new();
                for target in targets {
                    returns.extend(self.returns(target));
                }
                Some(Source::Result { back, returns: set(returns), method: called(method) })
            }
            _ => None,
        }
    }

    /// The stores that reach each load of a slot.
    fn loads(&self, at: MethodAt, slot: u16) -> HashMap<u32, Vec<(u32, StoreKind)>> {
        let Some(method) = self.index.method(at) else { return HashMap::new() };
        let (Some(code), Some(stores)) = (&method.code, SlotStores::new(method, slot)) else {
            return HashMap::new();
        };
        let loads = |i: &&Instruction| matches!(i.op, Op::Load { slot: s, .. } if s == slot);
        let of = |pc: u32| stores.at(pc).into_iter().map(|s| (s.pc, s.kind)).collect();
        code.instructions.iter().filter(loads).map(|i| (i.pc, of(i.pc))).collect()
    }

    /// Whether a variable may be stored again between the load and the use of the value.
    fn stored_between(&self, at: MethodAt, slot: u16, from: u32, to: u32) -> bool {
        let Some(code) = self.index.code(at) else { return true };
        let between = code.instructions.iter().filter(|i| i.pc > from && i.pc < to);
        from > to || between.filter_map(|i| i.op.stored_slot()).any(|(stored, _)| stored == slot)
    }

    fn returns(&mut self, at: MethodAt) -> Vec<u32> {
        let Some(code) = self.index.code(at) else { return Vec::new() };
        let returns = code.instructions.iter().filter_map(|i| match &i.op {
            Op::Return(Some(kind)) => Some((i.pc, letter(*kind))),
            _ => None,
        });
        let returns: Vec<(u32, char)> = returns.collect();
        let number = |(pc, kind)| self.copying((at, pc), || CopyWhat::Returned { kind });
        returns.into_iter().filter_map(number).collect()
    }
}

/// The producers of the operands of a method's instructions, independent of the borrowed code.
struct Operands {
    tops: HashMap<u32, Vec<Producer>>,
    arguments: HashMap<u32, Vec<Vec<Producer>>>,
}

impl Operands {
    fn new(code: &bytecode::Code) -> Option<Operands> {
        let producers = Producers::new(code)?;
        let (mut tops, mut arguments) = (HashMap::new(), HashMap::new());
        for Instruction { pc, op, .. } in &code.instructions {
            match op {
                Op::Store { .. }
                | Op::PutField(_)
                | Op::PutStatic(_)
                | Op::ArrayStore(_)
                | Op::Return(Some(_)) => {
                    tops.insert(*pc, producers.top(*pc));
                }
                Op::Invoke { method, .. } => {
                    let count = parse_method(&method.descriptor).map_or(0, |d| d.parameters.len());
                    let of = |place| producers.argument(*pc, &method.descriptor, place);
                    arguments.insert(*pc, (0..count).map(of).collect());
                }
                _ => {}
            }
        }
        Some(Operands { tops, arguments })
    }

    fn top(&self, pc: u32) -> Vec<Producer> {
        self.tops.get(&pc).cloned().unwrap_or_default()
    }

    fn argument(&self, pc: u32, place: usize) -> Vec<Producer> {
        self.arguments.get(&pc).and_then(|all| all.get(place)).cloned().unwrap_or_default()
    }
}

fn set(numbers: Vec<u32>) -> SiteSet {
    numbers.into_iter().collect::<BTreeSet<u32>>().into_iter().collect()
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Int => 'I',
        Kind::Long => 'J',
        Kind::Float => 'F',
        Kind::Double => 'D',
        Kind::Reference => 'L',
    }
}

fn called(method: &MethodRef) -> Arc<str> {
    model::short_method_name(&method.class, &method.name).into()
}

/// Why a pushed value is not followed; none if the instruction computed it.
fn came_out_of(op: &Op) -> Option<Arc<str>> {
    let field = |f: &FieldRef| format!("it came out of the field {}.{} of the JDK", f.class, f.name).into();
    match op {
        Op::Invoke { method, .. } => Some(
            format!("it came out of {}.{}, whose code is not the program's own", method.class, method.name)
                .into(),
        ),
        Op::GetField(f) | Op::GetStatic(f) => Some(field(f)),
        Op::Load { .. } => Some("it is `this`".into()),
        _ => None,
    }
}
