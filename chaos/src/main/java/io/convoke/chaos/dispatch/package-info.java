/**
 * Dispatch under torment: real servers, real pods with programs as handlers, one Postgres, one
 * Redis. It owns the plan of a seed, carries it out, and gathers what can be seen from outside;
 * what is right about it is said in {@code verdict}.
 */
@NullMarked
package io.convoke.chaos.dispatch;

import org.jspecify.annotations.NullMarked;
