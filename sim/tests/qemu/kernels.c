// Small programs as compilers make them, each reduced to a number that depends on all it did.
#include "start.h"
#include <stdint.h>
#include <string.h>

static uint32_t seed = 2463534242u;

static uint32_t random_word(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static uint32_t crc32(const uint8_t *data, unsigned length) {
    uint32_t crc = ~0u;
    while (length-- > 0) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xEDB88320u & -(crc & 1));
        }
    }
    return ~crc;
}

static void check_sums(void) {
    static uint8_t data[1024];
    for (unsigned i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)random_word();
    }
    print_hex("crc32", crc32(data, sizeof data));
    uint16_t a = 1, b = 0;
    for (unsigned i = 0; i < sizeof data; i++) {
        a = (uint16_t)((a + data[i]) % 65521u);
        b = (uint16_t)((b + a) % 65521u);
    }
    print_hex("adler32", (uint32_t)b << 16 | a);
}

static void quick_sort(int32_t *from, int32_t *to) {
    while (to - from > 1) {
        int32_t pivot = from[(to - from) / 2], *low = from, *high = to - 1;
        while (low <= high) {
            while (*low < pivot) {
                low++;
            }
            while (*high > pivot) {
                high--;
            }
            if (low <= high) {
                int32_t kept = *low;
                *low++ = *high;
                *high-- = kept;
            }
        }
        quick_sort(from, high + 1);
        from = low;
    }
}

static void sorting(void) {
    static int32_t numbers[300];
    for (unsigned i = 0; i < 300; i++) {
        numbers[i] = (int32_t)random_word();
    }
    quick_sort(numbers, numbers + 300);
    int ordered = 1;
    for (unsigned i = 1; i < 300; i++) {
        ordered &= numbers[i - 1] <= numbers[i];
    }
    print_hex("sorted", (uint32_t)ordered);
    print_hex("order", crc32((const uint8_t *)numbers, sizeof numbers));
}

static void matrices(void) {
    static int16_t a[12][12], b[12][12];
    static int32_t c[12][12];
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            a[i][j] = (int16_t)random_word();
            b[i][j] = (int16_t)random_word();
        }
    }
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            uint32_t sum = 0;
            for (int k = 0; k < 12; k++) {
                sum += (uint32_t)(a[i][k] * b[k][j]);
            }
            c[i][j] = (int32_t)sum;
        }
    }
    print_hex("matrix", crc32((const uint8_t *)c, sizeof c));
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void floats(void) {
    volatile float start = 1.0f;
    float x = start, sum = 0;
    for (int i = 1; i < 400; i++) {
        x = x * 1.0009765f + 0.125f / (float)i - x / 3.0f;
        sum += x > 0.2f ? x : -x;
        sum -= (float)(int)sum * 0.5f;
    }
    print_hex("float x", bits_of(x));
    print_hex("float sum", bits_of(sum));
    volatile double half = 0.5;
    double y = half, total = 0;
    for (int i = 1; i < 150; i++) {
        y = 3.7 * y * (1.0 - y);
        total += y / (double)i;
    }
    print_hex("double y", bits_of_double(y));
    print_hex("double total", bits_of_double(total));
    // Denormal and huge numbers on the way, as far as -Ofast lets them be.
    float tiny = start;
    for (int i = 0; i < 155; i++) {
        tiny *= 0.55f;
    }
    print_hex("float tiny", bits_of(tiny));
    print_hex("float to int", (uint32_t)(int32_t)(x * -1234.5f) ^ (uint32_t)(sum * 1000.0f + 5000.0f));
    print_hex("double to int", (uint64_t)(int64_t)(total * -1e12));
}

static void strings(void) {
    static char text[400], word[12];
    unsigned length = 0, vowels = 0, same = 0;
    while (length < sizeof text - 1) {
        text[length++] = (char)('a' + random_word() % 26);
    }
    text[length] = 0;
    for (unsigned i = 0; text[i] != 0; i++) {
        vowels += strchr("aeiou", text[i]) != NULL;
    }
    for (unsigned i = 0; i + 3 < length; i++) {
        memmove(word, text + i, 3);
        word[3] = 0;
        same += strstr(text + i + 1, word) != NULL;
        same += (unsigned)(strcmp(word, text + i + 1) < 0) << 8;
    }
    print_hex("vowels", vowels);
    print_hex("same", same);
    print_hex("length", strlen(text));
}

static uint64_t power(uint64_t base, uint32_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            result = result * base % modulus;
        }
        base = base * base % modulus;
    }
    return result;
}

static void wide_numbers(void) {
    print_hex("power", power(1234567, 987654321, 4294967291u));
    int64_t sum = 0;
    for (int i = 1; i < 200; i++) {
        int64_t a = (int64_t)((uint64_t)random_word() << 32 | random_word());
        int64_t b = (int32_t)random_word() | 1;
        sum += a / b;
        sum ^= a % b;
        sum += a >> (i & 63);
        sum ^= (int64_t)((uint64_t)b << (i & 63));
        sum += (a < b) + ((uint64_t)a < (uint64_t)b) * 2;
    }
    print_hex("64 bits", (uint64_t)sum);
    uint32_t quotients = 0;
    for (int i = 0; i < 300; i++) {
        uint32_t a = random_word(), b = random_word() >> (i & 31);
        quotients = quotients * 31 + a / (b | 1) + a % (b | 1);
        quotients ^= (uint32_t)((int32_t)a / (int32_t)(b | 1));
    }
    print_hex("32 bits", quotients);
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int choose(int kind, int value) {
    switch (kind) {
    case 0:
        return value + 1;
    case 1:
        return value * 3;
    case 2:
        return value ^ 0x55;
    case 3:
        return -value;
    case 4:
        return value >> 2;
    case 5:
        return ~value;
    case 6:
        return value << 3;
    default:
        return value % 7;
    }
}

static int add_one(int value) { return value + 1; }

static int twice(int value) { return value * 2; }

static void control(void) {
    print_hex("fibonacci", (uint32_t)fibonacci(13));
    int value = 1;
    for (int i = 0; i < 500; i++) {
        value = choose((int)(random_word() % 9), value);
    }
    print_hex("switch", (uint32_t)value);
    int (*volatile functions[2])(int) = {add_one, twice};
    for (int i = 0; i < 20; i++) {
        value = functions[i & 1](value) & 0xFFFF;
    }
    print_hex("pointers", (uint32_t)value);
}

int main(void) {
    check_sums();
    sorting();
    matrices();
    floats();
    strings();
    wide_numbers();
    control();
    return 0;
}
