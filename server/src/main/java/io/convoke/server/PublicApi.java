package io.convoke.server;

import io.convoke.server.events.EventTypes;
import io.convoke.server.http.DocumentParts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** What the OpenAPI document says about the API as a whole. */
final class PublicApi {
  /** Names the folder of the documentation site; those who start a server set it. */
  private static final String SITE = "convoke.docs";

  private static final Map<String, String> GROUPS =
      Map.ofEntries(
          Map.entry("audit", "What operators and users changed."),
          Map.entry("bots", "Sending bots into meetings, changing and stopping them."),
          Map.entry("callbacks", "What bots report, and the commands that they take."),
          Map.entry("egress", "Files that pods made of rooms."),
          Map.entry("events", "The journal of everything that has happened, and webhooks."),
          Map.entry("join", "Calls of the page on which people join a room."),
          Map.entry("mcp", "Meetings and bots as tools of language models."),
          Map.entry("meetings", "Meetings, their participants, transcripts and summaries."),
          Map.entry("operations", "Health, metrics and this document."),
          Map.entry("recordings", "Recordings, their audio and their processing."),
          Map.entry("rooms", "Rooms, their owners and the links to join them."),
          Map.entry("session", "Signing in and out."),
          Map.entry("simulator", "Faults of an attached simulator."),
          Map.entry("sync", "Whether each meeting has reached the CRM."),
          Map.entry("tasks", "Work for pods in regions, and its dead letters."),
          Map.entry("teams", "Users who read each other's meetings."),
          Map.entry("usage", "What the caller has of what is limited."),
          Map.entry("users", "Users and their API keys."),
          Map.entry("webhooks", "Endpoints that get events, and webhooks of platforms."),
          Map.entry("workflows", "Workflows, their history, and what to do about them."));

  private PublicApi() {}

  /** The groups of operations, the events that webhooks deliver, and the site where it is built. */
  static DocumentParts parts() {
    Optional<Path> site =
        Optional.ofNullable(System.getProperty(SITE)).map(Path::of).filter(Files::isDirectory);
    return new DocumentParts(GROUPS, EventTypes.ALL, site);
  }
}
