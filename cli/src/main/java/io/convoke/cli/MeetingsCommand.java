package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code convoke meetings}. */
@Command(
    name = "meetings",
    description = "List meetings, newest first.",
    mixinStandardHelpOptions = true)
final class MeetingsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(names = "--status", description = "Such as active, completed, failed.")
  private Optional<String> status = Optional.empty();

  @Option(names = "--platform", description = "Such as daily, google_meet, zoom.")
  private Optional<String> platform = Optional.empty();

  @Option(
      names = {"-n", "--limit"},
      description = "How many at most; 50 by default.")
  private int limit = 50;

  @Option(names = "--json", description = "As JSON.")
  private boolean json;

  MeetingsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Terminal.checkCount(limit);
    Map<String, String> query = new LinkedHashMap<>();
    status.ifPresent(it -> query.put("status", it));
    platform.ifPresent(it -> query.put("platform", it));
    query.put("limit", String.valueOf(Math.clamp(limit, 1, 200)));
    try (ConvokeClient client = terminal.client()) {
      List<JsonNode> meetings = client.list("/meetings", query).stream().limit(limit).toList();
      if (json) {
        terminal.json(meetings);
      } else {
        terminal.table(meetings.stream(), MeetingColumns.columns());
      }
    }
    return ExitCodes.DONE;
  }
}
