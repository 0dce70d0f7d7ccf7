//! Why a class or a method is not rewritten.

/// Why a class is not rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// It does not begin as a class file does.
    #[error("these bytes are no class file")]
    NoClassFile,
    /// Something in it reaches over its end.
    #[error("the class file ends at byte {0}, in the middle of something")]
    Truncated(usize),
    /// An entry of its constant pool is not what it should be.
    #[error("constant pool entry {0} is not what the class file uses it for")]
    BadConstant(u16),
    /// An opcode that no version of the specification knows.
    #[error("byte {byte:#04x} at index {pc} is no instruction")]
    BadOpcode {
        /// The byte.
        byte: u8,
        /// Index in the code array.
        pc: u32,
    },
    /// A table names an index that is in no instruction.
    #[error("a table of the method names index {0}, where no instruction begins")]
    BadIndex(u32),
    /// A StackMapTable has a form that no version of the specification knows.
    #[error("the StackMapTable has a frame of the unknown form {0}")]
    BadFrame(u8),
    /// No constants can be added: there are at most 65,534 (JVMS §4.1).
    #[error("the constant pool is full")]
    PoolFull,
}

/// Why a method is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeftAlone {
    /// Its code would be longer than 65,535 bytes (JVMS §4.7.3).
    #[error("its code would be {0} bytes long, and 65,535 is the most")]
    TooLong(usize),
    /// A conditional branch would reach further than 32,767 bytes.
    #[error("the branch at index {0} would not reach its target any more")]
    TooFar(u32),
    /// It would need more than 65,535 local variables or stack entries.
    #[error("it would need more local variables or a deeper stack than a method can have")]
    TooWide,
    /// A step is asked for at an index where no instruction begins.
    #[error("no instruction begins at index {0}")]
    NoInstruction(u32),
    /// A local variable would be called what none can be (JVMS §4.2.2).
    #[error("`{0}` cannot be the name of a local variable")]
    BadName(String),
    /// A finalizer that does nothing. To the VM a class with such a one has none, which is not so if it does
    /// something.
    #[error("an empty finalizer is none to the VM, and would become one")]
    EmptyFinalizer,
    /// An exception handler in the constructor of `java.lang.Object`. HotSpot's C2 makes of its `return` a
    /// call that registers finalizers and takes every handler of the method for one of that call, whatever it
    /// covers; the VM crashes when it compiles one with a handler for any exception.
    #[error("the VM crashes when it compiles the constructor of java.lang.Object with an exception handler")]
    ObjectConstructor,
    /// A constructor whose call of another constructor cannot be told.
    #[error("it is not clear where the constructor calls that of its superclass")]
    NoSuperCall,
}
