//! Where code that was made for the host is entered: the one place with unsafe code.

/// Whether this host can run what is made.
pub(crate) const RUNS_HERE: bool = cfg!(target_arch = "x86_64");
/// RBX, RBP, R12 to R15: what a function of the System V ABI hands back as it was.
pub(crate) const CALLEE_SAVED: [u8; 6] = [3, 5, 12, 13, 14, 15];

/// Calls the function at an address of the host, which was made for two such arguments, and hands it the address of the code to go
/// on with. What it does to memory, and why that is sound, is told where it is made.
#[allow(unsafe_code)]
pub(crate) fn enter<A, B>(function: usize, first: &mut A, second: &mut B, code: usize) -> u32 {
    #[cfg(target_arch = "x86_64")]
    type Function<A, B> = extern "sysv64" fn(&mut A, &mut B, usize) -> u32;
    #[cfg(not(target_arch = "x86_64"))]
    type Function<A, B> = extern "C" fn(&mut A, &mut B, usize) -> u32;
    // SAFETY: it is the address of a function of this type, made by an assembler and committed.
    let function: Function<A, B> = unsafe { std::mem::transmute(function) };
    function(first, second, code)
}
