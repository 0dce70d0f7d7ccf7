//! Locates the parts of a class file and interprets as little as possible.

use super::error::RewriteError;
use smap::SourceMap;
use std::borrow::Cow;

/// The magic number of class files (JVMS §4.1).
pub const MAGIC: u32 = 0xCAFE_BABE;

/// Reads successive big-endian numbers.
#[derive(Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Starts at an offset.
    pub fn at(bytes: &'a [u8], at: usize) -> Reader<'a> {
        Reader { bytes, at }
    }

    /// The current offset.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Reads the next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], RewriteError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(RewriteError::Truncated(self.bytes.len()))?;
        let taken = self.bytes.get(self.at..end).unwrap_or_default();
        self.at = end;
        Ok(taken)
    }

    /// Reads one byte.
    pub fn u1(&mut self) -> Result<u8, RewriteError> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    /// Reads two bytes.
    pub fn u2(&mut self) -> Result<u16, RewriteError> {
        Ok(self.take(2)?.iter().fold(0, |n, b| (n << 8) | u16::from(*b)))
    }

    /// Reads four bytes.
    pub fn u4(&mut self) -> Result<u32, RewriteError> {
        Ok(self.take(4)?.iter().fold(0, |n, b| (n << 8) | u32::from(*b)))
    }

    /// Reads a four-byte length.
    pub fn length(&mut self) -> Result<usize, RewriteError> {
        let length = self.u4()?;
        usize::try_from(length).map_err(|_| RewriteError::Truncated(self.bytes.len()))
    }
}

/// The bytes from `start` to `end`.
pub fn slice(bytes: &[u8], start: usize, end: usize) -> Result<&[u8], RewriteError> {
    bytes.get(start..end).ok_or(RewriteError::Truncated(bytes.len()))
}

/// An attribute: the constant of its name, and the range of its contents.
#[derive(Clone, Copy, Debug)]
pub struct AttributeAt {
    pub name: u16,
    pub start: usize,
    pub end: usize,
}

/// The range of a `Code` attribute, including the header.
#[derive(Clone, Copy, Debug)]
pub struct CodeAt {
    pub start: usize,
    pub end: usize,
}

/// A method of a class file.
#[derive(Clone, Debug)]
pub struct MethodAt {
    pub access: u16,
    pub name: u16,
    pub descriptor: u16,
    /// Its `Code` attribute.
    pub code: Option<CodeAt>,
}

/// A field of a class file: its access flags, and the constants of its name and descriptor.
#[derive(Clone, Copy, Debug)]
pub struct FieldAt {
    pub access: u16,
    pub name: u16,
    pub descriptor: u16,
}

/// The offsets of the parts of a class file.
pub struct ClassLayout<'a> {
    pub bytes: &'a [u8],
    pub major: u16,
    /// The offset of each constant; 0 for unusable entries (JVMS §4.4.5).
    pub constants: Vec<usize>,
    pub pool_end: usize,
    pub access: u16,
    pub this_class: u16,
    pub super_class: u16,
    /// The constants of the interfaces.
    pub interfaces: Vec<u16>,
    pub methods: Vec<MethodAt>,
    pub fields: Vec<FieldAt>,
    /// The attributes of the class itself.
    pub attributes: Vec<AttributeAt>,
    /// Its source file (JVMS §4.7.10); of a class with a source map, that of the map.
    pub source_file: Option<String>,
    /// The map from the numbers of the line tables to lines of sources (JVMS §4.7.11).
    pub source_map: Option<SourceMap>,
}

impl<'a> ClassLayout<'a> {
    /// Locates the parts.
    pub fn read(bytes: &'a [u8]) -> Result<ClassLayout<'a>, RewriteError> {
        let mut reader = Reader::new(bytes);
        if reader.u4()? != MAGIC {
            return Err(RewriteError::NoClassFile);
        }
        let _minor = reader.u2()?;
        let major = reader.u2()?;
        let constants = constants(&mut reader)?;
        let pool_end = reader.position();
        let access = reader.u2()?;
        let (this_class, super_class) = (reader.u2()?, reader.u2()?);
        let interfaces = (0..reader.u2()?).map(|_| reader.u2()).collect::<Result<_, _>>()?;
        let mut class = ClassLayout {
            bytes,
            major,
            constants,
            pool_end,
            access,
            this_class,
            super_class,
            interfaces,
            methods: Vec::new(),
            fields: Vec::new(),
            attributes: Vec::new(),
            source_file: None,
            source_map: None,
        };
        for _ in 0..reader.u2()? {
            let (access, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
            class.fields.push(FieldAt { access, name, descriptor });
            attributes(&mut reader)?;
        }
        for _ in 0..reader.u2()? {
            let (access, name, descriptor) = (reader.u2()?, reader.u2()?, reader.u2()?);
            let attributes = attributes(&mut reader)?;
            let mut code = None;
            for attribute in attributes {
                if class.is(attribute.name, "Code") {
                    code = Some(CodeAt { start: attribute.start - 6, end: attribute.end });
                }
            }
            class.methods.push(MethodAt { access, name, descriptor, code });
        }
        class.attributes = attributes(&mut reader)?;
        class.read_source()?;
        Ok(class)
    }

    /// Reads the name of the source file, and the source map.
    fn read_source(&mut self) -> Result<(), RewriteError> {
        let mut map = None;
        for attribute in &self.attributes {
            let content = slice(self.bytes, attribute.start, attribute.end)?;
            if self.is(attribute.name, "SourceFile") {
                self.source_file = Some(self.owned(Reader::new(content).u2()?)?);
            } else if self.is(attribute.name, "SourceDebugExtension") {
                map = Some(String::from_utf8_lossy(content));
            }
        }
        self.source_map = map.and_then(|map| SourceMap::parse(&map, self.source_file.as_deref()));
        if let Some(map) = &self.source_map {
            self.source_file = Some(map.source_file().to_owned());
        }
        Ok(())
    }

    fn constant(&self, index: u16, tag: u8) -> Result<Reader<'a>, RewriteError> {
        let bad = RewriteError::BadConstant(index);
        let at = self.constants.get(usize::from(index)).copied().filter(|at| *at > 0).ok_or(bad.clone())?;
        let mut reader = Reader::at(self.bytes, at);
        if reader.u1()? == tag { Ok(reader) } else { Err(bad) }
    }

    /// The bytes of a Utf8 constant.
    pub fn raw_utf8(&self, index: u16) -> Result<&'a [u8], RewriteError> {
        let mut reader = self.constant(index, 1)?;
        let length = usize::from(reader.u2()?);
        reader.take(length)
    }

    /// The text of a Utf8 constant. Invalid UTF-8 is replaced, so it never equals a name that is looked up.
    pub fn utf8(&self, index: u16) -> Result<Cow<'a, str>, RewriteError> {
        Ok(String::from_utf8_lossy(self.raw_utf8(index)?))
    }

    /// The text of a Utf8 constant, owned.
    pub fn owned(&self, index: u16) -> Result<String, RewriteError> {
        self.utf8(index).map(Cow::into_owned)
    }

    /// Whether a Utf8 constant has this text.
    pub fn is(&self, index: u16, text: &str) -> bool {
        self.raw_utf8(index).is_ok_and(|raw| raw == text.as_bytes())
    }

    /// The name of a Class constant, with slashes.
    pub fn class_name(&self, index: u16) -> Result<Cow<'a, str>, RewriteError> {
        let name = self.constant(index, 7)?.u2()?;
        self.utf8(name)
    }

    /// The class, name and descriptor of a method constant.
    pub fn method_ref(&self, index: u16) -> Result<[Cow<'a, str>; 3], RewriteError> {
        self.member(self.constant(index, 10).or_else(|_| self.constant(index, 11))?)
    }

    /// The descriptor of an InvokeDynamic constant.
    pub fn dynamic_descriptor(&self, index: u16) -> Result<Cow<'a, str>, RewriteError> {
        let mut reader = self.constant(index, 18)?;
        reader.u2()?;
        let [_, descriptor] = self.name_and_type(reader.u2()?)?;
        Ok(descriptor)
    }

    /// The class, name and descriptor of a Fieldref constant.
    pub fn field_ref(&self, index: u16) -> Result<[Cow<'a, str>; 3], RewriteError> {
        self.member(self.constant(index, 9)?)
    }

    fn member(&self, mut reader: Reader<'a>) -> Result<[Cow<'a, str>; 3], RewriteError> {
        let (class, name_and_type) = (reader.u2()?, reader.u2()?);
        let [name, descriptor] = self.name_and_type(name_and_type)?;
        Ok([self.class_name(class)?, name, descriptor])
    }

    /// The name and descriptor of a NameAndType constant.
    pub fn name_and_type(&self, index: u16) -> Result<[Cow<'a, str>; 2], RewriteError> {
        let mut reader = self.constant(index, 12)?;
        let (name, descriptor) = (reader.u2()?, reader.u2()?);
        Ok([self.utf8(name)?, self.utf8(descriptor)?])
    }
}

fn constants(reader: &mut Reader<'_>) -> Result<Vec<usize>, RewriteError> {
    let count = reader.u2()?;
    let mut constants = vec![0];
    while constants.len() < usize::from(count) {
        constant(reader, &mut constants)?;
    }
    constants.truncate(usize::from(count).max(1));
    Ok(constants)
}

/// The number of entries of a constant pool that occupies all of `pool`, including the unused first entry.
pub fn constants_to_end(pool: &[u8]) -> Result<u16, RewriteError> {
    let mut reader = Reader::new(pool);
    let mut constants = vec![0];
    while reader.position() < pool.len() {
        constant(&mut reader, &mut constants)?;
    }
    u16::try_from(constants.len()).map_err(|_| RewriteError::PoolFull)
}

/// Skips one constant and adds its offset; for a constant with two entries, adds two.
fn constant(reader: &mut Reader<'_>, constants: &mut Vec<usize>) -> Result<(), RewriteError> {
    constants.push(reader.position());
    let tag = reader.u1()?;
    let length = match tag {
        1 => usize::from(reader.u2()?),
        3 | 4 | 9..=12 | 17 | 18 => 4,
        5 | 6 => {
            // A long or double takes two entries.
            constants.push(0);
            8
        }
        7 | 8 | 16 | 19 | 20 => 2,
        15 => 3,
        _ => return Err(RewriteError::BadConstant(u16::try_from(constants.len() - 1).unwrap_or(0))),
    };
    reader.take(length).map(drop)
}

/// Reads the list of attributes at the current offset.
pub fn attributes(reader: &mut Reader<'_>) -> Result<Vec<AttributeAt>, RewriteError> {
    let mut found = Vec::new();
    for _ in 0..reader.u2()? {
        let name = reader.u2()?;
        let length = reader.length()?;
        let start = reader.position();
        reader.take(length)?;
        found.push(AttributeAt { name, start, end: reader.position() });
    }
    Ok(found)
}
