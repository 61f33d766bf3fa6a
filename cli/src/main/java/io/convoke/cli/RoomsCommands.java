package io.convoke.cli;

import io.convoke.client.ConvokeClient;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code convoke rooms}. */
@Command(
    name = "rooms",
    description = "Rooms that people join in their browser.",
    synopsisSubcommandLabel = "(create)",
    mixinStandardHelpOptions = true)
final class RoomsCommands {
  private final Terminal terminal;

  RoomsCommands(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Makes a room. */
  @Command(
      name = "create",
      description = "Make a room and print the links to join it; a room of yours gets new links.",
      mixinStandardHelpOptions = true)
  int create(
      @Parameters(
              arity = "0..1",
              paramLabel = "NAME",
              description = "Lower-case letters, digits and dashes; a random one if absent.")
          Optional<String> name,
      @Option(names = "--expires-in", description = "Seconds until the links end; a day if absent.")
          Optional<Integer> expiresIn,
      @Option(names = "--json", description = "As JSON.") boolean json) {
    ObjectNode body = Terminal.mapper().createObjectNode();
    name.ifPresent(it -> body.put("name", it));
    expiresIn.ifPresent(it -> body.put("expires_in", it));
    try (ConvokeClient client = terminal.client()) {
      JsonNode room = client.create("/rooms", body, UUID.randomUUID().toString());
      if (json) {
        terminal.json(room);
      } else {
        terminal
            .out()
            .printf(
                "Room %s, until %s%n  host:  %s%n  guest: %s%n",
                room.path("room").asString(),
                room.path("expires_at").asString(),
                room.at("/links/host").asString(),
                room.at("/links/guest").asString());
      }
    }
    return ExitCodes.DONE;
  }
}
