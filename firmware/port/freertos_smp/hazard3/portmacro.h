/* FreeRTOS V11 SMP on the two Hazard3 cores (RISC-V) of the RP2350: what the kernel needs of a port as macros. port.c
 * and portASM.S have the rest. "DS" is the RP2350's datasheet.
 *
 * - Interrupts do not interrupt each other, so there is one frame of saved registers per task, and an interrupt stack
 *   for each core.
 * - A yield is a function call. Only registers that the ABI lets a function keep are saved, whether a task yields or an
 *   interrupt preempts it: an interrupt's entry saves the others.
 * - A doorbell (DS 3.1.6) makes the other core yield, core 0's compare register of MTIME (DS 3.1.8) makes the tick, and
 *   the kernel's two locks are hardware spinlocks (DS 3.1.4). */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

/* ---- types ---- */

#define portCHAR char
#define portFLOAT float
#define portDOUBLE double
#define portLONG long
#define portSHORT short
#define portSTACK_TYPE uint32_t
#define portBASE_TYPE int32_t

typedef uint32_t StackType_t;
typedef int32_t BaseType_t;
typedef uint32_t UBaseType_t;
typedef uint32_t TickType_t;
#define portMAX_DELAY ((TickType_t)0xffffffffUL)
#define portTICK_TYPE_IS_ATOMIC 1

#define portSTACK_GROWTH (-1)
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portBYTE_ALIGNMENT 16

#define portTASK_FUNCTION_PROTO(vFunction, pvParameters) void vFunction(void *pvParameters)
#define portTASK_FUNCTION(vFunction, pvParameters) void vFunction(void *pvParameters)

#define portNOP() __asm volatile("nop")
/* Only for the compiler: the cores access memory in the program's order, at every address (DS 3.8.2.2). */
#define portMEMORY_BARRIER() __asm volatile("" ::: "memory")

/* ---- cores ---- */

#define portINTERRUPTS 52 /* of each core (DS 3.2) */

/* What the trap code of a core uses; mscratch points to it. portASM.S knows the order. */
struct xPortCore {
    StackType_t *pxTaskStack;                 /* stack pointer of the interrupted task */
    StackType_t *pxInterruptStack;            /* top of the stack for interrupts */
    volatile uint32_t ulSwitch;               /* not 0: switch tasks at the end of the interrupt */
    void (*pxTimer)(void);                    /* handler of the interrupt of MTIME */
    void (*pxHandlers[portINTERRUPTS])(void); /* handlers of the other interrupts */
};
extern struct xPortCore xPortCores[2];

/* The trap vectors of both cores: the value for mtvec is this address + 1. Set mtvec and mscratch before the scheduler
 * starts. */
void vPortTraps(void);

/* Enables an interrupt of the calling core: a write of 16 bits of the array MEIEA (DS 3.8.6.1.1) */
static inline void vPortEnableInterrupt(uint32_t ulNumber) {
    __asm volatile("csrs 0xbe0, %0" ::"r"(ulNumber / 16U | 1U << (16U + ulNumber % 16U)));
}

/* Sets the moment of MTIME at which the timer interrupt of the calling core comes, and stays until it is set anew. */
void vPortSetTimer(uint64_t ullWhen);

/* Handles the doorbell by which the other core makes this one yield. */
void vPortDoorbell(void);

/* The moment of MTIME at which the first tick was due. Constant after the start of the scheduler */
uint64_t ullPortFirstTick(void);

/* ---- supplied by the board ---- */

/* Makes core 1 call a function, with traps and stack set up and interrupts masked. */
void vPortLaunchCore1(void (*pxEntry)(void));

/* Ends the program: after an exception with these values of mcause and mepc; after a task's function has returned. */
void vPortException(uint32_t ulCause, uint32_t ulAt) __attribute__((noreturn));
void vPortTaskReturned(void) __attribute__((noreturn));

/* Volatile: a task may be on another core whenever it asks again. */
static inline BaseType_t xPortCoreID(void) {
    BaseType_t xCore;
    __asm volatile("csrr %0, mhartid" : "=r"(xCore));
    return xCore;
}
#define portGET_CORE_ID() xPortCoreID()

/* ---- interrupts ---- */

#define portMSTATUS_MIE 8

static inline UBaseType_t uxPortMaskInterrupts(void) {
    UBaseType_t uxStatus;
    __asm volatile("csrrci %0, mstatus, %1" : "=r"(uxStatus) : "i"(portMSTATUS_MIE) : "memory");
    return uxStatus & portMSTATUS_MIE;
}
static inline void vPortUnmaskInterrupts(UBaseType_t uxKept) {
    __asm volatile("csrs mstatus, %0" ::"r"(uxKept) : "memory");
}
#define portDISABLE_INTERRUPTS() __asm volatile("csrci mstatus, %0" ::"i"(portMSTATUS_MIE) : "memory")
#define portENABLE_INTERRUPTS() __asm volatile("csrsi mstatus, %0" ::"i"(portMSTATUS_MIE) : "memory")
#define portSET_INTERRUPT_MASK() uxPortMaskInterrupts()
#define portCLEAR_INTERRUPT_MASK(uxKept) vPortUnmaskInterrupts(uxKept)
#define portSET_INTERRUPT_MASK_FROM_ISR() uxPortMaskInterrupts()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(uxKept) vPortUnmaskInterrupts(uxKept)

/* The interrupt stacks are above the stacks of all tasks. */
extern StackType_t ulPortInterruptStacks[];
static inline BaseType_t xPortIsInInterrupt(void) {
    const StackType_t *pxStack;
    __asm volatile("mv %0, sp" : "=r"(pxStack));
    return pxStack >= ulPortInterruptStacks;
}
#define portCHECK_IF_IN_ISR() xPortIsInInterrupt()

/* ---- yields ---- */

void vPortYield(void);
#define portYIELD() vPortYield()
#define portYIELD_FROM_ISR(xSwitchRequired)                                                                            \
    do {                                                                                                               \
        if (xSwitchRequired) {                                                                                         \
            traceISR_EXIT_TO_SCHEDULER();                                                                              \
            xPortCores[portGET_CORE_ID()].ulSwitch = 1;                                                                \
        } else {                                                                                                       \
            traceISR_EXIT();                                                                                           \
        }                                                                                                              \
    } while (0)
#define portEND_SWITCHING_ISR(xSwitchRequired) portYIELD_FROM_ISR(xSwitchRequired)

/* The doorbell bit with which a core makes the other one yield */
#define portDOORBELL 1U
void vPortYieldCore(BaseType_t xCoreID);
#define portYIELD_CORE(xCoreID) vPortYieldCore(xCoreID)

/* ---- critical sections ---- */

#define portCRITICAL_NESTING_IN_TCB 0
extern UBaseType_t uxPortCriticalNesting[];
#define portGET_CRITICAL_NESTING_COUNT(xCoreID) (uxPortCriticalNesting[(xCoreID)])
#define portSET_CRITICAL_NESTING_COUNT(xCoreID, x) (uxPortCriticalNesting[(xCoreID)] = (x))
#define portINCREMENT_CRITICAL_NESTING_COUNT(xCoreID) (uxPortCriticalNesting[(xCoreID)]++)
#define portDECREMENT_CRITICAL_NESTING_COUNT(xCoreID) (uxPortCriticalNesting[(xCoreID)]--)

void vTaskEnterCritical(void);
void vTaskExitCritical(void);
UBaseType_t vTaskEnterCriticalFromISR(void);
void vTaskExitCriticalFromISR(UBaseType_t uxSavedInterruptStatus);
#define portENTER_CRITICAL() vTaskEnterCritical()
#define portEXIT_CRITICAL() vTaskExitCritical()
#define portENTER_CRITICAL_FROM_ISR() vTaskEnterCriticalFromISR()
#define portEXIT_CRITICAL_FROM_ISR(x) vTaskExitCriticalFromISR(x)

/* A lock that its owner may take again. Only the owner changes the fields, and interrupts are masked. */
struct xPortLock {
    volatile uint32_t *pulSpinlock; /* a read that is not 0 takes it, a write frees it */
    BaseType_t xOwner;              /* core that has it; -1: none */
    UBaseType_t uxTaken;            /* how often */
};
extern struct xPortLock xPortIsrLock;
extern struct xPortLock xPortTaskLock;

static inline void vPortTakeLock(struct xPortLock *pxLock, BaseType_t xCoreID) {
    if (*(volatile BaseType_t *)&pxLock->xOwner != xCoreID) {
        while (*pxLock->pulSpinlock == 0) {
        }
        portMEMORY_BARRIER();
        pxLock->xOwner = xCoreID;
    }
    pxLock->uxTaken++;
}
static inline void vPortFreeLock(struct xPortLock *pxLock) {
    if (--pxLock->uxTaken == 0) {
        pxLock->xOwner = -1;
        portMEMORY_BARRIER();
        *pxLock->pulSpinlock = 0;
    }
}
#define portGET_ISR_LOCK(xCoreID) vPortTakeLock(&xPortIsrLock, xCoreID)
#define portRELEASE_ISR_LOCK(xCoreID) vPortFreeLock(&xPortIsrLock)
#define portGET_TASK_LOCK(xCoreID) vPortTakeLock(&xPortTaskLock, xCoreID)
#define portRELEASE_TASK_LOCK(xCoreID) vPortFreeLock(&xPortTaskLock)

#endif
