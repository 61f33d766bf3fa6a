/**
 * The store interface of durable workflows: claim turns and work items under locks, commit their
 * results in one step, and keep history. The runtime knows no other store interface, and nothing
 * here interprets an item or an event.
 */
@NullMarked
package io.convoke.engine.durable.provider;

import org.jspecify.annotations.NullMarked;
