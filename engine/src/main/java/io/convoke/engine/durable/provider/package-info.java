/**
 * What a store must be able to do for durable workflows: hand out turns and work items under locks,
 * take their results in one step, and keep history. It owns the words and their meaning (seed 002's
 * provider); the runtime above knows nothing else, and nothing here interprets an item or an event.
 */
@NullMarked
package io.convoke.engine.durable.provider;

import org.jspecify.annotations.NullMarked;
