package io.convoke.fakes.transcribe;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The server's side of one WebSocket (RFC 6455): the handshake, and frames in and out. */
final class WebSocketServerFrames {
  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int MOST = 1 << 20;

  private final DataInputStream in;
  private final DataOutputStream out;

  WebSocketServerFrames(Socket socket) throws IOException {
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  /** A whole message. */
  @SuppressWarnings("ArrayRecordComponent")
  record WebSocketMessage(WebSocketMessageKind kind, byte[] bytes) {
    String text() {
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** What kind a message is of. */
  enum WebSocketMessageKind {
    TEXT,
    BINARY,
    CLOSE
  }

  void shakeHands() throws IOException {
    String key = "";
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.regionMatches(true, 0, "sec-websocket-key:", 0, 18)) {
        key = line.substring(18).strip();
      }
    }
    String answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: "
            + accept(key)
            + "\r\n\r\n";
    out.write(answer.getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  /** The next message, put together from its frames; a ping is answered on the way. */
  WebSocketMessage next() throws IOException {
    byte[] whole = new byte[0];
    int kind = 0;
    while (true) {
      int head = in.readUnsignedByte();
      int length = in.readUnsignedByte();
      if ((length & 0x80) == 0) {
        throw new IOException("a client masks its frames");
      }
      long size = length & 0x7f;
      if (size == 126) {
        size = in.readUnsignedShort();
      } else if (size == 127) {
        size = in.readLong();
      }
      if (size > MOST) {
        throw new IOException("a frame of " + size + " bytes");
      }
      byte[] mask = in.readNBytes(4);
      byte[] part = in.readNBytes((int) size);
      for (int i = 0; i < part.length; i++) {
        part[i] ^= mask[i % 4];
      }
      int code = head & 0x0f;
      if (code == 8) {
        return new WebSocketMessage(WebSocketMessageKind.CLOSE, part);
      }
      if (code == 9) {
        send(10, part);
        continue;
      }
      kind = code == 0 ? kind : code;
      byte[] longer = new byte[whole.length + part.length];
      System.arraycopy(whole, 0, longer, 0, whole.length);
      System.arraycopy(part, 0, longer, whole.length, part.length);
      whole = longer;
      if ((head & 0x80) != 0) {
        return new WebSocketMessage(
            kind == 1 ? WebSocketMessageKind.TEXT : WebSocketMessageKind.BINARY, whole);
      }
    }
  }

  void send(byte[] text) throws IOException {
    send(1, text);
  }

  void close() throws IOException {
    send(8, new byte[] {3, (byte) 0xe8});
  }

  private synchronized void send(int code, byte[] bytes) throws IOException {
    out.writeByte(0x80 | code);
    if (bytes.length < 126) {
      out.writeByte(bytes.length);
    } else if (bytes.length < 65_536) {
      out.writeByte(126);
      out.writeShort(bytes.length);
    } else {
      out.writeByte(127);
      out.writeLong(bytes.length);
    }
    out.write(bytes);
    out.flush();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private static String accept(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1")
              .digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has SHA-1", impossible);
    }
  }
}
