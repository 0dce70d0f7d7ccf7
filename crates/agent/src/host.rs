//! The VM's side: loads the recorder, is told of classes, answers the recorder.

use crate::burial;
use crate::probes::Probes;
use crate::reporter::Reporter;
use jvmti_bindings::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use wire::{PROBE_CLASS, Report};

/// A class file that stands beside the recorder's source.
macro_rules! recorder {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../recorder/", $name, ".class")).as_slice())),*]
    };
}

/// The recorder's class files: the class itself, then those inside it.
const RECORDER: [(&str, &[u8]); 7] = recorder![
    "java/lang/QuerypointProbe",
    "java/lang/QuerypointProbe$Last",
    "java/lang/QuerypointProbe$Query",
    "java/lang/QuerypointProbe$Serial",
    "java/lang/QuerypointProbe$Site",
    "java/lang/QuerypointProbeContents",
    "java/lang/QuerypointProbeContents$Calls"
];

struct State {
    probes: Probes,
    reporter: Reporter,
}

/// The VM's tool interface, by its address: the natives are not handed it.
static TOOLS: OnceLock<usize> = OnceLock::new();

/// Where plans are.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// The recorder's class, a global reference, where its counts are asked for at the end.
static RECORDER_CLASS: OnceLock<usize> = OnceLock::new();

/// The plan's state: the natives are plain functions and find it here.
static STATE: OnceLock<Mutex<State>> = OnceLock::new();

fn with_state<T>(act: impl FnOnce(&mut State) -> T) -> Option<T> {
    // What panicked while it held the lock has written nothing that is half done: it only numbers sites.
    STATE.get().map(|state| act(&mut state.lock().unwrap_or_else(PoisonError::into_inner)))
}

fn problem(text: String) {
    with_state(|state| state.reporter.tell(&Report::Problem(text)));
}

/// The agent.
#[derive(Default)]
pub struct Host;

impl Agent for Host {
    fn on_load(&self, context: AgentLoadContext<'_>) -> jni::jint {
        let Ok(Some(folder)) = context.options_str() else { return jni::JNI_OK };
        if FOLDER.set(PathBuf::from(folder.as_ref())).is_err() {
            return jni::JNI_OK;
        }
        // What the VM refuses here shows by the report that does not begin.
        if let Ok(jvmti) = context.vm().jvmti() {
            let wanted = |caps: &mut jvmti::jvmtiCapabilities| {
                caps.set_can_generate_all_class_hook_events(true);
                caps.set_can_retransform_classes(true);
                caps.set_can_tag_objects(true);
            };
            let _ = jvmti
                .add_capabilities_with(wanted)
                .and_then(|_| jvmti.set_default_agent_callbacks())
                .and_then(|()| jvmti.enable_events_global(&[jvmti::JVMTI_EVENT_VM_INIT]));
        }
        jni::JNI_OK
    }

    fn vm_init(&self, context: CallbackContext<'_>, _event: ThreadEvent) {
        // `qp` has met the VM by now, and has written the plan if it is the one that is meant.
        let Some(env) = context.jni() else { return };
        let Some(plan) = FOLDER.get().and_then(|folder| wire::Plan::find(folder, std::process::id())) else {
            return;
        };
        let _ = TOOLS.set(context.jvmti().raw() as usize);
        let reporter = Reporter::open(&plan.report);
        if STATE.set(Mutex::new(State { probes: Probes::new(plan), reporter })).is_err() {
            return;
        }
        let mut classes = Vec::new();
        for (name, bytes) in RECORDER {
            // SAFETY: a null loader is the VM's own.
            match unsafe { env.define_class(name, std::ptr::null_mut(), bytes) } {
                Some(class) => classes.push(class),
                None => {
                    env.exception_clear();
                    return problem(format!("the class {name} cannot be defined in this VM"));
                }
            }
        }
        // Asking for a method initialises the class: from here on its methods can be called.
        // SAFETY: the class was just defined.
        let entered = classes.first().and_then(|c| unsafe { env.get_static_method_id(*c, "enter", "()J") });
        if entered.is_none() || env.exception_check() {
            env.exception_clear();
            return problem(format!("the class {PROBE_CLASS} cannot be initialised in this VM"));
        }
        if with_state(|state| state.probes.plan.counts) == Some(true)
            && let Some(class) = classes.first()
        {
            // SAFETY: the class was just defined. The reference lives as long as the VM.
            let class = unsafe { env.new_global_ref(*class) };
            let _ = RECORDER_CLASS.set(class as usize);
            if context.jvmti().enable_events_global(&[jvmti::JVMTI_EVENT_VM_DEATH]).is_err() {
                return problem("the VM does not tell of its end".to_owned());
            }
        }
        if let Err(error) = context.jvmti().enable_class_file_load_hook_events() {
            return problem(format!("the VM tells of no classes: {error:?}"));
        }
        with_state(|state| state.reporter.tell(&Report::Started));
        retransform(&context);
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        let (Some(env), Some(class)) = (context.jni(), RECORDER_CLASS.get()) else { return };
        // The state is not locked here: the recorder asks it.
        match counts(env, *class as jni::jclass) {
            Some((hits, whole)) => {
                if !whole {
                    problem("there was no memory, stack or number left to count all hits".to_owned());
                }
                let busy_ms = busy_ms();
                with_state(|state| state.reporter.tell(&Report::Counts { hits, busy_ms }));
            }
            None => {
                env.exception_clear();
                problem("the recorder could not tell its counts".to_owned());
            }
        }
    }

    fn class_file_load_hook<'callback>(
        &self,
        context: CallbackContext<'callback>,
        mut event: ClassFileLoadHookEvent<'callback>,
    ) {
        let Ok(name) = event.name_str() else { return };
        let name = name.as_deref();
        if name.is_some_and(|name| name.starts_with(PROBE_CLASS)) {
            return;
        }
        let bytes = event.class_data();
        let is_of_vm = event.loader().is_null();
        let probed = with_state(|state| {
            let probed = state.probes.probe(name, bytes, is_of_vm);
            match &probed {
                Ok(None) => {}
                Ok(Some(probed)) => {
                    // Hits of sites that nobody could be told of would be taken for others.
                    if !state.reporter.tell(&Report::Class(probed.report.clone())) {
                        return None;
                    }
                }
                Err(error) => {
                    let name = name.unwrap_or("a class without a name");
                    state.reporter.tell(&Report::Problem(format!("{name} cannot be probed: {error}")));
                }
            }
            probed.ok().flatten()
        });
        if let Some(Some(probed)) = probed
            && !probed.bytes.is_empty()
            && let Err(error) = event.set_transformed_class(&context, &probed.bytes)
        {
            problem(format!("{} cannot be probed: {error:?}", probed.report.class));
        }
    }
}

/// The hits that were counted, by number of the site, and whether those are all.
fn counts(env: &JniEnv, class: jni::jclass) -> Option<(Vec<(u32, u64)>, bool)> {
    // SAFETY: the class is held by a global reference; the method takes nothing and gives an array of `long`.
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
    let (lost, hits) = told.split_last()?;
    let hits = hits.iter().enumerate().filter(|(_, hits)| **hits > 0);
    let hits = hits.map(|(site, hits)| Some((u32::try_from(site).ok()?, u64::try_from(*hits).ok()?)));
    Some((hits.collect::<Option<Vec<_>>>()?, *lost == 0))
}

/// How long the processors were busy with this process, where the system tells: the fields `utime` and `stime` of
/// proc(5), in hundredths of a second.
fn busy_ms() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the command may hold anything, and ends with the last bracket.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> = fields.split_whitespace().skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    match ticks[..] {
        [user, system] => Some((user + system) * 10),
        _ => None,
    }
}

/// Puts probes into classes that were loaded before the agent was told of any.
fn retransform(context: &CallbackContext<'_>) {
    let jvmti = context.jvmti();
    let Ok(loaded) = jvmti.get_loaded_classes() else { return };
    for class in loaded {
        // SAFETY: the VM has just handed out the reference.
        let Ok((signature, _)) = (unsafe { jvmti.get_class_signature(class) }) else { continue };
        let name = signature.strip_prefix('L').and_then(|s| s.strip_suffix(';'));
        let Some(name) = name else { continue };
        if !with_state(|state| state.probes.concerns(name)).unwrap_or(false) {
            continue;
        }
        // SAFETY: as above.
        let done = unsafe {
            match jvmti.is_modifiable_class(class) {
                Ok(true) => jvmti.retransform_classes(&[class]).map_err(|error| format!("{error:?}")),
                _ => Err("the VM does not let it be changed".to_owned()),
            }
        };
        if let Err(why) = done {
            problem(format!("{name} was loaded before the agent and cannot be probed: {why}"));
        }
    }
}

/// `QuerypointProbe.budgets()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_budgets(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jintArray {
    let budgets = with_state(|state| {
        let all = state.probes.plan.queries.iter();
        // Where a hit is expected to be the last, none before it is kept.
        let budget = |q: &wire::PlannedQuery| match q.budget {
            0 if !q.armed.is_empty() => -1,
            budget => jni::jint::try_from(budget).unwrap_or(jni::jint::MAX),
        };
        all.map(budget).collect::<Vec<_>>()
    });
    let budgets = budgets.unwrap_or_default();
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let length = jni::jsize::try_from(budgets.len()).unwrap_or(0);
    let Some(array) = env.new_int_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_int_array_region(array, 0, length, &budgets) };
    array
}

/// `QuerypointProbe.collection(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_collection(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jstring {
    let about = with_state(|state| {
        let mut asked = state.probes.plan.contents.iter();
        asked.find(|c| i32::from(c.query) == query).map(|c| c.about.clone())
    });
    let Some(about) = about.flatten() else { return std::ptr::null_mut() };
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    env.new_string_utf(&about).unwrap_or(std::ptr::null_mut())
}

/// `QuerypointProbe.counting()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_counting(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let counts = with_state(|state| state.probes.plan.counts).unwrap_or_default();
    jni::jboolean::from(counts)
}

/// `QuerypointProbe.known()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_known(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jint {
    let known = with_state(|state| state.probes.sites.count()).unwrap_or_default();
    jni::jint::try_from(known).unwrap_or(jni::jint::MAX)
}

/// `QuerypointProbe.about(int, String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_about(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    site: jni::jint,
    thread: jni::jstring,
) -> jni::jlongArray {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // SAFETY: the recorder passes the name of a thread.
    let thread = unsafe { env.get_string_lossy(thread) }.unwrap_or_default();
    let about = with_state(|state| {
        let State { probes, .. } = state;
        let site = u32::try_from(site).ok().and_then(|number| probes.sites.get(number))?;
        let query = if probes.is_meant(site) { i64::from(site.query) } else { -1 };
        let armed = probes.sites.armed(&probes.plan, site, &thread);
        let armed = armed.into_iter().map(|hit| jni::jlong::try_from(hit).unwrap_or(jni::jlong::MAX));
        Some([query].into_iter().chain(armed).collect::<Vec<_>>())
    });
    let about = about.flatten().unwrap_or_else(|| vec![-1]);
    let length = jni::jsize::try_from(about.len()).unwrap_or(0);
    let Some(array) = env.new_long_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_long_array_region(array, 0, length, &about) };
    array
}

/// `QuerypointProbe.write(long, long, long)`.
///
/// # Safety
/// Called by the VM only, with memory that the recorder has allocated.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_write(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    offset: jni::jlong,
    address: jni::jlong,
    length: jni::jlong,
) -> jni::jboolean {
    let path = with_state(|state| state.probes.plan.log.clone());
    let (Some(path), Ok(offset), Ok(at), Ok(length)) =
        (path, u64::try_from(offset), usize::try_from(address), usize::try_from(length))
    else {
        return 0;
    };
    // SAFETY: the recorder has allocated it, and never frees it.
    let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, length) };
    u8::from(crate::reporter::write_at(&path, offset, bytes).is_ok())
}

/// `QuerypointProbe.bury(int, long, int, int)`.
///
/// # Safety
/// Called by the VM only, with the place of rows as the recorder's `Last` has them.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_bury(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
    rows: jni::jlong,
    capacity: jni::jint,
    used: jni::jint,
) -> jni::jint {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let Some(tools) = TOOLS.get() else { return -1 };
    // SAFETY: the address was taken from the VM, which is alive: it calls.
    let tools = unsafe { Jvmti::from_raw(*tools as *mut _) };
    // Elements of arrays and what is kept of other queries have no class that names all owners.
    let class = with_state(|state| {
        let field = state.probes.plan.fields.iter().find(|f| i32::from(f.query) == query && !f.is_static)?;
        Some(field.class.clone())
    });
    let (Some(Some(class)), Ok(capacity), Ok(used)) = (class, usize::try_from(capacity), u32::try_from(used))
    else {
        return -1;
    };
    let Some(alive) = burial::in_heap(&tools, &env, &class, used / 2) else { return -1 };
    // SAFETY: the recorder has allocated so many rows of two words, and no other thread has them.
    let rows = unsafe { std::slice::from_raw_parts_mut(rows as *mut [i64; 2], capacity) };
    let mut left = 0;
    for [word, record] in rows.iter_mut().filter(|[_, record]| *record != 0) {
        #[allow(clippy::cast_possible_truncation, reason = "the lower half is the hash")]
        if alive.contains(&(*word as jni::jint)) {
            left += 1;
        } else {
            *record = 0;
        }
    }
    left
}

/// `QuerypointProbe.tell()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_tell(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) {
    problem("there was no stack left to count a hit, or to stop at it".to_owned());
}
