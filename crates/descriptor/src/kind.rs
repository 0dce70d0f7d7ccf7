//! Computational types (JVMS §2.11.1), shared by analysis and rewriting. Depends on nothing.

/// The computational type of a local, operand or return value (JVMS §2.11.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `int`, and `boolean`, `byte`, `char`, `short` on the operand stack.
    Int,
    /// `long`, two slots.
    Long,
    /// `float`.
    Float,
    /// `double`, two slots.
    Double,
    /// A reference (or a return address).
    Reference,
}

impl Kind {
    /// The number of slots of a value of this kind: 2 for `long` and `double`.
    pub fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            _ => 1,
        }
    }

    /// Its place among the opcodes of an instruction that has one for each kind (JVMS §6.5).
    pub fn place(self) -> u8 {
        match self {
            Kind::Int => 0,
            Kind::Long => 1,
            Kind::Float => 2,
            Kind::Double => 3,
            Kind::Reference => 4,
        }
    }

    /// The kind with a place among the opcodes: the inverse of [`Kind::place`].
    pub fn at(place: u8) -> Kind {
        match place {
            0 => Kind::Int,
            1 => Kind::Long,
            2 => Kind::Float,
            3 => Kind::Double,
            _ => Kind::Reference,
        }
    }

    /// The kind of a value with this field descriptor.
    pub fn of_descriptor(descriptor: &str) -> Kind {
        match descriptor.as_bytes().first() {
            Some(b'J') => Kind::Long,
            Some(b'F') => Kind::Float,
            Some(b'D') => Kind::Double,
            Some(b'L' | b'[') => Kind::Reference,
            _ => Kind::Int,
        }
    }

    /// A descriptor for a value of which only the kind is known.
    pub fn descriptor(self) -> &'static str {
        match self {
            Kind::Int => "I",
            Kind::Long => "J",
            Kind::Float => "F",
            Kind::Double => "D",
            Kind::Reference => "Ljava/lang/Object;",
        }
    }
}
