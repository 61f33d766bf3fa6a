/**
 * The meeting row as every feature sees it: its record, its status, reading and tracking it, its
 * timeline and its transcript. It owns the endpoints under {@code /meetings} that are about the row
 * itself. It never moves the status of a bot (that is the bots' reducer) and never writes who is in
 * the room (that is presence).
 */
@NullMarked
package io.convoke.server.meetings;

import org.jspecify.annotations.NullMarked;
