//! Compares our values with those that javac and the VM compute for the same expressions, as an independent
//! oracle.

use super::arithmetic;
use super::fake::{Classes, Fake, now};
use crate::{EvalError, EventTypes, Expr, Scope, Type, check, evaluate};
use model::Value;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// Expressions evaluated in `Outer.Inner.run`.
const INNER: &[&str] = &[
    // Locals, promotion, overflow, shifts of small types, division.
    "b + s",
    "b + c",
    "i + l",
    "l + f",
    "f + d",
    "c + 1",
    "-c",
    "+b",
    "~s",
    "i * i",
    "i * 100000 / 3",
    "b >> 1",
    "b >>> 1",
    "b << 30",
    "l >>> 63",
    "1 << 33",
    "1L << 33",
    "-1 >>> 28",
    "i / zero",
    "i % zero",
    "l / zero",
    "d / zero",
    "-d % 1.5",
    "f % 1",
    "nan == nan",
    "nan != nan",
    "nan < 1",
    "!(nan >= 1)",
    "0.0 == -0.0",
    "7 / -2",
    "-7 % 3",
    "2147483647 + 1",
    "-2147483648 - 1",
    "i > l ? 1 : 2",
    "(byte) 200",
    "(char) -1",
    "(short) i",
    "(int) 3.99e10",
    "(int) nan",
    "(long) -2.7f",
    "(byte) 300.7",
    "(char) 97.9",
    "(float) 1e300",
    "(int) 'x' + 1",
    "(double) l",
    "i & 0xff ^ b | 3",
    "t & !t | t ^ t",
    "t ? 1 : 2.0",
    "t ? 'a' : 0",
    "t ? c : i",
    "t ? b : 'x'",
    "t ? b : s",
    "t ? null : 1",
    "false ? 1 : 'x'",
    "true ? b : 127",
    "true ? b : 128",
    "1.0f / 3",
    "10 % 3.5",
    "'a' + 'b'",
    "5 > 3 == true",
    "0x7fffffffffffffffL + 1",
    "1e-3f * d",
    "(byte) c",
    "(short) 'x'",
    "(long) f",
    "08.5 + .5",
    // Strings.
    "str + 1",
    "1 + 2 + str",
    "str + 1 + 2",
    "str + null",
    "none + str",
    "str + 'c' + t",
    "\"\" + c + (char) 66",
    "\"\" + f + d",
    "\"\" + nan + 1e10 + 1e-5 + 100f",
    "\"a\\tb\" + \"\\u0041\"",
    "str + l + b",
    "\"\" + box + cbox",
    "\"\" + 1.0E7 + 9999999.0 + 0.001 + 9.99E-4 + -0.0f + 1f/0",
    "str == str",
    "str != none",
    "none == null",
    // Boxes.
    "box + 1",
    "box == 1000",
    "box / 3.0",
    "cbox + 1",
    "(int) cbox",
    "(long) (int) box",
    "-box",
    "box > cbox",
    "box == box",
    "t ? box : 1L",
    "(Object) 3 instanceof Integer",
    "(Integer) 3 == 3",
    "boxed instanceof Integer",
    "(Integer) boxed + 1",
    "(Number) 3 == null",
    "(double) box",
    "arr[cbox - 'q']",
    "boxed == (Object) none",
    // Arrays.
    "arr[1]",
    "arr.length",
    "arr[arr.length - 1]",
    "arr[3]",
    "arr[-1]",
    "arr[c - 'x']",
    "grid[0][1]",
    "grid[1].length",
    "grid[1][1]",
    "recs[0].name",
    "recs[1]",
    "recs[1].name",
    "numbers[b + 8]",
    "recs instanceof Object[]",
    "(Object) arr instanceof int[]",
    "(Object) arr instanceof Object[]",
    "((Object[]) recs).length",
    "(Rec[]) (Object) recs == recs",
    "(int[]) (Object) recs",
    "(Object) recs instanceof Base[]",
    // Names.
    "shadow",
    "this.shadow",
    "Outer.this.shadow",
    "own",
    "secret",
    "Outer.this.secret",
    "NAME",
    "counter",
    "Outer.counter",
    "shop.Outer.counter",
    "rec.size",
    "rec.name",
    "nothing",
    "nothing.name",
    "nothing == null || nothing.size > 1",
    "Rec.made",
    "shop.Rec.made",
    "rec.made",
    "Derived.Nested.deep",
    "shop.Derived.Nested.deep",
    "arg",
    "Outer.this.rec.size + arg",
    "this == null",
    "this.own + own",
    "Integer.MAX_VALUE == i",
    "java.lang.Integer.MAX_VALUE == i",
    // Static types determine the field, the runtime type determines the method.
    "der.hidden",
    "der.inherited",
    "((Derived) der).hidden",
    "((Base) (Derived) der).hidden",
    "((Derived) der).only",
    "base.hidden",
    "der.which(null)",
    "((Base) der).which(1)",
    "Base.who()",
    "der.who()",
    "outerCall(b)",
    "instanceCall(i)",
    "Outer.this.instanceCall(c)",
    "der instanceof Derived",
    "der instanceof Base",
    "o instanceof String",
    "o instanceof CharSequence",
    "nothing instanceof Rec",
    "(Integer) o",
    "(String) o + 1",
    "(Rec) null",
    "o == str",
    "(Derived) der == der",
    "der == base",
    "der == der",
    "rec != null",
    // Overloads.
    "over.f(b)",
    "over.f(i)",
    "over.f(l)",
    "over.f(f)",
    "over.f(c)",
    "over.f(t)",
    "over.f(str)",
    "over.f(box)",
    "over.f(arr)",
    "over.f((Object) str)",
    "over.f((double) i)",
    "over.f(rec)",
    "over.g(i)",
    "over.g(box)",
    "over.g(f)",
    "over.g()",
    "over.g(1, 2)",
    "over.g(str)",
    "over.h(box)",
    "over.h(str)",
    "over.h(5)",
    "over.k(null, null)",
    "over.k((Derived) der, 1)",
    "over.k((Base) der, str)",
    "over.v(str)",
    "over.v(str, 1, c)",
    "over.v(str, arr)",
    "over.a(arr)",
    "over.a(recs)",
    "over.a(grid)",
    "over.a(rec)",
    "over.f(null == str ? 1 : 2L)",
    "over.f(\"lit\")",
    "nothing.name.length()",
    "over.f('c' + 1)",
    // Short-circuit evaluation.
    "t || i / zero > 0",
    "!t && i / zero > 0",
    "t ? 1 : i / zero",
    "t | i / zero > 0",
    "none != null && none.length() > 0",
];

/// Expressions evaluated in `run` of a local class in `Outer.local`.
const LOCAL: &[&str] = &[
    "captured",
    "captured + own",
    "secret",
    "Outer.this.secret + captured",
    "rec.name",
    "counter",
    "instanceCall(captured)",
];

/// Expressions evaluated in the static method `Outer.statically`.
const STATIC: &[&str] =
    &["given.size", "counter", "given.name + NAME", "outerCall(given.size)", "Rec.made", "given == null"];

struct Fixture {
    lines: Vec<String>,
    arithmetic: Vec<String>,
    classes: Classes,
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn compile(folder: &Path) -> String {
    let shows = |list: &[&str]| list.iter().map(|e| format!("show(() -> {e});\n")).collect::<String>();
    let source = include_str!("Outer.java")
        .replace("/*INNER*/", &shows(INNER))
        .replace("/*LOCAL*/", &shows(LOCAL))
        .replace("/*STATIC*/", &shows(STATIC));
    std::fs::write(folder.join("Outer.java"), source).unwrap();
    std::fs::write(folder.join("Arithmetic.java"), arithmetic::java_source()).unwrap();
    let classes = folder.join("classes");
    std::fs::create_dir(&classes).unwrap();
    std::fs::create_dir(folder.join("jdk")).unwrap();
    run(Command::new("javac")
        .args(["-g", "-nowarn", "-encoding", "UTF-8", "-d"])
        .arg(&classes)
        .args([folder.join("Outer.java"), folder.join("Arithmetic.java")]));
    run(Command::new("java").arg("-cp").arg(&classes).arg("shop.Outer").arg(folder.join("jdk")))
}

/// Java's output for `arithmetic::java_source`.
pub(super) fn arithmetic_lines() -> &'static [String] {
    &fixture().arithmetic
}

fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let output = compile(folder.path());
        let mut classes = Classes::default();
        classes.add_folder(&folder.path().join("classes/shop"));
        classes.add_folder(&folder.path().join("jdk"));
        let mut parts = output.split("--\n");
        let mut part = || parts.next().unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
        let lines = [part(), part(), part()].concat();
        Fixture { lines, arithmetic: part(), classes }
    })
}

pub(super) fn classes() -> Classes {
    fixture().classes.clone()
}

/// The state built by `Outer.main`, in a frame of the given class.
pub(super) fn heap(class: &str) -> Fake {
    let scope = Scope {
        of_copied: Vec::new(),
        class: class.into(),
        is_static: false,
        locals: Vec::new(),
        has_variable_table: true,
    };
    let mut m = Fake { classes: classes(), scope: Some(scope), ..Fake::default() };
    let bg = m.text("BG");
    let rec = m.object("shop.Rec", &[("shop.Rec", "name", bg), ("shop.Rec", "size", Value::Int(5))]);
    let ints = |v: &[i32]| v.iter().map(|i| Value::Int(*i)).collect::<Vec<_>>();
    let numbers = m.array("int[]", ints(&[4, 5, 6]));
    let rows = vec![m.array("int[]", ints(&[1, 2])), m.array("int[]", ints(&[3]))];
    let grid = m.array("int[][]", rows);
    let boxed = m.boxed("java.lang.Integer", Value::Int(41));
    let derived = derived(&mut m);
    let outer = m.object(
        "shop.Outer",
        &[
            ("shop.Outer", "secret", Value::Int(3)),
            ("shop.Outer", "shadow", Value::Int(1)),
            ("shop.Outer", "rec", rec),
            ("shop.Outer", "nothing", Value::Null),
            ("shop.Outer", "numbers", numbers),
            ("shop.Outer", "grid", grid),
            ("shop.Outer", "boxed", boxed),
            ("shop.Outer", "base", derived),
        ],
    );
    let name = m.text("outer");
    for (class, field, value) in [
        ("shop.Outer", "counter", Value::Int(7)),
        ("shop.Outer", "NAME", name),
        ("shop.Rec", "made", Value::Int(2)),
        ("shop.Derived$Nested", "deep", Value::Long(5)),
        ("java.lang.Integer", "MAX_VALUE", Value::Int(i32::MAX)),
    ] {
        m.statics.insert((class.to_owned(), field.to_owned()), value);
    }
    m.this = Some(match class {
        "shop.Outer$Inner" => m.object(
            class,
            &[(class, "this$0", outer), (class, "shadow", Value::Int(2)), (class, "own", Value::Int(9))],
        ),
        "shop.Outer$1Local" => m.object(
            class,
            &[
                (class, "this$0", outer),
                (class, "val$captured", Value::Int(55)),
                (class, "own", Value::Int(77)),
            ],
        ),
        _ => outer,
    });
    m
}

fn derived(m: &mut Fake) -> Value {
    m.object(
        "shop.Derived",
        &[
            ("shop.Base", "hidden", Value::Int(10)),
            ("shop.Base", "inherited", Value::Int(30)),
            ("shop.Derived", "hidden", Value::Int(20)),
            ("shop.Derived", "only", Value::Int(40)),
        ],
    )
}

pub(super) fn inner() -> Fake {
    let mut m = heap("shop.Outer$Inner");
    let str_value = m.text("BG");
    let text = m.text("text");
    let boxed = m.boxed("java.lang.Integer", Value::Int(1000));
    let cbox = m.boxed("java.lang.Character", Value::Char(u16::from(b'q')));
    let der = derived(&mut m);
    let arr = m.array("int[]", [10, 20, 30].map(Value::Int).to_vec());
    let first = m.text("first");
    let one = m.object("shop.Rec", &[("shop.Rec", "name", first), ("shop.Rec", "size", Value::Int(1))]);
    let recs = m.array("shop.Rec[]", vec![one, Value::Null]);
    let over = m.object("shop.Over", &[]);
    for (name, descriptor, value) in [
        ("arg", "I", Value::Int(12)),
        ("b", "B", Value::Byte(-7)),
        ("s", "S", Value::Short(300)),
        ("c", "C", Value::Char(u16::from(b'x'))),
        ("i", "I", Value::Int(123_456_789)),
        ("zero", "I", Value::Int(0)),
        ("l", "J", Value::Long(1 << 40)),
        ("f", "F", Value::Float(1.5)),
        ("d", "D", Value::Double(2.25)),
        ("nan", "D", Value::Double(f64::NAN)),
        ("t", "Z", Value::Boolean(true)),
        ("str", "Ljava/lang/String;", str_value),
        ("none", "Ljava/lang/String;", Value::Null),
        ("o", "Ljava/lang/Object;", text),
        ("box", "Ljava/lang/Integer;", boxed),
        ("cbox", "Ljava/lang/Character;", cbox),
        ("der", "Lshop/Base;", der),
        ("arr", "[I", arr),
        ("recs", "[Lshop/Rec;", recs),
        ("over", "Lshop/Over;", over),
    ] {
        m.local_value(name, descriptor, value);
    }
    m
}

/// Formats a value as the fixture prints it.
fn shown(m: &Fake, value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(v) => format!("java.lang.Boolean {v}"),
        Value::Byte(v) => format!("java.lang.Byte {v}"),
        Value::Short(v) => format!("java.lang.Short {v}"),
        Value::Char(v) => format!("char {v}"),
        Value::Int(v) => format!("java.lang.Integer {v}"),
        Value::Long(v) => format!("java.lang.Long {v}"),
        Value::Float(v) => format!("float {:x}", if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }),
        Value::Double(v) => format!("double {:x}", if v.is_nan() { 0x7ff8 << 48 } else { v.to_bits() }),
        Value::Str(s) => format!("java.lang.String {}", s.text),
        other => match m.boxed_value(other) {
            Some(inner) => shown(m, &inner),
            None => m.class_name(other).unwrap_or_else(|| format!("{other:?}")),
        },
    }
}

fn exception<E: std::error::Error>(error: &EvalError<E>) -> String {
    let class = match error {
        EvalError::NullPointer { .. } => "java.lang.NullPointerException",
        EvalError::DivisionByZero { .. } => "java.lang.ArithmeticException",
        EvalError::ArrayIndex { .. } => "java.lang.ArrayIndexOutOfBoundsException",
        EvalError::ClassCast { .. } => "java.lang.ClassCastException",
        other => return format!("error {other}"),
    };
    format!("throws {class}")
}

fn ours(m: &mut Fake, text: &str) -> (Type, String) {
    let expr = Expr::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let found = check(&expr, m.scope.as_ref().unwrap(), &m.classes, &EventTypes::default());
    let found = found.unwrap_or_else(|e| panic!("javac takes this: {e}"));
    let value = match now(evaluate(&expr, m)) {
        Ok(value) => shown(m, &value),
        Err(error) => exception(&error),
    };
    (found, value)
}

#[test]
fn expressions_have_the_same_values_as_in_java() {
    let mut local = heap("shop.Outer$1Local");
    local.scope_mut().has_variable_table = true;
    let mut statically = heap("shop.Outer");
    statically.this = None;
    statically.scope_mut().is_static = true;
    let name = statically.text("given");
    let given =
        statically.object("shop.Rec", &[("shop.Rec", "name", name), ("shop.Rec", "size", Value::Int(8))]);
    statically.local_value("given", "Lshop/Rec;", given);
    let mut machines = [(INNER, inner()), (LOCAL, local), (STATIC, statically)];
    let mut java = fixture().lines.iter();
    let mut differences = Vec::new();
    for (texts, machine) in &mut machines {
        for text in *texts {
            let expected = java.next().unwrap();
            let (static_type, value) = ours(machine, text);
            if value != *expected {
                differences.push(format!("{text}: Java {expected}, we {value}"));
            }
            // If the checker determines a primitive type, it is the type of the value.
            let kind = expected.split(' ').next().unwrap_or_default();
            let boxed = Type::class(match kind {
                "char" => "java.lang.Character",
                "float" => "java.lang.Float",
                "double" => "java.lang.Double",
                other => other,
            });
            if let (Type::Primitive(_), Some(p)) = (&static_type, boxed.unboxed())
                && static_type != Type::Primitive(p)
            {
                differences.push(format!("{text}: Java's value is {p}, the checker says {static_type}"));
            }
        }
    }
    assert!(java.next().is_none());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
