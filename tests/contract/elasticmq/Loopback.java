import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.elasticmq.StrictSQSLimits$;
import org.elasticmq.actor.QueueManagerActor;
import org.elasticmq.rest.sqs.SQSRestServerBuilder$;
import org.elasticmq.util.NowProvider;
import scala.Option;

/**
 * ElasticMQ on a free port of the loopback interface, in memory, with a clock that can be put forward.
 *
 * <p>The port is the first line of the output. Each line of the input is a number of seconds that then have passed, and
 * is answered by a line. The end of the input is the end of the server, so that it cannot outlive the tests that started
 * it.
 */
final class Loopback {
  static final class Clock extends NowProvider {
    volatile long aheadMillis = 0;

    @Override
    public long nowMillis() {
      return super.nowMillis() + aheadMillis;
    }

    @Override
    public OffsetDateTime now() {
      return super.now().plus(aheadMillis, ChronoUnit.MILLIS);
    }
  }

  public static void main(String[] args) throws Exception {
    var clock = new Clock();
    var limits = StrictSQSLimits$.MODULE$;
    var system = ActorSystem.create("elasticmq");
    Props queues =
        Props.create(
            QueueManagerActor.class, () -> new QueueManagerActor(clock, limits, Option.empty()));
    var server =
        SQSRestServerBuilder$.MODULE$
            .withActorSystem(system)
            .withQueueManagerActor(system.actorOf(queues))
            .withSQSLimits(limits)
            .withInterface("127.0.0.1")
            .withDynamicPort()
            .start();
    System.out.println(server.waitUntilStarted().localAddress().getPort());
    var seconds = new BufferedReader(new InputStreamReader(System.in));
    for (String line = seconds.readLine(); line != null; line = seconds.readLine()) {
      clock.aheadMillis += 1000 * Long.parseLong(line);
      System.out.println(line);
    }
    System.exit(0);
  }
}
