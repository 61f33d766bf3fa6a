/**
 * The shape that all lifecycles share: a pure function from state and event to a step, a table that
 * declares every legal transition, and coverage that fails a test which never took one of them.
 */
@NullMarked
package io.convoke.engine.state;

import org.jspecify.annotations.NullMarked;
