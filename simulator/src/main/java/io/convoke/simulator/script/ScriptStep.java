package io.convoke.simulator.script;

import io.convoke.simulator.state.Visitor;
import java.time.Duration;

/** One thing to do at one moment of a meeting's script. */
sealed interface ScriptStep {

  /** From the meeting's start. */
  Duration at();

  /**
   * A participant joins.
   *
   * @param visit ordinal of this person's visit
   */
  record JoinMeeting(Duration at, String key, int visit, Visitor visitor) implements ScriptStep {}

  record LeaveMeeting(Duration at, String key, int visit) implements ScriptStep {}

  record SayLine(Duration at, String key, String text) implements ScriptStep {}

  record StartRecording(Duration at, ScriptedMeeting.ScriptedRecording tape)
      implements ScriptStep {}

  record StopRecording(Duration at) implements ScriptStep {}

  record EndMeeting(Duration at) implements ScriptStep {}
}
