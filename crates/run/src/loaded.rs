//! What the VM says of loaded classes and their methods.

use jdwp::{FieldId, MethodId, ReferenceTypeId};
use model::MethodName;
use smap::SourceMap;
use std::ops::Range;
use std::sync::Arc;

/// A loaded reference type.
#[derive(Debug)]
pub struct LoadedClass {
    pub id: ReferenceTypeId,
    /// Binary name with dots; arrays as `int[]`.
    pub name: Arc<str>,
    pub is_hidden: bool,
    pub superclass: Option<ReferenceTypeId>,
    pub interfaces: Vec<ReferenceTypeId>,
    pub fields: Vec<LoadedField>,
    pub methods: Vec<DeclaredMethod>,
    /// The name of its source file; of a class with a source map, that of the map.
    pub source_file: Option<Arc<str>>,
    /// The map from the numbers of its line tables to lines of sources (JSR 45).
    pub source_map: Option<SourceMap>,
}

/// A field that a class declares.
#[derive(Debug)]
pub struct LoadedField {
    pub id: FieldId,
    pub name: String,
    pub descriptor: String,
    pub is_static: bool,
    pub is_synthetic: bool,
}

/// A method that a class declares.
#[derive(Debug)]
pub struct DeclaredMethod {
    pub id: MethodId,
    pub name: String,
    pub descriptor: String,
    pub access: u32,
}

/// A method with its tables.
#[derive(Debug)]
pub struct LoadedMethod {
    pub name: MethodName,
    pub is_static: bool,
    /// `(first index, line)` in ascending order of index.
    pub lines: Vec<(u64, u32)>,
    /// The code that was copied from other files (JSR 45).
    pub copied: Vec<Range<u64>>,
    /// The LocalVariableTable, if the class has one.
    pub variables: Option<Vec<LoadedVariable>>,
    pub source_file: Option<Arc<str>>,
}

/// The range of a local variable.
#[derive(Debug, Clone)]
pub struct LoadedVariable {
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub slot: u16,
    pub start: u64,
    pub length: u64,
}

impl LoadedMethod {
    /// The source line of an index.
    pub fn line(&self, index: u64) -> Option<u32> {
        let after = self.lines.partition_point(|(start, _)| *start <= index);
        after.checked_sub(1).and_then(|i| self.lines.get(i)).map(|(_, line)| *line)
    }

    /// The variables that hold a value at an index, in order of their slots.
    pub fn visible(&self, index: u64) -> Vec<&LoadedVariable> {
        let all = self.variables.as_deref().unwrap_or_default();
        let inside = |v: &&LoadedVariable| v.start <= index && index < v.start.saturating_add(v.length);
        let mut visible: Vec<_> = all.iter().filter(inside).collect();
        visible.sort_by_key(|v| v.slot);
        visible
    }
}
