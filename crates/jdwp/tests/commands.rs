//! Tests every command against real virtual machines.

// A test fails by panicking; the lints' exemption does not reach helper functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::path::Path;

use jdwp::commands::*;
use jdwp::*;
use support::{Vm, line, run, within};

#[test]
fn every_command_of_the_table_does_what_it_says() {
    run(async {
        for java in support::javas() {
            let mut used = std::collections::BTreeSet::new();
            used.append(&mut tour(&java).await);
            used.append(&mut dispose(&java).await);
            let table: Vec<_> = COMMAND_SETS.iter().flat_map(|set| set.commands).collect();
            let missed: Vec<_> = table.iter().filter(|info| !used.contains(info.name)).collect();
            assert!(missed.is_empty(), "commands not tried: {missed:?}");
            assert_eq!(used.len(), table.len());
        }
    });
}

async fn dispose(java: &Path) -> std::collections::BTreeSet<&'static str> {
    let mut vm = Vm::start(java, "fixture.Happenings").await;
    vm.call(virtual_machine::Dispose {}).await;
    assert_eq!(within(vm.events.next()).await.unwrap(), None);
    let late = vm.connection.send(virtual_machine::Version {}).await;
    assert!(matches!(late, Err(Error::Closed(ClosedBy::Vm))), "{late:?}");
    assert!(within(vm.child.wait()).await.unwrap().success(), "the program goes on to its end");
    vm.used
}

/// Runs `Debuggee` once, from start to end.
async fn tour(java: &Path) -> std::collections::BTreeSet<&'static str> {
    let mut vm = Vm::start(java, "fixture.Debuggee").await;
    let version = whole_machine(&mut vm).await;
    let class = vm.prepared("fixture.Debuggee").await;
    let rename_line = line("Debuggee.java", "rename");
    let dog = vm.prepared("fixture.Debuggee$Dog").await;
    let inside = vm.place(dog, "rename", rename_line).await;
    let at_rename = vm.breakpoint(inside).await;
    vm.resume().await;
    let thread = stopped_at(&mut vm, at_rename, inside).await;

    types(&mut vm, class, dog).await;
    methods(&mut vm, class, dog, inside.method).await;
    objects(&mut vm, class, dog).await;
    arrays(&mut vm, class).await;
    threads(&mut vm, class, thread, version).await;
    frames(&mut vm, thread, inside).await;
    invocations(&mut vm, class, dog, thread).await;
    redefinition(&mut vm).await;
    control(&mut vm, class, thread).await;

    vm.call(virtual_machine::Exit { exit_code: 7 }).await;
    while within(vm.events.next()).await.unwrap().is_some() {}
    assert_eq!(within(vm.child.wait()).await.unwrap().code(), Some(7));
    vm.used
}

async fn stopped_at(vm: &mut Vm, expected: RequestId, place: Location) -> ThreadId {
    let set = vm.next().await;
    assert_eq!(set.policy, SuspendPolicy::All);
    match set.events[..] {
        [Event::Breakpoint { request, thread, location }] => {
            assert_eq!((request, location), (expected, place));
            thread
        }
        _ => panic!("{set:?}"),
    }
}

/// Tests `VirtualMachine` before any code has run. Returns the protocol's major version.
async fn whole_machine(vm: &mut Vm) -> i32 {
    let version = vm.call(virtual_machine::Version {}).await;
    assert!(version.jdwp_major >= 17, "{version:?}");
    assert!(version.vm_version.starts_with(&version.jdwp_major.to_string()), "{version:?}");
    let sizes = vm.call(virtual_machine::IDSizes {}).await;
    assert_eq!(sizes.sizes().unwrap(), vm.connection.id_sizes());

    let old = vm.call(virtual_machine::Capabilities {}).await;
    let new = vm.call(virtual_machine::CapabilitiesNew {}).await;
    assert!(old.can_watch_field_modification && old.can_get_bytecodes && old.can_get_monitor_info);
    assert_eq!(old.can_get_synthetic_attribute, new.can_get_synthetic_attribute);
    assert!(new.can_redefine_classes && new.can_pop_frames && new.can_force_early_return);
    assert!(new.can_get_instance_info && new.can_get_constant_pool && !new.can_add_method);

    let paths = vm.call(virtual_machine::ClassPaths {}).await;
    assert_eq!(paths.classpaths, [support::classes().to_str().unwrap()]);
    let classes = vm.call(virtual_machine::AllClasses {}).await;
    let generic = vm.call(virtual_machine::AllClassesWithGeneric {}).await;
    assert_eq!(classes.len(), generic.len());
    let list = generic.iter().find(|class| class.signature == "Ljava/util/List;").unwrap();
    assert_eq!(list.ref_type_tag, TypeTag::Interface);
    assert!(list.generic_signature.starts_with("<E:Ljava/lang/Object;>"), "{list:?}");
    let string = vm.class("Ljava/lang/String;").await;
    assert!(classes.iter().any(|class| class.type_id == string && class.signature == "Ljava/lang/String;"));

    let modules = vm.call(virtual_machine::AllModules {}).await;
    let module = vm.call(reference_type::Module { ref_type: string }).await;
    assert!(modules.contains(&module));
    assert_eq!(vm.call(module_reference::Name { module }).await, "java.base");
    assert_eq!(vm.call(module_reference::ClassLoader { module }).await, None);

    let groups = vm.call(virtual_machine::TopLevelThreadGroups {}).await;
    let [system] = groups[..] else { panic!("{groups:?}") };
    assert_eq!(vm.call(thread_group_reference::Name { group: system }).await, "system");
    assert_eq!(vm.call(thread_group_reference::Parent { group: system }).await, None);
    let inside = vm.call(thread_group_reference::Children { group: system }).await;
    let main = inside.child_groups[0];
    assert_eq!(vm.call(thread_group_reference::Name { group: main }).await, "main");
    assert_eq!(vm.call(thread_group_reference::Parent { group: main }).await, Some(system));
    let threads = vm.call(virtual_machine::AllThreads {}).await;
    assert!(inside.child_threads.iter().all(|thread| threads.contains(thread)));

    vm.call(virtual_machine::SetDefaultStratum { stratum_id: String::new() }).await;
    vm.call(virtual_machine::Suspend {}).await;
    vm.call(virtual_machine::Resume {}).await;
    vm.call(virtual_machine::HoldEvents {}).await;
    vm.call(virtual_machine::ReleaseEvents {}).await;
    version.jdwp_major
}

/// Tests `ReferenceType`, `ClassType.Superclass`, `ClassLoaderReference` and `ClassObjectReference`.
async fn types(vm: &mut Vm, class: ReferenceTypeId, dog: ReferenceTypeId) {
    assert_eq!(vm.call(reference_type::Signature { ref_type: dog }).await, "Lfixture/Debuggee$Dog;");
    let both = vm.call(reference_type::SignatureWithGeneric { ref_type: dog }).await;
    assert_eq!((both.signature.as_str(), both.generic_signature.as_str()), ("Lfixture/Debuggee$Dog;", ""));
    assert_eq!(vm.call(reference_type::SourceFile { ref_type: dog }).await, "Debuggee.java");
    assert_eq!(
        vm.refused(reference_type::SourceDebugExtension { ref_type: dog }).await,
        ErrorCode::ABSENT_INFORMATION
    );
    let modifiers = vm.call(reference_type::Modifiers { ref_type: class }).await;
    assert_eq!(modifiers & 1, 1, "public");
    let status = vm.call(reference_type::Status { ref_type: dog }).await;
    assert!(status.contains(ClassStatus::PREPARED | ClassStatus::INITIALIZED));

    let fields = vm.call(reference_type::Fields { ref_type: class }).await;
    let generic = vm.call(reference_type::FieldsWithGeneric { ref_type: dog }).await;
    assert!(fields.iter().any(|field| field.name == "big" && field.signature == "J"));
    assert_eq!(generic[0].generic_signature, "Ljava/util/List<Ljava/lang/String;>;");
    let methods = vm.call(reference_type::MethodsWithGeneric { ref_type: dog }).await;
    assert!(
        methods.iter().any(|method| method.name == "rename" && method.signature == "(Ljava/lang/String;I)I")
    );

    let animal = vm.call(class_type::Superclass { clazz: dog }).await.unwrap();
    let object = vm.call(class_type::Superclass { clazz: animal }).await.unwrap();
    assert_eq!(vm.call(class_type::Superclass { clazz: object }).await, None);
    let shape = vm.class("Lfixture/Debuggee$Shape;").await;
    assert_eq!(vm.call(reference_type::Interfaces { ref_type: animal }).await, [shape]);
    let nested = vm.call(reference_type::NestedTypes { ref_type: class }).await;
    assert!(nested.iter().any(|info| info.type_id == dog && info.ref_type_tag == TypeTag::Class));

    let loader = vm.call(reference_type::ClassLoader { ref_type: class }).await;
    assert_eq!(vm.call(reference_type::ClassLoader { ref_type: object }).await, None);
    let visible = vm.call(class_loader_reference::VisibleClasses { class_loader_object: loader }).await;
    assert!(visible.iter().any(|info| info.type_id == dog));
    let class_object = vm.call(reference_type::ClassObject { ref_type: dog }).await;
    let reflected = vm.call(class_object_reference::ReflectedType { class_object }).await;
    assert_eq!(reflected, reference_type::TypeInfo { ref_type_tag: TypeTag::Class, type_id: dog });

    let version = vm.call(reference_type::ClassFileVersion { ref_type: dog }).await;
    assert_eq!((version.major_version, version.minor_version), (61, 0));
    let pool = vm.call(reference_type::ConstantPool { ref_type: dog }).await;
    assert!(pool.count > 10 && pool.bytes.windows(6).any(|bytes| bytes == b"rename"));

    let names = ["flag", "small", "letter", "shorter", "count", "big", "single", "twice"];
    let wanted: Vec<_> =
        names.iter().map(|name| fields.iter().find(|field| field.name == *name).unwrap().field_id).collect();
    let values = vm.call(reference_type::GetValues { ref_type: class, fields: wanted.clone() }).await;
    let expected = [
        Value::Boolean(true),
        Value::Byte(-7),
        Value::Char(u16::from(b'q')),
        Value::Short(-300),
        Value::Int(40),
        Value::Long(1 << 40),
        Value::Float(1.5),
        Value::Double(-2.25),
    ];
    assert_eq!(values, expected);
    let changed = [Value::Boolean(false), Value::Byte(1), Value::Char(2), Value::Short(3), Value::Int(40)];
    let new = wanted
        .iter()
        .zip(changed)
        .map(|(field, value)| class_type::FieldValue { field: *field, value: value.into() });
    vm.call(class_type::SetValues { clazz: class, values: new.collect() }).await;
    let values = vm.call(reference_type::GetValues { ref_type: class, fields: wanted[..5].to_vec() }).await;
    assert_eq!(values, changed);
}

/// Tests `Method`.
async fn methods(vm: &mut Vm, class: ReferenceTypeId, dog: ReferenceTypeId, rename: MethodId) {
    let lines = vm.call(method::LineTable { ref_type: dog, method: rename }).await;
    assert!(lines.start == 0 && lines.end > 10 && lines.lines.len() >= 6, "{lines:?}");
    let plain = vm.call(method::VariableTable { ref_type: dog, method: rename }).await;
    let generic = vm.call(method::VariableTableWithGeneric { ref_type: dog, method: rename }).await;
    assert_eq!((plain.arg_cnt, plain.slots.len()), (3, generic.slots.len()));
    let total = plain.slots.iter().find(|slot| slot.name == "total").unwrap();
    assert_eq!((total.signature.as_str(), total.slot), ("J", 4));
    let answer = vm.method(class, "answer").await;
    let code = vm.call(method::Bytecodes { ref_type: class, method: answer }).await;
    assert_eq!(code, [0x10, 42, 0xAC], "bipush 42, ireturn");
    assert!(!vm.call(method::IsObsolete { ref_type: class, method: answer }).await);
}

async fn static_field(vm: &mut Vm, class: ReferenceTypeId, name: &str) -> Value {
    let fields = vm.call(reference_type::Fields { ref_type: class }).await;
    let field = fields.iter().find(|field| field.name == name).unwrap().field_id;
    vm.call(reference_type::GetValues { ref_type: class, fields: vec![field] }).await[0]
}

async fn static_object(vm: &mut Vm, class: ReferenceTypeId, name: &str) -> ObjectId {
    static_field(vm, class, name).await.object().unwrap()
}

/// Tests `ObjectReference`, `StringReference` and the commands of `VirtualMachine` about objects.
async fn objects(vm: &mut Vm, class: ReferenceTypeId, dog: ReferenceTypeId) {
    let rex = static_object(vm, class, "dog").await;
    let kind = vm.call(object_reference::ReferenceType { object: rex }).await;
    assert_eq!(kind, reference_type::TypeInfo { ref_type_tag: TypeTag::Class, type_id: dog });
    let animal = vm.class("Lfixture/Debuggee$Animal;").await;
    let fields = vm.call(reference_type::Fields { ref_type: animal }).await;
    let field = |name: &str| fields.iter().find(|field| field.name == name).unwrap().field_id;
    let (name, legs) = (field("name"), field("legs"));
    let values = vm.call(object_reference::GetValues { object: rex, fields: vec![legs, name] }).await;
    let [Value::Int(4), Value::Object { tag: Tag::String, id: Some(text) }] = values[..] else {
        panic!("{values:?}")
    };
    let value = vm.call(string_reference::Value { string_object: StringId::of(text) }).await;
    assert_eq!(value.as_str(), "Rex");

    let bella = vm.call(virtual_machine::CreateString { utf: "Bella\0\u{1F436}".into() }).await;
    vm.call(object_reference::DisableCollection { object: bella.into() }).await;
    let new = Value::Object { tag: Tag::String, id: Some(bella.into()) };
    let values = vec![
        class_type::FieldValue { field: name, value: new.into() },
        class_type::FieldValue { field: legs, value: Value::Int(3).into() },
    ];
    vm.call(object_reference::SetValues { object: rex, values }).await;
    let values = vm.call(object_reference::GetValues { object: rex, fields: vec![legs, name] }).await;
    assert_eq!(values, [Value::Int(3), new]);
    vm.call(object_reference::EnableCollection { object: bella.into() }).await;
    assert!(!vm.call(object_reference::IsCollected { object: bella.into() }).await);
    let value = vm.call(string_reference::Value { string_object: bella }).await;
    assert_eq!(value.as_str(), "Bella\0\u{1F436}");

    let odd = StringId::of(static_object(vm, class, "text").await);
    let odd = vm.call(string_reference::Value { string_object: odd }).await;
    assert_eq!(odd.as_str(), "caf\u{e9} \u{1F600} \u{FFFD} end");
    assert!(odd.utf16().contains(&0xD800));
    let copy = vm.call(virtual_machine::CreateString { utf: odd.clone() }).await;
    assert_eq!(vm.call(string_reference::Value { string_object: copy }).await, odd);

    assert_eq!(vm.call(virtual_machine::InstanceCounts { ref_types: vec![dog, animal] }).await, [1, 0]);
    let instances = vm.call(reference_type::Instances { ref_type: dog, max_instances: 0 }).await;
    assert_eq!(instances, [TaggedObject { tag: Tag::Object, id: rex }]);
    let referrers = vm.call(object_reference::ReferringObjects { object: rex, max_referrers: 10 }).await;
    assert!(referrers.iter().any(|object| object.tag == Tag::ClassObject), "{referrers:?}");

    let requests = vec![virtual_machine::DisposeObject { object: copy.into(), ref_cnt: 1 }];
    vm.call(virtual_machine::DisposeObjects { requests }).await;
    let gone = vm.refused(string_reference::Value { string_object: copy }).await;
    assert!([ErrorCode::INVALID_OBJECT, ErrorCode::INVALID_STRING].contains(&gone), "{gone}");
}

/// Tests `ArrayReference` and `ArrayType`.
async fn arrays(vm: &mut Vm, class: ReferenceTypeId) {
    let numbers = ArrayId::of(static_object(vm, class, "numbers").await);
    assert_eq!(vm.call(array_reference::Length { array_object: numbers }).await, 4);
    let values = vec![Value::Int(-1).into(), Value::Int(-2).into()];
    vm.call(array_reference::SetValues { array_object: numbers, first_index: 1, values }).await;
    let all = array_reference::GetValues { array_object: numbers, first_index: 0, length: 4 };
    assert_eq!(vm.call(all).await, ArrayRegion::Int(vec![1, -1, -2, 4]));
    let beyond = array_reference::GetValues { array_object: numbers, first_index: 3, length: 2 };
    assert_eq!(vm.refused(beyond).await, ErrorCode::INVALID_LENGTH);

    let things = ArrayId::of(static_object(vm, class, "things").await);
    let all = array_reference::GetValues { array_object: things, first_index: 0, length: 3 };
    let region = vm.call(all).await;
    let tags: Vec<_> = region.iter().map(|value| (value.tag(), value.object().is_some())).collect();
    assert_eq!(tags, [(Tag::String, true), (Tag::Object, false), (Tag::Array, true)]);

    let arr_type = vm.class("[I").await;
    let made = vm.call(array_type::NewInstance { arr_type, length: 3 }).await;
    assert_eq!(made.tag, Tag::Array);
    assert_eq!(vm.call(array_reference::Length { array_object: ArrayId::of(made.id) }).await, 3);
}

/// Tests the commands of `ThreadReference` that leave the thread where it is, and monitors.
async fn threads(vm: &mut Vm, class: ReferenceTypeId, thread: ThreadId, version: i32) {
    assert_eq!(vm.call(thread_reference::Name { thread }).await, "main");
    let group = vm.call(thread_reference::ThreadGroup { thread }).await.unwrap();
    assert_eq!(vm.call(thread_group_reference::Name { group }).await, "main");
    let status = vm.call(thread_reference::Status { thread }).await;
    assert_eq!(status.thread_status, ThreadStatus::Running);
    assert_eq!(status.suspend_status, SuspendStatus::SUSPENDED);
    assert_eq!(vm.call(thread_reference::SuspendCount { thread }).await, 1);
    vm.call(thread_reference::Suspend { thread }).await;
    assert_eq!(vm.call(thread_reference::SuspendCount { thread }).await, 2);
    vm.call(thread_reference::Resume { thread }).await;
    assert_eq!(vm.call(thread_reference::FrameCount { thread }).await, 2);
    match vm.connection.send(thread_reference::IsVirtual { thread }).await {
        Ok(is_virtual) => assert!(version >= 21 && !is_virtual),
        Err(error) => assert!(version < 21 && error.code() == Some(ErrorCode::NOT_IMPLEMENTED), "{error}"),
    }
    vm.used.insert(thread_reference::IsVirtual::NAME);

    let lock = static_object(vm, class, "LOCK").await;
    let contender = ThreadId::of(static_object(vm, class, "contender").await);
    let monitor = TaggedObject { tag: Tag::Object, id: lock };
    assert_eq!(vm.call(thread_reference::OwnedMonitors { thread }).await, [monitor]);
    let owned = vm.call(thread_reference::OwnedMonitorsStackDepthInfo { thread }).await;
    assert_eq!(owned, [thread_reference::OwnedMonitor { monitor, stack_depth: 1 }]);
    let waits = vm.call(thread_reference::CurrentContendedMonitor { thread: contender }).await;
    assert_eq!(waits, Some(monitor));
    let waits = vm.call(thread_reference::CurrentContendedMonitor { thread }).await;
    assert_eq!(waits, None);
    let info = vm.call(object_reference::MonitorInfo { object: lock }).await;
    assert_eq!((info.owner, info.entry_count, info.waiters), (Some(thread), 1, vec![contender]));
    let status = vm.call(thread_reference::Status { thread: contender }).await;
    assert_eq!(status.thread_status, ThreadStatus::Monitor);
}

/// Tests `StackFrame`. The thread ends where it began: its frame is popped and the method called again.
async fn frames(vm: &mut Vm, thread: ThreadId, inside: Location) {
    let all = vm.call(thread_reference::Frames { thread, start_frame: 0, length: -1 }).await;
    assert_eq!((all.len(), all[0].location), (2, inside));
    let frame = all[0].frame_id;
    let slot = |slot, sigbyte| stack_frame::Slot { slot, sigbyte };
    let slots = vec![slot(0, Tag::Object), slot(1, Tag::Object), slot(2, Tag::Int), slot(4, Tag::Long)];
    let values = vm.call(stack_frame::GetValues { thread, frame, slots }).await;
    let this = vm.call(stack_frame::ThisObject { thread, frame }).await;
    assert_eq!(values[0].object(), this.map(|object| object.id));
    assert_eq!((values[1].tag(), values[2], values[3]), (Tag::String, Value::Int(3), Value::Long(3)));
    let caller = all[1].frame_id;
    assert_eq!(vm.call(stack_frame::ThisObject { thread, frame: caller }).await, None);
    let slot_values = vec![stack_frame::SlotValue { slot: 4, value: Value::Long(1000) }];
    vm.call(stack_frame::SetValues { thread, frame, slot_values }).await;
    let changed = stack_frame::GetValues { thread, frame, slots: vec![slot(4, Tag::Long)] };
    assert_eq!(vm.call(changed).await, [Value::Long(1000)]);
    let wrong = stack_frame::GetValues { thread, frame, slots: vec![slot(4, Tag::Int)] };
    assert_eq!(vm.refused(wrong).await, ErrorCode::TYPE_MISMATCH);

    vm.call(stack_frame::PopFrames { thread, frame }).await;
    assert_eq!(vm.call(thread_reference::FrameCount { thread }).await, 1);
    vm.resume().await;
    let set = vm.next().await;
    assert_eq!(set.events.first().and_then(Event::location), Some(inside));
    assert_eq!(vm.refused(stack_frame::ThisObject { thread, frame }).await, ErrorCode::INVALID_FRAMEID);
}

/// Tests the four commands that run code of the program.
async fn invocations(vm: &mut Vm, class: ReferenceTypeId, dog: ReferenceTypeId, thread: ThreadId) {
    let options = InvokeOptions::SINGLE_THREADED;
    let method = vm.method(class, "sum").await;
    let arguments = vec![Value::Int(40), Value::Long(2)];
    let sum = class_type::InvokeMethod { clazz: class, thread, method, arguments, options };
    let reply = vm.call(sum).await;
    assert_eq!((reply.return_value, reply.exception), (Value::Int(42), None));
    let method = vm.method(class, "fail").await;
    let fail = class_type::InvokeMethod { clazz: class, thread, method, arguments: vec![], options };
    let thrown = vm.call(fail).await.exception.unwrap();
    let kind = vm.call(object_reference::ReferenceType { object: thrown.id }).await;
    let kind = vm.call(reference_type::Signature { ref_type: kind.type_id }).await;
    assert_eq!(kind, "Ljava/lang/IllegalArgumentException;");

    let name = vm.call(virtual_machine::CreateString { utf: "Ada".into() }).await;
    let name = Value::Object { tag: Tag::String, id: Some(name.into()) };
    let method = vm.method(dog, "<init>").await;
    let arguments = vec![name, Value::Int(6)];
    let made = vm.call(class_type::NewInstance { clazz: dog, thread, method, arguments, options }).await;
    let ada = made.new_object.unwrap().id;
    let method = vm.method(dog, "area").await;
    let area = object_reference::InvokeMethod {
        object: ada,
        thread,
        clazz: dog,
        method,
        arguments: vec![],
        options,
    };
    assert_eq!(vm.call(area).await.return_value, Value::Double(3.0));

    let shape = vm.class("Lfixture/Debuggee$Shape;").await;
    let method = vm.method(shape, "sides").await;
    let arguments = vec![Value::Int(4)];
    let sides = interface_type::InvokeMethod { clazz: shape, thread, method, arguments, options };
    assert_eq!(vm.call(sides).await.return_value, Value::Int(8));
}

/// Tests `VirtualMachine.RedefineClasses`.
async fn redefinition(vm: &mut Vm) {
    let ref_type = vm.class("Lfixture/Swap;").await;
    let before = vm.method(ref_type, "value").await;
    let class = virtual_machine::ClassDef { ref_type, classfile: support::swapped() };
    vm.call(virtual_machine::RedefineClasses { classes: vec![class] }).await;
    let method = vm.method(ref_type, "value").await;
    let code = vm.call(method::Bytecodes { ref_type, method }).await;
    assert_eq!(code, [0x05, 0xAC], "iconst_2, ireturn");
    assert!(!vm.call(method::IsObsolete { ref_type, method }).await);
    assert_ne!(before.raw(), 0);
    let class = virtual_machine::ClassDef { ref_type, classfile: vec![0; 16] };
    let refused = vm.refused(virtual_machine::RedefineClasses { classes: vec![class] }).await;
    assert_eq!(refused, ErrorCode::INVALID_CLASS_FORMAT);
}

/// Tests the commands that change a thread's execution: early return, exception, interrupt.
async fn control(vm: &mut Vm, class: ReferenceTypeId, thread: ThreadId) {
    vm.call(event_request::ClearAllBreakpoints {}).await;
    let answer = vm.place(class, "answer", line("Debuggee.java", "answer")).await;
    let poke = vm.place(class, "poke", line("Debuggee.java", "poke")).await;
    let end = vm.place(class, "done", line("Debuggee.java", "end")).await;
    let at_answer = vm.breakpoint(answer).await;
    let at_poke = vm.breakpoint(poke).await;
    let at_end = vm.breakpoint(end).await;

    vm.resume().await;
    stopped_at(vm, at_answer, answer).await;
    vm.call(thread_reference::ForceEarlyReturn { thread, value: Value::Int(99) }).await;
    vm.call(event_request::Clear { event_kind: EventKind::Breakpoint, request_id: at_answer }).await;
    vm.resume().await;

    stopped_at(vm, at_poke, poke).await;
    let throwable = static_object(vm, class, "ready").await;
    vm.call(thread_reference::Stop { thread, throwable }).await;
    vm.resume().await;

    stopped_at(vm, at_poke, poke).await;
    vm.call(thread_reference::Interrupt { thread }).await;
    vm.resume().await;

    stopped_at(vm, at_end, end).await;
    assert_eq!(static_field(vm, class, "answered").await, Value::Int(99));
    assert_eq!(static_field(vm, class, "stopped").await, Value::Boolean(true));
    assert_eq!(static_field(vm, class, "interrupted").await, Value::Boolean(true));
}

/// The values of the top frame are correct at every stop, whether or not its id was guessed correctly.
#[test]
fn top_frames_are_read_at_each_stop() {
    run(async {
        for java in support::javas() {
            let mut vm = Vm::start(&java, "fixture.Happenings").await;
            let class = vm.prepared("fixture.Happenings").await;
            let write = vm.place(class, "main", line("Happenings.java", "write")).await;
            let variables = vm.call(method::VariableTable { ref_type: class, method: write.method }).await;
            let index = variables.slots.iter().find(|slot| slot.name == "i").unwrap().slot;
            let request = vm.breakpoint(write).await;
            let mut frames = TopFrames::default();
            for expected in 0..5 {
                vm.resume().await;
                let thread = stopped_at(&mut vm, request, write).await;
                for _again in 0..2 {
                    let slots = vec![stack_frame::Slot { slot: index, sigbyte: Tag::Int }];
                    let (frame, values) = within(frames.values(&vm.connection, thread, slots)).await.unwrap();
                    assert_eq!((frame.location, values), (write, vec![Value::Int(expected)]));
                }
            }
        }
    });
}
