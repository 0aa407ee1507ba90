package dev.mcpbus.internals;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the HTTP/2 frames of a client that belong to no request and cost the server an answer or a
 * change: PING, SETTINGS, PRIORITY, GOAWAY, and frames of unknown types. Above {@link #MAX} in 30 s
 * the connection ends with GOAWAY. Netty bounds the rest: RST_STREAM, CONTINUATION, empty DATA, and
 * queued writes. WINDOW_UPDATE has no bound: a client sends as many as it reads. Runs on the event
 * loop of its connection.
 */
public final class ControlFrameLimit extends Http2FrameListenerDecorator {

  public static final int MAX = 1_000;
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);

  private long since = System.nanoTime();
  private int frames;

  private ControlFrameLimit(Http2FrameListener listener) {
    super(listener);
  }

  /** Called when HTTP begins on a connection; does nothing for HTTP/1. */
  public static void install(InboundConnection connection) {
    Http2ConnectionHandler http = connection.channel().pipeline().get(Http2ConnectionHandler.class);
    if (http != null) {
      http.decoder().frameListener(new ControlFrameLimit(http.decoder().frameListener()));
    }
  }

  private void count() throws Http2Exception {
    long now = System.nanoTime();
    if (now - since > WINDOW_NANOS) {
      since = now;
      frames = 0;
    }
    if (++frames > MAX) {
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM,
          "more than %d frames that belong to no request in 30 seconds",
          MAX);
    }
  }

  @Override
  public void onPriorityRead(
      ChannelHandlerContext ctx, int stream, int dependency, short weight, boolean exclusive)
      throws Http2Exception {
    count();
    super.onPriorityRead(ctx, stream, dependency, weight, exclusive);
  }

  @Override
  public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings)
      throws Http2Exception {
    count();
    super.onSettingsRead(ctx, settings);
  }

  @Override
  public void onSettingsAckRead(ChannelHandlerContext ctx) throws Http2Exception {
    count();
    super.onSettingsAckRead(ctx);
  }

  @Override
  public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
    count();
    super.onPingRead(ctx, data);
  }

  @Override
  public void onPingAckRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
    count();
    super.onPingAckRead(ctx, data);
  }

  @Override
  public void onGoAwayRead(ChannelHandlerContext ctx, int last, long error, ByteBuf debug)
      throws Http2Exception {
    count();
    super.onGoAwayRead(ctx, last, error, debug);
  }

  @Override
  public void onUnknownFrame(
      ChannelHandlerContext ctx, byte type, int stream, Http2Flags flags, ByteBuf payload)
      throws Http2Exception {
    count();
    super.onUnknownFrame(ctx, type, stream, flags, payload);
  }
}
