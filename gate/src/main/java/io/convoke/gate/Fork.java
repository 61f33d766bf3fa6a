package io.convoke.gate;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.MethodFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The JVM that runs test classes of one module, one after the other. Its class path and its working
 * directory are those of the module, so tests see what they see under Maven. It ends when the
 * scheduler closes the connection or dies.
 */
final class Fork {
  private Fork() {}

  /**
   * Connects to the scheduler and runs the classes that it sends.
   *
   * @param arguments the port of the scheduler on loopback
   */
  public static void main(String[] arguments) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    DataOutputStream events = new DataOutputStream(socket.getOutputStream());
    BlockingQueue<ForkTask> orders = new LinkedBlockingQueue<>();
    Thread _ = Thread.ofPlatform().daemon().name("orders").start(() -> receive(socket, orders));
    try (LauncherSession session = LauncherFactory.openSession()) {
      while (true) {
        run(session.getLauncher(), orders.take(), events);
      }
    }
  }

  /** Exits, because threads that a test left behind would keep the process. */
  private static void receive(Socket socket, BlockingQueue<ForkTask> orders) {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        orders.add(ForkTask.read(in));
      }
    } catch (IOException closed) {
      System.exit(0);
    }
  }

  private static void run(Launcher launcher, ForkTask order, DataOutputStream events)
      throws IOException {
    long cpu = cpuMillis();
    Recorder recorder = new Recorder(events);
    LauncherDiscoveryRequestBuilder request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(order.className()));
    if (!order.methods().isEmpty()) {
      // Of the class and of what is nested in it, whatever the parameters.
      request.filters(
          MethodFilter.includeMethodNamePatterns(
              order.methods().stream().map(it -> ".*#" + Pattern.quote(it)).toList()));
    }
    if (!order.excludedTags().isEmpty()) {
      request.filters(TagFilter.excludeTags(List.copyOf(order.excludedTags())));
    }
    try {
      launcher.execute(request.build(), recorder);
    } catch (RuntimeException | LinkageError e) {
      new TestEvent(TestEvent.TestEventKind.FAILED, order.className(), trace(e), 0).write(events);
    }
    new TestEvent(TestEvent.TestEventKind.CLASS_ENDED, order.className(), "", cpuMillis() - cpu)
        .write(events);
  }

  static String trace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static long cpuMillis() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime() / 1_000_000
        : 0;
  }
}
