//! Compares what two calls did if they took different steps: their results, and what they wrote to objects
//! that are reachable from outside.

use super::any_order;
use super::comparing::{self, Compared};
use super::correspondence::Sameness;
use super::heap::{Held, LoggedWrite, Place};
use super::report::DifferentStep;
use super::state::State;
use std::collections::HashSet;
use std::ops::Range;
use trace::{CONTENTS, EventTime, Item, Items, TEXT, TraceError, Value};

/// Most characters of a text that a difference shows.
const SHOWN: usize = 60;
/// Most items of a collection that a difference shows.
const ITEMS: usize = 10;

/// The calls whose effects are compared.
pub struct EffectScope {
    /// Number of pairs of objects when the calls began. Earlier objects are known outside.
    pub pairs: usize,
    /// Number of writes of each run when the calls began.
    pub writes: [usize; 2],
    /// A time at which the calls had changed nothing yet.
    pub began: [EventTime; 2],
    /// When the calls ended.
    pub ended: [EventTime; 2],
    /// The object that the calls initialised, if they are constructors.
    pub born: Option<(u32, u32)>,
}

impl EffectScope {
    /// Whether objects are compared that are older than this step. Those are compared at later and later
    /// times.
    fn has_older(&self) -> bool {
        self.pairs != usize::MAX
    }

    /// The time of the calls of one run.
    fn during(&self, side: usize) -> Range<EventTime> {
        self.began[side]..self.ended[side]
    }
}

/// Compares values, and the objects that neither run had used before as far as they were written. Pairs the
/// objects if all is the same.
///
/// # Errors
/// A recording cannot be read.
pub fn are_same(
    state: &mut State<'_>,
    scope: &EffectScope,
    here: &[Value],
    there: &[Value],
) -> Result<bool, TraceError> {
    if here.len() != there.len() {
        return Ok(false);
    }
    if are_plainly_same(state, scope, here, there) {
        state.inner_difference = None;
        return Ok(true);
    }
    let values = here.iter().copied().zip(there.iter().copied());
    // With the place of the first run that holds the first value.
    let mut pairs: Vec<PlacedPair> = values.map(|(one, other)| (one, other, None)).collect();
    state.inner_difference = None;
    let before = state.pairs.pairs();
    let (mut seen, mut compared) = (HashSet::new(), Vec::new());
    while let Some((one, other, place)) = pairs.pop() {
        let is_new = match state.compare(one, other) {
            Sameness::Different => {
                if let Some(place) = place {
                    let (here, there) = (state.show(0, one), state.show(1, other));
                    let what = state.show_place(0, place);
                    state.inner_difference = Some(DifferentStep { what, here, there });
                }
                forget(state, before, &compared);
                return Ok(false);
            }
            Sameness::Same => false,
            Sameness::New => true,
        };
        let (Value::Object(one), Value::Object(other)) = (one, other) else { continue };
        if is_new {
            state.pairs.pair(one, other);
        }
        // Objects that are older than the calls are compared by what was written to them.
        let is_inside =
            is_new || one != 0 && state.pairs.there(one) == Some(other) && !is_outside(state, scope, one);
        if !is_inside || !seen.insert(one) {
            continue;
        }
        if state.is_unwritten(0, one) && state.is_unwritten(1, other) {
            if !is_known(state, 0, one)? || !is_known(state, 1, other)? {
                state.is_same_in_part();
            }
            continue;
        }
        match held_by(state, scope, one, other, &mut compared)? {
            Some(more) => pairs.extend(more),
            None => {
                forget(state, before, &compared);
                return Ok(false);
            }
        }
    }
    compared.into_iter().for_each(|collection| state.collections.are_same(collection));
    Ok(true)
}

/// Whether values are the same without a look at what objects hold. False says nothing.
fn are_plainly_same(state: &mut State<'_>, scope: &EffectScope, here: &[Value], there: &[Value]) -> bool {
    here.iter().zip(there).all(|(one, other)| match (*one, *other) {
        (Value::Object(0), Value::Object(0)) => true,
        (Value::Object(one), Value::Object(other)) => {
            state.pairs.there(one) == Some(other) && is_outside(state, scope, one)
        }
        (one, other) => one.is(other),
    })
}

/// Two values to compare, with the place of the first run that holds the first one.
type PlacedPair = (Value, Value, Option<Place>);

/// Compares what two objects hold. Returns the values that are still to be compared, or `None` if a part
/// differs. Notes the collections that were compared as far as they are known.
fn held_by(
    state: &mut State<'_>,
    scope: &EffectScope,
    one: u32,
    other: u32,
    compared: &mut Vec<u32>,
) -> Result<Option<Vec<PlacedPair>>, TraceError> {
    let mut parts: Vec<u32> = state.heaps[0].parts(one).to_vec();
    parts.extend(
        state.heaps[1].parts(other).iter().filter(|part| state.heaps[0].held((one, **part)).is_none()),
    );
    let mut pairs = Vec::new();
    for part in parts {
        let held = match scope.has_older() && part == CONTENTS {
            true => {
                compared.push(one);
                held_so_far(state, scope, (one, part), (other, part))?
            }
            false => held(state, scope, (one, part), (other, part))?,
        };
        match held {
            HeldPair::Same => {}
            HeldPair::Different => {
                state.inner_difference = Some(difference(state, scope, (one, part), (other, part))?);
                return Ok(None);
            }
            HeldPair::IfSame(more) => {
                pairs.extend(more.into_iter().map(|(here, there)| (here, there, Some((one, part)))));
            }
        }
    }
    Ok(Some(pairs))
}

/// Whether the fields that an unwritten object has from its creation are known: without a recorded creation,
/// other code may have given it any.
fn is_known(state: &mut State<'_>, side: usize, object: u32) -> Result<bool, TraceError> {
    let calls = &mut state.runs[side].calls;
    Ok(calls.was_made(object)? || calls.objects.content(object).is_some())
}

/// Dissolves pairs from a number on, and what was concluded from them about some collections.
fn forget(state: &mut State<'_>, pairs: usize, collections: &[u32]) {
    state.pairs.dissolve(pairs);
    collections.iter().for_each(|collection| state.collections.forget(*collection));
}

/// How two places differ now.
fn difference(
    state: &mut State<'_>,
    scope: &EffectScope,
    here: Place,
    there: Place,
) -> Result<DifferentStep, TraceError> {
    // Only one run may know the object as a stream.
    let is_of_there = here.1 == TEXT && !state.runs[0].calls.is_stream(here.0);
    let what = match is_of_there && state.runs[1].calls.is_stream(there.0) {
        true => state.show_place(1, there),
        false => state.show_place(0, here),
    };
    let (here, there) = (shown_place(state, scope, 0, here)?, shown_place(state, scope, 1, there)?);
    Ok(DifferentStep { what, here, there })
}

fn is_outside(state: &State<'_>, scope: &EffectScope, object: u32) -> bool {
    state.pairs.is_among(object, scope.pairs)
}

/// What both runs hold in one place.
enum HeldPair {
    Same,
    Different,
    /// The same if these values are.
    IfSame(Vec<(Value, Value)>),
}

/// Compares what two places hold now, without following references.
fn held(
    state: &mut State<'_>,
    scope: &EffectScope,
    here: Place,
    there: Place,
) -> Result<HeldPair, TraceError> {
    Ok(match (state.heaps[0].held(here), state.heaps[1].held(there)) {
        (Some(Held::Varies), _) | (_, Some(Held::Varies)) => {
            state.is_same_in_part();
            HeldPair::Same
        }
        (Some(Held::Contents), _) | (_, Some(Held::Contents)) if here.1 == TEXT => {
            match texts(state, scope, here.0, there.0)? {
                true => HeldPair::Same,
                false => HeldPair::Different,
            }
        }
        (Some(Held::Contents), _) | (_, Some(Held::Contents)) => contents(state, scope, here.0, there.0)?,
        (Some(Held::Value(one)), Some(Held::Value(other))) => HeldPair::IfSame(vec![(one, other)]),
        (Some(Held::Value(one)), None) => if_default(state, 1, there.0, one)?,
        (None, Some(Held::Value(other))) => if_default(state, 0, here.0, other)?,
        (None, None) => HeldPair::Same,
    })
}

/// As [`held`], for places that are compared again and again at later times.
fn held_so_far(
    state: &mut State<'_>,
    scope: &EffectScope,
    here: Place,
    there: Place,
) -> Result<HeldPair, TraceError> {
    let are_contents = [state.heaps[0].held(here), state.heaps[1].held(there)] == [Some(Held::Contents); 2];
    if are_contents && here.1 == CONTENTS {
        match comparing::compare(state, scope.pairs, scope.ended, here.0, there.0)? {
            Some(Compared::Different) => return Ok(HeldPair::Different),
            Some(Compared::IfSame(pairs)) => return Ok(HeldPair::IfSame(pairs)),
            None => {}
        }
    }
    held(state, scope, here, there)
}

/// Compares a value with an unwritten place of the other run's object. The place holds its default value if
/// the creation of the object was recorded. Otherwise it is unknown, which is no difference.
fn if_default(state: &mut State<'_>, side: usize, object: u32, value: Value) -> Result<HeldPair, TraceError> {
    let is_default = match value {
        Value::Boolean(value) => !value,
        Value::Char(value) => value == 0,
        Value::Int(value) => value == 0,
        Value::Long(value) => value == 0,
        Value::Float(value) => value.to_bits() == 0,
        Value::Double(value) => value.to_bits() == 0,
        Value::Object(object) => object == 0,
    };
    let is_known = object != 0 && state.runs[side].calls.was_made(object)?;
    if is_known && !is_default {
        return Ok(HeldPair::Different);
    }
    if !is_known {
        state.is_same_in_part();
    }
    Ok(HeldPair::Same)
}

/// Compares the contents of two collections.
fn contents(
    state: &mut State<'_>,
    scope: &EffectScope,
    here: u32,
    there: u32,
) -> Result<HeldPair, TraceError> {
    let one = state.runs[0].calls.contents(here, scope.ended[0])?;
    let other = state.runs[1].calls.contents(there, scope.ended[1])?;
    let (Some(one), Some(other)) = (one, other) else {
        state.is_same_in_part();
        return Ok(HeldPair::Same);
    };
    if one.unsure || other.unsure {
        state.is_same_in_part();
        return Ok(HeldPair::Same);
    }
    let is_set = state.runs[0].calls.objects.class(here).is_some_and(|class| class.contains("Set"));
    Ok(match (one.items, other.items) {
        (Items::Elements(one), Items::Elements(other)) if one.len() == other.len() => {
            let known = |(one, other): (Option<Value>, Option<Value>)| one.zip(other);
            let pairs: Vec<(Value, Value)> = match is_set {
                false => one.into_iter().zip(other).filter_map(known).collect(),
                true => {
                    let [one, other] = [one, other].map(|of| of.into_iter().flatten().collect::<Vec<_>>());
                    match any_order::paired(state, &one, &other) {
                        Some(pairs) => {
                            pairs.into_iter().map(|(at, other_at)| (one[at], other[other_at])).collect()
                        }
                        None => return Ok(HeldPair::Different),
                    }
                }
            };
            HeldPair::IfSame(pairs)
        }
        (Items::Pairs(one), Items::Pairs(other)) if one.len() == other.len() => {
            let keys = |of: &[(Value, Value)]| of.iter().map(|(key, _)| *key).collect::<Vec<_>>();
            match any_order::paired(state, &keys(&one), &keys(&other)) {
                Some(pairs) => HeldPair::IfSame(
                    pairs
                        .into_iter()
                        .flat_map(|(at, other_at)| {
                            let ((key, value), (other_key, other_value)) = (one[at], other[other_at]);
                            [(key, other_key), (value, other_value)]
                        })
                        .collect(),
                ),
                None => HeldPair::Different,
            }
        }
        _ => HeldPair::Different,
    })
}

/// Whether two texts are the same now. For streams: whether the calls printed the same.
fn texts(state: &mut State<'_>, scope: &EffectScope, here: u32, there: u32) -> Result<bool, TraceError> {
    let State { runs: [one_run, other_run], texts: [one_texts, other_texts], .. } = state;
    let (one_calls, other_calls) = (&mut *one_run.calls, &mut *other_run.calls);
    if one_calls.is_stream(here) || other_calls.is_stream(there) {
        let one = one_texts.printed(one_calls, here, scope.during(0))?;
        let other = other_texts.printed(other_calls, there, scope.during(1))?;
        if one.is_in_part() {
            state.is_same_in_part();
        }
        return Ok(one == other);
    }
    let one = one_texts.text(one_calls, here, scope.ended[0])?;
    let other = other_texts.text(other_calls, there, scope.ended[1])?;
    Ok(one.zip(other).map_or_else(
        || {
            // What is not known of one run is no difference.
            state.is_same_in_part();
            true
        },
        |(one, other)| one == other,
    ))
}

/// A text at the end of the calls, or what the calls printed on a stream: the end of it, in quotes.
fn shown_text(
    state: &mut State<'_>,
    scope: &EffectScope,
    side: usize,
    object: u32,
) -> Result<String, TraceError> {
    let calls = &mut *state.runs[side].calls;
    let text = state.texts[side].end(calls, object, scope.during(side), SHOWN + 1)?.unwrap_or_default();
    let hidden = text.chars().count().saturating_sub(SHOWN);
    let end: String = text.chars().skip(hidden).collect();
    Ok(format!("{}{end:?}", if hidden > 0 { "…" } else { "" }))
}

/// What a place holds at the end of the calls.
fn shown_place(
    state: &mut State<'_>,
    scope: &EffectScope,
    side: usize,
    place: Place,
) -> Result<String, TraceError> {
    let held = state.heaps[side].held(place);
    let item = |state: &State<'_>, value: Value| match value {
        Value::Object(object) => state.runs[side].calls.objects.item(object),
        value => state.show(side, value),
    };
    let more = |count: usize| if count > ITEMS { format!(", … ({count} in all)") } else { String::new() };
    if place.1 == CONTENTS && scope.has_older() {
        let first = comparing::first_items(state, side, place.0, scope.ended[side], ITEMS)?;
        if let Some((items, count, is_map)) = first {
            let text = |(one, other): Item| match other {
                Some(other) => {
                    format!("{}: {}", item(state, Value::Object(one)), item(state, Value::Object(other)))
                }
                None => item(state, Value::Object(one)),
            };
            let (texts, more) = (items.into_iter().map(text).collect::<Vec<_>>().join(", "), more(count));
            return Ok(if is_map { format!("{{{texts}{more}}}") } else { format!("[{texts}{more}]") });
        }
    }
    let contents = match place.1 {
        TEXT => return shown_text(state, scope, side, place.0),
        CONTENTS => state.runs[side].calls.contents(place.0, scope.ended[side])?,
        _ => None,
    };
    let Some(contents) = contents.filter(|contents| !contents.unsure) else {
        return Ok(state.show_held(side, held));
    };
    let more = more(contents.items.len());
    let item = |value: Value| item(state, value);
    Ok(match contents.items {
        Items::Elements(elements) => {
            let texts = elements.into_iter().take(ITEMS).map(|of| of.map_or_else(|| "?".to_owned(), item));
            format!("[{}{more}]", texts.collect::<Vec<_>>().join(", "))
        }
        Items::Pairs(pairs) => {
            let texts = pairs.into_iter().take(ITEMS).map(|(key, of)| format!("{}: {}", item(key), item(of)));
            format!("{{{}{more}}}", texts.collect::<Vec<_>>().join(", "))
        }
    })
}

/// How the effects of two calls differ on places that are known outside. Notes which places differ now. If
/// nothing differs, calls around them need not compare again what remains the same.
///
/// # Errors
/// A recording cannot be read.
pub fn differences(state: &mut State<'_>, scope: &EffectScope) -> Result<Vec<DifferentStep>, TraceError> {
    let mut found = Vec::new();
    let (mut known, mut lone) = (HashSet::new(), HashSet::new());
    if let Some((here, there)) = scope.born {
        let mut parts: Vec<u32> = state.heaps[0].parts(here).to_vec();
        parts.extend(state.heaps[1].parts(there));
        for part in parts {
            if known.insert((here, part)) {
                compare_place(state, scope, (here, part), None, Some(&mut found))?;
            }
        }
    }
    let mut left: [Vec<LoggedWrite>; 2] = Default::default();
    for side in [0, 1] {
        for write in state.heaps[side].writes_from(scope.writes[side]) {
            let Some(place) = state.place_here(side, write.place) else {
                if lone.insert((side, write.place)) {
                    let outcome = compare_lone_place(state, scope, side, write, Some(&mut found))?;
                    left[side].extend((outcome != Outcome::Remains).then_some(write));
                }
                continue;
            };
            let is_known_outside = place.0 == 0
                || is_outside(state, scope, place.0)
                || state.is_named_stream(0, place.0)
                || state.pairs.there(place.0).is_some_and(|partner| state.is_named_stream(1, partner));
            if is_known_outside && known.insert(place) {
                let first = Some((side, write.before));
                let outcome = compare_place(state, scope, place, first, Some(&mut found))?;
                left[side].extend((outcome != Outcome::Remains).then_some(write));
            }
        }
    }
    if found.is_empty() {
        for (side, left) in left.into_iter().enumerate() {
            state.heaps[side].gather(scope.writes[side], left);
        }
    }
    Ok(found)
}

/// Compares places that steps without a partner wrote, and notes which differ now.
///
/// # Errors
/// A recording cannot be read.
pub fn note_differences(
    state: &mut State<'_>,
    scope: &EffectScope,
    writes: &[(usize, usize, usize)],
) -> Result<(), TraceError> {
    let (mut known, mut lone) = (HashSet::new(), HashSet::new());
    for (side, from, to) in writes {
        for write in state.heaps[*side].writes_between(*from, *to).to_vec() {
            let Some(place) = state.place_here(*side, write.place) else {
                if lone.insert((*side, write.place)) {
                    compare_lone_place(state, scope, *side, write, None)?;
                }
                continue;
            };
            if known.insert(place) {
                compare_place(state, scope, place, Some((*side, write.before)), None)?;
            }
        }
    }
    Ok(())
}

/// The result of comparing a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The same until a run writes the place again, whichever calls around are compared. Also a place that no
    /// code around the calls knows.
    Remains,
    /// The same for these calls, or different.
    Now,
}

/// Compares a place of an object without a partner, which calls of one run wrote, with what the place held
/// before the calls: the other run left that. `first` is the first of the writes. Only what code outside of
/// the calls knows is compared.
fn compare_lone_place(
    state: &mut State<'_>,
    scope: &EffectScope,
    side: usize,
    first: LoggedWrite,
    found: Option<&mut Vec<DifferentStep>>,
) -> Result<Outcome, TraceError> {
    let (object, part) = first.place;
    if !state.is_shared_alone(side, object, scope.writes[side]) {
        return Ok(Outcome::Remains);
    }
    let (began, ended) = (scope.began[side], scope.ended[side]);
    let calls = &mut *state.runs[side].calls;
    let is_same = match (state.heaps[side].held(first.place), first.before) {
        (None | Some(Held::Varies), _) | (_, Some(Held::Varies)) => None,
        (Some(Held::Contents), _) if part == TEXT && calls.is_stream(object) => {
            Some(state.texts[side].printed(calls, object, began..ended)?.length == 0)
        }
        (Some(Held::Contents), _) if part == TEXT => {
            let texts = &mut state.texts[side];
            let was = texts.text(calls, object, began)?;
            was.zip(texts.text(calls, object, ended)?).map(|(was, is)| was == is)
        }
        (Some(Held::Contents), _) => comparing::is_as_before(state, side, object, began..ended)?,
        (Some(Held::Value(now)), Some(Held::Value(before))) => {
            Some(before.is(now) || has_equal_content(state, side, before, now))
        }
        (Some(Held::Value(_)), _) => None,
    };
    let Some(is_same) = is_same else {
        state.is_same_in_part();
        return Ok(Outcome::Now);
    };
    if side == 0 {
        state.set_differs(first.place, !is_same);
    }
    if let Some(found) = found.filter(|_| !is_same) {
        let what = state.show_place(side, first.place);
        let now = shown_place(state, scope, side, first.place)?;
        let was =
            if part == TEXT && state.runs[side].calls.is_stream(object) { "nothing" } else { "as it was" };
        let (here, there) = if side == 0 { (now, was.to_owned()) } else { (was.to_owned(), now) };
        found.push(DifferentStep { what, here, there });
    }
    Ok(if is_same { Outcome::Remains } else { Outcome::Now })
}

/// Compares one place. `first` is the side of its first write and what that write replaced: if the other run
/// has never written the place, it still holds that.
fn compare_place(
    state: &mut State<'_>,
    scope: &EffectScope,
    place: Place,
    first: Option<(usize, Option<Held>)>,
    found: Option<&mut Vec<DifferentStep>>,
) -> Result<Outcome, TraceError> {
    let partner = if place.0 == 0 { Some(0) } else { state.pairs.there(place.0) };
    let Some(partner) = partner else { return Ok(Outcome::Now) };
    let there = (partner, place.1);
    let written = [state.heaps[0].held(place), state.heaps[1].held(there)];
    state.inner_difference = None;
    let mut remains = true;
    let is_same = match (written, first) {
        // Only one run has written it. Before the calls it was the same in both.
        ([Some(Held::Value(now)), None], Some((side, Some(Held::Value(before)))))
        | ([None, Some(Held::Value(now))], Some((side, Some(Held::Value(before))))) => {
            before.is(now) || has_equal_content(state, side, before, now)
        }
        _ => match held_so_far(state, scope, place, there)? {
            HeldPair::Same => true,
            HeldPair::Different => false,
            HeldPair::IfSame(pairs) => {
                let (one, other): (Vec<Value>, Vec<Value>) = pairs.into_iter().unzip();
                let is_same = are_same(state, scope, &one, &other)?;
                if is_same && place.1 == CONTENTS {
                    state.collections.are_same(place.0);
                }
                // What an object holds is another question for calls around these.
                let is_fixed = |value: &Value| match value {
                    Value::Object(object) => *object == 0 || state.pairs.there(*object).is_none(),
                    _ => true,
                };
                remains = place.1 != CONTENTS && one.iter().all(is_fixed);
                is_same
            }
        },
    };
    state.set_differs(place, !is_same);
    if let Some(found) = found.filter(|_| !is_same) {
        let inner = state.inner_difference.take();
        let difference = difference(state, scope, place, there)?;
        let is_shown = difference.here != difference.there;
        found.push(if is_shown { difference } else { inner.unwrap_or(difference) });
    }
    Ok(if is_same && remains { Outcome::Remains } else { Outcome::Now })
}

fn has_equal_content(state: &State<'_>, side: usize, one: Value, other: Value) -> bool {
    let (Value::Object(one), Value::Object(other)) = (one, other) else { return false };
    let objects = &state.runs[side].calls.objects;
    let content = objects.content(one);
    content.is_some() && content == objects.content(other) && objects.class(one) == objects.class(other)
}
