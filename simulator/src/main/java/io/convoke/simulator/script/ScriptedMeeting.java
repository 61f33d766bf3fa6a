package io.convoke.simulator.script;

import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.Visitor;
import java.time.Duration;
import java.util.List;

/**
 * One meeting of a script. All times count from the meeting's own start.
 *
 * @param at its start, from the start of the script
 * @param lasts its latest end
 * @param hostEnds whether a host then ends it for all participants
 */
public record ScriptedMeeting(
    String room,
    String title,
    Duration at,
    Duration lasts,
    boolean hostEnds,
    Lobby lobby,
    List<ScriptedPerson> people,
    List<ScriptedLine> lines,
    List<ScriptedRecording> tapes) {

  /**
   * A participant with one or more visits; overlapping visits are two tabs.
   *
   * @param key the name in lines: display name, else user id, else place in the list
   */
  public record ScriptedPerson(String key, Visitor visitor, List<ScriptedVisit> visits) {}

  /** From joining to leaving. */
  public record ScriptedVisit(Duration join, Duration leave) {}

  /** A spoken line, if the participant is present. */
  public record ScriptedLine(Duration at, String who, String text) {}

  /** A recording of the meeting, if it still runs then. */
  public record ScriptedRecording(
      String type, Duration from, Duration until, Recording.RecordingOutcome outcome) {}
}
