//! What a board has around the chip, as the command line gives it: a flash that keeps its content, wires between pins,
//! voltages.

use super::{fails, run};
use std::path::PathBuf;

/// Whatever firmware has erased or programmed is there in the next run, except where the image is.
#[test]
fn flash_is_kept_in_a_file() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kept.flash");
    let _ = std::fs::remove_file(&path);
    let file = path.display().to_string();
    // Exits with the word at 0x10004000 by SYS_EXIT_EXTENDED.
    // LDR r2, [pc, #12]; LDR r2, [r2]; LDR r1, [pc, #12]; STR r2, [r1, #4]; MOVS r0, #0x20; BKPT 0xAB
    let code = [0x4A02, 0x6812, 0x4902, 0x604A, 0x2020, 0xBEAB, 0x4000, 0x1000, 0x001C, 0x2000, 0x0026, 0x0002, 0, 0];
    assert_eq!(run("keep", &code, &["--flash", &file]).status.code(), Some(255), "erased");
    let mut content = std::fs::read(&path).expect("written");
    assert_eq!(content.len(), 2 << 20);
    content[0x4000..0x4004].copy_from_slice(&42_u32.to_le_bytes());
    std::fs::write(&path, &content).expect("written");
    assert_eq!(run("keep", &code, &["--flash", &file]).status.code(), Some(42));
    assert!(std::fs::read(&path).expect("written") == content, "as it was");
    std::fs::write(&path, b"a person's notes").expect("written");
    fails(&run("keep", &code, &["--flash", &file]), 2, &["16 bytes and is not the content of a flash"]);
    assert_eq!(std::fs::read(&path).expect("there"), b"a person's notes");
}

/// SIO drives GPIO 2 high. The exit code has its level in bit 0, and that of GPIO 3 in bit 1.
#[test]
fn a_wire_carries_the_level_of_a_pin_to_another() {
    let code = [
        0x4808, 0x2109, 0x0149, 0x6001, // LDR r0, =RESETS_CLEAR; MOVS r1, #9; LSLS r1, #5; STR r1, [r0]
        0x4807, 0x2105, 0x6001, // LDR r0, =GPIO2_CTRL; MOVS r1, #5; STR r1, [r0]
        0x20D0, 0x0600, // MOVS r0, #0xD0; LSLS r0, #24
        0x2104, 0x6141, 0x6241, // MOVS r1, #4; STR r1, [r0, #GPIO_OUT_SET]; STR r1, [r0, #GPIO_OE_SET]
        0x6842, 0x0892, // LDR r2, [r0, #GPIO_IN]; LSRS r2, #2
        0xA103, 0x604A, 0x2020, 0xBEAB, // ADR r1, block; STR r2, [r1, #4]; MOVS r0, #SYS_EXIT_EXTENDED; BKPT 0xAB
        0xF000, 0x4000, 0x4014, 0x4001, // RESETS_CLEAR, GPIO2_CTRL
        0x0026, 0x0002, 0, 0, // block: ADP_Stopped_ApplicationExit, status
    ];
    for (options, status) in [(&[][..], 1), (&["--wire", "2:3"], 3), (&["--wire", "4:5", "--wire", "3:2"], 3)] {
        assert_eq!(run("wired", &code, options).status.code(), Some(status), "{options:?}");
    }
    fails(&run("wired", &code, &["--wire", "2:30"]), 2, &["two pins of GPIO 0 to 29, such as 2:3"]);
    let many: Vec<&str> = std::iter::repeat_n(["--wire", "2:3"], 16).flatten().collect();
    fails(&run("wired", &code, &many), 2, &["--wire is given too often: at most 15 wires are possible"]);
}

/// Sleeps until GPIO 2 has an edge. The exit code has its bits of `PROC0_INTS0`.
#[test]
fn a_pin_that_is_driven_from_outside_wakes_a_core() {
    let code = [
        0x4809, 0x2109, 0x0149, 0x6001, // LDR r0, =RESETS_CLEAR; MOVS r1, #9; LSLS r1, #5; STR r1, [r0]
        0x4808, 0x210C, 0x0209, 0x6001, // LDR r0, =PROC0_INTE0; MOVS r1, #12; LSLS r1, #8; STR r1, [r0]
        0x4A07, 0x2101, 0x0349, 0x6011, // LDR r2, =NVIC_ISER; MOVS r1, #1; LSLS r1, #13; STR r1, [r2]
        0xB672, 0xBF30, // CPSID i; WFI
        0x6A02, 0x0A12, // LDR r2, [r0, #PROC0_INTS0 - PROC0_INTE0]; LSRS r2, #8
        0xA104, 0x604A, 0x2020, 0xBEAB, // ADR r1, block; STR r2, [r1, #4]; MOVS r0, #SYS_EXIT_EXTENDED; BKPT 0xAB
        0xF000, 0x4000, 0x4100, 0x4001, 0xE100, 0xE000, // RESETS_CLEAR, PROC0_INTE0, NVIC_ISER
        0x0026, 0x0002, 0, 0, // block: ADP_Stopped_ApplicationExit, status
    ];
    fails(&run("edge", &code, &[]), 1, &["sleep"]);
    let rises = ["--gpio", "2=1@1ms"];
    let falls = ["--gpio", "2=1", "--gpio", "2=0@1000us"];
    let lets_go = ["--gpio", "2=1", "--gpio", "2=z@7e3"];
    for (options, status) in [(&rises[..], 8), (&falls, 4), (&lets_go, 4)] {
        let runs =
            [&["--hash"][..], &["--hash", "--lock-step"]].map(|more| run("edge", &code, &[options, more].concat()));
        assert_eq!(runs.each_ref().map(|run| run.status.code()), [Some(status); 2], "{options:?}");
        let hashes = runs.map(|run| {
            let text = String::from_utf8_lossy(&run.stderr).into_owned();
            text.lines().find(|line| line.starts_with("hash: ")).expect("a hash").to_owned()
        });
        assert_eq!(hashes[0], hashes[1], "{options:?}");
    }
    for (wrong, why) in [
        ("30=1", "there is no GPIO 30: pins are 0 to 29"),
        ("2=3", "the level must be 0, 1, or z"),
        ("2", "such as 5=1, 5=0@10ms, or 5=z@2e6"),
        ("2=1@1h", "such as 5=1, 5=0@10ms, or 5=z@2e6"),
        ("2=1@-1", "such as 5=1, 5=0@10ms, or 5=z@2e6"),
    ] {
        fails(&run("edge", &code, &["--gpio", wrong]), 2, &[why]);
    }
}

/// Converts input 1 once, by `START_ONCE` of `CS`. The exit code has the upper eight bits of the result.
#[test]
fn a_voltage_reaches_the_adc() {
    let code = [
        0x4809, 0x2101, 0x6001, // LDR r0, =RESETS_CLEAR; MOVS r1, #1; STR r1, [r0]
        0x4809, 0x2184, 0x0109,
        0x6001, // LDR r0, =CLK_ADC_CTRL; MOVS r1, #0x84; LSLS r1, #4; STR r1, [r0]: from ROSC
        0x4808, 0x4908, 0x6001, // LDR r0, =ADC; LDR r1, =EN | START_ONCE | 1 << 12; STR r1, [r0]
        0x6802, 0x0A52, 0xD3FC, // LDR r2, [r0, #CS]; LSRS r2, #9; BCC back to the LDR
        0x6842, 0x0912, // LDR r2, [r0, #RESULT]; LSRS r2, #4
        0xA106, 0x604A, 0x2020, 0xBEAB,
        0xBF00, // ADR r1, block; STR r2, [r1, #4]; MOVS r0, #SYS_EXIT_EXTENDED; BKPT 0xAB
        0xF000, 0x4000, 0x8060, 0x4000, // RESETS_CLEAR, CLK_ADC_CTRL
        0xC000, 0x4004, 0x1005, 0x0000, // ADC, CS
        0x0026, 0x0002, 0, 0, // block: ADP_Stopped_ApplicationExit, status
    ];
    let csv = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recorded.csv");
    std::fs::write(&csv, "seconds,volts\n0,0.825\n1,0.825\n").expect("written");
    let recorded = format!("1={}", csv.display());
    for (options, status) in [(&[][..], 0), (&["--adc", "1=1.65"], 128), (&["--adc", &recorded], 64)] {
        assert_eq!(run("adc", &code, options).status.code(), Some(status), "{options:?}");
    }
    for (signal, reasons) in [
        ("5=1", &["the ADC has inputs 0 to 4"][..]),
        ("1", &["an input and a signal, such as 0=1.65"]),
        ("1=nowhere.csv", &["cannot read nowhere.csv"]),
        ("1=12", &["12 V would destroy the pin"]),
    ] {
        fails(&run("adc", &code, &["--adc", signal]), 2, reasons);
    }
}

/// Reads a register of the device at 0x50 of I2C0. The exit code is what it holds, or 255 after an abort.
#[test]
fn a_device_answers_on_its_bus() {
    let code = [
        0x480C, 0x2108, 0x6001, // LDR r0, =RESETS_CLEAR; MOVS r1, #8; STR r1, [r0]
        0x480C, 0x2150, 0x6041, // LDR r0, =I2C0; MOVS r1, #0x50; STR r1, [r0, #TAR]
        0x2101, 0x66C1, // MOVS r1, #1; STR r1, [r0, #ENABLE]
        0x2175, 0x6101, // MOVS r1, #0x75; STR r1, [r0, #DATA_CMD]
        0x2107, 0x0209, 0x6101, // MOVS r1, #7; LSLS r1, #8; STR r1, [r0, #DATA_CMD]: restart, read, stop
        0x6B43, 0x0A9B, 0xD3FC, // LDR r3, [r0, #RAW_INTR_STAT]; LSRS r3, #10; BCC back: until STOP_DET
        0x22FF, 0x6F81, 0x2900, 0xD000,
        0x6902, // MOVS r2, #255; LDR r1, [r0, #RXFLR]; CMP r1, #0; BEQ; LDR r2, [r0, #DATA_CMD]
        0xB2D2, 0xA103, 0x604A, 0x2020,
        0xBEAB, // UXTB r2, r2; ADR r1, block; STR r2, [r1, #4]; MOVS r0, #0x20; BKPT 0xAB
        0xF000, 0x4000, 0x4000, 0x4004, // RESETS_CLEAR, I2C0
        0x0026, 0x0002, 0, 0, // block: ADP_Stopped_ApplicationExit, status
    ];
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("device.toml");
    std::fs::write(&path, "address = 0x50\n[registers]\n0x75 = 0x68\n").expect("written");
    let device = format!("0={}", path.display());
    for (options, status) in [(&[][..], 255), (&["--i2c", &device], 0x68)] {
        assert_eq!(run("i2c", &code, options).status.code(), Some(status), "{options:?}");
    }
    let selected = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("selected.toml");
    std::fs::write(&selected, "select = 17\nregisters = {}\n").expect("written");
    let selected = format!("1={}", selected.display());
    for (options, reason) in [
        (&["--spi", "2=device.toml"][..], "there are SPI0 and SPI1: expected 0 or 1"),
        (&["--spi", &device], "unknown field `address`"),
        (&["--spi", &selected, "--spi", &selected], "two devices of SPI1 have the chip select GPIO 17"),
        (&["--i2c", "2=device.toml"], "expected 0 or 1"),
        (&["--i2c", "device.toml"], "a bus and a file, such as 0=sensor.toml"),
        (&["--i2c", "0=nowhere.toml"], "cannot read nowhere.toml"),
        (&["--i2c", &device, "--i2c", &device], "two devices of I2C0 have the address 0x50"),
    ] {
        fails(&run("i2c", &code, options), 2, &[reason]);
    }
}
