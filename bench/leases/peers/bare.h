/* Shared by the bare programs: the clock, random numbers, and the line that reports a phase.
 *
 * A bare program does only what a benchmark must do: it reads no clock per operation, counts nothing that the report does
 * not need, and checks nothing that cannot fail. The bench compares the cost of brunt with it.
 */
#ifndef BARE_H
#define BARE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The first address: 1.0.0.0, as in 2012. */
#define BASE 0x01000000u

/* Exits with a message that says what failed and why. */
static inline void fail(const char *what, const char *why) {
    fprintf(stderr, "failed to %s: %s\n", what, why);
    exit(1);
}

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A number as good as random, a pure function of another (SplitMix64). */
static inline uint64_t mixed(uint64_t bits) {
    bits += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

/* The share of `below` that a random number stands for. */
static inline uint64_t within(uint64_t draw, uint64_t below) {
    return (uint64_t)(((unsigned __int128)draw * below) >> 64);
}

/* The draw of operation `number`: that of brunt with --seed 1, so that both ask for the same leases. */
static inline uint64_t drawn(uint64_t number) {
    return mixed(1 ^ mixed(number));
}

/* The address that search `number` looks for: nine in ten are there. */
static inline uint32_t sought(uint64_t number, uint64_t leases) {
    uint64_t draw = drawn(number), place = within(draw, leases);
    int there = (double)(uint32_t)draw / 4294967296.0 < 0.9;
    return BASE + (uint32_t)(there ? place : leases + place);
}

/* The same as in 2012: any of somewhat more than there are. */
static inline uint32_t sought_in_2012(uint64_t number, uint64_t leases) {
    return BASE + (uint32_t)within(drawn(number), (uint64_t)((double)leases / 0.9));
}

/* The address that update `number` changes. */
static inline uint32_t renewed(uint64_t number, uint64_t leases) {
    return BASE + (uint32_t)within(drawn(number), leases);
}

/* The values of lease `number` that are its own: both identities. */
static inline void identify(uint64_t number, uint8_t hardware[6], uint8_t client[7]) {
    hardware[0] = 2, client[0] = 1, client[1] = 2;
    for (int place = 1; place < 6; place++) client[place + 1] = hardware[place] = (uint8_t)(number >> (8 * (5 - place)));
}

/* Whether a phase is requested; without names, all are. */
static inline int asked(int count, char **words, const char *phase) {
    for (int word = 0; word < count; word++) {
        const char *left = words[word], *right = phase;
        while (*left && *left == *right) left++, right++;
        if (*left == *right) return 1;
    }
    return count == 0;
}

/* Reports a phase: its name, operations, seconds, and how many operations succeeded. */
static inline void report(const char *phase, uint64_t operations, double seconds, uint64_t done) {
    printf("%s %llu %.9f %llu\n", phase, (unsigned long long)operations, seconds, (unsigned long long)done);
    fflush(stdout);
}

#endif
