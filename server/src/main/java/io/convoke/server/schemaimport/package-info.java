/**
 * Takes over a database of seed 001's shape: checks it, copies its rows into our tables in one
 * transaction, and never writes to where they came from. It owns the table {@code adoptions}; what
 * becomes of a row afterwards is the business of the features.
 */
@NullMarked
package io.convoke.server.schemaimport;

import org.jspecify.annotations.NullMarked;
