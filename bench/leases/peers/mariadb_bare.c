/* The least a program can do to measure MariaDB with leases: libmariadb, a Unix socket, prepared statements.
 *
 *   mariadb_bare SOCKET USER PASSWORD DATABASE OPERATIONS InnoDB|MyISAM [PHASE...]
 *
 * Table, statements and values are those of `brunt leases mysql://...`. The database is made, and dropped at the end.
 */

#include "bare.h"
#include <mysql.h>
#include <string.h>

static MYSQL *server;

static void execute(const char *text) {
    if (mysql_query(server, text)) fail(text, mysql_error(server));
}

static MYSQL_STMT *prepared(const char *text) {
    MYSQL_STMT *statement = mysql_stmt_init(server);
    if (mysql_stmt_prepare(statement, text, strlen(text))) fail(text, mysql_stmt_error(statement));
    return statement;
}

static void bind(MYSQL_STMT *statement, MYSQL_BIND *values) {
    if (mysql_stmt_bind_param(statement, values)) fail("bind", mysql_stmt_error(statement));
}

/* Executes a statement that answers nothing; says how many rows it changed. */
static uint64_t changed(MYSQL_STMT *statement) {
    if (mysql_stmt_execute(statement)) fail("execute", mysql_stmt_error(statement));
    return mysql_stmt_affected_rows(statement);
}

static MYSQL_BIND number(int64_t *value) {
    MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = value};
    return bind;
}

static MYSQL_BIND octets(void *value, unsigned long length) {
    MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_STRING, .buffer = value, .buffer_length = length};
    return bind;
}

static int64_t epoch;

static uint64_t create(uint64_t leases) {
    MYSQL_STMT *insert = prepared(
        "INSERT INTO lease4 (addr, hwaddr, client_id, valid_lft, recycle_time, cltt, pool_id, fixed, hostname, "
        "fqdn_fwd, fqdn_rev) VALUES (?, ?, ?, ?, ?, FROM_UNIXTIME(?), ?, ?, ?, ?, ?)");
    uint8_t hardware[6], client[7];
    char host[] = "foo";
    int64_t address, cltt, lifetime = 1000, none = 0, one = 1;
    MYSQL_BIND values[] = {number(&address), octets(hardware, sizeof hardware), octets(client, sizeof client),
                           number(&lifetime), number(&none), number(&cltt), number(&one), number(&none),
                           octets(host, 3), number(&one), number(&one)};
    uint64_t done = 0;
    bind(insert, values);
    for (uint64_t row = 0; row < leases; row++) {
        identify(row, hardware, client);
        address = BASE + (int64_t)row, cltt = epoch + (int64_t)(row % 60);
        done += changed(insert);
    }
    mysql_stmt_close(insert);
    return done;
}

static uint64_t search(uint64_t leases) {
    MYSQL_STMT *select = prepared(
        "SELECT lease_id, addr, hwaddr, client_id, valid_lft, recycle_time, cltt, pool_id, fixed, hostname, fqdn_fwd, "
        "fqdn_rev, options, comments FROM lease4 WHERE addr = ?");
    static char text[14][256];
    static unsigned long lengths[14];
    static my_bool nulls[14];
    static MYSQL_TIME cltt;
    int64_t address, numbers[14];
    MYSQL_BIND values[] = {number(&address)}, columns[14];
    for (int column = 0; column < 14; column++) {
        int is_text = column == 2 || column == 3 || column == 9 || column > 11;
        columns[column] = is_text ? octets(text[column], sizeof text[column]) : number(&numbers[column]);
        if (column == 6) columns[column] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_TIMESTAMP, .buffer = &cltt};
        columns[column].length = &lengths[column];
        columns[column].is_null = &nulls[column];
    }
    uint64_t done = 0;
    bind(select, values);
    for (uint64_t row = 0; row < leases; row++) {
        address = sought(row, leases);
        changed(select);
        if (mysql_stmt_bind_result(select, columns)) fail("bind", mysql_stmt_error(select));
        int code;
        while ((code = mysql_stmt_fetch(select)) == 0) done++;
        if (code != MYSQL_NO_DATA) fail("fetch", mysql_stmt_error(select));
    }
    mysql_stmt_close(select);
    return done;
}

static uint64_t update(uint64_t leases) {
    MYSQL_STMT *change = prepared("UPDATE lease4 SET valid_lft = ?, cltt = FROM_UNIXTIME(?) WHERE addr = ?");
    int64_t address, lifetime = 1002, cltt = epoch + 2000;
    MYSQL_BIND values[] = {number(&lifetime), number(&cltt), number(&address)};
    uint64_t done = 0;
    bind(change, values);
    for (uint64_t row = 0; row < leases; row++) {
        address = renewed(row, leases);
        done += changed(change);
    }
    mysql_stmt_close(change);
    return done;
}

static uint64_t drop(uint64_t leases) {
    MYSQL_STMT *change = prepared("DELETE FROM lease4 WHERE addr = ?");
    int64_t address;
    MYSQL_BIND values[] = {number(&address)};
    uint64_t done = 0;
    bind(change, values);
    for (uint64_t row = 0; row < leases; row++) {
        address = BASE + (int64_t)row;
        done += changed(change);
    }
    mysql_stmt_close(change);
    return done;
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        uint64_t (*carry_out)(uint64_t);
    } phases[] = {{"create", create}, {"search", search}, {"update", update}, {"delete", drop}};
    if (count < 7) fail("start", "usage: mariadb_bare SOCKET USER PASSWORD DATABASE OPERATIONS InnoDB|MyISAM [PHASE...]");
    const char *name = words[4];
    uint64_t leases = strtoull(words[5], NULL, 10);
    char text[1024];
    epoch = time(NULL);
    server = mysql_init(NULL);
    /* Counts rows that an UPDATE found, and not those alone that it changed, as the prepared statement of brunt does. */
    if (!mysql_real_connect(server, NULL, words[2], words[3], NULL, 0, words[1], CLIENT_FOUND_ROWS))
        fail("connect", mysql_error(server));
    snprintf(text, sizeof text, "CREATE DATABASE %s", name);
    execute(text);
    execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', autocommit = 1");
    if (mysql_select_db(server, name)) fail("enter the database", mysql_error(server));
    snprintf(text, sizeof text,
             "CREATE TABLE lease4 (lease_id SERIAL, addr INT UNSIGNED UNIQUE, hwaddr VARBINARY(20), client_id "
             "VARBINARY(128), valid_lft INT, recycle_time INT DEFAULT 0, cltt TIMESTAMP NULL, pool_id INT, fixed BOOL, "
             "hostname VARCHAR(255), fqdn_fwd BOOL DEFAULT false, fqdn_rev BOOL DEFAULT false, options TEXT, comments "
             "TEXT) ENGINE = %s", words[6]);
    execute(text);
    for (size_t phase = 0; phase < sizeof phases / sizeof *phases; phase++) {
        if (!asked(count - 7, words + 7, phases[phase].name)) continue;
        double start = now();
        uint64_t done = phases[phase].carry_out(leases);
        report(phases[phase].name, leases, now() - start, done);
    }
    snprintf(text, sizeof text, "DROP DATABASE %s", name);
    execute(text);
    mysql_close(server);
    return 0;
}
