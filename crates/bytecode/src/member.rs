//! Fields and methods as instructions name them.

/// A field named by an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRef {
    /// The class named by the instruction, a binary name with dots. A superclass may declare the field.
    pub class: String,
    /// Field name.
    pub name: String,
    /// Field descriptor.
    pub descriptor: String,
}

/// A method named by an instruction or method handle. (A method handle may also name a field.)
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MethodRef {
    /// The class named by the instruction, a binary name with dots; for `clone` on an array, the Java name of
    /// the array type.
    pub class: String,
    /// Method name; can be `<init>` or `<clinit>`.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Whether the constant names an interface method.
    pub interface: bool,
}
