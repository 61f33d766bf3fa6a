package io.convoke.server.launch.docker;

import com.fasterxml.jackson.annotation.JsonValue;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.AuthConfig;
import com.github.dockerjava.core.command.CreateContainerCmdImpl;
import io.convoke.engine.json.Json;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * The client's command with a body of ours, because a template may set what the client's types do
 * not know.
 */
final class DockerCreateCommand extends CreateContainerCmdImpl {
  private final transient Map<String, Object> body;

  DockerCreateCommand(CreateContainerCmd.Exec exec, String image, String name, ObjectNode body) {
    super(exec, new AuthConfig(), image);
    this.body = members(body);
    CreateContainerCmd _ = withName(name);
  }

  /** All that is sent. */
  @JsonValue
  Map<String, Object> body() {
    return body;
  }

  @SuppressWarnings("unchecked") // The members of a JSON object have names.
  private static Map<String, Object> members(ObjectNode body) {
    return Json.read(body, Map.class);
  }
}
