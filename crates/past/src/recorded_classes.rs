//! The classes that expressions name: those of class files, otherwise as the recording describes them.

use bytecode::{ClassFile, Field, Method};
use classes::ClassPool;
use expr::ClassLookup;
use std::sync::Arc;
use trace::Calls;

/// The classes of a recorded program.
#[derive(Clone, Copy)]
pub struct RecordedClasses<'a> {
    /// The class files, if they are there.
    pub pool: Option<&'a ClassPool>,
    /// The recording, if its classes count.
    pub calls: Option<&'a Calls>,
}

impl RecordedClasses<'_> {
    /// A class of the recording, without code; `None` if it has no such class.
    pub fn recorded(calls: &Calls, name: &str) -> Option<ClassFile> {
        let class = calls.sites.class_of(name)?;
        let field = |field: &trace::Field| Field {
            name: field.name.clone(),
            descriptor: field.descriptor.clone(),
            access: field.access,
            constant: None,
        };
        let method = |method: &trace::Method| Method {
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            access: method.access,
            code: None,
            annotations: Vec::new(),
        };
        let methods = calls.sites.methods().iter().filter(|method| *method.class == *name);
        Some(ClassFile {
            name: name.to_owned(),
            super_name: class.superclass.clone(),
            interfaces: class.interfaces.clone(),
            access: class.access,
            major: 0,
            source_file: None,
            source_map: None,
            fields: class.fields.iter().map(field).collect(),
            methods: methods.map(method).collect(),
            inner_classes: Vec::new(),
            enclosing_class: None,
            enclosing_method: None,
            nest_host: None,
            nest_members: Vec::new(),
            record_components: None,
            annotations: Vec::new(),
        })
    }

    /// The recorded classes with a simple name.
    fn recorded_with(&self, simple: &str) -> Vec<String> {
        let all = self.calls.into_iter().flat_map(|calls| calls.sites.classes());
        let is_it = |name: &&Arc<str>| name.rsplit(['.', '$']).next() == Some(simple);
        all.map(|(name, _)| name).filter(is_it).map(|name| name.to_string()).collect()
    }
}

impl ClassLookup for RecordedClasses<'_> {
    fn class(&self, binary_name: &str) -> Option<Arc<ClassFile>> {
        let found = self.pool.and_then(|pool| pool.find(binary_name).ok().flatten());
        match (found, self.calls) {
            (Some(found), _) => Some(found.file.clone()),
            (None, Some(calls)) => RecordedClasses::recorded(calls, binary_name).map(Arc::new),
            (None, None) => None,
        }
    }

    fn denoted(&self, own: &str, simple: &str) -> Vec<String> {
        let named = self.pool.map(|pool| pool.denoted(own, simple).to_vec()).unwrap_or_default();
        if named.is_empty() { self.recorded_with(simple) } else { named }
    }

    fn imported(&self, own: &str, name: &str, is_method: bool) -> Vec<String> {
        self.pool.map(|pool| pool.imported(own, name, is_method).to_vec()).unwrap_or_default()
    }
}
