package dev.mcpbus.gateway.dialect;

import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.LoopMark;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The results of {@code initialize} and {@code server/discover}. At the endpoint of one server it
 * is what that server has answered itself, in the form of the client's era; what mcpbus adds stands
 * in {@code _meta} under {@code dev.mcpbus/}. A server of which nothing is known yet, and a view of
 * several, get the name and the capabilities of the gateway. Any thread may call: it reads the
 * directory's snapshot.
 */
public record HandshakeAnswers(Vertx vertx, Directory directory, Implementation gateway) {

  /** How long a client may keep the answer of a view, which changes as servers come and go. */
  private static final long DISCOVER_TTL_MILLIS = 60_000;

  private static final Set<String> DISCOVER_ONLY =
      Set.of(ResultType.MEMBER, "supportedVersions", "ttlMs", "cacheScope");

  /**
   * The version to speak with a client that wants {@code wanted}: of one server's endpoint no later
   * one than the server has answered to us, who offer the latest.
   */
  public ProtocolVersion version(DirectoryView view, ProtocolVersion wanted) {
    DirectoryEntry server = described(view, directory.snapshot(view));
    RawJson own = server == null ? null : member(server, "protocolVersion");
    return own == null || !own.isString()
        ? wanted
        : ProtocolVersion.ofWire(own.asString())
            .filter(version -> version.era() == Era.INITIALIZE && version.compareTo(wanted) < 0)
            .orElse(wanted);
  }

  /**
   * The result of {@code initialize}.
   *
   * @param version that was negotiated with the client
   */
  public RawJson initialize(DirectoryView view, ProtocolVersion version) {
    DirectorySnapshot snapshot = directory.snapshot(view);
    DirectoryEntry server = described(view, snapshot);
    RawJson spoken = RawJson.string(version.wire());
    if (server != null) {
      RawJson own =
          server.isDiscover() ? asInitialize(server, version) : handshake(server).indexed();
      return marked(
          spoken.equals(own.member("protocolVersion")) ? own : own.with("protocolVersion", spoken),
          view,
          snapshot);
    }
    boolean tasks = version == ProtocolVersion.LATEST_INITIALIZE && directory.hasTasks(view);
    JsonObject result =
        new JsonObject()
            .put("protocolVersion", version.wire())
            .put("capabilities", GatewayCapabilities.of(Era.INITIALIZE, tasks, view, snapshot))
            .put("serverInfo", gateway.toJson());
    return general(result, null, view, snapshot);
  }

  /** The result of {@code server/discover}. */
  public RawJson discover(DirectoryView view) {
    DirectorySnapshot snapshot = directory.snapshot(view);
    DirectoryEntry server = described(view, snapshot);
    if (server != null) {
      return marked(
          server.isDiscover() ? discovered(server, view) : asDiscover(server), view, snapshot);
    }
    boolean tasks = directory.hasTasks(view);
    JsonObject result =
        new JsonObject()
            .put(ResultType.MEMBER, ResultType.COMPLETE)
            .put("supportedVersions", new JsonArray(McpErrors.versions()))
            .put("capabilities", GatewayCapabilities.of(Era.DISCOVER, tasks, view, snapshot))
            .put("ttlMs", view.server() ? 0 : DISCOVER_TTL_MILLIS)
            .put("cacheScope", "private");
    JsonObject meta = new JsonObject().put(MetaKeys.SERVER_INFO, gateway.toJson());
    return general(result, meta, view, snapshot);
  }

  private RawJson general(
      JsonObject result,
      @Nullable JsonObject meta,
      DirectoryView view,
      DirectorySnapshot snapshot) {
    String instructions = snapshot.instructions(view);
    if (!instructions.isEmpty()) {
      result.put("instructions", instructions);
    }
    return LoopMark.put(
        RawJson.of(meta == null ? result : result.put("_meta", meta)),
        snapshot.via(view, InstanceId.of(vertx)));
  }

  // ---- one server

  /** The server of a view of one server, if its handshake is known; else null. */
  private static @Nullable DirectoryEntry described(DirectoryView view, DirectorySnapshot now) {
    DirectoryEntry server = view.server() ? now.server(view.name()) : null;
    return server == null || server.handshake() == null ? null : server;
  }

  private static RawJson handshake(DirectoryEntry server) {
    RawJson known = server.handshake();
    return known == null ? RawJson.EMPTY_OBJECT : known;
  }

  private static @Nullable RawJson member(DirectoryEntry server, String name) {
    return handshake(server).member(name);
  }

  private static RawJson object(@Nullable RawJson value) {
    return value == null || !value.isObject() ? RawJson.EMPTY_OBJECT : value;
  }

  private RawJson marked(RawJson result, DirectoryView view, DirectorySnapshot snapshot) {
    RawJson meta = object(result.member("_meta"));
    return LoopMark.put(
        result.with("_meta", meta.with(MetaKeys.GATEWAY, RawJson.of(gateway.toJson()))),
        snapshot.via(view, InstanceId.of(vertx)));
  }

  /** The answer of a server of the {@code discover} era, for a client of the same. */
  private static RawJson discovered(DirectoryEntry server, DirectoryView view) {
    RawJson own = handshake(server);
    RawJson versions = own.member("supportedVersions");
    List<RawJson> stated = versions == null ? List.of() : versions.elements();
    List<RawJson> ours = stated.stream().filter(HandshakeAnswers::isSpoken).toList();
    if (ours.size() < stated.size()) {
      own = own.with("supportedVersions", RawJson.array(ours));
    }
    // Whether a client may use this path at all depends on who it is.
    return view.rights().isUnbounded() ? own : own.with("cacheScope", RawJson.string("private"));
  }

  private static boolean isSpoken(RawJson version) {
    return version.isString() && ProtocolVersion.ofWire(version.asString()).isPresent();
  }

  /** What a client of the {@code initialize} era gets of a server of the {@code discover} era. */
  private static RawJson asInitialize(DirectoryEntry server, ProtocolVersion version) {
    RawJson own = handshake(server);
    RawJson capabilities = object(own.member("capabilities"));
    RawJson extensions = object(capabilities.member("extensions")).without(TasksExtension.ID);
    capabilities =
        extensions.toJsonObject().isEmpty()
            ? capabilities.without("extensions")
            : capabilities.with("extensions", extensions);
    if (server.tasks() && version == ProtocolVersion.LATEST_INITIALIZE) {
      capabilities = capabilities.with("tasks", RawJson.of(GatewayCapabilities.tasks()));
    }
    RawJson meta = object(own.member("_meta"));
    RawJson info = meta.member(MetaKeys.SERVER_INFO);
    // In the order of the specification, which servers of that era keep.
    Map<String, RawJson> result = new LinkedHashMap<>();
    result.put("protocolVersion", RawJson.string(version.wire()));
    result.put("capabilities", capabilities);
    result.put(
        "serverInfo",
        info == null ? RawJson.of(new Implementation(server.id().value(), "").toJson()) : info);
    own.without(DISCOVER_ONLY).members().forEach(result::putIfAbsent);
    result.put("_meta", meta.without(MetaKeys.SERVER_INFO));
    return RawJson.object(result);
  }

  /** What a client of the {@code discover} era gets of a server of the {@code initialize} era. */
  private static RawJson asDiscover(DirectoryEntry server) {
    RawJson own = handshake(server);
    RawJson capabilities = object(own.member("capabilities")).without("tasks");
    if (server.tasks()) {
      RawJson extensions = object(capabilities.member("extensions"));
      capabilities =
          capabilities.with("extensions", extensions.with(TasksExtension.ID, RawJson.EMPTY_OBJECT));
    }
    RawJson meta = object(own.member("_meta"));
    RawJson info = own.member("serverInfo");
    return own.without("protocolVersion")
        .without("serverInfo")
        .with("_meta", info == null ? meta : meta.with(MetaKeys.SERVER_INFO, info))
        .with("capabilities", capabilities)
        .with("cacheScope", RawJson.string("private"))
        .with("ttlMs", RawJson.of(Long.toString(DISCOVER_TTL_MILLIS)))
        .with(
            "supportedVersions",
            RawJson.array(McpErrors.versions().stream().map(RawJson::string).toList()))
        .with(ResultType.MEMBER, ResultType.COMPLETE_JSON);
  }
}
