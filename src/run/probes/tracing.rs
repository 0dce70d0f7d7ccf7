//! The way of a value: read from the log at the point that sees it, and seen again, step by step, in the next
//! run.

use super::agent_report::NumberedSite;
use super::hit::place_of;
use super::plan::copied;
use super::recorder::{self, Stopped};
use super::walk::{Look, Passed, walk};
use crate::model::{
    Came, CameBy, Coordinate, FrameKey, LastHit, Occurrence, Site, Value, Way, is_lambda_class,
};
use crate::query::{Copies, CopyWhat, SeenCopy, TraceQuery};
use crate::run::error::RunError;
use crate::run::report::Visit;
use crate::run::stop::Stop;
use crate::run::vm::{bci, to_wire};
use crate::run::watcher::Watcher;
use jdwp::commands::object_reference;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use wire::{LogReader, Logged};

/// What holds a primitive value.
const BOXES: [&str; 8] = ["Boolean", "Byte", "Character", "Short", "Integer", "Long", "Float", "Double"];

impl Watcher {
    /// By which way the value came that a candidate sees.
    pub(super) async fn came(
        &mut self,
        stop: &mut Stop,
        candidate: &Occurrence,
        query: &Arc<TraceQuery>,
        copies: &Copies,
    ) -> Result<LastHit, RunError> {
        let mut owner = jdwp::Value::NULL;
        let kept = match &copies.seen {
            SeenCopy::Local { .. } | SeenCopy::Field { owner: None, .. } => None,
            SeenCopy::Field { owner: Some(kept), .. } | SeenCopy::Element { array: kept, .. } => Some(*kept),
        };
        if let Some(kept) = kept {
            match candidate.kept.get(kept) {
                Some(value @ (Value::Object { .. } | Value::Str(_))) => owner = to_wire(value),
                // Nothing has no field.
                _ => return Ok(LastHit::Never),
            }
        }
        let told = match recorder::logged(&mut self.watched, stop, owner).await? {
            Ok(told) => told,
            Err(why) => return Ok(LastHit::Unknown(why)),
        };
        let thread = told.thread;
        let look = match &copies.seen {
            SeenCopy::Local { frame, stores } => {
                let frames = stop.frames(&mut self.watched.vm).await?.to_vec();
                let index = stop.frame_index(&mut self.watched.vm, *frame).await?;
                let Some(at) = index.and_then(|index| frames.get(index)) else { return Ok(LastHit::Never) };
                let activation = u64::try_from(self.serial(stop, at).await?).unwrap_or(0);
                let method =
                    self.watched.vm.method(at.location.class, at.location.method).await?.name.clone();
                let here = Site { method, bci: bci(at.location.index) };
                let Some((_, stores)) = stores.iter().find(|(site, _)| *site == here) else {
                    return Ok(LastHit::Unknown(format!("{here} is none of the places it was asked for")));
                };
                Look::Local { thread, activation, stores: stores.clone() }
            }
            SeenCopy::Field { puts, .. } => Look::Heap { owner: told.owner, index: 0, puts: puts.clone() },
            SeenCopy::Element { index, puts, .. } => {
                let index = candidate.kept.get(*index).and_then(Value::identity);
                let index = index.and_then(|i| u32::try_from(i).ok()).map_or(0, u32::cast_signed);
                Look::Heap { owner: told.owner, index, puts: puts.clone() }
            }
        };
        let places = self.places(query, copies);
        let Some(log) = self.watched.recorder.as_ref().map(|recorder| recorder.log.clone()) else {
            return Ok(LastHit::Unknown("there is no log".to_owned()));
        };
        // Without any record there is no file.
        let mut reader = LogReader::open(&log).ok();
        let unreadable = |error: std::io::Error| LastHit::Unknown(format!("the log cannot be read: {error}"));
        let mut next = || match &mut reader {
            Some(reader) => reader.back(),
            None => Ok(None),
        };
        // What other threads have done since this one stands does not count.
        let mut others = told.marked;
        while others {
            match next() {
                Ok(hit) => others = hit.is_some_and(|hit| hit.thread != thread),
                Err(error) => return Ok(unreadable(error)),
            }
        }
        let mut back = || {
            while let Some(hit) = next()? {
                if let Some(site) = places.get(&hit.site) {
                    return Ok(Some(Logged { site: *site, ..hit }));
                }
            }
            Ok(None)
        };
        let (steps, end) = match walk(copies, look, &mut back) {
            Ok(Some(walked)) => walked,
            Ok(None) => return Ok(LastHit::Never),
            Err(error) => return Ok(unreadable(error)),
        };
        let mut names: HashMap<u16, Arc<str>> = HashMap::new();
        for hit in steps.iter().flat_map(|step| [Some(step.hit), step.got]).flatten() {
            if let Entry::Vacant(unknown) = names.entry(hit.thread) {
                unknown.insert(recorder::named(&mut self.watched, stop, hit.thread).await?.into());
            }
        }
        let step = |step: &Passed| {
            let at = coordinate(query, copies, &step.hit, &names)?;
            let got = match &step.got {
                Some(got) => Some(coordinate(query, copies, got, &names)?),
                None => None,
            };
            let caller = step.caller.and_then(|caller| copies.site(caller)).map(|place| place.site.clone());
            Some(CameBy { at, caller, got })
        };
        Ok(match steps.iter().map(step).collect::<Option<Vec<CameBy>>>() {
            Some(steps) => LastHit::Came(Came { steps, end: end.map(|why| why.to_string()) }),
            None => LastHit::Unknown("the log names a place that is none".to_owned()),
        })
    }

    /// The places of the query's event by the numbers that the log has for them.
    fn places(&mut self, query: &TraceQuery, copies: &Copies) -> HashMap<u32, u32> {
        let by_site: HashMap<(&Site, Option<u32>), u32> =
            (0..).zip(&copies.sites).map(|(n, place)| ((&place.site, copied(place).way()), n)).collect();
        let Some(told) = self.watched.vm.told.as_mut() else { return HashMap::new() };
        let numbered = told.sites_of(query.point.0);
        let known =
            numbered.iter().filter_map(|(number, at)| Some((*number, *by_site.get(&(&at.site, at.way))?)));
        known.collect()
    }

    /// A hit of a step that the run before has found.
    pub(super) async fn visited(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        copies: &Copies,
        at: &NumberedSite,
        hit: &Stopped,
    ) -> Result<(), RunError> {
        let Some(way) = place_of(copies, at) else { return Ok(()) };
        let Some(place) = copies.site(way) else { return Ok(()) };
        let mut value = None;
        let mut unboxed = None;
        if let Some(descriptor) = place.what.value_descriptor() {
            let seen = self.new_value(&descriptor, hit).await?;
            unboxed = self.unboxed(&seen).await?;
            value = Some(seen);
        }
        let owner = match hit.owner {
            jdwp::Value::Object { id: Some(_), .. } => {
                Some(self.watched.vm.value(&mut self.watched.tables, hit.owner).await?)
            }
            _ => None,
        };
        let (_, frames) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let Some((frame, below)) = frames.split_first() else { return Ok(()) };
        let (frame, below) = (*frame, below.to_vec());
        // What makes an object of a lambda only passes on.
        let of_lambda = |key: &FrameKey| {
            let frame = self.watched.tables.frame(*key);
            frame.is_some_and(|frame| is_lambda_class(&frame.site.method.class))
        };
        let caller = below.into_iter().find(|key| !of_lambda(key));
        let thread = self.state(stop.thread).name.clone();
        let ordinal = u32::try_from(hit.ordinal).unwrap_or(u32::MAX);
        let at =
            Coordinate { query: query.point.0, site: at.site.clone(), thread, ordinal, way: Way::new(way) };
        stop.parts.owner = owner.clone();
        stop.parts.new = value.clone();
        let arm = self.arm(stop).await?;
        self.watched.report.visits.push(Visit { at, value, unboxed, owner, arm, frame, caller });
        if matches!(place.what, CopyWhat::Got { .. } | CopyWhat::GotElement) {
            return Ok(());
        }
        self.taken(stop, query, Way::new(way)).await
    }

    /// What is in a box.
    async fn unboxed(&mut self, value: &Value) -> Result<Option<Value>, RunError> {
        let jdwp::Value::Object { id: Some(object), .. } = to_wire(value) else { return Ok(None) };
        let name = value.class_name(&self.watched.tables).unwrap_or_default();
        let is_box = name.strip_prefix("java.lang.").is_some_and(|short| BOXES.contains(&short));
        if !is_box {
            return Ok(None);
        }
        let conn = self.watched.vm.conn().clone();
        let of = conn.send(object_reference::ReferenceType { object }).await?;
        let class = self.watched.vm.class(of.type_id).await?;
        let Some(field) = class.fields.iter().find(|f| *f.name == *"value") else { return Ok(None) };
        let read = conn.send(object_reference::GetValues { object, fields: vec![field.id] }).await?;
        match read.into_iter().next() {
            Some(raw) => Ok(Some(self.watched.vm.value(&mut self.watched.tables, raw).await?)),
            None => Ok(None),
        }
    }
}

fn coordinate(
    query: &TraceQuery,
    copies: &Copies,
    hit: &Logged,
    names: &HashMap<u16, Arc<str>>,
) -> Option<Coordinate> {
    Some(Coordinate {
        query: query.point.0,
        site: copies.site(hit.site)?.site.clone(),
        thread: names.get(&hit.thread)?.clone(),
        ordinal: u32::try_from(hit.ordinal).ok()?,
        way: Way::new(hit.site),
    })
}
