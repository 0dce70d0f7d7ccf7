//! Calls of methods of the JDK that change nothing and run no code of the program.

use super::super::tree::Node;
use super::super::types::{Primitive, Type};
use super::{Compiler, Held, IFLT, Outside, VALUES};
use bytecode::Kind;

const STRING: &str = "java/lang/String";
const OBJECT: &str = "java/lang/Object";
const IF_ICMPGE: u8 = 0xa2;
const IF_ACMPEQ: u8 = 0xa5;

/// A method of `String` without conditions on its arguments: its name, the descriptors of its parameters, and
/// that of its result.
const OF_STRINGS: [(&str, &str, &str); 10] = [
    ("length", "", "I"),
    ("isEmpty", "", "Z"),
    ("hashCode", "", "I"),
    ("equals", "Ljava/lang/Object;", "Z"),
    ("equalsIgnoreCase", "Ljava/lang/String;", "Z"),
    ("startsWith", "Ljava/lang/String;", "Z"),
    ("endsWith", "Ljava/lang/String;", "Z"),
    ("compareTo", "Ljava/lang/String;", "I"),
    ("indexOf", "Ljava/lang/String;", "I"),
    ("contains", "Ljava/lang/CharSequence;", "Z"),
];

impl Compiler<'_, '_> {
    pub(super) fn call(
        &mut self,
        node: &Node,
        owner: &Node,
        name: &str,
        arguments: &[Node],
    ) -> Result<Held, Outside> {
        let receiver = self.value(owner)?;
        if receiver.kind() != Kind::Reference {
            return Outside::of(node);
        }
        let mut passed = Vec::new();
        for argument in arguments {
            passed.push(self.value(argument)?);
        }
        let is_string = receiver.of.is_string();
        if is_string && name == "charAt" {
            return self.char_at(node, &receiver, &passed);
        }
        // An erased or wider value can be a string.
        if is_string || name == "equals" && is_wide(&receiver.of) {
            return self.of_string(node, &receiver, name, &passed);
        }
        if let Some(boxed) = receiver.of.unboxed().filter(|_| name == "equals" && passed.len() == 1) {
            let class = boxed.box_class().replace('.', "/");
            self.require(&receiver, &class);
            let argument = passed.remove(0);
            let argument = self.boxed(argument);
            self.load_as(&receiver, &class);
            self.load(&argument);
            self.code.call_virtual(&class, "equals", "(Ljava/lang/Object;)Z");
            return Ok(self.keep(Type::BOOLEAN));
        }
        match (name, passed.as_slice()) {
            ("ordinal", []) => self.of_enum(&receiver, name, "I", Type::INT),
            ("name", []) => self.of_enum(&receiver, name, "Ljava/lang/String;", Type::string()),
            _ => self.of_collection(node, &receiver, name, passed),
        }
    }

    /// A method that no enum can override.
    fn of_enum(&mut self, receiver: &Held, name: &str, result: &str, of: Type) -> Result<Held, Outside> {
        self.require(receiver, "java/lang/Enum");
        self.load_as(receiver, "java/lang/Enum");
        self.code.call_virtual("java/lang/Enum", name, &format!("(){result}"));
        Ok(self.keep(of))
    }

    fn char_at(&mut self, node: &Node, receiver: &Held, passed: &[Held]) -> Result<Held, Outside> {
        let [at] = passed else { return Outside::of(node) };
        match &at.of {
            Type::Primitive(p) if p.promoted() == Primitive::Int => {}
            _ => return Outside::of(node),
        }
        self.require(receiver, STRING);
        self.load(at);
        self.code.jump(IFLT, 1, self.ask);
        self.load(at);
        self.load_as(receiver, STRING);
        self.code.call_virtual(STRING, "length", "()I");
        self.code.jump(IF_ICMPGE, 2, self.ask);
        self.load_as(receiver, STRING);
        self.load(at);
        self.code.call_virtual(STRING, "charAt", "(I)C");
        Ok(self.keep(Type::Primitive(Primitive::Char)))
    }

    fn of_string(
        &mut self,
        node: &Node,
        receiver: &Held,
        name: &str,
        passed: &[Held],
    ) -> Result<Held, Outside> {
        let takes = |parameters: &str| passed.len() == usize::from(!parameters.is_empty());
        let known = OF_STRINGS.iter().find(|(known, parameters, _)| *known == name && takes(parameters));
        let Some((_, parameters, result)) = known else { return Outside::of(node) };
        self.require(receiver, STRING);
        let argument = match passed.first() {
            // A string is passed, or nothing is asked of the object.
            Some(argument) if *parameters == "Ljava/lang/Object;" => {
                Some((self.boxed(argument.clone()), OBJECT))
            }
            Some(argument) if argument.kind() == Kind::Reference => {
                self.require(argument, STRING);
                Some((argument.clone(), STRING))
            }
            Some(_) => return Outside::of(node),
            None => None,
        };
        self.load_as(receiver, STRING);
        if let Some((argument, class)) = &argument {
            self.load_as(argument, class);
        }
        self.code.call_virtual(STRING, name, &format!("({parameters}){result}"));
        Ok(self.keep(Type::of_descriptor(result)))
    }

    fn of_collection(
        &mut self,
        node: &Node,
        receiver: &Held,
        name: &str,
        mut passed: Vec<Held>,
    ) -> Result<Held, Outside> {
        let argument = match (passed.pop(), passed.is_empty()) {
            (_, false) => return Outside::of(node),
            (argument, true) => argument,
        };
        match (name, argument) {
            ("size", None) => Ok(self.size(receiver)),
            ("isEmpty", None) => {
                let size = self.size(receiver);
                let [empty, end] = [self.code.label(), self.code.label()];
                let slot = self.code.local(Kind::Int);
                self.code.int(1);
                self.code.store(Kind::Int, slot);
                self.load(&size);
                self.code.jump(super::IFEQ, 1, empty);
                self.code.int(0);
                self.code.store(Kind::Int, slot);
                self.code.place(empty);
                self.code.goto(end);
                self.code.place(end);
                Ok(Held { slot, of: Type::BOOLEAN })
            }
            ("get", Some(argument)) => {
                let parameter = match &argument.of {
                    Type::Primitive(p) if p.promoted() == Primitive::Int && !is_map(&receiver.of) => "I",
                    _ => "Ljava/lang/Object;",
                };
                let argument = if parameter == "I" { argument } else { self.boxed(argument) };
                self.load(receiver);
                self.load(&argument);
                let descriptor = format!("(Ljava/lang/Object;{parameter})Ljava/lang/Object;");
                self.code.call_static(VALUES, "get", &descriptor);
                let found = self.keep(Type::Unknown);
                self.load(&found);
                self.code.get_static(VALUES, "NONE", "Ljava/lang/Object;");
                self.code.jump(IF_ACMPEQ, 2, self.ask);
                Ok(found)
            }
            ("contains" | "containsKey", Some(argument)) => {
                let argument = self.boxed(argument);
                self.load(receiver);
                self.load(&argument);
                self.code.call_static(VALUES, name, "(Ljava/lang/Object;Ljava/lang/Object;)I");
                let found = self.keep(Type::BOOLEAN);
                self.load(&found);
                self.code.jump(IFLT, 1, self.ask);
                Ok(found)
            }
            _ => Outside::of(node),
        }
    }

    fn size(&mut self, receiver: &Held) -> Held {
        self.load(receiver);
        self.code.call_static(VALUES, "size", "(Ljava/lang/Object;)I");
        let size = self.keep(Type::INT);
        self.load(&size);
        self.code.jump(IFLT, 1, self.ask);
        size
    }
}

/// Whether a value of this type can be a string although it is not declared as one.
fn is_wide(of: &Type) -> bool {
    match of {
        Type::Unknown => true,
        Type::Class(name) => {
            matches!(
                &**name,
                "java.lang.Object"
                    | "java.lang.CharSequence"
                    | "java.lang.Comparable"
                    | "java.io.Serializable"
            )
        }
        _ => false,
    }
}

fn is_map(of: &Type) -> bool {
    matches!(of, Type::Class(name) if name.ends_with("Map"))
}
