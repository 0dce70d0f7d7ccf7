//! Names of enum constants in a switch. javac numbers the constants that a class switches over in a synthetic
//! class, in an array `$SwitchMap$…` indexed by ordinal.

use super::{ExprNode, Expressions};
use crate::class::ClassFile;
use crate::op::{Constant, Op};
use std::collections::BTreeMap;

/// Recognises the selector `array[value.ordinal()]`. Returns the array's class and field, and the value.
pub(super) fn switched(selector: &ExprNode) -> Option<(EnumTable, &ExprNode)> {
    let ExprNode::ArrayLoad { array, index } = selector else { return None };
    let ExprNode::Static { class, name, .. } = &**array else { return None };
    let ExprNode::Call { receiver: Some(value), .. } = &**index else { return None };
    let table = EnumTable { class: class.clone(), field: name.clone() };
    name.starts_with("$SwitchMap$").then_some((table, value))
}

/// The array that numbers the constants of an enum for a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumTable {
    /// The synthetic class, a binary name with dots.
    pub class: String,
    /// The static field that holds the array.
    pub field: String,
}

impl EnumTable {
    /// The names of the constants by number, as the initialiser of [`EnumTable::class`] assigns them.
    pub fn labels(&self, class: &ClassFile) -> BTreeMap<i32, String> {
        let Some(initialiser) = class.method("<clinit>", "()V") else { return BTreeMap::new() };
        let (Some(code), Some(expressions)) = (&initialiser.code, Expressions::new(class, initialiser))
        else {
            return BTreeMap::new();
        };
        let stores = code.instructions.iter().filter(|i| matches!(i.op, Op::ArrayStore(_)));
        let label = |pc: u32| {
            let stored = expressions.stored_expression(pc)?;
            let (table, value) = switched(stored.target.as_ref()?)?;
            match (value, &stored.value) {
                (ExprNode::Static { name, .. }, ExprNode::Const(Constant::Int(number))) if table == *self => {
                    Some((*number, name.clone()))
                }
                _ => None,
            }
        };
        stores.filter_map(|i| label(i.pc)).collect()
    }
}
