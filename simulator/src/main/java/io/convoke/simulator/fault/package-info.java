/**
 * Fault switches: the kinds, their probabilities, and the seeded decision whether one occurs. The
 * API and the webhook sender ask it and carry the faults out.
 */
@NullMarked
package io.convoke.simulator.fault;

import org.jspecify.annotations.NullMarked;
