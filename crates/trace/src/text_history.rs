//! The text of a builder after each of its changes, and what was printed on a stream, as digests. So texts
//! that grow are compared without being built: the cost of all comparisons grows with the number of changes.

use super::calls::Calls;
use super::error::TraceError;
use super::event_time::EventTime;
use super::text::{DEEP, Part, TextChange, TextContents, is_doubtful};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use wire::recording::TextEffect;

/// The modulus of digests: a prime, so that no structure of a text makes digests collide.
const MODULUS: u64 = (1 << 61) - 1;
/// The base of the polynomials: any number with evenly spread bits.
const BASE: u64 = 0x0e37_79b9_7f4a_7c15;
/// What stands for a unit in a digest is the unit, with a flag for bytes, or this number for an unknown unit.
const UNKNOWN: u64 = 1 << 20;
const BYTES: u64 = 1 << 17;
/// Most units of a block.
const BLOCK: usize = 1 << 11;

/// A digest of a sequence of numbers. Two different sequences almost never have the same. It does not depend
/// on how the sequence was divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceDigest {
    value: u64,
    length: u64,
}

fn product(one: u64, other: u64) -> u64 {
    // The modulus is a power of two less one, so the high bits count like low ones.
    let product = u128::from(one) * u128::from(other);
    let [low, high] = [product & u128::from(MODULUS), product >> 61].map(|of| u64::try_from(of).unwrap_or(0));
    (low + high) % MODULUS
}

fn power(mut exponent: u64) -> u64 {
    let (mut base, mut result) = (BASE, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}

impl SequenceDigest {
    fn push(&mut self, item: u64) {
        self.value = (product(self.value, BASE) + item % MODULUS + 1) % MODULUS;
        self.length += 1;
    }

    fn of(items: impl Iterator<Item = u64>) -> SequenceDigest {
        let mut digest = SequenceDigest::default();
        items.for_each(|item| digest.push(item));
        digest
    }

    /// One item, this number of times.
    fn repeated(item: u64, count: usize) -> SequenceDigest {
        let (mut digest, mut doubled) = (SequenceDigest::default(), SequenceDigest::of([item].into_iter()));
        let mut left = count;
        while left > 0 {
            if left & 1 == 1 {
                digest = digest.join(doubled);
            }
            doubled = doubled.join(doubled);
            left >>= 1;
        }
        digest
    }

    fn join(self, behind: SequenceDigest) -> SequenceDigest {
        let value = (product(self.value, power(behind.length)) + behind.value) % MODULUS;
        SequenceDigest { value, length: self.length + behind.length }
    }

    /// What follows a beginning of this sequence.
    fn after(self, beginning: SequenceDigest) -> SequenceDigest {
        let length = self.length.saturating_sub(beginning.length);
        let value = (self.value + MODULUS - product(beginning.value, power(length))) % MODULUS;
        SequenceDigest { value, length }
    }
}

/// A text as far as texts are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextDigest {
    units: SequenceDigest,
    /// The text may be wrong: unrecorded code changed it.
    pub unsure: bool,
}

/// What was printed between two times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintedDigest {
    /// Number of units.
    pub length: u64,
    known: SequenceDigest,
    /// The digests of the parts of which only the beginning was recorded.
    long: SequenceDigest,
}

impl PrintedDigest {
    fn add(&mut self, change: &TextChange<'_>) {
        self.length += u64::try_from(change.inserted).unwrap_or(0);
        if change.is_whole() {
            change.units().for_each(|unit| self.known.push(unit.into()));
        } else {
            self.long.push(change.digest());
        }
    }

    fn after(self, before: PrintedDigest) -> PrintedDigest {
        PrintedDigest {
            length: self.length.saturating_sub(before.length),
            known: self.known.after(before.known),
            long: self.long.after(before.long),
        }
    }

    /// Whether only the beginning of some parts was recorded.
    pub fn is_in_part(&self) -> bool {
        self.long.length > 0
    }
}

/// How a change continues the text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Continuation {
    /// It replaces all.
    Whole,
    Append,
    Other,
}

/// A text after a change.
struct Version {
    when: EventTime,
    digest: TextDigest,
    /// The number of the object that has the text instead.
    same_as: u32,
    continues: Continuation,
}

/// The text of one object after each change.
#[derive(Default)]
struct TextHistory {
    versions: Vec<Version>,
    /// For a stream: what was printed on it up to each time.
    printed: Vec<(EventTime, PrintedDigest)>,
}

impl TextHistory {
    /// The text at a time, and the number of the object that has it instead, or 0; `None` if it was not yet
    /// recorded.
    fn at(&self, when: EventTime) -> Option<(TextDigest, u32)> {
        let before = self.versions.partition_point(|version| version.when < when);
        let last = self.versions.get(before.checked_sub(1)?)?;
        Some((last.digest, last.same_as))
    }

    /// What was printed during a time.
    fn printed(&self, during: Range<EventTime>) -> PrintedDigest {
        let until = |when: EventTime| {
            let before = self.printed.partition_point(|(printed, _)| *printed < when);
            let last = before.checked_sub(1).and_then(|last| self.printed.get(last));
            last.map_or_else(PrintedDigest::default, |(_, printed)| *printed)
        };
        until(during.end).after(until(during.start))
    }
}

/// A text in blocks, with the digest of each.
#[derive(Default)]
struct DigestedText {
    blocks: Vec<(Part, SequenceDigest)>,
    whole: SequenceDigest,
    unsure: bool,
}

fn digest(part: &Part) -> SequenceDigest {
    match part {
        Part::Known(units, is_bytes) => {
            let flag = if *is_bytes { BYTES } else { 0 };
            SequenceDigest::of(units.iter().map(|unit| u64::from(*unit) | flag))
        }
        Part::Unknown(count) => SequenceDigest::repeated(UNKNOWN, *count),
    }
}

impl DigestedText {
    fn length(&self) -> usize {
        usize::try_from(self.whole.length).unwrap_or(usize::MAX)
    }

    fn append(&mut self, part: Part) {
        let added = digest(&part);
        self.whole = self.whole.join(added);
        match (self.blocks.last_mut(), part) {
            (_, part) if part.len() == 0 => {}
            (Some((Part::Known(last, of), digest)), Part::Known(units, is_bytes))
                if *of == is_bytes && last.len() < BLOCK =>
            {
                last.extend(units);
                *digest = digest.join(added);
            }
            (_, part) => self.blocks.push((part, added)),
        }
    }

    /// Makes a block begin at a unit. Returns its number.
    fn split(&mut self, at: usize) -> usize {
        let mut begins = 0;
        for number in 0..self.blocks.len() {
            let length = self.blocks.get(number).map_or(0, |(part, _)| part.len());
            if at <= begins {
                return number;
            }
            if at < begins + length {
                let Some((part, _)) = self.blocks.get_mut(number) else { break };
                let [before, behind] = std::mem::replace(part, Part::Unknown(0)).split(at - begins);
                let blocks = [before, behind].map(|part| {
                    let digest = digest(&part);
                    (part, digest)
                });
                self.blocks.splice(number..=number, blocks);
                return number + 1;
            }
            begins += length;
        }
        self.blocks.len()
    }

    /// Replaces units before the end.
    fn edit(&mut self, from: usize, removed: usize, parts: [Part; 2]) {
        let first = self.split(from);
        let end = self.split(from.saturating_add(removed)).max(first);
        let parts = parts.into_iter().filter(|part| part.len() > 0).map(|part| {
            let digest = digest(&part);
            (part, digest)
        });
        let before = self.blocks.len();
        self.blocks.splice(first..end, parts);
        let end = (end + self.blocks.len()).saturating_sub(before);
        self.merge(first.saturating_sub(1), end + 1);
        let join = |whole: SequenceDigest, (_, digest): &(Part, SequenceDigest)| whole.join(*digest);
        self.whole = self.blocks.iter().fold(SequenceDigest::default(), join);
    }

    /// Joins small neighbours among some blocks, so that a text of many edits has few blocks.
    fn merge(&mut self, first: usize, end: usize) {
        let end = end.min(self.blocks.len());
        for number in (first + 1..end).rev() {
            let (before, behind) = self.blocks.split_at_mut(number);
            if let (Some((Part::Known(one, of), digest)), Some((Part::Known(other, is_bytes), added))) =
                (before.last_mut(), behind.first_mut())
                && of == is_bytes
                && one.len() + other.len() <= BLOCK
            {
                one.append(other);
                *digest = digest.join(*added);
                self.blocks.remove(number);
            }
        }
    }

    fn take(&mut self, change: &TextChange<'_>) -> Continuation {
        let length = self.length();
        let continues = match change.effect {
            TextEffect::Whole => {
                *self = DigestedText::default();
                Continuation::Whole
            }
            TextEffect::Print => Continuation::Append,
            TextEffect::Edit if change.from == length && change.removed == 0 => Continuation::Append,
            TextEffect::Edit => {
                self.append(Part::Unknown(change.from.saturating_sub(length)));
                self.edit(change.from, change.removed, change.parts());
                Continuation::Other
            }
            TextEffect::SameAs => return Continuation::Other,
        };
        if continues != Continuation::Other {
            change.parts().into_iter().for_each(|part| self.append(part));
        }
        self.unsure |= change.effect == TextEffect::Edit && is_doubtful(change, length, self.length());
        continues
    }
}

impl Calls {
    /// The text of an object after each of its changes.
    ///
    /// # Errors
    /// The events cannot be read.
    fn text_history(&mut self, object: u32) -> Result<TextHistory, TraceError> {
        let is_stream = self.is_stream(object);
        let (mut history, mut held) = (TextHistory::default(), DigestedText::default());
        let mut printed = PrintedDigest::default();
        self.each_text_change(object, EventTime::BEGIN..EventTime::END, |change, when| {
            if is_stream {
                printed.add(change);
                history.printed.push((when, printed));
            }
            let continues = if is_stream { Continuation::Append } else { held.take(change) };
            let digest = TextDigest { units: held.whole, unsure: held.unsure };
            history.versions.push(Version { when, digest, same_as: change.same_as, continues });
        })?;
        Ok(history)
    }

    /// The end of a text at the end of a time, or of what was printed on a stream during it: at least this
    /// number of characters if there are so many.
    ///
    /// # Errors
    /// The events cannot be read.
    fn end_of_text(
        &mut self,
        object: u32,
        history: &TextHistory,
        during: Range<EventTime>,
        characters: usize,
    ) -> Result<String, TraceError> {
        let is_stream = self.is_stream(object);
        let versions = &history.versions;
        let end = versions.partition_point(|version| version.when < during.end);
        let began = || versions.partition_point(|version| version.when < during.start);
        let first = if is_stream { began() } else { 0 };
        // A character of a text in bytes has up to four.
        let (mut left, mut changes) = (characters.saturating_mul(4), Vec::new());
        for version in versions.iter().take(end).skip(first).rev() {
            if version.continues == Continuation::Other {
                return Ok(self.text(object, during.end)?.map_or_else(String::new, |text| text.text()));
            }
            let values = self.values(version.when.place)?;
            left = left.saturating_sub(TextChange::of(&values).map_or(0, |change| change.units().count()));
            changes.push(values);
            if left == 0 || version.continues == Continuation::Whole {
                break;
            }
        }
        let changes = changes.iter().rev().filter_map(|values| TextChange::of(values));
        if is_stream {
            return Ok(changes.map(|change| change.text()).collect());
        }
        let mut text = TextContents::default();
        changes.for_each(|change| text.print(&change));
        Ok(text.text())
    }
}

/// The histories of the texts that were asked for, by object. Each is read once.
#[derive(Default)]
pub struct TextHistories(HashMap<u32, TextHistory>);

impl TextHistories {
    fn history(&mut self, calls: &mut Calls, object: u32) -> Result<&TextHistory, TraceError> {
        Ok(match self.0.entry(object) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(calls.text_history(object)?),
        })
    }

    /// The object that has the text of an object at a time, and the text; `None` if it is not known.
    fn held(
        &mut self,
        calls: &mut Calls,
        object: u32,
        when: EventTime,
    ) -> Result<Option<(u32, TextDigest)>, TraceError> {
        let mut at = object;
        for _ in 0..DEEP {
            match self.history(calls, at)?.at(when) {
                None => return Ok(None),
                Some((text, 0)) => return Ok(Some((at, text))),
                Some((_, same_as)) => at = same_as,
            }
        }
        Ok(None)
    }

    /// The text of an object at a time; `None` if it is not known.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn text(
        &mut self,
        calls: &mut Calls,
        object: u32,
        when: EventTime,
    ) -> Result<Option<TextDigest>, TraceError> {
        Ok(self.held(calls, object, when)?.map(|(_, text)| text).filter(|text| !text.unsure))
    }

    /// What some calls printed on a stream.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn printed(
        &mut self,
        calls: &mut Calls,
        stream: u32,
        during: Range<EventTime>,
    ) -> Result<PrintedDigest, TraceError> {
        Ok(self.history(calls, stream)?.printed(during))
    }

    /// The end of a text at the end of a time, or of what was printed on a stream during it: at least this
    /// number of characters if there are so many.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn end(
        &mut self,
        calls: &mut Calls,
        object: u32,
        during: Range<EventTime>,
        characters: usize,
    ) -> Result<Option<String>, TraceError> {
        let owner = match calls.is_stream(object) {
            true => Some(object),
            false => self.held(calls, object, during.end)?.map(|(owner, _)| owner),
        };
        let Some(owner) = owner else { return Ok(None) };
        let history = self.history(calls, owner)?;
        calls.end_of_text(owner, history, during, characters).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(text: &str) -> SequenceDigest {
        SequenceDigest::of(text.encode_utf16().map(u64::from))
    }

    fn known(text: &str) -> Part {
        Part::Known(text.encode_utf16().collect(), false)
    }

    #[test]
    fn digests_do_not_depend_on_the_division() {
        let whole = digest_of("hello world");
        assert_eq!(digest_of("hello").join(digest_of(" world")), whole);
        assert_eq!(whole.after(digest_of("hello")), digest_of(" world"));
        assert_eq!(SequenceDigest::repeated(97, 5), digest_of("aaaaa"));
        assert_ne!(digest_of("ab"), digest_of("ba"));
    }

    /// Edits at any place leave the digest of the text that they leave.
    #[test]
    fn edits_leave_the_digest_of_the_text() {
        let (mut text, mut plain) = (DigestedText::default(), String::new());
        let mut seed = 7_usize;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below.max(1)
        };
        for step in 0..2000 {
            let from = next(plain.len() + 1);
            let removed = next(4).min(plain.len() - from);
            let added = "abcdefghijklmnopqrstuvwxyz".repeat(next(8));
            text.edit(from, removed, [known(&added), Part::Unknown(0)]);
            plain.replace_range(from..from + removed, &added);
            assert_eq!(text.whole, digest_of(&plain), "step {step}");
        }
        assert!(text.blocks.len() < 4 * plain.len() / BLOCK, "{} blocks", text.blocks.len());
    }
}
