/**
 * Rooms scenario: people speak in rooms of a real Janus, which are recorded, streamed to a pod and
 * heard by a bot, while each of these programs is killed.
 */
@NullMarked
package io.convoke.chaos.rooms;

import org.jspecify.annotations.NullMarked;
