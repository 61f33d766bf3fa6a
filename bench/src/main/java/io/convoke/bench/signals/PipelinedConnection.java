package io.convoke.bench.signals;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection that sends thousands of calls at once and reads their replies in order. A client
 * library spends more on each call than Redis on the script, and none of its features are needed
 * here.
 */
final class PipelinedConnection implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final int SILENT_MAX_MILLIS = 30_000;

  private final Socket socket;
  private final OutputStream out;
  private final InputStream in;
  private byte[] waiting = new byte[BUFFER];
  private int filled;
  private final byte[] read = new byte[BUFFER];
  private int from;
  private int to;

  /** {@code url} is {@code redis://:pass@host:port}. */
  PipelinedConnection(URI url) throws IOException {
    socket = new Socket(url.getHost(), url.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(SILENT_MAX_MILLIS);
    out = socket.getOutputStream();
    in = socket.getInputStream();
    Object _ = call(RedisCall.of("AUTH", url.getUserInfo().substring(1)));
  }

  @Nullable Object call(RedisCall redisCall) throws IOException {
    add(redisCall);
    send();
    return answer();
  }

  /** Takes one more call for the next {@link #send}. */
  void add(RedisCall redisCall) {
    head('*', redisCall.words().size());
    for (String word : redisCall.words()) {
      byte[] text = word.getBytes(StandardCharsets.UTF_8);
      head('$', text.length);
      put(text);
      end();
    }
  }

  void send() throws IOException {
    out.write(waiting, 0, filled);
    filled = 0;
  }

  /** The next answer: String, Long, List or null. */
  @Nullable Object answer() throws IOException {
    byte type = next();
    String line = line();
    return switch (type) {
      case '+' -> line;
      case ':' -> Long.valueOf(line);
      case '$' -> text(Integer.parseInt(line));
      case '*' -> list(Integer.parseInt(line));
      case '-' -> throw new IOException("Redis answered " + line);
      default -> throw new IOException("Redis answered something unknown");
    };
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private @Nullable String text(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) {
      text[i] = next();
    }
    skipEnd();
    return new String(text, StandardCharsets.UTF_8);
  }

  private List<@Nullable Object> list(int length) throws IOException {
    List<@Nullable Object> all = new ArrayList<>(Math.max(length, 0));
    for (int i = 0; i < length; i++) {
      all.add(answer());
    }
    return all;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (byte letter = next(); letter != '\r'; letter = next()) {
      line.append((char) letter);
    }
    byte _ = next();
    return line.toString();
  }

  private void skipEnd() throws IOException {
    byte _ = next();
    byte _ = next();
  }

  private byte next() throws IOException {
    if (from == to) {
      from = 0;
      to = in.read(read);
      if (to <= 0) {
        throw new EOFException("Redis closed the connection");
      }
    }
    return read[from++];
  }

  private void head(char type, int number) {
    put((byte) type);
    put(Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
    end();
  }

  private void end() {
    put((byte) '\r');
    put((byte) '\n');
  }

  private void put(byte... text) {
    if (filled + text.length > waiting.length) {
      waiting = Arrays.copyOf(waiting, 2 * waiting.length + text.length);
    }
    System.arraycopy(text, 0, waiting, filled, text.length);
    filled += text.length;
  }
}
