package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** For whom a server may be asking that does not say it. */
class RequestCausesTest {

  private static final class Call extends PendingRequest {
    private final @Nullable String owner;
    private final boolean callers;

    Call(@Nullable String owner, boolean callers) {
      super("tools/call", 0, 0, 0);
      this.owner = owner;
      this.callers = callers;
    }

    @Override
    public boolean isCallers() {
      return callers;
    }

    @Override
    public @Nullable String owner() {
      return owner;
    }

    @Override
    public void complete(RawJson result) {}

    @Override
    protected void failed(McpFailure failure) {}
  }

  private static final PendingRequest ADA = new Call("ada", true);
  private static final PendingRequest BOB = new Call("bob", true);
  private static final PendingRequest PROGRAM = new Call(null, true);
  private static final PendingRequest OURS = new Call(null, false);

  private final RequestCauses causes = new RequestCauses();

  @Test
  void only_where_all_calls_are_of_one_principal_is_it_known() {
    assertThat(causes.of(List.of(), 0)).isNull();
    assertThat(causes.of(List.of(ADA), 0)).isEqualTo("ada");
    assertThat(causes.of(List.of(ADA, ADA, OURS), 0)).isEqualTo("ada");
    assertThat(causes.of(List.of(ADA, BOB), 0)).isNull();
    assertThat(causes.of(List.of(ADA, PROGRAM), 0)).isNull();
    assertThat(causes.of(List.of(PROGRAM), 0)).isNull();
    assertThat(causes.of(List.of(OURS), 0)).isNull();
  }

  @Test
  void a_call_that_was_given_up_counts_for_a_while() {
    causes.abandoned(BOB, 1_000);
    causes.abandoned(OURS, 1_000);

    assertThat(causes.of(List.of(ADA), 1_000 + RequestCauses.LATE_MILLIS - 1)).isNull();
    assertThat(causes.of(List.of(BOB), 1_000)).isEqualTo("bob");
    assertThat(causes.of(List.of(), 1_000)).isEqualTo("bob");
    assertThat(causes.of(List.of(ADA), 1_000 + RequestCauses.LATE_MILLIS)).isEqualTo("ada");
    causes.abandoned(PROGRAM, 200_000);
    assertThat(causes.of(List.of(ADA), 200_001)).isNull();
  }
}
