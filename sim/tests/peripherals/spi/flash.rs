//! A flash chip on SPI, against the data sheet of the W25Q16JV (Winbond, revision H): its identity, its status, and what erasing
//! and programming do, and take.

use super::super::bench::Bench;
use super::devices::{selected, with_device};
use intercore_sim::core::time::Cycle;

const FLASH: &str = "select = 20\nflash = \"W25Q16JV\"";
const MICROSECOND: Cycle = 125;
/// Typical times in microseconds (9.6).
const PROGRAM: Cycle = 400;
const SECTOR_ERASE: Cycle = 45_000;
const CHIP_ERASE: Cycle = 5_000_000;
const WRITE_ENABLE: u8 = 0x06;
const BUSY: u8 = 1;
const WRITE_ENABLED: u8 = 2;

/// On SPI1, with frames of 8 bits.
fn bench() -> Bench {
    with_device(1, 8, FLASH)
}

/// What comes back behind the bytes of a command.
fn answer(bench: &mut Bench, command: &[u8], count: usize) -> Vec<u8> {
    let sent = [command, &vec![0; count]].concat();
    selected(bench, 1, &sent).split_off(command.len())
}

fn read(bench: &mut Bench, address: u32, count: usize) -> Vec<u8> {
    let [_, high, middle, low] = address.to_be_bytes();
    answer(bench, &[0x03, high, middle, low], count)
}

fn status(bench: &mut Bench) -> u8 {
    answer(bench, &[0x05], 1)[0]
}

/// Sends a command that is write-enabled, after which the chip is busy for so many microseconds. It answers meanwhile, and says
/// so (7.1.1, 7.1.2).
fn change(bench: &mut Bench, command: &[u8], microseconds: Cycle) {
    selected(bench, 1, &[WRITE_ENABLE]);
    assert_eq!(status(bench), WRITE_ENABLED);
    selected(bench, 1, command);
    let done = bench.now + microseconds * MICROSECOND;
    for margin in [microseconds - 10, 10] {
        assert_eq!(status(bench), BUSY | WRITE_ENABLED);
        bench.until(done - margin * MICROSECOND);
    }
    assert_eq!(status(bench), BUSY | WRITE_ENABLED);
    bench.until(done);
    assert_eq!(status(bench), 0);
}

#[test]
fn it_tells_who_it_is() {
    let mut bench = bench();
    assert_eq!(answer(&mut bench, &[0x9f], 3), [0xef, 0x40, 0x15], "8.1.1");
    let unique = answer(&mut bench, &[0x4b, 0, 0, 0, 0], 8);
    assert_eq!(answer(&mut bench, &[0x4b, 0, 0, 0, 0], 8), unique);
    assert_eq!(answer(&mut bench, &[0x05], 2), [0, 0], "the status again and again (8.2.4)");
    assert_eq!(answer(&mut bench, &[0x35], 1), [2], "quad enable is set in the factory");
    assert!(bench.diagnostics.take().is_empty());
}

#[test]
fn it_is_programmed_by_pages_and_erased_by_sectors() {
    let mut bench = bench();
    assert_eq!(read(&mut bench, 0x0012_3400, 4), [0xff; 4], "erased at first");
    let page: Vec<u8> = (0..=255).collect();
    change(&mut bench, &[&[0x02, 0x12, 0x34, 0x00], &page[..]].concat(), PROGRAM);
    assert_eq!(read(&mut bench, 0x0012_3400, 256), page);
    assert_eq!(answer(&mut bench, &[0x0b, 0x12, 0x34, 0x10, 0], 2), [0x10, 0x11], "one dummy byte (8.2.7)");
    // Bits only get clear, and beyond its end a page begins again (8.2.13).
    change(&mut bench, &[0x02, 0x12, 0x34, 0xff, 0x0f, 0xf0, 0x00], PROGRAM);
    assert_eq!(read(&mut bench, 0x0012_34fe, 3), [0xfe, 0x0f, 0xff]);
    assert_eq!(read(&mut bench, 0x0012_3400, 3), [0x00, 0x00, 0x02]);
    for address in [[0x12, 0x2f, 0xff], [0x12, 0x30, 0x00], [0x12, 0x3f, 0xff], [0x12, 0x40, 0x00]] {
        change(&mut bench, &[&[0x02], &address[..], &[0xa5]].concat(), PROGRAM);
    }
    change(&mut bench, &[0x20, 0x12, 0x3f, 0xff], SECTOR_ERASE);
    assert_eq!(read(&mut bench, 0x0012_3400, 256), [0xff; 256]);
    assert_eq!(read(&mut bench, 0x0012_2fff, 2), [0xa5, 0xff]);
    assert_eq!(read(&mut bench, 0x0012_3fff, 2), [0xff, 0xa5]);
    change(&mut bench, &[0x52, 0x12, 0, 0], 120_000);
    change(&mut bench, &[0xd8, 0x12, 0, 0], 150_000);
    change(&mut bench, &[0xc7], CHIP_ERASE);
    assert!(bench.diagnostics.take().is_empty());
}

/// 16 Mbit: behind the last byte comes the first one (8.2.6), and higher address bits do not count.
#[test]
fn it_has_two_megabytes() {
    let mut bench = bench();
    change(&mut bench, &[0x02, 0x1f, 0xff, 0xff, 0xaa], PROGRAM);
    change(&mut bench, &[0x02, 0x20, 0x00, 0x00, 0x55], PROGRAM);
    assert_eq!(read(&mut bench, 0x001f_ffff, 3), [0xaa, 0x55, 0xff]);
    assert_eq!(read(&mut bench, 0, 1), [0x55]);
    change(&mut bench, &[0x60], CHIP_ERASE);
    assert_eq!(read(&mut bench, 0x001f_ffff, 2), [0xff, 0xff]);
}

#[test]
fn it_ignores_what_comes_at_the_wrong_time_and_says_so() {
    for (commands, note) in [
        (&[&[0x20, 0, 0, 0][..]][..], "flash on SPI: command 20h comes without a write enable (06h)"),
        (&[&[0x06], &[0x20, 0, 0, 0], &[0x03, 0, 0, 0, 0]], "flash on SPI: command 03h comes while the flash erases"),
        (&[&[0x01, 0]], "flash on SPI: command 01h is not modelled"),
        (&[&[0x06], &[0x04], &[0x02, 0, 0, 0, 0]], "flash on SPI: command 02h comes without a write enable"),
    ] {
        let mut bench = bench();
        for command in commands {
            selected(&mut bench, 1, command);
        }
        let notes = bench.diagnostics.take();
        assert!(notes.len() == 1 && notes[0].contains(note), "{commands:02x?}: {notes:?}");
        bench.until(bench.now + 46_000 * MICROSECOND);
        assert_eq!(read(&mut bench, 0, 1), [0xff]);
    }
    // A command of another length does nothing: /CS goes high at the end of a byte of an address (8.2.17).
    let mut bench = bench();
    change(&mut bench, &[0x02, 0, 0, 0, 0], PROGRAM);
    selected(&mut bench, 1, &[WRITE_ENABLE]);
    selected(&mut bench, 1, &[0x20, 0, 0]);
    assert_eq!((status(&mut bench), read(&mut bench, 0, 1)), (WRITE_ENABLED, vec![0]));
}

/// Its content is not the boot flash's, and outlasts a reset of the port, as does that it is busy.
#[test]
fn it_outlasts_a_reset_of_the_port() {
    let mut bench = bench();
    change(&mut bench, &[0x02, 0, 0, 0, 0x5a], PROGRAM);
    selected(&mut bench, 1, &[WRITE_ENABLE]);
    selected(&mut bench, 1, &[0x20, 0, 0x10, 0]);
    bench.with(|p, context| p.write(0x4000_e000, 1 << 17, context));
    bench.with(|p, context| p.write(0x4000_f000, 1 << 17, context));
    bench.write(super::SPI[1] + super::CPSR, 2);
    bench.write(super::SPI[1], 7);
    bench.write(super::SPI[1] + super::CR1, super::ENABLE);
    assert_eq!(status(&mut bench), BUSY | WRITE_ENABLED);
    bench.until(bench.now + 46_000 * MICROSECOND);
    assert_eq!((status(&mut bench), read(&mut bench, 0, 2)), (0, vec![0x5a, 0xff]));
}
