package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import java.time.Instant;

/** Make a room that people join by a link in their browser. {@code POST /rooms}. */
public final class CreateRoom extends ApiCall<CreateRoom.CreateRoomAnswer> {
  private CreateRoom(CallParts parts) {
    super(parts, AnswerType.json(CreateRoom.CreateRoomAnswer.class));
  }

  /** The call, with what it needs. */
  public static CreateRoom of() {
    return new CreateRoom(
        CallParts.withKey("POST", "/rooms")
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public CreateRoom userId(long userId) {
    return new CreateRoom(parts().query("user_id", userId));
  }

  /** {@code name}. */
  public CreateRoom name(String name) {
    return new CreateRoom(parts().member("name", name));
  }

  /** {@code expires_in}. */
  public CreateRoom expiresIn(long expiresIn) {
    return new CreateRoom(parts().member("expires_in", expiresIn));
  }

  /** {@code record}. */
  public CreateRoom record(boolean record) {
    return new CreateRoom(parts().member("record", record));
  }

  /**
   * What is answered.
   *
   * @param platform One of janus.
   * @param room Its name on the platform.
   * @param egressToken The access_token of this user's egress tasks for this room.
   */
  public record CreateRoomAnswer(
      String platform,
      String room,
      boolean recorded,
      Instant expiresAt,
      CreateRoomAnswerLinks links,
      String egressToken) {
    /**
     * A part of what is around it.
     *
     * @param host Also removes others.
     */
    public record CreateRoomAnswerLinks(
        String host,
        String guest) {}
  }
}
