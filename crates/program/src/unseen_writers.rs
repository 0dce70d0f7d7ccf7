//! Calls in the program's classes that write fields, elements or contents without an event, such as
//! reflection, handles, copies of arrays and deserialisation; and native methods.

use super::hierarchy::method_name;
use bytecode::class::ACC_NATIVE;
use bytecode::{MethodRef, Op};
use classes::ClassPool;
use jdk::Fields;
use model::MethodName;

/// Maximum number of searched classes.
const MOST: usize = 20_000;

/// What can make such a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnseenWriters {
    /// The calling methods, each with the class and name of the first method of this kind that it calls.
    pub calls: Vec<(MethodName, String)>,
    /// The native methods.
    pub natives: Vec<MethodName>,
    /// Whether all classes were searched.
    pub is_whole: bool,
}

/// What the calls change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnseenCalls {
    /// Fields.
    OfFields,
    /// Elements of arrays: also by copies that the JDK makes, and through views.
    OfElements,
    /// The contents of collections of the JDK.
    OfContents,
}

impl UnseenCalls {
    fn include(self, called: &MethodRef) -> bool {
        let MethodRef { class, name, descriptor, .. } = called;
        let (class, name) = (class.as_str(), name.as_str());
        let writes = jdk::facts(class, name, descriptor).fields;
        let of_kind = match self {
            UnseenCalls::OfFields => false,
            UnseenCalls::OfElements => match class {
                "java.util.Arrays" => matches!(name, "copyOf" | "copyOfRange" | "asList"),
                "java.lang.reflect.Array" => name.starts_with("set"),
                _ => {
                    let is_copy = name == "toArray" || name == "clone" && class.ends_with("[]");
                    is_copy || name == "wrap" && class.starts_with("java.nio.")
                }
            },
            UnseenCalls::OfContents => {
                name == "clone" && !class.ends_with("[]")
                    || name == "setValue" && class == "java.util.Map$Entry"
            }
        };
        of_kind || matches!(writes, Some(Fields::OfReceiver | Fields::Any))
    }
}

impl UnseenWriters {
    /// Searches the classes outside the JDK for what writes fields.
    pub fn of(pool: &ClassPool) -> UnseenWriters {
        UnseenWriters::making(pool, UnseenCalls::OfFields)
    }

    /// Searches the classes outside the JDK.
    pub fn making(pool: &ClassPool, of: UnseenCalls) -> UnseenWriters {
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
                            of.include(method).then(|| format!("{}.{}", method.class, method.name))
                        }
                        _ => None,
                    });
                found.calls.extend(called.map(|called| (method_name(&class.file, method), called)));
            }
        }
        found
    }
}
