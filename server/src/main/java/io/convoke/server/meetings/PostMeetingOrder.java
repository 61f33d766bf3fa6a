package io.convoke.server.meetings;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import io.convoke.server.trace.Traceparent;
import java.util.List;
import java.util.stream.Stream;

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
    orderAll(tx, List.of(meetingId));
  }

  /** The same for several meetings, in one round trip. */
  public static void orderAll(Tx tx, List<Long> meetings) {
    Query noted =
        tx.sql(
                """
                insert into post_meeting (meeting_id, taken_at)
                select id, now() from unnest(?::bigint[]) as ended (id) on conflict do nothing
                """)
            .with((Object) meetings.toArray(Long[]::new));
    tx.run(Stream.concat(Stream.of(noted), starts(tx, meetings)).toList());
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
    tx.run(starts(tx, waiting).toList());
    return waiting.size();
  }

  /** Gives the workflows to the meetings' users and starts them. */
  private static Stream<Query> starts(Tx tx, List<Long> meetings) {
    Query owned =
        tx.sql(
                """
                insert into workflow_owners (instance_id, user_id, meeting_id)
                select ?::text || id, user_id, id from meetings where id = any(?) on conflict do nothing
                """)
            .with(WORKFLOW + "-", meetings.toArray(Long[]::new));
    return Stream.concat(Stream.of(owned), meetings.stream().map(meeting -> start(tx, meeting)));
  }

  private static Query start(Tx tx, long meetingId) {
    return Durable.starting(tx, WORKFLOW, instance(meetingId), meetingId, Traceparent.current());
  }

  private static String instance(long meetingId) {
    return WORKFLOW + "-" + meetingId;
  }
}
