/**
 * The platform simulator: a stand-in for Daily with its REST API, its webhooks, rooms that bots can
 * join, people who follow a script, and switches for faults. It owns the wiring and the public face
 * ({@link io.convoke.simulator.Simulator}); it never depends on another module of Convoke and is
 * never linked into a server: it speaks HTTP.
 */
@NullMarked
package io.convoke.simulator;

import org.jspecify.annotations.NullMarked;
