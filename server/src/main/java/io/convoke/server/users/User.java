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
 * @param oidcIssuer the identity provider that names this user, with {@code oidcSubject}
 * @param oidcSubject who the user is there; empty until the first sign-in
 * @param disabled whether the user's keys and JWTs are refused
 */
public record User(
    long id,
    Optional<String> email,
    Optional<String> name,
    Optional<String> imageUrl,
    Optional<Integer> maxConcurrentBots,
    ObjectNode data,
    Instant createdAt,
    Optional<String> oidcIssuer,
    Optional<String> oidcSubject,
    boolean disabled) {
  /** Whether this and another state of a user are the same person of the same provider. */
  boolean sameIdentity(User other) {
    return oidcIssuer.equals(other.oidcIssuer) && oidcSubject.equals(other.oidcSubject);
  }

  /** The values of a new user. */
  record NewUser(
      String email,
      Optional<String> name,
      Optional<String> imageUrl,
      Optional<Integer> maxConcurrentBots,
      JsonNode data) {}
}
