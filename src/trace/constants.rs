//! The names of enum constants: what their constructors were given first (JLS §8.9, as compilers translate it).

use super::calls::Calls;
use super::decode::Value;
use super::error::TraceError;
use std::collections::{HashMap, HashSet};

/// How the descriptors of the constructors of enums begin: the name and the ordinal.
const GIVEN: &str = "(Ljava/lang/String;I";
/// Most constants that are named.
const MOST: usize = 20_000;

impl Calls {
    /// Has the enum constants shown by their names whose constructors were recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn name_constants(&mut self) -> Result<(), TraceError> {
        let is_of_enum = |name: &str, descriptor: &str, class: &str| {
            let path = class.replace('.', "/");
            match name {
                "values" => descriptor == format!("()[L{path};"),
                "valueOf" => descriptor == format!("(Ljava/lang/String;)L{path};"),
                _ => false,
            }
        };
        // Both methods are the compiler's: a class that has them and such a constructor is an enum.
        let mut found: HashMap<&str, HashSet<&str>> = HashMap::new();
        for method in self.sites.methods() {
            if method.is_static && is_of_enum(&method.name, &method.descriptor, &method.class) {
                found.entry(&*method.class).or_default().insert(&method.name);
            }
        }
        let enums: HashSet<&str> =
            found.iter().filter(|(_, names)| names.len() == 2).map(|(class, _)| *class).collect();
        let constructors: Vec<(u32, String)> = (0..)
            .zip(self.sites.methods())
            .filter(|(_, m)| {
                m.name == "<init>" && m.descriptor.starts_with(GIVEN) && enums.contains(&*m.class)
            })
            .map(|(number, m)| (number, crate::model::short_class_name(&m.class)))
            .collect();
        let threads: Vec<u32> = self.threads().into_iter().map(|(number, ..)| number).collect();
        let mut named = HashMap::new();
        for (method, class) in constructors {
            for thread in &threads {
                for node in self.of_method(method, *thread) {
                    if named.len() >= MOST {
                        break;
                    }
                    let Some(call) = self.call(node)? else { continue };
                    let this = call.this.filter(|this| *this != 0 && !call.is_around);
                    let (Some(this), Some(Value::Object(name))) = (this, call.arguments.first()) else {
                        continue;
                    };
                    if let Some(text) = self.objects.text_of(*name) {
                        named.insert(this, format!("{class}.{}", text.begins));
                    }
                }
            }
        }
        self.objects.name_constants(named);
        Ok(())
    }
}
