//! Random programs whose single call `compute` leaves several values, and the influence of each call of `tap`
//! in it on these values. The program itself finds that out: it runs once for each such call with a different
//! result of it. `tap` returns its argument; a fault in it would be just such a different result.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use super::rng::Rng;

/// The values that `compute` leaves, as paths in its question.
pub const PATHS: [&str; 15] = [
    "result.a",
    "result.b",
    "result.c",
    "result.many[0]",
    "result.many[1]",
    "result.many[2]",
    "result.many[3]",
    "result.node.value",
    "result.node.next.value",
    "result.node.next.next.value",
    "result.text",
    "result.list",
    "result.map",
    "result.grid[1][0]",
    "Influences.shared",
];

/// The same, as Java expressions.
const VALUES: [&str; 15] = [
    "r.a",
    "r.b",
    "r.c",
    "r.many[0]",
    "r.many[1]",
    "r.many[2]",
    "r.many[3]",
    "r.node.value",
    "r.node.next.value",
    "r.node.next.next.value",
    "r.text",
    "r.list",
    "r.map",
    "r.grid[1][0]",
    "shared",
];

/// Maximum nesting of statements and expressions.
const DEEP: u32 = 3;

struct Writer {
    rng: Rng,
    /// The next unused name.
    next: u32,
    /// Number of callable helpers: those before the current one.
    helpers: usize,
}

/// A program: the version to record, and the version that finds the influences.
pub fn program(seed: u64) -> (String, String) {
    let mut writer = Writer { rng: Rng::new(seed), next: 0, helpers: 0 };
    let mut methods = String::new();
    for number in 0..4 {
        let body = writer.block(DEEP - 1, 3);
        let value = writer.expression(2);
        methods += &format!(
            "static int h{number}(Result r, int x, int y) {{\nint z = y;\n{body}return {value};\n}}\n"
        );
        writer.helpers = number + 1;
    }
    let body = writer.block(DEEP, 12);
    methods += &format!(
        "static Result compute(int x, int y) {{\nResult r = new Result();\nint z = 1;\n{body}return r;\n}}\n"
    );
    let values: Vec<String> = VALUES.iter().map(|value| format!("String.valueOf({value})")).collect();
    let whole = |tap: &str, main: &str| {
        format!(
            "import java.util.*;\nimport java.util.function.*;\npublic class Influences {{\n\
            static int shared, at, wrong = -1, by;\n\
            static class Node {{ int value; Node next; Node(int value, Node next) {{ this.value = value; this.next = next; }}\n\
            int get() {{ return value; }}\nvoid set(int to) {{ value = to; }} }}\n\
            static class Twice extends Node {{ Twice(int value, Node next) {{ super(value, next); }}\nint get() {{ return 2 * super.get(); }} }}\n\
            interface Deed {{ void on(Result r, int value); }}\n\
            static class Sets implements Deed {{ public void on(Result r, int value) {{ r.c = value; }} }}\n\
            static class Adds implements Deed {{ public void on(Result r, int value) {{ r.many[1] += value; }} }}\n\
            static class Result {{ int[][] grid = {{ new int[2], new int[2] }}; int a, b, c; int[] many = new int[4]; Node node = new Node(1, new Twice(2, new Node(3, null)));\n\
            String text = \"\"; List<Integer> list = new ArrayList<>(List.of(4, 5)); Map<Integer, Integer> map = new TreeMap<>(); }}\n\
            static int tap(int value) {{ {tap} }}\n\
            static int checked(int value) {{ if ((value & 3) == 3) throw new IllegalStateException(\"no \" + value); return value; }}\n\
            static void fill(int[] many, int value) {{ for (int i = 0; i < many.length; i++) {{ if (i == (value & 3)) return; many[i] += value; }} }}\n\
            {methods}\
            static String[] left() {{ shared = 0; at = 0; Result r = compute(3, 5); return new String[] {{{values}}}; }}\n\
            public static void main(String[] args) {{ {main} }}\n}}\n",
            values = values.join(", "),
        )
    };
    let finds_out = "String[] base = left(); int many = at; Map<Integer, Set<Integer>> found = new TreeMap<>();\n\
        for (int one : new int[] {1, -1, 2, 5, 100}) for (int k = 0; k < many; k++) {\n\
        wrong = k; by = one; String[] now; try { now = left(); } catch (Throwable thrown) { continue; }\n\
        for (int i = 0; i < now.length; i++) if (!now[i].equals(base[i])) found.computeIfAbsent(i, x -> new TreeSet<>()).add(k); }\n\
        found.forEach((i, calls) -> { System.out.print(i); calls.forEach(k -> System.out.print(\" \" + k)); System.out.println(); });";
    (whole("return value;", "left();"), whole("return at++ == wrong ? value + by : value;", finds_out))
}

impl Writer {
    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        self.rng.pick::<&str>(of)
    }

    fn block(&mut self, deep: u32, most: usize) -> String {
        (0..=self.rng.below(most)).map(|_| self.statement(deep)).collect()
    }

    fn statement(&mut self, deep: u32) -> String {
        let one = self.expression(2);
        self.next += 1;
        let new = self.next;
        let place =
            self.pick(&["x", "y", "z", "r.a", "r.b", "r.c", "shared", "r.node.value", "r.node.next.value"]);
        match self.rng.below(if deep == 0 { 19 } else { 28 }) {
            0..=4 => format!("{place} = {one};\n"),
            5 => format!("{place} += {one};\n"),
            6 => {
                let index = self.expression(1);
                format!("r.many[{index} & 3] = {one};\n")
            }
            7 => format!("r.node.next.next.set({one});\n"),
            8 => format!("r.list.add({one});\n"),
            9 => format!("r.map.merge({one} & 3, 1, Integer::sum);\n"),
            10 => format!("r.text += {one};\n"),
            11 => format!("fill(r.many, {one});\n"),
            12 => format!("System.arraycopy(r.many, {one} & 1, r.many, 2, 2);\n"),
            13 => format!(
                "final int v{new} = {one}; r.list.sort((p, q) -> (p ^ tap(v{new})) - (q ^ tap(v{new})));\n"
            ),
            14 => format!("r.node.next = new Node({one}, r.node.next);\n"),
            15 => {
                let condition = self.condition();
                format!("Deed d{new} = {condition} ? new Sets() : new Adds(); d{new}.on(r, {one});\n")
            }
            16 => {
                let condition = self.condition();
                format!(
                    "IntUnaryOperator f{new} = {condition} ? p -> {{ r.node.value = p; return 1; }} : p -> p + 1; {place} = f{new}.applyAsInt({one});\n"
                )
            }
            17 => {
                let other = self.expression(1);
                format!(
                    "long w{new} = {one} * 3L + ({other}); double q{new} = w{new} / 2.0; {place} = (int) (w{new} ^ (long) q{new});\n"
                )
            }
            18 => {
                let index = self.expression(1);
                format!(
                    "r.grid[{index} & 1][{one} & 1] += r.grid[1][0] + 1; {place} = r.grid[{index} & 1][0];\n"
                )
            }
            22 => {
                let (tried, last) = (self.block(deep - 1, 1), self.block(deep - 1, 1));
                format!(
                    "try {{\ntry {{\n{tried}y += checked({one});\n}} finally {{\n{last}}}\n}} catch (IllegalStateException e{new}) {{ y--; }}\n"
                )
            }
            23 => {
                let body = self.block(deep - 1, 1);
                format!("for (int each{new} : r.many) {{\nif (each{new} > {one}) continue;\n{body}}}\n")
            }
            24 => {
                let body = self.block(deep - 1, 1);
                format!("synchronized (r) {{\n{body}z = {one};\n}}\n")
            }
            25 => {
                let (then, other) = (self.block(deep - 1, 2), self.block(deep - 1, 2));
                let condition = self.condition();
                format!("if ({condition}) {{\n{then}}} else {{\n{other}}}\n")
            }
            19 => {
                let (body, leave) = (self.block(deep - 1, 2), self.condition());
                format!(
                    "for (int i{new} = 0; i{new} < ({one} & 3); i{new}++) {{\n{body}if ({leave}) break;\n}}\n"
                )
            }
            20 => {
                let (first, second) = (self.block(deep - 1, 2), self.block(deep - 1, 2));
                format!(
                    "switch ({one} & 3) {{\ncase 0: {first}case 1: {second}break;\ncase 2: z = 7; break;\ndefault: }}\n"
                )
            }
            21 => {
                let (tried, caught) = (self.block(deep - 1, 2), self.block(deep - 1, 1));
                format!(
                    "try {{\n{tried}z = checked({one});\n}} catch (IllegalStateException e{new}) {{\nx += e{new}.getMessage().length();\n{caught}}}\n"
                )
            }
            26 => {
                let body = self.block(deep - 1, 1);
                format!("int n{new} = {one} & 3;\nwhile (n{new}-- > 0) {{\n{body}}}\n")
            }
            _ => {
                let by = self.expression(1);
                format!(
                    "final int v{new} = {one};\nIntUnaryOperator f{new} = p -> p + tap(v{new});\n{place} = f{new}.applyAsInt({by});\n"
                )
            }
        }
    }

    fn condition(&mut self) -> String {
        let (one, other) = (self.expression(1), self.expression(1));
        let is = self.pick(&["<", ">=", "==", "!="]);
        let more = self.pick(&["", " && shared < 9", " || r.a > 3"]);
        format!("{one} {is} {other}{more}")
    }

    fn expression(&mut self, deep: u32) -> String {
        if deep == 0 {
            let number = self.rng.below(5).to_string();
            let simple = [
                "x",
                "y",
                "z",
                "r.a",
                "r.b",
                "shared",
                "r.node.get()",
                "r.node.next.get()",
                "r.list.size()",
                "r.text.length()",
            ];
            let simple = self.pick(&simple);
            return if self.rng.below(4) == 0 { number } else { simple.to_owned() };
        }
        let one = self.expression(deep - 1);
        let other = self.expression(deep - 1);
        match self.rng.below(11) {
            0..=3 => format!("tap({one})"),
            4 => format!("({one} {} {other})", self.pick(&["+", "-", "*", "&", "^"])),
            5 => format!(
                "({} ? {one} : {other})",
                if deep > 1 { self.condition() } else { "x < y".to_owned() }
            ),
            6 => format!("r.many[{one} & 3]"),
            7 => format!("r.list.get(({one} & 1023) % r.list.size())"),
            8 => format!("r.map.getOrDefault({one} & 3, {other})"),
            9 if self.helpers > 0 => {
                let helper = self.rng.below(self.helpers);
                format!("h{helper}(r, {one}, {other})")
            }
            _ => one,
        }
    }
}
