//! A class file as plain owned data, the input of all analyses. Parsing is in `parse`; nothing here does I/O.

use crate::op::{Constant, Instruction};
use smap::SourceMap;

/// `ACC_PUBLIC`
pub const ACC_PUBLIC: u16 = 0x0001;
/// `ACC_STATIC`
pub const ACC_STATIC: u16 = 0x0008;
/// `ACC_FINAL`
pub const ACC_FINAL: u16 = 0x0010;
/// `ACC_SYNCHRONIZED`
pub const ACC_SYNCHRONIZED: u16 = 0x0020;
/// `ACC_BRIDGE`
pub const ACC_BRIDGE: u16 = 0x0040;
/// `ACC_VARARGS`
pub const ACC_VARARGS: u16 = 0x0080;
/// `ACC_TRANSIENT`
pub const ACC_TRANSIENT: u16 = 0x0080;
/// `ACC_NATIVE`
pub const ACC_NATIVE: u16 = 0x0100;
/// `ACC_INTERFACE`
pub const ACC_INTERFACE: u16 = 0x0200;
/// `ACC_ABSTRACT`
pub const ACC_ABSTRACT: u16 = 0x0400;
/// `ACC_SYNTHETIC`
pub const ACC_SYNTHETIC: u16 = 0x1000;
/// `ACC_ENUM`
pub const ACC_ENUM: u16 = 0x4000;

/// A parsed class file.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassFile {
    /// Binary name with dots, `pkg.Outer$Inner`.
    pub name: String,
    /// Superclass; `None` for `java.lang.Object` and `module-info`.
    pub super_name: Option<String>,
    /// Direct superinterfaces.
    pub interfaces: Vec<String>,
    /// Access flags (JVMS table 4.1-B).
    pub access: u16,
    /// Major version; 61 is Java 17.
    pub major: u16,
    /// File name of the source, without a directory. Of a class that was translated from another language,
    /// that of its source (JSR 45).
    pub source_file: Option<String>,
    /// The map from the numbers of the line tables to lines of sources, if the class has one.
    pub source_map: Option<SourceMap>,
    /// Fields in file order.
    pub fields: Vec<Field>,
    /// Methods in file order.
    pub methods: Vec<Method>,
    /// Entries of the InnerClasses attribute.
    pub inner_classes: Vec<InnerClass>,
    /// Class of the EnclosingMethod attribute (local and anonymous classes).
    pub enclosing_class: Option<String>,
    /// Name and descriptor of the enclosing method, if the class is declared inside one.
    pub enclosing_method: Option<(String, String)>,
    /// Nest host, if it is another class.
    pub nest_host: Option<String>,
    /// The other members of the nest that this class hosts.
    pub nest_members: Vec<String>,
    /// Names of the record components; `None` if the class is not a record.
    pub record_components: Option<Vec<String>>,
    /// The annotations of the class that are visible at run time.
    pub annotations: Vec<Annotation>,
}

/// An annotation that is visible at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Binary name of the annotation type.
    pub class: String,
    /// The elements whose value is a class: name and field descriptor of the class.
    pub classes: Vec<(String, String)>,
    /// The elements whose value is a text.
    pub strings: Vec<(String, String)>,
    /// The elements whose value is an `int` or an array of `int`.
    pub numbers: Vec<(String, Vec<i32>)>,
}

/// One entry of the InnerClasses attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerClass {
    /// Binary name of the nested class.
    pub inner: String,
    /// Binary name of the class that declares it as a member; `None` for local and anonymous classes.
    pub outer: Option<String>,
    /// Simple name; `None` for anonymous classes.
    pub simple_name: Option<String>,
    /// Access flags as declared.
    pub access: u16,
}

/// A field's declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Field descriptor.
    pub descriptor: String,
    /// Access flags (JVMS table 4.5-A).
    pub access: u16,
    /// The value of the ConstantValue attribute (JVMS §4.7.2). No code assigns such a static field.
    pub constant: Option<Constant>,
}

impl Field {
    /// Whether the field is static.
    pub fn is_static(&self) -> bool {
        self.access & ACC_STATIC != 0
    }

    /// Whether the field is synthetic (outer instances, captured locals, and others without a declaration in
    /// the source).
    pub fn is_synthetic(&self) -> bool {
        self.access & ACC_SYNTHETIC != 0
    }
}

/// A method's declaration and code.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Name; `<init>` for constructors.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Access flags (JVMS table 4.6-A).
    pub access: u16,
    /// Code; `None` if the method is abstract or native.
    pub code: Option<Code>,
    /// The annotations of the method that are visible at run time.
    pub annotations: Vec<Annotation>,
}

impl Method {
    /// Whether the method is static.
    pub fn is_static(&self) -> bool {
        self.access & ACC_STATIC != 0
    }

    /// Whether the method is native.
    pub fn is_native(&self) -> bool {
        self.access & ACC_NATIVE != 0
    }

    /// Whether the method is abstract.
    pub fn is_abstract(&self) -> bool {
        self.access & ACC_ABSTRACT != 0
    }

    /// Whether the method is synthetic (bridges, accessors, lambda bodies).
    pub fn is_synthetic(&self) -> bool {
        self.access & ACC_SYNTHETIC != 0
    }
}

/// The Code attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    /// Whether the compiler sets variables to null after their last use, as Clojure's does.
    pub clears_variables: bool,
    /// The raw code array, comparable with JDWP's `Method.Bytecodes`.
    pub bytes: Vec<u8>,
    /// The number of local variable slots.
    pub max_locals: u16,
    /// The maximum depth of the operand stack, in slots.
    pub max_stack: u16,
    /// Instructions in code order, with strictly ascending pcs.
    pub instructions: Vec<Instruction>,
    /// The exception table, in order.
    pub handlers: Vec<Handler>,
    /// The lines, ordered by pc; empty if compiled without lines. Those of a class with a source map are
    /// lines of its own source file: copied code has the line of the call for which it was copied.
    pub lines: Vec<LineEntry>,
    /// Code that was copied from other files, ordered by pc; of a class with a source map.
    pub copied_lines: Vec<CopiedLine>,
    /// The local variable table; empty if compiled without `-g`.
    pub variables: Vec<LocalVariable>,
    /// Whether the local variable table has all names of variables: the class was compiled with `-g`, or the
    /// method has no variables.
    pub has_variable_table: bool,
}

/// One entry of the exception table: `handler_pc` handles exceptions thrown at `start_pc..end_pc`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handler {
    /// First protected code index.
    pub start_pc: u32,
    /// Code index after the protected range.
    pub end_pc: u32,
    /// First instruction of the handler.
    pub handler_pc: u32,
    /// Class caught, a binary name; `None` catches everything (finally, synchronized).
    pub catch_type: Option<String>,
}

/// One entry of the line number table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEntry {
    /// First code index of the entry, which extends to the next entry.
    pub start_pc: u32,
    /// Source line, from 1.
    pub line: u32,
}

/// One entry of the line number table whose code was copied from another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedLine {
    /// First code index of the entry.
    pub start_pc: u32,
    /// Code index behind it.
    pub end_pc: u32,
    /// The name of the file.
    pub file: String,
    /// The path of the file: of Kotlin the internal name of its class.
    pub path: String,
    /// The line there, from 1.
    pub line: u32,
}

impl CopiedLine {
    /// Whether it was copied from a file of a package, by its name with dots.
    pub fn is_of(&self, file: &str, package: &str) -> bool {
        let of = self.path.rsplit_once('/').map_or("", |(package, _)| package);
        self.file == file && of.replace('/', ".") == package
    }
}

impl ClassFile {
    /// The name of its package, with dots; empty for the unnamed one.
    pub fn package(&self) -> &str {
        self.name.rsplit_once('.').map_or("", |(package, _)| package)
    }
}

/// One range of a local variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalVariable {
    /// Name in the source.
    pub name: String,
    /// Field descriptor of its type.
    pub descriptor: String,
    /// Slot in the frame.
    pub slot: u16,
    /// First code index at which the variable has a value.
    pub start_pc: u32,
    /// Length of the range in code bytes: it ends before `start_pc + length`.
    pub length: u32,
}

impl LocalVariable {
    /// Code index after the range.
    pub fn end_pc(&self) -> u32 {
        self.start_pc.saturating_add(self.length)
    }

    /// Whether the variable has a value before the instruction at `pc` executes.
    pub fn covers(&self, pc: u32) -> bool {
        pc >= self.start_pc && pc < self.end_pc()
    }
}

impl ClassFile {
    /// The methods with this name, in file order.
    pub fn methods_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Method> {
        self.methods.iter().filter(move |m| m.name == name)
    }

    /// The method with this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method> {
        self.methods.iter().find(|m| m.name == name && m.descriptor == descriptor)
    }

    /// The methods whose line table contains the line: several if, for example, a lambda is on it.
    pub fn methods_with_line(&self, line: u32) -> Vec<&Method> {
        self.methods
            .iter()
            .filter(|m| m.code.as_ref().is_some_and(|c| c.lines.iter().any(|l| l.line == line)))
            .collect()
    }

    /// The field with this name that the class itself declares.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// Whether the source declares a field of this class. False for fields that the compiler adds, and for
    /// those of other classes.
    pub(crate) fn is_in_source(&self, class: &str, field: &str) -> bool {
        class == self.name && self.field(field).is_some_and(|field| !field.is_synthetic())
    }

    /// Whether this is an interface or annotation type.
    pub fn is_interface(&self) -> bool {
        self.access & ACC_INTERFACE != 0
    }
}

impl Code {
    /// The position in `instructions` of the instruction at `pc`.
    pub fn index_of(&self, pc: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&pc, |i| i.pc).ok()
    }

    /// The instruction at `pc`.
    pub fn at(&self, pc: u32) -> Option<&Instruction> {
        self.index_of(pc).and_then(|i| self.instructions.get(i))
    }

    /// The code index of the next instruction after `pc`; `None` at the end, or if there is no instruction at
    /// `pc`.
    pub fn successor(&self, pc: u32) -> Option<u32> {
        let next = self.index_of(pc)?.checked_add(1)?;
        self.instructions.get(next).map(|i| i.pc)
    }

    /// The code index of the instruction before `pc`.
    pub fn predecessor(&self, pc: u32) -> Option<u32> {
        let before = self.index_of(pc)?.checked_sub(1)?;
        self.instructions.get(before).map(|i| i.pc)
    }

    /// Code index after the last instruction.
    pub fn end_pc(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)
    }

    /// Whether a jump has `pc` as its target. If index 0 is a target, a breakpoint there cannot distinguish a
    /// new activation from a loop iteration.
    pub fn is_branch_target(&self, pc: u32) -> bool {
        self.instructions.iter().any(|i| i.op.targets().contains(&pc))
    }

    /// The handlers that protect `pc`, in the order in which the VM tries them.
    pub fn handlers_at(&self, pc: u32) -> impl Iterator<Item = &Handler> {
        self.handlers.iter().filter(move |h| pc >= h.start_pc && pc < h.end_pc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_packages() {
        let copied = |path: &str| CopiedLine {
            start_pc: 0,
            end_pc: 4,
            file: "Util.kt".to_owned(),
            path: path.to_owned(),
            line: 3,
        };
        assert!(copied("shop/till/UtilKt").is_of("Util.kt", "shop.till"));
        assert!(copied("UtilKt").is_of("Util.kt", ""));
        assert!(!copied("shop/UtilKt").is_of("Util.kt", "shop.till"));
        assert!(!copied("shop/UtilKt").is_of("Other.kt", "shop"));
    }
}
