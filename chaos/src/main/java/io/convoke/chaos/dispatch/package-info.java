/**
 * Dispatch scenario: real servers, real pods with programs as handlers, one Postgres, one Redis. It
 * owns the plan of a seed, its execution and the observations; {@code rules} decides what is
 * correct.
 */
@NullMarked
package io.convoke.chaos.dispatch;

import org.jspecify.annotations.NullMarked;
