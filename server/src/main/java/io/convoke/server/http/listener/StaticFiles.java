package io.convoke.server.http.listener;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.convoke.server.http.EntityTag;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;

/**
 * Files of the console from the class path, or of the documentation from a folder. Each is read
 * once, compressed once and named by the hash of its content, so a browser revalidates but rarely
 * downloads again.
 */
final class StaticFiles {
  private static final int MAX_FILES = 512;
  private static final int GZIP_FROM = 1024;

  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("html", "text/html; charset=utf-8"),
          Map.entry("js", "text/javascript; charset=utf-8"),
          Map.entry("mjs", "text/javascript; charset=utf-8"),
          Map.entry("css", "text/css; charset=utf-8"),
          Map.entry("json", "application/json"),
          Map.entry("map", "application/json"),
          Map.entry("webmanifest", "application/manifest+json"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("png", "image/png"),
          Map.entry("jpg", "image/jpeg"),
          Map.entry("webp", "image/webp"),
          Map.entry("ico", "image/x-icon"),
          Map.entry("woff2", "font/woff2"),
          Map.entry("txt", "text/plain; charset=utf-8"));

  /** One file, ready to be sent. */
  @SuppressWarnings("ArrayRecordComponent") // written out, never compared
  record StaticAsset(byte[] bytes, Optional<byte[]> gzip, String etag, String contentType) {}

  private final AssetSource source;
  private final boolean minified;
  private final Map<String, StaticAsset> assets = new ConcurrentHashMap<>();

  /** Opens the file at a path that begins with a slash and leads into no other folder. */
  private interface AssetSource {
    Optional<InputStream> open(String path) throws IOException;
  }

  private StaticFiles(AssetSource source, boolean minified) {
    this.source = source;
    this.minified = minified;
  }

  /** Serves what lies under {@code folder}, an absolute resource path such as {@code /console}. */
  static StaticFiles ofClassPath(Class<?> anchor, String folder) {
    return new StaticFiles(
        path -> Optional.ofNullable(anchor.getResourceAsStream(folder + path)), true);
  }

  /** Serves what lies in a folder, as it is; what links lead out of it is not there. */
  static StaticFiles ofFolder(Path folder) {
    return new StaticFiles(
        path -> {
          Path file = folder.resolve(path.substring(1));
          return Files.isRegularFile(file) && file.toRealPath().startsWith(folder.toRealPath())
              ? Optional.of(Files.newInputStream(file))
              : Optional.empty();
        },
        false);
  }

  /** The file at an undecoded path; {@code /} is {@code index.html}. */
  Optional<StaticAsset> file(String rawPath) {
    String path = rawPath.equals("/") ? "/index.html" : rawPath;
    if (!isPlain(path)) {
      return Optional.empty();
    }
    StaticAsset known = assets.get(path);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<StaticAsset> loaded = load(path);
    if (loaded.isPresent() && assets.size() < MAX_FILES) {
      assets.put(path, loaded.get());
    }
    return loaded;
  }

  /**
   * The page that answers deep links, asked for by a browser: paths of the console, whose ids may
   * have dots, and others without a dot in their last part.
   */
  Optional<StaticAsset> page(String rawPath, String accept) {
    boolean named =
        !rawPath.startsWith("/console/") && rawPath.indexOf('.', rawPath.lastIndexOf('/')) >= 0;
    return named || !accept.contains("text/html") ? Optional.empty() : file("/");
  }

  /** A page of the documentation: {@code /api} is {@code api.html}, a folder its index. */
  Optional<StaticAsset> document(String rawPath) {
    if (rawPath.endsWith("/")) {
      return file(rawPath + "index.html");
    }
    boolean named = rawPath.indexOf('.', rawPath.lastIndexOf('/')) >= 0;
    return file(named ? rawPath : rawPath + ".html");
  }

  /** Segments of safe characters between single slashes, none beginning with a dot. */
  private static boolean isPlain(String path) {
    if (path.length() > 256 || !path.startsWith("/") || path.endsWith("/")) {
      return false;
    }
    for (int i = 1; i < path.length(); i++) {
      char c = path.charAt(i);
      boolean first = path.charAt(i - 1) == '/';
      boolean harmless = (c < 0x80 && Character.isLetterOrDigit(c)) || c == '-' || c == '_';
      if (!harmless && (first || (c != '.' && c != '/'))) {
        return false;
      }
    }
    return true;
  }

  private Optional<StaticAsset> load(String path) {
    String extension = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    String type = TYPES.get(extension);
    if (type == null) {
      return Optional.empty();
    }
    try {
      Optional<InputStream> opened = source.open(path);
      if (opened.isEmpty()) {
        return Optional.empty();
      }
      try (InputStream in = opened.get()) {
        byte[] bytes = in.readAllBytes();
        boolean code = minified && (extension.equals("js") || extension.equals("css"));
        return Optional.of(asset(code ? sent(path, bytes) : bytes, type));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a file of a site cannot be read", e);
    }
  }

  private static byte[] sent(String path, byte[] bytes) {
    return AssetMinifier.of(path, new String(bytes, UTF_8)).getBytes(UTF_8);
  }

  private static StaticAsset asset(byte[] bytes, String type) throws IOException {
    boolean picture = type.startsWith("image/") && !type.contains("svg");
    boolean text = !picture && !type.startsWith("font/");
    Optional<byte[]> gzip =
        text && bytes.length >= GZIP_FROM ? Optional.of(gzip(bytes)) : Optional.empty();
    return new StaticAsset(bytes, gzip, EntityTag.of(bytes), type);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream(bytes.length / 2);
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }
}
