package io.convoke.server.meetings;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.server.trace.Traceparent;
import java.util.List;

/**
 * Starts the post-meeting workflow: confirm that the bot is gone, close the transcript. The start
 * is written in the transaction that makes the meeting terminal, so it happens exactly once on
 * every path.
 */
public final class PostMeetingOrder {
  /** The workflow's name; {@code post-meeting-42} is that of meeting 42. */
  public static final String WORKFLOW = "post-meeting";

  private static final int BATCH = 500;

  private PostMeetingOrder() {}

  /** Starts it, in the transaction of the terminal transition. */
  public static void order(Tx tx, long meetingId) {
    tx.run(
        List.of(
            tx.sql(
                    """
                    insert into post_meeting (meeting_id, taken_at) values (?, now())
                    on conflict do nothing
                    """)
                .with(meetingId),
            owned(tx, meetingId),
            start(tx, meetingId)));
  }

  /**
   * Starts the post-meeting workflow of meetings that ended before the engine existed; returns how
   * many.
   *
   * @throws io.convoke.engine.sql.StoreUnavailable with the rest left for the next call
   */
  public static long takeOver(Database database) {
    long all = 0;
    int taken;
    do {
      taken = database.transaction(PostMeetingOrder::takeSome);
      all += taken;
    } while (taken > 0);
    return all;
  }

  private static int takeSome(Tx tx) {
    List<Long> waiting =
        tx.sql(
                """
                update post_meeting set taken_at = now() where meeting_id in (
                  select meeting_id from post_meeting where taken_at is null
                  order by meeting_id limit ? for update skip locked)
                returning meeting_id
                """)
            .with(BATCH)
            .list(resultRow -> resultRow.longAt("meeting_id"));
    for (long meetingId : waiting) {
      tx.run(List.of(owned(tx, meetingId), start(tx, meetingId)));
    }
    return waiting.size();
  }

  private static Query owned(Tx tx, long meetingId) {
    return tx.sql(
            """
            insert into workflow_owners (instance_id, user_id, meeting_id)
            select ?, user_id, id from meetings where id = ? on conflict do nothing
            """)
        .with(instance(meetingId), meetingId);
  }

  private static Query start(Tx tx, long meetingId) {
    return Durable.starting(tx, WORKFLOW, instance(meetingId), meetingId, Traceparent.current());
  }

  private static String instance(long meetingId) {
    return WORKFLOW + "-" + meetingId;
  }
}
