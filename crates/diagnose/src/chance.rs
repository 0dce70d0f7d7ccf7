//! JDK methods whose results can change from run to run: time, random numbers, identity, the environment.

use bytecode::Op;
use classes::ClassPool;
use trace::Method;

/// Prefixes of the names of classes whose methods all count.
const CLASSES: [&str; 12] = [
    "java.util.Random",
    "java.util.SplittableRandom",
    "java.util.UUID",
    "java.util.concurrent.ThreadLocalRandom",
    "java.util.random.",
    "java.security.SecureRandom",
    "java.lang.Thread",
    "java.lang.Runtime",
    "java.lang.Process",
    "java.io.File",
    "java.nio.file.",
    "java.net.",
];

/// Single methods that count.
const METHODS: [(&str, &str); 12] = [
    ("java.lang.System", "currentTimeMillis"),
    ("java.lang.System", "nanoTime"),
    ("java.lang.System", "identityHashCode"),
    ("java.lang.System", "getenv"),
    ("java.lang.System", "getProperty"),
    ("java.lang.Math", "random"),
    ("java.lang.StrictMath", "random"),
    ("java.lang.Object", "hashCode"),
    ("java.lang.Object", "toString"),
    ("java.util.Collections", "shuffle"),
    ("java.util.Set", "of"),
    ("java.util.Map", "of"),
];

/// Whether the method's own code calls one of them.
pub fn may_vary(method: &Method, pool: Option<&ClassPool>) -> bool {
    let found = pool.and_then(|pool| pool.find(&method.class).ok().flatten());
    let code = found.as_ref().and_then(|found| found.file.method(&method.name, &method.descriptor));
    let calls = code.and_then(|method| method.code.as_ref()).into_iter().flat_map(|code| &code.instructions);
    let varies = |op: &Op| match op {
        Op::Invoke { method, .. } => {
            let class = bytecode::descriptor::class_name(&method.class);
            let is_now = class.starts_with("java.time.") && method.name == "now";
            is_now
                || CLASSES.iter().any(|begin| class.starts_with(begin))
                || METHODS.iter().any(|(of, name)| class == *of && method.name == *name)
        }
        _ => false,
    };
    calls.into_iter().any(|instruction| varies(&instruction.op))
}
