package io.convoke.server.meetings;

import io.convoke.engine.sql.Tx;

/**
 * The order for what follows a meeting: container removed, transcript closed, recording and sync
 * started. It is written in the transaction that makes the meeting terminal, so it exists exactly
 * once whatever path led there..
 */
public final class PostMeeting {
  private PostMeeting() {}

  /** Orders it, in the transaction of the terminal move. */
  public static void order(Tx tx, long meetingId) {
    int _ =
        tx.sql("insert into post_meeting (meeting_id) values (?) on conflict do nothing")
            .with(meetingId)
            .update();
  }
}
