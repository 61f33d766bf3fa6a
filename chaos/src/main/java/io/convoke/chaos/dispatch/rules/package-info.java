/**
 * Rules for task histories: pure functions over requests and responses, the programs' logs outside
 * of all stores, the journal, the stream, the task table, and the injected faults.
 */
@NullMarked
package io.convoke.chaos.dispatch.rules;

import org.jspecify.annotations.NullMarked;
