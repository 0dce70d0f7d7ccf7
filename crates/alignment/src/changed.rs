//! Tells which methods have other code in the two versions.

use super::lambdas::Lambdas;
use bytecode::Op;
use bytecode::op::Constant;
use classes::ClassPool;
use std::collections::HashMap;
use trace::Method;

/// The prefix of methods that the compiler numbers: bodies of lambdas, and accessors.
const NUMBERED: [&str; 2] = ["lambda$", "access$"];

/// The access flags that say how the code runs: `ACC_STATIC`, `ACC_SYNCHRONIZED`, `ACC_NATIVE` and
/// `ACC_ABSTRACT`.
const CODE_FLAGS: u16 = 0x0008 | 0x0020 | 0x0100 | 0x0400;

/// The methods whose code was compared, by class, name and descriptor in the first version.
#[derive(Default)]
pub struct ChangedMethods {
    known: HashMap<(String, String, String), Option<bool>>,
    lambdas: Lambdas,
}

impl ChangedMethods {
    /// Whether a method of the first version has other code in the second one. `None` if class files are
    /// missing. A lambda is compared with the lambda at the same place.
    pub fn is_changed(&mut self, method: &Method, pools: [Option<&ClassPool>; 2]) -> Option<bool> {
        let key = (method.class.to_string(), method.name.clone(), method.descriptor.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = self.compared(method, pools);
        self.known.insert(key, found);
        found
    }

    fn compared(&mut self, method: &Method, pools: [Option<&ClassPool>; 2]) -> Option<bool> {
        let [here, there] = [pools[0]?, pools[1]?];
        let one = here.find(&method.class).ok()??;
        let one = one.file.method(&method.name, &method.descriptor)?;
        let Some(class) = there.find(&method.class).ok()? else { return Some(true) };
        let place = self.lambdas.method(&method.class, &method.name, Some(here));
        let mut of_there = Lambdas::default();
        let other = class.file.methods.iter().find(|other| {
            let name = of_there.method(&method.class, &other.name, Some(there));
            name == place && other.descriptor == method.descriptor
        });
        let Some(other) = other else { return Some(true) };
        Some(code(one) != code(other))
    }
}

/// The operations and exception handlers of a method, and whether it is synchronized, native or abstract.
/// Names that the compiler numbers are left out.
fn code(method: &bytecode::class::Method) -> Vec<String> {
    let instructions = method.code.iter().flat_map(|code| &code.instructions);
    let operations = instructions.map(|instruction| text_without_numbers(&instruction.op));
    let handlers = method.code.iter().flat_map(|code| &code.handlers).map(|handler| format!("{handler:?}"));
    operations.chain(handlers).chain([(method.access & CODE_FLAGS).to_string()]).collect()
}

/// An operation as text, without names that the compiler numbers.
pub fn text_without_numbers(op: &Op) -> String {
    let is_numbered = |name: &str| NUMBERED.iter().any(|begin| name.starts_with(begin));
    match op {
        Op::Invoke { method, .. } if is_numbered(&method.name) => {
            format!("{} {}", method.class, method.descriptor)
        }
        Op::InvokeDynamic { name, descriptor, bootstrap } => {
            let arguments = bootstrap.iter().flat_map(|bootstrap| &bootstrap.arguments);
            let arguments = arguments.map(|argument| match argument {
                Constant::MethodHandle(called) if is_numbered(&called.name) => called.class.clone(),
                other => format!("{other:?}"),
            });
            format!("{name} {descriptor} {:?}", arguments.collect::<Vec<_>>())
        }
        other => format!("{other:?}"),
    }
}
