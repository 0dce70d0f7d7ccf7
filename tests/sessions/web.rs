//! A page that talks to `qp serve`, and what its views show.

use crate::support::case::Case;
use crate::support::{finish, processes_with, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum time for an answer.
const LIMIT: Duration = Duration::from_secs(100);

/// A response.
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// A server, and the page that was opened with its address.
pub struct Page {
    pub child: Child,
    /// Its host and port.
    pub host: String,
    /// The token of the printed address.
    pub token: String,
    pub cookie: String,
}

impl Page {
    /// Starts `qp serve` in the case's working folder, and opens its page.
    pub fn start(case: &Case, arguments: &[&str]) -> Page {
        let mut command = case.qp();
        command.arg("serve").args(arguments);
        Page::of(&mut command)
    }

    /// Starts a server, and opens its page.
    pub fn of(command: &mut Command) -> Page {
        let mut page = Page::unopened(command);
        let opened = page.raw("GET", &format!("/?token={}", page.token), &[], "");
        assert_eq!(opened.status, 303, "{}", opened.body);
        assert_eq!(opened.header("location"), Some("/"));
        let set = opened.header("set-cookie").expect("a cookie");
        assert!(set.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{set}");
        page.cookie = set.split(';').next().expect("its value").to_owned();
        page
    }

    /// Starts a server. Nobody has opened its page yet.
    pub fn unopened(command: &mut Command) -> Page {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("qp starts");
        let mut printed = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = loop {
            let Some(Ok(line)) = printed.next() else {
                let mut said = String::new();
                child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
                panic!("the server ended: {said}");
            };
            if let Some(address) = line.trim().strip_prefix("http://") {
                break address.to_owned();
            }
        };
        let (host, token) = address.split_once("/?token=").expect("an address with a token");
        assert_eq!(token.len(), 64, "{token}");
        Page { child, host: host.to_owned(), token: token.to_owned(), cookie: String::new() }
    }

    /// Sends a request as it is, with the right host unless another one is given.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time limit");
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            request.push_str(&format!("Host: {}\r\n", self.host));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        // A server that refuses need not read the body.
        drop(stream.write_all(format!("{request}\r\n{body}").as_bytes()));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8(answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer}"));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let pair =
            |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
        Response { status, headers: lines.filter_map(pair).collect(), body: body.to_owned() }
    }

    /// A request that only reads.
    pub fn asked(&self, request: &str) -> Response {
        self.raw("GET", &format!("/api/{request}"), &[("Cookie", &self.cookie)], "")
    }

    /// The reply to a request that only reads.
    pub fn get(&self, request: &str) -> Value {
        let response = self.asked(request);
        assert_eq!(response.status, 200, "{request}: {}", response.body);
        response.json()
    }

    /// A request that acts.
    pub fn sent(&self, request: &str, body: &Value) -> Response {
        let origin = format!("http://{}", self.host);
        let headers = [("Cookie", &*self.cookie), ("Origin", &origin), ("Content-Type", "application/json")];
        self.raw("POST", &format!("/api/{request}"), &headers, &body.to_string())
    }

    /// The reply to a request that acts.
    pub fn post(&self, request: &str, body: &Value) -> Value {
        let response = self.sent(request, body);
        assert_eq!(response.status, 200, "{request} {body}: {}", response.body);
        response.json()
    }

    /// Waits until a reply is as wanted.
    pub fn until(&self, request: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + LIMIT;
        loop {
            let reply = self.get(request);
            if is_wanted(&reply) {
                return reply;
            }
            assert!(Instant::now() < end, "{request}: {reply}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The events that the server tells, one after another: name and data.
    pub fn stream(&self) -> impl Iterator<Item = (String, Value)> + use<> {
        let mut stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a time limit");
        let request =
            format!("GET /api/stream HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.host, self.cookie);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        std::iter::from_fn(move || {
            let name = lines.find_map(|line| line.strip_prefix("event: ").map(str::to_owned))?;
            let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned))?;
            Some((name, serde_json::from_str(&data).expect("JSON")))
        })
    }

    /// Asks the server to end, and waits for that. Returns its exit code.
    pub fn end(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
        let end = Instant::now() + LIMIT;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server does not end");
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // It may have ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The outermost call of a method in the first thread.
pub fn outermost(page: &Page, method: &str) -> Value {
    let calls = page.get("tree?thread=1&limit=100");
    let is_it = |row: &&Value| row["call"]["method"] == json!(method);
    let row = rows(&calls).iter().find(is_it).unwrap_or_else(|| panic!("no {method}: {calls}"));
    row["call"]["node"].clone()
}

/// Ends a server, and checks that nothing of it is left: no process, and no file besides these.
pub fn ends_without_a_trace(page: Page, case: &Case, before: &BTreeSet<PathBuf>) {
    assert_eq!(page.end(), Some(0));
    let end = Instant::now() + LIMIT;
    while !processes_with(&case.name()).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(processes_with(&case.name()), []);
    assert_eq!(case.files(), *before);
}

/// A recording of a program at level `all`.
pub fn recorded(case: &Case, class: &str) {
    let mut command = case.qp();
    command.args([
        "trace",
        "record",
        "--level",
        "all",
        "-o",
        "all.trace",
        "--",
        "java",
        "-ea",
        "-cp",
        "classes",
        class,
    ]);
    let output = finish(&mut command);
    assert!(output.status.success(), "{}", said(&output));
}

/// The rows of a reply.
pub fn rows(reply: &Value) -> &[Value] {
    reply["rows"].as_array().map(Vec::as_slice).unwrap_or_else(|| panic!("no rows: {reply}"))
}

/// A `selection` as a query.
pub fn query_of(selection: &Value) -> String {
    let event = selection["event"].as_u64().map(|event| format!("&event={event}"));
    format!("call={}{}", selection["call"], event.unwrap_or_default())
}

#[test]
fn who_has_not_opened_the_address_gets_nothing() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let mut command = case.qp();
    let mut page = Page::unopened(command.args(["serve", "all.trace"]));
    let cookie_less = |path: &str| page.raw("GET", path, &[], "").status;
    assert_eq!(["/", "/app.js", "/api/session", "/api/stream", "/?token=abc"].map(cookie_less), [401; 5]);
    let path = format!("/?token={}&call=3", page.token);
    let opened = page.raw("GET", &path, &[], "");
    assert_eq!((opened.status, opened.header("location")), (303, Some("/?call=3")));
    let again = page.raw("GET", &path, &[], "");
    assert_eq!(again.status, 401, "the token works once");
    assert!(again.body.contains("works once"), "{}", again.body);
    page.cookie = opened.header("set-cookie").expect("a cookie").split(';').next().expect("it").to_owned();
    let known = page.raw("GET", &path, &[("Cookie", &page.cookie)], "");
    assert_eq!(known.status, 303, "who has the cookie may open the address again");
    let (most, last) = page.cookie.split_at(page.cookie.len() - 1);
    let wrong = format!("{most}{}", if last == "0" { "1" } else { "0" });
    assert_eq!(page.raw("GET", "/api/session", &[("Cookie", &wrong)], "").status, 401);
    assert_eq!(page.get("session")["recordings"][0]["calls"], json!(7));
    assert_eq!(page.end(), Some(0));
}

/// A name of an attacker that resolves to 127.0.0.1, and a page of another site.
#[test]
fn other_sites_get_nothing() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let cookie = ("Cookie", page.cookie.as_str());
    for host in ["example.org", "localhost", "127.0.0.1", "[::1]:80"] {
        let refused = page.raw("GET", "/api/session", &[("Host", host), cookie], "");
        assert_eq!(refused.status, 403, "{host}");
        assert!(refused.body.contains("127.0.0.1"), "{}", refused.body);
    }
    let own = format!("http://{}", page.host);
    let json = ("Content-Type", "application/json");
    let body = r#"{"start":{}}"#;
    let post = |headers: &[(&str, &str)]| page.raw("POST", "/api/diagnosis", headers, body).status;
    assert_eq!(post(&[cookie, json, ("Origin", "http://example.org")]), 403);
    assert_eq!(post(&[cookie, json, ("Origin", "null")]), 403);
    assert_eq!(post(&[cookie, json]), 403);
    assert_eq!(post(&[cookie, ("Content-Type", "text/plain"), ("Origin", &own)]), 415);
    assert_eq!(post(&[cookie, ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", &own)]), 415);
    assert_eq!(post(&[json, ("Origin", &own)]), 401);
    let preflight = [cookie, ("Origin", "http://example.org"), ("Access-Control-Request-Method", "POST")];
    let preflight = page.raw("OPTIONS", "/api/diagnosis", &preflight, "");
    assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (403, None));
    let read = page.raw("GET", "/api/session", &[cookie, ("Origin", "http://example.org")], "");
    assert_eq!((read.status, read.header("access-control-allow-origin")), (403, None));
    // A page at another port is of the same site: its requests have the cookie.
    for site in ["same-site", "cross-site"] {
        let read = page.raw("GET", "/api/session", &[cookie, ("Sec-Fetch-Site", site)], "");
        assert_eq!(read.status, 403, "{site}");
    }
    assert_eq!(page.get("diagnosis")["state"], json!("none"), "nothing was begun");
    assert_eq!(page.post("diagnosis", &json!({ "start": {} }))["state"], json!("asking"));
}

#[test]
fn the_page_may_run_only_its_own_code() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let load = || page.raw("GET", "/", &[("Cookie", &page.cookie)], "");
    let (first, second) = (load(), load());
    let policy = first.header("content-security-policy").expect("a policy").to_owned();
    let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(first.body.contains(nonce) && !second.body.contains(nonce), "each load has its own nonce");
    assert!(!first.body.contains("__NONCE__") && !first.body.contains("<style"), "{}", first.body);
    let scripts = first.body.matches("<script").count();
    assert_eq!(
        scripts,
        first.body.matches("<script type=\"module\" src=\"/app.js\"").count(),
        "{}",
        first.body
    );
    for path in ["/", "/app.js", "/app.css", "/favicon.svg", "/LICENSES.txt", "/api/session", "/none"] {
        let response = page.raw("GET", path, &[("Cookie", &page.cookie)], "");
        assert_eq!(response.status, if path == "/none" { 404 } else { 200 }, "{path}");
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(response.header(name), Some(value), "{path}");
        }
        assert!(response.header("content-security-policy").is_some(), "{path}");
    }
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let case = Case::of_example("mergesort");
    std::fs::write(case.work().join("bad.ron"), "(format: 1").expect("written");
    std::fs::create_dir(case.work().join("empty")).expect("a folder");
    case.run(&["serve", "nowhere"]).fails(2, &["there is no nowhere", "qp trace record"]);
    case.run(&["serve", "empty"]).fails(2, &["no recording in empty", "qp trace record"]);
    case.run(&["serve", "bad.ron"]).fails(2, &["bad.ron:1"]);
    case.run(&["serve"]).fails(2, &["<FOLDER|CHAIN>"]);
    case.run(&["diagnose", "--port", "1", "x"]).fails(2, &["--web"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("bound").port().to_string();
    case.run(&["serve", "--port", &port, "--", "java", "-version"]).fails(4, &["cannot be served", "--port"]);
}

#[test]
fn requests_that_do_not_fit_are_refused_with_a_reason() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let asked = |request: &str| {
        let response = page.asked(request);
        (response.status, response.json()["error"].as_str().unwrap_or_default().to_owned())
    };
    for (request, status, why) in [
        ("nothing", 404, "there is no request"),
        ("tree?call=x", 400, "arguments of `tree`"),
        ("tree", 422, "either `call` or `thread`"),
        ("tree?call=0&group=x", 422, "no `group`"),
        ("tree?call=99", 422, "no call 99"),
        ("events?call=99", 422, "no call 99"),
        ("event?call=1&event=9999", 422, "fewer than 9999 events"),
        ("event?call=1&place=1-2", 422, "no event at"),
        ("event?call=1&place=../etc", 422, "no event at"),
        ("node?call=1&event=9999", 422, "fewer"),
        ("history?call=1&variable=nobody", 422, "nobody"),
        ("execution?call=1&class=MergeSort&line=10&which=some", 422, "previous, next, first, last"),
        ("session?trace=7&x", 200, ""),
        ("tree?trace=7&call=0", 422, "no recording 7"),
    ] {
        let (found, said) = asked(request);
        assert!(found == status && said.contains(why), "{request}: {found} {said}");
    }
    for (request, body, status) in [
        ("diagnosis", json!({ "command": ["java"] }), 400),
        ("diagnosis", json!({ "question": 1, "answer": "valid" }), 422),
        ("chain", json!({ "run": true }), 422),
        ("chain", json!({ "command": "rm" }), 400),
        ("omissions", json!({ "call": 1, "what": "" }), 422),
        ("omissions/try", json!({ "number": 1 }), 422),
        ("why", json!({ "call": 1, "variable": "nobody" }), 422),
        ("session", json!({}), 404),
        ("tree", json!({ "call": 1 }), 404),
    ] {
        let response = page.sent(request, &body);
        assert_eq!(response.status, status, "{request} {body}: {}", response.body);
        assert!(response.json()["error"].is_string(), "{request}: {}", response.body);
    }
    let large = json!({ "line": "x".repeat(100 << 10) });
    assert_eq!(page.sent("query", &large).status, 413);
    assert_eq!(page.get("session")["recordings"][0]["state"], json!("ready"), "the server goes on");
}
