//! Calls in the program's classes that write fields without an instruction that names them: reflection,
//! handles, field updaters and deserialisation; and native methods.

use super::hierarchy::method_name;
use crate::classes::ClassPool;
use crate::model::MethodName;
use bytecode::Op;
use jdk::Fields;

/// Maximum number of searched classes.
const MOST: usize = 20_000;
/// ACC_NATIVE (JVMS table 4.6-A).
const ACC_NATIVE: u16 = 0x0100;

/// What can write a field so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnseenWriters {
    /// The calling methods, each with the class and name of the first method of this kind that it calls.
    pub calls: Vec<(MethodName, String)>,
    /// The native methods.
    pub natives: Vec<MethodName>,
    /// Whether all classes were searched.
    pub is_whole: bool,
}

impl UnseenWriters {
    /// Searches the classes outside the JDK.
    pub fn of(pool: &ClassPool) -> UnseenWriters {
        let mut found = UnseenWriters { is_whole: true, ..UnseenWriters::default() };
        for (searched, name) in pool.user_classes().enumerate() {
            let class = pool.find(name).ok().flatten();
            let Some(class) = class.filter(|_| searched < MOST) else {
                found.is_whole = false;
                continue;
            };
            for method in &class.file.methods {
                if method.access & ACC_NATIVE != 0 {
                    found.natives.push(method_name(&class.file, method));
                }
                let called =
                    method.code.iter().flat_map(|code| &code.instructions).find_map(|i| match &i.op {
                        Op::Invoke { method, .. } => {
                            let facts = jdk::facts(&method.class, &method.name, &method.descriptor);
                            let writes = matches!(facts.fields, Some(Fields::OfReceiver | Fields::Any));
                            writes.then(|| format!("{}.{}", method.class.replace('/', "."), method.name))
                        }
                        _ => None,
                    });
                found.calls.extend(called.map(|called| (method_name(&class.file, method), called)));
            }
        }
        found
    }
}
