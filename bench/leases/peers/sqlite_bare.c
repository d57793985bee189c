/* The least a program can do to measure SQLite with leases: statements prepared once, bound, stepped and reset.
 *
 *   sqlite_bare version                                     the library's version
 *   sqlite_bare run FILE OPERATIONS sync|async alone|beside [PHASE...]
 *                                                           the phases; all four if none is named
 *   sqlite_bare inspect FILE                                tables, journal and rows, to compare two files by
 *
 * Schema, settings, statements and values are those of `brunt leases sqlite`; the bench looks with `inspect` into
 * brunt's file and this program's, and refuses to measure unless they are the same. Where phases are named and `create`
 * is not among them, the rows are created before anything is measured.
 *
 * With `beside` there is a second thread, which sleeps. The C library leaves out what locks need on several processors
 * for as long as a process has but one thread, and SQLite locks a good deal; so a program that measures and watches at
 * the same time pays for that, whoever wrote it.
 */

#include "bare.h"
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

static sqlite3 *database;
static int64_t epoch;

static void sure(int code, const char *what) {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) fail(what, sqlite3_errmsg(database));
}

static void execute(const char *text) {
    sure(sqlite3_exec(database, text, NULL, NULL, NULL), text);
}

/* Opens a database for one thread. */
static void open_file(const char *name) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    sure(sqlite3_open_v2(name, &database, flags, NULL), "open");
    sqlite3_busy_timeout(database, 1000);
    sqlite3_extended_result_codes(database, 1);
}

static sqlite3_stmt *prepared(const char *text) {
    sqlite3_stmt *statement;
    sure(sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), text);
    return statement;
}

static const char *const TABLE =
    "CREATE TABLE lease4 (lease_id INTEGER PRIMARY KEY, addr INTEGER UNIQUE, hwaddr BLOB, client_id BLOB, "
    "valid_lft INT, recycle_time INT DEFAULT 0, cltt INTEGER, pool_id INT, fixed BOOLEAN, hostname VARCHAR(255), "
    "fqdn_fwd BOOLEAN DEFAULT false, fqdn_rev BOOLEAN DEFAULT false, options TEXT, comments TEXT)";

static uint64_t create(uint64_t leases) {
    sqlite3_stmt *insert = prepared(
        "INSERT INTO lease4 (addr, hwaddr, client_id, valid_lft, recycle_time, cltt, pool_id, fixed, hostname, "
        "fqdn_fwd, fqdn_rev) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    uint8_t hardware[6], client[7];
    uint64_t done = 0;
    for (uint64_t number = 0; number < leases; number++) {
        identify(number, hardware, client);
        sqlite3_bind_int64(insert, 1, BASE + (int64_t)number);
        sqlite3_bind_blob(insert, 2, hardware, sizeof hardware, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 3, client, sizeof client, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 4, 1000);
        sqlite3_bind_int64(insert, 5, 0);
        sqlite3_bind_int64(insert, 6, epoch + (int64_t)(number % 60));
        sqlite3_bind_int64(insert, 7, 1);
        sqlite3_bind_int64(insert, 8, 0);
        sqlite3_bind_text(insert, 9, "foo", 3, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 10, 1);
        sqlite3_bind_int64(insert, 11, 1);
        sure(sqlite3_step(insert), "create");
        done += (uint64_t)sqlite3_changes(database);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return done;
}

/* What is fetched, so that no compiler leaves the fetching out. */
static volatile uint64_t fetched;

static uint64_t search(uint64_t leases) {
    sqlite3_stmt *select = prepared(
        "SELECT lease_id, addr, hwaddr, client_id, valid_lft, recycle_time, cltt, pool_id, fixed, hostname, fqdn_fwd, "
        "fqdn_rev, options, comments FROM lease4 WHERE addr = ?");
    /* 'n'umber, 'o'ctets or 't'ext. */
    static const char kinds[] = "nnoonnnnntnntt";
    uint64_t done = 0;
    for (uint64_t number = 0; number < leases; number++) {
        sqlite3_bind_int64(select, 1, sought(number, leases));
        int code;
        while ((code = sqlite3_step(select)) == SQLITE_ROW) {
            uint64_t seen = 0;
            for (int column = 0; column < 14; column++) {
                switch (kinds[column]) {
                case 'n': seen += (uint64_t)sqlite3_column_int64(select, column); break;
                case 'o': seen += (uintptr_t)sqlite3_column_blob(select, column); break;
                default: seen += (uintptr_t)sqlite3_column_text(select, column);
                }
                if (kinds[column] != 'n') seen += (uint64_t)sqlite3_column_bytes(select, column);
            }
            fetched = seen;
            done++;
        }
        sure(code, "search");
        sqlite3_reset(select);
    }
    sqlite3_finalize(select);
    return done;
}

static uint64_t update(uint64_t leases) {
    sqlite3_stmt *change = prepared("UPDATE lease4 SET valid_lft = ?, cltt = ? WHERE addr = ?");
    uint64_t done = 0;
    for (uint64_t number = 0; number < leases; number++) {
        sqlite3_bind_int64(change, 1, 1002);
        sqlite3_bind_int64(change, 2, epoch + 2000);
        sqlite3_bind_int64(change, 3, renewed(number, leases));
        sure(sqlite3_step(change), "update");
        done += (uint64_t)sqlite3_changes(database);
        sqlite3_reset(change);
    }
    sqlite3_finalize(change);
    return done;
}

static uint64_t drop(uint64_t leases) {
    sqlite3_stmt *change = prepared("DELETE FROM lease4 WHERE addr = ?");
    uint64_t done = 0;
    for (uint64_t number = 0; number < leases; number++) {
        sqlite3_bind_int64(change, 1, BASE + (int64_t)number);
        sure(sqlite3_step(change), "delete");
        done += (uint64_t)sqlite3_changes(database);
        sqlite3_reset(change);
    }
    sqlite3_finalize(change);
    return done;
}

static void *sleeps(void *nothing) {
    for (;;) pause();
    return nothing;
}

static int run(int count, char **words) {
    static const struct {
        const char *name;
        uint64_t (*carry_out)(uint64_t);
    } phases[] = {{"create", create}, {"search", search}, {"update", update}, {"delete", drop}};
    uint64_t leases = strtoull(words[1], NULL, 10);
    epoch = time(NULL);
    open_file(words[0]);
    execute("PRAGMA journal_mode = WAL");
    execute(strcmp(words[2], "sync") == 0 ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
    execute(TABLE);
    pthread_t second;
    if (strcmp(words[3], "beside") == 0 && pthread_create(&second, NULL, sleeps, NULL)) fail("start", "no thread");
    count -= 4, words += 4;
    if (!asked(count, words, "create")) {
        execute("BEGIN");
        create(leases);
        execute("COMMIT");
    }
    for (size_t phase = 0; phase < sizeof phases / sizeof *phases; phase++) {
        if (!asked(count, words, phases[phase].name)) continue;
        double start = now();
        uint64_t done = phases[phase].carry_out(leases);
        report(phases[phase].name, leases, now() - start, done);
    }
    sure(sqlite3_close(database), "close");
    return 0;
}

/* Prints all rows that a statement answers. */
static void show(const char *text) {
    sqlite3_stmt *statement = prepared(text);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int column = 0; column < sqlite3_column_count(statement); column++) {
            const unsigned char *value = sqlite3_column_text(statement, column);
            printf("%s%s", column ? "|" : "", value ? (const char *)value : "");
        }
        puts("");
    }
    sqlite3_finalize(statement);
}

static int inspect(const char *name) {
    open_file(name);
    show("SELECT type, name, sql FROM sqlite_schema ORDER BY name");
    show("PRAGMA journal_mode");
    show("SELECT lease_id, addr, hex(hwaddr), hex(client_id), valid_lft, recycle_time, cltt - (SELECT min(cltt) FROM "
         "lease4), pool_id, fixed, hostname, fqdn_fwd, fqdn_rev, options, comments FROM lease4 ORDER BY addr");
    return 0;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "version") == 0) return puts(sqlite3_libversion()) < 0;
    if (count == 3 && strcmp(words[1], "inspect") == 0) return inspect(words[2]);
    if (count >= 6 && strcmp(words[1], "run") == 0) return run(count - 2, words + 2);
    fail("start", "usage: sqlite_bare version | run FILE OPERATIONS sync|async alone|beside [PHASE...] | inspect FILE");
    return 2;
}
