package dev.mcpbus.internals;

import dev.mcpbus.internals.ByteBudget.ByteAccount;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ByteProcessor;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.net.impl.VertxHandler;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Pays for each message of a WebSocket from its first frame on: Vert.x joins the frames, and SockJS
 * makes a text and objects of them. Each byte is paid {@value #COPIES} times, and each value of the
 * JSON {@value #VALUE} bytes more. A peer that cannot pay gets the close code 1013 (try again
 * later). Vert.x has no place for this between a frame and a message. Confined to the event loop of
 * its connection.
 */
public final class SocketMessages extends ChannelInboundHandlerAdapter {

  private static final int COPIES = 4;
  private static final int VALUE = 64;
  private static final int TRY_AGAIN_LATER = 1013;
  private static final int MAX_REASON = 120;
  private static final long CLOSE_SECONDS = 2;

  private final ByteBudget budget;
  private final String owner;
  private ByteAccount message;
  private boolean refused;

  private SocketMessages(ByteBudget budget, String owner) {
    this.budget = budget;
    this.owner = owner;
    this.message = budget.account(ByteUse.REQUESTS, owner);
  }

  /** Called when a connection has become a WebSocket. */
  public static SocketMessages install(
      InboundConnection connection, ByteBudget budget, String owner) {
    SocketMessages messages = new SocketMessages(budget, owner);
    ChannelPipeline pipeline = connection.channel().pipeline();
    for (Map.Entry<String, ChannelHandler> each : pipeline) {
      if (each.getValue() instanceof VertxHandler) {
        pipeline.addBefore(each.getKey(), "mcpbus-messages", messages);
        break;
      }
    }
    connection.onEnd(() -> messages.message.close());
    return messages;
  }

  /** The bytes of the message that is being handled: who takes them has to close the account. */
  public ByteAccount taken() {
    ByteAccount taken = message;
    message = budget.account(ByteUse.REQUESTS, owner);
    return taken;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object frame) throws Exception {
    if (!(frame instanceof TextWebSocketFrame
        || frame instanceof BinaryWebSocketFrame
        || frame instanceof ContinuationWebSocketFrame)) {
      super.channelRead(ctx, frame);
      return;
    }
    WebSocketFrame part = (WebSocketFrame) frame;
    long cost = cost(part.content());
    if (refused || !message.take(cost)) {
      ReferenceCountUtil.release(frame);
      refuse(ctx, cost);
      return;
    }
    boolean last = part.isFinalFragment();
    super.channelRead(ctx, frame);
    if (last) {
      message.clear();
    }
  }

  private static long cost(ByteBuf bytes) {
    Values values = new Values();
    bytes.forEachByte(values);
    return (long) COPIES * bytes.readableBytes() + (long) VALUE * values.count;
  }

  /** Counts what begins or separates values, in strings too. */
  private static final class Values implements ByteProcessor {
    private long count;

    @Override
    public boolean process(byte value) {
      if (value == '{' || value == '[' || value == ',' || value == ':') {
        count++;
      }
      return true;
    }
  }

  private void refuse(ChannelHandlerContext ctx, long cost) {
    if (refused) {
      return;
    }
    refused = true;
    String why = message.refusal(cost);
    message.close();
    String shown = why.length() > MAX_REASON ? why.substring(0, MAX_REASON) : why;
    ctx.writeAndFlush(new CloseWebSocketFrame(TRY_AGAIN_LATER, shown))
        .addListener(ChannelFutureListener.CLOSE);
    ScheduledFuture<?> unused =
        ctx.executor().schedule(() -> close(ctx), CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  private static void close(ChannelHandlerContext ctx) {
    ChannelFuture unused = ctx.close();
  }
}
