package io.convoke.server.oidc;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A small OpenID Connect issuer that signs with keys of the JDK, so that the tokens of tests come
 * from other code than the one that verifies them. Its code flow is as strict as the standards: a
 * registered redirect, PKCE by S256, state, nonce, codes that count once, the client's secret.
 */
public final class TestIssuer implements AutoCloseable {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /** A key with its name; one of each name in all tests, because they take long to make. */
  public record SigningKey(String kid, KeyPair pair) {
    private static final Map<String, SigningKey> MADE = new ConcurrentHashMap<>();

    static SigningKey rsa(String kid) {
      return MADE.computeIfAbsent(kid, SigningKey::newRsa);
    }

    static SigningKey ec(String kid) {
      return MADE.computeIfAbsent(kid, SigningKey::newEc);
    }

    private static SigningKey newRsa(String kid) {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return new SigningKey(kid, generator.generateKeyPair());
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    private static SigningKey newEc(String kid) {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return new SigningKey(kid, generator.generateKeyPair());
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    private Map<String, Object> published() {
      Map<String, Object> jwk = new LinkedHashMap<>(Map.of("kid", kid, "use", "sig"));
      switch (pair.getPublic()) {
        case RSAPublicKey rsa -> {
          jwk.put("kty", "RSA");
          jwk.put("n", number(rsa.getModulus()));
          jwk.put("e", number(rsa.getPublicExponent()));
        }
        case ECPublicKey ec -> {
          jwk.put("kty", "EC");
          jwk.put("crv", "P-256");
          jwk.put("x", coordinate(ec.getW().getAffineX()));
          jwk.put("y", coordinate(ec.getW().getAffineY()));
        }
        default -> throw new IllegalStateException("an unexpected key");
      }
      return jwk;
    }

    private static String number(BigInteger value) {
      byte[] bytes = value.toByteArray();
      int from = bytes.length > 1 && bytes[0] == 0 ? 1 : 0;
      return BASE64.encodeToString(java.util.Arrays.copyOfRange(bytes, from, bytes.length));
    }

    private static String coordinate(BigInteger value) {
      byte[] bytes = new byte[32];
      byte[] given = value.toByteArray();
      for (int i = 0; i < Math.min(32, given.length); i++) {
        bytes[31 - i] = given[given.length - 1 - i];
      }
      return BASE64.encodeToString(bytes);
    }
  }

  private final HttpServer server;
  private final List<SigningKey> keys = new CopyOnWriteArrayList<>();
  private final Map<String, Map<String, Object>> answers = new ConcurrentHashMap<>();
  private final AtomicInteger keyReads = new AtomicInteger();
  private final Map<String, IssuedCode> codes = new ConcurrentHashMap<>();
  private volatile boolean away;
  private volatile Optional<Registration> registration = Optional.empty();
  private volatile Optional<Person> present = Optional.empty();
  private volatile UnaryOperator<Map<String, Object>> idTokens = UnaryOperator.identity();

  private record Registration(String clientId, String secret, String redirectUri) {}

  /** Who answers the sign-in form: claims of both tokens, and those of the access token alone. */
  private record Person(Map<String, Object> identity, Map<String, Object> rights) {}

  private record IssuedCode(Map<String, String> asked, Person person) {}

  /** An issuer with one RSA and one EC key, called {@code r1} and {@code e1}. */
  public static TestIssuer start() {
    return new TestIssuer();
  }

  private TestIssuer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    keys.add(SigningKey.rsa("r1"));
    keys.add(SigningKey.ec("e1"));
    server.createContext(
        "/.well-known/openid-configuration", exchange -> answer(exchange, this::discovery));
    server.createContext(
        "/keys",
        exchange -> {
          int _ = keyReads.incrementAndGet();
          answer(exchange, () -> Map.of("keys", keys.stream().map(SigningKey::published).toList()));
        });
    server.createContext("/authorize", this::authorize);
    server.createContext("/token", this::exchange);
    server.setExecutor(java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  /** The issuer's name, which is its address. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  SigningKey key(String kid) {
    return keys.stream().filter(key -> key.kid().equals(kid)).findFirst().orElseThrow();
  }

  /** Publishes these keys instead of the present ones. */
  void publish(SigningKey... published) {
    keys.clear();
    keys.addAll(List.of(published));
  }

  /** How often the keys were read. */
  int keyReads() {
    return keyReads.get();
  }

  /** Whether every request is answered 503 from now on. */
  void away(boolean nowAway) {
    this.away = nowAway;
  }

  /** What the discovery document says beside, or instead of, the usual. */
  void discovers(String name, Object value) {
    answers.computeIfAbsent("discovery", _ -> new ConcurrentHashMap<>()).put(name, value);
  }

  /** Registers the one client. */
  public void register(String clientId, String secret, String redirectUri) {
    registration = Optional.of(new Registration(clientId, secret, redirectUri));
  }

  /** The person who signs in from now on; only the access token tells the roles. */
  public void signsIn(Map<String, Object> identity, List<String> roles) {
    present = Optional.of(new Person(identity, Map.of("realm_access", Map.of("roles", roles))));
  }

  /** From now on people refuse to sign in. */
  public void nobodySignsIn() {
    present = Optional.empty();
  }

  /** Changes the claims of ID tokens from now on. */
  public void idTokens(UnaryOperator<Map<String, Object>> change) {
    idTokens = change;
  }

  private void authorize(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> asked = form(exchange.getRequestURI().getRawQuery());
      Registration client = registration.orElseThrow();
      boolean good =
          "code".equals(asked.get("response_type"))
              && client.clientId.equals(asked.get("client_id"))
              && client.redirectUri.equals(asked.get("redirect_uri"))
              && List.of(asked.getOrDefault("scope", "").split(" ", -1)).contains("openid")
              && asked.getOrDefault("state", "").length() >= 22
              && asked.getOrDefault("nonce", "").length() >= 22
              && asked.getOrDefault("code_challenge", "").length() == 43
              && "S256".equals(asked.get("code_challenge_method"));
      if (!good) {
        exchange.sendResponseHeaders(400, -1);
        return;
      }
      String answer = "error=access_denied";
      if (present.isPresent()) {
        String code =
            BASE64.encodeToString(
                java.util.UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII));
        codes.put(code, new IssuedCode(asked, present.get()));
        answer = "code=" + code;
      }
      exchange
          .getResponseHeaders()
          .set(
              "Location",
              client.redirectUri
                  + "?"
                  + answer
                  + "&state="
                  + asked.get("state")
                  + "&iss="
                  + encoded(url()));
      exchange.sendResponseHeaders(302, -1);
    }
  }

  private void exchange(HttpExchange exchange) throws IOException {
    Map<String, String> asked =
        form(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    Registration client = registration.orElseThrow();
    String basic =
        "Basic "
            + Base64.getEncoder()
                .encodeToString(
                    (encoded(client.clientId) + ":" + encoded(client.secret))
                        .getBytes(StandardCharsets.UTF_8));
    if (!basic.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"clients\"");
      answer(exchange, 401, () -> Map.of("error", "invalid_client"));
      return;
    }
    if (!"authorization_code".equals(asked.get("grant_type"))) {
      answer(exchange, 400, () -> Map.of("error", "unsupported_grant_type"));
      return;
    }
    Optional<IssuedCode> code =
        Optional.ofNullable(codes.remove(asked.getOrDefault("code", "")))
            .filter(
                issued ->
                    challenge(asked.getOrDefault("code_verifier", ""))
                        .equals(issued.asked.get("code_challenge")))
            .filter(_ -> client.redirectUri.equals(asked.get("redirect_uri")));
    if (code.isEmpty()) {
      answer(exchange, 400, () -> Map.of("error", "invalid_grant"));
      return;
    }
    IssuedCode redeemed = code.get();
    answer(exchange, () -> tokens(client, redeemed));
  }

  private Map<String, Object> tokens(Registration client, IssuedCode code) {
    long end = java.time.Instant.now().plusSeconds(60).getEpochSecond();
    Map<String, Object> identity = claims("", client.clientId, end);
    identity.putAll(code.person.identity);
    identity.put("nonce", code.asked.getOrDefault("nonce", ""));
    Map<String, Object> access = claims("", "account", end);
    access.putAll(code.person.identity);
    access.putAll(code.person.rights);
    return Map.of(
        "token_type",
        "Bearer",
        "expires_in",
        60,
        "id_token",
        token(idTokens.apply(identity)),
        "access_token",
        token(access));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static Map<String, String> form(String text) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : text.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      values.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return values;
  }

  private static String challenge(String verifier) {
    try {
      return BASE64.encodeToString(
          MessageDigest.getInstance("SHA-256")
              .digest(verifier.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Claims of a valid token for a client, to which a test adds. */
  public Map<String, Object> claims(String subject, String audience, long expires) {
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("iss", url());
    claims.put("sub", subject);
    claims.put("aud", audience);
    claims.put("exp", expires);
    return claims;
  }

  /** A token by the RSA key. */
  public String token(Map<String, Object> claims) {
    return token("RS256", keys.getFirst(), claims);
  }

  /** A token by any key of ours, published or not. */
  static String token(String algorithm, SigningKey key, Map<String, Object> claims) {
    String signed = head(algorithm, key.kid()) + "." + part(claims);
    return signed + "." + BASE64.encodeToString(signature(algorithm, key, signed));
  }

  /** A token by RS256 whose header names a type. */
  static String typed(String type, SigningKey key, Map<String, Object> claims) {
    String signed =
        part(Map.of("alg", "RS256", "kid", key.kid(), "typ", type)) + "." + part(claims);
    return signed + "." + BASE64.encodeToString(signature("RS256", key, signed));
  }

  /** The first two parts of a token, to be signed or not. */
  static String unsigned(String algorithm, String kid, Map<String, Object> claims) {
    return head(algorithm, kid) + "." + part(claims);
  }

  private static String head(String algorithm, String kid) {
    return part(Map.of("alg", algorithm, "kid", kid, "typ", "JWT"));
  }

  private static String part(Map<String, Object> json) {
    return BASE64.encodeToString(Json.write(json).getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] signature(String algorithm, SigningKey key, String text) {
    try {
      Signature signature =
          Signature.getInstance(
              switch (algorithm) {
                case "RS256" -> "SHA256withRSA";
                case "RS512" -> "SHA512withRSA";
                case "PS256" -> "RSASSA-PSS";
                case "ES256" -> "SHA256withECDSAinP1363Format";
                default -> throw new IllegalArgumentException(algorithm);
              });
      if (algorithm.equals("PS256")) {
        signature.setParameter(
            new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
      }
      signature.initSign(key.pair().getPrivate());
      signature.update(text.getBytes(StandardCharsets.US_ASCII));
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private Map<String, Object> discovery() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("issuer", url());
    document.put("authorization_endpoint", url() + "/authorize");
    document.put("token_endpoint", url() + "/token");
    document.put("jwks_uri", url() + "/keys");
    document.putAll(answers.getOrDefault("discovery", Map.of()));
    return document;
  }

  @FunctionalInterface
  private interface JsonAnswer {
    Map<String, Object> json();
  }

  private void answer(HttpExchange exchange, JsonAnswer answer) throws IOException {
    answer(exchange, 200, answer);
  }

  private void answer(HttpExchange exchange, int status, JsonAnswer answer) throws IOException {
    try (exchange) {
      byte[] body = Json.write(answer.json()).getBytes(StandardCharsets.UTF_8);
      if (away) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
