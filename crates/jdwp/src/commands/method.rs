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
    /// Whether the method was replaced by a redefinition of its class.
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
        /// Where lines begin, in the order of the class file.
        lines: Vec<LineInfo>,
    }
    /// Where a line begins. One line may begin at several places.
    LineInfo {
        /// The index of its first instruction.
        line_code_index: u64,
        /// Its number, from 1.
        line_number: i32,
    }
    /// Local variables of a method.
    VariableTableReply {
        /// The number of slots that parameters take, `this` among them.
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
        /// For how many code indices it is valid.
        length: u32,
        /// Its index in the frame.
        slot: i32,
    }
    /// Local variables of a method.
    VariableTableWithGenericReply {
        /// The number of slots that parameters take, `this` among them.
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
        /// Its generic signature; empty if it has none.
        generic_signature: String,
        /// For how many code indices it is valid.
        length: u32,
        /// Its index in the frame.
        slot: i32,
    }
}
