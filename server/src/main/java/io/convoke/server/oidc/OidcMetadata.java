package io.convoke.server.oidc;

import java.net.URI;

/** The addresses that the issuer publishes. */
record OidcMetadata(URI authorizationEndpoint, URI tokenEndpoint, URI jwksUri) {}
