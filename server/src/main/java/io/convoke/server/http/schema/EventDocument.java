package io.convoke.server.http.schema;

import io.convoke.server.http.EventType;
import io.convoke.server.http.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the document's {@code webhooks}: one POST of ours for each type of event. */
final class EventDocument {
  private static final String TAG = "events";

  private EventDocument() {}

  /**
   * The section.
   *
   * @param components takes the named schemas
   */
  static Map<String, Object> of(List<EventType> events, Map<String, Object> components) {
    Map<String, Object> webhooks = new LinkedHashMap<>();
    for (EventType event : events) {
      webhooks.put(event.type(), Map.of("post", delivery(event, components)));
    }
    return webhooks;
  }

  private static Map<String, Object> delivery(EventType event, Map<String, Object> components) {
    Schema message =
        Schema.object()
            .required("type", Schema.oneOf(event.type()))
            .required("timestamp", Schema.instant().describe("When it was committed."))
            .required("data", event.data())
            .required(
                "subject", Schema.text().describe("Events of a subject arrive in their order."))
            .optional(
                "seq",
                Schema.integer(1, Long.MAX_VALUE)
                    .describe("Its place in the journal; a test has none."));
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", "on" + capitals(event.type()));
    operation.put("tags", List.of(TAG));
    operation.put("summary", event.summary());
    operation.put(
        "description",
        "Convoke sends it to registered endpoints. Answer 2xx within 15 s, else it is sent again;"
            + " 410 pauses the endpoint.");
    operation.put("security", List.of());
    operation.put(
        "parameters",
        List.of(
            header("webhook-id", "The same for each attempt.", "msg_3_1718"),
            header("webhook-timestamp", "When it was sent, in seconds since 1970.", "1776076200"),
            header(
                "webhook-signature",
                "v1, and the base64 of HMAC-SHA256 over id, timestamp and body, joined by dots.",
                "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")));
    operation.put("requestBody", body(event, message, components));
    Map<String, Object> responses = new LinkedHashMap<>();
    responses.put("2XX", Map.of("description", "Received."));
    responses.put("410", Map.of("description", "No more: the endpoint is paused."));
    operation.put("responses", responses);
    return operation;
  }

  private static Map<String, Object> body(
      EventType event, Schema message, Map<String, Object> components) {
    Map<String, @Nullable Object> example = new LinkedHashMap<>();
    example.put("type", event.type());
    example.put("timestamp", ExampleValues.TIME);
    example.put("data", ExampleWriter.of(event.data()));
    example.put("subject", event.subject());
    example.put("seq", 1718);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("required", true);
    body.put(
        "content",
        Map.of(
            "application/json",
            OpenApi.content(SchemaRenderer.referring(message, components), example)));
    return body;
  }

  private static Map<String, Object> header(String name, String description, String example) {
    Map<String, Object> header = new LinkedHashMap<>();
    header.put("name", name);
    header.put("in", "header");
    header.put("required", true);
    header.put("description", description);
    header.put("schema", Map.of("type", "string"));
    header.put("example", example);
    return header;
  }

  /** {@code meeting.status_changed} as {@code MeetingStatusChanged}. */
  private static String capitals(String type) {
    StringBuilder name = new StringBuilder();
    for (String part : type.split("[._]", -1)) {
      name.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
    }
    return name.toString();
  }
}
