package io.convoke.server.webhooks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One HTTP/1.1 POST to an already resolved and checked address, on its own connection. Common HTTP
 * clients would resolve the name again and bypass the check. Redirects are not followed; the
 * response body is not read.
 */
final class DeliveryRequest {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(15);
  private static final Duration WHOLE_MAX = Duration.ofSeconds(30);
  private static final int LINE_MAX = 8192;

  private final URI url;
  private final InetAddress address;
  private final Duration wholeMax;

  DeliveryRequest(URI url, InetAddress address) {
    this(url, address, WHOLE_MAX);
  }

  /** A request that may take so long as a whole. */
  DeliveryRequest(URI url, InetAddress address, Duration wholeMax) {
    this.url = url;
    this.address = address;
    this.wholeMax = wholeMax;
  }

  /**
   * Sends the request and returns the status. The socket is closed when it takes too long: a server
   * that sends a byte now and then, in its handshake too, reaches no timeout of a read.
   */
  int send(Map<String, String> headers, String body) throws IOException {
    try (Socket plain = new Socket()) {
      CompletableFuture<Boolean> late =
          new CompletableFuture<Boolean>()
              .completeOnTimeout(true, wholeMax.toMillis(), TimeUnit.MILLISECONDS);
      var _ = late.thenAccept(_ -> close(plain));
      try {
        return exchanged(plain, headers, body);
      } catch (IOException broken) {
        if (late.state() == Future.State.SUCCESS) {
          throw new SocketTimeoutException("the response took longer than " + wholeMax);
        }
        throw broken;
      } finally {
        boolean _ = late.cancel(false);
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // It is closed all the same.
    }
  }

  private int exchanged(Socket plain, Map<String, String> headers, String body) throws IOException {
    plain.setSoTimeout((int) ANSWER_MAX.toMillis());
    plain.connect(new InetSocketAddress(address, port()), (int) CONNECT_MAX.toMillis());
    try (Socket socket = secured(plain)) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      ByteArrayOutputStream request = new ByteArrayOutputStream();
      request.writeBytes(head(headers, bytes.length).getBytes(StandardCharsets.ISO_8859_1));
      request.writeBytes(bytes);
      socket.getOutputStream().write(request.toByteArray());
      socket.getOutputStream().flush();
      return status(socket.getInputStream());
    }
  }

  private int port() {
    boolean tls = url.getScheme().equals("https");
    return url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
  }

  private Socket secured(Socket plain) throws IOException {
    if (!url.getScheme().equals("https")) {
      return plain;
    }
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, url.getHost(), port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private String head(Map<String, String> headers, int length) {
    String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    StringBuilder head = new StringBuilder();
    head.append("POST ").append(path).append(query).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(url.getRawAuthority().replaceFirst("^.*@", "")).append("\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    head.append("Content-Length: ").append(length).append("\r\nConnection: close\r\n\r\n");
    return head.toString();
  }

  /** The status of the final response; 1xx responses are skipped. */
  private static int status(InputStream in) throws IOException {
    while (true) {
      String line = line(in);
      String[] parts = line.split(" ", 3);
      if (parts.length < 2
          || !parts[0].startsWith("HTTP/1.")
          || !parts[1].matches("[1-5][0-9]{2}")) {
        throw new IOException("not an HTTP response");
      }
      int status = Integer.parseInt(parts[1]);
      if (status >= 200) {
        return status;
      }
      while (!line(in).isEmpty()) {
        // Skip the headers of an interim response.
      }
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    int c;
    while ((c = in.read()) >= 0 && c != '\n') {
      if (line.length() > LINE_MAX) {
        throw new IOException("not an HTTP response");
      }
      line.append((char) c);
    }
    if (c < 0 && line.isEmpty()) {
      throw new IOException("the connection was closed without a response");
    }
    return line.toString().strip();
  }
}
