//! Finds dead objects, so that the hits retained for them can be dropped. The recorder asks before it takes
//! more memory. So its memory is bounded by the number of objects in the heap.

use jvmti_bindings::prelude::*;
use std::collections::HashSet;
use std::ffi::c_void;

/// Tags the classes whose objects are counted.
const CLASS: jni::jlong = 1;
/// The bit in which an object's number differs from its hash code; as in the recorder's
/// `QuerypointProbeNumber`.
const GIVEN: jni::jint = 1 << 30;
/// Tags a counted object.
const OWNER: jni::jlong = 2;

/// Up to this number, objects are tagged without a garbage collection.
const FEW: u32 = 1 << 16;
/// From this number on, a forced garbage collection pays off.
const MANY: u32 = 1 << 19;

/// The number of counted objects, and the limit at which counting stops.
struct ObjectCount {
    count: u32,
    enough: u32,
}

/// The numbers of the objects in the heap whose class is this one or a subclass. None if there are `enough`
/// or more, or if the VM refuses.
pub fn in_heap(jvmti: &Jvmti, env: &JniEnv, signature: &str, enough: u32) -> Option<HashSet<jni::jint>> {
    let loaded = jvmti.get_loaded_classes().ok()?;
    // SAFETY: the VM has just handed out these references.
    let is_named =
        |c: &jni::jclass| unsafe { jvmti.get_class_signature(*c) }.is_ok_and(|(named, _)| named == signature);
    let named: Vec<jni::jclass> = loaded.iter().copied().filter(is_named).collect();
    let mut tagged = Vec::new();
    for class in &loaded {
        // SAFETY: as above.
        let is_owners = named.iter().any(|base| unsafe { env.is_assignable_from(*class, *base) });
        // SAFETY: as above.
        if is_owners && unsafe { jvmti.set_tag(*class, CLASS) }.is_ok() {
            tagged.push(*class);
        }
    }
    let mut few = met(jvmti, count, enough);
    if enough > MANY && !met(jvmti, count, FEW) {
        // Dead objects are still in the heap. Tagging them would cost more than collecting them.
        few = jvmti.force_garbage_collection().is_ok() && met(jvmti, count, enough);
    }
    let found = (few && met(jvmti, mark, enough)).then(|| numbers(jvmti, env)).flatten();
    if few {
        unmark(jvmti);
    }
    for class in tagged {
        // SAFETY: as above. A tag that remains does no harm, because nobody else reads it.
        let _ = unsafe { jvmti.set_tag(class, 0) };
    }
    for class in loaded {
        // SAFETY: as above, and the reference is not used any more.
        unsafe { env.delete_local_ref(class) };
    }
    found
}

/// Whether the heap contains fewer than `enough` objects of the tagged classes.
fn met(jvmti: &Jvmti, callback: jvmti::jvmtiHeapIterationCallback, enough: u32) -> bool {
    let mut met = ObjectCount { count: 0, enough };
    let data: *mut ObjectCount = &raw mut met;
    walk(jvmti, jvmti::JVMTI_HEAP_FILTER_CLASS_UNTAGGED, callback, data.cast()) && met.count < enough
}

fn walk(
    jvmti: &Jvmti,
    filter: jni::jint,
    callback: jvmti::jvmtiHeapIterationCallback,
    data: *mut c_void,
) -> bool {
    let none = jvmti::jvmtiHeapCallbacks::default();
    let callbacks = jvmti::jvmtiHeapCallbacks { heap_iteration_callback: Some(callback), ..none };
    // SAFETY: each callback here accepts the data that its caller passes.
    unsafe { jvmti.iterate_through_heap(filter, std::ptr::null_mut(), &callbacks, data) }.is_ok()
}

unsafe extern "system" fn count(
    _class_tag: jni::jlong,
    _size: jni::jlong,
    _tag: *mut jni::jlong,
    _length: jni::jint,
    data: *mut c_void,
) -> jni::jint {
    // SAFETY: `met` passes this, and no other code accesses it during the heap walk.
    let met = unsafe { &mut *data.cast::<ObjectCount>() };
    met.count += 1;
    if met.count >= met.enough { jvmti::JVMTI_VISIT_ABORT } else { jvmti::JVMTI_VISIT_OBJECTS }
}

unsafe extern "system" fn mark(
    class_tag: jni::jlong,
    size: jni::jlong,
    tag: *mut jni::jlong,
    length: jni::jint,
    data: *mut c_void,
) -> jni::jint {
    // SAFETY: the VM passes the address of the object's tag, and the data from `met`.
    unsafe {
        *tag = OWNER;
        count(class_tag, size, tag, length, data)
    }
}

/// The numbers of the tagged objects.
fn numbers(jvmti: &Jvmti, env: &JniEnv) -> Option<HashSet<jni::jint>> {
    let (objects, _) = jvmti.get_objects_with_tags(&[OWNER]).ok()?;
    let mut found = HashSet::new();
    found.try_reserve(objects.len()).ok()?;
    let mut all = true;
    for object in objects {
        // SAFETY: the VM has just handed out the reference, which is not used after this.
        unsafe {
            match jvmti.get_object_hash_code(object) {
                Ok(hash) => drop(found.insert(hash ^ GIVEN)),
                Err(_) => all = false,
            }
            env.delete_local_ref(object);
        }
    }
    all.then_some(found)
}

/// Clears the tags. Objects that the walk does not reach stay tagged: this is harmless, but costs memory.
fn unmark(jvmti: &Jvmti) {
    walk(jvmti, jvmti::JVMTI_HEAP_FILTER_UNTAGGED, clear, std::ptr::null_mut());
}

unsafe extern "system" fn clear(
    _class_tag: jni::jlong,
    _size: jni::jlong,
    tag: *mut jni::jlong,
    _length: jni::jint,
    _data: *mut c_void,
) -> jni::jint {
    // SAFETY: the VM passes the address of the object's tag.
    unsafe {
        if *tag == OWNER {
            *tag = 0;
        }
    }
    jvmti::JVMTI_VISIT_OBJECTS
}
