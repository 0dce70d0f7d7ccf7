//! Recognises members that a compiler generates: for records, enums, `switch` over enums, assertions,
//! bridges, accesses across nested classes, and Groovy's properties. A diagnosis asks about no such method,
//! and lists no such field as a change.

use bytecode::class::{ACC_ENUM, ACC_SYNTHETIC, ClassFile, Code};
use bytecode::descriptor::generated::is_generated_member;
use bytecode::{Constant, Op};
use classes::ClassPool;
use std::collections::BTreeSet;
use trace::{Calls, Method, base_class};

/// The numbers of the generated methods.
pub fn methods(calls: &Calls, pool: Option<&ClassPool>) -> BTreeSet<u32> {
    let numbered = (0..).zip(calls.sites.methods());
    numbered.filter(|(_, method)| is_generated(method, calls, pool)).map(|(number, _)| number).collect()
}

fn is_generated(method: &Method, calls: &Calls, pool: Option<&ClassPool>) -> bool {
    // A lambda's method is synthetic, but a programmer wrote its body.
    if method.is_synthetic {
        return !method.name.starts_with("lambda$");
    }
    let is_switch_map = method.name == "<clinit>" && method.class.rsplit('$').next().is_some_and(is_number);
    let superclass = calls.sites.superclass(&method.class);
    let (is_enum, is_record) = (superclass == Some("java.lang.Enum"), superclass == Some("java.lang.Record"));
    // An enum constant with a body has its own subclass of the enum.
    let is_constant = superclass.and_then(|class| calls.sites.superclass(class)) == Some("java.lang.Enum");
    let code_of = |tell: fn(&ClassFile, &Code, &Method) -> bool| {
        let found = pool.and_then(|pool| pool.find(&method.class).ok().flatten());
        let found = found.as_ref().map(|found| &found.file);
        let code = found.and_then(|file| file.method(&method.name, &method.descriptor)?.code.as_ref());
        found.zip(code).is_some_and(|(file, code)| tell(file, code, method))
    };
    match method.name.as_str() {
        "<clinit>" => {
            (is_switch_map && code_of(|file, _, _| file.access & ACC_SYNTHETIC != 0))
                || (is_enum && code_of(only_makes_constants))
                || code_of(only_asks_for_assertions)
                || code_of(lacks_lines)
        }
        "<init>" if is_enum || is_constant => code_of(only_names_a_constant),
        "values" if is_enum && method.is_static => method.descriptor.starts_with("()["),
        "valueOf" if is_enum && method.is_static => method.descriptor.starts_with("(Ljava/lang/String;)L"),
        "<init>" if is_record => code_of(only_takes_components),
        "equals" | "hashCode" | "toString" if is_record => code_of(is_of_object_methods),
        _ if is_record && method.descriptor.starts_with("()") => code_of(only_reads_its_component),
        _ => code_of(lacks_lines),
    }
}

/// Whether a method has no lines, but others of its class have: Groovy's compiler adds such accessors.
fn lacks_lines(file: &ClassFile, code: &Code, _: &Method) -> bool {
    let others = file.methods.iter().filter_map(|method| method.code.as_ref());
    code.lines.is_empty() && others.into_iter().any(|other| !other.lines.is_empty())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a class initialiser only sets up assertions.
fn only_asks_for_assertions(file: &ClassFile, code: &Code, _: &Method) -> bool {
    code.instructions.iter().all(|instruction| asks_for_assertions(file, &instruction.op))
}

/// Whether javac generates this instruction to test whether the assertions of a class are enabled:
/// `$assertionsDisabled = !C.class.desiredAssertionStatus()`.
fn asks_for_assertions(file: &ClassFile, op: &Op) -> bool {
    match op {
        Op::Const(Constant::Class(_) | Constant::Int(_))
        | Op::If { .. }
        | Op::Goto { .. }
        | Op::Return(None) => true,
        Op::Invoke { method, .. } => {
            method.class == "java.lang.Class" && method.name == "desiredAssertionStatus"
        }
        Op::PutStatic(field) => field.name == "$assertionsDisabled" && is_hidden(file, &field.name),
        _ => false,
    }
}

/// Whether the initialiser of an enum only creates its constants, from names and ordinals.
fn only_makes_constants(file: &ClassFile, code: &Code, _: &Method) -> bool {
    let is_its = |op: &Op| match op {
        Op::Invoke { method, .. } => {
            let is_constant = method
                .class
                .strip_prefix(&file.name)
                .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('$').is_some_and(is_number));
            is_constant && matches!(method.name.as_str(), "<init>" | "$values")
        }
        Op::PutStatic(field) => is_hidden(file, &field.name),
        Op::Dup | Op::Const(_) | Op::New(_) | Op::NewArray(_) | Op::ArrayStore(_) | Op::Return(None) => true,
        Op::GetStatic(field) => is_hidden(file, &field.name),
        op => asks_for_assertions(file, op),
    };
    // A programmer wrote any other literal, and it can be wrong.
    let is_plain = |op: &Op| match op {
        Op::Invoke { method, .. } => method.name != "<init>" || method.descriptor == "(Ljava/lang/String;I)V",
        Op::Const(constant) => {
            matches!(constant, Constant::String(_) | Constant::Int(_) | Constant::Class(_))
        }
        _ => true,
    };
    code.instructions.iter().all(|instruction| is_its(&instruction.op) && is_plain(&instruction.op))
}

/// Whether a constructor of an enum only passes on the name and ordinal.
fn only_names_a_constant(file: &ClassFile, code: &Code, method: &Method) -> bool {
    let is_its = |op: &Op| match op {
        Op::Invoke { method, .. } => {
            file.super_name.as_ref() == Some(&method.class) && method.name == "<init>"
        }
        Op::Load { .. } | Op::Return(None) => true,
        _ => false,
    };
    method.descriptor == "(Ljava/lang/String;I)V" && code.instructions.iter().all(|i| is_its(&i.op))
}

/// Whether a constructor of a record only assigns each component to its field.
fn only_takes_components(file: &ClassFile, code: &Code, _: &Method) -> bool {
    let components = file.fields.iter().filter(|field| !field.is_static());
    let mut expected: Vec<(u16, &str)> = Vec::new();
    let mut slot = 1;
    for field in components {
        expected.push((slot, &field.name));
        slot += if matches!(field.descriptor.as_str(), "J" | "D") { 2 } else { 1 };
    }
    let ops: Vec<&Op> = code.instructions.iter().map(|instruction| &instruction.op).collect();
    let Some(([this, superclass], [puts @ .., last])) =
        ops.split_first_chunk::<2>().map(|(first, rest)| (*first, rest))
    else {
        return false;
    };
    let is_this = |op: &Op| matches!(op, Op::Load { slot: 0, .. });
    let is_super = matches!(superclass, Op::Invoke { method, .. } if method.class == "java.lang.Record" && method.name == "<init>");
    let is_put = |(three, (slot, name)): (&[&Op; 3], &(u16, &str))| {
        let [this, value, put] = three;
        is_this(this)
            && matches!(value, Op::Load { slot: of, .. } if of == slot)
            && matches!(put, Op::PutField(field) if field.name == *name)
    };
    let (threes, rest) = puts.as_chunks::<3>();
    is_this(this)
        && is_super
        && rest.is_empty()
        && threes.len() == expected.len()
        && threes.iter().zip(&expected).all(is_put)
        && matches!(last, Op::Return(None))
}

/// Whether the VM generates the code of a record's `equals`, `hashCode` or `toString`.
fn is_of_object_methods(_: &ClassFile, code: &Code, method: &Method) -> bool {
    let is_its = |op: &Op| match op {
        Op::InvokeDynamic { name, bootstrap, .. } => {
            let made_by = bootstrap.as_ref().map(|bootstrap| bootstrap.method.class.as_str());
            *name == method.name && made_by == Some("java.lang.runtime.ObjectMethods")
        }
        Op::Load { .. } | Op::Return(Some(_)) => true,
        _ => false,
    };
    code.instructions.iter().all(|instruction| is_its(&instruction.op))
}

/// Whether a method of a record only returns the component of its name.
fn only_reads_its_component(_: &ClassFile, code: &Code, method: &Method) -> bool {
    let mut ops = code.instructions.iter().map(|instruction| &instruction.op);
    matches!(ops.next(), Some(Op::Load { slot: 0, .. }))
        && matches!(ops.next(), Some(Op::GetField(field)) if field.name == method.name)
        && matches!(ops.next(), Some(Op::Return(Some(_))))
        && ops.next().is_none()
}

/// Whether a static field is an enum constant, generated by the compiler, or added by a tool.
pub fn is_hidden_field(class: &str, name: &str, pool: Option<&ClassPool>) -> bool {
    const NAMES: [&str; 3] = ["$VALUES", "$SwitchMap$", "$assertionsDisabled"];
    let found = pool.and_then(|pool| pool.find(base_class(class)).ok().flatten());
    NAMES.iter().any(|known| name.starts_with(known))
        || is_generated_member(name)
        || found.is_some_and(|found| is_hidden(&found.file, name))
}

fn is_hidden(file: &ClassFile, name: &str) -> bool {
    let field = file.fields.iter().find(|field| field.name == name);
    field.is_some_and(|field| field.access & (ACC_ENUM | ACC_SYNTHETIC) != 0)
}
