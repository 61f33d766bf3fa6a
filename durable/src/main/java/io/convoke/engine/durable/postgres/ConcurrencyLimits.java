package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.ConcurrencyLimit;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.util.List;
import java.util.Optional;

/**
 * The SQL of work items that name a key and a limit. They are inserted invisible, and the triggers
 * of {@code limits.sql} make as many of a key visible as it has slots; so no other code deals with
 * slots, and every delete of such an item frees one.
 */
final class ConcurrencyLimits {
  private ConcurrencyLimits() {}

  static List<WorkMessage> without(List<WorkMessage> messages) {
    return messages.stream().filter(message -> message.limit().isEmpty()).toList();
  }

  static List<WorkMessage> with(List<WorkMessage> messages) {
    return messages.stream().filter(message -> message.limit().isPresent()).toList();
  }

  /**
   * Queues items that have a limit, if there are any. Must be the last statement of a transaction:
   * it holds the lock of all limits until the commit, and its holder must not wait for a row lock.
   * The triggers notify of the items that got a slot.
   */
  static List<Query> inserting(Tx tx, List<WorkMessage> limited) {
    if (limited.isEmpty()) {
      return List.of();
    }
    return List.of(
        tx.sql(
                """
                insert into worker_queue (
                  instance_id, execution_id, activity_id, work_item, visible_at, limit_key,
                  limit_most, pool)
                select m.instance_id, m.execution_id, m.activity_id, m.work_item, 'infinity',
                       m.limit_key, m.limit_most, m.pool
                from unnest(?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[],
                    ?::text[])
                  with ordinality
                  as m(instance_id, execution_id, activity_id, work_item, limit_key, limit_most,
                    pool, n)
                order by m.n
                """)
            .with(
                limited.stream().map(WorkMessage::instanceId).toArray(String[]::new),
                limited.stream().map(WorkMessage::executionId).toArray(Long[]::new),
                limited.stream().map(WorkMessage::activityId).toArray(Long[]::new),
                limited.stream().map(WorkMessage::item).toArray(String[]::new),
                limited.stream().map(m -> limit(m).key()).toArray(String[]::new),
                limited.stream().map(m -> (long) limit(m).atMost()).toArray(Long[]::new),
                limited.stream().map(WorkMessage::pool).toArray(String[]::new)));
  }

  /**
   * Admits waiting items of every key. Needed when a delete was rolled back while another freed a
   * slot and skipped the item; returns whether any item got a slot.
   */
  static boolean admitAll(Tx tx) {
    return tx.sql(
            """
            select count(*) filter (where admit_work(limit_key)) as keys from (
              select distinct limit_key from worker_queue
              where visible_at = 'infinity' and limit_key is not null) as waiting
            """)
        .one(resultRow -> resultRow.longAt("keys") > 0);
  }

  private static ConcurrencyLimit limit(WorkMessage message) {
    return Optional.of(message).flatMap(WorkMessage::limit).orElseThrow();
  }
}
