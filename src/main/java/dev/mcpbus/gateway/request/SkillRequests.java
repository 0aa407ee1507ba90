package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.SkillNames;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.directory.ViewUris;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * {@code skills/get} and {@code resources/directory/read} of clients (SEP-2640): finds the server
 * of the URI, and gives the URIs of its answer the form that the client's view has. The content of
 * a file is read by {@code resources/read}, as that of any resource. Used as {@link RequestRouter}.
 */
record SkillRequests(Vertx vertx, Directory directory, RequestRouter router) {

  Future<RawJson> route(GatewayCall call) {
    GatewayRequest request = call.request();
    String uri = request.text("uri");
    call.about(null, uri);
    return target(call, uri).compose(found -> send(call, found));
  }

  private Future<ViewList.Target> target(GatewayCall call, String uri) {
    DirectoryView view = call.request().view();
    return directory
        .ready(vertx, view, List.of(ListKind.SKILLS))
        .compose(
            snapshot -> {
              ViewList.Target owner = SkillNames.owner(snapshot.list(view, ListKind.SKILLS), uri);
              return owner == null || !view.admits(ListKind.RESOURCES, owner.server(), owner.key())
                  ? router.resource(call, uri, ViewUris::route)
                  : Future.succeededFuture(owner);
            });
  }

  private Future<RawJson> send(GatewayCall call, ViewList.Target target) {
    GatewayRequest request = call.request();
    call.about(target.server(), target.key());
    boolean skill = request.method().equals(Methods.SKILLS_GET);
    String suffix = skill ? Addresses.SKILLS_GET : Addresses.RESOURCES_DIRECTORY;
    boolean written = !target.key().equals(target.name());
    RawJson params =
        written ? request.params().with("uri", RawJson.string(target.key())) : request.params();
    return router
        .send(call, target.server(), suffix, params)
        .compose(
            result ->
                ResultUris.changed(
                    vertx, result, skill ? skill(call, target) : directory(call, target)));
  }

  /** How the answer to {@code skills/get} changes. */
  private UnaryOperator<RawJson> skill(GatewayCall call, ViewList.Target target) {
    if (call.request().view().isOfOneServer() || target.key().equals(target.name())) {
      return result -> result;
    }
    UnaryOperator<String> name = router.uris(call).renaming(target.server(), true);
    return result -> renamedSkill(result, name);
  }

  /** How the answer to {@code resources/directory/read} changes. */
  private UnaryOperator<RawJson> directory(GatewayCall call, ViewList.Target target) {
    DirectoryView view = call.request().view();
    String server = target.server();
    if (view.isOfOneServer()) {
      return result -> visible(view, server, result);
    }
    boolean written = !target.key().equals(target.name());
    UnaryOperator<String> name = router.uris(call).renaming(server, written);
    String below = target.key() + "/"; // what is there has the directory's form
    UnaryOperator<String> shown = uri -> !written && uri.startsWith(below) ? uri : name.apply(uri);
    return result -> renamedList(visible(view, server, result), shown);
  }

  /** The children that the client may read; the same bytes if these are all. */
  private static RawJson visible(DirectoryView view, String server, RawJson result) {
    RawJson resources = result.member("resources");
    if (resources == null || !resources.isArray()) {
      return result;
    }
    List<RawJson> all = resources.elements();
    List<RawJson> visible =
        all.stream()
            .filter(
                child -> {
                  RawJson uri = child.isObject() ? child.member("uri") : null;
                  return uri != null
                      && uri.isString()
                      && view.admits(ListKind.RESOURCES, server, uri.asString());
                })
            .toList();
    if (visible.size() == all.size()) {
      return result;
    }
    RawJson rest = result.with("resources", RawJson.array(visible));
    return rest.member("cacheScope") == null
        ? rest
        : rest.with("cacheScope", RawJson.string("private")); // other clients see other children
  }

  private static RawJson renamedSkill(RawJson result, UnaryOperator<String> name) {
    RawJson skill = result.member("skill");
    return skill == null || !skill.isObject()
        ? result
        : result.with("skill", SkillNames.renamed(skill, name));
  }

  private static RawJson renamedList(RawJson result, UnaryOperator<String> name) {
    RawJson resources = result.member("resources");
    return resources == null || !resources.isArray()
        ? result
        : result.with("resources", SkillNames.renamedAll(resources, name));
  }
}
