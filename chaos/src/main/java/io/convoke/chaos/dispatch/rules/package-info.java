/**
 * What must hold for every history of tasks, as pure rules over plain data: what was asked for and
 * answered, what the programs noted outside of all stores, the journal, the stream, the ledger, and
 * what was done to whom. It looks at nothing by itself.
 */
@NullMarked
package io.convoke.chaos.dispatch.rules;

import org.jspecify.annotations.NullMarked;
