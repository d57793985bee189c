//! Tables that another program created are not changed, and tables that a run created are removed.

use crate::backends;
use brunt_exchange::Class;
use brunt_leases_driver::sqlite::{SqliteBackend, SqliteSetup};
use brunt_leases_driver::{Backend, Family, Schema};
use rusqlite::Connection;

#[test]
fn foreign_table_is_kept() {
    let directory = backends::directory();
    let setup = backends::sqlite(directory.path(), Schema::Guide, Family::V4);
    let theirs = Connection::open(&setup.path).unwrap();
    theirs.execute_batch("CREATE TABLE lease4 (a); INSERT INTO lease4 VALUES (1), (2)").unwrap();
    theirs.execute_batch("CREATE TABLE other (b); INSERT INTO other VALUES (3)").unwrap();
    drop(theirs);
    let rows = |table: &str| -> i64 {
        let theirs = Connection::open(&setup.path).unwrap();
        theirs.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };

    let backend = SqliteBackend::new(setup.clone());
    let refused = backend.prepare().unwrap_err();
    assert_eq!(refused.class, Class::Check);
    let text = refused.text;
    assert!(text.contains("lease4 with 2 rows") && text.contains("--yes-destroy"), "{text}");
    backend.clear().unwrap();
    assert_eq!((rows("lease4"), rows("other")), (2, 1));

    let backend = SqliteBackend::new(SqliteSetup { may_destroy: true, ..setup.clone() });
    backend.prepare().unwrap();
    assert_eq!((backend.count().unwrap(), rows("other")), (0, 1));
    // The second time, the table is the run's own and is created again.
    backend.prepare().unwrap();
    backend.clear().unwrap();
    let theirs = Connection::open(&setup.path).unwrap();
    let left: Vec<String> = theirs
        .prepare("SELECT name FROM sqlite_schema ORDER BY name")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(left, ["other"]);
    let mode: String = theirs.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "delete", "the database keeps changes as it did before");
}

#[test]
fn file_that_is_no_database_is_refused() {
    let directory = backends::directory();
    let setup = backends::sqlite(directory.path(), Schema::Guide, Family::V4);
    let text = "this is a letter and no database, and long enough to be looked at".repeat(20);
    std::fs::write(&setup.path, &text).unwrap();
    let refused = SqliteBackend::new(setup.clone()).prepare().unwrap_err();
    assert!(refused.text.contains("SQLITE_NOTADB"), "{}", refused.text);
    assert_eq!(std::fs::read_to_string(&setup.path).unwrap(), text);
}
