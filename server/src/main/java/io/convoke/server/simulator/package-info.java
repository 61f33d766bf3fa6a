/**
 * Access to an attached simulator: shows and sets its faults, and compares its state with the
 * stored rows. It calls the simulator over HTTP and only reads the database; enabled by {@code
 * CONVOKE_SIM_URL}.
 */
@NullMarked
package io.convoke.server.simulator;

import org.jspecify.annotations.NullMarked;
