package io.convoke.fakes.vexa;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Subscribes to the channel of the image's release. Like the image it continues without commands if
 * Redis is down at its start, and ignores commands for other meetings.
 */
final class VexaCommandSubscriber {
  private final VexaBotConfig config;
  private final String channel;
  private final Consumer<JsonNode> order;

  VexaCommandSubscriber(VexaBotConfig config, VexaRelease vexaRelease, Consumer<JsonNode> order) {
    this.config = config;
    this.channel =
        "bot_commands:"
            + (vexaRelease.listensByMeeting()
                ? "meeting:" + config.meetingId()
                : config.connectionId());
    this.order = order;
  }

  /** Subscribes; returns once subscribed or failed. */
  void open() {
    URI url = URI.create(config.redisUrl());
    try {
      Socket socket = new Socket(url.getHost(), url.getPort());
      InputStream in = new BufferedInputStream(socket.getInputStream());
      if (url.getUserInfo() != null) {
        send(socket, "AUTH", url.getUserInfo().replaceFirst("^[^:]*:", ""));
        String answer = line(in);
        if (!answer.equals("+OK")) {
          throw new IOException(answer);
        }
      }
      send(socket, "SUBSCRIBE", channel);
      List<String> _ = reply(in);
      Thread.ofPlatform().daemon().name("orders").start(() -> listen(in));
    } catch (IOException e) {
      System.out.println("no commands: " + e.getMessage());
    }
  }

  private static void send(Socket socket, String command, String argument) throws IOException {
    String text =
        "*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n"
            .formatted(command.length(), command, argument.length(), argument);
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private void listen(InputStream in) {
    try {
      while (true) {
        List<String> message = reply(in);
        if (message.size() == 3 && message.getFirst().equals("message")) {
          received(message.get(2));
        }
      }
    } catch (IOException e) {
      System.out.println("no more commands: " + e.getMessage());
    }
  }

  private void received(String text) {
    try {
      JsonNode command = JsonMapper.shared().readTree(text);
      JsonNode meeting = command.path("meeting_id");
      if (!meeting.isMissingNode() && meeting.asLong(-1) != config.meetingId()) {
        FakeVexaBot.complain("a command for another meeting");
        return;
      }
      switch (command.path("action").asString("")) {
        case "leave" -> order.accept(command);
        case "reconfigure" -> {
          if (command.path("task").isMissingNode()) {
            FakeVexaBot.complain("a reconfiguration without a task: it would be unset");
          }
          order.accept(command);
        }
        default -> FakeVexaBot.complain("a command that the image does not know: " + text);
      }
    } catch (JacksonException e) {
      FakeVexaBot.complain("a command that is not JSON");
    }
  }

  /** One array of the protocol; numbers as their digits. */
  private static List<String> reply(InputStream in) throws IOException {
    String head = line(in);
    if (!head.startsWith("*")) {
      throw new IOException("unexpected answer of Redis: " + head);
    }
    List<String> parts = new ArrayList<>();
    int count = Integer.parseInt(head.substring(1));
    for (int i = 0; i < count; i++) {
      String kind = line(in);
      if (kind.startsWith("$")) {
        byte[] bytes = in.readNBytes(Integer.parseInt(kind.substring(1)));
        parts.add(new String(bytes, StandardCharsets.UTF_8));
        String _ = line(in);
      } else {
        parts.add(kind.substring(1));
      }
    }
    return parts;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next != '\n') {
      if (next < 0) {
        throw new IOException("Redis hung up");
      }
      if (next != '\r') {
        line.append((char) next);
      }
      next = in.read();
    }
    return line.toString();
  }
}
