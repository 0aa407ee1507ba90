package dev.mcpbus.doctor;

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
    Stopwatch time = Stopwatch.start();
    List<DoctorStep> steps = new ArrayList<>();
    InetAddress[] found;
    try {
      found = InetAddress.getAllByName(endpoint.host());
    } catch (UnknownHostException e) {
      steps.add(DoctorStep.failed("address", time.millis(), unknownHost()));
      return steps;
    }
    steps.add(DoctorStep.ok("address", time.millis(), describe(found)));
    connect(List.of(found).subList(0, Math.min(found.length, MAX_ADDRESSES)), steps);
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

  private Finding unknownHost() {
    return Finding.of(
        DoctorCause.HOST_NOT_FOUND,
        "The name " + endpoint.host() + " has no address",
        "Correct the host in \"url\"; if it is right, check DNS, VPN and /etc/hosts" + proxyHint());
  }

  private String describe(InetAddress[] found) {
    String all =
        Stream.of(found)
            .limit(MAX_ADDRESSES)
            .map(InetAddress::getHostAddress)
            .distinct()
            .collect(Collectors.joining(", "));
    return all.equals(endpoint.host()) ? all : endpoint.host() + " is " + all;
  }

  private void connect(List<InetAddress> addresses, List<DoctorStep> steps) {
    Stopwatch time = Stopwatch.start();
    IOException last = null;
    for (InetAddress address : addresses) {
      try (Socket socket = new Socket()) {
        socket.connect(
            new InetSocketAddress(address, endpoint.port()),
            (int) Math.max(1, endpoint.connectTimeout().toMillis()));
        String at = last == null ? "" : " at " + address.getHostAddress() + " alone";
        steps.add(
            DoctorStep.ok("connect", time.millis(), "port " + endpoint.port() + " is open" + at));
        if (endpoint.usesTls()) {
          steps.add(new TlsCheck(endpoint).run(socket));
        }
        return;
      } catch (IOException e) {
        last = e;
      }
    }
    steps.add(DoctorStep.failed("connect", time.millis(), unreachable(last)));
  }

  private Finding unreachable(@Nullable IOException why) {
    String place = endpoint.place();
    if (why instanceof SocketTimeoutException) {
      return Finding.of(
          DoctorCause.CONNECT_TIMEOUT,
          place + " does not answer within " + endpoint.connectTimeout().toMillis() + " ms",
          "Is the host up, and does a firewall or a VPN stand between?" + proxyHint());
    }
    if (why instanceof NoRouteToHostException) {
      return Finding.of(
          DoctorCause.NO_ROUTE,
          "There is no way to " + place,
          "Is the machine on the right network or VPN?" + proxyHint());
    }
    if (why instanceof ConnectException) {
      return Finding.of(
          DoctorCause.CONNECTION_REFUSED,
          "Nothing listens at " + place,
          "Start the server, or correct host and port in \"url\"");
    }
    return Finding.of(
        DoctorCause.NO_ROUTE, "No connection to " + place + ": " + why, "Check the network");
  }

  /** mcpbus connects directly; a person whose browser uses a proxy does not expect that. */
  private String proxyHint() {
    return Stream.of("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
        .flatMap(name -> Stream.of(name, name.toLowerCase(Locale.ROOT)))
        .filter(name -> !variables.getOrDefault(name, "").isBlank())
        .findFirst()
        .map(name -> ". " + name + " is set, and mcpbus uses no proxy for MCP servers")
        .orElse("");
  }
}
