//! Finds the code that a lambda or a method reference calls. The VM generates a class for it, whose single
//! method calls that code.

use super::super::error::RunError;
use super::super::vm::Vm;
use super::replies::granted;
use jdwp::ReferenceTypeId;
use jdwp::commands::{method, reference_type};
use model::LambdaCode;
use std::collections::HashMap;
use std::sync::Arc;

/// A called method as the constant pool names it: class with slashes, and name.
type MethodReference = (String, String);

/// The code of a lambda, found by its class; none if the VM does not show it.
pub async fn code(vm: &mut Vm, class: ReferenceTypeId) -> Result<Option<Arc<LambdaCode>>, RunError> {
    let loaded = vm.class(class).await?;
    let pool = granted(vm.conn().send(reference_type::ConstantPool { ref_type: class }).await)?;
    let Some(pool) = pool.and_then(|pool| ConstantPool::parse(&pool.bytes)) else { return Ok(None) };
    let mut called = None;
    for declared in loaded.methods.iter().filter(|m| !m.name.starts_with('<')) {
        let ask = method::Bytecodes { ref_type: class, method: declared.id };
        let Some(code) = granted(vm.conn().send(ask).await)? else { continue };
        called = called.or_else(|| pool.called_by(&code));
    }
    let Some((of, name)) = called else { return Ok(None) };
    let class: Arc<str> = of.replace('/', ".").into();
    let mut place = None;
    if let Some(id) = vm.classes_named(&class).await?.first().copied() {
        let owner = vm.class(id).await?;
        if let Some(body) = owner.methods.iter().find(|m| m.name == name) {
            let body = vm.method(id, body.id).await?;
            place = body.source_file.clone().zip(body.lines.first().map(|(_, line)| *line));
        }
    }
    Ok(Some(Arc::new(LambdaCode { class, method: name.into(), place })))
}

/// The entries of a constant pool that name methods (JVMS §4.4).
struct ConstantPool {
    texts: HashMap<u16, String>,
    pairs: HashMap<u16, (u16, u16)>,
    names: HashMap<u16, u16>,
}

impl ConstantPool {
    fn parse(bytes: &[u8]) -> Option<ConstantPool> {
        let mut pool = ConstantPool { texts: HashMap::new(), pairs: HashMap::new(), names: HashMap::new() };
        let (mut at, mut index) = (0usize, 1u16);
        let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        while let Some(tag) = bytes.get(at) {
            let (length, entries) = match tag {
                1 => {
                    let length = usize::from(word(at + 1)?);
                    let text = bytes.get(at + 3..at + 3 + length)?;
                    pool.texts.insert(index, String::from_utf8_lossy(text).into_owned());
                    (3 + length, 1)
                }
                5 | 6 => (9, 2),
                7 => {
                    pool.names.insert(index, word(at + 1)?);
                    (3, 1)
                }
                8 | 16 | 19 | 20 => (3, 1),
                15 => (4, 1),
                3 | 4 | 17 | 18 => (5, 1),
                9..=12 => {
                    pool.pairs.insert(index, (word(at + 1)?, word(at + 3)?));
                    (5, 1)
                }
                _ => return None,
            };
            at += length;
            index = index.checked_add(entries)?;
        }
        Some(pool)
    }

    fn method(&self, index: u16) -> Option<MethodReference> {
        let (class, name_and_type) = self.pairs.get(&index)?;
        let class = self.texts.get(self.names.get(class)?)?;
        let name = self.texts.get(&self.pairs.get(name_and_type)?.0)?;
        Some((class.clone(), name.clone()))
    }

    /// The method that the code exists to call. Skips calls that box or unbox arguments.
    fn called_by(&self, code: &[u8]) -> Option<MethodReference> {
        let mut at = 0usize;
        let mut boxing = None;
        while let Some(op) = code.get(at) {
            if let 0xb6..=0xb9 = op {
                let index = u16::from_be_bytes([*code.get(at + 1)?, *code.get(at + 2)?]);
                let called = self.method(index)?;
                let boxes = called.1 == "valueOf" || called.1.ends_with("Value");
                if !(boxes && called.0.starts_with("java/lang/")) {
                    return Some(called);
                }
                boxing = boxing.or(Some(called));
            }
            at += length(*op)?;
        }
        boxing
    }
}

/// The length of an instruction that occurs in classes of lambdas (JVMS §6.5); none for others.
fn length(op: u8) -> Option<usize> {
    Some(match op {
        // Constants, loads and stores without operand, arithmetic, conversions, returns.
        0x00..=0x0f | 0x1a..=0x35 | 0x3b..=0x83 | 0x85..=0x98 | 0xac..=0xb1 | 0xbe | 0xbf => 1,
        0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xbc => 2,
        0x11 | 0x13 | 0x14 | 0x84 | 0x99..=0xa8 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 => 3,
        0xb9 | 0xba => 5,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_lambda_is_what_its_class_calls_beside_boxing() {
        // 1 Utf8 "Shop", 2 Class, 3 Utf8 "lambda$main$0", 4 Utf8 "()I", 5 NameAndType, 6 Methodref,
        // 7 Utf8 "java/lang/Integer", 8 Class, 9 Utf8 "valueOf", 10 NameAndType, 11 Methodref.
        let mut bytes = Vec::new();
        let text = |bytes: &mut Vec<u8>, text: &str| {
            bytes.extend([1, 0, u8::try_from(text.len()).unwrap()]);
            bytes.extend(text.bytes());
        };
        text(&mut bytes, "Shop");
        bytes.extend([7, 0, 1]);
        text(&mut bytes, "lambda$main$0");
        text(&mut bytes, "()I");
        bytes.extend([12, 0, 3, 0, 4, 10, 0, 2, 0, 5]);
        text(&mut bytes, "java/lang/Integer");
        bytes.extend([7, 0, 7]);
        text(&mut bytes, "valueOf");
        bytes.extend([12, 0, 9, 0, 4, 10, 0, 8, 0, 10]);
        let pool = ConstantPool::parse(&bytes).unwrap();
        // aload_1, invokestatic 11, invokestatic 6, areturn
        let code = [0x2b, 0xb8, 0, 11, 0xb8, 0, 6, 0xb0];
        assert_eq!(pool.called_by(&code), Some(("Shop".to_owned(), "lambda$main$0".to_owned())));
        assert_eq!(pool.called_by(&code[..4]).unwrap().1, "valueOf");
    }
}
