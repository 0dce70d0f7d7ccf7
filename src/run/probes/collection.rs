//! Changes of what the JDK's collections hold, and what other points see of those.

use super::forecast::owner_seen;
use super::recorder::{self, Stopped};
use crate::model::{Detail, Occurrence, Sight, Value, is_lambda_class};
use crate::query::{Aspect, Constraint, Contents, Event, PointIndex, TraceQuery};
use crate::run::error::RunError;
use crate::run::stop::Stop;
use crate::run::vm::to_wire;
use crate::run::watcher::Watcher;

/// Bits of what the recorder says of a change.
const MAY: i32 = 1;
const WAS_ABSENT: i32 = 2;
const IS_ABSENT: i32 = 4;
const SAME: i32 = 8;

/// What the packages of the JDK begin with.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

const MAY_HAVE: &str = "it may have changed nothing: whether a call that leaves as much as before put other objects there is not known";

impl Watcher {
    /// A call has changed a collection, and is about to return.
    pub(super) async fn changed(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        contents: &Contents,
        hit: &Stopped,
    ) -> Result<(), RunError> {
        let all = contents.aspect == Aspect::All;
        let mut raw = vec![hit.owner];
        raw.extend(recorder::elements(&mut self.watched, hit.value).await?);
        let mut values = self.watched.vm.values(&mut self.watched.tables, &raw).await?.into_iter();
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
        (stop.parts.old, stop.parts.new) = (old, new);
        let sight = if all {
            recorder::now(&mut self.watched, stop, number, all, hit.owner).await?
        } else {
            value.map(|value| Sight { query: number, value, print: 0 })
        };
        // A method reference has a class of the VM's own, which passes the call on: the program's frame is
        // the one below.
        let (mut above, mut called) = (0, None);
        for frame in stop.frames(&mut self.watched.vm).await?.to_vec() {
            let class = self.watched.vm.class(frame.location.class).await?.name.clone();
            let is_jdk = JDK.iter().any(|package| class.starts_with(package));
            if !is_jdk {
                called = called.or(Some(above));
                if !is_lambda_class(&class) {
                    break;
                }
            }
            above += 1;
        }
        let (_, keys) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let above = above.min(keys.len().saturating_sub(1));
        let called = called.unwrap_or(above).min(above);
        let by = called.checked_sub(1).and_then(|place| keys.get(place)).copied();
        let notes = if hit.index & MAY == 0 { Vec::new() } else { vec![MAY_HAVE.to_owned()] };
        let sights = sight.into_iter().collect();
        self.offer_below(stop, query, above, Detail { by, sights, notes, unchanged, ..Detail::default() })
            .await
    }

    /// What a candidate sees of the collections whose changes before it are asked for.
    pub(in crate::run) async fn sights(
        &mut self,
        stop: &mut Stop,
        candidate: &Occurrence,
    ) -> Result<Vec<Sight>, RunError> {
        let mut sights = Vec::new();
        if self.watched.recorder.is_none() {
            return Ok(sights);
        }
        let point = PointIndex(candidate.query);
        let mut asking: Vec<u16> = self.queries.keys().copied().collect();
        asking.sort_unstable();
        for number in asking {
            let Some(query) = self.query(number) else { continue };
            let Event::Changed(contents) = &query.event else { continue };
            if !query.constraints.contains(&Constraint::Before(point)) {
                continue;
            }
            let Some(owner @ Value::Object { .. }) = owner_seen(&query, candidate, point) else { continue };
            let (owner, all) = (to_wire(owner), contents.aspect == Aspect::All);
            sights.extend(recorder::now(&mut self.watched, stop, number, all, owner).await?);
        }
        Ok(sights)
    }
}
