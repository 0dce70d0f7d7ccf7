//! The structure of each method of a class: its returns and handlers.

use super::error::RewriteError;
use super::instructions;
use super::reader::{ClassLayout, CodeAt, MethodAt, Reader, attributes, slice};
use super::scan::Scan;
use super::tables;

/// The access flag of static methods (JVMS §4.6).
const STATIC: u16 = 0x0008;

/// A method with code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodShape {
    /// Its access flags (JVMS §4.6).
    pub access: u16,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The length of its code in bytes.
    pub length: u32,
    /// Its return instructions.
    pub returns: Vec<Returns>,
    /// The start of each of its handlers, ascending and distinct.
    pub handlers: Vec<u32>,
    /// The index from which `this` is initialised: see [`super::initialised_from`].
    pub initialised_from: Option<u32>,
    /// For a constructor: the code index of the call of another constructor, which initialises `this`.
    pub constructs_at: Option<u32>,
}

impl MethodShape {
    /// Whether it has no receiver.
    pub fn is_static(&self) -> bool {
        self.access & STATIC != 0
    }

    /// Whether an instruction comes before `this` is initialised.
    pub fn is_early(&self, pc: u32) -> bool {
        self.initialised_from.is_none_or(|from| pc < from)
    }
}

/// A return instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returns {
    /// Its code index.
    pub pc: u32,
    /// The kind of the returned value, as the first letter of a descriptor: `I` for all types that the VM
    /// computes as `int`, `V` for nothing.
    pub kind: char,
}

impl Scan<'_> {
    /// All methods that have code.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn methods(&self) -> Result<Vec<MethodShape>, RewriteError> {
        let class = self.layout();
        let with_code = class.methods.iter().filter_map(|method| Some((method, method.code?)));
        with_code.map(|(method, at)| shape(class, method, at)).collect()
    }

    /// The name of the source file (JVMS §4.7.10); of a class with a source map, that of the map.
    pub fn source_file(&self) -> Option<String> {
        self.layout().source_file.clone()
    }
}

fn shape(class: &ClassLayout<'_>, method: &MethodAt, at: CodeAt) -> Result<MethodShape, RewriteError> {
    let mut reader = Reader::at(slice(class.bytes, 0, at.end)?, at.start + 10);
    let length = reader.length()?;
    let code = reader.take(length)?;
    let instructions = instructions::read(code)?;
    let returns = instructions.iter().filter_map(|raw| {
        let kind = match raw.opcode {
            0xac => 'I',
            0xad => 'J',
            0xae => 'F',
            0xaf => 'D',
            0xb0 => 'L',
            instructions::RETURN => 'V',
            _ => return None,
        };
        Some(Returns { pc: raw.pc, kind })
    });
    let returns = returns.collect();
    let mut handlers: Vec<u32> = tables::handlers(&mut reader)?.iter().map(|row| row.handler).collect();
    handlers.sort_unstable();
    handlers.dedup();
    attributes(&mut reader)?;
    let initialised_from = super::method::initialised_from(class, method, at)?;
    let before = |raw: &&instructions::Raw| Some(raw.pc + raw.length) == initialised_from;
    let constructs_at = instructions
        .iter()
        .find(before)
        .filter(|raw| raw.opcode == instructions::INVOKESPECIAL)
        .map(|raw| raw.pc);
    Ok(MethodShape {
        access: method.access,
        name: class.owned(method.name)?,
        descriptor: class.owned(method.descriptor)?,
        length: u32::try_from(length).unwrap_or(u32::MAX),
        returns,
        handlers,
        initialised_from,
        constructs_at,
    })
}
