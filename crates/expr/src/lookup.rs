//! Name lookup in class files, before the run: the fields, methods and classes that an expression can denote.

use super::class_names::{ambiguous, is_called, same_package_then_lang};
use super::error::TypeError;
use super::scope::{Scope, ScopeLocal};
use super::tree::Node;
use super::types::{Type, method_types};
use std::sync::Arc;

/// Provides class files, from any source.
pub trait ClassLookup {
    /// The class with this binary name (with dots); `None` if it is unknown.
    fn class(&self, binary_name: &str) -> Option<Arc<bytecode::ClassFile>>;

    /// The classes that a simple name denotes in the code of `own` outside its nest, by binary name; several
    /// if it is ambiguous.
    fn denoted(&self, own: &str, simple: &str) -> Vec<String> {
        let candidates = same_package_then_lang(own, simple);
        candidates.into_iter().find(|name| self.class(name).is_some()).into_iter().collect()
    }

    /// The classes from which the source of `own` imports static fields or methods of this name, by binary
    /// name; several if a field is ambiguous.
    fn imported(&self, own: &str, name: &str, is_method: bool) -> Vec<String> {
        let _ = (own, name, is_method);
        Vec::new()
    }
}

/// Knows no class, for checks that depend on the expression alone.
pub(super) struct NoClasses;

impl ClassLookup for NoClasses {
    fn class(&self, _: &str) -> Option<Arc<bytecode::ClassFile>> {
        None
    }
}

/// The result of a search through class files.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lookup<T> {
    /// The declaration that was found.
    Found(T),
    /// All classes that could have it are known, and none has it.
    Missing,
    /// A class that could have it is unknown.
    Unknown,
}

/// A field and its declaring class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldDeclaration {
    pub(super) class: String,
    pub(super) descriptor: String,
    pub(super) is_static: bool,
}

/// A method and its declaring class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MethodDeclaration {
    pub(super) class: String,
    pub(super) parameters: Vec<Type>,
    pub(super) result: Type,
    pub(super) is_static: bool,
    pub(super) is_varargs: bool,
}

/// The variable that a simple name denotes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Variable<'a> {
    Local(&'a ScopeLocal),
    /// A field, or a captured local stored in one; `owner` is the expression for its object.
    Field {
        owner: Node,
        name: String,
        field: FieldDeclaration,
    },
    Static {
        name: String,
        field: FieldDeclaration,
    },
    /// An instance field in a context without an instance.
    NoInstance(FieldDeclaration),
}

/// The names visible in a frame, according to class files.
pub(super) struct Names<'a> {
    pub(super) scope: &'a Scope,
    pub(super) classes: &'a dyn ClassLookup,
}

impl<'a> Names<'a> {
    /// The class and its supertypes, nearest first, and whether all of them are known.
    pub(super) fn lineage(&self, class: &str) -> (Vec<Arc<bytecode::ClassFile>>, bool) {
        let mut line: Vec<Arc<bytecode::ClassFile>> = Vec::new();
        let mut wanted = vec![class.to_owned()];
        let mut complete = true;
        let mut at = 0;
        while let Some(name) = wanted.get(at).cloned() {
            at += 1;
            match self.classes.class(&name) {
                Some(file) => {
                    for above in file.super_name.iter().chain(&file.interfaces) {
                        if !wanted.contains(above) {
                            wanted.push(above.clone());
                        }
                    }
                    line.push(file);
                }
                None => complete = false,
            }
        }
        (line, complete)
    }

    /// A field of the class or its supertypes, including private fields.
    pub(super) fn field(&self, class: &str, name: &str) -> Lookup<FieldDeclaration> {
        let (line, complete) = self.lineage(class);
        let found = line.iter().find_map(|file| {
            let field = file.fields.iter().find(|f| f.name == name)?;
            Some(FieldDeclaration {
                class: file.name.clone(),
                descriptor: field.descriptor.clone(),
                is_static: field.is_static(),
            })
        });
        match found {
            Some(field) => Lookup::Found(field),
            None if complete => Lookup::Missing,
            None => Lookup::Unknown,
        }
    }

    /// All methods with this name in the class, its supertypes and `java.lang.Object`, and whether these
    /// classes are all known.
    pub(super) fn methods(&self, class: &str, name: &str) -> (Vec<MethodDeclaration>, bool) {
        const ACC_VARARGS: u16 = 0x0080;
        let (mut line, mut complete) = self.lineage(class);
        if !line.iter().any(|f| f.name == "java.lang.Object") {
            match self.classes.class("java.lang.Object") {
                Some(object) => line.push(object),
                None => complete = false,
            }
        }
        let mut found = Vec::new();
        for file in &line {
            for method in file.methods.iter().filter(|m| m.name == name) {
                let Some((parameters, result)) = method_types(&method.descriptor) else { continue };
                found.push(MethodDeclaration {
                    class: file.name.clone(),
                    parameters,
                    result,
                    is_static: method.is_static(),
                    is_varargs: method.access & ACC_VARARGS != 0,
                });
            }
        }
        (found, complete)
    }

    /// Whether instances can belong to a class with more members than this type shows: interfaces and
    /// `Object`, which is also the erasure of most generic types.
    pub(super) fn is_open(&self, class: &str) -> bool {
        class == "java.lang.Object" || self.classes.class(class).is_none_or(|f| f.is_interface())
    }

    /// The names of the frame's class and its enclosing classes, innermost first.
    fn nest(&self) -> Vec<&'a str> {
        let mut name: &str = &self.scope.class;
        let mut nest = vec![name];
        while let Some((outer, _)) = name.rsplit_once('$') {
            nest.push(outer);
            name = outer;
        }
        nest
    }

    /// The variable that a simple name denotes (JLS §6.4.1), including captured locals, from the inside out.
    pub(super) fn variable(&self, name: &str) -> Lookup<Variable<'a>> {
        if let Some(local) = self.scope.local(name) {
            return Lookup::Found(Variable::Local(local));
        }
        let captured = format!("val${name}");
        let mut owner = (!self.scope.is_static).then_some(Node::This);
        let mut class = self.scope.class.to_string();
        let mut unknown = false;
        loop {
            for field_name in [name, captured.as_str()] {
                match self.field(&class, field_name) {
                    Lookup::Found(field) => {
                        // An unknown class, nearer than this one, could have the field.
                        if unknown {
                            return Lookup::Unknown;
                        }
                        let name = field_name.to_owned();
                        return Lookup::Found(match (field.is_static, owner) {
                            (true, _) => Variable::Static { name, field },
                            (false, Some(owner)) => Variable::Field { owner, name, field },
                            (false, None) => Variable::NoInstance(field),
                        });
                    }
                    Lookup::Unknown => unknown = true,
                    Lookup::Missing => {}
                }
            }
            match self.outwards(&class, owner) {
                Some((outer, way)) => (class, owner) = (outer, way),
                None if unknown => return Lookup::Unknown,
                None => break,
            }
        }
        let [class] = &self.imported_fields(name)[..] else { return Lookup::Missing };
        match self.field(class, name) {
            Lookup::Found(field) => Lookup::Found(Variable::Static { name: name.to_owned(), field }),
            Lookup::Unknown => Lookup::Unknown,
            Lookup::Missing => Lookup::Missing,
        }
    }

    /// The classes from which the source imports static fields of this name; several if it is ambiguous.
    pub(super) fn imported_fields(&self, name: &str) -> Vec<String> {
        self.classes.imported(&self.scope.class, name, false)
    }

    /// The next enclosing class, and the expression for its instance if there is one.
    pub(super) fn outwards(&self, class: &str, owner: Option<Node>) -> Option<(String, Option<Node>)> {
        let file = self.classes.class(class);
        let link =
            file.iter().flat_map(|f| &f.fields).find(|f| f.is_synthetic() && f.name.starts_with("this$"));
        if let (Some(owner), Some(link)) = (owner, link)
            && let Type::Class(outer) = Type::of_descriptor(&link.descriptor)
        {
            // Before a constructor has called another one, only its parameter has the outer instance.
            let way = match self.scope.local(&link.name) {
                Some(_) if class == &*self.scope.class => Node::Name(link.name.clone()),
                _ => Node::Field { owner: Box::new(owner), name: link.name.clone() },
            };
            return Some((outer.to_string(), Some(way)));
        }
        let mut name = class;
        while let Some((outer, _)) = name.rsplit_once('$') {
            if self.classes.class(outer).is_some() {
                return Some((outer.to_owned(), None));
            }
            name = outer;
        }
        None
    }

    /// The class denoted by the start of a dotted name, and the number of parts it uses. With `fields`, a
    /// static field takes precedence over a nested class with the same name.
    pub(super) fn class_prefix(
        &self,
        parts: &[&str],
        fields: bool,
    ) -> Result<Option<(String, usize)>, TypeError> {
        let Some(first) = parts.first() else { return Ok(None) };
        let mut found = self.simple_class(first)?.map(|c| (c, 1));
        let mut qualified = (*first).to_owned();
        for (at, part) in parts.iter().enumerate().skip(1) {
            if found.is_some() {
                break;
            }
            qualified.push('.');
            qualified.push_str(part);
            found = self.classes.class(&qualified).map(|c| (c.name.clone(), at + 1));
        }
        let Some((mut class, mut used)) = found else { return Ok(None) };
        while let Some(part) = parts.get(used) {
            if fields && matches!(self.field(&class, part), Lookup::Found(_)) {
                break;
            }
            let Some(inner) = self.classes.class(&format!("{class}${part}")) else { break };
            class.clone_from(&inner.name);
            used += 1;
        }
        Ok(Some((class, used)))
    }

    fn simple_class(&self, name: &str) -> Result<Option<String>, TypeError> {
        for outer in self.nest() {
            for host in self.lineage(outer).0 {
                if let Some(class) = self.classes.class(&format!("{}${name}", host.name)) {
                    return Ok(Some(class.name.clone()));
                }
            }
            if is_called(outer, name) {
                return Ok(self.classes.class(outer).map(|c| c.name.clone()));
            }
        }
        let mut denoted = self.classes.denoted(&self.scope.class, name);
        if denoted.len() > 1 {
            return Err(TypeError { text: name.to_owned(), problem: ambiguous(&denoted) });
        }
        Ok(denoted.pop().filter(|name| self.classes.class(name).is_some()))
    }

    /// The class denoted by a complete dotted name.
    pub(super) fn class_named(&self, name: &str) -> Result<Option<String>, TypeError> {
        let parts: Vec<&str> = name.split('.').collect();
        let found = self.class_prefix(&parts, false)?;
        Ok(found.filter(|(_, used)| *used == parts.len()).map(|(class, _)| class))
    }

    /// The names of all visible variables, for suggestions.
    pub(super) fn variable_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.scope.locals.iter().map(|l| l.name.clone()).collect();
        for class in self.nest() {
            names.extend(self.field_names(class));
        }
        names
    }

    /// The names of all fields of the class and its supertypes, for suggestions.
    pub(super) fn field_names(&self, class: &str) -> Vec<String> {
        self.lineage(class).0.iter().flat_map(|f| f.fields.iter().map(|f| f.name.clone())).collect()
    }

    /// The names of all methods of the class and its supertypes, for suggestions.
    pub(super) fn method_names(&self, class: &str) -> Vec<String> {
        self.lineage(class).0.iter().flat_map(|f| f.methods.iter().map(|m| m.name.clone())).collect()
    }
}
