package dev.mcpbus.doctor;

import dev.mcpbus.protocol.OutboundProxy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The steps {@code address}, {@code connect} and {@code tls} of a server on a network. Blocks for
 * the connect time-out of each address of the host at most.
 *
 * @param variables the environment of mcpbus
 */
record AddressCheck(Endpoint endpoint, Map<String, String> variables) {

  private static final int MAX_ADDRESSES = 4;

  /** The steps until one fails. */
  List<DoctorStep> run() {
    if (endpoint.isUnix()) {
      return List.of(file());
    }
    OutboundProxy proxy;
    try {
      proxy = endpoint.proxy(variables);
    } catch (IllegalArgumentException e) {
      return List.of(
          DoctorStep.failed(
              "address",
              -1,
              Finding.of(
                  DoctorCause.BAD_URL,
                  String.valueOf(e.getMessage()),
                  "Correct it, or set \"proxy\": \"none\" in the entry")));
    }
    return proxy == null
        ? run(endpoint.host(), endpoint.port(), null)
        : run(proxy.host(), proxy.port(), proxy);
  }

  /**
   * @param proxy whose host and port these are, null for the server's own
   */
  private List<DoctorStep> run(String host, int port, @Nullable OutboundProxy proxy) {
    Stopwatch time = Stopwatch.start();
    List<DoctorStep> steps = new ArrayList<>();
    InetAddress[] found;
    try {
      found = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      steps.add(DoctorStep.failed("address", time.millis(), unknownHost(host, proxy)));
      return steps;
    }
    String through =
        proxy == null ? "" : "the proxy " + proxy + " is used, and looks up the server's name; ";
    steps.add(DoctorStep.ok("address", time.millis(), through + describe(host, found)));
    List<InetAddress> addresses = List.of(found).subList(0, Math.min(found.length, MAX_ADDRESSES));
    connect(addresses, port, proxy, steps);
    return steps;
  }

  private DoctorStep file() {
    Path socket = Path.of(String.valueOf(endpoint.url().getPath()));
    return Files.exists(socket)
        ? DoctorStep.ok("address", -1, "unix socket " + socket)
        : DoctorStep.failed(
            "address",
            -1,
            Finding.of(
                DoctorCause.CONNECTION_REFUSED,
                "There is no socket " + socket,
                "Start the server that makes it, or correct \"url\""));
  }

  private Finding unknownHost(String host, @Nullable OutboundProxy proxy) {
    return Finding.of(
        DoctorCause.HOST_NOT_FOUND,
        "The name " + host + (proxy == null ? "" : " of the proxy") + " has no address",
        "Correct "
            + (proxy == null ? "the host in \"url\"" : proxy.source())
            + "; if it is right, check DNS, VPN and /etc/hosts"
            + proxyHint(proxy));
  }

  private static String describe(String host, InetAddress[] found) {
    String all =
        Stream.of(found)
            .limit(MAX_ADDRESSES)
            .map(InetAddress::getHostAddress)
            .distinct()
            .collect(Collectors.joining(", "));
    return all.equals(host) ? all : host + " is " + all;
  }

  private void connect(
      List<InetAddress> addresses,
      int port,
      @Nullable OutboundProxy proxy,
      List<DoctorStep> steps) {
    Stopwatch time = Stopwatch.start();
    IOException last = null;
    for (InetAddress address : addresses) {
      try (Socket socket = new Socket()) {
        socket.connect(
            new InetSocketAddress(address, port),
            (int) Math.max(1, endpoint.connectTimeout().toMillis()));
        String at = last == null ? "" : " at " + address.getHostAddress() + " alone";
        steps.add(DoctorStep.ok("connect", time.millis(), "port " + port + " is open" + at));
        if (endpoint.usesTls() && proxy == null) {
          steps.add(new TlsCheck(endpoint).run(socket));
        }
        return;
      } catch (IOException e) {
        last = e;
      }
    }
    steps.add(DoctorStep.failed("connect", time.millis(), unreachable(last, proxy)));
  }

  private Finding unreachable(@Nullable IOException why, @Nullable OutboundProxy proxy) {
    String place = proxy == null ? endpoint.place() : "the proxy " + proxy;
    if (why instanceof SocketTimeoutException) {
      return Finding.of(
          DoctorCause.CONNECT_TIMEOUT,
          place + " does not answer within " + endpoint.connectTimeout().toMillis() + " ms",
          "Is the host up, and does a firewall or a VPN stand between?" + proxyHint(proxy));
    }
    if (why instanceof NoRouteToHostException) {
      return Finding.of(
          DoctorCause.NO_ROUTE,
          "There is no way to " + place,
          "Is the machine on the right network or VPN?" + proxyHint(proxy));
    }
    if (why instanceof ConnectException) {
      return Finding.of(
          DoctorCause.CONNECTION_REFUSED,
          "Nothing listens at " + place,
          proxy == null
              ? "Start the server, or correct host and port in \"url\""
              : "Start the proxy, or correct " + proxy.source());
    }
    return Finding.of(
        DoctorCause.NO_ROUTE, "No connection to " + place + ": " + why, "Check the network");
  }

  /** A person whose browser uses a proxy may not expect a direct connection. */
  private String proxyHint(@Nullable OutboundProxy proxy) {
    if (proxy != null) {
      return "";
    }
    return Stream.of("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
        .flatMap(name -> Stream.of(name, name.toLowerCase(Locale.ROOT)))
        .filter(name -> !variables.getOrDefault(name, "").isBlank())
        .findFirst()
        .map(
            name ->
                ". "
                    + name
                    + " is set, and not used for this server: NO_PROXY, the scheme of the url or"
                    + " \"proxy\" of the entry leave it out")
        .orElse("");
  }
}
