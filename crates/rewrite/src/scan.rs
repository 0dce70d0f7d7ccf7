//! Searches the code of a class file for field accesses, array stores and array creations. The agent uses it
//! to find where to insert code in classes that have not been analysed before.

use super::error::RewriteError;
use super::instructions;
use super::reader::{ClassLayout, CodeAt, Reader, slice};
use std::borrow::Cow;

const GETSTATIC: u8 = 0xb2;
const PUTSTATIC: u8 = 0xb3;
const GETFIELD: u8 = 0xb4;
const PUTFIELD: u8 = 0xb5;
const IASTORE: u8 = 0x4f;
const SASTORE: u8 = 0x56;
const NEWARRAY: u8 = 0xbc;
const ANEWARRAY: u8 = 0xbd;
const MULTIANEWARRAY: u8 = 0xc5;
const FIELD_REF: u8 = 9;

/// An instruction that reads or writes a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The method that contains it.
    pub method: String,
    /// The method's descriptor.
    pub method_descriptor: String,
    /// Its code index.
    pub pc: u32,
    /// Whether it writes.
    pub writes: bool,
    /// Whether the field is static.
    pub is_static: bool,
    /// The class named by the instruction, with slashes: the declaring class or a subclass.
    pub class: String,
    /// The field's descriptor.
    pub descriptor: String,
    /// The index of the constant that names the field.
    pub constant: u16,
}

/// An instruction that stores into an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayStore {
    /// The method that contains it.
    pub method: String,
    /// The method's descriptor.
    pub method_descriptor: String,
    /// Its code index.
    pub pc: u32,
}

/// An instruction that creates arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayMaking {
    /// The method that contains it.
    pub method: String,
    /// The method's descriptor.
    pub method_descriptor: String,
    /// Its code index.
    pub pc: u32,
    /// The nesting depth of the arrays of the type in the created array: 0 for that array itself.
    pub level: u8,
}

/// A class file to be searched.
pub struct Scan<'a>(ClassLayout<'a>);

impl<'a> Scan<'a> {
    /// Reads the structure of a class file.
    ///
    /// # Errors
    /// If the bytes are not a class file.
    pub fn new(bytes: &'a [u8]) -> Result<Scan<'a>, RewriteError> {
        ClassLayout::read(bytes).map(Scan)
    }

    /// The structure of the class file.
    pub(super) fn layout(&self) -> &ClassLayout<'a> {
        &self.0
    }

    /// The class's name, with slashes.
    ///
    /// # Errors
    /// If the constant pool is invalid.
    pub fn name(&self) -> Result<String, RewriteError> {
        self.0.class_name(self.0.this_class).map(Cow::into_owned)
    }

    /// Whether methods can have line numbers: whether the constant pool names the attribute that holds them.
    pub fn has_lines(&self) -> bool {
        (0..).zip(&self.0.constants).any(|(index, _)| self.0.is(index, "LineNumberTable"))
    }

    /// Whether the constant pool names a field with this name: a quick check before [`Scan::accesses`].
    pub fn names_field(&self, name: &str) -> bool {
        self.0.constants.iter().any(|at| {
            let mut reader = Reader::at(self.0.bytes, *at);
            *at > 0
                && reader.u1() == Ok(FIELD_REF)
                && reader.u2().is_ok()
                && reader
                    .u2()
                    .and_then(|index| self.0.name_and_type(index))
                    .is_ok_and(|[found, _]| found == name)
        })
    }

    /// Whether the constant pool names a method for which `is` holds: class with slashes, name, descriptor.
    /// A quick check before the code is read.
    pub fn names_method(&self, is: &dyn Fn(&str, &str, &str) -> bool) -> bool {
        let named = (0..).zip(&self.0.constants).filter_map(|(index, _)| self.0.method_ref(index).ok());
        named.into_iter().any(|[class, name, descriptor]| is(&class, &name, &descriptor))
    }

    /// All instructions that access a field with this name.
    ///
    /// # Errors
    /// If the code is invalid.
    pub fn accesses(&self, name: &str) -> Result<Vec<Access>, RewriteError> {
        let mut found = Vec::new();
        for method in &self.0.methods {
            let Some(code) = self.code_of(method.code)? else { continue };
            for raw in instructions::read(code)? {
                if !matches!(raw.opcode, GETSTATIC | PUTSTATIC | GETFIELD | PUTFIELD) {
                    continue;
                }
                let constant = Reader::at(code, raw.pc as usize + 1).u2()?;
                let [class, field, descriptor] = self.0.field_ref(constant)?;
                if field == name {
                    found.push(Access {
                        method: self.0.owned(method.name)?,
                        method_descriptor: self.0.owned(method.descriptor)?,
                        pc: raw.pc,
                        writes: matches!(raw.opcode, PUTSTATIC | PUTFIELD),
                        is_static: matches!(raw.opcode, GETSTATIC | PUTSTATIC),
                        class: class.into_owned(),
                        descriptor: descriptor.into_owned(),
                        constant,
                    });
                }
            }
        }
        Ok(found)
    }

    /// All instructions that store into an array whose element descriptor begins with this letter. `byte` and
    /// `boolean` arrays share one instruction.
    ///
    /// # Errors
    /// If the code is invalid.
    pub fn array_stores(&self, kind: char) -> Result<Vec<ArrayStore>, RewriteError> {
        let opcode = match kind {
            'I' => 0x4f,
            'J' => 0x50,
            'F' => 0x51,
            'D' => 0x52,
            'B' | 'Z' => 0x54,
            'C' => 0x55,
            'S' => 0x56,
            _ => 0x53,
        };
        let mut found = Vec::new();
        for method in &self.0.methods {
            let Some(code) = self.code_of(method.code)? else { continue };
            for raw in instructions::read(code)?.iter().filter(|raw| raw.opcode == opcode) {
                found.push(ArrayStore {
                    method: self.0.owned(method.name)?,
                    method_descriptor: self.0.owned(method.descriptor)?,
                    pc: raw.pc,
                });
            }
        }
        Ok(found)
    }

    /// Whether any instruction stores into an array, or writes a field of a class for which `own` is false.
    ///
    /// # Errors
    /// If the code is invalid.
    pub fn writes_elsewhere(&self, own: &dyn Fn(&str) -> bool) -> Result<bool, RewriteError> {
        for method in &self.0.methods {
            let Some(code) = self.code_of(method.code)? else { continue };
            for raw in instructions::read(code)? {
                let elsewhere = match raw.opcode {
                    PUTSTATIC | PUTFIELD => {
                        let [class, _, _] = self.0.field_ref(Reader::at(code, raw.pc as usize + 1).u2()?)?;
                        !own(&class)
                    }
                    opcode => (IASTORE..=SASTORE).contains(&opcode),
                };
                if elsewhere {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// All instructions that create an array of a type, given by its descriptor.
    ///
    /// # Errors
    /// If the code is invalid.
    pub fn array_makings(&self, descriptor: &str) -> Result<Vec<ArrayMaking>, RewriteError> {
        let mut found = Vec::new();
        for method in &self.0.methods {
            let Some(code) = self.code_of(method.code)? else { continue };
            for raw in instructions::read(code)? {
                let Some(level) = self.makes(code, raw.opcode, raw.pc, descriptor)? else { continue };
                found.push(ArrayMaking {
                    method: self.0.owned(method.name)?,
                    method_descriptor: self.0.owned(method.descriptor)?,
                    pc: raw.pc,
                    level,
                });
            }
        }
        Ok(found)
    }

    /// The nesting depth at which an instruction creates arrays of a type, if it does.
    fn makes(&self, code: &[u8], opcode: u8, pc: u32, descriptor: &str) -> Result<Option<u8>, RewriteError> {
        let mut operand = Reader::at(code, pc as usize + 1);
        match opcode {
            NEWARRAY => {
                let types = ["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"];
                let of = usize::from(operand.u1()?).checked_sub(4).and_then(|at| types.get(at));
                Ok((of == Some(&descriptor)).then_some(0))
            }
            ANEWARRAY => {
                let element = self.0.class_name(operand.u2()?)?;
                let of = if element.starts_with('[') { element.into_owned() } else { format!("L{element};") };
                Ok((descriptor.strip_prefix('[') == Some(of.as_str())).then_some(0))
            }
            MULTIANEWARRAY => {
                let whole = self.0.class_name(operand.u2()?)?;
                let dimensions = operand.u1()?;
                let level = whole.len().checked_sub(descriptor.len()).and_then(|n| u8::try_from(n).ok());
                Ok(level.filter(|level| *level < dimensions && whole.ends_with(descriptor)))
            }
            _ => Ok(None),
        }
    }

    /// The code array of a method.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn code(&self, name: &str, descriptor: &str) -> Result<Option<&'a [u8]>, RewriteError> {
        let is =
            |m: &&super::reader::MethodAt| self.0.is(m.name, name) && self.0.is(m.descriptor, descriptor);
        match self.0.methods.iter().find(is) {
            Some(method) => self.code_of(method.code),
            None => Ok(None),
        }
    }

    /// The number of local variable slots of a method. The rewriter adds its own after them.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn max_locals(&self, name: &str, descriptor: &str) -> Result<Option<u16>, RewriteError> {
        let is =
            |m: &&super::reader::MethodAt| self.0.is(m.name, name) && self.0.is(m.descriptor, descriptor);
        match self.0.methods.iter().find(is).and_then(|m| m.code) {
            Some(CodeAt { start, end }) => Reader::at(slice(self.0.bytes, 0, end)?, start + 8).u2().map(Some),
            None => Ok(None),
        }
    }

    /// The name of the superclass, with slashes; `None` for `java/lang/Object` and modules.
    pub fn superclass(&self) -> Option<String> {
        self.0.class_name(self.0.super_class).ok().map(Cow::into_owned)
    }

    /// Whether the class itself declares a field with this name.
    pub fn declares_field(&self, name: &str) -> bool {
        self.0.fields.iter().any(|field| self.0.is(field.name, name))
    }

    /// The fields that the class itself declares: name, descriptor and access flags.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn fields(&self) -> Result<Vec<(String, String, u16)>, RewriteError> {
        let owned = |at| self.0.owned(at);
        self.0.fields.iter().map(|of| Ok((owned(of.name)?, owned(of.descriptor)?, of.access))).collect()
    }

    /// The access flags of the class (JVMS §4.1).
    pub fn access(&self) -> u16 {
        self.0.access
    }

    /// The interfaces that the class itself names, with slashes.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn interfaces(&self) -> Result<Vec<String>, RewriteError> {
        self.0.interfaces.iter().map(|at| self.0.class_name(*at).map(Cow::into_owned)).collect()
    }

    fn code_of(&self, at: Option<CodeAt>) -> Result<Option<&'a [u8]>, RewriteError> {
        let Some(CodeAt { start, end }) = at else { return Ok(None) };
        let mut reader = Reader::at(slice(self.0.bytes, 0, end)?, start + 10);
        let length = reader.length()?;
        reader.take(length).map(Some)
    }
}
