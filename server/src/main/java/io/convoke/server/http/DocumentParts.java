package io.convoke.server.http;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What documents the API besides the endpoints.
 *
 * @param groups a sentence for each tag
 * @param events what webhooks deliver
 * @param site the folder with the documentation, if there is one
 */
public record DocumentParts(
    Map<String, String> groups, List<EventType> events, Optional<Path> site) {
  /** Nothing: for a listener of a few endpoints. */
  public static final DocumentParts NONE = new DocumentParts(Map.of(), List.of(), Optional.empty());

  public DocumentParts {
    groups = Map.copyOf(groups);
    events = List.copyOf(events);
  }
}
