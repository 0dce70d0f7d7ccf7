//! A program of test classes with the class files of the JDK.

use bytecode::ClassFile;
use pointsto::Program;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zip::ZipArchive;

type Archive = ZipArchive<Cursor<Vec<u8>>>;

/// Classes to analyse, and those of `java.base` if the installed JDK has a jmod.
pub struct TestProgram {
    analysed: HashMap<String, Arc<ClassFile>>,
    library: RefCell<Library>,
}

#[derive(Default)]
struct Library {
    archive: Option<Archive>,
    names: HashSet<String>,
    read: HashMap<String, Option<Arc<ClassFile>>>,
}

fn open(path: &Path) -> Option<Archive> {
    let bytes = std::fs::read(path).ok()?;
    // A jmod is a zip file after four bytes.
    let start = if bytes.starts_with(b"JM") { 4 } else { 0 };
    ZipArchive::new(Cursor::new(bytes[start..].to_vec())).ok()
}

fn java_base() -> Option<PathBuf> {
    let mut homes: Vec<PathBuf> =
        std::fs::read_dir("/usr/lib/jvm").ok()?.flatten().map(|e| e.path()).collect();
    homes.sort();
    homes.into_iter().map(|h| h.join("jmods/java.base.jmod")).find(|p| p.exists())
}

impl TestProgram {
    /// These classes, without a JDK.
    pub fn without_jdk(classes: &[ClassFile]) -> TestProgram {
        let analysed = classes.iter().map(|c| (c.name.clone(), Arc::new(c.clone()))).collect();
        TestProgram { analysed, library: RefCell::default() }
    }

    /// These classes, with the JDK if it has a jmod.
    pub fn new(classes: &[ClassFile]) -> TestProgram {
        let program = TestProgram::without_jdk(classes);
        if let Some(archive) = java_base().and_then(|path| open(&path)) {
            let names = archive.file_names().filter_map(|n| Some(n.ok()?.into_owned())).collect();
            *program.library.borrow_mut() = Library { archive: Some(archive), names, read: HashMap::new() };
        }
        program
    }

    /// The classes to analyse.
    pub fn classes(&self) -> impl Iterator<Item = &Arc<ClassFile>> {
        self.analysed.values()
    }
}

/// All classes of a jar; `None` if there is no such file.
pub fn jar(path: &Path) -> Option<Vec<ClassFile>> {
    let mut archive = open(path)?;
    let mut classes = Vec::new();
    for at in 0..archive.len() {
        let mut bytes = Vec::new();
        let mut file = archive.by_index(at).ok()?;
        let name = file.name().ok()?.into_owned();
        if name.ends_with(".class") && !name.contains("META-INF") && !name.contains("module-info") {
            file.read_to_end(&mut bytes).ok()?;
            classes.push(ClassFile::parse(&bytes).ok()?);
        }
    }
    Some(classes)
}

impl Library {
    fn class(&mut self, name: &str) -> Option<Arc<ClassFile>> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let path = format!("classes/{}.class", name.replace('.', "/"));
        let archive = self.archive.as_mut().filter(|_| self.names.contains(&path));
        let found = archive.and_then(|archive| {
            let mut bytes = Vec::new();
            archive.by_name(&path).ok()?.read_to_end(&mut bytes).ok()?;
            ClassFile::parse(&bytes).ok().map(Arc::new)
        });
        self.read.insert(name.to_owned(), found.clone());
        found
    }
}

impl Program for TestProgram {
    fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        self.analysed.get(name).cloned().or_else(|| self.library.borrow_mut().class(name))
    }

    fn is_analysed(&self, class: &str) -> bool {
        self.analysed.contains_key(class)
    }

    fn subtypes(&self, class: &str) -> Vec<String> {
        let mut found = vec![class.to_owned()];
        let mut at = 0;
        while let Some(above) = found.get(at).cloned() {
            at += 1;
            for below in self.analysed.values() {
                let extends = below.super_name.as_ref() == Some(&above) || below.interfaces.contains(&above);
                if extends && !found.contains(&below.name) {
                    found.push(below.name.clone());
                }
            }
        }
        found.remove(0);
        found.sort();
        found
    }
}
