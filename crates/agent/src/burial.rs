//! Objects that are gone: what was kept of them can win no more. The recorder asks before it takes more memory, so what
//! it has is bounded by the objects in the heap.

use jvmti_bindings::prelude::*;
use std::collections::HashSet;
use std::ffi::c_void;

/// Marks the classes whose objects are looked at.
const CLASS: jni::jlong = 1;
/// Marks such an object.
const OWNER: jni::jlong = 2;

/// How many objects were met, and with how many it is enough.
struct Met {
    count: u32,
    enough: u32,
}

/// The identity hash codes of the objects of a class, its subclasses included, that are in the heap; none if there are
/// as many as `enough`, or if the VM does not tell. The class's name has slashes.
pub fn in_heap(jvmti: &Jvmti, env: &JniEnv, class: &str, enough: u32) -> Option<HashSet<jni::jint>> {
    let signature = format!("L{class};");
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
    let found = marked(jvmti, enough).then(|| hashes(jvmti, env)).flatten();
    if found.is_none() {
        unmark(jvmti);
    }
    for class in tagged {
        // SAFETY: as above. A tag that stays does no harm: nobody else reads it.
        let _ = unsafe { jvmti.set_tag(class, 0) };
    }
    for class in loaded {
        // SAFETY: as above, and it is not used any more.
        unsafe { env.delete_local_ref(class) };
    }
    found
}

/// Marks the objects of the marked classes; false if there are too many.
fn marked(jvmti: &Jvmti, enough: u32) -> bool {
    let mut met = Met { count: 0, enough };
    let callbacks = jvmti::jvmtiHeapCallbacks {
        heap_iteration_callback: Some(mark),
        ..jvmti::jvmtiHeapCallbacks::default()
    };
    let data: *mut Met = &raw mut met;
    let data: *const c_void = data.cast();
    // SAFETY: the callback takes what it is given here.
    let walked = unsafe {
        let filter = jvmti::JVMTI_HEAP_FILTER_CLASS_UNTAGGED;
        jvmti.iterate_through_heap(filter, std::ptr::null_mut(), &callbacks, data)
    };
    walked.is_ok() && met.count < enough
}

unsafe extern "system" fn mark(
    _class_tag: jni::jlong,
    _size: jni::jlong,
    tag: *mut jni::jlong,
    _length: jni::jint,
    data: *mut c_void,
) -> jni::jint {
    // SAFETY: `marked` passes this, and nobody else has it while the heap is walked.
    let met = unsafe { &mut *data.cast::<Met>() };
    met.count += 1;
    if met.count >= met.enough {
        return jvmti::JVMTI_VISIT_ABORT;
    }
    // SAFETY: the VM passes the place of the object's tag.
    unsafe { *tag = OWNER };
    jvmti::JVMTI_VISIT_OBJECTS
}

/// The hash codes of the marked objects, which are marked no more.
fn hashes(jvmti: &Jvmti, env: &JniEnv) -> Option<HashSet<jni::jint>> {
    let (objects, _) = jvmti.get_objects_with_tags(&[OWNER]).ok()?;
    let mut found = HashSet::with_capacity(objects.len());
    let mut all = true;
    for object in objects {
        // SAFETY: the VM has just handed out the reference, which is not used after this.
        unsafe {
            match jvmti.get_object_hash_code(object) {
                Ok(hash) => drop(found.insert(hash)),
                Err(_) => all = false,
            }
            let _ = jvmti.set_tag(object, 0);
            env.delete_local_ref(object);
        }
    }
    all.then_some(found)
}

fn unmark(jvmti: &Jvmti) {
    let callbacks = jvmti::jvmtiHeapCallbacks {
        heap_iteration_callback: Some(clear),
        ..jvmti::jvmtiHeapCallbacks::default()
    };
    // SAFETY: the callback takes nothing. What it could not reach stays marked, which does no harm but costs memory.
    let _ = unsafe {
        let filter = jvmti::JVMTI_HEAP_FILTER_UNTAGGED;
        jvmti.iterate_through_heap(filter, std::ptr::null_mut(), &callbacks, std::ptr::null())
    };
}

unsafe extern "system" fn clear(
    _class_tag: jni::jlong,
    _size: jni::jlong,
    tag: *mut jni::jlong,
    _length: jni::jint,
    _data: *mut c_void,
) -> jni::jint {
    // SAFETY: the VM passes the place of the object's tag.
    unsafe {
        if *tag == OWNER {
            *tag = 0;
        }
    }
    jvmti::JVMTI_VISIT_OBJECTS
}
