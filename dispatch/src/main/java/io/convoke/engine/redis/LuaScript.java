package io.convoke.engine.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script with the digest that Redis knows it by.
 *
 * @param takesRunId whether {@link RedisNode} adds the run id of its server as the last argument,
 *     or an empty one while it does not know the id
 */
public record LuaScript(String name, String source, String sha, boolean takesRunId) {

  /** Loads the script that lies beside its owner, for example {@code renew.lua}. */
  public static LuaScript resource(Class<?> owner, String fileName) {
    try (InputStream file = owner.getResourceAsStream(fileName)) {
      if (file == null) {
        throw new IllegalStateException("no script " + fileName + " beside " + owner.getName());
      }
      String source = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return of(fileName, source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A script that does not lie in a file. */
  public static LuaScript of(String name, String source) {
    return new LuaScript(name, source, sha1(source), false);
  }

  /** The same script with the run id of the server as its last argument. */
  public LuaScript withServerRunId() {
    return new LuaScript(name, source, sha, true);
  }

  private static String sha1(String source) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(source.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
