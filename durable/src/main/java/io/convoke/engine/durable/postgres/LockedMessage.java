package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A message under its instance's lock, as a statement returns it. */
record LockedMessage(
    String instanceId,
    long turn,
    long executionId,
    long id,
    String item,
    Instant visibleAt,
    int attempt,
    Instant now) {

  static LockedMessage of(ResultRow resultRow) {
    return new LockedMessage(
        resultRow.text("instance_id"),
        resultRow.longAt("turn"),
        resultRow.longAt("current_execution_id"),
        resultRow.longAt("id"),
        resultRow.text("work_item"),
        resultRow.instant("visible_at"),
        resultRow.intAt("attempt_count"),
        resultRow.instant("now"));
  }

  /** All messages of an instance together, and the instances in the order of the list. */
  static List<ClaimedItem<OrchestrationItem>> items(List<LockedMessage> messages, String claim) {
    Map<String, List<LockedMessage>> byInstance = new LinkedHashMap<>();
    for (LockedMessage message : messages) {
      byInstance.computeIfAbsent(message.instanceId, id -> new ArrayList<>()).add(message);
    }
    return byInstance.values().stream().map(those -> item(those, claim)).toList();
  }

  private static ClaimedItem<OrchestrationItem> item(List<LockedMessage> those, String claim) {
    List<LockedMessage> messages =
        those.stream()
            .sorted(
                Comparator.comparing(LockedMessage::visibleAt).thenComparingLong(LockedMessage::id))
            .toList();
    LockedMessage last = messages.getLast();
    OrchestrationItem item =
        new OrchestrationItem(
            last.instanceId,
            claim + "/" + last.instanceId,
            messages.stream().mapToInt(LockedMessage::attempt).max().orElse(1),
            last.executionId,
            last.turn,
            messages.stream().map(LockedMessage::item).toList());
    return new ClaimedItem<>(item, last.visibleAt, last.now);
  }
}
