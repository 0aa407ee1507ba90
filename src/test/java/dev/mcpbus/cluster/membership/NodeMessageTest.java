package dev.mcpbus.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeMessageTest {

  private static final ReplicaId REPLICA = new ReplicaId(new ConnectionId("git"), 2);

  private static final List<NodeMessage> ALL =
      List.of(
          new NodeMessage.Announcement(
              "n", 7, Map.of("m", 5L), Set.of("n"), Set.of("o"), true, true, null),
          new NodeMessage.Announcement(
              "n",
              7,
              Map.of(),
              Set.of("n"),
              Set.of(),
              false,
              false,
              new Ballot("t", true, Set.of("t", "u"), Set.of("v"), Set.of("v", "w"))),
          new NodeMessage.Leaving("n"),
          new NodeMessage.Draining("n"),
          new NodeMessage.Claimed("n", REPLICA, 3),
          new NodeMessage.Serving("n", REPLICA, 3),
          new NodeMessage.Released("n", REPLICA, 3),
          new NodeMessage.ReplicaState("n", REPLICA, ConnectionState.READY, "v"),
          new NodeMessage.DefinitionsChanged("n", List.of("git"), 9),
          new NodeMessage.Refusal("n", "git", true));

  @Test
  void each_is_read_as_it_was_written() {
    assertThat(ALL.stream().map(Object::getClass).distinct())
        .containsExactlyInAnyOrder(NodeMessage.class.getPermittedSubclasses());
    for (NodeMessage message : ALL) {
      JsonObject onTheBus = new JsonObject(message.toJson().encode());
      assertThat(NodeMessage.of(onTheBus)).isEqualTo(message);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"type\":\"of a later version\",\"node\":\"n\"}",
        "{\"type\":7}",
        "{\"type\":\"here\",\"node\":\"n\"}",
        "{\"type\":\"here\",\"at\":\"x\",\"heard\":{},\"sees\":[],\"owes\":[]}",
        "{\"type\":\"here\",\"at\":1,\"heard\":{\"n\":\"x\"},\"sees\":[],\"owes\":[]}",
        "{\"type\":\"claimed\",\"node\":\"n\"}",
        "{\"type\":\"claimed\",\"node\":\"n\",\"id\":\"a b\"}",
        "{\"type\":\"replica\",\"node\":\"n\",\"id\":\"git\",\"state\":\"ASLEEP\"}",
        "{\"type\":\"definitions\",\"ids\":7}"
      })
  void what_is_not_one_is_left_out(String json) {
    assertThat(NodeMessage.of(new JsonObject(json))).isNull();
  }
}
