package io.convoke.server.users;

import java.util.Optional;

/**
 * A person as the identity provider names them in a verified token.
 *
 * @param issuer the provider
 * @param subject unique and never given to another person there
 * @param verifiedEmail the address, if the provider has verified it
 * @param operates whether the provider gave a role of operators, so that a user may be created
 */
public record FederatedIdentity(
    String issuer,
    String subject,
    Optional<String> verifiedEmail,
    Optional<String> name,
    boolean operates) {}
