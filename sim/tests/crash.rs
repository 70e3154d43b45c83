//! Programs that crash: when a lock-up is noticed, what goes on afterwards, what is told of the cause.

mod thumb_bit;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::machine_code::{CODE, NOP, STACK, STAY, VECTORS, VTOR, machine, put, put_word};
use intercore_sim::core::stop::Stop;
use intercore_sim::isa::armv6m::hard_fault::Cause;
use intercore_sim::rp2040::machine::Machine;

const HANDLER: u32 = CODE + 0x400;
const CODE_1: u32 = CODE + 0x800;
const BX_LR: u16 = 0x4770;
const BKPT: u16 = 0xbe00;
const UDF: u16 = 0xde00;

/// Core 0 with a program, and with a handler of `HardFault` of its own.
fn with_handler(code: &[u16], handler: &[u16]) -> Machine {
    let mut machine = machine(code);
    machine.write_private(0, VTOR, VECTORS);
    put_word(&mut machine, VECTORS + 12, HANDLER | 1);
    put(&mut machine, HANDLER, handler);
    machine
}

/// Runs in slices of so many cycles.
fn run(machine: &mut Machine, slice: u64) -> Stop {
    loop {
        let limit = machine.now() + slice;
        match machine.run_until(limit) {
            Stop::Limit => {}
            stop => return stop,
        }
    }
}

// When it is noticed

#[test]
fn a_lockup_is_noticed_in_its_own_cycle_however_the_run_is_cut() {
    // 200 turns of 5 cycles, then an undefined instruction, whose handler is another one; the other core counts for ever.
    let mut code = vec![0x20c8, NOP, 0x680a, 0x3801, 0xd1fc, UDF, NOP, NOP];
    for at in [5, 6] {
        (code[5], code[6]) = if at == 5 { (UDF, NOP) } else { (NOP, UDF) };
        let found = [1, 7, 100, 1_000, 123_456, 50_000_000].map(|slice| {
            let mut machine = with_handler(&code, &[NOP, BKPT]);
            machine.core_mut(0).set_register(1, STACK);
            put(&mut machine, CODE_1, &[0x3001, 0xe7fd]);
            machine.start_core(1, CODE_1 | 1, STACK + 0x1000);
            assert_eq!(run(&mut machine, slice), Stop::Lockup { core: 0, pc: HANDLER + 2 });
            (machine.now(), machine.state_hash())
        });
        assert!(found.iter().all(|cycle| *cycle == found[0]), "{found:?}");
        assert!((1000..1100).contains(&found[0].0), "{found:?}");
    }
}

#[test]
fn a_lockup_is_noticed_in_its_own_cycle_while_the_other_core_sleeps_or_is_off() {
    let alone = {
        let mut machine = with_handler(&[NOP, UDF], &[UDF]);
        machine.run_until(1_000_000);
        machine.now()
    };
    let mut machine = with_handler(&[NOP, UDF], &[UDF]);
    put(&mut machine, CODE_1, &[0xbf30, 0xe7fd]);
    machine.start_core(1, CODE_1 | 1, STACK + 0x1000);
    assert!(matches!(machine.run_until(1_000_000), Stop::Lockup { core: 0, .. }));
    assert_eq!(machine.now(), alone);
    assert!(alone < 50, "{alone}");
    assert_eq!(machine.core(0).lockup_fault().map(|fault| fault.cycle), Some(alone));
}

#[test]
fn after_a_lockup_the_other_core_goes_on_as_if_nothing_had_been() {
    // Core 1 adds 1 to r0 in every 3 cycles.
    let counted = |code: &[u16]| {
        let mut machine = with_handler(code, &[UDF]);
        put(&mut machine, CODE_1, &[0x3001, 0xe7fd]);
        machine.start_core(1, CODE_1 | 1, STACK + 0x1000);
        while machine.now() < 30_000 {
            machine.run_until(30_000);
        }
        machine.core(1).register(0)
    };
    assert!(counted(&[UDF]).abs_diff(counted(&[STAY])) <= 5);
    assert!(counted(&[UDF]) > 9_000);
}

#[test]
fn each_core_that_locks_up_is_told_once_and_then_nothing_more_happens() {
    let mut machine = with_handler(&[NOP, UDF], &[UDF]);
    put(&mut machine, CODE_1, &[NOP, NOP, UDF]);
    machine.start_core(1, CODE_1 | 1, STACK + 0x1000);
    machine.write_private(1, VTOR, VECTORS);
    assert!(matches!(machine.run_until(1_000), Stop::Lockup { core: 0, .. }));
    assert!(!machine.is_lost());
    assert!(matches!(machine.run_until(1_000), Stop::Lockup { core: 1, .. }));
    assert!(machine.is_lost());
    assert_eq!(machine.run_until(1_000), Stop::DeadEnd);
}

// Why

/// The cause of the first fault of a program, and where it was; r0 and r1 are given.
fn cause(code: &[u16], [r0, r1]: [u32; 2]) -> (Cause, u32) {
    let mut machine = with_handler(code, &[STAY]);
    machine.core_mut(0).set_register(0, r0);
    machine.core_mut(0).set_register(1, r1);
    machine.run_until(1_000);
    let fault = machine.core(0).hard_fault().expect("a fault");
    assert_eq!(machine.peek(machine.core(0).register(13) + 24), Some(fault.pc), "as it was stacked");
    (fault.cause, fault.pc)
}

#[test]
fn the_cause_of_a_fault_is_told_apart() {
    let nowhere = [0x3000_0000, 0x3000_0001];
    let odd = [0x2000_0102, 0];
    let second = CODE + 2;
    assert_eq!(cause(&[NOP, UDF], nowhere), (Cause::Undefined(UDF, None), second));
    assert_eq!(cause(&[NOP, 0xf7f0, 0xa123], nowhere), (Cause::Undefined(0xf7f0, Some(0xa123)), second));
    assert_eq!(cause(&[NOP, 0xbe07], nowhere), (Cause::Breakpoint(7), second));
    assert_eq!(cause(&[0xb672, 0xdf00], nowhere), (Cause::SupervisorCall, second));
    assert_eq!(cause(&[NOP, 0x6801], nowhere), (Cause::Read(0x3000_0000), second));
    assert_eq!(cause(&[NOP, 0x6001], nowhere), (Cause::Write(0x3000_0000), second));
    assert_eq!(cause(&[NOP, 0xc804], nowhere), (Cause::Read(0x3000_0000), second));
    assert_eq!(cause(&[NOP, 0x6801], odd), (Cause::Unaligned(0x2000_0102), second));
    assert_eq!(cause(&[NOP, 0x6841], odd), (Cause::Unaligned(0x2000_0106), second));
    assert_eq!(cause(&[NOP, 0xc00c], odd), (Cause::Unaligned(0x2000_0102), second));
    assert_eq!(cause(&[NOP, 0xb400], odd), (Cause::NoRegisters, second));
    assert_eq!(cause(&[NOP, 0x4700], [0x4003_4001, 0]), (Cause::NoCode(0x4003_4000), 0x4003_4000));
    assert_eq!(cause(&[NOP, 0x4700], [0x3000_0001, 0]), (Cause::NoCode(0x3000_0000), 0x3000_0000));
    assert_eq!(cause(&[NOP, 0x4700], [CODE + 8, 0]), (Cause::NoThumb(CODE + 8), CODE + 8));
}

#[test]
fn a_stack_that_leads_nowhere_is_told_as_such() {
    let mut machine = with_handler(&[NOP, UDF], &[STAY]);
    machine.core_mut(0).set_register(13, 0x3000_0100);
    machine.run_until(1_000);
    let fault = machine.core(0).hard_fault().expect("a fault");
    assert_eq!((fault.cause, fault.pc), (Cause::Undefined(UDF, None), CODE + 2), "the first one counts");
    let mut machine = crate::machine_code::machine(&[NOP, 0xdf00]);
    machine.write_private(0, VTOR, VECTORS);
    put_word(&mut machine, VECTORS + 12, HANDLER | 1);
    put(&mut machine, HANDLER, &[STAY]);
    machine.core_mut(0).set_register(13, 0x3000_0100);
    machine.run_until(1_000);
    assert_eq!(machine.core(0).hard_fault().map(|fault| fault.cause), Some(Cause::Frame(0x3000_00e0)));
}

#[test]
fn the_first_fault_is_kept_beside_the_one_that_locks_up() {
    let mut machine = with_handler(&[NOP, 0x6801], &[NOP, BKPT]);
    machine.core_mut(0).set_register(0, 0x3000_0000);
    assert!(matches!(machine.run_until(1_000), Stop::Lockup { core: 0, .. }));
    let core = machine.core(0);
    let first = core.hard_fault().expect("the first");
    assert_eq!((first.cause, first.pc, first.registers[13]), (Cause::Read(0x3000_0000), CODE + 2, STACK));
    let second = core.lockup_fault().expect("the second");
    assert_eq!((second.cause, second.pc, second.during), (Cause::Breakpoint(0), HANDLER + 2, 3));
    assert!(first.cycle < second.cycle);
}

#[test]
fn a_fault_that_its_handler_returns_from_is_forgotten() {
    // The handler steps over the instruction: LDR r0, [sp, #24]; ADDS r0, #2; STR r0, [sp, #24]; BX LR.
    let handler = [0x9806, 0x3002, 0x9006, BX_LR];
    let mut machine = with_handler(&[NOP, UDF, NOP, STAY], &handler);
    machine.run_until(1_000);
    assert_eq!(machine.core(0).register(15), CODE + 6);
    assert_eq!(machine.core(0).hard_fault(), None);
}

#[test]
fn a_supervisor_call_in_the_handler_of_a_hard_fault_locks_up() {
    let mut machine = with_handler(&[NOP, UDF], &[0xdf00]);
    assert!(matches!(machine.run_until(1_000), Stop::Lockup { core: 0, .. }));
    assert_eq!(machine.core(0).lockup_fault().map(|fault| fault.cause), Some(Cause::SupervisorCall));
}

// What the command says

/// Builds the program of these tests.
fn build(name: &str, defines: &[&str]) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/crash/program.c");
    let more = [&["-g", source][..], defines].concat();
    crate::compiler::build(&format!("crash-{name}"), "sram", &more)
}

fn simulate(elf: &Path, options: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested"));
    command.args(["--clock", "125e6", "--max-cycles", "1e9"]).args(options).arg(elf);
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

/// The end as `--stats` calls it.
fn end(elf: &Path, options: &[&str]) -> serde_json::Value {
    let file = elf.with_extension("json");
    simulate(elf, &[options, &["--stats", &file.display().to_string()]].concat());
    let text = std::fs::read_to_string(file).expect("written");
    serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["end"].clone()
}

#[test]
fn a_crash_is_told_with_its_cause_function_and_line_and_no_text_is_lost() {
    let Some(elf) = build("load", &["-DCRASHES"]) else { return };
    let (output, said) = simulate(&elf, &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "last words\n");
    assert_eq!(output.status.code(), Some(1), "{said}");
    for words in [
        "core 0 locked up at 0x",
        "(isr_svcall + 0, ",
        "BKPT 0x00 without a debugger, where faults cannot be handled; before that, in cycle ",
        "bus error: load from 0x30000000 at 0x",
        "(look + 0, ",
        "program.c:35), lr 0x",
        "nothing more can happen: core 0 is locked up; core 1 sleeps, and nothing will wake it",
    ] {
        assert!(said.contains(words), "{words} is not in: {said}");
    }
    assert_eq!(said.matches("core 0 locked up at").count(), 1, "{said}");
    assert_eq!(end(&elf, &[]), "lockup");
}

#[test]
fn a_handler_that_spins_ends_the_run_with_the_cause() {
    let Some(elf) = build("spin", &["-DCRASHES", "-DHANDLER=spinning"]) else { return };
    let (output, said) = simulate(&elf, &[]);
    assert_eq!(output.stdout, b"last words\n");
    assert_eq!(output.status.code(), Some(1), "{said}");
    for words in [
        "core 0 is in its handler of a HardFault, at 0x",
        "(spinning + 0, ",
        "bus error: load from 0x30000000 at 0x",
        "core 0 stays in its handler of a HardFault; core 1 sleeps",
    ] {
        assert!(said.contains(words), "{words} is not in: {said}");
    }
    assert_eq!(end(&elf, &[]), "fault");
}

#[test]
fn a_main_that_returns_is_no_crash() {
    for (name, exit) in [("return", "-DEXIT=_exit"), ("return-early-sdk", "-DEXIT=exit")] {
        let Some(elf) = build(name, &[exit]) else { return };
        let (output, said) = simulate(&elf, &[]);
        assert_eq!(output.stdout, b"last words\n");
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(
            said.contains("core 0 has ended its program: it called _exit, as when main returns, with status 3"),
            "{said}"
        );
        assert!(!said.contains("core 0 locked up"), "{said}");
        assert_eq!(end(&elf, &[]), "returned");
    }
}

#[test]
fn the_end_of_a_crash_does_not_depend_on_how_the_run_is_watched() {
    let Some(elf) = build("watched", &["-DCRASHES"]) else { return };
    let trace = elf.with_extension("pftrace").display().to_string();
    let ends = [&[][..], &["--hash"], &["--trace", &trace]].map(|options| {
        let (_, said) = simulate(&elf, options);
        let line = said.lines().find(|line| line.contains("simulated, not measured")).expect("statistics").to_owned();
        (line, said.contains("nothing more can happen"))
    });
    assert!(ends.iter().all(|end| *end == ends[0] && end.1), "{ends:?}");
}
