/* A mark of your own in a recording (docs/trace.md): this header is all that your file includes of it.
 *
 *   intercore_mark("dma done");
 *
 * From any task and any handler, on any core. The trace has the moment under that name, of which 15 characters are
 * kept; each core keeps 24 names, those of its tasks among them. Its text is looked for among them, so a mark costs
 * more than another event. While nothing is recorded it costs a call and a look, and in a program without the recorder
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
