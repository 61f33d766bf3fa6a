package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Meeting;
import tools.jackson.databind.JsonNode;

/** Track presence of a meeting without a bot. {@code POST /meetings}. */
public final class TrackMeeting extends ApiCall<Meeting> {
  private TrackMeeting(CallParts parts) {
    super(parts, AnswerType.json(Meeting.class));
  }

  /** The call, with what it needs. */
  public static TrackMeeting of(String platform) {
    return new TrackMeeting(
        CallParts.withKey("POST", "/meetings")
            .member("platform", platform)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public TrackMeeting userId(long userId) {
    return new TrackMeeting(parts().query("user_id", userId));
  }

  /** {@code native_meeting_id}. */
  public TrackMeeting nativeMeetingId(String nativeMeetingId) {
    return new TrackMeeting(parts().member("native_meeting_id", nativeMeetingId));
  }

  /** {@code platform_specific_id}. */
  public TrackMeeting platformSpecificId(String platformSpecificId) {
    return new TrackMeeting(parts().member("platform_specific_id", platformSpecificId));
  }

  /** {@code meeting_url}. */
  public TrackMeeting meetingUrl(String meetingUrl) {
    return new TrackMeeting(parts().member("meeting_url", meetingUrl));
  }

  /** {@code data}. */
  public TrackMeeting data(JsonNode data) {
    return new TrackMeeting(parts().member("data", data));
  }
}
