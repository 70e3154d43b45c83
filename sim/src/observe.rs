//! What is seen of a run without any effect on it: truth [`probe`]s, a [`tally`] of what the cores had done at a place, a
//! [`timeline`], and a hash of all that happened ([`trace_hash`]).

pub mod tally;
pub mod timeline;
pub mod trace_hash;
