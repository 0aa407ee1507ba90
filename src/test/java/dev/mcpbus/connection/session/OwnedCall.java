package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/** A call of a caller, who wants all that belongs to it. */
final class OwnedCall extends PendingRequest {

  private final String callId;
  private final @Nullable String owner;
  boolean ended;

  /** For tests that need no deadline. */
  OwnedCall(String callId, @Nullable String owner) {
    this(callId, owner, Long.MAX_VALUE);
  }

  OwnedCall(String callId, @Nullable String owner, long deadline) {
    super("tools/call", deadline, 0, deadline);
    this.callId = callId;
    this.owner = owner;
  }

  @Override
  public boolean isCallers() {
    return true;
  }

  @Override
  public @Nullable String owner() {
    return owner;
  }

  @Override
  public String callId() {
    return callId;
  }

  @Override
  public String progressAddress() {
    return "progress";
  }

  @Override
  String logAddress() {
    return "log";
  }

  @Override
  String noticeAddress() {
    return "notice";
  }

  @Override
  public void complete(RawJson result) {
    ended = true;
  }

  @Override
  protected void failed(McpFailure failure) {
    ended = true;
  }
}
