package io.convoke.server.http.auth;

/**
 * What a browser session proves on each request: a credential that is checked like a header, or a
 * person whom the identity provider named when the session began.
 */
sealed interface SessionProof permits Credential, SignedInPerson {}
