//! Builds a class file from instructions: static methods with jumps, and static final fields.
//!
//! The class file has the last version whose methods need no StackMapTable: the VM infers their types, or
//! does not verify them if its own loader defines the class (JVMS §4.10).

mod code;
mod constants;

pub use code::{Code, Label};

use constants::Constants;

/// The last version without a StackMapTable.
const MAJOR: u16 = 49;
/// JVMS table 4.1-B, table 4.5-A and table 4.6-A.
const ACC_PUBLIC: u16 = 0x0001;
const ACC_STATIC: u16 = 0x0008;
const ACC_FINAL: u16 = 0x0010;
const ACC_SUPER: u16 = 0x0020;

/// Why a class cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// A class has at most 65,534 constants (JVMS §4.1), and a text at most 65,535 bytes (JVMS §4.4.7).
    #[error("the class would need more constants, or a longer one, than a class can have")]
    Constants,
    /// The code of a method has at most 65,535 bytes (JVMS §4.7.3), and a jump spans at most 32,767.
    #[error("a method of the class would be too long")]
    TooLong,
    /// A label that a jump uses was not placed.
    #[error("a jump of the class has no target")]
    NoTarget,
}

/// A class file that is being built. All names of classes have slashes.
#[derive(Debug)]
pub struct Class {
    name: String,
    constants: Constants,
    fields: Vec<[u16; 2]>,
    methods: Vec<Vec<u8>>,
}

impl Class {
    /// Begins a public final class.
    pub fn new(name: &str) -> Class {
        let (constants, fields, methods) = (Constants::default(), Vec::new(), Vec::new());
        Class { name: name.to_owned(), constants, fields, methods }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a static final field.
    ///
    /// # Errors
    /// See [`AssembleError::Constants`].
    pub fn constant(&mut self, name: &str, descriptor: &str) -> Result<(), AssembleError> {
        let field = [self.constants.utf8(name)?, self.constants.utf8(descriptor)?];
        self.fields.push(field);
        Ok(())
    }

    /// Begins the code of a method. `parameters` is the number of slots that its parameters take.
    pub fn code(&mut self, parameters: u16) -> Code<'_> {
        Code::new(&mut self.constants, parameters)
    }

    /// Adds a public static method with this code. Its annotations have no elements; they are given by
    /// their descriptors.
    ///
    /// # Errors
    /// See [`AssembleError`].
    pub fn method(
        &mut self,
        name: &str,
        descriptor: &str,
        annotations: &[&str],
        finished: &FinishedCode,
    ) -> Result<(), AssembleError> {
        let constants = &mut self.constants;
        let mut out = two(ACC_PUBLIC | ACC_STATIC).to_vec();
        out.extend(two(constants.utf8(name)?));
        out.extend(two(constants.utf8(descriptor)?));
        out.extend(two(1 + u16::from(!annotations.is_empty())));
        out.extend(two(constants.utf8("Code")?));
        out.extend(four(12 + finished.bytes.len())?);
        out.extend(two(finished.max_stack));
        out.extend(two(finished.max_locals));
        out.extend(four(finished.bytes.len())?);
        out.extend_from_slice(&finished.bytes);
        // Neither handlers nor attributes.
        out.extend([0; 4]);
        if !annotations.is_empty() {
            out.extend(two(constants.utf8("RuntimeVisibleAnnotations")?));
            out.extend(four(2 + 4 * annotations.len())?);
            out.extend(two(u16::try_from(annotations.len()).map_err(|_| AssembleError::Constants)?));
            for annotation in annotations {
                out.extend(two(constants.utf8(annotation)?));
                out.extend([0; 2]);
            }
        }
        self.methods.push(out);
        Ok(())
    }

    /// The class file.
    ///
    /// # Errors
    /// See [`AssembleError::Constants`].
    pub fn finish(mut self) -> Result<Vec<u8>, AssembleError> {
        let this = self.constants.class(&self.name)?;
        let above = self.constants.class("java/lang/Object")?;
        let (fields, methods) = (self.fields.len(), self.methods.len());
        let mut out = 0xCAFE_BABE_u32.to_be_bytes().to_vec();
        out.extend(two(0));
        out.extend(two(MAJOR));
        out.extend(two(self.constants.count()));
        out.extend_from_slice(self.constants.bytes());
        out.extend(two(ACC_PUBLIC | ACC_FINAL | ACC_SUPER));
        out.extend(two(this));
        out.extend(two(above));
        out.extend(two(0));
        out.extend(two(u16::try_from(fields).map_err(|_| AssembleError::Constants)?));
        for [name, descriptor] in self.fields {
            out.extend(two(ACC_STATIC | ACC_FINAL));
            out.extend(two(name));
            out.extend(two(descriptor));
            out.extend(two(0));
        }
        out.extend(two(u16::try_from(methods).map_err(|_| AssembleError::Constants)?));
        out.extend(self.methods.concat());
        out.extend(two(0));
        Ok(out)
    }
}

/// The code of a method, whose jumps have their targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedCode {
    bytes: Vec<u8>,
    max_stack: u16,
    max_locals: u16,
}

fn two(value: u16) -> [u8; 2] {
    value.to_be_bytes()
}

fn four(length: usize) -> Result<[u8; 4], AssembleError> {
    Ok(u32::try_from(length).map_err(|_| AssembleError::TooLong)?.to_be_bytes())
}
