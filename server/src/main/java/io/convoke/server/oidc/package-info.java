/**
 * People by OpenID Connect: the issuer's addresses and keys, bearer tokens, and sign-in to the
 * console by the authorization code flow. It reads who a person is and which role of operators the
 * issuer gives. It stores nothing: users are {@link io.convoke.server.users}', sessions {@link
 * io.convoke.server.http.auth}'s. It never decides what a role permits.
 */
@NullMarked
package io.convoke.server.oidc;

import org.jspecify.annotations.NullMarked;
