package io.convoke.simulator.state;

import java.time.Duration;

/**
 * The platform's delays, as scripted spans. Those of sessions are Daily's
 * (docs.daily.co/reference/rest-api/meetings).
 *
 * @param meetingEnd how long a room is empty before its meeting ends (Daily: about 20 s)
 * @param disconnect how long a broken bot connection may reconnect
 * @param firstStream how long a joined bot may take to open its event stream
 * @param recorded the minimum visit that enters the meeting's attendance (Daily: 10 s)
 * @param processing the time from a recording's stop until it can be downloaded
 * @param alone how long a participant is alone before that is a session (Daily: 30 s); a second
 *     participant begins it at once
 * @param leftAlone how long a participant is alone after the others left before the session ends
 *     and a new one begins (Daily: 10 minutes)
 * @param granularity of the start and join times of sessions (Daily: about 15 s)
 */
public record SimulationTimings(
    Duration meetingEnd,
    Duration disconnect,
    Duration firstStream,
    Duration recorded,
    Duration processing,
    Duration alone,
    Duration leftAlone,
    Duration granularity) {

  public static final SimulationTimings DAILY =
      new SimulationTimings(
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(10),
          Duration.ofSeconds(8),
          Duration.ofSeconds(30),
          Duration.ofMinutes(10),
          Duration.ofSeconds(15));

  public SimulationTimings withMeetingEnd(Duration span) {
    return new SimulationTimings(
        span, disconnect, firstStream, recorded, processing, alone, leftAlone, granularity);
  }

  public SimulationTimings withRecorded(Duration span) {
    return new SimulationTimings(
        meetingEnd, disconnect, firstStream, span, processing, alone, leftAlone, granularity);
  }

  public SimulationTimings withProcessing(Duration span) {
    return new SimulationTimings(
        meetingEnd, disconnect, firstStream, recorded, span, alone, leftAlone, granularity);
  }

  public SimulationTimings withLeftAlone(Duration span) {
    return new SimulationTimings(
        meetingEnd, disconnect, firstStream, recorded, processing, alone, span, granularity);
  }

  public SimulationTimings withGranularity(Duration span) {
    return new SimulationTimings(
        meetingEnd, disconnect, firstStream, recorded, processing, alone, leftAlone, span);
  }
}
