//! The page: files that `npm run build` in `ui/` writes to `ui/dist/`.

use axum::body::Body;
use axum::http::{Response, StatusCode, header};

/// A file of the page: its path, its media type, and its bytes.
struct Asset {
    path: &'static str,
    media: &'static str,
    bytes: &'static [u8],
}

const ASSETS: &[Asset] = &[
    Asset {
        path: "/app.js",
        media: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../../../ui/dist/app.js"),
    },
    Asset {
        path: "/app.css",
        media: "text/css; charset=utf-8",
        bytes: include_bytes!("../../../ui/dist/app.css"),
    },
    Asset {
        path: "/favicon.svg",
        media: "image/svg+xml",
        bytes: include_bytes!("../../../ui/dist/favicon.svg"),
    },
    Asset {
        path: "/LICENSES.txt",
        media: "text/plain; charset=utf-8",
        bytes: include_bytes!("../../../ui/dist/LICENSES.txt"),
    },
];

/// The page itself. The nonce of its styles stands where it has `__NONCE__`.
const INDEX: &str = include_str!("../../../ui/dist/index.html");
/// Where the nonce stands.
const NONCE: &str = "__NONCE__";

/// The page.
pub fn index(nonce: &str) -> String {
    INDEX.replace(NONCE, nonce)
}

/// A file of the page; `None` if there is none at this path.
pub fn asset(path: &str) -> Option<Response<Body>> {
    let asset = ASSETS.iter().find(|asset| asset.path == path)?;
    let mut response = Response::new(Body::from(asset.bytes));
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(asset.media));
    Some(response)
}
