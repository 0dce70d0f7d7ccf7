//! Instructions that can be inserted into a method: straight-line code without branches, so that it needs no
//! frames.

use super::error::{NotRewritten, RewriteError};
use super::pool::Pool;
use super::text::Text;
use descriptor::Kind;

/// One inserted instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Pushes an `int`.
    Int(i32),
    /// Pushes a `long`.
    Long(i64),
    /// Pushes `null`.
    Null,
    /// Pushes 0 or `null` as a value of this kind.
    Zero(Kind),
    /// Pushes a local variable.
    Load(Kind, Slot),
    /// Pops into a local variable.
    Store(Kind, Slot),
    /// Adds 1 to an `int` in a local variable.
    Increment(Slot),
    /// Rearranges operands.
    Stack(StackOp),
    /// Pushes a static field, which initialises its class.
    Static {
        /// The index of the class file's own constant that names it.
        constant: u16,
        /// The kind of its value.
        kind: Kind,
    },
    /// Pushes a class, which must be the one whose code it is. Class files before version 49 have no such
    /// constants.
    Class(Text),
    /// Pops into a static field. The class name has slashes.
    Set {
        /// The class.
        class: Text,
        /// The field.
        name: Text,
        /// The kind of its value.
        kind: Kind,
        /// Its descriptor.
        descriptor: Text,
    },
    /// Calls a static method. The class name has slashes.
    Call {
        /// The class.
        class: Text,
        /// The method.
        name: Text,
        /// Its descriptor.
        descriptor: Text,
    },
}

/// An additional local variable that keeps its value throughout the method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its kind.
    pub kind: Kind,
    /// Its name in the LocalVariableTable, if the method has one: a debugger may read only slots listed
    /// there. It can be any unqualified name (JVMS §4.2.2) in ASCII. Before class file version 49 it must be
    /// a Java identifier, so invalid characters are replaced by `_`.
    pub name: String,
}

impl Kept {
    /// Its name in class files of this major version.
    pub fn name_in(&self, major: u16) -> String {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || major >= ANY_NAMES;
        let mut name: String = self.name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
        if major < ANY_NAMES && name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        name
    }

    fn is_named(&self) -> bool {
        let allowed = |c: char| c.is_ascii_graphic() && !matches!(c, '.' | ';' | '[' | '/');
        !self.name.is_empty() && self.name.chars().all(allowed)
    }
}

/// The first class file version in which a name need not be a Java identifier.
const ANY_NAMES: u16 = 49;

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A variable of the original method.
    Own(u16),
    /// A kept variable of the plan, by its position.
    Kept(usize),
    /// A scratch variable of the plan, by its position.
    Scratch(usize),
}

/// Stack manipulation instructions (JVMS §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the instructions")]
pub enum StackOp {
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
}

impl StackOp {
    fn opcode_and_effect(self) -> (u8, i32) {
        match self {
            StackOp::Pop => (0x57, -1),
            StackOp::Pop2 => (0x58, -2),
            StackOp::Dup => (0x59, 1),
            StackOp::DupX1 => (0x5a, 1),
            StackOp::DupX2 => (0x5b, 1),
            StackOp::Dup2 => (0x5c, 2),
            StackOp::Dup2X1 => (0x5d, 2),
            StackOp::Dup2X2 => (0x5e, 2),
            StackOp::Swap => (0x5f, 0),
        }
    }
}

/// The slots of the additional locals.
pub struct Slots {
    /// The slots of the kept variables, in order.
    pub kept: Vec<u16>,
    scratch: Vec<u16>,
    /// The kinds of the kept variables, in order.
    pub kept_kinds: Vec<Kind>,
    /// The number of slots of the new method.
    pub max_locals: u16,
}

impl Slots {
    /// Allocates slots after those of the method.
    pub fn new(own: u16, kept: &[Kept], scratch: &[Kind]) -> Result<Slots, NotRewritten> {
        if let Some(unnamed) = kept.iter().find(|kept| !kept.is_named()) {
            return Err(NotRewritten::BadName(unnamed.name.clone()));
        }
        let kept_kinds: Vec<Kind> = kept.iter().map(|kept| kept.kind).collect();
        let mut next = own;
        let mut place = |kinds: &[Kind]| {
            let mut places = Vec::with_capacity(kinds.len());
            for kind in kinds {
                places.push(next);
                next = next.checked_add(kind.slots()).ok_or(NotRewritten::TooWide)?;
            }
            Ok(places)
        };
        let (kept_at, scratch_at) = (place(&kept_kinds)?, place(scratch)?);
        Ok(Slots { kept: kept_at, scratch: scratch_at, kept_kinds, max_locals: next })
    }

    fn of(&self, slot: Slot) -> Result<u16, NotRewritten> {
        match slot {
            Slot::Own(own) => Ok(own),
            Slot::Kept(n) => self.kept.get(n).copied().ok_or(NotRewritten::TooWide),
            Slot::Scratch(n) => self.scratch.get(n).copied().ok_or(NotRewritten::TooWide),
        }
    }
}

/// Steps as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    pub bytes: Vec<u8>,
    /// The maximum additional depth of the operand stack.
    pub deepest: i32,
}

/// Assembles steps.
pub fn assemble(
    steps: &[Step],
    slots: &Slots,
    pool: &mut Pool,
) -> Result<Result<Assembled, NotRewritten>, RewriteError> {
    let mut out = Assembled::default();
    let mut depth = 0;
    for step in steps {
        let effect = match step {
            Step::Int(value) => {
                int(&mut out.bytes, *value, pool)?;
                1
            }
            Step::Long(value) => {
                let constant = pool.long(*value)?;
                wide_index(&mut out.bytes, 0x14, constant);
                2
            }
            Step::Null => {
                out.bytes.push(0x01);
                1
            }
            Step::Zero(kind) => {
                // iconst_0, lconst_0, fconst_0, dconst_0, aconst_null
                out.bytes.push(match kind {
                    Kind::Int => 0x03,
                    Kind::Long => 0x09,
                    Kind::Float => 0x0b,
                    Kind::Double => 0x0e,
                    Kind::Reference => 0x01,
                });
                i32::from(kind.slots())
            }
            Step::Class(name) => {
                let constant = pool.class(name)?;
                wide_index(&mut out.bytes, 0x13, constant);
                1
            }
            Step::Load(kind, slot) | Step::Store(kind, slot) => {
                let slot = match slots.of(*slot) {
                    Ok(slot) => slot,
                    Err(reason) => return Ok(Err(reason)),
                };
                let is_load = matches!(step, Step::Load(..));
                local(&mut out.bytes, if is_load { 0x15 } else { 0x36 } + kind.place(), slot);
                let slots = i32::from(kind.slots());
                if is_load { slots } else { -slots }
            }
            Step::Increment(slot) => {
                let slot = match slots.of(*slot) {
                    Ok(slot) => slot,
                    Err(reason) => return Ok(Err(reason)),
                };
                local(&mut out.bytes, 0x84, slot);
                // The wide form has a two-byte constant.
                out.bytes.extend_from_slice(if slot > 0xff { &[0, 1] } else { &[1] });
                0
            }
            Step::Stack(op) => {
                let (opcode, effect) = op.opcode_and_effect();
                out.bytes.push(opcode);
                effect
            }
            Step::Static { constant, kind } => {
                wide_index(&mut out.bytes, 0xb2, *constant);
                i32::from(kind.slots())
            }
            Step::Set { class, name, kind, descriptor } => {
                let field = pool.field(class, name, descriptor)?;
                wide_index(&mut out.bytes, 0xb3, field);
                -i32::from(kind.slots())
            }
            Step::Call { class, name, descriptor } => {
                let (method, effect) = pool.call([class, name, descriptor], call_effect)?;
                wide_index(&mut out.bytes, 0xb8, method);
                effect
            }
        };
        depth += effect;
        out.deepest = out.deepest.max(depth);
    }
    Ok(Ok(out))
}

/// The effect of a call on the stack depth.
fn call_effect(descriptor: &str) -> i32 {
    let slots = |d: &str| i32::from(Kind::of_descriptor(d).slots());
    let returned = descriptor.rsplit_once(')').map_or("V", |(_, r)| r);
    let returned = if returned == "V" { 0 } else { slots(returned) };
    let taken: i32 = descriptor::parameter_slots(descriptor, true).iter().map(|(_, p)| slots(p)).sum();
    returned - taken
}

fn int(out: &mut Vec<u8>, value: i32, pool: &mut Pool) -> Result<(), RewriteError> {
    if let (-1..=5, Ok(small)) = (value, i8::try_from(value)) {
        out.push((3 + small).unsigned_abs());
    } else if let Ok(byte) = i8::try_from(value) {
        out.extend_from_slice(&[0x10, byte.to_be_bytes()[0]]);
    } else if let Ok(short) = i16::try_from(value) {
        out.push(0x11);
        out.extend_from_slice(&short.to_be_bytes());
    } else {
        let constant = pool.integer(value)?;
        wide_index(out, 0x13, constant);
    }
    Ok(())
}

fn wide_index(out: &mut Vec<u8>, opcode: u8, index: u16) {
    out.push(opcode);
    out.extend_from_slice(&index.to_be_bytes());
}

/// Writes an instruction that loads or stores a local variable.
pub fn local(out: &mut Vec<u8>, opcode: u8, slot: u16) {
    match u8::try_from(slot) {
        Ok(slot) => out.extend_from_slice(&[opcode, slot]),
        Err(_) => {
            out.push(0xc4);
            wide_index(out, opcode, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_class_file_accepts_only_java_identifiers() {
        let named = |name: &str| Kept { kind: Kind::Int, name: name.to_owned() };
        assert_eq!(named("qp:serial").name_in(49), "qp:serial");
        assert_eq!(named("qp:serial").name_in(48), "qp_serial");
        assert_eq!(named("1-$").name_in(48), "_1_$");
    }
}
