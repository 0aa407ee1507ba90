package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimMapTest {

  private Vertx vertx;
  private AsyncMap<String, String> map;
  private ClaimMap claims;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    map = TestBus.await(vertx.sharedData().getLocalAsyncMap("claims"));
    claims = new ClaimMap(() -> vertx.sharedData().getLocalAsyncMap("claims"));
  }

  @AfterEach
  void end() {
    TestBus.await(vertx.close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage", "x n1", "9223372036854775808 n1", "-1 n1", "1 n1 n2"})
  void what_is_no_claim_hides_no_other_and_is_replaced(String text) {
    assertThat(TestBus.await(claims.replace("good", null, new OwnershipClaim("n1", 7)))).isTrue();
    TestBus.await(map.put("bad", text));
    assertThat(TestBus.await(claims.all())).containsOnlyKeys("good");
    assertThat(TestBus.await(claims.replace("bad", null, new OwnershipClaim("n1", 1)))).isTrue();
    assertThat(TestBus.await(claims.all())).containsEntry("bad", new OwnershipClaim("n1", 1));
  }

  @Test
  void one_of_another_node_is_not_replaced_unseen() {
    assertThat(TestBus.await(claims.replace("id", null, new OwnershipClaim("n1", 1)))).isTrue();
    assertThat(TestBus.await(claims.replace("id", null, new OwnershipClaim("n2", 1)))).isFalse();
    for (OwnershipClaim other :
        List.of(
            new OwnershipClaim("n2", 1),
            new OwnershipClaim("n1", 2),
            new OwnershipClaim(null, 1))) {
      assertThat(TestBus.await(claims.replace("id", other, new OwnershipClaim("n3", 3)))).isFalse();
    }
    assertThat(
            TestBus.await(
                claims.replace("id", new OwnershipClaim("n1", 1), new OwnershipClaim(null, 1))))
        .isTrue();
    assertThat(TestBus.await(claims.all())).containsEntry("id", new OwnershipClaim(null, 1));
  }
}
