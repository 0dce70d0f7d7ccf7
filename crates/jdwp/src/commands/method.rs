//! Command set 6, `Method`: methods and constructors.

use crate::id::{MethodId, ReferenceTypeId};

commands! {
    /// The method's line numbers.
    LineTable {
        /// The type that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> LineTableReply;
    /// The method's local variables and parameters.
    VariableTable {
        /// The type that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> VariableTableReply;
    /// The method's code. Needs `canGetBytecodes`.
    Bytecodes {
        /// The type that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> Vec<u8>;
    /// Whether a redefinition of the class has replaced the method.
    IsObsolete {
        /// The type that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> bool;
    /// The method's local variables and parameters, with generic signatures.
    VariableTableWithGeneric {
        /// The type that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> VariableTableWithGenericReply;
}

records! {
    /// Line numbers of a method.
    LineTableReply {
        /// The lowest valid code index; -1 for a native method.
        start: i64,
        /// The highest valid code index; -1 for a native method.
        end: i64,
        /// One entry per line start, in the order of the class file.
        lines: Vec<LineInfo>,
    }
    /// One start of a line. A line can start at several places.
    LineInfo {
        /// The code index of its first instruction.
        line_code_index: u64,
        /// The line number, from 1.
        line_number: i32,
    }
    /// Local variables of a method.
    VariableTableReply {
        /// The number of slots for the parameters, `this` included.
        arg_cnt: i32,
        /// The variables.
        slots: Vec<SlotInfo>,
    }
    /// A local variable.
    SlotInfo {
        /// The first code index at which it is valid.
        code_index: u64,
        /// Its name.
        name: String,
        /// Its JNI signature.
        signature: String,
        /// The number of code indices for which it is valid.
        length: u32,
        /// Its slot in the frame.
        slot: i32,
    }
    /// Local variables of a method.
    VariableTableWithGenericReply {
        /// The number of slots for the parameters, `this` included.
        arg_cnt: i32,
        /// The variables.
        slots: Vec<SlotInfoWithGeneric>,
    }
    /// A local variable.
    SlotInfoWithGeneric {
        /// The first code index at which it is valid.
        code_index: u64,
        /// Its name.
        name: String,
        /// Its JNI signature.
        signature: String,
        /// Its generic signature, or an empty string.
        generic_signature: String,
        /// The number of code indices for which it is valid.
        length: u32,
        /// Its slot in the frame.
        slot: i32,
    }
}
