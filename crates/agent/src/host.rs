//! The VM's side: loads the recorder, is told of classes, answers the recorder.

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
const RECORDER: [(&str, &[u8]); 5] = recorder![
    "java/lang/QuerypointProbe",
    "java/lang/QuerypointProbe$Last",
    "java/lang/QuerypointProbe$Query",
    "java/lang/QuerypointProbe$Serial",
    "java/lang/QuerypointProbe$Site"
];

struct State {
    probes: Probes,
    reporter: Reporter,
}

/// Where plans are.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

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
        if let Err(error) = context.jvmti().enable_class_file_load_hook_events() {
            return problem(format!("the VM tells of no classes: {error:?}"));
        }
        with_state(|state| state.reporter.tell(&Report::Started));
        retransform(&context);
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

/// `QuerypointProbe.tell()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbe_tell(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) {
    problem("there was no stack left to stop at a hit".to_owned());
}
