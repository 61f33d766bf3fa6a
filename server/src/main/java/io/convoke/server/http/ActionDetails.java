package io.convoke.server.http;

import io.convoke.engine.json.Json;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What a request changes, for the audit journal; the handler says it before the transaction of the
 * change commits. What it leaves out is empty, and the target is the path. Used by one thread. No
 * secret may be in it.
 */
public final class ActionDetails {
  private Optional<String> target = Optional.empty();
  private Optional<JsonNode> before = Optional.empty();
  private Optional<JsonNode> after = Optional.empty();

  /** What is changed, in the form of the journal's subjects: {@code user:7}. */
  public ActionDetails target(String kind, Object id) {
    this.target = Optional.of(kind + ":" + id);
    return this;
  }

  /** The object as it was; rendered now. */
  public ActionDetails before(Object object) {
    this.before = Optional.of(Json.tree(object));
    return this;
  }

  /** The object as it becomes, or what was asked of it; rendered now. */
  public ActionDetails after(Object object) {
    this.after = Optional.of(Json.tree(object));
    return this;
  }

  public Optional<String> target() {
    return target;
  }

  public Optional<JsonNode> before() {
    return before;
  }

  public Optional<JsonNode> after() {
    return after;
  }
}
