/**
 * Fault switches: which kinds there are, how likely each is, and the seeded decision whether one
 * strikes. It never carries a fault out; the API and the webhook sender ask and act.
 */
@NullMarked
package io.convoke.simulator.fault;

import org.jspecify.annotations.NullMarked;
