//! Values: literals, variables, fields, elements and casts.

use super::super::check::{Head, conditional_primitive};
use super::super::lookup::{FieldDeclaration, Lookup, Variable};
use super::super::tree::{BinaryOperator, ElementName, Literal, Node, TypeName, UnaryOperator};
use super::super::types::{Primitive, Type};
use super::branches::is_common;
use super::{Compiler, FIELD, Held, Holder, IFLT, Outside, TestParameter, kind_of};
use bytecode::Kind;

const ARRAYLENGTH: u8 = 0xbe;
const IF_ICMPGE: u8 = 0xa2;
const IF_ICMPNE: u8 = 0xa0;
const IFNULL: u8 = 0xc6;
const LCMP: u8 = 0x94;

impl Compiler<'_, '_> {
    pub(super) fn value(&mut self, node: &Node) -> Result<Held, Outside> {
        match node {
            Node::Literal(literal) => Ok(self.literal(literal)),
            Node::Name(name) => match self.checker.names.variable(name) {
                Lookup::Found(variable) => self.variable(node, variable),
                _ => Outside::of(node),
            },
            Node::This => self.this(node),
            Node::Field { owner, name } => self.field(node, owner, name),
            Node::Index { array, index } => self.element(node, array, index),
            Node::Call { owner: Some(owner), name, arguments } => self.call(node, owner, name, arguments),
            Node::Unary { operator: UnaryOperator::Not, .. } | Node::InstanceOf { .. } => {
                self.condition_value(node)
            }
            Node::Unary { operator, operand } => self.unary(node, *operator, operand),
            Node::Binary { operator, left, right } => match operator {
                BinaryOperator::And
                | BinaryOperator::Or
                | BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterEqual => self.condition_value(node),
                _ => self.operation(node, *operator, left, right),
            },
            Node::Cast { to, operand } => self.cast(node, to, operand),
            Node::Conditional { condition, yes, no } => self.conditional(node, condition, yes, no),
            Node::Event(part) => self.event_part(node, *part),
            Node::Super
            | Node::OuterThis(_)
            | Node::ClassObject(_)
            | Node::Mapped { .. }
            | Node::Call { .. } => Outside::of(node),
        }
    }

    fn literal(&mut self, literal: &Literal) -> Held {
        let code = &mut self.code;
        let of = match literal {
            Literal::Null => {
                code.null();
                Type::Null
            }
            Literal::Boolean(value) => {
                code.int((*value).into());
                Type::BOOLEAN
            }
            Literal::Char(unit) => {
                code.int((*unit).into());
                Type::Primitive(Primitive::Char)
            }
            Literal::Int(value) => {
                code.int(*value);
                Type::INT
            }
            Literal::Long(value) => {
                code.long(*value);
                Type::Primitive(Primitive::Long)
            }
            Literal::Float(value) => {
                code.float(*value);
                Type::Primitive(Primitive::Float)
            }
            Literal::Double(value) => {
                code.double(*value);
                Type::Primitive(Primitive::Double)
            }
            Literal::Text(text) => {
                code.string(text);
                Type::string()
            }
        };
        self.keep(of)
    }

    fn parameter(&self, slot: u16) -> Option<u16> {
        let mut passed = self.passed.iter();
        let found = passed.find(|(passed, _)| matches!(passed, TestParameter::Local(of, _) if *of == slot));
        found.map(|(_, at)| *at)
    }

    fn this(&mut self, node: &Node) -> Result<Held, Outside> {
        let of = Type::Class(self.checker.names.scope.class.clone());
        match self.parameter(0).filter(|_| !self.checker.names.scope.is_static) {
            Some(slot) => Ok(Held { slot, of }),
            None => Outside::of(node),
        }
    }

    fn variable(&mut self, node: &Node, variable: Variable<'_>) -> Result<Held, Outside> {
        match variable {
            Variable::Local(local) => {
                let of = Type::of_descriptor(&local.descriptor);
                match self.parameter(local.slot) {
                    Some(slot) => Ok(Held { slot, of }),
                    None => Outside::of(node),
                }
            }
            Variable::Field { owner, name, field } => {
                let owner = self.value(&owner)?;
                Ok(self.read(&owner, &name, &field))
            }
            Variable::Static { name, field } => self.read_static(node, &name, &field),
            Variable::NoInstance(_) => Outside::of(node),
        }
    }

    /// Reads a field of an object; asks if the object has no such field.
    pub(super) fn read(&mut self, owner: &Held, name: &str, field: &FieldDeclaration) -> Held {
        self.holder(holder(name, field));
        self.load(owner);
        self.code.call_static(FIELD, "at", &format!("(L{FIELD};Ljava/lang/Object;)J"));
        let offset = self.keep(Type::Primitive(Primitive::Long));
        self.load(&offset);
        self.code.long(0);
        self.code.op(LCMP, 4, 1);
        self.code.jump(IFLT, 1, self.ask);
        self.load(owner);
        self.get(&offset, &field.descriptor)
    }

    fn read_static(&mut self, node: &Node, name: &str, field: &FieldDeclaration) -> Result<Held, Outside> {
        let about = |compiler: &mut Self, method: &str, result: &str| {
            compiler.holder(holder(name, field));
            compiler.load_class().ok_or_else(|| Outside(node.to_string()))?;
            let descriptor = format!("(L{FIELD};Ljava/lang/Class;){result}");
            compiler.code.call_static(FIELD, method, &descriptor);
            Ok(())
        };
        about(self, "base", "Ljava/lang/Object;")?;
        let base = self.keep(Type::Unknown);
        self.load(&base);
        self.code.jump(IFNULL, 1, self.ask);
        about(self, "offset", "J")?;
        let offset = self.keep(Type::Primitive(Primitive::Long));
        self.load(&base);
        Ok(self.get(&offset, &field.descriptor))
    }

    /// Reads memory at an offset from the object on the stack.
    fn get(&mut self, offset: &Held, descriptor: &str) -> Held {
        self.load(offset);
        let (name, result) = match descriptor.chars().next() {
            Some('Z' | 'B') => ("getByte", "I"),
            Some('S') => ("getShort", "I"),
            Some('C') => ("getChar", "I"),
            Some('I') => ("getInt", "I"),
            Some('J') => ("getLong", "J"),
            Some('F') => ("getFloat", "F"),
            Some('D') => ("getDouble", "D"),
            _ => ("getReference", "Ljava/lang/Object;"),
        };
        self.code.call_static(FIELD, name, &format!("(Ljava/lang/Object;J){result}"));
        self.keep(Type::of_descriptor(descriptor))
    }

    fn field(&mut self, node: &Node, owner: &Node, name: &str) -> Result<Held, Outside> {
        let Some(parts) = node.dotted() else {
            let owner = self.value(owner)?;
            return self.select(node, &owner, name);
        };
        let Ok(Some((head, used))) = self.checker.head(&parts) else { return Outside::of(node) };
        let (mut held, from) = match head {
            Head::Variable(variable) => (self.variable(node, variable)?, used),
            Head::Class(class) => {
                let Some(part) = parts.get(used) else { return Outside::of(node) };
                let Ok(Some(field)) = self.checker.static_field(&class, part) else {
                    return Outside::of(node);
                };
                (self.read_static(node, part, &field)?, used + 1)
            }
        };
        for part in parts.iter().skip(from) {
            held = self.select(node, &held, part)?;
        }
        Ok(held)
    }

    /// A field of a value, or the length of an array.
    fn select(&mut self, node: &Node, owner: &Held, name: &str) -> Result<Held, Outside> {
        if let Type::Array(element) = &owner.of {
            if name != "length" {
                return Outside::of(node);
            }
            let array = array_class(element);
            self.require(owner, &array);
            self.load_as(owner, &array);
            self.code.op(ARRAYLENGTH, 1, 1);
            return Ok(self.keep(Type::INT));
        }
        match self.checker.member("", &owner.of, name) {
            Ok(Some(field)) if field.is_static => self.read_static(node, name, &field),
            Ok(Some(field)) => Ok(self.read(owner, name, &field)),
            _ => Outside::of(node),
        }
    }

    fn element(&mut self, node: &Node, array: &Node, index: &Node) -> Result<Held, Outside> {
        let owner = self.value(array)?;
        let Type::Array(element) = owner.of.clone() else { return Outside::of(node) };
        let at = self.value(index)?;
        let at = self.unboxed(index, at, Some(Primitive::Int))?;
        match &at.of {
            Type::Primitive(p) if p.promoted() == Primitive::Int => {}
            _ => return Outside::of(node),
        }
        let class = array_class(&element);
        self.require(&owner, &class);
        self.load(&at);
        self.code.jump(IFLT, 1, self.ask);
        self.load(&at);
        self.load_as(&owner, &class);
        self.code.op(ARRAYLENGTH, 1, 1);
        self.code.jump(IF_ICMPGE, 2, self.ask);
        self.load_as(&owner, &class);
        self.load(&at);
        let opcode = match &*element {
            Type::Primitive(Primitive::Int) => 0x2e,
            Type::Primitive(Primitive::Long) => 0x2f,
            Type::Primitive(Primitive::Float) => 0x30,
            Type::Primitive(Primitive::Double) => 0x31,
            Type::Primitive(Primitive::Byte | Primitive::Boolean) => 0x33,
            Type::Primitive(Primitive::Char) => 0x34,
            Type::Primitive(Primitive::Short) => 0x35,
            _ => 0x32,
        };
        self.code.op(opcode, 2, super::kind_of_type(&element).slots());
        Ok(self.keep(*element))
    }

    fn cast(&mut self, node: &Node, to: &TypeName, operand: &Node) -> Result<Held, Outside> {
        if let Some(to) = to.primitive() {
            return self.primitive_cast(node, to, operand);
        }
        if matches!(operand, Node::Literal(Literal::Text(_))) {
            // A comparison with it still compares characters.
            return Outside::of(node);
        }
        let held = self.value(operand)?;
        let (ElementName::Class(_), 0, Kind::Reference) = (&to.element, to.dimensions, held.kind()) else {
            return Outside::of(node);
        };
        let Ok(Type::Class(class)) = self.checker.written(to) else { return Outside::of(node) };
        // `null` has every class.
        let end = self.code.label();
        self.load(&held);
        self.code.jump(IFNULL, 1, end);
        if is_common(&class) {
            self.require(&held, &class.replace('.', "/"));
        } else {
            self.instance_of_named(&held, &class).ok_or_else(|| Outside(node.to_string()))?;
            self.code.int(1);
            self.code.jump(IF_ICMPNE, 2, self.ask);
        }
        self.code.goto(end);
        self.code.place(end);
        Ok(Held { slot: held.slot, of: Type::Class(class) })
    }

    /// The value of a conditional whose parts are primitive.
    fn conditional(&mut self, node: &Node, condition: &Node, yes: &Node, no: &Node) -> Result<Held, Outside> {
        let scope = self.checker.names.scope;
        let of = |part: &Node| self.checker.type_of(part).ok().and_then(|of| of.unboxed());
        let same = of(yes).filter(|primitive| of(no) == Some(*primitive));
        // From outside, only types that the expression alone determines are made equal.
        let of = same.or_else(|| conditional_primitive(yes, no, scope, self.checker.event));
        let Some(of) = of else { return Outside::of(node) };
        let [first, second, end] = [self.code.label(), self.code.label(), self.code.label()];
        let kind = kind_of(of.letter());
        let slot = self.code.local(kind);
        self.branch(condition, first, second);
        for (label, part) in [(first, yes), (second, no)] {
            self.code.place(label);
            match self.converted(part, of) {
                Ok(held) => {
                    self.load_converted(&held, of);
                    self.code.store(kind, slot);
                    self.code.goto(end);
                }
                Err(outside) => self.leave(outside),
            }
        }
        self.code.place(end);
        Ok(Held { slot, of: Type::Primitive(of) })
    }

    /// A value of a primitive type that can be converted to `of`.
    fn converted(&mut self, part: &Node, of: Primitive) -> Result<Held, Outside> {
        let held = self.value(part)?;
        let held = self.unboxed(part, held, Some(of))?;
        match held.of {
            Type::Primitive(from) if from.is_numeric() == of.is_numeric() => Ok(held),
            _ => Outside::of(part),
        }
    }
}

/// The class of arrays with these elements; for references, one that all such arrays have.
fn array_class(element: &Type) -> String {
    match element {
        Type::Primitive(primitive) => format!("[{}", primitive.letter()),
        _ => "[Ljava/lang/Object;".to_owned(),
    }
}

fn holder(name: &str, field: &FieldDeclaration) -> Holder {
    Holder::Field {
        declares: field.class.replace('.', "/"),
        name: name.to_owned(),
        descriptor: field.descriptor.clone(),
    }
}
