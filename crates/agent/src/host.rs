//! The VM's side: defines the recorder, handles class events, and reports the counts.

use crate::arena;
use crate::covering::{Coverer, Covering};
use crate::generated;
use crate::head_room;
use crate::hidden;
use crate::hidden_classes::HiddenClasses;
use crate::jit_priority;
use crate::loaded_classes::transform_loaded;
use crate::loaders;
use crate::pins;
use crate::probes::{Probed, Probes};
use crate::reporter::Reporter;
use crate::state::{self, State, problem, with_state};
use crate::thread_ids;
use crate::tracing::{Recorded, Tracer};
use crate::written_files;
use jvmti_bindings::prelude::*;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use wire::{COVER_CLASS, LoadedClass, PINS_CLASS, PROBE_CLASS, Report, TRACE_CLASS, TestedCounts};

/// The class files next to the recorder's source.
macro_rules! recorder {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../../java/recorder/", $name, ".class")).as_slice())),*]
    };
}

/// The recorder's class files. Probes call the first; its initialiser initialises the rest.
const RECORDER: [(&str, &[u8]); 28] = recorder![
    "java/lang/QuerypointProbe",
    "java/lang/QuerypointProbeNumber",
    "java/lang/QuerypointArrays",
    "java/lang/QuerypointArrayPart",
    "java/lang/QuerypointLayouts",
    "java/lang/QuerypointProbeAgent",
    "java/lang/QuerypointProbeClass",
    "java/lang/QuerypointProbeClass$Meaning",
    "java/lang/QuerypointProbeContents",
    "java/lang/QuerypointProbeContents$Calls",
    "java/lang/QuerypointProbeField",
    "java/lang/QuerypointProbeField$Place",
    "java/lang/QuerypointProbeGiven",
    "java/lang/QuerypointProbeGivenArray",
    "java/lang/QuerypointProbeGivenField",
    "java/lang/QuerypointProbeGivenField$Place",
    "java/lang/QuerypointProbeGivenReader",
    "java/lang/QuerypointProbeKept",
    "java/lang/QuerypointProbeLog",
    "java/lang/QuerypointProbeQuery",
    "java/lang/QuerypointProbeRows",
    "java/lang/QuerypointProbeSerial",
    "java/lang/QuerypointProbeSite",
    "java/lang/QuerypointProbeText",
    "java/lang/QuerypointProbeThread",
    "java/lang/QuerypointProbeValues",
    "java/lang/QuerypointProbeVaried",
    "java/lang/QuerypointProbeVaried$Hit"
];

/// The class files for recording. Recorded methods call the first; the last handles ends of threads.
const TRACE_RECORDER: [(&str, &[u8]); 24] = recorder![
    "java/lang/QuerypointTrace",
    "java/lang/QuerypointProbeNumber",
    "java/lang/QuerypointArrays",
    "java/lang/QuerypointArrayPart",
    "java/lang/QuerypointLayouts",
    "java/lang/QuerypointTraceAgent",
    "java/lang/QuerypointTraceWindow",
    "java/lang/QuerypointTraceTest",
    "java/lang/QuerypointTraceWrites",
    "java/lang/QuerypointTraceArrays",
    "java/lang/QuerypointTraceCalls",
    "java/lang/QuerypointTraceFacts",
    "java/lang/QuerypointTraceFacts$Known",
    "java/lang/QuerypointTraceFields",
    "java/lang/QuerypointTraceFields$Known",
    "java/lang/QuerypointTraceGate",
    "java/lang/QuerypointTraceContents",
    "java/lang/QuerypointTraceLayout",
    "java/lang/QuerypointTraceLayout$Items",
    "java/lang/QuerypointTraceNames",
    "java/lang/QuerypointTraceSteering",
    "java/lang/QuerypointTraceText",
    "java/lang/QuerypointTraceThrows",
    "java/lang/QuerypointTraceThread"
];

/// The class file for coverage.
const COVER_RECORDER: [(&str, &[u8]); 1] = recorder!["java/lang/QuerypointCover"];

/// The class file for pins.
const PINS_OF_JAVA: [(&str, &[u8]); 1] = recorder!["java/lang/QuerypointPins"];

/// The folder of the plans.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// A global reference to the class that handles ends of threads, and its method. Set only if the run is
/// recorded.
static THREAD_END: OnceLock<(usize, usize)> = OnceLock::new();

/// A global reference to the recorder's class. Set if its counts or its coverage are read at the end.
static RECORDER_CLASS: OnceLock<usize> = OnceLock::new();

/// Whether the lack of memory for inspecting a class was reported.
static IS_SHORT: AtomicBool = AtomicBool::new(false);

/// The agent.
#[derive(Default)]
pub struct Host;

impl Agent for Host {
    fn on_load(&self, context: AgentLoadContext<'_>) -> jni::jint {
        arena::prepare();
        let Ok(Some(folder)) = context.options_str() else { return jni::JNI_OK };
        let folder = PathBuf::from(folder.as_ref());
        pins::prepare(&folder);
        if FOLDER.set(folder).is_err() {
            return jni::JNI_OK;
        }
        // If the VM refuses something here, the report does not begin, which `qp` notices.
        if let Ok(jvmti) = context.vm().jvmti() {
            let wanted = |caps: &mut jvmti::jvmtiCapabilities| {
                caps.set_can_generate_all_class_hook_events(true);
                caps.set_can_retransform_classes(true);
                caps.set_can_tag_objects(true);
                caps.set_can_get_constant_pool(true);
                caps.set_can_get_bytecodes(true);
                caps.set_can_generate_native_method_bind_events(true);
                // The natives of the clock are bound before the VM has started.
                caps.set_can_generate_early_vmstart(pins::are_set());
            };
            // Without these events, nobody knows which files the program writes.
            let wanted_events = [jvmti::JVMTI_EVENT_VM_INIT, jvmti::JVMTI_EVENT_NATIVE_METHOD_BIND];
            let _ = jvmti
                .add_capabilities_with(wanted)
                .and_then(|_| jvmti.set_default_agent_callbacks())
                .and_then(|()| jvmti.enable_events_global(&wanted_events));
        }
        jni::JNI_OK
    }

    fn vm_init(&self, context: CallbackContext<'_>, _event: ThreadEvent) {
        // By now `qp` has connected to the VM, and has written a plan if this is the wanted VM.
        let Some(env) = context.jni() else { return };
        thread_ids::set_back(env);
        pin(&context, env);
        let Some(plan) = FOLDER.get().and_then(|folder| wire::Plan::find(folder, std::process::id())) else {
            return;
        };
        let reporter = Reporter::open(&plan.report);
        let class_path = plan.trace.as_ref().and_then(|trace| trace.class_path.clone());
        let (covered, traced) = match plan.trace.clone() {
            Some(covered) if covered.covers => (Some(covered), None),
            traced => (None, traced),
        };
        let (tracer, coverer) = (traced.map(Tracer::new), covered.map(Coverer::new));
        let (recorder, method) = match (&tracer, &coverer) {
            (Some(_), _) => (TRACE_RECORDER.as_slice(), "ring"),
            (None, Some(_)) => (COVER_RECORDER.as_slice(), "room"),
            (None, None) => (RECORDER.as_slice(), "enter"),
        };
        let (records, covers) = (tracer.is_some(), coverer.is_some());
        let conditions = if records || covers { Vec::new() } else { plan.conditions.clone() };
        let reporter = reporter.noting(tracer.as_ref().and_then(|tracer| tracer.pool.untold()));
        let hidden = HiddenClasses::default();
        let known = State { probes: Probes::new(plan), tracer, coverer, reporter, hidden };
        if !state::begin(context.jvmti(), known) {
            return;
        }
        pins::tell_lacks();
        let classes = match define(env, recorder, method) {
            Ok(classes) => classes,
            Err(why) => return problem(forgo(why)),
        };
        for condition in &conditions {
            // Later there may be no stack to initialise it.
            if let Err(why) = define(env, &[(&condition.class, &condition.bytes)], "ready") {
                return problem(why);
            }
        }
        if records {
            jit_priority::step_back();
            if hear_thread_ends(&context, env, classes.last()).is_none() {
                return problem("the VM does not report the ends of threads".to_owned());
            }
        }
        let tells_counts =
            with_state(|state| state.probes.plan.counts || !state.probes.plan.conditions.is_empty());
        if (covers || tells_counts == Some(true))
            && let Some(class) = classes.first()
            && let Err(why) = hear_end(&context, env, *class)
        {
            return problem(why);
        }
        if let Err(error) = context.jvmti().enable_class_file_load_hook_events() {
            return problem(format!("the VM does not report loaded classes: {error:?}"));
        }
        if let Err(error) = context.jvmti().enable_events_global(&[jvmti::JVMTI_EVENT_CLASS_PREPARE]) {
            return problem(format!("the VM does not report hidden classes: {error:?}"));
        }
        if let Some(class_path) = class_path
            && set_property(env, "java.class.path", &class_path).is_none()
        {
            problem("the VM refuses to set java.class.path: the program reads another one".to_owned());
        }
        with_state(|state| state.reporter.tell(&Report::Started));
        retransform(&context);
    }

    fn thread_end(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        let (Some(env), Some((class, method))) = (context.jni(), THREAD_END.get()) else { return };
        // SAFETY: a global reference holds the class; its method takes a thread and returns nothing.
        unsafe {
            let thread = jni::jvalue { l: event.thread() };
            env.call_static_void_method(*class as jni::jclass, *method as jni::jmethodID, &[thread]);
        }
        if env.exception_check() {
            env.exception_clear();
        }
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        let (Some(env), Some(class)) = (context.jni(), RECORDER_CLASS.get()) else { return };
        // Do not lock the state here, because the recorder calls natives that do.
        if with_state(|state| state.coverer.is_some()) == Some(true) {
            return close_coverage(env, *class as jni::jclass);
        }
        match counts(env, *class as jni::jclass) {
            Some(Counted { hits, tested, is_whole }) => {
                if !is_whole {
                    problem("there was no memory, stack or number left to count all hits".to_owned());
                }
                let busy_ms = busy_ms();
                with_state(|state| state.reporter.tell(&Report::Counts { hits, tested, busy_ms }));
            }
            None => {
                env.exception_clear();
                problem("the recorder could not report its counts".to_owned());
            }
        }
    }

    fn native_method_bind(&self, context: CallbackContext<'_>, mut event: NativeMethodBindEvent) {
        pins::bound(context.jvmti(), &mut event);
        written_files::bound(context.jvmti(), &mut event);
    }

    fn class_prepare(&self, context: CallbackContext<'_>, event: ClassEvent) {
        hidden::prepared(context.jvmti(), event.class());
    }

    fn class_file_load_hook<'callback>(
        &self,
        context: CallbackContext<'callback>,
        mut event: ClassFileLoadHookEvent<'callback>,
    ) {
        let Ok(name) = event.name_str() else { return };
        let name = name.as_deref();
        if name.is_some_and(|name| {
            [PROBE_CLASS, TRACE_CLASS, COVER_CLASS, PINS_CLASS].iter().any(|own| name.starts_with(own))
        }) {
            return;
        }
        if arena::is_short() {
            if !IS_SHORT.swap(true, Ordering::Relaxed) {
                problem(
                    "there was no memory left to read classes: classes loaded later are not rewritten"
                        .to_owned(),
                );
            }
            return;
        }
        let pinned = name.and_then(|name| pins::put_into(name, event.class_data()));
        if let Some(bytes) = &pinned
            && let Err(error) = event.set_transformed_class(&context, bytes)
        {
            pins::lacks(&format!("{}: {error:?}", name.unwrap_or("a class")));
        }
        let bytes = pinned.as_deref().unwrap_or(event.class_data());
        let is_recorded = with_state(|state| {
            state.tracer.as_ref().is_some_and(|tracer| name.is_none_or(|name| tracer.is_in_scope(name)))
        });
        if name.is_some_and(|name| generated::leaves_out(&context, &event, name)) {
            return;
        }
        let loader = match context.jni().filter(|_| is_recorded == Some(true)) {
            // SAFETY: the VM has handed out the loader for this event.
            Some(env) => unsafe { loaders::number(context.jvmti(), env, event.loader()) },
            None => 0,
        };
        if is_recorded == Some(true) {
            with_state(|state| tell_loaded(state, name, bytes));
        }
        if let Some(Some(recorded)) = with_state(|state| record(state, name, loader, bytes)) {
            if let Some(bytes) = recorded
                && let Err(error) = event.set_transformed_class(&context, &bytes)
            {
                problem(format!("{} cannot be recorded: {error:?}", name.unwrap_or("a class")));
            }
            return;
        }
        if let Some(Some(covering)) = with_state(|state| cover(state, name, bytes)) {
            with_state(|state| tell_loaded(state, name, bytes));
            if let Some(bytes) = covering
                && let Err(error) = event.set_transformed_class(&context, &bytes)
            {
                problem(format!("the coverage of {} is unknown: {error:?}", name.unwrap_or("a class")));
            }
            return;
        }
        let is_of_vm = event.loader().is_null();
        let probed = with_state(|state| probe(state, name, bytes, is_of_vm));
        if let Some(Some(probed)) = probed
            && !probed.bytes.is_empty()
            && let Err(error) = event.set_transformed_class(&context, &probed.bytes)
        {
            problem(format!("{} cannot be probed: {error:?}", probed.report.class));
        }
    }
}

/// Pins what differs from run to run, if there are pins.
fn pin(context: &CallbackContext<'_>, env: &JniEnv) {
    if !pins::are_set() {
        return;
    }
    if let Err(why) = define(env, &PINS_OF_JAVA, "ready") {
        return pins::lacks(&format!("anything: {why}"));
    }
    pins::set_fields(env);
    pins::begin_clock(env);
    if context.jvmti().enable_class_file_load_hook_events().is_err() {
        pins::lacks("random numbers: the VM does not report loaded classes");
    }
    transform_loaded(context.jvmti(), &pins::concerns, &|name, why| pins::lacks(&format!("{name}: {why}")));
}

/// Makes the VM report the ends of threads to a class of the recorder. `None` if that is impossible.
fn hear_thread_ends(context: &CallbackContext<'_>, env: &JniEnv, class: Option<&jni::jclass>) -> Option<()> {
    // SAFETY: the class was just defined and has the method. The reference lives as long as the VM.
    let end = unsafe {
        let class = env.new_global_ref(*class?);
        if class.is_null() {
            return None;
        }
        let method = env.get_static_method_id(class, "end", "(Ljava/lang/Thread;)V")?;
        (class as usize, method as usize)
    };
    context.jvmti().enable_events_global(&[jvmti::JVMTI_EVENT_THREAD_END]).ok()?;
    let _ = THREAD_END.set(end);
    Some(())
}

/// Makes the VM report its end, when this class of the recorder tells what the run did.
///
/// # Errors
/// The VM refuses it.
fn hear_end(context: &CallbackContext<'_>, env: &JniEnv, class: jni::jclass) -> Result<(), String> {
    // SAFETY: the class was just defined. The reference lives as long as the VM.
    let class = unsafe { env.new_global_ref(class) };
    if class.is_null() {
        return Err("the VM has no memory to report what the run did".to_owned());
    }
    let _ = RECORDER_CLASS.set(class as usize);
    let is_heard = context.jvmti().enable_events_global(&[jvmti::JVMTI_EVENT_VM_DEATH]).is_ok();
    is_heard.then_some(()).ok_or_else(|| "the VM does not report its end".to_owned())
}

/// Defines the recorder's classes and initialises the first, which initialises the rest.
///
/// # Errors
/// What the VM refused.
fn define(env: &JniEnv, recorder: &[(&str, &[u8])], method: &str) -> Result<Vec<jni::jclass>, String> {
    let mut classes = Vec::new();
    for (name, bytes) in recorder {
        // SAFETY: a null loader is the VM's own.
        match unsafe { env.define_class(name, std::ptr::null_mut(), &head_room::provided(name, bytes)) } {
            Some(class) => classes.push(class),
            None => {
                env.exception_clear();
                return Err(format!("the class {name} cannot be defined in this VM"));
            }
        }
    }
    // Looking up a method initialises the class, so that its methods can be called.
    // SAFETY: the class was just defined.
    let found = classes.first().and_then(|c| unsafe { env.get_static_method_id(*c, method, "()J") });
    if found.is_none() || env.exception_check() {
        env.exception_clear();
        let name = recorder.first().map_or("", |(name, _)| name);
        return Err(format!("the class {name} cannot be initialised in this VM"));
    }
    for (name, _) in recorder {
        // The loader of the program's classes finds them now. Later the stack may be too full for that.
        // SAFETY: the VM has handed out the reference just now.
        match env.find_class(name) {
            Some(class) => unsafe { env.delete_local_ref(class) },
            None => env.exception_clear(),
        }
    }
    Ok(classes)
}

/// Handles a recorder that cannot be used: releases its reserved memory for the program. Returns the reason
/// for the report.
fn forgo(why: String) -> String {
    let lacks = with_state(|state| {
        state.tracer.as_mut().is_some_and(|tracer| {
            // SAFETY: the recorder's initialiser failed, and no rewritten class calls it.
            unsafe { tracer.release() };
            tracer.lacks
        })
    });
    match lacks {
        Some(true) => "the process may not have as much address space as the recorder needs, at least 1 GB: the program ran \
                       unrecorded; allow it more (`ulimit -v`), or let its VM reserve less (`-Xmx`)"
            .to_owned(),
        _ => why,
    }
}

/// Reports a class as it was loaded, if the plan says so.
fn tell_loaded(state: &mut State, name: Option<&str>, bytes: &[u8]) {
    if let (true, Some(name)) = (state.probes.plan.tells_loaded, name) {
        let loaded = LoadedClass { class: name.to_owned(), bytes: bytes.to_vec() };
        state.reporter.tell(&Report::Loaded(loaded));
    }
}

/// A class with its probes, which are reported; none if it has none.
fn probe(state: &mut State, name: Option<&str>, bytes: &[u8], is_of_vm: bool) -> Option<Probed> {
    let probed = state.probes.probe(name, bytes, is_of_vm);
    if matches!(probed, Ok(Some(_))) && !is_of_vm {
        tell_loaded(state, name, bytes);
    }
    match probed {
        // Without this report, hits of its sites would be attributed to other sites.
        Ok(probed) => probed.filter(|probed| state.reporter.tell(&Report::Class(probed.report.clone()))),
        Err(error) => {
            let name = name.unwrap_or("a class without a name");
            state.reporter.tell(&Report::Problem(format!("{name} cannot be probed: {error}")));
            None
        }
    }
}

/// The recorded class file of a class; the inner option is none if the class stays unchanged. The outer
/// option is none if the run is not recorded.
fn record(state: &mut State, name: Option<&str>, loader: u32, bytes: &[u8]) -> Option<Option<Vec<u8>>> {
    match state.tracer.as_mut()?.record(name, loader, bytes) {
        Ok(None) => Some(None),
        // Without this report, events of its sites would be meaningless.
        Ok(Some(Recorded { bytes, report, unsteered })) => {
            if let Some(text) = unsteered {
                state.reporter.tell(&Report::Problem(text));
            }
            let is_told = report.is_none_or(|report| state.reporter.tell(&Report::Traced(report)));
            Some(if is_told { bytes } else { None })
        }
        Err(error) => {
            let name = name.unwrap_or("a class without a name");
            state.reporter.tell(&Report::Problem(format!("{name} cannot be recorded: {error}")));
            Some(None)
        }
    }
}

/// The class file of a class whose coverage is noted; the inner option is none if the class stays unchanged.
/// The outer option is none if the run does not note coverage.
fn cover(state: &mut State, name: Option<&str>, bytes: &[u8]) -> Option<Option<Vec<u8>>> {
    let covering = state.coverer.as_mut()?.cover(name, bytes);
    let name = name.unwrap_or("a class without a name");
    Some(match covering {
        Ok(None) => None,
        Ok(Some(Covering { bytes, class, left })) => {
            for (method, why) in left {
                let text = format!("the coverage of {name}.{method} is unknown: {why}");
                state.reporter.tell(&Report::Problem(text));
            }
            // Without this report, the numbers of its edges would be meaningless.
            state.reporter.tell(&Report::Coverable(class)).then_some(bytes)
        }
        Err(error) => {
            let text = format!("the coverage of {name} is unknown: {error}");
            state.reporter.tell(&Report::Problem(text));
            None
        }
    })
}

/// Reports what the run covered, unless its tests were reported one by one.
fn close_coverage(env: &JniEnv, class: jni::jclass) {
    // SAFETY: a global reference holds the class; the method takes nothing and returns nothing.
    unsafe {
        if let Some(method) = env.get_static_method_id(class, "close", "()V") {
            env.call_static_void_method(class, method, &[]);
        }
    }
    if env.exception_check() {
        env.exception_clear();
        problem("the recorder could not report the coverage".to_owned());
    }
}

/// Sets a system property of the program. `None` if the VM refuses.
fn set_property(env: &JniEnv, name: &str, value: &str) -> Option<()> {
    // SAFETY: the handles come from this environment and are used on this thread. `System.setProperty` takes
    // two strings and returns one.
    unsafe {
        let class = env.find_class("java/lang/System")?;
        let signature = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
        let method = env.get_static_method_id(class, "setProperty", signature)?;
        let (name, value) = (env.new_string_utf(name)?, env.new_string_utf(value)?);
        env.call_static_object_method(class, method, &[jni::jvalue { l: name }, jni::jvalue { l: value }]);
    }
    let is_set = !env.exception_check();
    env.exception_clear();
    is_set.then_some(())
}

/// What the recorder has counted, by site number.
struct Counted {
    /// The hits in threads that are asked for.
    hits: Vec<(u32, u64)>,
    /// What became of those of tested sites.
    tested: Vec<(u32, TestedCounts)>,
    /// Whether none was lost.
    is_whole: bool,
}

/// The counted hits.
fn counts(env: &JniEnv, class: jni::jclass) -> Option<Counted> {
    // SAFETY: a global reference holds the class; the method takes nothing and returns an array of `long`.
    let told = unsafe {
        let method = env.get_static_method_id(class, "counts", "()[J")?;
        let array = env.call_static_object_method(class, method, &[]);
        if array.is_null() || env.exception_check() {
            return None;
        }
        let length = env.get_array_length(array);
        let mut told = vec![0; usize::try_from(length).ok()?];
        env.get_long_array_region(array, 0, length, &mut told);
        told
    };
    let (lost, counts) = told.split_last()?;
    let sites = counts.len() / 4;
    let is_tested: HashSet<u32> = with_state(|state| state.probes.tested.clone()).unwrap_or_default();
    let (mut hits, mut tested) = (Vec::new(), Vec::new());
    for site in 0..sites {
        let of = |part: usize| u64::try_from(counts.get(part * sites + site).copied().unwrap_or(0)).ok();
        let (mine, other_thread, asked, other_caller) = (of(0)?, of(1)?, of(2)?, of(3)?);
        let number = u32::try_from(site).ok()?;
        hits.extend((mine > 0).then_some((number, mine)));
        let false_condition = mine.saturating_sub(asked + other_caller);
        let counts = TestedCounts { other_thread, false_condition, other_caller, asked };
        tested.extend(is_tested.contains(&number).then_some((number, counts)));
    }
    Some(Counted { hits, tested, is_whole: *lost == 0 })
}

/// CPU time of this process, if the operating system reports it: the fields `utime` and `stime` of proc(5),
/// in hundredths of a second.
fn busy_ms() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The command name may contain anything, and ends at the last bracket.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> = fields.split_whitespace().skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    match ticks[..] {
        [user, system] => Some((user + system) * 10),
        _ => None,
    }
}

/// Inserts probes into classes that were loaded before the agent received class events.
fn retransform(context: &CallbackContext<'_>) {
    let concerns = |name: &str| {
        with_state(|state| match (&state.tracer, &state.coverer) {
            (Some(tracer), _) => tracer.concerns(name),
            (None, Some(coverer)) => coverer.is_in_scope(name),
            (None, None) => state.probes.concerns(name),
        }) == Some(true)
    };
    transform_loaded(context.jvmti(), &concerns, &|name, why| {
        problem(format!("{name} was loaded before the agent and cannot be probed: {why}"));
    });
}
