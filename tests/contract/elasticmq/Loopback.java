import org.elasticmq.StrictSQSLimits$;
import org.elasticmq.rest.sqs.SQSRestServerBuilder$;

/**
 * ElasticMQ on a free port of the loopback interface, in memory, as strict as it can be.
 *
 * <p>The port is the first line of the output, and the end of the input is the end of the server, so that it cannot
 * outlive the tests that started it. Its clock is the machine's: it lets one be put in its place, but then goes by both.
 */
final class Loopback {
  public static void main(String[] args) throws Exception {
    var server =
        SQSRestServerBuilder$.MODULE$
            .withSQSLimits(StrictSQSLimits$.MODULE$)
            .withInterface("127.0.0.1")
            .withDynamicPort()
            .start();
    System.out.println(server.waitUntilStarted().localAddress().getPort());
    while (System.in.read() != -1) {
      // Nothing is asked for here.
    }
    System.exit(0);
  }
}
