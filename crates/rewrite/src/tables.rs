//! Adjusts the tables of a `Code` attribute that contain code indices (JVMS §4.7.3, §4.7.12 to §4.7.14,
//! §4.7.20).

use super::error::RewriteError;
use super::layout::Placed;
use super::reader::Reader;

/// One row of an exception table, with indices of the original code.
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

/// A new code index in two bytes; no code is longer.
pub fn two(index: u32) -> Result<[u8; 2], RewriteError> {
    Ok(u16::try_from(index).map_err(|_| RewriteError::BadIndex(index))?.to_be_bytes())
}

/// The new contents of a LineNumberTable. Code on a branch edge has the line of the branch.
pub fn lines(contents: &[u8], placed: &Placed) -> Result<Vec<u8>, RewriteError> {
    let mut reader = Reader::new(contents);
    let mut rows = Vec::new();
    for _ in 0..reader.u2()? {
        rows.push((u32::from(reader.u2()?), reader.u2()?));
    }
    let mut now = Vec::with_capacity(rows.len());
    for (start, line) in &rows {
        now.push((placed.lands(*start)?, *line));
    }
    for (branch, from, _) in placed.stub_ranges() {
        let of = rows.iter().filter(|(start, _)| *start <= branch).max_by_key(|(start, _)| *start);
        now.extend(of.map(|(_, line)| (from, *line)));
    }
    table(&now, |(start, line), out| {
        out.extend_from_slice(&two(*start)?);
        out.extend_from_slice(&line.to_be_bytes());
        Ok(())
    })
}

/// The new contents of a LocalVariableTable or LocalVariableTypeTable. On a branch edge, the variables are
/// those at the branch.
pub fn variables(contents: &[u8], placed: &Placed) -> Result<Vec<u8>, RewriteError> {
    let mut reader = Reader::new(contents);
    let mut now: Vec<(u32, u32, &[u8])> = Vec::new();
    let mut on_ways = Vec::new();
    let stubs = placed.stub_ranges();
    for _ in 0..reader.u2()? {
        let (start, length) = (u32::from(reader.u2()?), u32::from(reader.u2()?));
        let variable = reader.take(6)?;
        let (from, to) = moved(start, length, placed)?;
        now.push((from, to, variable));
        let at_branch = stubs.iter().filter(|(branch, ..)| (start..start + length).contains(branch));
        on_ways.extend(at_branch.map(|(_, from, to)| (*from, *to, variable)));
    }
    now.extend(on_ways);
    table(&now, |(from, to, variable), out| {
        out.extend_from_slice(&two(*from)?);
        out.extend_from_slice(&two(to.saturating_sub(*from))?);
        out.extend_from_slice(variable);
        Ok(())
    })
}

/// Encodes a table. If there are too many rows, the last ones are dropped; only debuggers notice.
fn table<T>(
    rows: &[T],
    write: impl Fn(&T, &mut Vec<u8>) -> Result<(), RewriteError>,
) -> Result<Vec<u8>, RewriteError> {
    let count = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let mut out = count.to_be_bytes().to_vec();
    for row in rows.iter().take(count.into()) {
        write(row, &mut out)?;
    }
    Ok(out)
}

/// An additional row of a LocalVariableTable.
pub struct Variable {
    pub name: u16,
    pub descriptor: u16,
    pub slot: u16,
}

/// Adds rows to the new contents of a LocalVariableTable. They cover the whole code, because a thread may be
/// suspended in the entry code that initialises them.
pub fn add_variables(
    contents: &mut Vec<u8>,
    added: &[Variable],
    placed: &Placed,
) -> Result<(), RewriteError> {
    let rows = Reader::new(contents).u2()?.checked_add(u16::try_from(added.len()).unwrap_or(u16::MAX));
    // A full table has no room for more rows; only debuggers notice.
    let (Some(rows), Some(count)) = (rows, contents.get_mut(..2)) else { return Ok(()) };
    count.copy_from_slice(&rows.to_be_bytes());
    let to = u32::try_from(placed.code.len()).unwrap_or(u32::MAX);
    for variable in added {
        contents.extend_from_slice(&two(0)?);
        contents.extend_from_slice(&two(to)?);
        for number in [variable.name, variable.descriptor, variable.slot] {
            contents.extend_from_slice(&number.to_be_bytes());
        }
    }
    Ok(())
}

/// A start and a length.
fn range(reader: &mut Reader<'_>, out: &mut Vec<u8>, placed: &Placed) -> Result<(), RewriteError> {
    let (start, length) = (u32::from(reader.u2()?), u32::from(reader.u2()?));
    let (from, to) = moved(start, length, placed)?;
    out.extend_from_slice(&two(from)?);
    out.extend_from_slice(&two(to.saturating_sub(from))?);
    Ok(())
}

/// The new start and end of a range.
fn moved(start: u32, length: u32, placed: &Placed) -> Result<(u32, u32), RewriteError> {
    let (from, to) = (placed.lands(start)?, placed.lands(start + length)?);
    // The entry code precedes the range of every variable except parameters, whose range starts at 0.
    Ok((if start == 0 { 0 } else { from }, to))
}

/// The new contents of RuntimeVisibleTypeAnnotations or RuntimeInvisibleTypeAnnotations.
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

/// Maximum nesting of annotations. Without a limit, an invalid file could overflow the stack.
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
