package io.convoke.server.users;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A user as the API shows it.
 *
 * @param email unique without regard to case; absent only for imported users without one
 * @param maxConcurrentBots empty is unlimited, 0 is none
 * @param data the operator's own data about the user, an object
 */
public record User(
    long id,
    Optional<String> email,
    Optional<String> name,
    Optional<String> imageUrl,
    Optional<Integer> maxConcurrentBots,
    ObjectNode data,
    Instant createdAt) {

  /** The values of a new user. */
  record NewUser(
      String email,
      Optional<String> name,
      Optional<String> imageUrl,
      Optional<Integer> maxConcurrentBots,
      JsonNode data) {}
}
