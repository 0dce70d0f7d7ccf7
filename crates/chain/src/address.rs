//! `attach`: the host and the port on which the VM of a remote program listens.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// The address at which a VM listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A host name or an IP address; IPv6 addresses without brackets.
    pub host: String,
    /// The port, from 1.
    pub port: u16,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let (host, port) = text.rsplit_once(':').ok_or("there is no `:` between a host and a port")?;
        let port = port
            .parse()
            .ok()
            .filter(|port| *port > 0)
            .ok_or_else(|| format!("`{port}` is no port: ports are numbers from 1 to {}", u16::MAX))?;
        if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let is_address = inner.parse::<Ipv6Addr>().is_ok();
            let host = is_address.then(|| inner.to_owned());
            return host
                .map(|host| Address { host, port })
                .ok_or_else(|| format!("`{inner}` is no IPv6 address"));
        }
        if host.is_empty() || host == "*" {
            return Err(format!("`{host}` is no host to connect to"));
        }
        if host.contains(':') {
            return Err("write an IPv6 address in brackets, as in `[::1]:5005`".to_owned());
        }
        let of_name = |c: char| c.is_alphanumeric() || ['.', '-', '_'].contains(&c);
        match host.chars().find(|c| !of_name(*c)) {
            Some(wrong) => Err(format!("a host name cannot contain {wrong:?}")),
            None => Ok(Address { host: host.to_owned(), port }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_port_are_read_and_written_back() {
        for text in ["localhost:5005", "app-1.example.org:1", "127.0.0.1:65535", "[::1]:8000", "my_box:8000"]
        {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        assert_eq!("[::1]:8000".parse::<Address>().unwrap().host, "::1");
    }

    #[test]
    fn what_is_none_is_told() {
        for (text, why) in [
            ("5005", "no `:`"),
            ("host:", "`` is no port"),
            ("host:0", "`0` is no port"),
            ("host:65536", "`65536` is no port"),
            ("host:jdwp", "`jdwp` is no port"),
            (":5005", "`` is no host"),
            ("*:5005", "`*` is no host"),
            ("::1:5005", "in brackets"),
            ("[host]:5005", "no IPv6 address"),
            ("user@host:5005", "'@'"),
            ("a b:5005", "' '"),
            ("http://example.org:5005", "in brackets"),
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
