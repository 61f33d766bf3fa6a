package io.convoke.server.http;

import java.util.List;
import java.util.Map;

/**
 * What the OpenAPI document says besides the endpoints.
 *
 * @param groups a sentence for each tag
 * @param events what webhooks deliver
 */
public record DocumentParts(Map<String, String> groups, List<EventType> events) {
  /** Nothing: for a listener of a few endpoints. */
  public static final DocumentParts NONE = new DocumentParts(Map.of(), List.of());

  public DocumentParts {
    groups = Map.copyOf(groups);
    events = List.copyOf(events);
  }
}
