/**
 * HTTP client of an attached simulator and its endpoints: shows and sets its faults, and sends it
 * the stored rows to be checked. It writes nothing and checks nothing itself; enabled by {@code
 * CONVOKE_SIM_URL}.
 */
@NullMarked
package io.convoke.server.simulator;

import org.jspecify.annotations.NullMarked;
