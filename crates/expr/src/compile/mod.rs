//! Compiles conditions to class files that test them inside the VM.
//!
//! The class has one method, `test`, which tells the recorder whether the condition is false, true, or must
//! be evaluated from outside. It never throws, changes nothing, and calls no code of the program. Whatever
//! could do so is a part that is left to [`super::evaluate`]: when a test comes to such a part, or to a value
//! that is not as class files say, its result is "unknown". So a compiled condition is false only where it is
//! false when evaluated from outside.
//!
//! - `events` compiles parts of the event, such as `.new`.
//! - `branches` compiles conditions to jumps, `values` compiles what they compare, and `numbers` arithmetic.
//! - `texts` makes the line of a log point.
//! - `jdk_calls` knows the methods of the JDK that can be called.
//!
//! Each value is kept in a local variable of its own. So the operand stack is empty wherever a jump leads,
//! and the class file needs no frames.

mod branches;
mod events;
mod jdk_calls;
mod numbers;
mod texts;
mod values;

use super::Expr;
use super::check::Checker;
use super::lookup::{ClassLookup, Lookup, Names, Variable};
use super::scope::{EventTypes, Scope};
use super::text_parts::TextPart;
use super::tree::Node;
use super::types::Type;
use bytecode::Kind;
use bytecode::assemble::{AssembleError, Class, Code, Label};
use std::collections::BTreeMap;

/// A condition that the VM can test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledCondition {
    /// The class file.
    pub bytes: Vec<u8>,
    /// What `test` is passed, before the number of the site.
    pub parameters: Vec<TestParameter>,
    /// The descriptor of `test`.
    pub descriptor: String,
    /// The parts that are evaluated from outside, as written.
    pub outside: Vec<String>,
}

/// What a condition is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestParameter {
    /// A local variable: its slot, and the first letter of its descriptor.
    Local(u16, char),
    /// The class whose code is at the site.
    Class,
    /// Whether a pass over the place has begun before.
    Begun,
    /// The object whose field is written or read; `null` for a static field.
    Owner,
    /// The value that is written or returned, by the first letter of its descriptor.
    Value(char),
}

/// What happens at a tested site.
#[derive(Clone, Copy, Debug)]
pub enum TestedEvent<'a> {
    /// Execution reaches it.
    Reached,
    /// A field is about to be written or read. The condition can name only parts of the event: each access is
    /// in code of its own.
    Field {
        /// The declaring class, with dots.
        class: &'a str,
        /// Its name.
        name: &'a str,
        /// Its descriptor.
        descriptor: &'a str,
        /// Whether it is static.
        is_static: bool,
        /// Whether it is written.
        writes: bool,
    },
    /// The method returns a value with this descriptor; `V` for none.
    Returned(&'a str),
    /// A local variable with this descriptor is about to be written.
    Stored(&'a str),
    /// A branch goes to this index.
    Branched(u32),
}

/// Where a condition is tested.
pub struct TestedSite<'a> {
    /// What happens there.
    pub event: TestedEvent<'a>,
    /// The names that are visible there.
    pub scope: &'a Scope,
    /// What the verifier knows of its local variables.
    pub kinds: &'a BTreeMap<u16, Kind>,
    /// The class files.
    pub classes: &'a dyn ClassLookup,
    /// Whether only the first of several sites that a pass reaches is tested.
    pub has_passes: bool,
    /// Whether a hit for which the condition is true can still be one that is not asked for.
    pub is_filtered: bool,
    /// At a log point: the text of its lines.
    pub text: Option<&'a [TextPart]>,
}

/// The recorder's classes, with slashes.
const RECORDER: &str = "java/lang/QuerypointProbe";
const FIELD: &str = "java/lang/QuerypointProbeField";
const CLASS: &str = "java/lang/QuerypointProbeClass";
const VALUES: &str = "java/lang/QuerypointProbeValues";
/// Its annotations: the methods are left out of stack traces, and always compiled into their callers.
const ANNOTATIONS: [&str; 2] =
    ["Ljdk/internal/vm/annotation/Hidden;", "Ljdk/internal/vm/annotation/ForceInline;"];

const IFEQ: u8 = 0x99;
const IFNE: u8 = 0x9a;
const IFLT: u8 = 0x9b;
const IFNONNULL: u8 = 0xc7;
const RETURN: u8 = 0xb1;

/// Compiles a condition to a class of this name (with slashes). `None` if no part of it can be found false in
/// the VM.
pub fn compile(condition: &Expr, site: &TestedSite<'_>, name: &str) -> Option<CompiledCondition> {
    let is_name = |part: &&Node| {
        matches!(
            part,
            Node::Name(_) | Node::This | Node::Super | Node::OuterThis(_) | Node::Call { owner: None, .. }
        )
    };
    if matches!(site.event, TestedEvent::Field { .. }) && condition.node().all().iter().any(is_name) {
        return None;
    }
    let mut class = Class::new(name);
    compile_into(&mut class, condition, site).ok().flatten().and_then(|compiled| {
        let Unfinished { parameters, descriptor, outside } = compiled;
        Some(CompiledCondition { bytes: class.finish().ok()?, parameters, descriptor, outside })
    })
}

struct Unfinished {
    parameters: Vec<TestParameter>,
    descriptor: String,
    outside: Vec<String>,
}

fn compile_into(
    class: &mut Class,
    condition: &Expr,
    site: &TestedSite<'_>,
) -> Result<Option<Unfinished>, AssembleError> {
    let names = Names { scope: site.scope, classes: site.classes };
    let mut nodes = condition.node().all();
    for part in site.text.unwrap_or_default() {
        if let TextPart::Value(expr) = part {
            nodes.extend(expr.node().all());
        }
    }
    let passed = passed(&nodes, &names, site);
    let Signature { slots, number, descriptor } = Signature::of(&passed);
    let own = class.name().to_owned();
    let mut code = class.code(number + 1);
    let [yes, no, ask] = [code.label(), code.label(), code.label()];
    let event = event_types(&site.event);
    let mut compiler = Compiler {
        checker: Checker { names, event: &event },
        event: site.event,
        code,
        own,
        ask,
        passed: passed.iter().copied().zip(slots.iter().copied()).collect(),
        holders: Vec::new(),
        outside: Vec::new(),
    };
    compiler.skip_others();
    compiler.branch(condition.node(), yes, no);
    let yes = match site.text {
        Some(text) => {
            let enough = compiler.code.label();
            compiler.code.place(yes);
            if let Err(outside) = compiler.log(text, number, enough) {
                compiler.leave(outside);
            }
            enough
        }
        None => yes,
    };
    let Compiler { mut code, holders, mut outside, passed: with_slots, .. } = compiler;
    if !code.is_used(no) && !site.is_filtered && !site.has_passes && site.text.is_none() {
        return Ok(None);
    }
    for (label, result) in [(no, 0), (yes, 1), (ask, 2)] {
        code.place(label);
        code.int(result);
        tell(&mut code, site.event, &with_slots, number);
    }
    let test = code.finish()?;
    class.method("test", &descriptor, &ANNOTATIONS, &test)?;
    define_holders(class, &holders)?;
    outside.dedup();
    Ok(Some(Unfinished { parameters: passed, descriptor, outside }))
}

/// The signature of the method that tests a condition.
struct Signature {
    /// The slots of the parameters.
    slots: Vec<u16>,
    /// The slot of the last parameter: the number of the site.
    number: u16,
    descriptor: String,
}

impl Signature {
    fn of(passed: &[TestParameter]) -> Signature {
        let mut number: u16 = 0;
        let mut slots = Vec::new();
        let mut descriptor = "(".to_owned();
        for parameter in passed {
            let (kind, text) = match parameter {
                TestParameter::Local(_, letter) | TestParameter::Value(letter) => {
                    (kind_of(*letter), kind_of(*letter).descriptor())
                }
                TestParameter::Owner => (Kind::Reference, "Ljava/lang/Object;"),
                TestParameter::Class => (Kind::Reference, "Ljava/lang/Class;"),
                TestParameter::Begun => (Kind::Int, "I"),
            };
            descriptor.push_str(text);
            slots.push(number);
            number += kind.slots();
        }
        descriptor.push_str("I)V");
        Signature { slots, number, descriptor }
    }
}

/// Tells the recorder the result on the stack, and returns. `number` is the slot of the site's number.
fn tell(code: &mut Code<'_>, event: TestedEvent<'_>, passed: &[(TestParameter, u16)], number: u16) {
    let descriptor = match event {
        TestedEvent::Reached => "(II)V",
        event => {
            match event {
                TestedEvent::Branched(to) => load_way(code, to),
                _ => load_value(code, passed),
            }
            "(ILjava/lang/Object;JLjava/lang/Object;I)V"
        }
    };
    code.load(Kind::Int, number);
    code.call_static(RECORDER, "tested", descriptor);
    code.op(RETURN, 0, 0);
}

fn event_types(event: &TestedEvent<'_>) -> EventTypes {
    match event {
        TestedEvent::Reached | TestedEvent::Branched(_) => EventTypes::default(),
        TestedEvent::Stored(descriptor) => {
            EventTypes { new: Some(Type::of_descriptor(descriptor)), ..EventTypes::default() }
        }
        TestedEvent::Field { class, descriptor, is_static, .. } => {
            let of = Some(Type::of_descriptor(descriptor));
            let owner = (!is_static).then(|| Type::class(class));
            EventTypes { owner, old: of.clone(), new: of, ..EventTypes::default() }
        }
        TestedEvent::Returned(descriptor) => {
            let result = (*descriptor != "V").then(|| Type::of_descriptor(descriptor));
            EventTypes { result, ..EventTypes::default() }
        }
    }
}

/// Pushes what a stop tells of a branch that goes to an index.
fn load_way(code: &mut Code<'_>, to: u32) {
    code.null();
    code.long(i64::from(to));
    code.null();
}

/// Pushes what a stop tells of the event: the owner, the bits of a primitive value, and a reference.
fn load_value(code: &mut Code<'_>, passed: &[(TestParameter, u16)]) {
    let slot = |wanted: fn(&TestParameter) -> bool| passed.iter().find(|(parameter, _)| wanted(parameter));
    match slot(|parameter| *parameter == TestParameter::Owner) {
        Some((_, slot)) => code.load(Kind::Reference, *slot),
        None => code.null(),
    }
    let Some((TestParameter::Value(letter), slot)) = slot(|p| matches!(p, TestParameter::Value(_))) else {
        code.long(0);
        return code.null();
    };
    let kind = kind_of(*letter);
    if kind == Kind::Reference {
        code.long(0);
        return code.load(kind, *slot);
    }
    code.load(kind, *slot);
    match kind {
        Kind::Int => code.op(I2L, 1, 2),
        Kind::Float => {
            code.call_static("java/lang/Float", "floatToRawIntBits", "(F)I");
            code.op(I2L, 1, 2);
        }
        Kind::Double => code.call_static("java/lang/Double", "doubleToRawLongBits", "(D)J"),
        Kind::Long | Kind::Reference => {}
    }
    code.null();
}

const I2L: u8 = 0x85;

/// Adds the fields that hold what is known of named fields and classes, and a method that the agent looks up
/// to initialise them.
fn define_holders(class: &mut Class, holders: &[Holder]) -> Result<(), AssembleError> {
    let own = class.name().to_owned();
    for (place, holder) in holders.iter().enumerate() {
        class.constant(&holder_name(place), &format!("L{};", holder.class()))?;
    }
    let mut code = class.code(0);
    for (place, holder) in holders.iter().enumerate() {
        code.new_object(holder.class());
        code.op(DUP, 1, 2);
        let texts = match holder {
            Holder::Field { declares, name, descriptor } => vec![declares, name, descriptor],
            Holder::Class(name) => vec![name],
        };
        texts.iter().for_each(|text| code.string(text));
        let descriptor = format!("({})V", "Ljava/lang/String;".repeat(texts.len()));
        code.call_constructor(holder.class(), &descriptor);
        code.put_static(&own, &holder_name(place), &format!("L{};", holder.class()));
    }
    code.op(RETURN, 0, 0);
    let initialiser = code.finish()?;
    class.method("<clinit>", "()V", &[], &initialiser)?;
    let mut code = class.code(0);
    code.long(0);
    code.op(LRETURN, 2, 0);
    let ready = code.finish()?;
    class.method("ready", "()J", &[], &ready)
}

const DUP: u8 = 0x59;
const LRETURN: u8 = 0xad;

fn holder_name(place: usize) -> String {
    format!("H{place}")
}

/// What the class remembers of a name, in a static field.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holder {
    /// A field; the class has slashes.
    Field { declares: String, name: String, descriptor: String },
    /// A class, with slashes.
    Class(String),
}

impl Holder {
    fn class(&self) -> &'static str {
        match self {
            Holder::Field { .. } => FIELD,
            Holder::Class(_) => CLASS,
        }
    }
}

/// A part that is evaluated from outside, as written.
struct Outside(String);

impl Outside {
    fn of<T>(node: &Node) -> Result<T, Outside> {
        Err(Outside(node.to_string()))
    }
}

/// A value in a local variable of the method.
#[derive(Clone, Debug)]
struct Held {
    slot: u16,
    of: Type,
}

impl Held {
    fn kind(&self) -> Kind {
        kind_of_type(&self.of)
    }
}

struct Compiler<'a, 'c> {
    checker: Checker<'a>,
    event: TestedEvent<'a>,
    code: Code<'c>,
    /// The class that is compiled.
    own: String,
    /// Where the result is "unknown".
    ask: Label,
    /// The parameters, with their slots.
    passed: Vec<(TestParameter, u16)>,
    holders: Vec<Holder>,
    outside: Vec<String>,
}

impl Compiler<'_, '_> {
    /// Returns at once where a pass was tested before, and where an access is no hit.
    fn skip_others(&mut self) {
        let begun = self.passed.iter().find(|(parameter, _)| *parameter == TestParameter::Begun);
        if let Some((_, slot)) = begun {
            let first = self.code.label();
            self.code.load(Kind::Int, *slot);
            self.code.jump(IFEQ, 1, first);
            self.code.op(RETURN, 0, 0);
            self.code.place(first);
        }
        if let (TestedEvent::Field { is_static: false, .. }, Some((_, owner))) =
            (self.event, self.passed.first())
        {
            // An access to a field of null throws, and is no hit.
            let exists = self.code.label();
            self.code.load(Kind::Reference, *owner);
            self.code.jump(IFNONNULL, 1, exists);
            self.code.op(RETURN, 0, 0);
            self.code.place(exists);
        }
    }

    /// Leaves a part to the evaluation from outside.
    fn leave(&mut self, Outside(text): Outside) {
        self.outside.push(text);
        self.code.goto(self.ask);
    }

    /// Keeps what is on the stack.
    fn keep(&mut self, of: Type) -> Held {
        let kind = kind_of_type(&of);
        let slot = self.code.local(kind);
        self.code.store(kind, slot);
        Held { slot, of }
    }

    fn load(&mut self, held: &Held) {
        self.code.load(held.kind(), held.slot);
    }

    /// Asks unless a reference is an instance of a class of the JDK, with slashes.
    fn require(&mut self, held: &Held, class: &str) {
        self.load(held);
        self.code.instance_of(class);
        self.code.jump(IFEQ, 1, self.ask);
    }

    /// Pushes a reference as an instance of a class that it is known to be.
    fn load_as(&mut self, held: &Held, class: &str) {
        self.load(held);
        self.code.cast(class);
    }

    /// Pushes what is remembered of a name.
    fn holder(&mut self, holder: Holder) {
        let place = self.holders.iter().position(|known| *known == holder).unwrap_or_else(|| {
            self.holders.push(holder.clone());
            self.holders.len() - 1
        });
        self.code.get_static(&self.own, &holder_name(place), &format!("L{};", holder.class()));
    }

    /// Pushes the class whose code is at the site.
    fn load_class(&mut self) -> Option<()> {
        let (_, slot) = self.passed.iter().find(|(parameter, _)| *parameter == TestParameter::Class)?;
        self.code.load(Kind::Reference, *slot);
        Some(())
    }
}

/// What a condition is passed at a site. A local variable whose kind is in doubt is not.
fn passed(nodes: &[&Node], names: &Names<'_>, site: &TestedSite<'_>) -> Vec<TestParameter> {
    let mut passed = match site.event {
        TestedEvent::Reached | TestedEvent::Branched(_) | TestedEvent::Returned("V") => Vec::new(),
        TestedEvent::Returned(descriptor) | TestedEvent::Stored(descriptor) => {
            vec![TestParameter::Value(letter_of(descriptor))]
        }
        TestedEvent::Field { writes: false, .. } => return vec![TestParameter::Owner],
        TestedEvent::Field { descriptor, .. } => {
            return vec![TestParameter::Owner, TestParameter::Value(letter_of(descriptor))];
        }
    };
    let mut add = |parameter| {
        if !passed.contains(&parameter) {
            passed.push(parameter);
        }
    };
    let mut uses_this = false;
    for part in nodes {
        match part {
            Node::Name(name) => match names.variable(name) {
                Lookup::Found(Variable::Local(local)) => {
                    let letter = letter_of(&local.descriptor);
                    if site.kinds.get(&local.slot) == Some(&kind_of(letter)) {
                        add(TestParameter::Local(local.slot, letter));
                    }
                }
                Lookup::Found(Variable::Field { .. }) => uses_this = true,
                // A static field, or a class with one.
                _ => add(TestParameter::Class),
            },
            Node::This | Node::Super | Node::OuterThis(_) => uses_this = true,
            Node::InstanceOf { .. } | Node::Cast { .. } => add(TestParameter::Class),
            // A static field can be named through an object.
            Node::Field { .. } => add(TestParameter::Class),
            _ => {}
        }
    }
    if uses_this && !site.scope.is_static && site.kinds.get(&0) == Some(&Kind::Reference) {
        add(TestParameter::Local(0, 'L'));
    }
    if site.has_passes {
        add(TestParameter::Begun);
    }
    passed
}

/// The first letter of a descriptor; `L` for every reference.
fn letter_of(descriptor: &str) -> char {
    descriptor.chars().next().filter(|letter| *letter != '[').unwrap_or('L')
}

fn kind_of(letter: char) -> Kind {
    let mut text = [0; 4];
    Kind::of_descriptor(letter.encode_utf8(&mut text))
}

fn kind_of_type(of: &Type) -> Kind {
    match of {
        Type::Primitive(primitive) => kind_of(primitive.letter()),
        _ => Kind::Reference,
    }
}
