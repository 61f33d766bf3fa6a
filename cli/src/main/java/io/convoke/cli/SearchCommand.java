package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code convoke search}. */
@Command(
    name = "search",
    description = "Search what was said in all meetings.",
    mixinStandardHelpOptions = true)
final class SearchCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(arity = "1..*", paramLabel = "WORDS", description = "All of them, in any order.")
  private List<String> words = List.of();

  @Option(
      names = {"-n", "--limit"},
      description = "How many at most; 20 by default.")
  private int limit = 20;

  @Option(names = "--json", description = "As JSON.")
  private boolean json;

  SearchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Terminal.checkCount(limit);
    Map<String, String> query =
        Map.of("q", String.join(" ", words), "limit", String.valueOf(Math.clamp(limit, 1, 200)));
    Map<String, Function<JsonNode, String>> columns = new LinkedHashMap<>();
    columns.put("MEETING", Terminal.member("meeting_id"));
    columns.put("AT", hit -> clock(hit.path("start").asDouble()));
    columns.put("SPEAKER", Terminal.member("speaker"));
    columns.put("TEXT", Terminal.member("text"));
    try (ConvokeClient client = terminal.client()) {
      List<JsonNode> hits = client.list("/search", query).stream().limit(limit).toList();
      if (json) {
        terminal.json(hits);
      } else {
        terminal.table(hits.stream(), columns);
      }
    }
    return ExitCodes.DONE;
  }

  private static String clock(double seconds) {
    Duration at = Duration.ofMillis(Math.round(seconds * 1000));
    return String.format(
        Locale.ROOT, "%d:%02d:%02d", at.toHours(), at.toMinutesPart(), at.toSecondsPart());
  }
}
