//! Pins what differs from run to run, if the folder of the agent has pins: seeds, the order of immutable sets
//! and maps, the order of files in a folder, the process id, and the start of the clock. One row for each.
//!
//! The fields of [`FIELDS`] are set before the program begins. The methods of [`VALUES`] pass what they
//! return through `java.lang.QuerypointPins`. The natives of [`NATIVES`] are replaced; the VM's options keep
//! its compilers from using code of their own in place of them.

use crate::state::{problem, with_state};
use descriptor::Kind;
use jvmti_bindings::prelude::*;
use rewrite::{MethodPlan, RewriteError, Scan, Slot, Step};
use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use wire::{PINS_CLASS, Pins};

/// The pins of this VM.
static PINS: OnceLock<Pins> = OnceLock::new();

/// What could not be pinned before there was a report to say so in.
static UNTOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Says what cannot be pinned: at once, or when the report has begun.
pub fn lacks(what: &str) {
    let text = format!("not pinned: {what}");
    match with_state(|_| ()) {
        Some(()) => problem(text),
        None => UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).push(text),
    }
}

/// Says what was not said before the report began.
pub fn tell_lacks() {
    let untold = std::mem::take(&mut *UNTOLD.lock().unwrap_or_else(PoisonError::into_inner));
    untold.into_iter().for_each(problem);
}

/// Reads the pins of this VM, before it has started.
pub fn prepare(folder: &Path) {
    if let Some(pins) = Pins::read(folder) {
        let _ = PINS.set(pins);
    }
}

/// Whether there are pins.
pub fn are_set() -> bool {
    PINS.get().is_some()
}

/// What a static field holds.
enum Held {
    Long,
    Boolean,
    /// An `AtomicLong`.
    Atomic,
}

/// The class of `Set.of` and `Map.of`, and the prefix of its parts.
const IMMUTABLE: &str = "java/util/ImmutableCollections";

/// Static fields of the JDK that get a value of the pins: class, field, and what it holds.
const FIELDS: [(&str, &str, Held); 4] = [
    // Where the iteration of `Set.of` and `Map.of` begins, and in which direction it goes.
    (IMMUTABLE, "SALT32L", Held::Long),
    (IMMUTABLE, "REVERSE", Held::Boolean),
    ("java/util/concurrent/ThreadLocalRandom", "seeder", Held::Atomic),
    ("java/util/SplittableRandom", "defaultGen", Held::Atomic),
];

/// Sets the fields before the program begins.
pub fn set_fields(env: &JniEnv) {
    let Some(pins) = PINS.get() else { return };
    for (class, field, held) in &FIELDS {
        if set_field(env, class, field, held, pins).is_none() {
            env.exception_clear();
            lacks(&format!("{}.{field}", class.replace('/', ".")));
        }
    }
    if set_own(env, pins).is_none() {
        env.exception_clear();
        lacks("seeds and the process id");
    }
}

fn set_field(env: &JniEnv, class: &str, field: &str, held: &Held, pins: &Pins) -> Option<()> {
    let seed = mixed(pins.seed).cast_signed();
    // SAFETY: the handles come from this environment and are used on this thread; the fields have these
    // types.
    unsafe {
        let class = env.find_class(class)?;
        match held {
            Held::Long => {
                let id = env.get_static_field_id(class, field, "J")?;
                env.set_static_long_field(class, id, seed & 0xFFFF_FFFF);
            }
            Held::Boolean => {
                let id = env.get_static_field_id(class, field, "Z")?;
                env.set_static_boolean_field(class, id, seed < 0);
            }
            Held::Atomic => {
                let id = env.get_static_field_id(class, field, "Ljava/util/concurrent/atomic/AtomicLong;")?;
                let atomic = env.get_static_object_field(class, id);
                if atomic.is_null() {
                    return None;
                }
                let set = env.get_method_id(env.get_object_class(atomic), "set", "(J)V")?;
                env.call_void_method(atomic, set, &[jni::jvalue { j: seed }]);
            }
        }
    }
    (!env.exception_check()).then_some(())
}

/// Spreads the bits of a seed (Steele, Lea and Flood 2014).
fn mixed(seed: u64) -> u64 {
    let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let seed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let seed = (seed ^ (seed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    seed ^ (seed >> 31)
}

/// Tells the Java side what it returns.
fn set_own(env: &JniEnv, pins: &Pins) -> Option<()> {
    // SAFETY: as above.
    unsafe {
        let class = env.find_class(PINS_CLASS)?;
        let values = [
            ("seed", pins.seed.cast_signed()),
            ("ownPid", std::process::id().into()),
            ("pid", pins.pid.into()),
        ];
        for (field, value) in values {
            let id = env.get_static_field_id(class, field, "J")?;
            env.set_static_long_field(class, id, value);
        }
        // A thread that has begun to draw random numbers goes on from the seed too.
        let thread = env.find_class("java/lang/Thread")?;
        let current = env.get_static_method_id(thread, "currentThread", "()Ljava/lang/Thread;")?;
        let current = env.call_static_object_method(thread, current, &[]);
        let of_thread = env.get_field_id(thread, "threadLocalRandomSeed", "J")?;
        env.set_long_field(current, of_thread, mixed(pins.seed).cast_signed());
    }
    Some(())
}

/// Where a method passes its value to [`PINS_CLASS`].
enum Passed {
    /// The `long` on top of the stack, before the call of another constructor.
    Seed,
    /// The first argument, before each return.
    Argument,
    /// The returned value, before each return.
    Result,
}

/// A method of the JDK whose value passes through [`PINS_CLASS`].
struct PinnedValue {
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    passed: Passed,
    /// The method to which it is passed, and its descriptor.
    by: (&'static str, &'static str),
}

const VALUES: [PinnedValue; 5] = [
    PinnedValue {
        class: "java/util/Random",
        name: "<init>",
        descriptor: "()V",
        passed: Passed::Seed,
        by: ("seed", "(J)J"),
    },
    PinnedValue {
        class: "java/security/SecureRandom",
        name: "nextBytes",
        descriptor: "([B)V",
        passed: Passed::Argument,
        by: ("fill", "([B)V"),
    },
    PinnedValue {
        class: "java/security/SecureRandom",
        name: "generateSeed",
        descriptor: "(I)[B",
        passed: Passed::Result,
        by: ("filled", "([B)[B"),
    },
    PinnedValue {
        class: "java/io/File",
        name: "normalizedList",
        descriptor: "()[Ljava/lang/String;",
        passed: Passed::Result,
        by: ("sorted", "([Ljava/lang/String;)[Ljava/lang/String;"),
    },
    PinnedValue {
        class: "java/lang/ProcessHandleImpl",
        name: "pid",
        descriptor: "()J",
        passed: Passed::Result,
        by: ("pid", "(J)J"),
    },
];

/// Whether a loaded class has to be loaded again, by its name with slashes: its methods pass values, or the
/// VM may have compiled them with the values of fields that are final, and are set here.
pub fn concerns(class: &str) -> bool {
    are_set() && (passes(class) || class.starts_with(IMMUTABLE))
}

/// Whether methods of a class pass values.
fn passes(class: &str) -> bool {
    VALUES.iter().any(|value| value.class == class)
}

/// A class whose methods pass their values; `None` if it stays as it is.
pub fn put_into(class: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    if !are_set() || !passes(class) {
        return None;
    }
    let rewritten = rewritten(class, bytes);
    rewritten.map_err(|error| lacks(&format!("{class}: {error}"))).ok()
}

fn rewritten(class: &str, bytes: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let mut plan = rewrite::Plan::default();
    for shape in Scan::new(bytes)?.methods()? {
        let is_it = |of: &&PinnedValue| {
            of.class == class && of.name == shape.name && of.descriptor == shape.descriptor
        };
        let Some(value) = VALUES.iter().find(is_it) else { continue };
        let (name, descriptor) = value.by;
        let call = Step::Call { class: PINS_CLASS.into(), name: name.into(), descriptor: descriptor.into() };
        let steps = match value.passed {
            Passed::Seed | Passed::Result => vec![call],
            Passed::Argument => vec![Step::Load(Kind::Reference, Slot::Own(1)), call],
        };
        let mut method = MethodPlan::default();
        match value.passed {
            Passed::Seed => method.before.extend(shape.constructs_at.map(|at| (at, steps))),
            Passed::Argument | Passed::Result => {
                method.before.extend(shape.returns.iter().map(|at| (at.pc, steps.clone())));
            }
        }
        plan.methods.insert((shape.name, shape.descriptor), method);
    }
    for value in VALUES.iter().filter(|value| value.class == class) {
        let found = plan.methods.get(&(value.name.to_owned(), value.descriptor.to_owned()));
        if found.is_none_or(|method| method.before.is_empty()) {
            lacks(&format!("{}.{}, which this JDK lacks", class.replace('/', "."), value.name));
        }
    }
    Ok(rewrite::rewrite(bytes, &plan)?.bytes)
}

/// The VM's own functions, by address; 0 until it has bound them.
static MILLIS: AtomicUsize = AtomicUsize::new(0);
static NANOS: AtomicUsize = AtomicUsize::new(0);
static ADJUSTMENT: AtomicUsize = AtomicUsize::new(0);
/// What is added to the clock, in milliseconds, and to the timer, in nanoseconds.
static CLOCK_AHEAD: AtomicI64 = AtomicI64::new(0);
static TIMER_AHEAD: AtomicI64 = AtomicI64::new(0);

/// Where the timer begins, in nanoseconds. It has no meaning of its own (`System.nanoTime`).
const TIMER_FROM: i64 = 1_000_000_000_000;
const NANOS_IN_MILLI: i64 = 1_000_000;

type Time = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass) -> jni::jlong;
type Adjust = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong) -> jni::jlong;
type ProcessId = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject) -> jni::jint;

/// A native that is replaced.
struct Native {
    class: &'static str,
    name: &'static str,
    /// Where its address is kept, if what replaces it calls it.
    original: Option<&'static AtomicUsize>,
    function: fn() -> *mut c_void,
}

const NATIVES: [Native; 4] = [
    Native {
        class: "Ljava/lang/System;",
        name: "currentTimeMillis",
        original: Some(&MILLIS),
        function: || millis as Time as *mut c_void,
    },
    Native {
        class: "Ljava/lang/System;",
        name: "nanoTime",
        original: Some(&NANOS),
        function: || nanos as Time as *mut c_void,
    },
    Native {
        class: "Ljdk/internal/misc/VM;",
        name: "getNanoTimeAdjustment",
        original: Some(&ADJUSTMENT),
        function: || adjustment as Adjust as *mut c_void,
    },
    Native {
        class: "Lsun/management/VMManagementImpl;",
        name: "getProcessId",
        original: None,
        function: || process_id as ProcessId as *mut c_void,
    },
];

/// Replaces a native that the VM binds.
pub fn bound(jvmti: &Jvmti, event: &mut NativeMethodBindEvent) {
    if !are_set() {
        return;
    }
    // SAFETY: the VM has just handed out the method.
    let found = unsafe {
        let Ok((name, ..)) = jvmti.get_method_name(event.method()) else { return };
        if NATIVES.iter().all(|native| native.name != name) {
            return;
        }
        let Ok(class) = jvmti.get_method_declaring_class(event.method()) else { return };
        let Ok((class, _)) = jvmti.get_class_signature(class) else { return };
        NATIVES.iter().find(|native| native.name == name && native.class == class)
    };
    let Some(native) = found else { return };
    if let Some(original) = native.original {
        original.store(event.address() as usize, Ordering::Release);
    }
    // SAFETY: the function has the signature of the native.
    unsafe { event.set_new_address((native.function)()) };
}

/// Lets the clock begin, as the program does.
pub fn begin_clock(env: &JniEnv) {
    let Some(pins) = PINS.get() else { return };
    // The VM binds the third one when it is called first.
    let (now, timer) = (MILLIS.load(Ordering::Acquire), NANOS.load(Ordering::Acquire));
    if now == 0 || timer == 0 {
        return lacks("the clock: this VM binds its natives in another way");
    }
    // SAFETY: the VM bound these addresses to natives of this signature, which do not use the class.
    unsafe {
        let time = |address: usize| std::mem::transmute::<usize, Time>(address);
        let class = std::ptr::null_mut();
        CLOCK_AHEAD.store(pins.clock_ms.wrapping_sub(time(now)(env.raw(), class)), Ordering::Relaxed);
        TIMER_AHEAD.store(TIMER_FROM.wrapping_sub(time(timer)(env.raw(), class)), Ordering::Relaxed);
    }
}

unsafe extern "system" fn millis(env: *mut jni::JNIEnv, class: jni::jclass) -> jni::jlong {
    // SAFETY: the arguments are the VM's, which bound a native of this signature before it calls this.
    let now = unsafe { std::mem::transmute::<usize, Time>(MILLIS.load(Ordering::Acquire))(env, class) };
    now.wrapping_add(CLOCK_AHEAD.load(Ordering::Relaxed))
}

unsafe extern "system" fn nanos(env: *mut jni::JNIEnv, class: jni::jclass) -> jni::jlong {
    // SAFETY: as above.
    let now = unsafe { std::mem::transmute::<usize, Time>(NANOS.load(Ordering::Acquire))(env, class) };
    now.wrapping_add(TIMER_AHEAD.load(Ordering::Relaxed))
}

/// The nanoseconds of the clock after a second. The JDK asks again if they are too many: it gets -1 then.
unsafe extern "system" fn adjustment(
    env: *mut jni::JNIEnv,
    class: jni::jclass,
    from: jni::jlong,
) -> jni::jlong {
    let ahead = CLOCK_AHEAD.load(Ordering::Relaxed);
    let (seconds, rest) = (ahead.div_euclid(1000), ahead.rem_euclid(1000));
    // SAFETY: as above.
    let after = unsafe {
        std::mem::transmute::<usize, Adjust>(ADJUSTMENT.load(Ordering::Acquire))(
            env,
            class,
            from.wrapping_sub(seconds),
        )
    };
    if after == -1 { -1 } else { after.wrapping_add(rest * NANOS_IN_MILLI) }
}

unsafe extern "system" fn process_id(_env: *mut jni::JNIEnv, _this: jni::jobject) -> jni::jint {
    PINS.get().map_or(0, |pins| pins.pid.cast_signed())
}
