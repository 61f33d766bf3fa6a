/**
 * Which user a room belongs to, on platforms where one API key opens all rooms of the account. It
 * owns the table {@code rooms} and the endpoints under {@code /rooms}. It decides who may have a
 * meeting in a room; it never writes meetings or recordings.
 */
@NullMarked
package io.convoke.server.rooms;

import org.jspecify.annotations.NullMarked;
