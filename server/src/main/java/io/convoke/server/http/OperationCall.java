package io.convoke.server.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A call of one operation by its id, with parameters as a client would send them, not yet checked.
 *
 * @param query values by parameter
 * @param body the JSON body; empty for none
 * @param idempotencyKey the first answer of this operation under this key is given again; also for
 *     operations that create nothing
 */
public record OperationCall(
    String operation,
    Map<String, String> path,
    Map<String, List<String>> query,
    Optional<JsonNode> body,
    Optional<String> idempotencyKey) {

  /** A call without parameters. */
  public static OperationCall of(String operation) {
    return new OperationCall(operation, Map.of(), Map.of(), Optional.empty(), Optional.empty());
  }

  /** The same call with a path parameter. */
  public OperationCall path(String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(path);
    more.put(name, String.valueOf(value));
    return new OperationCall(operation, more, query, body, idempotencyKey);
  }

  /** The same call with a query parameter. */
  public OperationCall query(String name, Object value) {
    Map<String, List<String>> more = new LinkedHashMap<>(query);
    more.put(name, List.of(String.valueOf(value)));
    return new OperationCall(operation, path, more, body, idempotencyKey);
  }

  /** The same call with a body. */
  public OperationCall body(JsonNode json) {
    return new OperationCall(operation, path, query, Optional.of(json), idempotencyKey);
  }

  /** The same call, whose answer is kept under this key. */
  public OperationCall once(String key) {
    return new OperationCall(operation, path, query, body, Optional.of(key));
  }
}
