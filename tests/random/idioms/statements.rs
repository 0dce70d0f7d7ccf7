//! Statements that contain others, and those that use the library's types.

use super::generate::{Decided, Generator, Ty, Var};

impl Generator {
    pub fn assertion(&mut self) {
        let line = self.w.line();
        let text = format!("assert s0 != 123456 || {} : \"wrong\";", self.atom());
        self.w.whole(&text, &format!("Log.l({line}); {text}"));
        if let Some(around) = self.around.last_mut() {
            *around = None;
        }
    }

    pub fn branch(&mut self) {
        let (id, line) = (self.id(), self.w.line());
        let simple = self.rng.chance(70);
        let condition = if simple { self.atom() } else { self.expr(Ty::Bool, 2) };
        self.w.whole(
            &format!("if ({condition}) {{"),
            &format!("Log.l({line}); if (Log.c({id}, {condition})) {{"),
        );
        let by = simple.then_some(Decided { id, line, has_ways: true });
        // The pattern variable of a condition is visible in the guarded block.
        let count = 1 + self.rng.below(3);
        self.decided_if(by.clone(), count);
        if self.rng.chance(50) {
            self.w.both("} else {");
            self.decided_if(by, 2);
        }
        self.w.both("}");
    }

    /// A block guarded by a condition, which may have no question.
    pub fn decided_if(&mut self, by: Option<Decided>, count: usize) {
        if by.is_some() {
            return self.decided(by, count);
        }
        let outer = self.around.clone();
        self.around.push(None);
        self.block(count);
        self.around = outer;
        if let Some(around) = self.around.last_mut() {
            *around = None;
        }
    }

    /// A loop over a list, an iterable or an array.
    pub fn each(&mut self) {
        let (id, line) = (self.id(), self.w.line());
        let name = format!("x{id}");
        let of = match self.rng.below(3) {
            0 => format!("list({})", self.small(4)),
            1 => format!("new Range({})", self.small(4)),
            _ => format!("new int[] {{ {}, {} }}", self.expr(Ty::Int, 1), self.name_of_int()),
        };
        self.vars.insert(id, (name.clone(), line));
        let decision = self.id();
        self.w.whole(
            &format!("for (int {name} : {of}) {{"),
            &format!("for (int {name} : {of}) {{ Log.c({decision}, true); Log.si({id}, {line}, {name});"),
        );
        let scope = self.scope.len();
        self.scope.push(Var { id, name, ty: Ty::Int, stable: true, body: self.body });
        self.repeated += 1;
        self.decided(Some(Decided { id: decision, line, has_ways: false }), 2);
        self.repeated -= 1;
        self.scope.truncate(scope);
        self.w.both("}");
    }

    pub fn name_of_int(&mut self) -> String {
        self.expr(Ty::Int, 0)
    }

    /// A lambda with a body, called by a stream, a `Runnable`, or another thread.
    pub fn lambda(&mut self) {
        let scope = self.scope.len();
        let (id, line) = (self.id(), self.w.line());
        let name = format!("x{id}");
        let (begin, parameter, end) = match self.rng.below(4) {
            0 => (format!("list({}).forEach({name} -> {{", self.small(4)), true, "});".to_owned()),
            1 => (
                format!("IntStream.range(0, {}).forEach({name} -> {{", self.small(3)),
                true,
                "});".to_owned(),
            ),
            2 => (format!("Runnable r{id} = () -> {{"), false, format!("}}; r{id}.run();")),
            _ => ("CompletableFuture.runAsync(() -> {".to_owned(), false, "}).join();".to_owned()),
        };
        self.w.whole(&begin, &format!("Log.l({line}); {begin} Log.in(); try {{"));
        self.body += 1;
        self.repeated += 1;
        if parameter {
            let ty = Ty::Int;
            self.scope.push(Var { id: 0, name, ty, stable: true, body: self.body });
        }
        let outer = std::mem::replace(&mut self.around, vec![None]);
        self.block(2);
        self.around = outer;
        self.repeated -= 1;
        self.body -= 1;
        self.scope.truncate(scope);
        self.w.whole(&end, &format!("}} finally {{ Log.out(); }} {end}"));
    }

    pub fn resource(&mut self) {
        let (id, line) = (self.id(), self.w.line());
        let value = self.expr(Ty::Int, 1);
        let begin = format!("try (Res r{id} = new Res({value})) {{");
        self.w.whole(&begin, &format!("Log.l({line}); {begin}"));
        let decided = self.around.last().cloned().flatten();
        self.decided_if(decided, 2);
        self.w.both("}");
    }

    /// A `switch` statement with arrows, over an enum, a text, or a number.
    pub fn switch(&mut self) {
        let (id, line) = (self.id(), self.w.line());
        let (selector, labels): (String, &[&str]) = match self.rng.below(3) {
            0 => (format!("Level.of({})", self.expr(Ty::Int, 1)), &["case LOW", "case HIGH"]),
            1 => (self.expr(Ty::Text, 0), &["case \"k\", \"k1\"", "case \"a\"", "default"]),
            _ => (self.small(4), &["case 0", "case 1, 2", "default"]),
        };
        let begin = format!("switch ({selector}) {{");
        self.w.whole(&begin, &format!("Log.l({line}); {begin}"));
        self.w.indent += 1;
        for label in labels {
            self.w.whole(&format!("{label} -> {{"), &format!("{label} -> {{ Log.c({id}, true);"));
            self.decided(Some(Decided { id, line, has_ways: false }), 1);
            self.w.both("}");
        }
        self.w.indent -= 1;
        self.w.both("}");
    }

    /// A local or anonymous class that captures variables.
    pub fn local_class(&mut self) {
        let id = self.id();
        let scope = self.scope.len();
        let is_anonymous = self.rng.chance(50);
        let begin = if is_anonymous {
            format!("IntSupplier c{id} = new IntSupplier() {{ public int getAsInt() {{")
        } else {
            format!("class C{id} {{ int getAsInt() {{")
        };
        self.w.whole(&begin, &format!("{begin} Log.in(); try {{"));
        self.body += 1;
        self.repeated += 1;
        let outer = std::mem::replace(&mut self.around, vec![None]);
        self.block(2);
        self.around = outer;
        self.w.indent += 1;
        let value = self.expr(Ty::Int, 1);
        self.w.both(&format!("return {value};"));
        self.w.indent -= 1;
        self.repeated -= 1;
        self.body -= 1;
        self.scope.truncate(scope);
        let end = if is_anonymous { "};" } else { "}" };
        self.w.whole(&format!("}} {end}"), &format!("}} finally {{ Log.out(); }} }} {end}"));
        let object = if is_anonymous { format!("c{id}") } else { format!("new C{id}()") };
        let at = self.w.line();
        self.w.whole(
            &format!("s0 = {object}.getAsInt();"),
            &format!("Log.l({at}); s0 = Log.wi(null, \"s0\", {at}, {object}.getAsInt());"),
        );
    }

    /// Code that fills collections and reads them, and keeps their size.
    pub fn collection(&mut self) {
        let (id, line) = (self.id(), self.w.line());
        let (a, b) = (self.expr(Ty::Int, 1), self.expr(Ty::Text, 0));
        let made = format!(
            "Map<String, Integer> map{id} = new TreeMap<>(); map{id}.merge({b}, {a}, Integer::sum); map{id}.computeIfAbsent(\"k\", k -> {a});"
        );
        // The value may be a variable that is assigned again, which a lambda cannot read.
        let made = if a.contains('x') && !self.is_stable(&a) {
            format!("Map<String, Integer> map{id} = new TreeMap<>(); map{id}.merge({b}, {a}, Integer::sum);")
        } else {
            made
        };
        self.w.whole(&made, &format!("Log.l({line}); {made}"));
        let at = self.w.line();
        let value = format!("map{id}.values().stream().mapToInt(v -> v).sum()");
        self.w.whole(
            &format!("s0 = {value};"),
            &format!("Log.l({at}); s0 = Log.wi(null, \"s0\", {at}, {value});"),
        );
    }

    /// Whether all variables in an expression are assigned only once.
    pub fn is_stable(&self, text: &str) -> bool {
        self.scope.iter().filter(|var| !var.stable).all(|var| !text.contains(&var.name))
    }
}
