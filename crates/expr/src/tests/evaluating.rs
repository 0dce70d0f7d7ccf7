//! Deliberate differences from Java's evaluation, and evaluation errors.

use super::fake::{Fake, now};
use super::oracle::{heap, inner};
use crate::{EvalError, EventPart, Expr, evaluate};
use model::Value;

fn value(m: &mut Fake, text: &str) -> Value {
    now(evaluate(&Expr::parse(text).unwrap(), m)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn error(m: &mut Fake, text: &str) -> String {
    now(evaluate(&Expr::parse(text).unwrap(), m)).expect_err(text).to_string()
}

#[test]
fn a_string_literal_is_compared_by_text() {
    let mut m = inner();
    let twin = m.text("BG");
    m.local_value("twin", "Ljava/lang/String;", twin);
    for (text, expected) in [
        ("str == \"BG\"", true),
        ("\"BG\" != str", false),
        ("str == \"B\" + \"G\"", true),
        ("str == \"other\"", false),
        ("none == \"BG\"", false),
        ("rec != \"BG\"", true),
        ("str == twin", false),
        ("str != twin", true),
    ] {
        assert_eq!(value(&mut m, text), Value::Boolean(expected), "{text}");
    }
    assert!(m.calls.is_empty(), "comparing runs nothing in the debuggee");
}

#[test]
fn members_of_the_runtime_class_need_no_cast() {
    let mut m = inner();
    assert_eq!(value(&mut m, "der.only"), Value::Int(40));
    let derived = m.locals["der"].clone();
    m.local_value("anything", "Ljava/lang/Object;", derived);
    assert_eq!(value(&mut m, "anything.hidden"), Value::Int(20));
    assert_eq!(value(&mut m, "anything instanceof shop.Derived"), Value::Boolean(true));
    let Value::Str(called) = value(&mut m, "anything.which(str)") else { panic!() };
    assert_eq!(called.text, "Derived.which(java.lang.Object)");
    // Overloads are selected by the runtime types of the arguments.
    let Value::Str(called) = value(&mut m, "over.f(o)") else { panic!() };
    assert_eq!(called.text, "Over.f(java.lang.String)");
}

#[test]
fn super_calls_the_overridden_method() {
    let mut m = heap("shop.Derived");
    let this = m.object(
        "shop.Derived",
        &[("shop.Base", "hidden", Value::Int(10)), ("shop.Derived", "hidden", Value::Int(20))],
    );
    m.this = Some(this);
    assert_eq!(value(&mut m, "hidden + super.hidden"), Value::Int(30));
    let Value::Str(called) = value(&mut m, "super.which(null)") else { panic!() };
    assert_eq!(called.text, "Base.which(java.lang.Object)");
    assert_eq!(m.calls, ["shop.Base.which nonvirtual"]);
}

#[test]
fn a_frame_of_a_superclass_sees_the_fields_of_that_class() {
    // `this` is a Derived, but Base declares the method, so `hidden` is the field of Base (JLS §8.3).
    let mut m = heap("shop.Base");
    let this = m.object(
        "shop.Derived",
        &[("shop.Base", "hidden", Value::Int(10)), ("shop.Derived", "hidden", Value::Int(20))],
    );
    m.this = Some(this);
    assert_eq!(value(&mut m, "hidden"), Value::Int(10));
    assert_eq!(value(&mut m, "this.hidden"), Value::Int(10));
    assert_eq!(value(&mut m, "((Derived) this).hidden"), Value::Int(20));
}

#[test]
fn parts_of_the_event_have_a_leading_dot() {
    let mut m = inner();
    let rec = m.text("new name");
    let owner = m.object("shop.Rec", &[("shop.Rec", "name", rec), ("shop.Rec", "size", Value::Int(4))]);
    m.events.insert(EventPart::Owner, owner);
    m.events.insert(EventPart::New, Value::Int(3));
    assert_eq!(value(&mut m, ".owner.size + .new"), Value::Int(7));
    assert_eq!(value(&mut m, ".owner instanceof Rec && .new == 3"), Value::Boolean(true));
    assert_eq!(error(&mut m, ".old == 3"), "this event has no `.old`");
}

#[test]
fn errors_name_the_expression_and_the_reason() {
    let mut m = inner();
    m.local_value("later", "I", Value::Unassigned);
    for (text, message) in [
        ("later + 1", "local `later` is not assigned yet at this point"),
        ("recz", "`recz` is not a local, field or loaded class here; did you mean `rec`?"),
        ("nothing.name", "`nothing` is null, so there is no .name"),
        ("none.length()", "`none` is null, so there is no .length()"),
        ("1 + i / zero", "`i / zero`: division by zero"),
        ("arr[7]", "`arr[7]`: index 7 is outside the array of length 3"),
        ("(Derived) rec", "`(Derived) rec`: an object of shop.Rec cannot be cast to Derived"),
        ("rec.nmae", "`rec.nmae`: shop.Rec has no field `nmae`; did you mean `name`?"),
        ("t < 1", "`t < 1`: `<` cannot be applied to boolean and int"),
        ("str.trim()", "`str.trim()` threw java.lang.RuntimeException"),
        (
            "over.amb(box, box)",
            "`over.amb(box, box)`: ambiguous between shop.Over.amb(java.lang.Integer, java.lang.Object) and \
             shop.Over.amb(java.lang.Object, java.lang.Integer); cast an argument",
        ),
        (
            "over.h(t)",
            "`over.h(t)`: shop.Over has no method `h(boolean)`; there is shop.Over.h(java.lang.Number) and shop.Over.h(java.lang.CharSequence)",
        ),
        ("over.ff(1)", "`over.ff(1)`: shop.Over has no method `ff(int)`; did you mean `f`?"),
        ("\"\" + rec", "`rec`: is an object of shop.Rec; write .toString() to call it"),
        (
            "rec instanceof Imported",
            "`rec instanceof Imported`: no class `Imported` is imported or loaded here",
        ),
        ("i + rec", "`rec`: an object of shop.Rec is neither a number nor a boolean"),
    ] {
        assert_eq!(error(&mut m, text), message);
    }
    // No object can have a class that is not loaded.
    assert_eq!(value(&mut m, "rec instanceof org.other.Imported"), Value::Boolean(false));
    // The simple name of one of the object's own types is accepted, whatever its package.
    m.scope_mut().class = "elsewhere.Main".into();
    m.scope_mut().is_static = true;
    m.classes.0.insert("elsewhere.Main".to_owned(), m.classes.0["shop.Arithmetic"].clone());
    assert_eq!(value(&mut m, "der instanceof Base"), Value::Boolean(true));
    assert_eq!(value(&mut m, "((Derived) der).hidden + ((Base) der).hidden"), Value::Int(40));
}

#[test]
fn the_error_keeps_the_thrown_exception() {
    let mut m = inner();
    let failed = now(evaluate(&Expr::parse("str.trim()").unwrap(), &mut m)).unwrap_err();
    let EvalError::Threw { exception, .. } = failed else { panic!("{failed}") };
    assert_eq!(m.class_name(&exception).as_deref(), Some("java.lang.RuntimeException"));
}

#[test]
fn calls_are_visible_in_the_expression() {
    assert!(Expr::parse("a + b[c.d()]").unwrap().has_calls());
    assert!(Expr::parse("a{b}.c").unwrap().has_calls(), "it is read by `get`");
    assert!(!Expr::parse("(a.b + \"c()\") instanceof D").unwrap().has_calls());
    assert!(Expr::parse(".old != .new").unwrap().uses(EventPart::Old));
}

#[test]
fn the_highest_allowed_tree_fits_the_stack() {
    let mut m = inner();
    assert_eq!(value(&mut m, &format!("{}i{}", "-(".repeat(49), ")".repeat(49))), Value::Int(-123_456_789));
    let Value::Str(called) = value(&mut m, &format!("{}box{}", "over.f(".repeat(47), ")".repeat(47))) else {
        panic!()
    };
    assert_eq!(called.text, "Over.f(java.lang.String)");
    assert_eq!(value(&mut m, &format!("zero{}", " + 1".repeat(98))), Value::Int(98));
}
