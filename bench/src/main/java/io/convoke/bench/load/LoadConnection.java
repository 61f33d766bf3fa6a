package io.convoke.bench.load;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One kept connection with at most one request on its way. */
final class LoadConnection {
  private static final int ANSWER_MAX = 16 * 1024;

  private final SocketChannel channel;
  private final int number;
  private final SelectionKey key;
  private final ByteBuffer in = ByteBuffer.allocateDirect(ANSWER_MAX);
  private final HttpResponseScanner scan = new HttpResponseScanner();
  private ByteBuffer out = ByteBuffer.allocate(0);
  private long sentAt;

  private LoadConnection(SocketChannel channel, Selector selector, int number) throws IOException {
    this.channel = channel;
    this.number = number;
    this.key = channel.register(selector, SelectionKey.OP_READ, this);
  }

  /** Opens the connection of the caller with this number. */
  static LoadConnection open(InetSocketAddress address, Selector selector, int number)
      throws IOException {
    SocketChannel channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    return new LoadConnection(channel, selector, number);
  }

  void send(byte[] request) throws IOException {
    send(request, System.nanoTime());
  }

  /** Sends a request whose time counts from {@code at}. */
  void send(byte[] request, long at) throws IOException {
    sentAt = at;
    out = ByteBuffer.wrap(request);
    flush();
  }

  /** Writes the rest of the request. */
  void flush() throws IOException {
    int _ = channel.write(out);
    key.interestOps(
        out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
  }

  /** Reads; answers the status once the answer is whole, 0 before. */
  int read() throws IOException {
    if (channel.read(in) < 0) {
      throw new EOFException("the server closed a kept connection");
    }
    int status = scan.status(in);
    if (status != 0) {
      in.clear();
    } else if (!in.hasRemaining()) {
      throw new IOException("an answer is larger than " + ANSWER_MAX + " bytes");
    }
    return status;
  }

  int number() {
    return number;
  }

  /** From when the time of the request that was answered counts, by {@link System#nanoTime}. */
  long sentAt() {
    return sentAt;
  }

  void close() throws IOException {
    channel.close();
  }
}
