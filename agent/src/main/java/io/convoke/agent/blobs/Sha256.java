package io.convoke.agent.blobs;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every JDK has. */
public final class Sha256 {
  private static final int BUFFER = 64 * 1024;

  private final MessageDigest digest = sha256();

  public void add(byte[] bytes, int from, int length) {
    digest.update(bytes, from, length);
  }

  /** Adds the rest of a stream; returns how many bytes. */
  public long add(InputStream stream) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long all = 0;
    for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
      add(buffer, 0, read);
      all += read;
    }
    return all;
  }

  /** The digest so far, in hex; more may be added after it. */
  public String hex() {
    try {
      return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
    } catch (CloneNotSupportedException impossible) {
      throw new IllegalStateException("every JDK copies SHA-256", impossible);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has SHA-256", impossible);
    }
  }
}
