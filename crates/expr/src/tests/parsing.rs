//! Tests of the parser: accepted texts, their trees, and error messages.

use crate::{Expr, Reference};

/// Formats an expression with parentheses around every operation.
fn grouped(text: &str) -> String {
    use crate::Node;
    fn go(node: &Node) -> String {
        match node {
            Node::Binary { operator, left, right } => format!("({} {operator} {})", go(left), go(right)),
            Node::Unary { operator, operand } => format!("({operator}{})", go(operand)),
            Node::Conditional { condition, yes, no } => {
                format!("({} ? {} : {})", go(condition), go(yes), go(no))
            }
            Node::InstanceOf { operand, class } => format!("({} instanceof {class})", go(operand)),
            Node::Cast { to, operand } => format!("(({to}){})", go(operand)),
            other => other.to_string(),
        }
    }
    go(Expr::parse(text).unwrap().node())
}

#[test]
fn operators_bind_as_in_java() {
    for (text, tree) in [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a || b && c | d ^ e & f == g", "(a || (b && (c | (d ^ (e & (f == g))))))"),
        ("a < b == c >= d", "((a < b) == (c >= d))"),
        ("a << 1 + 2 >>> b >> c", "(((a << (1 + 2)) >>> b) >> c)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? 1 : 2 : 3", "(a ? (b ? 1 : 2) : 3)"),
        ("!a.b && -c[0] % ~d > 0", "((!a.b) && (((-c[0]) % (~d)) > 0))"),
        ("a + b instanceof C == d", "(((a + b) instanceof C) == d)"),
        ("x instanceof p.C[] && y", "((x instanceof p.C[]) && y)"),
        ("(int) x + 1", "(((int)x) + 1)"),
        ("(int) -x", "((int)(-x))"),
        ("(a) - b", "(a - b)"),
        ("(a.B) !b", "((a.B)(!b))"),
        ("(A) (b)", "((A)b)"),
        ("(int[]) x", "((int[])x)"),
        ("(A[][]) b.c().d[1]", "((A[][])b.c().d[1])"),
        ("(a).b", "a.b"),
        ("(a).owner", "a.owner"),
        ("((A) b).c", "((A) b).c"),
        ("- -a", "(-(-a))"),
        ("a - -b", "(a - (-b))"),
        ("instanceofx + thisOne + nullable + newer", "(((instanceofx + thisOne) + nullable) + newer)"),
        (".owner.name + .old", "(.owner.name + .old)"),
        ("a<b", "(a < b)"),
        ("a.f(1, b ? c : d)[2].g()", "a.f(1, b ? c : d)[2].g()"),
        ("Outer.this.x + super.y + super.z(1)", "((Outer.this.x + super.y) + super.z(1))"),
        ("a /b", "(a / b)"),
        ("größe > 0", "(größe > 0)"),
        ("val$x + this$0.y", "(val$x + this$0.y)"),
    ] {
        assert_eq!(grouped(text), tree, "{text}");
    }
}

#[test]
fn literals_have_their_values() {
    for (text, literal) in [
        ("0x7fff_ffff", "2147483647"),
        ("0xFFFFFFFF", "-1"),
        ("0b1010", "10"),
        ("017", "15"),
        ("1_000", "1000"),
        ("9223372036854775807L", "9223372036854775807L"),
        ("-2147483648", "-2147483648"),
        ("-9223372036854775808L", "-9223372036854775808L"),
        ("1e3", "1000.0"),
        (".5", "0.5"),
        ("1.", "1.0"),
        ("2f", "2.0f"),
        ("1.5e-3F", "0.0015f"),
        ("10d", "10.0"),
        ("'\\u0041'", "'A'"),
        ("'\\''", "'\\''"),
        ("'\\101'", "'A'"),
        ("'\\0'", "'\\u0000'"),
        (r#""a\tb\"\\\s\u00e4\60""#, r#""a\tb\"\\ ä0""#),
        ("\"\"", "\"\""),
        ("'\\uD800'", "'\\ud800'"),
    ] {
        assert_eq!(Expr::parse(text).unwrap().node().to_string(), literal, "{text}");
    }
}

#[test]
fn errors_point_at_the_column() {
    for (text, column, part) in [
        ("", 1, "expected an expression, found the end"),
        ("a +", 4, "found the end"),
        ("a b", 3, "found `b`"),
        ("a = 1", 3, "use `==` to compare"),
        ("a += 1", 3, "expressions cannot assign"),
        ("ä + (b", 7, "found the end"),
        ("a.class", 3, "class literals"),
        ("new Foo()", 1, "cannot create objects"),
        ("i++", 2, "cannot change variables"),
        ("x -> y", 3, "no lambdas"),
        ("2147483648", 1, "does not fit into int; append L"),
        ("1 + 99999999999999999999L", 5, "does not fit into long"),
        ("089", 1, "octal"),
        ("1e999", 1, "too large"),
        ("1e-999", 1, "too small"),
        ("1_", 1, "underscore"),
        ("''", 1, "expected an expression"),
        ("'ab'", 1, "expected an expression"),
        ("\"open", 1, "expected an expression"),
        ("'😀'", 1, "does not fit into char"),
        ("super", 1, "member of `super`"),
        ("f().this", 4, "name of a class"),
        ("a.int", 3, "found `int`"),
        ("a[", 3, "found the end"),
        ("#", 1, "found `#`"),
    ] {
        let error = Expr::parse(text).unwrap_err();
        assert!(error.problem.contains(part), "{text}: {error}");
        assert_eq!(error.column, column, "{text}: {error}");
    }
    assert_eq!(
        Expr::parse("foo == ").unwrap_err().to_string(),
        "`foo == `, column 8: expected an expression, found the end"
    );
}

#[test]
fn nesting_is_limited_and_the_deepest_allowed_is_evaluated() {
    for (open, close) in [("(", ")"), ("a[", "]"), ("f(", ")"), ("- ", ""), ("(a)", ""), ("a ? b : ", "")] {
        let deep = |n: usize| format!("{}a{}", open.repeat(n), close.repeat(n));
        Expr::parse(&deep(45)).unwrap();
        let error = Expr::parse(&deep(1_000)).unwrap_err();
        assert!(error.problem.contains("more than 100"), "{error}");
    }
    assert!(Expr::parse(&format!("a{}", " * a".repeat(98))).is_ok());
    assert!(Expr::parse(&format!("a{}", " * a".repeat(2_000))).unwrap_err().problem.contains("deeper"));
    assert!(Expr::parse(&"a".repeat(20_000)).unwrap_err().problem.contains("maximum"));
    assert!(Expr::parse(&format!("\"{}\"", "(".repeat(500))).is_ok(), "what is quoted does not nest");
}

#[test]
fn references_consist_of_point_frame_and_expression() {
    for (text, point, frame, expr) in [
        ("A(0):foo", Some("A"), 0, "foo"),
        ("P2(1):color", Some("P2"), 1, "color"),
        ("P2(-1):color", Some("P2"), -1, "color"),
        ("A:this.a.b", Some("A"), 0, "this.a.b"),
        ("C:record.bar", Some("C"), 0, "record.bar"),
        ("foo", None, 0, "foo"),
        ("Outer.count", None, 0, "Outer.count"),
        ("A:c[2]", Some("A"), 0, "c[2]"),
        (" my-point (1) : .owner.name ", Some("my-point"), 1, ".owner.name"),
        ("f(1)", None, 0, "f(1)"),
        ("a ? b : c", None, 0, "a ? b : c"),
        ("B:a ? b : c", Some("B"), 0, "a ? b : c"),
    ] {
        let found = Reference::parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((found.point.as_deref(), found.frame, found.expr.text()), (point, frame, expr), "{text}");
        assert_eq!(Reference::parse(&found.to_string()).unwrap(), found, "{text}");
    }
    assert_eq!(Reference::parse("A:x").unwrap().to_string(), "A(0):x");
    for (text, column) in [("A(0):", 6), ("A(x:y", 4), ("A(99999999999):x", 3), ("(0):x", 4), ("A(0) x", 6)] {
        let error = Reference::parse(text).unwrap_err();
        assert_eq!(error.column, column, "{text}: {error}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "[a-c0-9_.()\\[\\] +*<>=!?:&|'\"\\\\u-]{0,40}") {
        if let Ok(expr) = Expr::parse(&text) {
            let written = expr.node().to_string();
            let again = Expr::parse(&written).unwrap_or_else(|e| panic!("{text} became {written}: {e}"));
            proptest::prop_assert_eq!(again.node(), expr.node());
        }
        let _ = Reference::parse(&text);
    }

    #[test]
    fn any_text_at_all(text in ".{0,60}") {
        let _ = (Expr::parse(&text), Reference::parse(&text));
    }
}
