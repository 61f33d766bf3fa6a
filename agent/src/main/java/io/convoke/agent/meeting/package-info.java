/**
 * A bot that hears: who is in a meeting, what each person says, under that person's name, and when
 * the bot leaves by a rule. It owns the way of sound from a person to a transcriber, the times of
 * words, the reports about people, and what the bot itself says. A platform brings a {@link
 * io.convoke.agent.meeting.MeetingAudio}: a join, a leave and a source of tracks. It never connects
 * to a meeting itself, and it knows no platform and no media library.
 */
@NullMarked
package io.convoke.agent.meeting;

import org.jspecify.annotations.NullMarked;
