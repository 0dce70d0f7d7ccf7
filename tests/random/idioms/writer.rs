//! Writes a program twice on the same lines: plain, and with calls of its log.

/// Both texts of one program.
#[derive(Default)]
pub struct Writer {
    plain: Vec<String>,
    logged: Vec<String>,
    /// The current line.
    now: (String, String),
    pub indent: usize,
}

impl Writer {
    /// Number of the current line, from 1.
    pub fn line(&self) -> u32 {
        u32::try_from(self.plain.len() + 1).expect("a short program")
    }

    /// Adds text to the line.
    pub fn put(&mut self, plain: &str, logged: &str) {
        self.now.0.push_str(plain);
        self.now.1.push_str(logged);
    }

    /// Adds the same text to both.
    pub fn same(&mut self, text: &str) {
        self.put(text, text);
    }

    /// Ends the line.
    pub fn end(&mut self) {
        let space = "    ".repeat(self.indent);
        let (plain, logged) = std::mem::take(&mut self.now);
        self.plain.push(format!("{space}{plain}"));
        self.logged.push(format!("{space}{logged}"));
    }

    /// A whole line, the same in both.
    pub fn both(&mut self, text: &str) {
        self.same(text);
        self.end();
    }

    /// A whole line.
    pub fn whole(&mut self, plain: &str, logged: &str) {
        self.put(plain, logged);
        self.end();
    }

    /// The plain and the logging text.
    pub fn texts(&self) -> (String, String) {
        (self.plain.join("\n") + "\n", self.logged.join("\n") + "\n")
    }
}
