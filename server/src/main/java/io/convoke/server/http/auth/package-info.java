/**
 * Authentication: resolves the caller of a request from keys, bearer tokens or the session cookie,
 * signs browsers in and out, and limits requests and wrong credentials. It stores no users or keys:
 * features verify them through {@link io.convoke.server.http.auth.ApiKeyVerifier} and {@link
 * io.convoke.server.http.auth.BearerScheme}. It never decides whether a caller may see an object.
 */
@NullMarked
package io.convoke.server.http.auth;

import org.jspecify.annotations.NullMarked;
