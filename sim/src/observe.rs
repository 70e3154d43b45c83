//! What is seen of a run without any effect on it: truth [`probe`]s, a [`timeline`], and a hash of all that happened
//! ([`trace_hash`]).

pub mod probe;
pub mod timeline;
pub mod trace_hash;
