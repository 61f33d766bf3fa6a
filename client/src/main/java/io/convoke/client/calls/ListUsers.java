package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.User;
import java.util.List;

/** List users, oldest first. {@code GET /admin/users}. */
public final class ListUsers extends ListCall<User> {
  private ListUsers(CallParts parts) {
    super(parts, User.class);
  }

  /** The call, with what it needs. */
  public static ListUsers of() {
    return new ListUsers(
        CallParts.repeatable("GET", "/admin/users"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListUsers limit(long limit) {
    return new ListUsers(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListUsers cursor(String cursor) {
    return new ListUsers(parts().query("cursor", cursor));
  }
}
