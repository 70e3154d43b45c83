//! What a person does in `gdb-multiarch`, and what the simulator's process says to it.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use super::process::{
    BASE, NO_OPTIONS, Simulator, build, contains, debug, gdb, image, in_library, printed, registers, registers_of,
    simulator, stopped_in_library, text, wait_until_gdb_waits,
};
use crate::machine_code::STAY;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;

#[test]
fn a_breakpoint_stops_core_1_in_its_function() {
    for memory in ["sram", "flash"] {
        let Some(elf) = build("fifo_polled", memory) else { return };
        let commands = ["info threads", "break pong", "continue", "backtrace", "info threads", "delete", "continue"];
        let (said, (code, out, _)) = debug(&elf, NO_OPTIONS, &commands);
        contains(
            &said,
            &[
                "Thread 1.1 (core 0: running)",
                "Thread 1.2 (core 1: running)",
                "Thread 2 hit Breakpoint 1, pong () at fifo_polled.c:",
                "#0  pong () at fifo_polled.c:",
                "in core_1 () at chip.c:",
                "exited normally",
            ],
        );
        assert_eq!((code, out.as_str()), (Some(0), "100 round trips: 1601\n"));
    }
}

#[test]
fn registers_and_time_are_those_of_the_library() {
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let commands = ["break pong", "continue", "thread 1", "info registers", "thread 2", "info registers"];
    let (said, _) = debug(&elf, NO_OPTIONS, &[&commands[..], &["monitor cycles", "kill"]].concat());
    let machine = stopped_in_library(&elf, "pong", 1);
    assert_eq!(registers(&said), [registers_of(&machine, 0), registers_of(&machine, 1)]);
    contains(&said, &[&format!("cycle {} of clk_sys", machine.now())]);
}

#[test]
fn a_step_is_one_instruction_and_the_other_core_runs_along() {
    const STEPS: usize = 40;
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let mut commands = vec!["break pong", "continue", "delete"];
    commands.extend(["stepi", "print/x $pc"].repeat(STEPS));
    commands.extend(["thread 1", "info registers", "thread 2", "info registers", "monitor cycles", "kill"]);
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);

    let mut machine = stopped_in_library(&elf, "pong", 1);
    let mut free = machine.clone();
    let probe = free.bus.fabric.watch.probe(Watch::Execute, 0, u32::MAX);
    free.run_until(machine.now() + 1000);
    let begun: Vec<_> =
        free.bus.fabric.watch.hits(probe).iter().filter(|hit| hit.core == 1).map(|hit| hit.pc).collect();
    assert_eq!(printed(&said), begun[1..=STEPS]);
    for _ in 0..STEPS {
        assert_eq!(machine.step(1), Stop::Stepped);
    }
    assert_eq!(registers(&said), [registers_of(&machine, 0), registers_of(&machine, 1)]);
    contains(&said, &[&format!("cycle {} of clk_sys", machine.now())]);
}

#[test]
fn a_watchpoint_stops_right_behind_the_instruction_and_tells_the_values() {
    let Some(elf) = build("fifo_polled", "flash") else { return };
    let commands = ["watch core_1_function", "continue", "x/i $pc-2", "delete", "rwatch core_1_function", "continue"];
    let rest = ["x/i $pc-2", "delete", "awatch *(char *)((char *)&core_1_function + 2)", "monitor reset"];
    let flush = ["maintenance flush register-cache", "continue", "delete", "continue"];
    let (said, (_, out, _)) = debug(&elf, NO_OPTIONS, &[&commands[..], &rest, &flush].concat());
    contains(
        &said,
        &[
            "Thread 1 hit Hardware watchpoint 1: core_1_function",
            "New value = (void (*)(void)) 0x20041001 <pong>",
            "<start_core_1+4>:\tstr\tr0, [r3, #0]",
            "Thread 2 hit Hardware read watchpoint 2: core_1_function",
            "Value = (void (*)(void)) 0x20041001 <pong>",
            "<core_1+24>:\tldr\tr3, [r3, #0]",
            "hit Hardware access (read/write) watchpoint 3",
        ],
    );
    assert_eq!(out, "100 round trips: 1601\n");
}

#[test]
fn no_core_passes_a_breakpoint_while_gdb_steps_the_other_one_past_it() {
    let Some(elf) = build("both_cores", "sram") else { return };
    let (machine, at) = in_library(&elf, "work_in_sram4");
    // WFI, and the instruction behind it, which both cores begin in the same cycle.
    for offset in [6, 8] {
        let mut machine = machine.clone();
        let probe = machine.bus.fabric.watch.probe(Watch::Execute, at + offset, 1);
        while machine.run_until(machine.now() + 1_000_000) == Stop::Limit {}
        let hits = machine.bus.fabric.watch.hits(probe).len();
        let place = format!("break *{:#x}", at + offset);
        let (said, (_, out, _)) = debug(&elf, NO_OPTIONS, &[&place, "ignore 1 99", "continue", "info breakpoints"]);
        contains(&said, &[&format!("breakpoint already hit {hits} times")]);
        assert!(hits == 4 && out.contains("one bank, later: 4003\n"), "{hits}: {out}");
    }
}

#[test]
fn memory_is_read_without_side_effects_and_written() {
    let Some(elf) = build("fifo_polled", "flash") else { return };
    let commands = [
        "break example",
        "continue",
        "print/x *(unsigned *)0x00000010", // ROM
        "print/x *(unsigned *)0x4000c008", // RESETS.RESET_DONE
        "print/x *(unsigned *)0xe000ed00", // CPUID of the core
        "print/x *(unsigned *)0xd0000100", // a spinlock: a core's read would take it
        "print/x *(unsigned *)0xd0000100",
        "set var core_1_function = (void *)0x12345678",
        "print/x core_1_function",
        "set var *(char *)0x20040fff = 0x5a",
        "print/x *(unsigned char *)0x20040fff",
        "set var *(unsigned *)0x4005800c = 0x87654321", // WATCHDOG.SCRATCH0
        "print/x *(unsigned *)0x4005800c",
        "set var $r7 = 0xcafe",
        "print/x $r7",
        "set var $psp = 0x20003000",
        "print/x $psp",
        "print/x *(unsigned *)0x30000000",
        "print/x *(unsigned *)0x20042000",
        "kill",
    ];
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);
    let machine = stopped_in_library(&elf, "example", 0);
    let expected = [
        machine.peek(0x10).expect("ROM"),
        machine.peek_register(0x4000_c008),
        0x410c_c601,
        1,
        1,
        0x1234_5678,
        0x5a,
        0x8765_4321,
        0xcafe,
        0x2000_3000,
    ];
    assert_eq!(printed(&said), expected, "{said}");
    contains(&said, &["Cannot access memory at address 0x30000000", "Cannot access memory at address 0x20042000"]);
}

#[test]
fn registers_of_a_cores_own_bus_are_written() {
    let Some(elf) = build("fifo_polled", "flash") else { return };
    let commands = [
        "break example",
        "continue",
        "set var *(unsigned *)0xe000ed08 = 0x200001ff", // VTOR: bits 31 to 8
        "print/x *(unsigned *)0xe000ed08",
        "set var *(unsigned *)0xe000e100 = 0x05000000", // NVIC_ISER
        "set var *(unsigned *)0xe000e180 = 0x01000000", // NVIC_ICER
        "print/x *(unsigned *)0xe000e100",
        "set var *(unsigned *)0xe000e400 = 0xffffffff", // NVIC_IPR0: two bits of each byte
        "print/x *(unsigned *)0xe000e400",
        "set var *(unsigned *)0xe000e014 = 0x1234", // SYST_RVR
        "print/x *(unsigned *)0xe000e014",
        "set var *(unsigned *)0xe000ed10 = 0x10", // SCR
        "print/x *(unsigned *)0xe000ed10",
        "thread 2",
        "print/x *(unsigned *)0xe000ed08", // that core's is another
        "print/x *(unsigned *)0xe000ed10",
        "kill",
    ];
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);
    // Core 1 is still in the boot ROM, in its deep sleep.
    assert_eq!(printed(&said), [0x2000_0100, 0x0400_0000, 0xc0c0_c0c0, 0x1234, 0x10, 0, 0x4], "{said}");
}

#[test]
fn an_interrupt_that_a_debugger_makes_pending_wakes_its_core() {
    // CPSID i; WFI; B .
    let image = image("pend", &[0xb672, 0xbf30, STAY]);
    let wake = ["set var *(unsigned *)0xe000e100 = 1 << 26", "set var *(unsigned *)0xe000e200 = 1 << 26"];
    let commands = [&["continue"][..], &wake, &["continue"]].concat();
    let limited = ["--base", "0x20000000", "--max-cycles", "200000"];
    let (said, (code, _, err)) = debug(&image, &limited, &commands);
    contains(&said, &["dead end: both cores sleep for good", "Program terminated with signal SIGXCPU"]);
    contains(&err, &["core 0 is running at 0x2000000c"]);
    assert_eq!(code, Some(1));
}

#[test]
fn the_divider_of_a_core_is_read_and_used_while_time_stands_still() {
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let commands = [
        "break example",
        "continue",
        "set var *(unsigned *)0xd0000060 = 100", // DIV_UDIVIDEND
        "set var *(unsigned *)0xd0000064 = 7",   // DIV_UDIVISOR
        "print/x *(unsigned *)0xd0000078",       // DIV_CSR: READY, and DIRTY until a core reads the quotient
        "print/x *(unsigned *)0xd0000074",
        "print/x *(unsigned *)0xd0000070",
        "print/x *(unsigned *)0xd0000070",
        "print/x *(unsigned *)0xd0000078",
        "set var *(int *)0xd0000068 = -100", // DIV_SDIVIDEND
        "set var *(int *)0xd000006c = 7",    // DIV_SDIVISOR
        "print/x *(unsigned *)0xd0000070",
        "kill",
    ];
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);
    assert_eq!(printed(&said), [3, 2, 14, 14, 3, 14_u32.wrapping_neg()], "{said}");
}

#[test]
fn gdb_loads_an_image_and_starts_it() {
    for memory in ["sram", "flash"] {
        let Some(elf) = build("spinlock", memory) else { return };
        let Some(other) = build("fifo_polled", memory) else { return };
        let simulator = Simulator::start(&elf, NO_OPTIONS, Stdio::null());
        let commands = ["load", "compare-sections", "monitor reset", "maintenance flush register-cache", "continue"];
        let said = text(&gdb(Some(&other), &simulator.address, &commands).output().expect("GDB runs"));
        assert!(!said.contains("MIS-MATCHED"), "{said}");
        assert_eq!(simulator.end().1, "100 round trips: 1601\n", "{said}");
    }
}

#[test]
fn a_session_changes_neither_time_nor_output() {
    // All that is told at the end, but for how long it took here, and what GDB's coming and going adds before.
    let statistics = |text: &str| {
        let table = text.lines().skip_while(|line| !line.starts_with("simulated, not measured"));
        let table: Vec<_> = table.filter(|line| !line.starts_with("emulated")).map(str::to_owned).collect();
        assert!(table.len() > 3, "{text}");
        table
    };
    let echo: &[&str] = &["--input-after", "ready\n"];
    for (name, options, input, core_1_works) in [
        ("fifo_polled", NO_OPTIONS, "", true),
        ("uart_echo", echo, "hello\n", false),
        ("both_cores", NO_OPTIONS, "", true),
    ] {
        let Some(elf) = build(name, "flash") else { return };
        let input_file = elf.with_extension("input");
        std::fs::write(&input_file, input).expect("written");
        let stdin = || std::fs::File::open(&input_file).expect("there");
        let plain = simulator().args(options).arg(&elf).stdin(stdin()).output().expect("it runs");
        let simulator = Simulator::start(&elf, options, stdin().into());
        let mut commands = vec!["tbreak start", "continue", "hbreak example", "continue"];
        commands.extend(["stepi"; 20]);
        if core_1_works {
            commands.extend(["thread 2", "stepi", "stepi", "thread 1", "next"]);
            commands.extend(["rwatch *(int *)0xd0000058", "continue"]);
        }
        commands.extend(["info threads", "backtrace", "info registers", "x/8xw 0xd0000050", "x/8xw 0xe000e010"]);
        commands.extend(["delete", "thread 1", "break print", "continue", "finish", "delete", "continue"]);
        let said = text(&gdb(Some(&elf), &simulator.address, &commands).output().expect("GDB runs"));
        let (code, out, err) = simulator.end();
        assert_eq!(code, Some(0), "{said}{err}");
        assert_eq!(said.contains("hit Hardware read watchpoint"), core_1_works, "{said}");
        contains(&said, &["hit Breakpoint", "print (text="]);
        assert_eq!(out, String::from_utf8_lossy(&plain.stdout), "{name}");
        assert_eq!(statistics(&err), statistics(&String::from_utf8_lossy(&plain.stderr)), "{name}\n{said}");
    }
}

#[test]
fn the_exit_code_is_told_to_gdb_and_to_the_shell() {
    // MOVS r0, #0x20 (SYS_EXIT_EXTENDED); ADR r1; BKPT 0xAB; {0x20026, 42}
    let image = image("exit", &[0x2020, 0xA101, 0xBEAB, 0xBF00, 0x0026, 0x0002, 42, 0]);
    let (said, (code, ..)) = debug(&image, BASE, &["continue"]);
    contains(&said, &["exited with code 052"]); // octal
    assert_eq!(code, Some(42));
}

#[test]
fn lockup_dead_end_and_the_limit_are_stops_with_a_reason() {
    let (said, (code, _, err)) = debug(&image("udf", &[0xDE00]), BASE, &["continue", "info threads", "kill"]);
    contains(&said, &["core 0 locked up at 0x", "Thread 1 received signal SIGSEGV", "(core 0: locked up)"]);
    assert_eq!(code, Some(1));
    contains(&err, &["killed by GDB"]);
    let (said, _) = debug(&image("wfi", &[0xBF30, 0xE7FD]), BASE, &["continue", "info threads", "kill"]);
    contains(&said, &["dead end: both cores sleep for good", "SIGSTOP", "(core 0: asleep)"]);
    let limited = ["--base", "0x20000000", "--max-cycles", "200000"];
    let (said, (code, _, err)) = debug(&image("stay", &[STAY]), &limited, &["continue"]);
    contains(&said, &["Program terminated with signal SIGXCPU"]);
    assert_eq!(code, Some(1));
    contains(&err, &["cycle 200000: the limit set by --max-cycles is reached"]);
}

#[test]
fn after_detaching_the_chip_runs_on() {
    let Some(elf) = build("uart_echo", "sram") else { return };
    let input = elf.with_extension("input");
    std::fs::write(&input, "hello\n").expect("written");
    let file = std::fs::File::open(&input).expect("there");
    let simulator = Simulator::start(&elf, &["--input-after", "ready\n"], file.into());
    // Stopped while the text that lets the input go is on its way.
    let commands = ["break wait", "continue", "detach"];
    let said = text(&gdb(Some(&elf), &simulator.address, &commands).output().expect("GDB runs"));
    contains(&said, &["hit Breakpoint 1"]);
    assert!(simulator.end().1.starts_with("ready\nhello\nbytes: 6\n"), "{said}");
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let (_, (code, out, _)) = debug(&elf, NO_OPTIONS, &["break pong", "watch core_1_function", "continue", "detach"]);
    assert_eq!((code, out.as_str()), (Some(0), "100 round trips: 1601\n"));
}

#[test]
fn monitor_runs_so_many_cycles_or_to_a_breakpoint() {
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let commands =
        ["monitor run 1e4", "break pong", "monitor run 5", "monitor run", "monitor run -1", "monitor run 1e15", "kill"];
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);
    contains(
        &said,
        &[
            "\ncycle 10000 of clk_sys\n",
            "\ncycle 10005 of clk_sys\n",
            "no such command: run",
            "not a whole number",
            "at most 10000000 at a time",
        ],
    );
}

#[test]
fn ctrl_c_interrupts_a_run() {
    let image = image("interrupt", &[STAY]);
    let simulator = Simulator::start(&image, BASE, Stdio::null());
    let commands = ["monitor cycles", "continue", "print 1234", "kill"];
    let child = gdb(None, &simulator.address, &commands).spawn().expect("GDB runs");
    wait_until_gdb_waits(child.id(), simulator.id());
    // `timeout` passes it on.
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it runs").success());
    let said = text(&child.wait_with_output().expect("it ends"));
    contains(&said, &["received signal SIGINT", "$1 = 1234"]);
    assert_eq!(simulator.end().0, Some(1));
}

#[test]
fn what_is_wrong_with_the_address_is_a_sentence() {
    let image = image("address", &[STAY]);
    let holder = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = holder.local_addr().expect("an address").to_string();
    let cases = [
        ("nonsense", "invalid socket address: give ADDRESS:PORT, such as 127.0.0.1:3333"),
        ("3333", "invalid socket address: give ADDRESS:PORT"),
        ("127.0.0.1:99999", "invalid port value: give ADDRESS:PORT"),
        ("192.0.2.1:1", "annot assign requested address"),
        (&taken, "ddress already in use"),
    ];
    for (address, why) in cases {
        let output = simulator().args(BASE).args(["--gdb", address]).arg(&image).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        contains(&said, &[&format!("intercore-sim: --gdb cannot listen at {address}: "), why]);
    }
}

#[test]
fn a_client_that_vanishes_ends_the_run_with_a_sentence() {
    let image = image("vanish", &[STAY]);
    for start in ["", "$vCont;c#a8"] {
        let simulator = Simulator::start(&image, BASE, Stdio::null());
        let mut client = TcpStream::connect(&simulator.address).expect("it listens");
        client.write_all(start.as_bytes()).expect("it reads");
        drop(client);
        let (code, _, err) = simulator.end();
        assert_eq!(code, Some(1));
        contains(&err, &["the run ends, because the connection to GDB is lost"]);
    }
}
