package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.EventView;
import java.time.Instant;

/** Events after a sequence; a stream with Accept: text/event-stream. {@code GET /events}. */
public final class ListEvents extends ListCall<EventView> {
  private ListEvents(CallParts parts) {
    super(parts, EventView.class);
  }

  /** The call, with what it needs. */
  public static ListEvents of() {
    return new ListEvents(
        CallParts.repeatable("GET", "/events"));
  }

  /** {@code after}: Only events with a larger sequence. */
  public ListEvents after(long after) {
    return new ListEvents(parts().query("after", after));
  }

  /** {@code before}: Lists: only events with a smaller sequence. */
  public ListEvents before(long before) {
    return new ListEvents(parts().query("before", before));
  }

  /** {@code since}: Lists: only from this instant on. */
  public ListEvents since(Instant since) {
    return new ListEvents(parts().query("since", since));
  }

  /** {@code until}: Lists: only from before this instant. */
  public ListEvents until(Instant until) {
    return new ListEvents(parts().query("until", until));
  }

  /** {@code order}: Lists: the order. */
  public ListEvents order(String order) {
    return new ListEvents(parts().query("order", order));
  }

  /** {@code type}: Only this type, such as participant.joined. */
  public ListEvents type(String type) {
    return new ListEvents(parts().query("type", type));
  }

  /** {@code subject}: Only this subject, such as meeting:42. */
  public ListEvents subject(String subject) {
    return new ListEvents(parts().query("subject", subject));
  }

  /** {@code Last-Event-ID}: Streams: the sequence of the last event that arrived. */
  public ListEvents lastEventID(String lastEventID) {
    return new ListEvents(parts().header("Last-Event-ID", lastEventID));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListEvents limit(long limit) {
    return new ListEvents(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListEvents cursor(String cursor) {
    return new ListEvents(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListEvents userId(long userId) {
    return new ListEvents(parts().query("user_id", userId));
  }
}
