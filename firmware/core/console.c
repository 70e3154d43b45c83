#include "console.h"

#include <string.h>

#include "answer.h"
#include "command.h"
#include "measure.h"
#include "port.h"
#include "trace.h"

/* Number of `progress` lines that a run sends per second */
#define PROGRESS_HZ 4U
/* At most this many commands are handled between two repetitions, so that a flood of commands cannot stall the run. */
#define LINES_ATTENDED 4U
/* A command must arrive at a new bit rate within this time; otherwise the previous rate is restored. */
#define RATE_TRIAL_S 1U
/* Maximum number of settings (combinations of parameter values) of one command `check`, which limits its answer to 0.4
 * MB */
#define CHECKED_MAX 4096U

enum kind { INFO, LIST, HELP, CHECK, RUN, FAILED_RUN, TRACE };

/* These variables are static, because the console task's stack is small on a chip. */
static struct ic_input input;
static uint8_t received[64];
static size_t received_count;
static size_t received_taken;
static struct ic_settings settings;
static struct ic_run run PORT_SHARED(run);

/* The most recent answer, which `resend` can send again */
static struct {
    bool exists;
    uint32_t id;
    enum kind kind;
} last;

/* Waits until the deadline for a whole line of input. Returns PORT_OK if `input` then holds a line. */
static enum port_error read_line(uint64_t deadline) {
    for (;;) {
        while (received_taken < received_count) {
            if (ic_input_push(&input, received[received_taken++])) {
                return PORT_OK;
            }
        }
        received_taken = 0;
        enum port_error error = port_console_read(received, sizeof received, &received_count, deadline);
        if (error != PORT_OK) {
            return error;
        }
    }
}

/* A new bit rate is on trial until a command has arrived at that rate; `before` is the rate to return to otherwise. */
static struct {
    bool on_trial;
    uint32_t before;
    uint64_t deadline; /* common clock */
} rate;

static void refuse(uint32_t id, const char *code, const char *text, const char *subject) {
    struct ic_error error;
    ic_error_set(&error, code, text, subject, "");
    ic_answer_error(id, &error);
}

/* ---- while a run is under way ---- */

void ic_run_settle(void) {
    do {
        while (received_taken < received_count) {
            if (received[received_taken] != '\r' && received[received_taken] != '\n') {
                return;
            }
            received_taken++;
        }
        received_taken = 0;
    } while (port_console_read(received, sizeof received, &received_count, 0) == PORT_OK);
}

bool ic_run_attend(struct ic_run *running) {
    bool sent = false;
    uint64_t now = port_clock();
    if (running->next_progress == 0) { /* the interval to the next report begins when the previous report has been
                                          sent */
        running->next_progress = now + port_clock_hz() / PROGRESS_HZ;
    } else if (now >= running->next_progress) {
        ic_answer_progress(running);
        running->next_progress = 0;
        sent = true;
    }
    for (uint32_t lines = 0; lines < LINES_ATTENDED; lines++) {
        enum port_error status = read_line(0);
        if (status != PORT_OK) {
            running->aborted = running->aborted || status == PORT_ERR_CLOSED;
            return sent;
        }
        struct ic_command command;
        struct ic_error error;
        if (!ic_command_parse(&input, &command, &error)) {
            ic_answer_error(command.id, &error);
            sent = true;
        } else if (command.word_count > 0 && strcmp(command.words[0], "abort") == 0) {
            running->aborted = true;
        } else {
            refuse(command.id, "busy", "a run is under way; abort ends it", "");
            sent = true;
        }
        ic_input_clear(&input);
    }
    return sent;
}

/* ---- commands ---- */

static void send_impossible(struct ic_answer *answer) {
    struct ic_error error;
    uint32_t number = 0;
    do {
        ic_run_prepare(&run, &settings, answer->id);
        if (!ic_run_possible(&run, &error)) {
            ic_answer_impossible(answer, number, &error);
        }
        number++;
    } while (ic_settings_next(&settings)); /* after the last setting, the first setting is current again */
    ic_answer_checked(answer);
}

static void send_again(struct ic_answer *answer) {
    switch (last.kind) {
    case INFO:
        ic_answer_info(answer);
        break;
    case LIST:
        ic_answer_list(answer);
        break;
    case HELP:
        ic_answer_help(answer);
        break;
    case CHECK:
        send_impossible(answer);
        break;
    case RUN:
        ic_answer_begin(answer, &run);
        ic_answer_result(answer, &run);
        break;
    case FAILED_RUN:
        ic_answer_begin(answer, &run);
        ic_answer_error(answer->id, &run.error);
        break;
    case TRACE:
#ifdef IC_TRACE
        ic_answer_trace(answer);
#endif
        break;
    }
}

static void remember(uint32_t id, enum kind kind) {
    last.exists = true;
    last.id = id;
    last.kind = kind;
}

static void answer_new(uint32_t id, enum kind kind) {
    struct ic_answer answer = ic_answer_whole(id);
    remember(id, kind);
    send_again(&answer);
}

/* Parses the benchmark and the parameter values of a command such as `run` or `check`. */
static bool take_settings(struct ic_command *command) {
    struct ic_error error;
    last.exists = last.exists && last.kind != CHECK; /* the answer to `check` needs `settings`, overwritten below */
    if (ic_settings_parse(&settings, command->words + 1, command->word_count - 1, &error)) {
        return true;
    }
    ic_answer_error(command->id, &error);
    return false;
}

static void do_check(struct ic_command *command) {
    if (!take_settings(command)) {
        return;
    }
    if (ic_settings_count(&settings) > CHECKED_MAX) {
        refuse(command->id, "out-of-range", "more than 4096 settings at once: give fewer values", "");
        return;
    }
    answer_new(command->id, CHECK);
}

static void measure_all(struct ic_command *command, bool in_words) {
    if (!take_settings(command)) {
        return;
    }
    last.exists = false; /* nothing to resend until the new answer is complete */
    do {
        struct ic_answer answer = ic_answer_whole(command->id);
        answer.in_words = in_words;
        ic_run_prepare(&run, &settings, command->id);
        ic_answer_begin(&answer, &run);
        if (!ic_measure(&run)) {
            ic_answer_error(command->id, &run.error);
            remember(command->id, FAILED_RUN);
            return;
        }
        ic_answer_result(&answer, &run);
    } while (!run.aborted && ic_settings_next(&settings));
    remember(command->id, RUN);
}

static void do_run(struct ic_command *command) { measure_all(command, false); }
static void do_show(struct ic_command *command) { measure_all(command, true); }

#ifdef IC_TRACE
static void do_record(struct ic_command *command) {
    ic_trace_arm(true);
    measure_all(command, false);
    ic_trace_arm(false);
}

static void do_trace(struct ic_command *command) {
    if (ic_trace_there()) {
        answer_new(command->id, TRACE);
    } else {
        refuse(command->id, "unsupported", "nothing has been recorded: record BENCHMARK does that", "");
    }
}
#endif

static void do_resend(struct ic_command *command) {
    uint32_t id;
    if (command->word_count != 3 || !ic_parse_u32(command->words[1], &id)) {
        refuse(0, "syntax", "expected resend ID LINES, as in resend 17 3-12,40-", "");
        return;
    }
    if (!last.exists || last.id != id) {
        refuse(id, "nothing-to-resend", "the last answer was not number ", command->words[1]);
        return;
    }
    const char *ranges = command->words[2];
    struct ic_answer answer = ic_answer_whole(id);
    while (ic_parse_range(&ranges, &answer.first, &answer.last)) {
        answer.next = 0;
        send_again(&answer);
    }
    if (*ranges != '\0') {
        refuse(id, "syntax", "expected line numbers such as 3-12,40- and not ", ranges);
    }
}

/* ---- the bit rate ---- */

static bool is_choice(uint32_t wanted) {
    uint32_t choice;
    for (uint32_t i = 0; (choice = port_console_rate_choice(i)) != 0; i++) {
        if (choice == wanted) {
            return true;
        }
    }
    return false;
}

static void do_rate(struct ic_command *command) {
    uint32_t wanted;
    if (command->word_count != 2 || !ic_parse_u32(command->words[1], &wanted)) {
        refuse(command->id, "syntax", "expected rate BITS, as in rate 921600", "");
    } else if (port_console_rate() == 0) {
        refuse(command->id, "unsupported", "this console has no bit rate", "");
    } else if (!is_choice(wanted)) {
        refuse(command->id, "bad-value", "no rate that info lists: ", command->words[1]);
    } else {
        rate.on_trial = true;
        rate.before = port_console_rate();
        ic_answer_rate(command->id, wanted);
        port_console_set_rate(wanted);
        rate.deadline = port_clock() + port_clock_hz() * RATE_TRIAL_S;
    }
}

/* ---- dispatch ---- */

static void do_info(struct ic_command *command) { answer_new(command->id, INFO); }
static void do_list(struct ic_command *command) { answer_new(command->id, LIST); }
static void do_help(struct ic_command *command) { answer_new(command->id, HELP); }
static void do_abort(struct ic_command *command) { refuse(command->id, "unsupported", "there is no run to abort", ""); }

static const struct verb {
    const char *word;
    bool repeatable; /* a command with the id of the most recent answer gets that answer again */
    void (*carry_out)(struct ic_command *command);
} verbs[] = {
    {"info", true, do_info},      {"list", true, do_list},   {"help", true, do_help},
    {"run", true, do_run},        {"show", true, do_show},   {"check", true, do_check},
    {"resend", false, do_resend}, {"abort", true, do_abort}, {"rate", false, do_rate},
#ifdef IC_TRACE
    {"record", true, do_record},  {"trace", true, do_trace},
#endif
};

static const struct verb *find_verb(const char *word) {
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(verbs[i].word, word) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

static void carry_out(struct ic_command *command) {
    if (command->word_count == 0) {
        return;
    }
    const struct verb *verb = find_verb(command->words[0]);
    rate.on_trial = rate.on_trial && verb == NULL; /* a known command shows that the host uses the new rate */
    if ((verb == NULL || verb->repeatable) && command->id != 0 && last.exists && last.id == command->id) {
        struct ic_answer answer = ic_answer_whole(last.id);
        send_again(&answer);
    } else if (verb == NULL) {
        refuse(command->id, "unknown-command", "type help to see the commands; there is no ", command->words[0]);
    } else {
        verb->carry_out(command);
    }
}

/* Waits for a whole line. Restores the previous bit rate if a new rate is on trial and no line comes in time. */
static bool next_line(void) {
    enum port_error error = read_line(rate.on_trial ? rate.deadline : PORT_FOREVER);
    if (error == PORT_ERR_TIMEOUT) {
        rate.on_trial = false;
        port_console_set_rate(rate.before);
        ic_input_clear(&input); /* drop what was received at the wrong rate */
        error = read_line(PORT_FOREVER);
    }
    return error == PORT_OK;
}

void ic_console_serve(void) {
    answer_new(0, INFO);
    while (next_line()) {
        struct ic_command command;
        struct ic_error error;
        if (!ic_command_parse(&input, &command, &error)) {
            ic_answer_error(command.id, &error);
            ic_input_clear(&input);
        } else {
            /* Clear `input` before the command is executed, not after, because a run receives the next lines into this
             * buffer. Clearing only resets the length: the words of the command stay readable until the next line
             * arrives. */
            ic_input_clear(&input);
            carry_out(&command);
        }
    }
}
