//! What the registers of I2C say of a transfer, and what they do to it (datasheet 4.3.10, 4.3.14, 4.3.17).

use super::{
    ABRT_SOURCE, ADDRESS, CLR_STOP_DET, CON, DATA_CMD, DMA_CR, ENABLE, I2C, INTR_MASK, MASTER, PERIOD, RAW, READ,
    RESTART, RESTART_DET, RX_DONE, RX_TL, RXFLR, SLAVE, START_DET, STATUS, STOP, STOP_DET, TX_ABRT, TX_EMPTY, TXFLR,
    bench, pair, transfer,
};
use crate::peripherals::bench::{CLR, RESETS, SET};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::i2c::device::Device;
use intercore_sim::rp2040::peripherals::{Dreq, Peripheral};

const SS_SCL_HCNT: u32 = 0x14;
const SS_SCL_LCNT: u32 = 0x18;
const CLR_INTR: u32 = 0x40;
const CLR_ACTIVITY: u32 = 0x5c;
const DMA_RDLR: u32 = 0x90;
const ENABLE_STATUS: u32 = 0x9c;
const FS_SPKLEN: u32 = 0xa0;
const CLR_RESTART_DET: u32 = 0xa8;
const ABORT: u32 = 2;
const BLOCKED: u32 = 4;
const RX_UNDER: u32 = 1 << 0;
const TX_OVER: u32 = 1 << 3;
const ACTIVITY: u32 = 1 << 8;
const DEVICE: &str = "address = 0x50\nregisters = { 0 = [5, 6, 7] }";

/// 4.3.14.2: with the counts of its speed, and with the spikes that are suppressed.
#[test]
fn a_period_is_made_of_the_counts_of_its_speed_and_of_the_spike_length() {
    for (speed, spike, period) in
        [(2, 7, PERIOD), (2, 3, PERIOD - 4), (1, 7, 400 + 7 + 7 + 500 + 1), (1, 1, 400 + 1 + 7 + 500 + 1)]
    {
        let mut bench = bench(0, DEVICE);
        bench.write(I2C[0] + ENABLE, 0);
        for (offset, value) in
            [(CON, MASTER & !6 | speed << 1), (SS_SCL_HCNT, 400), (SS_SCL_LCNT, 500), (FS_SPKLEN, spike), (ENABLE, 1)]
        {
            bench.write(I2C[0] + offset, value);
        }
        bench.write(I2C[0] + INTR_MASK, STOP_DET);
        let begun = bench.now;
        bench.write(I2C[0] + DATA_CMD, 0x10 | STOP);
        let ended = bench.rises(Irq::I2c0, 1_000_000).map(|at| at - begun);
        assert_eq!(ended, Some((1 + 9 + 9 + 1) * period as Cycle), "speed {speed}, spikes of {spike}");
    }
}

/// 4.3.17, `RAW_INTR_STAT`: activity stays until it is cleared, a start and a restart as well; and each has a register that
/// clears it, or `CLR_INTR`.
#[test]
fn what_has_happened_on_the_bus_stays_until_it_is_cleared() {
    for together in [false, true] {
        let mut bench = bench(0, DEVICE);
        assert_eq!(transfer(&mut bench, 0, &[0, READ | RESTART | STOP]), [5]);
        let happened = ACTIVITY | START_DET | RESTART_DET;
        assert_eq!(bench.read(I2C[0] + RAW) & happened, happened);
        if together {
            bench.read(I2C[0] + CLR_INTR);
        } else {
            for (register, left) in [(CLR_RESTART_DET, ACTIVITY | START_DET), (0x64, ACTIVITY), (CLR_ACTIVITY, 0)] {
                bench.read(I2C[0] + register);
                assert_eq!(bench.read(I2C[0] + RAW) & happened, left);
            }
        }
        assert_eq!(bench.read(I2C[0] + RAW) & happened, 0);
    }
}

/// 4.3.17, `CLR_ACTIVITY`: "if the I2C module is still active on the bus, the ACTIVITY interrupt bit continues to be set".
#[test]
fn activity_cannot_be_cleared_while_it_lasts() {
    let mut bench = bench(0, DEVICE);
    bench.write(I2C[0] + DATA_CMD, 0);
    for register in [CLR_ACTIVITY, CLR_INTR] {
        bench.wait(3 * PERIOD);
        bench.read(I2C[0] + register);
        assert_eq!((bench.read(I2C[0] + RAW) & ACTIVITY, bench.read(I2C[0] + STATUS) & 0x21), (ACTIVITY, 0x21));
    }
    bench.write(I2C[0] + DATA_CMD, STOP);
    bench.wait(30 * PERIOD);
    assert_eq!((bench.read(I2C[0] + RAW) & ACTIVITY, bench.read(I2C[0] + STATUS) & 0x21), (ACTIVITY, 0));
    bench.read(I2C[0] + CLR_ACTIVITY);
    assert_eq!(bench.read(I2C[0] + RAW) & ACTIVITY, 0);
}

/// 4.3.17: the FIFO takes 16 commands, which wait while `TX_CMD_BLOCK` is set; disabled, the block forgets them, and has no empty
/// FIFO to tell of.
#[test]
fn commands_wait_while_they_are_blocked_and_are_lost_when_it_is_disabled() {
    let mut bench = bench(0, DEVICE);
    bench.write(I2C[0] + ENABLE, 1 | BLOCKED);
    for byte in 0..17 {
        assert_eq!(bench.read(I2C[0] + RAW) & TX_OVER, 0);
        bench.write(I2C[0] + DATA_CMD, byte);
    }
    assert_eq!(bench.read(I2C[0] + RAW) & TX_OVER, TX_OVER);
    bench.wait(100 * PERIOD);
    assert_eq!((bench.read(I2C[0] + TXFLR), bench.read(I2C[0] + RAW) & START_DET), (16, 0));
    bench.write(I2C[0] + ENABLE, 0);
    assert_eq!((bench.read(I2C[0] + TXFLR), bench.read(I2C[0] + RAW) & TX_EMPTY), (0, 0));
    bench.write(I2C[0] + ENABLE, 1);
    bench.wait(100 * PERIOD);
    assert_eq!(bench.read(I2C[0] + RAW) & (START_DET | TX_EMPTY), TX_EMPTY);
    bench.write(I2C[0] + DATA_CMD, 1);
    bench.wait(15 * PERIOD);
    bench.write(I2C[0] + ENABLE, 0);
    bench.wait(100 * PERIOD);
    assert_eq!((bench.read(I2C[0] + STATUS) & 0x21, bench.read(I2C[0] + ENABLE_STATUS)), (0, 0), "within a byte");
}

/// 4.3.17, `ENABLE.ABORT` and `TX_ABRT`: a stop, the reason, and neither commands nor received bytes are left.
#[test]
fn a_transfer_can_be_aborted() {
    for (clears, register) in [("CLR_TX_ABRT", 0x54), ("CLR_INTR", CLR_INTR)] {
        let mut bench = bench(0, DEVICE);
        for _ in 0..6 {
            bench.write(I2C[0] + DATA_CMD, READ);
        }
        bench.wait((10 + 2 * 9 + 4) * PERIOD);
        assert_eq!((bench.read(I2C[0] + RXFLR), bench.read(I2C[0] + TXFLR)), (2, 3));
        bench.write(I2C[0] + ENABLE, 1 | ABORT);
        bench.wait(20 * PERIOD);
        assert_eq!(bench.read(I2C[0] + RAW) & (TX_ABRT | STOP_DET), TX_ABRT | STOP_DET);
        assert_eq!(bench.read(I2C[0] + ABRT_SOURCE), 1 << 16 | 3 << 23);
        assert_eq!([RXFLR, TXFLR, STATUS].map(|register| bench.read(I2C[0] + register)), [0, 0, 6]);
        assert_eq!(bench.read(I2C[0] + ENABLE), 1, "ABORT is over");
        bench.read(I2C[0] + register);
        assert_eq!((bench.read(I2C[0] + ABRT_SOURCE), bench.read(I2C[0] + RAW) & TX_ABRT), (0, 0), "{clears}");
    }
}

/// 4.3.17: `RX_TL` cannot be set above the depth of the FIFO; a read of an empty one is told; `RFF` is that it is full; and the
/// first byte behind each address is marked.
#[test]
fn a_receive_fifo_tells_what_it_holds() {
    let mut bench = bench(0, DEVICE);
    bench.write(I2C[0] + RX_TL, 0xff);
    assert_eq!(bench.read(I2C[0] + RX_TL), 16);
    bench.write(I2C[0] + DMA_RDLR, 1);
    let asks = |bench: &crate::peripherals::bench::Bench| bench.p.i2cs[0].dreq(1, bench.now);
    for byte in 0..16 {
        assert_eq!(bench.read(I2C[0] + STATUS) >> 4 & 1, 0);
        // DMA_RDLR + 1 or more (4.3.17).
        assert_eq!(asks(&bench), Dreq::Data(if byte < 2 { 0 } else { byte }));
        bench.write(I2C[0] + DATA_CMD, READ | if byte == 8 { RESTART } else { 0 });
        bench.poll(I2C[0] + RXFLR, |level| level == byte + 1);
    }
    assert_eq!(bench.read(I2C[0] + STATUS) >> 4 & 1, 1);
    bench.write(I2C[0] + DMA_CR, 2);
    assert_eq!(asks(&bench), Dreq::Data(0));
    let marked: Vec<_> = (0..16).filter(|_| bench.read(I2C[0] + DATA_CMD) >> 11 & 1 == 1).collect();
    assert_eq!(marked, [0, 8]);
    assert_eq!(bench.read(I2C[0] + RAW) & RX_UNDER, 0);
    bench.read(I2C[0] + DATA_CMD);
    assert_eq!(bench.read(I2C[0] + RAW) & RX_UNDER, RX_UNDER);
}

/// 4.3.17: `RX_DONE` is for the slave that sent, and so is `STOP_DET` with `STOP_DET_IFADDRESSED`; so is activity.
#[test]
fn a_slave_that_is_not_addressed_hears_of_starts_and_stops_only() {
    for (control, stop) in [(SLAVE, STOP_DET), (SLAVE | 1 << 7, 0)] {
        let mut bench = pair(0);
        assert!(bench.p.i2cs[0].attach(Device::from_toml(DEVICE).expect("a device")));
        for block in I2C {
            bench.write(block + ENABLE, 0);
        }
        bench.write(I2C[0] + 0x04, 0x50);
        bench.write(I2C[1] + CON, control);
        for block in I2C {
            bench.write(block + ENABLE, 1);
        }
        assert_eq!(transfer(&mut bench, 0, &[READ, READ | STOP]), [5, 6]);
        assert_eq!(bench.read(I2C[1] + RAW) & (START_DET | STOP_DET | RX_DONE | ACTIVITY), START_DET | stop);
        bench.write(I2C[0] + ENABLE, 0);
        bench.write(I2C[0] + 0x04, ADDRESS);
        bench.write(I2C[0] + ENABLE, 1);
        bench.read(I2C[1] + CLR_STOP_DET);
        assert!(transfer(&mut bench, 0, &[1 | STOP]).is_empty());
        assert_eq!(bench.read(I2C[1] + RAW) & (STOP_DET | ACTIVITY), STOP_DET | ACTIVITY);
    }
}

/// Wires and devices are outside of a block.
#[test]
fn wires_outlast_a_reset() {
    let mut bench = pair(1);
    bench.write(RESETS + SET, 1 << 3);
    bench.write(RESETS + CLR, 1 << 3);
    for (offset, value) in [(CON, SLAVE), (0x08, ADDRESS), (ENABLE, 1)] {
        bench.write(I2C[0] + offset, value);
    }
    transfer(&mut bench, 1, &[9 | STOP]);
    assert_eq!(bench.read(I2C[0] + DATA_CMD) & 0xff, 9);
}
