//! The code of recorded methods, from class files.

use classes::{ClassPool, FoundClass};
use std::collections::HashMap;
use std::sync::Arc;
use trace::Calls;

/// A method in its class file.
pub(super) struct MethodFound {
    class: Arc<FoundClass>,
    at: usize,
}

impl MethodFound {
    /// The method.
    pub fn method(&self) -> Option<&bytecode::Method> {
        self.class.file.methods.get(self.at)
    }

    /// Its code.
    pub fn code(&self) -> Option<&bytecode::Code> {
        self.method()?.code.as_ref()
    }
}

/// The recorded methods whose class files were looked for, by number.
#[derive(Default)]
pub(super) struct Methods {
    known: HashMap<u32, Option<Arc<MethodFound>>>,
}

impl Methods {
    /// A recorded method in its class file, if that is there.
    pub fn find(&mut self, number: u32, calls: &Calls, pool: Option<&ClassPool>) -> Option<Arc<MethodFound>> {
        if let Some(known) = self.known.get(&number) {
            return known.clone();
        }
        let found = || {
            let method = calls.sites.method(number)?;
            let class = pool?.find(&method.class).ok()??;
            let is_it = |of: &bytecode::Method| of.name == method.name && of.descriptor == method.descriptor;
            let at = class.file.methods.iter().position(is_it)?;
            Some(Arc::new(MethodFound { class, at }))
        };
        let found = found();
        self.known.insert(number, found.clone());
        found
    }
}
