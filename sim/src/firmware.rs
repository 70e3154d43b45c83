//! What is put into the chip: the [`image`] of a program and the [`bootrom`] that starts it; and how it ended, if by a
//! [`crash`].

mod boot;
pub mod bootrom;
pub mod crash;
pub mod image;
