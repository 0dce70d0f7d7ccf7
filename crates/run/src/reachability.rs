//! Records facts that explain a point that was never hit (DESIGN §5.20): the first entry of each method with
//! sites, whether each class was initialised, its loader, and the first exception that `caught` excludes.
//! Each request causes at most one interruption, however hot the place, because it expires with its first
//! hit.

use super::error::RunError;
use super::loaded::LoadedClass;
use super::report::RunReport;
use super::requests::{exceptions, once};
use super::vm::{ACC_ABSTRACT, ACC_NATIVE, Vm, or_default};
use super::watches::ClassWatch;
use jdwp::TypeTag;
use jdwp::commands::{event_request, object_reference, reference_type};
use jdwp::{ClassLoaderId, EventKind, Location, MethodId, Modifier, ObjectId, ReferenceTypeId, RequestId};
use model::{MethodName, Site, short_class_name};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// The name of a static initialiser (JVMS §2.9.2).
const STATIC_INITIALISER: &str = "<clinit>";

/// The one-shot requests set in the VM.
#[derive(Default)]
pub struct Notices {
    entries: HashMap<RequestId, FirstEntry>,
    left_out: HashMap<RequestId, Vec<u16>>,
    loaders: HashMap<ClassLoaderId, String>,
    /// The hidden classes with their descriptions.
    hidden: HashMap<ReferenceTypeId, String>,
    /// Methods whose first entry was requested.
    asked: HashSet<(ReferenceTypeId, MethodId)>,
    /// The exceptions that may prevent a pass of a line, by query, with how many more are looked at.
    preventing: HashMap<u16, (RequestId, u32)>,
    /// Queries whose line was reached, or for which enough is known.
    settled: HashSet<u16>,
}

/// Number of exceptions that are looked at to explain why a line was not reached.
const EXCEPTIONS: u32 = 1000;

struct FirstEntry {
    at: Location,
    method: MethodName,
    /// Queries about a line of the method.
    lines: Vec<u16>,
    /// The instruction, if it is a gate of these lines and not the method's entry.
    gate: Option<u32>,
}

impl Notices {
    /// Records the first entry of a method or gate. Returns the queries about a line of an entered method;
    /// `None` if the request was for something else.
    pub fn entered(&mut self, request: RequestId, report: &mut RunReport) -> Option<Vec<u16>> {
        let first = self.entries.remove(&request)?;
        if let Some(bci) = first.gate {
            for query in first.lines {
                let site = Site { method: first.method.clone(), bci };
                report.query(query).held.insert(site);
            }
            return Some(Vec::new());
        }
        note(first.method, report);
        let is_open = |query: &u16| !self.settled.contains(query) && !self.preventing.contains_key(query);
        Some(first.lines.into_iter().filter(is_open).collect())
    }

    /// Records that a request reports the exceptions that may prevent a pass of the query's line.
    pub fn prevents(&mut self, query: u16, request: RequestId) {
        self.preventing.insert(query, (request, EXCEPTIONS));
    }

    /// Whether such exceptions are requested.
    pub fn is_prevented(&self, query: u16) -> bool {
        self.preventing.contains_key(&query)
    }

    /// Counts such an exception. Returns whether there were enough of them.
    pub fn count_prevented(&mut self, query: u16) -> bool {
        let Some((_, left)) = self.preventing.get_mut(&query) else { return true };
        *left = left.saturating_sub(1);
        *left == 0
    }

    /// Ends the search for such exceptions. Returns the request to clear.
    pub fn settle(&mut self, query: u16) -> Option<RequestId> {
        self.settled.insert(query);
        self.preventing.remove(&query).map(|(request, _)| request)
    }

    /// Requests the first hits of the gates of a method's lines. Runs by probes have none: a breakpoint that
    /// is never hit keeps the VM from compiling the method.
    pub async fn watch_gates(
        &mut self,
        vm: &Vm,
        class: ReferenceTypeId,
        id: MethodId,
        method: &MethodName,
        gates: &BTreeMap<u32, Vec<u16>>,
    ) -> Result<(), RunError> {
        for (bci, lines) in gates {
            let at = Location { type_tag: TypeTag::Class, class, method: id, index: u64::from(*bci) };
            if let Some(request) = or_default(vm.conn().send(once(at)).await.map(Some))? {
                let (method, lines) = (method.clone(), lines.clone());
                self.entries.insert(request, FirstEntry { at, method, lines, gate: Some(*bci) });
            }
        }
        Ok(())
    }

    /// The queries that exclude by `caught` the exception of this request.
    pub fn left_out(&mut self, request: RequestId) -> Option<Vec<u16>> {
        self.left_out.remove(&request)
    }

    /// Records that the class was initialised before it was watched.
    pub fn begun(&mut self, class: ReferenceTypeId, report: &mut RunReport) {
        let initialiser = |first: &FirstEntry| {
            first.at.class == class && *first.method.name == *STATIC_INITIALISER && first.gate.is_none()
        };
        let found = self.entries.iter().find(|(_, first)| initialiser(first)).map(|(_, f)| f.method.clone());
        found.into_iter().for_each(|method| note(method, report));
    }

    /// Requests, once per class, its initialisation and the first entries of its watched methods.
    pub async fn watch(
        &mut self,
        vm: &Vm,
        class: &LoadedClass,
        watch: &ClassWatch,
        report: &mut RunReport,
    ) -> Result<(), RunError> {
        let conn = vm.conn();
        let mut asked = Vec::new();
        for declared in class.methods.iter().filter(|m| m.access & (ACC_NATIVE | ACC_ABSTRACT) == 0) {
            let name: (Arc<str>, Arc<str>) =
                (declared.name.as_str().into(), declared.descriptor.as_str().into());
            let begins = declared.name == STATIC_INITIALISER;
            let wanted = begins || watch.methods.contains_key(&name);
            if !wanted || !self.asked.insert((class.id, declared.id)) {
                continue;
            }
            if begins {
                report.classes.entry(class.name.clone()).or_default().not_initialised += 1;
            }
            let at = Location { type_tag: TypeTag::Class, class: class.id, method: declared.id, index: 0 };
            let lines = watch.methods.get(&name).map(|method| method.lines.clone()).unwrap_or_default();
            let method = MethodName::new(class.name.clone(), name.0, name.1);
            asked.push((FirstEntry { at, method, lines, gate: None }, conn.send(once(at))));
        }
        for (first, request) in asked {
            if let Some(request) = or_default(request.await.map(Some))? {
                self.entries.insert(request, first);
            }
        }
        // If no query wants the other half of the exceptions, the first of them shows that such exceptions
        // exist.
        for caught in [true, false] {
            let without: Vec<u16> =
                watch.thrown.iter().filter(|(_, wanted)| *wanted == Some(!caught)).map(|(q, _)| *q).collect();
            let wanted = watch.thrown.iter().any(|(_, wanted)| *wanted != Some(!caught));
            if without.is_empty() || wanted {
                continue;
            }
            let mut request = exceptions(Some(class.id), &[(0, Some(caught))]);
            request.modifiers.push(Modifier::Count(1));
            self.left_out.insert(conn.send(request).await?, without);
        }
        Ok(())
    }

    /// Sets the breakpoints again after a redefinition of classes, which removes them without an event
    /// (DESIGN §5.16).
    pub async fn again(&mut self, vm: &Vm) -> Result<(), RunError> {
        for (request_id, first) in std::mem::take(&mut self.entries) {
            let event_kind = EventKind::Breakpoint;
            or_default(vm.conn().send(event_request::Clear { event_kind, request_id }).await)?;
            if let Some(request) = or_default(vm.conn().send(once(first.at)).await.map(Some))? {
                self.entries.insert(request, first);
            }
        }
        Ok(())
    }

    /// A description of the loader that defined a class: `app`, `URLClassLoader`, `URLClassLoader #2`. A
    /// hidden class is a class apart, even if its loader defines others of its name: `app, hidden class #2`.
    pub async fn loader(&mut self, vm: &mut Vm, class: ReferenceTypeId) -> Result<String, RunError> {
        let loader = self.defining_loader(vm, class).await?;
        if !vm.class(class).await?.is_hidden {
            return Ok(loader);
        }
        let number = self.hidden.len() + 1;
        let hidden = || format!("{loader}, hidden class #{number}");
        Ok(self.hidden.entry(class).or_insert_with(hidden).clone())
    }

    async fn defining_loader(&mut self, vm: &mut Vm, class: ReferenceTypeId) -> Result<String, RunError> {
        let loader = or_default(vm.conn().send(reference_type::ClassLoader { ref_type: class }).await)?;
        let Some(loader) = loader else { return Ok("bootstrap".to_owned()) };
        if let Some(known) = self.loaders.get(&loader) {
            return Ok(known.clone());
        }
        let object = ObjectId::from(loader);
        let of = vm.conn().send(object_reference::ReferenceType { object }).await?;
        let class = vm.class(of.type_id).await?.name.clone();
        let name = match &*class {
            "jdk.internal.loader.ClassLoaders$AppClassLoader" => "app".to_owned(),
            "jdk.internal.loader.ClassLoaders$PlatformClassLoader" => "platform".to_owned(),
            other => short_class_name(other),
        };
        let numbered = format!("{name} #");
        let alike = self.loaders.values().filter(|l| **l == name || l.starts_with(&numbered)).count();
        let name = if alike == 0 { name } else { format!("{numbered}{}", alike + 1) };
        self.loaders.insert(loader, name.clone());
        Ok(name)
    }
}

fn note(method: MethodName, report: &mut RunReport) {
    if *method.name == *STATIC_INITIALISER
        && let Some(class) = report.classes.get_mut(&method.class)
    {
        class.not_initialised = class.not_initialised.saturating_sub(1);
    }
    report.entered.insert(method);
}
