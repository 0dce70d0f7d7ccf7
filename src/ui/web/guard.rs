//! Who may ask: only the page that was loaded with the address which `qp serve` has printed. A page of
//! another site, another user of this machine, or a name that was rebound to 127.0.0.1 gets nothing.

use crate::ui::token::is_token;
use axum::http::{HeaderMap, Method, Uri, header};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a server knows of its page.
pub struct Door {
    port: u16,
    /// The token in the printed address.
    token: String,
    /// Whether it was exchanged for a cookie already.
    is_used: AtomicBool,
    /// The value of the cookie.
    secret: String,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It was sent to another name than 127.0.0.1.
    Host,
    /// It comes from a page of another site.
    Origin,
    /// It has no cookie of this server.
    Unknown,
    /// The address was used already.
    Used,
    /// It acts, and is no JSON.
    NoJson,
}

impl Refused {
    /// The reason, and what to do.
    pub fn text(self) -> &'static str {
        match self {
            Refused::Host => "this server answers only to 127.0.0.1: open the address that it has printed",
            Refused::Origin => "the request comes from another page",
            Refused::Unknown => "open the address that `qp serve` has printed, with its token",
            Refused::Used => {
                "this address was opened already, and works once: end `qp serve`, start it again, and open \
                 the address that it prints"
            }
            Refused::NoJson => "a request that acts has the content type application/json",
        }
    }
}

impl Door {
    /// The door of a server at a port.
    pub fn new(port: u16, token: String, secret: String) -> Door {
        Door { port, token, is_used: AtomicBool::new(false), secret }
    }

    /// The address to print.
    pub fn address(&self) -> String {
        format!("http://{}/?token={}", self.host(), self.token)
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The cookie's name. Servers at other ports of this machine have other names.
    fn cookie(&self) -> String {
        format!("qp-{}", self.port)
    }

    /// Checks that a request was sent to this server, and by its own page.
    ///
    /// # Errors
    /// It was not.
    pub fn check_sender(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refused> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        if text(header::HOST) != Some(&self.host()) {
            return Err(Refused::Host);
        }
        let own = format!("http://{}", self.host());
        let acts = *method != Method::GET && *method != Method::HEAD;
        match text(header::ORIGIN) {
            Some(origin) if origin != own => return Err(Refused::Origin),
            None if acts => return Err(Refused::Origin),
            _ => {}
        }
        if acts {
            let media = text(header::CONTENT_TYPE).unwrap_or_default();
            let media = media.split(';').next().unwrap_or_default().trim();
            if !media.eq_ignore_ascii_case("application/json") {
                return Err(Refused::NoJson);
            }
        }
        Ok(())
    }

    /// Checks that a request for data comes from the page itself, where the browser says so (Fetch Metadata).
    /// A page at another port of this machine is of the same site, and so it would send the cookie.
    ///
    /// # Errors
    /// It comes from elsewhere.
    pub fn check_origin(headers: &HeaderMap) -> Result<(), Refused> {
        let site = headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or_default());
        match site {
            None | Some("same-origin" | "none") => Ok(()),
            Some(_) => Err(Refused::Origin),
        }
    }

    /// Checks that a request has the cookie.
    ///
    /// # Errors
    /// It has not.
    pub fn check_cookie(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let name = self.cookie();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        match pairs.any(|(key, value)| key == name && is_token(value, &self.secret)) {
            true => Ok(()),
            false => Err(Refused::Unknown),
        }
    }

    /// The token in the query of an address.
    pub fn token_in(uri: &Uri) -> Option<&str> {
        uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
    }

    /// Exchanges the token, once, for the line that sets the cookie.
    ///
    /// # Errors
    /// It is another token, or it was exchanged already.
    pub fn exchange(&self, given: &str) -> Result<String, Refused> {
        if !is_token(given, &self.token) {
            return Err(Refused::Unknown);
        }
        if self.is_used.swap(true, Ordering::SeqCst) {
            return Err(Refused::Used);
        }
        Ok(format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie(), self.secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn door() -> Door {
        Door::new(4711, "a".repeat(64), "b".repeat(64))
    }

    fn headers(of: &[(HeaderName, &str)]) -> HeaderMap {
        of.iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a header")))
            .collect()
    }

    const HOST: (HeaderName, &str) = (header::HOST, "127.0.0.1:4711");
    const JSON: (HeaderName, &str) = (header::CONTENT_TYPE, "application/json");

    #[test]
    fn a_request_is_sent_to_this_server_by_its_own_page() {
        let check = |method: &Method, of: &[(HeaderName, &str)]| door().check_sender(method, &headers(of));
        let own = (header::ORIGIN, "http://127.0.0.1:4711");
        assert_eq!(check(&Method::GET, &[HOST]), Ok(()));
        assert_eq!(check(&Method::POST, &[HOST, own.clone(), JSON]), Ok(()));
        assert_eq!(check(&Method::GET, &[(header::HOST, "example.org:4711")]), Err(Refused::Host));
        assert_eq!(check(&Method::GET, &[(header::HOST, "localhost:4711")]), Err(Refused::Host));
        assert_eq!(check(&Method::GET, &[]), Err(Refused::Host));
        for other in ["http://example.org", "null", "http://127.0.0.1:4712", "https://127.0.0.1:4711"] {
            let origin = (header::ORIGIN, other);
            assert_eq!(check(&Method::GET, &[HOST, origin.clone()]), Err(Refused::Origin), "{other}");
            assert_eq!(check(&Method::POST, &[HOST, origin, JSON]), Err(Refused::Origin), "{other}");
        }
        assert_eq!(check(&Method::POST, &[HOST, JSON]), Err(Refused::Origin));
        let form = (header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        assert_eq!(check(&Method::POST, &[HOST, own.clone(), form]), Err(Refused::NoJson));
        assert_eq!(check(&Method::POST, &[HOST, own]), Err(Refused::NoJson));
    }

    #[test]
    fn data_is_for_the_page_itself() {
        let of =
            |site: &str| Door::check_origin(&headers(&[(HeaderName::from_static("sec-fetch-site"), site)]));
        assert_eq!(["same-origin", "none"].map(of), [Ok(()); 2]);
        assert_eq!(["same-site", "cross-site", "x"].map(of), [Err(Refused::Origin); 3]);
        assert_eq!(Door::check_origin(&HeaderMap::new()), Ok(()), "other clients send none");
    }

    #[test]
    fn the_token_is_exchanged_once_for_the_cookie() {
        let door = door();
        assert_eq!(door.exchange("wrong"), Err(Refused::Unknown));
        let set = door.exchange(&"a".repeat(64)).expect("a cookie");
        assert!(set.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{set}");
        assert_eq!(door.exchange(&"a".repeat(64)), Err(Refused::Used));
        let cookie = set.split(';').next().unwrap_or_default();
        let of = |value: &str| door.check_cookie(&headers(&[(header::COOKIE, value)]));
        assert_eq!(of(&format!("other=1; {cookie}")), Ok(()));
        assert_eq!(of("qp-4711=aaaa"), Err(Refused::Unknown));
        assert_eq!(of(&cookie.replace("4711", "4712")), Err(Refused::Unknown));
        assert_eq!(door.check_cookie(&HeaderMap::new()), Err(Refused::Unknown));
    }
}
