//! Causes of exceptions, handlers for uncaught exceptions, and objects that no constructor made.

use super::fixture::Fixture;

#[test]
fn exceptions_uncaught_handlers_and_deserialised_objects_say_why() {
    let points = r#"
        (id: "A", at: Exception("java.lang.IllegalStateException")),
        (id: "S", at: Line("Wrapped", {S}), expect: (located: false)),
        (id: "E", at: Line("Wrapped", {E})),
        (id: "C", at: LastChange("E:item.cache"), expect: (located: false)),
        (id: "L", at: LastChange("E:Wrapped.Late.used"), expect: (located: false)),
    "#;
    let fixture = Fixture::new("wrapped", "Wrapped");
    for asked in fixture.ask(points) {
        asked.at("A", "A");
        let exception = &asked.point("A")["exception"];
        let causes: Vec<_> = exception["causes"].as_array().expect("causes").iter().collect();
        assert_eq!(causes.len(), 2, "{exception:#}");
        assert_eq!(causes[0]["class"], "java.lang.reflect.InvocationTargetException");
        assert_eq!((&causes[1]["class"], &causes[1]["message"]), (&"Wrapped$Busy".into(), &"no line".into()));
        let contents = asked.point("A")["contents"]["IllegalStateException@1"].as_str().expect("a text");
        let (first, second) = (&causes[0]["object"], &causes[1]["object"]);
        let [first, second] = [first, second].map(|object| object.as_str().expect("a name"));
        assert_eq!(contents, format!("\"outer\" caused by {first} caused by {second} \"no line\""));
        asked.missing("S", "NullPointerException");
        asked.missing("S", &format!("came before it on line {}", fixture.line("N")));
        asked.missing("C", "deserialisation (readObject in Wrapped.copy)");
        asked.missing("C", "cache is transient");
        asked.missing("L", "class Wrapped$Late was not loaded before E");
    }
    let points = r#"
        (id: "E", at: Line("Wrapped", {E})),
        (id: "P", at: LastChange("E:item.price"), expect: (located: false)),
    "#;
    for asked in fixture.ask_jdwp(points) {
        asked.missing("P", "makes objects without one, and sets the fields that the stream has");
    }
}
