//! The tables of a `Code` attribute that name indices of its code (JVMS §4.7.3, §4.7.12 to §4.7.14, §4.7.20), moved
//! to where the instructions are now.

use super::error::RewriteError;
use super::layout::Placed;
use super::reader::Reader;

/// One row of an exception table, at indices of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    pub start: u32,
    pub end: u32,
    pub handler: u32,
    pub class: u16,
}

/// Reads an exception table.
pub fn handlers(reader: &mut Reader<'_>) -> Result<Vec<Handler>, RewriteError> {
    let count = reader.u2()?;
    let mut found = Vec::new();
    for _ in 0..count {
        let mut next = || reader.u2();
        let (start, end, handler) = (next()?, next()?, next()?);
        let class = next()?;
        found.push(Handler { start: start.into(), end: end.into(), handler: handler.into(), class });
    }
    Ok(found)
}

/// A new index in two bytes: no code is longer than they can tell.
pub fn two(index: u32) -> Result<[u8; 2], RewriteError> {
    Ok(u16::try_from(index).map_err(|_| RewriteError::BadIndex(index))?.to_be_bytes())
}

/// The contents of a LineNumberTable.
pub fn lines(contents: &[u8], placed: &Placed) -> Result<Vec<u8>, RewriteError> {
    let mut reader = Reader::new(contents);
    let count = reader.u2()?;
    let mut out = count.to_be_bytes().to_vec();
    for _ in 0..count {
        let start = placed.lands(reader.u2()?.into())?;
        out.extend_from_slice(&two(start)?);
        out.extend_from_slice(reader.take(2)?);
    }
    Ok(out)
}

/// The contents of a LocalVariableTable or a LocalVariableTypeTable.
pub fn variables(contents: &[u8], placed: &Placed) -> Result<Vec<u8>, RewriteError> {
    let mut reader = Reader::new(contents);
    let count = reader.u2()?;
    let mut out = count.to_be_bytes().to_vec();
    for _ in 0..count {
        range(&mut reader, &mut out, placed)?;
        out.extend_from_slice(reader.take(6)?);
    }
    Ok(out)
}

/// A start and a length.
fn range(reader: &mut Reader<'_>, out: &mut Vec<u8>, placed: &Placed) -> Result<(), RewriteError> {
    let (start, length) = (u32::from(reader.u2()?), u32::from(reader.u2()?));
    let (from, to) = (placed.lands(start)?, placed.lands(start + length)?);
    // What a call begins with is before every variable but the parameters, whose range begins at 0.
    let from = if start == 0 { 0 } else { from };
    out.extend_from_slice(&two(from)?);
    out.extend_from_slice(&two(to.saturating_sub(from))?);
    Ok(())
}

/// The contents of a RuntimeVisibleTypeAnnotations or RuntimeInvisibleTypeAnnotations.
pub fn annotations(contents: &[u8], placed: &Placed) -> Result<Vec<u8>, RewriteError> {
    let mut reader = Reader::new(contents);
    let count = reader.u2()?;
    let mut out = count.to_be_bytes().to_vec();
    for _ in 0..count {
        let target = reader.u1()?;
        out.push(target);
        match target {
            0x00 | 0x01 | 0x16 => out.extend_from_slice(reader.take(1)?),
            0x10 | 0x11 | 0x12 | 0x17 | 0x42 => out.extend_from_slice(reader.take(2)?),
            0x40 | 0x41 => {
                let count = reader.u2()?;
                out.extend_from_slice(&count.to_be_bytes());
                for _ in 0..count {
                    range(&mut reader, &mut out, placed)?;
                    out.extend_from_slice(reader.take(2)?);
                }
            }
            0x43..=0x46 => out.extend_from_slice(&two(placed.at(reader.u2()?.into())?)?),
            0x47..=0x4b => {
                out.extend_from_slice(&two(placed.at(reader.u2()?.into())?)?);
                out.extend_from_slice(reader.take(1)?);
            }
            _ => {}
        }
        let start = reader.position();
        let path = usize::from(reader.u1()?);
        reader.take(2 * path + 2)?;
        pairs(&mut reader, 0)?;
        out.extend_from_slice(super::reader::slice(contents, start, reader.position())?);
    }
    Ok(out)
}

/// Annotations can hold annotations: so deep, and no deeper, or a broken file would end the stack.
const DEEPEST: u32 = 64;

fn pairs(reader: &mut Reader<'_>, depth: u32) -> Result<(), RewriteError> {
    for _ in 0..reader.u2()? {
        reader.take(2)?;
        value(reader, depth + 1)?;
    }
    Ok(())
}

fn value(reader: &mut Reader<'_>, depth: u32) -> Result<(), RewriteError> {
    if depth > DEEPEST {
        return Err(RewriteError::Truncated(reader.position()));
    }
    match reader.u1()? {
        b'e' => drop(reader.take(4)?),
        b'@' => {
            reader.take(2)?;
            pairs(reader, depth)?;
        }
        b'[' => {
            for _ in 0..reader.u2()? {
                value(reader, depth + 1)?;
            }
        }
        _ => drop(reader.take(2)?),
    }
    Ok(())
}
