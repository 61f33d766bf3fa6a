/**
 * Plain SQL on plain JDBC: a bounded pool, transactions that retry what Postgres asks to retry, one
 * commit for many callers, and rows read by column name. It owns connections and nothing else;
 * statements live with the feature that means them, and no network call of another kind ever
 * happens inside a transaction.
 */
@NullMarked
package io.convoke.engine.sql;

import org.jspecify.annotations.NullMarked;
