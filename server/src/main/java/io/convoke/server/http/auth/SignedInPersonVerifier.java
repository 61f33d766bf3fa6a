package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import java.util.Optional;

/** Resolves the person of a session on each request. */
@FunctionalInterface
public interface SignedInPersonVerifier {
  /** There is no identity provider. */
  SignedInPersonVerifier NONE = _ -> Optional.empty();

  /** The caller that the person is, if there still is an enabled user who is this person. */
  Optional<Caller> callerOf(SignedInPerson person);
}
