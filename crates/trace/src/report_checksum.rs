//! A checksum of the agent's report by which two runs of one program are compared.

use super::columns::Checksum;

/// How the lines of a report begin that name files which the program wrote.
const OF_FILES: [&[u8]; 2] = [b"{\"Wrote\"", b"{\"Existed\""];

/// The checksum of a report without the lines about files.
pub fn without_files(report: &[u8]) -> Checksum {
    let is_of_file = |line: &[u8]| OF_FILES.iter().any(|begin| line.starts_with(begin));
    let (mut bytes, mut crc) = (0, crc32fast::Hasher::new());
    for line in report.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_of_file(line)) {
        bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
        crc.update(line);
    }
    Checksum { bytes, crc: crc.finalize() }
}
