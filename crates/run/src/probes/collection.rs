//! Changes to the contents of the JDK's collections and builders, and what is printed on streams.

use super::ask::{self, RecorderStop};
use crate::caller_frame::offer_below;
use crate::candidates::Candidates;
use crate::error::RunError;
use crate::stop::Stop;
use crate::watched::Watched;
use model::{CollectionState, Detail, Value, is_lambda_class};
use query::{Aspect, Contents, TraceQuery};

/// Flags that the recorder sets for a change.
const MAY: i32 = 1;
const WAS_ABSENT: i32 = 2;
const IS_ABSENT: i32 = 4;
const SAME: i32 = 8;

/// Prefixes of the JDK's packages.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

const MAY_HAVE: &str =
    "it may have changed nothing: the size is the same, and it is unknown whether the call replaced objects";

/// Handles a call that has changed a collection and is about to return.
pub async fn changed(
    watched: &mut Watched,
    candidates: &mut Candidates,
    stop: &mut Stop,
    query: &TraceQuery,
    contents: &Contents,
    hit: &RecorderStop,
) -> Result<(), RunError> {
    let all = contents.aspect == Aspect::All;
    let mut raw = vec![hit.owner];
    raw.extend(ask::elements(watched, hit.value).await?);
    let mut values = watched.vm.values(&mut watched.tables, &raw).await?.into_iter();
    stop.parts.owner = values.next();
    let (before, now) = (values.next(), values.next());
    #[allow(clippy::cast_possible_truncation, reason = "two numbers of 32 bits are in it")]
    let (old, new) = if all {
        (Some(Value::Int((hit.bits >> 32) as i32)), Some(Value::Int(hit.bits as i32)))
    } else {
        let present = |value, mark: i32| if hit.index & mark == 0 { value } else { Some(Value::Absent) };
        (present(before, WAS_ABSENT), present(now, IS_ABSENT))
    };
    let same = matches!((&old, &new), (Some(old), Some(new)) if old.same(new));
    let unchanged = if all { hit.index & SAME != 0 } else { same };
    let (number, value) = (query.point.0, new.clone());
    (stop.parts.old, stop.parts.new) = if contents.is_stream { (None, None) } else { (old, new) };
    let sight = if all {
        ask::now(watched, stop, number, all, hit.owner).await?
    } else {
        value.map(|value| CollectionState { query: number, value, print: 0 })
    };
    // A method reference has a generated class that only forwards the call. The program's frame is the one
    // below it.
    let (mut above, mut called) = (0, None);
    for frame in stop.frames(&mut watched.vm).await?.to_vec() {
        let class = watched.vm.class(frame.location.class).await?.name.clone();
        let is_jdk = JDK.iter().any(|package| class.starts_with(package));
        if !is_jdk {
            called = called.or(Some(above));
            if !is_lambda_class(&class) {
                break;
            }
        }
        above += 1;
    }
    let (_, keys) = stop.stack(&mut watched.vm, &mut watched.tables).await?;
    let above = above.min(keys.len().saturating_sub(1));
    let called = called.unwrap_or(above).min(above);
    let by = called.checked_sub(1).and_then(|place| keys.get(place)).copied();
    let notes = if hit.index & MAY == 0 { Vec::new() } else { vec![MAY_HAVE.to_owned()] };
    let sights = sight.into_iter().collect();
    offer_below(
        watched,
        candidates,
        stop,
        query,
        above,
        Detail { by, sights, notes, unchanged, ..Detail::default() },
    )
    .await
}
