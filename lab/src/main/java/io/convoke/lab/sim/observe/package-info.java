/**
 * Signals that tests and checkers wait for instead of sleeping. It keeps no history of its own and
 * decides nothing.
 */
@NullMarked
package io.convoke.lab.sim.observe;

import org.jspecify.annotations.NullMarked;
