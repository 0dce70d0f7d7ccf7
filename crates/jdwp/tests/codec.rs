//! Property tests of the codec: a written value reads back equal with every id size, and arbitrary bytes
//! never make the decoder panic. The fuzz target in `fuzz/` tests the latter without bounds.

// A test fails by panicking; the lints' exemption does not reach helper functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use jdwp::codec::{Decode, Encode, Reader, Writer};
use jdwp::commands::{COMMAND_SETS, reference_type, virtual_machine};
use jdwp::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn id_size() -> impl Strategy<Value = IdSize> {
    prop_oneof![Just(IdSize::Two), Just(IdSize::Four), Just(IdSize::Eight)]
}

fn id_sizes() -> impl Strategy<Value = IdSizes> {
    (id_size(), id_size(), id_size(), id_size(), id_size()).prop_map(
        |(field, method, object, reference_type, frame)| IdSizes {
            field,
            method,
            object,
            reference_type,
            frame,
        },
    )
}

/// An id that fits every size and is not null.
fn id() -> impl Strategy<Value = u64> {
    1..=u64::from(u16::MAX)
}

fn text() -> impl Strategy<Value = JavaString> {
    let unit = prop_oneof![any::<u16>(), 0xD800u16..0xE000, Just(0), 0x20u16..0x7F];
    vec(unit, 0..20).prop_map(|units| JavaString::from_utf16(&units))
}

fn object_tag() -> impl Strategy<Value = Tag> {
    any::<prop::sample::Index>().prop_map(|index| {
        let tags: Vec<_> = Tag::ALL.iter().copied().filter(|tag| tag.is_object()).collect();
        *index.get(&tags)
    })
}

fn tagged() -> impl Strategy<Value = TaggedObject> {
    (object_tag(), id()).prop_map(|(tag, id)| TaggedObject { tag, id: ObjectId::new(id) })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        any::<i8>().prop_map(Value::Byte),
        any::<u16>().prop_map(Value::Char),
        any::<i16>().prop_map(Value::Short),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        any::<f32>().prop_map(Value::Float),
        any::<f64>().prop_map(Value::Double),
        Just(Value::Void),
        (object_tag(), prop::option::of(id()))
            .prop_map(|(tag, id)| Value::Object { tag, id: id.map(ObjectId::new) }),
    ]
}

fn location() -> impl Strategy<Value = Location> {
    (0..TypeTag::ALL.len(), id(), 0..=u64::from(u16::MAX), any::<u64>()).prop_map(
        |(tag, class, method, index)| {
            let class = ReferenceTypeId::new(class);
            Location { type_tag: TypeTag::ALL[tag], class, method: MethodId::new(method), index }
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let numbers = (any::<i32>(), id(), 0..Event::KINDS.len(), any::<i64>(), any::<bool>());
    let objects = (location(), prop::option::of(location()), tagged(), prop::option::of(tagged()), value());
    let type_of = (0..TypeTag::ALL.len(), id(), 0..=u64::from(u16::MAX), "[a-zA-Z/;]{0,30}", any::<u32>());
    (numbers, objects, type_of).prop_map(|(numbers, objects, type_of)| {
        let (request, thread, kind, timeout, timed_out) = numbers;
        let (location, maybe_at, object, maybe, value) = objects;
        let (type_tag, type_id, field, signature, status) = type_of;
        let (request, thread, field) = (RequestId(request), ThreadId::new(thread), FieldId::new(field));
        let (type_tag, type_id) = (TypeTag::ALL[type_tag], ReferenceTypeId::new(type_id));
        let status = ClassStatus(status);
        match Event::KINDS[kind] {
            EventKind::VmStart => Event::VmStart { request, thread },
            EventKind::SingleStep => Event::SingleStep { request, thread, location },
            EventKind::Breakpoint => Event::Breakpoint { request, thread, location },
            EventKind::MethodEntry => Event::MethodEntry { request, thread, location },
            EventKind::MethodExit => Event::MethodExit { request, thread, location },
            EventKind::MethodExitWithReturnValue => {
                Event::MethodExitWithReturnValue { request, thread, location, value }
            }
            EventKind::MonitorContendedEnter => {
                Event::MonitorContendedEnter { request, thread, object, location: maybe_at }
            }
            EventKind::MonitorContendedEntered => {
                Event::MonitorContendedEntered { request, thread, object, location: maybe_at }
            }
            EventKind::MonitorWait => Event::MonitorWait { request, thread, object, location, timeout },
            EventKind::MonitorWaited => Event::MonitorWaited { request, thread, object, location, timed_out },
            EventKind::Exception => {
                Event::Exception { request, thread, location, exception: object, catch_location: maybe_at }
            }
            EventKind::ThreadStart => Event::ThreadStart { request, thread },
            EventKind::ThreadDeath => Event::ThreadDeath { request, thread },
            EventKind::ClassPrepare => {
                let thread = timed_out.then_some(thread);
                Event::ClassPrepare { request, thread, type_tag, type_id, signature, status }
            }
            EventKind::ClassUnload => Event::ClassUnload { request, signature },
            EventKind::FieldAccess => {
                Event::FieldAccess { request, thread, location, type_tag, type_id, field, object: maybe }
            }
            EventKind::FieldModification => Event::FieldModification {
                request,
                thread,
                location,
                type_tag,
                type_id,
                field,
                object: maybe,
                value,
            },
            _ => Event::VmDeath { request },
        }
    })
}

fn region() -> impl Strategy<Value = ArrayRegion> {
    prop_oneof![
        vec(any::<bool>(), 0..9).prop_map(ArrayRegion::Boolean),
        vec(any::<i8>(), 0..9).prop_map(ArrayRegion::Byte),
        vec(any::<u16>(), 0..9).prop_map(ArrayRegion::Char),
        vec(any::<i16>(), 0..9).prop_map(ArrayRegion::Short),
        vec(any::<i32>(), 0..9).prop_map(ArrayRegion::Int),
        vec(any::<i64>(), 0..9).prop_map(ArrayRegion::Long),
        vec(any::<f32>(), 0..9).prop_map(ArrayRegion::Float),
        vec(any::<f64>(), 0..9).prop_map(ArrayRegion::Double),
        (object_tag(), vec(value(), 0..9)).prop_map(|(tag, values)| ArrayRegion::Object { tag, values }),
    ]
}

fn write(value: &impl Encode, sizes: IdSizes, modified: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut w = Writer::new(&mut bytes, sizes).with_modified_utf8(modified);
    value.encode(&mut w);
    w.finish().unwrap();
    bytes
}

/// Writes a value, reads it back and compares. Also checks that no shorter prefix decodes completely.
fn round_trip<T: Encode + Decode + PartialEq + std::fmt::Debug>(
    value: &T,
    sizes: IdSizes,
    modified: bool,
) -> Result<(), TestCaseError> {
    let bytes = write(value, sizes, modified);
    let mut r = Reader::new(&bytes, sizes);
    prop_assert_eq!(&T::decode(&mut r).unwrap(), value);
    prop_assert_eq!(r.finish(), Ok(()));
    for cut in 0..bytes.len() {
        prop_assert!(T::decode(&mut Reader::new(&bytes[..cut], sizes)).is_err(), "cut at {}", cut);
    }
    Ok(())
}

proptest! {
    #[test]
    fn values_read_back(value in value(), sizes in id_sizes()) {
        round_trip(&value, sizes, false)?;
        let mut bytes = Vec::new();
        value.encode_untagged(&mut Writer::new(&mut bytes, sizes));
        let mut r = Reader::new(&bytes, sizes);
        prop_assert_eq!(Value::decode_untagged(value.tag(), &mut r), Ok(value));
        prop_assert_eq!(r.finish(), Ok(()));
    }

    #[test]
    fn locations_and_objects_read_back(
        location in prop::option::of(location()),
        object in prop::option::of(tagged()),
        sizes in id_sizes(),
    ) {
        round_trip(&location, sizes, false)?;
        round_trip(&object, sizes, false)?;
    }

    #[test]
    fn strings_read_back_exactly(text in text(), modified: bool) {
        round_trip(&text, IdSizes::all(IdSize::Eight), modified)?;
    }

    #[test]
    fn runs_of_array_elements_read_back(region in region(), sizes in id_sizes()) {
        round_trip(&region, sizes, false)?;
        prop_assert_eq!(region.iter().count(), region.len());
    }

    #[test]
    fn composite_events_read_back(
        policy in 0..SuspendPolicy::ALL.len(),
        events in vec(event(), 0..4),
        sizes in id_sizes(),
    ) {
        round_trip(&EventSet { policy: SuspendPolicy::ALL[policy], events }, sizes, false)?;
    }

    #[test]
    fn records_read_back(
        number: u32,
        id in id(),
        name in "\\PC{0,12}",
        bytes in vec(any::<u8>(), 0..40),
        sizes in id_sizes(),
        modified: bool,
    ) {
        let field = reference_type::FieldInfoWithGeneric {
            field_id: FieldId::new(id),
            name: name.clone(),
            signature: "J".to_owned(),
            generic_signature: name,
            mod_bits: number,
        };
        round_trip(&vec![field.clone(), field], sizes, modified)?;
        let class = virtual_machine::ClassDef { ref_type: ReferenceTypeId::new(id), classfile: bytes };
        round_trip(&class, sizes, modified)?;
    }

    #[test]
    fn ids_that_do_not_fit_are_refused(id in 0x1_0000u64..) {
        let mut bytes = Vec::new();
        let mut w = Writer::new(&mut bytes, IdSizes::all(IdSize::Two));
        ObjectId::new(id).encode(&mut w);
        prop_assert_eq!(w.finish(), Err(EncodeError::IdTooLarge { id, size: 2 }));
    }

    /// The bounded form of the fuzz target.
    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in vec(any::<u8>(), 0..200), sizes in id_sizes()) {
        for command in COMMAND_SETS.iter().flat_map(|set| set.commands) {
            let _ = (command.check_reply)(Reader::new(&bytes, sizes));
        }
        let mut r = Reader::new(&bytes, sizes);
        if let Ok(events) = EventSet::decode(&mut r) {
            // Decoded events encode to bytes that decode to the same events.
            let again = write(&events, sizes, false);
            let events_again = EventSet::decode(&mut Reader::new(&again, sizes)).unwrap();
            prop_assert_eq!(write(&events_again, sizes, false), again);
        }
        let text = JavaString::from_wire(&bytes);
        let mut wire = Vec::new();
        text.to_wire(false, &mut wire);
        prop_assert_eq!(JavaString::from_wire(&wire), text);
    }

    /// A count larger than the remaining bytes allow is refused.
    #[test]
    fn a_count_beyond_the_bytes_is_refused(count in 100..i32::MAX, rest in vec(any::<u8>(), 0..50)) {
        let mut bytes = count.to_be_bytes().to_vec();
        bytes.extend(rest);
        for command in COMMAND_SETS.iter().flat_map(|set| set.commands) {
            if command.name.ends_with(".AllClasses") || command.name.ends_with("Method.Bytecodes") {
                let outcome = (command.check_reply)(Reader::new(&bytes, IdSizes::all(IdSize::Eight)));
                prop_assert!(outcome.is_err());
            }
        }
    }
}
