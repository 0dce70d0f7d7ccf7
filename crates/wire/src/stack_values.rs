//! Values of the operand stack that activations keep.

use serde::{Deserialize, Serialize};

/// A value of the operand stack that an activation keeps in an added local, from where it is pushed until the
/// instruction that uses it has completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptStackValue {
    /// The value.
    pub value: UsedStackValue,
    /// Whether the instruction that uses it is a branch, rather than a store.
    pub is_branch: bool,
    /// Whether that instruction can be reached without the value. A second local then says whether the value
    /// is one of the present evaluation.
    pub is_optional: bool,
    /// The code indices before which the value is forgotten: where an evaluation begins that may not push it,
    /// and, for a reference, where an exception may have ended the evaluation.
    pub forget_before: Vec<u32>,
}

/// A value of the operand stack, and the instruction that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedStackValue {
    /// The code index of the instruction that uses it.
    pub user: u32,
    /// The code index of the instruction before or after which it is on top of the stack.
    pub pc: u32,
    /// Whether it is on top before that instruction, rather than after it.
    pub is_before: bool,
    /// The first letter of its descriptor; `L` for every reference.
    pub letter: char,
}

/// How the names of the added locals begin.
const VALUE: &str = "qp:stack-";
/// How the names of the locals begin that say whether there is a value.
const PRESENT: &str = "qp:has-stack-";

impl UsedStackValue {
    /// The name of the added local that keeps it.
    pub fn name(&self) -> String {
        format!("{VALUE}{}", self.suffix())
    }

    /// The name of the added local that says whether it is kept: an `int`, 0 or 1.
    pub fn presence_name(&self) -> String {
        format!("{PRESENT}{}", self.suffix())
    }

    fn suffix(&self) -> String {
        let side = if self.is_before { 'b' } else { 'a' };
        format!("{}-{side}{}-{}", self.user, self.pc, self.letter)
    }

    /// The value that an added local of this name keeps; `None` for other locals.
    pub fn named(name: &str) -> Option<UsedStackValue> {
        let mut words = name.strip_prefix(VALUE)?.split('-');
        let user = words.next()?.parse().ok()?;
        let place = words.next()?;
        let is_before = place.starts_with('b');
        let pc = place.strip_prefix(['a', 'b'])?.parse().ok()?;
        let letter = words.next()?.chars().next()?;
        Some(UsedStackValue { user, pc, is_before, letter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_value() {
        for (is_before, letter) in [(true, 'Z'), (false, 'L')] {
            let value = UsedStackValue { user: 70_000, pc: 12, is_before, letter };
            assert_eq!(UsedStackValue::named(&value.name()), Some(value));
            assert_eq!(UsedStackValue::named(&value.presence_name()), None);
        }
        assert_eq!(UsedStackValue::named(crate::SERIAL), None);
    }
}
