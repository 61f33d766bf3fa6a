package io.convoke.simulator.state;

import java.time.Duration;

/**
 * The platform's delays, as scripted spans.
 *
 * @param meetingEnd how long a room is empty before its meeting ends (Daily: about 20 s)
 * @param disconnect how long a broken bot connection may reconnect
 * @param firstStream how long a joined bot may take to open its event stream
 * @param recorded the minimum visit that enters the meeting's attendance (Daily: 10 s)
 * @param processing the time from a recording's stop until it can be downloaded
 */
public record SimulationTimings(
    Duration meetingEnd,
    Duration disconnect,
    Duration firstStream,
    Duration recorded,
    Duration processing) {

  public static final SimulationTimings DAILY =
      new SimulationTimings(
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(10),
          Duration.ofSeconds(8));

  public SimulationTimings withMeetingEnd(Duration span) {
    return new SimulationTimings(span, disconnect, firstStream, recorded, processing);
  }

  public SimulationTimings withDisconnect(Duration span) {
    return new SimulationTimings(meetingEnd, span, firstStream, recorded, processing);
  }

  public SimulationTimings withProcessing(Duration span) {
    return new SimulationTimings(meetingEnd, disconnect, firstStream, recorded, span);
  }
}
