/**
 * Daily.co: client of its REST API, signature and parser of its webhooks. Input from Daily is
 * parsed leniently (names may be null, times may be floats, {@code room} and {@code room_name} both
 * occur) and never causes an exception. This package does not depend on meetings, sessions or
 * stores.
 */
@NullMarked
package io.convoke.server.platform.daily;

import org.jspecify.annotations.NullMarked;
