/**
 * Imports a database of the older layout (bots-16): checks it, copies its rows in one transaction,
 * and never writes to the source. It owns the table {@code adoptions}; the features own the copied
 * rows.
 */
@NullMarked
package io.convoke.server.schemaimport;

import org.jspecify.annotations.NullMarked;
