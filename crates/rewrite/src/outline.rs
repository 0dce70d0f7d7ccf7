//! Builds a class file for [`super::Scan`] from the data that a VM provides about a class whose file is
//! unavailable.

use super::error::RewriteError;
use super::reader::{MAGIC, constants_to_end};

/// CONSTANT_Utf8 and CONSTANT_Class (JVMS table 4.4-A).
const UTF8: u8 = 1;
const CLASS: u8 = 7;
/// Java 8; the instruction set has not changed since.
const MAJOR: u16 = 52;

/// Builds a class file with this constant pool and these code arrays. Its methods have no names, tables or
/// handlers. It can be scanned for instructions, but neither loaded nor rewritten.
///
/// # Errors
/// If the constant pool is invalid, or has no room for four more entries.
pub fn outline(
    name: &str,
    pool: &[u8],
    fields: &[String],
    codes: &[Vec<u8>],
) -> Result<Vec<u8>, RewriteError> {
    let mut count = constants_to_end(pool)?;
    let mut more = Vec::new();
    let mut utf8 = |text: &str, count: &mut u16| -> Result<u16, RewriteError> {
        let length = u16::try_from(text.len()).map_err(|_| RewriteError::PoolFull)?;
        more.push(UTF8);
        more.extend(length.to_be_bytes());
        more.extend(text.as_bytes());
        let index = *count;
        *count = count.checked_add(1).ok_or(RewriteError::PoolFull)?;
        Ok(index)
    };
    let (own, code, method) =
        (utf8(name, &mut count)?, utf8("Code", &mut count)?, utf8("(unnamed)", &mut count)?);
    let named = fields.iter().map(|field| utf8(field, &mut count)).collect::<Result<Vec<u16>, _>>()?;
    more.push(CLASS);
    more.extend(own.to_be_bytes());
    let this = count;
    count = count.checked_add(1).ok_or(RewriteError::PoolFull)?;
    let mut file = Vec::new();
    file.extend(MAGIC.to_be_bytes());
    file.extend([0, MAJOR, count].map(u16::to_be_bytes).as_flattened());
    file.extend(pool);
    file.extend(more);
    let number = |length: usize| u16::try_from(length).map_err(|_| RewriteError::PoolFull);
    // Access flags, this class, no superclass, no interfaces.
    file.extend([0, this, 0, 0, number(named.len())?].map(u16::to_be_bytes).as_flattened());
    for name in named {
        file.extend([0, name, name, 0].map(u16::to_be_bytes).as_flattened());
    }
    file.extend(number(codes.len())?.to_be_bytes());
    for bytes in codes {
        let length = u32::try_from(bytes.len()).map_err(|_| RewriteError::PoolFull)?;
        file.extend([0, method, method, 1, code].map(u16::to_be_bytes).as_flattened());
        // Before the code: maximum stack and locals, and the code's length. After it: no handlers and no
        // attributes.
        file.extend(length.saturating_add(12).to_be_bytes());
        file.extend([u16::MAX, u16::MAX].map(u16::to_be_bytes).as_flattened());
        file.extend(length.to_be_bytes());
        file.extend(bytes);
        file.extend([0; 4]);
    }
    file.extend([0; 2]);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scan;

    #[test]
    fn an_outline_can_be_scanned_like_a_class_file() {
        // 1 utf8 H, 2 class 1, 3 utf8 n, 4 utf8 I, 5 name and type 3 4, 6 field 2 5, 7 long (two entries), 9
        // utf8 x.
        let mut pool = vec![1, 0, 1, b'H', 7, 0, 1, 1, 0, 1, b'n', 1, 0, 1, b'I', 12, 0, 3, 0, 4];
        pool.extend([9, 0, 2, 0, 5, 5, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, b'x']);
        // iconst_1; putstatic 6; return, and iconst_0; iconst_0; iconst_0; iastore; return.
        let codes = [vec![4, 0xb3, 0, 6, 0xb1], vec![3, 3, 3, 0x4f, 0xb1]];
        let file = outline("a/Hidden", &pool, &["mine".to_owned()], &codes).unwrap();
        let scan = Scan::new(&file).unwrap();
        assert_eq!(scan.name().unwrap(), "a/Hidden");
        assert!(scan.declares_field("mine") && !scan.declares_field("n") && scan.names_field("n"));
        let [put] = &scan.accesses("n").unwrap()[..] else { panic!("one access") };
        assert_eq!((put.pc, put.writes, put.is_static, &*put.class), (1, true, true, "H"));
        assert_eq!(scan.array_stores('I').unwrap().len(), 1);
        assert_eq!(scan.array_stores('J').unwrap(), []);
        assert!(scan.writes_elsewhere(&|class| class == "H").unwrap(), "it stores into an array");
        let file = outline("H", &pool, &[], &codes[..1]).unwrap();
        let scan = Scan::new(&file).unwrap();
        assert!(!scan.writes_elsewhere(&|class| class == "H").unwrap());
        assert!(scan.writes_elsewhere(&|class| class == "a/Hidden").unwrap());
        assert!(outline("H", &pool[..pool.len() - 1], &[], &codes).is_err(), "the pool is cut off");
    }
}
