/**
 * Plain SQL on plain JDBC: a bounded pool, transactions with retries, group commits, and rows read
 * by column name. It owns connections and no statements, which belong to the features. No other
 * network call happens inside a transaction.
 */
@NullMarked
package io.convoke.engine.sql;

import org.jspecify.annotations.NullMarked;
