//! Occurrences that stand in an older frame than their event: an object is made in a constructor, and the
//! answer is where the `new` is.

use super::error::RunError;
use super::stop::Stop;
use super::vm::bci;
use super::watcher::Watcher;
use crate::model::{Detail, Frame, FrameKey, Happened};
use crate::query::{Event, Making, TraceQuery};
use jdwp::commands::stack_frame;

/// That no code of the program called the constructor.
const BY_NATIVE_CODE: &str = "native code made it: no frame of the stack called its constructor";

impl Watcher {
    /// A breakpoint behind the call of the superclass's constructor.
    pub(super) async fn constructed(&mut self, stop: &mut Stop, number: u16) -> Result<(), RunError> {
        let Some(query) = self.query(number) else { return Ok(()) };
        let Event::Made(making) = &query.event else { return Ok(()) };
        let Some(frame) = stop.newest(&self.watched.vm).await? else { return Ok(()) };
        let ask = stack_frame::ThisObject { thread: stop.thread, frame };
        let Some(object) = self.watched.vm.conn().send(ask).await? else { return Ok(()) };
        // A loop that begins there comes by again.
        if self.is_jumped_to(stop).await? && !self.handed_out.insert((number, object.id)) {
            return Ok(());
        }
        self.made(stop, &query, making, object.into()).await
    }

    async fn is_jumped_to(&mut self, stop: &Stop) -> Result<bool, RunError> {
        let method = self.watched.vm.method(stop.location.class, stop.location.method).await?.name.clone();
        let file = self.watched.pool().find(&method.class).ok().flatten();
        let declared = file.as_ref().and_then(|f| f.file.method(&method.name, &method.descriptor));
        let code = declared.and_then(|m| m.code.as_ref());
        Ok(code.is_some_and(|code| code.is_branch_target(bci(stop.location.index))))
    }

    /// An object or array was made.
    pub(super) async fn made(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        making: &Making,
        object: jdwp::Value,
    ) -> Result<(), RunError> {
        let watched = &mut self.watched;
        let owner = watched.vm.value(&mut watched.tables, object).await?;
        let class = owner.class_name(&watched.tables);
        stop.parts.owner = Some(owner);
        match making {
            Making::Array { .. } => self.offer(stop, query, None).await,
            // Its constructor runs for objects of the classes below, too.
            Making::Object { class: wanted, .. } if class.as_ref() != Some(wanted) => {
                self.count(stop, query).await.map(drop)
            }
            Making::Object { .. } => {
                let above = self.constructors(stop, object).await?;
                let frames = stop.frames(&mut self.watched.vm).await?.len();
                let notes = if above < frames { Vec::new() } else { vec![BY_NATIVE_CODE.to_owned()] };
                let above = above.min(frames.saturating_sub(1));
                self.offer_below(stop, query, above, Detail { notes, ..Detail::default() }).await
            }
        }
    }

    /// How many of the newest frames are constructors at work on an object.
    async fn constructors(&mut self, stop: &mut Stop, object: jdwp::Value) -> Result<usize, RunError> {
        let frames = stop.frames(&mut self.watched.vm).await?.to_vec();
        for (above, frame) in frames.iter().enumerate() {
            let method = self.watched.vm.method(frame.location.class, frame.location.method).await?;
            if &*method.name.name != "<init>" {
                return Ok(above);
            }
            let ask = stack_frame::ThisObject { thread: stop.thread, frame: frame.frame_id };
            let this = match self.watched.vm.conn().send(ask).await {
                Ok(this) => this,
                Err(e) if e.is_fatal() => return Err(e.into()),
                Err(_) => None,
            };
            if this.map(|this| this.id) != object.object() {
                return Ok(above);
            }
        }
        Ok(frames.len())
    }

    /// A candidate that stands so many frames below its event, if the query admits it.
    pub(super) async fn offer_below(
        &mut self,
        stop: &mut Stop,
        query: &TraceQuery,
        above: usize,
        detail: Detail,
    ) -> Result<(), RunError> {
        let ordinal = self.count(stop, query).await?;
        let (_, keys) = stop.stack(&mut self.watched.vm, &mut self.watched.tables).await?;
        let keys = keys.to_vec();
        let location = stop.frames(&mut self.watched.vm).await?.get(above).map(|f| f.location);
        let (Some(location), Some(event)) = (location, keys.first()) else { return Ok(()) };
        let mut older = stop.at_frame(above, location);
        if !self.fits(&mut older, query).await? {
            stop.ran();
            return Ok(());
        }
        self.confirm(stop).await?;
        let activation = self.activation_below(stop, &mut older).await?;
        let mut occurrence = self.candidate_in(&mut older, query, ordinal, activation).await?;
        if matches!(query.event, Event::Made(_)) {
            let mut keys = keys.get(above..).unwrap_or_default().to_vec();
            if let Some(newest) = keys.first_mut() {
                *newest = self.at_new(*newest);
                occurrence.frame = *newest;
            }
            occurrence.stack = self.watched.tables.stack_key(&keys);
        }
        let above = u32::try_from(above).unwrap_or(u32::MAX);
        let happened = (above > 0).then_some(Happened { frame: *event, above });
        occurrence.detail = Some(Box::new(Detail { happened, ..detail }));
        let occurrence = self.foretold(&mut older, occurrence).await?;
        self.found.push(occurrence);
        // What was asked of the older frame may have let the thread run.
        stop.ran();
        Ok(())
    }

    /// A frame that calls a constructor, on the line of its `new`: the arguments may stand on others.
    fn at_new(&mut self, key: FrameKey) -> FrameKey {
        let Some(Frame { site, line, source_file }) = self.watched.tables.frame(key).cloned() else {
            return key;
        };
        let file = self.watched.pool().find(&site.method.class).ok().flatten();
        let declared = file.as_ref().and_then(|f| f.file.method(&site.method.name, &site.method.descriptor));
        let of_new = declared
            .and_then(|m| m.code.as_ref())
            .and_then(|code| bytecode::lines::line_of(code, bytecode::construct::new_of(code, site.bci)?));
        self.watched.tables.frame_key(Frame { site, line: of_new.or(line), source_file })
    }
}
