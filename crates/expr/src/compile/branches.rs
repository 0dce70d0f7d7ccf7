//! Conditions as jumps: each ends at a label for true or one for false.

use super::super::tree::{BinaryOperator, Literal, Node, TypeName, UnaryOperator};
use super::super::types::{Primitive, Type};
use super::{CLASS, Compiler, Held, Holder, IFEQ, IFLT, IFNE, Outside};
use bytecode::Kind;
use bytecode::assemble::Label;

const IFGE: u8 = 0x9c;
const IFGT: u8 = 0x9d;
const IFLE: u8 = 0x9e;
const IF_ICMPEQ: u8 = 0x9f;
const IF_ACMPEQ: u8 = 0xa5;
const IF_ACMPNE: u8 = 0xa6;
const LCMP: u8 = 0x94;
const FCMPL: u8 = 0x95;
const FCMPG: u8 = 0x96;
const DCMPL: u8 = 0x97;
const DCMPG: u8 = 0x98;
const STRING: &str = "java/lang/String";

impl Compiler<'_, '_> {
    /// Compiles a condition. What cannot be tested leads to the label for "unknown".
    pub(super) fn branch(&mut self, node: &Node, yes: Label, no: Label) {
        match node {
            Node::Literal(Literal::Boolean(value)) => self.code.goto(if *value { yes } else { no }),
            Node::Unary { operator: UnaryOperator::Not, operand } => self.branch(operand, no, yes),
            Node::Binary { operator: operator @ (BinaryOperator::And | BinaryOperator::Or), left, right } => {
                let next = self.code.label();
                match operator {
                    BinaryOperator::And => self.branch(left, next, no),
                    _ => self.branch(left, yes, next),
                }
                self.code.place(next);
                self.branch(right, yes, no);
            }
            Node::Conditional { condition, yes: then, no: otherwise } => {
                let [first, second] = [self.code.label(), self.code.label()];
                self.branch(condition, first, second);
                self.code.place(first);
                self.branch(then, yes, no);
                self.code.place(second);
                self.branch(otherwise, yes, no);
            }
            _ => {
                if let Err(outside) = self.test(node, yes, no) {
                    self.leave(outside);
                }
            }
        }
    }

    fn test(&mut self, node: &Node, yes: Label, no: Label) -> Result<(), Outside> {
        match node {
            Node::Binary { operator, left, right } if is_comparison(*operator) => {
                self.compare(node, *operator, left, right, yes, no)
            }
            Node::InstanceOf { operand, class } => self.instance(node, operand, class, yes, no),
            _ => {
                let held = self.value(node)?;
                let held = self.unboxed(node, held, Some(Primitive::Boolean))?;
                if held.of != Type::BOOLEAN {
                    return Outside::of(node);
                }
                self.load(&held);
                self.code.jump(IFNE, 1, yes);
                self.code.goto(no);
                Ok(())
            }
        }
    }

    fn compare(
        &mut self,
        node: &Node,
        operator: BinaryOperator,
        left: &Node,
        right: &Node,
        yes: Label,
        no: Label,
    ) -> Result<(), Outside> {
        let is_equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
        if is_equality {
            match (left, right) {
                (Node::Literal(Literal::Text(_)), Node::Literal(Literal::Text(_))) => {
                    return Outside::of(node);
                }
                (Node::Literal(Literal::Text(text)), other) | (other, Node::Literal(Literal::Text(text))) => {
                    return match operator {
                        BinaryOperator::NotEqual => self.compare_text(node, text, other, no, yes),
                        _ => self.compare_text(node, text, other, yes, no),
                    };
                }
                _ => {}
            }
        }
        let (a, b) = (self.value(left)?, self.value(right)?);
        let is_reference = |held: &Held| !matches!(held.of, Type::Primitive(_));
        if is_equality && is_reference(&a) && is_reference(&b) {
            // An erased value can be a box, which is compared with another box as a reference, too.
            self.load(&a);
            self.load(&b);
            self.code.jump(if operator == BinaryOperator::Equal { IF_ACMPEQ } else { IF_ACMPNE }, 2, yes);
            self.code.goto(no);
            return Ok(());
        }
        let (hint_a, hint_b) = (primitive(&b), primitive(&a));
        let (a, b) = (self.unboxed(left, a, hint_a)?, self.unboxed(right, b, hint_b)?);
        let common = match (primitive(&a), primitive(&b)) {
            (Some(Primitive::Boolean), Some(Primitive::Boolean)) if is_equality => Primitive::Boolean,
            (Some(p), Some(q)) if p.is_numeric() && q.is_numeric() => p.promoted_with(q),
            _ => return Outside::of(node),
        };
        self.load_converted(&a, common);
        self.load_converted(&b, common);
        self.compare_numbers(operator, common, yes);
        self.code.goto(no);
        Ok(())
    }

    /// Compares the characters of a string with those of a literal.
    fn compare_text(
        &mut self,
        node: &Node,
        text: &str,
        other: &Node,
        same: Label,
        different: Label,
    ) -> Result<(), Outside> {
        let held = self.value(other)?;
        if held.kind() != Kind::Reference {
            return Outside::of(node);
        }
        self.code.string(text);
        self.load(&held);
        self.code.call_virtual(STRING, "equals", "(Ljava/lang/Object;)Z");
        self.code.jump(IFNE, 1, same);
        self.code.goto(different);
        Ok(())
    }

    /// Compares two values of a type on the stack, and jumps if the comparison is true.
    fn compare_numbers(&mut self, operator: BinaryOperator, common: Primitive, yes: Label) {
        // A comparison with NaN is false, but for `!=`.
        let is_less = matches!(operator, BinaryOperator::Less | BinaryOperator::LessEqual);
        let condition = condition(operator);
        match common {
            Primitive::Long => self.code.op(LCMP, 4, 1),
            Primitive::Float => self.code.op(if is_less { FCMPG } else { FCMPL }, 2, 1),
            Primitive::Double => self.code.op(if is_less { DCMPG } else { DCMPL }, 4, 1),
            _ => {
                // The six comparisons of two `int` are in the same order as those with zero.
                self.code.jump(condition - IFEQ + IF_ICMPEQ, 2, yes);
                return;
            }
        }
        self.code.jump(condition, 1, yes);
    }

    fn instance(
        &mut self,
        node: &Node,
        operand: &Node,
        class: &TypeName,
        yes: Label,
        no: Label,
    ) -> Result<(), Outside> {
        let held = self.value(operand)?;
        if held.kind() != Kind::Reference {
            return Outside::of(node);
        }
        match self.checker.written(class) {
            Ok(Type::Class(name)) if is_common(&name) => {
                self.load(&held);
                self.code.instance_of(&name.replace('.', "/"));
                self.code.jump(IFNE, 1, yes);
                self.code.goto(no);
                Ok(())
            }
            Ok(Type::Class(name)) => {
                self.instance_of_named(&held, &name).ok_or_else(|| Outside(node.to_string()))?;
                let result = self.keep(Type::INT);
                self.load(&result);
                self.code.jump(IFEQ, 1, no);
                self.load(&result);
                self.code.int(1);
                self.code.jump(IF_ICMPEQ, 2, yes);
                self.code.goto(self.ask);
                Ok(())
            }
            _ => Outside::of(node),
        }
    }

    /// Pushes whether a reference is an instance of a class: 0, 1, or 2 if that is unknown.
    pub(super) fn instance_of_named(&mut self, held: &Held, class: &str) -> Option<()> {
        self.holder(Holder::Class(class.replace('.', "/")));
        self.load(held);
        self.load_class()?;
        let descriptor = format!("(L{CLASS};Ljava/lang/Object;Ljava/lang/Class;)I");
        self.code.call_static(CLASS, "test", &descriptor);
        Some(())
    }

    /// The value of a condition.
    pub(super) fn condition_value(&mut self, node: &Node) -> Result<Held, Outside> {
        let [yes, no, end] = [self.code.label(), self.code.label(), self.code.label()];
        let slot = self.code.local(Kind::Int);
        self.branch(node, yes, no);
        for (label, value) in [(yes, 1), (no, 0)] {
            self.code.place(label);
            self.code.int(value);
            self.code.store(Kind::Int, slot);
            self.code.goto(end);
        }
        self.code.place(end);
        Ok(Held { slot, of: Type::BOOLEAN })
    }
}

/// The classes and interfaces that the compiled class may name itself: public ones that every VM has loaded.
const COMMON: [&str; 20] = [
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.CharSequence",
    "java.lang.Character",
    "java.lang.Comparable",
    "java.lang.Double",
    "java.lang.Enum",
    "java.lang.Error",
    "java.lang.Exception",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Number",
    "java.lang.Object",
    "java.lang.RuntimeException",
    "java.lang.Short",
    "java.lang.String",
    "java.lang.Throwable",
    "java.util.List",
    "java.util.Map",
];

/// Whether the compiled class may name a class itself.
pub(super) fn is_common(class: &str) -> bool {
    COMMON.contains(&class)
}

fn primitive(held: &Held) -> Option<Primitive> {
    match held.of {
        Type::Primitive(primitive) => Some(primitive),
        _ => None,
    }
}

fn is_comparison(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(operator, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// The jump for the result of a comparison with zero.
fn condition(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::NotEqual => IFNE,
        BinaryOperator::Less => IFLT,
        BinaryOperator::GreaterEqual => IFGE,
        BinaryOperator::Greater => IFGT,
        BinaryOperator::LessEqual => IFLE,
        _ => IFEQ,
    }
}
