package io.convoke.server.http;

import io.convoke.server.http.Endpoint.Method;
import io.convoke.server.http.Sessions.Session;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.util.List;
import java.util.Optional;

/** Resolves the caller: by the credentials in the headers, else by the session in the cookie. */
final class Callers {
  private static final HeaderName API_KEY = HeaderNames.create("X-API-Key");
  private static final HeaderName ADMIN_KEY = HeaderNames.create("X-Admin-API-Key");
  private static final HeaderName FORWARDED_FOR = HeaderNames.create("X-Forwarded-For");
  private static final HeaderName FORWARDED = HeaderNames.create("Forwarded");
  private static final Caller ANONYMOUS = new Caller.Anonymous();

  private final Authenticator authenticator;
  private final Sessions sessions;
  private final CredentialFailures failures;
  private final TrustedProxies proxies;

  Callers(
      Authenticator authenticator,
      Sessions sessions,
      CredentialFailures failures,
      TrustedProxies proxies) {
    this.authenticator = authenticator;
    this.sessions = sessions;
    this.failures = failures;
    this.proxies = proxies;
  }

  /**
   * The caller of this request. @throws Problem 401 without valid credentials, 403 for a wrong role
   * or for a cookie sent by another site, 429 after too many wrong credentials from that address
   */
  Visitor of(Endpoint endpoint, ServerRequest request) {
    if (endpoint.isPublic()) {
      return visitor(ANONYMOUS, Optional.empty(), request);
    }
    Optional<String> admin = header(request, ADMIN_KEY);
    Optional<String> key = header(request, API_KEY);
    Optional<String> authorization = authorization(endpoint, request);
    boolean shown = admin.isPresent() || key.isPresent() || authorization.isPresent();
    Optional<Session> session = shown ? Optional.empty() : session(endpoint, request);
    Caller caller =
        session
            .map(found -> authenticator.authenticate(found.credential()))
            .orElseGet(
                () ->
                    authenticator.authenticate(
                        admin,
                        key,
                        authorization,
                        (kind, secret, look) ->
                            failures.check(address(request), kind, secret, look)));
    if (!endpoint.roles().contains(caller.role())) {
      throw Problem.forbidden();
    }
    return visitor(caller, session, request);
  }

  private Optional<Session> session(Endpoint endpoint, ServerRequest request) {
    Provenance from = new Provenance(name -> header(request, HeaderNames.create(name)));
    Optional<Session> session =
        from.cookie()
            .valuesIn(header(request, HeaderNames.COOKIE))
            .flatMap(value -> sessions.open(value).stream())
            .findFirst();
    if (session.isPresent()) {
      if (endpoint.method() == Method.GET) {
        from.admitReading();
      } else {
        from.admitWriting();
      }
    }
    return session;
  }

  private static Optional<String> authorization(Endpoint endpoint, ServerRequest request) {
    Optional<String> header = header(request, HeaderNames.AUTHORIZATION);
    return header.isEmpty() && endpoint.takesQueryToken()
        ? queryToken(request).map(token -> "Bearer " + token)
        : header;
  }

  private static Optional<String> queryToken(ServerRequest request) {
    return Operation.query(request.prologue().query().rawValue())
        .getOrDefault("token", List.of())
        .stream()
        .findFirst();
  }

  private Visitor visitor(Caller caller, Optional<Session> session, ServerRequest request) {
    return new Visitor(caller, session.map(Session::end), () -> address(request));
  }

  private String address(ServerRequest request) {
    return ClientAddress.of(
        request.remotePeer().address(),
        all(request, FORWARDED_FOR),
        all(request, FORWARDED),
        proxies);
  }

  private static List<String> all(ServerRequest request, HeaderName name) {
    return request.headers().contains(name) ? request.headers().get(name).allValues() : List.of();
  }

  private static Optional<String> header(ServerRequest request, HeaderName name) {
    return request.headers().first(name);
  }
}
