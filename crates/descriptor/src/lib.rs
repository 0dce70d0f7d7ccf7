//! Field and method descriptors (JVMS §4.3), internal and binary names, and their Java spelling.
//! Computational types are in [`kind`], the names of generated classes in [`generated`], the names of other
//! languages than Java in [`written`].

pub mod generated;
pub mod kind;
pub mod written;

pub use kind::Kind;

/// A parsed method descriptor. Each part is a field descriptor, or `V` for a void result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodDescriptor {
    /// The field descriptors of the parameters, without `this`.
    pub parameters: Vec<String>,
    /// The field descriptor of the result, or `V`.
    pub result: String,
}

/// The length in bytes of the field descriptor at the start of `text`.
fn field_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let dims = bytes.iter().take_while(|b| **b == b'[').count();
    match bytes.get(dims)? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dims + 1),
        b'L' => text.find(';').filter(|end| *end > dims + 1).map(|end| end + 1),
        _ => None,
    }
}

/// Whether `text` is exactly one field descriptor.
pub fn is_field_descriptor(text: &str) -> bool {
    field_length(text) == Some(text.len())
}

/// Parses a method descriptor; `None` if it is malformed.
pub fn parse_method(descriptor: &str) -> Option<MethodDescriptor> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut parameters = Vec::new();
    loop {
        if let Some(result) = rest.strip_prefix(')') {
            if result != "V" && !is_field_descriptor(result) {
                return None;
            }
            return Some(MethodDescriptor { parameters, result: result.to_owned() });
        }
        let length = field_length(rest)?;
        let (parameter, tail) = rest.split_at_checked(length)?;
        parameters.push(parameter.to_owned());
        rest = tail;
    }
}

/// The number of slots of a value with this descriptor: 2 for `J` and `D`, 0 for `V`.
pub fn slots(descriptor: &str) -> u16 {
    match descriptor {
        "J" | "D" => 2,
        "V" => 0,
        _ => 1,
    }
}

/// The slot and descriptor of each parameter, without `this`. The first parameter of an instance method is in
/// slot 1.
pub fn parameter_slots(descriptor: &str, is_static: bool) -> Vec<(u16, String)> {
    let mut slot = u16::from(!is_static);
    let mut found = Vec::new();
    for parameter in parse_method(descriptor).map(|d| d.parameters).unwrap_or_default() {
        let width = slots(&parameter);
        found.push((slot, parameter));
        slot = slot.saturating_add(width);
    }
    found
}

/// The number of slots that the arguments occupy, including `this`.
pub fn argument_slots(descriptor: &str, is_static: bool) -> u16 {
    parse_method(descriptor)
        .map(|d| d.parameters.iter().map(|p| slots(p)).fold(u16::from(!is_static), u16::saturating_add))
        .unwrap_or(0)
}

/// Converts `java/lang/String` to `java.lang.String`, and the class constant of an array (`[I`) to its Java
/// type name (`int[]`).
pub fn class_name(internal: &str) -> String {
    if internal.starts_with('[') { java_type(internal) } else { internal.replace('/', ".") }
}

/// The Java type name of a field descriptor: `[Ljava/util/List;` is `java.util.List[]`. Malformed text is
/// returned unchanged.
pub fn java_type(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dims = descriptor.len() - element.len();
    let name = match element {
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "D" => "double".to_owned(),
        "F" => "float".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "S" => "short".to_owned(),
        "Z" => "boolean".to_owned(),
        "V" => "void".to_owned(),
        other => match other.strip_prefix('L').and_then(|t| t.strip_suffix(';')) {
            Some(internal) => internal.replace('/', "."),
            None => return descriptor.to_owned(),
        },
    };
    name + &"[]".repeat(dims)
}

/// The field descriptor of a Java type name with dots (`int[]`, `java.util.List`, `a.B$C`).
pub fn descriptor_of(java: &str) -> String {
    let mut element = java.trim();
    let mut dims = 0;
    while let Some(inner) = element.strip_suffix("[]") {
        element = inner.trim_end();
        dims += 1;
    }
    let base = match element {
        "byte" => "B".to_owned(),
        "char" => "C".to_owned(),
        "double" => "D".to_owned(),
        "float" => "F".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        "short" => "S".to_owned(),
        "boolean" => "Z".to_owned(),
        "void" => "V".to_owned(),
        name => format!("L{};", name.replace('.', "/")),
    };
    "[".repeat(dims) + &base
}

/// Whether a class with this SourceFile attribute is from a file. The file is written with any of the folders
/// that lead to it: `src/shop/core.clj`, `core.clj`.
pub fn is_of_file(class: &str, source: Option<&str>, file: &str) -> bool {
    let Some((folder, name)) = file.trim_start_matches("./").rsplit_once('/') else {
        return source == Some(file);
    };
    let package = class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    let ends = |long: &str, end: &str| {
        long.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    source == Some(name) && (package.is_empty() || ends(folder, &package) || ends(&package, folder))
}

/// The last part of a binary name: `pkg.Outer$Inner` is `Inner`. `pkg.Outer$1` is `Outer$1`, because an
/// anonymous class has no name.
pub fn short_name(class: &str) -> &str {
    let simple = class.rsplit('.').next().unwrap_or(class);
    match simple.rsplit_once('$') {
        Some((_, inner)) if inner.starts_with(|c: char| c.is_alphabetic() || c == '_') => inner,
        // The binary name of a local class is `Outer$1Local`: its name follows the digits.
        Some((_, inner)) => {
            let local = inner.trim_start_matches(|c: char| c.is_ascii_digit());
            if local.is_empty() { simple } else { local }
        }
        None => simple,
    }
}

/// The Java type name of a descriptor with a short class name: `Map[]`.
pub fn short_type(descriptor: &str) -> String {
    short_name(&java_type(descriptor)).to_owned()
}

/// The name of a method with its parameter types for display: `expr2(Rec)`.
pub fn readable_method(name: &str, descriptor: &str) -> String {
    let parameters = parse_method(descriptor).map(|d| d.parameters).unwrap_or_default();
    let types: Vec<String> = parameters.iter().map(|p| short_type(p)).collect();
    format!("{name}({})", types.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn method_descriptors_are_parsed() {
        let d = parse_method("(I[Ljava/lang/String;JLRec;)[[D").unwrap();
        assert_eq!(d.parameters, ["I", "[Ljava/lang/String;", "J", "LRec;"]);
        assert_eq!(d.result, "[[D");
        assert_eq!(parse_method("(I"), None);
        assert_eq!(parse_method("(L;)V"), None);
        assert_eq!(parse_method("()"), None);
        assert_eq!(parse_method("(V)V"), None);
    }

    #[test]
    fn java_type_names_convert_both_ways() {
        for (descriptor, java) in
            [("[[I", "int[][]"), ("Ljava/util/Map$Entry;", "java.util.Map$Entry"), ("Z", "boolean")]
        {
            assert_eq!(java_type(descriptor), java);
            assert_eq!(descriptor_of(java), descriptor);
        }
    }

    #[test]
    fn longs_take_two_slots() {
        assert_eq!(argument_slots("(JID)V", false), 6);
        assert_eq!(parameter_slots("(JI)V", true), [(0, "J".to_owned()), (2, "I".to_owned())]);
    }

    #[test]
    fn short_names_are_those_of_the_source() {
        assert_eq!(short_name("pkg.Outer$Inner"), "Inner");
        assert_eq!(short_name("pkg.Outer$1"), "Outer$1");
        assert_eq!(short_name("Outer$1Local"), "Local");
        assert_eq!(readable_method("expr2", "(Lpkg/Rec;[I)V"), "expr2(Rec, int[])");
    }
}
