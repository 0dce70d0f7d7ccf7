//! Puts code into methods: straight-line calls before and after instructions, on the ways of branches, at
//! entry and at exceptional exit. Everything that names a place in the code is moved along.
//!
//! The rewriter works on bytes. The constant pool only grows, and all but the `Code` attributes that get
//! something is copied as it is, so what no one asked about does not change (JVMS §4).
//!
//! - [`Plan`] and [`Step`] say what goes where; [`rewrite`] does it and tells where each instruction is now.
//! - `reader` walks a class file, `pool` appends constants, `instructions` knows lengths and targets.
//! - `scan`, `shape` and `deeds` look at a class that something is put into; `outline` builds what `scan`
//!   reads of a class without a file.
//! - `layout` places instructions, `frames` reads and writes the StackMapTable, `tables` moves the other
//!   tables, `guards` catches what is thrown by what was put in, `method` puts one method together.

mod deeds;
mod error;
mod frames;
mod guards;
mod instructions;
mod layout;
mod method;
mod outline;
mod pool;
mod reader;
mod scan;
mod shape;
mod steps;
mod tables;

pub use deeds::{Deed, Doing};
pub use error::{LeftAlone, RewriteError};
pub use outline::outline;
pub use scan::{Access, ArrayMaking, ArrayStore, Scan};
pub use shape::{MethodShape, Returns};
pub use steps::{Kept, Slot, StackOp, Step, Text};

use crate::kind::Kind;
use pool::Pool;
use reader::{ClassLayout, Reader};
use std::collections::{BTreeMap, HashMap};

/// By what nobody chooses so that it collides.
type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// What goes into a class, by method: name and descriptor as the class file has them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The methods that get something.
    pub methods: BTreeMap<(String, String), MethodPlan>,
}

/// What goes into a method. Each sequence of steps leaves the operand stack as it was.
#[derive(Clone, Debug, Default)]
pub struct MethodPlan {
    /// Extra locals that `entry` gives a value, in order. They keep it in the whole method.
    pub kept: Vec<Kept>,
    /// Kinds of extra locals that hold a value only inside one sequence of steps.
    pub scratch: Vec<Kind>,
    /// What each call begins with. A jump to index 0 does not come by.
    pub entry: Vec<Step>,
    /// Before an instruction, however it is reached.
    pub before: BTreeMap<u32, Vec<Step>>,
    /// After an instruction, where execution goes on behind it.
    pub after: BTreeMap<u32, Vec<Step>>,
    /// On the way from a branch to one of its targets.
    pub taken: BTreeMap<(u32, u32), Vec<Step>>,
    /// When what stands before, after or on the way of an instruction ends by an exception, which is thrown
    /// on. What stands before a constructor's call of another one has no such guard.
    pub guard: Vec<Step>,
    /// When an exception leaves the method; it lies on the operand stack and is thrown on.
    pub unwind: Vec<Step>,
}

impl MethodPlan {
    /// Whether nothing goes in.
    pub fn is_empty(&self) -> bool {
        let MethodPlan { entry, before, after, taken, unwind, .. } = self;
        entry.is_empty() && before.is_empty() && after.is_empty() && taken.is_empty() && unwind.is_empty()
    }
}

/// A class that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The class file.
    pub bytes: Vec<u8>,
    /// The methods that got something.
    pub methods: Vec<RewrittenMethod>,
    /// The methods that could not get it, and why. They are as they were.
    pub left_alone: Vec<(String, String, LeftAlone)>,
}

/// A method that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenMethod {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Where each of its instructions was and is, ascending: what a breakpoint, or a code index of JDWP, is
    /// moved by.
    pub moved: Vec<(u32, u32)>,
}

impl RewrittenMethod {
    /// Where an instruction is now.
    pub fn now(&self, was: u32) -> Option<u32> {
        let at = self.moved.binary_search_by_key(&was, |(was, _)| *was).ok()?;
        self.moved.get(at).map(|(_, now)| *now)
    }

    /// Which instruction of the original an index is in, or before which what was put in stands.
    pub fn was(&self, now: u32) -> Option<u32> {
        let at = self.moved.partition_point(|(_, place)| *place < now);
        self.moved.get(at).map(|(was, _)| *was)
    }
}

/// Puts into a class what the plan says. With an empty plan the bytes stay as they are.
///
/// # Errors
/// The bytes are no class file, or its constant pool is full. A method that cannot be rewritten is no error:
/// it is left as it is and named.
pub fn rewrite(bytes: &[u8], plan: &Plan) -> Result<Rewritten, RewriteError> {
    let class = ClassLayout::read(bytes)?;
    let mut pool = Pool::new(&class);
    let mut rewritten = Rewritten { bytes: Vec::new(), methods: Vec::new(), left_alone: Vec::new() };
    // What replaces which bytes.
    let mut replaced: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for method in &class.methods {
        let (name, descriptor) = (class.owned(method.name)?, class.owned(method.descriptor)?);
        let Some(wanted) = plan.methods.get(&(name.clone(), descriptor.clone())) else { continue };
        let Some((start, end)) = method.code else { continue };
        if wanted.is_empty() {
            continue;
        }
        let before = pool.mark();
        match method::rewrite(&class, &mut pool, method, (start, end), wanted)? {
            Ok((code, moved)) => {
                replaced.push((start, end, code));
                rewritten.methods.push(RewrittenMethod { name, descriptor, moved });
            }
            Err(reason) => {
                pool.back_to(before);
                rewritten.left_alone.push((name, descriptor, reason));
            }
        }
    }
    if replaced.is_empty() {
        rewritten.bytes = bytes.to_vec();
        return Ok(rewritten);
    }
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 2);
    out.extend_from_slice(reader::slice(bytes, 0, 8)?);
    out.extend_from_slice(&pool.count().to_be_bytes());
    out.extend_from_slice(reader::slice(bytes, 10, class.pool_end)?);
    out.extend_from_slice(pool.appended());
    let mut at = class.pool_end;
    for (start, end, code) in replaced {
        out.extend_from_slice(reader::slice(bytes, at, start)?);
        out.extend_from_slice(&code);
        at = end;
    }
    out.extend_from_slice(reader::slice(bytes, at, bytes.len())?);
    rewritten.bytes = out;
    Ok(rewritten)
}

/// From which index on `this` is an object in a method: behind the call of another constructor in one, 0 in
/// any other. What runs before can hand `this` to nobody (JVMS §4.10.1). None where it cannot be told, and
/// where there is no such method or it has no code.
///
/// # Errors
/// The bytes are no class file.
pub fn initialised_from(bytes: &[u8], name: &str, descriptor: &str) -> Result<Option<u32>, RewriteError> {
    let class = ClassLayout::read(bytes)?;
    for method in &class.methods {
        if let Some(range) = method.code
            && class.is(method.name, name)
            && class.is(method.descriptor, descriptor)
        {
            return method::initialised_from(&class, method, range);
        }
    }
    Ok(None)
}

/// Reads a class file's version, without reading the class: `(major, minor)`.
///
/// # Errors
/// The bytes are no class file.
pub fn version(bytes: &[u8]) -> Result<(u16, u16), RewriteError> {
    let mut reader = Reader::new(bytes);
    if reader.u4()? != reader::MAGIC {
        return Err(RewriteError::NoClassFile);
    }
    let minor = reader.u2()?;
    Ok((reader.u2()?, minor))
}
