//! Events about the texts of builders, and what is printed on streams.

/// First number of an event about a text: of a builder or a stream. The object's number follows, then the
/// [`TextEffect`] with its flags, the length after the change (-1 if unknown), and the number of inserted
/// units. Without [`AT_END`] follow the position of the change, the number of removed units, the
/// [`text_digest`] of the inserted units in 8 bytes (0 if all of them follow), and the number of units that
/// follow. The inserted units come last.
pub const TEXT_CHANGE: u32 = 8;
/// Flag of a text change: its units are bytes. Otherwise they are UTF-16 code units.
pub const OF_BYTES: u32 = 1 << 8;
/// Flag of a text change: each unit has two bytes in the event. Otherwise one.
pub const TWO_BYTES: u32 = 1 << 9;
/// Flag of a text change: the object was `System.out`.
pub const ON_OUT: u32 = 1 << 10;
/// Flag of a text change: the object was `System.err`.
pub const ON_ERR: u32 = 1 << 11;
/// Flag of a text change: nothing was removed, and all inserted units follow. They are now the last ones.
pub const AT_END: u32 = 1 << 12;

/// The kind of a text change; the discriminants are the numbers in events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEffect {
    /// The whole text of a builder; it is the inserted part.
    Whole = 1,
    /// A part of a builder's text was replaced by the inserted part.
    Edit = 2,
    /// The inserted part was printed on a stream.
    Print = 3,
    /// The text is that of another object, whose number stands at the position.
    SameAs = 4,
}

impl TextEffect {
    /// The effect with this number.
    pub fn of(number: u32) -> Option<TextEffect> {
        use TextEffect::{Edit, Print, SameAs, Whole};
        [Whole, Edit, Print, SameAs].get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
    }

    /// The word for the effect in output.
    pub fn word(self) -> &'static str {
        match self {
            TextEffect::Whole => "whole",
            TextEffect::Edit => "edit",
            TextEffect::Print => "print",
            TextEffect::SameAs => "same",
        }
    }
}

/// The digest of text units: FNV-1a over whole units, in 64 bits.
pub fn text_digest(units: impl IntoIterator<Item = u16>) -> u64 {
    units
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |digest, unit| (digest ^ u64::from(unit)).wrapping_mul(0x100_0000_01b3))
}
