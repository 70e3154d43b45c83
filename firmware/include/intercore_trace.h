/* A mark in a recording of your program (docs/trace.md). Include only this header.
 *
 *   intercore_mark("dma done");
 *
 * Call it from any task or handler, on any core. The trace shows the moment under that name, of which 15 characters are
 * kept. Each core keeps 24 names, including those of its tasks. A mark searches them for its text, so it costs more
 * than other events. While nothing is recorded it costs a call and a test; in a program without the recorder,
 * nothing. */
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
