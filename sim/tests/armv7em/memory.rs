//! A core with two memories and nothing else, as QEMU's boards have them: at 0 and at 0x20000000.

use intercore_sim::core::access::Width;
use intercore_sim::isa::armv7em::Processor;
use intercore_sim::isa::armv7em::bus::{Bus, BusError};
use intercore_sim::isa::armv7em::model::Model;

pub const RAM: u32 = 0x2000_0000;

/// The two memories.
pub struct Memory {
    pub low: Vec<u8>,
    pub ram: Vec<u8>,
    /// Events sent by SEV.
    pub events: u32,
}

impl Memory {
    /// `low` at 0, and so many bytes of RAM, all 0.
    pub fn new(low: Vec<u8>, ram: usize) -> Self {
        Self { low, ram: vec![0; ram], events: 0 }
    }

    fn bytes(&mut self, address: u32, count: u32) -> Result<&mut [u8], BusError> {
        let (memory, offset) =
            if address < RAM { (&mut self.low, address as usize) } else { (&mut self.ram, (address - RAM) as usize) };
        memory.get_mut(offset..offset + count as usize).ok_or(BusError)
    }

    pub fn word(&mut self, address: u32) -> u32 {
        self.read(address, Width::Word).expect("memory")
    }

    /// The text at an address, up to its zero.
    pub fn text(&mut self, address: u32) -> String {
        let bytes = (address..).map_while(|at| self.read(at, Width::Byte).ok().filter(|&byte| byte != 0));
        bytes.map(|byte| char::from(byte as u8)).collect()
    }

    pub fn put_word(&mut self, address: u32, word: u32) {
        self.write(address, Width::Word, word).expect("memory");
    }
}

impl Bus for Memory {
    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        self.read(address, Width::Half).map(|half| half as u16)
    }

    fn read(&mut self, address: u32, width: Width) -> Result<u32, BusError> {
        Ok(self.bytes(address, width.bytes())?.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(&mut self, address: u32, width: Width, value: u32) -> Result<(), BusError> {
        let bytes = self.bytes(address, width.bytes())?;
        bytes.copy_from_slice(&value.to_le_bytes()[..width.bytes() as usize]);
        Ok(())
    }

    fn send_event(&mut self) {
        self.events += 1;
    }
}

/// Both processors, with names for messages.
pub fn models() -> [(&'static str, Model); 2] {
    [("Cortex-M4", Model::cortex_m4(150)), ("Cortex-M7", Model::cortex_m7(150))]
}

/// A core that begins as the vector table at 0 says.
pub fn started(model: Model, memory: &mut Memory) -> Processor {
    let mut processor = Processor::new(model);
    processor.reset(0, memory);
    processor
}
