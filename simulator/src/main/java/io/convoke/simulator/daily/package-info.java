/**
 * Daily's REST API as its callers see it: authentication, error bodies, paging, rate limits and the
 * wire form of every object. It reads and changes the world; it never decides what happens in it.
 */
@NullMarked
package io.convoke.simulator.daily;

import org.jspecify.annotations.NullMarked;
