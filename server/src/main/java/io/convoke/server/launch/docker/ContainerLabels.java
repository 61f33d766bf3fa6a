package io.convoke.server.launch.docker;

import io.convoke.server.launch.LaunchSpec;
import java.util.Map;

/** The labels of this installation's containers. */
final class ContainerLabels {
  static final String FLEET = "convoke.fleet";
  static final String MEETING_ID = "convoke.meeting_id";
  static final String CONNECTION_ID = "convoke.connection_id";
  static final String ATTEMPT = "convoke.attempt";

  private ContainerLabels() {}

  static Map<String, String> of(String fleet, LaunchSpec spec) {
    return Map.of(
        FLEET, fleet,
        MEETING_ID, Long.toString(spec.meetingId()),
        CONNECTION_ID, spec.connectionId(),
        ATTEMPT, Integer.toString(spec.attempt()));
  }
}
