package io.convoke.server.config;

import io.convoke.engine.json.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** Parsers of settings; an invalid value is refused with a message for the operator. */
final class SettingParsers {
  private static final Pattern BYTES = Pattern.compile("([1-9]\\d{0,8})([kmg])");
  private static final Pattern CPUS = Pattern.compile("\\d{1,4}(\\.\\d{1,3})?");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]+");
  private static final Pattern LABEL =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  private SettingParsers() {}

  /** A number with its unit: {@code 1500ms}, {@code 30s}, {@code 5m}, {@code 1h}, {@code 3d}. */
  static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a duration like 1500ms, 30s, 5m or 1h");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  /** A duration that is not zero. */
  static Duration interval(String text) {
    Duration duration = duration(text);
    if (duration.isZero()) {
      throw new IllegalArgumentException("a duration greater than zero");
    }
    return duration;
  }

  /** A duration that is not shorter than another one. */
  static Function<String, Duration> atLeast(String least) {
    Duration bound = duration(least);
    return text -> {
      Duration duration = duration(text);
      if (duration.compareTo(bound) < 0) {
        throw new IllegalArgumentException("a duration of " + least + " at least");
      }
      return duration;
    };
  }

  static Function<String, Integer> number(int min, int max) {
    return text -> {
      try {
        int number = Integer.parseInt(text);
        if (number >= min && number <= max) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Reported below, with the expected form.
      }
      throw new IllegalArgumentException("a number from " + min + " to " + max);
    };
  }

  /** A limit of one user; 0 is none. */
  static long quota(String text) {
    return number(0, 1_000_000_000).apply(text);
  }

  /** A number of bytes with its unit: {@code 64k}, {@code 512m}, {@code 2g}. */
  static long bytes(String text) {
    Matcher matcher = BYTES.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("an amount like 512m or 2g");
    }
    return Long.parseLong(matcher.group(1))
        << switch (matcher.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          default -> 30;
        };
  }

  /** The memory of a container; empty if it is unlimited. */
  static Optional<Long> memory(String text) {
    return text.equals("0") ? Optional.empty() : Optional.of(bytes(text));
  }

  /** A JSON object, or the name of a file that has one. */
  static ObjectNode template(String text) {
    try {
      String json = text.startsWith("{") ? text : Files.readString(Path.of(text));
      if (Json.read(json) instanceof ObjectNode object) {
        return object;
      }
    } catch (IOException | JacksonException | InvalidPathException e) {
      // Reported below, with the expected form.
    }
    throw new IllegalArgumentException("a JSON object, or a readable file of one");
  }

  /** A number of processors, with at most three decimals. */
  static double cpus(String text) {
    if (!CPUS.matcher(text).matches() || Double.parseDouble(text) == 0) {
      throw new IllegalArgumentException("a number of processors like 2 or 0.5");
    }
    return Double.parseDouble(text);
  }

  /** An address of this machine, or a name of it. */
  static String host(String text) {
    if (!HOST.matcher(text).matches()) {
      throw new IllegalArgumentException("an address such as 0.0.0.0, or a name of this machine");
    }
    return text;
  }

  /** A valid value of a container label. */
  static String label(String text) {
    if (!LABEL.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "1 to 63 letters, digits, dots, dashes or underscores, a letter or digit at both ends");
    }
    return text;
  }

  /** The address of a bucket, which has a name after its slashes. */
  static URI bucket(String text) {
    URI url = url("s3", "http", "https").apply(text);
    if (url.getRawAuthority() == null) {
      throw new IllegalArgumentException("s3://bucket or https://...");
    }
    return url;
  }

  static boolean flag(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("true or false");
    };
  }

  static <E extends Enum<E>> Function<String, E> oneOf(Class<E> type) {
    return text ->
        Arrays.stream(type.getEnumConstants())
            .filter(constant -> lower(constant).equals(text))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "one of "
                            + Arrays.stream(type.getEnumConstants())
                                .map(SettingParsers::lower)
                                .toList()));
  }

  static Function<String, URI> url(String... schemes) {
    return text -> {
      try {
        URI uri = URI.create(text);
        if (uri.getScheme() != null && Arrays.asList(schemes).contains(uri.getScheme())) {
          return uri;
        }
      } catch (IllegalArgumentException e) {
        // Reported below, with the expected form.
      }
      throw new IllegalArgumentException(
          "a URL that begins with " + String.join(":// or ", schemes) + "://");
    };
  }

  /** The address of a server that Java's HTTP client calls: it takes none with an underscore. */
  static URI server(String text) {
    URI url = url("http", "https").apply(text);
    if (url.getHost() == null) {
      throw new IllegalArgumentException(
          "a URL whose host is an address, or a name of letters, digits, dots and dashes");
    }
    return url;
  }

  /** Base64 keys of exactly 32 bytes, comma separated while rotating; the text itself. */
  static String keys(String text) {
    for (String key : text.split(",", -1)) {
      if (base64(key.trim()).length != 32) {
        throw new IllegalArgumentException("base64 of exactly 32 bytes");
      }
    }
    return text;
  }

  static byte[] base64(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("base64");
    }
  }

  /** Comma separated base64 values, at most two: the second is for rotating. */
  static List<String> webhookSecrets(String text) {
    List<String> secrets = Arrays.stream(text.split(",", -1)).map(String::trim).toList();
    if (secrets.size() > 2) {
      throw new IllegalArgumentException("one base64 secret, or two while rotating");
    }
    secrets.forEach(
        secret -> {
          if (secret.isEmpty() || base64(secret).length == 0) {
            throw new IllegalArgumentException("base64, not empty");
          }
        });
    return secrets;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
