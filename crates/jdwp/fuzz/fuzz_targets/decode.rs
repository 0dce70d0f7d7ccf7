//! Decodes arbitrary bytes as every reply and as events, with all id sizes. The decoder must not panic, hang
//! or use more memory than a small multiple of the input. `tests/codec.rs` has a bounded form.
#![no_main]

use jdwp::codec::{Decode, Reader};
use jdwp::commands::COMMAND_SETS;
use jdwp::{EventSet, IdSize, IdSizes, JavaString};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (sizes, which, bytes) = input;
    let size = |shift: u8| match (sizes >> shift) & 3 {
        0 => IdSize::Two,
        1 => IdSize::Four,
        _ => IdSize::Eight,
    };
    let sizes =
        IdSizes { field: size(0), method: size(0), object: size(2), reference_type: size(4), frame: size(6) };
    let commands: Vec<_> = COMMAND_SETS.iter().flat_map(|set| set.commands).collect();
    match commands.get(usize::from(which)) {
        Some(command) => drop((command.check_reply)(Reader::new(bytes, sizes))),
        None => {
            if let Ok(events) = EventSet::decode(&mut Reader::new(bytes, sizes)) {
                assert!(events.events.len() <= bytes.len());
            }
            assert!(JavaString::from_wire(bytes).utf16().len() <= bytes.len());
        }
    }
});
