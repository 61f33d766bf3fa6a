package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.postgres.QueueClaimer.InsertResult;
import io.convoke.engine.durable.postgres.QueueCommits.AckResult;
import io.convoke.engine.durable.postgres.QueueCommits.LockAck;
import io.convoke.engine.durable.postgres.QueueCommits.LockRef;
import io.convoke.engine.durable.postgres.WorkItemStore.InsertedWorkItem;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.TurnCommit.ExecutionOutcome;
import io.convoke.engine.durable.provider.TurnCommit.InstanceIdentity;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** The statements of turns, many in one transaction: first the locks, then what they guard. */
final class TurnStore {
  private TurnStore() {}

  private record TurnEventRow(String instanceId, long executionId, HistoryEvent event) {}

  private record CancelledActivity(String instanceId, long executionId, long activityId) {}

  /**
   * Commits the turns whose locks are held. A claim skips the messages that arrive while an
   * instance is locked, so the earliest of them is queried after the commit has released it;
   * messages that arrive later still are announced by their writers.
   */
  static AckResult<WorkItem> commit(Tx tx, List<LockAck<TurnCommit>> turns, Handoff handoff) {
    List<LockAck<TurnCommit>> ordered = InstanceStore.ordered(turns, LockAck::ref);
    Set<LockRef> held = unlock(tx, ordered);
    Set<LockRef> left = new HashSet<>(held);
    List<LockAck<TurnCommit>> valid =
        ordered.stream().filter(turn -> left.remove(turn.ref())).toList();
    if (valid.isEmpty()) {
      return new AckResult<>(held, InsertResult.none(), Optional.empty());
    }
    return tx.commit(
        write(tx, valid, handoff),
        InstanceStore.waiting(tx, held),
        batchResults -> {
          List<TurnRow> rows = batchResults.list(row -> TurnRow.of(row, handoff));
          Optional<Instant> waiting =
              batchResults.first(row -> row.maybeInstant("earliest")).flatMap(at -> at);
          Optional<Instant> messages =
              Stream.concat(rows.getFirst().messages.stream(), waiting.stream())
                  .min(Comparator.naturalOrder());
          return new AckResult<>(
              held, InsertedWorkItem.result(rows.stream().map(TurnRow::work).toList()), messages);
        });
  }

  private record TurnRow(Optional<Instant> messages, InsertedWorkItem work) {
    static TurnRow of(ResultRow row, Handoff handoff) {
      return new TurnRow(row.maybeInstant("messages"), InsertedWorkItem.of(row, handoff));
    }
  }

  private static Set<LockRef> unlock(Tx tx, List<LockAck<TurnCommit>> turns) {
    return new HashSet<>(
        tx.sql(
                """
                update instances i
                set lock_token = null, locked_until = null, updated_at = now(),
                    current_execution_id = greatest(i.current_execution_id, t.execution_id),
                    orchestration_name = coalesce(t.name, i.orchestration_name),
                    orchestration_version = coalesce(t.version, i.orchestration_version),
                    parent_instance_id = coalesce(t.parent, i.parent_instance_id),
                    custom_status = coalesce(t.custom, i.custom_status),
                    custom_status_version =
                      i.custom_status_version + (t.custom is not null)::integer
                from unnest(
                    ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[])
                  as t(instance_id, token, execution_id, name, version, parent, custom)
                where i.instance_id = any (array[t.instance_id]) and i.lock_token = t.token
                  and i.locked_until > clock_timestamp()
                returning i.instance_id, t.token
                """)
            .with(
                texts(turns, p -> Optional.of(p.ref().key())),
                texts(turns, p -> Optional.of(p.ref().claim())),
                turns.stream().map(p -> p.commit().executionId()).toArray(Long[]::new),
                texts(turns, p -> p.commit().identity().map(InstanceIdentity::name)),
                texts(turns, p -> p.commit().identity().map(InstanceIdentity::version)),
                texts(turns, p -> p.commit().identity().flatMap(InstanceIdentity::parent)),
                texts(turns, p -> p.commit().customStatus()))
            .list(row -> new LockRef(row.text("token"), row.text("instance_id"))));
  }

  private static List<Query> write(Tx tx, List<LockAck<TurnCommit>> turns, Handoff handoff) {
    List<LockAck<TurnCommit>> executions =
        turns.stream().filter(p -> begins(p.commit()) || p.commit().outcome().isPresent()).toList();
    List<TurnEventRow> events = new ArrayList<>();
    List<WorkMessage> work = new ArrayList<>();
    List<WorkMessage> limited = new ArrayList<>();
    List<InstanceMessage> messages = new ArrayList<>();
    List<CancelledActivity> cancelled = new ArrayList<>();
    for (LockAck<TurnCommit> ack : turns) {
      TurnCommit turnCommit = ack.commit();
      String id = ack.ref().key();
      turnCommit
          .history()
          .forEach(event -> events.add(new TurnEventRow(id, turnCommit.executionId(), event)));
      turnCommit.work().stream()
          .filter(each -> !cancels(turnCommit, each))
          .forEach(each -> (each.limit().isEmpty() ? work : limited).add(each));
      messages.addAll(turnCommit.messages());
      turnCommit
          .cancelled()
          .forEach(a -> cancelled.add(new CancelledActivity(id, turnCommit.executionId(), a)));
    }
    List<LockRef> refs = turns.stream().map(LockAck::ref).toList();
    Query written =
        tx.sql(WRITE)
            .with(
                Stream.of(
                        Stream.of(
                            InstanceStore.instances(refs),
                            InstanceStore.claims(refs),
                            texts(executions, p -> Optional.of(p.ref().key())),
                            executions.stream()
                                .map(p -> p.commit().executionId())
                                .toArray(Long[]::new),
                            texts(executions, p -> Optional.of(status(p.commit()).wireName())),
                            texts(
                                executions,
                                p -> p.commit().outcome().map(ExecutionOutcome::output)),
                            texts(events, e -> Optional.of(e.instanceId)),
                            events.stream().map(TurnEventRow::executionId).toArray(Long[]::new),
                            events.stream().map(e -> e.event.eventId()).toArray(Long[]::new),
                            texts(events, e -> Optional.of(e.event.type())),
                            texts(events, e -> Optional.of(e.event.data())),
                            texts(cancelled, c -> Optional.of(c.instanceId)),
                            cancelled.stream()
                                .map(CancelledActivity::executionId)
                                .toArray(Long[]::new),
                            cancelled.stream()
                                .map(CancelledActivity::activityId)
                                .toArray(Long[]::new)),
                        Stream.of(WorkItemStore.values(work, handoff)),
                        Stream.of(
                            texts(messages, m -> Optional.of(m.instanceId())),
                            texts(messages, m -> Optional.of(m.item())),
                            WorkItemStore.instants(
                                messages.stream().map(InstanceMessage::visibleAt).toList())))
                    .flatMap(values -> values)
                    .toArray());
    return Stream.concat(Stream.of(written), ConcurrencyLimits.inserting(tx, limited).stream())
        .toList();
  }

  private static final String WRITE =
      """
      with used as (
        delete from orchestrator_queue q
        using unnest(?::text[], ?::text[]) as a(instance_id, token)
        where q.instance_id = any (array[a.instance_id]) and q.lock_token = a.token),
      execution as (
        insert into executions (instance_id, execution_id, status, output, completed_at)
        select e.instance_id, e.execution_id, e.status, e.output,
               case when e.status <> 'Running' then now() end
        from unnest(?::text[], ?::bigint[], ?::text[], ?::text[])
          as e(instance_id, execution_id, status, output)
        on conflict (instance_id, execution_id) do update
        set status = excluded.status, output = excluded.output,
            completed_at = excluded.completed_at),
      past as (
        insert into history (instance_id, execution_id, event_id, event_type, event_data)
        select h.* from unnest(?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])
          as h(instance_id, execution_id, event_id, event_type, event_data)),
      cancelled as (
        delete from worker_queue w
        using unnest(?::text[], ?::bigint[], ?::bigint[])
          as c(instance_id, execution_id, activity_id)
        where w.instance_id = any (array[c.instance_id])
          and w.execution_id = c.execution_id and w.activity_id = c.activity_id),
      work as (ITEMS),
      message as (
        insert into orchestrator_queue (instance_id, work_item, visible_at)
        select m.instance_id, m.work_item, coalesce(m.visible_at, now())
        from unnest(?::text[], ?::text[], ?::timestamptz[])
          as m(instance_id, work_item, visible_at)
        returning visible_at)
      select v.messages, v.earliest, clock_timestamp() as now, w.id, w.instance_id,
             w.execution_id, w.activity_id, w.work_item, w.visible_at, w.attempt_count
      from (
          select (select min(visible_at) from message) as messages,
                 (select min(visible_at) from work where lock_token is null) as earliest) v
        left join work w on w.lock_token is not null
      """
          .replace("ITEMS", WorkItemStore.ITEMS);

  /** A turn that writes the first event of an execution begins it. */
  private static boolean begins(TurnCommit turnCommit) {
    return turnCommit.history().stream().anyMatch(event -> event.eventId() == 1);
  }

  /** Work that a turn both orders and cancels is not inserted. */
  private static boolean cancels(TurnCommit turnCommit, WorkMessage work) {
    return turnCommit.cancelled().contains(work.activityId())
        && turnCommit.executionId() == work.executionId();
  }

  private static ExecutionStatus status(TurnCommit turnCommit) {
    return turnCommit.outcome().map(ExecutionOutcome::status).orElse(ExecutionStatus.RUNNING);
  }

  private static <T> String[] texts(List<T> items, Function<T, Optional<String>> of) {
    return items.stream().map(item -> of.apply(item).orElse(null)).toArray(String[]::new);
  }
}
