/* A unit of the workload `hanoi` is one tower of Hanoi of 3 discs (7 moves), solved by recursion: about as much work as
 * a unit of the other workloads, so that the same numbers of units suit all workloads. */
#include "hanoi.h"

#include "workloads.h"

#define DISCS 3U
#define PEGS 3U

struct tower {
    uint8_t height[PEGS]; /* discs on each peg */
    uint32_t checksum;
};

/* A tower that is solved in parts (hanoi.h); `done` is called after each part */
struct watched {
    struct tower tower;
    void (*done)(void *arg);
    void *arg;
};

static void move(struct tower *tower, uint32_t disc, uint32_t from, uint32_t to) {
    tower->height[from]--;
    tower->height[to]++;
    tower->checksum += disc;
}

// NOLINTNEXTLINE(misc-no-recursion): recursion is the work
static void solve(struct tower *tower, uint32_t discs, uint32_t from, uint32_t spare, uint32_t to) {
    if (discs > 0) {
        solve(tower, discs - 1, from, to, spare);
        move(tower, discs, from, to);
        solve(tower, discs - 1, spare, from, to);
    }
}

/* Includes the pegs' heights: a disc that is not on the last peg changes the checksum. */
static uint32_t checksum_of(const struct tower *tower) {
    return tower->checksum + 256U * tower->height[0] + 65536U * tower->height[1] + tower->height[2];
}

uint32_t ic_hanoi_tower(uint32_t discs) {
    struct tower tower = {.height = {(uint8_t)discs, 0, 0}};
    solve(&tower, discs, 0, 1, 2);
    return checksum_of(&tower);
}

/* Like solve(), with a callback after each part */
// NOLINTNEXTLINE(misc-no-recursion): recursion is the work
static void solve_in_parts(struct watched *watched, uint32_t discs, uint32_t from, uint32_t spare, uint32_t to) {
    if (discs <= IC_HANOI_PART_DISCS) {
        solve(&watched->tower, discs, from, spare, to);
        watched->done(watched->arg);
        return;
    }
    solve_in_parts(watched, discs - 1, from, to, spare);
    move(&watched->tower, discs, from, to);
    solve_in_parts(watched, discs - 1, spare, from, to);
}

uint32_t ic_hanoi_tower_in_parts(uint32_t discs, void (*done)(void *arg), void *arg) {
    struct watched watched = {.tower.height = {(uint8_t)discs, 0, 0}, .done = done, .arg = arg};
    solve_in_parts(&watched, discs, 0, 1, 2);
    return checksum_of(&watched.tower);
}

/* Disc k of d is moved 2^(d-k) times, and the moves' checksum is the sum of their discs: the sum of k 2^(d-k) over all
 * k, which is 2^(d+1) - d - 2. The d discs on the last peg add d. */
uint32_t ic_hanoi_expected(uint32_t discs) { return (uint32_t)((2ULL << discs) - 2U); }

static uint32_t work(uint32_t first, uint32_t count) {
    (void)first;
    uint32_t checksum = 0;
    for (uint32_t i = 0; i < count; i++) {
        checksum += ic_hanoi_tower(DISCS);
    }
    return checksum;
}

IC_UNTIMED static uint32_t expected(uint32_t first, uint32_t count) {
    (void)first;
    return count * ic_hanoi_expected(DISCS);
}

const struct ic_workload ic_workload_hanoi = {.work = work, .expected = expected};
