package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code convoke task}. */
@Command(
    name = "task",
    description = "Submit tasks to pods, and look at them.",
    synopsisSubcommandLabel = "(submit | get | list)",
    mixinStandardHelpOptions = true)
final class TaskCommands {
  private final Terminal terminal;

  TaskCommands(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Submits a task. */
  @Command(
      name = "submit",
      description = "Submit a task. With the same --request-id it is submitted once.",
      mixinStandardHelpOptions = true)
  int submit(
      @Parameters(paramLabel = "TYPE", description = "Which handler of a pod takes it.")
          String type,
      @Parameters(paramLabel = "CHANNEL", description = "What it is about: the room, the stream.")
          String channel,
      @Option(names = "--region", description = "Where; without it any pod may take it.")
          Optional<String> region,
      @Option(names = "--request-id", description = "Your own name of it; a random one if absent.")
          Optional<String> requestId,
      @Option(
              names = "--payload",
              description = "A JSON object, @FILE, or - for the standard input.")
          Optional<String> payload,
      @Option(names = "--json", description = "As JSON.") boolean json) {
    ObjectNode body = Terminal.mapper().createObjectNode();
    body.put("request_id", requestId.orElseGet(() -> UUID.randomUUID().toString()));
    body.put("type", type);
    body.put("action", "start");
    body.put("channel", channel);
    region.ifPresent(it -> body.put("region", it));
    body.set("payload", payload(payload.orElse("{}")));
    try (ConvokeClient client = terminal.client()) {
      JsonNode task = client.create("/tasks", body, UUID.randomUUID().toString());
      if (json) {
        terminal.json(task);
      } else {
        terminal
            .out()
            .printf("Task %s: %s%n", task.path("id").asString(), task.path("state").asString());
      }
    }
    return ExitCodes.DONE;
  }

  private JsonNode payload(String given) {
    try {
      String text = given;
      if (given.equals("-")) {
        text = terminal.input();
      } else if (given.startsWith("@")) {
        text = Files.readString(Path.of(given.substring(1)));
      }
      JsonNode tree = Terminal.mapper().readTree(text);
      if (tree.isObject()) {
        return tree;
      }
    } catch (IOException e) {
      throw new CommandFailure(ExitCodes.USAGE, "cannot read " + given.substring(1));
    } catch (JacksonException _) {
      // Said below.
    }
    throw new CommandFailure(ExitCodes.USAGE, "--payload is no JSON object");
  }

  /** Shows a task. */
  @Command(name = "get", description = "Show a task.", mixinStandardHelpOptions = true)
  int get(
      @Parameters(paramLabel = "ID", description = "The id of the task.") String id,
      @Option(names = "--json", description = "As JSON.") boolean json) {
    try (ConvokeClient client = terminal.client()) {
      JsonNode task =
          client.get("/tasks/" + URLEncoder.encode(id, StandardCharsets.UTF_8), Map.of());
      show(List.of(task), json ? Optional.of(task) : Optional.empty());
    }
    return ExitCodes.DONE;
  }

  /** Lists tasks. */
  @Command(
      name = "list",
      description = "List tasks, newest first.",
      mixinStandardHelpOptions = true)
  int list(
      @Option(names = "--state", description = "Such as PENDING, PROCESSING, SUCCESS.")
          Optional<String> state,
      @Option(names = "--region", description = "Only of this region.") Optional<String> region,
      @Option(names = "--channel", description = "Only of this channel.") Optional<String> channel,
      @Option(
              names = {"-n", "--limit"},
              description = "How many at most; 50 by default.",
              defaultValue = "50")
          int limit,
      @Option(names = "--json", description = "As JSON.") boolean json) {
    Terminal.checkCount(limit);
    Map<String, String> query = new LinkedHashMap<>();
    state.ifPresent(it -> query.put("state", it));
    region.ifPresent(it -> query.put("region", it));
    channel.ifPresent(it -> query.put("channel", it));
    query.put("limit", String.valueOf(Math.clamp(limit, 1, 200)));
    try (ConvokeClient client = terminal.client()) {
      List<JsonNode> tasks = client.list("/tasks", query).stream().limit(limit).toList();
      show(tasks, json ? Optional.of(tasks) : Optional.empty());
    }
    return ExitCodes.DONE;
  }

  private void show(List<JsonNode> tasks, Optional<Object> asJson) {
    if (asJson.isPresent()) {
      terminal.json(asJson.get());
      return;
    }
    Map<String, Function<JsonNode, String>> columns = new LinkedHashMap<>();
    columns.put("ID", Terminal.member("id"));
    columns.put("TYPE", Terminal.member("type"));
    columns.put("CHANNEL", Terminal.member("channel"));
    columns.put("REGION", Terminal.member("region"));
    columns.put("STATE", Terminal.member("state"));
    columns.put("ATTEMPT", Terminal.member("attempt"));
    columns.put("POD", Terminal.member("pod_id"));
    columns.put("CREATED", Terminal.member("created_at"));
    columns.put("ERROR", Terminal.member("error"));
    terminal.table(tasks.stream(), columns);
  }
}
