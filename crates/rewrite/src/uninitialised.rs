//! Tells which references are the uninitialised `this`, in the part of a constructor before it calls another
//! constructor (JVMS §4.10.1). Code there may write fields of `this`, but nothing can pass `this` on.

use super::error::RewriteError;
use super::frames::{Frame, Type};
use super::instructions::{ALOAD, ASTORE, Raw};
use super::reader::{ClassLayout, Reader};
use descriptor::Kind;
use std::collections::{BTreeMap, BTreeSet};

const PUTFIELD: u8 = 0xb5;
const INVOKESTATIC: u8 = 0xb8;
const INVOKEDYNAMIC: u8 = 0xba;
const WIDE: u8 = 0xc4;

/// A reference that an instruction stores, or through which it writes a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// It is no uninitialised `this`.
    Usable,
    /// It is `this` before the call of another constructor.
    UninitialisedThis,
    /// It may be one of both.
    Unknown,
}

/// The references in the code of a method.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// The index from which `this` is initialised; `None` if it is unknown.
    initialised_from: Option<u32>,
    /// By instruction before that index: whether its reference is `this`.
    is_this: BTreeMap<u32, bool>,
}

impl References {
    /// Of a method in which `this` is initialised from an index on.
    pub fn new(initialised_from: Option<u32>) -> References {
        References { initialised_from, is_this: BTreeMap::new() }
    }

    /// The reference of an instruction that stores one, or writes a field.
    pub fn at(&self, pc: u32) -> Reference {
        match (self.initialised_from, self.is_this.get(&pc)) {
            (Some(from), _) if pc >= from => Reference::Usable,
            (_, Some(true)) => Reference::UninitialisedThis,
            (_, Some(false)) => Reference::Usable,
            (_, None) => Reference::Unknown,
        }
    }

    /// Follows `this` through the code of a constructor up to its call of another one.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn follow(
        &mut self,
        class: &ClassLayout<'_>,
        code: &[u8],
        instructions: &[Raw],
        frames: &[Frame],
    ) -> Result<(), RewriteError> {
        let Some(until) = self.initialised_from else { return Ok(()) };
        let targets: BTreeSet<u32> = instructions.iter().flat_map(Raw::targets).collect();
        let by_pc: BTreeMap<u32, &Frame> = frames.iter().map(|frame| (frame.pc, frame)).collect();
        let mut known = Some(Slots { locals: [0].into(), stack: Vec::new() });
        for raw in instructions.iter().filter(|raw| raw.pc < until) {
            match by_pc.get(&raw.pc) {
                Some(frame) => known = Some(Slots::of(frame)),
                // Old class files do not say what is known where several ways meet.
                None if targets.contains(&raw.pc) => known = None,
                None => {}
            }
            let Some(slots) = &mut known else { continue };
            match slots.execute(class, code, raw)? {
                Some(Next::Reference(is_this)) => drop(self.is_this.insert(raw.pc, is_this)),
                Some(Next::Instruction) => {}
                None => known = None,
            }
        }
        Ok(())
    }
}

/// What comes after an instruction.
enum Next {
    Instruction,
    /// The same, after a store or a write; whether its reference was `this`.
    Reference(bool),
}

/// The slots that hold the uninitialised `this`.
struct Slots {
    locals: BTreeSet<u16>,
    /// By slot of the operand stack, the topmost last.
    stack: Vec<bool>,
}

impl Slots {
    fn of(frame: &Frame) -> Slots {
        let (mut locals, mut slot) = (BTreeSet::new(), 0);
        for one in &frame.locals {
            if *one == Type::UninitializedThis {
                locals.insert(slot);
            }
            slot += one.slots();
        }
        let slots = |one: &Type| vec![*one == Type::UninitializedThis; usize::from(one.slots())];
        Slots { locals, stack: frame.stack.iter().flat_map(slots).collect() }
    }

    /// Executes an instruction. Returns `None` if the next one in the code does not follow it, or if its
    /// effect is unknown.
    fn execute(
        &mut self,
        class: &ClassLayout<'_>,
        code: &[u8],
        raw: &Raw,
    ) -> Result<Option<Next>, RewriteError> {
        let mut operand = Reader::at(code, raw.pc as usize + 1);
        let opcode = raw.opcode;
        let (pops, pushes): (usize, usize) = match opcode {
            0x00 | 0x84 => (0, 0),
            0x01..=0x08 | 0x0b..=0x0d | 0x10..=0x13 | 0xbb => (0, 1),
            0x09 | 0x0a | 0x0e | 0x0f | 0x14 => (0, 2),
            ALOAD => return Ok(Some(self.load(Kind::Reference, operand.u1()?.into()))),
            0x15..=0x18 => return Ok(Some(self.load(Kind::at(opcode - 0x15), operand.u1()?.into()))),
            0x1a..=0x2d => {
                let of = opcode - 0x1a;
                return Ok(Some(self.load(Kind::at(of / 4), (of % 4).into())));
            }
            0x36..=ASTORE => return Ok(Some(self.store(Kind::at(opcode - 0x36), operand.u1()?.into()))),
            0x3b..=0x4e => {
                let of = opcode - 0x3b;
                return Ok(Some(self.store(Kind::at(of / 4), (of % 4).into())));
            }
            WIDE => {
                let (opcode, slot) = (operand.u1()?, operand.u2()?);
                return Ok(match opcode {
                    0x15..=ALOAD => Some(self.load(Kind::at(opcode - 0x15), slot)),
                    0x36..=ASTORE => Some(self.store(Kind::at(opcode - 0x36), slot)),
                    0x84 => Some(Next::Instruction),
                    _ => None,
                });
            }
            0x2e | 0x30 | 0x32..=0x35 => (2, 1),
            0x2f | 0x31 => (2, 2),
            0x4f | 0x51 | 0x53..=0x56 => (3, 0),
            0x50 | 0x52 => (4, 0),
            0x57 | 0xc2 | 0xc3 => (1, 0),
            0x58 => (2, 0),
            0x59 => return Ok(Some(self.shuffle(1, &[0, 0]))),
            0x5a => return Ok(Some(self.shuffle(2, &[1, 0, 1]))),
            0x5b => return Ok(Some(self.shuffle(3, &[2, 0, 1, 2]))),
            0x5c => return Ok(Some(self.shuffle(2, &[0, 1, 0, 1]))),
            0x5d => return Ok(Some(self.shuffle(3, &[1, 2, 0, 1, 2]))),
            0x5e => return Ok(Some(self.shuffle(4, &[2, 3, 0, 1, 2, 3]))),
            0x5f => return Ok(Some(self.shuffle(2, &[1, 0]))),
            0x60..=0x73 if opcode.is_multiple_of(2) => (2, 1),
            0x60..=0x73 => (4, 2),
            0x74 | 0x76 | 0x86 | 0x8b | 0x91..=0x93 | 0xbc..=0xbe | 0xc0 | 0xc1 => (1, 1),
            0x75 | 0x77 | 0x8a | 0x8f => (2, 2),
            0x78..=0x7d if opcode.is_multiple_of(2) => (2, 1),
            0x78..=0x7d => (3, 2),
            0x7e..=0x83 if opcode.is_multiple_of(2) => (2, 1),
            0x7e..=0x83 => (4, 2),
            0x85 | 0x87 | 0x8c | 0x8d => (1, 2),
            0x88 | 0x89 | 0x8e | 0x90 | 0x95 | 0x96 => (2, 1),
            0x94 | 0x97 | 0x98 => (4, 1),
            0x99..=0x9e | 0xc6 | 0xc7 => (1, 0),
            0x9f..=0xa6 => (2, 0),
            0xb2..=PUTFIELD => {
                let [_, _, descriptor] = class.field_ref(operand.u2()?)?;
                let size = usize::from(Kind::of_descriptor(&descriptor).slots());
                match opcode {
                    0xb2 => (0, size),
                    0xb3 => (size, 0),
                    0xb4 => (1, size),
                    _ => {
                        self.pop(size);
                        return Ok(Some(Next::Reference(self.pop(1))));
                    }
                }
            }
            0xb6..=INVOKEDYNAMIC => {
                let descriptor = match opcode {
                    INVOKEDYNAMIC => class.dynamic_descriptor(operand.u2()?)?,
                    _ => class.method_ref(operand.u2()?).map(|[_, _, descriptor]| descriptor)?,
                };
                let has_no_object = matches!(opcode, INVOKESTATIC | INVOKEDYNAMIC);
                let parts = descriptor::parse_method(&descriptor);
                let result = parts.map_or(0, |parts| descriptor::slots(&parts.result));
                let arguments = descriptor::argument_slots(&descriptor, has_no_object);
                (arguments.into(), result.into())
            }
            0xc5 => {
                operand.u2()?;
                (operand.u1()?.into(), 1)
            }
            // Jumps that always jump, returns, throws and subroutines.
            _ => return Ok(None),
        };
        self.pop(pops);
        self.push(pushes);
        Ok(Some(Next::Instruction))
    }

    /// Removes the topmost slots, and says whether the last of them was `this`.
    fn pop(&mut self, count: usize) -> bool {
        let left = self.stack.len().saturating_sub(count);
        let is_this = self.stack.get(left).copied().unwrap_or(false);
        self.stack.truncate(left);
        is_this
    }

    fn push(&mut self, count: usize) {
        self.stack.resize(self.stack.len() + count, false);
    }

    fn load(&mut self, kind: Kind, slot: u16) -> Next {
        self.push(kind.slots().into());
        if let (Kind::Reference, Some(top)) = (kind, self.stack.last_mut()) {
            *top = self.locals.contains(&slot);
        }
        Next::Instruction
    }

    fn store(&mut self, kind: Kind, slot: u16) -> Next {
        let is_this = self.pop(kind.slots().into());
        self.locals.remove(&slot);
        if kind.slots() == 2 {
            self.locals.remove(&slot.saturating_add(1));
        }
        if kind == Kind::Reference && is_this {
            self.locals.insert(slot);
        }
        if kind == Kind::Reference { Next::Reference(is_this) } else { Next::Instruction }
    }

    /// Replaces the topmost slots by some of them. Both counts begin with the lowest slot.
    fn shuffle(&mut self, count: usize, order: &[usize]) -> Next {
        let from = self.stack.len().saturating_sub(count);
        let taken = self.stack.split_off(from);
        self.stack.extend(order.iter().map(|at| taken.get(*at).copied().unwrap_or(false)));
        Next::Instruction
    }
}
