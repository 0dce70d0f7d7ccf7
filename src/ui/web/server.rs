//! The HTTP server: passes the requests of the page to the sessions.

use super::assets;
use super::connections::{Connections, Peer};
use super::desk::{Desk, Unanswered, Work};
use super::guard::{Door, Refused};
use super::replies::Replies;
use super::requests::{Answers, Arguments, Begins, KEPT, REQUESTS, Row};
use super::stream::stream;
use crate::ui::token::new_token;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};
use servers::serve::{Bench, Board, Notice, Reader};
use session::{Actor, Pending};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Most bytes of a request's body.
const BODY: usize = 64 << 10;
/// The beginning of the paths of requests.
const API: &str = "/api/";

type Answer = Result<Value, Unanswered>;

/// A server for the pages of one user.
pub struct Server {
    door: Door,
    board: Board,
    reader: Mutex<Option<Actor<Desk<Reader>>>>,
    bench: Mutex<Option<Actor<Desk<Bench>>>>,
    replies: Replies,
    /// Number of pieces of work that began with the server and go on.
    beginning: AtomicUsize,
    /// Changes when the user gives up all work.
    given_up: watch::Sender<u64>,
}

/// Answers requests until the connection breaks.
pub async fn listen(listener: TcpListener, server: Arc<Server>) -> std::io::Result<()> {
    let router = Router::new().fallback(handle).with_state(server);
    let router = router.into_make_service_with_connect_info::<Peer>();
    axum::serve(Connections::new(listener), router).await
}

async fn handle(
    State(server): State<Arc<Server>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
) -> Response<Body> {
    let mut response = match server.respond(&peer, request).await {
        Ok(response) => response,
        Err(refused) => refuse(refused),
    };
    // Nothing of the page may be kept, framed, or read by other sites.
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
        headers.insert(header::CONTENT_SECURITY_POLICY, nothing);
    }
    response
}

fn refuse(refused: Refused) -> Response<Body> {
    let status = match refused {
        Refused::Unknown | Refused::Used => StatusCode::UNAUTHORIZED,
        Refused::Host | Refused::Origin => StatusCode::FORBIDDEN,
        Refused::NoJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
    };
    failed(status, refused.text())
}

fn failed(status: StatusCode, why: &str) -> Response<Body> {
    reply(status, &json!({ "error": why }))
}

fn reply(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Work that the bench was given.
struct Begun {
    pending: Pending<Answer>,
    /// The name under which its reply is kept.
    keeps: Option<&'static str>,
    /// Changes when the user gives up all work.
    given_up: watch::Receiver<u64>,
}

/// Gives up a request when the page no longer waits for it.
struct GivesUp<A> {
    pending: Pending<A>,
    /// Whether the answer has come. A recording that the request opened keeps its interrupt, and would be
    /// interrupted with it.
    has_answer: bool,
}

impl<A> GivesUp<A> {
    async fn answer(&mut self) -> Option<A> {
        let answer = self.pending.answer().await;
        self.has_answer = true;
        answer
    }
}

impl<A> Drop for GivesUp<A> {
    fn drop(&mut self) {
        if !self.has_answer {
            self.pending.cancel();
        }
    }
}

impl Server {
    /// A server.
    pub fn new(door: Door, board: Board, reader: Actor<Desk<Reader>>, bench: Actor<Desk<Bench>>) -> Server {
        Server {
            door,
            board,
            reader: Mutex::new(Some(reader)),
            bench: Mutex::new(Some(bench)),
            replies: Replies::default(),
            beginning: AtomicUsize::new(0),
            given_up: watch::Sender::new(0),
        }
    }

    /// Starts the work before the first request.
    pub fn begin(self: &Arc<Server>, begins: Begins) {
        for (keeps, work) in begins.0 {
            if let Ok(begun) = self.begun(keeps, work) {
                let server = self.clone();
                self.beginning.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let worked = server.worked(begun).await;
                    server.beginning.fetch_sub(1, Ordering::SeqCst);
                    if let Err(Unanswered::Refused(why) | Unanswered::Failed(why)) = worked {
                        server.board.tell(Notice::Said(why));
                    }
                });
            }
        }
    }

    /// Ends all work and the sessions, and waits until nothing of them is left.
    pub async fn end(&self) {
        self.given_up.send_modify(|times| *times += 1);
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(bench) = bench {
            bench.end().await;
        }
        if let Some(reader) = reader {
            reader.end().await;
        }
    }

    async fn respond(self: Arc<Server>, peer: &Peer, request: Request) -> Result<Response<Body>, Refused> {
        let (head, body) = request.into_parts();
        self.door.check_sender(&head.method, &head.headers)?;
        let path = head.uri.path();
        if path == "/"
            && let Some(given) = Door::token_in(&head.uri)
        {
            // With the cookie, the address leads to the page again.
            let set = match self.door.check_cookie(&head.headers) {
                Ok(()) => None,
                Err(_) => Some(self.door.exchange(given)?),
            };
            peer.is_known();
            return Ok(to_page(&head.uri, set.as_deref()));
        }
        self.door.check_cookie(&head.headers)?;
        peer.is_known();
        if let Some(name) = path.strip_prefix(API) {
            Door::check_origin(&head.headers)?;
            let Ok(body) = to_bytes(body, BODY).await else {
                return Ok(failed(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"));
            };
            return Ok(self.clone().answer(name, &head.method, head.uri.clone(), body).await);
        }
        if head.method != Method::GET {
            return Ok(failed(StatusCode::METHOD_NOT_ALLOWED, "there is nothing to change here"));
        }
        Ok(match path {
            "/" => page(),
            path => {
                assets::asset(path).unwrap_or_else(|| failed(StatusCode::NOT_FOUND, "there is no such file"))
            }
        })
    }

    /// Answers a request of the page.
    async fn answer(self: Arc<Server>, name: &str, method: &Method, uri: Uri, body: Bytes) -> Response<Body> {
        let acts = *method == Method::POST;
        match (name, acts) {
            ("stream", false) => return stream(&self.board).into_response(),
            ("cancel", true) => {
                self.given_up.send_modify(|times| *times += 1);
                return reply(StatusCode::OK, &json!({}));
            }
            (kept, false) if KEPT.contains(&kept) => return reply(StatusCode::OK, &self.replies.kept(kept)),
            _ => {}
        }
        let Some(row) = REQUESTS.iter().find(|row| row.name == name && row.acts == acts) else {
            return failed(StatusCode::NOT_FOUND, &format!("there is no request {method} {name}"));
        };
        let arguments = if acts { Arguments::Body(body) } else { Arguments::Query(uri) };
        let answer = match &row.answers {
            Answers::Reader(parse) => match parse(&arguments) {
                Ok(work) => self.read(work).await,
                Err(why) => return misfit(name, &why),
            },
            Answers::Bench(parse) => match parse(&arguments) {
                Ok(work) => self.clone().work(row, work).await,
                Err(why) => return misfit(name, &why),
            },
        };
        self.replied(row, answer)
    }

    /// The response with an answer.
    fn replied(&self, row: &Row, answer: Answer) -> Response<Body> {
        match answer {
            Ok(mut value) => {
                if let (Some(kept), false) = (row.keeps, value.is_null()) {
                    value = self.replies.kept(kept);
                }
                reply(StatusCode::OK, &value)
            }
            Err(Unanswered::Cancelled) => failed(StatusCode::CONFLICT, "cancelled"),
            Err(Unanswered::Refused(why) | Unanswered::Failed(why)) => {
                failed(StatusCode::UNPROCESSABLE_ENTITY, &why)
            }
        }
    }

    async fn read(&self, work: Work<Reader>) -> Answer {
        let asked = match &*self.reader.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(actor) => actor.ask(work).map_err(|untaken| Unanswered::Refused(untaken.to_string())),
            None => Err(Unanswered::Refused("the server ends".to_owned())),
        };
        let mut waiting = GivesUp { pending: asked?, has_answer: false };
        let mut given_up = self.given_up.subscribe();
        let cancelled = async { drop(given_up.changed().await) };
        tokio::select! {
            answer = waiting.answer() => return answered(answer),
            () = cancelled => {}
        }
        waiting.pending.cancel();
        answered(waiting.answer().await)
    }

    /// Gives work to the bench. Its reply is kept under the name, if there is one.
    fn begun(&self, keeps: Option<&'static str>, work: Work<Bench>) -> Result<Begun, Unanswered> {
        // From here on, it can be given up.
        let given_up = self.given_up.subscribe();
        let pending = match &*self.bench.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(actor) => actor.ask(work).map_err(|untaken| Unanswered::Refused(untaken.to_string())),
            None => Err(Unanswered::Refused("the server ends".to_owned())),
        }?;
        if let Some(name) = keeps {
            self.replies.begin(name);
            self.board.changed(&[name]);
        }
        Ok(Begun { pending, keeps, given_up })
    }

    /// Waits for work. It goes on when the page that asked for it has gone: others see its reply.
    async fn work(self: Arc<Server>, row: &'static Row, work: Work<Bench>) -> Answer {
        if self.beginning.load(Ordering::SeqCst) > 0 && self.board.is_recording() {
            let why =
                "the program still runs: wait for its end, or cancel the run to ask about what there is";
            return Err(Unanswered::Refused(why.to_owned()));
        }
        let begun = self.begun(row.keeps, work)?;
        let working = tokio::spawn(async move { self.worked(begun).await });
        working.await.unwrap_or_else(|_| Err(Unanswered::Refused("the server ends".to_owned())))
    }

    async fn worked(&self, Begun { mut pending, keeps, mut given_up }: Begun) -> Answer {
        let answer = tokio::select! {
            answer = pending.answer() => answer,
            _ = given_up.changed() => {
                pending.cancel();
                pending.answer().await
            }
        };
        let answer = answered(answer);
        if let Some(name) = keeps {
            self.replies.end(name, &answer);
            self.board.changed(&[name]);
        }
        answer
    }
}

fn answered(answer: Option<Answer>) -> Answer {
    answer.unwrap_or_else(|| Err(Unanswered::Failed("the session broke: start `qp serve` again".to_owned())))
}

fn misfit(name: &str, why: &str) -> Response<Body> {
    failed(StatusCode::BAD_REQUEST, &format!("the arguments of `{name}` do not fit: {why}"))
}

/// Leads to the page, without the token.
fn to_page(uri: &Uri, cookie: Option<&str>) -> Response<Body> {
    let query = uri.query().unwrap_or_default();
    let rest: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("token=")).collect();
    let place = if rest.is_empty() { "/".to_owned() } else { format!("/?{}", rest.join("&")) };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    if let Ok(place) = HeaderValue::from_str(&place) {
        headers.insert(header::LOCATION, place);
    }
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(cookie).ok()) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The page, with the nonce of its styles.
fn page() -> Response<Body> {
    let Ok(nonce) = new_token() else {
        return failed(StatusCode::INTERNAL_SERVER_ERROR, "the system has no random bytes");
    };
    let mut response = Response::new(Body::from(assets::index(&nonce)));
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; \
         connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
