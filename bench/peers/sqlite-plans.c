/*
 * A loadable extension of SQLite for what its Node client has no other way to. Loading it turns on
 * SQLITE_DBCONFIG_ENABLE_QPSG, with which a plan does not depend on bound values, so that no prepared statement is
 * planned again for another value. It adds the function reprepares(): SQLITE_STMTSTATUS_REPREPARE of all prepared
 * statements of the connection, that is how often one was planned again. Compiled by sqlite-plans.ts on first use.
 */

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static void reprepares(sqlite3_context *context, int count, sqlite3_value **values) {
	sqlite3_stmt *statement = 0;
	sqlite3_int64 sum = 0;
	(void)count;
	(void)values;
	while ((statement = sqlite3_next_stmt(sqlite3_context_db_handle(context), statement)) != 0)
		sum += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
	sqlite3_result_int64(context, sum);
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
	(void)error;
	SQLITE_EXTENSION_INIT2(api);
	if (sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, (int *)0) != SQLITE_OK) return SQLITE_ERROR;
	return sqlite3_create_function(db, "reprepares", 0, SQLITE_UTF8, 0, reprepares, 0, 0);
}
