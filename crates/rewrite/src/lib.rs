//! Inserts code into methods: straight-line calls before and after instructions, on branch edges, at entry
//! and at exceptional exit. All tables that refer to code indices are adjusted.
//!
//! The rewriter works on bytes. The constant pool only grows, and everything except the changed `Code`
//! attributes is copied unchanged (JVMS §4).
//!
//! - [`Plan`] and [`Step`] describe what to insert. [`rewrite`] inserts it and returns the new index of each
//!   instruction.
//! - `reader` locates the parts of a class file, `pool` appends constants, `instructions` decodes lengths and
//!   targets.
//! - `scan`, `shape`, `recorded_effects` and `steered_jump` inspect a class before it is rewritten. `outline`
//!   builds input for `scan` from a class without a file.
//! - `layout` assigns code indices, `frames` decodes and encodes the StackMapTable, and `tables` adjusts the
//!   other tables. `local_kinds` reads from the StackMapTable what local variables hold. `uninitialised`
//!   finds the references to a `this` that no constructor has initialised. `guards` handles exceptions of
//!   inserted calls, and `method` rewrites one method.

mod error;
mod frames;
mod guards;
mod instructions;
mod layout;
mod local_kinds;
mod method;
mod outline;
mod pool;
mod reader;
mod recorded_effects;
mod scan;
mod shape;
mod steered_jump;
mod steps;
mod successors;
mod tables;
mod text;
mod uninitialised;

pub use error::{NotRewritten, RewriteError};
pub use local_kinds::local_kinds;
pub use outline::outline;
pub use recorded_effects::{Effect, RecordedEffect};
pub use scan::{Access, ArrayMaking, ArrayStore, Scan};
pub use shape::{MethodShape, Returns};
pub use steered_jump::{JumpOperands, LoopCondition, inverted_jump};
pub use steps::{Kept, Slot, StackOp, Step};
pub use successors::Successors;
pub use text::Text;
pub use uninitialised::Reference;

use descriptor::Kind;
use pool::Pool;
use reader::{ClassLayout, CodeAt, Reader};
use std::collections::{BTreeMap, HashMap};

/// A hash map with a fixed seed: its keys come from class files, not from an attacker.
type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// The code to insert into a class, by method: name and descriptor as in the class file.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The methods to rewrite.
    pub methods: BTreeMap<(String, String), MethodPlan>,
}

/// The code to insert into a method. Each sequence of steps leaves the operand stack unchanged.
#[derive(Clone, Debug, Default)]
pub struct MethodPlan {
    /// Additional locals that `entry` initialises, in order. They keep their value throughout the method.
    pub kept: Vec<Kept>,
    /// Kinds of additional locals that hold a value only within one sequence of steps.
    pub scratch: Vec<Kind>,
    /// Depth of the operand stack that nothing uses.
    pub spare: u16,
    /// Executed at the start of each call. A jump to index 0 skips it.
    pub entry: Vec<Step>,
    /// Executed before an instruction, however it is reached.
    pub before: BTreeMap<u32, Vec<Step>>,
    /// Executed after an instruction that completes.
    pub after: BTreeMap<u32, Vec<Step>>,
    /// Executed on the edge from a branch to one of its targets.
    pub taken: BTreeMap<(u32, u32), Vec<Step>>,
    /// Executed when inserted steps before, after or on an edge of an instruction throw; the exception is
    /// then rethrown. Steps before a constructor's call of another constructor have no guard.
    pub guard: Vec<Step>,
    /// Executed when an exception leaves the method. The exception is on the operand stack and is then
    /// rethrown.
    pub unwind: Vec<Step>,
}

impl MethodPlan {
    /// Whether the method stays as it is.
    pub fn is_empty(&self) -> bool {
        let MethodPlan { scratch, spare, entry, before, after, taken, unwind, .. } = self;
        let is_without_steps = before.is_empty() && after.is_empty() && taken.is_empty();
        scratch.is_empty() && *spare == 0 && entry.is_empty() && is_without_steps && unwind.is_empty()
    }
}

/// The result of rewriting a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The class file.
    pub bytes: Vec<u8>,
    /// The methods that were rewritten.
    pub methods: Vec<RewrittenMethod>,
    /// The unchanged methods that could not be rewritten: name, descriptor and reason.
    pub not_rewritten: Vec<(String, String, NotRewritten)>,
}

/// A rewritten method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenMethod {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The old and new index of each of its instructions, ascending: maps breakpoints and JDWP code indices.
    pub moved: Vec<(u32, u32)>,
}

impl RewrittenMethod {
    /// The new index of an instruction.
    pub fn now(&self, was: u32) -> Option<u32> {
        let at = self.moved.binary_search_by_key(&was, |(was, _)| *was).ok()?;
        self.moved.get(at).map(|(_, now)| *now)
    }

    /// The original instruction at a new index, or the one that the inserted code there precedes.
    pub fn was(&self, now: u32) -> Option<u32> {
        let at = self.moved.partition_point(|(_, place)| *place < now);
        self.moved.get(at).map(|(was, _)| *was)
    }
}

/// Rewrites a class. With an empty plan the bytes stay the same.
///
/// # Errors
/// If the bytes are not a class file, or the constant pool is full. A method that cannot be rewritten is no
/// error: it stays unchanged and is listed in the result.
pub fn rewrite(bytes: &[u8], plan: &Plan) -> Result<Rewritten, RewriteError> {
    let class = ClassLayout::read(bytes)?;
    let mut pool = Pool::new(&class);
    let mut rewritten = Rewritten { bytes: Vec::new(), methods: Vec::new(), not_rewritten: Vec::new() };
    // The old code and its replacements.
    let mut replaced: Vec<(CodeAt, Vec<u8>)> = Vec::new();
    for method in &class.methods {
        let (name, descriptor) = (class.owned(method.name)?, class.owned(method.descriptor)?);
        let Some(wanted) = plan.methods.get(&(name.clone(), descriptor.clone())) else { continue };
        let Some(code_at) = method.code else { continue };
        if wanted.is_empty() {
            continue;
        }
        let before = pool.mark();
        match method::rewrite(&class, &mut pool, method, code_at, wanted)? {
            Ok((code, moved)) => {
                replaced.push((code_at, code));
                rewritten.methods.push(RewrittenMethod { name, descriptor, moved });
            }
            Err(reason) => {
                pool.back_to(before);
                rewritten.not_rewritten.push((name, descriptor, reason));
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
    for (CodeAt { start, end }, code) in replaced {
        out.extend_from_slice(reader::slice(bytes, at, start)?);
        out.extend_from_slice(&code);
        at = end;
    }
    out.extend_from_slice(reader::slice(bytes, at, bytes.len())?);
    rewritten.bytes = out;
    Ok(rewritten)
}

/// The index from which `this` is initialised in a method: after the call of another constructor in a
/// constructor, 0 in any other method. Code before it cannot pass `this` on (JVMS §4.10.1). `None` if the
/// index is unknown, or if there is no such method with code.
///
/// # Errors
/// If the bytes are not a class file.
pub fn initialised_from(bytes: &[u8], name: &str, descriptor: &str) -> Result<Option<u32>, RewriteError> {
    let class = ClassLayout::read(bytes)?;
    for method in &class.methods {
        if let Some(at) = method.code
            && class.is(method.name, name)
            && class.is(method.descriptor, descriptor)
        {
            return method::initialised_from(&class, method, at);
        }
    }
    Ok(None)
}

/// The version of a class file as `(major, minor)`, without parsing the rest.
///
/// # Errors
/// If the bytes are not a class file.
pub fn version(bytes: &[u8]) -> Result<(u16, u16), RewriteError> {
    let mut reader = Reader::new(bytes);
    if reader.u4()? != reader::MAGIC {
        return Err(RewriteError::NoClassFile);
    }
    let minor = reader.u2()?;
    Ok((reader.u2()?, minor))
}
