//! Sets watches in the VM when their classes are prepared, and checks that they stay set.
//!
//! First the VM's bytecodes are compared with the class file (DESIGN §5.17), because an index is meaningless
//! in other code.

use super::error::RunError;
use super::loaded::LoadedClass;
use super::reachability::Notices;
use super::report::RunReport;
use super::requests::{breakpoint, exceptions, of_class};
use super::vm::{Vm, or_default, type_signature};
use super::watches::{ClassWatch, Interest, MethodWatch, Watches};
use classes::ClassPool;
use jdwp::commands::{event_request, method, virtual_machine};
use jdwp::{
    Connection, EventKind, Location, MethodId, Modifier, Pending, ReferenceTypeId, RequestId, SuspendPolicy,
    TypeTag,
};
use model::MethodName;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// The meaning of a field watch request.
#[derive(Clone, Debug)]
pub struct FieldRequest {
    /// The queries that requested it.
    pub queries: Vec<u16>,
    /// The class that declares the field.
    pub class: ReferenceTypeId,
    /// The field's id.
    pub field: jdwp::FieldId,
    kind: EventKind,
}

/// A method with breakpoints.
#[derive(Debug)]
struct InstalledMethod {
    class: ReferenceTypeId,
    method: MethodId,
    name: String,
    code: Vec<u8>,
    breakpoints: Vec<(Location, RequestId)>,
}

/// A method to watch, whose code was asked for.
struct MethodToWatch<'w> {
    id: MethodId,
    name: MethodName,
    watch: &'w MethodWatch,
    /// Its code in the VM; `None` if only its returns are watched.
    code: Option<Pending<Vec<u8>>>,
}

/// A method whose breakpoints were requested.
struct RequestedMethod {
    class: ReferenceTypeId,
    method: MethodId,
    name: String,
    code: Vec<u8>,
    breakpoints: Vec<(Location, Pending<RequestId>)>,
}

impl RequestedMethod {
    /// Waits until the VM has set the breakpoints.
    async fn installed(self) -> Result<InstalledMethod, RunError> {
        let RequestedMethod { class, method, name, code, breakpoints: requested } = self;
        let mut breakpoints = Vec::new();
        for (location, request) in requested {
            breakpoints.push((location, request.await?));
        }
        Ok(InstalledMethod { class, method, name, code, breakpoints })
    }
}

/// All requests set in the VM.
#[derive(Default)]
pub struct Installed {
    at: HashMap<(ReferenceTypeId, MethodId, u64), Rc<[Interest]>>,
    /// Field watches by request.
    pub fields: HashMap<RequestId, FieldRequest>,
    /// Exception requests, with their queries as `(query, caught)`.
    pub exceptions: HashMap<RequestId, Vec<(u16, Option<bool>)>>,
    /// Methods whose normal returns are requested.
    pub returns: HashMap<(ReferenceTypeId, MethodId), Vec<u16>>,
    /// Methods watched by MethodEntry events because they also jump to index 0.
    pub entries: BTreeSet<(ReferenceTypeId, MethodId)>,
    /// Keys of requests that are made only once: class names for ClassPrepare events, and classes for entry,
    /// exit and exception events.
    names: BTreeSet<Arc<str>>,
    entered: BTreeSet<ReferenceTypeId>,
    left: BTreeSet<ReferenceTypeId>,
    thrown: BTreeSet<(Option<ReferenceTypeId>, u16, Option<bool>)>,
    /// One-time notices of reached methods and classes.
    pub notices: Notices,
    /// Whether the agent's probes replace breakpoints and watches.
    pub by_probes: bool,
    classes: BTreeSet<ReferenceTypeId>,
    methods: Vec<InstalledMethod>,
}

/// The JDK class through which Java agents redefine classes.
pub const INSTRUMENTATION: &str = "sun.instrument.InstrumentationImpl";

impl Installed {
    /// Why execution is interrupted at a location.
    pub fn interests(&self, location: &Location) -> Option<Rc<[Interest]>> {
        self.at.get(&(location.class, location.method, location.index)).cloned()
    }

    /// Requests ClassPrepare events for every watched class, and sets the watches in classes already loaded.
    /// The VM is suspended. Earlier requests stay set.
    pub async fn begin(
        &mut self,
        vm: &mut Vm,
        watches: &Watches,
        pool: &ClassPool,
        report: &mut RunReport,
    ) -> Result<(), RunError> {
        let conn = vm.conn().clone();
        let mut prepares = Vec::new();
        let mut present = Vec::new();
        let instrumentation: Arc<str> = INSTRUMENTATION.into();
        let recorder: Arc<str> = super::probes::NAME.into();
        let recorder = self.by_probes.then_some(&recorder);
        for name in watches.classes.keys().chain([&instrumentation]).chain(recorder) {
            if !self.names.insert(name.clone()) {
                // ClassPrepare was already requested, but its loaded classes may have fewer watches.
                let signature = type_signature(name);
                present.push((name, conn.send(virtual_machine::ClassesBySignature { signature })));
                continue;
            }
            // A hidden class is named `Name/number` (JDWP specification of EventRequest.Set, ClassMatch).
            for pattern in [name.to_string(), format!("{name}/*")] {
                prepares.push(conn.send(event_request::Set {
                    event_kind: EventKind::ClassPrepare,
                    suspend_policy: SuspendPolicy::All,
                    modifiers: vec![Modifier::ClassMatch(pattern)],
                }));
            }
            let signature = type_signature(name);
            present.push((name, conn.send(virtual_machine::ClassesBySignature { signature })));
        }
        let mut thrown = Vec::new();
        let wanted = self.not_yet_told(None, &watches.thrown);
        if !wanted.is_empty() {
            thrown.push((conn.send(exceptions(None, &wanted)), wanted));
        }
        for prepare in prepares {
            prepare.await?;
        }
        for (reply, queries) in thrown {
            self.exceptions.insert(reply.await?, queries);
        }
        for (name, reply) in present {
            for class in or_default(reply.await)? {
                if class.status.contains(jdwp::ClassStatus::PREPARED) {
                    self.class_prepared(vm, watches, pool, report, class.type_id, name).await?;
                }
                if class.status.contains(jdwp::ClassStatus::INITIALIZED) {
                    self.notices.begun(class.type_id, report);
                }
            }
        }
        Ok(())
    }

    /// Sets the watches of one class. The VM is suspended and has not run any code of the class.
    pub async fn class_prepared(
        &mut self,
        vm: &mut Vm,
        watches: &Watches,
        pool: &ClassPool,
        report: &mut RunReport,
        id: ReferenceTypeId,
        name: &str,
    ) -> Result<(), RunError> {
        vm.forget_name(name);
        let is_new = self.classes.insert(id);
        if name == INSTRUMENTATION && is_new {
            self.watch_redefinition(vm, pool, id).await?;
        }
        let Some((name, watch)) = watches.classes.get_key_value(name) else { return Ok(()) };
        report.classes.entry(name.clone()).or_default().prepared += u32::from(is_new);
        let class = vm.class(id).await?;
        let loader = self.notices.loader(vm, id).await?;
        vm.loader_names.insert(id, loader.as_str().into());
        let is_further = is_new && report.classes.get(name).is_some_and(|known| known.prepared > 1);
        if self.by_probes && is_further {
            // A probe passes no class object, so it cannot tell whose static field is accessed.
            let fields = watch.written.keys().chain(watch.read.keys());
            let is_static = |name: &&Arc<str>| class.fields.iter().any(|f| f.is_static && *f.name == ***name);
            report.unprobed.extend(fields.filter(is_static).map(|field| {
                format!("several classes are named {name}, and probes do not tell their fields {field} apart")
            }));
        }
        self.notices.watch(vm, &class, watch, report).await?;
        let refused = self.methods(vm, &class, watch, pool, &loader).await?;
        if is_new {
            report.classes.entry(name.clone()).or_default().loaders.push(loader.clone());
        }
        let entry = report.classes.entry(name.clone()).or_default();
        for reason in refused {
            if !entry.refused.contains(&reason) {
                entry.refused.push(reason);
            }
        }
        let missing = self.fields(vm, &class, watch, &loader).await?;
        let entry = report.classes.entry(name.clone()).or_default();
        for reason in missing {
            if !entry.refused.contains(&reason) {
                entry.refused.push(reason);
            }
        }
        let thrown = self.not_yet_told(Some(id), &watch.thrown);
        if !thrown.is_empty() {
            let request = vm.conn().send(exceptions(Some(id), &thrown)).await?;
            self.exceptions.insert(request, thrown);
        }
        Ok(())
    }

    /// Requests the exceptions that may prevent a pass of a query's line.
    pub async fn watch_preventing(&mut self, vm: &Vm, query: u16) -> Result<(), RunError> {
        let all = vec![(query, None)];
        let request = vm.conn().send(exceptions(None, &all)).await?;
        self.exceptions.insert(request, all);
        self.notices.prevents(query, request);
        Ok(())
    }

    /// Ends the search for exceptions that prevent a pass of a query's line.
    pub async fn settle(&mut self, vm: &Vm, query: u16) -> Result<(), RunError> {
        let Some(request_id) = self.notices.settle(query) else { return Ok(()) };
        self.exceptions.remove(&request_id);
        let event_kind = EventKind::Exception;
        or_default(vm.conn().send(event_request::Clear { event_kind, request_id }).await)
    }

    /// Returns the queries that have not yet requested the exceptions of a class, and records that they have
    /// now.
    fn not_yet_told(
        &mut self,
        class: Option<ReferenceTypeId>,
        wanted: &[(u16, Option<bool>)],
    ) -> Vec<(u16, Option<bool>)> {
        let new = |(query, caught): &&(u16, Option<bool>)| self.thrown.insert((class, *query, *caught));
        wanted.iter().filter(new).copied().collect()
    }

    /// Sets the breakpoints. Returns the reasons why some could not be set.
    async fn methods(
        &mut self,
        vm: &mut Vm,
        class: &LoadedClass,
        watch: &ClassWatch,
        pool: &ClassPool,
        loader: &str,
    ) -> Result<Vec<String>, RunError> {
        let conn = vm.conn().clone();
        let mut refused = Vec::new();
        let asked = self.ask_code(&conn, class, watch, |name, descriptor| {
            refused.push(format!(
                "{}.{name}{descriptor} is not in the class that was loaded by {loader}: compile it again, or \
                 put the right one first on the class path",
                class.name
            ));
        });
        let file = pool.find(&class.name).ok().flatten();
        let mut requested = Vec::new();
        let (mut wants_entry, mut wants_exit) = (false, false);
        for MethodToWatch { id, name, watch, code } in asked {
            if !watch.returns.is_empty() {
                wants_exit = true;
                self.returns.insert((class.id, id), watch.returns.clone());
            }
            let Some(code) = code else { continue };
            let code = code.await?;
            let known = file.as_ref().and_then(|f| f.file.method(&name.name, &name.descriptor));
            let known = known.and_then(|m| m.code.as_ref());
            if let (Some(file), Some(known)) = (&file, known)
                && known.bytes != code
            {
                // Without its marks, the arm that produced a value stays unknown.
                if !is_marked_only(watch) {
                    let remedy = remedy_for_other_code(pool);
                    let (origin, name) = (&file.origin, &name.name);
                    refused.push(format!(
                        "{origin} is not the class that was loaded by {loader}: the bytecodes of {name} \
                         differ; {remedy}"
                    ));
                }
                continue;
            }
            if let Some(known) = known {
                self.notices.watch_gates(vm, class.id, id, &name, &watch.gates).await?;
                if known.is_branch_target(0) && has_activation(watch) {
                    wants_entry = true;
                    self.entries.insert((class.id, id));
                }
            }
            let breakpoints = self.request_breakpoints(&conn, class.id, id, watch);
            if !breakpoints.is_empty() {
                let name = format!("{}.{}", class.name, name.name);
                requested.push(RequestedMethod { class: class.id, method: id, name, code, breakpoints });
            }
        }
        for method in requested {
            self.methods.push(method.installed().await?);
        }
        let entries = wants_entry.then_some(EventKind::MethodEntry);
        let returns = wants_exit.then_some(EventKind::MethodExitWithReturnValue);
        self.request_calls(&conn, class.id, entries.into_iter().chain(returns)).await?;
        Ok(refused)
    }

    /// Requests the entries of a class's methods, or their normal returns, unless they are already requested.
    async fn request_calls(
        &mut self,
        conn: &Connection,
        class: ReferenceTypeId,
        kinds: impl Iterator<Item = EventKind>,
    ) -> Result<(), RunError> {
        let mut requests = Vec::new();
        for kind in kinds {
            let requested = match kind {
                EventKind::MethodEntry => &mut self.entered,
                _ => &mut self.left,
            };
            if requested.insert(class) {
                requests.push(conn.send(of_class(kind, class)));
            }
        }
        for request in requests {
            request.await?;
        }
        Ok(())
    }

    /// Asks the VM for the code of the watched methods; no method if the agent has compared the code. Passes
    /// the name and descriptor of each method that the class does not declare to `missing`.
    fn ask_code<'w>(
        &self,
        conn: &Connection,
        class: &LoadedClass,
        watch: &'w ClassWatch,
        mut missing: impl FnMut(&str, &str),
    ) -> Vec<MethodToWatch<'w>> {
        let mut asked = Vec::new();
        for ((name, descriptor), watch) in &watch.methods {
            let declared = class.methods.iter().find(|m| m.name == **name && m.descriptor == **descriptor);
            let Some(declared) = declared else {
                missing(name, descriptor);
                continue;
            };
            if self.by_probes {
                continue;
            }
            let id = declared.id;
            let code = (!watch.at.is_empty())
                .then(|| conn.send(method::Bytecodes { ref_type: class.id, method: id }));
            let name = MethodName::new(class.name.clone(), name.clone(), descriptor.clone());
            asked.push(MethodToWatch { id, name, watch, code });
        }
        asked
    }

    /// Notes the interests of a method, and requests breakpoints where there was none.
    fn request_breakpoints(
        &mut self,
        conn: &Connection,
        class: ReferenceTypeId,
        method: MethodId,
        watch: &MethodWatch,
    ) -> Vec<(Location, Pending<RequestId>)> {
        let mut requested = Vec::new();
        for (bci, interests) in &watch.at {
            let index = u64::from(*bci);
            if self.at.insert((class, method, index), interests.as_slice().into()).is_none() {
                let location = Location { type_tag: TypeTag::Class, class, method, index };
                requested.push((location, conn.send(breakpoint(location))));
            }
        }
        requested
    }

    async fn fields(
        &mut self,
        vm: &Vm,
        class: &LoadedClass,
        watch: &ClassWatch,
        loader: &str,
    ) -> Result<Vec<String>, RunError> {
        let mut missing = Vec::new();
        let kinds = [(EventKind::FieldModification, &watch.written), (EventKind::FieldAccess, &watch.read)];
        for (event_kind, fields) in kinds {
            for (name, queries) in fields {
                let Some(field) = class.fields.iter().find(|f| f.name == **name) else {
                    let class = &class.name;
                    missing.push(format!(
                        "{class} has no field {name} in the class that was loaded by {loader}: compile it again, or \
                         put the right one first on the class path"
                    ));
                    continue;
                };
                if self.by_probes {
                    continue;
                }
                let known =
                    |r: &&mut FieldRequest| (r.class, r.field, r.kind) == (class.id, field.id, event_kind);
                if let Some(request) = self.fields.values_mut().find(known) {
                    request.queries.clone_from(queries);
                    continue;
                }
                let modifiers = vec![Modifier::FieldOnly { declaring: class.id, field: field.id }];
                let suspend_policy = SuspendPolicy::EventThread;
                let set = event_request::Set { event_kind, suspend_policy, modifiers };
                let request = vm.conn().send(set).await?;
                let (queries, kind) = (queries.clone(), event_kind);
                let entry = FieldRequest { queries, class: class.id, field: field.id, kind };
                self.fields.insert(request, entry);
            }
        }
        Ok(missing)
    }

    /// Sets breakpoints where redefinition by a Java agent returns. Redefinition removes breakpoints without
    /// an event (DESIGN §5.16), so they must be set again there.
    async fn watch_redefinition(
        &mut self,
        vm: &mut Vm,
        pool: &ClassPool,
        id: ReferenceTypeId,
    ) -> Result<(), RunError> {
        let class = vm.class(id).await?;
        let file = pool.find(INSTRUMENTATION).ok().flatten();
        for declared in &class.methods {
            if !matches!(declared.name.as_str(), "redefineClasses" | "retransformClasses") {
                continue;
            }
            let known = file.as_ref().and_then(|f| f.file.method(&declared.name, &declared.descriptor));
            let Some(known) = known.and_then(|m| m.code.as_ref()) else { continue };
            let code = vm.conn().send(method::Bytecodes { ref_type: id, method: declared.id }).await?;
            // A remote VM can use another JDK. Its sites are checked at the end of the run, as for native
            // agents.
            if known.bytes != code {
                continue;
            }
            for instruction in &known.instructions {
                if !matches!(instruction.op, bytecode::Op::Return(_)) {
                    continue;
                }
                let index = u64::from(instruction.pc);
                let location = Location { type_tag: TypeTag::Class, class: id, method: declared.id, index };
                self.at.insert((id, declared.id, index), Rc::from([Interest::Redefined]));
                vm.conn().send(breakpoint(location)).await?;
            }
        }
        Ok(())
    }

    /// Handles a possible redefinition of classes. Sets breakpoints again where the code is unchanged, and
    /// returns the methods with different code: their sites are lost.
    pub async fn after_redefinition(&mut self, vm: &mut Vm) -> Result<Vec<String>, RunError> {
        let lost = self.lost(vm).await?;
        let conn = vm.conn().clone();
        for method in &mut self.methods {
            vm.forget_class(method.class);
            for (location, request) in &mut method.breakpoints {
                let event_kind = EventKind::Breakpoint;
                // The VM dropped the breakpoint, but its JDWP agent still lists it: clear it before setting
                // it again.
                or_default(conn.send(event_request::Clear { event_kind, request_id: *request }).await)?;
                if !lost.contains(&method.name) {
                    *request = conn.send(breakpoint(*location)).await?;
                }
            }
        }
        self.notices.again(vm).await?;
        Ok(lost)
    }

    /// Methods whose code differs from the code in which breakpoints were set (DESIGN §5.16).
    pub async fn lost(&self, vm: &Vm) -> Result<Vec<String>, RunError> {
        let mut pending = Vec::new();
        for m in &self.methods {
            let now = vm.conn().send(method::Bytecodes { ref_type: m.class, method: m.method });
            let obsolete = vm.conn().send(method::IsObsolete { ref_type: m.class, method: m.method });
            pending.push((m, now, obsolete));
        }
        let mut lost = Vec::new();
        for (m, now, obsolete) in pending {
            let gone = or_default(obsolete.await)? || or_default(now.await)? != m.code;
            if gone && !lost.contains(&m.name) {
                lost.push(m.name.clone());
            }
        }
        Ok(lost)
    }
}

/// What to do if the VM runs other code than the class files have.
fn remedy_for_other_code(pool: &ClassPool) -> String {
    if !pool.java_agents().is_empty() {
        let agents = java_agents(pool);
        format!(
            "{agents} may have rewritten it: run without it, or by probes (`--backend auto`), which use the \
             code in the VM"
        )
    } else if pool.are_copies() {
        "the remote program runs other classes: deploy these, or copy its own to where `classes` says"
            .to_owned()
    } else {
        "compile it again, or put the right one first on the class path".to_owned()
    }
}

/// The Java agents of the command: `the Java agent jacoco.jar`.
pub fn java_agents(pool: &ClassPool) -> String {
    let file = |jar: &PathBuf| jar.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = pool.java_agents().iter().map(file).collect();
    format!("the Java agent{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

/// Whether a method is watched only for the arms that it executes.
fn is_marked_only(watch: &MethodWatch) -> bool {
    watch.returns.is_empty() && watch.at.values().flatten().all(|interest| *interest == Interest::Mark)
}

fn has_activation(watch: &MethodWatch) -> bool {
    watch.at.get(&0).is_some_and(|interests| interests.contains(&Interest::Activation))
}
