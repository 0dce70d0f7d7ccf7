//! The StackMapTable (JVMS §4.7.4): decoded to full frames, and encoded again in the shortest form.

use super::error::RewriteError;
use super::pool::Pool;
use super::reader::{ClassLayout, Reader};
use descriptor::Kind;

/// A verification type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Top,
    Int,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    /// A class, by its name with slashes or, for an array, its descriptor.
    Object(String),
    /// An uninitialised object, created by the `new` at this index of the original code.
    Uninitialized(u32),
}

impl Type {
    /// The verification type of a local of this kind. A reference becomes `Object`.
    pub fn of(kind: Kind) -> Type {
        match kind {
            Kind::Int => Type::Int,
            Kind::Long => Type::Long,
            Kind::Float => Type::Float,
            Kind::Double => Type::Double,
            Kind::Reference => Type::Object("java/lang/Object".to_owned()),
        }
    }

    pub fn slots(&self) -> u16 {
        if matches!(self, Type::Long | Type::Double) { 2 } else { 1 }
    }
}

/// A frame at an index of the original code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub pc: u32,
    pub locals: Vec<Type>,
    pub stack: Vec<Type>,
}

impl Frame {
    /// The frame with the kept locals after the method's own.
    pub fn with_kept(&self, own_slots: u16, kept: &[Kind]) -> Frame {
        let mut frame = self.clone();
        if kept.is_empty() {
            return frame;
        }
        fill(&mut frame.locals, own_slots);
        frame.locals.extend(kept.iter().map(|kind| Type::of(*kind)));
        frame
    }
}

/// Fills local variables up to a slot with unusable ones.
pub fn fill(locals: &mut Vec<Type>, slots: u16) {
    let used: u16 = locals.iter().map(Type::slots).sum();
    locals.extend((used..slots).map(|_| Type::Top));
}

/// The implicit initial frame of a method, which the table does not contain.
pub fn initial(class: &ClassLayout<'_>, access: u16, name: &str, desc: &str) -> Result<Frame, RewriteError> {
    let mut locals = Vec::new();
    if access & 0x0008 == 0 {
        let this = class.class_name(class.this_class)?;
        let is_object = this == "java/lang/Object";
        locals.push(if name == "<init>" && !is_object {
            Type::UninitializedThis
        } else {
            Type::Object(this.into_owned())
        });
    }
    for (_, parameter) in descriptor::parameter_slots(desc, true) {
        locals.push(match Kind::of_descriptor(&parameter) {
            Kind::Reference => Type::Object(internal_name(&parameter)),
            kind => Type::of(kind),
        });
    }
    Ok(Frame { pc: 0, locals, stack: Vec::new() })
}

/// Converts a descriptor to the form of a Class constant: a class by its name, an array by its descriptor.
fn internal_name(descriptor: &str) -> String {
    let name = descriptor.strip_prefix('L').and_then(|d| d.strip_suffix(';'));
    name.unwrap_or(descriptor).to_owned()
}

/// Decodes a table. The first frame is at its own offset, each other one at the index of the previous frame
/// plus its offset plus one.
pub fn read(
    class: &ClassLayout<'_>,
    reader: &mut Reader<'_>,
    initial: &Frame,
) -> Result<Vec<Frame>, RewriteError> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut locals = initial.locals.clone();
    let count = reader.u2()?;
    for _ in 0..count {
        let form = reader.u1()?;
        let mut stack = Vec::new();
        let offset = match form {
            0..=63 => u32::from(form),
            64..=127 => {
                stack.push(read_type(class, reader)?);
                u32::from(form) - 64
            }
            247 => {
                let offset = reader.u2()?;
                stack.push(read_type(class, reader)?);
                u32::from(offset)
            }
            248..=250 => {
                let offset = reader.u2()?;
                locals.truncate(locals.len().saturating_sub(usize::from(251 - form)));
                u32::from(offset)
            }
            251 => u32::from(reader.u2()?),
            252..=254 => {
                let offset = reader.u2()?;
                for _ in 0..form - 251 {
                    locals.push(read_type(class, reader)?);
                }
                u32::from(offset)
            }
            255 => {
                let offset = reader.u2()?;
                let read = |reader: &mut Reader<'_>| {
                    let count = reader.u2()?;
                    (0..count).map(|_| read_type(class, reader)).collect::<Result<Vec<_>, _>>()
                };
                locals = read(reader)?;
                stack = read(reader)?;
                u32::from(offset)
            }
            _ => return Err(RewriteError::BadFrame(form)),
        };
        let pc = frames.last().map_or(offset, |last| last.pc + offset + 1);
        frames.push(Frame { pc, locals: locals.clone(), stack });
    }
    Ok(frames)
}

fn read_type(class: &ClassLayout<'_>, reader: &mut Reader<'_>) -> Result<Type, RewriteError> {
    Ok(match reader.u1()? {
        0 => Type::Top,
        1 => Type::Int,
        2 => Type::Float,
        3 => Type::Double,
        4 => Type::Long,
        5 => Type::Null,
        6 => Type::UninitializedThis,
        7 => Type::Object(class.class_name(reader.u2()?)?.into_owned()),
        8 => Type::Uninitialized(u32::from(reader.u2()?)),
        form => return Err(RewriteError::BadFrame(form)),
    })
}

/// Encodes a table. The frames are at their new indices, ascending; `moved` maps the index of a `new` to its
/// new index.
pub fn write(
    frames: &[Frame],
    initial: &Frame,
    pool: &mut Pool,
    moved: &dyn Fn(u32) -> Result<u32, RewriteError>,
) -> Result<Vec<u8>, RewriteError> {
    let mut out = two(frames.len()).to_vec();
    let mut before = initial;
    let mut next = 0;
    for frame in frames {
        let offset = frame.pc.checked_sub(next).ok_or(RewriteError::BadIndex(frame.pc))?;
        let short = u8::try_from(offset).ok().filter(|o| *o < 64);
        let wide = u16::try_from(offset).map_err(|_| RewriteError::BadIndex(frame.pc))?.to_be_bytes();
        let common = frame.locals.iter().zip(&before.locals).take_while(|(a, b)| a == b).count();
        let (more, less) = (frame.locals.len() - common, before.locals.len() - common);
        match (frame.stack.as_slice(), more, less, short) {
            ([], 0, 0, Some(short)) => out.push(short),
            ([], 0, 0, None) => out.extend_from_slice(&[251, wide[0], wide[1]]),
            ([one], 0, 0, short) => {
                match short {
                    Some(short) => out.push(64 + short),
                    None => out.extend_from_slice(&[247, wide[0], wide[1]]),
                }
                write_type(&mut out, one, pool, moved)?;
            }
            ([], 0, 1..=3, _) => out.extend_from_slice(&[251 - less as u8, wide[0], wide[1]]),
            ([], 1..=3, 0, _) => {
                out.extend_from_slice(&[251 + more as u8, wide[0], wide[1]]);
                for added in frame.locals.iter().skip(common) {
                    write_type(&mut out, added, pool, moved)?;
                }
            }
            _ => {
                out.extend_from_slice(&[255, wide[0], wide[1]]);
                for types in [&frame.locals, &frame.stack] {
                    out.extend_from_slice(&two(types.len()));
                    for one in types {
                        write_type(&mut out, one, pool, moved)?;
                    }
                }
            }
        }
        next = frame.pc + 1;
        before = frame;
    }
    Ok(out)
}

fn two(count: usize) -> [u8; 2] {
    u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes()
}

fn write_type(
    out: &mut Vec<u8>,
    one: &Type,
    pool: &mut Pool,
    moved: &dyn Fn(u32) -> Result<u32, RewriteError>,
) -> Result<(), RewriteError> {
    out.push(match one {
        Type::Top => 0,
        Type::Int => 1,
        Type::Float => 2,
        Type::Double => 3,
        Type::Long => 4,
        Type::Null => 5,
        Type::UninitializedThis => 6,
        Type::Object(name) => {
            out.push(7);
            out.extend_from_slice(&pool.class(&name.clone().into())?.to_be_bytes());
            return Ok(());
        }
        Type::Uninitialized(at) => {
            out.push(8);
            let at = u16::try_from(moved(*at)?).map_err(|_| RewriteError::BadIndex(*at))?;
            out.extend_from_slice(&at.to_be_bytes());
            return Ok(());
        }
    });
    Ok(())
}
