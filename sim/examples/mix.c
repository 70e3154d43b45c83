// Rounds of work for each core, without end: a linked list (pointers), matrices (products), text (a state machine
// with many branches), and a CRC over all results (bits). The mix is CoreMark's; the code is not. What is done
// depends on data that change from round to round, so that branches are as hard to foresee as in a real program.
#include "chip.h"

#define CPUID REGISTER(SIO)

enum { ITEMS = 60, SIDE = 9, LETTERS = 400 };

// Read by the host.
struct {
    volatile uint32_t checksum, rounds;
} results[2];

struct item {
    struct item *next;
    int16_t key, value;
};

struct data {
    struct item items[ITEMS];
    int16_t a[SIDE][SIDE], b[SIDE][SIDE];
    int32_t product[SIDE][SIDE];
    char text[LETTERS];
    uint32_t seed;
};

static struct data data[2];

static uint32_t random_of(struct data *d) {
    d->seed = d->seed * 1664525u + 1013904223u;
    return d->seed >> 16;
}

// CRC-16 of a halfword, bit by bit.
static uint32_t crc(uint32_t value, uint32_t sum) {
    for (uint32_t bit = 0; bit < 16; bit++) {
        const uint32_t carry = (value ^ sum) & 1;
        sum >>= 1;
        value >>= 1;
        if (carry) {
            sum ^= 0xa001;
        }
    }
    return sum;
}

// Whether the first item comes no later than the second.
typedef uint32_t (*order)(const struct item *, const struct item *);

static uint32_t by_key(const struct item *a, const struct item *b) { return a->key <= b->key; }

static uint32_t by_value(const struct item *a, const struct item *b) { return (a->value & 0x7f) <= (b->value & 0x7f); }

static struct item *merge(struct item *a, struct item *b, order first) {
    struct item *merged = 0;
    struct item **end = &merged;
    while (a != 0 && b != 0) {
        struct item **least = first(a, b) ? &a : &b;
        *end = *least;
        end = &(*least)->next;
        *least = *end;
    }
    *end = a != 0 ? a : b;
    return merged;
}

static struct item *sort(struct item *list, uint32_t count, order first) {
    if (count < 2) {
        return list;
    }
    struct item *last = list;
    for (uint32_t i = 1; i < count / 2; i++) {
        last = last->next;
    }
    struct item *rest = last->next;
    last->next = 0;
    return merge(sort(list, count / 2, first), sort(rest, count - count / 2, first), first);
}

static struct item *reverse(struct item *list) {
    struct item *reversed = 0;
    while (list != 0) {
        struct item *next = list->next;
        list->next = reversed;
        reversed = list;
        list = next;
    }
    return reversed;
}

static uint32_t lists(struct data *d) {
    for (uint32_t i = 0; i < ITEMS; i++) {
        d->items[i].next = i + 1 < ITEMS ? &d->items[i + 1] : 0;
        d->items[i].key = (int16_t)random_of(d);
        d->items[i].value = (int16_t)random_of(d);
    }
    struct item *list = sort(d->items, ITEMS, by_key);
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < 8; turn++) {
        const uint32_t wanted = random_of(d) & 0x7f;
        uint32_t place = 0;
        for (struct item *i = list; i != 0 && ((uint32_t)i->value & 0x7f) != wanted; i = i->next) {
            place++;
        }
        sum = crc(place, sum);
        list = reverse(list);
    }
    list = sort(list, ITEMS, by_value);
    for (struct item *i = list; i != 0; i = i->next) {
        sum = crc((uint16_t)i->key, sum);
    }
    return sum;
}

static uint32_t matrices(struct data *d) {
    uint32_t sum = 0;
    const int16_t clip = (int16_t)(random_of(d) & 0xfff);
    for (uint32_t i = 0; i < SIDE; i++) {
        for (uint32_t j = 0; j < SIDE; j++) {
            d->a[i][j] = (int16_t)(random_of(d) & 0xff);
            d->b[i][j] = (int16_t)(random_of(d) & 0xff);
        }
    }
    for (uint32_t i = 0; i < SIDE; i++) {
        for (uint32_t j = 0; j < SIDE; j++) {
            int32_t cell = 0;
            for (uint32_t k = 0; k < SIDE; k++) {
                const int32_t product = d->a[i][k] * d->b[k][j];
                cell += (product >> 2 & 15) * (product >> 5 & 127);
            }
            d->product[i][j] = cell;
            sum += cell > clip ? 10 : (uint32_t)cell;
        }
    }
    return crc(sum & 0xffff, sum >> 16);
}

enum state { START, SIGN, DIGITS, POINT, FRACTION, EXPONENT, POWER, WRONG, STATES };

static uint32_t texts(struct data *d) {
    static const char letters[] = "0123456789+-.eE, 059,";
    uint32_t seen[STATES] = {0};
    for (uint32_t i = 0; i < LETTERS; i++) {
        d->text[i] = letters[random_of(d) % (sizeof letters - 1)];
    }
    enum state state = START;
    for (uint32_t i = 0; i < LETTERS; i++) {
        const char c = d->text[i];
        const uint32_t digit = c >= '0' && c <= '9';
        if (c == ',' || c == ' ') {
            seen[state]++;
            state = START;
            continue;
        }
        switch (state) {
        case START:
            state = digit ? DIGITS : c == '+' || c == '-' ? SIGN : c == '.' ? POINT : WRONG;
            break;
        case SIGN:
            state = digit ? DIGITS : c == '.' ? POINT : WRONG;
            break;
        case DIGITS:
            state = digit ? DIGITS : c == '.' ? FRACTION : c == 'e' || c == 'E' ? EXPONENT : WRONG;
            break;
        case POINT:
        case FRACTION:
            state = digit ? FRACTION : c == 'e' || c == 'E' ? EXPONENT : WRONG;
            break;
        case EXPONENT:
            state = digit || c == '+' || c == '-' ? POWER : WRONG;
            break;
        case POWER:
            state = digit ? POWER : WRONG;
            break;
        default:
            break;
        }
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < STATES; i++) {
        sum = crc(seen[i], sum);
    }
    return sum;
}

static void work(void) {
    SYST_CSR = 0; // chip.c started it; nobody reads it here
    const uint32_t core = CPUID;
    struct data *d = &data[core];
    d->seed = core + 1;
    for (uint32_t sum = 0;;) {
        sum = crc(lists(d), sum);
        sum = crc(matrices(d), sum);
        sum = crc(texts(d), sum);
        results[core].checksum = sum << 16 | d->seed >> 16;
        results[core].rounds++;
    }
}

void example(void) {
    print("mix\n");
    start_core_1(work);
    work();
}
