//! Operations of the arithmetic unit on EAX and ECX, with their results in EAX.

use crate::isa::hazard3::op::Alu;
use dynasmrt::x64::Assembler;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

/// Whether there is code for an operation. Those that compilers hardly use have none.
pub(super) fn is_known(alu: Alu) -> bool {
    !matches!(alu, Alu::Clz | Alu::Ctz | Alu::Cpop | Alu::OrcB | Alu::Packh | Alu::Brev8 | Alu::Zip | Alu::Unzip)
}

/// Computes one that is known. Changes ECX and EDX.
pub(super) fn compute(to: &mut Assembler, alu: Alu) {
    match alu {
        Alu::Add => dynasm!(to ; .arch x64 ; add eax, ecx),
        Alu::Sub => dynasm!(to ; .arch x64 ; sub eax, ecx),
        Alu::Slt => dynasm!(to ; .arch x64 ; cmp eax, ecx ; setl al ; movzx eax, al),
        Alu::Sltu => dynasm!(to ; .arch x64 ; cmp eax, ecx ; setb al ; movzx eax, al),
        Alu::And => dynasm!(to ; .arch x64 ; and eax, ecx),
        Alu::Or => dynasm!(to ; .arch x64 ; or eax, ecx),
        Alu::Xor => dynasm!(to ; .arch x64 ; xor eax, ecx),
        Alu::Sll => dynasm!(to ; .arch x64 ; shl eax, cl),
        Alu::Srl => dynasm!(to ; .arch x64 ; shr eax, cl),
        Alu::Sra => dynasm!(to ; .arch x64 ; sar eax, cl),
        Alu::Rol => dynasm!(to ; .arch x64 ; rol eax, cl),
        Alu::Ror => dynasm!(to ; .arch x64 ; ror eax, cl),
        Alu::Second => dynasm!(to ; .arch x64 ; mov eax, ecx),
        Alu::ShiftAdd(by) => dynasm!(to ; .arch x64 ; shl eax, by as i8 ; add eax, ecx),
        Alu::Andn => dynasm!(to ; .arch x64 ; not ecx ; and eax, ecx),
        Alu::Orn => dynasm!(to ; .arch x64 ; not ecx ; or eax, ecx),
        Alu::Xnor => dynasm!(to ; .arch x64 ; xor eax, ecx ; not eax),
        Alu::Max => dynasm!(to ; .arch x64 ; cmp eax, ecx ; cmovl eax, ecx),
        Alu::Maxu => dynasm!(to ; .arch x64 ; cmp eax, ecx ; cmovb eax, ecx),
        Alu::Min => dynasm!(to ; .arch x64 ; cmp eax, ecx ; cmovg eax, ecx),
        Alu::Minu => dynasm!(to ; .arch x64 ; cmp eax, ecx ; cmova eax, ecx),
        Alu::Rev8 => dynasm!(to ; .arch x64 ; bswap eax),
        Alu::SextB => dynasm!(to ; .arch x64 ; movsx eax, al),
        Alu::SextH => dynasm!(to ; .arch x64 ; movsx eax, ax),
        Alu::ZextH => dynasm!(to ; .arch x64 ; movzx eax, ax),
        Alu::Bclr => dynasm!(to ; .arch x64 ; btr eax, ecx),
        Alu::Bext => dynasm!(to ; .arch x64 ; shr eax, cl ; and eax, 1),
        Alu::Binv => dynasm!(to ; .arch x64 ; btc eax, ecx),
        Alu::Bset => dynasm!(to ; .arch x64 ; bts eax, ecx),
        Alu::Pack => dynasm!(to ; .arch x64 ; movzx eax, ax ; shl ecx, 16 ; or eax, ecx),
        Alu::ExtractBits(count) => {
            let mask = (1_u32 << count) - 1;
            dynasm!(to ; .arch x64 ; shr eax, cl ; and eax, mask as i32);
        }
        Alu::Mul => dynasm!(to ; .arch x64 ; imul eax, ecx),
        Alu::Mulh => dynasm!(to ; .arch x64 ; imul ecx ; mov eax, edx),
        Alu::Mulhu => dynasm!(to ; .arch x64 ; mul ecx ; mov eax, edx),
        Alu::Mulhsu => dynasm!(to ; .arch x64 ; movsxd rax, eax ; imul rax, rcx ; shr rax, 32),
        Alu::Div | Alu::Rem => divide(to, alu == Alu::Rem, true),
        Alu::Divu | Alu::Remu => divide(to, alu == Alu::Remu, false),
        _ => unreachable!("a routine has nothing else"),
    }
}

/// Division, by 0 and of the least number by -1, too: then the host's would be a trap.
fn divide(to: &mut Assembler, remainder: bool, signed: bool) {
    let (by_zero, by_minus_one, done) = (to.new_dynamic_label(), to.new_dynamic_label(), to.new_dynamic_label());
    dynasm!(to ; .arch x64 ; test ecx, ecx ; jz =>by_zero);
    if signed {
        dynasm!(to ; .arch x64 ; cmp ecx, -1 ; je =>by_minus_one ; cdq ; idiv ecx);
    } else {
        dynasm!(to ; .arch x64 ; xor edx, edx ; div ecx);
    }
    if remainder {
        dynasm!(to ; .arch x64 ; mov eax, edx);
    }
    dynasm!(to ; .arch x64 ; jmp =>done ; =>by_zero);
    if !remainder {
        dynasm!(to ; .arch x64 ; mov eax, -1);
    }
    dynasm!(to ; .arch x64 ; jmp =>done ; =>by_minus_one);
    if remainder {
        dynasm!(to ; .arch x64 ; xor eax, eax);
    } else {
        dynasm!(to ; .arch x64 ; neg eax);
    }
    dynasm!(to ; .arch x64 ; =>done);
}
