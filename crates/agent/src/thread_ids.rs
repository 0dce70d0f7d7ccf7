//! Ids of threads, which `Thread.toString()` shows since Java 21.
//!
//! The VM's debug agent starts three threads of its own before the program begins. The program does not see
//! them, but each takes an id. Without them, the program's threads have the ids that they have in any run.

use jvmti_bindings::prelude::*;
use std::sync::atomic::{AtomicI64, Ordering};

/// The threads of the debug agent: one listens to the debugger, one reports events, one reads commands.
const OF_DEBUG_AGENT: i64 = 3;
/// More threads than a VM starts before a program. A larger number is no counter.
const MOST: i64 = 1000;

/// Gives the next thread the id that it has without the debug agent. In a VM that counts threads in another
/// way, nothing changes.
pub fn set_back(env: &JniEnv) {
    if in_field(env).is_none() {
        // A class or a field that is not there was looked up.
        env.exception_clear();
        in_vm(env);
        env.exception_clear();
    }
}

/// Up to Java 18, a field of `Thread` has the last id.
fn in_field(env: &JniEnv) -> Option<()> {
    // SAFETY: the handles come from this environment and are used on this thread; the field is a static long.
    unsafe {
        let class = env.find_class("java/lang/Thread")?;
        let field = env.get_static_field_id(class, "threadSeqNumber", "J")?;
        let last = env.get_static_long_field(class, field);
        if (OF_DEBUG_AGENT..MOST).contains(&last) {
            env.set_static_long_field(class, field, last - OF_DEBUG_AGENT);
        }
    }
    Some(())
}

/// Since Java 19, the VM has the next id, and a field has its address.
fn in_vm(env: &JniEnv) -> Option<()> {
    // SAFETY: the handles come from this environment and are used on this thread. `Thread` itself adds to the
    // long at this address with `Unsafe`, atomically.
    unsafe {
        let class = env.find_class("java/lang/Thread$ThreadIdentifiers")?;
        let field = env.get_static_field_id(class, "NEXT_TID_OFFSET", "J")?;
        let address = usize::try_from(env.get_static_long_field(class, field)).ok()?;
        let next = std::ptr::with_exposed_provenance_mut::<i64>(address);
        if next.is_null() || !next.is_aligned() {
            return None;
        }
        let next = AtomicI64::from_ptr(next);
        if (OF_DEBUG_AGENT..MOST).contains(&next.load(Ordering::Relaxed)) {
            next.fetch_sub(OF_DEBUG_AGENT, Ordering::Relaxed);
        }
    }
    Some(())
}
