package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import io.convoke.client.EventStream;
import io.convoke.client.types.EventView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code convoke events}: what has happened, or with {@code -f} what happens. */
@Command(
    name = "events",
    description =
        "Show the newest events, oldest of them first; with -f go on with those that come."
            + " A broken connection is opened again, and no event is lost.",
    mixinStandardHelpOptions = true)
final class EventsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with those that come, until interrupted.")
  private boolean follow;

  @Option(names = "--type", description = "Only this type, such as participant.joined.")
  private Optional<String> type = Optional.empty();

  @Option(names = "--subject", description = "Only this subject, such as meeting:42.")
  private Optional<String> subject = Optional.empty();

  @Option(names = "--after", description = "All after this number, instead of the newest.")
  private Optional<Long> after = Optional.empty();

  @Option(
      names = {"-n", "--limit"},
      description = "How many of the newest; 20 by default, with -f none.")
  private Optional<Integer> limit = Optional.empty();

  @Option(names = "--json", description = "As JSON, one a line.")
  private boolean json;

  EventsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    limit.ifPresent(Terminal::checkCount);
    Map<String, String> filter = new LinkedHashMap<>();
    type.ifPresent(it -> filter.put("type", it));
    subject.ifPresent(it -> filter.put("subject", it));
    try (ConvokeClient client = terminal.client()) {
      if (follow) {
        follow(client, filter);
      } else {
        past(client, filter);
      }
    }
    return ExitCodes.DONE;
  }

  private void past(ConvokeClient client, Map<String, String> filter) {
    Map<String, String> query = new LinkedHashMap<>(filter);
    if (after.isPresent()) {
      query.put("after", String.valueOf(after.get()));
      client.list("/events", query).stream()
          .limit(limit.map(Integer::longValue).orElse(Long.MAX_VALUE))
          .forEach(this::show);
      return;
    }
    show(newest(client, query, limit.orElse(20)));
  }

  private static List<JsonNode> newest(
      ConvokeClient client, Map<String, String> filter, int count) {
    Map<String, String> query = new LinkedHashMap<>(filter);
    query.put("order", "newest");
    query.put("limit", String.valueOf(Math.clamp(count, 1, 200)));
    return client.list("/events", query).stream().limit(count).toList().reversed();
  }

  private void show(List<JsonNode> events) {
    events.forEach(this::show);
  }

  private void follow(ConvokeClient client, Map<String, String> filter) {
    // The position comes first: an event of the filter after it is in the list, or is followed.
    long position = after.orElseGet(() -> last(newest(client, Map.of(), 1), 0));
    List<JsonNode> before =
        after.isPresent() || limit.isEmpty() ? List.of() : newest(client, filter, limit.get());
    show(before);
    try (EventStream events = client.events(filter, last(before, position))) {
      while (!terminal.out().checkError() && events.hasNext()) {
        show(json(events.next()));
      }
    }
  }

  private static long last(List<JsonNode> events, long otherwise) {
    return events.isEmpty() ? otherwise : events.getLast().path("seq").asLong();
  }

  private static JsonNode json(EventView event) {
    return Terminal.mapper()
        .createObjectNode()
        .put("seq", event.seq())
        .put("type", event.type())
        .put("subject", event.subject())
        .put("at", event.at().toString())
        .set("data", event.data());
  }

  private void show(JsonNode event) {
    if (json) {
      terminal.jsonLine(event);
      return;
    }
    terminal
        .out()
        .printf(
            "%s  %s  %s  %s  %s%n",
            event.path("seq").asString(),
            event.path("at").asString(),
            event.path("type").asString(),
            event.path("subject").asString(),
            TextTable.shown(event.path("data").toString()));
    terminal.out().flush();
  }
}
