/**
 * What Convoke asks of a meeting platform, whatever its name: who is in a room, who is in any room,
 * whether a room's meeting is over, and how our webhook stands there; and what a bot tells of a
 * room whose platform cannot be asked. Every answer is a value that says how much it proves; a
 * platform that is slow, refusing or silent is {@code Unknown}, never "nobody". This package
 * decides nothing about sessions and writes nothing.
 */
@NullMarked
package io.convoke.server.platform;

import org.jspecify.annotations.NullMarked;
