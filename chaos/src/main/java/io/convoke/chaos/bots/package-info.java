/**
 * Bots scenario: users start and stop bots while callbacks are lost, repeated and delayed,
 * processes die in every status, and the launcher misbehaves. It owns the plan, its execution and
 * the observations; {@code rules} decides what is correct.
 */
@NullMarked
package io.convoke.chaos.bots;

import org.jspecify.annotations.NullMarked;
