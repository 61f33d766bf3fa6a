/**
 * Signals that tests and checkers wait for instead of sleeping. It keeps no history of its own and
 * decides nothing.
 */
@NullMarked
package io.convoke.simulator.observe;

import org.jspecify.annotations.NullMarked;
