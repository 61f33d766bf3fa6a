package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.Meeting;

/** Live bots: reserved, starting, active, stopping. {@code GET /bots/active}. */
public final class ActiveBots extends ListCall<Meeting> {
  private ActiveBots(CallParts parts) {
    super(parts, Meeting.class);
  }

  /** The call, with what it needs. */
  public static ActiveBots of() {
    return new ActiveBots(
        CallParts.repeatable("GET", "/bots/active"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ActiveBots limit(long limit) {
    return new ActiveBots(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ActiveBots cursor(String cursor) {
    return new ActiveBots(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ActiveBots userId(long userId) {
    return new ActiveBots(parts().query("user_id", userId));
  }
}
