//! The code of a method that is being built: instructions, jumps to labels, and the depth of the stack.

use super::constants::Constants;
use super::{AssembleError, FinishedCode};
use crate::descriptor::{argument_slots, parse_method, slots};
use crate::kind::Kind;

/// A place in the code, to which jumps lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// The code so far. Execution reaches each label with an empty operand stack.
#[derive(Debug)]
pub struct Code<'a> {
    constants: &'a mut Constants,
    bytes: Vec<u8>,
    /// Where each label is.
    places: Vec<Option<usize>>,
    /// The jumps: the instruction, and its label.
    jumps: Vec<(usize, Label)>,
    depth: i32,
    deepest: i32,
    locals: u16,
    failed: Option<AssembleError>,
}

/// Opcodes (JVMS §6.5).
const ACONST_NULL: u8 = 0x01;
const ICONST_0: u8 = 0x03;
const BIPUSH: u8 = 0x10;
const SIPUSH: u8 = 0x11;
const LDC_W: u8 = 0x13;
const LDC2_W: u8 = 0x14;
const ILOAD: u8 = 0x15;
const ISTORE: u8 = 0x36;
const GOTO: u8 = 0xa7;
const GETSTATIC: u8 = 0xb2;
const PUTSTATIC: u8 = 0xb3;
const INVOKEVIRTUAL: u8 = 0xb6;
const INVOKESPECIAL: u8 = 0xb7;
const INVOKESTATIC: u8 = 0xb8;
const NEW: u8 = 0xbb;
const INSTANCEOF: u8 = 0xc1;
const CHECKCAST: u8 = 0xc0;
const WIDE: u8 = 0xc4;

impl<'a> Code<'a> {
    pub(super) fn new(constants: &'a mut Constants, parameters: u16) -> Code<'a> {
        Code {
            constants,
            bytes: Vec::new(),
            places: Vec::new(),
            jumps: Vec::new(),
            depth: 0,
            deepest: 0,
            locals: parameters,
            failed: None,
        }
    }

    /// Ends the code.
    ///
    /// # Errors
    /// The first problem of any of its instructions.
    pub fn finish(mut self) -> Result<FinishedCode, AssembleError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.bytes.len() > usize::from(u16::MAX) {
            return Err(AssembleError::TooLong);
        }
        for (at, label) in std::mem::take(&mut self.jumps) {
            let to = self.places.get(label.0).copied().flatten().ok_or(AssembleError::NoTarget)?;
            let span = i64::try_from(to).unwrap_or(i64::MAX) - i64::try_from(at).unwrap_or(0);
            let span = i16::try_from(span).map_err(|_| AssembleError::TooLong)?;
            if let Some(operand) = self.bytes.get_mut(at + 1..at + 3) {
                operand.copy_from_slice(&span.to_be_bytes());
            }
        }
        let max_stack = u16::try_from(self.deepest).map_err(|_| AssembleError::TooLong)?;
        Ok(FinishedCode { bytes: self.bytes, max_stack, max_locals: self.locals })
    }

    /// A new local variable.
    pub fn local(&mut self, kind: Kind) -> u16 {
        let slot = self.locals;
        match self.locals.checked_add(kind.slots()) {
            Some(locals) => self.locals = locals,
            None => self.fail(AssembleError::TooLong),
        }
        slot
    }

    /// A new label, not yet placed.
    pub fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    /// Places a label here.
    pub fn place(&mut self, label: Label) {
        if let Some(place) = self.places.get_mut(label.0) {
            *place = Some(self.bytes.len());
        }
        self.depth = 0;
    }

    /// Whether a jump leads to a label.
    pub fn is_used(&self, label: Label) -> bool {
        self.jumps.iter().any(|(_, to)| *to == label)
    }

    fn fail(&mut self, error: AssembleError) {
        self.failed = self.failed.or(Some(error));
    }

    fn effect(&mut self, pops: u16, pushes: u16) {
        self.depth += i32::from(pushes) - i32::from(pops);
        self.deepest = self.deepest.max(self.depth).max(self.depth + i32::from(pops));
    }

    fn indexed(&mut self, opcode: u8, constant: Result<u16, AssembleError>) {
        match constant {
            Ok(index) => {
                self.bytes.push(opcode);
                self.bytes.extend(index.to_be_bytes());
            }
            Err(error) => self.fail(error),
        }
    }

    /// An instruction without operands in the code; pops and pushes this many slots.
    pub fn op(&mut self, opcode: u8, pops: u16, pushes: u16) {
        self.bytes.push(opcode);
        self.effect(pops, pushes);
    }

    /// Pushes an `int`.
    pub fn int(&mut self, value: i32) {
        match (i8::try_from(value), i16::try_from(value)) {
            (Ok(small @ -1..=5), _) => self.bytes.push(ICONST_0.wrapping_add_signed(small)),
            (Ok(small), _) => self.bytes.extend([BIPUSH, small.cast_unsigned()]),
            (_, Ok(short)) => {
                let [high, low] = short.to_be_bytes();
                self.bytes.extend([SIPUSH, high, low]);
            }
            _ => {
                let constant = self.constants.integer(value);
                self.indexed(LDC_W, constant);
            }
        }
        self.effect(0, 1);
    }

    /// Pushes a `long`.
    pub fn long(&mut self, value: i64) {
        let constant = self.constants.long(value);
        self.indexed(LDC2_W, constant);
        self.effect(0, 2);
    }

    /// Pushes a `float`.
    pub fn float(&mut self, value: f32) {
        let constant = self.constants.float(value);
        self.indexed(LDC_W, constant);
        self.effect(0, 1);
    }

    /// Pushes a `double`.
    pub fn double(&mut self, value: f64) {
        let constant = self.constants.double(value);
        self.indexed(LDC2_W, constant);
        self.effect(0, 2);
    }

    /// Pushes `null`.
    pub fn null(&mut self) {
        self.op(ACONST_NULL, 0, 1);
    }

    /// Pushes a string.
    pub fn string(&mut self, text: &str) {
        let constant = self.constants.string(text);
        self.indexed(LDC_W, constant);
        self.effect(0, 1);
    }

    /// Pushes a local variable.
    pub fn load(&mut self, kind: Kind, slot: u16) {
        self.of_local(ILOAD + kind.place(), slot);
        self.effect(0, kind.slots());
    }

    /// Pops into a local variable.
    pub fn store(&mut self, kind: Kind, slot: u16) {
        self.of_local(ISTORE + kind.place(), slot);
        self.effect(kind.slots(), 0);
    }

    fn of_local(&mut self, opcode: u8, slot: u16) {
        match u8::try_from(slot) {
            Ok(slot) => self.bytes.extend([opcode, slot]),
            Err(_) => {
                self.bytes.extend([WIDE, opcode]);
                self.bytes.extend(slot.to_be_bytes());
            }
        }
    }

    /// Jumps to a label.
    pub fn goto(&mut self, label: Label) {
        self.jump(GOTO, 0, label);
    }

    /// A conditional jump that pops this many slots.
    pub fn jump(&mut self, opcode: u8, pops: u16, label: Label) {
        self.jumps.push((self.bytes.len(), label));
        self.bytes.extend([opcode, 0, 0]);
        self.effect(pops, 0);
    }

    /// Replaces a reference by whether it is an instance of a class.
    pub fn instance_of(&mut self, class: &str) {
        let constant = self.constants.class(class);
        self.indexed(INSTANCEOF, constant);
        self.effect(1, 1);
    }

    /// Gives a reference a class that it is known to have.
    pub fn cast(&mut self, class: &str) {
        let constant = self.constants.class(class);
        self.indexed(CHECKCAST, constant);
        self.effect(1, 1);
    }

    /// Pushes a new object, whose constructor was not called.
    pub fn new_object(&mut self, class: &str) {
        let constant = self.constants.class(class);
        self.indexed(NEW, constant);
        self.effect(0, 1);
    }

    /// Pushes a static field.
    pub fn get_static(&mut self, class: &str, name: &str, descriptor: &str) {
        let constant = self.constants.field(class, name, descriptor);
        self.indexed(GETSTATIC, constant);
        self.effect(0, slots(descriptor));
    }

    /// Pops into a static field.
    pub fn put_static(&mut self, class: &str, name: &str, descriptor: &str) {
        let constant = self.constants.field(class, name, descriptor);
        self.indexed(PUTSTATIC, constant);
        self.effect(slots(descriptor), 0);
    }

    /// Calls a static method.
    pub fn call_static(&mut self, class: &str, name: &str, descriptor: &str) {
        self.call(INVOKESTATIC, class, name, descriptor, true);
    }

    /// Calls a method of an object by its class.
    pub fn call_virtual(&mut self, class: &str, name: &str, descriptor: &str) {
        self.call(INVOKEVIRTUAL, class, name, descriptor, false);
    }

    /// Calls a constructor.
    pub fn call_constructor(&mut self, class: &str, descriptor: &str) {
        self.call(INVOKESPECIAL, class, "<init>", descriptor, false);
    }

    fn call(&mut self, opcode: u8, class: &str, name: &str, descriptor: &str, is_static: bool) {
        let constant = self.constants.method(class, name, descriptor);
        self.indexed(opcode, constant);
        let result = parse_method(descriptor).map_or(0, |d| slots(&d.result));
        self.effect(argument_slots(descriptor, is_static), result);
    }
}
