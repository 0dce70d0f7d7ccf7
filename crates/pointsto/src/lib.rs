//! Which objects a reference may refer to, and which methods a call may execute: Andersen's points-to
//! analysis with a call graph that grows while the analysis runs.
//!
//! An object is named by its allocation: the instruction that creates it. The analysis distinguishes the
//! fields of each allocation and the live ranges of local variables. It does not distinguish the callers of a
//! method, nor the order of assignments to fields.
//!
//! [`PointsTo::solve`] reads only methods that the entry methods reach, in classes that [`Program`] wants
//! analysed. For all other methods [`Program::summary`] states the effect on references. The elements of an
//! array and what a library object holds are one pseudo field, the *contents* of the allocation.
//!
//! # Soundness
//!
//! The result contains every use of an object, except through:
//! - reflection other than `Class.forName` with a constant and the `newInstance` methods, method handles,
//!   native code and deserialization. An object that these create is known by its declared type only;
//! - callers of entry methods that access fields, store in a container that they got from an entry method, or
//!   pass an object that analysed code created for a parameter whose class is not analysed. Otherwise callers
//!   are assumed to hold all objects of analysed classes. An [`AllocKind::Unknown`] allocation stands for all
//!   objects that they create themselves;
//! - library constructors that call a method that a program class overrides;
//! - wrong summaries;
//! - references that are not of their declared interface type. `javac` does not produce such code.
//!
//! One allocation stands for all objects of a final library class such as `String`, so the uses of one string
//! cannot be told from those of another.

mod body;
mod callbacks;
mod collapse;
mod constraints;
mod dispatch;
mod effects;
mod jdk;
mod lambdas;
mod library;
mod nodes;
mod overrides;
mod reflection;
mod set;
mod sites;
mod solver;
mod statistics;
mod stored;
mod types;
mod uses;

pub use library::{Effect, Source, Summary};
pub use set::Set;
pub use statistics::Statistics;
pub use stored::StoredPointsTo;
pub use uses::Position;

use body::{Body, NO_VALUE};
use bytecode::class::{ClassFile, Code, Method};
use nodes::Object;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The number of an allocation, from 0. Numbers are valid for one [`PointsTo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AllocId(pub u32);

static EMPTY: Set = Set::new();

/// The number of a reachable method, from 0. Numbers are valid for one [`PointsTo`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

/// The program that is analysed.
pub trait Program {
    /// The class with this binary name; `None` if it is not known. Classes of libraries need not be known,
    /// but the analysis is more precise with them: it uses their supertypes.
    fn class(&self, name: &str) -> Option<Arc<ClassFile>>;

    /// Whether the bodies of the methods of a class are analysed. Asked only for known classes.
    fn is_analysed(&self, class: &str) -> bool;

    /// The effect of a method that is not analysed. The class is the one that a call names or, if it is
    /// known, the class of the receiver. The default knows the JDK.
    fn summary(&self, class: &str, name: &str, descriptor: &str) -> Summary {
        Summary::of_jdk(class, name, descriptor)
    }

    /// The analysed classes that extend or implement a class, directly or not. Needed for objects that the
    /// analysed methods do not create.
    fn subtypes(&self, class: &str) -> Vec<String> {
        let _ = class;
        Vec::new()
    }
}

/// A method that is called from outside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// Binary name of the class that declares it.
    pub class: String,
    /// Name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
}

/// Limits of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of constraints that may be applied and sets that may be passed on. Small programs need
    /// about one for each instruction, large libraries with all public methods as entries up to a thousand.
    pub steps: u64,
    /// Whether containers of the JDK are told apart by their allocations (one context for each). Otherwise
    /// all containers of a class have the same contents, which is what an analysis without contexts says.
    pub tells_containers_apart: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 200_000_000, tells_containers_apart: true }
    }
}

/// An allocation: it stands for the objects that one instruction creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation<'a> {
    /// Where the objects are created; `None` if no single instruction does.
    pub site: Option<AllocSite<'a>>,
    /// The Java name of the type of the objects.
    pub ty: &'a str,
    /// Whether the objects have exactly this type, not a subtype.
    pub is_exact: bool,
    /// What creates the objects.
    pub kind: AllocKind,
}

/// The instruction of an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocSite<'a> {
    /// The method as a number.
    pub method: MethodId,
    /// Binary name of the class.
    pub class: &'a str,
    /// Name of the method.
    pub name: &'a str,
    /// Descriptor of the method.
    pub descriptor: &'a str,
    /// Code index.
    pub pc: u32,
}

/// What creates the objects of an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AllocKind {
    /// `new`, a constructor reference, or `newInstance` of a known class.
    New,
    /// `newarray`, `anewarray`, `multianewarray` (one allocation for each dimension).
    Array,
    /// A lambda expression or a method reference.
    Lambda,
    /// All objects of a final class that refers to no other objects, such as `String`.
    Value,
    /// The class object of one class.
    Class,
    /// A method that is not analysed, called at the site.
    Library,
    /// A method that is not analysed, or the VM: all exceptions of one class.
    Exception,
    /// Code that is not analysed: all objects of one declared type.
    Unknown,
}

/// A reachable method.
#[derive(Debug, Clone, Copy)]
pub struct ReachedMethod<'a> {
    /// Its class.
    pub class: &'a Arc<ClassFile>,
    /// The method.
    pub method: &'a Method,
}

/// A method whose body was read.
#[derive(Debug, Clone)]
struct Reached {
    class: Arc<ClassFile>,
    at: usize,
    body: Body,
    /// The node of value `n` of the body is this plus `n`.
    base: u32,
}

impl Reached {
    fn method(&self) -> Option<&Method> {
        self.class.methods.get(self.at)
    }

    fn code(&self) -> Option<&Code> {
        self.method()?.code.as_ref()
    }
}

/// The result of an analysis.
#[derive(Debug)]
pub struct PointsTo {
    methods: Vec<Reached>,
    ids: HashMap<(String, String, String), MethodId>,
    objects: Vec<Object>,
    /// The Java names of the types.
    types: Vec<String>,
    sets: Vec<Set>,
    /// By node: the place of its set in `sets`.
    set_of: Vec<u32>,
    at: HashMap<(u32, u32), AllocId>,
    callees: BTreeMap<(u32, u32), Vec<MethodId>>,
    callers: BTreeMap<u32, BTreeSet<(u32, u32)>>,
    is_complete: bool,
    statistics: Statistics,
}

impl PointsTo {
    /// Analyses what the entry methods reach. An entry that the program does not have is ignored.
    pub fn solve(program: &dyn Program, entries: &[Entry], limits: Limits) -> PointsTo {
        solver::solve(program, entries, limits)
    }

    /// Whether the analysis ended before its limit. If not, sets and callees can be missing.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Sizes and times of the analysis.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The reachable methods with code, by number.
    pub fn methods(&self) -> impl Iterator<Item = (MethodId, ReachedMethod<'_>)> {
        (0..)
            .map(MethodId)
            .zip(&self.methods)
            .filter_map(|(id, m)| Some((id, ReachedMethod { class: &m.class, method: m.method()? })))
    }

    /// A reachable method.
    pub fn method(&self, id: MethodId) -> Option<ReachedMethod<'_>> {
        let reached = self.reached(id)?;
        Some(ReachedMethod { class: &reached.class, method: reached.method()? })
    }

    /// The number of a method; `None` if no entry method reaches it, or if it has no code.
    pub fn method_id(&self, class: &str, name: &str, descriptor: &str) -> Option<MethodId> {
        self.ids.get(&(class.to_owned(), name.to_owned(), descriptor.to_owned())).copied()
    }

    /// Whether an entry method reaches a method.
    pub fn is_reachable(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.method_id(class, name, descriptor).is_some()
    }

    fn reached(&self, id: MethodId) -> Option<&Reached> {
        self.methods.get(usize::try_from(id.0).ok()?)
    }

    /// All allocations, by number.
    pub fn allocations(&self) -> impl Iterator<Item = (AllocId, Allocation<'_>)> {
        (0..).map(AllocId).take(self.objects.len()).filter_map(|id| Some((id, self.allocation(id)?)))
    }

    /// An allocation.
    pub fn allocation(&self, id: AllocId) -> Option<Allocation<'_>> {
        let object = self.objects.get(usize::try_from(id.0).ok()?)?;
        let site = object.site.and_then(|(method, pc)| {
            let reached = self.reached(MethodId(method))?;
            let found = reached.method()?;
            Some(AllocSite {
                method: MethodId(method),
                class: &reached.class.name,
                name: &found.name,
                descriptor: &found.descriptor,
                pc,
            })
        });
        let ty = self.types.get(usize::try_from(object.ty).ok()?)?;
        Some(Allocation { site, ty, is_exact: object.is_exact, kind: object.kind })
    }

    /// The allocation of the instruction at a code index: a `new`, the outer array of a `multianewarray`, a
    /// lambda expression, or a call whose result a library creates.
    pub fn allocation_at(&self, method: MethodId, pc: u32) -> Option<AllocId> {
        self.at.get(&(method.0, pc)).copied()
    }

    /// The objects that an operand of the instruction at a code index may be. Empty if the operand is always
    /// `null`, is primitive, or does not exist.
    pub fn operand(&self, method: MethodId, pc: u32, position: Position) -> &Set {
        self.value_set(method, self.reached(method).map_or(NO_VALUE, |m| uses::value_at(m, pc, position)))
    }

    /// The objects that the instruction at a code index may push. For a call: what it may return.
    pub fn result(&self, method: MethodId, pc: u32) -> &Set {
        let step = self.reached(method).and_then(|m| uses::step_at(m, pc));
        self.value_set(method, step.map_or(NO_VALUE, |s| s.result))
    }

    /// The objects that a parameter may be. 0 is the receiver of an instance method, or the first parameter
    /// of a static one.
    pub fn parameter(&self, method: MethodId, place: u32) -> &Set {
        let count = self.reached(method).map_or(0, |m| m.body.parameters);
        self.value_set(method, if place < count { place + 1 } else { NO_VALUE })
    }

    fn value_set(&self, method: MethodId, value: u32) -> &Set {
        let reached = self.reached(method).filter(|_| value != NO_VALUE);
        let node = reached.and_then(|m| m.base.checked_add(value));
        let at = node.and_then(|n| self.set_of.get(usize::try_from(n).ok()?));
        at.and_then(|at| self.sets.get(usize::try_from(*at).ok()?)).unwrap_or(&EMPTY)
    }

    /// The analysed methods that the call at a code index may execute, directly or called back by a library.
    pub fn callees(&self, method: MethodId, pc: u32) -> &[MethodId] {
        self.callees.get(&(method.0, pc)).map_or(&[], Vec::as_slice)
    }

    /// The calls that may execute a method: method and code index.
    pub fn callers(&self, method: MethodId) -> impl Iterator<Item = (MethodId, u32)> + '_ {
        self.callers.get(&method.0).into_iter().flatten().map(|(method, pc)| (MethodId(*method), *pc))
    }

    /// The instructions that may use an object of an allocation, by method and code index, with the operand
    /// that it may be (see [`Position::is_use`]). The call of its own constructor is no use.
    pub fn use_sites(&self, alloc: AllocId) -> Vec<(MethodId, u32, Position)> {
        let mut found = Vec::new();
        for (id, reached) in (0..).map(MethodId).zip(&self.methods) {
            uses::each_use(reached, |pc, position, value| {
                if self.value_set(id, value).contains(alloc) {
                    found.push((id, pc, position));
                }
            });
        }
        found
    }
}
