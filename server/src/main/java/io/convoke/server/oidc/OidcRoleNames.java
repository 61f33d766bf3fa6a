package io.convoke.server.oidc;

import io.convoke.server.http.OperatorRole;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the issuer names the roles of operators.
 *
 * @param claim lists a person's roles or groups; the name of a claim, or a path of names with dots
 */
record OidcRoleNames(String claim, String viewer, String operator, String admin) {

  /** The highest role that these claims give. */
  Optional<OperatorRole> roleIn(Map<String, Object> claims) {
    Collection<?> given = listed(claims);
    if (has(given, admin)) {
      return Optional.of(OperatorRole.ADMIN);
    }
    if (has(given, operator)) {
      return Optional.of(OperatorRole.OPERATOR);
    }
    return has(given, viewer) ? Optional.of(OperatorRole.VIEWER) : Optional.empty();
  }

  /** An empty name is given to no person, even if a claim is empty too. */
  private static boolean has(Collection<?> given, String name) {
    return !name.isEmpty() && given.contains(name);
  }

  private Collection<?> listed(Map<String, Object> claims) {
    Object value = claims.containsKey(claim) ? claims.get(claim) : byPath(claims);
    return switch (value) {
      case Collection<?> names -> names;
      case String name -> List.of(name);
      case null, default -> List.of();
    };
  }

  private @Nullable Object byPath(Object claims) {
    Object value = claims;
    for (String name : claim.split("\\.", -1)) {
      value = value instanceof Map<?, ?> object ? object.get(name) : null;
      if (value == null) {
        return null;
      }
    }
    return value;
  }
}
