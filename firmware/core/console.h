/* The console: takes commands, has them carried out, and answers (docs/protocol.md). */
#ifndef IC_CONSOLE_H
#define IC_CONSOLE_H

struct ic_run;

/* Says hello and serves commands until the console's other end has gone. Runs in the console task. */
void ic_console_serve(void);

/* To be called by a run between repetitions: reports progress now and then, and looks whether somebody wants to stop.
 */
void ic_console_attend(struct ic_run *run);

#endif
