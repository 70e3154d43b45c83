//! The stream from flash on the bus (DS 2.6.3.3): the registers of `XIP_CTRL` that start it, its FIFO, and its place on the wire.

use crate::core::bus::Fault;
use crate::core::time::Cycle;
use crate::rp2::registration::aliased;
use crate::rp2040::bus::Crossbar;
use crate::rp2040::peripherals::xip_stream;
use crate::rp2040::peripherals::xip_stream::bulk_read::{DMACR, DMARDLR};

/// Whether an address is that of the FIFO, on its own port.
pub(super) fn is_fifo(address: u32) -> bool {
    address >> 14 == xip_stream::XIP_AUX.base >> 14
}

impl Crossbar {
    /// Address phase of an access to flash, cache or their registers. A miss waits for a word of a stream on the wire.
    pub(super) fn begin_xip(&mut self, address: u32, write: bool, now: Cycle) -> Cycle {
        let answers = self.xip.ssi.serves_xip(now, &self.clocks);
        let cycles = self.xip.begin(address, write, now, answers);
        if self.peripherals.xip_stream.is_active() && !write && address < 0x1400_0000 && cycles > 1 {
            self.fabric.requests.touch(now);
            return cycles + self.peripherals.with_stream(|stream| stream.give_way(cycles, now));
        }
        cycles
    }

    /// The next word of the stream from flash.
    pub(super) fn take_streamed(&mut self, now: Cycle) -> u32 {
        self.fabric.requests.touch(now);
        let address = self.peripherals.with_stream(|stream| stream.take(now));
        address.map_or(0, |address| self.memory.flash(address & 0xff_ffff))
    }

    /// A register of `XIP_CTRL`, of which the cache has said `value`.
    pub(super) fn read_stream(&mut self, offset: u32, value: Result<u32, Fault>, now: Cycle) -> Result<u32, Fault> {
        match offset {
            xip_stream::STREAM_FIFO => Ok(self.take_streamed(now)),
            _ => Ok(value? | self.peripherals.xip_stream.control(offset)),
        }
    }

    pub(super) fn write_stream(&mut self, address: u32, value: u32, now: Cycle) {
        let offset = address & 0xfc;
        if ![xip_stream::STREAM_ADDR, xip_stream::STREAM_CTR].contains(&offset) {
            return;
        }
        self.fabric.requests.touch(now);
        let cycles = self.xip.ssi.transfer_cycles();
        self.peripherals.with_stream(|stream| {
            let value = aliased(address, stream.control(offset), value);
            stream.set_control(offset, value, cycles, now);
        });
    }

    /// A register of the SSI, of which the serial interface has said `value`, while a bulk read has something to say.
    pub(super) fn read_bulk(&mut self, offset: u32, value: u32, now: Cycle) -> u32 {
        let bulk = &self.peripherals.xip_stream.bulk;
        match offset {
            DMACR | DMARDLR => bulk.control(offset),
            _ if !bulk.is_active() => value,
            0x24 => bulk.level(),
            0x28 => bulk.status(),
            0x60 => {
                self.fabric.requests.touch(now);
                let address = self.peripherals.with_stream(|stream| stream.bulk.take());
                // The SSI sends and receives the highest byte first; reads of XIP turn words round (DS 4.10.3).
                address.map_or(0, |address| self.memory.flash(address & 0xff_ffff).swap_bytes())
            }
            _ => value,
        }
    }

    /// Writes a register of the SSI as far as bulk reads go. Whether that is all there is to do.
    pub(super) fn write_bulk(&mut self, address: u32, value: u32, now: Cycle) -> bool {
        let offset = address & 0xfc;
        let bulk = &self.peripherals.xip_stream.bulk;
        match offset {
            0x08 if bulk.is_active() => self.peripherals.with_stream(|stream| stream.bulk.stop()),
            DMACR | DMARDLR => {
                let value = aliased(address, bulk.control(offset), value);
                self.peripherals.with_stream(|stream| stream.bulk.set_control(offset, value));
            }
            0x60 if bulk.is_on() => {
                if let Some((words, first, period)) = self.xip.ssi.bulk_read() {
                    // Address and mode bits.
                    self.peripherals.with_stream(|stream| stream.bulk.start(value >> 8, words, now + first, period));
                    self.fabric.requests.touch(now);
                    return true;
                }
                let what = "requests to the DMA but for words that are read over two or four lanes";
                self.fabric.diagnostics.ignored("SSI", what, now);
            }
            _ => return false,
        }
        self.fabric.requests.touch(now);
        false
    }
}
