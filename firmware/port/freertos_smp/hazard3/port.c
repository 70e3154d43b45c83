/* FreeRTOS V11 SMP on the two Hazard3 cores of the RP2350 (portmacro.h): tasks' first frames, the start of the
 * scheduler on both cores, the tick, and how one core makes the other yield. */
#include "FreeRTOS.h"

#include "task.h"

#define portREGISTER(address) (*(volatile uint32_t *)(address))

/* DS 3.1.11 */
#define portSPINLOCK(number) (&portREGISTER(0xd0000100U + 4U * (number)))
#define portDOORBELL_OUT_SET portREGISTER(0xd0000180U)
#define portDOORBELL_IN_CLR portREGISTER(0xd000018cU)
#define portMTIME portREGISTER(0xd00001b0U)
#define portMTIMEH portREGISTER(0xd00001b4U)
#define portMTIMECMP portREGISTER(0xd00001b8U)
#define portMTIMECMPH portREGISTER(0xd00001bcU)

#define portDOORBELL_INTERRUPT 26U /* SIO_IRQ_BELL (DS 3.2) */

/* Bits of mie (DS 3.8.9) */
#define portMIE_TIMER (1U << 7U)
#define portMIE_EXTERNAL (1U << 11U)

/* The frame from which portASM.S resumes a task, in words */
enum { portFRAME_WORDS = 32, portFRAME_RA = 0, portFRAME_A0 = 4, portFRAME_MEPC = 28, portFRAME_MSTATUS = 29 };
#define portINITIAL_MSTATUS 0x1880U /* mret stays in machine mode (MPP) and unmasks interrupts (MPIE) */

#define portTICK_CYCLES (configCPU_CLOCK_HZ / configTICK_RATE_HZ)

struct xPortCore xPortCores[2];
UBaseType_t uxPortCriticalNesting[2];

/* Two of the spinlocks that no other write of the firmware releases (erratum RP2350-E2) */
struct xPortLock xPortIsrLock = {portSPINLOCK(10U), -1, 0};
struct xPortLock xPortTaskLock = {portSPINLOCK(11U), -1, 0};

static uint64_t ullFirstTick;
static uint64_t ullNextTick;

void vPortStartFirstTask(void) __attribute__((noreturn));

/* ---- tasks ---- */

static void prvTaskHasReturned(void) { vPortTaskReturned(); }

StackType_t *pxPortInitialiseStack(StackType_t *pxTopOfStack, TaskFunction_t pxCode, void *pvParameters) {
    StackType_t *pxFrame = pxTopOfStack - portFRAME_WORDS;
    pxFrame[portFRAME_RA] = (StackType_t)prvTaskHasReturned;
    pxFrame[portFRAME_A0] = (StackType_t)pvParameters;
    pxFrame[portFRAME_MEPC] = (StackType_t)pxCode;
    pxFrame[portFRAME_MSTATUS] = portINITIAL_MSTATUS;
    return pxFrame;
}

/* ---- the other core ---- */

void vPortYieldCore(BaseType_t xCoreID) {
    configASSERT(xCoreID != portGET_CORE_ID());
    (void)xCoreID;
    portDOORBELL_OUT_SET = portDOORBELL;
}

void vPortDoorbell(void) {
    portDOORBELL_IN_CLR = portDOORBELL;
    portYIELD_FROM_ISR(pdTRUE);
}

/* ---- the tick ---- */

/* In an order in which the compare register is never too low (DS 3.1.8) */
void vPortSetTimer(uint64_t ullWhen) {
    portMTIMECMP = UINT32_MAX;
    portMTIMECMPH = (uint32_t)(ullWhen >> 32U);
    portMTIMECMP = (uint32_t)ullWhen;
}

/* If the core was masked for longer than a tick, the interrupt comes again at once, so no tick is lost. */
static void prvTick(void) {
    traceISR_ENTER();
    ullNextTick += portTICK_CYCLES;
    vPortSetTimer(ullNextTick);
    UBaseType_t uxKept = taskENTER_CRITICAL_FROM_ISR();
    BaseType_t xSwitch = xTaskIncrementTick();
    taskEXIT_CRITICAL_FROM_ISR(uxKept);
    portYIELD_FROM_ISR(xSwitch);
}

uint64_t ullPortFirstTick(void) { return ullFirstTick; }

static uint64_t prvTime(void) {
    uint32_t ulHigh;
    uint32_t ulLow;
    do {
        ulHigh = portMTIMEH;
        ulLow = portMTIME;
    } while (ulHigh != portMTIMEH);
    return (uint64_t)ulHigh << 32U | ulLow;
}

/* ---- start ---- */

static void prvStartOnThisCore(void) {
    BaseType_t xCore = portGET_CORE_ID();
    uint32_t ulEnabled = portMIE_EXTERNAL;
    xPortCores[xCore].pxHandlers[portDOORBELL_INTERRUPT] = vPortDoorbell;
    vPortEnableInterrupt(portDOORBELL_INTERRUPT);
    if (xCore == configTICK_CORE) {
        ullFirstTick = prvTime() + portTICK_CYCLES;
        ullNextTick = ullFirstTick;
        xPortCores[xCore].pxTimer = prvTick;
        vPortSetTimer(ullNextTick);
        ulEnabled |= portMIE_TIMER;
    }
    __asm volatile("csrs mie, %0" ::"r"(ulEnabled));
    vPortStartFirstTask();
}

BaseType_t xPortStartScheduler(void) {
    vPortLaunchCore1(prvStartOnThisCore);
    prvStartOnThisCore();
    return pdFALSE;
}

/* Nothing called the scheduler to which it could return. */
void vPortEndScheduler(void) { configASSERT(pdFALSE); }
