package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.ChatMessage;

/** The chat of a meeting that a bot has read or written, oldest first. {@code GET /meetings/{id}/chat}. */
public final class ListChat extends ListCall<ChatMessage> {
  private ListChat(CallParts parts) {
    super(parts, ChatMessage.class);
  }

  /** The call, with what it needs. */
  public static ListChat of(long id) {
    return new ListChat(
        CallParts.repeatable("GET", "/meetings/{id}/chat")
            .path("id", id));
  }

  /** {@code after}: Only later messages. */
  public ListChat after(long after) {
    return new ListChat(parts().query("after", after));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListChat limit(long limit) {
    return new ListChat(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListChat cursor(String cursor) {
    return new ListChat(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListChat userId(long userId) {
    return new ListChat(parts().query("user_id", userId));
  }
}
