/* The least a program can do to look users up by their numbers, one after the other.
 *
 *   names_bare nss|nscd|nslcd LOOKUPS FIRST USERS
 *
 * By getpwuid_r, over nscd's socket, or over nslcd's; each daemon takes one request a connection. The users are those that brunt asks for with --seed 1, in its order.
 * Says how many were found, each with the number that was asked for.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "failed to %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* SplitMix64. */
static uint64_t mixed(uint64_t bits) {
    bits += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

static int connected(const char *path) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    strcpy(to.sun_path, path);
    int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line < 0 || connect(line, (struct sockaddr *)&to, sizeof to)) fail(path);
    return line;
}

/* Reads until `enough` octets have come, or the end; says how many came. */
static size_t received(int line, char *into, size_t room, size_t enough) {
    size_t come = 0;
    while (come < enough) {
        ssize_t count = read(line, into + come, room - come);
        if (count < 0) fail("read");
        if (count == 0) break;
        come += (size_t)count;
    }
    return come;
}

static int by_nss(uint32_t uid) {
    static char text[4096];
    struct passwd user, *found = NULL;
    int error = getpwuid_r(uid, &user, text, sizeof text, &found);
    if (error) fail("ask the C library");
    return found && user.pw_uid == uid;
}

/* nscd: three numbers of the machine's own order (version 2, GETPWBYUID, length of the key), then the key with its zero;
 * the answer is nine numbers, of which the third to the last are lengths but for both ids, and the strings. */
static int by_nscd(uint32_t uid) {
    struct {
        int32_t version, type, length;
        char key[12];
    } request = {2, 1, 0, ""};
    union {
        int32_t numbers[256];
        char octets[1024];
    } answer;
    request.length = snprintf(request.key, sizeof request.key, "%u", uid) + 1;
    int line = connected("/run/nscd/socket");
    if (write(line, &request, 12 + (size_t)request.length) < 0) fail("write");
    size_t come = received(line, answer.octets, sizeof answer, 36);
    if (come < 36 || answer.numbers[1] != 1) return close(line), 0;
    const int32_t *numbers = answer.numbers;
    size_t whole = 36 + (size_t)(numbers[2] + numbers[3] + numbers[6] + numbers[7] + numbers[8]);
    if (come < whole) come += received(line, answer.octets + come, sizeof answer - come, whole - come);
    close(line);
    return come >= whole && (uint32_t)numbers[4] == uid;
}

/* nslcd: numbers in network order. The request is version 2, the action and the uid; the answer repeats both, says 1 and
 * the fields of a user, and ends in 2. The uid is the third field, after two strings with their lengths. */
static int by_nslcd(uint32_t uid) {
    uint32_t request[] = {htonl(2), htonl(0x00080002), htonl(uid)};
    char answer[4096];
    uint32_t number;
    int line = connected("/run/nslcd/socket");
    if (write(line, request, sizeof request) < 0) fail("write");
    /* It closes the connection behind its answer. */
    size_t come = received(line, answer, sizeof answer, sizeof answer), place = 12;
    close(line);
    for (int string = 0; string < 2; string++) {
        if (place + 4 > come) return 0;
        memcpy(&number, answer + place, 4);
        place += 4 + ntohl(number);
    }
    if (place + 4 > come) return 0;
    memcpy(&number, answer + place, 4);
    return ntohl(number) == uid;
}

int main(int count, char **words) {
    if (count != 5) {
        fprintf(stderr, "usage: names_bare nss|nscd|nslcd LOOKUPS FIRST USERS\n");
        return 2;
    }
    int (*ask)(uint32_t) = strcmp(words[1], "nss") == 0 ? by_nss : strcmp(words[1], "nscd") == 0 ? by_nscd : by_nslcd;
    uint64_t lookups = strtoull(words[2], NULL, 10), users = strtoull(words[4], NULL, 10), found = 0;
    uint32_t first = (uint32_t)strtoul(words[3], NULL, 10);
    double start = now();
    for (uint64_t number = 0; number < lookups; number++) {
        uint64_t drawn = mixed(mixed(1) ^ number);
        found += (uint64_t)ask(first + (uint32_t)(((unsigned __int128)drawn * users) >> 64));
    }
    printf("uid %llu %.9f %llu\n", (unsigned long long)lookups, now() - start, (unsigned long long)found);
    return 0;
}
