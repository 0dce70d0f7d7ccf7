//! Tests of the answers that a debugger relies on: given this Java program and this question, expect that
//! answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use std::collections::BTreeSet;

use bytecode::{
    ClassFile, Code, ConditionOutcome, ControlDependence, EdgeKind, Expressions, Method, Op, StoreError,
    StoreKind, expression, lines, skip, stores,
};

fn class<'a>(classes: &'a [ClassFile], name: &str) -> &'a ClassFile {
    classes.iter().find(|c| c.name == name).unwrap()
}

fn method<'a>(class: &'a ClassFile, name: &'a str) -> (&'a Method, &'a Code) {
    let method = class.methods_named(name).next().unwrap();
    (method, method.code.as_ref().unwrap())
}

/// The line (from 1) of the only source line that contains the text.
fn line(source: &str, text: &str) -> u32 {
    let found: Vec<usize> =
        source.lines().enumerate().filter(|(_, l)| l.contains(text)).map(|(n, _)| n).collect();
    assert_eq!(found.len(), 1, "{text} is not on exactly one line");
    u32::try_from(found[0]).unwrap() + 1
}

fn first_pc(code: &Code, line: u32) -> u32 {
    lines::entries_of_line(code, line).pcs[0]
}

const SKIPS: &str = "
class Skips {
    int n;
    void swallowed(boolean c) {
        for (int i = 0; i < 3; i++) {
            before(); // each turn
            try {
                n = 1;
                risky(); // throws
                n = 2;
                if (c) {
                    n = 3;
                }
            } catch (RuntimeException e) {
                log(); // handler
            }
            after(); // joined
        }
    }
    void leaves() {
        try {
            risky();
            n = 4;
        } catch (RuntimeException e) {
            return;
        }
        n = 5;
    }
    int thrown(int x) {
        int r = 0;
        for (int i = 0; i < 3; i++) {
            try {
                if (x == i) {
                    throw new RuntimeException(); // own throw
                }
                r += i;
            } catch (RuntimeException e) {
                r -= 1;
                continue;
            }
            r += 7;
        }
        return r;
    }
    void before() {} void after() {} void risky() {} void log() {}
}";

#[test]
fn an_exception_bypasses_normal_flow_up_to_where_the_handler_joins_it() {
    let classes = support::compile_text("Skips", SKIPS, &["-g"]);
    let (_, code) = method(class(&classes, "Skips"), "swallowed");
    let handler = code.handlers[0].handler_pc;
    let risky = line(SKIPS, "// throws");
    let call = lines::entries_of_line(code, risky).inside.into_iter().find(
        |pc| matches!(code.at(*pc).map(|i| &i.op), Some(Op::Invoke { method, .. }) if method.name == "risky"),
    );
    let call = call.unwrap();
    let skipped = skip::skipped_lines(code, call, handler);
    let expected: Vec<u32> = ["n = 2;", "if (c) {", "n = 3;"].iter().map(|t| line(SKIPS, t)).collect();
    for wanted in &expected {
        assert!(skipped.contains(wanted), "line {wanted} is not among {skipped:?}");
    }
    for kept in ["// each turn", "n = 1;", "// joined", "// handler"] {
        assert!(!skip::is_bypassed(code, call, handler, line(SKIPS, kept)), "{kept} was not bypassed");
    }
    assert!(!skip::is_bypassed(code, call, handler, risky), "the throwing line itself was executed");
}

#[test]
fn a_handler_that_leaves_the_method_bypasses_the_rest_of_it() {
    let classes = support::compile_text("Skips", SKIPS, &["-g"]);
    let (_, code) = method(class(&classes, "Skips"), "leaves");
    let handler = code.handlers[0].handler_pc;
    let skipped = skip::skipped_lines(code, 1, handler);
    assert!(
        skipped.contains(&line(SKIPS, "n = 4;")) && skipped.contains(&line(SKIPS, "n = 5;")),
        "{skipped:?}"
    );
    assert!(!skipped.contains(&line(SKIPS, "return;")));
}

#[test]
fn a_throw_statement_bypasses_the_code_after_it() {
    let classes = support::compile_text("Skips", SKIPS, &["-g"]);
    let (_, code) = method(class(&classes, "Skips"), "thrown");
    let handler = code.handlers[0].handler_pc;
    let throw = code.instructions.iter().find(|i| i.op == Op::Throw).unwrap().pc;
    let skipped = skip::skipped_lines(code, throw, handler);
    for wanted in ["r += i;", "r += 7;"] {
        assert!(skipped.contains(&line(SKIPS, wanted)), "{wanted} is not among {skipped:?}");
    }
    for kept in ["if (x == i) {", "r -= 1;", "return r;"] {
        assert!(!skipped.contains(&line(SKIPS, kept)), "{kept} was not bypassed");
    }
}

const OR: &str = "
class Or {
    static class Rec { boolean bar; }
    static boolean cond;
    Object foo;
    void run(Rec record) {
        if (record.bar || cond) {
            foo = make(record);
        }
    }
    static Object make(Rec r) { return null; }
    long sum(long[] values, int i, double d) {
        if (values[i] > 7L && d < values.length) return values[i];
        return 0;
    }
}";

#[test]
fn each_operand_of_a_short_circuit_is_a_condition() {
    let classes = support::compile_text("Or", OR, &["-g"]);
    let class = class(&classes, "Or");
    let (method, code) = method(class, "run");
    let dependence = ControlDependence::new(code);
    let found = dependence.of(first_pc(code, line(OR, "foo = make(record);")));
    assert!(!found.from_entry && found.handlers.is_empty());
    let said: Vec<(String, ConditionOutcome, String)> = found
        .edges
        .iter()
        .map(|edge| {
            let condition = expression::condition_at(class, method, edge.branch_pc).unwrap();
            let read = condition.operands[0].readable.as_ref().unwrap().to_string();
            assert_eq!(condition.whole.as_deref(), Some("record.bar || cond"));
            (condition.text.clone(), condition.outcome(&edge.kind), read)
        })
        .collect();
    assert_eq!(
        said,
        [
            ("record.bar".to_owned(), ConditionOutcome::True, "record.bar".to_owned()),
            ("cond".to_owned(), ConditionOutcome::True, "Or.cond".to_owned())
        ]
    );
    assert_eq!(found.edges[0].kind, EdgeKind::Taken);
    assert_eq!(found.edges[1].kind, EdgeKind::FallThrough);
}

#[test]
fn long_and_floating_comparisons_keep_both_sides_readable() {
    let classes = support::compile_text("Or", OR, &["-g"]);
    let class = class(&classes, "Or");
    let (method, code) = method(class, "sum");
    let expressions = Expressions::new(class, method).unwrap();
    let conditions: Vec<_> =
        code.instructions.iter().filter_map(|i| expressions.condition_at(i.pc)).collect();
    assert_eq!(conditions[0].whole.as_deref(), Some("values[i] > 7L && d < values.length"));
    let readable: Vec<String> =
        conditions[0].operands.iter().map(|o| o.readable.as_ref().unwrap().to_string()).collect();
    assert_eq!(readable, ["values[i]"]);
    assert_eq!(conditions[1].operands[0].readable.as_ref().unwrap().to_string(), "d");
}

#[test]
fn an_assigned_call_is_text_but_not_readable_before_the_store() {
    let classes = support::compile_text("Or", OR, &["-g"]);
    let class = class(&classes, "Or");
    let (method, code) = method(class, "run");
    let put = code.instructions.iter().find(|i| matches!(i.op, Op::PutField(_))).unwrap();
    let stored = expression::stored_expression(class, method, put.pc).unwrap();
    assert_eq!(stored.text, "foo = make(record)");
    assert_eq!(stored.readable, None);
    assert_eq!(stored.operands[0].text, "record");
    let reads: Vec<String> = expression::reads_on_line(class, method, line(OR, "if (record.bar"))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(reads, ["record", "record.bar", "Or.cond"]);
}

const STALE: &str = "
class Stale {
    int n;
    boolean check(int x) { n = x; return true; }
    void f(int i, int[] a) {
        if (n + bump() > i) { n = 0; }
        if (a[i] == i++) { n = 1; }
        if (n == i) { n = 2; }
    }
    int bump() { return n++; }
}";

#[test]
fn values_that_a_side_effect_may_have_changed_are_not_read_back() {
    let classes = support::compile_text("Stale", STALE, &["-g"]);
    let class = class(&classes, "Stale");
    let (method, code) = method(class, "f");
    let expressions = Expressions::new(class, method).unwrap();
    let conditions: Vec<_> =
        code.instructions.iter().filter_map(|i| expressions.condition_at(i.pc)).collect();
    assert_eq!(conditions[0].text, "n + bump() > i");
    let first: Vec<(String, bool)> =
        conditions[0].operands.iter().map(|o| (o.text.clone(), o.readable.is_some())).collect();
    // `n` was read before the call, which may have changed the field.
    assert_eq!(first, [("n + bump()".to_owned(), false), ("i".to_owned(), true)]);
    assert_eq!(conditions[1].text, "a[i] == i++");
    assert_eq!(conditions[1].operands[0].readable, None, "i changed after a[i] was read");
    assert_eq!(conditions[1].operands[1].readable.as_ref().unwrap().to_string(), "i + -1");
    assert!(conditions[2].operands.iter().all(|o| o.readable.is_some()));
}

const LOCALS: &str = "
class Locals {
    int f(int p, boolean c) {
        { int x = 1; p += x; }
        { int x = 2; p -= x; }
        int y;
        if (c) { y = 1; p = y; } else { y = 2; }
        return y + p;
    }
}";

#[test]
fn equal_names_in_two_scopes_are_two_variables() {
    let classes = support::compile_text("Locals", LOCALS, &["-g"]);
    let (method, code) = method(class(&classes, "Locals"), "f");
    let xs: Vec<_> = code.variables.iter().filter(|v| v.name == "x").collect();
    assert_eq!(xs.len(), 2);
    let mut stored = Vec::new();
    for x in xs {
        let found = stores::stores_to(method, "x", x.start_pc).unwrap();
        assert_eq!((found.ranges.len(), found.stores.len()), (1, 1));
        assert_eq!(found.stores[0].value_pc, x.start_pc);
        assert!(!found.stores[0].in_range_before && found.stores[0].in_range_after);
        stored.push(found.stores[0].pc);
    }
    assert_ne!(stored[0], stored[1]);
}

#[test]
fn ranges_reached_by_the_same_store_are_one_variable() {
    let classes = support::compile_text("Locals", LOCALS, &["-g"]);
    let (method, code) = method(class(&classes, "Locals"), "f");
    assert!(code.variables.iter().filter(|v| v.name == "y").count() > 1, "javac splits y's range");
    let end = code.instructions.last().unwrap().pc;
    let found = stores::stores_to(method, "y", end).unwrap();
    assert_eq!(found.stores.len(), 2);
    let parameter = stores::stores_to(method, "p", end).unwrap();
    assert_eq!(parameter.stores[0].kind, StoreKind::ParameterEntry);
    assert_eq!((parameter.stores[0].pc, parameter.stores.len()), (0, 4));
    let this = stores::stores_to(method, "this", end).unwrap();
    assert_eq!(this.stores.len(), 1);
}

#[test]
fn without_variable_names_the_error_lists_slots() {
    let classes = support::compile_text("Locals", LOCALS, &["-g:lines"]);
    let (method, _) = method(class(&classes, "Locals"), "f");
    let error = stores::stores_to(method, "y", 0).unwrap_err();
    assert!(matches!(&error, StoreError::NoVariableTable { slots, .. } if slots.contains(&1)));
    assert!(error.to_string().contains("javac -g"), "{error}");
    assert_eq!(stores::slots_stores(method, 1).len(), 4);
}

#[test]
fn a_name_out_of_scope_is_an_error_that_lists_the_visible_variables() {
    let classes = support::compile_text("Locals", LOCALS, &["-g"]);
    let (method, _) = method(class(&classes, "Locals"), "f");
    let error = stores::stores_to(method, "x", 0).unwrap_err();
    assert!(error.to_string().contains("this, p, c"), "{error}");
}

const LINES: &str = "
class Lines {
    int n;
    void f(int k) {
        for (int i = 0; i < k; i++) {
            n += i;
        }

        call(one(),
             two());
    }
    int one() { return 1; }
    int two() { return 2; }
    void call(int a, int b) {}
    void again() { do { n++; } while (n < 9); }
}";

#[test]
fn a_pass_over_a_line_begins_on_entry_with_an_empty_stack() {
    let classes = support::compile_text("Lines", LINES, &["-g"]);
    let class = class(&classes, "Lines");
    let (_, code) = method(class, "f");
    let header = lines::entries_of_line(code, line(LINES, "for ("));
    assert_eq!(header.pcs.len(), 2, "the start and the way back from the body: {header:?}");
    let call = lines::entries_of_line(code, line(LINES, "call(one(),"));
    assert_eq!(call.pcs.len(), 1, "the return from the second line is in mid-expression: {call:?}");
    let empty = line(LINES, "n += i;") + 2;
    assert!(lines::entries_of_line(code, empty).pcs.is_empty());
    assert_eq!(lines::nearest_lines_with_code(class, empty), [empty - 2, empty + 1]);
    assert_eq!(class.methods_with_line(line(LINES, "int two()")).len(), 1);
}

#[test]
fn index_0_can_be_a_branch_target() {
    let classes = support::compile_text("Lines", LINES, &["-g"]);
    let class = class(&classes, "Lines");
    assert!(method(class, "again").1.is_branch_target(0));
    assert!(!method(class, "f").1.is_branch_target(0));
}

#[test]
fn invalid_files_are_errors() {
    assert!(ClassFile::parse(b"").is_err());
    assert!(ClassFile::parse(b"PK\x03\x04").is_err());
    assert!(ClassFile::parse(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 1]).is_err());
}

const SWITCH_EXPRESSION: &str = "
class Chosen {
    static int of(int n) {
        int v = 1 + switch (n) {
            case 0 -> n + 10; // zero
            case 1 -> 2 * switch (n + 1) {
                case 2 -> n + 20; // two
                default -> n + 30; // other
            }; // inner
            default -> n + 40; // default
        }; // outer
        return v;
    }
}";

/// In the code of Java 25's javac, the instruction at which the arms join has the last line of the `switch`.
#[test]
fn the_arms_are_known_where_the_switch_expression_has_a_line_of_its_own() {
    let classes = support::compile_text("Chosen", SWITCH_EXPRESSION, &["-g"]);
    let chosen = class(&classes, "Chosen");
    let (_, older) = method(chosen, "of");
    let line = |text: &str| line(SWITCH_EXPRESSION, text);
    let wanted: Vec<u32> = ["// zero", "// two", "// other", "// default"].map(line).into();
    let store = older.instructions.iter().find(|i| matches!(i.op, Op::Store { .. })).unwrap().pc;
    let lines_of = |code: &Code| bytecode::Arms::new(code).unwrap().of(store).unwrap();
    assert_eq!(lines_of(older).lines().into_iter().collect::<Vec<_>>(), wanted);

    let mut newer = older.clone();
    let jumps = older.instructions.iter().filter_map(|i| match i.op {
        Op::Goto { target } => Some(target),
        _ => None,
    });
    let joins: BTreeSet<u32> = jumps.collect();
    assert_eq!(joins.len(), 2, "the inner and the outer switch");
    for (pc, text) in joins.into_iter().zip(["// inner", "// outer"]) {
        newer.lines.push(bytecode::LineEntry { start_pc: pc, line: line(text) });
    }
    newer.lines.sort_by_key(|entry| entry.start_pc);
    let found = lines_of(&newer);
    assert_eq!(found.lines().into_iter().collect::<Vec<_>>(), wanted);
    assert_eq!(found.statement, Some(line("int v")));
}

const NARROWED: &str = "
class Narrowed {
    static byte of(int x, int y) {
        byte b = (byte) (x + y);
        b += 200;
        b = (byte) x;
        long wide = x + y;
        return b;
    }
}";

#[test]
fn what_a_cast_narrowed_is_a_value_of_the_store() {
    let classes = support::compile_text("Narrowed", NARROWED, &["-g"]);
    let chosen = class(&classes, "Narrowed");
    let (method, code) = method(chosen, "of");
    let expressions = Expressions::new(chosen, method).unwrap();
    let stores = code.instructions.iter().filter(|i| matches!(i.op, Op::Store { .. }));
    let texts = stores.map(|i| expressions.stack_values(i.pc).into_iter().map(|value| value.text).collect());
    let texts: Vec<Vec<String>> = texts.collect();
    let none: Vec<String> = Vec::new();
    // A variable is read where it is, and widening loses nothing.
    assert_eq!(texts, [vec!["x + y".to_owned()], vec!["b + 200".to_owned()], none.clone(), none]);
}
