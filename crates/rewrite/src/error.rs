//! Why a class or a method is not rewritten.

/// Why a class is not rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// It does not begin like a class file.
    #[error("these bytes are not a class file")]
    NoClassFile,
    /// A part of it extends beyond its end.
    #[error("the class file ends too early, at byte {0}")]
    Truncated(usize),
    /// A constant pool entry has the wrong type.
    #[error("constant pool entry {0} does not have the type that the class file expects")]
    BadConstant(u16),
    /// An opcode that the specification does not define.
    #[error("byte {byte:#04x} at index {pc} is not an instruction")]
    BadOpcode {
        /// The byte.
        byte: u8,
        /// Index in the code array.
        pc: u32,
    },
    /// A table refers to an index at which no instruction begins.
    #[error("a table of the method refers to index {0}, where no instruction begins")]
    BadIndex(u32),
    /// A StackMapTable contains a frame type that the specification does not define.
    #[error("the StackMapTable contains a frame of unknown type {0}")]
    BadFrame(u8),
    /// No constant can be added: a class has at most 65,534 (JVMS §4.1).
    #[error("the constant pool is full")]
    PoolFull,
}

/// Why a method is not rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotRewritten {
    /// Its code would be longer than 65,535 bytes (JVMS §4.7.3).
    #[error("its code would be {0} bytes long, more than the limit of 65,535")]
    TooLong(usize),
    /// A conditional branch would span more than 32,767 bytes.
    #[error("the branch at index {0} would no longer reach its target")]
    TooFar(u32),
    /// It would need more than 65,535 local variables or stack slots.
    #[error("it would need more local variables or a deeper stack than a method can have")]
    TooWide,
    /// Steps are planned at an index at which no instruction begins.
    #[error("no instruction begins at index {0}")]
    NoInstruction(u32),
    /// The planned name of a local variable is not valid (JVMS §4.2.2).
    #[error("`{0}` is not a valid name for a local variable")]
    BadName(String),
    /// The method is an empty finalizer. The VM treats a class with an empty finalizer as one without, which
    /// would change if the method had code.
    #[error("the VM ignores an empty finalizer, but would run it if it had code")]
    EmptyFinalizer,
    /// An exception handler in the constructor of `java.lang.Object`. HotSpot's C2 replaces its `return` by a
    /// call that registers finalizers, and applies every handler of the method to that call. The VM crashes
    /// when it compiles such a constructor with a handler for any exception.
    #[error("the VM crashes when it compiles the constructor of java.lang.Object with an exception handler")]
    ObjectConstructor,
    /// The call of the superclass constructor cannot be identified.
    #[error("the call of the superclass constructor cannot be identified")]
    NoSuperCall,
}
