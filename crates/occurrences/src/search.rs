//! What a walk over a thread uses, and what the code of recorded methods says about places.

use super::methods::Methods;
use super::sought::Sought;
use bytecode::{ClassFile, Op};
use classes::ClassPool;
use jdk::Keeps;
use model::{Frame, FrameKey, MethodName, Site, Tables};
use program::code_book::parameter_in;
use program::lineage;
use query::{Event, TraceQuery};
use std::collections::HashSet;
use std::sync::Arc;
use trace::{Calls, TracedEvent, Value};

/// What a walk over a thread uses.
pub(super) struct Search<'a> {
    /// The TraceQueries.
    pub queries: &'a [TraceQuery],
    /// The events that they ask about.
    pub sought: &'a mut Sought,
    /// The class files, if they are there.
    pub pool: Option<&'a ClassPool>,
    /// The code of recorded methods.
    pub methods: &'a mut Methods,
    /// The tables of the run.
    pub tables: &'a mut Tables,
    /// The methods with an entry.
    pub entered: &'a mut HashSet<u32>,
}

impl Search<'_> {
    /// The source line of a code index.
    pub fn line_of(&self, method: &MethodName, bci: u32) -> Option<u32> {
        let class = self.pool?.find(&method.class).ok()??;
        bytecode::lines::line_of(class.file.method(&method.name, &method.descriptor)?.code.as_ref()?, bci)
    }
}

/// The value that the parameter of a store has at an entry.
pub(super) fn argument(
    calls: &Calls,
    seen: &TracedEvent<'_>,
    queries: &[TraceQuery],
    query: u16,
    store: u16,
) -> Option<Value> {
    let Some(Event::Stored(stores)) = queries.get(usize::from(query)).map(|query| &query.event) else {
        return None;
    };
    argument_in(calls, seen, stores.get(usize::from(store))?.slot)
}

/// The value that the parameter in a slot has at an entry.
pub(super) fn argument_in(calls: &Calls, seen: &TracedEvent<'_>, slot: u16) -> Option<Value> {
    let method = calls.sites.method(seen.site.method)?;
    let at = parameter_in(&method.descriptor, method.is_static, slot)?;
    // A constructor's `this` is left out.
    let this = usize::from(!method.is_static && method.name != "<init>");
    seen.values.get(at + this).copied()
}

/// The frame of a method at a code index.
pub(super) fn frame(search: &mut Search<'_>, calls: &Calls, method: u32, bci: u32) -> Option<FrameKey> {
    let name = calls.sites.method_name(method)?;
    let found = search.methods.find(method, calls, search.pool);
    let line = found.and_then(|found| bytecode::lines::line_of(found.code()?, bci));
    let source_file = calls.sites.method(method)?.source.clone();
    let site = Site { method: name, bci };
    Some(search.tables.frame_key(Frame { site, line, source_file, loader: None }))
}

/// A frame that calls a constructor, with the line of its `new`. The arguments may be on other lines.
pub(super) fn at_new(search: &mut Search<'_>, calls: &Calls, key: FrameKey, method: Option<u32>) -> FrameKey {
    let (Some(frame), Some(method)) = (search.tables.frame(key).cloned(), method) else { return key };
    let found = search.methods.find(method, calls, search.pool);
    let code = found.as_ref().and_then(|found| found.code());
    let line = code
        .and_then(|code| bytecode::lines::line_of(code, bytecode::construct::new_of(code, frame.site.bci)?));
    search.tables.frame_key(Frame { line: line.or(frame.line), ..frame })
}

/// The method of the JDK that a call of a frame runs on an object of a class.
pub(super) fn changing_method(
    search: &mut Search<'_>,
    calls: &Calls,
    method: u32,
    bci: u32,
    class: &str,
) -> Option<FrameKey> {
    let found = search.methods.find(method, calls, search.pool)?;
    let Op::Invoke { method: called, .. } = &found.code()?.at(bci)?.op else { return None };
    let pool = search.pool?;
    let file = pool.find(class).ok()??;
    let declares = |file: &&Arc<ClassFile>| file.method(&called.name, &called.descriptor).is_some();
    let lineage = lineage(pool, &file.file);
    let declaring = lineage.iter().find(declares)?;
    let method = MethodName::new(declaring.name.as_str(), called.name.as_str(), called.descriptor.as_str());
    let site = Site { method, bci: 0 };
    Some(search.tables.frame_key(Frame { site, line: None, source_file: None, loader: None }))
}

/// Whether an instruction makes an array with its rows (JVMS §6.5.multianewarray): no code writes those.
pub(super) fn makes_rows(search: &mut Search<'_>, calls: &Calls, method: u32, bci: u32) -> bool {
    let found = search.methods.find(method, calls, search.pool);
    let code = found.as_ref().and_then(|found| found.code());
    code.and_then(|code| code.at(bci)).is_some_and(|at| matches!(at.op, Op::MultiNewArray { .. }))
}

/// The method of the JDK that made a write, if one did.
pub(super) fn writer(search: &mut Search<'_>, seen: &TracedEvent<'_>) -> Option<FrameKey> {
    let (class, name) = seen.site.by.as_ref()?.rsplit_once('.')?;
    let site = Site { method: MethodName::new(class, name, ""), bci: 0 };
    Some(search.tables.frame_key(Frame { site, line: None, source_file: None, loader: None }))
}

/// Whether an instruction calls a constructor of a class, or of a collection that stores its contents in an
/// object of this class.
pub(super) fn constructs(search: &mut Search<'_>, calls: &Calls, method: u32, bci: u32, class: &str) -> bool {
    let found = search.methods.find(method, calls, search.pool);
    let at = found.as_ref().and_then(|found| found.code()?.at(bci));
    let Some(Op::Invoke { method: called, .. }) = at.map(|at| &at.op) else { return false };
    let stores = match jdk::class(&called.class).and_then(|of| of.keeps) {
        Some(Keeps::Around { inner, .. }) => inner,
        _ => None,
    };
    called.class == class || stores == Some(class)
}
