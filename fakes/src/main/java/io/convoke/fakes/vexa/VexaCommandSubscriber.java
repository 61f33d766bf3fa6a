package io.convoke.fakes.vexa;

import java.io.IOException;
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
    try {
      VexaRedis redis = new VexaRedis(config.redisUrl());
      redis.send(List.of("SUBSCRIBE", channel));
      List<String> _ = redis.reply();
      Thread.ofPlatform().daemon().name("orders").start(() -> listen(redis));
    } catch (IOException e) {
      System.out.println("no commands: " + e.getMessage());
    }
  }

  private void listen(VexaRedis redis) {
    try {
      while (true) {
        List<String> message = redis.reply();
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
}
