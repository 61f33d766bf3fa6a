package io.convoke.server.http.auth;

import io.convoke.server.http.Caller;
import io.convoke.server.http.ClientAddressResolver;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Endpoint.HttpMethod;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.PercentDecoder;
import io.convoke.server.http.Problem;
import io.convoke.server.http.TokenPlace;
import io.convoke.server.http.TrustedProxies;
import io.convoke.server.http.auth.BrowserSessions.BrowserSession;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Resolves the caller: by the credentials in the headers, else by the session in the cookie. */
public final class CallerResolver {
  private static final HeaderName API_KEY = HeaderNames.create("X-API-Key");
  private static final HeaderName ADMIN_KEY = HeaderNames.create("X-Admin-API-Key");
  private static final HeaderName FORWARDED_FOR = HeaderNames.create("X-Forwarded-For");
  private static final HeaderName FORWARDED = HeaderNames.create("Forwarded");
  private static final HeaderName INTERNAL_SECRET = HeaderNames.create("X-Internal-Secret");
  private static final Caller ANONYMOUS = new Caller.AnonymousCaller();

  private final Authenticator authenticator;
  private final BrowserSessions browserSessions;
  private final CredentialFailureLimiter failures;
  private final TrustedProxies proxies;

  public CallerResolver(
      Authenticator authenticator,
      BrowserSessions browserSessions,
      CredentialFailureLimiter failures,
      TrustedProxies proxies) {
    this.authenticator = authenticator;
    this.browserSessions = browserSessions;
    this.failures = failures;
    this.proxies = proxies;
  }

  /**
   * The caller of this request.
   *
   * @throws Problem 401 without valid credentials, 403 for a wrong role, a missing scope or a
   *     cookie sent by another site, 429 after too many wrong credentials from that address
   */
  public AuthContext of(Endpoint endpoint, ServerRequest request) {
    if (endpoint.isPublic()) {
      return visitor(ANONYMOUS, Optional.empty(), request);
    }
    Optional<String> admin = header(request, ADMIN_KEY);
    Optional<String> key = header(request, API_KEY);
    Optional<String> header = header(request, HeaderNames.AUTHORIZATION);
    boolean inHeaders = admin.isPresent() || key.isPresent() || header.isPresent();
    // Every caller sends the path with its token; it counts for those without other credentials.
    Optional<String> authorization =
        inHeaders && endpoint.tokenPlace() == TokenPlace.PATH
            ? header
            : header.or(() -> tokenElsewhere(endpoint, request).map(token -> "Bearer " + token));
    boolean shown = admin.isPresent() || key.isPresent() || authorization.isPresent();
    Optional<BrowserSession> session = shown ? Optional.empty() : session(endpoint, request);
    Caller caller =
        session
            .map(found -> authenticator.authenticate(found.proof()))
            .orElseGet(
                () ->
                    authenticator.authenticate(
                        admin,
                        key,
                        authorization,
                        (limitedCredentialKind, secret, look) ->
                            failures.check(address(request), limitedCredentialKind, secret, look)));
    admit(endpoint, caller);
    return visitor(caller, session, request);
  }

  /**
   * Permits an authenticated caller an operation.
   *
   * @throws Problem 403 for a wrong role or a missing scope
   */
  public static void admit(Endpoint endpoint, Caller caller) {
    if (caller instanceof Caller.UserCaller user
        && !endpoint.scopes().isEmpty()
        && Collections.disjoint(endpoint.scopes(), user.scopes())) {
      throw Problem.scopeMissing(endpoint.scopes());
    }
    if (!endpoint.roles().contains(caller.role())) {
      throw Problem.forbidden();
    }
    Optional<OperatorRole> has = caller.operatorRole();
    Optional<OperatorRole> needed = endpoint.operatorRole();
    if (has.isPresent() && needed.isPresent() && !has.get().includes(needed.get())) {
      throw Problem.roleMissing(needed.get());
    }
  }

  private Optional<BrowserSession> session(Endpoint endpoint, ServerRequest request) {
    CsrfCheck from = new CsrfCheck(name -> header(request, HeaderNames.create(name)));
    Optional<BrowserSession> session =
        from.cookie()
            .valuesIn(header(request, HeaderNames.COOKIE))
            .flatMap(value -> browserSessions.open(value).stream())
            .findFirst();
    if (session.isPresent()) {
      if (endpoint.method() == HttpMethod.GET) {
        from.admitReading();
      } else {
        from.admitWriting();
      }
    }
    return session;
  }

  private static Optional<String> tokenElsewhere(Endpoint endpoint, ServerRequest request) {
    return switch (endpoint.tokenPlace()) {
      case HEADER_ALONE -> Optional.empty();
      case QUERY -> queryToken(request);
      case PATH -> pathToken(endpoint.path(), request.path().rawPath());
      case SECRET_HEADER -> header(request, INTERNAL_SECRET);
    };
  }

  private static Optional<String> pathToken(String template, String path) {
    int place = List.of(template.split("/", -1)).indexOf("{token}");
    List<String> segments = List.of(path.split("/", -1));
    return place >= 0 && place < segments.size()
        ? Optional.of(segments.get(place))
        : Optional.empty();
  }

  private static Optional<String> queryToken(ServerRequest request) {
    return PercentDecoder.query(request.prologue().query().rawValue())
        .getOrDefault("token", List.of())
        .stream()
        .findFirst();
  }

  private AuthContext visitor(
      Caller caller, Optional<BrowserSession> session, ServerRequest request) {
    return new AuthContext(caller, session.map(BrowserSession::end), () -> address(request));
  }

  private String address(ServerRequest request) {
    return ClientAddressResolver.of(
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
