/**
 * The platform simulator: Daily's REST API and webhooks, rooms that bots can join, participants who
 * follow a script, and switches for faults. It owns the wiring and the public API ({@link
 * io.convoke.simulator.Simulator}); it depends on no other module of Convoke, and a server reaches
 * it over HTTP only.
 */
@NullMarked
package io.convoke.simulator;

import org.jspecify.annotations.NullMarked;
