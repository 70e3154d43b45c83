/* A mark in a recording of your program (docs/trace.md). Include only this header.
 *
 *   intercore_mark("dma done");
 *
 * Call it in any task or handler, on any core. The trace shows the moment of the call under this name, of which 15
 * characters are kept. Each core can keep 24 names, including those of its tasks. A mark costs more time than other
 * events, because the call searches these names. While nothing is recorded, it costs a call and a test; in a program
 * without the recorder, nothing. */
#ifndef INTERCORE_TRACE_H
#define INTERCORE_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef IC_TRACE
void intercore_mark(const char *text);
#else
static inline void intercore_mark(const char *text) { (void)text; }
#endif

#ifdef __cplusplus
}
#endif
#endif
