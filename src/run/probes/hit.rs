//! Turns a stop of the recorder into what the TraceQuery of its site makes of it.

use super::agent_report::NumberedSite;
use super::plan::{assigned, copied};
use super::recorder::{Recorder, Stopped};
use crate::classes::ClassPool;
use crate::model::{Coordinate, Detail, Value, Way};
use crate::query::{BranchSite, Copies, CopySite, Event, Field, TraceQuery};
use crate::run::error::RunError;
use crate::run::hits::tell_turns;
use crate::run::stop::Stop;
use crate::run::vm::LoadedClass;
use crate::run::watcher::Watcher;
use jdwp::commands::{array_reference, object_reference, reference_type, stack_frame};
use jdwp::{ArrayId, Location, Tag, ThreadId};
use std::rc::Rc;

impl Watcher {
    /// The recorder has stopped a thread.
    pub(in crate::run) async fn probed(&mut self, thread: ThreadId) -> Result<Option<Stop>, RunError> {
        let Some(mut hit) = Recorder::stopped(&mut self.watched, thread).await? else { return Ok(None) };
        let Some(site) = self.watched.vm.told.as_mut().and_then(|told| told.site(hit.site)) else {
            self.watched.report.warn(format!("the recorder stopped at a site without a name ({})", hit.site));
            return Ok(None);
        };
        if let Some(recorder) = &mut self.watched.recorder {
            let stopped = recorder.stopped.entry(site.query).or_default();
            *stopped = stopped.saturating_add(1);
        }
        let key = self.thread_key(thread).await?;
        let thread_name = self.watched.tables.thread(key);
        let location = Location { index: site.site.bci.into(), ..hit.location };
        let mut stop = Stop::below(thread, key, location, hit.hidden);
        if let Some(frames) = hit.frames.take() {
            stop.read(&mut self.watched.vm, frames).await?;
        }
        let ordinal = u32::try_from(hit.ordinal).unwrap_or(u32::MAX);
        let Some(query) = self.query(site.query) else { return Ok(Some(stop)) };
        let way = match &query.event {
            Event::Branched(_) => Way::new(hit.bits),
            _ => way(&query, &site),
        };
        if let Some(recorder) = &mut self.watched.recorder
            && recorder.varied.contains(&site.query)
        {
            let (query, site) = (site.query, site.site.clone());
            recorder.numbered.insert(Coordinate { query, site, thread: thread_name, ordinal, way });
        }
        // Whether a pass over a line begins is not for the VM to tell.
        if !matches!(query.event, Event::Reached(_)) {
            stop.counted = Some((ordinal, way));
        }
        self.hit(&mut stop, &query, &site, &hit, way).await?;
        Ok(Some(stop))
    }

    async fn hit(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        site: &NumberedSite,
        hit: &Stopped,
        way: Option<Way>,
    ) -> Result<(), RunError> {
        match &query.event {
            Event::Reached(passes) => {
                let number = query.point.0;
                let here = passes.iter().enumerate().filter(|(_, p)| p.method == site.site.method);
                for (pass, place) in here {
                    let pass = u16::try_from(pass).unwrap_or(u16::MAX);
                    if place.exits.contains(&site.site.bci)
                        && let Some(activation) = self.activation(stop).await?
                    {
                        self.state(stop.thread).passing.remove(&(activation, number, pass));
                    }
                    if place.entries.contains(&site.site.bci) {
                        self.passed(stop, number, pass, true).await?;
                    }
                }
                Ok(())
            }
            Event::Returned(_) => {
                let descriptor = site.site.method.descriptor.rsplit_once(')').map_or("V", |(_, r)| r);
                let result = match descriptor {
                    "V" => Value::Void,
                    of => self.new_value(of, hit).await?,
                };
                stop.parts.result = Some(result.clone());
                self.offer(stop, query, Some(Detail { result: Some(result), ..Detail::default() })).await
            }
            Event::Written(field) | Event::Read(field) if !self.means(field, site) => Ok(()),
            Event::Written(field) => self.accessed(stop, query, field, hit, true).await,
            Event::Read(field) => self.accessed(stop, query, field, hit, false).await,
            Event::ElementWritten(element) => self.element(stop, query, &element.descriptor, hit).await,
            Event::Changed(contents) => self.changed(stop, query, contents, hit).await,
            Event::Made(making) => match hit.owner {
                jdwp::Value::Object { .. } => self.made(stop, query, making, hit.owner).await,
                _ => Ok(()),
            },
            Event::Stored(stores) => {
                let Some(store) = way.and_then(|way| stores.get(usize::from(way.get()))) else {
                    return Ok(());
                };
                let new = self.new_value(&store.descriptor, hit).await?;
                if store.old_readable {
                    let tag = Tag::of_signature(&store.descriptor).unwrap_or(Tag::Object);
                    stop.parts.old = Some(self.slot(stop, store.slot, tag).await?);
                }
                stop.parts.new = Some(new);
                self.taken(stop, query, way).await
            }
            Event::Branched(branches) => {
                let turns = self.turns(stop, query.point.0, branches, site, way).await?;
                let before = self.found.len();
                self.taken(stop, query, way).await?;
                if let Some(taken) = self.found.get_mut(before) {
                    tell_turns(taken, turns);
                }
                Ok(())
            }
            Event::Copied(copies) => self.visited(stop, query, copies, site, hit).await,
            Event::Thrown { .. } | Event::Skipped(_) => Ok(()),
        }
    }

    /// How many turns of the endless loop that a branch leaves its activation has counted.
    async fn turns(
        &mut self,
        stop: &mut Stop,
        query: u16,
        branches: &[BranchSite],
        site: &NumberedSite,
        way: Option<Way>,
    ) -> Result<Option<u32>, RunError> {
        let Some(branch) = branches.iter().position(|b| b.site == site.site) else { return Ok(None) };
        let decides = |b: &BranchSite| way.is_some_and(|way| b.decides(way.get().into()));
        if !branches.get(branch).is_some_and(|b| b.turns.is_some() && decides(b)) {
            return Ok(None);
        }
        let Some(frame) = stop.frames(&mut self.watched.vm).await?.first().cloned() else { return Ok(None) };
        let (class, method) = (frame.location.class, frame.location.method);
        let name = wire::turns_name(query, u16::try_from(branch).unwrap_or(u16::MAX));
        let Some(moved) = self.watched.vm.moved(class, method).await? else { return Ok(None) };
        let Some(slot) = moved.slot(&name) else { return Ok(None) };
        let slots = vec![stack_frame::Slot { slot: slot.into(), sigbyte: Tag::Int }];
        let ask = stack_frame::GetValues { thread: stop.thread, frame: frame.frame_id, slots };
        let kept = self.watched.vm.conn().send(ask).await?;
        Ok(match kept.first() {
            Some(jdwp::Value::Int(turns)) => u32::try_from(*turns).ok(),
            _ => None,
        })
    }

    /// Whether a site is of the field.
    pub(super) fn means(&self, field: &Field, site: &NumberedSite) -> bool {
        means(self.watched.pool(), field, site)
    }

    /// A candidate whose way is known.
    pub(super) async fn taken(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        way: Option<Way>,
    ) -> Result<(), RunError> {
        if let Some(ordinal) = self.admits(stop, query).await? {
            let mut occurrence = self.candidate(stop, query, ordinal).await?;
            occurrence.way = way;
            self.found.push(occurrence);
        }
        Ok(())
    }

    /// A field is about to be written or read.
    async fn accessed(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        field: &Field,
        hit: &Stopped,
        writes: bool,
    ) -> Result<(), RunError> {
        let Some(class) = self.declaring(field, hit.owner).await? else {
            let warning = format!(
                "{}.{} was accessed by code that means another class of that name",
                field.class, field.name
            );
            self.watched.report.warn(warning);
            return Ok(());
        };
        let Some(declared) = class.fields.iter().find(|f| *f.name == *field.name) else { return Ok(()) };
        let (fields, descriptor) = (vec![declared.id], declared.descriptor.clone());
        let conn = self.watched.vm.conn().clone();
        let old = match hit.owner {
            jdwp::Value::Object { id: Some(object), .. } => {
                conn.send(object_reference::GetValues { object, fields }).await?
            }
            // A write to nothing throws, and so changes nothing.
            _ if !field.is_static => return Ok(()),
            _ => conn.send(reference_type::GetValues { ref_type: class.id, fields }).await?,
        };
        let mut raw = vec![old.into_iter().next().unwrap_or(jdwp::Value::NULL)];
        raw.extend((!field.is_static).then_some(hit.owner));
        let mut values = self.watched.vm.values(&mut self.watched.tables, &raw).await?.into_iter();
        stop.parts.old = values.next();
        stop.parts.owner = if field.is_static { None } else { values.next() };
        stop.parts.new =
            if writes { Some(self.new_value(&descriptor, hit).await?) } else { stop.parts.old.clone() };
        self.offer(stop, query, None).await
    }

    /// An element of an array is about to be written.
    async fn element(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        descriptor: &str,
        hit: &Stopped,
    ) -> Result<(), RunError> {
        // A store into nothing throws, and so changes nothing.
        let jdwp::Value::Object { id: Some(array), .. } = hit.owner else { return Ok(()) };
        let array_object = ArrayId::of(array);
        let conn = self.watched.vm.conn().clone();
        let old =
            conn.send(array_reference::GetValues { array_object, first_index: hit.index, length: 1 }).await;
        let old = match old {
            Ok(region) => region.iter().next().unwrap_or(jdwp::Value::NULL),
            Err(e) if e.is_fatal() => return Err(e.into()),
            // So does one beside it.
            Err(_) => return Ok(()),
        };
        let mut values =
            self.watched.vm.values(&mut self.watched.tables, &[old, hit.owner]).await?.into_iter();
        stop.parts.old = values.next();
        stop.parts.owner = values.next();
        stop.parts.index = Some(Value::Int(hit.index));
        stop.parts.new = Some(self.new_value(descriptor, hit).await?);
        self.offer(stop, query, None).await
    }

    /// The class that declares a field of an owner.
    pub(super) async fn declaring(
        &mut self,
        field: &Field,
        owner: jdwp::Value,
    ) -> Result<Option<Rc<LoadedClass>>, RunError> {
        let jdwp::Value::Object { id: Some(object), .. } = owner else {
            let classes = self.watched.vm.classes_named(&field.class).await?;
            return match classes.as_slice() {
                [only] => Ok(Some(self.watched.vm.class(*only).await?)),
                _ => Ok(None),
            };
        };
        let of = self.watched.vm.conn().send(object_reference::ReferenceType { object }).await?;
        let mut next = Some(of.type_id);
        while let Some(id) = next {
            let class = self.watched.vm.class(id).await?;
            if class.name == field.class {
                return Ok(Some(class));
            }
            next = class.superclass;
        }
        Ok(None)
    }

    /// The value that a hit came with.
    pub(super) async fn new_value(&mut self, descriptor: &str, hit: &Stopped) -> Result<Value, RunError> {
        self.value_of(descriptor, hit.bits, hit.value).await
    }

    /// A value that the recorder has, as bits or as a reference.
    pub(super) async fn value_of(
        &mut self,
        descriptor: &str,
        bits: i64,
        value: jdwp::Value,
    ) -> Result<Value, RunError> {
        #[allow(clippy::cast_possible_truncation, reason = "that is what the JVM does (JVMS §2.11.1)")]
        Ok(match descriptor.chars().next() {
            Some('Z') => Value::Boolean(bits & 1 != 0),
            Some('B') => Value::Byte(bits as i8),
            Some('C') => Value::Char(bits as u16),
            Some('S') => Value::Short(bits as i16),
            Some('I') => Value::Int(bits as i32),
            Some('J') => Value::Long(bits),
            Some('F') => Value::Float(f32::from_bits(bits as u32)),
            Some('D') => Value::Double(f64::from_bits(bits.cast_unsigned())),
            _ => self.watched.vm.value(&mut self.watched.tables, value).await?,
        })
    }
}

/// The `way` of an occurrence at a site: where a branch leads, or which of the event's stores it is.
pub(super) fn way(query: &TraceQuery, site: &NumberedSite) -> Option<Way> {
    match &query.event {
        Event::Branched(_) => Way::new(site.way?),
        Event::Stored(stores) => {
            let is = |s: &crate::query::StoreSite| {
                s.site == site.site && assigned(s, None).and_then(|what| what.way()) == site.way
            };
            Way::new(stores.iter().position(is)?)
        }
        Event::Copied(copies) => Way::new(place_of(copies, site)?),
        _ => None,
    }
}

/// Which of the places of a value's ways a site is.
pub(super) fn place_of(copies: &Copies, site: &NumberedSite) -> Option<u32> {
    let is = |place: &CopySite| place.site == site.site && copied(place).way() == site.way;
    u32::try_from(copies.sites.iter().position(is)?).ok()
}

/// Whether a site is of the field, where it names it by another class.
pub(super) fn means(pool: &ClassPool, field: &Field, site: &NumberedSite) -> bool {
    let mut next = site.named_by.clone();
    // No class is its own superclass, but a class file can say so.
    for _ in 0..1000 {
        let Some(class) = next else { return site.named_by.is_none() };
        if *class == *field.class {
            return true;
        }
        match pool.find(&class).ok().flatten() {
            Some(found) if found.file.field(&field.name).is_some() => return false,
            Some(found) => next = found.file.super_name.clone(),
            // What has no class file cannot be told to be another field.
            None => return true,
        }
    }
    false
}
