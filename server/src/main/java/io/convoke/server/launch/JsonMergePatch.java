package io.convoke.server.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The changes that a template makes to a document: a JSON merge patch (RFC 7396). Members are
 * merged, null removes one, everything else replaces.
 */
public final class JsonMergePatch {
  private static final String DELETE = "$patch";

  private JsonMergePatch() {}

  /** A merged copy. */
  public static ObjectNode apply(ObjectNode document, ObjectNode patch) {
    ObjectNode merged = document.deepCopy();
    merge(merged, patch, false);
    return merged;
  }

  /**
   * A merged copy in which lists of objects are merged too, as Kubernetes' strategic merge does: by
   * {@code mountPath}, else by {@code name}; {@code $patch: delete} removes an entry.
   */
  public static ObjectNode applyWithNamedLists(ObjectNode document, ObjectNode patch) {
    ObjectNode merged = document.deepCopy();
    merge(merged, patch, true);
    return merged;
  }

  private static void merge(ObjectNode target, ObjectNode patch, boolean namedLists) {
    for (String name : patch.propertyNames().toArray(String[]::new)) {
      JsonNode change = patch.path(name);
      JsonNode present = target.path(name);
      if (change.isNull()) {
        JsonNode _ = target.remove(name);
      } else if (change instanceof ObjectNode members) {
        ObjectNode own = present instanceof ObjectNode object ? object : target.putObject(name);
        merge(own, members, namedLists);
      } else if (namedLists
          && change instanceof ArrayNode entries
          && present instanceof ArrayNode own) {
        JsonNode _ = target.set(name, mergedList(own, entries));
      } else {
        JsonNode _ = target.set(name, change.deepCopy());
      }
    }
  }

  private static ArrayNode mergedList(ArrayNode own, ArrayNode patch) {
    List<JsonNode> entries = new ArrayList<>(own.valueStream().toList());
    for (JsonNode change : patch) {
      Optional<String> key = key(change);
      if (key.isEmpty()) {
        return patch.deepCopy();
      }
      int index = entries.stream().map(JsonMergePatch::key).toList().indexOf(key);
      if (change.path(DELETE).asString("").equals("delete")) {
        if (index >= 0) {
          JsonNode _ = entries.remove(index);
        }
      } else if (index >= 0 && entries.get(index) instanceof ObjectNode entry) {
        merge(entry, (ObjectNode) change, true);
      } else {
        entries.add(change.deepCopy());
      }
    }
    return own.arrayNode().addAll(entries);
  }

  /** What distinguishes an entry of a list; empty for one without. */
  private static Optional<String> key(JsonNode entry) {
    return Optional.of(entry.path("mountPath").asString(entry.path("name").asString("")))
        .filter(text -> !text.isEmpty());
  }
}
