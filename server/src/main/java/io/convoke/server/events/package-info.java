/**
 * The journal as callers see it: a list, and a stream that can be picked up where it broke off.
 * Reads only; events are written by the features that they tell about.
 */
@NullMarked
package io.convoke.server.events;

import org.jspecify.annotations.NullMarked;
