//! What goes into the JDK's classes of threads, where a run is recorded: what tells that threads start, and
//! how they end.

use bytecode::Kind;
use bytecode::rewrite::{self, MethodPlan, RewriteError, Scan, Slot, Step};
use wire::TRACE_CLASS;

/// A method by its name and descriptor, what of the recorder is called with which variable, and whether that
/// is as the method returns, not as it begins.
type Row = (&'static str, &'static str, &'static str, u16, bool);

/// The classes, with slashes, and their methods. One that is not there in some JDK gets nothing. That another
/// thread than a virtual one ends is told by JVMTI.
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

/// Whether something goes into a class, by its name with slashes.
pub fn concerns(class: &str) -> bool {
    TABLE.iter().any(|(name, _)| *name == class)
}

/// Puts into a class of threads what tells of them.
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
