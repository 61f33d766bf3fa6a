package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code convoke bot}. */
@Command(
    name = "bot",
    description = "Send bots into meetings, ask them to leave, list them.",
    synopsisSubcommandLabel = "(start | stop | list)",
    mixinStandardHelpOptions = true)
final class BotCommands {
  private final Terminal terminal;

  BotCommands(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Sends a bot. */
  @Command(
      name = "start",
      description = "Send a bot into a meeting.",
      mixinStandardHelpOptions = true)
  int start(
      @Parameters(paramLabel = "PLATFORM", description = "Such as daily, google_meet, zoom.")
          String platform,
      @Parameters(
              paramLabel = "MEETING",
              description = "The platform's own name of the meeting, or its https address.")
          String meeting,
      @Option(names = "--name", description = "How the bot is called in the meeting.")
          Optional<String> name,
      @Option(names = "--url", description = "Where to join, beside the name of the meeting.")
          Optional<String> url,
      @Option(names = "--language", description = "The language that is spoken, such as de.")
          Optional<String> language,
      @Option(names = "--at", description = "When to start, such as 2026-12-01T09:00:00Z.")
          Optional<String> at,
      @Option(names = "--queue", description = "Wait for a place if none is free.") boolean queue,
      @Option(names = "--json", description = "As JSON.") boolean json) {
    ObjectNode body = Terminal.mapper().createObjectNode().put("platform", platform);
    boolean address = meeting.startsWith("https://") || meeting.startsWith("http://");
    body.put(address ? "meeting_url" : "native_meeting_id", meeting);
    url.ifPresent(it -> body.put("meeting_url", it));
    name.ifPresent(it -> body.put("bot_name", it));
    language.ifPresent(it -> body.put("language", it));
    at.ifPresent(it -> body.put("start_at", it));
    if (queue) {
      body.put("queue", true);
    }
    try (ConvokeClient client = terminal.client()) {
      JsonNode started = client.create("/bots/start", body, UUID.randomUUID().toString());
      if (json) {
        terminal.json(started);
      } else {
        terminal
            .out()
            .printf(
                "Bot of meeting %s: %s. Follow it: %s events -f --subject meeting:%s%n",
                started.path("id").asString(),
                MeetingColumns.status(started),
                ConvokeCommand.NAME,
                started.path("id").asString());
      }
    }
    return ExitCodes.DONE;
  }

  /** Asks a bot to leave. */
  @Command(name = "stop", description = "Ask a bot to leave.", mixinStandardHelpOptions = true)
  int stop(
      @Parameters(paramLabel = "ID", description = "The number of the meeting.") long meeting,
      @Option(names = "--kill", description = "End it at once, without time to leave.")
          boolean kill,
      @Option(names = "--json", description = "As JSON.") boolean json) {
    ObjectNode body = Terminal.mapper().createObjectNode();
    body.put("meeting_id", meeting);
    body.put("kill", kill);
    try (ConvokeClient client = terminal.client()) {
      JsonNode status = client.send("POST", "/bots/stop", Optional.of(body), true);
      if (json) {
        terminal.json(status);
      } else {
        terminal.out().printf("Bot of meeting %d: %s%n", meeting, stopped(status));
      }
    }
    return ExitCodes.DONE;
  }

  private static String stopped(JsonNode status) {
    String word = status.path("status").asString("");
    return List.of("completed", "failed").contains(word)
        ? word + ", it has ended"
        : word + ", asked to leave";
  }

  /** Lists bots. */
  @Command(
      name = "list",
      description = "List the bots that have not ended, newest first.",
      mixinStandardHelpOptions = true)
  int list(@Option(names = "--json", description = "As JSON.") boolean json) {
    try (ConvokeClient client = terminal.client()) {
      List<JsonNode> bots = client.list("/bots/active", Map.of()).stream().toList();
      if (json) {
        terminal.json(bots);
      } else {
        terminal.table(bots.stream(), MeetingColumns.columns());
      }
    }
    return ExitCodes.DONE;
  }
}
