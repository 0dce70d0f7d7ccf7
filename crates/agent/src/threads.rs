//! Rewrites the JDK's thread classes in recorded runs, to report the start of threads and how they end.

use descriptor::Kind;
use rewrite::{MethodPlan, RewriteError, Scan, Slot, Step};
use wire::TRACE_CLASS;

/// A method by name and descriptor, the recorder's method with the argument's slot, and whether the call is
/// at the method's return instead of its entry.
type Row = (&'static str, &'static str, &'static str, u16, bool);

/// The classes, with slashes, and their methods. Methods missing in some JDK are skipped. JVMTI reports the
/// ends of platform threads.
const TABLE: [(&str, &[Row]); 2] = [
    (
        "java/lang/Thread",
        &[
            ("dispatchUncaughtException", "(Ljava/lang/Throwable;)V", "uncaught", 1, false),
            ("start", "()V", "starts", 0, false),
            ("start", "(Ljdk/internal/vm/ThreadContainer;)V", "starts", 0, false),
        ],
    ),
    (
        "java/lang/VirtualThread",
        &[
            ("start", "(Ljdk/internal/vm/ThreadContainer;)V", "starts", 0, false),
            ("run", "(Ljava/lang/Runnable;)V", "ends", 0, true),
        ],
    ),
];

/// Whether a class is rewritten here, by its name with slashes.
pub fn concerns(class: &str) -> bool {
    TABLE.iter().any(|(name, _)| *name == class)
}

/// Inserts the reporting calls into a thread class.
///
/// # Errors
/// The class file is broken, or its constant pool is full.
pub fn put_into(class: &str, bytes: &[u8]) -> Result<Vec<u8>, RewriteError> {
    let rows = TABLE.iter().find(|(name, _)| *name == class).map_or(&[][..], |(_, rows)| rows);
    let mut plan = rewrite::Plan::default();
    for shape in Scan::new(bytes)?.methods()? {
        let is_it = |(name, descriptor, ..): &&Row| shape.name == *name && shape.descriptor == *descriptor;
        let Some((.., calls, slot, at_end)) = rows.iter().find(is_it) else { continue };
        let (name, descriptor) = ((*calls).into(), "(Ljava/lang/Object;)V".into());
        let call = Step::Call { class: TRACE_CLASS.into(), name, descriptor };
        let steps = vec![Step::Load(Kind::Reference, Slot::Own(*slot)), call];
        let mut method = MethodPlan::default();
        match at_end {
            false => method.entry = steps,
            true => method.before.extend(shape.returns.iter().map(|at| (at.pc, steps.clone()))),
        }
        plan.methods.insert((shape.name, shape.descriptor), method);
    }
    Ok(rewrite::rewrite(bytes, &plan)?.bytes)
}
