package dev.mcpbus.gateway;

/**
 * Headers of the messages between an HTTP verticle and a session host. The body is a JSON-RPC
 * message as a {@code Buffer}.
 */
final class SessionHeaders {

  static final String OP = "op";

  /** A client begins: params of {@code initialize} -> its result and {@link #SESSION}. */
  static final String OPEN = "open";

  /** A message of a client -> the answer, or nothing where none is due. */
  static final String POST = "post";

  /** A client listens -> nothing; messages follow at {@link #DOOR}. */
  static final String STREAM = "stream";

  /** The client knows event ids of the response to a {@link #POST} and may ask for more. */
  static final String KEEP = "keep";

  /** Nobody reads a response any more. */
  static final String GONE = "gone";

  /** A modern client's call of an older server: params -> result, or {@code input_required}. */
  static final String CALL = "call";

  /** The same again, with answers: params that hold {@code requestState}. */
  static final String RETRY = "retry";

  /** A call of a modern client on an older server that becomes a task: params -> the task. */
  static final String TASK = "task";

  /** About such a task: {@link #SUFFIX} says what, {@link #STATE} which one. */
  static final String ABOUT_TASK = "about-task";

  /** Headers of those: where the call goes, what the client can answer and wants to hear. */
  static final String SERVER = "server";

  static final String SUFFIX = "suffix";
  static final String CAPABILITIES = "capabilities";
  static final String LEVEL = "level";
  static final String STATE = "state";

  /** {@link #SESSION} was not at {@link #HOST}: where is it, or who goes on with it? */
  static final String FIND = "find";

  static final String HOST = "host";

  /** On a {@link #FIND}: that host is there no more. On an {@link #OPEN}: others may go on. */
  static final String LOST = "lost";

  static final String LASTING = "lasting";

  static final String DELETE = "delete";

  static final String SESSION = "session";
  static final String VIEW = "view";

  /**
   * {@code Principal.text()}: what is kept belongs to the name, the rights hold for the message.
   */
  static final String PRINCIPAL = "principal";

  /** {@code RequestSource.text()}, for the audit log. */
  static final String SOURCE = "source";

  /** The address of the HTTP verticle, and its name of the response. */
  static final String DOOR = "door";

  static final String EXCHANGE = "exchange";

  /** {@code Last-Event-ID} of a {@link #STREAM}; id of an event that is sent. */
  static final String EVENT = "event";

  /** On a message to the door: the response is over. */
  static final String END = "end";

  private SessionHeaders() {}
}
