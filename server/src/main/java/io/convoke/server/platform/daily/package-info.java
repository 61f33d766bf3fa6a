/**
 * Daily.co: its REST API as presence needs it, the signature of its webhooks and their events as
 * sealed types. What Daily sends is read leniently (names may be null, times may be floats, {@code
 * room} and {@code room_name} both occur) and never ends in an exception. This package knows
 * nothing of meetings, sessions or stores.
 */
@NullMarked
package io.convoke.server.platform.daily;

import org.jspecify.annotations.NullMarked;
