//! What a simple name denotes in the code of a class, outside its own nest (JLS §6.4.1): classes, and
//! imported static members.

use super::imports::Imports;
use super::names;
use super::pool::ClassPool;
use bytecode::class::{ACC_PUBLIC, ACC_STATIC};
use bytecode::descriptor::short_name;
use std::sync::Arc;

/// ACC_PRIVATE and ACC_PROTECTED (JVMS table 4.5-A).
const ACC_PRIVATE: u16 = 0x0002;
const ACC_PROTECTED: u16 = 0x0004;
/// Maximum number of full names offered for a simple name.
const MOST_OFFERED: usize = 3;

impl ClassPool {
    /// The classes that a simple name denotes in the code of `class`, by binary name; several if it is
    /// ambiguous. Follows the imports of the source file. Without one, and for names that it does not import,
    /// these are the classes of this name that the class file refers to.
    pub fn denoted(&self, class: &str, simple: &str) -> Arc<[String]> {
        self.denoted_once(class, simple, || self.look_up(class, simple))
    }

    fn look_up(&self, class: &str, simple: &str) -> Vec<String> {
        let same_package = match class.rsplit_once('.') {
            Some((package, _)) => format!("{package}.{simple}"),
            None => simple.to_owned(),
        };
        let same_package = Some(same_package).filter(|name| self.exists(name));
        let in_lang = Some(format!("java.lang.{simple}"));
        if let Some(imports) = self.imports(class) {
            let single = imports.single.iter().filter(|(name, _)| name == simple);
            let mut single: Vec<String> = single.filter_map(|(_, full)| self.spelled(full)).collect();
            single.dedup();
            if !single.is_empty() {
                return single;
            }
            if same_package.is_some() {
                return same_package.into_iter().collect();
            }
            let on_demand =
                imports.on_demand.iter().map(|of| format!("{of}.{simple}")).chain(in_lang.clone());
            let mut on_demand: Vec<String> = on_demand.filter_map(|full| self.spelled(&full)).collect();
            on_demand.retain(|name| self.is_public(name));
            on_demand.sort();
            on_demand.dedup();
            if !on_demand.is_empty() {
                return on_demand;
            }
            let packages = imports.modules.iter().flat_map(|module| self.packages_of_module(module));
            let mut by_module: Vec<String> = packages.map(|package| format!("{package}.{simple}")).collect();
            by_module.retain(|name| self.exists(name) && self.is_public(name));
            by_module.sort();
            if !by_module.is_empty() {
                return by_module;
            }
        }
        let bytes = self.read(class).ok().flatten();
        let referred = bytes.and_then(|read| bytecode::ClassFile::referred_classes(&read.bytes).ok());
        let is_called = |name: &String| short_name(name) == simple && self.exists(name);
        let mut known: Vec<String> = referred.into_iter().flatten().filter(is_called).collect();
        known.extend(same_package);
        known.sort();
        known.dedup();
        if known.is_empty() {
            known.extend(in_lang.filter(|name| self.exists(name)));
        }
        known
    }

    /// The classes from which the source of `class` imports static fields or methods of this name, by binary
    /// name; several if a field is ambiguous.
    pub fn imported(&self, class: &str, name: &str, is_method: bool) -> Arc<[String]> {
        let kind = if is_method { "method" } else { "field" };
        self.denoted_once(class, &format!("static {kind} {name}"), || {
            let Some(imports) = self.imports(class) else { return Vec::new() };
            let declaring = |of: &String| self.declaring(self.spelled(of)?, class, name, is_method);
            let named = imports.members.iter().filter(|(member, _)| member == name);
            let mut found: Vec<String> = named.filter_map(|(_, of)| declaring(of)).collect();
            if found.is_empty() {
                found = imports.members_of.iter().filter_map(declaring).collect();
            }
            found.sort();
            found.dedup();
            found
        })
    }

    /// The class or supertype of it that declares a static member of this name, which `user` may use.
    fn declaring(&self, class: String, user: &str, name: &str, is_method: bool) -> Option<String> {
        let package = |class: &str| class.rsplit_once('.').map(|(package, _)| package.to_owned());
        let mut wanted = vec![class];
        let mut at = 0;
        while let Some(class) = wanted.get(at).cloned() {
            at += 1;
            let Some(found) = self.find(&class).ok().flatten() else { continue };
            let is_seen = |access: u16| {
                let is_package_private = access & (ACC_PUBLIC | ACC_PROTECTED | ACC_PRIVATE) == 0;
                access & ACC_STATIC != 0
                    && access & ACC_PRIVATE == 0
                    && (!is_package_private || package(&class) == package(user))
            };
            let has_it = match is_method {
                true => found.file.methods_named(name).any(|method| is_seen(method.access)),
                false => found.file.field(name).is_some_and(|field| is_seen(field.access)),
            };
            if has_it {
                return Some(class);
            }
            for above in found.file.super_name.iter().chain(&found.file.interfaces) {
                if !wanted.contains(above) {
                    wanted.push(above.clone());
                }
            }
        }
        None
    }

    /// The imports of the source of a class, if it is found.
    fn imports(&self, class: &str) -> Option<Imports> {
        let found = self.find(class).ok().flatten();
        let file = found.as_ref().and_then(|found| found.file.source_file.as_deref());
        let source = self.sources()?.find(class, file, found.as_ref().map(|found| &found.origin))?;
        Some(Imports::of(source.lines()))
    }

    /// Full names of classes with this simple name, for messages: those of the user first.
    pub fn full_names(&self, simple: &str) -> Vec<String> {
        let is_called = |name: &&String| short_name(name) == simple;
        let of_user: Vec<String> = self.user_names().iter().filter(is_called).cloned().collect();
        let runtime = self.runtime_classes();
        let of_runtime = runtime.iter().filter(is_called).filter(|name| name.starts_with("java"));
        let all = of_user.into_iter().chain(of_runtime.filter(|name| self.is_public(name)).cloned());
        all.take(MOST_OFFERED).map(|name| name.replace('$', ".")).collect()
    }

    /// The binary name of a full name with dots.
    fn spelled(&self, full: &str) -> Option<String> {
        names::spellings(full).into_iter().find(|name| self.exists(name))
    }

    fn is_public(&self, name: &str) -> bool {
        let found = self.find(name).ok().flatten();
        found.is_some_and(|found| found.file.access & ACC_PUBLIC != 0)
    }
}
