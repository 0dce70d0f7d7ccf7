//! The text of a log point, made in the VM. It has a text for primitive values, strings, boxes and `null`.

use super::super::text_parts::TextPart;
use super::super::types::{Primitive, Type};
use super::{Compiler, Held, IFEQ, IFNONNULL, Outside, RECORDER, RETURN};
use bytecode::Kind;
use bytecode::assemble::Label;

const TEXT: &str = "java/lang/QuerypointProbeText";
const STRING: &str = "Ljava/lang/String;";

impl Compiler<'_, '_> {
    /// Makes the text of a hit whose condition is true, and passes it on, unless there are enough lines.
    /// Where the VM has no text, the hit stops. `number` is the slot with the number of the site.
    pub(super) fn log(&mut self, parts: &[TextPart], number: u16, enough: Label) -> Result<(), Outside> {
        self.code.load(Kind::Int, number);
        self.code.call_static(RECORDER, "logs", "(I)Z");
        self.code.jump(IFEQ, 1, enough);
        let mut whole: Option<Held> = None;
        for part in parts {
            let text = self.text(part)?;
            whole = Some(match whole {
                None => text,
                Some(first) => {
                    self.load_as(&first, "java/lang/String");
                    self.load_as(&text, "java/lang/String");
                    self.code.call_static(TEXT, "joined", &format!("({STRING}{STRING}){STRING}"));
                    self.made()
                }
            });
        }
        let whole = match whole {
            Some(whole) => whole,
            None => self.constant(""),
        };
        self.load_as(&whole, "java/lang/String");
        self.code.load(Kind::Int, number);
        self.code.call_static(RECORDER, "log", &format!("({STRING}I)V"));
        self.code.op(RETURN, 0, 0);
        Ok(())
    }

    fn text(&mut self, part: &TextPart) -> Result<Held, Outside> {
        let value = match part {
            TextPart::Constant(text) => return Ok(self.constant(text)),
            TextPart::Value(expr) => self.value(expr.node())?,
        };
        let of = match &value.of {
            Type::Primitive(Primitive::Boolean) => "Z",
            Type::Primitive(Primitive::Char) => "C",
            Type::Primitive(primitive) => match primitive.promoted() {
                Primitive::Long => "J",
                Primitive::Float => "F",
                Primitive::Double => "D",
                _ => "I",
            },
            _ => "Ljava/lang/Object;",
        };
        self.load(&value);
        self.code.call_static(TEXT, "of", &format!("({of}){STRING}"));
        Ok(self.made())
    }

    fn constant(&mut self, text: &str) -> Held {
        self.code.string(text);
        self.keep(Type::string())
    }

    /// Keeps the text on the stack; asks if it is null, since there is none.
    fn made(&mut self) -> Held {
        let text = self.keep(Type::string());
        let exists = self.code.label();
        self.load(&text);
        self.code.jump(IFNONNULL, 1, exists);
        self.code.goto(self.ask);
        self.code.place(exists);
        text
    }
}
