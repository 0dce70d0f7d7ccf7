//! Parses class files into [`ClassFile`], using the reader library `noak`. Every malformed input is a
//! [`ParseError`].

use crate::class::{
    Annotation, ClassFile, Code, Field, Handler, InnerClass, LineEntry, LocalVariable, Method,
};
use crate::descriptor::written::{CALLS, Language, write_variables};
use crate::descriptor::{class_name, is_field_descriptor, parse_method};
use crate::op::Instruction;
use crate::pool::Pool;
use crate::text::text;
use noak::error::DecodeError;
use noak::reader::attributes::Code as RawCode;
use noak::reader::attributes::annotations::ElementValue;
use noak::reader::{self, Attribute, AttributeContent, Class, cpool};
use smap::SourceMap;
use std::collections::BTreeSet;

/// Why bytes are not a class file that can be analysed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The structure of the file is invalid.
    #[error("not a readable class file: {0}; check that the file is whole and was built by a Java compiler")]
    Format(#[from] DecodeError),
    /// The code array of a method is invalid.
    #[error("method {method} has unreadable code at index {pc}: {source}; rebuild the class")]
    Code {
        /// Name and descriptor of the method.
        method: String,
        /// Code index of the invalid instruction.
        pc: u32,
        /// The error of the reader library.
        source: DecodeError,
    },
    /// The target of a jump or an exception table entry is not an instruction.
    #[error("method {method} refers to code index {target}, where no instruction starts; rebuild the class")]
    Target {
        /// Name and descriptor of the method.
        method: String,
        /// The target's code index.
        target: u32,
    },
}

impl ClassFile {
    /// Parses a class file.
    ///
    /// # Errors
    /// [`ParseError`] if the bytes are not a class file, end early, or contain jumps to a place where no
    /// instruction starts.
    pub fn parse(bytes: &[u8]) -> Result<ClassFile, ParseError> {
        let class = Class::new(bytes)?;
        let raw_pool = class.pool();
        let mut pool = Pool::new(raw_pool);
        let mut file = ClassFile {
            name: pool.class(class.this_class())?,
            super_name: class.super_class().map(|i| pool.class(i)).transpose()?,
            interfaces: Vec::new(),
            access: class.access_flags().bits(),
            major: class.version().major,
            source_file: None,
            source_map: None,
            fields: Vec::new(),
            methods: Vec::new(),
            inner_classes: Vec::new(),
            enclosing_class: None,
            enclosing_method: None,
            nest_host: None,
            nest_members: Vec::new(),
            record_components: None,
            annotations: Vec::new(),
        };
        for interface in class.interfaces().iter() {
            file.interfaces.push(pool.class(interface?)?);
        }
        let mut map = None;
        for attribute in class.attributes().iter() {
            let attribute = attribute?;
            // The library takes the attribute for a text with a length; it has none (JVMS §4.7.11).
            if is_named(raw_pool, &attribute, "SourceDebugExtension")? {
                map = Some(String::from_utf8_lossy(attribute.content()).into_owned());
            }
            read_class_attribute(&mut file, &mut pool, raw_pool, &attribute)?;
        }
        file.source_map = map.and_then(|map| SourceMap::parse(&map, file.source_file.as_deref()));
        for field in class.fields().iter() {
            file.fields.push(read_field(&mut pool, raw_pool, &field?)?);
        }
        if let Some(map) = &file.source_map {
            file.source_file = Some(map.source_file().to_owned());
        }
        for method in class.methods().iter() {
            file.methods.push(read_method(&pool, raw_pool, &file.name, &method?)?);
        }
        // A compiler writes no table for a method without variables.
        let mut codes: Vec<&mut Code> = file.methods.iter_mut().filter_map(|m| m.code.as_mut()).collect();
        if let Some(map) = &file.source_map {
            codes.iter_mut().for_each(|code| code.write_sources(map));
        }
        let language = Language::of(file.source_file.as_deref());
        for code in &mut codes {
            code.clears_variables = language == Some(Language::Clojure);
            write_variables(language, &mut code.variables, |variable| &mut variable.name);
        }
        if language == Some(Language::Clojure) {
            drop_lines_of_definition(&mut file.methods);
        }
        let mut codes: Vec<&mut Code> = file.methods.iter_mut().filter_map(|m| m.code.as_mut()).collect();
        let has_tables = codes.iter().any(|code| code.has_variable_table);
        for code in &mut codes {
            code.has_variable_table |= has_tables || code.max_locals == 0;
        }
        Ok(file)
    }

    /// The binary names of the classes that a class file refers to, in class constants and in descriptors.
    ///
    /// # Errors
    /// [`ParseError`] if the bytes are not a class file.
    pub fn referred_classes(bytes: &[u8]) -> Result<BTreeSet<String>, ParseError> {
        let class = Class::new(bytes)?;
        let pool = class.pool();
        let mut found = BTreeSet::new();
        for item in pool.iter() {
            let named = match item {
                cpool::Item::Class(class) => text(pool.retrieve(class.name)?),
                cpool::Item::Utf8(utf8) => text(utf8.content),
                _ => continue,
            };
            let types = match parse_method(&named) {
                Some(method) => method.parameters.into_iter().chain([method.result]).collect(),
                None if is_field_descriptor(&named) => vec![named],
                None if matches!(item, cpool::Item::Class(_)) => vec![format!("L{named};")],
                None => continue,
            };
            let class = |of: String| {
                let internal = of.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';')?;
                Some(class_name(internal))
            };
            found.extend(types.into_iter().filter_map(class));
        }
        Ok(found)
    }
}

fn is_named(
    pool: &cpool::ConstantPool<'_>,
    attribute: &Attribute<'_>,
    name: &str,
) -> Result<bool, DecodeError> {
    Ok(pool.retrieve(attribute.name())?.as_bytes() == name.as_bytes())
}

fn read_field<'a>(
    pool: &mut Pool<'a, '_>,
    raw_pool: &cpool::ConstantPool<'a>,
    field: &reader::Field<'a>,
) -> Result<Field, ParseError> {
    let mut constant = None;
    for attribute in field.attributes().iter() {
        let attribute = attribute?;
        if is_named(raw_pool, &attribute, "ConstantValue")?
            && let AttributeContent::ConstantValue(value) = attribute.read_content(raw_pool)?
        {
            constant = Some(pool.constant(value.value().as_u16())?);
        }
    }
    Ok(Field {
        name: text(raw_pool.retrieve(field.name())?),
        descriptor: text(raw_pool.retrieve(field.descriptor())?),
        access: field.access_flags().bits(),
        constant,
    })
}

fn read_method<'a>(
    pool: &Pool<'a, '_>,
    raw_pool: &cpool::ConstantPool<'a>,
    class: &str,
    raw: &reader::Method<'a>,
) -> Result<Method, ParseError> {
    let mut method = Method {
        name: text(raw_pool.retrieve(raw.name())?),
        descriptor: text(raw_pool.retrieve(raw.descriptor())?),
        access: raw.access_flags().bits(),
        code: None,
        annotations: Vec::new(),
    };
    for attribute in raw.attributes().iter() {
        let attribute = attribute?;
        if is_named(raw_pool, &attribute, "RuntimeVisibleAnnotations")? {
            method.annotations = read_annotations(raw_pool, &attribute).unwrap_or_default();
        }
        if is_named(raw_pool, &attribute, "Code")? {
            let label = format!("{class}.{}{}", method.name, method.descriptor);
            method.code = Some(read_code(pool, raw_pool, &attribute, &label)?);
        }
    }
    Ok(method)
}

fn read_class_attribute<'a>(
    file: &mut ClassFile,
    pool: &mut Pool<'a, '_>,
    raw: &cpool::ConstantPool<'a>,
    attribute: &Attribute<'a>,
) -> Result<(), ParseError> {
    // Attributes that do not concern code are skipped: the library rejects attributes that it does not know.
    let name = raw.retrieve(attribute.name())?;
    let wanted: [&[u8]; 8] = [
        b"SourceFile",
        b"InnerClasses",
        b"EnclosingMethod",
        b"NestHost",
        b"NestMembers",
        b"Record",
        b"BootstrapMethods",
        b"RuntimeVisibleAnnotations",
    ];
    if !wanted.contains(&name.as_bytes()) {
        return Ok(());
    }
    match attribute.read_content(raw)? {
        AttributeContent::SourceFile(source) => {
            file.source_file = Some(text(raw.retrieve(source.source_file())?));
        }
        AttributeContent::InnerClasses(inner) => {
            for class in inner.classes().iter() {
                let class = class?;
                file.inner_classes.push(InnerClass {
                    inner: pool.class(class.inner_class())?,
                    outer: class.outer_class().map(|i| pool.class(i)).transpose()?,
                    simple_name: class.inner_name().map(|i| raw.retrieve(i).map(text)).transpose()?,
                    access: class.inner_access_flags().bits(),
                });
            }
        }
        AttributeContent::EnclosingMethod(enclosing) => {
            file.enclosing_class = Some(pool.class(enclosing.class())?);
            if let Some(method) = enclosing.method() {
                let method = raw.retrieve(method)?;
                file.enclosing_method = Some((text(method.name), text(method.descriptor)));
            }
        }
        AttributeContent::NestHost(host) => file.nest_host = Some(pool.class(host.host_class())?),
        AttributeContent::NestMembers(members) => {
            for class in members.classes().iter() {
                file.nest_members.push(pool.class(class?)?);
            }
        }
        AttributeContent::Record(record) => {
            let mut names = Vec::new();
            for component in record.components().iter() {
                names.push(text(raw.retrieve(component?.name())?));
            }
            file.record_components = Some(names);
        }
        AttributeContent::RuntimeVisibleAnnotations(_) => {
            file.annotations = read_annotations(raw, attribute).unwrap_or_default();
        }
        AttributeContent::BootstrapMethods(methods) => pool.read_bootstraps(&methods)?,
        _ => {}
    }
    Ok(())
}

/// The annotations of an attribute. The VM runs classes with malformed ones too, so callers ignore errors.
fn read_annotations<'a>(
    raw: &cpool::ConstantPool<'a>,
    attribute: &Attribute<'a>,
) -> Result<Vec<Annotation>, ParseError> {
    let AttributeContent::RuntimeVisibleAnnotations(read) = attribute.read_content(raw)? else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for annotation in read.annotations().iter() {
        let annotation = annotation?;
        let descriptor = text(raw.retrieve(annotation.type_())?);
        let class = crate::descriptor::java_type(&descriptor);
        let mut read = Annotation { class, classes: Vec::new(), strings: Vec::new(), numbers: Vec::new() };
        for pair in annotation.pairs().iter() {
            let pair = pair?;
            let name = text(raw.retrieve(pair.name())?);
            match pair.value() {
                ElementValue::Class(class) => read.classes.push((name, text(raw.retrieve(class)?))),
                ElementValue::String(index) => read.strings.push((name, text(raw.retrieve(index)?))),
                ElementValue::Int(index) => read.numbers.push((name, vec![raw.retrieve(index)?.value])),
                ElementValue::Array(values) => {
                    let mut numbers = Vec::new();
                    for value in values.iter() {
                        if let ElementValue::Int(index) = value? {
                            numbers.push(raw.retrieve(index)?.value);
                        }
                    }
                    if !numbers.is_empty() {
                        read.numbers.push((name, numbers));
                    }
                }
                _ => {}
            }
        }
        all.push(read);
    }
    Ok(all)
}

fn read_code<'a>(
    pool: &Pool<'a, '_>,
    raw_pool: &cpool::ConstantPool<'a>,
    attribute: &Attribute<'a>,
    label: &str,
) -> Result<Code, ParseError> {
    let AttributeContent::Code(raw) = attribute.read_content(raw_pool)? else {
        return Err(RawCode::try_from(attribute.read_content(raw_pool)?)
            .err()
            .map_or_else(|| ParseError::Target { method: label.to_owned(), target: 0 }, ParseError::Format));
    };
    let bytes = code_bytes(attribute.content());
    let mut code = Code {
        clears_variables: false,
        instructions: read_instructions(pool, &raw, &bytes, label)?,
        bytes,
        max_locals: raw.max_locals(),
        max_stack: raw.max_stack(),
        handlers: Vec::new(),
        lines: Vec::new(),
        copied_lines: Vec::new(),
        variables: Vec::new(),
        has_variable_table: false,
    };
    for handler in raw.exception_handlers() {
        code.handlers.push(Handler {
            start_pc: handler.start().as_u32(),
            end_pc: handler.end().as_u32(),
            handler_pc: handler.handler().as_u32(),
            catch_type: handler.catch_type().map(|i| pool.class(i)).transpose()?,
        });
    }
    for attribute in raw.attributes().iter() {
        let attribute = attribute?;
        if is_named(raw_pool, &attribute, "LineNumberTable")? {
            read_lines(&mut code.lines, attribute.content());
        } else if is_named(raw_pool, &attribute, "LocalVariableTable")?
            && let AttributeContent::LocalVariableTable(table) = attribute.read_content(raw_pool)?
        {
            code.has_variable_table = true;
            for variable in table.locals().iter() {
                let variable = variable?;
                let (range, name) = (variable.range(), pool.utf8(variable.name().as_u16())?);
                code.variables.push(LocalVariable {
                    name,
                    descriptor: pool.utf8(variable.descriptor().as_u16())?,
                    slot: variable.index(),
                    start_pc: range.start.as_u32(),
                    length: range.end.as_u32().saturating_sub(range.start.as_u32()),
                });
            }
        }
    }
    code.lines.sort_by_key(|l| l.start_pc);
    check_targets(&code, label)?;
    Ok(code)
}

/// Drops the lines of the code by which Clojure makes a function and passes calls on to its code. Its
/// compiler gives that code the line of the definition, where no reader of the source expects it.
fn drop_lines_of_definition(methods: &mut [Method]) {
    let has_static = methods.iter().any(|method| method.name == "invokeStatic");
    for method in methods {
        let passes_on = has_static && method.name != "invokeStatic" && CALLS.contains(&method.name.as_str());
        if let Some(code) = method.code.as_mut()
            && (passes_on || method.name.starts_with('<'))
        {
            code.lines.clear();
        }
    }
}

/// The code array of a Code attribute, which follows max_stack, max_locals and a four-byte length.
fn code_bytes(content: &[u8]) -> Vec<u8> {
    let length = content.get(4..8).and_then(|b| <[u8; 4]>::try_from(b).ok()).map_or(0, u32::from_be_bytes);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    content.get(8..).and_then(|rest| rest.get(..length)).unwrap_or_default().to_vec()
}

/// Reads the line number table. The library is not used here because it reads `start_pc` as four bytes; it
/// has two (JVMS §4.7.12).
fn read_lines(lines: &mut Vec<LineEntry>, content: &[u8]) {
    let entries = content.get(2..).unwrap_or_default();
    for entry in entries.chunks_exact(4) {
        if let [s1, s0, l1, l0] = *entry {
            lines.push(LineEntry {
                start_pc: u32::from(u16::from_be_bytes([s1, s0])),
                line: u32::from(u16::from_be_bytes([l1, l0])),
            });
        }
    }
}

fn read_instructions(
    pool: &Pool<'_, '_>,
    raw: &RawCode<'_>,
    bytes: &[u8],
    label: &str,
) -> Result<Vec<Instruction>, ParseError> {
    let mut found: Vec<Instruction> = Vec::new();
    let mut pc = 0;
    let broken = |pc: u32, source: DecodeError| ParseError::Code { method: label.to_owned(), pc, source };
    for item in raw.raw_instructions() {
        let (index, instruction) = item.map_err(|e| broken(pc, e))?;
        pc = index.as_u32();
        if let Some(last) = found.last_mut() {
            last.length = pc.saturating_sub(last.pc);
        }
        let op = crate::decode::op(pool, pc, &instruction, bytes).map_err(|e| broken(pc, e))?;
        found.push(Instruction { pc, length: 0, op });
        pc = pc.saturating_add(1);
    }
    let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if let Some(last) = found.last_mut() {
        last.length = end.saturating_sub(last.pc);
    }
    Ok(found)
}

fn check_targets(code: &Code, label: &str) -> Result<(), ParseError> {
    let wrong = |target| Err(ParseError::Target { method: label.to_owned(), target });
    for instruction in &code.instructions {
        for target in instruction.op.targets() {
            if code.index_of(target).is_none() {
                return wrong(target);
            }
        }
    }
    for handler in &code.handlers {
        if code.index_of(handler.handler_pc).is_none() {
            return wrong(handler.handler_pc);
        }
    }
    match code.instructions.last() {
        Some(last) if !last.op.ends_flow() => wrong(last.next_pc()),
        Some(_) => Ok(()),
        None => wrong(0),
    }
}
