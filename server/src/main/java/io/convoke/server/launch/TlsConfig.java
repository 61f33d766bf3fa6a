package io.convoke.server.launch;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Setting;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS by the PEM files that settings name: an authority to trust, and a certificate of our own with
 * its key.
 */
public final class TlsConfig {
  private static final char[] NO_PASSWORD = {};
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]+)-----END");

  private TlsConfig() {}

  /**
   * The context of these settings; empty if none is set.
   *
   * @param key PKCS #8, as {@code openssl pkcs8 -topk8 -nodes} writes it
   * @throws InvalidConfigException if a file cannot be read, or one of certificate and key is
   *     missing
   */
  public static Optional<SSLContext> context(
      ServerConfig config,
      Setting<Optional<String>> authority,
      Setting<Optional<String>> certificate,
      Setting<Optional<String>> key) {
    Optional<Path> trusted = config.get(authority).map(Path::of);
    Optional<Path> own = config.get(certificate).map(Path::of);
    Optional<Path> ownKey = config.get(key).map(Path::of);
    if (own.isPresent() != ownKey.isPresent()) {
      throw new InvalidConfigException(
          List.of(certificate.name() + " and " + key.name() + " need each other"));
    }
    if (trusted.isEmpty() && own.isEmpty()) {
      return Optional.empty();
    }
    // Null is the system's authorities, and no certificate.
    TrustManager @Nullable [] trust =
        trusted.isPresent() ? trust(authority.name(), trusted.get()) : null;
    KeyManager @Nullable [] keys =
        own.isPresent() ? keys(certificate.name(), own.get(), ownKey.orElseThrow()) : null;
    return Optional.of(context(keys, trust));
  }

  /**
   * The context that trusts the certificates of this file and no others.
   *
   * @param setting what names the file, for the message when it cannot be read
   */
  public static SSLContext trusting(String setting, Path authority) {
    return context(null, trust(setting, authority));
  }

  /**
   * The context that trusts the certificates of one file and shows one of our own.
   *
   * @param setting what names the files, for the message when they cannot be read
   * @param key PKCS #8
   */
  public static SSLContext context(String setting, Path authority, Path certificate, Path key) {
    return context(keys(setting, certificate, key), trust(setting, authority));
  }

  private static SSLContext context(KeyManager @Nullable [] keys, TrustManager @Nullable [] trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new InvalidConfigException(List.of("TLS cannot be set up: " + e));
    }
  }

  private static TrustManager[] trust(String setting, Path file) {
    try {
      KeyStore store = empty();
      int number = 0;
      for (Certificate one : certificates(file)) {
        store.setCertificateEntry("authority-" + number, one);
        number++;
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory.getTrustManagers();
    } catch (IOException | GeneralSecurityException e) {
      throw unreadable(setting, file, e);
    }
  }

  private static KeyManager[] keys(String setting, Path certificate, Path key) {
    try {
      KeyStore store = empty();
      store.setKeyEntry("own", key(key), NO_PASSWORD, certificates(certificate));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, NO_PASSWORD);
      return factory.getKeyManagers();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw unreadable(setting, certificate, e);
    }
  }

  private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    Matcher pem = KEY.matcher(Files.readString(file));
    if (!pem.find() || !pem.group(1).isEmpty()) {
      throw new GeneralSecurityException(
          file + " is no PKCS #8 key; convert it with openssl pkcs8 -topk8 -nodes");
    }
    PKCS8EncodedKeySpec spec =
        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(2)));
    for (String algorithm : List.of("EC", "RSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (GeneralSecurityException another) {
        // A key of another algorithm.
      }
    }
    return KeyFactory.getInstance("Ed25519").generatePrivate(spec);
  }

  private static Certificate[] certificates(Path file)
      throws IOException, GeneralSecurityException {
    try (InputStream pem = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509")
          .generateCertificates(pem)
          .toArray(Certificate[]::new);
    }
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  /** Names the file and never its content. */
  private static InvalidConfigException unreadable(String setting, Path file, Exception why) {
    return new InvalidConfigException(List.of(setting + " " + file + " cannot be read: " + why));
  }
}
