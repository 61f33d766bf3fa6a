/**
 * The history checker: everything observed in a run as plain values, and the rules over it. Pure;
 * it never accesses a server, store or clock, so that tests can write an incorrect history by hand
 * for each rule.
 */
@NullMarked
package io.convoke.chaos.history;

import org.jspecify.annotations.NullMarked;
