package io.convoke.server.http.connection;

import io.convoke.server.http.ClientAddressResolver;
import io.convoke.server.http.HttpConfig;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/**
 * Connections of the web server with a bound of what they read ahead and a deadline on every write:
 * responses, event streams, files, and the web server's own messages.
 *
 * @param connections the wrapped connection provider
 * @param terms how long a client may take no byte, and whose clients are counted
 */
public record BoundedConnections(
    ServerConnectionSelector connections, SocketTimeouts watch, HttpConfig terms)
    implements ServerConnectionSelector {

  @Override
  public int bytesToIdentifyConnection() {
    return connections.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return connections.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return connections.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    Optional<String> address =
        ClientAddressResolver.unlessProxy(context.remotePeer(), terms.proxies());
    return connections.connection(
        new BoundedConnection(
            context,
            BoundedReader.of(context.dataReader()),
            new BoundedWriter(context.dataWriter(), watch, terms.stalls().atMost(), address)));
  }

  private record BoundedConnection(
      ConnectionContext context, DataReader dataReader, DataWriter dataWriter)
      implements ConnectionContext {
    @Override
    public ListenerContext listenerContext() {
      return context.listenerContext();
    }

    @Override
    public ExecutorService executor() {
      return context.executor();
    }

    @Override
    public Router router() {
      return context.router();
    }

    @Override
    public Optional<ProxyProtocolData> proxyProtocolData() {
      return context.proxyProtocolData();
    }

    @Override
    public HelidonSocket serverSocket() {
      return context.serverSocket();
    }

    @Override
    public PeerInfo remotePeer() {
      return context.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
      return context.localPeer();
    }

    @Override
    public boolean isSecure() {
      return context.isSecure();
    }

    @Override
    public String socketId() {
      return context.socketId();
    }

    @Override
    public String childSocketId() {
      return context.childSocketId();
    }
  }
}
