/**
 * Daily's REST API: authentication, error bodies, paging, rate limits and the wire form of every
 * object. It reads and changes the simulation on behalf of callers.
 */
@NullMarked
package io.convoke.simulator.daily;

import org.jspecify.annotations.NullMarked;
