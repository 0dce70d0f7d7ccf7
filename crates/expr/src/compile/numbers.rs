//! Arithmetic, conversions and unboxing (JLS §5.1, §5.6, §15.15 to §15.22).

use super::super::check::may_unbox;
use super::super::tree::{BinaryOperator, Node, UnaryOperator};
use super::super::types::{Primitive, Type};
use super::{Compiler, Held, IFEQ, Outside, kind_of};
use bytecode::Kind;

/// The opcodes for `int`; those for `long`, `float` and `double` follow (JVMS §6.5).
const IADD: u8 = 0x60;
const ISUB: u8 = 0x64;
const IMUL: u8 = 0x68;
const IDIV: u8 = 0x6c;
const IREM: u8 = 0x70;
const INEG: u8 = 0x74;
const ISHL: u8 = 0x78;
const ISHR: u8 = 0x7a;
const IUSHR: u8 = 0x7c;
const IAND: u8 = 0x7e;
const IOR: u8 = 0x80;
const IXOR: u8 = 0x82;
const LCMP: u8 = 0x94;
const I2L: u8 = 0x85;
const L2I: u8 = 0x88;
const F2I: u8 = 0x8b;
const D2I: u8 = 0x8e;
const I2B: u8 = 0x91;
const I2C: u8 = 0x92;
const I2S: u8 = 0x93;

impl Compiler<'_, '_> {
    /// A primitive value, unboxed if necessary. Of a value with an erased type it asks unless it is a box of
    /// `hint`.
    pub(super) fn unboxed(
        &mut self,
        node: &Node,
        held: Held,
        hint: Option<Primitive>,
    ) -> Result<Held, Outside> {
        if matches!(held.of, Type::Primitive(_)) {
            return Ok(held);
        }
        let to = held.of.unboxed().or_else(|| hint.filter(|_| may_unbox(&held.of)));
        let Some(to) = to else { return Outside::of(node) };
        let class = to.box_class().replace('.', "/");
        self.require(&held, &class);
        self.load_as(&held, &class);
        self.code.call_virtual(&class, &format!("{to}Value"), &format!("(){}", to.letter()));
        Ok(self.keep(Type::Primitive(to)))
    }

    /// A box of a primitive value, as a call boxes its arguments; any other value as it is.
    pub(super) fn boxed(&mut self, held: Held) -> Held {
        let Type::Primitive(from) = held.of else { return held };
        let class = from.box_class().replace('.', "/");
        self.load(&held);
        self.code.call_static(&class, "valueOf", &format!("({})L{class};", from.letter()));
        self.keep(Type::class(from.box_class()))
    }

    /// Pushes a primitive value, converted as by a cast.
    pub(super) fn load_converted(&mut self, held: &Held, to: Primitive) {
        self.load(held);
        if let Type::Primitive(from) = held.of {
            self.convert(from, to);
        }
    }

    fn convert(&mut self, from: Primitive, to: Primitive) {
        let slots = |kind: Kind| kind.slots();
        let (was, wanted) = (kind_of(from.letter()), kind_of(to.letter()));
        // To a type smaller than `int` by way of `int`.
        let conversions: [(Kind, u8, [Kind; 3]); 4] = [
            (Kind::Int, I2L, [Kind::Long, Kind::Float, Kind::Double]),
            (Kind::Long, L2I, [Kind::Int, Kind::Float, Kind::Double]),
            (Kind::Float, F2I, [Kind::Int, Kind::Long, Kind::Double]),
            (Kind::Double, D2I, [Kind::Int, Kind::Long, Kind::Float]),
        ];
        for (kind, first, targets) in conversions {
            if kind == was
                && let Some(place) = targets.iter().position(|target| *target == wanted)
            {
                let opcode = first + u8::try_from(place).unwrap_or(0);
                self.code.op(opcode, slots(was), slots(wanted));
            }
        }
        let narrows = from != to && !from.widens_to(to);
        match to {
            Primitive::Byte if narrows => self.code.op(I2B, 1, 1),
            Primitive::Char if narrows => self.code.op(I2C, 1, 1),
            Primitive::Short if narrows => self.code.op(I2S, 1, 1),
            _ => {}
        }
    }

    pub(super) fn unary(
        &mut self,
        node: &Node,
        operator: UnaryOperator,
        operand: &Node,
    ) -> Result<Held, Outside> {
        let held = self.value(operand)?;
        let held = self.unboxed(operand, held, None)?;
        let Type::Primitive(from) = held.of else { return Outside::of(node) };
        let to = from.promoted();
        let kind = kind_of(to.letter());
        match operator {
            UnaryOperator::Plus if from.is_numeric() => self.load_converted(&held, to),
            UnaryOperator::Negate if from.is_numeric() => {
                self.load_converted(&held, to);
                self.code.op(INEG + kind.place(), kind.slots(), kind.slots());
            }
            UnaryOperator::Complement if to == Primitive::Int => {
                self.load_converted(&held, to);
                self.code.int(-1);
                self.code.op(IXOR, 2, 1);
            }
            UnaryOperator::Complement if to == Primitive::Long => {
                self.load(&held);
                self.code.long(-1);
                self.code.op(IXOR + 1, 4, 2);
            }
            _ => return Outside::of(node),
        }
        Ok(self.keep(Type::Primitive(to)))
    }

    /// The value of an operator other than a comparison, `&&` or `||`.
    pub(super) fn operation(
        &mut self,
        node: &Node,
        operator: BinaryOperator,
        left: &Node,
        right: &Node,
    ) -> Result<Held, Outside> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        if operator == BinaryOperator::Add && (is_text(&a) || is_text(&b)) {
            return Outside::of(node);
        }
        let (a, b) = (self.unboxed(left, a, None)?, self.unboxed(right, b, None)?);
        let (Type::Primitive(p), Type::Primitive(q)) = (&a.of, &b.of) else { return Outside::of(node) };
        let (p, q) = (*p, *q);
        let is_logical = p == Primitive::Boolean && q == Primitive::Boolean;
        let is_numeric = p.is_numeric() && q.is_numeric();
        let is_integral = p.is_integral() && q.is_integral();
        use BinaryOperator as Op;
        let opcode = match operator {
            Op::Add if is_numeric => IADD,
            Op::Subtract if is_numeric => ISUB,
            Op::Multiply if is_numeric => IMUL,
            Op::Divide if is_numeric => IDIV,
            Op::Remainder if is_numeric => IREM,
            Op::BitAnd if is_integral || is_logical => IAND,
            Op::BitOr if is_integral || is_logical => IOR,
            Op::BitXor if is_integral || is_logical => IXOR,
            Op::ShiftLeft if is_integral => ISHL,
            Op::ShiftRight if is_integral => ISHR,
            Op::UnsignedShiftRight if is_integral => IUSHR,
            _ => return Outside::of(node),
        };
        let is_shift = matches!(operator, Op::ShiftLeft | Op::ShiftRight | Op::UnsignedShiftRight);
        let result = match (is_logical, is_shift) {
            (true, _) => Primitive::Boolean,
            (_, true) => p.promoted(),
            _ => p.promoted_with(q),
        };
        let kind = kind_of(result.letter());
        if matches!(operator, Op::Divide | Op::Remainder) && result.is_integral() {
            self.load_converted(&b, result);
            if result == Primitive::Long {
                self.code.long(0);
                self.code.op(LCMP, 4, 1);
            }
            self.code.jump(IFEQ, 1, self.ask);
        }
        self.load_converted(&a, result);
        // The distance of a shift is an `int`, of which the lowest bits count.
        let right = if is_shift { Primitive::Int } else { result };
        self.load_converted(&b, right);
        let slots = kind.slots();
        self.code.op(opcode + kind.place(), slots + kind_of(right.letter()).slots(), slots);
        Ok(self.keep(Type::Primitive(result)))
    }

    /// A cast to a primitive type.
    pub(super) fn primitive_cast(
        &mut self,
        node: &Node,
        to: Primitive,
        operand: &Node,
    ) -> Result<Held, Outside> {
        let held = self.value(operand)?;
        let was_primitive = matches!(held.of, Type::Primitive(_));
        let held = self.unboxed(operand, held, Some(to))?;
        let Type::Primitive(from) = held.of else { return Outside::of(node) };
        let is_allowed = from.is_numeric() == to.is_numeric() && (was_primitive || from.widens_to(to));
        if !is_allowed {
            return Outside::of(node);
        }
        self.load_converted(&held, to);
        Ok(self.keep(Type::Primitive(to)))
    }
}

fn is_text(held: &Held) -> bool {
    // An erased value can be a string.
    !matches!(held.of, Type::Primitive(_)) && held.of.unboxed().is_none()
}
