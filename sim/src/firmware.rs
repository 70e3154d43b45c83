//! What is put into the chip: the [`image`] of a program and the [`bootrom`] that starts it.

mod boot;
pub mod bootrom;
pub mod image;
