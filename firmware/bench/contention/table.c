/* The result of the benchmark `contention` as a table, for interactive use. */
#include "contention.h"

/* Text column at which the first column of numbers ends, and the distance to the end of the next column */
#define FIRST_COLUMN 42U
#define COLUMN_WIDTH 7U

static const char *const columns[] = {"task0", "task1", "main", "free", "total"};
enum { COLUMN_FREE = FREE, COLUMN_TOTAL, COLUMNS };

static uint32_t windows_of(uint32_t row) {
    return (ic_contest.run->checks.done + ic_contest_rows() - 1U - row) / ic_contest_rows();
}

static bool has_column(uint32_t column) { return column != COLUMN_FREE || ic_contest.competitors[FREE].role == WORK; }

static size_t column_end(uint32_t column) {
    size_t end = FIRST_COLUMN;
    for (uint32_t i = 0; i < column; i++) {
        end += has_column(i) ? COLUMN_WIDTH : 0;
    }
    return end;
}

/* Number of towers of a series that ended in the windows of one row. The moments in a series are in ascending order. */
static uint32_t towers_in(const struct ic_series *towers, uint32_t row) {
    uint32_t count = 0;
    uint32_t window_row = 0;
    uint64_t window_end = ic_contest.window;
    for (uint32_t i = 0; i < towers->count; i++) {
        while ((uint64_t)towers->ticks[i] >= window_end) {
            window_end += ic_contest.window;
            window_row = window_row + 1U < ic_contest_rows() ? window_row + 1U : 0;
        }
        count += window_row == row;
    }
    return count;
}

static uint32_t towers_of(const struct competitor *competitor, uint32_t row) {
    uint32_t count = 0;
    for (uint32_t core = 0; core < port_core_count(); core++) {
        count += competitor->towers[core] != NULL ? towers_in(competitor->towers[core], row) : 0;
    }
    return count;
}

static void tell_head(struct ic_text *line) {
    ic_text_add(line, "towers of ");
    ic_text_number(line, ic_contest.discs);
    ic_text_add(line, " discs in ");
    ic_text_number(line, ic_contest.run->values[P_WINDOW]);
    ic_text_add(line, " ms");
    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (has_column(i)) {
            ic_text_add_right(line, column_end(i), columns[i]);
        }
    }
}

/* Writes the names of the competitors that work, then the names of the others with their roles: "task0, task1 (main
 * spins)" */
static void tell_names(struct ic_text *line) {
    static const char *const without_work[ROLES] = {[BLOCK] = " blocks)", [DELAY] = " delays)", [SPIN] = " spins)"};
    const char *before = "";
    for (uint32_t i = 0; i <= FREE; i++) {
        if (ic_contest.competitors[i].role == WORK) {
            ic_text_add(line, before);
            ic_text_add(line, columns[i]);
            before = ", ";
        }
    }
    for (uint32_t i = 0; i < FREE; i++) {
        const char *does = without_work[ic_contest.competitors[i].role];
        if (does != NULL) {
            ic_text_add(line, " (");
            ic_text_add(line, columns[i]);
            ic_text_add(line, does);
        }
    }
}

static void tell_row(struct ic_text *line, uint32_t row) {
    uint32_t towers[COLUMNS] = {0};
    for (uint32_t i = 0; i < COMPETITORS; i++) {
        uint32_t count = towers_of(&ic_contest.competitors[i], row);
        towers[i < FREE ? i : COLUMN_FREE] += count;
        towers[COLUMN_TOTAL] += count;
    }
    tell_names(line);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        if (has_column(i)) {
            ic_text_number_right(line, column_end(i), towers[i]);
        }
    }
    if (windows_of(row) > 1) {
        ic_text_add(line, "  in ");
        ic_text_number(line, windows_of(row));
        ic_text_add(line, " windows");
    }
}

bool ic_contest_tell(const struct ic_run *run, uint32_t index, struct ic_text *line) {
    (void)run; /* always the last run, whose result is in `ic_contest` */
    if (index > ic_contest_rows() || (index > 0 && windows_of(index - 1U) == 0)) {
        return false;
    }
    ic_contest_set_roles(index == 0 ? 0 : index - 1U);
    if (index == 0) {
        tell_head(line);
    } else {
        tell_row(line, index - 1U);
    }
    return true;
}
