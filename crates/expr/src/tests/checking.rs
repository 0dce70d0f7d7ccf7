//! Checks before the run: type errors, types, and the variable that a reference denotes.

use super::fake::{Classes, now};
use super::oracle::{classes, heap, inner};
use crate::{EventTypes, Expr, Scope, Type, VariableRef, check, check_condition, evaluate, place};

fn problem(text: &str) -> String {
    let mut m = inner();
    let expr = Expr::parse(text).unwrap();
    let error = check(&expr, m.scope.as_ref().unwrap(), &m.classes, &EventTypes::default());
    let error = error.map(|t| t.to_string()).expect_err(text);
    // A definite error before the run is also an error in it.
    now(evaluate(&expr, &mut m)).map(|v| format!("{v:?}")).expect_err(text);
    error.to_string()
}

#[test]
fn definite_errors_are_reported_before_the_run() {
    for (text, part) in [
        ("recz", "`recz`: is not a local or field here; did you mean `rec`?"),
        ("recz.name", "did you mean `rec`?"),
        ("rec.nmae", "`rec.nmae`: shop.Rec has no field `nmae`; did you mean `name`?"),
        ("this.secret", "shop.Outer$Inner has no field `secret`; cast it if it is of a subclass"),
        ("arr.size", "int[] has no field but `length`"),
        ("Rec.size", "not static; it needs an object"),
        ("Outer.this.nope", "shop.Outer has no field `nope`"),
        ("i.x", "int has no fields"),
        ("t < 1", "`<` cannot be applied to boolean and int"),
        ("t + 1", "`+` cannot be applied to boolean and int"),
        ("str - 1", "`-` cannot be applied to java.lang.String and int"),
        ("str == 1", "`==` cannot be applied to java.lang.String and int"),
        ("t == 1", "`==` cannot be applied to boolean and int"),
        ("i == null", "`==` cannot be applied to int and null"),
        ("!i", "`!` cannot be applied to int"),
        ("~f", "`~` cannot be applied to float"),
        ("-str", "`-` cannot be applied to java.lang.String"),
        ("f & 1", "`&` cannot be applied to float and int"),
        ("i && t", "`i`: is int where a boolean is needed"),
        ("str ? 1 : 2", "is java.lang.String where a boolean is needed"),
        ("arr[l]", "is long where an int index is needed"),
        ("i[0]", "int is not an array"),
        ("rec[0]", "shop.Rec is not an array"),
        ("(boolean) i", "int cannot be cast to boolean"),
        ("(int) t", "boolean cannot be cast to int"),
        ("(Integer) l", "long cannot be cast to java.lang.Integer"),
        ("(byte) box", "java.lang.Integer cannot be cast to byte"),
        ("i instanceof Rec", "int is not an object"),
        ("rec.nmae()", "shop.Rec has no method `nmae`"),
        ("over.h(t)", "no `h` takes (boolean); there is shop.Over(java.lang.Number) and"),
        ("over.v()", "no `v` takes ()"),
        ("Outer.instanceCall(1)", "not static; it needs an object"),
        (".old", "`.old`: this event has no such part"),
        ("Nothing.this.x", "Nothing is not a class around shop.Outer$Inner"),
        ("Outer", "is not a local or field here"),
    ] {
        let error = if text == "Outer" {
            let m = inner();
            let expr = Expr::parse(text).unwrap();
            check(&expr, m.scope.as_ref().unwrap(), &m.classes, &EventTypes::default())
                .unwrap_err()
                .to_string()
        } else {
            problem(text)
        };
        let part = if text == "Outer" { "is the class shop.Outer, not a value" } else { part };
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn static_methods_have_no_this() {
    let mut m = heap("shop.Outer");
    m.this = None;
    m.scope_mut().is_static = true;
    for (text, part) in [
        ("secret", "is a field of shop.Outer objects"),
        ("this.secret", "no `this` in a static method"),
        ("instanceCall(1)", "not static"),
    ] {
        let expr = Expr::parse(text).unwrap();
        let error = check(&expr, m.scope.as_ref().unwrap(), &m.classes, &EventTypes::default()).unwrap_err();
        assert!(error.to_string().contains(part), "{text}: {error}");
        now(evaluate(&expr, &mut m)).unwrap_err();
    }
}

#[test]
fn undetermined_names_are_left_to_the_run() {
    let m = inner();
    let scope = m.scope.as_ref().unwrap();
    for text in [
        "((Object) rec).anything",
        "o.whatever.next",
        "o == 3",
        "o + str",
        "(int) o",
        "Imported.count",
        "org.other.Thing.value.x",
        "org.other.Thing.make(1).x",
        "x instanceof org.other.Thing && t".trim_start_matches("x instanceof org.other.Thing && "),
        "o instanceof Imported",
        "((Imported) o).x > 1",
    ] {
        check(&Expr::parse(text).unwrap(), scope, &m.classes, &EventTypes::default())
            .unwrap_or_else(|e| panic!("{e}"));
    }
    // An unknown class in the frame's hierarchy could have any field.
    let mut without = classes();
    without.0.remove("shop.Outer$Inner");
    let unknown = check(&Expr::parse("anything").unwrap(), scope, &without, &EventTypes::default()).unwrap();
    assert_eq!(unknown, Type::Unknown);
    let nothing = Classes::default();
    assert_eq!(
        check(&Expr::parse("rec.x.y()").unwrap(), scope, &nothing, &EventTypes::default()).unwrap(),
        Type::Unknown
    );
}

#[test]
fn conditions_must_be_boolean() {
    let m = inner();
    let scope = m.scope.as_ref().unwrap();
    let event = EventTypes { new: Some(Type::INT), old: Some(Type::Unknown), ..EventTypes::default() };
    let condition = |text: &str| check_condition(&Expr::parse(text).unwrap(), scope, &m.classes, &event);
    for text in ["t", "rec == null", ".new > 3", ".old", "boxed instanceof Rec", "der.x() || t"] {
        let found = condition(text);
        assert_eq!(found.is_err(), text.contains("x()"), "{text}: {found:?}");
    }
    assert_eq!(condition(".new").unwrap_err().to_string(), "`.new`: is int where a boolean is needed");
    assert!(condition("i = 3".trim_end_matches(" = 3")).is_err());
}

#[test]
fn a_missing_variable_table_is_reported() {
    let mut m = inner();
    m.scope_mut().locals.clear();
    m.scope_mut().has_variable_table = false;
    let expr = Expr::parse("quantity").unwrap();
    let error = check(&expr, m.scope.as_ref().unwrap(), &m.classes, &EventTypes::default()).unwrap_err();
    assert!(error.to_string().contains("no table of its locals: compile it with -g"), "{error}");
    let error = now(evaluate(&expr, &mut m)).unwrap_err();
    assert!(error.to_string().contains("no table of its locals: compile it with -g"), "{error}");
}

fn placed(scope: &Scope, text: &str) -> String {
    match place(&Expr::parse(text).unwrap(), scope, &classes()) {
        Ok(VariableRef::Local { name, slot, descriptor }) => format!("local {name} {slot} {descriptor}"),
        Ok(VariableRef::Field { owner, class, name, descriptor }) => {
            format!("field {class}.{name} {descriptor} of {owner}")
        }
        Ok(VariableRef::Static { class, name, descriptor }) => format!("static {class}.{name} {descriptor}"),
        Ok(VariableRef::Element { array, index, descriptor }) => {
            format!("element {index} of {array} {}", descriptor.unwrap_or_default())
        }
        Ok(VariableRef::Unknown { owner, field }) => format!("unknown {field} of {owner}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn references_name_variables() {
    let m = inner();
    let scope = m.scope.as_ref().unwrap();
    for (text, variable) in [
        ("arg", "local arg 0 I"),
        ("recs", "local recs 18 [Lshop/Rec;"),
        ("own", "field shop.Outer$Inner.own I of this"),
        ("this.own", "field shop.Outer$Inner.own I of this"),
        ("secret", "field shop.Outer.secret I of this.this$0"),
        ("rec.name", "field shop.Rec.name Ljava/lang/String; of rec"),
        ("Outer.this.rec.name", "field shop.Rec.name Ljava/lang/String; of Outer.this.rec"),
        ("der.inherited", "field shop.Base.inherited I of der"),
        ("((Derived) der).inherited", "field shop.Base.inherited I of (Derived) der"),
        ("((Derived) der).hidden", "field shop.Derived.hidden I of (Derived) der"),
        ("counter", "static shop.Outer.counter I"),
        ("Outer.counter", "static shop.Outer.counter I"),
        ("shop.Rec.made", "static shop.Rec.made I"),
        ("rec.made", "static shop.Rec.made I"),
        ("Derived.Nested.deep", "static shop.Derived$Nested.deep J"),
        ("arr[2]", "element 2 of arr I"),
        ("recs[0].name", "field shop.Rec.name Ljava/lang/String; of recs[0]"),
        ("o.name", "unknown name of o"),
        (".owner.name", "unknown name of .owner"),
        ("Imported.count", "unknown count of Imported"),
    ] {
        assert_eq!(placed(scope, text), variable, "{text}");
    }
    for (text, part) in [
        ("i + 1", "a value of type int and names no variable"),
        ("this", "names no variable"),
        ("over.f(1)", "names no variable"),
        ("arr.length", "never changes"),
        ("rec.nmae", "did you mean `name`?"),
    ] {
        assert!(placed(scope, text).contains(part), "{text}: {}", placed(scope, text));
    }
    let local = heap("shop.Outer$1Local");
    let scope = local.scope.as_ref().unwrap();
    assert_eq!(placed(scope, "captured"), "field shop.Outer$1Local.val$captured I of this");
    assert_eq!(placed(scope, "rec.name"), "field shop.Rec.name Ljava/lang/String; of rec");
}
