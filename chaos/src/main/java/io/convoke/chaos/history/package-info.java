/**
 * The history checker: everything that was observed in a run, as plain values, and the rules that
 * it must obey. Pure; it never looks at a server, a store or a clock, so that a bad history can be
 * written by hand and each rule seen to find it.
 */
@NullMarked
package io.convoke.chaos.history;

import org.jspecify.annotations.NullMarked;
