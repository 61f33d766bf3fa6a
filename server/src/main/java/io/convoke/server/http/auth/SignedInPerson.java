package io.convoke.server.http.auth;

import io.convoke.server.http.OperatorRole;
import java.util.Optional;

/**
 * A person who signed in by the identity provider. Only a sealed session holds one; no request can
 * name one.
 *
 * @param issuer the provider
 * @param subject who the person is there
 * @param operatorRole the role that the provider gave then
 */
public record SignedInPerson(String issuer, String subject, Optional<OperatorRole> operatorRole)
    implements SessionProof {}
