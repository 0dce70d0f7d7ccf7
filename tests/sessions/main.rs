//! Sessions: the prompt of `qp debug`, and commands that run a program many times.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod agent;
mod bisect;
mod browser;
mod candidates;
mod check;
mod dap;
mod dap_client;
mod dap_past;
mod dap_random;
mod dap_run;
mod dap_schema;
mod debug;
mod dialogue;
mod doors;
mod doors_agree;
mod editor;
mod in_recording;
mod mcp;
mod mcp_clients;
mod mcp_history;
mod mcp_protocol;
mod mcp_random;
mod query_prompt;
mod relaunches;
mod state;
mod terminal;
mod web;

mod web_dialogues;
mod web_views;
