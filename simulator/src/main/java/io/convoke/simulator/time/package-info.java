/**
 * Time and chance of a simulation: a clock that runs with the wall or is stepped by a test,
 * scripted spans that a speed factor shortens, and draws and ids that depend on a seed alone. It
 * reads no other clock and never shares a random stream between two concerns.
 */
@NullMarked
package io.convoke.simulator.time;

import org.jspecify.annotations.NullMarked;
