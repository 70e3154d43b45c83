//! What is seen of a run without any effect on it: truth [`probe`]s, a [`tally`] of what the cores had done at a place, a
//! [`timeline`], the [`course`] of both cores from cycle to cycle, and a hash of all that happened ([`trace_hash`]).

pub mod course;
pub mod tally;
pub mod timeline;
pub mod trace_hash;
