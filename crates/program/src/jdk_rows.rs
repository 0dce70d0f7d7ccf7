//! Tests that the rows of `jdk` name classes and methods that exist in the installed JDKs, from 17 on.

use bytecode::Method;
use bytecode::class::{ACC_NATIVE, ACC_VARARGS};
use classes::{ClassPaths, ClassPool, FoundClass, LaunchCommand};
use jdk::{Descriptor, Keeps, Row};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The installed Java homes: the one on PATH, and its neighbours.
fn java_homes() -> BTreeSet<PathBuf> {
    let words = ["java", "Main"].map(str::to_owned);
    let variable = |name: &str| std::env::var(name).ok();
    let LaunchCommand::Java(java) = LaunchCommand::parse(&words, Path::new("."), &variable).unwrap() else {
        panic!("java is a wrapper")
    };
    let home = java.java_home.expect("a Java home");
    let beside = home.parent().unwrap().read_dir().unwrap();
    let homes = beside.filter_map(|entry| entry.ok()?.path().canonicalize().ok());
    homes.filter(|home| home.join("lib/modules").is_file()).chain([home.clone()]).collect()
}

fn pools() -> Vec<ClassPool> {
    let open =
        |home| ClassPool::open(&ClassPaths { java_home: Some(home), ..ClassPaths::default() }).unwrap();
    java_homes().into_iter().map(open).filter(|pool| pool.feature_version() >= 17).collect()
}

fn has(pool: &ClassPool, class: &str) -> Option<Arc<FoundClass>> {
    pool.find(class).unwrap()
}

/// Whether a row describes a method of a class file. A call of a signature-polymorphic method has its own
/// descriptor (JVMS §2.9.3).
fn describes(row: &Row, class: &str, method: &Method) -> bool {
    let of_handles = ["java.lang.invoke.VarHandle", "java.lang.invoke.MethodHandle"];
    let is_polymorphic =
        of_handles.contains(&class) && method.access & ACC_NATIVE != 0 && method.access & ACC_VARARGS != 0;
    let of_call = match row.descriptor {
        Descriptor::Begins(begin) => begin,
        Descriptor::BeginsWithElement => "([II)V",
        _ => &method.descriptor,
    };
    let descriptor = if is_polymorphic { of_call } else { &method.descriptor };
    row.matches(class, &method.name, descriptor)
}

#[test]
fn every_row_names_a_class_and_a_method() {
    for pool in pools() {
        let names = pool.runtime_classes();
        let mut wrong = Vec::new();
        // Arrays have no class file. Their methods are those of `Object`.
        for row in jdk::rows().filter(|row| row.class != "[]" && row.since <= pool.feature_version()) {
            let is_found = |class: &str| {
                let methods = |class: Arc<FoundClass>| {
                    class.file.methods.iter().any(|method| describes(row, &class.name, method))
                };
                has(&pool, class).is_some_and(methods)
            };
            let named = names.contains(row.class).then_some(row.class);
            let covered =
                names.iter().map(String::as_str).filter(|class| named.is_none() && row.covers(class));
            if !named.into_iter().chain(covered).any(is_found) {
                wrong.push(format!("{}.{} {:?}", row.class, row.name, row.descriptor));
            }
        }
        let version = pool.feature_version();
        assert!(wrong.is_empty(), "JDK {version} does not have\n{}", wrong.join("\n"));
    }
}

#[test]
fn every_field_that_contents_are_read_from_is_there() {
    for pool in pools() {
        for of in jdk::layouts::ALL {
            let found = has(&pool, of.class).unwrap_or_else(|| panic!("no class {}", of.class));
            assert!(found.file.field(of.field).is_some(), "{} has no {}", of.class, of.field);
        }
    }
}

#[test]
fn every_class_is_as_it_is_told() {
    for pool in pools() {
        for class in jdk::classes().filter(|class| !class.name.contains('*')) {
            let found = has(&pool, class.name).unwrap_or_else(|| panic!("no class {}", class.name));
            let file = &found.file;
            for name in class.below.iter().chain(class.views).chain(class.nodes) {
                assert!(has(&pool, name).is_some(), "{}: no class {name}", class.name);
            }
            let line = super::lineage(&pool, file);
            for above in class.above {
                let is_above = line.iter().any(|file| file.name == *above);
                assert!(is_above, "{} does not stand below {above}", class.name);
            }
            if let Some(Keeps::Around { field, inner, .. }) = class.keeps {
                let is_there = line.iter().any(|file| file.fields.iter().any(|of| of.name == field));
                assert!(is_there, "{} has no field {field}", class.name);
                assert!(inner.is_none_or(|inner| has(&pool, inner).is_some()), "{}", class.name);
            }
        }
    }
}
