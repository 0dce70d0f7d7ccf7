//! Tests every kind of event and every modifier against real virtual machines.

// A test fails by panicking; the lints' exemption does not reach helper functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;

use jdwp::commands::*;
use jdwp::*;
use support::{Vm, line, run, within};

const FILE: &str = "Happenings.java";

/// Runs `Happenings` with one request per kind of event and checks the reported events.
#[test]
fn every_kind_of_event_is_reported() {
    run(async {
        for java in support::javas() {
            let mut vm = Vm::start(&java, "fixture.Happenings").await;
            let class = vm.prepared("fixture.Happenings").await;
            let fields = vm.call(reference_type::Fields { ref_type: class }).await;
            let field = fields.iter().find(|field| field.name == "field").unwrap().field_id;
            let watch = || vec![Modifier::FieldOnly { declaring: class, field }];
            let compute = vm.place(class, "compute", line(FILE, "compute")).await;
            let compute_only = || vec![Modifier::ClassMatch("fixture.Happenings".to_owned())];
            let begin = vm.place(class, "begin", line(FILE, "begin")).await;
            let anything = Modifier::ExceptionOnly { class: None, caught: true, uncaught: true };
            let swap = || vec![Modifier::ClassMatch("fixture.Swap".to_owned())];
            let requests = [
                (EventKind::Breakpoint, vec![Modifier::LocationOnly(begin)]),
                (EventKind::MethodEntry, compute_only()),
                (EventKind::MethodExit, compute_only()),
                (EventKind::MethodExitWithReturnValue, compute_only()),
                (EventKind::FieldAccess, watch()),
                (EventKind::FieldModification, watch()),
                (EventKind::Exception, vec![anything, Modifier::ClassMatch("fixture.*".to_owned())]),
                (EventKind::ClassPrepare, swap()),
                (EventKind::ClassUnload, swap()),
                (EventKind::ThreadStart, vec![]),
                (EventKind::ThreadDeath, vec![]),
                // Without `ClassOnly`: a thread that ends can contend for its own monitor with no frame left.
                // HotSpot 17 to 25 then crashes when it compares the class of the missing frame.
                (EventKind::MonitorContendedEnter, vec![]),
                (EventKind::MonitorContendedEntered, vec![]),
                (EventKind::MonitorWait, vec![]),
                (EventKind::MonitorWaited, vec![]),
                (EventKind::VmDeath, vec![]),
            ];
            let mut asked = Vec::new();
            for (kind, modifiers) in requests {
                asked.push((kind, vm.request(kind, SuspendPolicy::None, modifiers).await));
            }
            // A step request must name the thread that steps.
            let at_compute = vm.breakpoint(compute).await;
            vm.resume().await;
            let mut seen = Vec::new();
            while let Some(set) = within(vm.events.next()).await.unwrap() {
                for event in &set.events {
                    if event.request() == at_compute {
                        let thread = event.thread().unwrap();
                        let step = Modifier::Step { thread, size: StepSize::Line, depth: StepDepth::Over };
                        let modifiers = vec![step, Modifier::Count(1)];
                        let kind = EventKind::SingleStep;
                        asked.push((kind, vm.request(kind, SuspendPolicy::None, modifiers).await));
                        vm.resume().await;
                    }
                }
                seen.extend(set.events);
            }
            let late = vm.connection.send(virtual_machine::Version {}).await;
            assert!(matches!(late, Err(Error::VmDead)), "{late:?}");
            assert!(within(vm.child.wait()).await.unwrap().success());

            for (kind, request) in &asked {
                let of_request: Vec<_> = seen.iter().filter(|event| event.request() == *request).collect();
                assert!(!of_request.is_empty(), "{kind:?} was never reported");
                assert!(of_request.iter().all(|event| event.kind() == *kind), "{of_request:?}");
            }
            let kinds: BTreeSet<_> = seen.iter().map(Event::kind).chain([EventKind::VmStart]).collect();
            assert_eq!(kinds, Event::KINDS.iter().copied().collect());
            check_details(&seen, compute, line_place(&mut seen.iter()));
        }
    });
}

/// The location after the step.
fn line_place<'a>(seen: &mut impl Iterator<Item = &'a Event>) -> Location {
    seen.find(|event| event.kind() == EventKind::SingleStep).and_then(Event::location).unwrap()
}

fn check_details(seen: &[Event], compute: Location, stepped_to: Location) {
    assert_eq!(stepped_to.method, compute.method);
    assert!(stepped_to.index > compute.index);
    let written: Vec<_> = seen
        .iter()
        .filter_map(|event| match event {
            Event::FieldModification { value, object: Some(_), .. } => Some(*value),
            _ => None,
        })
        .collect();
    let expected: Vec<_> = (0..5).flat_map(|i| [Value::Int(i), Value::Int(-i)]).collect();
    assert_eq!(written, expected);
    let returned = seen.iter().find_map(|event| match event {
        Event::MethodExitWithReturnValue { location, value, .. } if location.method == compute.method => {
            Some(*value)
        }
        _ => None,
    });
    assert_eq!(returned, Some(Value::Int(42)));
    let caught: Vec<_> = seen
        .iter()
        .filter_map(|event| match event {
            Event::Exception { catch_location, .. } => Some(catch_location.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(caught, [true, false]);
    let waits: Vec<_> = seen
        .iter()
        .filter_map(|event| match event {
            Event::MonitorWait { timeout: 5, .. } => Some("wait"),
            Event::MonitorWaited { timed_out: true, .. } => Some("waited"),
            _ => None,
        })
        .collect();
    assert!(waits.starts_with(&["wait"]) && waits.contains(&"waited"), "{waits:?}");
    assert!(
        seen.iter().any(
            |event| matches!(event, Event::ClassUnload { signature, .. } if signature == "Lfixture/Swap;")
        )
    );
}

/// Each modifier selects some of the ten writes of `field`.
#[test]
fn every_modifier_selects_its_events() {
    run(async {
        for java in support::javas() {
            let mut vm = Vm::start(&java, "fixture.Happenings").await;
            let version = vm.call(virtual_machine::Version {}).await.jdwp_major;
            let class = vm.prepared("fixture.Happenings").await;
            let fields = vm.call(reference_type::Fields { ref_type: class }).await;
            let field = fields.iter().find(|field| field.name == "field").unwrap().field_id;
            let write = vm.place(class, "main", line(FILE, "write")).await;
            let watch = Modifier::FieldOnly { declaring: class, field };
            let first = vec![watch.clone(), Modifier::Count(1)];
            let first = vm.request(EventKind::FieldModification, SuspendPolicy::All, first).await;
            vm.resume().await;
            let set = vm.next().await;
            let [Event::FieldModification { request, thread, location, object: Some(one), .. }] =
                set.events[..]
            else {
                panic!("{set:?}")
            };
            assert_eq!((request, location.method), (first, write.method));

            // One write has happened and nine will follow, four of them to the object `one`.
            let narrowed = [
                (Modifier::ThreadOnly(thread), 9),
                (Modifier::ClassOnly(class), 9),
                (Modifier::ClassMatch("*.Happenings".to_owned()), 9),
                (Modifier::ClassExclude("fixture.*".to_owned()), 0),
                (Modifier::InstanceOnly(None), 0),
                (Modifier::InstanceOnly(Some(one.id)), 4),
                (Modifier::LocationOnly(location), 4),
                (Modifier::Count(3), 1),
                (Modifier::Conditional(1), 9),
            ];
            let mut asked = Vec::new();
            for (modifier, expected) in narrowed {
                let modifiers = vec![watch.clone(), modifier.clone()];
                let request = vm.request(EventKind::FieldModification, SuspendPolicy::None, modifiers).await;
                asked.push((modifier, request, expected));
            }
            let only = Modifier::ExceptionOnly { class: None, caught: false, uncaught: true };
            let fixture = Modifier::ClassMatch("fixture.*".to_owned());
            let request =
                vm.request(EventKind::Exception, SuspendPolicy::None, vec![only.clone(), fixture]).await;
            asked.push((only, request, 1));
            let source = Modifier::SourceNameMatch("Swap.java".to_owned());
            let request =
                vm.request(EventKind::ClassPrepare, SuspendPolicy::None, vec![source.clone()]).await;
            asked.push((source, request, 1));
            let platform = event_request::Set {
                event_kind: EventKind::ThreadStart,
                suspend_policy: SuspendPolicy::None,
                modifiers: vec![Modifier::PlatformThreadsOnly, Modifier::Count(1)],
            };
            if version >= 21 {
                let request = vm.call(platform).await;
                asked.push((Modifier::PlatformThreadsOnly, request, 1));
            } else {
                assert_eq!(vm.refused(platform).await, ErrorCode::ILLEGAL_ARGUMENT);
            }
            vm.resume().await;
            let mut seen = Vec::new();
            while let Some(set) = within(vm.events.next()).await.unwrap() {
                seen.extend(set.events);
            }
            for (modifier, request, expected) in asked {
                let count = seen.iter().filter(|event| event.request() == request).count();
                assert_eq!(count, expected, "{modifier:?}");
            }
        }
    });
}

/// An agent started with `mutf8=y` sends and accepts modified UTF-8.
#[test]
fn modified_utf8_works_in_both_directions() {
    run(async {
        for java in support::javas() {
            let options = Options { modified_utf8: true, ..Options::default() };
            let mut vm = Vm::start_with(&java, "fixture.Happenings", ",mutf8=y", options).await;
            let text = JavaString::from("nul \0 and \u{1F600}");
            let string_object = vm.call(virtual_machine::CreateString { utf: text.clone() }).await;
            assert_eq!(vm.call(string_reference::Value { string_object }).await, text);
        }
    });
}

/// When a virtual machine is killed, the pending call and the events end.
#[test]
fn killing_the_virtual_machine_ends_pending_calls() {
    run(async {
        let mut vm = Vm::start(&support::javas()[0], "fixture.Happenings").await;
        vm.child.start_kill().unwrap();
        let end = loop {
            if let Err(error) = within(vm.connection.send(virtual_machine::AllThreads {})).await {
                break error;
            }
        };
        assert!(end.is_fatal(), "{end}");
        let events = within(vm.events.next()).await;
        assert_eq!(events.is_ok(), end.is_clean_end(), "{events:?} {end:?}");
    });
}
