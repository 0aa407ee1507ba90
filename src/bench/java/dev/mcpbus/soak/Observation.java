package dev.mcpbus.soak;

/**
 * What was seen at one time, while nobody asked for anything.
 *
 * @param seconds since the start
 * @param work operations that had ended by then
 * @param p99Millis of the steady calls since the observation before; 0 where there were none
 * @param medianMillis of the same
 * @param sessions that our own servers still hold for the service
 */
record Observation(
    double seconds,
    long work,
    LiveObjects objects,
    long threads,
    long handles,
    long children,
    long residentKilobytes,
    double p99Millis,
    double medianMillis,
    long sessions) {

  static Observation of(
      SoakedService service, double seconds, long work, double[] latency, long sessions) {
    return new Observation(
        seconds,
        work,
        service.objects(),
        service.threads(),
        service.handles(),
        service.children(),
        service.residentKilobytes(),
        latency[1],
        latency[0],
        sessions);
  }
}
