//! Recognises the classes of tests: those with annotations of a test framework or with such a superclass, and
//! their nested classes.

use super::code_owner::{is_of_harness, top_level};
use super::pool::ClassPool;

/// Maximum number of superclasses; no class has that many.
const MOST_ABOVE: usize = 64;

impl ClassPool {
    /// Whether a class, given by its binary name, belongs to a test.
    pub fn is_of_test(&self, class: &str) -> bool {
        self.is_test(top_level(class)) || self.is_test(class)
    }

    fn is_test(&self, class: &str) -> bool {
        let mut at = class.to_owned();
        for _ in 0..MOST_ABOVE {
            // The runner of a test is no test, though it calls one.
            if is_of_harness(&at) {
                return at != class;
            }
            let Some(found) = self.find(&at).ok().flatten().filter(|found| !found.origin.is_runtime()) else {
                return false;
            };
            let of_methods = found.file.methods.iter().flat_map(|method| &method.annotations);
            if found.file.annotations.iter().chain(of_methods).any(|of| is_of_harness(&of.class)) {
                return true;
            }
            match &found.file.super_name {
                Some(above) => at.clone_from(above),
                None => return false,
            }
        }
        false
    }

    /// Whether a test method is declared to throw this exception, by JUnit 4's `@Test(expected = …)` or
    /// TestNG's `expectedExceptions`. The class is a binary name.
    pub fn expects(&self, class: &str, name: &str, descriptor: &str, exception: &str) -> bool {
        let wanted = self.expected_exceptions(class, name, descriptor);
        wanted.iter().any(|wanted| self.is_below(exception, wanted))
    }

    /// The exceptions of which a test method is declared to throw one; empty if it is to return.
    pub fn expected_exceptions(&self, class: &str, name: &str, descriptor: &str) -> Vec<String> {
        let Some(found) = self.find(class).ok().flatten() else { return Vec::new() };
        let Some(method) = found.file.method(name, descriptor) else { return Vec::new() };
        let classes =
            method.annotations.iter().filter(|of| is_of_harness(&of.class)).flat_map(|of| &of.classes);
        // The default of the annotation is not in the class file.
        let wanted = classes.filter(|(name, _)| name.starts_with("expected"));
        wanted.map(|(_, descriptor)| bytecode::descriptor::java_type(descriptor)).collect()
    }

    /// Whether a class is another one or has it as a superclass. Both are binary names.
    pub fn is_below(&self, class: &str, above: &str) -> bool {
        let mut at = class.to_owned();
        for _ in 0..MOST_ABOVE {
            if at == above {
                return true;
            }
            match self.find(&at).ok().flatten().and_then(|found| found.file.super_name.clone()) {
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    }
}
