package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockRef;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Acknowledges work items and tells their instances, in one statement that commits by itself. What
 * is not held any more tells nobody anything.
 *
 * <p>Instances that are free may be locked for this node's dispatchers on the way, but only those
 * whose row nobody has in hand: a turn locks its instance and then takes away work items, this
 * statement goes the other way round, and so must not wait for an instance.
 */
final class WorkItemAcks {
  /** A work item that is done, and what its instance is told; nothing if nobody waits for it. */
  record WorkItemAck(WorkItemLockRef ref, Optional<InstanceMessage> completion) {}

  /** The items that were held, and what that left in the orchestrators' queue. */
  record AckOutcome(Set<WorkItemLockRef> held, InsertResult<OrchestrationItem> written) {}

  private sealed interface AckRow {}

  private record AckLockLost(WorkItemLockRef ref) implements AckRow {}

  private record AckHandoff(LockedMessage message) implements AckRow {}

  private record AckVisible(Optional<Instant> earliest) implements AckRow {}

  AckOutcome commit(Tx tx, List<WorkItemAck> acks, Handoff handoff) {
    return acked(
        tx.sql(
                """
                with gone as (
                  delete from worker_queue q
                  using unnest(?::bigint[], ?::text[], ?::text[], ?::text[])
                    as a(id, token, instance_id, item)
                  where q.id = any (array[a.id]) and q.lock_token = a.token
                    and q.locked_until > clock_timestamp()
                  returning a.id, a.token, a.instance_id, a.item),
                told as materialized (select distinct instance_id from gone where item is not null),
                free as materialized (
                  select i.instance_id from told t
                    join instances i on i.instance_id = any (array[t.instance_id])
                  where i.lock_token is null
                  limit ? for update of i skip locked),
                locked as (
                  update instances i
                  set lock_token = ?, turn = i.turn + 1,
                      locked_until = clock_timestamp() + ?::float8 * interval '1 millisecond'
                  from free where i.instance_id = any (array[free.instance_id])
                  returning i.instance_id, i.turn, i.current_execution_id, i.lock_token,
                            i.locked_until),
                message as (
                  insert into orchestrator_queue
                    (instance_id, work_item, lock_token, locked_until, attempt_count)
                  select g.instance_id, g.item, l.lock_token, l.locked_until,
                         (l.lock_token is not null)::integer
                  from gone g left join locked l on l.instance_id = g.instance_id
                  where g.item is not null order by g.id
                  returning id, instance_id, work_item, visible_at, attempt_count, lock_token)
                select 'gone' as kind, g.id, g.token, null as instance_id, null as turn,
                       null as current_execution_id, null as work_item,
                       null::timestamptz as visible_at, 0 as attempt_count, clock_timestamp() as now
                from gone g
                union all
                select 'handed', m.id, null, m.instance_id, l.turn, l.current_execution_id,
                       m.work_item, m.visible_at, m.attempt_count, clock_timestamp()
                from message m join locked l on l.instance_id = m.instance_id
                union all
                select 'visible', 0, null, null, 0, 0, null, min(m.visible_at), 0, clock_timestamp()
                from message m where m.lock_token is null
                """)
            .with(
                acks.stream().map(workItemAck -> workItemAck.ref.id()).toArray(Long[]::new),
                acks.stream().map(workItemAck -> workItemAck.ref.claim()).toArray(String[]::new),
                acks.stream()
                    .map(
                        workItemAck ->
                            workItemAck.completion.map(InstanceMessage::instanceId).orElse(null))
                    .toArray(String[]::new),
                acks.stream()
                    .map(
                        workItemAck ->
                            workItemAck.completion.map(InstanceMessage::item).orElse(null))
                    .toArray(String[]::new),
                handoff.count(),
                handoff.token(),
                handoff.lock())
            .list(WorkItemAcks::line),
        handoff);
  }

  private static AckRow line(ResultRow resultRow) {
    return switch (resultRow.text("kind")) {
      case "gone" ->
          new AckLockLost(new WorkItemLockRef(resultRow.text("token"), resultRow.longAt("id")));
      case "handed" -> new AckHandoff(LockedMessage.of(resultRow));
      default -> new AckVisible(resultRow.maybeInstant("visible_at"));
    };
  }

  private static AckOutcome acked(List<AckRow> lines, Handoff handoff) {
    Set<WorkItemLockRef> held = new HashSet<>();
    List<LockedMessage> handed = new ArrayList<>();
    Optional<Instant> earliest = Optional.empty();
    for (AckRow ackRow : lines) {
      switch (ackRow) {
        case AckLockLost ackLockLost -> {
          boolean _ = held.add(ackLockLost.ref);
        }
        case AckHandoff message -> {
          boolean _ = handed.add(message.message);
        }
        case AckVisible ackVisible -> earliest = ackVisible.earliest;
      }
    }
    return new AckOutcome(
        held, new InsertResult<>(earliest, LockedMessage.items(handed, handoff.token())));
  }
}
