//! The debuggee's classes, looked up by the names that users write.

use super::error::{Absent, Refusal};
use bytecode::descriptor::written;
use bytecode::{ClassFile, Code, Method, Op};
use classes::{ClassPool, FoundClass, Resolution, SourceRoots};
use expr::{ClassLookup, Scope};
use model::{MethodName, Site};
use program::lineage;
pub(crate) use program::method_name;
use query::Field;
use std::borrow::Cow;
use std::sync::Arc;

/// `ACC_PRIVATE` (JVMS table 4.5-A).
const ACC_PRIVATE: u16 = 0x0002;

/// Class files and sources.
pub struct Classes<'a> {
    /// Where classes are found.
    pub pool: &'a ClassPool,
    /// Where their sources are found.
    pub sources: &'a SourceRoots,
}

impl ClassLookup for Classes<'_> {
    fn class(&self, binary_name: &str) -> Option<Arc<ClassFile>> {
        self.pool.find(binary_name).ok().flatten().map(|found| found.file.clone())
    }

    fn denoted(&self, own: &str, simple: &str) -> Vec<String> {
        self.pool.denoted(own, simple).to_vec()
    }

    fn imported(&self, own: &str, name: &str, is_method: bool) -> Vec<String> {
        self.pool.imported(own, name, is_method).to_vec()
    }
}
impl Classes<'_> {
    /// The class that a written name denotes.
    pub(crate) fn named(&self, written: &str) -> Result<Arc<FoundClass>, Refusal> {
        let missing = |mut near: Vec<String>| {
            let uncompiled = self.near_class(written, &mut near);
            let unreadable =
                self.pool.unreadable().into_iter().map(|(entry, why)| format!("{entry} ({why})"));
            Refusal::NoSuchClass {
                written: written.to_owned(),
                near,
                uncompiled,
                absent: Box::new(Absent {
                    missing: self.pool.missing().iter().map(|p| p.display().to_string()).collect(),
                    unreadable: unreadable.collect(),
                }),
                copies: self.pool.are_copies(),
            }
        };
        match self.pool.resolve(written) {
            Resolution::One(name) => self.pool.find(&name)?.ok_or_else(|| missing(Vec::new())),
            Resolution::Many(found) => Err(Refusal::AmbiguousClass { written: written.to_owned(), found }),
            Resolution::None { near } => Err(missing(near)),
        }
    }

    /// The class with its known superclasses and superinterfaces, nearest first.
    pub(crate) fn lineage(&self, class: &Arc<ClassFile>) -> Vec<Arc<ClassFile>> {
        lineage(self.pool, class)
    }

    /// Whether a class is `above` or a subtype of it.
    pub(crate) fn extends(&self, class: &Arc<ClassFile>, above: &str) -> bool {
        self.lineage(class).iter().any(|f| f.name == above)
    }

    /// A field by its name, with the declaring class and the descriptor.
    pub(crate) fn field(&self, class: &Arc<ClassFile>, name: &str) -> Result<(Field, String), Refusal> {
        let line = self.lineage(class);
        let exact = line.iter().find_map(|file| file.field(name).map(|field| (file, field)));
        let as_written = || {
            let mut fields = line.iter().flat_map(|file| file.fields.iter().map(move |field| (file, field)));
            fields.find(|(_, field)| written::member(&field.name) == name)
        };
        if let Some((file, field)) = exact.or_else(as_written) {
            let (class, name) = (file.name.as_str().into(), field.name.as_str().into());
            let named = Field { class, name, is_static: field.is_static() };
            return Ok((named, field.descriptor.clone()));
        }
        Err(self.no_such_field(class, name))
    }

    /// The sites that can access a private field: only its class and the other members of its nest can (JVMS
    /// §4.7.28, §5.4.4). None for other fields, since any class may access them.
    pub(crate) fn private_accesses(&self, field: &Field, writes: bool) -> Option<Vec<Site>> {
        let class = self.class(&field.class)?;
        if class.field(&field.name)?.access & ACC_PRIVATE == 0 {
            return None;
        }
        let host = class.nest_host.as_ref().map_or(Some(class.clone()), |host| self.class(host))?;
        let mut nest = vec![host.clone()];
        for member in &host.nest_members {
            nest.push(self.class(member)?);
        }
        let accesses = |op: &Op| {
            op.field_access().is_some_and(|(r, is_write)| {
                is_write == writes && r.class == *field.class && r.name == *field.name
            })
        };
        let mut sites = Vec::new();
        for file in &nest {
            for method in &file.methods {
                let instructions =
                    method.code.iter().flat_map(|c| &c.instructions).filter(|i| accesses(&i.op));
                sites.extend(instructions.map(|i| Site { method: method_name(file, method), bci: i.pc }));
            }
        }
        Some(sites).filter(|s| !s.is_empty())
    }

    /// The method that `pkg.Class.method` or `pkg.Class.method(int)` denotes; ignores bridge methods.
    pub fn method(&self, written: &str) -> Result<(Arc<ClassFile>, MethodName), Refusal> {
        let (name, types) = match written.split_once('(') {
            Some((name, types)) => (name, Some(types.trim_end_matches(')'))),
            None => (written, None),
        };
        let function = self.function(name.trim())?;
        let (class, name) = match &function {
            Some((class, name)) => (class.as_str(), name.as_str()),
            None => name.rsplit_once('.').unwrap_or(("", name)),
        };
        let class = self.named(class.trim())?.file.clone();
        let line = self.lineage(&class);
        let name = &*vm_name(&line, name);
        let wanted: Option<Vec<String>> = types.map(|t| {
            t.split(',').map(|p| p.split_whitespace().collect::<String>()).filter(|p| !p.is_empty()).collect()
        });
        let meant = |m: &&Method| m.name == name && m.access & bytecode::class::ACC_BRIDGE == 0;
        let fits = |m: &&Method| wanted.as_ref().is_none_or(|w| takes(m, w));
        // Parameter types select among all overloads. Without types, take the nearest class that declares the
        // name.
        let declaring = line.iter().find(|file| file.methods.iter().any(|m| meant(&m) && fits(&m)));
        let Some(file) = declaring else {
            let other_types = line.iter().any(|file| file.methods.iter().any(|m| meant(&m)));
            return Err(if other_types {
                self.no_such_overload(&class, name, written)
            } else {
                self.no_such_method(&class, name, true)
            });
        };
        let fitting: Vec<&Method> = file.methods.iter().filter(meant).filter(fits).collect();
        match fitting.as_slice() {
            [one] => Ok((file.clone(), method_name(file, one))),
            _ => Err(Refusal::AmbiguousMethod {
                class: file.name.clone(),
                name: name.to_owned(),
                overloads: fitting.iter().map(|m| format!("`{}`", readable(file, m))).collect(),
            }),
        }
    }

    /// The class and method of a Clojure function: `core/grant!`. Its code is in a static method if it has
    /// one, which the other methods call.
    fn function(&self, written: &str) -> Result<Option<(String, String)>, Refusal> {
        if !written.contains('/') {
            return Ok(None);
        }
        let is_it = |class: &&str| written::is_method(class, "invoke", written);
        let found: Vec<&str> = self.pool.user_classes().filter(is_it).collect();
        let [class] = found.as_slice() else {
            let found: Vec<String> = found.into_iter().map(str::to_owned).collect();
            let is_none = found.is_empty();
            return if is_none {
                Ok(None)
            } else {
                Err(Refusal::AmbiguousClass { written: written.to_owned(), found })
            };
        };
        let file = self.named(class)?.file.clone();
        let method = written::CALLS.iter().find(|name| file.methods_named(name).next().is_some());
        Ok(method.map(|method| ((*class).to_owned(), (*method).to_owned())))
    }

    /// Calls `read` with a method and its class.
    pub(crate) fn at<T>(&self, site: &MethodName, read: impl FnOnce(&ClassFile, &Method) -> T) -> Option<T> {
        let class = self.class(&site.class)?;
        class.method(&site.name, &site.descriptor).map(|method| read(&class, method))
    }

    /// The variables visible at a site.
    pub fn scope(&self, site: &Site) -> Option<Scope> {
        self.at(&site.method, |class, method| Scope::at(class, method, site.bci))
    }

    /// A site with its line for users: `Intro.main@31 line 31`.
    pub(crate) fn place(&self, site: &Site) -> String {
        let line = self.at(&site.method, |_, m| m.code.as_ref().and_then(|c| line_of(c, site.bci))).flatten();
        match line {
            Some(line) => format!("{site} line {line}"),
            None => site.to_string(),
        }
    }
}

/// The name in the class files of the method that the source calls so: `$plus$eq` for `+=`.
fn vm_name<'a>(line: &'a [Arc<ClassFile>], written: &'a str) -> Cow<'a, str> {
    let methods = || line.iter().flat_map(|file| &file.methods);
    if methods().any(|method| method.name == written) {
        return Cow::Borrowed(written);
    }
    let called = methods().find(|method| written::member(&method.name) == written);
    called.map_or(Cow::Borrowed(written), |method| Cow::Borrowed(&method.name))
}

fn line_of(code: &Code, bci: u32) -> Option<u32> {
    bytecode::lines::line_of(code, bci)
}

/// The method in the notation of users: `Shop.finish(int)`.
pub(super) fn readable(class: &ClassFile, method: &Method) -> String {
    format!("{}.{}({})", class.name, method.name, parameters(method).join(","))
}

pub(crate) fn parameters(method: &Method) -> Vec<String> {
    let parsed = bytecode::descriptor::parse_method(&method.descriptor);
    parsed
        .map(|d| d.parameters.iter().map(|p| bytecode::descriptor::java_type(p)).collect())
        .unwrap_or_default()
}

/// Whether the parameter types match the written ones, with or without their packages.
fn takes(method: &Method, written: &[String]) -> bool {
    let types = parameters(method);
    let short = |t: &str| t.rsplit(['.', '$']).next().unwrap_or(t).to_owned();
    types.len() == written.len()
        && types.iter().zip(written).all(|(t, w)| t == w || t.replace('$', ".") == *w || short(t) == *w)
}
