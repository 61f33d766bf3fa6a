/**
 * The meeting row as every feature sees it: its record, its status, reading and tracking it, its
 * timeline and its transcript. It owns the endpoints under {@code /meetings} that are about the row
 * itself. It never changes the status of a bot (the bots' reducer does) or the participants
 * (presence does).
 */
@NullMarked
package io.convoke.server.meetings;

import org.jspecify.annotations.NullMarked;
